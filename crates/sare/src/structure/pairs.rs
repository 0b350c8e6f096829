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
    /// Every pair of attributes of more than one level, in column order. One of a single level tells nothing, and in wide
    /// tables nearly all may be such.
    pairs: Vec<Pair>,
    /// The place of each attribute among those of more than one level.
    places: Vec<Option<usize>>,
    /// The weight of the rows in which each attribute is seen.
    rows: Vec<f64>,
}

impl Information {
    /// Counts all pairs of a source whose last column is the class. A pair is counted over the rows in which both cells
    /// are seen.
    pub fn of(source: &Source<'_>, run: &Run<'_>) -> Result<Information> {
        let fields = &source.schema().fields;
        let class = fields.len() - 1;
        let (with_class, rows, all) = with_class(source, run)?;
        let telling: Vec<usize> = (0..class).filter(|&v| fields[v].states() > 1).collect();
        let mut places = vec![None; class];
        telling.iter().enumerate().for_each(|(place, &v)| places[v] = Some(place));
        let narrow = fields.iter().all(|f| f.states() <= 255);
        let pairs = if narrow && !source.has_weights() {
            by_planes(source, &telling, run)?
        } else {
            by_families(source, &telling, run)?
        };
        let least = pairs.iter().map(|p| p.rows).fold(all, f64::min);
        if least < all * (1.0 - 1e-9) {
            let [least, all] = [least, all].map(|n| (n * 1000.0).round() / 1000.0);
            run.note(&format!(
                "cells are missing: the structure is learnt from the rows in which both of two attributes are seen, at \
                 least {least} of {all}"
            ))?;
        }
        Ok(Information { with_class, pairs, places, rows })
    }

    /// From counts of every attribute alone, and of every two, the lower first, by class.
    pub(crate) fn of_counts(
        attributes: usize,
        alone: impl Fn(usize) -> FamilyTable,
        pair: impl Fn(usize, usize) -> FamilyTable,
    ) -> Information {
        let singles: Vec<FamilyTable> = (0..attributes).map(alone).collect();
        let telling: Vec<usize> = (0..attributes).filter(|&v| singles[v].states() > 1).collect();
        let mut places = vec![None; attributes];
        telling.iter().enumerate().for_each(|(place, &v)| places[v] = Some(place));
        let later = |(i, &a): (usize, &usize)| telling[i + 1..].iter().map(move |&b| (a, b));
        let all = telling.iter().enumerate().flat_map(later);
        Information {
            with_class: singles.iter().map(information_with_class).collect(),
            pairs: all.map(|(a, b)| pair_of(a, b, &pair(a, b))).collect(),
            places,
            rows: singles.iter().map(FamilyTable::total).collect(),
        }
    }

    /// The attributes in falling order of what they tell about the class; of equals, the first.
    pub fn by_relevance(&self) -> Vec<usize> {
        falling(&self.with_class)
    }

    /// The same order without the pairs.
    pub fn relevance(source: &Source<'_>, run: &Run<'_>) -> Result<Vec<usize>> {
        with_class(source, run).map(|(information, ..)| falling(&information))
    }

    /// A pair in either order.
    pub fn pair(&self, x: usize, y: usize) -> Pair {
        let (a, b) = (x.min(y), x.max(y));
        match (self.places[a], self.places[b]) {
            (Some(i), Some(j)) => {
                let n = self.places.iter().flatten().count();
                self.pairs[i * (2 * n - i - 1) / 2 + (j - i - 1)]
            }
            _ => {
                let rows = self.rows[a].min(self.rows[b]);
                Pair { a, b, conditional: 0.0, plain: 0.0, rows }
            }
        }
    }

    /// Every pair, in column order.
    pub fn all(&self) -> impl Iterator<Item = Pair> + '_ {
        let n = self.places.len();
        (0..n).flat_map(move |a| (a + 1..n).map(move |b| self.pair(a, b)))
    }

    /// Pairs among which there is a tree of greatest weight: those of attributes of more than one level, and of the others,
    /// whose pairs are all worth nothing, the pairs of the first.
    pub fn for_trees(&self) -> impl Iterator<Item = Pair> + '_ {
        let first = self.places.iter().position(Option::is_none);
        let others = (0..self.places.len()).filter(move |&v| first.is_some_and(|f| f != v));
        let empty = others.filter_map(move |v| first.map(|f| self.pair(f, v)));
        self.pairs.iter().copied().chain(empty)
    }
}

/// I(attribute; class) of each attribute, the weight of the rows in which it is seen, and that of all rows of known class.
fn with_class(source: &Source<'_>, run: &Run<'_>) -> Result<(Vec<f64>, Vec<f64>, f64)> {
    let class = source.schema().len() - 1;
    let alone = |child: usize| Family { child, parents: Vec::new() };
    let singles = CountFamilies::new(source, (0..class).map(alone).collect(), Some(class))?;
    let counts = run_pass(source, &singles, run)?;
    // Rows with a missing cell are in the last cell of an attribute's table.
    let all = counts.first().map_or(0.0, |table| table.values().iter().sum());
    let seen = counts.iter().map(FamilyTable::total).collect();
    Ok((counts.iter().map(information_with_class).collect(), seen, all))
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

fn by_planes(source: &Source<'_>, columns: &[usize], run: &Run<'_>) -> Result<Vec<Pair>> {
    let class = source.schema().len() - 1;
    let counts = run_pass(source, &CountPairs::new(source, columns, class)?, run)?;
    let states = counts.states().to_vec();
    let pair = |(a, b): (usize, usize)| {
        let mut table = FamilyTable::zeros(states[a], states[b], counts.classes());
        let values = table.values_mut().iter_mut();
        values.zip(counts.table(a, b)).for_each(|(v, &n)| *v = n as f64);
        pair_of(columns[a], columns[b], &table)
    };
    let mut pairs = Vec::with_capacity(columns.len() * columns.len().saturating_sub(1) / 2);
    for a in 0..columns.len() {
        // A place to stop.
        run.tell(&Event::Step { steps: 0 })?;
        pairs.extend((a + 1..columns.len()).map(|b| pair((a, b))));
    }
    Ok(pairs)
}

/// Slower, but obeys weights and takes any number of levels. One attribute's pairs at a time, to bound the memory.
fn by_families(source: &Source<'_>, columns: &[usize], run: &Run<'_>) -> Result<Vec<Pair>> {
    let class = source.schema().len() - 1;
    let mut pairs = Vec::new();
    for (i, &a) in columns.iter().enumerate() {
        let others = &columns[i + 1..];
        let families = others.iter().map(|&b| Family { child: b, parents: vec![a] }).collect();
        let pass = CountFamilies::new(source, families, Some(class))?;
        let tables = run_pass(source, &pass, run)?;
        pairs.extend(others.iter().zip(&tables).map(|(&b, t)| pair_of(a, b, t)));
    }
    Ok(pairs)
}
