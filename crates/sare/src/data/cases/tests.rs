use super::*;
use crate::data::{Cells, Field, Table};
use crate::seed::Purpose;
use std::collections::BTreeMap;

/// A table of rows of two columns of six states and a class of three, with equal rows among them and missing cells.
fn table(rows: usize, seed: u64) -> Table {
    let mut random = Random::new(seed, Purpose::Sample, 0);
    let column = |name: &str, states: usize, random: &mut Random| {
        let skewed = |random: &mut Random| (random.uniform().powi(3) * states as f64) as usize;
        let codes: Vec<Option<usize>> = (0..rows)
            .map(|_| (name == "class" || random.below(9) > 0).then(|| skewed(random)))
            .collect();
        let levels: Vec<String> = (0..states).map(|l| l.to_string()).collect();
        (Field::discrete(name, levels), Cells::from_codes(codes, states))
    };
    let columns = [("x", 6), ("y", 6), ("class", 3)].map(|(n, s)| column(n, s, &mut random));
    Table::new("t", columns.into()).unwrap()
}

/// Equal rows made one, with a weight; the rows in another order.
fn joined(table: &Table) -> Table {
    let DistinctRows { example, weights, .. } = DistinctRows::of(table.view());
    let mut order: Vec<usize> = (0..example.len()).collect();
    Random::new(77, Purpose::Sample, 0).shuffle(&mut order);
    let rows: Vec<u32> = order.iter().map(|&i| example[i] as u32).collect();
    table.gather(&rows).with_weights(order.iter().map(|&i| weights[i]).collect()).unwrap()
}

/// How many cases of each kind are in a part.
fn kinds(table: &Table, part: &Part) -> BTreeMap<Vec<Option<usize>>, u64> {
    let mut all = BTreeMap::new();
    for (place, &row) in part.rows().iter().enumerate() {
        let cells = (0..table.columns()).map(|c| table.cells(c).code(row as usize)).collect();
        *all.entry(cells).or_insert(0) += part.cases(place);
    }
    all
}

fn sizes(split: &Split) -> (u64, u64) {
    (split.train.len(), split.test.len())
}

fn random(index: u64) -> Random {
    Random::new(4, Purpose::Split, index)
}

/// Every way to split, on a table and on the same cases as weighted rows in another order.
#[test]
fn weighted_rows_are_split_as_the_rows_they_stand_for() {
    for rows in [1, 2, 7, 40, 500] {
        let long = table(rows, rows as u64);
        let short = joined(&long);
        assert!(rows < 40 || short.rows() < rows);
        for stratify in [None, Some(2)] {
            let of = |t: &Table| -> Vec<Split> {
                let cases = Cases::of(t.view(), stratify);
                assert_eq!(cases.len(), rows as u64);
                let mut splits: Vec<Split> = Vec::new();
                for count in [2, 5, 30] {
                    let dealt = cases.folds(count, &mut random(count as u64));
                    splits.extend((0..count).map(|f| dealt.split(f)));
                }
                splits.extend([0.1, 0.5].map(|share| cases.hold_out(share, &mut random(1))));
                splits.extend((0..3).map(|i| cases.drawn(&mut random(i))));
                splits
            };
            for (a, b) in of(&long).iter().zip(&of(&short)) {
                assert_eq!(sizes(a), sizes(b));
                assert_eq!(kinds(&long, &a.train), kinds(&short, &b.train));
                assert_eq!(kinds(&long, &a.test), kinds(&short, &b.test));
            }
        }
        let left_out = |t: &Table| {
            let whole = Part::of(t, 0..t.rows() as u32);
            let each = (0..whole.rows().len()).flat_map(|i| {
                let split = whole.leave_one_out(i);
                vec![kinds(t, &split.train); split.test.len() as usize]
            });
            let mut each: Vec<_> = each.collect();
            each.sort();
            each
        };
        assert_eq!(left_out(&long), left_out(&short));
    }
}

#[test]
fn folds_are_even_and_cover_every_case_once() {
    for t in [table(203, 1), joined(&table(203, 1))] {
        let dealt = Cases::of(t.view(), Some(2)).folds(5, &mut random(0));
        let whole = kinds(&t, &Part::of(&t, 0..t.rows() as u32));
        let mut tested = BTreeMap::new();
        for split in (0..5).map(|f| dealt.split(f)) {
            assert!(split.test.len() == 40 || split.test.len() == 41);
            assert!(split.test.rows().is_sorted() && split.train.rows().is_sorted());
            let mut both = kinds(&t, &split.train);
            kinds(&t, &split.test).into_iter().for_each(|(kind, n)| {
                *both.entry(kind.clone()).or_insert(0) += n;
                *tested.entry(kind).or_insert(0) += n;
            });
            assert_eq!(both, whole);
            // Each class is spread as evenly as it can be.
            for class in 0..3 {
                let of = |part: &BTreeMap<Vec<Option<usize>>, u64>| -> u64 {
                    part.iter().filter(|(kind, _)| kind[2] == Some(class)).map(|(_, n)| n).sum()
                };
                let (own, all) = (of(&kinds(&t, &split.test)), of(&whole));
                assert!(own == all / 5 || own == all.div_ceil(5), "{own} of {all}");
            }
        }
        assert_eq!(tested, whole);
    }
}

#[test]
fn seeds_differ_and_repeat() {
    let t = table(50, 3);
    let folds = |seed| {
        Cases::of(t.view(), None).folds(5, &mut Random::new(seed, Purpose::Split, 0)).split(0)
    };
    assert_eq!(folds(1), folds(1));
    assert_ne!(folds(1), folds(2));
}

/// Every case is as likely as every other to be in a part: mean and variance over many deals are those of draws without
/// replacement, whether cases are dealt one by one or many at once.
#[test]
fn cases_are_dealt_as_draws_without_replacement() {
    let codes = |codes: &[usize]| Cells::from_codes(codes.iter().map(|&c| Some(c)), 4);
    let t =
        Table::new("t", vec![(Field::discrete("x", ["a", "b", "c", "d"]), codes(&[0, 1, 2, 3]))]);
    let weights = [60.0, 3.0, 1.0, 36.0];
    let t = t.unwrap().with_weights(weights.to_vec()).unwrap();
    let cases = Cases::of(t.view(), None);
    let deals = 4000;
    let mut sums = [[0.0; 2]; 4];
    for i in 0..deals {
        let dealt = cases.parts(&[30, 50, 20], &mut random(i));
        let middle = dealt.part(|p| p == 1);
        assert_eq!(middle.len(), 50);
        for (place, &row) in middle.rows().iter().enumerate() {
            let n = middle.cases(place) as f64;
            sums[row as usize][0] += n;
            sums[row as usize][1] += n * n;
        }
    }
    for (w, [sum, squares]) in weights.into_iter().zip(sums) {
        let (mean, variance) = (w / 2.0, w * (1.0 - w / 100.0) * 0.25 * 100.0 / 99.0);
        let own = sum / deals as f64;
        assert!((own - mean).abs() < 5.0 * (variance / deals as f64).sqrt(), "{w}: {own}");
        let spread = squares / deals as f64 - own * own;
        assert!((spread / variance - 1.0).abs() < 0.15, "{w}: {spread} {variance}");
    }
}

/// A weight is never written out as so many row numbers.
#[test]
fn a_thousand_million_cases_are_dealt_at_once() {
    let t = table(40, 5).with_weights((0..40).map(|r| 1e9 + f64::from(r)).collect()).unwrap();
    let dealt = Cases::of(t.view(), Some(2)).folds(10, &mut random(0));
    for split in (0..10).map(|f| dealt.split(f)) {
        assert!(split.test.len() / 4 == 1_000_000_019 || split.test.len() / 4 == 1_000_000_020);
        assert!(split.test.rows().len() <= 40);
    }
}

#[test]
fn hold_out_has_the_size_asked_for() {
    let of = |rows: u32, share| {
        let t = table(rows as usize, 6);
        sizes(&Cases::of(t.view(), None).hold_out(share, &mut random(0)))
    };
    assert_eq!(of(300, 1.0 / 3.0), (200, 100));
    assert_eq!(of(2, 0.0), (1, 1));
    assert_eq!(of(0, 0.5), (0, 0));
}

/// Weights that are not all whole numbers are not numbers of cases, and rows of weight 0 are none. What classes weigh
/// does not matter.
#[test]
fn other_weights_leave_rows_whole() {
    let t = table(60, 8);
    let fractions: Vec<f64> = (0..60).map(|r| f64::from(r % 4) * 0.75).collect();
    let fractional = t.clone().with_weights(fractions).unwrap();
    assert!(fractional.frequencies().is_none());
    let dealt = Cases::of(fractional.view(), None).folds(3, &mut random(0));
    for split in (0..3).map(|f| dealt.split(f)) {
        assert_eq!(sizes(&split), (30, 15));
        assert_eq!(split.test.weighing(&fractional), fractional);
        let rows: Vec<u32> = split.train.rows().iter().chain(split.test.rows()).copied().collect();
        assert!(rows.iter().all(|r| r % 4 > 0) && rows.len() == 45);
    }
    for t in [t.clone(), joined(&t)] {
        let weighing = t.weighing_classes(2, &[0.3, 2.0, 5.5]);
        let deal = |t: &Table| Cases::of(t.view(), Some(2)).folds(4, &mut random(0)).split(1);
        assert_eq!(kinds(&t, &deal(&t).test), kinds(&weighing, &deal(&weighing).test));
        // A part of a row's cases has that part of its weight.
        let part = deal(&weighing).test;
        let own = part.weighing(&weighing);
        for (place, &row) in part.rows().iter().enumerate() {
            let class = t.cells(2).code(row as usize).unwrap();
            let expected = part.cases(place) as f64 * [0.3, 2.0, 5.5][class];
            assert!((own.weights().unwrap()[row as usize] - expected).abs() < 1e-12);
        }
    }
}
