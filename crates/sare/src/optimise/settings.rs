//! How a climb goes and when it ends.

use crate::error::{Error, Result};

/// How the next direction and step are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// L-BFGS: curvature learnt from the last steps, and steps that meet the strong Wolfe conditions.
    #[default]
    LimitedMemory,
    /// Polak-Ribiere directions, never with a negative weight, and Brent's line search. As published; needs several
    /// times the passes.
    ConjugateGradient,
}

/// The settings of a climb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings<'a> {
    /// How the next direction and step are found.
    pub method: Method,
    /// How many steps L-BFGS remembers, each as two vectors; more of them can save passes where curvatures differ much.
    pub memory: usize,
    /// At most this many iterations; 0 evaluates the start and returns it.
    pub max_iterations: usize,
    /// When it is good enough. The climb ends as converged
    ///
    /// * where no entry of the gradient, taken per row, is larger: no variable moved by 1 promises more a row; or
    /// * after two iterations in a row that each gained no more than this part of the value, or, where the value is nearer
    ///   to 0 than the number of rows, no more than this a row. One such iteration can be bad luck.
    ///
    /// 0 goes on until rounding hides every gain; that ends as converged or without gain, by chance.
    pub tolerance: f64,
    /// How many rows (or how much weight) the value is a sum over; 1 if it is a mean.
    pub rows: f64,
    /// A guess for each variable of how far it is from the top divided by the slope there: the inverse of its curvature,
    /// such as 1 / count for a cell that `count` rows touch. All above 0.
    ///
    /// Only the ratios matter much, but the very first step is taken as if the guess were true. None takes all variables
    /// for alike, and the first step has length 1.
    pub scale: Option<&'a [f64]>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings {
            method: Method::default(),
            memory: 10,
            max_iterations: 1000,
            tolerance: 1e-8,
            rows: 1.0,
            scale: None,
        }
    }
}

impl Settings<'_> {
    /// Refuses settings that no climb from `start` can have.
    pub(super) fn check(&self, start: &[f64]) -> Result<()> {
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(bad("tolerance", self.tolerance, "0 or a positive number"));
        }
        if self.memory == 0 {
            return Err(bad("memory", self.memory, "1 or more"));
        }
        if !(self.rows > 0.0 && self.rows.is_finite()) {
            return Err(bad("rows", self.rows, "a positive number"));
        }
        if let Some(x) = start.iter().find(|x| !x.is_finite()) {
            return Err(bad("start", x, "all finite"));
        }
        let Some(scale) = self.scale else { return Ok(()) };
        if scale.len() != start.len() {
            let expected = format!("one number a variable, {}", start.len());
            return Err(bad("scale", format!("{} numbers", scale.len()), expected));
        }
        match scale.iter().find(|s| !(**s > 0.0 && s.is_finite())) {
            Some(s) => Err(bad("scale", s, "all positive and finite")),
            None => Ok(()),
        }
    }
}

/// An impossible setting.
pub(super) fn bad(setting: &str, value: impl ToString, expected: impl Into<String>) -> Error {
    Error::Setting {
        learner: "optimise".into(),
        setting: setting.into(),
        value: value.to_string(),
        expected: expected.into(),
    }
}
