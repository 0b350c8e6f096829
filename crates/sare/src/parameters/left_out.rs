//! Naive Bayes terms with each row's own count left out: what leave-one-out in closed form is made of.
//!
//! With its own row left out, a row's term of an attribute depends only on its cell and its own class, so the terms of
//! an attribute are one table over (cell, own class), gathered like log-probabilities.

use super::dirichlet::Prior;
use crate::data::View;
use crate::num::ln_or_floor;

/// Where each row's vector is, and the vectors: the terms of one attribute.
pub(crate) struct Terms {
    pub cells: Vec<u32>,
    pub table: Vec<f64>,
}

/// Rows with their classes and weights. A row of weight 2 is the row twice, and one of the two is left out: of a row's
/// weight at most 1 is.
pub(crate) struct LeftOut<'a> {
    pub prior: Prior,
    pub rows: View<'a>,
    /// The class of each row.
    pub own: &'a [usize],
    /// The weight of each row.
    pub weights: &'a [f64],
    pub classes: usize,
}

impl LeftOut<'_> {
    /// The terms of the class itself: ln p(class) without the row.
    pub(crate) fn of_class(&self) -> Terms {
        let states: Vec<Option<usize>> = vec![Some(0); self.own.len()];
        let mut counts = vec![0.0; self.classes];
        self.own.iter().zip(self.weights).for_each(|(&c, w)| counts[c] += w);
        self.terms(&states, 1, |_, left_out, weight| {
            let mut rest = counts.clone();
            rest[left_out] -= weight;
            self.prior.smoothed(&rest, self.classes).into_iter().map(ln_or_floor).collect()
        })
    }

    /// The terms of a discrete attribute: ln p(state | class) without the row.
    pub(crate) fn of_levels(&self, column: usize) -> Terms {
        let states = self.rows.table().field(column).states();
        let cells = self.rows.table().cells(column);
        let codes: Vec<Option<usize>> = self.rows.row_numbers().map(|r| cells.code(r)).collect();
        let mut counts = vec![0.0; states * self.classes];
        let mut totals = vec![0.0; self.classes];
        for ((code, &c), w) in codes.iter().zip(self.own).zip(self.weights) {
            if let Some(state) = code {
                counts[state * self.classes + c] += w;
                totals[c] += w;
            }
        }
        self.terms(&codes, states, |state, left_out, weight| {
            let mut of_state = counts[state * self.classes..][..self.classes].to_vec();
            let mut of_all = totals.clone();
            of_state[left_out] -= weight;
            of_all[left_out] -= weight;
            term(self.prior, &of_state, &of_all, states)
        })
    }

    /// A table over (state, own class) with weight 1 left out; rows that weigh less get a vector of their own, and a
    /// missing cell adds nothing.
    fn terms(
        &self,
        codes: &[Option<usize>],
        states: usize,
        vector: impl Fn(usize, usize, f64) -> Vec<f64>,
    ) -> Terms {
        let combined = (0..states * self.classes).map(|i| (i / self.classes, i % self.classes));
        let mut table: Vec<f64> = combined.flat_map(|(s, c)| vector(s, c, 1.0)).collect();
        let missing = states * self.classes;
        table.resize(table.len() + self.classes, 0.0);
        let mut cells = Vec::with_capacity(codes.len());
        for ((code, &c), &w) in codes.iter().zip(self.own).zip(self.weights) {
            cells.push(match code {
                None => missing,
                Some(state) if w >= 1.0 => state * self.classes + c,
                Some(state) => {
                    table.extend(vector(*state, c, w));
                    table.len() / self.classes - 1
                }
            } as u32);
        }
        Terms { cells, table }
    }
}

/// ln p(state | class) for every class, from the classes' counts of the state and of all states.
pub(crate) fn term(prior: Prior, of_state: &[f64], of_all: &[f64], states: usize) -> Vec<f64> {
    let added = prior.cell(states * of_all.len());
    let log = move |(n, total): (&f64, &f64)| {
        let total = total + added * states as f64;
        ln_or_floor(if total > 0.0 { (n + added) / total } else { 1.0 / states as f64 })
    };
    of_state.iter().zip(of_all).map(log).collect()
}
