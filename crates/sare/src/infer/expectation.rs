//! The one loop of learning from expected counts: rows are counted under the present parameters, and what comes of the
//! counts are the next ones (ALGORITHMS 5 and 8).

use super::density::LogTables;
use super::slopes::{Criterion, Slopes, SlopesPass};
use crate::data::Source;
use crate::error::Result;
use crate::network::Network;
use crate::observe::Event;
use crate::run::{Outcome, Run, Stop};
use crate::stats::{FamilyTable, run_pass};

/// When the loop ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Until {
    /// The objective gains no more than this part of itself.
    Gain(f64),
    /// No probability changes by more than this: for updates that do not maximise the objective.
    Change(f64),
}

/// A learner from expected counts.
pub(crate) trait Maximise {
    /// The network of the same graph that the expected counts under the present one make.
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network>;

    /// What is added to the log-likelihood of the rows to make the objective: the logarithm of a prior.
    fn bonus(&self, _network: &Network) -> f64 {
        0.0
    }
}

/// The circumstances of a loop.
pub(crate) struct Expectation<'a> {
    pub data: &'a Source<'a>,
    /// Joint where the class is seen, latent where it is not.
    pub criterion: Criterion,
    pub iterations: usize,
    pub until: Until,
    pub run: &'a Run<'a>,
}

/// What came of a loop.
pub(crate) struct Expected {
    pub network: Network,
    pub outcome: Outcome,
}

impl Expectation<'_> {
    /// Goes on from a network until the objective no longer rises. The trace holds that of every network that was counted
    /// under.
    pub(crate) fn climb(&self, start: Network, learner: &mut dyn Maximise) -> Result<Expected> {
        let mut network = start;
        let mut tables = LogTables::new(&network);
        tables.check_source(self.data)?;
        let mut outcome = Outcome { stop: Stop::IterationLimit, ..Outcome::exact() };
        let mut change = f64::INFINITY;
        for number in 1..=self.iterations {
            let expected = self.count(&tables)?;
            outcome.passes += 1;
            let value = expected.value + learner.bonus(&network);
            // The counts under these parameters make the next ones; the last value is that of the present ones.
            let gain = outcome.trace.last().map_or(f64::INFINITY, |last| value - last);
            outcome.trace.push(value);
            self.run.tell(&Event::Step { steps: 1 })?;
            if self.run.should_stop(&Event::Iteration { number, objective: value }) {
                outcome.stop = Stop::Interrupted;
                break;
            }
            let done = match self.until {
                Until::Gain(part) => gain <= part * value.abs().max(1.0),
                Until::Change(most) => change <= most,
            };
            if done {
                outcome.stop = Stop::Converged;
                break;
            }
            let next = learner.network(&network, &expected.families)?;
            change = largest_change(&network, &next);
            network = next;
            tables = tables.renewed(&network);
        }
        outcome.iterations = outcome.trace.len();
        Ok(Expected { network, outcome })
    }

    /// The rows' log-likelihood under some log-probabilities.
    pub(crate) fn value(&self, tables: &LogTables) -> Result<f64> {
        let pass = SlopesPass { tables, criterion: self.criterion, value_only: true };
        Ok(run_pass(self.data, &pass, self.run)?.value)
    }

    /// The expected counts under some log-probabilities, and the rows' log-likelihood.
    pub(crate) fn count(&self, tables: &LogTables) -> Result<Slopes> {
        let pass = SlopesPass { tables, criterion: self.criterion, value_only: false };
        run_pass(self.data, &pass, self.run)
    }
}

/// The largest change of a probability.
fn largest_change(before: &Network, after: &Network) -> f64 {
    let of = |v: usize| before.table(v).iter().zip(after.table(v)).map(|(a, b)| (a - b).abs());
    (0..before.variables().len()).flat_map(of).fold(0.0, f64::max)
}
