//! Sums over all spanning trees of a weighted complete graph, in log space and without a subtraction.
//!
//! The sum of the trees' weights (a tree's weight is the product of those of its edges) is the determinant of the
//! matrix-tree theorem. Eliminating a node v by the star-mesh rule,
//!
//! d = sum_k w_vk,   w_ij += w_vi w_vj / d,
//!
//! divides that sum by d, so the product of all d is the sum. Everything added is positive: nothing cancels, however far
//! apart the weights are.

use crate::num::{log_add, log_sum_exp, normalise_logs};
use crate::seed::Random;
use rayon::prelude::*;

/// Logarithms of the weights of a complete graph: the edge of nodes i < j at `j * (j - 1) / 2 + i`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LogGraph {
    nodes: usize,
    edges: Vec<f64>,
}

/// The place of an edge.
pub(super) fn place(i: usize, j: usize) -> usize {
    let (i, j) = (i.min(j), i.max(j));
    j * (j - 1) / 2 + i
}

/// From this many nodes on the work is shared between threads.
const SHARED: usize = 24;

impl LogGraph {
    /// The graph in which the edge of `i < j` has the log-weight `of(i, j)`.
    pub(super) fn new(nodes: usize, of: impl Fn(usize, usize) -> f64) -> LogGraph {
        let edges = (0..nodes).flat_map(|j| (0..j).map(move |i| (i, j)));
        LogGraph { nodes, edges: edges.map(|(i, j)| of(i, j)).collect() }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// The log-weight of an edge.
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.edges[place(i, j)]
    }

    /// Eliminates the last node; ln d.
    fn eliminate(&mut self) -> f64 {
        self.nodes -= 1;
        let (rest, star) = self.edges.split_at_mut(self.nodes * self.nodes.saturating_sub(1) / 2);
        let d = log_sum_exp(star);
        for (j, to_j) in star.iter().enumerate().skip(1) {
            let share = to_j - d;
            for (edge, to_i) in rest[place(0, j)..].iter_mut().zip(&star[..j]) {
                *edge = log_add(*edge, share + to_i);
            }
        }
        self.edges.truncate(self.nodes * self.nodes.saturating_sub(1) / 2);
        d
    }

    /// The logarithm of the sum of the weights of all spanning trees; 0 for a single node.
    pub(super) fn log_trees(mut self) -> f64 {
        let mut sum = 0.0;
        while self.nodes > 1 {
            sum += self.eliminate();
        }
        sum
    }

    /// For every edge the share of the trees that have it in the sum of all trees, in the order of the edges.
    ///
    /// It is the edge's weight over the effective conductance between its ends, and that is what is left of the edge when
    /// all other nodes have been eliminated. To share the work, the nodes are parted into four groups; for every two of
    /// them the other nodes are eliminated once. That is O(n^3), as 6 / 2^3 < 1.
    pub(super) fn edge_probabilities(&self) -> Vec<f64> {
        let mut conductance = vec![f64::NAN; self.edges.len()];
        let names: Vec<u32> = (0..self.nodes as u32).collect();
        conductances(self, &names, &mut |i, j, c| conductance[place(i, j)] = c);
        let shares = self.edges.iter().zip(&conductance);
        shares.map(|(edge, c)| (edge - c).exp().min(1.0)).collect()
    }

    /// So many spanning trees, each drawn with a probability proportional to its weight, as lists of edges.
    ///
    /// Eliminating v makes an edge i - j of w_ij + w_vi w_vj / d. So a tree of the smaller graph becomes one of the larger:
    /// each of its edges was there or came by v, as the two terms say; those by v go, and v is joined to every part that is
    /// left by one edge, drawn by its weight. (The trees over k parts of weights a, with edges a_x a_y / d, have the sum
    /// prod a / d: just what joining v to each part has, over d.)
    pub(super) fn draw_trees(&self, count: usize, random: &mut Random) -> Vec<Vec<(usize, usize)>> {
        let mut graph = self.clone();
        let mut stars = vec![(Vec::new(), 0.0); self.nodes];
        for v in (1..self.nodes).rev() {
            let star = graph.edges[place(0, v)..][..v].to_vec();
            stars[v] = (star, graph.eliminate());
        }
        let mut drawn = |logs: &mut [f64]| {
            normalise_logs(logs);
            random.categorical(logs)
        };
        // The node whose elimination an edge among the first `nodes` came by; 0 where it was there before.
        let source =
            |i: usize, j: usize, nodes: usize, drawn: &mut dyn FnMut(&mut [f64]) -> usize| {
                let by = |v: usize| stars[v].0[i] + stars[v].0[j] - stars[v].1;
                let mut logs: Vec<f64> = (nodes..self.nodes).map(by).collect();
                logs.push(self.at(i, j));
                (nodes..self.nodes).nth(drawn(&mut logs)).unwrap_or(0)
            };
        let mut tree = || {
            let mut edges: Vec<(usize, usize, usize)> = Vec::new();
            for (v, (star, _)) in stars.iter().enumerate().skip(1) {
                edges.retain(|e| e.2 != v);
                let part = parts(v, &edges);
                for first in (0..v).filter(|&i| part[i] == i) {
                    let own =
                        |(ln, p): (&f64, &usize)| if *p == first { *ln } else { f64::NEG_INFINITY };
                    let mut logs: Vec<f64> = star.iter().zip(&part).map(own).collect();
                    let i = drawn(&mut logs);
                    edges.push((i, v, source(i, v, v + 1, &mut drawn)));
                }
            }
            edges.into_iter().map(|(i, j, _)| (i, j)).collect()
        };
        (0..count).map(|_| tree()).collect()
    }

    /// The graph of these nodes, last in the order given, with the others eliminated.
    fn reduced(&self, keep: &[usize]) -> LogGraph {
        let others = (0..self.nodes).filter(|v| !keep.contains(v));
        let order: Vec<usize> = keep.iter().copied().chain(others).collect();
        let mut graph = LogGraph::new(self.nodes, |i, j| self.at(order[i], order[j]));
        while graph.nodes > keep.len() {
            graph.eliminate();
        }
        graph
    }
}

/// The lowest node of the part that each of some nodes is in.
fn parts(nodes: usize, edges: &[(usize, usize, usize)]) -> Vec<usize> {
    fn lowest(part: &mut [usize], mut node: usize) -> usize {
        while part[node] != node {
            part[node] = part[part[node]];
            node = part[node];
        }
        node
    }
    let mut part: Vec<usize> = (0..nodes).collect();
    for &(i, j, _) in edges {
        let (a, b) = (lowest(&mut part, i), lowest(&mut part, j));
        part[a.max(b)] = a.min(b);
    }
    (0..nodes).map(|node| lowest(&mut part, node)).collect()
}

/// Tells the effective log-conductance between every two nodes of a graph, by their names.
fn conductances(graph: &LogGraph, names: &[u32], tell: &mut dyn FnMut(usize, usize, f64)) {
    if graph.nodes < 2 {
        return;
    }
    if graph.nodes == 2 {
        return tell(names[0] as usize, names[1] as usize, graph.edges[0]);
    }
    let groups = graph.nodes.min(4);
    let group = |g: usize| graph.nodes * g / groups..graph.nodes * (g + 1) / groups;
    let twos: Vec<Vec<usize>> = (0..groups)
        .flat_map(|b| (0..b).map(move |a| (a, b)))
        .map(|(a, b)| group(a).chain(group(b)).collect())
        .collect();
    let part = |keep: &Vec<usize>, tell: &mut dyn FnMut(usize, usize, f64)| {
        let names: Vec<u32> = keep.iter().map(|&v| names[v]).collect();
        conductances(&graph.reduced(keep), &names, tell);
    };
    if graph.nodes < SHARED {
        return twos.iter().for_each(|keep| part(keep, tell));
    }
    let found: Vec<Vec<(usize, usize, f64)>> = twos
        .par_iter()
        .map(|keep| {
            let mut found = Vec::new();
            part(keep, &mut |i, j, c| found.push((i, j, c)));
            found
        })
        .collect();
    // In order, so that a pair found in several parts always has the value of the same one.
    found.into_iter().flatten().for_each(|(i, j, c)| tell(i, j, c));
}
