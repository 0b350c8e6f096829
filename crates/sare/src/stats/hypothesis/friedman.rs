//! Several learners on several data sets: Friedman's test, the form of Iman and Davenport, average ranks and the
//! critical difference of Nemenyi.
//!
//! Rows are data sets, columns are learners. Every row is ranked by itself.

use super::ranks::Ranks;
use super::{TestResult, reason};
use crate::stats::distribution::{chi_square_upper, fisher_upper, studentised_range_quantile};

const ALL_TIED: &str = "every row is tied throughout: no difference";

/// The average rank of every column: rank 1 is the best of a row, tied values share the mean of their ranks.
///
/// NaN for every column of the first row if there is no rank: rows of different lengths, or a value that is NaN.
pub fn average_ranks<R: AsRef<[f64]>>(rows: &[R], larger_is_better: bool) -> Vec<f64> {
    let columns = rows.first().map_or(0, |r| r.as_ref().len());
    let Ok(deviations) = Deviations::of(rows) else {
        return vec![f64::NAN; columns];
    };
    let sign = if larger_is_better { -1.0 } else { 1.0 };
    let middle = (columns as f64 + 1.0) / 2.0;
    let average = |sum: &f64| middle + sign * sum / 2.0 / deviations.rows;
    deviations.sums.iter().map(average).collect()
}

/// Friedman's test: with k columns, N rows and R_j the average ranks, chi^2 = 12 N / (k (k+1)) * sum (R_j -
/// (k+1)/2)^2 / (1 - sum (t^3 - t) / (N k (k^2 - 1))) over groups of t tied values within a row; p is the upper tail
/// of chi-square with k - 1 degrees of freedom.
///
/// As SciPy's `friedmanchisquare`, which refuses two columns; here they are taken. The test has no direction, so it
/// does not matter whether larger is better. Rows that are all tied throughout give p = 1 (SciPy: NaN); NaN for fewer
/// than two columns, no row, rows of different lengths or values that are NaN.
pub fn friedman<R: AsRef<[f64]>>(rows: &[R]) -> TestResult {
    match Deviations::of(rows) {
        Ok(d) if d.total == 0.0 => TestResult::no_difference(ALL_TIED),
        Ok(d) => {
            let freedom = d.sums.len() as f64 - 1.0;
            let statistic = freedom * d.between / d.total;
            let p_value = chi_square_upper(statistic, freedom);
            TestResult { statistic, p_value, variant: "chi-square approximation, tie correction" }
        }
        Err(undefined) => undefined,
    }
}

/// Iman and Davenport's form of [`friedman`], less conservative: F = (N-1) chi^2 / (N (k-1) - chi^2), with k - 1 and
/// (k-1)(N-1) degrees of freedom; chi^2 is the one corrected for ties.
///
/// Rows that all have the same ranks give the limit, an infinite F and p = 0; rows that are all tied throughout p = 1.
/// NaN where [`friedman`] has none, and for a single row.
pub fn iman_davenport<R: AsRef<[f64]>>(rows: &[R]) -> TestResult {
    let d = match Deviations::of(rows) {
        Ok(d) if d.rows < 2.0 => return TestResult::undefined(reason::TOO_FEW),
        Ok(d) => d,
        Err(undefined) => return undefined,
    };
    if d.total == 0.0 {
        return TestResult::no_difference(ALL_TIED);
    }
    let freedom = d.sums.len() as f64 - 1.0;
    // (N-1) chi^2 / (N (k-1) - chi^2) with chi^2 = (k-1) between / total: a difference of whole numbers.
    let statistic = (d.rows - 1.0) * d.between / (d.rows * d.total - d.between);
    let p_value = fisher_upper(statistic, freedom, freedom * (d.rows - 1.0));
    TestResult { statistic, p_value, variant: "F form of Iman and Davenport, tie correction" }
}

/// Nemenyi's critical difference: average ranks of two of k learners over N data sets that are further apart than
/// q / sqrt(2) * sqrt(k (k+1) / (6 N)) differ, at level `alpha` for all pairs together; q is the value that the range
/// of k standard normal variables exceeds with probability `alpha` (studentised range, infinite degrees of freedom).
///
/// NaN for fewer than two learners, no data set or an `alpha` outside of (0, 1).
pub fn nemenyi_critical_difference(learners: usize, data_sets: usize, alpha: f64) -> f64 {
    if data_sets == 0 {
        return f64::NAN;
    }
    let k = learners as f64;
    let q = studentised_range_quantile(alpha, learners);
    q / std::f64::consts::SQRT_2 * (k * (k + 1.0) / (6.0 * data_sets as f64)).sqrt()
}

/// Doubled deviations of the ranks (rank 1 the smallest) from their mean (k+1)/2: whole numbers, so that all of this
/// is exact and "no difference" and "same ranks in every row" are recognised for certain.
struct Deviations {
    rows: f64,
    /// By column, summed over the rows.
    sums: Vec<f64>,
    /// The squares of `sums`, summed.
    between: f64,
    /// The squares of all deviations, summed: N k (k^2 - 1) / 3 less sum (t^3 - t) / 3 for ties.
    total: f64,
}

impl Deviations {
    fn of<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, TestResult> {
        let columns = rows.first().map_or(0, |r| r.as_ref().len());
        if columns < 2 {
            return Err(TestResult::undefined(reason::TOO_FEW));
        }
        if rows.iter().any(|r| r.as_ref().len() != columns) {
            return Err(TestResult::undefined(reason::LENGTHS));
        }
        if rows.iter().any(|r| r.as_ref().iter().any(|v| v.is_nan())) {
            return Err(TestResult::undefined(reason::NOT_NUMBERS));
        }
        let middle = columns as f64 + 1.0;
        let (mut sums, mut total) = (vec![0.0; columns], 0.0);
        for row in rows {
            for (sum, &doubled) in sums.iter_mut().zip(&Ranks::of(row.as_ref()).doubled) {
                let deviation = doubled as f64 - middle;
                *sum += deviation;
                total += deviation * deviation;
            }
        }
        let between = sums.iter().map(|s| s * s).sum();
        Ok(Self { rows: rows.len() as f64, sums, between, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_averaged_with_the_best_first() {
        let rows = [[0.9, 0.8, 0.8, 0.7], [0.5, 0.6, 0.4, 0.3]];
        assert_eq!(average_ranks(&rows, true), [1.5, 1.75, 2.75, 4.0]);
        assert_eq!(average_ranks(&rows, false), [3.5, 3.25, 2.25, 1.0]);
        assert!(average_ranks::<[f64; 2]>(&[], true).is_empty());
        let ragged = [vec![1.0, 2.0], vec![1.0]];
        assert!(average_ranks(&ragged, true).iter().all(|r| r.is_nan()));
    }

    #[test]
    fn limits() {
        let same = [[1.0, 2.0, 3.0]; 4];
        assert_eq!(friedman(&same).statistic, 8.0);
        let f = iman_davenport(&same);
        assert_eq!((f.statistic, f.p_value), (f64::INFINITY, 0.0));
        let tied = [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]];
        assert_eq!((friedman(&tied).p_value, iman_davenport(&tied).p_value), (1.0, 1.0));
        let balanced = [[1.0, 2.0, 3.0], [2.0, 3.0, 1.0], [3.0, 1.0, 2.0]];
        assert_eq!((friedman(&balanced).statistic, friedman(&balanced).p_value), (0.0, 1.0));
        assert_eq!(iman_davenport(&balanced).p_value, 1.0);
    }

    #[test]
    fn what_cannot_be_tested_is_nan() {
        assert!(iman_davenport(&[[1.0, 2.0, 3.0]]).p_value.is_nan());
        for test in [friedman::<Vec<f64>>, iman_davenport::<Vec<f64>>] {
            assert!(test(&[]).p_value.is_nan());
            assert!(test(&[vec![], vec![]]).p_value.is_nan());
            assert!(test(&[vec![1.0], vec![2.0]]).p_value.is_nan());
            assert!(test(&[vec![1.0, 2.0], vec![2.0]]).p_value.is_nan());
            assert!(test(&[vec![1.0, 2.0], vec![2.0, f64::NAN]]).p_value.is_nan());
        }
        assert!(nemenyi_critical_difference(1, 5, 0.05).is_nan());
        assert!(nemenyi_critical_difference(5, 0, 0.05).is_nan());
        assert!(nemenyi_critical_difference(5, 5, 1.0).is_nan());
    }

    /// Demšar (2006), section 3.2: four learners, 14 data sets.
    #[test]
    fn critical_difference_of_demsar() {
        assert!((nemenyi_critical_difference(4, 14, 0.05) - 1.25).abs() < 0.005);
        assert!((nemenyi_critical_difference(4, 14, 0.10) - 1.12).abs() < 0.005);
    }
}
