//! Numbers: the one place for log-sum-exp, lnGamma and the tolerance policy of the tests.

/// Stands for ln 0 in log-probability tables.
///
/// Low enough that an impossible cell loses against anything possible, and `exp` of it is exactly 0; finite,
/// so that sums over any number of columns stay finite. Where every class is impossible, the class with the
/// fewest impossible cells wins, which is the limit of vanishing smoothing.
pub const LN_ZERO: f64 = -1.0e8;

/// ln x, with [`LN_ZERO`] for 0.
#[inline]
pub fn ln_or_floor(x: f64) -> f64 {
    if x > 0.0 { x.ln() } else { LN_ZERO }
}

/// lnGamma(x) for x > 0.
#[inline]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// x ln x, with its limit 0 at 0.
#[inline]
pub fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// ln(sum exp(x_i)) without overflow or underflow; -inf for no terms.
pub fn log_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + terms.iter().map(|t| (t - top).exp()).sum::<f64>().ln()
}

/// ln(exp(a) + exp(b)) of two finite logarithms.
#[inline]
pub fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    // Beyond this the lower one is less than the rounding of the higher one's exponential.
    const NOTHING: f64 = 40.0;
    if high - low > NOTHING { high } else { high + (low - high).exp().ln_1p() }
}

/// Turns log weights into probabilities in place and returns their log-sum-exp.
pub fn normalise_logs(terms: &mut [f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for t in terms.iter_mut() {
        *t = (*t - top).exp();
        sum += *t;
    }
    let scale = 1.0 / sum;
    for t in terms.iter_mut() {
        *t *= scale;
    }
    top + sum.ln()
}

/// Scores that differ by less, as a share of their size, differ by rounding alone.
const ROUNDING: f64 = 1e-12;

/// True if a score is the same as the largest but for rounding. The rounding error of a sum of logarithms grows with the
/// sum, so the difference is relative to it; below 1 it is absolute.
#[inline]
fn ties(top: f64, score: f64) -> bool {
    top - score <= ROUNDING * top.abs().max(1.0)
}

/// The class that a row's scores decide for, log-joints or probabilities: the first of those that tie with the largest.
/// Every decision for a class is made here, so that no two ways to the same scores decide differently.
pub fn winner(scores: &[f64]) -> usize {
    let top = scores[first_max(scores)];
    scores.iter().position(|&s| ties(top, s)).unwrap_or(0)
}

/// Turns the log-joints of a row's classes into the classes' probabilities in place, and returns their log-sum-exp.
/// Classes that tie with the most probable one get exactly its probability, so that [`winner`] decides alike before and
/// after.
pub fn class_probabilities(log_joint: &mut [f64]) -> f64 {
    let top = log_joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    log_joint.iter_mut().filter(|t| ties(top, **t)).for_each(|t| *t = top);
    normalise_logs(log_joint)
}

/// The first index of the largest value. Classes are decided for by [`winner`].
pub fn first_max(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, &v) in values.iter().enumerate() {
        if v > values[best] {
            best = i;
        }
    }
    best
}

/// How near is near: the tolerances that tests may use, by the reason for the difference.
pub mod tolerance {
    /// The same sum in another order, or the same closed form by two routes.
    pub const ROUNDING: f64 = 1e-12;
    /// A figure printed by another package with another lnGamma or another order of operations.
    pub const OTHER_PACKAGE: f64 = 1e-10;

    /// True if the two agree to the given relative tolerance (absolute below 1).
    pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::tolerance::{ROUNDING, close};
    use super::*;

    #[test]
    fn log_sum_exp_survives_extremes() {
        assert!(close(log_sum_exp(&[-1e5, -1e5]), -1e5 + 2f64.ln(), ROUNDING));
        assert!(close(log_sum_exp(&[1e4, -1e4]), 1e4, ROUNDING));
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }

    #[test]
    fn adding_two_logs() {
        for (a, b) in [(0.0, 0.0), (-3000.0, -3001.0), (5.0, -50.0), (-1e8, -1.0)] {
            assert!(close(log_add(a, b), log_sum_exp(&[a, b]), ROUNDING));
            assert_eq!(log_add(a, b).to_bits(), log_add(b, a).to_bits());
        }
    }

    #[test]
    fn normalised_logs_sum_to_one() {
        let mut t = [-3000.0, -3001.0, -2999.5];
        let total = normalise_logs(&mut t);
        assert!(close(t.iter().sum::<f64>(), 1.0, ROUNDING));
        assert!(close(total, log_sum_exp(&[-3000.0, -3001.0, -2999.5]), ROUNDING));
    }

    #[test]
    fn ties_go_to_the_first() {
        assert_eq!(first_max(&[1.0, 3.0, 3.0]), 1);
        // ln(9/125) by two orders of its factors.
        let (a, b) =
            (0.3f64.ln() + 0.4f64.ln() + 0.6f64.ln(), 0.6f64.ln() + 0.3f64.ln() + 0.4f64.ln());
        for scores in [[a, b], [b, a], [a - 1e-13, a], [-1e6 - 1e-7, -1e6], [LN_ZERO, LN_ZERO]] {
            assert_eq!(winner(&scores), 0);
            let mut posteriors = scores;
            class_probabilities(&mut posteriors);
            assert_eq!(posteriors, [0.5, 0.5]);
        }
        // What differs by more than rounding is another score; impossible cells do not hide the possible ones.
        for scores in [[-1.0 - 1e-11, -1.0], [-1e6 - 1e-5, -1e6], [LN_ZERO - 1.0, LN_ZERO - 0.5]] {
            assert_eq!(winner(&scores), 1);
        }
        assert_eq!(winner(&[f64::NEG_INFINITY; 2]), 0);
    }

    #[test]
    fn ln_gamma_of_whole_numbers_is_the_factorial() {
        assert!(close(ln_gamma(11.0), 3_628_800f64.ln(), ROUNDING));
    }
}
