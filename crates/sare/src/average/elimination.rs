//! The sum over spanning trees for many graphs at once whose weights differ by moderate factors from those of one graph:
//! for prediction, where log space would be too slow.
//!
//! Star-mesh elimination (see `spanning`) in plain numbers, each edge measured against its bottleneck. Let T be the
//! spanning tree of greatest weight W(T), and b_ij the least weight on the path from i to j in T. Then
//!
//! - w_ij <= b_ij, with equality on T, so s_ij = w_ij / b_ij lies in [0, 1]: no scale is lost, however far apart the
//!   weights are. All trees that use an edge together have at most the share (n - 1) s_ij of the sum (exchange the edge
//!   for one of T), so an edge with s_ij of 10^-100 may as well be 0.
//! - The nodes are eliminated as leaves of T, in the reverse of the order in which Prim's rule takes them. Then b_vi for
//!   i < v is the least key after i up to v, and with d_v = key_v d'_v every factor of
//!
//!   d'_v = sum_k s_vk (b_vk / key_v),   s_ij += (s_vj (b_vj / key_v) / d'_v) s_vi (b_vi / b_ij),   i < j < v,
//!
//!   is at most 1. The factors b / b are ratios of two keys: a table of n x n numbers has them all.
//! - With factors r_ij in [1/R, R] on the weights, d'_v >= 1/R since T has an edge at v, and s_ij never passes R n^2 / 4: it is
//!   at most the conductance of the cut at the bottleneck, which has no heavier edge than b_ij. With R up to 10^120 nothing
//!   overflows, nothing but the negligible underflows, and nothing is ever subtracted.
//!
//! Edges too light to be felt are left out beforehand, so that much data, which leaves few trees to speak of, is fast.

use super::spanning::{LogGraph, place};

/// How many graphs are worked at together.
pub(super) const LANES: usize = 8;

/// A number for each of the graphs.
pub(super) type Lanes = [f64; LANES];

/// ln of how much less than rounding the light edges left out may come to.
const MARGIN: f64 = 40.0;

/// Products are turned into logarithms before they can pass the exponential of this.
const HIGHEST: f64 = 650.0;

/// How to eliminate.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The node at each place, in Prim's order.
    order: Vec<usize>,
    /// For each place the earlier ones it may have an edge to when it is eliminated.
    near: Vec<Vec<u32>>,
    /// For every two places the place whose key is the bottleneck between them.
    bottleneck: Vec<u32>,
    /// exp(key_a - key_b), at most 1, and 0 where that is not felt.
    ratio: Vec<f64>,
    /// s_ij by places; 0 where that is not felt.
    scaled: Vec<f64>,
    /// So many d' can be multiplied.
    factors: usize,
}

impl Plan {
    /// The plan for graphs whose weights are those of `graph` times numbers of logarithms in [-range, range].
    pub(super) fn new(graph: &LogGraph, range: f64) -> Plan {
        let n = graph.nodes();
        let (order, keys) = prim(graph);
        let size = (n as f64).ln();
        // Of the sum an edge of weight s has at most n s R^2, and at most n^2 / 2 are left out; the same for what
        // elimination adds to an edge: at most n^4 R^3 times either factor, n^3 times.
        let felt = -(MARGIN + 4.0 * range + 8.0 * size);
        let exp = |ln: f64| if ln > felt { ln.min(0.0).exp() } else { 0.0 };
        let ratio: Vec<f64> = (0..n * n).map(|c| exp(keys[c / n] - keys[c % n])).collect();
        let mut bottleneck = Vec::with_capacity(n * n / 2);
        let mut scaled = Vec::with_capacity(n * n / 2);
        for v in 1..n {
            // From v - 1 down to 0 the path takes in one key after the other.
            let mut least = v;
            let mut row: Vec<u32> = (0..v)
                .rev()
                .map(|i| {
                    if keys[i + 1] < keys[least] {
                        least = i + 1;
                    }
                    least as u32
                })
                .collect();
            row.reverse();
            let one = |i: usize| exp(graph.at(order[i], order[v]) - keys[row[i] as usize]);
            scaled.extend((0..v).map(one));
            bottleneck.extend(row);
        }
        let factors = (HIGHEST / (range + 3.0 * size).max(1.0)) as usize;
        let mut plan = Plan { order, near: Vec::new(), bottleneck, ratio, scaled, factors };
        plan.near = plan.fill();
        plan
    }

    /// The edges there can be when each place is eliminated: those felt at first, and those that eliminating others adds.
    fn fill(&self) -> Vec<Vec<u32>> {
        let n = self.order.len();
        let mut felt: Vec<bool> = self.scaled.iter().map(|&s| s > 0.0).collect();
        let mut near = vec![Vec::new(); n];
        for v in (1..n).rev() {
            near[v] = (0..v).filter(|&i| felt[place(i, v)]).map(|i| i as u32).collect();
            for (at, &j) in near[v].iter().enumerate() {
                let j = j as usize;
                for &i in &near[v][..at] {
                    let i = i as usize;
                    felt[place(i, j)] |= self.share(v, j) > 0.0 && self.step(v, i, j) > 0.0;
                }
            }
        }
        near
    }

    /// b_vj / key_v
    fn share(&self, v: usize, j: usize) -> f64 {
        self.ratio[self.bottleneck[place(j, v)] as usize * self.order.len() + v]
    }

    /// b_vi / b_ij
    fn step(&self, v: usize, i: usize, j: usize) -> f64 {
        let (to_i, between) = (self.bottleneck[place(i, v)], self.bottleneck[place(i, j)]);
        self.ratio[to_i as usize * self.order.len() + between as usize]
    }

    /// How many edges there are, felt or not.
    pub(super) fn edges(&self) -> usize {
        self.scaled.len()
    }

    /// s_ij of the edge at a place.
    pub(super) fn scaled(&self, at: usize) -> f64 {
        self.scaled[at]
    }

    /// The edges that are felt: place, the two nodes, and s_ij.
    pub(super) fn felt(&self) -> impl Iterator<Item = (usize, usize, usize, f64)> {
        let all = (0..self.order.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        all.zip(&self.scaled)
            .enumerate()
            .filter(|(_, (_, s))| **s > 0.0)
            .map(|(at, ((i, j), s))| (at, self.order[i], self.order[j], *s))
    }

    /// ln of the sum over trees, less the sum of the logarithms of the keys, of graphs given by their s_ij times their
    /// factors. The edges are used up.
    pub(super) fn log_trees(&self, edges: &mut [Lanes]) -> Lanes {
        let mut logs = [0.0; LANES];
        let mut product = [1.0; LANES];
        for v in (1..self.order.len()).rev() {
            let (rest, star) = edges.split_at_mut(v * (v - 1) / 2);
            let mut d = [0.0; LANES];
            for &j in &self.near[v] {
                let share = self.share(v, j as usize);
                let edge = &star[j as usize];
                (0..LANES).for_each(|l| d[l] += share * edge[l]);
            }
            (0..LANES).for_each(|l| product[l] *= d[l]);
            if v % self.factors.max(1) == 0 || v == 1 {
                (0..LANES).for_each(|l| logs[l] += product[l].ln());
                product = [1.0; LANES];
            }
            let inverse = d.map(|d| 1.0 / d);
            for (at, &j) in self.near[v].iter().enumerate() {
                let j = j as usize;
                let share = self.share(v, j);
                if at == 0 || share == 0.0 {
                    continue;
                }
                let mut flow = [0.0; LANES];
                (0..LANES).for_each(|l| flow[l] = share * star[j][l] * inverse[l]);
                let (start, of_v) = (j * (j - 1) / 2, v * (v - 1) / 2);
                for &i in &self.near[v][..at] {
                    let i = i as usize;
                    let to_i = self.bottleneck[of_v + i] as usize;
                    let step =
                        self.ratio[to_i * self.order.len() + self.bottleneck[start + i] as usize];
                    let (edge, other) = (&mut rest[start + i], &star[i]);
                    (0..LANES).for_each(|l| edge[l] += flow[l] * step * other[l]);
                }
            }
        }
        logs
    }
}

/// The nodes in the order in which Prim's rule takes them for the spanning tree of greatest weight, and the log-weight of
/// the edge by which each is taken.
fn prim(graph: &LogGraph) -> (Vec<usize>, Vec<f64>) {
    let n = graph.nodes();
    let (mut order, mut keys) = (vec![0], vec![0.0]);
    let mut best: Vec<f64> = (0..n).map(|v| if v == 0 { 0.0 } else { graph.at(0, v) }).collect();
    let mut open: Vec<usize> = (1..n).collect();
    while !open.is_empty() {
        let heaviest =
            (0..open.len()).reduce(|a, b| if best[open[b]] > best[open[a]] { b } else { a });
        let v = open.remove(heaviest.unwrap_or(0));
        order.push(v);
        keys.push(best[v]);
        for &u in &open {
            best[u] = best[u].max(graph.at(v, u));
        }
    }
    (order, keys)
}
