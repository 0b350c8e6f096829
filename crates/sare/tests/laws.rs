//! The laws that every kind of statistics obeys, checked once for all kinds.

mod common;

use common::mixed_table;
use proptest::prelude::*;
use sare::data::{Discretiser, Method, Source, Table, View};
use sare::run::Run;
use sare::stats::{CountFamilies, CountPairs, Family, FamilyTable, Merge, Pass, run_pass};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The table with its numbers cut, so that every column can be counted.
fn coded(rows: usize, seed: u64) -> Table {
    let table = mixed_table(rows, seed);
    Discretiser::learn(table.view(), Some(6), Method::EqualFrequency(4)).unwrap().apply(&table)
}

fn families(source: &Source<'_>) -> CountFamilies {
    let families = [(0, vec![]), (3, vec![0]), (5, vec![1, 4]), (6, vec![2])];
    let families = families.map(|(child, parents)| Family { child, parents }).to_vec();
    CountFamilies::new(source, families, Some(6)).unwrap()
}

fn stats_of<P: Pass>(table: &Table, rows: &[u32], pass: &P) -> P::Stats {
    let mut stats = pass.empty();
    pass.add(&View::of(table, rows).block(0, rows.len()), &mut stats);
    stats
}

/// Empty is the identity; parts merged are the whole; written and read they are the same.
fn check_laws<P>(table: &Table, pass: &P, cut: usize)
where
    P: Pass,
    P::Stats: PartialEq + std::fmt::Debug + Clone + Serialize + DeserializeOwned,
{
    let all: Vec<u32> = (0..table.rows() as u32).collect();
    let whole = stats_of(table, &all, pass);
    let mut with_empty = whole.clone();
    with_empty.merge(&pass.empty());
    assert_eq!(with_empty, whole);
    let mut from_empty = pass.empty();
    from_empty.merge(&whole);
    assert_eq!(from_empty, whole);
    let mut parts = stats_of(table, &all[..cut], pass);
    parts.merge(&stats_of(table, &all[cut..], pass));
    assert_eq!(parts, whole);
    let text = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<P::Stats>(&text).unwrap(), whole);
    for threads in [1, 2, 5] {
        let run = Run::default().threads(threads).unwrap();
        assert_eq!(run_pass(&Source::Memory(table.view()), pass, &run).unwrap(), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn counts_obey_the_laws(rows in 1usize..300, seed in 0u64..1000, cut in 0.0..1.0f64) {
        let table = coded(rows, seed);
        let cut = (cut * rows as f64) as usize;
        check_laws(&table, &families(&Source::Memory(table.view())), cut);
        let pairs = CountPairs::new(&Source::Memory(table.view()), &[0, 1, 2, 3, 4, 5], 6).unwrap();
        check_laws(&table, &pairs, cut);
    }

    #[test]
    fn weight_two_is_the_row_twice(rows in 1usize..300, seed in 0u64..1000) {
        let table = coded(rows, seed);
        let twice: Vec<u32> = (0..rows as u32).chain(0..rows as u32).collect();
        let heavy = table.clone().with_weights(vec![2.0; rows]).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let pass = families(&Source::Memory(heavy.view()));
        prop_assert_eq!(stats_of(&heavy, &all, &pass), stats_of(&table, &twice, &pass));
    }

    #[test]
    fn pairs_are_the_families_of_two(rows in 1usize..300, seed in 0u64..1000) {
        let table = coded(rows, seed);
        let source = Source::Memory(table.view());
        let pairs = CountPairs::new(&Source::Memory(table.view()), &[0, 1, 2, 3, 4, 5], 6).unwrap();
        let pairs = run_pass(&source, &pairs, &Run::default()).unwrap();
        let families = vec![Family { child: 4, parents: vec![2] }];
        let pass = CountFamilies::new(&source, families, Some(6)).unwrap();
        let family = run_pass(&source, &pass, &Run::default()).unwrap();
        let whole: Vec<f64> = pairs.table(2, 4).iter().map(|&n| n as f64).collect();
        prop_assert_eq!(&whole[..], &family[0].values()[..whole.len()]);
    }
}

/// Sums of fractions keep their bits whatever the number of threads: rows are merged by fixed pieces in a fixed order.
#[test]
fn fractional_weights_keep_their_bits_on_any_number_of_threads() {
    let rows = 60_000;
    let weights = (0..rows).map(|r| 1.0 / (r + 3) as f64).collect();
    let table = coded(rows, 5).with_weights(weights).unwrap();
    let source = Source::Memory(table.view());
    let pass = families(&source);
    let on = |threads| -> Vec<FamilyTable> {
        run_pass(&source, &pass, &Run::default().threads(threads).unwrap()).unwrap()
    };
    let one = on(1);
    assert!((2..6).all(|threads| on(threads) == one));
}
