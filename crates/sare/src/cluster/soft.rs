//! Clusters by learners that want the class known: each step they are told how much every row probably is of which
//! cluster (ALGORITHMS 8).

use super::completed::Completed;
use super::fixed::{blank_of, random_start};
use super::starts::{Reached, Starts, longest};
use crate::average::Model;
use crate::classify::Fitted;
use crate::data::Table;
use crate::error::Result;
use crate::infer::density::Purpose;
use crate::infer::expectation::{Steps, Until, climb};
use crate::run::{Outcome, Run};

/// Learns from completed rows of which it is known how much each is of which cluster.
pub(super) trait SoftLearner: Sync {
    /// What it learns.
    type Own: Clone + Send + Sync;

    /// Where a start begins.
    fn first(&self, completed: &Completed, index: usize, run: &Run<'_>) -> Result<Self::Own>;

    /// ln p(cluster, row) of every completed row.
    fn logs(&self, own: &Self::Own, completed: &Completed, run: &Run<'_>) -> Result<Vec<f64>>;

    /// What comes of memberships.
    fn learn(
        &self,
        completed: &Completed,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Self::Own>;

    /// What is known of attributes and arcs.
    fn outcome(&self, own: &Self::Own) -> Outcome;

    /// The model for others to use.
    fn finish(&self, own: Self::Own, completed: &Completed, run: &Run<'_>) -> Result<Model>;
}

/// When a start ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ending {
    /// No membership changes by more.
    pub tolerance: f64,
    /// At most this many iterations; the best starts may take more.
    pub iterations: usize,
}

/// Starts are compared at no tighter a tolerance, before the best ones continue.
const LOOSE: f64 = 1e-3;

/// Starts of a learner on rows of unknown cluster.
pub(super) struct Soft<L> {
    completed: Completed,
    learner: L,
    ending: Ending,
}

impl<L: SoftLearner> Soft<L> {
    pub(super) fn new(rows: &Table, learner: L, ending: Ending) -> Result<Soft<L>> {
        Ok(Soft::of(Completed::new(rows)?, learner, ending))
    }

    pub(super) fn of(completed: Completed, learner: L, ending: Ending) -> Soft<L> {
        Soft { completed, learner, ending }
    }

    fn told(&self, own: &L::Own, run: &Run<'_>) -> Result<(Vec<f64>, f64)> {
        Ok(self.completed.normalised(self.learner.logs(own, &self.completed, run)?))
    }

    fn climb(&self, from: L::Own, ending: Ending, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let mut steps = SoftSteps { of: self, run, last: Vec::new(), change: f64::INFINITY };
        let until = Until::Change(ending.tolerance);
        let (own, outcome) = climb(&mut steps, from, ending.iterations, until, run)?;
        let Outcome { stop, iterations, trace, passes, .. } = outcome;
        let outcome = Outcome { stop, iterations, trace, passes, ..self.learner.outcome(&own) };
        self.reached(own, outcome, run)
    }

    fn reached(&self, own: L::Own, outcome: Outcome, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let (_, log_likelihood) = self.told(&own, &run.to_the_end())?;
        Ok(Reached { own, outcome, log_likelihood, score: log_likelihood })
    }
}

impl<L: SoftLearner> Starts for Soft<L> {
    type Own = L::Own;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let first = self.learner.first(&self.completed, index, run)?;
        let Ending { tolerance, iterations } = self.ending;
        self.climb(first, Ending { tolerance: tolerance.max(LOOSE), iterations }, run)
    }

    fn go_on(&self, reached: &Reached<L::Own>, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let iterations = longest(self.ending.iterations);
        let further = self.climb(reached.own.clone(), Ending { iterations, ..self.ending }, run)?;
        Ok(further.after(&reached.outcome))
    }

    fn memberships(&self, own: &L::Own, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(self.told(own, run)?.0)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.completed.rows().weights()
    }

    fn step(
        &self,
        _: &Reached<L::Own>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<L::Own>> {
        let own = self.learner.learn(&self.completed, memberships, run)?;
        let outcome = self.learner.outcome(&own);
        self.reached(own, outcome, run)
    }

    fn finish(&self, own: L::Own, run: &Run<'_>) -> Result<Model> {
        self.learner.finish(own, &self.completed, run)
    }

    fn clusters(&self) -> usize {
        self.completed.clusters()
    }
}

/// The steps of one start.
struct SoftSteps<'a, L> {
    of: &'a Soft<L>,
    run: &'a Run<'a>,
    /// The memberships before the last.
    last: Vec<f64>,
    change: f64,
}

impl<L: SoftLearner> Steps for SoftSteps<'_, L> {
    type Model = L::Own;
    type Told = Vec<f64>;

    fn expect(&mut self, own: &L::Own) -> Result<(Vec<f64>, f64)> {
        let (memberships, value) = self.of.told(own, self.run)?;
        if !self.last.is_empty() {
            let changes = memberships.iter().zip(&self.last).map(|(a, b)| (a - b).abs());
            self.change = changes.fold(0.0, f64::max);
        }
        self.last.clone_from(&memberships);
        Ok((memberships, value))
    }

    fn next(&mut self, _: &L::Own, told: Vec<f64>) -> Result<L::Own> {
        self.of.learner.learn(&self.of.completed, told, self.run)
    }

    /// Of a membership.
    fn change(&self) -> f64 {
        self.change
    }
}

/// Learns a model from rows of which it is known how much each is of which cluster.
pub(super) trait Supervised: Sync {
    /// The model, with what it tells of attributes and arcs.
    fn learn(
        &self,
        completed: &Completed,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<(Model, Outcome)>;
}

impl<S: Supervised> SoftLearner for S {
    type Own = (Fitted, Outcome);

    /// The first memberships are those of a random naive Bayes.
    fn first(&self, completed: &Completed, index: usize, run: &Run<'_>) -> Result<Self::Own> {
        let blank = blank_of(completed.rows().schema())?;
        let start = Model::Network(random_start(&blank, run.seed, index)?);
        Ok((start.into(), Outcome::exact()))
    }

    fn logs(
        &self,
        (fitted, _): &Self::Own,
        completed: &Completed,
        run: &Run<'_>,
    ) -> Result<Vec<f64>> {
        fitted.per_class(completed.rows().view(), Purpose::Density, run, |_| {})
    }

    fn learn(
        &self,
        completed: &Completed,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Self::Own> {
        let (model, outcome) = Supervised::learn(self, completed, memberships, run)?;
        Ok((model.into(), outcome))
    }

    fn outcome(&self, (_, outcome): &Self::Own) -> Outcome {
        outcome.clone()
    }

    fn finish(&self, (fitted, _): Self::Own, _: &Completed, _: &Run<'_>) -> Result<Model> {
        Ok(fitted.model())
    }
}
