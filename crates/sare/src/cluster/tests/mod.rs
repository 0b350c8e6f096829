mod choose;
mod convergence;
mod priors;
mod starts;
mod trees;

use super::fixed::{blank_of, random_start};
use super::update::{Added, Averaged, Depend};
use super::*;
use crate::data::{Cells, Field, Method as Cuts, Source, Table};
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Maximise, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::num::tolerance::close;
use crate::parameters::dirichlet::Prior;
use crate::parameters::em::Frequencies;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::{FamilyTable, Score};
use std::sync::Arc;

const STATES: [usize; 4] = [2, 3, 2, 3];
const CLUSTERS: usize = 3;

/// Rows of four attributes, weighted, some cells missing; the last column is the cluster, which is in no row.
fn table(rows: usize, holes: bool) -> Table {
    let mut random = Random::new(4, Purpose::Sample, 8);
    let levels = |n: usize| (0..n).map(|l| l.to_string()).collect::<Vec<String>>();
    let mut columns: Vec<(Field, Cells)> = STATES
        .iter()
        .enumerate()
        .map(|(i, &s)| {
            let code = |_| {
                let code = random.below(s);
                (!holes || random.below(4) > 0).then_some(code)
            };
            let codes: Vec<Option<usize>> = (0..rows).map(code).collect();
            (Field::discrete(format!("x{i}"), levels(s)), Cells::from_codes(codes, s))
        })
        .collect();
    let latent = Cells::from_codes(std::iter::repeat_n(None, rows), CLUSTERS);
    columns.push((Field::discrete("cluster", levels(CLUSTERS)), latent));
    let weights = (0..rows).map(|r| 1.0 + (r % 3) as f64).collect();
    Table::new("t", columns).unwrap().with_weights(weights).unwrap()
}

/// The expected counts of every attribute by cluster, and of the clusters, by going through every completion of every row.
fn enumerated(network: &Network, table: &Table) -> (Vec<FamilyTable>, Vec<f64>, f64) {
    let mut counts: Vec<FamilyTable> =
        STATES.iter().map(|&s| FamilyTable::zeros(1, s, CLUSTERS)).collect();
    let (mut clusters, mut log_likelihood) = (vec![0.0; CLUSTERS], 0.0);
    let cells: usize = STATES.iter().product::<usize>() * CLUSTERS;
    for r in 0..table.rows() {
        let weight = table.weights().unwrap()[r];
        let mut fits = Vec::new();
        for mut code in 0..cells {
            let mut row = Vec::new();
            for s in STATES.into_iter().chain([CLUSTERS]) {
                row.push(code % s);
                code /= s;
            }
            if (0..4).all(|v| table.cells(v).code(r).is_none_or(|x| x == row[v])) {
                let p = network.log_probability(&row).exp();
                fits.push((row, p));
            }
        }
        let total: f64 = fits.iter().map(|(_, p)| p).sum();
        log_likelihood += weight * total.ln();
        for (row, p) in fits {
            let share = weight * p / total;
            clusters[row[4]] += share;
            (0..4).for_each(|v| *counts[v].at_mut(0, row[v], row[4]) += share);
        }
    }
    (counts, clusters, log_likelihood)
}

fn expectation<'a>(data: &'a Source<'a>, run: &'a Run<'a>) -> Expectation<'a> {
    let until = Until::Gain(1e-9);
    Expectation { data, criterion: Criterion::Latent, iterations: 50, until, run }
}

fn assert_same(ours: &Network, tables: &[Vec<f64>]) {
    for (v, wanted) in tables.iter().enumerate() {
        for (a, b) in ours.table(v).iter().zip(wanted) {
            assert!(close(*a, *b, 1e-10), "variable {v}: {a} and {b}");
        }
    }
}

/// One step of EM and of EMA from given parameters: EM against completions, EMA against the sum over all choices of
/// attributes.
#[test]
fn a_step_is_what_enumeration_gives() {
    for holes in [false, true] {
        let table = table(60, holes);
        let data = Source::Memory(table.view());
        let run = Run::default();
        let start = random_start(&blank_of(data.schema()).unwrap(), 5, 2).unwrap();
        let expected = expectation(&data, &run).count(&LogTables::new(&start)).unwrap();
        let (counts, clusters, log_likelihood) = enumerated(&start, &table);
        assert!(close(expected.value, log_likelihood, 1e-10));
        // EM: where a cell is missing its expectation changes no relative frequency at the fixed point, but it does on
        // the way, so that only complete rows give the very same step.
        if !holes {
            let em = Frequencies { alpha: 0.5 }.network(&start, &expected.families).unwrap();
            let prior = Prior::Dirichlet(0.5);
            let mut tables: Vec<Vec<f64>> = counts.iter().map(|c| prior.probabilities(c)).collect();
            tables.push(prior.smoothed(&clusters, CLUSTERS));
            assert_same(&em, &tables);
        }
        let prior = Prior::Dirichlet(1.0);
        let mut ema = Averaged::new(Added::Flat, 1.0, Depend::Even, 500);
        let averaged = ema.network(&start, &expected.families).unwrap();
        let evidence = |t: &FamilyTable| Score::Bdeu((t.cells() * t.classes()) as f64).of(t);
        let mut sums: Vec<Vec<f64>> = STATES.iter().map(|s| vec![0.0; s * CLUSTERS]).collect();
        let (mut total, mut with) = (0.0, [0.0; 4]);
        let log_weight = |structure: usize| -> f64 {
            let of = |v: usize| match structure >> v & 1 {
                1 => evidence(&counts[v]),
                _ => evidence(&counts[v].sum_over_classes()),
            };
            (0..4).map(of).sum()
        };
        let top = (0..16).map(log_weight).fold(f64::NEG_INFINITY, f64::max);
        for structure in 0..16 {
            let weight = (log_weight(structure) - top).exp();
            total += weight;
            for v in 0..4 {
                let depends = structure >> v & 1 == 1;
                let alone = prior.probabilities(&counts[v].sum_over_classes());
                let p =
                    if depends { prior.probabilities(&counts[v]) } else { alone.repeat(CLUSTERS) };
                sums[v].iter_mut().zip(p).for_each(|(s, p)| *s += weight * p);
                with[v] += if depends { weight } else { 0.0 };
            }
        }
        sums.iter_mut().flatten().for_each(|s| *s /= total);
        sums.push(prior.smoothed(&clusters, CLUSTERS));
        assert_same(&averaged, &sums);
        for (ours, with) in ema.relevance.iter().zip(with) {
            assert!(close(*ours, with / total, 1e-10) && *ours > 0.0 && *ours < 1.0);
        }
    }
}

#[test]
fn the_likelihood_never_falls_under_em() {
    let table = table(200, true);
    let data = Source::Memory(table.view());
    let run = Run::default();
    for (index, alpha) in [0.0, 1.0, 0.0, 0.3].into_iter().enumerate() {
        let start = random_start(&blank_of(data.schema()).unwrap(), 6, index).unwrap();
        let climbed = expectation(&data, &run).climb(start, &mut Frequencies { alpha }).unwrap();
        let trace = climbed.outcome.trace;
        assert!(trace.len() > 5);
        assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{trace:?}");
    }
}

/// 400 rows of ten attributes of which the first five tell three clusters apart.
fn known(seed: u64) -> (Table, Vec<usize>) {
    let mut random = Random::new(seed, Purpose::Sample, 9);
    let (mut columns, mut truth) = (vec![Vec::new(); 10], Vec::new());
    for _ in 0..400 {
        let cluster = random.below(3);
        truth.push(cluster);
        for (v, column) in columns.iter_mut().enumerate() {
            let told = v < 5 && random.uniform() < 0.75;
            column.push(Some(if told { (cluster + v) % 3 } else { random.below(3) }));
        }
    }
    let column = |(v, codes): (usize, Vec<Option<usize>>)| {
        (Field::discrete(format!("x{v}"), ["a", "b", "c"]), Cells::from_codes(codes, 3))
    };
    let columns = columns.into_iter().enumerate().map(column).collect();
    (Table::new("known", columns).unwrap(), truth)
}

/// The same table with this share of its cells missing.
fn with_holes(table: &Table, random: &mut Random, share: f64) -> Table {
    let column = |c: usize| {
        let mut code = |r: usize| table.cells(c).code(r).filter(|_| random.uniform() >= share);
        let codes: Vec<Option<usize>> = (0..table.rows()).map(&mut code).collect();
        (table.field(c).clone(), Cells::from_codes(codes, table.field(c).states()))
    };
    let columns: Vec<(Field, Cells)> = (0..table.columns()).map(column).collect();
    Table::new("holed", columns).unwrap()
}

fn clusterer(update: Update, alpha: f64) -> Clusterer {
    let method = Arc::new(Latent::new(update, &[alpha, 1e-5, 300.0]));
    Clusterer { method, clusters: 3, starts: 20, ..Clusterer::default() }
}

#[test]
fn known_clusters_are_found_and_what_matters_is_told() {
    let (table, truth) = known(3);
    for clusterer in [clusterer(Update::Frequencies, 1.0), clusterer(Update::Averaged, 1.0)] {
        let model = clusterer.fit(table.view(), &Run::default()).unwrap();
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        let mut matrix = [[0; 3]; 3];
        (0..400).for_each(|r| matrix[truth[r]][posteriors.winner(r)] += 1);
        let right: usize = matrix.iter().map(|row| *row.iter().max().unwrap()).sum();
        assert!(right > 380, "{matrix:?}");
        let outcome = model.outcome();
        let clusters = outcome.clusters.as_ref().unwrap();
        assert!(clusters.sizes.windows(2).all(|w| w[0] >= w[1]), "the largest first");
        assert!(close(clusters.sizes.iter().sum(), 400.0, 1e-9));
        assert!(clusters.reached > 1 && clusters.starts.len() == 20);
        let least = clusters.independence[..5].iter().copied().fold(f64::INFINITY, f64::min);
        let most = clusters.independence[5..].iter().copied().fold(0.0, f64::max);
        assert!(least > 3.0 * most, "{:?}", clusters.independence);
        if let Some(relevance) = &outcome.relevance {
            assert!(relevance[..5].iter().all(|p| *p > 0.99), "{relevance:?}");
            assert!(relevance[5..].iter().all(|p| *p < 0.1), "{relevance:?}");
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let (table, _) = known(4);
    for clusterer in [clusterer(Update::Frequencies, 0.0), clusterer(Update::Averaged, 1.0)] {
        let fit = |threads: usize| {
            let run = Run::with_seed(7).threads(threads).unwrap();
            let model = clusterer.fit(table.view(), &run).unwrap();
            (model.network().unwrap().clone(), model.outcome().clone())
        };
        assert_eq!(fit(1), fit(3));
    }
}

#[test]
fn one_cluster_is_a_model_too() {
    let (table, _) = known(5);
    let one = Clusterer { clusters: 1, starts: 2, ..clusterer(Update::Frequencies, 0.0) };
    let model = one.fit(table.view(), &Run::default()).unwrap();
    let mut log_likelihood = 0.0;
    for v in 0..10 {
        let count = |x: usize| (0..400).filter(|&r| table.cells(v).code(r) == Some(x)).count();
        log_likelihood +=
            (0..3).map(|x| count(x) as f64 * (count(x) as f64 / 400.0).ln()).sum::<f64>();
    }
    let clusters = model.outcome().clusters.as_ref().unwrap();
    assert!(close(clusters.log_likelihood, log_likelihood, 1e-10));
}

#[test]
fn what_cannot_be_is_refused() {
    let (table, _) = known(6);
    let message = |c: Clusterer| c.fit(table.view(), &Run::default()).unwrap_err().to_string();
    let base = clusterer(Update::Averaged, 1.0);
    assert!(message(Clusterer { clusters: 0, ..base.clone() }).contains("clusters = 0"));
    assert!(message(Clusterer { starts: 0, ..base.clone() }).contains("starts = 0"));
    assert!(message(clusterer(Update::Averaged, 0.0)).contains("alpha = 0"));
    assert!(message(Clusterer { discretise: Cuts::Mdlp, ..base }).contains("needs no class"));
}
