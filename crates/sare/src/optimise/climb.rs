//! The loop that all methods share: direction, line search, and the rules by which it ends.

use super::line::{Counted, Line, Point};
use super::settings::{Settings, bad};
use super::vector::{dot, largest, norm};
use super::{Objective, Optimum, Watch};
use crate::error::{Error, Result};
use crate::run::Stop;

/// As many iterations in a row must gain next to nothing before the climb ends.
const QUIET: usize = 2;

/// What tells one method from another.
pub(super) trait Way {
    /// Writes the direction to go from a point with this gradient. With nothing learnt it is the scaled gradient.
    fn aim(&self, gradient: &[f64], direction: &mut [f64]);

    /// The step to try first along a direction of this slope; none if nothing is learnt.
    fn first_step(&self, slope: f64) -> Option<f64>;

    /// Looks for a better point on the line and keeps it there; what is kept is no lower than the line's beginning.
    fn search(&self, line: &mut Line<'_, '_>, first: f64) -> Result<()>;

    /// Learns from a step that was taken.
    fn learn(&mut self, before: &Point, after: &Point, taken: &Taken<'_>);

    /// Forgets all that was learnt; false if that was nothing.
    fn forget(&mut self) -> bool;
}

/// A step that was taken.
pub(super) struct Taken<'a> {
    pub direction: &'a [f64],
    pub slope: f64,
    pub step: f64,
}

/// Where the climb is, with the room it needs to go on.
struct Climber<'a, 'o> {
    counted: Counted<'o>,
    settings: &'a Settings<'a>,
    here: Point,
    trial: Point,
    kept: Point,
    direction: Vec<f64>,
    /// How long the last step was.
    reach: Option<f64>,
}

impl Climber<'_, '_> {
    /// One iteration; false if no step goes up.
    fn iterate(&mut self, way: &mut dyn Way) -> Result<bool> {
        loop {
            way.aim(&self.here.gradient, &mut self.direction);
            let slope = dot(&self.here.gradient, &self.direction);
            if slope > 0.0 && slope.is_finite() {
                // The guess of a function that rises for ever can overflow.
                let first = way.first_step(slope).filter(|step| step.is_finite() && *step > 0.0);
                let first = first.unwrap_or_else(|| self.blind_step());
                let line = (self.direction.as_slice(), slope);
                let room = [&mut self.trial, &mut self.kept];
                let mut line = Line::new(&mut self.counted, &self.here, line, room);
                way.search(&mut line, first)?;
                let step = line.kept_step();
                if step > 0.0 {
                    let taken = Taken { direction: &self.direction, slope, step };
                    way.learn(&self.here, &self.kept, &taken);
                    self.reach = Some(step * norm(&self.direction)).filter(|r| r.is_finite());
                    std::mem::swap(&mut self.here, &mut self.kept);
                    return Ok(true);
                }
            }
            // What was learnt may mislead: once more along the gradient itself.
            if !way.forget() {
                return Ok(false);
            }
        }
    }

    /// The first step where nothing is learnt: as long as the last one. The very first has length 1, or that of the
    /// caller's guess.
    fn blind_step(&self) -> f64 {
        match (self.reach, self.settings.scale) {
            (None, Some(_)) => 1.0,
            (reach, _) => reach.unwrap_or(1.0) / norm(&self.direction),
        }
    }

    fn is_flat(&self) -> bool {
        largest(&self.here.gradient) <= self.settings.tolerance * self.settings.rows
    }

    /// What an iteration must gain not to be quiet.
    fn least_gain(&self) -> f64 {
        self.settings.tolerance * self.here.value.abs().max(self.settings.rows)
    }
}

/// Climbs by one method.
pub(super) fn climb(
    objective: &mut dyn Objective,
    start: &[f64],
    settings: &Settings<'_>,
    way: &mut dyn Way,
    watch: &mut Watch<'_>,
) -> Result<Optimum> {
    let mut climber = Climber {
        counted: Counted::new(objective),
        settings,
        here: Point::at(start),
        trial: Point::at(start),
        kept: Point::at(start),
        direction: vec![0.0; start.len()],
        reach: None,
    };
    if !climber.counted.evaluate(&mut climber.here)? {
        return Err(bad("start", climber.here.value, "where value and gradient are finite"));
    }
    let start_value = climber.here.value;
    let mut trace = Vec::new();
    let mut quiet = 0;
    let stop = loop {
        if quiet == QUIET || climber.is_flat() {
            break Stop::Converged;
        }
        if trace.len() == settings.max_iterations {
            break Stop::IterationLimit;
        }
        let before = climber.here.value;
        match climber.iterate(way) {
            Ok(true) => {}
            Ok(false) => break Stop::NoGain,
            Err(Error::Interrupted) => break Stop::Interrupted,
            Err(error) => return Err(error),
        }
        trace.push(climber.here.value);
        let gained = climber.here.value - before > climber.least_gain();
        quiet = if gained { 0 } else { quiet + 1 };
        match watch(&climber.here.x, climber.here.value, trace.len()) {
            Ok(flow) if flow.is_continue() => {}
            Ok(_) | Err(Error::Interrupted) => break Stop::Interrupted,
            Err(error) => return Err(error),
        }
    };
    Ok(Optimum {
        x: climber.here.x,
        value: climber.here.value,
        start_value,
        stop,
        iterations: trace.len(),
        evaluations: climber.counted.evaluations,
        trace,
    })
}
