//! Raising a smooth function of many variables, whose value and gradient come together from one pass over the rows.
//!
//! A pass is what costs, so passes are what is saved and counted ([`Optimum::evaluations`]). Two methods: L-BFGS, which
//! needs little more than one pass an iteration, and the published conjugate gradient with Brent's line search, which
//! needs several.
//!
//! Whatever the function does, no iteration goes down and no point is returned that is worse than the start. Where the
//! value or a part of the gradient is not a finite number, the step is shortened. The order of all sums is fixed, so
//! the same function gives the same bits.
//!
//! ```
//! use sare::error::Result;
//! use sare::optimise::{Objective, Settings, maximise};
//! use std::ops::ControlFlow;
//!
//! /// Highest at (3, 3, ...).
//! struct Hill;
//!
//! impl Objective for Hill {
//!     fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
//!         let mut value = 0.0;
//!         for (x, slope) in x.iter().zip(gradient) {
//!             value -= (x - 3.0).powi(2);
//!             *slope = -2.0 * (x - 3.0);
//!         }
//!         Ok(value)
//!     }
//! }
//!
//! let mut quiet = |_: &[f64], _: f64, _: usize| Ok(ControlFlow::Continue(()));
//! let top = maximise(&mut Hill, &[0.0, 10.0], &Settings::default(), &mut quiet)?;
//! assert!(top.x.iter().all(|x| (x - 3.0).abs() < 1e-6));
//! # Ok::<(), sare::error::Error>(())
//! ```

mod brent;
mod climb;
mod conjugate;
mod limited_memory;
mod line;
mod settings;
#[cfg(test)]
mod tests;
mod vector;
mod wolfe;

pub use settings::{Method, Settings};

use self::climb::climb;
use self::conjugate::ConjugateGradient;
use self::limited_memory::LimitedMemory;
use crate::error::Result;
use crate::run::{Outcome, Stop};
use std::ops::ControlFlow;

/// A function to be raised.
pub trait Objective {
    /// The value at `x`; writes the gradient there, which is all zero on entry. One pass over the rows.
    ///
    /// A value or gradient that is not finite says that `x` is out of bounds. The error `Interrupted` ends the climb
    /// with the best point so far; any other error ends it without a result.
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

/// Hears after each iteration where the climb is, how high, and the iteration's number from 1. The answer `Break`, or the
/// error `Interrupted`, ends the climb there. Observers and early stopping on held-out rows are made of this.
pub type Watch<'a> = dyn FnMut(&[f64], f64, usize) -> Result<ControlFlow<()>> + 'a;

/// Where a climb ended, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The highest point met at the end of an iteration, which is the last one; the start if there was none.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The value at the start.
    pub start_value: f64,
    /// Why it ended.
    pub stop: Stop,
    /// How many iterations there were.
    pub iterations: usize,
    /// How many times the function was evaluated, the start included.
    pub evaluations: usize,
    /// The value after each iteration; it never falls.
    pub trace: Vec<f64>,
}

impl Optimum {
    /// What a learner tells about this climb.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            stop: self.stop,
            iterations: self.iterations,
            // The start first, so that it can be seen what was gained.
            trace: [self.start_value].into_iter().chain(self.trace.iter().copied()).collect(),
            passes: self.evaluations,
            ..Outcome::exact()
        }
    }
}

/// Raises `objective` from `start` on, until the tolerance, the limit on iterations or `watch` ends it.
///
/// Fails if the settings are impossible or the start has no finite value and gradient.
pub fn maximise(
    objective: &mut dyn Objective,
    start: &[f64],
    settings: &Settings<'_>,
    watch: &mut Watch<'_>,
) -> Result<Optimum> {
    settings.check(start)?;
    match settings.method {
        Method::LimitedMemory => climb(
            objective,
            start,
            settings,
            &mut LimitedMemory::new(settings.memory, settings.scale),
            watch,
        ),
        Method::ConjugateGradient => {
            climb(objective, start, settings, &mut ConjugateGradient::new(settings.scale), watch)
        }
    }
}
