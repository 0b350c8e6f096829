//! Functions whose top is known.

use super::super::Objective;
use crate::error::Result;

/// -1/2 (x - top)' A (x - top) with A = diag(curvature) + tie 11'.
pub struct Quadratic {
    pub top: Vec<f64>,
    pub curvature: Vec<f64>,
    pub tie: f64,
}

impl Quadratic {
    /// Curvatures from 1 to `condition`, in equal ratios.
    pub fn spread(variables: usize, condition: f64, tie: f64) -> Quadratic {
        let last = (variables - 1) as f64;
        Quadratic {
            top: (0..variables).map(|i| (i as f64 * 0.7).sin() * 2.0).collect(),
            curvature: (0..variables).map(|i| condition.powf(i as f64 / last)).collect(),
            tie,
        }
    }
}

impl Objective for Quadratic {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let away: Vec<f64> = x.iter().zip(&self.top).map(|(x, t)| x - t).collect();
        let sum: f64 = away.iter().sum();
        for ((g, a), c) in gradient.iter_mut().zip(&away).zip(&self.curvature) {
            *g = -c * a - self.tie * sum;
        }
        Ok(0.5 * gradient.iter().zip(&away).map(|(g, a)| g * a).sum::<f64>())
    }
}

/// Rosenbrock's valley in pairs of variables, upside down; highest at (1, 1, ...), where it is 0.
pub struct Rosenbrock;

impl Objective for Rosenbrock {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let mut value = 0.0;
        for (x, g) in x.chunks_exact(2).zip(gradient.chunks_exact_mut(2)) {
            let (off, left) = (x[1] - x[0] * x[0], 1.0 - x[0]);
            value -= 100.0 * off * off + left * left;
            g[0] = 400.0 * x[0] * off + 2.0 * left;
            g[1] = -200.0 * off;
        }
        Ok(value)
    }
}

/// sum i (ln x_i - x_i): highest at (1, 1, ...), NaN below 0.
pub struct Walled;

impl Objective for Walled {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let mut value = 0.0;
        for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
            let weight = (i + 1) as f64;
            value += weight * (x.ln() - x);
            *g = weight * (1.0 / x - 1.0);
        }
        Ok(value)
    }
}

/// A function of one formula.
pub struct Formula<F>(pub F);

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Objective for Formula<F> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        Ok((self.0)(x, gradient))
    }
}
