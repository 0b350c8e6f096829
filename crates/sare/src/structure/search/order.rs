//! An order of the columns that depends neither on their places in the table nor on the class.

use crate::data::Source;
use crate::error::Result;
use crate::run::Run;
use crate::stats::pass::run_pass;
use crate::stats::{CountFamilies, Family};

/// The first columns by how often their levels occur, the most frequent first; of equals, by name. Names of levels and
/// the order of rows and columns make no difference.
pub(super) fn by_counts(data: &Source<'_>, nodes: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    let alone = |child| (Family { child, parents: Vec::new() }, false);
    let class = data.schema().len() - 1;
    let pass = CountFamilies::of_known_class(data, (0..nodes).map(alone), class)?;
    let counts = run_pass(data, &pass, run)?;
    let total = counts.iter().map(|table| table.total()).fold(1.0, f64::max);
    let share = |n: &f64| (n / total * SHARES).round() as u64;
    let key = |column: &usize| {
        let mut shares: Vec<u64> =
            counts[*column].values()[..counts[*column].cells()].iter().map(share).collect();
        shares.sort_unstable_by(|a, b| b.cmp(a));
        (shares, &data.schema().fields[*column].name)
    };
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_cached_key(key);
    Ok(order)
}

/// The place of each column in an order.
pub(super) fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &column)| places[column] = place);
    places
}

/// Counts are compared as so many parts of the whole: sums of weights depend on the order of rows in their last digits.
const SHARES: f64 = (1u64 << 40) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Field, Table};

    #[test]
    fn columns_are_ordered_by_counts_and_then_by_name() {
        let column = |name: &str, codes: [usize; 6]| {
            let codes = codes.map(Some).to_vec();
            (Field::discrete(name, ["0", "1", "2"]), Cells::from_codes(codes, 3))
        };
        let columns = vec![
            column("d", [0, 0, 0, 0, 0, 1]),
            column("b", [0, 0, 0, 1, 1, 2]),
            // As often as b's, though other levels.
            column("a", [2, 1, 1, 2, 2, 0]),
            column("c", [0, 0, 1, 1, 2, 2]),
        ];
        let table = Table::new("t", columns).unwrap();
        let order = by_counts(&Source::Memory(table.view()), 4, &Run::default()).unwrap();
        assert_eq!(order, [3, 2, 1, 0]);
        assert_eq!(inverse(&[2, 0, 1]), [1, 2, 0]);
    }
}
