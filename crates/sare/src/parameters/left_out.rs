//! Terms of families with each row's own count left out: what leave-one-out in closed form is made of.
//!
//! With its own row left out, a row's term of a family depends only on its cell and its own class, so the terms of a
//! family are one table over (cell, own class), gathered like log-probabilities.

use super::dirichlet::Prior;
use crate::data::{Cells, View};
use crate::num::ln_or_floor;
use crate::stats::Family;

/// Where each row's vector is, and the vectors: the terms of one attribute.
pub(crate) struct Terms {
    pub cells: Vec<u32>,
    pub table: Vec<f64>,
}

/// Rows with their classes and weights. Of a row that stands for several cases one is left out.
pub(crate) struct LeftOut<'a> {
    pub prior: Prior,
    pub rows: View<'a>,
    /// The class of each row.
    pub own: &'a [usize],
    /// The weight of each row.
    pub weights: &'a [f64],
    /// The weight of one case of each row: what is left out.
    pub ones: &'a [f64],
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
        self.of_family(&Family { child: column, parents: Vec::new() })
    }

    /// The terms of a discrete attribute with attribute parents: ln p(state | parents, class) without the row. A row
    /// with a missing member adds nothing.
    pub(crate) fn of_family(&self, family: &Family) -> Terms {
        let table = self.rows.table();
        let states = |column: usize| table.field(column).states();
        let own_states = states(family.child);
        let members: Vec<(&Cells, usize)> = family
            .parents
            .iter()
            .chain([&family.child])
            .map(|&m| (table.cells(m), states(m)))
            .collect();
        let size: usize = members.iter().map(|(_, s)| s).product();
        let cell = |row: usize| {
            members.iter().try_fold(0, |cell, (codes, s)| Some(cell * s + codes.code(row)?))
        };
        let cells: Vec<Option<usize>> = self.rows.row_numbers().map(cell).collect();
        let mut counts = vec![0.0; size * self.classes];
        let mut totals = vec![0.0; size / own_states * self.classes];
        for ((cell, &c), w) in cells.iter().zip(self.own).zip(self.weights) {
            if let Some(cell) = cell {
                counts[cell * self.classes + c] += w;
                totals[cell / own_states * self.classes + c] += w;
            }
        }
        self.terms(&cells, size, |cell, left_out, weight| {
            let mut of_state = counts[cell * self.classes..][..self.classes].to_vec();
            let mut of_all = totals[cell / own_states * self.classes..][..self.classes].to_vec();
            of_state[left_out] -= weight;
            of_all[left_out] -= weight;
            term(self.prior, &of_state, &of_all, own_states, size / own_states)
        })
    }

    /// One vector for each cell and own class that occurs, as long as what is left out weighs the same; a missing cell adds
    /// nothing.
    fn terms(
        &self,
        codes: &[Option<usize>],
        states: usize,
        vector: impl Fn(usize, usize, f64) -> Vec<f64>,
    ) -> Terms {
        const NONE: u32 = u32::MAX;
        let mut places = vec![(NONE, 0.0); states * self.classes];
        // The first vector is that of a missing cell.
        let mut table = vec![0.0; self.classes];
        let mut cells = Vec::with_capacity(codes.len());
        for ((code, &c), &one) in codes.iter().zip(self.own).zip(self.ones) {
            let Some(state) = code else {
                cells.push(0);
                continue;
            };
            let place = &mut places[state * self.classes + c];
            if *place == (NONE, 0.0) || place.1 != one {
                *place = ((table.len() / self.classes) as u32, one);
                table.extend(vector(*state, c, one));
            }
            cells.push(place.0);
        }
        Terms { cells, table }
    }
}

/// ln p(state | class) for every class, from the classes' counts of the state and of all states, in a family with so
/// many configurations of attribute parents.
pub(crate) fn term(
    prior: Prior,
    of_state: &[f64],
    of_all: &[f64],
    states: usize,
    configurations: usize,
) -> Vec<f64> {
    let added = prior.cell(states * configurations * of_all.len());
    let log = move |(n, total): (&f64, &f64)| {
        let total = total + added * states as f64;
        ln_or_floor(if total > 0.0 { (n + added) / total } else { 1.0 / states as f64 })
    };
    of_state.iter().zip(of_all).map(log).collect()
}
