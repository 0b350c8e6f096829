//! Models on disk: versioned, self-contained JSON.

use super::classifier::{Classifier, Training};
use crate::average::{Model, PairModel};
use crate::data::discretise::Discretiser;
use crate::data::open::{content, display_name};
use crate::data::schema::{Field, Kind, Schema};
use crate::data::table::MAX_LEVELS;
use crate::data::write::write_file;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::penalty;
use crate::run::Outcome;
use rustc_hash::FxHashSet;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What every model file says it is.
const FORMAT: &str = "sare-model";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 2;
/// The kind of model of this file.
const KIND: &str = "classifier";

#[derive(Serialize, Deserialize)]
pub(super) struct ModelFile {
    format: String,
    version: u32,
    kind: String,
    sare: String,
    structure: String,
    parameters: String,
    seed: u64,
    training: Training,
    outcome: Outcome,
    missing: Option<Vec<String>>,
    schema: Schema,
    cuts: Discretiser,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Network>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<PairModel>,
}

/// The part of a model file that tells whether the rest can be read.
#[derive(Deserialize)]
struct Header {
    format: Option<String>,
    version: Option<u32>,
    kind: Option<String>,
    sare: Option<String>,
}

impl ModelFile {
    pub(super) fn save(c: &Classifier, path: &str) -> Result<()> {
        let file = ModelFile {
            format: FORMAT.into(),
            version: VERSION,
            kind: KIND.into(),
            sare: env!("CARGO_PKG_VERSION").into(),
            structure: c.forms[0].clone(),
            parameters: c.forms[1].clone(),
            seed: c.seed,
            training: c.training.clone(),
            outcome: c.outcome.clone(),
            missing: c.missing.clone(),
            schema: c.schema.clone(),
            cuts: c.bins.clone(),
            network: c.network().cloned(),
            pairs: c.pairs().cloned(),
        };
        write_file(path, |out| {
            // A network is for people to read; counts of pairs are too many for a line each.
            match file.pairs {
                Some(_) => serde_json::to_writer(&mut *out, &file)?,
                None => serde_json::to_writer_pretty(&mut *out, &file)?,
            }
            out.write_all(b"\n")
        })
    }

    pub(super) fn load(path: &str) -> Result<Classifier> {
        let name = display_name(path);
        let text = String::from_utf8(content(path)?).map_err(|_| not_a_model(name))?;
        ModelFile::parse(name, &text)
    }

    pub(super) fn parse(name: &str, text: &str) -> Result<Classifier> {
        check_header(name, text)?;
        let file: ModelFile = parsed(name, text)?;
        file.check(name)?;
        let forms = [file.structure, file.parameters].map(penalty::named);
        let model = match (file.network, file.pairs) {
            (Some(network), None) => Model::Network(network),
            (None, Some(pairs)) => Model::Pairs(pairs),
            _ => {
                let problem = "the model has neither a network nor pairs, or both";
                return Err(Error::model(name, problem, "fit the model again"));
            }
        };
        let (schema, cuts) = (file.schema, file.cuts);
        let c = Classifier::new(schema, cuts, model, forms, file.training, file.seed, file.outcome);
        Ok(c.with_missing(file.missing))
    }

    /// All parts must fit together, so that nothing that is looked up later is not there.
    fn check(&self, name: &str) -> Result<()> {
        let bad = |problem: &str| Err(Error::model(name, problem, "fit the model again"));
        let fields = &self.schema.fields;
        let cut = self.cuts.cuts.iter().map(Option::is_some);
        if fields.len() < 2 || !cut.eq(fields.iter().map(|f| f.kind.is_continuous())) {
            return bad("the schema and the cut points do not fit together");
        }
        if !fields[fields.len() - 1].is_discrete() {
            return bad("the class is not discrete");
        }
        if let Some(cuts) = self.cuts.cuts.iter().flatten().find(|cuts| !are_cut_points(cuts)) {
            return bad(&format!(
                "{} cut points are too many or not in ascending order",
                cuts.len()
            ));
        }
        let coded = self.cuts.schema(&self.schema);
        if self.network.as_ref().is_some_and(|network| coded != network.schema()) {
            return bad("the schema, the cut points and the network do not fit together");
        }
        if self.pairs.as_ref().is_some_and(|pairs| !pairs.fits(&coded)) {
            return bad("the schema, the cut points and the pairs do not fit together");
        }
        check_schema(&coded).or_else(|problem| bad(&problem))?;
        let classes = coded.fields[fields.len() - 1].states();
        self.outcome.check(fields.len(), classes).or_else(|problem| bad(&problem))
    }
}

fn are_cut_points(cuts: &[f64]) -> bool {
    cuts.len() < MAX_LEVELS && cuts.is_sorted_by(|a, b| a < b)
}

/// Names must differ, and every column must have levels that differ.
fn check_schema(coded: &Schema) -> std::result::Result<(), String> {
    let mut names = FxHashSet::default();
    for Field { name, kind, .. } in &coded.fields {
        if !names.insert(name) {
            return Err(format!("schema: two columns are called '{name}'"));
        }
        let Kind::Discrete { levels } = kind else {
            return Err(format!("schema: column '{name}' holds text, which no model uses"));
        };
        let different: FxHashSet<&String> = levels.iter().collect();
        if !(1..=MAX_LEVELS).contains(&levels.len()) || different.len() < levels.len() {
            return Err(format!("schema: column '{name}' has no levels, too many or equal ones"));
        }
    }
    Ok(())
}

fn not_a_model(name: &str) -> Error {
    Error::model(name, "this is not a sare model", "name a model file")
}

fn check_header(name: &str, text: &str) -> Result<()> {
    if !text.trim_start().starts_with('{') {
        return Err(not_a_model(name));
    }
    let header: Header = parsed(name, text)?;
    if header.format.as_deref() != Some(FORMAT) {
        return Err(not_a_model(name));
    }
    match header.version {
        Some(v) if v > VERSION => {
            let by = header.sare.unwrap_or_else(|| "a newer version".into());
            let problem = format!("the file has format version {v} (written by sare {by})");
            let fix = format!("this sare reads versions up to {VERSION}: use a newer one");
            return Err(Error::model(name, problem, fix));
        }
        Some(1..) => {}
        _ => return Err(Error::model(name, "the model has no version", "fit the model again")),
    }
    match header.kind.as_deref() {
        Some(KIND) => Ok(()),
        other => {
            let other = other.unwrap_or("model of no kind");
            let problem = format!("this is a model of another kind: a {other}");
            Err(Error::model(name, problem, format!("give a {KIND}")))
        }
    }
}

/// The parts of a model file. One that is damaged is read again, to find the name of the field.
fn parsed<T: DeserializeOwned>(name: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| {
        let mut reader = serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(&mut reader) {
            Err(found) if found.path().iter().next().is_some() => {
                broken(name, found.inner(), &format!("{}: ", found.path()))
            }
            _ => broken(name, &e, ""),
        }
    })
}

fn broken(name: &str, e: &serde_json::Error, field: &str) -> Error {
    let place = format!("line {}, column {}", e.line(), e.column());
    let problem = if e.is_eof() {
        format!("the model file ends in the middle ({place})")
    } else {
        format!("the model file is damaged: {field}{e}")
    };
    Error::model(name, problem, "copy it again or fit the model again")
}
