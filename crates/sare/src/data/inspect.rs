//! A look at a table before anything is learnt from it: what its columns are, and what may be wrong with them.

use super::cell::MISSING_WORDS;
use super::left_out::{LeftOut, ROWS_FOR_IDENTIFIER};
use super::notes::Note;
use super::schema::Kind;
use super::table::{Cells, Table};
use crate::error::Result;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a table holds.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    /// The file.
    pub file: String,
    /// How many rows.
    pub rows: usize,
    /// How many cells are missing.
    pub missing: usize,
    /// How many rows have no missing cell.
    pub complete_rows: usize,
    /// Column by column.
    pub columns: Vec<ColumnReport>,
    /// What was decided while the table was read.
    pub notes: Vec<Note>,
}

/// What a column holds.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// `discrete`, `continuous` or `text`.
    pub kind: &'static str,
    /// How many different values it has; unknown for free text.
    pub distinct: Option<usize>,
    /// How many cells are missing.
    pub missing: usize,
    /// The levels of a discrete column with their numbers of rows.
    pub levels: Vec<(String, usize)>,
    /// Smallest value, mean and largest value of a continuous column.
    pub range: Option<[f64; 3]>,
    /// Why learners leave it out, if they do.
    pub left_out: Option<LeftOut>,
    /// What may be wrong with it.
    pub warnings: Vec<String>,
}

/// Words among the levels of texts that may mean a missing value, besides [`MISSING_WORDS`].
const LIKE_MISSING: [&str; 4] = ["none", "na", "missing", "unknown"];
/// Numbers that often stand for a missing value; with a minus too.
const CODES: [f64; 5] = [9.0, 99.0, 999.0, 9_999.0, 99_999.0];

/// Looks at every column of a table. `class` names the class column, if there is one.
pub fn inspect(table: &Table, class: Option<&str>) -> Result<Inspection> {
    let class = class.map(|c| table.schema().require(c, table.name())).transpose()?;
    let columns: Vec<ColumnReport> =
        (0..table.columns()).map(|c| look(table, c, class == Some(c))).collect();
    let holes = |row: usize| (0..table.columns()).any(|c| is_missing(table.cells(c), row));
    Ok(Inspection {
        file: table.name().into(),
        rows: table.rows(),
        missing: columns.iter().map(|c| c.missing).sum(),
        complete_rows: (0..table.rows()).filter(|&r| !holes(r)).count(),
        columns,
        notes: table.conventions().notes.clone(),
    })
}

fn is_missing(cells: &Cells, row: usize) -> bool {
    match cells {
        Cells::Numbers(v) => v[row].is_nan(),
        Cells::Dropped => false,
        codes => codes.code(row).is_none(),
    }
}

fn look(table: &Table, column: usize, is_class: bool) -> ColumnReport {
    let field = table.field(column);
    let missing = table.cells(column).missing();
    let mut report = ColumnReport {
        name: field.name.clone(),
        kind: "text",
        distinct: None,
        missing,
        levels: Vec::new(),
        range: None,
        left_out: field.left_out.filter(|_| !is_class),
        warnings: Vec::new(),
    };
    match (&field.kind, table.cells(column)) {
        (Kind::Discrete { levels }, cells) => {
            let values: Option<Vec<f64>> = levels.iter().map(|l| l.parse().ok()).collect();
            report.warnings.extend(values.iter().flat_map(|v| codes(v)));
            let mut counts = vec![0; levels.len()];
            (0..table.rows()).filter_map(|r| cells.code(r)).for_each(|c| counts[c] += 1);
            report.kind = "discrete";
            report.distinct = Some(counts.iter().filter(|&&n| n > 0).count());
            report.levels = levels.iter().cloned().zip(counts).collect();
        }
        (_, Cells::Numbers(numbers)) => {
            let mut seen: Vec<f64> = numbers.iter().copied().filter(|x| !x.is_nan()).collect();
            seen.sort_unstable_by(f64::total_cmp);
            if let (Some(&first), Some(&last)) = (seen.first(), seen.last()) {
                let mean = seen.iter().map(|x| x / seen.len() as f64).sum();
                report.range = Some([first, mean, last]);
            }
            seen.dedup();
            report.warnings.extend(codes(&seen));
            report.kind = "continuous";
            report.distinct = Some(seen.len());
        }
        _ => {}
    }
    warn(&mut report, table.rows(), is_class);
    report
}

fn warn(report: &mut ColumnReport, rows: usize, is_class: bool) {
    let seen = rows - report.missing;
    let mut say = |text: String| report.warnings.push(text);
    match (report.left_out, report.distinct) {
        (Some(why), _) => say(match why {
            LeftOut::Index => "row numbers or row names: left out".into(),
            LeftOut::Identifier => format!(
                "every row differs, like an identifier: left out unless --keep {}",
                report.name
            ),
            LeftOut::RowNumbers => {
                format!("the numbers of the rows: left out unless --keep {}", report.name)
            }
            LeftOut::Constant => format!("constant: left out unless --keep {}", report.name),
            LeftOut::Empty => "every cell is missing: left out".into(),
            LeftOut::Texts => "too many different texts to be an attribute: left out".into(),
        }),
        (None, Some(n))
            if 2 * n > seen && seen as u64 >= ROWS_FOR_IDENTIFIER && report.kind == "discrete" =>
        {
            say(format!("{n} levels in {seen} rows: nearly an identifier"));
        }
        _ => {}
    }
    if report.missing * 2 > rows && seen > 0 {
        say(format!(
            "{:.0} % of the cells are missing",
            100.0 * report.missing as f64 / rows as f64
        ));
    }
    if is_class {
        for (level, _) in report.levels.iter().filter(|(_, n)| *n == 1) {
            say(format!("class '{level}' has one row"));
        }
        if report.missing > 0 {
            say(format!("{} rows have no class and will not be learnt from", report.missing));
        }
        if report.kind == "continuous" {
            say(format!("numbers: if they are codes of classes, --discrete {}", report.name));
        }
    }
    for text in alike(&report.levels) {
        say(text);
    }
    for (level, n) in &report.levels {
        let plain = level.trim().to_lowercase();
        if LIKE_MISSING.iter().chain(&MISSING_WORDS).any(|w| *w == plain) {
            say(format!(
                "level '{level}' ({n} rows) may mean a missing value, or be a level of its own"
            ));
        }
    }
}

/// Numbers at the edge of whole numbers that are far from all others, such as 999 beside 1 to 5. `seen` holds each
/// number once, rising.
fn codes(seen: &[f64]) -> Vec<String> {
    let [first, second, .., before, last] = seen else { return Vec::new() };
    if seen.iter().any(|x| x.fract() != 0.0) {
        return Vec::new();
    }
    // Far: at least twice as far from 0 as the next.
    let far = |code: f64, next: f64| CODES.contains(&code.abs()) && next.abs() * 2.0 <= code.abs();
    let low = (*first < 0.0 && far(*first, *second)).then_some(first);
    // A single 9 above 0 is too often a value.
    let high = (*last > 9.0 && far(*last, *before)).then_some(last);
    let say = |code: &f64| {
        format!(
            "{code} stands apart: if it is a code for a missing value, say so with --missing \"?,NA,,{code}\""
        )
    };
    low.into_iter().chain(high).map(say).collect()
}

/// Levels that differ only in case or spaces.
fn alike(levels: &[(String, usize)]) -> Vec<String> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (level, _) in levels {
        // Numbers by their value, so that 1 and 1.0 are told too.
        let plain = match level.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => x.to_string(),
            _ => level.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(),
        };
        groups.entry(plain).or_default().push(level);
    }
    let several = groups.values().filter(|g| g.len() > 1);
    several
        .map(|g| {
            format!(
                "levels '{}' differ only in case, spaces or how a number is written",
                g.join("', '")
            )
        })
        .collect()
}
