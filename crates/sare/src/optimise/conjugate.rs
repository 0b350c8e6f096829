//! Conjugate gradient after Polak and Ribiere, with Brent's line search.

use super::brent;
use super::climb::{Taken, Way};
use super::line::{Line, Point};
use super::vector::{add, rescale, scaled_dot};
use crate::error::Result;

/// The last step.
struct Last {
    gradient: Vec<f64>,
    direction: Vec<f64>,
    /// Its step times its slope, by which the next step is guessed.
    promised: f64,
    /// Steps since the last one along the gradient itself.
    since: usize,
}

/// Remembers the last step.
pub(super) struct ConjugateGradient<'a> {
    scale: Option<&'a [f64]>,
    last: Option<Last>,
}

impl<'a> ConjugateGradient<'a> {
    pub fn new(scale: Option<&'a [f64]>) -> ConjugateGradient<'a> {
        ConjugateGradient { scale, last: None }
    }
}

impl Way for ConjugateGradient<'_> {
    fn aim(&self, gradient: &[f64], direction: &mut [f64]) {
        direction.copy_from_slice(gradient);
        rescale(self.scale, 1.0, direction);
        let Some(last) = &self.last else { return };
        // After as many steps as there are variables no more directions are conjugate to all the others.
        if last.since >= gradient.len() {
            return;
        }
        let new = scaled_dot(self.scale, gradient, gradient);
        let shared = scaled_dot(self.scale, gradient, &last.gradient);
        let old = scaled_dot(self.scale, &last.gradient, &last.gradient);
        let weight = (new - shared) / old;
        // A negative weight means that the old direction is of no use: start afresh from the gradient.
        if weight > 0.0 && weight.is_finite() {
            add(direction, weight, &last.direction);
        }
    }

    fn first_step(&self, slope: f64) -> Option<f64> {
        // About as much will be gained as the last time.
        self.last.as_ref().map(|last| last.promised / slope)
    }

    fn search(&self, line: &mut Line<'_, '_>, first: f64) -> Result<()> {
        brent::search(line, first)
    }

    fn learn(&mut self, before: &Point, _: &Point, taken: &Taken<'_>) {
        let last = self.last.get_or_insert_with(|| Last {
            gradient: Vec::new(),
            direction: Vec::new(),
            promised: 0.0,
            since: 0,
        });
        last.since = if last.since >= before.x.len() { 1 } else { last.since + 1 };
        last.gradient.clone_from(&before.gradient);
        last.direction.clear();
        last.direction.extend_from_slice(taken.direction);
        last.promised = taken.step * taken.slope;
    }

    fn forget(&mut self) -> bool {
        self.last.take().is_some()
    }
}
