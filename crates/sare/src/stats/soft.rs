//! Counting families by a class of which only probabilities are known.

use super::count::{Family, cells};
use super::family::FamilyTable;
use super::kernels::scatter;
use super::pass::Pass;
use crate::data::Schema;
use crate::data::source::{Block, Scratch};

/// Rows handled together: their cells and weights stay in cache while every family is visited.
const BLOCK: usize = 2048;

/// Counts families where every row weighs for each class as much as it is probably of it: the table of a family holds
/// what the rows with all its members seen weigh, class innermost.
#[derive(Clone, Debug)]
pub struct ScatterFamilies<'a> {
    families: Vec<Family>,
    states: Vec<usize>,
    classes: usize,
    weights: &'a [f64],
}

impl<'a> ScatterFamilies<'a> {
    /// Counts these families of a table's columns. `weights` are those of all rows of the table, rows by rows, class
    /// innermost.
    pub fn new(
        schema: &Schema,
        families: Vec<Family>,
        classes: usize,
        weights: &'a [f64],
    ) -> ScatterFamilies<'a> {
        let states = schema.fields.iter().map(|f| f.states()).collect();
        ScatterFamilies { families, states, classes, weights }
    }

    /// The weights of a block's rows.
    fn of_block<'s>(&self, block: &Block<'_>, room: &'s mut Vec<f64>) -> &'s [f64]
    where
        'a: 's,
    {
        let of_row = |r: usize| &self.weights[r * self.classes..][..self.classes];
        if block.is_contiguous() && !block.is_empty() {
            return &self.weights[block.row_number(0) * self.classes..]
                [..block.len() * self.classes];
        }
        room.clear();
        (0..block.len()).for_each(|i| room.extend(of_row(block.row_number(i))));
        room
    }
}

impl Pass for ScatterFamilies<'_> {
    type Stats = Vec<FamilyTable>;

    fn empty(&self) -> Vec<FamilyTable> {
        let table = |f: &Family| {
            let configurations = f.parents.iter().map(|&p| self.states[p]).product();
            FamilyTable::zeros(configurations, self.states[f.child], self.classes)
        };
        self.families.iter().map(table).collect()
    }

    fn add(&self, block: &Block<'_>, stats: &mut Vec<FamilyTable>) {
        let (mut scratch, mut own, mut room) = (Scratch::default(), Vec::new(), Vec::new());
        for part in block.parts(BLOCK) {
            let weights = self.of_block(&part, &mut room);
            for (family, table) in self.families.iter().zip(&mut *stats) {
                let members: Vec<usize> =
                    family.parents.iter().copied().chain([family.child]).collect();
                cells(&part, &members, &self.states, &mut scratch, &mut own);
                scatter(&own, weights, self.classes, table.values_mut());
            }
        }
    }

    fn bytes(&self) -> usize {
        let members = |f: &Family| {
            f.parents.iter().chain([&f.child]).map(|&m| self.states[m]).product::<usize>()
        };
        self.families.iter().map(members).sum::<usize>() * self.classes * size_of::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Field, Source, Table, View};
    use crate::num::tolerance::{ROUNDING, close};
    use crate::run::Run;
    use crate::seed::{Purpose, Random};
    use crate::stats::{CountFamilies, run_pass};

    /// The same counts as of every row once for each class, weighing as much; with missing cells, and for some rows only.
    #[test]
    fn soft_counts_are_those_of_rows_copied_for_each_class() {
        let classes = 3;
        let mut random = Random::new(1, Purpose::Sample, 0);
        let mut column = |states: usize, holes: f64| {
            let mut cell = || Some(random.below(states)).filter(|_| random.uniform() >= holes);
            let codes: Vec<Option<usize>> = (0..300).map(|_| cell()).collect();
            let levels = (0..states).map(|level| level.to_string());
            (Field::discrete("column", levels), Cells::from_codes(codes, states))
        };
        let columns = [(2, 0.0), (3, 0.0), (4, 0.1), (3, 0.0)].map(|(s, h)| column(s, h));
        let table = Table::trusted("random", columns.into(), 300);
        let weights: Vec<f64> = (0..300).flat_map(|_| random.dirichlet(classes, 1.0)).collect();
        let families = || {
            let of = |(child, parents)| Family { child, parents };
            [(0, vec![]), (2, vec![0]), (3, vec![2, 1])].map(of).to_vec()
        };
        let some: Vec<u32> = (0..300).filter(|r| r % 3 != 1).collect();
        for view in [View::all(&table), View::of(&table, &some)] {
            let pass = ScatterFamilies::new(table.schema(), families(), classes, &weights);
            let soft = run_pass(&Source::Memory(view), &pass, &Run::default()).unwrap();
            for c in 0..classes {
                let own = table
                    .clone()
                    .with_weights(weights.iter().skip(c).step_by(classes).copied().collect());
                let own: Table = own.unwrap();
                let source = Source::Memory(view.over(&own));
                let pass = CountFamilies::new(&source, families(), None).unwrap();
                let hard = run_pass(&source, &pass, &Run::default()).unwrap();
                for (soft, hard) in soft.iter().zip(&hard) {
                    let of_class = soft.values().iter().skip(c).step_by(classes);
                    assert_eq!(of_class.len(), hard.values().len());
                    assert!(of_class.zip(hard.values()).all(|(a, b)| close(*a, *b, ROUNDING)));
                }
            }
        }
    }
}
