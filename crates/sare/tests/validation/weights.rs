//! Weights that are whole numbers are cases: a table of weighted rows gives what the rows give that it stands for.

use super::*;
use sare::cluster::{Chooser, Clusterer, Rule};
use sare::evaluate::Candidate;
use sare::evaluate::curve::learning_curves;
use sare::num::tolerance::close;
use std::collections::BTreeMap;

/// Equal rows made one, with a weight.
fn joined(table: &Table) -> Table {
    let mut kinds: BTreeMap<Vec<String>, (u32, f64)> = BTreeMap::new();
    for row in 0..table.rows() {
        let key = (0..table.columns()).map(|c| table.text(c, row)).collect();
        kinds.entry(key).or_insert((row as u32, 0.0)).1 += 1.0;
    }
    let (rows, weights): (Vec<u32>, Vec<f64>) = kinds.into_values().unzip();
    table.gather(&rows).with_weights(weights).unwrap()
}

fn check_same(long: &Evaluation, short: &Evaluation, what: &str) {
    assert_eq!(long.folds.len(), short.folds.len(), "{what}");
    for (a, b) in long.folds.iter().zip(&short.folds) {
        assert_eq!((a.trained, a.test.rows), (b.trained, b.test.rows), "{what}");
        assert_eq!(a.test.confusion, b.test.confusion, "{what}");
        assert!(close(a.test.cll, b.test.cll, 1e-6), "{what}: {} {}", a.test.cll, b.test.cll);
    }
    assert_eq!(long.total.rows, short.total.rows, "{what}");
    assert_eq!(long.accuracy(), short.accuracy(), "{what}");
}

#[test]
fn every_scheme_takes_weighted_rows_for_the_cases_they_stand_for() {
    let schemes = [
        Scheme::Resubstitution,
        Scheme::folds(5),
        Scheme::Folds { count: 3, repeats: 2, stratified: false },
        Scheme::LeaveOneOut,
        Scheme::HoldOut { share: 0.3, repeats: 2 },
        Scheme::Bootstrap { repeats: 3 },
    ];
    for holes in [false, true] {
        let long = grouped_table(160, 3, holes);
        let short = joined(&long);
        assert!(short.rows() < 120);
        for structure in ["nb", "tan", "selective", "wrapper-tan", "joined", "aode"] {
            let learner = learner(structure, "laplace");
            for scheme in schemes {
                let of = |table| evaluated(&learner, table, scheme);
                check_same(&of(&long), &of(&short), &format!("{structure} {scheme:?} {holes}"));
            }
        }
        let stopping = learner("nb", "cll:held-out=0.3,iterations=15");
        let of = |table| evaluated(&stopping, table, Scheme::folds(3));
        check_same(&of(&long), &of(&short), "held out");
    }
}

/// The classes' weights make cases no more and no fewer: what is held out and left out is the same.
#[test]
fn class_weights_split_no_case() {
    let long = grouped_table(150, 9, false);
    let short = joined(&long);
    for (structure, parameters) in
        [("selective", "laplace"), ("nb", "cll:held-out=0.3,iterations=15")]
    {
        let given = vec![("class1".to_string(), 0.4), ("class2".to_string(), 3.0)];
        let class_weights = sare::classify::ClassWeights::Given(given);
        let learner = Learner { class_weights, ..learner(structure, parameters) };
        let of = |table| evaluated(&learner, table, Scheme::folds(4));
        check_same(&of(&long), &of(&short), structure);
    }
}

#[test]
fn curves_and_the_order_of_rows() {
    let long = grouped_table(150, 4, true);
    let (other, _) = shuffled(&long);
    let candidates = [Candidate::new(learner("nb", "laplace"))];
    let curve = |t: &Table, sizes: &[usize]| {
        let (scheme, options, run) = (Scheme::folds(3), Options::default(), Run::with_seed(2));
        learning_curves(&candidates, t, "class", scheme, sizes, &options, &run)
    };
    let accuracies = |t: &Table| -> Vec<f64> {
        let curves = curve(t, &[60, 10, 100]).unwrap();
        (0..3).map(|s| curves[0].estimate(s, |m| m.accuracy).mean).collect()
    };
    assert_eq!(accuracies(&long), accuracies(&joined(&long)));
    assert_eq!(accuracies(&long), accuracies(&other));
    let error = curve(&joined(&long), &[101]).unwrap_err().to_string();
    assert!(error.contains("from 1 to 100, the cases"), "{error}");
    let tan = learner("tan", "laplace");
    let of = |t| evaluated(&tan, t, Scheme::five_by_two());
    check_same(&of(&long), &of(&other), "another order");
}

fn shuffled(table: &Table) -> (Table, Vec<u32>) {
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    Random::new(8, Purpose::Sample, 98).shuffle(&mut order);
    (table.gather(&order), order)
}

/// The log-likelihood of held-out cases, and the number of clusters that it recommends, bit for bit.
#[test]
fn clusters_are_chosen_by_cases() {
    let whole = grouped_table(400, 6, true);
    let long = whole.select(&[0, 1, 2]);
    let (other, _) = shuffled(&long);
    let chosen = |t: &Table| {
        let method = registry::clusterer("em").unwrap();
        let clusterer = Clusterer { method, starts: 3, ..Clusterer::default() };
        let chooser = Chooser { clusterer, numbers: 1..=3, folds: 4, rule: Rule::CrossValidated };
        let choice = chooser.choose(t.view(), &Run::with_seed(3)).unwrap();
        let figures = choice.candidates.iter().map(|c| c.figures.cross_validated.unwrap());
        (figures.map(f64::to_bits).collect::<Vec<_>>(), choice.chosen)
    };
    let first = chosen(&long);
    assert_eq!(first, chosen(&joined(&long)));
    assert_eq!(first, chosen(&other));
}

/// Weights that are not whole numbers say how much a row counts: rows stay whole, and the standard error is that of as many
/// cases as they are worth.
#[test]
fn other_weights_leave_rows_whole() {
    let table = grouped_table(120, 7, false);
    let weights: Vec<f64> = (0..120).map(|r| [0.5, 1.25, 3.0][r % 3]).collect();
    let weighted = table.with_weights(weights.clone()).unwrap();
    let learner = learner("nb", "laplace");
    let folds = evaluated(&learner, &weighted, Scheme::folds(4));
    assert!(folds.folds.iter().all(|f| f.test.rows == 30 && f.trained == 90));
    assert_eq!(folds.total.rows, 120);
    let one = evaluated(&learner, &weighted, Scheme::LeaveOneOut);
    let p = one.total.accuracy;
    let share: f64 =
        weights.iter().map(|w| w * w).sum::<f64>() / weights.iter().sum::<f64>().powi(2);
    assert!(close(one.accuracy().error.unwrap(), (p * (1.0 - p) * share).sqrt(), 1e-12));
    // Every row is left out with all its weight: scaling all weights changes nothing but what is added to counts.
    let ml = super::learner("nb", "ml");
    let scaled =
        weighted.clone().with_weights(weights.iter().map(|w| 0.001 * w).collect()).unwrap();
    // Without the numbers, whose cut points depend on how many cases there are.
    let of = |t: &Table| evaluated(&ml, &t.select(&[0, 1, 3]), Scheme::LeaveOneOut).total;
    let (a, b) = (of(&weighted), of(&scaled));
    assert!(close(a.accuracy, b.accuracy, 1e-12) && close(a.brier, b.brier, 1e-9));
    assert!(weighted.weights_in_words().unwrap().contains("not all whole numbers"));
    assert!(
        joined(&grouped_table(50, 1, false)).weights_in_words().unwrap().contains("for 50 cases")
    );
}

/// The binomial standard error is that of the cases.
#[test]
fn the_standard_error_counts_cases() {
    let long = grouped_table(200, 5, false);
    let own = evaluated(&learner("nb", "laplace"), &joined(&long), Scheme::LeaveOneOut);
    let p = own.total.accuracy;
    assert_eq!(own.total.rows, 200);
    assert!(close(own.accuracy().error.unwrap(), (p * (1.0 - p) / 200.0).sqrt(), 1e-12));
}
