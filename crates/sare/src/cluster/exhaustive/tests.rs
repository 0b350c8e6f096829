use super::evidence::{Estimate, Evidence};
use super::fit::{Shared, members};
use super::rows::{MISSING, Rows};
use super::*;
use crate::cluster::learner::{blank_of, random_start};
use crate::data::{Cells, Field, Table};
use crate::graph::Dag;
use crate::infer::expectation::{Expectation, Until};
use crate::infer::slopes::Criterion;
use crate::network::random::{Form, RandomNetwork};
use crate::num::{ln_gamma, log_sum_exp, tolerance::close};
use crate::parameters::em::Frequencies;
use crate::seed::{Purpose, Random};

/// A table of these rows of codes; the last column is the cluster, which is in no row.
fn table(states: &[usize], clusters: usize, rows: &[Vec<Option<usize>>]) -> Table {
    let levels = |n: usize| (0..n).map(|l| l.to_string()).collect::<Vec<String>>();
    let mut columns: Vec<(Field, Cells)> = states
        .iter()
        .enumerate()
        .map(|(i, &s)| {
            let cells = Cells::from_codes(rows.iter().map(|r| r[i]), s);
            (Field::discrete(format!("x{i}"), levels(s)), cells)
        })
        .collect();
    let latent = Cells::from_codes(std::iter::repeat_n(None, rows.len()), clusters);
    columns.push((Field::discrete("cluster", levels(clusters)), latent));
    Table::new("t", columns).unwrap()
}

fn random_rows(states: &[usize], count: usize, holes: usize, seed: u64) -> Vec<Vec<Option<usize>>> {
    let mut random = Random::new(seed, Purpose::Sample, 4);
    let mut cell = |s: usize, alike: usize| {
        let code = if random.below(3) == 0 { random.below(s) } else { alike % s };
        (random.below(100) >= holes).then_some(code)
    };
    (0..count).map(|r| states.iter().map(|&s| cell(s, r)).collect()).collect()
}

/// ln p(rows, clusters | S) with all parameters integrated out, alpha in every cell of the prior.
fn complete(rows: &Rows, assigned: &[usize], clusters: usize, alpha: f64) -> f64 {
    let of_table = |counts: &[f64]| -> f64 {
        let total: f64 = counts.iter().sum();
        let sum = alpha * counts.len() as f64;
        let cells = counts.iter().map(|n| ln_gamma(n + alpha) - ln_gamma(alpha)).sum::<f64>();
        cells + ln_gamma(sum) - ln_gamma(sum + total)
    };
    let kinds: Vec<usize> =
        (0..rows.copies.len()).flat_map(|k| vec![k; rows.copies[k] as usize]).collect();
    let mut sizes = vec![0.0; clusters];
    assigned.iter().for_each(|&c| sizes[c] += 1.0);
    let mut ln = of_table(&sizes);
    for v in 0..rows.attributes() {
        for cluster in 0..clusters {
            let mut counts = vec![0.0; rows.table.field(v).states()];
            for (&kind, &c) in kinds.iter().zip(assigned) {
                let code = rows.codes(kind)[v];
                if c == cluster && code != MISSING {
                    counts[code as usize] += 1.0;
                }
            }
            ln += of_table(&counts);
        }
    }
    ln
}

/// ln p(D | S) by going through every cluster column.
fn enumerated(rows: &Rows, clusters: usize, alpha: f64) -> f64 {
    let count: u32 = rows.copies.iter().sum();
    let one = |mut code: usize| {
        let mut assigned = Vec::new();
        for _ in 0..count {
            assigned.push(code % clusters);
            code /= clusters;
        }
        complete(rows, &assigned, clusters, alpha)
    };
    log_sum_exp(&(0..clusters.pow(count)).map(one).collect::<Vec<f64>>())
}

fn estimate(rows: &Rows, alpha: f64, samples: usize, seed: u64) -> Estimate {
    let run = Run::with_seed(seed);
    let settings = Exhaustive { alpha, samples, ..Exhaustive::default() };
    let (network, _) = settings.best_start(rows, 0..5, &run).unwrap();
    let evidence = Evidence { rows, network: &network, alpha, samples };
    evidence.estimate(&mut Random::new(seed, Purpose::Evidence, 0), &run).unwrap()
}

/// Two and three clusters, one to three attributes, complete and with missing cells, rows that are alike: never further from
/// the sum over all cluster columns than chance allows, and the errors no larger than they should be.
#[test]
fn the_evidence_is_the_sum_over_all_cluster_columns() {
    let run = Run::default();
    let mut far = 0;
    let cases = [
        (vec![2, 3, 2], 2, 10, 0, 1.0),
        (vec![2, 3, 2], 2, 10, 25, 1.0),
        (vec![3, 2], 3, 7, 20, 0.5),
        (vec![2], 2, 10, 0, 1.0),
        (vec![2, 2, 2], 3, 7, 0, 2.0),
        (vec![2, 4], 2, 11, 10, 0.3),
    ];
    for (case, (states, clusters, count, holes, alpha)) in cases.into_iter().enumerate() {
        let table = table(&states, clusters, &random_rows(&states, count, holes, case as u64));
        let rows = Rows::of(&Source::Memory(table.view()), &run).unwrap();
        let exact = enumerated(&rows, clusters, alpha);
        for seed in 0..3 {
            let Estimate { log, error } = estimate(&rows, alpha, 4000, seed);
            let off = (log - exact).abs() / error;
            assert!(off < 5.0, "{states:?}: {log} ± {error}, exactly {exact}");
            assert!(error < 0.1, "{states:?}: {error}");
            far += usize::from(off > 2.0);
        }
    }
    // Of 18 about one is beyond two standard errors.
    assert!(far <= 4, "{far}");
}

/// Sixty rows of two attributes: the rows of each kind are alike, so that only how many of them each cluster has matters.
#[test]
fn the_evidence_of_more_rows_is_the_sum_over_all_ways_to_share_the_kinds() {
    let run = Run::default();
    for (seed, holes) in [(1, 0), (2, 0), (3, 3)] {
        let table = table(&[2, 2], 2, &random_rows(&[2, 2], 60, holes, seed));
        let rows = Rows::of(&Source::Memory(table.view()), &run).unwrap();
        let mut terms = Vec::new();
        let ways: usize = rows.copies.iter().map(|n| *n as usize + 1).product();
        for mut code in 0..ways {
            let (mut assigned, mut ln) = (Vec::new(), 0.0);
            for &n in &rows.copies {
                let n = n as usize;
                let first = code % (n + 1);
                code /= n + 1;
                assigned.extend((0..n).map(|i| usize::from(i >= first)));
                let ln_factorial = |n: usize| ln_gamma(n as f64 + 1.0);
                ln += ln_factorial(n) - ln_factorial(first) - ln_factorial(n - first);
            }
            terms.push(ln + complete(&rows, &assigned, 2, 1.0));
        }
        let exact = log_sum_exp(&terms);
        let Estimate { log, error } = estimate(&rows, 1.0, 5000, seed);
        assert!((log - exact).abs() < 4.0 * error, "{log} ± {error}, exactly {exact}");
        assert!(error < 0.15, "{error}");
    }
}

/// EM on the columns of the structure alone is EM on all columns of a graph in which the others have no parent.
#[test]
fn other_columns_take_no_part() {
    let states = [2, 3, 2, 2];
    let table = table(&states, 2, &random_rows(&states, 80, 10, 5));
    let run = Run::default();
    let data = Source::Memory(table.view());
    let rows = Rows::of(&data, &run).unwrap();
    let attributes = [0, 1, 3];
    let own = rows.select(&attributes).unwrap();
    let blank = blank_of(own.table.schema()).unwrap();
    let start = random_start(&blank, 3, 1).unwrap();
    let climb = |source: &Source<'_>, start| {
        let (criterion, until) = (Criterion::Latent, Until::Gain(0.0));
        let expectation =
            Expectation { data: source, criterion, iterations: 300, until, run: &run };
        expectation.climb(start, &mut Frequencies { alpha: 1.0 }).unwrap().network
    };
    let alone = climb(&Source::Memory(own.table.view()), start.clone());
    let mut dag = Dag::new(5);
    attributes.iter().for_each(|&v| dag.add(4, v).unwrap());
    let of = |i: usize| start.table(i).to_vec();
    let tables = vec![of(0), of(1), vec![0.5, 0.5], of(2), of(3)];
    let whole = Network::new(blank_of(table.schema()).unwrap().variables().to_vec(), dag, tables);
    let whole = climb(&data, whole.unwrap());
    for (i, v) in [0, 1, 3, 4].into_iter().enumerate() {
        for (a, b) in alone.table(i).iter().zip(whole.table(v)) {
            assert!(close(*a, *b, 1e-6), "{a} {b}");
        }
    }
    let closed = Shared::new(&rows, 1.0).alone;
    assert!(closed[2].iter().zip(whole.table(2)).all(|(a, b)| close(*a, *b, 1e-12)));
}

fn tiny() -> Table {
    let states = [2, 2, 3];
    table(&states, 2, &random_rows(&states, 10, 5, 9))
}

#[test]
fn weights_and_relevance_are_those_of_the_exact_evidence() {
    let (table, run) = (tiny(), Run::default());
    let data = Source::Memory(table.view());
    let rows = Rows::of(&data, &run).unwrap();
    let settings = Exhaustive { samples: 8000, ..Exhaustive::default() };
    let found = settings.average(&data, 10, &run).unwrap();
    // An attribute that does not depend on the cluster is one table of its own, whatever the clusters.
    let exact = |set: usize| -> f64 {
        let of = |v: &usize| enumerated(&rows.select(&[*v]).unwrap(), 1, 1.0);
        let others: f64 = members(!set & 7).iter().map(of).sum();
        let own = members(set);
        others + if own.is_empty() { 0.0 } else { enumerated(&rows.select(&own).unwrap(), 2, 1.0) }
    };
    let logs: Vec<f64> = (0..8).map(exact).collect();
    let total = log_sum_exp(&logs);
    let weight = |set: usize| (logs[set] - total).exp();
    let set = |s: &Structure| s.attributes.iter().map(|v| 1 << v).sum::<usize>();
    assert_eq!(found.structures.len(), 8);
    for s in &found.structures {
        assert!((s.log_evidence - logs[set(s)]).abs() <= 5.0 * s.error + 1e-9);
        assert!((s.weight - weight(set(s))).abs() < 0.05, "{} {}", s.weight, weight(set(s)));
    }
    let none = found.structures.iter().find(|s| s.attributes.is_empty()).unwrap();
    assert!(close(none.log_evidence, logs[0], 1e-12) && none.error == 0.0);
    for (v, relevance) in found.relevance.iter().enumerate() {
        let exact: f64 = (0..8).filter(|set| set >> v & 1 == 1).map(weight).sum();
        assert!((relevance - exact).abs() < 0.05, "{relevance} {exact}");
    }
}

/// The network has the average's clusters and the average's attributes in each, and no network near it is nearer.
#[test]
fn the_network_is_the_nearest_to_the_average() {
    let (table, run) = (tiny(), Run::default());
    let data = Source::Memory(table.view());
    let found = Exhaustive::default().average(&data, 5, &run).unwrap();
    let cells: Vec<Vec<usize>> = (0..12).map(|i| vec![i / 6, i / 3 % 2, i % 3]).collect();
    let joints: Vec<Vec<f64>> = cells.iter().map(|x| found.joint(x)).collect();
    let sum: f64 = joints.iter().flatten().sum();
    assert!(close(sum, 1.0, 1e-12));
    let divergence = |network: &Network| -> f64 {
        let term = |(x, p): (&Vec<usize>, &Vec<f64>)| -> f64 {
            let row = |c: usize| [x[0], x[1], x[2], c];
            (0..2).map(|c| p[c] * (p[c].ln() - network.log_probability(&row(c)))).sum()
        };
        cells.iter().zip(&joints).map(term).sum()
    };
    let least = divergence(&found.network);
    assert!(least >= 0.0);
    let mut random = Random::new(1, Purpose::Sample, 0);
    for _ in 0..200 {
        let near = |v: usize| -> Vec<f64> {
            let table = found.network.table(v).chunks_exact(found.network.states(v));
            let mut row = |row: &[f64]| -> Vec<f64> {
                let other = random.dirichlet(row.len(), 1.0);
                row.iter().zip(other).map(|(p, o)| 0.95 * p + 0.05 * o).collect()
            };
            table.flat_map(&mut row).collect()
        };
        let other = found.network.with_tables((0..4).map(near).collect()).unwrap();
        assert!(divergence(&other) > least);
    }
    let sizes = found.network.table(3);
    assert!(sizes[0] >= sizes[1]);
}

fn sampled(rows: usize) -> Table {
    let form = Form::SelectiveNaiveBayes(1.0);
    let shape = RandomNetwork { form, attributes: 5, states: 2, classes: 2, alpha: 1.0 };
    let truth = shape.draw(1).unwrap();
    let mut tables: Vec<Vec<f64>> = [[0.9, 0.1], [0.85, 0.25], [0.1, 0.8], [0.4, 0.4], [0.7, 0.7]]
        .map(|[a, b]: [f64; 2]| vec![a, 1.0 - a, b, 1.0 - b])
        .to_vec();
    tables.push(vec![0.6, 0.4]);
    let truth = truth.with_tables(tables).unwrap();
    let mut table = truth.sample("t", rows, &mut Random::new(3, Purpose::Sample, 0)).unwrap();
    let latent = Cells::from_codes(std::iter::repeat_n(None, rows), 2);
    table.replace(5, Field::discrete("cluster", ["1", "2"]), latent);
    table
}

#[test]
fn attributes_that_matter_are_told_from_those_that_do_not() {
    let (table, run) = (sampled(1000), Run::default());
    let settings = Exhaustive { samples: 500, ..Exhaustive::default() };
    let found = settings.average(&Source::Memory(table.view()), 5, &run).unwrap();
    assert!(found.relevance[..3].iter().all(|p| *p > 0.99), "{:?}", found.relevance);
    assert!(found.relevance[3..].iter().all(|p| *p < 0.5), "{:?}", found.relevance);
    assert_eq!(found.structures[0].attributes, [0, 1, 2]);
    // Clusters are named alike: in every structure that tells, the first is that of the first attribute's first state.
    for s in found.structures.iter().filter(|s| s.weight > 0.001) {
        assert!(s.given(0, 0, &found.alone)[0] > s.given(0, 1, &found.alone)[0]);
    }
    assert!((found.network.table(5)[0] - 0.6).abs() < 0.1);
}

#[test]
fn neither_threads_nor_the_order_of_rows_change_it_and_a_weight_is_a_number_of_copies() {
    let table = sampled(60);
    let settings = Exhaustive { samples: 100, ..Exhaustive::default() };
    let on = |table: &Table, threads: usize| {
        let run = Run::with_seed(4).threads(threads).unwrap();
        settings.average(&Source::Memory(table.view()), 2, &run).unwrap()
    };
    let found = on(&table, 1);
    let same = |other: Averaged| {
        assert_eq!((&found.network, &found.relevance), (&other.network, &other.relevance));
        assert_eq!(found.structures, other.structures);
        assert_eq!(found.log_likelihood.to_bits(), other.log_likelihood.to_bits());
    };
    same(on(&table, 2));
    let backwards: Vec<u32> = (0..60).rev().collect();
    same(on(&table.gather(&backwards), 2));
    let kinds = Rows::of(&Source::Memory(table.view()), &Run::default()).unwrap();
    assert!(kinds.table.rows() < 40);
    same(on(&kinds.table, 2));
}

#[test]
fn what_is_too_large_is_refused() {
    let run = Run::default();
    let problem = |columns: usize, clusters: usize, starts: usize| {
        let table = table(&vec![2; columns], clusters, &[vec![Some(0); columns]]);
        let data = Source::Memory(table.view());
        Exhaustive::default().average(&data, starts, &run).err().unwrap().to_string()
    };
    let wide = problem(17, 2, 1);
    assert!(wide.contains("2^n") && wide.contains("ema") && wide.contains("17"), "{wide}");
    assert!(problem(2, 9, 1).contains("clusters = 9"));
    assert!(problem(2, 2, 0).contains("starts"));
    let tiny = Exhaustive { alpha: 1e-20, ..Exhaustive::default() };
    assert!(tiny.check().unwrap_err().to_string().contains("alpha"));
    assert!(Exhaustive { samples: 3, ..Exhaustive::default() }.check().is_err());
}

#[test]
fn a_text_form_comes_back() {
    let settings = Exhaustive { alpha: 0.5, samples: 300, tolerance: 1e-5, iterations: 9 };
    for settings in [settings, Exhaustive::default()] {
        let form = settings.form();
        let (name, rest) = crate::describe::parts(&form);
        assert_eq!(name, DESCRIPTION.name);
        assert_eq!(Exhaustive::new(&DESCRIPTION.parse(rest).unwrap()), settings);
    }
}
