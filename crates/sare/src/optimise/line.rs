//! Points, counted evaluations, and the function along a line.

use super::Objective;
use super::vector::dot;
use crate::error::Result;

/// A point with what one pass told about it.
pub(super) struct Point {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
}

impl Point {
    /// A place of which nothing is known yet.
    pub fn at(x: &[f64]) -> Point {
        Point { x: x.to_vec(), value: f64::NAN, gradient: vec![0.0; x.len()] }
    }
}

/// Counts the passes.
pub(super) struct Counted<'a> {
    objective: &'a mut dyn Objective,
    pub evaluations: usize,
}

impl<'a> Counted<'a> {
    pub fn new(objective: &'a mut dyn Objective) -> Counted<'a> {
        Counted { objective, evaluations: 0 }
    }

    /// Learns value and gradient; false if they are not finite.
    pub fn evaluate(&mut self, point: &mut Point) -> Result<bool> {
        // A step so long that a variable overflowed needs no pass to be refused.
        if point.x.iter().any(|x| !x.is_finite()) {
            return Ok(false);
        }
        self.evaluations += 1;
        point.gradient.fill(0.0);
        point.value = self.objective.evaluate(&point.x, &mut point.gradient)?;
        Ok(point.value.is_finite() && point.gradient.iter().all(|g| g.is_finite()))
    }
}

/// The function at one step along a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub step: f64,
    pub value: f64,
    pub slope: f64,
}

/// The function on the way from a point in a direction that rises there.
pub(super) struct Line<'a, 'o> {
    counted: &'a mut Counted<'o>,
    from: &'a Point,
    direction: &'a [f64],
    start: Sample,
    trial: &'a mut Point,
    kept: &'a mut Point,
    trial_step: f64,
    kept_step: f64,
}

impl<'a, 'o> Line<'a, 'o> {
    /// `slope` is that of the direction at its beginning; the two spare points are for the trials.
    pub fn new(
        counted: &'a mut Counted<'o>,
        from: &'a Point,
        (direction, slope): (&'a [f64], f64),
        [trial, kept]: [&'a mut Point; 2],
    ) -> Line<'a, 'o> {
        let start = Sample { step: 0.0, value: from.value, slope };
        Line { counted, from, direction, start, trial, kept, trial_step: 0.0, kept_step: 0.0 }
    }

    /// The line's beginning.
    pub fn start(&self) -> Sample {
        self.start
    }

    /// A gain below this is lost in rounding.
    pub fn noise(&self) -> f64 {
        f64::EPSILON * self.start.value.abs()
    }

    /// One pass at this step; none if the function is not finite there.
    pub fn look(&mut self, step: f64) -> Result<Option<Sample>> {
        for ((x, from), d) in self.trial.x.iter_mut().zip(&self.from.x).zip(self.direction) {
            *x = from + step * d;
        }
        self.trial_step = step;
        if !self.counted.evaluate(self.trial)? {
            return Ok(None);
        }
        let slope = dot(&self.trial.gradient, self.direction);
        Ok(Some(Sample { step, value: self.trial.value, slope }))
    }

    /// Keeps the point last looked at in place of the one kept before.
    pub fn keep(&mut self) {
        std::mem::swap(self.trial, self.kept);
        self.kept_step = self.trial_step;
    }

    /// The step of the point kept; 0 if none was.
    pub fn kept_step(&self) -> f64 {
        self.kept_step
    }
}
