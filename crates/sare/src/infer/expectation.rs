//! The one loop of learning from expected counts: rows are counted under the present parameters, and what comes of the
//! counts are the next ones (ALGORITHMS 5).

use super::density::LogTables;
use super::slopes::{Criterion, Slopes, SlopesPass};
use crate::data::Source;
use crate::error::Result;
use crate::network::Network;
use crate::observe::Event;
use crate::run::{Outcome, Run, Stop};
use crate::stats::{FamilyTable, run_pass};

/// A learner from expected counts.
pub(crate) trait Maximise {
    /// The network of the same graph that expected counts make.
    fn network(&mut self, counts: &[FamilyTable]) -> Result<Network>;

    /// What is added to the log-likelihood of the rows to make the objective: the logarithm of a prior.
    fn bonus(&self, _network: &Network) -> f64 {
        0.0
    }
}

/// The circumstances of a loop.
pub(crate) struct Expectation<'a> {
    pub data: &'a Source<'a>,
    pub iterations: usize,
    /// It ends when the objective gains no more than this part of itself.
    pub tolerance: f64,
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
            if gain <= self.tolerance * value.abs().max(1.0) {
                outcome.stop = Stop::Converged;
                break;
            }
            network = learner.network(&expected.families)?;
            tables = tables.renewed(&network);
        }
        outcome.iterations = outcome.trace.len();
        Ok(Expected { network, outcome })
    }

    /// The expected counts under some log-probabilities, and the rows' log-likelihood.
    pub(crate) fn count(&self, tables: &LogTables) -> Result<Slopes> {
        let pass = SlopesPass { tables, criterion: Criterion::Joint, value_only: false };
        run_pass(self.data, &pass, self.run)
    }
}
