//! Sums over spanning trees against sums over every tree, one by one.

use super::elimination::{LANES, Plan};
use super::spanning::{LogGraph, place};
use crate::num::tolerance::{OTHER_PACKAGE, close};
use crate::num::{log_sum_exp, normalise_logs};
use crate::seed::{Purpose, Random};

/// Every labelled tree on `nodes` nodes as its edges, from Prüfer's codes.
fn every_tree(nodes: usize) -> Vec<Vec<(usize, usize)>> {
    if nodes == 1 {
        return vec![Vec::new()];
    }
    let codes = nodes.pow(nodes as u32 - 2);
    let tree = |code: usize| {
        let mut rest = code;
        let code: Vec<usize> = (2..nodes)
            .map(|_| {
                let digit = rest % nodes;
                rest /= nodes;
                digit
            })
            .collect();
        let mut degree = vec![1; nodes];
        code.iter().for_each(|&v| degree[v] += 1);
        let mut edges = Vec::new();
        for &v in &code {
            let leaf = degree.iter().position(|&d| d == 1).unwrap();
            edges.push((leaf, v));
            degree[leaf] -= 1;
            degree[v] -= 1;
        }
        let last: Vec<usize> = (0..nodes).filter(|&v| degree[v] == 1).collect();
        edges.push((last[0], last[1]));
        edges
    };
    (0..codes).map(tree).collect()
}

/// Log-weights of many kinds: near each other, far apart, evenly spaced, in clusters.
fn graphs(nodes: usize, seed: u64) -> Vec<LogGraph> {
    let mut random = Random::new(seed, Purpose::Sample, nodes as u64);
    let mut draw = || random.uniform();
    let numbers: Vec<f64> = (0..nodes * nodes).map(|_| draw()).collect();
    let at = |i: usize, j: usize| numbers[i * nodes + j];
    vec![
        LogGraph::new(nodes, at),
        LogGraph::new(nodes, |i, j| 400.0 * at(i, j) - 300.0),
        LogGraph::new(nodes, |i, j| 9000.0 * at(i, j)),
        LogGraph::new(nodes, |i, j| 80.0 * (i + j) as f64 + at(i, j)),
        LogGraph::new(nodes, |i, j| if i / 2 == j / 2 { 900.0 } else { -900.0 } + 5.0 * at(i, j)),
        LogGraph::new(nodes, |i, j| if i == 0 { -30.0 * j as f64 } else { -2000.0 * at(i, j) }),
    ]
}

#[test]
fn trees_are_counted() {
    assert_eq!(every_tree(5).len(), 125);
    for n in 1..=40 {
        let ln = LogGraph::new(n, |_, _| 0.0).log_trees();
        let cayley = (n as f64 - 2.0) * (n as f64).ln();
        assert!(close(ln, cayley, OTHER_PACKAGE), "{n}: {ln} and {cayley}");
    }
}

#[test]
fn sums_and_edges_are_those_of_all_trees() {
    for nodes in 1..=6 {
        let trees = every_tree(nodes);
        for (kind, graph) in graphs(nodes, 1).into_iter().enumerate() {
            let log = |tree: &Vec<(usize, usize)>| tree.iter().map(|&(i, j)| graph.at(i, j)).sum();
            let logs: Vec<f64> = trees.iter().map(log).collect();
            let total = log_sum_exp(&logs);
            assert!(close(graph.clone().log_trees(), total, OTHER_PACKAGE), "{nodes}, {kind}");
            let ours = graph.edge_probabilities();
            for j in 0..nodes {
                for i in 0..j {
                    let with = trees.iter().zip(&logs);
                    let with = with.filter(|(t, _)| t.contains(&(i, j)) || t.contains(&(j, i)));
                    let p: f64 = with.map(|(_, ln)| (ln - total).exp()).sum();
                    let ours = ours[place(i, j)];
                    assert!((ours - p).abs() < 1e-10, "{nodes}, {kind}: {ours} and {p}");
                }
            }
        }
    }
}

/// Every tree is drawn as often as its weight says.
#[test]
fn trees_are_drawn_by_their_weights() {
    const DRAWS: usize = 4000;
    for nodes in 1..=5 {
        let trees: Vec<Vec<(usize, usize)>> =
            every_tree(nodes).into_iter().map(|tree| in_order(&tree)).collect();
        for (kind, graph) in graphs(nodes, 4).into_iter().enumerate() {
            let mut random = Random::new(1, Purpose::Structure, kind as u64);
            let mut counts = vec![0usize; trees.len()];
            for tree in graph.draw_trees(DRAWS, &mut random) {
                let tree = in_order(&tree);
                counts[trees.iter().position(|t| *t == tree).expect("a tree")] += 1;
            }
            let mut shares: Vec<f64> =
                trees.iter().map(|tree| tree.iter().map(|&(i, j)| graph.at(i, j)).sum()).collect();
            normalise_logs(&mut shares);
            for (count, p) in counts.into_iter().zip(shares) {
                let (ours, error) = (count as f64, (DRAWS as f64 * p * (1.0 - p)).sqrt());
                let wanted = DRAWS as f64 * p;
                assert!(
                    (ours - wanted).abs() <= 5.0 * error + 1e-6 * wanted + 0.01,
                    "{nodes}, {kind}: {ours} {wanted}"
                );
            }
        }
    }
}

/// The edges of a tree, each from the lower node, in order.
fn in_order(tree: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut edges: Vec<(usize, usize)> = tree.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
    edges.sort_unstable();
    edges
}

/// A tree has one edge fewer than nodes, whatever the weights.
#[test]
fn edge_probabilities_sum_to_the_edges_of_a_tree() {
    for nodes in [2, 7, 23, 40, 65] {
        for (kind, graph) in graphs(nodes, 2).into_iter().enumerate() {
            let sum: f64 = graph.edge_probabilities().iter().sum();
            assert!((sum - (nodes as f64 - 1.0)).abs() < 1e-8, "{nodes}, {kind}: {sum}");
        }
    }
}

/// Plain numbers against log space, with every factor up to e^12 away from 1.
#[test]
fn the_plan_agrees_with_log_space() {
    const RANGE: f64 = 12.0;
    for nodes in [1, 2, 3, 5, 17, 40, 90] {
        for (kind, graph) in graphs(nodes, 3).into_iter().enumerate() {
            let plan = Plan::new(&graph, RANGE);
            let mut random = Random::new(7, Purpose::Sample, nodes as u64);
            let edges = nodes * (nodes - 1) / 2;
            let factors: Vec<[f64; LANES]> = (0..edges)
                .map(|_| {
                    std::array::from_fn(|l| {
                        let ln = RANGE * (2.0 * random.uniform() - 1.0);
                        // The first graph is the given one itself, the second has only extremes.
                        [0.0, ln.signum() * RANGE, ln][l.min(2)]
                    })
                })
                .collect();
            let mut lanes = vec![[0.0; LANES]; plan.edges()];
            for (at, i, j, s) in plan.felt() {
                lanes[at] = factors[place(i, j)].map(|f| s * f.exp());
            }
            let ours = plan.log_trees(&mut lanes);
            let log = |l: usize| {
                LogGraph::new(nodes, |i, j| graph.at(i, j) + factors[place(i, j)][l]).log_trees()
            };
            for (l, own) in ours.iter().enumerate() {
                // The logarithms are up to 10^6, and lose digits accordingly.
                let (ours, wanted) = (own - ours[0], log(l) - log(0));
                assert!((ours - wanted).abs() < 1e-8, "{nodes}, {kind}, {l}: {ours} and {wanted}");
            }
            assert!(ours.iter().all(|x| x.is_finite()));
        }
    }
}

/// Much data leaves few edges to be felt, and then little to do.
#[test]
fn light_edges_are_left_out() {
    let far = LogGraph::new(60, |i, j| if j == i + 1 { 5000.0 } else { 0.0 });
    assert_eq!(Plan::new(&far, 10.0).felt().count(), 59);
    let near = LogGraph::new(60, |i, j| if j == i + 1 { 5.0 } else { 0.0 });
    assert_eq!(Plan::new(&near, 10.0).felt().count(), 60 * 59 / 2);
}
