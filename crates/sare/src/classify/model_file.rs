//! Models on disk: versioned, self-contained JSON.

use super::classifier::{Classifier, Training};
use crate::average::{Model, PairModel};
use crate::data::discretise::Discretiser;
use crate::data::open::display_name;
use crate::data::schema::Schema;
use crate::data::write::write_file;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::parameters::penalty;
use crate::run::Outcome;
use serde::{Deserialize, Serialize};
use std::io::Read;

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
        let mut text = String::new();
        let read = if path == "-" {
            std::io::stdin().read_to_string(&mut text)
        } else {
            std::fs::File::open(path).and_then(|mut f| f.read_to_string(&mut text))
        };
        match read {
            Err(e) if e.kind() == std::io::ErrorKind::InvalidData => {
                return Err(Error::model(name, "this is not a sare model", "name a model file"));
            }
            other => other.map_err(Error::io(name))?,
        };
        ModelFile::parse(name, &text)
    }

    pub(super) fn parse(name: &str, text: &str) -> Result<Classifier> {
        check_header(name, text)?;
        let file: ModelFile = serde_json::from_str(text).map_err(|e| broken(name, &e))?;
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

    /// Schema, cut points and network must tell the same story.
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
        let coded = self.cuts.schema(&self.schema);
        if self.network.as_ref().is_some_and(|network| coded != network.schema()) {
            return bad("the schema and the network do not fit together");
        }
        if self.pairs.as_ref().is_some_and(|pairs| !pairs.fits(&coded)) {
            return bad("the schema and the pairs do not fit together");
        }
        let rising = |cuts: &Vec<f64>| cuts.windows(2).all(|w| w[0] < w[1]);
        if !self.cuts.cuts.iter().flatten().all(rising) {
            return bad("the cut points are not in rising order");
        }
        Ok(())
    }
}

fn check_header(name: &str, text: &str) -> Result<()> {
    let not_a_model = || Err(Error::model(name, "this is not a sare model", "name a model file"));
    if !text.trim_start().starts_with('{') {
        return not_a_model();
    }
    let header: Header = serde_json::from_str(text).map_err(|e| broken(name, &e))?;
    if header.format.as_deref() != Some(FORMAT) {
        return not_a_model();
    }
    match header.version {
        Some(v) if v > VERSION => {
            let by = header.sare.unwrap_or_else(|| "a newer version".into());
            let problem = format!("the model was written by sare {by} in form {v}");
            let fix = format!("this sare reads forms up to {VERSION}: use a newer one");
            return Err(Error::model(name, problem, fix));
        }
        Some(1..) => {}
        _ => return Err(Error::model(name, "the model has no version", "fit the model again")),
    }
    match header.kind.as_deref() {
        Some(KIND) => Ok(()),
        other => {
            let problem = format!("the model is a {}", other.unwrap_or("thing of unknown kind"));
            Err(Error::model(name, problem, format!("give a {KIND}")))
        }
    }
}

fn broken(name: &str, e: &serde_json::Error) -> Error {
    let place = format!("line {}, column {}", e.line(), e.column());
    let problem = if e.is_eof() {
        format!("the model file ends in the middle ({place})")
    } else {
        format!("the model file is damaged: {e}")
    };
    Error::model(name, problem, "copy it again or fit the model again")
}
