//! The evidence of a structure by the Candidate method: p(D | S) = p(D | t) p(t | S) / p(t | D, S) for any parameters t,
//! the last of them estimated by Gibbs sampling (Besag 1989; Chib 1995; Chickering and Heckerman 1997).
//!
//! All of t at once would be estimated badly: where clusters overlap, few cluster columns make parameters near t likely,
//! and the fewer the more attributes there are. So p(t | D) is taken factor by factor, p(t1 | D) p(t2 | D, t1) ..., one for
//! the tables of each attribute, those of the clusters' sizes with the last; each is the mean over a chain of its own, in
//! which the tables before it are held at t and the others integrated out (Chib's reduced runs). Relative variances then add
//! up instead of being multiplied.
//!
//! The names of clusters are exchangeable: the first factor is the mean over all of them.

use super::chain::Chain;
use super::rows::{MISSING, Rows};
use crate::cluster::marginals::Marginals;
use crate::cluster::relevance::told;
use crate::error::Result;
use crate::infer::density::{LogTables, Purpose, Room};
use crate::network::Network;
use crate::num::{ln_gamma, log_add, log_sum_exp, normalise_logs};
use crate::observe::Event;
use crate::run::Run;
use crate::seed::Random;

/// The stretches of a chain that its error is computed from.
const BATCHES: usize = 20;

/// A logarithm with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub log: f64,
    pub error: f64,
}

/// What the evidence is computed from: naive Bayes of all attributes of some rows.
pub(super) struct Candidate<'a> {
    pub rows: &'a Rows,
    /// The parameters t.
    pub network: &'a Network,
    /// What the prior adds to every count.
    pub alpha: f64,
    /// Cluster columns for each factor.
    pub samples: usize,
}

impl Candidate<'_> {
    /// ln p(D | S) of the rows, as many of each kind as it has copies.
    pub fn evidence(&self, random: &mut Random, run: &Run<'_>) -> Result<Estimate> {
        let clusters = self.clusters();
        let view = self.rows.table.view();
        let mut first = vec![0.0; view.len() * clusters];
        let block = view.block(0, view.len());
        let tables = LogTables::new(self.network);
        tables.log_joint(&block, Purpose::Density, &mut Room::default(), &mut first);
        let each = first.chunks_exact_mut(clusters).zip(&self.rows.copies);
        let likelihood: f64 = each.map(|(row, &n)| f64::from(n) * normalise_logs(row)).sum();
        let mut log = likelihood + self.prior();
        let (mut variance, mut held) = (0.0, vec![0.0; first.len()]);
        let order = self.most_telling_first();
        for (place, &attribute) in order.iter().enumerate() {
            let mut chain =
                Chain::new(self.rows, self.alpha, &order[place..], &held, &first, random);
            let factor = Factor::new(self, attribute, place == 0, place + 1 == order.len());
            (0..self.samples / 10).for_each(|_| chain.sweep(random));
            let mut logs = Vec::with_capacity(self.samples);
            for _ in 0..self.samples {
                chain.sweep(random);
                logs.push(factor.log(&chain));
            }
            run.tell(&Event::Step { steps: 0 })?;
            let Estimate { log: mean, error } = mean_of_logs(&logs);
            log -= mean;
            variance += error * error;
            drop(chain);
            self.hold(attribute, &mut held);
        }
        Ok(Estimate { log, error: f64::sqrt(variance) })
    }

    fn clusters(&self) -> usize {
        self.network.states(self.rows.attributes())
    }

    /// ln p(t | S)
    fn prior(&self) -> f64 {
        let of = |v: usize| -> f64 {
            let states = self.network.states(v);
            let density = |p: &[f64]| {
                let logs: f64 = p.iter().map(|p| p.ln()).sum();
                let constant =
                    ln_gamma(self.alpha * states as f64) - states as f64 * ln_gamma(self.alpha);
                constant + (self.alpha - 1.0) * logs
            };
            self.network.table(v).chunks_exact(states).map(density).sum()
        };
        (0..=self.rows.attributes()).map(of).sum()
    }

    /// The attributes by what they tell of the cluster: held first, those that tell most leave the fewest namings and
    /// cluster columns to the chains after.
    fn most_telling_first(&self) -> Vec<usize> {
        let class = self.rows.attributes();
        let attributes: Vec<Vec<f64>> = (0..class).map(|v| self.network.table(v).to_vec()).collect();
        let clusters = self.network.table(class).to_vec();
        let information = told(&Marginals { clusters, attributes }).information;
        let mut order: Vec<usize> = (0..class).collect();
        order.sort_by(|&x, &y| information[y].total_cmp(&information[x]));
        order
    }

    /// Adds what an attribute says with its parameters at t.
    fn hold(&self, attribute: usize, held: &mut [f64]) {
        let states = self.network.states(attribute);
        let table = self.network.table(attribute);
        for (kind, logs) in held.chunks_exact_mut(self.clusters()).enumerate() {
            let code = self.rows.codes(kind)[attribute];
            if code != MISSING {
                let entries = table[code as usize..].iter().step_by(states);
                logs.iter_mut().zip(entries).for_each(|(ln, p)| *ln += p.ln());
            }
        }
    }
}

/// One factor of p(t | D): the tables of an attribute, and perhaps the clusters' sizes.
struct Factor {
    attribute: usize,
    with_sizes: bool,
    /// Whether the clusters have no names yet.
    nameless: bool,
    clusters: usize,
    states: usize,
    /// The logarithms of the attribute's tables, cluster by cluster, and of the sizes.
    logs: Vec<f64>,
    size_logs: Vec<f64>,
    of_count: LogGamma,
    of_total: LogGamma,
    /// lnGamma of all rows and all alphas.
    of_all: f64,
}

impl Factor {
    fn new(candidate: &Candidate<'_>, attribute: usize, nameless: bool, with_sizes: bool) -> Factor {
        let Candidate { rows, network, alpha, .. } = candidate;
        let class = rows.attributes();
        let copies: u32 = rows.copies.iter().sum();
        let logs = |v: usize| network.table(v).iter().map(|p| p.ln()).collect();
        let (clusters, states) = (network.states(class), network.states(attribute));
        Factor {
            attribute,
            with_sizes,
            nameless,
            clusters,
            states,
            logs: logs(attribute),
            size_logs: logs(class),
            of_count: LogGamma::new(*alpha, copies),
            of_total: LogGamma::new(alpha * states as f64, copies),
            of_all: ln_gamma(f64::from(copies) + alpha * clusters as f64),
        }
    }

    /// ln p(these tables at t | D, the clusters of all rows)
    fn log(&self, chain: &Chain<'_>) -> f64 {
        let clusters = self.clusters;
        let constant = if self.with_sizes { self.of_all } else { 0.0 };
        if !self.nameless {
            return constant + (0..clusters).map(|c| self.entry(chain, c, c)).sum::<f64>();
        }
        let all: Vec<f64> = (0..clusters * clusters)
            .map(|i| self.entry(chain, i / clusters, i % clusters))
            .collect();
        constant + mean_over_namings(&all, clusters)
    }

    /// What it adds if the chain's cluster is the one that t calls `named`.
    fn entry(&self, chain: &Chain<'_>, cluster: usize, named: usize) -> f64 {
        let counts = chain.counts(self.attribute).iter().skip(cluster).step_by(self.clusters);
        let logs = &self.logs[named * self.states..][..self.states];
        let one = |(count, ln): (&f64, &f64)| (count - 1.0) * ln - self.of_count.at(*count);
        let of_attribute: f64 = counts.zip(logs).map(one).sum();
        let value = of_attribute + self.of_total.at(chain.totals(self.attribute)[cluster]);
        if !self.with_sizes {
            return value;
        }
        let size = chain.sizes[cluster];
        value + (size - 1.0) * self.size_logs[named] - self.of_count.at(size)
    }
}

/// lnGamma of whole numbers with something added.
struct LogGamma {
    added: f64,
    values: Vec<f64>,
}

impl LogGamma {
    fn new(added: f64, most: u32) -> LogGamma {
        LogGamma { added, values: (0..=most).map(|n| ln_gamma(f64::from(n) + added)).collect() }
    }

    fn at(&self, value: f64) -> f64 {
        self.values[(value - self.added).round() as usize]
    }
}

/// The logarithm of the mean over all permutations of the product of the entries they choose, one in each row and column,
/// of a table of logarithms. Set by set of columns, so that not every permutation is gone through.
fn mean_over_namings(logs: &[f64], size: usize) -> f64 {
    let mut sums = vec![f64::NEG_INFINITY; 1 << size];
    sums[0] = 0.0;
    for set in 1usize..1 << size {
        let row = &logs[(set.count_ones() as usize - 1) * size..][..size];
        for (column, ln) in row.iter().enumerate().filter(|(c, _)| set >> c & 1 == 1) {
            let with = sums[set ^ (1 << column)] + ln;
            let sum = &mut sums[set];
            *sum = if sum.is_finite() { log_add(*sum, with) } else { with };
        }
    }
    sums[(1 << size) - 1] - ln_gamma(size as f64 + 1.0)
}

/// The logarithm of the mean, with the standard error that stretches of the chain give.
fn mean_of_logs(logs: &[f64]) -> Estimate {
    let log = log_sum_exp(logs) - (logs.len() as f64).ln();
    let batches = BATCHES.min(logs.len());
    let ratio = |b: usize| {
        let part = &logs[logs.len() * b / batches..logs.len() * (b + 1) / batches];
        (log_sum_exp(part) - (part.len() as f64).ln() - log).exp()
    };
    let squares: f64 = (0..batches).map(|b| (ratio(b) - 1.0).powi(2)).sum();
    let count = batches as f64;
    Estimate { log, error: (squares / count / (count - 1.0).max(1.0)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::close;

    #[test]
    fn all_namings_are_gone_through() {
        let mut random = Random::new(1, crate::seed::Purpose::Sample, 0);
        let logs: Vec<f64> = (0..9).map(|_| random.normal() * 30.0).collect();
        let every = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let products = every.map(|n| (0..3).map(|r| logs[3 * r + n[r]]).sum::<f64>());
        let mean = log_sum_exp(&products) - 6f64.ln();
        assert!(close(mean_over_namings(&logs, 3), mean, 1e-12));
        assert_eq!(mean_over_namings(&[-7.0], 1), -7.0);
    }

    #[test]
    fn the_error_is_that_of_independent_draws() {
        // exp of a normal number has the mean exp(1/2) and the relative variance e - 1.
        let mut random = Random::new(2, crate::seed::Purpose::Sample, 0);
        let logs: Vec<f64> = (0..40_000).map(|_| random.normal()).collect();
        let Estimate { log, error } = mean_of_logs(&logs);
        let expected = ((1f64.exp() - 1.0) / 40_000.0).sqrt();
        assert!(error > 0.6 * expected && error < 1.5 * expected, "{error} {expected}");
        assert!((log - 0.5).abs() < 4.0 * expected);
    }
}
