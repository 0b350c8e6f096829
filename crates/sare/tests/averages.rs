//! Averages over structures against explicit sums over every structure.

mod common;

use common::averages::{fit, holed, learners, logs, of_codes, pairs, table};
use sare::average::naive::AveragedNaiveBayes;
use sare::average::order::{OrderAverage, OrderWeights};
use sare::average::super_parents::SuperParents;
use sare::average::trees::TreeAverage;
use sare::average::{Kind, Model};
use sare::data::{Source, Table};
use sare::graph::Dag;
use sare::network::Network;
use sare::num::log_sum_exp;
use sare::num::tolerance::{OTHER_PACKAGE, close};
use sare::parameters::Parameters;
use sare::parameters::dirichlet::{FromCounts, Prior};
use sare::run::{Outcome, Run};
use sare::stats::{CountFamilies, Family, Score, run_pass};

fn codes(table: &Table, row: usize) -> Vec<usize> {
    (0..table.columns()).map(|v| table.cells(v).code(row).unwrap()).collect()
}

/// ln p(rows | structure) of the attributes by a score that gives every family its marginal likelihood.
fn log_evidence(dag: &Dag, table: &Table, prior: Prior) -> f64 {
    let class = table.columns() - 1;
    let source = Source::Memory(table.view());
    let family = |child: usize| {
        let parents: Vec<usize> = dag.parents(child).filter(|&p| p != class).collect();
        Family { child, parents }
    };
    let pass = CountFamilies::new(&source, (0..class).map(family).collect(), Some(class)).unwrap();
    let counts = run_pass(&source, &pass, &Run::default()).unwrap();
    let own = |(child, t): (usize, &sare::stats::FamilyTable)| {
        let t = if dag.has_arc(class, child) { t.clone() } else { t.sum_over_classes() };
        match prior {
            Prior::None => panic!("no prior"),
            Prior::Laplace => Score::K2.of(&t),
            Prior::Dirichlet(a) => Score::Bdeu(a * (t.cells() * t.classes()) as f64).of(&t),
            Prior::Bdeu(ess) => Score::Bdeu(ess).of(&t),
        }
    };
    counts.iter().enumerate().map(own).sum()
}

/// A structure with the evidence of the rows and its network by posterior means.
struct Weighed {
    dag: Dag,
    ln: f64,
    network: Network,
}

fn weigh(dag: Dag, table: &Table, prior: Prior) -> Weighed {
    let source = Source::Memory(table.view());
    let (network, _) = FromCounts { prior }.learn(&dag, &source, &Run::default()).unwrap();
    Weighed { ln: log_evidence(&dag, table, prior), dag, network }
}

/// The explicit sum: ln p(class, row) of every row and class, and the probability of every arc.
fn explicit(all: &[Weighed], table: &Table) -> (Vec<f64>, impl Fn(usize, usize) -> f64) {
    let class = table.columns() - 1;
    let total = log_sum_exp(&all.iter().map(|w| w.ln).collect::<Vec<_>>());
    let mut joint = Vec::new();
    for r in 0..table.rows() {
        let mut row = codes(table, r);
        for c in 0..table.field(class).states() {
            row[class] = c;
            let terms: Vec<f64> =
                all.iter().map(|w| w.ln - total + w.network.log_probability(&row)).collect();
            joint.push(log_sum_exp(&terms));
        }
    }
    let weights: Vec<(Dag, f64)> =
        all.iter().map(|w| (w.dag.clone(), (w.ln - total).exp())).collect();
    let arc = move |parent: usize, child: usize| {
        weights.iter().filter(|(d, _)| d.has_arc(parent, child)).map(|(_, w)| w).sum()
    };
    (joint, arc)
}

fn same(ours: &[f64], wanted: &[f64], what: &str) {
    assert_eq!(ours.len(), wanted.len());
    for (i, (a, b)) in ours.iter().zip(wanted).enumerate() {
        assert!(close(*a, *b, OTHER_PACKAGE), "{what}, {i}: {a} and {b}");
    }
}

/// Reported arcs are right and complete.
fn same_arcs(outcome: &Outcome, arc: impl Fn(usize, usize) -> f64, nodes: usize) {
    let arcs = outcome.arcs.as_ref().unwrap();
    let mut probable = 0;
    for parent in 0..nodes {
        for child in (0..nodes).filter(|&c| c != parent) {
            let wanted = arc(parent, child);
            let ours = arcs.iter().find(|a| a.parent == parent && a.child == child);
            match ours {
                Some(a) => assert!((a.probability - wanted).abs() < 1e-10, "{a:?} {wanted}"),
                None => assert!(wanted < 0.001 + 1e-10, "{parent} -> {child}: {wanted}"),
            }
            probable += usize::from((0.01..0.99).contains(&wanted));
        }
    }
    assert!(probable > 0, "the test must have something uncertain");
}

/// Every network that agrees with an order: each attribute has the class or not, and an earlier attribute or none.
fn every_ordered(order: &[usize], class: usize) -> Vec<Dag> {
    let mut all = vec![Dag::new(class + 1)];
    for (place, &child) in order.iter().enumerate() {
        let mut more = Vec::new();
        for dag in &all {
            for parent in order[..place].iter().map(|&p| Some(p)).chain([None]) {
                for with_class in [false, true] {
                    let mut dag = dag.clone();
                    if let Some(parent) = parent {
                        dag.add(parent, child).unwrap();
                    }
                    if with_class {
                        dag.add(class, child).unwrap();
                    }
                    more.push(dag);
                }
            }
        }
        all = more;
    }
    all
}

/// Every tree over the attributes, rooted at the first, with the class as a parent of all.
fn every_tree(n: usize) -> Vec<Dag> {
    // Each attribute but the first takes a parent; those without a cycle are the rooted trees.
    let mut all = Vec::new();
    for code in 0..n.pow(n as u32 - 1) {
        let mut dag = Dag::new(n + 1);
        dag.add(n, 0).unwrap();
        let mut rest = code;
        let fits = (1..n).all(|child| {
            let parent = rest % n;
            rest /= n;
            dag.add(n, child).unwrap();
            parent != child && dag.add(parent, child).is_ok()
        });
        if fits {
            all.push(dag);
        }
    }
    all
}

#[test]
fn averaged_naive_bayes_is_the_sum_over_all_structures() {
    for (prior, seed) in [(Prior::Laplace, 1), (Prior::Dirichlet(0.3), 2), (Prior::Bdeu(2.0), 3)] {
        let table = table(&[2, 3, 2, 3, 4], 3, 40, 0.8, seed);
        let (model, outcome) = fit(&AveragedNaiveBayes, prior, &table);
        let Model::Network(network) = model else { panic!("not a network") };
        let selective = |code: usize| {
            let mut dag = Dag::new(6);
            (0..5).filter(|v| code >> v & 1 == 1).for_each(|v| dag.add(5, v).unwrap());
            weigh(dag, &table, prior)
        };
        let all: Vec<Weighed> = (0..32).map(selective).collect();
        let (wanted, arc) = explicit(&all, &table);
        let mut ours = Vec::new();
        for r in 0..table.rows() {
            let mut row = codes(&table, r);
            for c in 0..3 {
                row[5] = c;
                ours.push(network.log_probability(&row));
            }
        }
        same(&ours, &wanted, "averaged-nb");
        let relevance = outcome.relevance.unwrap();
        same(&relevance, &(0..5).map(|v| arc(5, v)).collect::<Vec<_>>(), "relevance");
        assert!(relevance.iter().any(|p| (0.01..0.99).contains(p)));
    }
}

#[test]
fn averaged_tan_is_the_sum_over_all_structures_of_an_order() {
    let cases = [
        (Prior::Laplace, 2, 11, 60, 0.8),
        (Prior::Dirichlet(0.4), 3, 12, 60, 0.8),
        (Prior::Bdeu(3.0), 2, 13, 30, 0.7),
        (Prior::Laplace, 3, 14, 150, 0.8),
    ];
    for (prior, classes, seed, rows, noise) in cases {
        let table = table(&[2, 3, 3, 2], classes, rows, noise, seed);
        let average = OrderAverage { orders: 1, weights: OrderWeights::Evidence };
        let (model, outcome) = fit(&average, prior, &table);
        let model = pairs(model);
        let Kind::Orders { orders, .. } = model.kind() else { panic!("no orders") };
        let all: Vec<Weighed> =
            every_ordered(&orders[0], 4).into_iter().map(|dag| weigh(dag, &table, prior)).collect();
        assert_eq!(all.len(), 2 * 4 * 6 * 8);
        let (wanted, arc) = explicit(&all, &table);
        same(&logs(&model, &table), &wanted, "averaged-tan");
        let relevance: Vec<f64> = (0..4).map(|v| arc(4, v)).collect();
        same(outcome.relevance.as_ref().unwrap(), &relevance, "relevance");
        same_arcs(&outcome, arc, 5);
        let mean = log_sum_exp(&all.iter().map(|w| w.ln).collect::<Vec<_>>()) - 384f64.ln();
        assert!(close(model.log_evidence().unwrap(), mean, OTHER_PACKAGE));
    }
}

#[test]
fn several_orders_are_averaged_by_evidence_or_equally() {
    let prior = Prior::Laplace;
    let table = table(&[2, 3, 3, 2], 2, 50, 0.8, 21);
    for weights in [OrderWeights::Evidence, OrderWeights::Uniform] {
        let (model, outcome) = fit(&OrderAverage { orders: 6, weights }, prior, &table);
        let model = pairs(model);
        let Kind::Orders { orders, .. } = model.kind() else { panic!("no orders") };
        assert_eq!(orders.len(), 6);
        let mut all = Vec::new();
        for order in orders {
            let mut one: Vec<Weighed> =
                every_ordered(order, 4).into_iter().map(|d| weigh(d, &table, prior)).collect();
            if weights == OrderWeights::Uniform {
                // Every order has the same share.
                let total = log_sum_exp(&one.iter().map(|w| w.ln).collect::<Vec<_>>());
                one.iter_mut().for_each(|w| w.ln -= total);
            }
            all.extend(one);
        }
        let (wanted, arc) = explicit(&all, &table);
        same(&logs(&model, &table), &wanted, "orders");
        let relevance: Vec<f64> = (0..4).map(|v| arc(4, v)).collect();
        same(outcome.relevance.as_ref().unwrap(), &relevance, "relevance");
        same_arcs(&outcome, arc, 5);
    }
    // Of two attributes there are only two orders, however many are asked for.
    let two = common::averages::table(&[2, 2], 2, 50, 0.8, 22);
    let (model, _) = fit(&OrderAverage { orders: 50, weights: OrderWeights::Uniform }, prior, &two);
    assert!(matches!(pairs(model).kind(), Kind::Orders { orders, .. } if orders.len() == 2));
}

#[test]
fn averaged_trees_are_the_sum_over_all_trees() {
    // The last has log-weights hundreds of nats apart.
    let cases = [(1.0, 2, 40, 0.8), (0.3, 3, 60, 0.7), (5.0, 3, 40, 0.9), (1.0, 2, 3000, 0.3)];
    for (weight, classes, rows, noise) in cases {
        let table = table(&[2, 3, 2, 3, 4], classes, rows, noise, 31);
        // A prior sample of this size gives every class the weight, in the class's own table too.
        let prior = Prior::Bdeu(weight * classes as f64);
        let (model, outcome) = fit(&TreeAverage { weight }, prior, &table);
        let model = pairs(model);
        let all: Vec<Weighed> =
            every_tree(5).into_iter().map(|dag| weigh(dag, &table, prior)).collect();
        assert_eq!(all.len(), 125);
        let (wanted, arc) = explicit(&all, &table);
        same(&logs(&model, &table), &wanted, "averaged-trees");
        let logs: Vec<f64> = all.iter().map(|w| w.ln).collect();
        let evidence = log_sum_exp(&logs) - 125f64.ln();
        assert!(close(model.log_evidence().unwrap(), evidence, OTHER_PACKAGE));
        let edge = |a: usize, b: usize| {
            if a < b && b < 5 { arc(a, b) + arc(b, a) } else { 0.0 }
        };
        if rows < 1000 {
            same_arcs(&outcome, edge, 5);
        } else {
            let least = logs.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(log_sum_exp(&logs) - least > 500.0);
            for arc in outcome.arcs.as_ref().unwrap() {
                assert!((arc.probability - edge(arc.parent, arc.child)).abs() < 1e-10);
            }
        }
        assert!(outcome.relevance.is_none());
    }
}

#[test]
fn one_and_two_attributes_will_do() {
    for states in [&[3][..], &[2, 3]] {
        let n = states.len();
        let table = table(states, 3, 50, 0.6, 41);
        let prior = Prior::Bdeu(3.0);
        let (model, _) = fit(&TreeAverage::default(), prior, &table);
        let tree: Vec<Weighed> =
            every_tree(n).into_iter().map(|d| weigh(d, &table, prior)).collect();
        same(&logs(&pairs(model), &table), &explicit(&tree, &table).0, "trees");
        let (model, _) = fit(&OrderAverage::default(), prior, &table);
        let model = pairs(model);
        let Kind::Orders { orders, .. } = model.kind() else { panic!("no orders") };
        let all = orders.iter().flat_map(|o| every_ordered(o, n));
        let all: Vec<Weighed> = all.map(|d| weigh(d, &table, prior)).collect();
        same(&logs(&model, &table), &explicit(&all, &table).0, "orders");
        let (model, _) = fit(&SuperParents::default(), prior, &table);
        assert!(logs(&pairs(model), &table).iter().all(|x| x.is_finite()));
    }
}

/// How often a class and two states come together, from the cells.
fn count(table: &Table, c: usize, cells: &[(usize, usize)]) -> f64 {
    let class = table.columns() - 1;
    let hit = |r: &usize| {
        table.cells(class).code(*r) == Some(c)
            && cells.iter().all(|&(v, x)| table.cells(v).code(*r) == Some(x))
    };
    (0..table.rows()).filter(hit).count() as f64
}

/// The formula of averaged one-dependence estimators, by hand.
fn by_hand(table: &Table, alpha: f64, least: f64, row: &[usize], c: usize) -> f64 {
    let class = table.columns() - 1;
    let states = |v: usize| table.field(v).states() as f64;
    let p = |n: f64, total: f64, states: f64| {
        let total = total + alpha * states;
        if total > 0.0 { (n + alpha) / total } else { 1.0 / states }
    };
    let prior = p(count(table, c, &[]), table.rows() as f64, states(class));
    let alone = |v: usize| p(count(table, c, &[(v, row[v])]), count(table, c, &[]), states(v));
    let frequency = |v: usize| (0..3).map(|c| count(table, c, &[(v, row[v])])).sum::<f64>();
    let parents: Vec<usize> = (0..class).filter(|&v| frequency(v) >= least).collect();
    if parents.is_empty() {
        return prior * (0..class).map(alone).product::<f64>();
    }
    let one = |&i: &usize| {
        let own = (i, row[i]);
        let child =
            |j: usize| p(count(table, c, &[own, (j, row[j])]), count(table, c, &[own]), states(j));
        prior * alone(i) * (0..class).filter(|&j| j != i).map(child).product::<f64>()
    };
    parents.iter().map(one).sum::<f64>() / parents.len() as f64
}

#[test]
fn super_parents_by_hand() {
    let table = table(&[2, 3, 4, 3], 3, 40, 0.7, 51);
    for (prior, alpha) in [(Prior::Laplace, 1.0), (Prior::Dirichlet(0.2), 0.2), (Prior::None, 0.0)]
    {
        // With the last every attribute of some rows is left out.
        for least in [0, 1, 9, 14] {
            let model = pairs(fit(&SuperParents { least }, prior, &table).0);
            // Every possible row, seen or not.
            let mut columns = vec![Vec::new(); 5];
            for cell in 0..2 * 3 * 4 * 3 {
                let mut rest = cell;
                for (v, s) in [2, 3, 4, 3].into_iter().enumerate() {
                    columns[v].push(Some(rest % s));
                    rest /= s;
                }
                columns[4].push(Some(0));
            }
            let every = of_codes(columns, &[2, 3, 4, 3], 3);
            let ours = logs(&model, &every);
            for (at, ours) in ours.iter().enumerate() {
                let row = codes(&every, at / 3);
                let wanted = by_hand(&table, alpha, least as f64, &row, at % 3);
                if wanted > 0.0 {
                    assert!(close(*ours, wanted.ln(), OTHER_PACKAGE), "{ours} {}", wanted.ln());
                } else {
                    assert!(ours.is_finite() && *ours < -1e7, "{ours}");
                }
            }
        }
    }
}

#[test]
fn missing_cells_are_summed_over() {
    let states = [2, 3, 2, 3, 2];
    let table = table(&states, 3, 64, 0.6, 61);
    // Row r loses the attributes of the bits of r.
    let holed = holed(&table, |r, v| r >> v & 1 == 1 && r < 32);
    let mut columns = vec![Vec::new(); 6];
    for cell in 0..72 {
        let mut rest = cell;
        for (v, s) in states.into_iter().enumerate() {
            columns[v].push(Some(rest % s));
            rest /= s;
        }
        columns[5].push(None);
    }
    let every = of_codes(columns, &states, 3);
    for average in learners() {
        let model = pairs(fit(average.as_ref(), Prior::Laplace, &table).0);
        let of_every = logs(&model, &every);
        let total = log_sum_exp(&of_every);
        assert!(close(total, 0.0, OTHER_PACKAGE), "{}: ln {total}", average.form());
        let ours = logs(&model, &holed);
        for r in 0..64 {
            for c in 0..3 {
                let fits = |cell: &usize| {
                    (0..5).all(|v| {
                        let own = every.cells(v).code(*cell);
                        holed.cells(v).code(r).is_none_or(|x| own == Some(x))
                    })
                };
                let terms: Vec<f64> =
                    (0..72).filter(fits).map(|cell| of_every[cell * 3 + c]).collect();
                let (ours, wanted) = (ours[r * 3 + c], log_sum_exp(&terms));
                let form = average.form();
                assert!(close(ours, wanted, OTHER_PACKAGE), "{form}, {r}: {ours} {wanted}");
            }
        }
        // Row 31 has lost everything: what is left is the class.
        let prior = Prior::Laplace.probabilities(&model.tables().class());
        for (c, p) in prior.iter().enumerate() {
            assert!(close(ours[31 * 3 + c], p.ln(), OTHER_PACKAGE));
        }
    }
}
