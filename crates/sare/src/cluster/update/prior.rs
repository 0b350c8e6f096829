//! Priors of an attribute's distributions in the clusters: what the counts are worth with and without the cluster, and the
//! tables that come of them.
//!
//! **Flat**: Dirichlet(a, .., a), one for each cluster, or one for all where the attribute does not depend on the cluster.
//!
//! **Centred**: the attribute has frequencies f in all rows, and its distribution in a cluster is Dirichlet(s f). That it does not
//! depend on the cluster is the limit of a large s: its distribution is f itself, and the counts are worth sum_k N_k ln f_k, both
//! given f. But f is not given, it is what all rows say, and these rows speak better for "the same everywhere" than any others
//! would. So both are averaged over f, which is uniform beforehand. For the independent attribute that is lnB of the counts
//! in all, with one in every state; for the dependent one, by Laplace's method at the same f,
//!
//! ```text
//! lnB_dependent = lnB_independent + [lnB(counts | s f) - sum_k N_k ln f_k] + (r - 1)/2 ln(N / N_s)
//! ```
//!
//! r the states that occur. N is how many rows tell f where it is the distribution itself, and N_s = sum_j N_j (s + 1)/(s + N_j) how
//! many they are worth where they only tell it through the clusters: a share of a cluster's rows has the variance
//! f (1 - f)/N_j (s + N_j)/(s + 1). For a large s the term is 0, and either is as probable as the other.

use crate::average::rivals::Rivals;
use crate::num::{ln_gamma, ln_or_floor};
use crate::stats::FamilyTable;

/// What is added to the counts of an attribute in a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TablePrior {
    /// This number to every state.
    Flat(f64),
    /// So many rows like all rows.
    Centred(f64),
}

/// What all rows say of an attribute, whatever the clusters are.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The frequencies f of its states, all above 0: one that these rows do not have may come in others.
    pub centre: Vec<f64>,
    /// How many rows there are.
    total: f64,
    /// sum_k N_k ln f_k.
    log_likelihood: f64,
    /// lnB of N_k with one in every state.
    log_evidence: f64,
    /// (r - 1) / 2, r the states that occur.
    half_free: f64,
}

/// What is added to every state for its frequency.
const SMOOTHING: f64 = 0.5;

impl Column {
    /// What a flat prior has to ask: nothing.
    pub(super) const fn none() -> Column {
        Column {
            centre: Vec::new(),
            total: 0.0,
            log_likelihood: 0.0,
            log_evidence: 0.0,
            half_free: 0.0,
        }
    }

    /// From the counts of the seen cells, however they are dealt to clusters.
    pub(super) fn new(counts: &FamilyTable) -> Column {
        let counts: Vec<f64> = sums(counts).collect();
        let occur = counts.iter().filter(|n| **n > 0.0).count() as f64;
        let total: f64 = counts.iter().sum();
        let whole = total + SMOOTHING * counts.len() as f64;
        let centre: Vec<f64> = counts.iter().map(|n| (n + SMOOTHING) / whole).collect();
        let log_likelihood = centre.iter().zip(&counts).map(|(f, n)| n * f.ln()).sum();
        let log_evidence = urns(&counts, 1, |_| 1.0);
        let half_free = (occur - 1.0).max(0.0) / 2.0;
        Column { centre, total, log_likelihood, log_evidence, half_free }
    }

    /// How many rows tell f in the clusters, by how many would where it is their distribution: 1 for a large s.
    fn worth(&self, s: f64, counts: &FamilyTable) -> f64 {
        let of = |c: usize| {
            let n = counts.sum_over_states(0, c);
            n * (s + 1.0) / (s + n)
        };
        (0..counts.classes()).map(of).sum::<f64>() / self.total
    }
}

/// The counts of each state over all clusters.
fn sums(counts: &FamilyTable) -> impl Iterator<Item = f64> + '_ {
    let cells = counts.values().chunks_exact(counts.classes());
    cells.take(counts.states()).map(|c| c.iter().sum())
}

/// ln p of counts of states in some clusters (state by state, cluster innermost), each cluster's drawn one by one from an urn
/// that begins with `begin` of each state.
pub(super) fn urns(counts: &[f64], clusters: usize, begin: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    // Most often all states begin alike.
    let mut last = (f64::NAN, 0.0);
    for (k, cells) in counts.chunks_exact(clusters).enumerate() {
        let begin = begin(k);
        whole += begin;
        for n in cells.iter().filter(|n| **n > 0.0) {
            if last.0 != begin {
                last = (begin, ln_gamma(begin));
            }
            sum += ln_gamma(begin + n) - last.1;
        }
    }
    let first = ln_gamma(whole);
    for c in 0..clusters {
        let total: f64 = counts.iter().skip(c).step_by(clusters).sum();
        if total > 0.0 {
            sum += first - ln_gamma(whole + total);
        }
    }
    sum
}

impl TablePrior {
    /// What is added to a state of an attribute with this centre.
    fn added(self, centre: &[f64], state: usize) -> f64 {
        match self {
            TablePrior::Flat(a) => a,
            TablePrior::Centred(s) => s * centre[state],
        }
    }

    /// What the counts are worth, with and without the cluster. `column` is what the same cells say in all; a flat prior asks
    /// nothing of it.
    pub(super) fn rivals(self, column: &Column, counts: &FamilyTable) -> Rivals {
        let (clusters, cells) = (counts.classes(), counts.cells() * counts.classes());
        let values = &counts.values()[..cells];
        let own = urns(values, clusters, |k| self.added(&column.centre, k));
        match self {
            TablePrior::Flat(a) => {
                let all: Vec<f64> = sums(counts).collect();
                Rivals { dependent: own, independent: urns(&all, 1, |_| a) }
            }
            TablePrior::Centred(s) => {
                let independent = column.log_evidence;
                let gain = own - column.log_likelihood;
                let bonus = match column.total > 0.0 {
                    true => -column.half_free * column.worth(s, counts).ln(),
                    false => 0.0,
                };
                Rivals { dependent: independent + gain + bonus, independent }
            }
        }
    }

    /// p(state | cluster), cluster by cluster: what the counts give where the attribute depends on the cluster, so far as it
    /// does, and else what they give in all.
    pub(super) fn table(self, column: &Column, counts: &FamilyTable, relevance: f64) -> Vec<f64> {
        let (states, clusters) = (counts.states(), counts.classes());
        let added = |k: usize| self.added(&column.centre, k);
        let whole: f64 = (0..states).map(added).sum();
        let mut table = Vec::with_capacity(states * clusters);
        for c in 0..clusters {
            let total = counts.sum_over_states(0, c) + whole;
            table.extend((0..states).map(|k| (counts.at(0, k, c) + added(k)) / total));
        }
        if relevance < 1.0 {
            let alone: Vec<f64> = match self {
                TablePrior::Centred(_) => column.centre.clone(),
                TablePrior::Flat(a) => {
                    let total = sums(counts).sum::<f64>() + whole;
                    sums(counts).map(|n| (n + a) / total).collect()
                }
            };
            let both = table.chunks_exact_mut(states).flat_map(|row| row.iter_mut().zip(&alone));
            both.for_each(|(p, alone)| *p = relevance * *p + (1.0 - relevance) * alone);
        }
        table
    }

    /// ln of the density of a table under the prior, but for what does not depend on the table: what it adds to the counts, by
    /// the logarithms of the probabilities.
    pub(super) fn log_density(self, column: &Column, table: &[f64]) -> f64 {
        let states = column.centre.len();
        let term = |(i, p): (usize, &f64)| match self.added(&column.centre, i % states) {
            added if added > 0.0 => added * ln_or_floor(*p),
            _ => 0.0,
        };
        table.iter().enumerate().map(term).sum()
    }
}
