//! The penalty that keeps parameters near the generative ones they start from (ALGORITHMS 5).
//!
//! A table row theta with the start theta0 costs l2 / 2 times the sum over its states of (d - mean d)^2, where
//! d = ln theta - ln theta0. The mean is taken off because a constant added to the log-parameters of a row changes no
//! probability: the cost is that of the row, not of how it is written (Aitchison 1986). A normal prior of variance 1 / l2
//! on each log-parameter gives the same. What the rows say grows with their number and the penalty does not, so it fades
//! where there are many; a table row of which they say nothing stays at its start.

use crate::describe::{Range, Setting};
use crate::num::log_sum_exp;

/// The setting of learners that tell classes apart. `docs/results/discriminative.md` says how its default was chosen.
pub(crate) const L2: Setting = Setting {
    name: "l2",
    help: "how strongly log-parameters are drawn to the generative ones; 0 is the published form",
    range: Range::NotNegative { default: 3.0 },
};

/// Learners whose model files did not name the penalty while there was none by default.
const ONCE_WITHOUT: [&str; 6] = ["cll", "ae", "se", "mixed", "tm", "structural-tm"];

/// The text form of a learner read from a model file. One that does not name the penalty was written when the default
/// was none.
pub(crate) fn named(mut form: String) -> String {
    let (name, settings) = crate::describe::parts(&form);
    if ONCE_WITHOUT.contains(&name) && settings.is_some_and(|s| !s.contains("l2=")) {
        form.push_str(",l2=0");
    }
    form
}

/// How far a row of log-parameters is from its start: the differences less their mean.
pub(super) fn distances(row: &[f64], start: &[f64]) -> Vec<f64> {
    let mut d: Vec<f64> = row.iter().zip(start).map(|(x, a)| x - a).collect();
    let mean = d.iter().sum::<f64>() / d.len() as f64;
    d.iter_mut().for_each(|d| *d -= mean);
    d
}

/// What a row costs.
pub(super) fn cost(l2: f64, distances: &[f64]) -> f64 {
    0.5 * l2 * distances.iter().map(|d| d * d).sum::<f64>()
}

/// The row of log-probabilities with the greatest sum of `counts` times log-probabilities less what it costs. `counts`
/// may be negative here and there, but not their sum. Newton's method from `row` on: the function is concave.
pub(super) fn best_row(counts: &[f64], l2: f64, start: &[f64], row: &mut [f64]) {
    let total: f64 = counts.iter().sum();
    let value = |row: &[f64]| dot(counts, row) - cost(l2, &distances(row, start));
    let mut here = value(row);
    for _ in 0..MOST_STEPS {
        let direction = newton(counts, total, l2, start, row);
        let mut step = 1.0;
        let next = loop {
            let next: Vec<f64> =
                row.iter().zip(&direction.steps).map(|(x, d)| x + step * d).collect();
            let next = normalised(next);
            // The last step gains less than rounding shows.
            if direction.gain <= NOISE * here.abs().max(1.0) {
                row.copy_from_slice(&next);
                return;
            }
            let there = value(&next);
            if there > here {
                here = there;
                break next;
            }
            step /= 2.0;
        };
        row.copy_from_slice(&next);
    }
}

/// Newton's method ends well before.
const MOST_STEPS: usize = 100;

/// A gain below this share of the value is rounding.
const NOISE: f64 = 1e-13;

/// Where Newton's method goes next, and what that promises to gain.
struct Direction {
    steps: Vec<f64>,
    gain: f64,
}

/// The curvature is diagonal but for an outer product of the probabilities (Sherman and Morrison 1950).
fn newton(counts: &[f64], total: f64, l2: f64, start: &[f64], row: &[f64]) -> Direction {
    let p: Vec<f64> = row.iter().map(|x| x.exp()).collect();
    let d = distances(row, start);
    let slopes: Vec<f64> = (0..p.len()).map(|k| counts[k] - total * p[k] - l2 * d[k]).collect();
    let solve =
        |v: &[f64]| -> Vec<f64> { v.iter().zip(&p).map(|(v, p)| v / (total * p + l2)).collect() };
    let (alone, shared) = (solve(&slopes), solve(&p));
    let factor = total * dot(&p, &alone) / (l2 * shared.iter().sum::<f64>());
    let steps: Vec<f64> = alone.iter().zip(&shared).map(|(a, s)| a + factor * s).collect();
    let gain = 0.5 * dot(&slopes, &steps);
    Direction { steps, gain }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Makes the exponentials of a row sum to 1.
fn normalised(mut row: Vec<f64>) -> Vec<f64> {
    let total = log_sum_exp(&row);
    row.iter_mut().for_each(|x| *x -= total);
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slope of the sum less the cost vanishes in every direction, and no neighbour is higher.
    #[test]
    fn the_best_row_is_the_best() {
        let start: Vec<f64> = [0.5f64, 0.3, 0.2].iter().map(|p| p.ln()).collect();
        for (counts, l2) in [
            ([5.0, 2.0, 9.0], 1.0),
            ([30.0, -2.0, 1.0], 0.1),
            ([0.0, 0.0, 4000.0], 0.01),
            ([1e-3, 1e-3, 1e-3], 10.0),
        ] {
            let mut row = start.clone();
            best_row(&counts, l2, &start, &mut row);
            assert!((row.iter().map(|x| x.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
            let value = |row: &[f64]| {
                let row = normalised(row.to_vec());
                let d: Vec<f64> = row.iter().zip(&start).map(|(x, a)| x - a).collect();
                let mean = d.iter().sum::<f64>() / 3.0;
                let squares: f64 = d.iter().map(|d| (d - mean).powi(2)).sum();
                counts.iter().zip(&row).map(|(n, x)| n * x).sum::<f64>() - l2 / 2.0 * squares
            };
            for k in 0..3 {
                let at = |step: f64| {
                    let mut moved = row.clone();
                    moved[k] += step;
                    value(&moved)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                let scale = counts.iter().map(|n| n.abs()).sum::<f64>() + 1.0;
                assert!(slope.abs() < 1e-8 * scale, "{counts:?} {l2}: {slope}");
                assert!(at(1e-2) < value(&row) && at(-1e-2) < value(&row));
            }
        }
    }

    #[test]
    fn forms_of_old_files_name_the_penalty_they_had() {
        let named = |form: &str| named(form.into());
        assert_eq!(named("cll:method=lbfgs"), "cll:method=lbfgs,l2=0");
        assert_eq!(named("tm:refuse,alpha=0"), "tm:refuse,alpha=0,l2=0");
        assert_eq!(named("structural-tm:1,alpha=1"), "structural-tm:1,alpha=1,l2=0");
        for same in ["mixed:m=0.5,method=lbfgs,l2=3", "laplace", "ll:method=cg", "em:1"] {
            assert_eq!(named(same), same);
        }
    }
}
