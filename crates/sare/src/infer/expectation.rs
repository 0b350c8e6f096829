//! The one loop of learning from expected counts: rows are counted under the present model, and what comes of the counts
//! is the next one (ALGORITHMS 5 and 8).

use super::density::LogTables;
use super::extrapolation::Extrapolation;
use super::slopes::{Criterion, Slopes, SlopesPass};
use crate::data::Source;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::observe::Event;
use crate::run::{Outcome, Run, Stop};
use crate::stats::{FamilyTable, run_pass};

/// When the loop ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Until {
    /// The objective gains no more than this part of itself.
    Gain(f64),
    /// Nothing that the loop watches changes by more than this: for steps that do not maximise the objective.
    Change(f64),
}

/// The steps of a loop.
pub(crate) trait Steps {
    /// What is learnt.
    type Model;
    /// What the rows say under a model.
    type Told;

    /// What the rows say under a model, and the objective.
    fn expect(&mut self, model: &Self::Model) -> Result<(Self::Told, f64)>;

    /// The model that comes of what the rows said.
    fn next(&mut self, model: &Self::Model, told: Self::Told) -> Result<Self::Model>;

    /// The largest change that the last steps made, of whatever the loop watches; infinite where there was none yet.
    fn change(&self) -> f64;

    /// Whether the loop may end; not while the steps are about to become others.
    fn settled(&self) -> bool {
        true
    }

    /// The model to go back to where the present one was only a guess and its objective, this value, is too low; asked after
    /// every E step, and with minus infinity where the loop ends before the guess was checked.
    fn retreat(&mut self, _value: f64) -> Option<Self::Model> {
        None
    }
}

/// Takes steps from a model until they come to an end. The trace holds the objective of every model that was kept.
pub(crate) fn climb<S: Steps>(
    steps: &mut S,
    start: S::Model,
    iterations: usize,
    until: Until,
    run: &Run<'_>,
) -> Result<(S::Model, Outcome)> {
    let mut model = start;
    let mut outcome = Outcome { stop: Stop::IterationLimit, ..Outcome::exact() };
    for number in 1..=iterations {
        let (told, value, passes) = match checked(steps, &mut model) {
            // Whatever was learnt so far is kept; of the start alone there is nothing to keep.
            Err(Error::Interrupted) if number > 1 => {
                outcome.stop = Stop::Interrupted;
                break;
            }
            asked => asked?,
        };
        outcome.passes += passes;
        // What was told under this model makes the next one; the last value is that of the present one.
        let gain = outcome.trace.last().map_or(f64::INFINITY, |last| value - last);
        outcome.trace.push(value);
        run.should_stop(&Event::Step { steps: 1 });
        if run.should_stop(&Event::Iteration { number, objective: value }) {
            outcome.stop = Stop::Interrupted;
            break;
        }
        let done = match until {
            Until::Gain(part) => gain <= part * value.abs().max(1.0),
            Until::Change(most) => steps.change() <= most,
        };
        if done && steps.settled() {
            outcome.stop = Stop::Converged;
            break;
        }
        model = match steps.next(&model, told) {
            Err(Error::Interrupted) => {
                outcome.stop = Stop::Interrupted;
                break;
            }
            next => next?,
        };
    }
    if let Some(safe) = steps.retreat(f64::NEG_INFINITY) {
        model = safe;
    }
    outcome.iterations = outcome.trace.len();
    Ok((model, outcome))
}

/// What the rows say under the model, or under the one to go back to if that is better; and how many passes it took.
fn checked<S: Steps>(steps: &mut S, model: &mut S::Model) -> Result<(S::Told, f64, usize)> {
    let (told, value) = steps.expect(model)?;
    let Some(safe) = steps.retreat(value) else { return Ok((told, value, 1)) };
    *model = safe;
    let (told, value) = steps.expect(model)?;
    Ok((told, value, 2))
}

/// A learner from expected counts of the families of one graph.
pub(crate) trait Maximise {
    /// The network of the same graph that the expected counts under the present one make.
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network>;

    /// What is added to the log-likelihood of the rows to make the objective: the logarithm of a prior.
    fn bonus(&self, _network: &Network) -> f64 {
        0.0
    }

    /// Whether the loop may end; not while what comes of the same counts is about to change.
    fn settled(&self) -> bool {
        true
    }
}

/// The circumstances of a loop over networks of one graph.
#[derive(Clone, Copy)]
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
    /// Goes on from a network until the objective no longer rises.
    pub(crate) fn climb(&self, start: Network, learner: &mut dyn Maximise) -> Result<Expected> {
        self.run_from(start, learner, None)
    }

    /// The same in fewer iterations, by extrapolation. For learners whose objective never falls.
    pub(crate) fn climb_fast(
        &self,
        start: Network,
        learner: &mut dyn Maximise,
    ) -> Result<Expected> {
        self.run_from(start, learner, Some(Extrapolation::default()))
    }

    fn run_from(
        &self,
        start: Network,
        learner: &mut dyn Maximise,
        extrapolation: Option<Extrapolation>,
    ) -> Result<Expected> {
        let tables = LogTables::new(&start);
        tables.check_source(self.data)?;
        let change = f64::INFINITY;
        let value = f64::NEG_INFINITY;
        let mut steps = OfFamilies { among: self, learner, tables, change, value, extrapolation };
        let (network, outcome) = climb(&mut steps, start, self.iterations, self.until, self.run)?;
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

/// The steps over networks of one graph: expected counts of its families, and what a learner makes of them.
struct OfFamilies<'a> {
    among: &'a Expectation<'a>,
    learner: &'a mut dyn Maximise,
    /// The log-probabilities of the present network.
    tables: LogTables,
    change: f64,
    /// The objective of the present network.
    value: f64,
    extrapolation: Option<Extrapolation>,
}

impl Steps for OfFamilies<'_> {
    type Model = Network;
    type Told = Vec<FamilyTable>;

    fn expect(&mut self, network: &Network) -> Result<(Vec<FamilyTable>, f64)> {
        let counted = self.among.count(&self.tables)?;
        self.value = counted.value + self.learner.bonus(network);
        Ok((counted.families, self.value))
    }

    fn next(&mut self, network: &Network, counts: Vec<FamilyTable>) -> Result<Network> {
        let mut next = self.learner.network(network, &counts)?;
        self.change = largest_change(network, &next);
        if let Some(extrapolation) = &mut self.extrapolation {
            next = extrapolation.step(network, next, self.value)?;
        }
        self.tables = self.tables.renewed(&next);
        Ok(next)
    }

    /// Of a probability.
    fn change(&self) -> f64 {
        self.change
    }

    /// The gain of an extrapolated step says nothing of how far there is to go.
    fn settled(&self) -> bool {
        let plain = self.extrapolation.as_ref().is_none_or(Extrapolation::took_plain_step);
        plain && self.learner.settled()
    }

    fn retreat(&mut self, value: f64) -> Option<Network> {
        let safe = self.extrapolation.as_mut()?.check(value)?;
        self.tables = self.tables.renewed(&safe);
        Some(safe)
    }
}

/// The largest change of a probability.
pub(crate) fn largest_change(before: &Network, after: &Network) -> f64 {
    let of = |v: usize| before.table(v).iter().zip(after.table(v)).map(|(a, b)| (a - b).abs());
    (0..before.variables().len()).flat_map(of).fold(0.0, f64::max)
}
