//! The Mann-Whitney (Wilcoxon rank-sum) test.

use super::ranks::Ranks;
use super::{TestResult, reason};
use crate::stats::distribution::normal_upper;

/// Without ties and with a sample of at most this size: the exact distribution.
const EXACT_LIMIT: usize = 8;

/// The Mann-Whitney test: statistic U, the number of pairs in which the value of `x` is the greater, pairs of equal
/// values counting one half. U = R - n (n+1) / 2 with R the sum of the ranks of `x` among all values.
///
/// The p-value is found as by the defaults of SciPy 1.17's `mannwhitneyu` (`method='auto'`, `use_continuity=True`),
/// for n and m values and V = max(U, n m - U):
/// - no ties and min(n, m) <= 8: exact, p = min(1, 2 P(U >= V)) with every order of the values equally probable;
/// - else: p = min(1, 2 P(Z > z)), z = (V - n m / 2 - 1/2) / sqrt(n m / 12 * (N + 1 - sum (t^3 - t) / (N (N-1)))) for
///   N = n + m and groups of t equal values.
///
/// Values which are all equal give p = 1. NaN for an empty sample or values that are NaN.
pub fn mann_whitney(x: &[f64], y: &[f64]) -> TestResult {
    if x.is_empty() || y.is_empty() {
        return TestResult::undefined(reason::TOO_FEW);
    }
    let both = [x, y].concat();
    if both.iter().any(|v| v.is_nan()) {
        return TestResult::undefined(reason::NOT_NUMBERS);
    }
    let ranks = Ranks::of(&both);
    let (n, m) = (x.len() as u64, y.len() as u64);
    // Doubled, as the ranks are.
    let greater = ranks.doubled[..x.len()].iter().sum::<u64>() - n * (n + 1);
    let smaller = greater.min(2 * n * m - greater);
    let (p_value, variant) = if ranks.groups.len() == 1 {
        (1.0, "all values are equal: no difference")
    } else if !ranks.has_ties() && x.len().min(y.len()) <= EXACT_LIMIT {
        (exact_p(x.len(), y.len(), (smaller / 2) as usize), "exact")
    } else {
        let p_value = normal_p(n as f64, m as f64, smaller as f64 / 2.0, ranks.tie_term());
        (p_value, "normal approximation, tie correction, continuity correction")
    };
    TestResult { statistic: greater as f64 / 2.0, p_value, variant }
}

/// min(1, 2 P(U <= smaller)) over all orders of n and m different values.
///
/// The numbers of orders by their U are the coefficients of the product over i = 1..n of
/// (1 - q^(m+i)) / (1 - q^i). A quotient is a running sum, exact while the counts stay below 2^53; with n <= 8 the
/// subtractions cost no more than a digit beyond that.
fn exact_p(n: usize, m: usize, smaller: usize) -> f64 {
    let (n, m) = (n.min(m), n.max(m));
    let mut orders = vec![0.0; smaller + 1];
    orders[0] = 1.0;
    let mut all = 1.0;
    for i in 1..=n {
        for u in i..=smaller {
            orders[u] += orders[u - i];
        }
        for u in (m + i..=smaller).rev() {
            orders[u] -= orders[u - m - i];
        }
        all = all * (m + i) as f64 / i as f64;
    }
    (2.0 * orders.iter().sum::<f64>() / all).min(1.0)
}

/// The normal approximation with continuity correction, from the smaller of U and n m - U.
fn normal_p(n: f64, m: f64, smaller: f64, tie_term: f64) -> f64 {
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - tie_term / (total * (total - 1.0)));
    let z = (n * m / 2.0 - smaller - 0.5) / variance.sqrt();
    (2.0 * normal_upper(z)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-values of every split of the numbers 1..=n+m into n and m, from counting pairs in all splits.
    #[test]
    fn exact_distributions_equal_enumeration() {
        for n in 1..=8usize {
            for m in 1..=8usize.min(13 - n) {
                let splits: Vec<usize> =
                    (0..1usize << (n + m)).filter(|s| s.count_ones() as usize == n).collect();
                let pairs = |s: usize| -> usize {
                    let lower = |i: usize| (0..i).filter(|j| s >> j & 1 == 0).count();
                    (0..n + m).filter(|i| s >> i & 1 == 1).map(lower).sum()
                };
                let all: Vec<usize> = splits.iter().map(|&s| pairs(s)).collect();
                for (&s, &u) in splits.iter().zip(&all).step_by(1 + splits.len() / 40) {
                    let part = |bit| {
                        let inside = (0..n + m).filter(|i| s >> i & 1 == bit);
                        inside.map(|i| i as f64).collect::<Vec<_>>()
                    };
                    let below = all.iter().filter(|v| **v <= u).count();
                    let above = all.iter().filter(|v| **v >= u).count();
                    let p = (2.0 * below.min(above) as f64 / all.len() as f64).min(1.0);
                    let ours = mann_whitney(&part(1), &part(0));
                    assert_eq!((ours.statistic, ours.variant), (u as f64, "exact"));
                    assert!((ours.p_value - p).abs() <= 1e-14 * p, "{n} {m} {u}");
                }
            }
        }
    }

    /// The whole distribution sums to one also where the counts exceed 2^53.
    #[test]
    fn large_counts_keep_their_digits() {
        for m in [50, 400, 3000] {
            // P(U <= c - 1) = 1/2 - P(U = c) / 2 at the centre c of an even range, by symmetry.
            let centre = 8 * m / 2;
            let (below, upto) = (exact_p(8, m, centre - 1) / 2.0, exact_p(8, m, centre) / 2.0);
            assert_eq!(upto, 0.5, "capped");
            let sigma = (8.0 * m as f64 * (m as f64 + 9.0) / 12.0).sqrt();
            let density = 1.0 / (sigma * std::f64::consts::TAU.sqrt());
            assert!((1.0 - 2.0 * below - density).abs() < 0.05 * density, "{m}: {below}");
        }
    }

    #[test]
    fn the_variant_follows_size_and_ties() {
        let from =
            |start: usize, n: usize| (start..start + n).map(|i| i as f64).collect::<Vec<_>>();
        assert_eq!(mann_whitney(&from(0, 8), &from(100, 60)).variant, "exact");
        assert!(mann_whitney(&from(0, 9), &from(100, 9)).variant.starts_with("normal"));
        assert!(mann_whitney(&from(0, 3), &from(2, 3)).variant.starts_with("normal"));
        assert_eq!(mann_whitney(&[1.0; 3], &[1.0; 20]).p_value, 1.0);
        assert_eq!(mann_whitney(&[1.0; 3], &[1.0; 20]).statistic, 30.0);
    }

    #[test]
    fn what_cannot_be_tested_is_nan() {
        assert!(mann_whitney(&[], &[1.0]).p_value.is_nan());
        assert!(mann_whitney(&[1.0], &[]).statistic.is_nan());
        assert!(mann_whitney(&[1.0, f64::NAN], &[1.0]).p_value.is_nan());
        assert_eq!(mann_whitney(&[f64::INFINITY], &[1.0]).statistic, 1.0);
    }
}
