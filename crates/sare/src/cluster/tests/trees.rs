//! Trees, orders and complete networks within clusters: one step against enumeration.

use super::{CLUSTERS, STATES, table};
use crate::average::order::{GivenOrders, OrderWeights};
use crate::average::{Average, Model};
use crate::classify::Fitted;
use crate::cluster::chain::{Chain, ChainLearner, complete};
use crate::cluster::completed::{Completed, memberships};
use crate::cluster::fixed::{blank_of, random_start};
use crate::cluster::soft::{FromPairs, Paired, SoftLearner};
use crate::cluster::trees::{BestTree, OfOrders, OfTrees};
use crate::data::{Cells, Table};
use crate::infer::density::Purpose;
use crate::num::tolerance::close;
use crate::parameters::dirichlet::Prior;
use crate::run::{Outcome, Run};
use crate::stats::{FamilyTable, Score};

/// The memberships of every completion of every row under a model, by going through all of them, as (row of states with
/// its cluster, weight); and the log-likelihood.
fn completions(
    log_joint: &dyn Fn(&[usize; 5]) -> f64,
    table: &Table,
) -> (Vec<([usize; 5], f64)>, f64) {
    let (mut all, mut log_likelihood) = (Vec::new(), 0.0);
    for r in 0..table.rows() {
        let mut fits = Vec::new();
        for row in every_cell() {
            if (0..4).all(|v| table.cells(v).code(r).is_none_or(|x| x == row[v])) {
                fits.push((row, log_joint(&row).exp()));
            }
        }
        let (weight, total) = (table.weights().unwrap()[r], fits.iter().map(|f| f.1).sum::<f64>());
        log_likelihood += weight * total.ln();
        all.extend(fits.into_iter().map(|(row, p)| (row, weight * p / total)));
    }
    (all, log_likelihood)
}

fn every_cell() -> impl Iterator<Item = [usize; 5]> {
    let cells = STATES.iter().product::<usize>() * CLUSTERS;
    (0..cells).map(|mut code| {
        let mut row = [0; 5];
        for (v, s) in STATES.into_iter().chain([CLUSTERS]).enumerate() {
            row[v] = code % s;
            code /= s;
        }
        row
    })
}

fn states(v: usize) -> usize {
    if v == 4 { CLUSTERS } else { STATES[v] }
}

/// The expected counts of a child given any parents, the cluster (4) as good as any, as a table without classes.
fn family(rows: &[([usize; 5], f64)], child: usize, parents: &[usize]) -> FamilyTable {
    let configurations = parents.iter().map(|&p| states(p)).product();
    let mut counts = FamilyTable::zeros(configurations, states(child), 1);
    for (row, weight) in rows {
        *counts.at_mut(configuration(row, parents), row[child], 0) += weight;
    }
    counts
}

fn configuration(row: &[usize; 5], parents: &[usize]) -> usize {
    parents.iter().fold(0, |j, &p| j * states(p) + row[p])
}

/// p(child | parents) in a row with alpha added to every count.
fn smoothed(
    counts: &FamilyTable,
    row: &[usize; 5],
    child: usize,
    parents: &[usize],
    alpha: f64,
) -> f64 {
    let j = configuration(row, parents);
    let total = counts.sum_over_states(j, 0) + alpha * counts.states() as f64;
    (counts.at(j, row[child], 0) + alpha) / total
}

/// ln p of every cell (attributes and cluster) by a model.
fn log_joint(model: Model, of: &Table) -> Vec<f64> {
    let cells: Vec<[usize; 5]> = every_cell().collect();
    let column = |v: usize| {
        let codes = cells.iter().map(|row| (v < 4).then_some(row[v]));
        (of.field(v).clone(), Cells::from_codes(codes.collect::<Vec<_>>(), states(v)))
    };
    let table = Table::new("cells", (0..5).map(column).collect()).unwrap();
    let run = Run::default();
    let logs = Fitted::from(model).per_class(table.view(), Purpose::Density, &run, |_| {}).unwrap();
    cells.iter().enumerate().map(|(i, row)| logs[i * CLUSTERS + row[4]]).collect()
}

/// What a learner makes of the memberships under a random network, with these memberships by enumeration.
fn step(learner: impl FromPairs, holes: bool) -> (Model, Vec<([usize; 5], f64)>, Table) {
    let table = table(40, holes);
    let run = Run::default();
    let start = random_start(&blank_of(table.schema()).unwrap(), 5, 2).unwrap();
    let (model, rows) = step_from(Model::Network(start.clone()), learner, &table);
    let (_, log_likelihood) = completions(&|row| start.log_probability(row), &table);
    let fitted = Fitted::from(Model::Network(start));
    let (_, value) = memberships(&fitted, table.view(), &run).unwrap();
    assert!(close(value, log_likelihood, 1e-10), "{value} {log_likelihood}");
    (model, rows, table)
}

/// What a learner makes of the memberships under a model, with every completion of every row and its weight.
fn step_from(
    from: Model,
    learner: impl FromPairs,
    table: &Table,
) -> (Model, Vec<([usize; 5], f64)>) {
    let run = Run::default();
    let logs = log_joint(from.clone(), table);
    let cells: Vec<[usize; 5]> = every_cell().collect();
    let place = |row: &[usize; 5]| cells.iter().position(|c| c == row).unwrap();
    let (rows, log_likelihood) = completions(&|row| logs[place(row)], table);
    let paired = Paired::new(table, learner);
    let own = (Fitted::from(from), Outcome::exact());
    let (memberships, value) = paired.memberships(&own, &run).unwrap();
    assert!(close(value, log_likelihood, 1e-9), "{value} {log_likelihood}");
    let (next, _) = SoftLearner::learn(&paired, &own, memberships, &run).unwrap();
    (next.model(), rows)
}

/// EMA-TAN: the sum over all 2 x 4 x 6 x 8 choices of parents that agree with the order.
#[test]
fn a_step_of_ema_tan_is_the_average_over_all_structures_of_the_order() {
    let order = [2, 0, 3, 1];
    let orders = GivenOrders { orders: vec![order.to_vec()], weights: OrderWeights::Evidence };
    let learner = OfOrders { orders, prior: Prior::Dirichlet(1.0) };
    for holes in [false, true] {
        let (model, rows, table) = step(learner.clone(), holes);
        let sets = |place: usize| -> Vec<Vec<usize>> {
            let one = order[..place].iter().flat_map(|&j| [vec![j], vec![j, 4]]);
            [vec![], vec![4]].into_iter().chain(one).collect()
        };
        let choices: Vec<Vec<Vec<usize>>> = (0..4).map(sets).collect();
        let evidence =
            |child: usize, parents: &[usize]| Score::K2.of(&family(&rows, child, parents));
        let count: usize = choices.iter().map(Vec::len).product();
        let structure = |mut code: usize| -> Vec<&Vec<usize>> {
            let mut pick = |sets: &'_ Vec<Vec<usize>>| -> usize {
                let place = code % sets.len();
                code /= sets.len();
                place
            };
            choices.iter().map(|sets| &sets[pick(sets)]).collect()
        };
        let logs: Vec<f64> = (0..count)
            .map(|s| {
                let parents = structure(s);
                (0..4).map(|place| evidence(order[place], parents[place])).sum()
            })
            .collect();
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let class = family(&rows, 4, &[]);
        let mut sums = vec![0.0; every_cell().count()];
        let mut total = 0.0;
        for (s, log) in logs.iter().enumerate() {
            let (parents, weight) = (structure(s), (log - top).exp());
            total += weight;
            let tables: Vec<FamilyTable> =
                (0..4).map(|place| family(&rows, order[place], parents[place])).collect();
            for (sum, row) in sums.iter_mut().zip(every_cell()) {
                let p: f64 =
                    (0..4).map(|i| smoothed(&tables[i], &row, order[i], parents[i], 1.0)).product();
                *sum += weight * p * smoothed(&class, &row, 4, &[], 1.0);
            }
        }
        for (ours, sum) in log_joint(model, &table).iter().zip(sums) {
            assert!(close(*ours, (sum / total).ln(), 1e-9), "{ours} {}", (sum / total).ln());
        }
    }
}

/// From an average, missing cells are expected as the average has them: the counts are those of every completion.
#[test]
fn a_step_from_an_average_expects_what_the_average_says() {
    let orders = GivenOrders { orders: vec![vec![3, 1, 0, 2]], weights: OrderWeights::Evidence };
    let by_order = OfOrders { orders, prior: Prior::Dirichlet(1.0) };
    let trees = crate::average::trees::TreeAverage { weight: 1.0 };
    let by_trees = OfTrees { average: trees, prior: Prior::Laplace };
    let (first, _, table) = step(by_order, true);
    let (second, rows) = step_from(first, by_trees, &table);
    same_counts(&second, &rows);
    let orders = GivenOrders { orders: vec![vec![0, 1, 2, 3]], weights: OrderWeights::Evidence };
    let (third, rows) = step_from(second, OfOrders { orders, prior: Prior::Laplace }, &table);
    same_counts(&third, &rows);
}

/// The counts that an average is made of are those of the weighted completions.
fn same_counts(model: &Model, rows: &[([usize; 5], f64)]) {
    let Model::Pairs(pairs) = model else { panic!("an average") };
    for j in 0..4 {
        for c in 0..CLUSTERS {
            for y in 0..states(j) {
                let wanted = family(rows, j, &[4]).at(c, y, 0);
                assert!(close(pairs.tables().alone(j).at(0, y, c), wanted, 1e-9));
                for i in 0..j {
                    for x in 0..states(i) {
                        let wanted = family(rows, j, &[i, 4]).at(x * CLUSTERS + c, y, 0);
                        assert!(close(pairs.tables().family(i, j).at(x, y, c), wanted, 1e-9));
                    }
                }
            }
        }
    }
}

/// The 16 trees of four nodes, as edges.
fn trees() -> Vec<Vec<(usize, usize)>> {
    let edges: Vec<(usize, usize)> = (0..4).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let joined = |tree: &[(usize, usize)]| {
        let mut name = [0, 1, 2, 3];
        for &(a, b) in tree {
            let (x, y) = (name[a], name[b]);
            name.iter_mut().filter(|n| **n == y).for_each(|n| *n = x);
        }
        name.iter().all(|n| *n == name[0])
    };
    let three = (0..1usize << 6).filter(|s| s.count_ones() == 3);
    let tree = |s: usize| (0..6).filter(|i| s >> i & 1 == 1).map(|i| edges[i]).collect::<Vec<_>>();
    three.map(tree).filter(|t| joined(t)).collect()
}

/// mEM-TAN: of all trees the one under which the completed rows are most likely.
#[test]
fn a_step_of_em_tan_takes_the_best_of_all_trees() {
    assert_eq!(trees().len(), 16);
    for holes in [false, true] {
        let (model, rows, table) = step(BestTree(Prior::None), holes);
        // ML of the tree: the likelihood does not depend on the root.
        let likelihood = |tree: &Vec<(usize, usize)>| -> f64 {
            let ll = |child: usize, parents: &[usize]| {
                Score::LogLikelihood.of(&family(&rows, child, parents))
            };
            let gain = |&(a, b): &(usize, usize)| ll(b, &[a, 4]) - ll(b, &[4]);
            (0..4).map(|v| ll(v, &[4])).sum::<f64>() + tree.iter().map(gain).sum::<f64>()
        };
        let best = trees().iter().map(likelihood).fold(f64::NEG_INFINITY, f64::max)
            + Score::LogLikelihood.of(&family(&rows, 4, &[]));
        let ours = log_joint(model, &table);
        let cells: Vec<[usize; 5]> = every_cell().collect();
        let place = |row: &[usize; 5]| cells.iter().position(|c| c == row).unwrap();
        let value: f64 = rows.iter().map(|(row, w)| w * ours[place(row)]).sum();
        assert!(close(value, best, 1e-9), "{value} {best}");
    }
}

/// The average over all trees is what it is for rows of known class.
#[test]
fn a_step_of_ema_trees_is_the_average_over_all_trees() {
    let weight = 1.5;
    let average = crate::average::trees::TreeAverage { weight };
    average.check(Some(Prior::Laplace)).unwrap();
    let (model, rows, table) = step(OfTrees { average, prior: Prior::Laplace }, true);
    let evidence = |members: &[usize]| -> f64 {
        // The prior weight of each cluster spread over the states of all members.
        let joint = |c: usize| {
            let sizes: usize = members.iter().map(|&m| states(m)).product();
            let mut counts = FamilyTable::zeros(1, sizes, 1);
            for (row, w) in rows.iter().filter(|(row, _)| row[4] == c) {
                *counts.at_mut(0, configuration(row, members), 0) += w;
            }
            counts
        };
        (0..CLUSTERS).map(|c| Score::Bdeu(weight).of(&joint(c))).sum()
    };
    let mean = |members: &[usize], row: &[usize; 5]| -> f64 {
        let cells: usize = members.iter().map(|&m| states(m)).product();
        let same = |r: &[usize; 5]| r[4] == row[4] && members.iter().all(|&m| r[m] == row[m]);
        let n: f64 = rows.iter().filter(|(r, _)| same(r)).map(|(_, w)| w).sum();
        let all: f64 = rows.iter().filter(|(r, _)| r[4] == row[4]).map(|(_, w)| w).sum();
        (n + weight / cells as f64) / (all + weight)
    };
    let class = family(&rows, 4, &[]);
    let log_weight = |tree: &Vec<(usize, usize)>| -> f64 {
        tree.iter().map(|&(a, b)| evidence(&[a, b]) - evidence(&[a]) - evidence(&[b])).sum()
    };
    let logs: Vec<f64> = trees().iter().map(log_weight).collect();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.iter().map(|l| (l - top).exp()).sum();
    for (row, ours) in every_cell().zip(log_joint(model, &table)) {
        let tree = |tree: &Vec<(usize, usize)>| -> f64 {
            let edge = |&(a, b): &(usize, usize)| {
                mean(&[a, b], &row) / mean(&[a], &row) / mean(&[b], &row)
            };
            tree.iter().map(edge).product()
        };
        let sum: f64 = trees().iter().zip(&logs).map(|(t, l)| (l - top).exp() * tree(t)).sum();
        let alone: f64 = (0..4).map(|v| mean(&[v], &row)).product();
        let p = smoothed(&class, &row, 4, &[], 1.0) * alone * sum / total;
        assert!(close(ours, p.ln(), 1e-9), "{ours} {}", p.ln());
    }
}

/// mEM-BNET: the few entries that rows reach say the same as the whole tables.
#[test]
fn a_step_of_em_network_is_that_of_whole_tables() {
    let order = [1, 3, 0, 2];
    let run = Run::default();
    for (holes, alpha) in [(false, 0.5), (true, 1.0), (false, 0.0)] {
        let table = table(40, holes);
        let completed = Completed::all(&table).unwrap();
        let chain = Chain::new(&order, completed.rows());
        let learner = ChainLearner { completed, chain, dag: complete(&order).unwrap(), alpha };
        let first = learner.first(3, &run).unwrap();
        let (memberships, _) = learner.memberships(&first, &run).unwrap();
        let next = learner.learn(&first, memberships.clone(), &run).unwrap();
        let logs = learner.logs(&next);
        let completed = &learner.completed;
        let rows: Vec<([usize; 5], f64)> = memberships
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let (unit, c) = (i / CLUSTERS, i % CLUSTERS);
                let code = |v: usize| completed.rows().cells(v).code(unit).unwrap();
                let weight = completed.rows().weights().unwrap()[unit];
                ([code(0), code(1), code(2), code(3), c], weight * p)
            })
            .collect();
        let parents = |place: usize| [&order[..place], &[4]].concat();
        let tables: Vec<FamilyTable> =
            (0..4).map(|place| family(&rows, order[place], &parents(place))).collect();
        let class = family(&rows, 4, &[]);
        for (i, (row, _)) in rows.iter().enumerate() {
            let p: f64 =
                (0..4).map(|i| smoothed(&tables[i], row, order[i], &parents(i), alpha)).product();
            let p = p * smoothed(&class, row, 4, &[], alpha);
            assert!(close(logs[i], p.ln(), 1e-9), "{} {}", logs[i], p.ln());
        }
        let network = learner.finish(next, &run).unwrap();
        let whole = Fitted::from(network);
        let all = whole.per_class(completed.rows().view(), Purpose::Density, &run, |_| {}).unwrap();
        assert!(all.iter().zip(&logs).all(|(a, b)| close(*a, *b, 1e-9)));
    }
}
