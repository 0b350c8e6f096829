//! Rows of unknown cluster for learners that want it known: every row once for each cluster, weighing as much as the
//! row is probably of that cluster; and where cells are missing, every completion of the row.

use crate::classify::Fitted;
use crate::data::{Cells, Field, Table, View};
use crate::error::{Error, Result};
use crate::infer::density::Purpose;
use crate::num::normalise_logs;
use crate::run::Run;
use crate::stats::family::LARGEST_TABLE;

/// Every row of a table once for each cluster, side by side.
pub(super) struct Labelled {
    table: Table,
    /// The weights of the rows it was made of.
    weights: Option<Vec<f64>>,
    clusters: usize,
}

impl Labelled {
    /// Of a table whose last column is the cluster.
    pub(super) fn new(rows: &Table) -> Labelled {
        let class = rows.columns() - 1;
        let clusters = rows.field(class).states();
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
        let table = Table::trusted(rows.name(), (0..=class).map(column).collect(), each.len());
        Labelled { table, weights: rows.weights().map(<[f64]>::to_vec), clusters }
    }

    /// The weights of the rows it was made of.
    pub(super) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// What every row weighs for each cluster: its own weight times p(cluster | row).
    pub(super) fn weigh(&self, mut memberships: Vec<f64>) -> Vec<f64> {
        if let Some(weights) = &self.weights {
            for (row, w) in memberships.chunks_exact_mut(self.clusters).zip(weights) {
                row.iter_mut().for_each(|p| *p *= w);
            }
        }
        memberships
    }

    /// The table in which every row weighs for each cluster as much as it is of it.
    pub(super) fn weighed(&self, memberships: Vec<f64>) -> Result<Table> {
        self.table.clone().with_weights(self.weigh(memberships))
    }
}

/// Rows without a missing cell: every row, or all its completions.
pub(super) struct Completed {
    rows: Table,
    labelled: Labelled,
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
        let copies = rows.rows() as u128 * rows.field(class).states() as u128;
        let bytes = copies.saturating_mul(rows.columns() as u128 + 16);
        if bytes > LARGEST_TABLE {
            return Err(Error::TooLarge {
                what: "the rows once for each cluster".into(),
                bytes,
                limit: LARGEST_TABLE,
                fix: "ask for fewer clusters, or use em or ema".into(),
            });
        }
        let labelled = Labelled::new(&rows);
        Ok(Completed { rows, labelled, groups })
    }

    /// The completed rows, their cluster missing.
    pub(super) fn rows(&self) -> &Table {
        &self.rows
    }

    /// Every completed row once for each cluster.
    pub(super) fn labelled(&self) -> &Labelled {
        &self.labelled
    }

    /// How many clusters there are.
    pub(super) fn clusters(&self) -> usize {
        self.labelled.clusters
    }

    /// ln p(cluster, completion) of every completed row made into p(completion, cluster | row), with the log-likelihood.
    pub(super) fn normalised(&self, mut logs: Vec<f64>) -> (Vec<f64>, f64) {
        let k = self.clusters();
        let weight = |unit: usize| self.labelled.weights().map_or(1.0, |w| w[unit]);
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
    let missing = |r: usize| (0..class).filter(move |&c| rows.cells(c).code(r).is_none());
    let (mut groups, mut all) = (vec![0], 0u128);
    for r in 0..rows.rows() {
        let ways = missing(r).fold(1u128, |n, c| n.saturating_mul(rows.field(c).states() as u128));
        all = all.saturating_add(ways);
        if ways > MOST_OF_A_ROW || all > MOST_IN_ALL {
            return Err(too_many(rows, r, ways, all));
        }
        groups.push(all as usize);
    }
    let column = |c: usize| {
        let field = rows.field(c).clone();
        let states = field.states();
        let mut codes = Vec::with_capacity(all as usize);
        for r in 0..rows.rows() {
            let own = rows.cells(c).code(r);
            // The missing cells of a row count through its completions, the last fastest.
            let after = missing(r).filter(|&m| m > c).map(|m| rows.field(m).states());
            let period: usize = after.product();
            let ways = groups[r + 1] - groups[r];
            let code = |i: usize| match own {
                Some(code) => Some(code),
                None if c == class => None,
                None => Some(i / period % states),
            };
            codes.extend((0..ways).map(code));
        }
        (field, Cells::from_codes(codes, states))
    };
    let columns: Vec<(Field, Cells)> = (0..=class).map(column).collect();
    let table = Table::trusted(rows.name(), columns, all as usize);
    let table = match rows.weights() {
        None => table,
        Some(w) => {
            let each = (0..rows.rows())
                .flat_map(|r| std::iter::repeat_n(w[r], groups[r + 1] - groups[r]))
                .collect();
            table.with_weights(each)?
        }
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
        sum += weights.map_or(1.0, |w| w[view.row(i)]) * normalise_logs(row);
    }
    Ok((logs, sum))
}
