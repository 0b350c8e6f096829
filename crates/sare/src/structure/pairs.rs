//! What every pair of attributes tells about each other, by class: what trees and k-dependence structures start from.

use crate::data::Source;
use crate::error::Result;
use crate::observe::Event;
use crate::run::Run;
use crate::stats::information::{
    conditional_information, information_with_class, pair_information,
};
use crate::stats::{CountFamilies, CountPairs, Family, FamilyTable, run_pass};

/// What one pair of attributes tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The attributes, the lower first.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// I(a; b | class).
    pub conditional: f64,
    /// I(a; b).
    pub plain: f64,
    /// Weight of the rows in which both are seen.
    pub rows: f64,
}

/// What attributes tell about the class and about each other.
#[derive(Clone, Debug)]
pub struct Information {
    /// I(attribute; class) of each attribute.
    pub with_class: Vec<f64>,
    /// Every pair, in column order.
    pub pairs: Vec<Pair>,
}

impl Information {
    /// Counts all pairs of a source whose last column is the class. A pair is counted over the rows in which both cells
    /// are seen.
    pub fn of(source: &Source<'_>, run: &Run<'_>) -> Result<Information> {
        let class = source.schema().len() - 1;
        let (with_class, rows) = with_class(source, run)?;
        let narrow = source.schema().fields.iter().all(|f| f.states() <= 255);
        let pairs = if narrow && !source.has_weights() {
            by_planes(source, class, run)?
        } else {
            by_families(source, class, run)?
        };
        let least = pairs.iter().map(|p| p.rows).fold(rows, f64::min);
        if least < rows * (1.0 - 1e-9) {
            let [least, rows] = [least, rows].map(|n| (n * 1000.0).round() / 1000.0);
            run.note(&format!(
                "cells are missing: the structure is learnt from the rows in which both of two attributes are seen, at \
                 least {least} of {rows}"
            ))?;
        }
        Ok(Information { with_class, pairs })
    }

    /// The attributes in falling order of what they tell about the class; of equals, the first.
    pub fn by_relevance(&self) -> Vec<usize> {
        falling(&self.with_class)
    }

    /// The same order without the pairs.
    pub fn relevance(source: &Source<'_>, run: &Run<'_>) -> Result<Vec<usize>> {
        with_class(source, run).map(|(information, _)| falling(&information))
    }

    /// A pair in either order.
    pub fn pair(&self, x: usize, y: usize) -> &Pair {
        let (a, b) = (x.min(y), x.max(y));
        let n = self.with_class.len();
        &self.pairs[a * (2 * n - a - 1) / 2 + (b - a - 1)]
    }
}

/// I(attribute; class) of each attribute, and the weight of the rows of known class.
fn with_class(source: &Source<'_>, run: &Run<'_>) -> Result<(Vec<f64>, f64)> {
    let class = source.schema().len() - 1;
    let alone = |child: usize| Family { child, parents: Vec::new() };
    let singles = CountFamilies::new(source, (0..class).map(alone).collect(), Some(class))?;
    let counts = run_pass(source, &singles, run)?;
    // Rows with a missing cell are in the last cell of an attribute's table.
    let rows = counts.first().map_or(0.0, |table| table.values().iter().sum());
    Ok((counts.iter().map(information_with_class).collect(), rows))
}

/// Places in falling order of their values; of equals, the first.
fn falling(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&x, &y| values[y].total_cmp(&values[x]));
    order
}

fn pair_of(a: usize, b: usize, table: &FamilyTable) -> Pair {
    Pair {
        a,
        b,
        conditional: conditional_information(table),
        plain: pair_information(table),
        rows: table.total(),
    }
}

fn by_planes(source: &Source<'_>, class: usize, run: &Run<'_>) -> Result<Vec<Pair>> {
    let columns: Vec<usize> = (0..class).collect();
    let counts = run_pass(source, &CountPairs::new(source, &columns, class)?, run)?;
    let states = counts.states().to_vec();
    let pair = |(a, b): (usize, usize)| {
        let mut table = FamilyTable::zeros(states[a], states[b], counts.classes());
        let values = table.values_mut().iter_mut();
        values.zip(counts.table(a, b)).for_each(|(v, &n)| *v = n as f64);
        pair_of(a, b, &table)
    };
    let mut pairs = Vec::with_capacity(class * class.saturating_sub(1) / 2);
    for a in 0..class {
        // A place to stop.
        run.tell(&Event::Step { steps: 0 })?;
        pairs.extend((a + 1..class).map(|b| pair((a, b))));
    }
    Ok(pairs)
}

/// Slower, but obeys weights and takes any number of levels. One attribute's pairs at a time, to bound the memory.
fn by_families(source: &Source<'_>, class: usize, run: &Run<'_>) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for a in 0..class {
        let families: Vec<Family> =
            (a + 1..class).map(|b| Family { child: b, parents: vec![a] }).collect();
        let pass = CountFamilies::new(source, families, Some(class))?;
        let tables = run_pass(source, &pass, run)?;
        pairs.extend(tables.iter().enumerate().map(|(i, t)| pair_of(a, a + 1 + i, t)));
    }
    Ok(pairs)
}
