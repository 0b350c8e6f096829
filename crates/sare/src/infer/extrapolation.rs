//! Fewer iterations of EM: two steps show where they lead, and the next model is taken from further on that way. Steps of squared
//! length, scheme S3 of Varadhan and Roland (2008, Scandinavian Journal of Statistics 35), with a guard: where the objective is
//! lower there, the loop goes back to the plain step, so that it never falls.

use crate::error::Result;
use crate::network::Network;

/// Extrapolation along a run of EM.
#[derive(Default)]
pub(crate) struct Extrapolation {
    /// Where the present cycle began, once its first step was taken.
    origin: Option<Network>,
    /// The plain step to go back to, and the objective before it, while an extrapolated model is not checked yet.
    plain: Option<(Network, f64)>,
    /// Whether the last step was extrapolated.
    extrapolated: bool,
    reach: Reach,
}

/// How far extrapolation may go: further each time it went as far and that was good.
struct Reach {
    most: f64,
    tried: f64,
}

impl Default for Reach {
    fn default() -> Reach {
        Reach { most: 4.0, tried: 0.0 }
    }
}

/// How much further or less far than before.
const FACTOR: f64 = 4.0;

/// A probability that extrapolation would make 0 or less keeps this part of itself.
const LEAST_PART: f64 = 0.1;

impl Extrapolation {
    /// The model to go on from after a plain step from `present`, whose objective is `value`, to `next`.
    pub(super) fn step(&mut self, present: &Network, next: Network, value: f64) -> Result<Network> {
        self.extrapolated = false;
        let Some(origin) = self.origin.take() else {
            self.origin = Some(present.clone());
            return Ok(next);
        };
        let length = self.length(&origin, present, &next);
        if length <= 1.0 {
            return Ok(next);
        }
        let tables =
            (0..next.variables().len()).map(|v| further(&origin, present, &next, v, length));
        let guess = next.with_tables(tables.collect())?;
        self.plain = Some((next, value));
        self.extrapolated = true;
        Ok(guess)
    }

    /// The plain step, where the extrapolated model's objective is lower than that before both.
    pub(super) fn check(&mut self, value: f64) -> Option<Network> {
        let (plain, before) = self.plain.take()?;
        let Reach { most, tried } = &mut self.reach;
        if value >= before {
            *most = if *tried == *most { *most * FACTOR } else { *most };
            return None;
        }
        *most = (*most / FACTOR).max(1.0);
        self.extrapolated = false;
        Some(plain)
    }

    /// Whether the last step was one of EM.
    pub(super) fn took_plain_step(&self) -> bool {
        !self.extrapolated
    }

    /// How far to go, in steps; 1 is the plain one.
    fn length(&mut self, origin: &Network, first: &Network, second: &Network) -> f64 {
        let (mut step, mut turn) = (0.0, 0.0);
        for v in 0..origin.variables().len() {
            let tables = origin.table(v).iter().zip(first.table(v)).zip(second.table(v));
            for ((a, b), c) in tables {
                step += (b - a) * (b - a);
                turn += (c - 2.0 * b + a) * (c - 2.0 * b + a);
            }
        }
        let wanted = if turn > 0.0 { (step / turn).sqrt() } else { 1.0 };
        self.reach.tried = wanted.min(self.reach.most);
        self.reach.tried
    }
}

/// The table of a variable so far along the way of two steps; its rows remain distributions.
fn further(a: &Network, b: &Network, c: &Network, variable: usize, length: f64) -> Vec<f64> {
    let states = c.states(variable);
    let at = |i: usize| {
        let (a, b, c) = (a.table(variable)[i], b.table(variable)[i], c.table(variable)[i]);
        let p = a + 2.0 * length * (b - a) + length * length * (c - 2.0 * b + a);
        if p > LEAST_PART * c { p } else { LEAST_PART * c }
    };
    let mut table: Vec<f64> = (0..c.table(variable).len()).map(at).collect();
    for row in table.chunks_exact_mut(states) {
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= total);
    }
    table
}
