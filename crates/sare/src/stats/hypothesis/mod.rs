//! Tests of hypotheses, for comparing learners.
//!
//! Every test is a total function: where it cannot be done, the result is NaN and its variant says why. Where SciPy
//! has the test, statistic and p-value are those of its defaults (version 1.17; golden cases in
//! `tests/golden/hypothesis.json`); the few deliberate differences are in the documentation of each function.

pub mod correlation;
pub mod friedman;
pub mod multiple;
pub mod rank_sum;
mod ranks;
pub mod signed_rank;
pub mod student;

pub use correlation::spearman;
pub use friedman::{average_ranks, friedman, iman_davenport, nemenyi_critical_difference};
pub use multiple::holm;
pub use rank_sum::mann_whitney;
pub use signed_rank::wilcoxon;
pub use student::{corrected_resampled_t, paired_t, unpaired_t, welch_t};

use serde::Serialize;

/// What a test found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TestResult {
    /// The test statistic; which one, the function says.
    pub statistic: f64,
    /// The probability, if there is no difference, of a statistic at least this far from what is then expected, in
    /// either direction (two-sided).
    pub p_value: f64,
    /// How the p-value was found, or why there is none.
    pub variant: &'static str,
}

impl TestResult {
    /// The result of a test that cannot be done.
    const fn undefined(why: &'static str) -> Self {
        Self { statistic: f64::NAN, p_value: f64::NAN, variant: why }
    }

    /// The result for learners that never differ.
    const fn no_difference(variant: &'static str) -> Self {
        Self { statistic: 0.0, p_value: 1.0, variant }
    }
}

/// Why a test was not done; one text each, so that callers see the same words from every test.
mod reason {
    pub const LENGTHS: &str = "undefined: the samples have different lengths";
    pub const TOO_FEW: &str = "undefined: too few values";
    pub const NOT_NUMBERS: &str = "undefined: a value is not a number";
    pub const NOT_FINITE: &str = "undefined: a value is not finite";
    pub const OUT_OF_RANGE: &str = "undefined: the variance is outside of the number range";
}

/// x - y pair by pair, or why there are no differences to test.
fn differences(x: &[f64], y: &[f64]) -> Result<Vec<f64>, TestResult> {
    if x.len() != y.len() {
        return Err(TestResult::undefined(reason::LENGTHS));
    }
    if x.is_empty() {
        return Err(TestResult::undefined(reason::TOO_FEW));
    }
    Ok(x.iter().zip(y).map(|(x, y)| x - y).collect())
}
