//! Rows with missing cells, where they must be summed over one completion at a time.

use crate::data::{Block, View};
use crate::error::{Error, Result};

/// A row's missing cells are summed over at most this many completions.
pub const MOST_COMPLETIONS: u128 = 1 << 16;

/// The states of a block's row, none for a missing cell.
pub(super) fn row_of(block: &Block<'_>, index: usize, attributes: usize) -> Vec<Option<usize>> {
    let number = block.row_number(index);
    (0..attributes).map(|v| block.table().cells(v).code(number)).collect()
}

/// How many completions these cells of a row have together.
pub(super) fn completions(
    row: &[Option<usize>],
    states: &[usize],
    cells: impl IntoIterator<Item = usize>,
) -> u128 {
    let missing = cells.into_iter().filter(|&v| row[v].is_none());
    missing.fold(1, |product: u128, v| product.saturating_mul(states[v] as u128))
}

/// How many places of an order it takes to have every attribute that is seen in a row; those after them drop out.
pub(super) fn needed_places(order: &[usize], row: &[Option<usize>]) -> usize {
    order.iter().rposition(|&v| row[v].is_some()).map_or(0, |last| last + 1)
}

/// Fails at the first row whose missing cells have too many completions by `needed`. Complete rows are not asked for.
pub(super) fn check(
    coded: View<'_>,
    attributes: usize,
    needed: impl Fn(&[Option<usize>]) -> u128,
) -> Result<()> {
    let table = coded.table();
    if (0..attributes).all(|v| table.cells(v).missing() == 0) {
        return Ok(());
    }
    let mut row = vec![None; attributes];
    for number in coded.row_numbers() {
        row.iter_mut().enumerate().for_each(|(v, cell)| *cell = table.cells(v).code(number));
        if row.iter().all(Option::is_some) {
            continue;
        }
        let needed = needed(&row);
        if needed > MOST_COMPLETIONS {
            let count = if needed == u128::MAX { "too many".into() } else { format!("{needed}") };
            let problem = format!(
                "the missing cells can be filled in {count} ways, and at most {MOST_COMPLETIONS} can be summed over"
            );
            let fix = "fill some of them or leave out the row, or use aode or averaged-nb, which take any row";
            return Err(Error::Row {
                file: table.name().into(),
                row: number + 1,
                problem,
                fix: fix.into(),
            });
        }
    }
    Ok(())
}
