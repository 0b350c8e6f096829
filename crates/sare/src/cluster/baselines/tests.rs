use super::descent::descend;
use super::*;
use crate::data::distinct::DistinctRows;
use crate::data::{Cells, Field, Table};
use crate::error::Error;
use crate::observe::{Event, Observer};
use crate::run::{Run, Stop};
use crate::seed::{Purpose, Random};
use std::ops::ControlFlow;

/// One column of a random table: three levels (or numbers), a sixth of the cells missing.
fn column(rows: usize, discrete: bool, name: usize, random: &mut Random) -> (Field, Cells) {
    let name = format!("x{name}");
    let missing = |random: &mut Random| random.below(6) == 0;
    if discrete {
        let mut code = || (!missing(random)).then(|| random.below(3));
        let codes: Vec<Option<usize>> = (0..rows).map(|_| code()).collect();
        return (Field::discrete(name, ["p", "q", "r"]), Cells::from_codes(codes, 3));
    }
    let mut number = || if missing(random) { f64::NAN } else { 2.0 * random.normal() };
    (Field::continuous(name), Cells::from_numbers((0..rows).map(|_| number()).collect()))
}

/// A random table with these columns, discrete where true, perhaps with weights.
fn table(rows: usize, kinds: &[bool], weighed: bool, random: &mut Random) -> Table {
    let columns = kinds.iter().enumerate().map(|(i, &d)| column(rows, d, i, random)).collect();
    let table = Table::new("random", columns).unwrap();
    if !weighed {
        return table;
    }
    table.with_weights((0..rows).map(|_| random.below(4) as f64 + 0.5).collect()).unwrap()
}

/// The cells of a row as numbers, NaN for missing: levels as indicators.
fn indicators(table: &Table, row: usize) -> Vec<f64> {
    let cell = |c: usize| -> Vec<f64> {
        let cells = table.cells(c);
        if !table.field(c).is_discrete() {
            return vec![cells.number(row).unwrap_or(f64::NAN)];
        }
        let of = |l| cells.code(row).map_or(f64::NAN, |code| f64::from(u8::from(code == l)));
        (0..table.field(c).states()).map(of).collect()
    };
    (0..table.columns()).flat_map(cell).collect()
}

fn weight(table: &Table, row: usize) -> f64 {
    table.weights().map_or(1.0, |w| w[row])
}

/// The seen entries of one column in one cluster, with their weights.
fn entries<'a>(
    table: &'a Table,
    rows: &'a [Vec<f64>],
    partition: &'a [usize],
    cluster: usize,
    column: usize,
) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
    (0..rows.len())
        .filter(move |&r| partition[r] == cluster && !rows[r][column].is_nan())
        .map(move |r| (rows[r][column], weight(table, r)))
}

/// The sum of squares within the clusters of a partition, by its definition.
fn squares_within(table: &Table, rows: &[Vec<f64>], partition: &[usize], clusters: usize) -> f64 {
    let mut sum = 0.0;
    for cluster in 0..clusters {
        for column in 0..rows[0].len() {
            let cells = entries(table, rows, partition, cluster, column);
            let total: f64 = cells.clone().map(|c| c.1).sum();
            let mean = cells.clone().map(|c| c.0 * c.1).sum::<f64>() / total;
            sum += cells.map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>();
        }
    }
    sum
}

/// The cells that differ from the commonest level of their cluster, by its definition.
fn differing(table: &Table, partition: &[usize], clusters: usize) -> f64 {
    let mut sum = 0.0;
    for cluster in 0..clusters {
        for column in 0..table.columns() {
            let mut counts = [0.0; 3];
            for row in (0..partition.len()).filter(|&r| partition[r] == cluster) {
                if let Some(code) = table.cells(column).code(row) {
                    counts[code] += weight(table, row);
                }
            }
            sum += counts.iter().sum::<f64>() - counts.iter().copied().fold(0.0, f64::max);
        }
    }
    sum
}

/// The least value over every partition into at most `clusters`.
fn least(rows: usize, clusters: usize, value: &dyn Fn(&[usize]) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    let mut partition = vec![0; rows];
    loop {
        best = best.min(value(&partition));
        let Some(at) = partition.iter().rposition(|&c| c + 1 < clusters) else { return best };
        partition[at] += 1;
        partition[at + 1..].fill(0);
    }
}

fn as_usize(found: &HardClusters) -> Vec<usize> {
    found.assignment.iter().map(|&c| c as usize).collect()
}

fn check_shape(found: &HardClusters, table: &Table) {
    let mut sizes = vec![0.0; found.sizes.len()];
    for (row, &c) in found.assignment.iter().enumerate() {
        sizes[c as usize] += weight(table, row);
    }
    assert!(sizes.iter().zip(&found.sizes).all(|(a, b)| (a - b).abs() < 1e-9));
    assert!(found.sizes.windows(2).all(|w| w[0] >= w[1]));
    let trace = &found.outcome.trace;
    assert!(trace.windows(2).all(|w| w[1] < w[0]), "the objective rose: {trace:?}");
    assert_eq!((trace.last(), trace.len()), (Some(&found.objective), found.outcome.iterations));
    assert!(found.objectives.iter().all(|o| *o >= found.objective));
    assert!(found.reached_best >= 1 && found.reached_best <= found.objectives.len());
}

#[test]
fn k_means_finds_the_best_of_all_partitions() {
    let mut random = Random::new(12, Purpose::Sample, 0);
    for trial in 0..24 {
        let (rows, clusters) = (4 + random.below(5), 1 + random.below(3));
        let kinds = [&[false, false][..], &[false, true], &[true, true, false]][trial % 3];
        let table = table(rows, kinds, trial % 2 == 0, &mut random);
        let learner = KMeans { clusters, starts: 200, standardise: false, ..KMeans::default() };
        let found = learner.fit(table.view(), &Run::with_seed(trial as u64)).unwrap();
        check_shape(&found, &table);
        let cells: Vec<Vec<f64>> = (0..rows).map(|r| indicators(&table, r)).collect();
        let value = |partition: &[usize]| squares_within(&table, &cells, partition, clusters);
        let own = value(&as_usize(&found));
        assert!((own - found.objective).abs() < 1e-9, "{own} and {}", found.objective);
        let best = least(rows, clusters, &value);
        assert!((best - found.objective).abs() < 1e-9, "{trial}: {best} and {}", found.objective);
    }
}

#[test]
fn k_modes_finds_the_best_of_all_partitions() {
    let mut random = Random::new(13, Purpose::Sample, 0);
    for trial in 0..24 {
        let (rows, clusters) = (4 + random.below(6), 1 + random.below(3));
        let table = table(rows, &[true; 4], trial % 2 == 0, &mut random);
        let learner = KModes { clusters, starts: 200, ..KModes::default() };
        let found = learner.fit(table.view(), &Run::with_seed(trial)).unwrap();
        check_shape(&found, &table);
        let value = |partition: &[usize]| differing(&table, partition, clusters);
        assert!((value(&as_usize(&found)) - found.objective).abs() < 1e-9);
        let best = least(rows, clusters, &value);
        assert!((best - found.objective).abs() < 1e-9, "{trial}: {best} and {}", found.objective);
    }
}

/// Both methods on larger random tables.
fn both(table: &Table, run: &Run<'_>) -> [HardClusters; 2] {
    let discrete: Vec<usize> =
        (0..table.columns()).filter(|&c| table.field(c).is_discrete()).collect();
    let means = KMeans { clusters: 5, starts: 9, ..KMeans::default() };
    let modes = KModes { clusters: 5, starts: 9, ..KModes::default() };
    [means.fit(table.view(), run).unwrap(), modes.fit(table.select(&discrete).view(), run).unwrap()]
}

const MIXED: [bool; 6] = [true, false, true, true, false, true];

#[test]
fn no_result_depends_on_threads() {
    let table = table(3000, &MIXED, true, &mut Random::new(14, Purpose::Sample, 0));
    let one = both(&table, &Run::with_seed(3).threads(1).unwrap());
    one.iter().for_each(|found| check_shape(found, &table));
    for threads in [2, 5] {
        assert_eq!(one, both(&table, &Run::with_seed(3).threads(threads).unwrap()));
    }
    let other = both(&table, &Run::with_seed(4));
    assert!((0..2).all(|i| one[i].objectives != other[i].objectives));
}

#[test]
fn no_partition_depends_on_the_order_of_rows() {
    let mut random = Random::new(15, Purpose::Sample, 0);
    let table = table(400, &MIXED, true, &mut random);
    let mut order: Vec<u32> = (0..400).collect();
    random.shuffle(&mut order);
    let run = Run::default();
    for (found, shuffled) in both(&table, &run).iter().zip(both(&table.gather(&order), &run)) {
        assert_eq!(found.objectives, shuffled.objectives);
        let same: Vec<u32> = order.iter().map(|&r| found.assignment[r as usize]).collect();
        assert_eq!(same, shuffled.assignment);
    }
}

#[test]
fn weight_two_is_the_row_twice() {
    let table = table(60, &MIXED, false, &mut Random::new(16, Purpose::Sample, 0));
    let twice: Vec<u32> = (0..60).flat_map(|r| vec![r; 1 + r as usize % 3]).collect();
    let weights: Vec<f64> = (0..60).map(|r| f64::from(1 + r % 3)).collect();
    let weighed = both(&table.clone().with_weights(weights).unwrap(), &Run::default());
    for (a, b) in weighed.iter().zip(both(&table.gather(&twice), &Run::default())) {
        assert_eq!(a.objectives, b.objectives);
        let spread: Vec<u32> = twice.iter().map(|&r| a.assignment[r as usize]).collect();
        assert_eq!(spread, b.assignment);
    }
}

fn numbers(values: &[f64]) -> Table {
    let cells = Cells::from_numbers(values.to_vec());
    Table::new("numbers", vec![(Field::continuous("x"), cells)]).unwrap()
}

#[test]
fn clusters_come_by_falling_size_and_first_row() {
    let table = numbers(&[90.0, 0.0, 50.0, 1.0, 91.0, 2.0]);
    let learner = KMeans { clusters: 3, ..KMeans::default() };
    let found = learner.fit(table.view(), &Run::default()).unwrap();
    assert_eq!(found.assignment, [1, 0, 2, 0, 1, 0]);
    assert_eq!(found.sizes, [3.0, 2.0, 1.0]);
    let table = numbers(&[50.0, 0.0, 90.0, 0.5, 90.5, 50.5]);
    let found = learner.fit(table.view(), &Run::default()).unwrap();
    assert_eq!(found.assignment, [0, 1, 2, 1, 2, 0]);
}

#[test]
fn units_matter_only_without_standardising() {
    // The first column parts the rows in two by a little, the second by chance by much.
    let tight: Vec<f64> = (0..20).map(|r| f64::from(r % 2) + 0.01 * f64::from(r)).collect();
    let wide: Vec<f64> = (0..20).map(|r| f64::from(r * 7 % 20)).collect();
    let columns = |scale: f64| {
        let wide = wide.iter().map(|x| x * scale).collect();
        let cells = [("tight", tight.clone()), ("wide", wide)];
        let column = |(n, v)| (Field::continuous(n), Cells::from_numbers(v));
        Table::new("units", cells.into_iter().map(column).collect()).unwrap()
    };
    let found = |scale, standardise| {
        let learner = KMeans { standardise, ..KMeans::default() };
        learner.fit(columns(scale).view(), &Run::default()).unwrap().assignment
    };
    assert_eq!(found(1.0, true), found(1024.0, true));
    assert_ne!(found(1.0 / 1024.0, false), found(1024.0, false));
}

#[test]
fn an_empty_cluster_gets_the_farthest_row() {
    // All centres at one row: every row goes to the first, the others are left without.
    let table = numbers(&[1.0, 2.0, 3.0, 40.0, 41.0]);
    let rows = DistinctRows::of(table.view());
    let means = kmeans::Means::new(table.view(), &rows, false).unwrap();
    let ending = descend(&means, &[1, 1, 1], 100, &|| false);
    assert_eq!(ending.stop, Stop::Converged);
    let mut used = ending.assignment.clone();
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, [0, 1, 2]);
    assert!(ending.trace.windows(2).all(|w| w[1] < w[0]));
    // At the least, the two groups were parted.
    assert!(ending.objective <= 2.0 + 1e-9, "{:?}", ending.trace);
}

#[test]
fn fewer_different_rows_than_clusters() {
    let table = numbers(&[1.0, 1.0, 5.0, 5.0, 5.0]);
    let learner = KMeans { clusters: 4, ..KMeans::default() };
    let found = learner.fit(table.view(), &Run::default()).unwrap();
    assert_eq!(found.assignment, [1, 1, 0, 0, 0]);
    assert_eq!((found.sizes, found.objective), (vec![3.0, 2.0, 0.0, 0.0], 0.0));
    let codes = Cells::from_codes([Some(0), None, Some(1), Some(1)], 2);
    let table = Table::new("codes", vec![(Field::discrete("x", ["a", "b"]), codes)]).unwrap();
    let learner = KModes { clusters: 4, ..KModes::default() };
    let found = learner.fit(table.view(), &Run::default()).unwrap();
    assert_eq!((found.objective, found.sizes[2..].to_vec()), (0.0, vec![0.0, 0.0]));
}

#[test]
fn columns_without_a_seen_cell_change_nothing() {
    let full = table(40, &MIXED, false, &mut Random::new(17, Purpose::Sample, 0));
    let columns = |extra: bool| {
        let mut columns: Vec<(Field, Cells)> =
            (0..6).map(|c| (full.field(c).clone(), full.cells(c).clone())).collect();
        if extra {
            columns.push((Field::continuous("nan"), Cells::from_numbers(vec![f64::NAN; 40])));
            let none = Cells::from_codes(vec![None; 40], 0);
            columns.push((Field::discrete("none", Vec::<String>::new()), none));
        }
        Table::new("t", columns).unwrap()
    };
    assert_eq!(both(&columns(false), &Run::default()), both(&columns(true), &Run::default()));
}

#[test]
fn what_cannot_be_clustered_is_refused_by_name() {
    let table = numbers(&[1.0, 2.0]);
    let run = Run::default();
    let text = |e: Error| e.to_string();
    let fit = |l: KMeans| text(l.fit(table.view(), &run).unwrap_err());
    assert!(fit(KMeans { clusters: 3, ..KMeans::default() }).contains("clusters = 3"));
    assert!(fit(KMeans { clusters: 0, ..KMeans::default() }).contains("clusters = 0"));
    assert!(fit(KMeans { starts: 0, ..KMeans::default() }).contains("starts = 0"));
    assert!(fit(KMeans { max_iterations: 0, ..KMeans::default() }).contains("max_iterations"));
    let modes = text(KModes::default().fit(table.view(), &run).unwrap_err());
    assert!(modes.contains("column 'x'") && modes.contains("k-means"), "{modes}");
    let huge = numbers(&[1e200, -1e200, 0.0]);
    let e = text(KMeans::default().fit(huge.view(), &run).unwrap_err());
    assert!(e.contains("column 'x'") && e.contains("larger unit"), "{e}");
    let none = numbers(&[]);
    assert!(text(KMeans::default().fit(none.view(), &run).unwrap_err()).contains("no rows"));
    let weightless = table.clone().with_weights(vec![0.0, 0.0]).unwrap();
    let e = text(KMeans::default().fit(weightless.view(), &run).unwrap_err());
    assert!(e.contains("all weights are 0"), "{e}");
}

/// Stops a run after some events.
struct Impatient(std::sync::atomic::AtomicI64);

impl Observer for Impatient {
    fn event(&self, _: &Event<'_>) -> ControlFlow<()> {
        let left = self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn an_interrupt_keeps_the_starts_that_were_made() {
    let table = table(200, &MIXED, false, &mut Random::new(18, Purpose::Sample, 0));
    let learner = KMeans { clusters: 4, starts: 50, ..KMeans::default() };
    let fit = |events| {
        let observer = Impatient(std::sync::atomic::AtomicI64::new(events));
        let run = Run::default().observed(&observer).threads(1).unwrap();
        learner.fit(table.view(), &run)
    };
    assert!(matches!(fit(0), Err(Error::Interrupted)));
    let all = fit(i64::MAX).unwrap();
    let mut cut = 0;
    for events in 3..100 {
        let some = fit(events).unwrap();
        let made = some.objectives.len();
        let unfinished = some.endings.iter().filter(|(stop, _)| *stop == Stop::Interrupted).count();
        // A start that was stopped underway counts only where no other came to an end.
        match unfinished {
            0 => assert_eq!(some.objectives[..], all.objectives[..made], "{events}"),
            _ => assert_eq!((made, unfinished), (1, 1), "{events}"),
        }
        cut += unfinished;
    }
    assert!(cut > 0, "the first start takes several steps");
}
