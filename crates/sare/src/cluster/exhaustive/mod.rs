//! The average over all choices of attributes that depend on the cluster, structure by structure (ALGORITHMS 8): what EMA
//! comes near to at a small part of the cost.

mod chain;
mod evidence;
mod fit;
mod mixture;
mod rows;
#[cfg(test)]
mod tests;

use crate::average::Model;
use crate::cluster::{self, Found, Method, Plan};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::num::log_sum_exp;
use crate::observe::Event;
use crate::run::{Outcome, Run, StartOutcome, Stop};
use evidence::{Estimate, LEAST_SAMPLES};
use fit::{Fitted, Shared};
use rayon::prelude::*;
use rows::Rows;
use std::time::Instant;

/// Every selective naive Bayes structure with its most probable parameters, weighted by its evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exhaustive {
    /// What is added to every count.
    pub alpha: f64,
    /// How many cluster columns are drawn for the evidence of each structure; up to 64 times as many for those that matter.
    pub samples: usize,
    /// EM ends when the relative gain is no more.
    pub tolerance: f64,
    /// At most this many iterations a start.
    pub iterations: usize,
}

/// What it is called and does.
pub const DESCRIPTION: Description = Description {
    name: "exhaustive",
    help: "every choice of attributes (at most 16) by EM, weighted by its evidence",
    source: "Santafe, Lozano and Larranaga 2006; Fruehwirth-Schnatter 2004",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every count",
            range: Range::Positive { default: 1.0 },
        },
        Setting {
            name: "samples",
            help: "cluster columns drawn for the evidence of each structure",
            range: Range::Whole { least: LEAST_SAMPLES, most: 10_000_000, default: 500 },
        },
        Setting {
            name: "tolerance",
            help: "EM ends when the relative gain is no more",
            range: Range::Positive { default: 1e-7 },
        },
        Setting {
            name: "iterations",
            help: "of EM, at most this many a start",
            range: Range::Whole { least: 1, most: 1_000_000, default: 500 },
        },
    ],
};

/// The most attributes.
pub const MOST_ATTRIBUTES: usize = 16;
/// The most clusters: their names are summed over set by set.
const MOST_CLUSTERS: usize = 8;
/// Beyond these, products over a row's attributes would leave the range of numbers.
const ALPHAS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// An evidence with a smaller standard error is known well enough, and a structure that has less of the weight, even if its
/// evidence is two errors more, does not matter by itself: mistakes of many such make up for each other. The others are
/// estimated again with four times the draws, at most this often.
const SURE: f64 = 0.2;
const MATTERS: f64 = 1e-3;
const ROUNDS: usize = 3;

impl Default for Exhaustive {
    fn default() -> Self {
        Exhaustive { alpha: 1.0, samples: 500, tolerance: 1e-7, iterations: 500 }
    }
}

/// A structure in the average.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// The attributes that depend on the cluster.
    pub attributes: Vec<usize>,
    /// ln p(D | S).
    pub log_evidence: f64,
    /// The standard error of that.
    pub error: f64,
    /// p(S | D).
    pub weight: f64,
    /// p(cluster).
    pub clusters: Vec<f64>,
    /// p(state | cluster) of each attribute that depends on the cluster, cluster by cluster.
    pub tables: Vec<Vec<f64>>,
}

impl Structure {
    /// p(. | cluster) of an attribute; `alone` is what attributes are like that do not depend on it.
    fn given<'a>(&'a self, attribute: usize, cluster: usize, alone: &'a [Vec<f64>]) -> &'a [f64] {
        let states = alone[attribute].len();
        match self.attributes.binary_search(&attribute) {
            Ok(place) => &self.tables[place][cluster * states..][..states],
            Err(_) => &alone[attribute],
        }
    }

    /// Gives every cluster another name.
    fn rename(&mut self, names: &[usize]) {
        let clusters = names.len();
        for table in self.tables.iter_mut().chain([&mut self.clusters]) {
            let width = table.len() / clusters;
            let old = table.clone();
            for (row, &name) in old.chunks_exact(width).zip(names) {
                table[name * width..][..width].copy_from_slice(row);
            }
        }
    }
}

/// The average.
#[derive(Clone, Debug)]
pub struct Averaged {
    /// The naive Bayes network nearest to the average: of all such networks q it has the least KL(average || q).
    pub network: Network,
    /// The probability that each attribute depends on the cluster.
    pub relevance: Vec<f64>,
    /// The log-likelihood of the rows under the network.
    pub log_likelihood: f64,
    /// All structures, the most probable first, their clusters named alike.
    pub structures: Vec<Structure>,
    /// p(state) of each attribute where it does not depend on the cluster.
    pub alone: Vec<Vec<f64>>,
    /// Whether EM converged in the best start of every structure.
    pub stop: Stop,
}

impl Averaged {
    /// The average's p(cluster, row) for a complete row of states, for every cluster.
    pub fn joint(&self, row: &[usize]) -> Vec<f64> {
        let clusters = self.network.states(self.alone.len());
        let mut sums = vec![0.0; clusters];
        for s in self.structures.iter().take_while(|s| s.weight > 0.0) {
            for (c, sum) in sums.iter_mut().enumerate() {
                let given = |(v, &x): (usize, &usize)| s.given(v, c, &self.alone)[x];
                let product: f64 = row.iter().enumerate().map(given).product();
                *sum += s.weight * s.clusters[c] * product;
            }
        }
        sums
    }
}

impl Exhaustive {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> Exhaustive {
        let (samples, iterations) = (v[1] as usize, v[3] as usize);
        Exhaustive { alpha: v[0], samples, tolerance: v[2], iterations }
    }

    fn values(&self) -> [f64; 4] {
        [self.alpha, self.samples as f64, self.tolerance, self.iterations as f64]
    }

    /// The average over all structures from discrete rows whose last column is the cluster, which is in no row.
    ///
    /// EM runs from `starts` starts for every structure. Cells that are missing add nothing. Weights count in full for the
    /// parameters; the evidence is that of whole copies of the rows, for a fraction of a row has no cluster of its own.
    pub(crate) fn average(
        &self,
        data: &Source<'_>,
        starts: usize,
        run: &Run<'_>,
    ) -> Result<Averaged> {
        self.check()?;
        let attributes = data.schema().len() - 1;
        if attributes > MOST_ATTRIBUTES {
            let expected = format!(
                "at most {MOST_ATTRIBUTES}, as it goes through all 2^n structures; use ema, which averages over them in \
                 closed form"
            );
            return Err(bad("attributes", attributes.to_string(), expected));
        }
        let clusters = data.schema().fields[attributes].states();
        if !(1..=MOST_CLUSTERS).contains(&clusters) {
            let expected = format!("from 1 to {MOST_CLUSTERS}; use ema for more");
            return Err(bad("clusters", clusters.to_string(), expected));
        }
        if starts == 0 {
            return Err(bad("starts", "0".into(), "at least 1".into()));
        }
        let rows = Rows::of(data, run)?;
        let shared = Shared::new(&rows, self.alpha);
        let fit = |name: &str, sets: &[usize], before: &[Fitted]| -> Result<Vec<Fitted>> {
            run.tell(&Event::Phase { name, steps: Some(sets.len() as u64) })?;
            let one = |&set: &usize| {
                let fitted = match before.get(set) {
                    None => self.fit(&rows, &shared, set, starts, run)?,
                    Some(before) => self.fit_again(&rows, &shared, set, before, run)?,
                };
                run.tell(&Event::Step { steps: 1 })?;
                Ok(fitted)
            };
            run.install(|| sets.par_iter().map(one).collect())
        };
        self.forecast(&rows, &shared, starts, run)?;
        let all: Vec<usize> = (0..1 << attributes).collect();
        let mut fitted = fit("structures", &all, &[])?;
        // Among thousands of estimates those that are too large would win. They are made anew, not added to, so that nothing
        // is left of their luck; then others may matter.
        loop {
            let unsure = unsure(&fitted);
            if unsure.is_empty() {
                break;
            }
            let again = match fit("structures that matter, again", &unsure, &fitted) {
                // All structures are there: what is lost is how well their evidence is known.
                Err(Error::Interrupted) => {
                    let text = format!(
                        "stopped: the evidence of {} structures that may matter is known less well than it should be",
                        unsure.len()
                    );
                    run.should_stop(&Event::Note { text: &text });
                    break;
                }
                again => again?,
            };
            unsure.into_iter().zip(again).for_each(|(set, own)| fitted[set] = own);
        }
        mixture::averaged(&rows, shared, fitted, &run.to_the_end())
    }
}

impl Exhaustive {
    /// Says beforehand how long all structures will take, where that is long: by the time that one of middle size takes.
    fn forecast(&self, rows: &Rows, shared: &Shared, starts: usize, run: &Run<'_>) -> Result<()> {
        let attributes = rows.attributes();
        let structures = 1usize << attributes;
        if structures < MANY {
            return Ok(());
        }
        let middle = (0..attributes).step_by(2).fold(0, |set, v| set | 1 << v);
        let began = Instant::now();
        self.fit(rows, shared, middle, starts, run)?;
        let threads = run.install(rayon::current_num_threads);
        let seconds = began.elapsed().as_secs_f64() * structures as f64 / threads as f64;
        if seconds < LONG {
            return Ok(());
        }
        let text = format!(
            "exhaustive: {structures} structures of {attributes} columns, about {} on {threads} thread{}; ema averages over them at once",
            duration(seconds),
            if threads == 1 { "" } else { "s" }
        );
        run.tell(&Event::Forecast { text: &text })
    }
}

/// So many structures are worth timing one, and so many seconds worth a forecast.
const MANY: usize = 256;
const LONG: f64 = 10.0;

/// A time in its largest unit.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} seconds"),
        s if s < 6000.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 48.0 * 3600.0 => format!("{:.0} hours", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

impl Method for Exhaustive {
    fn has_one_single_cluster(&self) -> bool {
        true
    }

    fn averages_starts(&self) -> bool {
        false
    }

    fn form(&self) -> String {
        DESCRIPTION.form(&self.values())
    }

    fn check(&self) -> Result<()> {
        if !ALPHAS.contains(&self.alpha) {
            let expected = format!("from {:e} to {:e}", ALPHAS.start(), ALPHAS.end());
            return Err(bad("alpha", self.alpha.to_string(), expected));
        }
        DESCRIPTION.check(&self.values())
    }

    /// Starts are those of each structure; all structures count, whatever the policy.
    fn learn(&self, rows: &cluster::Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        let data = Source::Memory(rows.data.view());
        let Averaged { network, relevance, log_likelihood, stop, .. } =
            self.average(&data, plan.starts, run)?;
        let outcome = Outcome { stop, relevance: Some(relevance), ..Outcome::exact() };
        let start = StartOutcome::of(&outcome, log_likelihood, log_likelihood);
        let model = Model::Network(network);
        let starts = vec![start];
        Ok(Found {
            model,
            outcome,
            starts,
            reached: 1,
            alternatives: None,
            objective: None,
            hard: None,
        })
    }
}

/// The structures that may matter and whose evidence is not known well.
fn unsure(fitted: &[Fitted]) -> Vec<usize> {
    let logs: Vec<f64> = fitted.iter().map(|f| f.evidence.log).collect();
    let all = log_sum_exp(&logs);
    let unsure = |(_, f): &(usize, &Fitted)| {
        let Estimate { log, error } = f.evidence;
        f.round < ROUNDS && error > SURE && log + 2.0 * error > all + MATTERS.ln()
    };
    fitted.iter().enumerate().filter(unsure).map(|(set, _)| set).collect()
}

fn bad(setting: &str, value: String, expected: String) -> Error {
    Error::Setting { learner: DESCRIPTION.name.into(), setting: setting.into(), value, expected }
}
