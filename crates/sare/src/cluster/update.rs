//! What expected counts become, for a class that is never seen: the next parameters (ALGORITHMS 8).

use crate::average::naive::averaged_tables;
use crate::error::Result;
use crate::infer::expectation::Maximise;
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;

/// The average over all choices of attributes that depend on the cluster, with the expected counts (EMA).
pub(super) struct Averaged {
    pub prior: Prior,
    /// The probability that each attribute matters, by the last counts.
    pub relevance: Vec<f64>,
}

impl Maximise for Averaged {
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network> {
        let class = counts.len() - 1;
        let classes = &counts[class].values()[..counts[class].classes()];
        let whole: Vec<FamilyTable> =
            (0..class).map(|v| with_missing(&counts[v], classes, present.table(v))).collect();
        let (tables, relevance) = averaged_tables(self.prior, &whole, classes);
        self.relevance = relevance;
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
