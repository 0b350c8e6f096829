//! Multinomial logistic regression, and Newton's method to judge by.

use super::super::Objective;
use crate::error::Result;
use crate::num::normalise_logs;
use crate::seed::{Purpose, Random};

/// sum ln p(class | row) - penalty/2 |x|^2, with one weight for each class and column.
pub struct Logistic {
    pub rows: Vec<Vec<f64>>,
    pub classes: Vec<usize>,
    pub class_count: usize,
    pub penalty: f64,
}

impl Logistic {
    /// Rows of normal numbers and a constant, with classes drawn from a model of random weights.
    pub fn random(rows: usize, columns: usize, class_count: usize, penalty: f64) -> Logistic {
        let mut random = Random::new(7, Purpose::Sample, 0);
        let weights: Vec<f64> = (0..class_count * columns).map(|_| random.normal()).collect();
        let mut made = Logistic { rows: Vec::new(), classes: Vec::new(), class_count, penalty };
        for _ in 0..rows {
            let row: Vec<f64> =
                (0..columns).map(|c| if c == 0 { 1.0 } else { random.normal() }).collect();
            made.add_drawn(row, &weights, &mut random);
        }
        made
    }

    /// Rows of zeros and ones; column k has a one in about 2^-k of them. So most cells are rare.
    pub fn rare(rows: usize, columns: usize, penalty: f64) -> Logistic {
        let mut random = Random::new(8, Purpose::Sample, 0);
        let weights: Vec<f64> = (0..2 * columns).map(|_| random.normal()).collect();
        let mut made = Logistic { rows: Vec::new(), classes: Vec::new(), class_count: 2, penalty };
        for _ in 0..rows {
            let one = |k: usize, u: f64| f64::from(u8::from(u < 0.5f64.powi(k as i32)));
            let row: Vec<f64> = (0..columns).map(|k| one(k, random.uniform())).collect();
            made.add_drawn(row, &weights, &mut random);
        }
        made
    }

    fn add_drawn(&mut self, row: Vec<f64>, weights: &[f64], random: &mut Random) {
        let p = posterior(&row, weights, self.class_count).0;
        let mut left = random.uniform();
        let class = p.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        self.rows.push(row);
        self.classes.push(class.unwrap_or(self.class_count - 1));
    }

    pub fn variables(&self) -> usize {
        self.class_count * self.rows[0].len()
    }

    /// The top by Newton's method from zero: it needs the matrix of second derivatives, but no line search here.
    pub fn newton(&mut self) -> Vec<f64> {
        let n = self.variables();
        let columns = self.rows[0].len();
        let mut x = vec![0.0; n];
        for _ in 0..30 {
            let mut right = vec![0.0; n];
            self.evaluate(&x, &mut right).unwrap();
            let mut bend = vec![vec![0.0; n]; n];
            for (i, row) in bend.iter_mut().enumerate() {
                row[i] = self.penalty;
            }
            for row in &self.rows {
                let p = posterior(row, &x, self.class_count).0;
                for i in 0..n {
                    for j in 0..n {
                        let (a, b) = (i / columns, j / columns);
                        let same = if a == b { p[a] } else { 0.0 };
                        bend[i][j] += (same - p[a] * p[b]) * row[i % columns] * row[j % columns];
                    }
                }
            }
            for (x, step) in x.iter_mut().zip(solve(bend, right)) {
                *x += step;
            }
        }
        x
    }
}

impl Objective for Logistic {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let mut value = 0.0;
        for (row, &class) in self.rows.iter().zip(&self.classes) {
            let (p, logs) = posterior(row, x, self.class_count);
            value += logs[class];
            for (k, part) in gradient.chunks_exact_mut(row.len()).enumerate() {
                let error = f64::from(u8::from(k == class)) - p[k];
                part.iter_mut().zip(row).for_each(|(g, r)| *g += error * r);
            }
        }
        for (g, x) in gradient.iter_mut().zip(x) {
            value -= 0.5 * self.penalty * x * x;
            *g -= self.penalty * x;
        }
        Ok(value)
    }
}

/// The probabilities of the classes and their logarithms.
fn posterior(row: &[f64], weights: &[f64], class_count: usize) -> (Vec<f64>, Vec<f64>) {
    let sum = |w: &[f64]| w.iter().zip(row).map(|(w, r)| w * r).sum::<f64>();
    let mut logs: Vec<f64> = weights.chunks_exact(row.len()).map(sum).collect();
    let mut p = logs.clone();
    assert_eq!(p.len(), class_count);
    let total = normalise_logs(&mut p);
    logs.iter_mut().for_each(|l| *l -= total);
    (p, logs)
}

/// Gauss's elimination; the matrix is positive definite, so no pivots are sought.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        let (done, rest) = a.split_at_mut(i + 1);
        for (row, k) in rest.iter_mut().zip(i + 1..) {
            let factor = row[i] / done[i][i];
            row.iter_mut().zip(&done[i]).for_each(|(r, d)| *r -= factor * d);
            b[k] -= factor * b[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}
