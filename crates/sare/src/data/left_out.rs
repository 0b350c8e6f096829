//! Columns that cannot help any learner: found from their cells, in any order of the rows and in any pieces.

use super::table::Cells;
use serde::{Deserialize, Serialize};

/// Why a column is left out of learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The first column has no name: the row numbers or row names that pandas and R write.
    Index,
    /// Every row has another text.
    Identifier,
    /// The numbers 1 to N or 0 to N - 1, each once, in N rows.
    RowNumbers,
    /// Every cell that is not missing is the same.
    Constant,
    /// Every cell is missing.
    Empty,
    /// More different texts than a column can have levels.
    Texts,
}

/// Identifiers and row numbers are recognised from this many rows on: in a smaller table a real attribute may differ in
/// every row.
pub const ROWS_FOR_IDENTIFIER: u64 = 20;

/// Collects the cells of a column until it is clear whether it can help.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// Cells that are not missing, counted as long as it matters.
    seen: u64,
    first: Option<f64>,
    varies: bool,
    /// The levels met so far; nothing in a column of numbers.
    met: Vec<bool>,
    /// Some level came twice.
    repeats: bool,
    /// Some number is not a row number.
    measured: bool,
    range: Option<(u64, u64)>,
    sum: u64,
}

impl Judge {
    /// Adds the cells of some rows.
    pub(super) fn cells(&mut self, cells: &Cells) {
        match cells {
            Cells::Numbers(v) => {
                for &x in v.iter() {
                    if self.varies && self.measured {
                        return;
                    }
                    self.number(x, 1);
                }
            }
            Cells::Narrow(v) => self.codes(v.iter().map(|&c| usize::from(c)), usize::from(u8::MAX)),
            Cells::Wide(v) => self.codes(v.iter().map(|&c| usize::from(c)), usize::from(u16::MAX)),
            Cells::Dropped => {}
        }
    }

    fn codes(&mut self, codes: impl Iterator<Item = usize>, missing: usize) {
        for code in codes.filter(|&c| c != missing) {
            if self.varies && self.repeats {
                return;
            }
            self.level(code, 1);
        }
    }

    /// Adds some rows of one level.
    pub(super) fn level(&mut self, code: usize, rows: u64) {
        self.see(code as f64, rows);
        if self.met.len() <= code {
            self.met.resize(code + 1, false);
        }
        self.repeats |= rows > 1 || std::mem::replace(&mut self.met[code], true);
    }

    /// Adds some rows of one number; NaN is a missing cell.
    pub(super) fn number(&mut self, x: f64, rows: u64) {
        if x.is_nan() {
            self.measured = true;
            return;
        }
        self.see(x, rows);
        if self.measured
            || rows > 1
            || x.fract() != 0.0
            || !(0.0..=f64::from(u32::MAX)).contains(&x)
        {
            self.measured = true;
            return;
        }
        let x = x as u64;
        let (least, most) = self.range.unwrap_or((x, x));
        self.range = Some((least.min(x), most.max(x)));
        self.sum = self.sum.wrapping_add(mixed(x));
    }

    fn see(&mut self, x: f64, rows: u64) {
        self.seen += rows;
        self.varies |= *self.first.get_or_insert(x) != x;
    }

    /// What is wrong with the column, if anything. `rows` counts those with missing cells too.
    pub(super) fn verdict(&self, rows: u64) -> Option<LeftOut> {
        if self.first.is_none() {
            return Some(LeftOut::Empty);
        }
        if !self.varies {
            return (rows > 1).then_some(LeftOut::Constant);
        }
        let different = !self.met.is_empty() && !self.repeats;
        if different && self.seen >= ROWS_FOR_IDENTIFIER {
            return Some(LeftOut::Identifier);
        }
        let numbers = self.met.is_empty() && !self.measured && rows >= ROWS_FOR_IDENTIFIER;
        (numbers && self.counts_rows(rows)).then_some(LeftOut::RowNumbers)
    }

    /// Whether the whole numbers seen are the numbers of the rows, in whatever order: as many, in the same range, and
    /// with the same sum of hashes.
    fn counts_rows(&self, rows: u64) -> bool {
        let range = self.range.filter(|r| self.seen == rows && r.0 <= 1 && r.1 == r.0 + rows - 1);
        let sum = |r: (u64, u64)| (r.0..=r.1).fold(0u64, |sum, x| sum.wrapping_add(mixed(x)));
        range.is_some_and(|r| sum(r) == self.sum)
    }
}

/// A number's hash (the finaliser of SplitMix64).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of_numbers(numbers: &[f64]) -> Option<LeftOut> {
        let mut judge = Judge::default();
        judge.cells(&Cells::from_numbers(numbers.to_vec()));
        judge.verdict(numbers.len() as u64)
    }

    fn of_codes(codes: &[Option<usize>]) -> Option<LeftOut> {
        let mut judge = Judge::default();
        judge.cells(&Cells::from_codes(codes.iter().copied(), 300));
        judge.verdict(codes.len() as u64)
    }

    #[test]
    fn row_numbers_in_any_order() {
        let from = |first: u32, n: u32| (0..n).map(|i| f64::from(first + i)).collect::<Vec<_>>();
        assert_eq!(of_numbers(&from(0, 20)), Some(LeftOut::RowNumbers));
        let mut rows = from(1, 100);
        rows.reverse();
        assert_eq!(of_numbers(&rows), Some(LeftOut::RowNumbers));
        // Too few rows, another start, a gap with a repetition, a missing cell.
        assert_eq!(of_numbers(&from(1, 19)), None);
        assert_eq!(of_numbers(&from(2, 30)), None);
        rows[5] = rows[6];
        assert_eq!(of_numbers(&rows), None);
        rows[5] = f64::NAN;
        assert_eq!(of_numbers(&rows), None);
    }

    #[test]
    fn identifiers_constants_and_nothing() {
        let different: Vec<Option<usize>> = (0..30).map(Some).collect();
        assert_eq!(of_codes(&different), Some(LeftOut::Identifier));
        assert_eq!(of_codes(&different[..19]), None);
        let mut holed = different.clone();
        holed[3] = None;
        assert_eq!(of_codes(&holed), Some(LeftOut::Identifier));
        holed[3] = Some(4);
        assert_eq!(of_codes(&holed), None);
        assert_eq!(of_codes(&[Some(7), None, Some(7)]), Some(LeftOut::Constant));
        assert_eq!(of_codes(&[Some(7)]), None, "one row is no evidence");
        assert_eq!(of_codes(&[None, None]), Some(LeftOut::Empty));
        assert_eq!(of_numbers(&[f64::NAN; 3]), Some(LeftOut::Empty));
        assert_eq!(of_numbers(&[2.5, 2.5]), Some(LeftOut::Constant));
    }

    proptest! {
        /// Against sets: in pieces, in any order, with repetitions.
        #[test]
        fn as_sets_say(values in prop::collection::vec(0u32..30, 1..40), permuted in any::<bool>(), at in 0usize..40) {
            let values: Vec<u32> =
                if permuted { (0..values.len() as u32).rev().collect() } else { values };
            let rows = values.len();
            let set: std::collections::BTreeSet<u32> = values.iter().copied().collect();
            let (one, all) = (set.len() == 1 && rows > 1, set.len() == rows && rows >= 20);
            let counts = all
                && (set.iter().copied().eq(0..rows as u32) || set.iter().copied().eq(1..=rows as u32));
            let numbers: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
            let expected = if one { Some(LeftOut::Constant) } else { counts.then_some(LeftOut::RowNumbers) };
            let mut judge = Judge::default();
            let (left, right) = numbers.split_at(at.min(rows));
            judge.cells(&Cells::from_numbers(left.to_vec()));
            judge.cells(&Cells::from_numbers(right.to_vec()));
            prop_assert_eq!(judge.verdict(rows as u64), expected);
            let codes: Vec<Option<usize>> = values.iter().map(|&v| Some(v as usize)).collect();
            let expected = if one { Some(LeftOut::Constant) } else { all.then_some(LeftOut::Identifier) };
            prop_assert_eq!(of_codes(&codes), expected);
        }
    }
}
