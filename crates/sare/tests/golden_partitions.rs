//! Agreement of partitions against scikit-learn and SciPy. `golden/README.md` says how the figures were made.

use sare::cluster::{Contingency, agreement};
use sare::num::tolerance::{OTHER_PACKAGE, close};
use serde_json::Value;

fn labels(v: &Value) -> Vec<Option<u32>> {
    let label = |v: &Value| Some(v.as_u64().expect("a whole number") as u32);
    v.as_array().expect("an array").iter().map(label).collect()
}

#[test]
fn partitions_agree_as_in_scikit_learn() {
    let path = format!("{}/tests/golden/partitions.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the file is in the tree");
    let golden: Value = serde_json::from_str(&text).expect("the file is JSON");
    let cases = golden["cases"].as_array().expect("cases");
    assert!(cases.len() >= 20, "{}", cases.len());
    for case in cases {
        let table = Contingency::new(&labels(&case["first"]), &labels(&case["second"]), None);
        let ours = agreement(&table.expect("labels of the same rows"));
        let near = |what: &str, ours: f64| {
            let theirs = case[what].as_f64().expect("a number");
            let name = &case["name"];
            assert!(close(ours, theirs, OTHER_PACKAGE), "{name}, {what}: {ours} and {theirs}");
        };
        near("adjusted_rand", ours.adjusted_rand);
        near("normalised_information", ours.normalised_information);
        near("hamming", ours.hamming);
        // SciPy cannot match nothing with nothing.
        if case["accuracy"].is_null() {
            assert_eq!(ours.accuracy, 1.0);
        } else {
            near("accuracy", ours.accuracy);
        }
    }
}
