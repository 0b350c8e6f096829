//! What expected counts become, for a class that is never seen: the next parameters (ALGORITHMS 8).

mod centred;
mod evidence;
#[cfg(test)]
mod tests;

use self::centred::Centre;
use crate::average::rivals::Rivals;
use crate::error::Result;
use crate::infer::expectation::Maximise;
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;

/// What is added to the expected counts of an attribute in a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Added {
    /// The same number to every state.
    Flat(
        /// That number.
        f64,
    ),
    /// Some rows like all rows; how many is learnt.
    Centred,
}

/// Which attributes depend on the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depend {
    /// All of them: no structures are averaged.
    All,
    /// Each as likely as not beforehand.
    Even,
    /// Each with the same probability beforehand, which is learnt.
    Learnt,
}

/// The average over all choices of attributes that depend on the cluster, with the expected counts (EMA); or that of one
/// choice, all of them.
pub(super) struct Averaged {
    added: Added,
    depend: Depend,
    /// The probability that each attribute matters, by the last counts.
    pub relevance: Vec<f64>,
    /// The probability beforehand that an attribute matters.
    prior: f64,
    centre: Option<Centre>,
    steps: usize,
}

/// What is added to the counts of the clusters themselves.
const OF_CLUSTERS: Prior = Prior::Laplace;

impl Averaged {
    pub(super) fn new(added: Added, depend: Depend) -> Averaged {
        let relevance = Vec::new();
        Averaged { added, depend, relevance, prior: 0.5, centre: None, steps: 0 }
    }

    /// The attribute with and without the cluster as its parent.
    fn rivals(&self, attribute: usize, counts: &FamilyTable) -> Rivals {
        match (self.added, &self.centre) {
            (Added::Centred, Some(centre)) => centre.rivals(attribute, counts),
            (Added::Flat(alpha), _) => Rivals::new(Prior::Dirichlet(alpha), counts),
            (Added::Centred, None) => Rivals::new(Prior::Laplace, counts),
        }
    }

    /// ln of the odds beforehand that an attribute matters; infinite where all do.
    fn log_odds(&self) -> f64 {
        match self.depend {
            Depend::All => f64::INFINITY,
            _ => (self.prior / (1.0 - self.prior)).ln(),
        }
    }

    fn of_clusters(&self, clusters: &[f64]) -> Vec<f64> {
        let prior = match self.added {
            Added::Flat(alpha) => Prior::Dirichlet(alpha),
            Added::Centred => OF_CLUSTERS,
        };
        prior.smoothed(clusters, clusters.len())
    }
}

impl Maximise for Averaged {
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network> {
        let class = counts.len() - 1;
        let clusters = &counts[class].values()[..counts[class].classes()];
        let whole: Vec<FamilyTable> =
            (0..class).map(|v| with_missing(&counts[v], clusters, present.table(v))).collect();
        if self.added == Added::Centred {
            let log_odds = self.log_odds();
            match &mut self.centre {
                None => self.centre = Some(Centre::new(&counts[..class])),
                Some(centre) => centre.weigh(self.steps, &whole, log_odds),
            }
        }
        self.steps += 1;
        let log_odds = self.log_odds();
        let mut tables = Vec::with_capacity(class + 1);
        self.relevance.clear();
        for (v, counts) in whole.iter().enumerate() {
            let rivals = self.rivals(v, counts);
            let relevance = rivals.relevance(log_odds);
            tables.push(rivals.mean(relevance));
            self.relevance.push(relevance);
        }
        tables.push(self.of_clusters(clusters));
        if self.depend == Depend::Learnt {
            let sum: f64 = self.relevance.iter().sum();
            // Kept away from 0 and 1 by one attribute of each kind.
            self.prior = (1.0 + sum) / (2.0 + class as f64);
        }
        present.with_tables(tables)
    }
}

/// The counts of an attribute whose only parent is the cluster, with what is expected of the rows in which it is missing:
/// what the clusters have beyond the attribute's own counts, spread as p(state | cluster) says.
///
/// Relative frequencies do not change by this, but how sure they are does.
fn with_missing(counts: &FamilyTable, clusters: &[f64], table: &[f64]) -> FamilyTable {
    let states = counts.states();
    let mut whole = counts.clone();
    for (cluster, total) in clusters.iter().enumerate() {
        let missing = total - counts.sum_over_states(0, cluster);
        // What is left of sums of fractions is rounding.
        if missing > 1e-9 * total {
            for (state, p) in table[cluster * states..][..states].iter().enumerate() {
                *whole.at_mut(0, state, cluster) += missing * p;
            }
        }
    }
    whole
}
