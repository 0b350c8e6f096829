//! What a comparison says: who is better where, and how sure that is.

use super::compare::Comparison;
use super::measures::Measure;
use super::validate::Estimate;
use crate::stats::hypothesis::{
    TestResult, average_ranks, corrected_resampled_t, friedman, holm, iman_davenport,
    nemenyi_critical_difference, paired_t, wilcoxon,
};
use serde::Serialize;
use std::cmp::Ordering;

/// The level at which a difference is called significant.
pub const ALPHA: f64 = 0.05;

/// One learner on one data set, beside the first learner.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The measure; `None` where every split failed.
    pub estimate: Option<Estimate>,
    /// The test of the difference from the first learner over the splits both have; `None` for the first itself.
    pub against_first: Option<TestResult>,
    /// Splits that failed.
    pub failed: usize,
    /// Whether it is significantly better (greater) or worse (less) than the first learner.
    #[serde(skip)]
    pub verdict: Ordering,
}

/// One learner beside the first over all data sets.
#[derive(Clone, Debug, Serialize)]
pub struct Against {
    /// Data sets on which its mean is better, equal and worse.
    pub wins: usize,
    /// Equal means.
    pub draws: usize,
    /// Worse means.
    pub losses: usize,
    /// Data sets on which it is significantly better and significantly worse.
    pub significant: (usize, usize),
    /// Wilcoxon's test over the data sets' means.
    pub wilcoxon: TestResult,
    /// Its p-value adjusted by Holm for the number of learners.
    pub holm: f64,
}

/// What a comparison says about one measure.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The measure's name.
    pub measure: &'static str,
    /// Data sets x learners.
    pub cells: Vec<Vec<Cell>>,
    /// How the difference from the first learner was tested on each data set.
    pub test: &'static str,
    /// Each learner's average rank, 1 the best, over the data sets that all learners have a result on.
    pub average_ranks: Vec<f64>,
    /// How many data sets those are.
    pub ranked: usize,
    /// Friedman's test over them, where there are two or more and three or more learners.
    pub friedman: Option<TestResult>,
    /// Iman and Davenport's form of it.
    pub iman_davenport: Option<TestResult>,
    /// Nemenyi's critical difference of average ranks.
    pub critical_difference: Option<f64>,
    /// Every learner but the first beside the first.
    pub against_first: Vec<Against>,
}

impl Summary {
    /// Sums a comparison up for a measure.
    pub fn of(comparison: &Comparison, measure: &Measure) -> Summary {
        let learners = comparison.learners.len();
        let sets = comparison.data.len();
        let cells: Vec<Vec<Cell>> = (0..sets)
            .map(|d| (0..learners).map(|l| cell(comparison, d, l, measure)).collect())
            .collect();
        let mean = |c: &Cell| c.estimate.map(|e| rounded(e.mean)).filter(|m| !m.is_nan());
        let complete: Vec<Vec<f64>> = cells
            .iter()
            .filter_map(|row| row.iter().map(mean).collect::<Option<Vec<f64>>>())
            .collect();
        let enough = complete.len() >= 2 && learners >= 2;
        let mut summary = Summary {
            measure: measure.name,
            test: test_name(comparison),
            average_ranks: average_ranks(&complete, measure.larger_is_better),
            ranked: complete.len(),
            friedman: (enough && learners > 2).then(|| friedman(&complete)),
            iman_davenport: (enough && learners > 2).then(|| iman_davenport(&complete)),
            critical_difference: enough
                .then(|| nemenyi_critical_difference(learners, complete.len(), ALPHA)),
            against_first: (1..learners).map(|l| against(&cells, &complete, l, measure)).collect(),
            cells,
        };
        let p_values: Vec<f64> = summary.against_first.iter().map(|a| a.wilcoxon.p_value).collect();
        for (against, adjusted) in summary.against_first.iter_mut().zip(holm(&p_values)) {
            against.holm = adjusted;
        }
        summary
    }
}

fn test_name(comparison: &Comparison) -> &'static str {
    match comparison.scheme.test_to_train() {
        _ if comparison.trials.iter().flatten().all(|t| t.outcomes.len() < 2) => {
            "no test: one split"
        }
        Some(_) => "corrected resampled t over splits",
        None => "paired t over splits",
    }
}

fn cell(comparison: &Comparison, data: usize, learner: usize, measure: &Measure) -> Cell {
    let trial = &comparison.trials[data][learner];
    let value = |trial: &super::compare::Trial| -> Vec<(usize, f64)> {
        let tested = trial.done().filter(|(i, _)| comparison.scheme.resubstitution() != Some(*i));
        tested.map(|(i, fold)| (i, (measure.value)(&fold.test))).collect()
    };
    let against_first = (learner > 0).then(|| {
        let (ours, first) = (value(trial), value(&comparison.trials[data][0]));
        let both = ours
            .iter()
            .filter_map(|(i, x)| first.iter().find(|(j, _)| j == i).map(|(_, y)| (*x, *y)));
        let (x, y): (Vec<f64>, Vec<f64>) = both.unzip();
        match comparison.scheme.test_to_train() {
            Some(ratio) => corrected_resampled_t(&x, &y, ratio),
            None => paired_t(&x, &y),
        }
    });
    let estimate = comparison.estimate(data, learner, measure.value);
    let first = comparison.estimate(data, 0, measure.value);
    let order = estimate.zip(first).and_then(|(x, y)| better(x.mean, y.mean, measure));
    let significant = against_first.is_some_and(|t| t.p_value < ALPHA);
    let verdict = if significant { order.unwrap_or(Ordering::Equal) } else { Ordering::Equal };
    Cell { estimate, against_first, failed: trial.failures().count(), verdict }
}

/// Means that differ by rounding only are equal.
fn rounded(x: f64) -> f64 {
    let shown = format!("{x:.12e}");
    shown.parse().unwrap_or(x)
}

/// Whether the first of two means is better (greater), equal or worse; `None` if one is no number.
fn better(x: f64, y: f64, measure: &Measure) -> Option<Ordering> {
    let order = rounded(x).partial_cmp(&rounded(y))?;
    Some(if measure.larger_is_better { order } else { order.reverse() })
}

fn against(cells: &[Vec<Cell>], complete: &[Vec<f64>], learner: usize, m: &Measure) -> Against {
    let (mut counts, mut significant) = ([0; 3], (0, 0));
    for row in cells {
        let (Some(ours), Some(first)) = (row[learner].estimate, row[0].estimate) else { continue };
        let Some(order) = better(ours.mean, first.mean, m) else { continue };
        match order {
            Ordering::Greater => counts[0] += 1,
            Ordering::Equal => counts[1] += 1,
            Ordering::Less => counts[2] += 1,
        }
        match row[learner].verdict {
            Ordering::Greater => significant.0 += 1,
            Ordering::Less => significant.1 += 1,
            Ordering::Equal => {}
        }
    }
    let column = |l: usize| complete.iter().map(|row| row[l]).collect::<Vec<f64>>();
    Against {
        wins: counts[0],
        draws: counts[1],
        losses: counts[2],
        significant,
        wilcoxon: wilcoxon(&column(learner), &column(0)),
        holm: f64::NAN,
    }
}
