//! The density of the average over trees.

use super::elimination::{LANES, Lanes, Plan};
use super::missing::{FORESTS, Mixture};
use super::model::Room;
use super::pairs::{PairTables, all_pairs};
use super::smooth::{class_logs, conditionals, logs};
use super::spanning::LogGraph;
use crate::data::{Block, Codes};
use crate::infer::forest::Forest;
use crate::parameters::dirichlet::Prior;
use crate::seed::{Purpose, Random};
use crate::stats::{FamilyTable, Score};
use std::sync::OnceLock;

/// s_ij R_ij of an edge that is felt, by cell (x_a, x_b), class innermost.
#[derive(Clone, Debug)]
struct Edge {
    /// Its place in the plan.
    at: usize,
    a: usize,
    b: usize,
    table: Vec<f64>,
}

/// The tables of the average.
#[derive(Clone, Debug)]
pub(super) struct Density {
    class: Vec<f64>,
    states: Vec<usize>,
    /// ln th_i
    alone: Vec<Vec<f64>>,
    /// ln W
    graph: LogGraph,
    plan: Plan,
    edges: Vec<Edge>,
    /// ln tau(W), on the plan's scale.
    log_trees: f64,
    log_evidence: f64,
    /// Drawn when the first row comes whose missing cells need them.
    forests: OnceLock<Vec<Forest>>,
}

impl Density {
    pub(super) fn new(weight: f64, prior: Prior, tables: &PairTables) -> Density {
        let (n, classes) = (tables.attributes(), tables.classes());
        // A sample of this size gives every class the weight asked for.
        let sample = weight * classes as f64;
        let evidence = Score::Bdeu(sample);
        let means = |counts: &FamilyTable| conditionals(Prior::Bdeu(sample), counts);
        let single: Vec<f64> = (0..n).map(|i| evidence.of(&tables.alone(i))).collect();
        let graph =
            LogGraph::new(n, |i, j| evidence.of(&tables.joined(i, j)) - single[i] - single[j]);
        let alone: Vec<Vec<f64>> = (0..n).map(|i| logs(&means(&tables.alone(i)))).collect();
        // ln R_ij
        let ratios = |i: usize, j: usize| {
            let mut logs = logs(&means(&tables.joined(i, j)));
            for (cell, logs) in logs.chunks_exact_mut(classes).enumerate() {
                let (x, y) = (cell / tables.states()[j], cell % tables.states()[j]);
                // The last one is the cell of missing members.
                if x < tables.states()[i] {
                    let of = alone[i][x * classes..].iter().zip(&alone[j][y * classes..]);
                    logs.iter_mut().zip(of).for_each(|(ln, (a, b))| *ln -= a + b);
                }
            }
            logs
        };
        let largest = |logs: Vec<f64>| logs.into_iter().fold(0.0, |m: f64, ln| m.max(ln.abs()));
        let range =
            all_pairs(n).map(|(i, j)| largest(ratios(i, j))).fold(0.0, |m: f64, r| m.max(r));
        let plan = Plan::new(&graph, range);
        let edge = |(at, i, j, s): (usize, usize, usize, f64)| {
            let (a, b) = (i.min(j), i.max(j));
            let table = ratios(a, b).into_iter().map(|ln| s * ln.exp()).collect();
            Edge { at, a, b, table }
        };
        let edges = plan.felt().map(edge).collect();
        let mut plain = vec![[0.0; LANES]; plan.edges()];
        plan.felt().for_each(|(at, _, _, s)| plain[at] = [s; LANES]);
        let trees = (n as f64 - 2.0) * (n as f64).ln();
        Density {
            class: class_logs(prior, &tables.class()),
            states: tables.states().to_vec(),
            alone,
            edges,
            log_trees: plan.log_trees(&mut plain)[0],
            log_evidence: single.iter().sum::<f64>() + graph.clone().log_trees() - trees,
            plan,
            graph,
            forests: OnceLock::new(),
        }
    }

    /// ln p(x_i | c), which is the same in every tree, with a 0 in one more cell, that of missing members.
    pub(super) fn alone(&self) -> &[Vec<f64>] {
        &self.alone
    }

    pub(super) fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// The posterior probability of each edge: those of (0, 1), (0, 2), (1, 2), (0, 3) and so on.
    pub(super) fn edge_probabilities(&self) -> Vec<f64> {
        self.graph.edge_probabilities()
    }

    /// How many numbers the attributes are expected to leave free: an edge adds the product of its ends'.
    pub(super) fn parameters(&self) -> f64 {
        let free = |v: usize| self.states[v] as f64 - 1.0;
        let pairs = (0..self.states.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let edges = pairs.zip(self.edge_probabilities()).map(|((i, j), p)| p * free(i) * free(j));
        let alone: f64 = (0..self.states.len()).map(free).sum();
        self.class.len() as f64 * (alone + edges.sum::<f64>())
    }

    /// ln p(class, attributes) of complete rows of codes.
    fn score(&self, codes: &[u16], lanes: &mut Vec<Lanes>, scores: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
        for (row, scores) in codes.chunks_exact(n).zip(scores.chunks_exact_mut(classes)) {
            scores.copy_from_slice(&self.class);
            for (table, &x) in self.alone.iter().zip(row) {
                let entry = &table[usize::from(x) * classes..][..classes];
                scores.iter_mut().zip(entry).for_each(|(s, e)| *s += e);
            }
        }
        lanes.resize(self.plan.edges(), [0.0; LANES]);
        for (number, scores) in scores.chunks_mut(LANES).enumerate() {
            // Where each lane's codes start, and its class; spare lanes repeat the first.
            let place: [(usize, usize); LANES] = std::array::from_fn(|l| {
                let at = number * LANES + if l < scores.len() { l } else { 0 };
                (at / classes * n, at % classes)
            });
            lanes.fill([0.0; LANES]);
            for edge in &self.edges {
                let states = self.states[edge.b];
                lanes[edge.at] = place.map(|(row, class)| {
                    let (x, y) = (codes[row + edge.a], codes[row + edge.b]);
                    edge.table[(usize::from(x) * states + usize::from(y)) * classes + class]
                });
            }
            let trees = self.plan.log_trees(lanes);
            scores.iter_mut().zip(trees).for_each(|(s, ln)| *s += ln - self.log_trees);
        }
    }

    /// The tree of some edges, as a forest that hangs from the first attribute.
    fn forest(&self, tree: &[(usize, usize)]) -> Forest {
        let n = self.states.len();
        let mut neighbours = vec![Vec::new(); n];
        for &(a, b) in tree {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        let mut parents = vec![None; n];
        let mut open = vec![0];
        while let Some(v) = open.pop() {
            let above = parents[v];
            for &child in neighbours[v].iter().filter(|&&u| above != Some(u)) {
                parents[child] = Some(v);
                open.push(child);
            }
        }
        let tables = (0..n).map(|v| self.conditional(parents[v], v)).collect();
        Forest::new(self.class.len(), self.states.clone(), parents, tables)
    }

    /// p(child | parent, class) = th_child R, the parent's state slowest, class innermost.
    fn conditional(&self, parent: Option<usize>, child: usize) -> Vec<f64> {
        let (classes, states) = (self.class.len(), self.states[child]);
        let alone = self.alone[child][..states * classes].iter().map(|ln| ln.exp());
        let Some(parent) = parent else { return alone.collect() };
        let (a, b) = (parent.min(child), parent.max(child));
        let of_parent = self.states[parent];
        let alone: Vec<f64> = (0..of_parent).flat_map(|_| alone.clone()).collect();
        // An edge that is not felt is never drawn, but for rounding.
        let Some(edge) = self.edges.iter().find(|e| (e.a, e.b) == (a, b)) else { return alone };
        let scale = 1.0 / self.plan.scaled(edge.at);
        let ratio = |cell: usize| {
            let (x, y, c) = (cell / classes / states, cell / classes % states, cell % classes);
            let at = if parent < child { x * states + y } else { y * of_parent + x };
            scale * edge.table[at * classes + c]
        };
        alone.iter().enumerate().map(|(cell, p)| p * ratio(cell)).collect()
    }
}

impl Mixture for Density {
    fn states(&self) -> &[usize] {
        &self.states
    }

    fn class(&self) -> &[f64] {
        &self.class
    }

    fn complete(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let n = self.states.len();
        let Room { scratch, holed, codes, lanes, .. } = room;
        holed.clear();
        holed.resize(block.len(), false);
        codes.clear();
        codes.resize(block.len() * n, 0);
        for (v, &states) in self.states.iter().enumerate() {
            let rows = codes.chunks_exact_mut(n).zip(holed.iter_mut());
            let put = |((row, holed), code): ((&mut [u16], &mut bool), u16)| {
                let missing = usize::from(code) >= states;
                *holed |= missing;
                row[v] = if missing { 0 } else { code };
            };
            match block.codes(v, scratch) {
                Codes::Narrow(c) => rows.zip(c.iter().map(|&c| c.into())).for_each(put),
                Codes::Wide(c) => rows.zip(c.iter().copied()).for_each(put),
            }
        }
        self.score(codes, lanes, scores);
    }

    fn forests(&self) -> &[Forest] {
        self.forests.get_or_init(|| {
            let mut random = Random::new(0, Purpose::Structure, 1);
            let trees = self.graph.draw_trees(FORESTS, &mut random);
            trees.iter().map(|tree| self.forest(tree)).collect()
        })
    }
}

/// How many numbers the tables leave free.
pub(super) fn free_parameters(tables: &PairTables) -> usize {
    let (states, classes) = (tables.states(), tables.classes());
    let alone: usize = states.iter().map(|s| classes * (s - 1)).sum();
    let both = |(i, j): (usize, usize)| classes * (states[i] - 1) * (states[j] - 1);
    classes - 1 + alone + all_pairs(states.len()).map(both).sum::<usize>()
}
