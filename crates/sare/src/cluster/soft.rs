//! Clusters by learners that want the class known: each step they are given how much every row belongs to each cluster
//! (ALGORITHMS 8).

use super::completed::{memberships, weigh};
use super::fixed::{blank_of, random_start};
use super::starts::{Reached, Starts, longest};
use crate::average::expected::{Expect, Weights};
use crate::average::{Model, PairTables};
use crate::classify::Fitted;
use crate::data::{Source, Table};
use crate::error::Result;
use crate::infer::density::has_holes;
use crate::infer::expectation::{Steps, Until, climb};
use crate::infer::forest::Forest;
use crate::run::{Outcome, Run};

/// Learns from rows of which it is known how much each belongs to each cluster.
pub(super) trait SoftLearner: Sync {
    /// What it learns.
    type Own: Clone + Send + Sync;

    /// Where a start begins.
    fn first(&self, index: usize, run: &Run<'_>) -> Result<Self::Own>;

    /// p(cluster | row) of everything that is counted, side by side, and the log-likelihood of the rows.
    fn memberships(&self, own: &Self::Own, run: &Run<'_>) -> Result<(Vec<f64>, f64)>;

    /// The next model by memberships; whatever these leave open, such as missing cells, is as `present` has it.
    fn learn(&self, present: &Self::Own, memberships: Vec<f64>, run: &Run<'_>)
    -> Result<Self::Own>;

    /// What is known of attributes and arcs.
    fn outcome(&self, own: &Self::Own) -> Outcome;

    /// The model for others to use.
    fn finish(&self, own: Self::Own, run: &Run<'_>) -> Result<Model>;

    /// Everything that is counted; the last column is the cluster.
    fn rows(&self) -> &Table;
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

/// Starts of a learner.
pub(super) struct Soft<L> {
    pub(super) learner: L,
    pub(super) ending: Ending,
}

impl<L: SoftLearner> Soft<L> {
    fn climb(&self, from: L::Own, ending: Ending, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let mut steps = SoftSteps { of: self, run, last: Vec::new(), change: f64::INFINITY };
        let until = Until::Change(ending.tolerance);
        let (own, outcome) = climb(&mut steps, from, ending.iterations, until, run)?;
        let Outcome { stop, iterations, trace, passes, .. } = outcome;
        let outcome = Outcome { stop, iterations, trace, passes, ..self.learner.outcome(&own) };
        self.reached(own, outcome, run)
    }

    fn reached(&self, own: L::Own, outcome: Outcome, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let (_, log_likelihood) = self.learner.memberships(&own, &run.to_the_end())?;
        Ok(Reached { own, outcome, log_likelihood, score: log_likelihood })
    }
}

impl<L: SoftLearner> Starts for Soft<L> {
    type Own = L::Own;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let first = self.learner.first(index, run)?;
        let Ending { tolerance, iterations } = self.ending;
        self.climb(first, Ending { tolerance: tolerance.max(LOOSE), iterations }, run)
    }

    fn go_on(&self, reached: &Reached<L::Own>, run: &Run<'_>) -> Result<Reached<L::Own>> {
        let iterations = longest(self.ending.iterations);
        let further = self.climb(reached.own.clone(), Ending { iterations, ..self.ending }, run)?;
        Ok(further.after(&reached.outcome))
    }

    fn memberships(&self, own: &L::Own, run: &Run<'_>) -> Result<Vec<f64>> {
        Ok(self.learner.memberships(own, run)?.0)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.learner.rows().weights()
    }

    fn step(
        &self,
        present: &Reached<L::Own>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<L::Own>> {
        let own = self.learner.learn(&present.own, memberships, run)?;
        let outcome = self.learner.outcome(&own);
        self.reached(own, outcome, run)
    }

    fn finish(&self, own: L::Own, run: &Run<'_>) -> Result<Model> {
        self.learner.finish(own, run)
    }

    fn clusters(&self) -> usize {
        let rows = self.learner.rows();
        rows.field(rows.columns() - 1).states()
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
        let (memberships, value) = self.of.learner.memberships(own, self.run)?;
        if !self.last.is_empty() {
            let changes = memberships.iter().zip(&self.last).map(|(a, b)| (a - b).abs());
            self.change = changes.fold(0.0, f64::max);
        }
        self.last.clone_from(&memberships);
        Ok((memberships, value))
    }

    fn next(&mut self, own: &L::Own, told: Vec<f64>) -> Result<L::Own> {
        self.of.learner.learn(own, told, self.run)
    }

    /// Of a membership.
    fn change(&self) -> f64 {
        self.change
    }
}

/// Learns a model from counts of attributes and their pairs by cluster.
pub(super) trait FromPairs: Sync {
    /// The model, with what it says of attributes and arcs; `rows` has the columns, the cluster last.
    fn learn(&self, counts: PairTables, rows: &Table, run: &Run<'_>) -> Result<(Model, Outcome)>;
}

/// A learner from counts of pairs on rows of unknown cluster.
pub(super) struct Paired<'a, L> {
    rows: &'a Table,
    /// Whether any cell is missing.
    incomplete: bool,
    learner: L,
}

impl<'a, L> Paired<'a, L> {
    pub(super) fn new(rows: &'a Table, learner: L) -> Paired<'a, L> {
        Paired { rows, incomplete: has_holes(&Source::Memory(rows.view())), learner }
    }

    /// The counts that memberships make, missing cells as a model expects them.
    fn counts(&self, model: &Fitted, memberships: Vec<f64>, run: &Run<'_>) -> Result<PairTables> {
        let weights = weigh(self.rows, memberships);
        let seen = PairTables::weighed(self.rows, &weights, run)?;
        if !self.incomplete {
            return Ok(seen);
        }
        let forest = match model {
            Fitted::Network(network, _) => Forest::of(network),
            Fitted::Pairs(_) => None,
        };
        let model: &dyn Expect = match (&forest, model) {
            (Some(forest), _) => forest,
            (None, Fitted::Pairs(pairs)) => pairs,
            _ => return Ok(seen),
        };
        let rows = Source::Memory(self.rows.view());
        seen.with_expected(&rows, model, Weights::Given(&weights), run)
    }
}

impl<L: FromPairs> SoftLearner for Paired<'_, L> {
    type Own = (Fitted, Outcome);

    /// A random naive Bayes.
    fn first(&self, index: usize, run: &Run<'_>) -> Result<Self::Own> {
        let blank = blank_of(self.rows.schema())?;
        let start = Model::Network(random_start(&blank, run.seed, index)?);
        Ok((start.into(), Outcome::exact()))
    }

    fn memberships(&self, (fitted, _): &Self::Own, run: &Run<'_>) -> Result<(Vec<f64>, f64)> {
        memberships(fitted, self.rows.view(), run)
    }

    fn learn(
        &self,
        (present, _): &Self::Own,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Self::Own> {
        let counts = self.counts(present, memberships, run)?;
        let (model, outcome) = self.learner.learn(counts, self.rows, run)?;
        Ok((model.into(), outcome))
    }

    fn outcome(&self, (_, outcome): &Self::Own) -> Outcome {
        outcome.clone()
    }

    fn finish(&self, (fitted, _): Self::Own, _: &Run<'_>) -> Result<Model> {
        Ok(fitted.model())
    }

    fn rows(&self) -> &Table {
        self.rows
    }
}
