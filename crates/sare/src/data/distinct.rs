//! Equal rows made one, in an order that does not depend on the file's.

use super::source::View;
use super::table::Cells;
use rayon::prelude::*;
use std::cmp::Ordering;

/// The different rows of a view.
pub(crate) struct DistinctRows {
    /// A row of the table that stands for each.
    pub(crate) example: Vec<usize>,
    /// The weight of all rows equal to each.
    pub(crate) weights: Vec<f64>,
    /// Which of them each row of the view is.
    pub(crate) of_row: Vec<u32>,
}

impl DistinctRows {
    /// Sorts the rows by their cells, column by column, and joins equal ones.
    pub(crate) fn of(view: View<'_>) -> DistinctRows {
        let table = view.table();
        let weight = |row: usize| table.weights().map_or(1.0, |w| w[row]);
        let (keys, packed) = packed_cells(view);
        let differ = |i: usize, j: usize| {
            let (a, b) = (view.row(i), view.row(j));
            let rest = || (packed..table.columns()).map(|c| compare(table.cells(c), a, b));
            let own = keys[i].cmp(&keys[j]);
            if own != Ordering::Equal { Some(own) } else { rest().find(|o| *o != Ordering::Equal) }
        };
        let mut order: Vec<usize> = (0..view.len()).collect();
        order.par_sort_by(|&i, &j| {
            // The weights too, so that those of equal rows are always added in the same order.
            differ(i, j).unwrap_or_else(|| weight(view.row(i)).total_cmp(&weight(view.row(j))))
        });
        let (mut example, mut weights): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut of_row = vec![0; view.len()];
        let mut last = None;
        for index in order {
            if last.is_none_or(|last| differ(last, index).is_some()) {
                example.push(view.row(index));
                weights.push(0.0);
            }
            last = Some(index);
            weights[example.len() - 1] += weight(view.row(index));
            of_row[index] = example.len() as u32 - 1;
        }
        DistinctRows { example, weights, of_row }
    }

    pub(crate) fn len(&self) -> usize {
        self.example.len()
    }
}

/// The first columns of every row as one number, in the order of their cells, and how many columns it holds: as many as
/// are discrete and fit. Sorting then seldom looks at the cells themselves.
fn packed_cells(view: View<'_>) -> (Vec<u128>, usize) {
    let table = view.table();
    let mut keys = vec![0u128; view.len()];
    let mut size = 1u128;
    for c in 0..table.columns() {
        // One more for missing cells, which come last as their codes do.
        let radix = table.field(c).states() as u128 + 1;
        let Some(larger) = size.checked_mul(radix).filter(|_| table.field(c).is_discrete()) else {
            return (keys, c);
        };
        size = larger;
        let cells = table.cells(c);
        let code = |r: usize| cells.code(r).map_or(radix - 1, |code| code as u128);
        keys.iter_mut().zip(view.row_numbers()).for_each(|(key, r)| *key = *key * radix + code(r));
    }
    (keys, table.columns())
}

/// The order of two cells; missing ones are equal.
fn compare(cells: &Cells, a: usize, b: usize) -> Ordering {
    match cells {
        Cells::Narrow(v) => v[a].cmp(&v[b]),
        Cells::Wide(v) => v[a].cmp(&v[b]),
        Cells::Numbers(v) => match (v[a].is_nan(), v[b].is_nan()) {
            // Adding 0 makes -0 into 0.
            (false, false) => (v[a] + 0.0).total_cmp(&(v[b] + 0.0)),
            (a, b) => a.cmp(&b),
        },
        Cells::Dropped => Ordering::Equal,
    }
}
