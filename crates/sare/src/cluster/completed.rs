//! Rows of unknown cluster for learners that want it known: every row once for each cluster, weighing as much as the
//! row is probably of that cluster. Where cells are missing, learners that need whole rows get completions.

use crate::classify::Fitted;
use crate::data::{Cells, Field, Table, View};
use crate::error::{Error, Result};
use crate::infer::density::Purpose;
use crate::num::{class_probabilities, normalise_logs};
use crate::run::Run;
use crate::stats::family::LARGEST_TABLE;

/// Every row of a table, whose last column is the cluster, once for each cluster, side by side, each weighing its own
/// weight times p(cluster | row). Fails where that would be too large to make.
pub(super) fn labelled(rows: &Table, memberships: Vec<f64>) -> Result<Table> {
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
    let copies = Table::trusted(rows.name(), (0..=class).map(column).collect(), each.len());
    copies.with_weights(weigh(rows, memberships))
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
pub(super) fn weigh(rows: &Table, mut memberships: Vec<f64>) -> Vec<f64> {
    let clusters = rows.field(rows.columns() - 1).states();
    if let Some(weights) = rows.weights() {
        for (row, w) in memberships.chunks_exact_mut(clusters).zip(weights) {
            row.iter_mut().for_each(|p| *p *= w);
        }
    }
    memberships
}

/// Rows without a missing cell: every row, or completions of it.
pub(super) struct Completed {
    rows: Table,
    /// Where the completions of each row begin, and where the last ones end; none if every row is complete.
    groups: Option<Vec<usize>>,
    /// Of the rows that do not have all their completions here, the missing cells of those drawn, completion by completion.
    drawn: Vec<Option<Vec<u16>>>,
}

/// The most completions of a row, and of all rows together.
const MOST_OF_A_ROW: u128 = 1 << 16;
const MOST_IN_ALL: u128 = 1 << 23;

impl Completed {
    /// All completions of rows whose last column is the cluster. Fails where there are too many to go through.
    pub(super) fn all(rows: &Table) -> Result<Completed> {
        Completed::new(rows, vec![None; rows.rows()])
    }

    /// Completions of rows whose last column is the cluster: those that are drawn, elsewhere all.
    pub(super) fn new(rows: &Table, drawn: Vec<Option<Vec<u16>>>) -> Result<Completed> {
        let class = rows.columns() - 1;
        if (0..class).all(|c| rows.cells(c).missing() == 0) {
            return Ok(Completed { rows: rows.clone(), groups: None, drawn });
        }
        let (rows, groups) = complete(rows, &drawn)?;
        Ok(Completed { rows, groups: Some(groups), drawn })
    }

    /// The completed rows, their cluster missing.
    pub(super) fn rows(&self) -> &Table {
        &self.rows
    }

    /// Every completed row once for each cluster, weighing as much as its row is of the cluster, times
    /// p(completion | row, cluster) by a model. Of rows whose completions are drawn, each cluster has its own, which are
    /// equally probable.
    pub(super) fn labelled(
        &self,
        fitted: &Fitted,
        mut memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Table> {
        if let Some(groups) = &self.groups {
            let k = self.clusters();
            let mut logs = fitted.per_class(self.rows.view(), Purpose::Density, run, |_| {})?;
            for (row, ends) in groups.windows(2).enumerate() {
                let own = &mut logs[ends[0] * k..ends[1] * k];
                let of = |c: usize| memberships[row * k + c];
                match self.drawn[row] {
                    None => (0..k).for_each(|c| share_out(own, c, k, of(c))),
                    Some(_) => {
                        let count = (ends[1] - ends[0]) / k;
                        own.fill(0.0);
                        for (unit, entry) in own.chunks_exact_mut(k).enumerate() {
                            entry[unit / count] = of(unit / count) / count as f64;
                        }
                    }
                }
            }
            memberships = logs;
        }
        labelled(&self.rows, memberships)
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

/// Makes a class's log-probabilities into shares of a number.
fn share_out(logs: &mut [f64], class: usize, classes: usize, all: f64) {
    let mut own: Vec<f64> = logs.iter().skip(class).step_by(classes).copied().collect();
    normalise_logs(&mut own);
    logs.iter_mut().skip(class).step_by(classes).zip(own).for_each(|(to, p)| *to = all * p);
}

/// How many completions a row has; the last column is the cluster.
pub(super) fn ways(rows: &Table, row: usize) -> u128 {
    let missing = (0..rows.columns() - 1).filter(|&c| rows.cells(c).code(row).is_none());
    missing.fold(1, |n, c| n.saturating_mul(rows.field(c).states() as u128))
}

/// The completions of all rows, a row's side by side, and where those of each begin.
fn complete(rows: &Table, drawn: &[Option<Vec<u16>>]) -> Result<(Table, Vec<usize>)> {
    let class = rows.columns() - 1;
    let holed: Vec<usize> = (0..class).filter(|&c| rows.cells(c).missing() > 0).collect();
    let missing = |r: usize| holed.iter().filter(|&&c| rows.cells(c).code(r).is_none()).count();
    // How many missing cells there are up to the present column, which goes from the last to the first.
    let mut left: Vec<usize> = (0..rows.rows()).map(missing).collect();
    let widths = left.clone();
    let (mut groups, mut all) = (vec![0], 0u128);
    for (r, drawn) in drawn.iter().enumerate() {
        let ways = match drawn {
            Some(codes) => (codes.len() / widths[r].max(1)) as u128,
            None => ways(rows, r),
        };
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
        let fill = |i: usize, r: usize| match &drawn[r] {
            Some(codes) => codes[(i - groups[r]) * widths[r] + left[r] - 1] as usize,
            None => (i - groups[r]) / periods[r] % states,
        };
        let code = |(i, &r): (usize, &u32)| {
            let r = r as usize;
            cells.code(r).or_else(|| Some(fill(i, r)))
        };
        let filled = Cells::from_codes(each.iter().enumerate().map(code), states);
        for r in (0..rows.rows()).filter(|&r| cells.code(r).is_none()) {
            periods[r] = periods[r].saturating_mul(states);
            left[r] -= 1;
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
    let fix = "leave out columns or rows of many missing cells, or use another method: all but em-network take any row";
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
