//! L-BFGS (Nocedal, 1980): the inverse curvature from the last few steps, by the two-loop recursion.

use super::climb::{Taken, Way};
use super::line::{Line, Point};
use super::vector::{add, dot, norm, rescale, scaled_dot};
use super::wolfe;
use crate::error::Result;
use std::collections::VecDeque;

/// A step and how much the gradient fell on it.
struct Pair {
    moved: Vec<f64>,
    fell: Vec<f64>,
    /// Their product, above 0.
    bend: f64,
}

/// The steps remembered, the oldest first.
pub(super) struct LimitedMemory<'a> {
    scale: Option<&'a [f64]>,
    memory: usize,
    pairs: VecDeque<Pair>,
}

impl<'a> LimitedMemory<'a> {
    pub fn new(memory: usize, scale: Option<&'a [f64]>) -> LimitedMemory<'a> {
        LimitedMemory { scale, memory, pairs: VecDeque::new() }
    }
}

impl Way for LimitedMemory<'_> {
    fn aim(&self, gradient: &[f64], direction: &mut [f64]) {
        direction.copy_from_slice(gradient);
        let mut parts = vec![0.0; self.pairs.len()];
        for (pair, part) in self.pairs.iter().zip(&mut parts).rev() {
            *part = dot(&pair.moved, direction) / pair.bend;
            add(direction, -*part, &pair.fell);
        }
        // The newest step tells how far the scale is off as a whole.
        let factor = self
            .pairs
            .back()
            .map_or(1.0, |pair| pair.bend / scaled_dot(self.scale, &pair.fell, &pair.fell));
        rescale(self.scale, factor, direction);
        for (pair, part) in self.pairs.iter().zip(&parts) {
            let back = dot(&pair.fell, direction) / pair.bend;
            add(direction, part - back, &pair.moved);
        }
    }

    fn first_step(&self, _: f64) -> Option<f64> {
        // The direction has the right length by itself as soon as one step is known.
        (!self.pairs.is_empty()).then_some(1.0)
    }

    fn search(&self, line: &mut Line<'_, '_>, first: f64) -> Result<()> {
        wolfe::search(line, first)
    }

    fn learn(&mut self, before: &Point, after: &Point, _: &Taken<'_>) {
        // The oldest pair's memory is used again.
        let spare = if self.pairs.len() == self.memory { self.pairs.pop_front() } else { None };
        let mut pair =
            spare.unwrap_or_else(|| Pair { moved: Vec::new(), fell: Vec::new(), bend: 0.0 });
        pair.moved.clear();
        pair.moved.extend(after.x.iter().zip(&before.x).map(|(a, b)| a - b));
        pair.fell.clear();
        pair.fell.extend(before.gradient.iter().zip(&after.gradient).map(|(b, a)| b - a));
        pair.bend = dot(&pair.moved, &pair.fell);
        // Without a bend downwards, beyond rounding, the next direction might not rise. That the oldest pair is then gone
        // as well does not matter: it told least.
        if pair.bend > f64::EPSILON * norm(&pair.moved) * norm(&pair.fell) {
            self.pairs.push_back(pair);
        }
    }

    fn forget(&mut self) -> bool {
        let had = !self.pairs.is_empty();
        self.pairs.clear();
        had
    }
}
