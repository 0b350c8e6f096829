//! Model files of every form that was ever written stay readable and mean what they meant.

use sare::classify::Classifier;
use sare::data::ReadOptions;
use sare::data::read::SchemaReader;
use sare::num::tolerance::{ROUNDING, close};
use sare::run::Run;

/// The posteriors that a model of `tests/models` gives to the one row of a CSV text.
fn posteriors(model: &str, csv: &str) -> Vec<f64> {
    let path = format!("{}/tests/models/{model}", env!("CARGO_MANIFEST_DIR"));
    let model = Classifier::load(&path).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), csv).unwrap();
    let class = [model.class().name.clone()];
    let path = file.path().to_str().unwrap();
    let options = ReadOptions::default();
    let mut reader = SchemaReader::open(path, model.schema(), &options, &class, true).unwrap();
    let table = reader.next_chunk().unwrap().unwrap();
    model.predict(&table, &Run::default()).unwrap().posteriors.row(0).to_vec()
}

fn check(model: &str, csv: &str, expected: &[f64]) {
    let ours = posteriors(model, csv);
    assert_eq!(ours.len(), expected.len());
    let equal = |(a, b): (&f64, &f64)| close(*a, *b, ROUNDING);
    assert!(ours.iter().zip(expected).all(equal), "{model}: {ours:?}");
}

/// What version 0.1.0 predicted when the files were written.
#[test]
fn form_1() {
    let iris = "sepallength,sepalwidth,petallength,petalwidth\n5.9,3.2,4.8,1.8\n";
    let expected = [0.00011913121990369173, 0.008426966292134835, 0.9914539024879615];
    check("form-1-nb.json", iris, &expected);
    let monk = "a1,a2,a3,a4,a5,a6\n1,1,1,1,2,2\n";
    check("form-1-tan.json", monk, &[0.02006642679213953, 0.9799335732078605]);
}

/// A class with parents, and an average.
#[test]
fn form_2() {
    let monk = "a1,a2,a3,a4,a5,a6\n1,1,1,1,2,2\n";
    check("form-2-network.json", monk, &[0.8296362023070097, 0.17036379769299023]);
    check("form-2-averaged-tan.json", monk, &[0.32809155766962955, 0.6719084423303704]);
}

/// Parameters by conditional likelihood from before the penalty was the default: their form names none.
#[test]
fn form_2_without_a_penalty() {
    let monk = "a1,a2,a3,a4,a5,a6\n1,1,1,1,2,2\n";
    check("form-2-cll.json", monk, &[1.0895207218027801e-6, 0.9999989104792781]);
    let path = format!("{}/tests/models/form-2-cll.json", env!("CARGO_MANIFEST_DIR"));
    let model = Classifier::load(&path).unwrap();
    assert_eq!(model.forms(), &["tan".to_string(), "cll:method=lbfgs,l2=0".to_string()]);
    // Saved again, it says so itself.
    let again = tempfile::NamedTempFile::new().unwrap();
    model.save(again.path().to_str().unwrap()).unwrap();
    assert!(std::fs::read_to_string(again.path()).unwrap().contains("method=lbfgs,l2=0"));
}
