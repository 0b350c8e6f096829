//! Counting the tables of pairs.

use super::pairs::{PairTables, all_pairs, check_size};
use crate::data::{Source, Table};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::stats::{CountFamilies, CountPairs, Family, FamilyTable, ScatterFamilies, run_pass};

impl PairTables {
    /// Counts a source whose columns are all discrete and whose last is the class: every table by the rows in which its own
    /// cells are seen. Rows of unknown class count nowhere; the class itself is counted in all other rows.
    pub fn count(source: &Source<'_>, run: &Run<'_>) -> Result<PairTables> {
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
        let attributes = states.len();
        let singles = flat(&families(source, alone(attributes), run)?);
        let narrow = states.iter().chain([&classes]).all(|&s| s <= 255);
        let pairs = if narrow && !source.has_weights() {
            let columns: Vec<usize> = (0..attributes).collect();
            let counts = run_pass(source, &CountPairs::new(source, &columns, attributes)?, run)?;
            let tables = all_pairs(attributes).flat_map(|(i, j)| counts.table(i, j));
            tables.map(|&n| n as f64).collect()
        } else {
            pairs_by_families(attributes, |of| families(source, of, run))?
        };
        let rows = class.iter().sum();
        PairTables::new(states.to_vec(), class, singles, pairs, rows)
    }

    /// Counts rows whose last column is a class that is not known: every row weighs for each class as much as it is given,
    /// rows by rows, class innermost. Every table counts the rows in which its own cells are seen.
    pub(crate) fn weighed(rows: &Table, weights: &[f64], run: &Run<'_>) -> Result<PairTables> {
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
