//! Wilcoxon's signed-rank test.

use super::ranks::Ranks;
use super::{TestResult, differences, reason};
use crate::stats::distribution::normal_upper;

/// At most so many differences without ties and zeros: the exact distribution.
const EXACT_LIMIT: usize = 50;
/// At most so many differences, some of them tied or zero: the exact distribution given the ties.
const EXACT_WITH_TIES_LIMIT: usize = 13;

/// Wilcoxon's signed-rank test: statistic min(R+, R-), the smaller of the sums of the ranks of |d| over the positive
/// and over the negative differences d = x - y. Zero differences are left out; ties share ranks.
///
/// The p-value is found as by the defaults of SciPy 1.17's `wilcoxon` (`zero_method='wilcox'`, `correction=False`,
/// `method='auto'`), where n counts all differences, zeros too:
/// - n <= 50 and neither ties nor zeros: exact, p = min(1, 2 P(R <= statistic)) with every pattern of signs equally
///   probable;
/// - n <= 13 with ties or zeros: the same given the shared ranks (SciPy runs through all 2^n patterns of signs);
/// - else: p = 2 P(Z > |z|), z = (R+ - m (m+1) / 4) / sqrt((m (m+1) (2m+1) - sum (t^3 - t) / 2) / 24) for m
///   differences that are not zero and groups of t equal |d|; no continuity correction.
///
/// Differences are tied or zero only if they are so bit for bit, as in SciPy. Differences which are all zero give
/// p = 1, however many (SciPy: p = 1 up to 13, an error for one, NaN above).
pub fn wilcoxon(x: &[f64], y: &[f64]) -> TestResult {
    let all = match differences(x, y) {
        Ok(all) => all,
        Err(undefined) => return undefined,
    };
    if all.iter().any(|d| d.is_nan()) {
        return TestResult::undefined(reason::NOT_NUMBERS);
    }
    let d: Vec<f64> = all.iter().copied().filter(|d| *d != 0.0).collect();
    if d.is_empty() {
        return TestResult::no_difference("every difference is zero: no difference");
    }
    let ranks = Ranks::of(&d.iter().map(|d| d.abs()).collect::<Vec<_>>());
    let positive: u64 =
        d.iter().zip(&ranks.doubled).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
    let total: u64 = ranks.doubled.iter().sum();
    let smaller = positive.min(total - positive);
    let plain = !ranks.has_ties() && d.len() == all.len();
    let limit = if plain { EXACT_LIMIT } else { EXACT_WITH_TIES_LIMIT };
    let (p_value, variant) = if all.len() > limit {
        (
            normal_p(smaller, &ranks),
            "normal approximation, tie correction, no continuity correction, zeros left out",
        )
    } else if plain {
        (exact_p(smaller, &ranks), "exact")
    } else {
        (exact_p(smaller, &ranks), "exact given the ties, zeros left out")
    };
    TestResult { statistic: smaller as f64 / 2.0, p_value, variant }
}

/// min(1, 2 P(R <= smaller)) over all patterns of signs, by adding one rank after another to the distribution of the
/// sum. All ranks are doubled. The counts are whole numbers up to 2^50, so floating point holds them exactly.
fn exact_p(smaller: u64, ranks: &Ranks) -> f64 {
    let mut patterns = vec![0.0; smaller as usize + 1];
    patterns[0] = 1.0;
    for &rank in &ranks.doubled {
        for sum in (rank as usize..patterns.len()).rev() {
            patterns[sum] += patterns[sum - rank as usize];
        }
    }
    let all = 2f64.powi(ranks.doubled.len() as i32);
    (2.0 * patterns.iter().sum::<f64>() / all).min(1.0)
}

/// The normal approximation. `smaller` is a doubled sum of ranks.
fn normal_p(smaller: u64, ranks: &Ranks) -> f64 {
    let m = ranks.doubled.len() as f64;
    let mean = m * (m + 1.0) / 4.0;
    let variance = (m * (m + 1.0) * (2.0 * m + 1.0) - ranks.tie_term() / 2.0) / 24.0;
    2.0 * normal_upper((mean - smaller as f64 / 2.0) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 min(P(R+ <= r), P(R+ >= r)) by running through all patterns of signs.
    fn enumerated(d: &[f64]) -> f64 {
        let ranks = Ranks::of(&d.iter().map(|d| d.abs()).collect::<Vec<_>>()).doubled;
        let sum = |signs: usize| -> u64 {
            (0..d.len()).filter(|i| signs >> i & 1 == 1).map(|i| ranks[i]).sum()
        };
        let observed = sum((0..d.len()).filter(|&i| d[i] > 0.0).map(|i| 1 << i).sum());
        let patterns = 1usize << d.len();
        let below = (0..patterns).filter(|&s| sum(s) <= observed).count();
        let above = (0..patterns).filter(|&s| sum(s) >= observed).count();
        (2.0 * below.min(above) as f64 / patterns as f64).min(1.0)
    }

    #[test]
    fn exact_distributions_equal_enumeration() {
        let plain = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let tied = [1.0, 1.0, 2.0, 2.0, 2.0, 5.0, 5.0, 8.0];
        for n in 1..=8 {
            for signs in 0..1usize << n {
                for sizes in [&plain, &tied] {
                    let sign = |i: usize| if signs >> i & 1 == 1 { 1.0 } else { -1.0 };
                    let d: Vec<f64> = (0..n).map(|i| sign(i) * sizes[i]).collect();
                    let ours = wilcoxon(&d, &vec![0.0; n]);
                    assert_eq!(ours.p_value, enumerated(&d), "{d:?}");
                    let with_zeros: Vec<f64> = d.iter().copied().chain([0.0, -0.0]).collect();
                    let ours = wilcoxon(&with_zeros, &vec![0.0; n + 2]);
                    assert_eq!(ours.p_value, enumerated(&d), "{d:?} and zeros");
                }
            }
        }
    }

    #[test]
    fn the_variant_follows_size_ties_and_zeros() {
        let upto = |n: usize| (1..=n).map(|i| i as f64).collect::<Vec<_>>();
        let variant = |d: &[f64]| wilcoxon(d, &vec![0.0; d.len()]).variant;
        assert_eq!(variant(&upto(50)), "exact");
        assert!(variant(&upto(51)).starts_with("normal"));
        let tied = |n: usize| [upto(n - 1), vec![-1.0]].concat();
        assert!(variant(&tied(13)).starts_with("exact given"));
        assert!(variant(&tied(14)).starts_with("normal"));
        let with_zero = |n: usize| [upto(n - 1), vec![0.0]].concat();
        assert!(variant(&with_zero(13)).starts_with("exact given"));
        assert!(variant(&with_zero(14)).starts_with("normal"));
    }

    #[test]
    fn limits() {
        for n in [1, 2, 13, 14, 60] {
            let x = vec![0.7; n];
            assert_eq!(wilcoxon(&x, &x).p_value, 1.0);
            assert_eq!(wilcoxon(&x, &x).statistic, 0.0);
        }
        assert!(wilcoxon(&[], &[]).p_value.is_nan());
        assert!(wilcoxon(&[1.0], &[1.0, 2.0]).p_value.is_nan());
        assert!(wilcoxon(&[1.0, f64::NAN], &[1.0, 2.0]).p_value.is_nan());
        assert!(wilcoxon(&[f64::INFINITY], &[f64::INFINITY]).p_value.is_nan());
        assert_eq!(wilcoxon(&[f64::INFINITY], &[1.0]).p_value, 1.0);
    }
}
