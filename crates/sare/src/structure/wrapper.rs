//! Judging structures by leave-one-out accuracy in closed form: what wrappers are made of.

use crate::data::{Source, View};
use crate::error::{Error, Result};
use crate::num::{first_max, winner};
use crate::parameters::dirichlet::Prior;
use crate::parameters::left_out::{LeftOut, Terms};
use crate::run::Run;
use crate::stats::Family;
use crate::stats::kernels::gather;
use rayon::prelude::*;

/// The most cells a family may have that a wrapper looks at: larger ones would hold less than a row a cell and make a
/// model that is too large to keep.
const MOST_CELLS: usize = 1 << 20;

/// Rows of known class, ready to judge structures with Laplace parameters on. In a row, families with a missing member
/// say nothing.
pub(super) struct Judge<'a> {
    view: View<'a>,
    /// The table's row numbers of the rows of known class.
    labelled: Vec<u32>,
    own: Vec<usize>,
    weights: Vec<f64>,
    /// The weight of one case of each row.
    ones: Vec<f64>,
    class: usize,
    classes: usize,
    run: &'a Run<'a>,
}

impl<'a> Judge<'a> {
    /// The rows of a source that is in memory; `learner` is who needs them.
    pub(super) fn new(data: &Source<'a>, learner: &str, run: &'a Run<'a>) -> Result<Judge<'a>> {
        let view = match data {
            Source::Memory(view) => *view,
            Source::Stream(stream) => {
                let problem = format!("'{learner}' needs the rows in memory");
                let fix = "leave out --stream, or choose a model that needs one pass, such as tan";
                return Err(Error::data(stream.name(), problem, fix));
            }
        };
        let table = view.table();
        let class = table.columns() - 1;
        let seen = |r: usize| table.cells(class).code(r).map(|c| (r as u32, c));
        let (labelled, own): (Vec<u32>, Vec<usize>) = view.row_numbers().filter_map(seen).unzip();
        let weight = |&r: &u32| table.weights().map_or(1.0, |w| w[r as usize]);
        let weights: Vec<f64> = labelled.iter().map(weight).collect();
        let frequencies = table.frequencies();
        let cases = |&r: &u32| frequencies.map_or(1.0, |f| f[r as usize].max(1.0));
        let ones = weights.iter().zip(&labelled).map(|(w, r)| w / cases(r)).collect();
        let classes = table.field(class).states();
        Ok(Judge { view, labelled, own, weights, ones, class, classes, run })
    }

    /// How many attributes there are.
    pub(super) fn attributes(&self) -> usize {
        self.class
    }

    /// The run.
    pub(super) fn run(&self) -> &Run<'a> {
        self.run
    }

    fn left_out(&self) -> LeftOut<'_> {
        LeftOut {
            prior: Prior::Laplace,
            rows: View::of(self.view.table(), &self.labelled),
            own: &self.own,
            weights: &self.weights,
            ones: &self.ones,
            classes: self.classes,
        }
    }

    /// Whether a family is small enough to be looked at.
    pub(super) fn fits(&self, family: &Family) -> bool {
        let states = |&m: &usize| self.view.table().field(m).states();
        let members = family.parents.iter().chain([&family.child, &self.class]);
        members
            .map(states)
            .try_fold(1usize, |n, s| n.checked_mul(s))
            .is_some_and(|n| n <= MOST_CELLS)
    }

    /// ln p(child | parents, class) of every row without it.
    pub(super) fn terms(&self, family: &Family) -> Terms {
        self.left_out().of_family(family)
    }

    /// The scores of families, the class's own first: ln p(class, their children) of every row without it. Always summed
    /// in the order given, so that the same families give the same bits.
    pub(super) fn scores<'t>(&self, terms: impl IntoIterator<Item = &'t Terms>) -> Vec<f64> {
        let mut scores = vec![0.0; self.own.len() * self.classes];
        let prior = self.left_out().of_class();
        let mut add = |t: &Terms| gather(&t.cells, &t.table, self.classes, &mut scores);
        add(&prior);
        terms.into_iter().for_each(add);
        scores
    }

    /// The weight of the rows that are predicted right by these scores and the terms of more families.
    pub(super) fn right(&self, scores: &[f64], more: &[&Terms]) -> f64 {
        let mut sum = vec![0.0; self.classes];
        let mut right = 0.0;
        for (i, row) in scores.chunks_exact(self.classes).enumerate() {
            sum.copy_from_slice(row);
            for terms in more {
                let term = &terms.table[terms.cells[i] as usize * self.classes..][..self.classes];
                sum.iter_mut().zip(term).for_each(|(s, t)| *s += t);
            }
            right += if winner(&sum) == self.own[i] { self.weights[i] } else { 0.0 };
        }
        right
    }

    /// The first of the best candidates, if it is better than what there is.
    pub(super) fn best<C: Sync>(
        &self,
        candidates: &[C],
        than: f64,
        judge: impl Fn(&C) -> f64 + Sync + Send,
    ) -> Option<(usize, f64)> {
        let found: Vec<f64> = self.run.install(|| candidates.par_iter().map(judge).collect());
        // Sums of weights in another order differ by rounding, which must not choose.
        let slack = 1e-9 * than.abs().max(1.0);
        let most = found.get(first_max(&found)).copied()?;
        let place = found.iter().position(|f| *f >= most - slack)?;
        (found[place] > than + slack).then(|| (place, found[place]))
    }
}
