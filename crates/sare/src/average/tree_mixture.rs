//! The density of the average over trees.

use super::elimination::{LANES, Lanes, Plan};
use super::holes::{self, completions, row_of};
use super::model::Room;
use super::pairs::{PairTables, all_pairs};
use super::smooth::{class_logs, conditionals, logs};
use super::spanning::LogGraph;
use crate::data::{Block, Codes, View};
use crate::error::Result;
use crate::num::log_add;
use crate::parameters::dirichlet::Prior;
use crate::stats::{FamilyTable, Score};

/// Completions of a row that are worked at together.
const TOGETHER: usize = 64;

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

    /// Fails if a row's missing cells cannot be summed over.
    pub(super) fn check(&self, coded: View<'_>) -> Result<()> {
        holes::check(coded, self.states.len(), |row| {
            let seen = row.iter().flatten().count();
            // A single attribute has its own table whatever the tree.
            if seen < 2 { 1 } else { completions(row, &self.states, 0..row.len()) }
        })
    }

    pub(super) fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
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
                // A row with a hole is done again below.
                row[v] = if missing { 0 } else { code };
            };
            match block.codes(v, scratch) {
                Codes::Narrow(c) => rows.zip(c.iter().map(|&c| c.into())).for_each(put),
                Codes::Wide(c) => rows.zip(c.iter().copied()).for_each(put),
            }
        }
        self.score(codes, lanes, scores);
        for (r, out) in scores.chunks_exact_mut(classes).enumerate() {
            if holed[r] {
                self.row(&row_of(block, r, n), lanes, out);
            }
        }
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

    /// A row with missing cells: the sum over its completions.
    fn row(&self, row: &[Option<usize>], lanes: &mut Vec<Lanes>, out: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
        let seen: Vec<usize> = (0..n).filter(|&v| row[v].is_some()).collect();
        if let [] | [_] = seen[..] {
            out.copy_from_slice(&self.class);
            for (v, x) in seen.iter().filter_map(|&v| Some((v, row[v]?))) {
                let entry = &self.alone[v][x * classes..][..classes];
                out.iter_mut().zip(entry).for_each(|(o, e)| *o += e);
            }
            return;
        }
        let missing: Vec<usize> = (0..n).filter(|&v| row[v].is_none()).collect();
        let total = completions(row, &self.states, 0..n) as usize;
        let mut completed: Vec<u16> = row.iter().map(|x| x.unwrap_or(0) as u16).collect();
        let (mut codes, mut scores) = (Vec::new(), vec![0.0; TOGETHER * classes]);
        out.fill(f64::NEG_INFINITY);
        for start in (0..total).step_by(TOGETHER) {
            let together = TOGETHER.min(total - start);
            codes.clear();
            for _ in 0..together {
                codes.extend_from_slice(&completed);
                // The next completion: the first attribute that can go on does, those before it start again.
                for &v in &missing {
                    completed[v] += 1;
                    if usize::from(completed[v]) < self.states[v] {
                        break;
                    }
                    completed[v] = 0;
                }
            }
            let scores = &mut scores[..together * classes];
            self.score(&codes, lanes, scores);
            for scores in scores.chunks_exact(classes) {
                out.iter_mut().zip(scores).for_each(|(o, s)| *o = log_add(*o, *s));
            }
        }
    }
}

/// How many numbers the tables leave free.
pub(super) fn free_parameters(tables: &PairTables) -> usize {
    let (states, classes) = (tables.states(), tables.classes());
    let alone: usize = states.iter().map(|s| classes * (s - 1)).sum();
    let both = |(i, j): (usize, usize)| classes * (states[i] - 1) * (states[j] - 1);
    classes - 1 + alone + all_pairs(states.len()).map(both).sum::<usize>()
}
