//! Many starts, each with its own random stream; the best is kept and its clusters are put in order.

use super::HardClusters;
use super::descent::{Ending, Geometry, descend};
use crate::data::distinct::DistinctRows;
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::{Outcome, Run, Stop};
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// Objectives that differ by a smaller share than this are the same optimum, summed in another order.
const SAME: f64 = 1e-9;

/// How a method is to be run.
pub(super) struct Plan {
    pub(super) name: &'static str,
    pub(super) clusters: usize,
    pub(super) starts: usize,
    pub(super) max_iterations: usize,
}

impl Plan {
    /// Refuses settings that cannot be, for this many rows.
    pub(super) fn check(&self, rows: usize) -> Result<()> {
        let bad = |setting: &str, value: usize, expected: String| {
            let (learner, setting) = (self.name.into(), setting.into());
            Err(Error::Setting { learner, setting, value: value.to_string(), expected })
        };
        if self.clusters == 0 || self.clusters > rows {
            let expected = format!("from 1 to the number of rows, {rows}");
            return bad("clusters", self.clusters, expected);
        }
        if self.starts == 0 {
            return bad("starts", 0, "at least 1".into());
        }
        if self.max_iterations == 0 {
            return bad("max_iterations", 0, "at least 1".into());
        }
        Ok(())
    }

    /// Makes all starts and keeps the best.
    pub(super) fn run<G: Geometry>(
        &self,
        geometry: &G,
        rows: &DistinctRows,
        run: &Run<'_>,
    ) -> Result<HardClusters> {
        run.tell(&Event::Phase { name: self.name, steps: Some(self.starts as u64) })?;
        let attempt = |start: usize| {
            // What was not begun before an interrupt is not begun.
            if run.should_stop(&Event::Step { steps: 0 }) {
                return Attempts::default();
            }
            let first = geometry.given_start(start, self.clusters);
            let first = first.unwrap_or_else(|| {
                let random = Random::new(run.seed, Purpose::Centres, start as u64);
                spread_rows(geometry, self.clusters, random)
            });
            let interrupted = || run.should_stop(&Event::Step { steps: 0 });
            let ending = descend(geometry, &first, self.max_iterations, &interrupted);
            // Whether it asks to stop is asked before the next start.
            run.should_stop(&Event::Step { steps: 1 });
            let (objectives, endings) =
                (vec![ending.objective], vec![(ending.stop, ending.trace.len())]);
            Attempts { objectives, endings, best: Some(ending) }
        };
        let all = run.install(|| {
            (0..self.starts).into_par_iter().map(attempt).reduce(Attempts::default, Attempts::join)
        });
        let Attempts { objectives, endings, best } = all;
        let best = best.ok_or(Error::Interrupted)?;
        // Starts that were stopped underway are told only where there is nothing else.
        let told = |stop: Stop| stop != Stop::Interrupted || best.stop == Stop::Interrupted;
        let all = objectives.into_iter().zip(endings).filter(|(_, (stop, _))| told(*stop));
        let (objectives, endings): (Vec<f64>, Vec<(Stop, usize)>) = all.unzip();
        // A run that asks to stop may still be told.
        let note = |text: &str| run.should_stop(&Event::Note { text });
        let made = endings.iter().filter(|(stop, _)| *stop != Stop::Interrupted).count();
        if made == 0 {
            note("stopped before any start had come to an end: the best so far is kept");
        } else if made < self.starts {
            note(&format!("stopped: {made} of {} starts were made", self.starts));
        }
        let found = HardClusters { endings, ..self.in_order(best, objectives, rows) };
        let empty = found.sizes.iter().filter(|&&s| s == 0.0).count();
        if empty > 0 {
            note(&format!(
                "{}: {empty} of {} clusters are empty, because there are only {} different rows",
                self.name,
                self.clusters,
                rows.weights.iter().filter(|&&w| w > 0.0).count()
            ));
        }
        Ok(found)
    }

    /// The result for the rows of the view, with its clusters by falling size, of equals by their first row.
    fn in_order(&self, best: Ending, objectives: Vec<f64>, rows: &DistinctRows) -> HardClusters {
        let mut sizes = vec![0.0; self.clusters];
        for (&c, weight) in best.assignment.iter().zip(&rows.weights) {
            sizes[c as usize] += weight;
        }
        let mut first = vec![usize::MAX; self.clusters];
        for (row, &distinct) in rows.of_row.iter().enumerate().rev() {
            first[best.assignment[distinct as usize] as usize] = row;
        }
        let mut order: Vec<usize> = (0..self.clusters).collect();
        order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(first[a].cmp(&first[b])));
        let mut number = vec![0; self.clusters];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let of_row = |&d: &u32| number[best.assignment[d as usize] as usize];
        let limit = best.objective + SAME * best.objective.abs();
        HardClusters {
            assignment: rows.of_row.iter().map(of_row).collect(),
            sizes: order.iter().map(|&c| sizes[c]).collect(),
            objective: best.objective,
            reached_best: objectives.iter().filter(|&&o| o <= limit).count(),
            objectives,
            endings: Vec::new(),
            outcome: Outcome {
                stop: best.stop,
                iterations: best.trace.len(),
                passes: best.trace.len(),
                trace: best.trace,
                ..Outcome::exact()
            },
        }
    }
}

/// Starts made so far. Only the best keeps its assignment, so that memory does not grow with the starts.
#[derive(Default)]
struct Attempts {
    objectives: Vec<f64>,
    /// Why each ended, after how many iterations.
    endings: Vec<(Stop, usize)>,
    best: Option<Ending>,
}

impl Attempts {
    /// These, then later ones; of equals the earlier is the best, and those that came to an end are better than others.
    fn join(mut self, later: Attempts) -> Attempts {
        self.objectives.extend(later.objectives);
        self.endings.extend(later.endings);
        let stopped = |e: &Ending| e.stop == Stop::Interrupted;
        let better = |a: &Ending, b: &Ending| match (stopped(a), stopped(b)) {
            (false, true) => true,
            (true, false) => false,
            _ => a.objective < b.objective,
        };
        let best = match (self.best, later.best) {
            (Some(a), Some(b)) if better(&b, &a) => Some(b),
            (a, b) => a.or(b),
        };
        Attempts { best, ..self }
    }
}

/// Rows to begin with, far from each other: each is drawn with probability in proportion to its weight and to its
/// distance from the nearest of those before it (k-means++: Arthur and Vassilvitskii, 2007).
fn spread_rows<G: Geometry>(geometry: &G, clusters: usize, mut random: Random) -> Vec<usize> {
    let mut chances = geometry.weights().to_vec();
    let mut nearest = vec![f64::INFINITY; chances.len()];
    let mut chosen = Vec::with_capacity(clusters);
    while chosen.len() < clusters {
        // When every row is chosen, or equal to one that is, the centres left over stay without rows.
        let row = draw(&chances, random.uniform()).or(chosen.first().copied()).unwrap_or(0);
        chosen.push(row);
        let centre = geometry.at_rows(&[row]);
        for (r, least) in nearest.iter_mut().enumerate() {
            *least = least.min(geometry.distance(r, &centre, 0));
            chances[r] = geometry.weights()[r] * *least;
        }
    }
    chosen
}

/// The row that a number of [0, 1) falls on; none if no row has a chance.
fn draw(chances: &[f64], uniform: f64) -> Option<usize> {
    let mut left = uniform * chances.iter().sum::<f64>();
    for (row, &chance) in chances.iter().enumerate() {
        left -= chance;
        if left < 0.0 {
            return Some(row);
        }
    }
    // Rounding left a sliver: it belongs to the last row that can be drawn.
    chances.iter().rposition(|&c| c > 0.0)
}
