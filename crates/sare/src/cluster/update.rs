//! What expected counts become, for a class that is never seen: the next parameters (ALGORITHMS 8).

use crate::average::naive::averaged_tables;
use crate::error::Result;
use crate::infer::expectation::Maximise;
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;

/// Relative frequencies of the expected counts, plain or with something added: EM to the greatest likelihood, or to that
/// with a prior.
pub(super) struct Frequencies {
    pub alpha: f64,
}

/// The average over all choices of attributes that depend on the cluster, with the expected counts (EMA).
pub(super) struct Averaged {
    pub prior: Prior,
    /// The probability that each attribute matters, by the last counts.
    pub relevance: Vec<f64>,
}

impl Frequencies {
    fn prior(&self) -> Prior {
        if self.alpha > 0.0 { Prior::Dirichlet(self.alpha) } else { Prior::None }
    }
}

impl Maximise for Frequencies {
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network> {
        let class = counts.len() - 1;
        let mut tables: Vec<Vec<f64>> =
            counts[..class].iter().map(|c| self.prior().probabilities(c)).collect();
        tables.push(self.prior().of_class(&counts[class]));
        present.with_tables(tables)
    }

    fn bonus(&self, network: &Network) -> f64 {
        if self.alpha == 0.0 {
            return 0.0;
        }
        let of = |v: usize| network.table(v).iter().map(|&p| ln_or_floor(p)).sum::<f64>();
        self.alpha * (0..network.variables().len()).map(of).sum::<f64>()
    }
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
