//! Learning the prior of the tables along the way: how much is added to the counts, and to which states.
//!
//! Expected counts under memberships that mean nothing yet say that clusters hardly differ; a prior that believes them holds the
//! clusters together for ever. So it is learnt in stages: first the clusters settle under a weak prior, then the prior is
//! weighed with every attribute in it, then attributes may turn out not to depend on the cluster. The prior moves by one
//! place of a grid at a time.

use super::prior::TablePrior;
use std::ops::RangeInclusive;

/// How the clusters come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// They settle under the first prior; every attribute depends on the cluster.
    Settling,
    /// The prior is learnt; every attribute depends on the cluster.
    Weighing,
    /// The prior is learnt, and which attributes depend on the cluster.
    Last,
}

/// A prior that is learnt.
#[derive(Clone, Debug)]
pub(super) struct Learning {
    /// The flat ones are tried too.
    either: bool,
    /// Where the centred and, once looked for, the flat ones are in their grids.
    centred: i32,
    flat: Option<i32>,
    pub stage: Stage,
    /// Steps in this stage, and in all.
    steps: usize,
    all_steps: usize,
    /// The most steps of a stage that is not the last.
    patience: usize,
    /// Steps until the prior is looked at again, and how many there were last time.
    wait: usize,
    pause: usize,
    /// Whether the last look left the prior where it was.
    stays: bool,
}

/// Grids are powers of the square root of 2. Of s from 1/8 to 32: where clusters differ less than that, rows rarely suffice to tell
/// them apart, and a prior that gives in makes them one.
const CENTRED: RangeInclusive<i32> = -6..=10;
/// Of a number for every state from 1/32 to 16.
const FLAT: RangeInclusive<i32> = -10..=8;
/// s is 2 at first.
const FIRST: i32 = 2;
/// The most steps of a stage that is not the last.
const PATIENCE: usize = 20;
/// A stage ends before if no probability changes by more.
const CALM: f64 = 0.02;
/// After how many steps a prior that moved is looked at again; one that stays is left alone for twice as long each time.
const PAUSE: usize = 4;
/// After so many steps it is left where it is, so that a loop comes to an end.
const LAST_LOOK: usize = 200;
/// A move must gain more than this part of the evidence.
const LEAST_GAIN: f64 = 1e-9;

fn centred(place: i32) -> TablePrior {
    TablePrior::Centred(2f64.powf(f64::from(place) / 2.0))
}

fn flat(place: i32) -> TablePrior {
    TablePrior::Flat(2f64.powf(f64::from(place) / 2.0))
}

/// The place of most evidence of those that are no further than this from the present one, which wins against equals.
fn best(
    evidence: &dyn Fn(TablePrior) -> f64,
    places: RangeInclusive<i32>,
    present: i32,
    around: i32,
    make: fn(i32) -> TablePrior,
) -> (i32, f64) {
    let mut best = (present, evidence(make(present)));
    for place in places.filter(|p| *p != present && (p - present).abs() <= around) {
        let value = evidence(make(place));
        if value > best.1 + LEAST_GAIN * best.1.abs() {
            best = (place, value);
        }
    }
    best
}

impl Learning {
    /// For a loop of so many iterations. One step alone is the last stage.
    pub(super) fn new(either: bool, iterations: usize) -> Learning {
        let patience = PATIENCE.min(iterations / 4);
        let stage = if patience > 0 { Stage::Settling } else { Stage::Last };
        Learning {
            either,
            centred: FIRST,
            flat: None,
            stage,
            steps: 0,
            all_steps: 0,
            patience,
            wait: 0,
            pause: PAUSE,
            stays: false,
        }
    }

    /// The prior it begins with.
    pub(super) fn first(&self) -> TablePrior {
        centred(self.centred)
    }

    /// Whether there is nothing more to learn for now.
    pub(super) fn settled(&self) -> bool {
        self.stage == Stage::Last && self.stays
    }

    /// The prior for the next step, by the evidence of candidates.
    pub(super) fn look(
        &mut self,
        present: TablePrior,
        evidence: &dyn Fn(TablePrior) -> f64,
    ) -> TablePrior {
        if self.stage == Stage::Settling || self.all_steps >= LAST_LOOK {
            self.stays = true;
            return present;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return present;
        }
        // Where there is one step alone, no place is far.
        let around = if self.patience == 0 { i32::MAX } else { 1 };
        let (place, value) = best(evidence, CENTRED, self.centred, around, centred);
        self.centred = place;
        let mut next = centred(place);
        if self.either {
            // Looked for everywhere the first time.
            let (at, around) = self.flat.map_or((0, i32::MAX), |at| (at, around));
            let (place, of_flat) = best(evidence, FLAT, at, around, flat);
            self.flat = Some(place);
            if of_flat > value + LEAST_GAIN * value.abs() {
                next = flat(place);
            }
        }
        self.stays = next == present;
        self.pause = if self.stays { 2 * self.pause } else { PAUSE };
        self.wait = self.pause - 1;
        next
    }

    /// Takes note of a step by which no probability changed by more than this.
    pub(super) fn stepped(&mut self, change: f64) {
        self.steps += 1;
        self.all_steps += 1;
        let calm = change <= CALM && self.stays;
        let next = match self.stage {
            Stage::Settling => Stage::Weighing,
            Stage::Weighing => Stage::Last,
            Stage::Last => return,
        };
        if calm || self.steps >= self.patience {
            (self.stage, self.steps) = (next, 0);
            (self.wait, self.pause, self.stays) = (0, PAUSE, false);
        }
    }
}
