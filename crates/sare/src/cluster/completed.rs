//! Rows of unknown cluster for learners that want it known: every row once for each cluster, weighing as much as the
//! row is probably of that cluster; and where cells are missing, every completion of the row.

use crate::average::PairTables;
use crate::classify::Fitted;
use crate::data::{Cells, Field, Table, View};
use crate::error::{Error, Result};
use crate::infer::density::Purpose;
use crate::num::{class_probabilities, normalise_logs};
use crate::run::Run;
use crate::stats::family::LARGEST_TABLE;
use std::sync::OnceLock;

/// Every row of a table once for each cluster, side by side, each weighing its own weight times p(cluster | row). Fails
/// where that would be too large to make.
pub(super) fn labelled(rows: &Table, memberships: Vec<f64>) -> Result<Table> {
    let copies = Copies::new(rows)?;
    copies.0.clone().with_weights(weigh(rows, memberships))
}

/// Every row of a table once for each cluster.
struct Copies(Table);

impl Copies {
    /// Of a table whose last column is the cluster.
    fn new(rows: &Table) -> Result<Copies> {
        let class = rows.columns() - 1;
        let clusters = rows.field(class).states();
        let copies = rows.rows() as u128 * clusters as u128;
        check_size("the rows once for each cluster", copies, rows.columns())?;
        let each: Vec<u32> =
            (0..rows.rows() as u32).flat_map(|r| std::iter::repeat_n(r, clusters)).collect();
        let column = |c: usize| {
            let cells = if c == class {
                Cells::from_codes((0..each.len()).map(|i| Some(i % clusters)), clusters)
            } else {
                rows.cells(c).gather(&each)
            };
            (rows.field(c).clone(), cells)
        };
        Ok(Copies(Table::trusted(rows.name(), (0..=class).map(column).collect(), each.len())))
    }
}

/// Fails where so many rows would be too large to make.
fn check_size(what: &str, rows: u128, columns: usize) -> Result<()> {
    // The cells, a weight, and the number of the row they are of.
    let bytes = rows.saturating_mul(columns as u128 + 16);
    if bytes <= LARGEST_TABLE {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: what.into(),
        bytes,
        limit: LARGEST_TABLE,
        fix: "use em or ema, and keep the best start".into(),
    })
}

/// What every row weighs for each cluster: its own weight times p(cluster | row).
fn weigh(rows: &Table, mut memberships: Vec<f64>) -> Vec<f64> {
    let clusters = rows.field(rows.columns() - 1).states();
    if let Some(weights) = rows.weights() {
        for (row, w) in memberships.chunks_exact_mut(clusters).zip(weights) {
            row.iter_mut().for_each(|p| *p *= w);
        }
    }
    memberships
}

/// Rows without a missing cell: every row, or all its completions.
pub(super) struct Completed {
    rows: Table,
    /// Made when first asked for: many learners do without.
    copies: OnceLock<Copies>,
    /// Where the completions of each row begin, and where the last ones end; none if every row is complete.
    groups: Option<Vec<usize>>,
}

/// The most completions of a row, and of all rows together.
const MOST_OF_A_ROW: u128 = 1 << 16;
const MOST_IN_ALL: u128 = 1 << 23;

impl Completed {
    /// Of rows whose last column is the cluster. Fails where there are too many completions to go through.
    pub(super) fn new(rows: &Table) -> Result<Completed> {
        let class = rows.columns() - 1;
        let (rows, groups) = match (0..class).any(|c| rows.cells(c).missing() > 0) {
            true => complete(rows).map(|(rows, groups)| (rows, Some(groups)))?,
            false => (rows.clone(), None),
        };
        Ok(Completed { rows, copies: OnceLock::new(), groups })
    }

    /// The completed rows, their cluster missing.
    pub(super) fn rows(&self) -> &Table {
        &self.rows
    }

    /// What every completed row weighs for each cluster, by p(cluster, completion | row).
    pub(super) fn weigh(&self, memberships: Vec<f64>) -> Vec<f64> {
        weigh(&self.rows, memberships)
    }

    /// Every completed row once for each cluster, weighing as much as it is of it.
    pub(super) fn labelled(&self, memberships: Vec<f64>) -> Result<Table> {
        let copies = match self.copies.get() {
            Some(copies) => copies,
            None => {
                let made = Copies::new(&self.rows)?;
                self.copies.get_or_init(|| made)
            }
        };
        copies.0.clone().with_weights(self.weigh(memberships))
    }

    /// The counts of attributes and of their pairs that memberships make.
    pub(super) fn pairs(&self, memberships: Vec<f64>, run: &Run<'_>) -> Result<PairTables> {
        PairTables::expected(&self.rows, &self.weigh(memberships), run)
    }

    /// How many clusters there are.
    pub(super) fn clusters(&self) -> usize {
        self.rows.field(self.rows.columns() - 1).states()
    }

    /// ln p(cluster, completion) of every completed row made into p(completion, cluster | row), with the log-likelihood.
    pub(super) fn normalised(&self, mut logs: Vec<f64>) -> (Vec<f64>, f64) {
        let k = self.clusters();
        let weight = |unit: usize| self.rows.weights().map_or(1.0, |w| w[unit]);
        let mut sum = 0.0;
        match &self.groups {
            None => {
                for (unit, row) in logs.chunks_exact_mut(k).enumerate() {
                    sum += weight(unit) * normalise_logs(row);
                }
            }
            Some(groups) => {
                for ends in groups.windows(2) {
                    let row = &mut logs[ends[0] * k..ends[1] * k];
                    sum += weight(ends[0]) * normalise_logs(row);
                }
            }
        }
        (logs, sum)
    }
}

/// All completions of all rows, a row's side by side, and where those of each begin.
fn complete(rows: &Table) -> Result<(Table, Vec<usize>)> {
    let class = rows.columns() - 1;
    let holed: Vec<usize> = (0..class).filter(|&c| rows.cells(c).missing() > 0).collect();
    let missing =
        |r: usize| holed.iter().copied().filter(move |&c| rows.cells(c).code(r).is_none());
    let (mut groups, mut all) = (vec![0], 0u128);
    for r in 0..rows.rows() {
        let ways = missing(r).fold(1u128, |n, c| n.saturating_mul(rows.field(c).states() as u128));
        all = all.saturating_add(ways);
        if ways > MOST_OF_A_ROW || all > MOST_IN_ALL {
            return Err(too_many(rows, r, ways, all));
        }
        groups.push(all as usize);
    }
    check_size("the rows with their missing cells filled in every way", all, rows.columns())?;
    // The row that each completion is of.
    let each: Vec<u32> = (0..rows.rows() as u32)
        .flat_map(|r| std::iter::repeat_n(r, groups[r as usize + 1] - groups[r as usize]))
        .collect();
    // The missing cells of a row count through its completions, the last fastest: by column from the last, how many
    // completions there are for one state.
    let mut periods = vec![1usize; rows.rows()];
    let mut columns: Vec<(Field, Cells)> = Vec::with_capacity(class + 1);
    for c in (0..=class).rev() {
        let (field, cells) = (rows.field(c).clone(), rows.cells(c));
        if holed.binary_search(&c).is_err() {
            columns.push((field, cells.gather(&each)));
            continue;
        }
        let states = field.states();
        let code = |(i, &r): (usize, &u32)| {
            let r = r as usize;
            cells.code(r).or(Some((i - groups[r]) / periods[r] % states))
        };
        let filled = Cells::from_codes(each.iter().enumerate().map(code), states);
        for (r, period) in periods.iter_mut().enumerate() {
            *period *= if cells.code(r).is_none() { states } else { 1 };
        }
        columns.push((field, filled));
    }
    columns.reverse();
    let table = Table::trusted(rows.name(), columns, all as usize);
    let table = match rows.weights() {
        None => table,
        Some(w) => table.with_weights(each.iter().map(|&r| w[r as usize]).collect())?,
    };
    Ok((table, groups))
}

fn too_many(rows: &Table, row: usize, ways: u128, all: u128) -> Error {
    let problem = if ways > MOST_OF_A_ROW {
        format!(
            "the missing cells of a row can be filled in {ways} ways, and at most {MOST_OF_A_ROW} can be gone through"
        )
    } else {
        format!(
            "the missing cells of the first {} rows can be filled in {all} ways, and at most {MOST_IN_ALL} can be gone through",
            row + 1
        )
    };
    let fix =
        "leave out columns or rows of many missing cells, or use em or ema, which take any row";
    Error::data(rows.name(), problem, fix)
}

/// p(cluster | row) of rows whose last column is the cluster, rows by rows, and their log-likelihood.
pub(super) fn memberships(
    fitted: &Fitted,
    view: View<'_>,
    run: &Run<'_>,
) -> Result<(Vec<f64>, f64)> {
    let mut logs = fitted.per_class(view, Purpose::Density, run, |_| {})?;
    let weights = view.table().weights();
    let mut sum = 0.0;
    for (i, row) in logs.chunks_exact_mut(fitted.classes()).enumerate() {
        sum += weights.map_or(1.0, |w| w[view.row(i)]) * class_probabilities(row);
    }
    Ok((logs, sum))
}
