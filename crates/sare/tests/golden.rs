//! Numbers printed by other packages. `golden/README.md` says how each was made.

mod common;

use sare::classify::Learner;
use sare::data::{Discretiser, Method, ReadOptions, Source, Table, read_table};
use sare::num::tolerance::{OTHER_PACKAGE, ROUNDING, close};
use sare::registry;
use sare::run::Run;
use sare::stats::information::{
    conditional_information, entropy, information_with_class, pair_information,
};
use sare::stats::{CountFamilies, Family, FamilyTable, Score, run_pass};
use serde_json::Value;

fn json(name: &str) -> Value {
    let text = std::fs::read_to_string(path(name)).expect("the file is in the tree");
    serde_json::from_str(&text).expect("the file is JSON")
}

fn path(name: &str) -> String {
    format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> Table {
    read_table(&path(name), &ReadOptions::default(), &Run::default()).expect("the file is readable")
}

fn number(v: &Value) -> f64 {
    v.as_f64().expect("a number")
}

#[test]
fn posteriors_equal_scikit_learns() {
    let table = read("categorical_nb.csv");
    let golden = json("categorical_nb.json");
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let parameters = registry::parameters(&format!("dirichlet:{}", case["alpha"])).unwrap();
        let learner = Learner { parameters, ..Learner::default() };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let names: Vec<&str> =
            golden["classes"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        assert_eq!(model.class().levels(), names);
        let prediction = model.predict(&table, &Run::default()).unwrap();
        let rows = case["posteriors"].as_array().expect("posteriors");
        assert_eq!(rows.len(), table.rows());
        for (r, expected) in rows.iter().enumerate() {
            for (c, &p) in prediction.posteriors.row(r).iter().enumerate() {
                let wanted = number(&expected[c]);
                assert!((p - wanted).abs() < ROUNDING, "row {r}, class {c}: {p} and {wanted}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * 120 * 3);
}

/// Naive Bayes by conditional likelihood is multinomial logistic regression: the same optimum, the same posteriors.
#[test]
fn naive_bayes_by_conditional_likelihood_is_logistic_regression() {
    let table = read("logistic.csv");
    let golden = json("logistic.json");
    let wanted = number(&golden["conditional_log_likelihood"]);
    assert!(close(wanted, number(&golden["scikit_learn"]), 1e-9), "their two answers agree");
    let class = table.cells(4);
    for form in [
        "cll:tolerance=1e-14,iterations=10000,l2=0",
        "cll:cg,tolerance=1e-14,iterations=10000,l2=0",
        "tm:tolerance=1e-11,iterations=100000,l2=0",
    ] {
        let parameters = registry::parameters(form).unwrap();
        let learner = Learner { parameters, ..Learner::default() };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        let of_row = |r: usize| posteriors.row(r)[class.code(r).unwrap()].ln();
        let reached: f64 = (0..table.rows()).map(of_row).sum();
        assert!(close(reached, wanted, 1e-8), "{form}: {reached} and {wanted}");
        for (r, expected) in golden["posteriors"].as_array().unwrap().iter().enumerate() {
            for (c, &p) in posteriors.row(r).iter().enumerate() {
                let wanted = number(&expected[c]);
                assert!((p - wanted).abs() < 1e-4, "{form}, row {r}: {p} and {wanted}");
            }
        }
    }
}

fn count(table: &Table, child: &str, parents: &[&str], class: Option<&str>) -> FamilyTable {
    let at = |name: &str| table.schema().position(name).expect("a column");
    let family = Family { child: at(child), parents: parents.iter().map(|p| at(p)).collect() };
    let source = Source::Memory(table.view());
    let pass = CountFamilies::new(&source, vec![family], class.map(at)).unwrap();
    run_pass(&source, &pass, &Run::default()).unwrap().remove(0)
}

#[test]
fn information_equals_scipys() {
    let (table, golden) = (read("categorical_nb.csv"), json("information.json"));
    for (name, value) in golden["entropy"].as_object().unwrap() {
        let counts = count(&table, name, &[], None);
        assert!(close(entropy(&counts.values()[..counts.cells()]), number(value), OTHER_PACKAGE));
    }
    for (name, value) in golden["mutual_information_with_class"].as_object().unwrap() {
        let counts = count(&table, name, &[], Some("class"));
        assert!(close(information_with_class(&counts), number(value), OTHER_PACKAGE), "{name}");
    }
    let pairs = golden["conditional_mutual_information_given_class"].as_array().unwrap();
    assert_eq!(pairs.len(), 15);
    for pair in pairs {
        let (x, y) = (pair["x"].as_str().unwrap(), pair["y"].as_str().unwrap());
        let counts = count(&table, y, &[x], Some("class"));
        let value = number(&pair["value"]);
        assert!(close(conditional_information(&counts), value, OTHER_PACKAGE), "{x} {y}");
        assert!(pair_information(&counts) >= 0.0);
    }
}

#[test]
fn scores_equal_scipys() {
    let (table, golden) = (read("categorical_nb.csv"), json("information.json"));
    let mut compared = 0;
    for family in golden["families"].as_array().expect("scores") {
        let child = family["child"].as_str().unwrap();
        let parents: Vec<&str> =
            family["parents"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
        let class = parents.contains(&"class").then_some("class");
        let others: Vec<&str> = parents.into_iter().filter(|&p| p != "class").collect();
        let counts = count(&table, child, &others, class);
        for (name, score) in [
            ("ll", Score::LogLikelihood),
            ("bic", Score::Bic),
            ("aic", Score::Aic),
            ("k2", Score::K2),
            ("bdeu", Score::Bdeu(10.0)),
        ] {
            let (ours, theirs) = (score.of(&counts), number(&family[name]));
            assert!(close(ours, theirs, OTHER_PACKAGE), "{child} {name}: {ours} and {theirs}");
            compared += 1;
        }
    }
    assert_eq!(compared, 10);
}

#[test]
fn cut_points_equal_the_reference() {
    let golden = json("mdlp.json");
    let files = golden["files"].as_object().expect("files");
    assert_eq!(files.len(), 2);
    for (file, columns) in files {
        let options = ReadOptions {
            continuous: columns.as_object().unwrap().keys().cloned().collect(),
            ..ReadOptions::default()
        };
        let table = read_table(&path(file), &options, &Run::default()).unwrap();
        let class = table.schema().position("class");
        let bins = Discretiser::learn(table.view(), class, Method::Mdlp).unwrap();
        for (name, expected) in columns.as_object().unwrap() {
            let ours = bins.cuts[table.schema().position(name).unwrap()].as_ref().expect("cuts");
            let theirs: Vec<f64> = expected.as_array().unwrap().iter().map(number).collect();
            assert_eq!(ours.len(), theirs.len(), "{file} {name}: {ours:?} and {theirs:?}");
            assert!(ours.iter().zip(&theirs).all(|(a, b)| close(*a, *b, ROUNDING)));
        }
    }
}
