//! Rows with missing cells in averages over structures.
//!
//! The density of an average is a product of sums over parents, or a determinant: the sum over missing cells does not
//! factorise. It is exact up to [`EXACT`] completions of a row. Above, the average is replaced by [`FORESTS`] structures
//! drawn from their posterior distribution once per model, and each of these sums the missing cells out exactly.

use super::expected::Expect;
use super::model::Room;
use crate::data::{Block, Cells, Field, Table};
use crate::infer::forest::{Beliefs, Forest};
use crate::num::{log_sum_exp, normalise_logs};
use std::ops::Range;

/// Up to this many completions of a row are summed over one by one.
pub const EXACT: usize = 256;

/// Structures that stand for the average in rows with more completions.
pub const FORESTS: usize = 64;

/// An average over forests, given the class.
pub(super) trait Mixture: Sync {
    /// The states of the attributes.
    fn states(&self) -> &[usize];

    /// ln p(class).
    fn class(&self) -> &[f64];

    /// ln p(class, attributes) of rows without missing cells; marks the others in the room and puts anything there.
    fn complete(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]);

    /// [`FORESTS`] structures drawn with their probabilities, always the same.
    fn forests(&self) -> &[Forest];
}

/// The states of a block's row, none for a missing cell.
pub(super) fn row_of(block: &Block<'_>, index: usize, attributes: usize) -> Vec<Option<usize>> {
    let number = block.row_number(index);
    (0..attributes).map(|v| block.table().cells(v).code(number)).collect()
}

/// ln p(class, seen attributes) of every row and class.
pub(super) fn log_joint(of: &impl Mixture, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
    of.complete(block, room, scores);
    let (n, classes) = (of.states().len(), of.class().len());
    let holed = std::mem::take(&mut room.holed);
    for (r, out) in scores.chunks_exact_mut(classes).enumerate().filter(|(r, _)| holed[*r]) {
        let row = row_of(block, r, n);
        let terms = match completions(of, &row, room) {
            Some(terms) => terms,
            None => by_forest(of, &row, &(0..classes), room),
        };
        for (c, out) in out.iter_mut().enumerate() {
            room.terms.clear();
            room.terms.extend(terms.iter().skip(c).step_by(classes));
            *out = log_sum_exp(&room.terms);
        }
    }
    room.holed = holed;
}

/// ln p(class, completion) of all completions of a row, class innermost; none where they are too many.
fn completions(of: &impl Mixture, row: &[Option<usize>], room: &mut Room) -> Option<Vec<f64>> {
    let mut count = 1usize;
    // The first missing cell changes fastest.
    let mut columns = Vec::with_capacity(row.len());
    let periods: Vec<usize> = (row.iter().zip(of.states()))
        .map(|(cell, &states)| {
            let period = count;
            count = if cell.is_some() { count } else { count.saturating_mul(states) };
            period
        })
        .collect();
    if count > EXACT {
        return None;
    }
    for ((cell, &states), period) in row.iter().zip(of.states()).zip(periods) {
        let codes = (0..count).map(|i| Some(cell.unwrap_or(i / period % states)));
        columns.push((Field::discrete("", [""; 0]), Cells::from_codes(codes, states)));
    }
    let table = Table::trusted("completions", columns, count);
    let mut logs = vec![0.0; count * of.class().len()];
    of.complete(&table.view().block(0, count), room, &mut logs);
    Some(logs)
}

/// ln p(class, seen attributes, drawn structure) of all of them, class innermost.
fn by_forest(
    of: &impl Mixture,
    row: &[Option<usize>],
    classes: &Range<usize>,
    room: &mut Room,
) -> Vec<f64> {
    let share = (of.forests().len() as f64).ln();
    let one = |forest: &Forest| {
        let mut scores: Vec<f64> = of.class()[classes.clone()].iter().map(|c| c - share).collect();
        forest.add_row(row, classes, &mut room.messages, &mut scores);
        scores
    };
    of.forests().iter().flat_map(one).collect()
}

/// Hands over what is expected of the missing cells of a row: see [`Expect`].
pub(super) fn expect(
    of: &impl Mixture,
    row: &[Option<usize>],
    classes: &Range<usize>,
    weights: &[f64],
    room: &mut Room,
    add: &mut dyn FnMut(&Beliefs, &[f64]),
) {
    let width = classes.len();
    let Some(logs) = completions(of, row, room) else {
        let shares = shares(&by_forest(of, row, classes, room), 0..width, width);
        for (forest, shares) in of.forests().iter().zip(shares.chunks_exact(width)) {
            let own: Vec<f64> = shares.iter().zip(weights).map(|(s, w)| s * w).collect();
            forest.expect(row, classes, &own, room, add);
        }
        return;
    };
    let shares = shares(&logs, classes.clone(), of.class().len());
    believe(of.states(), row, width, &shares, &mut room.beliefs);
    add(&room.beliefs, weights);
}

/// The share of each line of log-weights in all, for some of the classes.
fn shares(logs: &[f64], classes: Range<usize>, all: usize) -> Vec<f64> {
    let width = classes.len();
    let mut shares = vec![0.0; logs.len() / all * width];
    for (k, class) in classes.enumerate() {
        let mut own: Vec<f64> = logs.iter().skip(class).step_by(all).copied().collect();
        normalise_logs(&mut own);
        shares.iter_mut().skip(k).step_by(width).zip(own).for_each(|(to, p)| *to = p);
    }
    shares
}

/// The distribution of a row's missing cells from the shares of its completions, class innermost.
fn believe(
    states: &[usize],
    row: &[Option<usize>],
    width: usize,
    shares: &[f64],
    beliefs: &mut Beliefs,
) {
    beliefs.clear();
    (0..row.len()).filter(|&v| row[v].is_none()).for_each(|v| {
        beliefs.push(v, states, width);
    });
    let sizes: Vec<usize> = beliefs.missing.iter().map(|&v| states[v]).collect();
    let add = |table: &mut [f64], cell: usize, shares: &[f64]| {
        let entry = table[cell * width..][..width].iter_mut();
        entry.zip(shares).for_each(|(to, p)| *to += p);
    };
    let mut own = vec![0; sizes.len()];
    for (number, shares) in shares.chunks_exact(width).enumerate() {
        let mut rest = number;
        for (x, size) in own.iter_mut().zip(&sizes) {
            (*x, rest) = (rest % size, rest / size);
        }
        for (j, &y) in own.iter().enumerate() {
            add(&mut beliefs.singles[j], y, shares);
            for (i, &x) in own[..j].iter().enumerate() {
                add(&mut beliefs.pairs[j * (j - 1) / 2 + i], x * sizes[j] + y, shares);
            }
        }
    }
}
