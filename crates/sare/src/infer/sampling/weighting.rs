//! Independent rows, each with a weight: forward sampling and likelihood weighting.

use super::super::evidence::{Evidence, Finding};
use super::{Estimates, findings, no_row, places};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// The most parts that rows are drawn in, and the fewest rows of a part.
const PARTS: usize = 256;
const LEAST_ROWS: usize = 1000;

/// Sums of the weights and of their squares, in all and by state. All are divided by exp(`top`), or its square, so that
/// the weights of much evidence do not vanish.
struct Sums {
    top: f64,
    rows: usize,
    weight: f64,
    square: f64,
    weights: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn new(states: usize) -> Sums {
        let (weights, squares) = (vec![0.0; states], vec![0.0; states]);
        Sums { top: f64::NEG_INFINITY, rows: 0, weight: 0.0, square: 0.0, weights, squares }
    }

    /// Counts from another `top`, which is not lower.
    fn lift(&mut self, top: f64) {
        if top <= self.top {
            return;
        }
        let by = (self.top - top).exp();
        self.top = top;
        self.weight *= by;
        self.square *= by * by;
        self.weights.iter_mut().for_each(|w| *w *= by);
        self.squares.iter_mut().for_each(|w| *w *= by * by);
    }

    fn add(&mut self, log_weight: f64, row: &[usize], from: &[usize]) {
        self.rows += 1;
        if log_weight == f64::NEG_INFINITY {
            return;
        }
        self.lift(log_weight);
        let w = (log_weight - self.top).exp();
        self.weight += w;
        self.square += w * w;
        for (state, start) in row.iter().zip(from) {
            self.weights[start + state] += w;
            self.squares[start + state] += w * w;
        }
    }

    fn merge(mut self, mut other: Sums) -> Sums {
        self.lift(other.top);
        other.lift(self.top);
        self.rows += other.rows;
        self.weight += other.weight;
        self.square += other.square;
        self.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += b);
        self.squares.iter_mut().zip(other.squares).for_each(|(a, b)| *a += b);
        self
    }

    fn estimates(self, from: Vec<usize>) -> Estimates {
        let marginals: Vec<f64> = self.weights.iter().map(|w| w / self.weight).collect();
        // The variance of a ratio of sums: sum of (w (hit - p))^2 / (sum of w)^2.
        let error = |(p, square): (&f64, &f64)| {
            let sum = (1.0 - 2.0 * p) * square + p * p * self.square;
            sum.max(0.0).sqrt() / self.weight
        };
        let errors = marginals.iter().zip(&self.squares).map(error).collect();
        let rows = self.rows as f64;
        let mean = self.weight / rows;
        let variance = (self.square / rows - mean * mean).max(0.0) / rows;
        Estimates {
            from,
            marginals,
            errors,
            samples: self.rows,
            effective: Some(self.weight * self.weight / self.square),
            log_evidence: Some((mean.ln() + self.top, variance.sqrt() / mean)),
        }
    }
}

/// Draws the rows and sums their weights; `clamp` keeps what is known as it is.
pub(super) fn estimate(
    network: &Network,
    evidence: &Evidence,
    clamp: bool,
    samples: usize,
    run: &Run<'_>,
) -> Result<Estimates> {
    let from = places(network);
    let known = findings(network, evidence);
    let order = network.dag().topological_order();
    let size = samples.div_ceil(PARTS).max(LEAST_ROWS);
    let parts = samples.div_ceil(size);
    run.tell(&Event::Phase { name: "sampling", steps: Some(samples as u64) })?;
    let part = |index: usize| {
        let mut random = Random::new(run.seed, Purpose::Weighting, index as u64);
        let mut sums = Sums::new(from[known.len()]);
        let mut row = vec![0; known.len()];
        let rows = size.min(samples - index * size);
        for _ in 0..rows {
            let weight = draw(network, &order, &known, clamp, &mut random, &mut row);
            sums.add(weight, &row, &from);
        }
        run.tell(&Event::Step { steps: rows as u64 })?;
        Ok(sums)
    };
    let all: Result<Vec<Sums>> = run.install(|| (0..parts).into_par_iter().map(part).collect());
    let sums = all?.into_iter().reduce(Sums::merge).ok_or(Error::Interrupted)?;
    if sums.weight <= 0.0 {
        return Err(no_row(network, evidence, samples));
    }
    Ok(sums.estimates(from))
}

/// Draws a row and returns ln of its weight.
pub(super) fn draw(
    network: &Network,
    order: &[usize],
    known: &[Option<&Finding>],
    clamp: bool,
    random: &mut Random,
    row: &mut [usize],
) -> f64 {
    let mut log_weight = 0.0;
    for &v in order {
        let given = network.row_of(v, row);
        row[v] = match known[v] {
            Some(Finding::State(state)) if clamp => {
                log_weight += given[*state].ln();
                *state
            }
            _ => random.categorical(given),
        };
        match known[v] {
            Some(Finding::State(state)) if row[v] != *state => log_weight = f64::NEG_INFINITY,
            Some(Finding::Likelihood(l)) => log_weight += l[row[v]].ln(),
            _ => {}
        }
    }
    log_weight
}
