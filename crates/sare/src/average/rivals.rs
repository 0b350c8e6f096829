//! An attribute with and without the class as its parent: the evidence and the table of each.

use super::smooth::log_evidence;
use crate::num::log_add;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;

/// Both structures of one attribute.
pub(crate) struct Rivals {
    /// lnB where it depends on the class, and p(state | class), class by class.
    pub dependent: (f64, Vec<f64>),
    /// lnB where it does not, and p(state).
    pub independent: (f64, Vec<f64>),
}

impl Rivals {
    /// Under a proper prior.
    pub(crate) fn new(prior: Prior, counts: &FamilyTable) -> Rivals {
        let one = |t: &FamilyTable| (log_evidence(prior, t), prior.probabilities(t));
        Rivals { dependent: one(counts), independent: one(&counts.sum_over_classes()) }
    }

    /// The probability that it depends on the class, with these log-odds beforehand.
    pub(crate) fn relevance(&self, log_odds: f64) -> f64 {
        let against = self.independent.0 - self.dependent.0 - log_odds;
        1.0 / (1.0 + against.exp())
    }

    /// p(state | class), class by class, averaged over both structures.
    pub(crate) fn mean(&self, relevance: f64) -> Vec<f64> {
        let states = self.independent.1.len();
        let mean = |(i, p): (usize, &f64)| {
            relevance * p + (1.0 - relevance) * self.independent.1[i % states]
        };
        self.dependent.1.iter().enumerate().map(mean).collect()
    }

    /// ln of the evidence of both structures together.
    pub(crate) fn log_evidence(&self, log_odds: f64) -> f64 {
        together(self.dependent.0, self.independent.0, log_odds)
    }
}

/// ln(p B_dependent + (1 - p) B_independent), where p has these log-odds.
pub(crate) fn together(dependent: f64, independent: f64, log_odds: f64) -> f64 {
    if log_odds == f64::INFINITY {
        return dependent;
    }
    // ln p and ln(1 - p).
    let (for_, against) = (-(-log_odds).exp().ln_1p(), -log_odds.exp().ln_1p());
    log_add(dependent + for_, independent + against)
}
