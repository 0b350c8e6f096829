//! A model file in which one value was changed is refused with a message that names the field, or it is a model that every
//! use of it works with or refuses: nothing panics.

mod common;

use common::mixed_table;
use sare::classify::{Classifier, Explainer, Learner};
use sare::cluster::{Chooser, Clusterer, Marginals, Rule};
use sare::data::read::SchemaReader;
use sare::data::write::write_csv;
use sare::data::{ReadOptions, Schema, Table};
use sare::evaluate::cluster_report::{Clustered, Membership, page};
use sare::infer::{Evidence, Query};
use sare::registry::{self, CLUSTERERS};
use sare::run::Run;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Rows and the file they are in.
struct Rows {
    table: Table,
    file: tempfile::NamedTempFile,
}

impl Rows {
    fn new() -> Rows {
        let table = mixed_table(60, 3).select(&[0, 1, 4, 6]);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write_csv(&table, "weight", &mut file).unwrap();
        Rows { table, file }
    }
}

/// A model of every kind, with its name.
fn models(rows: &Rows, run: &Run<'_>) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for name in ["form-1-nb", "form-1-tan", "form-2-network", "form-2-averaged-tan"] {
        let path = format!("{}/tests/models/{name}.json", env!("CARGO_MANIFEST_DIR"));
        all.push((
            name.to_string(),
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap(),
        ));
    }
    let mut keep = |name: &str, model: &Classifier| {
        let file = tempfile::NamedTempFile::new().unwrap();
        model.save(file.path().to_str().unwrap()).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        all.push((name.to_string(), serde_json::from_str(&text).unwrap()));
    };
    for name in ["nb", "tan", "network", "averaged-tan", "averaged-trees", "aode", "averaged-nb"] {
        // Learners may be called otherwise by now.
        let Ok(structure) = registry::structure(name) else { continue };
        let learner = Learner { structure, ..Learner::default() };
        keep(name, &learner.fit(rows.table.view(), "class", run).unwrap());
    }
    for method in CLUSTERERS {
        let name = method.description.name;
        let method = registry::clusterer(name).unwrap();
        let clusterer = Clusterer { method, starts: 2, ..Clusterer::default() };
        if let Ok(model) = clusterer.fit(rows.table.select(&[0, 1, 2]).view(), run) {
            keep(name, &model);
        }
    }
    let clusterer = Clusterer { starts: 2, ..Clusterer::default() };
    let chooser = Chooser { clusterer, numbers: 1..=3, rule: Rule::Bic, folds: 0 };
    let choice = chooser.choose(rows.table.select(&[0, 1, 2]).view(), run).unwrap();
    keep("numbers of clusters", &choice.candidates[choice.chosen].clustering.model);
    all
}

/// Where every value of a tree is, of long lists only the first and the last.
fn places(value: &Value, place: &str, all: &mut Vec<String>) {
    if !place.is_empty() {
        all.push(place.to_string());
    }
    match value {
        Value::Object(map) => map.iter().for_each(|(key, v)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            places(v, &format!("{place}/{key}"), all);
        }),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| {
            if i == 0 || i + 1 == list.len() {
                places(v, &format!("{place}/{i}"), all);
            }
        }),
        _ => {}
    }
}

/// The same model with the value at a place changed, in every way.
fn changes(model: &Value, place: &str) -> Vec<Value> {
    let with = |new: Value| {
        let mut changed = model.clone();
        *changed.pointer_mut(place).unwrap() = new;
        changed
    };
    let other = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!("other"),
        json!(true),
    ];
    let mut all: Vec<Value> = other.into_iter().map(with).collect();
    let old = model.pointer(place).unwrap();
    if let Some(n) = old.as_u64() {
        all.extend([n + 1, n + 7].map(|n| with(json!(n))));
    }
    if let Some(x) = old.as_f64() {
        all.extend([-x, x * 1.5, x + 1.0].map(|x| with(json!(x))));
    }
    if let Some(list) = old.as_array() {
        let more: Vec<Value> = list.iter().chain(list.first()).cloned().collect();
        let less = list[..list.len().saturating_sub(1)].to_vec();
        all.extend([more, less].map(|l| with(json!(l))));
    }
    let (parent, key) = place.rsplit_once('/').unwrap();
    let mut without = model.clone();
    if without.pointer_mut(parent).unwrap().as_object_mut().is_some_and(|o| o.remove(key).is_some())
    {
        all.push(without);
    }
    all
}

/// Whether a message names a key on the way to a place.
fn names(message: &str, place: &str) -> bool {
    let keys = place.split('/').filter(|k| k.len() > 3 && k.parse::<usize>().is_err());
    // Of the format it is said that the file is not a model at all.
    place.starts_with("/format")
        || keys.into_iter().any(|k| message.contains(k.trim_end_matches('s')))
}

/// Everything a model is used for. What is refused is refused; what panics fails the test.
fn use_model(model: &Classifier, rows: &Rows, run: &Run<'_>) {
    let _ = model.free_parameters();
    let _ = model.log_likelihoods(&rows.table, run);
    if let Ok(prediction) = model.predict(&rows.table, run) {
        let decided: Vec<usize> =
            (0..prediction.posteriors.rows()).map(|r| prediction.posteriors.winner(r)).collect();
        let explained =
            rows.table.select(&(0..model.schema().len()).map(|c| c.min(3)).collect::<Vec<_>>());
        if model.schema() == explained.schema() {
            let coded = model.bins().apply(&explained);
            let _ = Explainer::new(model).explain(coded.view(), &decided, run);
        }
    }
    if let Ok(network) = model.as_network(run) {
        let evidence = Evidence::none();
        let query = Query { network: &network, evidence: &evidence, limit: 1 << 24 };
        let _ = query.marginals(&(0..network.variables().len()).collect::<Vec<_>>());
    }
    let _ = Marginals::of(model);
    let _ = model.bins().schema(model.schema());
    if let Ok(clustered) = Clustered::of(model, "model") {
        let path = rows.file.path().to_str().unwrap();
        let schema = Schema::new(model.attributes().to_vec());
        let options = ReadOptions::default();
        if let Ok(mut reader) = SchemaReader::open(path, &schema, &options, &[], false)
            && let Ok(membership) = Membership::read(model, "rows", &mut reader, None, run)
        {
            page(&clustered, &membership, "", &[], "").html();
        }
    }
}

#[test]
fn a_changed_value_is_refused_by_name_or_does_no_harm() {
    let run = Run::default().threads(1).unwrap();
    let rows = Rows::new();
    let (mut refused, mut accepted, mut wrong) = (0, 0, Vec::new());
    for (name, model) in models(&rows, &run) {
        let whole = Classifier::parse(&name, &model.to_string()).expect(&name);
        use_model(&whole, &rows, &run);
        let mut all = Vec::new();
        places(&model, "", &mut all);
        for place in &all {
            for changed in changes(&model, place) {
                let what = || format!("{name}: {place} = {:?}", changed.pointer(place));
                let text = changed.to_string();
                let used = catch_unwind(AssertUnwindSafe(|| {
                    let model = Classifier::parse("model", &text)?;
                    use_model(&model, &rows, &run);
                    Ok::<(), sare::error::Error>(())
                }));
                match used {
                    Err(_) => wrong.push(format!("{} panics", what())),
                    Ok(Ok(())) => accepted += 1,
                    Ok(Err(e)) => {
                        refused += 1;
                        let message = e.to_string();
                        if !names(&message, place) {
                            wrong.push(format!("{}: {message}", what()));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 5000 && accepted > 1000, "{refused} refused, {accepted} accepted");
}

/// Each of these was accepted once, and looked up later.
#[test]
fn what_refers_to_nothing_is_refused() {
    let run = Run::default().threads(1).unwrap();
    let rows = Rows::new();
    let models = models(&rows, &run);
    let refuse = |name: &str, place: &str, value: Value, part: &str| {
        let (_, model) = models.iter().find(|(n, _)| n == name).unwrap();
        let mut model = model.clone();
        *model.pointer_mut(place).unwrap() = value;
        let message = Classifier::parse(name, &model.to_string()).unwrap_err().to_string();
        assert!(message.contains(part), "{place}: {message}");
    };
    refuse(
        "form-2-averaged-tan",
        "/outcome/arcs/0/parent",
        json!(99),
        "outcome.arcs has an arc from column 99",
    );
    refuse("form-2-averaged-tan", "/outcome/arcs/0/child", json!(7), "to column 7, of 7");
    refuse(
        "form-2-averaged-tan",
        "/outcome/arcs/0/probability",
        json!(2),
        "outcome.arcs: probability holds 2",
    );
    refuse("form-2-averaged-tan", "/outcome/relevance", json!([0.5]), "1 entries instead of 6");
    refuse("tan", "/outcome/reasons/0/child", json!(4), "outcome.reasons has an arc");
    refuse(
        "em",
        "/outcome/clusters/sizes",
        json!([60.0]),
        "outcome.clusters.sizes has 1 entries instead of 2",
    );
    refuse("em", "/outcome/clusters/information", json!([]), "outcome.clusters.information has 0");
    refuse("em", "/outcome/clusters/independence/0", json!("x"), "outcome.clusters.independence");
    refuse(
        "numbers of clusters",
        "/outcome/clusters/numbers/figures/0/clusters",
        json!(0),
        "ascend",
    );
    refuse("form-1-nb", "/training/rows", json!(-1), "training.rows");
    refuse("form-1-nb", "/version", json!("two"), "version");
    refuse("averaged-tan", "/schema/0/kind/discrete/levels", json!(["a", "a"]), "column 'd0'");
    refuse("averaged-tan", "/schema/0/name", json!("d1"), "two columns are called 'd1'");
}
