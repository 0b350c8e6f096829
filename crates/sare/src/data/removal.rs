//! Cells taken away, to see how learners do without them.

use super::table::{Cells, Table};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Random};
use std::sync::Arc;

/// The table with each cell taken away with the probability `chance`, whatever it holds and whatever else is missing;
/// the columns of `kept` stay as they are. Each column draws from its own stream, so the others do not matter to it.
pub fn remove_cells(table: &Table, kept: &[usize], chance: f64, seed: u64) -> Result<Table> {
    if !(0.0..=1.0).contains(&chance) {
        return Err(Error::Setting {
            learner: "removing cells".into(),
            setting: "chance".into(),
            value: chance.to_string(),
            expected: "a number from 0 to 1".into(),
        });
    }
    let of = |_: usize, column: usize| if kept.contains(&column) { 0.0 } else { chance };
    Ok(remove_cells_by(table, seed, of))
}

/// The table with each cell taken away with the probability `chance(row, column)`. Each column draws from its own stream.
pub fn remove_cells_by(table: &Table, seed: u64, chance: impl Fn(usize, usize) -> f64) -> Table {
    let mut holed = table.clone();
    for column in 0..table.columns() {
        let mut random = Random::new(seed, Purpose::Holes, column as u64);
        let mut row = 0..;
        let goes = || random.uniform() < row.next().map_or(0.0, |r| chance(r, column));
        let cells = holed.cells(column).without(goes);
        holed.replace(column, table.field(column).clone(), cells);
    }
    holed
}

impl Cells {
    /// The cells, those missing of which `goes` says so; it is asked once a row, in their order.
    fn without(&self, mut goes: impl FnMut() -> bool) -> Cells {
        use super::table::{MISSING_U8, MISSING_U16};
        match self {
            Cells::Narrow(v) => Cells::Narrow(Arc::new(thinned(v, MISSING_U8, &mut goes))),
            Cells::Wide(v) => Cells::Wide(Arc::new(thinned(v, MISSING_U16, &mut goes))),
            Cells::Numbers(v) => Cells::Numbers(Arc::new(thinned(v, f64::NAN, &mut goes))),
            Cells::Dropped => Cells::Dropped,
        }
    }
}

fn thinned<T: Copy>(values: &[T], missing: T, goes: &mut dyn FnMut() -> bool) -> Vec<T> {
    values.iter().map(|&x| if goes() { missing } else { x }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Field;

    /// A discrete column, one of numbers with every tenth missing, a wide one, and a class.
    fn table(rows: usize) -> Table {
        let levels = |n: usize| (0..n).map(|l| l.to_string()).collect::<Vec<_>>();
        let codes = |n: usize| Cells::from_codes((0..rows).map(|r| Some(r % n)), n);
        let numbers = (0..rows).map(|r| if r % 10 == 0 { f64::NAN } else { r as f64 }).collect();
        let columns = vec![
            (Field::discrete("narrow", levels(3)), codes(3)),
            (Field::continuous("numbers"), Cells::from_numbers(numbers)),
            (Field::discrete("wide", levels(300)), codes(300)),
            (Field::discrete("class", levels(2)), codes(2)),
        ];
        Table::new("t", columns).unwrap()
    }

    fn seen(table: &Table, column: usize, row: usize) -> bool {
        let cells = table.cells(column);
        cells.code(row).is_some() || cells.number(row).is_some()
    }

    #[test]
    fn a_quarter_goes_and_the_rest_stays() {
        let rows = 40_000;
        let table = table(rows);
        let holed = remove_cells(&table, &[3], 0.25, 1).unwrap();
        assert_eq!(holed.cells(3), table.cells(3), "the class is kept");
        assert_eq!(holed.schema(), table.schema());
        for column in 0..3 {
            let before: Vec<usize> = (0..rows).filter(|&r| seen(&table, column, r)).collect();
            let gone = before.iter().filter(|&&r| !seen(&holed, column, r)).count() as f64;
            let expected = 0.25 * before.len() as f64;
            // Four standard deviations of a binomial number.
            assert!((gone - expected).abs() < 4.0 * (0.75 * expected).sqrt(), "{column}: {gone}");
            let same = |r: usize| {
                let text = holed.text(column, r);
                text.is_empty() || text == table.text(column, r)
            };
            assert!((0..rows).all(same), "no cell changes its value or appears");
        }
    }

    #[test]
    fn columns_lose_cells_independently() {
        let rows = 40_000;
        let holed = remove_cells(&table(rows), &[3], 0.25, 1).unwrap();
        let both = (0..rows).filter(|&r| !seen(&holed, 0, r) && !seen(&holed, 2, r)).count() as f64;
        let expected = rows as f64 / 16.0;
        assert!((both - expected).abs() < 4.0 * (expected * 15.0 / 16.0).sqrt(), "{both}");
    }

    #[test]
    fn the_seed_decides_and_nothing_else() {
        let table = table(500);
        let of = |seed: u64, kept: &[usize]| remove_cells(&table, kept, 0.25, seed).unwrap();
        assert_eq!(of(1, &[3]).cells(0), of(1, &[1, 3]).cells(0), "other columns do not matter");
        assert_eq!(of(1, &[3]).cells(1), of(1, &[3]).cells(1));
        assert_ne!(of(1, &[3]).cells(0), of(2, &[3]).cells(0));
    }

    #[test]
    fn all_none_and_nonsense() {
        let table = table(50);
        let left = |chance: f64| remove_cells(&table, &[3], chance, 1).unwrap();
        assert_eq!(left(0.0).cells(1), table.cells(1));
        assert!((0..3).all(|c| left(1.0).cells(c).all_missing()));
        let error = remove_cells(&table, &[3], 1.5, 1).unwrap_err().to_string();
        assert!(error.contains("a number from 0 to 1"), "{error}");
    }
}
