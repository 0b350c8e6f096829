//! Spearman's rank correlation.

use super::ranks::Ranks;
use super::{TestResult, reason};
use crate::stats::distribution::student_upper;

/// Spearman's rank correlation: statistic r, the correlation of the ranks, equal values sharing the mean of theirs.
///
/// The p-value is that of SciPy's `spearmanr`: t = r sqrt((n-2) / (1 - r^2)) with n - 2 degrees of freedom, which is
/// rough for few pairs. Perfect agreement or disagreement gives p = 0 (SciPy: 0 or near it). NaN for samples of different lengths, fewer than
/// three pairs, values that are NaN, or values of one sample that are all equal.
pub fn spearman(x: &[f64], y: &[f64]) -> TestResult {
    if x.len() != y.len() {
        return TestResult::undefined(reason::LENGTHS);
    }
    if x.len() < 3 {
        return TestResult::undefined(reason::TOO_FEW);
    }
    if x.iter().chain(y).any(|v| v.is_nan()) {
        return TestResult::undefined(reason::NOT_NUMBERS);
    }
    let n = x.len() as f64;
    let (x, y) = (Ranks::of(x), Ranks::of(y));
    // Doubled ranks about their doubled mean n + 1: whole numbers, so these sums are exact.
    let centred =
        |r: &Ranks| -> Vec<f64> { r.doubled.iter().map(|&d| d as f64 - (n + 1.0)).collect() };
    let (x, y) = (centred(&x), centred(&y));
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (both, of_x, of_y) = (sum(&x, &y), sum(&x, &x), sum(&y, &y));
    if of_x == 0.0 || of_y == 0.0 {
        return TestResult::undefined("undefined: the values of a sample are all equal");
    }
    let statistic = (both / (of_x * of_y).sqrt()).clamp(-1.0, 1.0);
    // 1 - r^2 from the exact sums, as r itself has lost digits near 1.
    let rest = ((of_x * of_y - both * both) / (of_x * of_y)).max(0.0);
    let t = statistic.abs() * ((n - 2.0) / rest).sqrt();
    let p_value = if rest == 0.0 { 0.0 } else { 2.0 * student_upper(t, n - 2.0) };
    TestResult { statistic, p_value, variant: "t approximation" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let up = [1.0, 2.0, 5.0, 9.0];
        let down = [0.0, -1.0, -2.0, -9.0];
        assert_eq!(spearman(&up, &up).statistic, 1.0);
        assert_eq!((spearman(&up, &down).statistic, spearman(&up, &down).p_value), (-1.0, 0.0));
        // Any growing change of the values leaves it as it is.
        let y = [3.0, 1.0, 4.0, 1.0];
        let grown: Vec<f64> = y.iter().map(|v: &f64| v.exp() + 7.0).collect();
        assert_eq!(spearman(&up, &y), spearman(&up, &grown));
    }

    #[test]
    fn what_cannot_be_correlated_is_nan() {
        assert!(spearman(&[1.0, 2.0], &[1.0, 2.0]).statistic.is_nan());
        assert!(spearman(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]).statistic.is_nan());
        assert!(spearman(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]).p_value.is_nan());
        assert!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0]).p_value.is_nan());
    }
}
