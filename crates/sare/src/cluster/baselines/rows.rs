//! The rows to be clustered, each different one once, in an order that does not depend on the file's.

use crate::data::{Cells, Field, Kind, View};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The different rows of a view.
pub(in crate::cluster) struct DistinctRows {
    /// A row of the table that stands for each.
    pub(in crate::cluster) example: Vec<usize>,
    /// The weight of all rows equal to each.
    pub(in crate::cluster) weights: Vec<f64>,
    /// Which of them each row of the view is.
    pub(in crate::cluster) of_row: Vec<u32>,
}

impl DistinctRows {
    /// Sorts the rows by their cells, column by column, and joins equal ones.
    pub(in crate::cluster) fn of(view: View<'_>) -> DistinctRows {
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

    pub(super) fn len(&self) -> usize {
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

/// Refuses what no baseline can cluster.
pub(super) fn check_rows(view: View<'_>) -> Result<()> {
    let table = view.table();
    let bad = |problem: &str, fix: &str| Err(Error::data(table.name(), problem, fix));
    if view.is_empty() {
        return bad("there are no rows", "give at least one row");
    }
    if table.columns() == 0 {
        return bad("there are no columns to cluster by", "give at least one column");
    }
    for field in &table.schema().fields {
        if field.kind == Kind::Text {
            let problem = "it has too many different texts to cluster by";
            let fix = format!("leave it out with --ignore {}", field.name);
            return Err(Error::column(table.name(), &field.name, problem, fix));
        }
    }
    let weighs = |w: &[f64]| view.row_numbers().any(|r| w[r] > 0.0);
    if !table.weights().is_none_or(weighs) {
        return bad("all weights are 0", "give a weight above 0 to some rows");
    }
    Ok(())
}

/// What the centres of a start may take.
const LARGEST: u128 = 1 << 32;

/// Refuses centres that would not fit into memory.
pub(super) fn check_size(view: View<'_>, clusters: usize) -> Result<()> {
    let entries = |f: &Field| f.states().max(1) as u128;
    let cells: u128 = view.table().schema().fields.iter().map(entries).sum();
    let bytes = 16 * cells * clusters as u128;
    if bytes > LARGEST {
        return Err(Error::TooLarge {
            what: format!("the centres of {clusters} clusters"),
            bytes,
            limit: LARGEST,
            fix: "ask for fewer clusters, or leave out columns of many levels".into(),
        });
    }
    Ok(())
}
