//! Counts of pairs where cells are missing: what is seen is counted, what is missing is expected under a model.

use super::model::Room;
use super::pairs::PairTables;
use crate::data::{Block, Schema, Source};
use crate::error::Result;
use crate::graph::Dag;
use crate::infer::density::{LogTables, has_holes};
use crate::infer::expectation::{Expectation, Steps, Until, climb};
use crate::infer::forest::{Beliefs, Forest};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::observe::Event;
use crate::parameters::dirichlet::{Prior, network_from_counts};
use crate::run::{Outcome, Run};
use crate::stats::{FamilyTable, Merge, Pass, run_pass};
use crate::structure::pairs::Information;
use crate::structure::tan::{Edges, TreeAugmented};
use std::ops::Range;

/// A model that knows what to expect of missing cells.
pub(crate) trait Expect: Sync {
    /// Hands over the distribution of a row's missing cells given the seen ones and each of some classes: in parts, each
    /// with the share it has of every class's weight.
    fn expect(
        &self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        weights: &[f64],
        room: &mut Room,
        add: &mut dyn FnMut(&Beliefs, &[f64]),
    );
}

impl Expect for Forest {
    fn expect(
        &self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        weights: &[f64],
        room: &mut Room,
        add: &mut dyn FnMut(&Beliefs, &[f64]),
    ) {
        room.terms.clear();
        room.terms.resize(classes.len(), 0.0);
        self.add_row(row, classes, &mut room.messages, &mut room.terms);
        self.believe(row, classes, &mut room.messages, &mut room.beliefs);
        add(&room.beliefs, weights);
    }
}

/// What a row weighs for each class.
#[derive(Clone, Copy)]
pub(crate) enum Weights<'a> {
    /// Its own weight for its own class, the last column; rows of unknown class weigh nothing.
    OfClass,
    /// These, of all rows of the table, row by row, class innermost.
    Given(&'a [f64]),
}

impl PairTables {
    /// These counts of what is seen, with what a model expects of the missing cells of the same rows.
    pub(crate) fn with_expected(
        &self,
        source: &Source<'_>,
        model: &dyn Expect,
        weights: Weights<'_>,
        run: &Run<'_>,
    ) -> Result<PairTables> {
        let pass = ExpectMissing { tables: self, model, weights };
        let mut all = self.clone();
        all.merge(&run_pass(source, &pass, run)?);
        Ok(all)
    }
}

/// The pass over rows with missing cells; other rows add nothing.
struct ExpectMissing<'a> {
    tables: &'a PairTables,
    model: &'a dyn Expect,
    weights: Weights<'a>,
}

impl Pass for ExpectMissing<'_> {
    type Stats = PairTables;

    fn empty(&self) -> PairTables {
        self.tables.zeros()
    }

    fn add(&self, block: &Block<'_>, stats: &mut PairTables) {
        let (n, classes) = (self.tables.attributes(), self.tables.classes());
        let (mut room, mut row) = (Room::default(), Vec::with_capacity(n));
        for number in (0..block.len()).map(|i| block.row_number(i)) {
            row.clear();
            row.extend((0..n).map(|v| block.table().cells(v).code(number)));
            if row.iter().all(Option::is_some) {
                continue;
            }
            let own = [block.table().weights().map_or(1.0, |w| w[number])];
            let (of, weights) = match self.weights {
                Weights::Given(all) => (0..classes, &all[number * classes..][..classes]),
                Weights::OfClass => match block.table().cells(n).code(number) {
                    Some(class) => (class..class + 1, &own[..]),
                    None => continue,
                },
            };
            self.model.expect(&row, &of, weights, &mut room, &mut |beliefs, weights| {
                stats.add_expected(&row, &of, beliefs, weights);
            });
        }
    }

    fn bytes(&self) -> usize {
        self.tables.bytes()
    }
}

/// The tree of greatest likelihood by counts of pairs, with parameters from the same counts. It always hangs from the first
/// attribute: with a prior it matters a little which it is, and one chosen anew at each step could turn back and forth.
pub(crate) fn best_tree(prior: Prior, tables: &PairTables, schema: &Schema) -> Result<Network> {
    let n = tables.attributes();
    let information = Information::of_counts(n, |v| tables.alone(v), |a, b| tables.family(a, b));
    let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
    let roots: Vec<usize> = (0..n).collect();
    let dag = TreeAugmented { edges: Edges::Tree }.hanging(&information, &states, &roots)?;
    network_from_counts(prior, &dag, schema, &families(tables, &dag))
}

/// The counts of the families of a tree, laid out as `count_dag` does.
fn families(tables: &PairTables, dag: &Dag) -> Vec<FamilyTable> {
    let n = tables.attributes();
    let of = |v: usize| match dag.parents(v).find(|&p| p != n) {
        Some(parent) => tables.family(parent, v),
        None => tables.alone(v),
    };
    let class = tables.class();
    let mut own = FamilyTable::zeros(1, 1, tables.classes());
    (0..tables.classes()).for_each(|c| *own.at_mut(0, 0, c) = class.at(0, c, 0));
    (0..n).map(of).chain([own]).collect()
}

/// EM ends when the relative gain in log-likelihood is no more, or after so many iterations.
const TOLERANCE: f64 = 1e-6;
const ITERATIONS: usize = 100;

/// Counts of a source of known class. Where cells are missing, they are expected under the best tree, which is learnt
/// anew from the counts at each step of EM; the first one is learnt from what is seen.
pub(super) fn counts(
    prior: Prior,
    source: &Source<'_>,
    run: &Run<'_>,
) -> Result<(PairTables, Outcome)> {
    let seen = PairTables::count(source, run)?;
    if !has_holes(source) {
        return Ok((seen, Outcome::exact()));
    }
    run.tell(&Event::Phase { name: "iterations of EM", steps: None })?;
    let start = best_tree(prior, &seen, source.schema())?;
    let mut steps = BestTreeSteps { prior, source, seen: &seen, run };
    let (tree, outcome) = climb(&mut steps, start, ITERATIONS, Until::Gain(TOLERANCE), run)?;
    run.note(&format!(
        "cells are missing: structure weights use expected counts, by {} iterations of EM over the best tree",
        outcome.iterations
    ))?;
    Ok((steps.count(&tree, &run.to_the_end())?, outcome))
}

/// The steps of EM over the best tree.
struct BestTreeSteps<'a> {
    prior: Prior,
    source: &'a Source<'a>,
    seen: &'a PairTables,
    run: &'a Run<'a>,
}

impl BestTreeSteps<'_> {
    fn count(&self, tree: &Network, run: &Run<'_>) -> Result<PairTables> {
        match Forest::of(tree) {
            Some(forest) => self.seen.with_expected(self.source, &forest, Weights::OfClass, run),
            None => Ok(self.seen.clone()),
        }
    }
}

impl Steps for BestTreeSteps<'_> {
    type Model = Network;
    type Told = PairTables;

    fn expect(&mut self, tree: &Network) -> Result<(PairTables, f64)> {
        let expectation = Expectation {
            data: self.source,
            criterion: Criterion::Joint,
            iterations: 1,
            until: Until::Gain(0.0),
            run: self.run,
        };
        let value = expectation.value(&LogTables::new(tree))?;
        Ok((self.count(tree, self.run)?, value))
    }

    fn next(&mut self, _: &Network, told: PairTables) -> Result<Network> {
        best_tree(self.prior, &told, self.source.schema())
    }

    /// The gain decides.
    fn change(&self) -> f64 {
        f64::INFINITY
    }
}
