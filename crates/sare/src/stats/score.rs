//! Scores of a family from its counts (ALGORITHMS 2). Counts may be fractions: everything goes through lnGamma.

use super::family::FamilyTable;
use crate::num::{ln_gamma, x_ln_x};

/// How well a family fits, or how probable it is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Score {
    /// The logarithm of the greatest likelihood.
    LogLikelihood,
    /// Log-likelihood less half of ln N a free parameter; the same as minus the description length.
    Bic,
    /// Log-likelihood less one a free parameter.
    Aic,
    /// Log marginal likelihood under one prior row in every cell.
    K2,
    /// Log marginal likelihood under a prior sample of this size spread evenly over the cells.
    Bdeu(
        /// The equivalent sample size.
        f64,
    ),
}

impl Score {
    /// The score of a family; the table's classes count as configurations of one more parent.
    pub fn of(self, counts: &FamilyTable) -> f64 {
        self.with_configurations(counts, (counts.configurations() * counts.classes()) as f64)
    }

    /// The score of a family whose parents have this many configurations, of which the table holds those that were seen.
    pub fn with_configurations(self, counts: &FamilyTable, configurations: f64) -> f64 {
        let states = counts.states() as f64;
        let free = configurations * (states - 1.0);
        match self {
            Score::LogLikelihood => log_likelihood(counts),
            Score::Bic => {
                let total = counts.total();
                // Less than a row in all must not make parameters a gain.
                let penalty = total.max(1.0).ln() / 2.0 * free;
                log_likelihood(counts) - penalty
            }
            Score::Aic => log_likelihood(counts) - free,
            Score::K2 => log_marginal(counts, 1.0),
            Score::Bdeu(size) => log_marginal(counts, size / (configurations * states)),
        }
    }
}

/// sum N_ijk ln(N_ijk / N_ij)
fn log_likelihood(counts: &FamilyTable) -> f64 {
    let cells: f64 =
        counts.values()[..counts.cells() * counts.classes()].iter().map(|&n| x_ln_x(n)).sum();
    cells - per_configuration(counts, x_ln_x)
}

fn per_configuration(counts: &FamilyTable, f: impl Fn(f64) -> f64) -> f64 {
    let classes = 0..counts.classes();
    let one = |j| classes.clone().map(|c| f(counts.sum_over_states(j, c))).sum::<f64>();
    (0..counts.configurations()).map(one).sum()
}

/// The family marginal likelihood with `prior` in every cell.
fn log_marginal(counts: &FamilyTable, prior: f64) -> f64 {
    let cells = &counts.values()[..counts.cells() * counts.classes()];
    let of_row = log_rising(prior * counts.states() as f64);
    log_rising_sum(prior, cells.iter().copied()) - per_configuration(counts, of_row)
}

/// The logarithm of prior (prior + 1) ... (prior + n - 1), for any n that is not negative: lnG(prior + n) - lnG(prior).
fn log_rising(prior: f64) -> impl Fn(f64) -> f64 {
    let none = ln_gamma(prior);
    move |n| if n > 0.0 { ln_gamma(prior + n) - none } else { 0.0 }
}

/// The sum of lnG(prior + n) - lnG(prior) over some counts: lnB of a family is that of its cells less that of its rows.
pub(crate) fn log_rising_sum(prior: f64, counts: impl Iterator<Item = f64>) -> f64 {
    counts.map(log_rising(prior)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};

    fn coin(heads: f64, tails: f64) -> FamilyTable {
        let mut t = FamilyTable::zeros(1, 2, 1);
        *t.at_mut(0, 0, 0) = heads;
        *t.at_mut(0, 1, 0) = tails;
        t
    }

    #[test]
    fn a_coin_by_hand() {
        let t = coin(3.0, 1.0);
        let ll = 3.0 * 0.75f64.ln() + 0.25f64.ln();
        assert!(close(Score::LogLikelihood.of(&t), ll, ROUNDING));
        assert!(close(Score::Bic.of(&t), ll - 4f64.ln() / 2.0, ROUNDING));
        assert!(close(Score::Aic.of(&t), ll - 1.0, ROUNDING));
        // Under one prior row a cell the sequence has probability 3! 1! / 5!.
        assert!(close(Score::K2.of(&t), (6.0 / 120.0f64).ln(), ROUNDING));
        assert!(close(Score::Bdeu(2.0).of(&t), Score::K2.of(&t), ROUNDING));
    }

    #[test]
    fn marginal_likelihood_is_the_product_of_predictions() {
        let (mut t, mut ln) = (coin(0.0, 0.0), 0.0);
        for state in [0, 1, 1, 0, 0, 0] {
            ln += ((t.at(0, state, 0) + 0.25) / (t.total() + 0.5)).ln();
            *t.at_mut(0, state, 0) += 1.0;
        }
        assert!(close(Score::Bdeu(0.5).of(&t), ln, ROUNDING));
    }

    #[test]
    fn no_rows_score_nothing() {
        for score in [Score::LogLikelihood, Score::Bic, Score::K2, Score::Bdeu(1.0)] {
            assert_eq!(score.of(&coin(0.0, 0.0)), 0.0);
        }
    }
}
