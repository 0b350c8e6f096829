//! An attribute with and without the class as its parent: how probable either is.

use super::smooth::log_evidence;
use crate::num::log_add;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;

/// The evidence of both structures of one attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rivals {
    /// lnB where it depends on the class.
    pub dependent: f64,
    /// lnB where it does not.
    pub independent: f64,
}

impl Rivals {
    /// Under a proper prior, from counts by class and from those of all classes together.
    pub(super) fn new(prior: Prior, counts: &FamilyTable, all: &FamilyTable) -> Rivals {
        Rivals { dependent: log_evidence(prior, counts), independent: log_evidence(prior, all) }
    }

    /// The probability that it depends on the class, with these log-odds beforehand.
    pub(crate) fn relevance(self, log_odds: f64) -> f64 {
        1.0 / (1.0 + (self.independent - self.dependent - log_odds).exp())
    }

    /// ln(p B_dependent + (1 - p) B_independent), where p has these log-odds.
    pub(crate) fn together(self, log_odds: f64) -> f64 {
        if log_odds == f64::INFINITY {
            return self.dependent;
        }
        // ln p and ln(1 - p).
        let (yes, no) = (-(-log_odds).exp().ln_1p(), -log_odds.exp().ln_1p());
        log_add(self.dependent + yes, self.independent + no)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};

    #[test]
    fn both_together_by_hand() {
        let rivals = Rivals { dependent: 0.3f64.ln(), independent: 0.2f64.ln() };
        let odds = (0.9f64 / 0.1).ln();
        let sum = 0.9 * 0.3 + 0.1 * 0.2;
        assert!(close(rivals.together(odds), f64::ln(sum), ROUNDING));
        assert!(close(rivals.relevance(odds), 0.9 * 0.3 / sum, ROUNDING));
        assert_eq!(rivals.together(f64::INFINITY), rivals.dependent);
        assert_eq!(rivals.relevance(f64::INFINITY), 1.0);
    }
}
