//! The rows as every structure sees them: those that are alike in its columns merged into one.

use super::DESCRIPTION;
use crate::data::source::Block;
use crate::data::{Cells, Source, Table};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::stats::{FamilyTable, Merge, Pass, run_pass};
use std::collections::BTreeMap;

/// The code of a missing cell.
pub(super) const MISSING: u16 = u16::MAX;

/// The most rows, with their weights, that a chain goes through.
const MOST_COPIES: f64 = 1e6;

/// Rows that differ from each other, in a fixed order.
pub(super) struct Rows {
    /// One row for each kind, with its weight; the last column is the cluster.
    pub table: Table,
    /// The codes of the attributes, row by row.
    codes: Vec<u16>,
    /// How many whole rows stand for each kind where its weight cannot be a fraction. The remainders are handed on from one
    /// kind to the next, so that any run of kinds has its weight to within one half at either end.
    pub copies: Vec<u32>,
}

impl Rows {
    /// The kinds of rows of a source whose last column is the cluster.
    pub fn of(data: &Source<'_>, run: &Run<'_>) -> Result<Rows> {
        let kinds = run_pass(data, &CountKinds { attributes: data.schema().len() - 1 }, run)?.0;
        let weights: Vec<f64> = kinds.values().copied().collect();
        let total: f64 = weights.iter().sum();
        if total > MOST_COPIES {
            return Err(Error::Setting {
                learner: DESCRIPTION.name.into(),
                setting: "the weight of all rows".into(),
                value: format!("{total}"),
                expected: format!(
                    "at most {MOST_COPIES}, as chains draw the cluster of every row; use ema"
                ),
            });
        }
        let copies = whole_copies(&weights);
        let codes: Vec<u16> = kinds.into_keys().flatten().collect();
        Rows::new(data.name(), &data.schema().fields, codes, weights, copies)
    }

    fn new(
        name: &str,
        fields: &[crate::data::Field],
        codes: Vec<u16>,
        weights: Vec<f64>,
        copies: Vec<u32>,
    ) -> Result<Rows> {
        let (count, width) = (weights.len(), fields.len() - 1);
        let cell = |r: usize, c: usize| -> Option<usize> {
            let code = *codes.get(r * width + c).filter(|_| c < width)?;
            (code != MISSING).then_some(code as usize)
        };
        let column = |(c, field): (usize, &crate::data::Field)| {
            let cells = Cells::from_codes((0..count).map(|r| cell(r, c)), field.states());
            (field.clone(), cells)
        };
        let columns = fields.iter().enumerate().map(column).collect();
        let table = Table::trusted(name, columns, count).with_weights(weights)?;
        Ok(Rows { table, codes, copies })
    }

    /// How many attributes there are.
    pub fn attributes(&self) -> usize {
        self.table.columns() - 1
    }

    /// The codes of the attributes of a kind.
    pub fn codes(&self, kind: usize) -> &[u16] {
        let width = self.attributes();
        &self.codes[kind * width..][..width]
    }

    /// The weight of each kind.
    pub fn weights(&self) -> &[f64] {
        self.table.weights().unwrap_or_default()
    }

    /// The kinds that are left when only these attributes, and the cluster, are looked at.
    pub fn select(&self, attributes: &[usize]) -> Result<Rows> {
        let mut kinds: BTreeMap<Vec<u16>, (f64, u32)> = BTreeMap::new();
        for (kind, (weight, copies)) in self.weights().iter().zip(&self.copies).enumerate() {
            let codes = self.codes(kind);
            let key = attributes.iter().map(|&a| codes[a]).collect();
            let entry = kinds.entry(key).or_default();
            entry.0 += weight;
            entry.1 += copies;
        }
        let of = |&c: &usize| self.table.field(c).clone();
        let fields: Vec<_> = attributes.iter().chain([&self.attributes()]).map(of).collect();
        let (weights, copies) = kinds.values().copied().unzip();
        let codes = kinds.into_keys().flatten().collect();
        Rows::new(self.table.name(), &fields, codes, weights, copies)
    }

    /// How often each state of an attribute was seen, counting every kind as told.
    pub fn counts(&self, attribute: usize, count: impl Fn(usize) -> f64) -> FamilyTable {
        let states = self.table.field(attribute).states();
        let mut counts = FamilyTable::zeros(1, states, 1);
        for kind in 0..self.copies.len() {
            let code = self.codes(kind)[attribute];
            if code != MISSING {
                *counts.at_mut(0, code as usize, 0) += count(kind);
            }
        }
        counts
    }
}

/// Whole numbers whose running sums are those of the weights, rounded.
fn whole_copies(weights: &[f64]) -> Vec<u32> {
    let (mut sum, mut dealt) = (0.0f64, 0.0);
    let own = |w: &f64| {
        sum += w;
        let before = std::mem::replace(&mut dealt, sum.round());
        (dealt - before) as u32
    };
    weights.iter().map(own).collect()
}

/// The weight of every kind of row.
struct Kinds(BTreeMap<Vec<u16>, f64>);

impl Merge for Kinds {
    fn merge(&mut self, other: &Kinds) {
        other.0.iter().for_each(|(key, weight)| match self.0.get_mut(key) {
            Some(sum) => *sum += weight,
            None => {
                self.0.insert(key.clone(), *weight);
            }
        });
    }
}

struct CountKinds {
    attributes: usize,
}

impl Pass for CountKinds {
    type Stats = Kinds;

    fn empty(&self) -> Kinds {
        Kinds(BTreeMap::new())
    }

    fn add(&self, block: &Block<'_>, kinds: &mut Kinds) {
        let mut room = Vec::new();
        let weights = block.weights(&mut room);
        for i in 0..block.len() {
            let weight = weights.map_or(1.0, |w| w[i]);
            let row = block.row_number(i);
            let code = |c: usize| block.table().cells(c).code(row).map_or(MISSING, |x| x as u16);
            if weight > 0.0 {
                *kinds.0.entry((0..self.attributes).map(code).collect()).or_default() += weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Field;

    fn table(weights: Vec<f64>) -> Table {
        let columns = [[Some(0), Some(1), None, Some(1)], [Some(1), Some(0), Some(0), Some(0)]];
        let mut all: Vec<(Field, Cells)> = (columns.into_iter().enumerate())
            .map(|(i, c)| (Field::discrete(format!("x{i}"), ["a", "b"]), Cells::from_codes(c, 2)))
            .collect();
        all.push((Field::discrete("cluster", ["1", "2"]), Cells::from_codes([None; 4], 2)));
        Table::new("t", all).unwrap().with_weights(weights).unwrap()
    }

    #[test]
    fn rows_that_are_alike_become_one() {
        let table = table(vec![1.0, 2.0, 1.5, 0.5]);
        let rows = Rows::of(&Source::Memory(table.view()), &Run::default()).unwrap();
        let kinds: Vec<&[u16]> = (0..3).map(|k| rows.codes(k)).collect();
        assert_eq!(kinds, [&[0, 1], &[1, 0], &[MISSING, 0]]);
        assert_eq!(rows.weights(), [1.0, 2.5, 1.5]);
        assert_eq!((rows.table.rows(), rows.table.cells(0).code(2)), (3, None));
        // 1, 3.5 and 5 rounded, less what was dealt before.
        assert_eq!(rows.copies, [1, 3, 1]);
        assert_eq!(rows.counts(0, |k| rows.weights()[k]).values()[..2], [1.0, 2.5]);
        let second = rows.select(&[1]).unwrap();
        assert_eq!((second.codes(0), second.codes(1)), (&[0][..], &[1][..]));
        assert_eq!((second.weights(), &second.copies[..]), (&[4.0, 1.0][..], &[4, 1][..]));
        assert_eq!(second.table.schema().names().collect::<Vec<_>>(), ["x1", "cluster"]);
    }

    #[test]
    fn small_weights_are_dealt_in_turn() {
        assert_eq!(whole_copies(&[0.25; 8]).iter().sum::<u32>(), 2);
        assert_eq!(whole_copies(&[3.0, 0.0, 7.0]), [3, 0, 7]);
    }

    #[test]
    fn rows_that_weigh_nothing_are_no_kind() {
        let table = table(vec![0.0, 1.0, 0.0, 1.0]);
        let rows = Rows::of(&Source::Memory(table.view()), &Run::default()).unwrap();
        assert_eq!((rows.codes(0), rows.table.rows()), (&[1, 0][..], 1));
    }

    #[test]
    fn more_than_chains_can_go_through_is_refused() {
        let table = table(vec![1e6, 1.0, 1.0, 1.0]);
        let problem = Rows::of(&Source::Memory(table.view()), &Run::default()).err().unwrap();
        assert!(problem.to_string().contains("use ema"), "{problem}");
    }
}
