//! Properties of reading, writing, streaming and predicting, on generated tables.

mod common;

use common::{columns, mixed_table};
use proptest::prelude::*;
use sare::classify::{ClassWeights, Learner};
use sare::data::read::SchemaReader;
use sare::data::write::{write_csv, write_file};
use sare::data::{Cells, Field, Method, ReadOptions, Stream, Table, read_table};
use sare::num::tolerance::{ROUNDING, close};
use sare::run::Run;

fn write(table: &Table, path: &str) {
    write_file(path, |out| write_csv(table, "weight", out)).expect("the folder is writable");
}

/// Level names that are no marks of missing cells and stay themselves when trimmed.
fn level() -> impl Strategy<Value = String> {
    "[a-zA-Z\"',;é\n|#-]{1,6}( [a-z]{1,3})?"
        .prop_filter("a missing mark", |s| s.trim() == s && !["?", "NA", ""].contains(&s.trim()))
}

prop_compose! {
    fn discrete_column()(levels in prop::collection::btree_set(level(), 1..6))
        (codes in prop::collection::vec(prop::option::weighted(0.9, 0..levels.len()), 30), levels in Just(levels))
        -> (Vec<String>, Vec<Option<usize>>) {
        (levels.into_iter().collect(), codes)
    }
}

prop_compose! {
    fn any_table()(
        discrete in prop::collection::vec(discrete_column(), 1..4),
        numbers in prop::collection::vec(
            prop::collection::vec(prop::option::weighted(0.9, any::<f64>().prop_filter("finite", |x| x.is_finite())), 30), 0..3),
        weights in prop::option::of(prop::collection::vec(0.0..10.0f64, 30)),
        rows in 1usize..30,
    ) -> Table {
        let mut columns = Vec::new();
        for (i, (levels, codes)) in discrete.into_iter().enumerate() {
            let states = levels.len();
            let codes = Cells::from_codes(codes.into_iter().take(rows), states);
            columns.push((Field::discrete(format!("d, {i}"), levels), codes));
        }
        for (i, numbers) in numbers.into_iter().enumerate() {
            let numbers = numbers.into_iter().take(rows).map(|x| x.unwrap_or(f64::NAN)).collect();
            columns.push((Field::continuous(format!("n\"{i}")), Cells::from_numbers(numbers)));
        }
        let table = Table::new("any", columns).expect("the columns fit together");
        match weights {
            Some(w) => table.with_weights(w[..rows].to_vec()).expect("the weights fit"),
            None => table,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(table in any_table(), piece in 1usize..40) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv").display().to_string();
        write(&table, &path);
        let weight = table.weights().map(|_| "weight".to_string());
        let options = ReadOptions { weight, ..ReadOptions::default() };
        let mut reader = SchemaReader::open(&path, table.schema(), &options, &[], true).unwrap();
        let mut at = 0;
        while let Some(part) = reader.next_piece(piece).unwrap() {
            for r in 0..part.rows() {
                for c in 0..table.columns() {
                    prop_assert_eq!(part.text(c, r), table.text(c, at + r));
                    prop_assert_eq!(part.cells(c).code(r), table.cells(c).code(at + r));
                    prop_assert_eq!(part.cells(c).number(r), table.cells(c).number(at + r));
                }
                prop_assert_eq!(part.weights().map(|w| w[r]), table.weights().map(|w| w[at + r]));
            }
            at += part.rows();
        }
        prop_assert_eq!(at, table.rows());
    }

    #[test]
    fn posteriors_are_distributions(rows in 2usize..200, seed in 0u64..1000) {
        let table = mixed_table(rows, seed);
        let model = Learner::default().fit(table.view(), "class", &Run::default());
        // Of a few rows a column may have lost every cell, and is refused.
        if (0..table.columns()).any(|c| table.cells(c).missing() == rows) {
            prop_assert!(model.is_err());
            return Ok(());
        }
        let model = model.unwrap();
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        prop_assert_eq!(posteriors.rows(), rows);
        for r in 0..rows {
            prop_assert!(posteriors.row(r).iter().all(|p| (0.0..=1.0).contains(p)));
            prop_assert!(close(posteriors.row(r).iter().sum(), 1.0, ROUNDING));
        }
    }
}

/// Rows in memory and from a file in pieces: the same model, bit for bit, with numbers, holes, weights that are
/// fractions, class weights and rows of unknown class.
#[test]
fn a_stream_gives_the_same_bits_as_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv").display().to_string();
    let rows = 40_000;
    let mut table = columns(&mixed_table(rows, 21));
    let class = table[6].1.clone();
    let codes = (0..rows).map(|r| if r % 50 == 7 { None } else { class.code(r) });
    table[6].1 = Cells::from_codes(codes, 3);
    let weights = (0..rows).map(|r| 1.0 / (r % 11 + 1) as f64).collect();
    let table = Table::new("t", table).unwrap().with_weights(weights).unwrap();
    write(&table, &path);
    for (weight, class_weights) in [
        (None, ClassWeights::Equal),
        (Some("weight".to_string()), ClassWeights::Balanced),
        (Some("weight".to_string()), ClassWeights::Given(vec![("rain".into(), 2.5)])),
    ] {
        let ignore = if weight.is_none() { vec!["weight".to_string()] } else { Vec::new() };
        let options = ReadOptions { weight, ignore, ..ReadOptions::default() };
        for discretise in [Method::Mdlp, Method::EqualFrequency(5), Method::EqualWidth(5)] {
            let learner =
                Learner { discretise, class_weights: class_weights.clone(), ..Learner::default() };
            let run = Run::default();
            let whole = read_table(&path, &options, &run).unwrap();
            let memory = learner.fit(whole.view(), "class", &run).unwrap();
            let stream = Stream::open(&path, &options, &run).unwrap();
            let streamed = learner.fit_stream(&stream, "class", &run).unwrap();
            assert_eq!(memory.network(), streamed.network(), "{discretise:?} {class_weights:?}");
            assert_eq!(memory.bins(), streamed.bins());
            assert_eq!(memory.training(), streamed.training());
        }
    }
}

/// Ten thousand attributes that all speak for one class: the probabilities stay finite and sum to 1.
#[test]
fn ten_thousand_columns_do_not_underflow() {
    let rows = 40;
    let mut columns: Vec<(Field, Cells)> = (0..10_000)
        .map(|c| {
            let codes = (0..rows).map(|r| Some((r + usize::from((r * 7 + c) % 9 == 0)) % 2));
            (Field::discrete(format!("x{c}"), ["0", "1"]), Cells::from_codes(codes, 2))
        })
        .collect();
    let class = Cells::from_codes((0..rows).map(|r| Some(r % 2)), 2);
    columns.push((Field::discrete("class", ["even", "odd"]), class));
    let table = Table::new("wide", columns).unwrap();
    for parameters in ["ml", "laplace"] {
        let parameters = sare::registry::parameters(parameters).unwrap();
        let learner = Learner { parameters, ..Learner::default() };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        for r in 0..rows {
            assert!(posteriors.row(r).iter().all(|p| p.is_finite()));
            assert!(close(posteriors.row(r).iter().sum(), 1.0, ROUNDING));
            assert_eq!(posteriors.winner(r), r % 2);
        }
    }
}

/// Naive Bayes by hand: sums over the unseen cells of every attribute, against the enumeration of all completions.
#[test]
fn missing_cells_are_summed_out() {
    let table = mixed_table(150, 30);
    let learner = Learner { discretise: Method::EqualFrequency(3), ..Learner::default() };
    let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
    let coded = model.bins().apply(&table);
    let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
    let network = model.network().unwrap();
    for r in 0..20 {
        let mut joint = [0.0; 3];
        let states: Vec<usize> = (0..7).map(|v| network.states(v)).collect();
        let total: usize = states[..6].iter().product();
        for cell in 0..total * 3 {
            let (mut rest, mut row) = (cell, [0; 7]);
            for v in 0..7 {
                row[v] = rest % states[v];
                rest /= states[v];
            }
            if (0..6).all(|v| coded.cells(v).code(r).is_none_or(|c| c == row[v])) {
                joint[row[6]] += network.log_probability(&row).exp();
            }
        }
        let sum: f64 = joint.iter().sum();
        for (p, j) in posteriors.row(r).iter().zip(joint) {
            assert!(close(*p, j / sum, ROUNDING));
        }
    }
}

/// Class weights are row weights: the class frequencies follow them.
#[test]
fn balanced_classes_have_equal_priors() {
    let table = mixed_table(500, 31);
    let parameters = sare::registry::parameters("ml").unwrap();
    let class_weights = ClassWeights::Balanced;
    let learner = Learner { parameters, class_weights, ..Learner::default() };
    let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
    assert!(model.network().unwrap().table(6).iter().all(|p| close(*p, 1.0 / 3.0, ROUNDING)));
}
