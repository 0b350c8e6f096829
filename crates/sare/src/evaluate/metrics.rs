//! How good predictions are.

use crate::classify::ClassValues;
use crate::num::LN_ZERO;
use crate::stats::Merge;
use serde::Serialize;

/// Sums over predicted rows from which the measures follow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Weight of the rows by true class (outer) and predicted class.
    pub confusion: Vec<Vec<f64>>,
    /// Sum of ln p(true class | row) over the rows to which it gives a probability above 0.
    log_likelihood: f64,
    /// Weight of the rows whose true class was given probability 0.
    pub impossible: f64,
    /// Rows.
    pub rows: usize,
}

impl Metrics {
    /// Of no rows.
    pub fn new(classes: usize) -> Metrics {
        let confusion = vec![vec![0.0; classes]; classes];
        Metrics { confusion, log_likelihood: 0.0, impossible: 0.0, rows: 0 }
    }

    /// Adds a row of log posteriors.
    pub fn add(&mut self, log_posteriors: &ClassValues, row: usize, truth: usize, weight: f64) {
        self.confusion[truth][log_posteriors.winner(row)] += weight;
        let ln = log_posteriors.row(row)[truth];
        // The floor that stands for ln 0 in the tables shows through: the class is impossible.
        if ln < LN_ZERO / 2.0 {
            self.impossible += weight;
        } else {
            self.log_likelihood += weight * ln;
        }
        self.rows += 1;
    }

    /// The total weight.
    pub fn weight(&self) -> f64 {
        self.confusion.iter().flatten().sum()
    }

    /// The share of rows predicted right.
    pub fn accuracy(&self) -> f64 {
        (0..self.confusion.len()).map(|c| self.confusion[c][c]).sum::<f64>() / self.weight()
    }

    /// The conditional log-likelihood: the sum of ln p(true class | row); -inf if a true class got probability 0.
    pub fn conditional_log_likelihood(&self) -> f64 {
        if self.impossible > 0.0 { f64::NEG_INFINITY } else { self.log_likelihood }
    }
}

impl Merge for Metrics {
    fn merge(&mut self, other: &Self) {
        for (a, b) in self.confusion.iter_mut().zip(&other.confusion) {
            a.iter_mut().zip(b).for_each(|(x, y)| *x += y);
        }
        self.log_likelihood += other.log_likelihood;
        self.impossible += other.impossible;
        self.rows += other.rows;
    }
}
