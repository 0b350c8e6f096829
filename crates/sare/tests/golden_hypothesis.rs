//! Hypothesis tests against SciPy's defaults. `golden/README.md` says how the figures were made.

use sare::num::tolerance::OTHER_PACKAGE;
use sare::stats::distribution::{studentised_range_quantile, studentised_range_upper};
use sare::stats::hypothesis::{
    TestResult, average_ranks, corrected_resampled_t, friedman, holm, iman_davenport, mann_whitney,
    nemenyi_critical_difference, paired_t, spearman, unpaired_t, welch_t, wilcoxon,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Relative at any size: a p-value may be tiny.
fn near(what: &str, ours: f64, theirs: &Value) {
    let theirs = number(theirs);
    let allowed = OTHER_PACKAGE * ours.abs().max(theirs.abs());
    assert!((ours - theirs).abs() <= allowed, "{what}: {ours:e} and {theirs:e}");
}

fn number(v: &Value) -> f64 {
    v.as_f64().expect("a number")
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().expect("an array").iter().map(number).collect()
}

fn whole(v: &Value) -> usize {
    v.as_u64().expect("a whole number") as usize
}

fn near_all(what: &str, ours: &[f64], theirs: &Value) {
    let theirs = theirs.as_array().expect("an array");
    assert_eq!(ours.len(), theirs.len(), "{what}");
    ours.iter().zip(theirs).for_each(|(ours, theirs)| near(what, *ours, theirs));
}

/// The result of a test with statistic and p-value; None for the other kinds of cases.
fn result(test: &str, case: &Value) -> Option<TestResult> {
    let sample = |name: &str| numbers(&case[name]);
    let rows = || case["rows"].as_array().expect("rows").iter().map(numbers).collect::<Vec<_>>();
    Some(match test {
        "paired_t" => paired_t(&sample("x"), &sample("y")),
        "unpaired_t" => unpaired_t(&sample("x"), &sample("y")),
        "welch_t" => welch_t(&sample("x"), &sample("y")),
        "corrected_t" => corrected_resampled_t(&sample("x"), &sample("y"), number(&case["ratio"])),
        "wilcoxon" => wilcoxon(&sample("x"), &sample("y")),
        "mann_whitney" => mann_whitney(&sample("x"), &sample("y")),
        "spearman" => spearman(&sample("x"), &sample("y")),
        "friedman" => friedman(&rows()),
        "iman_davenport" => {
            near_all(test, &average_ranks(&rows(), true), &case["ranks_larger_better"]);
            near_all(test, &average_ranks(&rows(), false), &case["ranks_smaller_better"]);
            iman_davenport(&rows())
        }
        _ => return None,
    })
}

#[test]
fn tests_equal_scipys() {
    let path = format!("{}/tests/golden/hypothesis.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the file is in the tree");
    let golden: Value = serde_json::from_str(&text).expect("the file is JSON");
    let mut compared = BTreeMap::new();
    for (i, case) in golden["cases"].as_array().expect("cases").iter().enumerate() {
        let test = case["test"].as_str().expect("a name");
        let what = format!("case {i}, {test}");
        if let Some(ours) = result(test, case) {
            let what = format!("{what} ({})", ours.variant);
            near(&format!("{what}, statistic"), ours.statistic, &case["statistic"]);
            near(&format!("{what}, p"), ours.p_value, &case["p_value"]);
        } else if test == "nemenyi" {
            let (k, n, alpha) = (whole(&case["k"]), whole(&case["n"]), number(&case["alpha"]));
            near(&what, studentised_range_upper(3.0, k), &case["upper_at_3"]);
            near(&what, studentised_range_quantile(alpha, k), &case["q"]);
            near(&what, nemenyi_critical_difference(k, n, alpha), &case["difference"]);
        } else {
            assert_eq!(test, "holm");
            near_all(&what, &holm(&numbers(&case["p_values"])), &case["adjusted"]);
        }
        *compared.entry(test.to_owned()).or_insert(0) += 1;
    }
    assert_eq!(compared.len(), 11, "every test has cases: {compared:?}");
    assert!(compared.values().all(|&n| n >= 5), "{compared:?}");
}
