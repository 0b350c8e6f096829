//! Averaged one-dependence estimators: every attribute in turn is the parent of all others.

use super::missing::row_of;
use super::model::{Kind, PairModel, Room};
use super::pairs::{PairTables, all_pairs, turned};
use super::smooth::{class_logs, conditionals, from_counts, logs};
use super::{Average, Model};
use crate::data::{Block, Source};
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::infer::density::has_holes;
use crate::num::log_sum_exp;
use crate::parameters::dirichlet::Prior;
use crate::run::{Outcome, Run};
use crate::stats::count::cells;
use crate::stats::kernels::gather;

/// p(c, x) = mean over attributes i of p(c) p(x_i | c) prod_{j != i} p(x_j | c, x_i).
///
/// A missing cell is summed over: as a child it drops out, as a super-parent its states are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuperParents {
    /// An attribute is left out of a row's mean if its value there was seen with less than this weight in training. If
    /// every attribute would be left out, the row is classified by naive Bayes.
    pub least: usize,
}

/// What the mean over super-parents is called and does.
pub const DESCRIPTION: Description = Description {
    name: "aode",
    help: "averaged one-dependence estimators: the mean over all attributes as the parent of the others",
    source: "Webb, Boughton and Wang 2005",
    settings: &[Setting {
        name: "least",
        help: "how often a value must have been seen for its attribute to be a parent",
        range: Range::Whole { least: 0, most: 1_000_000, default: 1 },
    }],
};

impl Default for SuperParents {
    fn default() -> Self {
        SuperParents { least: 1 }
    }
}

impl Average for SuperParents {
    fn form(&self) -> String {
        format!("{}:{}", DESCRIPTION.name, self.least)
    }

    fn check(&self, prior: Option<Prior>) -> Result<()> {
        from_counts(DESCRIPTION.name, prior).map(|_| ())
    }

    fn learn(&self, prior: Prior, data: &Source<'_>, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.check(Some(prior))?;
        let tables = PairTables::count(data, run)?;
        if has_holes(data) {
            run.note(
                "cells are missing: two attributes are counted by the rows in which both are seen",
            )?;
        }
        let kind = Kind::SuperParents { least: self.least };
        Ok((Model::Pairs(PairModel::new(kind, prior, tables)?), Outcome::exact()))
    }
}

/// The scores of all super-parents of some rows together take about this many numbers, to stay in cache.
const SCORES: usize = 1 << 15;

/// Log-probabilities laid out for the gather kernel.
#[derive(Clone, Debug)]
pub(super) struct Density {
    class: Vec<f64>,
    /// ln p(x_i | c) of each attribute.
    alone: Vec<Vec<f64>>,
    /// For each pair i < j, by cell (x_i, x_j): ln p(x_j | c, x_i) and ln p(x_i | c, x_j).
    pairs: Vec<[Vec<f64>; 2]>,
    /// For each attribute, by state: whether it may be a parent.
    parent: Vec<Vec<bool>>,
    states: Vec<usize>,
}

impl Density {
    pub(super) fn new(least: usize, prior: Prior, tables: &PairTables) -> Density {
        let attributes = 0..tables.attributes();
        let alone = |i: usize| logs(&conditionals(prior, &tables.alone(i)));
        let pair = |(i, j): (usize, usize)| {
            let back = turned(&conditionals(prior, &tables.family(j, i)));
            [logs(&conditionals(prior, &tables.family(i, j))), logs(&back)]
        };
        let enough = |i: usize| {
            let weights = tables.single(i).chunks_exact(tables.classes());
            weights.map(|w| w.iter().sum::<f64>() >= least as f64).collect()
        };
        Density {
            class: class_logs(prior, &tables.class()),
            alone: attributes.clone().map(alone).collect(),
            pairs: all_pairs(tables.attributes()).map(pair).collect(),
            parent: attributes.map(enough).collect(),
            states: tables.states().to_vec(),
        }
    }

    pub(super) fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
        let rows = (SCORES / (n * classes)).max(64);
        for (part, scores) in block.parts(rows).zip(scores.chunks_mut(rows * classes)) {
            self.part(&part, room, scores);
        }
    }

    fn part(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
        let size = block.len() * classes;
        let Room { scratch, cells: cell, holed, values, codes, terms, .. } = room;
        values.clear();
        values.resize(n * size, 0.0);
        holed.clear();
        holed.resize(block.len(), false);
        // The states of every row, attribute by attribute.
        codes.clear();
        for (i, own) in values.chunks_exact_mut(size).enumerate() {
            own.chunks_exact_mut(classes).for_each(|row| row.copy_from_slice(&self.class));
            cells(block, &[i], &self.states, scratch, cell);
            gather(cell, &self.alone[i], classes, own);
            holed.iter_mut().zip(&*cell).for_each(|(h, &c)| *h |= c as usize == self.states[i]);
            codes.extend(cell.iter().map(|&c| c as u16));
        }
        for ((i, j), [forth, back]) in all_pairs(n).zip(&self.pairs) {
            cells(block, &[i, j], &self.states, scratch, cell);
            gather(cell, forth, classes, &mut values[i * size..][..size]);
            gather(cell, back, classes, &mut values[j * size..][..size]);
        }
        for (r, out) in scores.chunks_exact_mut(classes).enumerate() {
            if holed[r] {
                self.row(&row_of(block, r, n), out);
                continue;
            }
            let may = |i: &usize| self.parent[*i][codes[i * block.len() + r] as usize];
            let used = (0..n).filter(may).count();
            if used == 0 {
                let row = row_of(block, r, n);
                self.naive(&row, out);
                continue;
            }
            for (c, out) in out.iter_mut().enumerate() {
                terms.clear();
                terms.extend((0..n).filter(may).map(|i| values[i * size + r * classes + c]));
                *out = log_sum_exp(terms) - (used as f64).ln();
            }
        }
    }

    /// A row with missing cells, by itself.
    fn row(&self, row: &[Option<usize>], out: &mut [f64]) {
        let classes = self.class.len();
        // For each class the terms of all parents and of the states of missing ones.
        let mut terms: Vec<Vec<f64>> = vec![Vec::new(); classes];
        let mut used = 0;
        for i in 0..row.len() {
            let states = match row[i] {
                Some(x) if !self.parent[i][x] => continue,
                Some(x) => x..x + 1,
                None => 0..self.states[i],
            };
            used += 1;
            for x in states {
                for (c, terms) in terms.iter_mut().enumerate() {
                    let own = self.class[c] + self.alone[i][x * classes + c];
                    let children = (0..row.len())
                        .filter(|&j| j != i)
                        .filter_map(|j| Some(self.child(i, x, j, row[j]?, c)));
                    terms.push(own + children.sum::<f64>());
                }
            }
        }
        if used == 0 {
            return self.naive(row, out);
        }
        for (out, terms) in out.iter_mut().zip(&terms) {
            *out = log_sum_exp(terms) - f64::from(used).ln();
        }
    }

    /// ln p(x_j | c, x_i)
    fn child(&self, i: usize, x: usize, j: usize, y: usize, c: usize) -> f64 {
        let n = self.states.len();
        let (a, b) = (i.min(j), i.max(j));
        let [forth, back] = &self.pairs[a * (2 * n - a - 1) / 2 + (b - a - 1)];
        if i < j {
            forth[(x * self.states[j] + y) * self.class.len() + c]
        } else {
            back[(y * self.states[i] + x) * self.class.len() + c]
        }
    }

    fn naive(&self, row: &[Option<usize>], out: &mut [f64]) {
        let classes = self.class.len();
        out.copy_from_slice(&self.class);
        for (table, x) in self.alone.iter().zip(row) {
            if let Some(x) = x {
                gather(&[*x as u32], table, classes, out);
            }
        }
    }
}

/// How many numbers the tables leave free.
pub(super) fn free_parameters(tables: &PairTables) -> usize {
    let (states, classes) = (tables.states(), tables.classes());
    let alone: usize = states.iter().map(|s| classes * (s - 1)).sum();
    let both = |(i, j): (usize, usize)| {
        classes * (states[i] * (states[j] - 1) + states[j] * (states[i] - 1))
    };
    classes - 1 + alone + all_pairs(states.len()).map(both).sum::<usize>()
}
