//! Student's t tests: paired, unpaired (pooled or Welch), and corrected for resampling.

use super::{TestResult, differences, reason};
use crate::stats::distribution::student_upper;

const NEVER_DIFFER: &str = "every difference is zero: no difference";
const EQUAL_CONSTANTS: &str = "no variance and equal means: no difference";
const NO_VARIANCE: &str = "no variance: the limit of an infinite statistic";

/// The paired t test: t = mean(d) / sqrt(var(d) / n) with d = x - y, n - 1 degrees of freedom.
///
/// As SciPy's `ttest_rel`, except that differences which are all zero give p = 1 (SciPy: NaN). Equal differences that
/// are not zero give the limit, an infinite t and p = 0; one difference alone gives NaN unless it is zero.
pub fn paired_t(x: &[f64], y: &[f64]) -> TestResult {
    one_sample(x, y, 0.0, "paired t")
}

/// Nadeau and Bengio's corrected resampled t test: t = mean(d) / sqrt((1/n + test/train) var(d)) with d = x - y, n - 1
/// degrees of freedom; `test_to_train` is the number of test rows over the number of training rows of a split (1/9
/// for ten folds).
///
/// The training parts of resampled splits overlap, so the paired t test takes too small a variance. The limits are
/// those of [`paired_t`]; NaN for a ratio that is negative or not finite.
pub fn corrected_resampled_t(x: &[f64], y: &[f64], test_to_train: f64) -> TestResult {
    if !(test_to_train >= 0.0 && test_to_train.is_finite()) {
        return TestResult::undefined("undefined: no ratio of test to training rows");
    }
    one_sample(x, y, test_to_train, "corrected resampled t")
}

/// The unpaired t test with pooled variance: t = (mean(x) - mean(y)) / sqrt(s^2 (1/n + 1/m)) with s^2 the squared
/// deviations of both samples over n + m - 2, which are the degrees of freedom.
///
/// As SciPy's `ttest_ind` (one of the samples may have a single value). Two constant samples give the limits: p = 1 if
/// they are equal (SciPy: NaN), else an infinite t and p = 0.
pub fn unpaired_t(x: &[f64], y: &[f64]) -> TestResult {
    two_samples(x, y, 1, "t with pooled variance", |a, b| {
        let freedom = a.count + b.count - 2.0;
        ((a.squares + b.squares) / freedom * (1.0 / a.count + 1.0 / b.count), freedom)
    })
}

/// Welch's t test, for unequal variances: t = (mean(x) - mean(y)) / sqrt(u + v) with u = var(x) / n, v = var(y) / m,
/// and (u + v)^2 / (u^2 / (n-1) + v^2 / (m-1)) degrees of freedom.
///
/// As SciPy's `ttest_ind(equal_var=False)`; each sample needs two values. Limits as for [`unpaired_t`].
pub fn welch_t(x: &[f64], y: &[f64]) -> TestResult {
    two_samples(x, y, 2, "Welch's t", |a, b| {
        let (u, v) = (a.variance() / a.count, b.variance() / b.count);
        // By shares of the sum: the squares of small variances would underflow.
        let (p, q) = (u / (u + v), v / (u + v));
        (u + v, 1.0 / (p * p / (a.count - 1.0) + q * q / (b.count - 1.0)))
    })
}

/// Number, mean and sum of squared deviations from it.
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
    constant: bool,
}

impl Moments {
    /// Of one value or more. A constant sample has exactly its value as mean and no deviations: rounding of the sum
    /// must not turn "no variance" into "tiny variance".
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        if values.iter().all(|v| *v == values[0]) {
            return Self { count, mean: values[0], squares: 0.0, constant: true };
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Self { count, mean, squares, constant: false }
    }

    fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}

/// The t test of the mean difference, whose variance is `1/n + extra` times that of a difference.
fn one_sample(x: &[f64], y: &[f64], extra: f64, variant: &'static str) -> TestResult {
    let d = match differences(x, y) {
        Ok(d) => d,
        Err(undefined) => return undefined,
    };
    if d.iter().any(|d| !d.is_finite()) {
        return TestResult::undefined(reason::NOT_FINITE);
    }
    if d.iter().all(|d| *d == 0.0) {
        return TestResult::no_difference(NEVER_DIFFER);
    }
    if d.len() < 2 {
        return TestResult::undefined(reason::TOO_FEW);
    }
    let moments = Moments::of(&d);
    if moments.constant {
        return limit(moments.mean);
    }
    let square_error = (1.0 / moments.count + extra) * moments.variance();
    from_error(moments.mean, square_error, moments.count - 1.0, variant)
}

/// The t test of two means; `error` gives the square of the standard error and the degrees of freedom.
fn two_samples(
    x: &[f64],
    y: &[f64],
    fewest: usize,
    variant: &'static str,
    error: impl Fn(&Moments, &Moments) -> (f64, f64),
) -> TestResult {
    if x.len() < fewest || y.len() < fewest || x.len() + y.len() < 3 {
        return TestResult::undefined(reason::TOO_FEW);
    }
    if x.iter().chain(y).any(|v| !v.is_finite()) {
        return TestResult::undefined(reason::NOT_FINITE);
    }
    let (a, b) = (Moments::of(x), Moments::of(y));
    let difference = a.mean - b.mean;
    if a.constant && b.constant {
        if difference == 0.0 {
            return TestResult::no_difference(EQUAL_CONSTANTS);
        }
        return limit(difference);
    }
    let (square_error, freedom) = error(&a, &b);
    from_error(difference, square_error, freedom, variant)
}

/// t = difference / sqrt(square_error), p = 2 P(T > |t|).
fn from_error(
    difference: f64,
    square_error: f64,
    freedom: f64,
    variant: &'static str,
) -> TestResult {
    if !(square_error > 0.0 && square_error.is_finite() && difference.is_finite()) {
        return TestResult::undefined(reason::OUT_OF_RANGE);
    }
    let statistic = difference / square_error.sqrt();
    TestResult { statistic, p_value: 2.0 * student_upper(statistic.abs(), freedom), variant }
}

/// A difference without any variance.
fn limit(difference: f64) -> TestResult {
    let statistic = f64::INFINITY.copysign(difference);
    TestResult { statistic, p_value: 0.0, variant: NO_VARIANCE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let x = [0.1, 0.2, 0.3];
        assert_eq!(paired_t(&x, &x), TestResult::no_difference(NEVER_DIFFER));
        assert_eq!(corrected_resampled_t(&x, &x, 0.1).p_value, 1.0);
        let shifted = [2.0, 3.0, 4.0];
        let constant = paired_t(&[1.0, 2.0, 3.0], &shifted);
        assert_eq!((constant.statistic, constant.p_value), (f64::NEG_INFINITY, 0.0));
        for test in [unpaired_t, welch_t] {
            assert_eq!(test(&[0.1; 3], &[0.1; 5]).p_value, 1.0);
            assert_eq!(test(&[0.2; 3], &[0.1; 5]).statistic, f64::INFINITY);
            assert!((test(&x, &x).p_value - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn what_cannot_be_tested_is_nan() {
        let x = [0.1, 0.2, 0.3];
        let (nan, inf) = ([0.1, f64::NAN, 0.3], [0.1, f64::INFINITY, 0.3]);
        let huge = [f64::MAX, -f64::MAX, 1.0];
        for test in [paired_t, unpaired_t, welch_t] {
            for (a, b) in [(&x, &nan), (&nan, &x), (&x, &inf), (&inf, &inf), (&x, &huge)] {
                let result = test(a, b);
                assert!(result.p_value.is_nan() && result.statistic.is_nan(), "{result:?}");
                assert!(result.variant.starts_with("undefined"));
            }
            assert!(test(&[], &[]).p_value.is_nan());
            assert!(test(&[1.0], &[2.0]).p_value.is_nan());
        }
        assert!(paired_t(&x, &x[..2]).p_value.is_nan());
        assert!(welch_t(&x, &[1.0]).p_value.is_nan());
        assert!(corrected_resampled_t(&x, &[0.0; 3], -0.1).p_value.is_nan());
        assert!(corrected_resampled_t(&x, &[0.0; 3], f64::NAN).p_value.is_nan());
    }

    #[test]
    fn the_correction_widens() {
        let (x, y) = ([0.91, 0.87, 0.9, 0.93, 0.88], [0.9, 0.85, 0.86, 0.9, 0.89]);
        let plain = paired_t(&x, &y);
        assert_eq!(corrected_resampled_t(&x, &y, 0.0).p_value, plain.p_value);
        assert!(corrected_resampled_t(&x, &y, 1.0 / 9.0).p_value > plain.p_value);
    }
}
