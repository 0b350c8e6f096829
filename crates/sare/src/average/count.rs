//! Counting the tables of pairs.

use super::pairs::{PairTables, all_pairs, check_size};
use crate::data::{Source, Table, View};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::stats::{CountFamilies, CountPairs, Family, FamilyTable, ScatterFamilies, run_pass};

/// Which rows the tables of attributes and pairs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// For every table those in which its own cells are seen.
    Available,
    /// Those in which every cell is seen: the tables of rival structures are then of the same rows, as their evidence
    /// must be.
    Complete,
}

impl PairTables {
    /// Counts a source whose columns are all discrete and whose last is the class. Rows of unknown class count nowhere;
    /// the class itself is counted in all other rows.
    pub fn count(source: &Source<'_>, rows: Rows, run: &Run<'_>) -> Result<PairTables> {
        let fields = &source.schema().fields;
        let states: Vec<usize> = fields.iter().map(|f| f.states()).collect();
        let (classes, states) = match states.split_last() {
            Some((&classes, states)) if classes > 0 && !states.is_empty() => (classes, states),
            _ => {
                let problem = "there is no class or no attribute to learn from";
                return Err(Error::data(
                    source.name(),
                    problem,
                    "give at least one column of each",
                ));
            }
        };
        check_size(states, classes)?;
        let class = class_weights(source, classes, run)?;
        match (rows, source) {
            (Rows::Complete, Source::Stream(stream))
                if (0..states.len()).any(|c| stream.missing(c) > 0) =>
            {
                let problem = "an average over structures needs rows without missing cells, and to choose \
                               them it needs the rows in memory";
                Err(Error::data(source.name(), problem, "leave out --stream"))
            }
            (Rows::Complete, Source::Memory(view)) => {
                let whole = complete(*view);
                let view = whole.as_deref().map_or(*view, |rows| View::of(view.table(), rows));
                count(&Source::Memory(view), states, class, run)
            }
            _ => count(source, states, class, run),
        }
    }

    /// Counts rows without a missing cell, whose last column is a class that is not known: every row weighs for each class
    /// as much as it is given, rows by rows, class innermost.
    pub(crate) fn expected(rows: &Table, weights: &[f64], run: &Run<'_>) -> Result<PairTables> {
        let mut states: Vec<usize> = rows.schema().fields.iter().map(|f| f.states()).collect();
        let classes = states.pop().unwrap_or_default();
        check_size(&states, classes)?;
        let scattered = |of: Vec<Family>| {
            let pass = ScatterFamilies::new(rows.schema(), of, classes, weights);
            run_pass(&Source::Memory(rows.view()), &pass, run)
        };
        let singles = flat(&scattered(alone(states.len()))?);
        let pairs = pairs_by_families(states.len(), scattered)?;
        let mut class = vec![0.0; classes];
        for row in weights.chunks_exact(classes) {
            class.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
        }
        let all = class.iter().sum();
        PairTables::new(states, class, singles, pairs, all)
    }
}

/// The rows of a view in which every attribute is seen; none where that is all of them.
fn complete(view: View<'_>) -> Option<Vec<u32>> {
    let table = view.table();
    let holed: Vec<usize> =
        (0..table.columns() - 1).filter(|&c| table.cells(c).missing() > 0).collect();
    if holed.is_empty() {
        return None;
    }
    let whole = |r: &usize| holed.iter().all(|&c| table.cells(c).code(*r).is_some());
    Some(view.row_numbers().filter(whole).map(|r| r as u32).collect())
}

fn count(
    source: &Source<'_>,
    states: &[usize],
    class: Vec<f64>,
    run: &Run<'_>,
) -> Result<PairTables> {
    let attributes = states.len();
    let singles = flat(&families(source, alone(attributes), run)?);
    let narrow = states.iter().chain([&class.len()]).all(|&s| s <= 255);
    let pairs = if narrow && !source.has_weights() {
        let columns: Vec<usize> = (0..attributes).collect();
        let counts = run_pass(source, &CountPairs::new(source, &columns, attributes)?, run)?;
        all_pairs(attributes).flat_map(|(i, j)| counts.table(i, j)).map(|&n| n as f64).collect()
    } else {
        pairs_by_families(attributes, |of| families(source, of, run))?
    };
    let rows = class_weights(source, class.len(), run)?.iter().sum();
    PairTables::new(states.to_vec(), class, singles, pairs, rows)
}

/// Every attribute by itself.
fn alone(attributes: usize) -> Vec<Family> {
    (0..attributes).map(|child| Family { child, parents: Vec::new() }).collect()
}

/// All pairs, one attribute's at a time, to bound the memory of the pass.
fn pairs_by_families(
    attributes: usize,
    count: impl Fn(Vec<Family>) -> Result<Vec<FamilyTable>>,
) -> Result<Vec<f64>> {
    let mut pairs = Vec::new();
    for i in 0..attributes {
        let with = |j: usize| Family { child: j, parents: vec![i] };
        pairs.extend(flat(&count((i + 1..attributes).map(with).collect())?));
    }
    Ok(pairs)
}

/// The weight of the rows of each class.
fn class_weights(source: &Source<'_>, classes: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let class = source.schema().len() - 1;
    let family = vec![Family { child: class, parents: Vec::new() }];
    let counts = run_pass(source, &CountFamilies::new(source, family, None)?, run)?;
    Ok((0..classes).map(|c| counts[0].at(0, c, 0)).collect())
}

/// Counts families by the class, the last column.
fn families(source: &Source<'_>, of: Vec<Family>, run: &Run<'_>) -> Result<Vec<FamilyTable>> {
    let class = source.schema().len() - 1;
    run_pass(source, &CountFamilies::new(source, of, Some(class))?, run)
}

/// The entries of rows in which all members are seen, table after table.
fn flat(tables: &[FamilyTable]) -> Vec<f64> {
    tables.iter().flat_map(|t| &t.values()[..t.cells() * t.classes()]).copied().collect()
}
