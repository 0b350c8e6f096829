//! The data sets as the chapter used them.

use super::published::Line;
use crate::classify::learner::arrange;
use crate::data::discretise::{Discretiser, Method};
use crate::data::kinds::Kinds;
use crate::data::open::open;
use crate::data::{Cells, Field, ReadOptions, Table, View, read_table};
use crate::error::{Error, Result};
use crate::evaluate::published::Report;
use crate::run::Run;

/// A folder of data sets.
pub(super) struct Folder<'a> {
    path: &'a str,
    kinds: Kinds,
}

impl<'a> Folder<'a> {
    /// A folder with its file of kinds.
    pub fn open(path: &'a str, run: &Run<'_>) -> Result<Folder<'a>> {
        Ok(Folder { path, kinds: Kinds::read(&format!("{path}/columns.csv"), run)? })
    }

    /// A set as it was used: these choices are those that give the published figures of naive Bayes.
    pub fn set(&self, name: &str, run: &Run<'_>) -> Result<Table> {
        // The two names stand for the same rows.
        let file = if name == "pima" { "diabetes" } else { name };
        let path = format!("{}/{file}.csv", self.path);
        let options = match DISCRETE.contains(&name) {
            true => all_discrete(&path)?,
            false => self.kinds.apply(&path, "class", &ReadOptions::default())?,
        };
        let table = read_table(&path, &options, run)?;
        let table = table.select(&arrange(table.schema(), "class", table.name())?);
        if name == "vote" {
            // An abstention is a vote too.
            return with_holes_as_levels(&table);
        }
        seen_levels(&complete(&table))
    }
}

/// Sets whose numbers were taken as they are, not cut into bins.
const DISCRETE: [&str; 2] = ["breast", "lymphography"];

/// Options that read every column as names.
pub(super) fn all_discrete(path: &str) -> Result<ReadOptions> {
    let discrete = open(path, &ReadOptions::default())?.names().to_vec();
    Ok(ReadOptions { discrete, ..ReadOptions::default() })
}

/// The table with its numbers cut into bins by all rows.
pub(super) fn cut(table: &Table, run: &Run<'_>) -> Result<Table> {
    let class = table.columns() - 1;
    let bins = run.install(|| Discretiser::learn(View::all(table), Some(class), Method::Mdlp))?;
    Ok(run.install(|| bins.apply(table)))
}

/// The rows in which no cell is missing.
fn complete(table: &Table) -> Table {
    let seen = |c: usize, r: usize| {
        let cells = table.cells(c);
        cells.code(r).is_some() || cells.number(r).is_some()
    };
    let whole = |r: &u32| (0..table.columns()).all(|c| seen(c, *r as usize));
    let rows: Vec<u32> = (0..table.rows() as u32).filter(whole).collect();
    table.gather(&rows)
}

/// The table of discrete columns in which a missing cell is one more level.
fn with_holes_as_levels(table: &Table) -> Result<Table> {
    let column = |c: usize| {
        let (field, cells) = (table.field(c), table.cells(c));
        let states = field.states();
        let codes = (0..table.rows()).map(|r| Some(cells.code(r).unwrap_or(states)));
        let levels = field.levels().iter().cloned().chain(["?".to_string()]);
        (Field::discrete(field.name.clone(), levels), Cells::from_codes(codes, states + 1))
    };
    seen_levels(&Table::new(table.name(), (0..table.columns()).map(column).collect())?)
}

/// The table without the levels that no row has: with one added to every count they would take some probability.
fn seen_levels(table: &Table) -> Result<Table> {
    let column = |c: usize| {
        let (field, cells) = (table.field(c), table.cells(c));
        if !field.is_discrete() {
            return (field.clone(), cells.clone());
        }
        let codes: Vec<Option<usize>> = (0..table.rows()).map(|r| cells.code(r)).collect();
        let seen: Vec<usize> = (0..field.states()).filter(|l| codes.contains(&Some(*l))).collect();
        let place = |code: &Option<usize>| code.and_then(|l| seen.binary_search(&l).ok());
        let levels = seen.iter().map(|&l| field.levels()[l].clone());
        let kept = Field::discrete(field.name.clone(), levels);
        (kept, Cells::from_codes(codes.iter().map(place), seen.len()))
    };
    Table::new(table.name(), (0..table.columns()).map(column).collect())
}

/// Adds a row for each line of a published table; a set that cannot be had is left out and said.
pub(super) fn each<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    report: &mut Report,
    mut row: impl FnMut(&Line<'a>) -> Result<Vec<String>>,
) -> Result<()> {
    for line in lines {
        match row(&line) {
            Ok(cells) => report.rows.push(cells),
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(e) => report.notes.push(format!("{} was left out: {e}", line.set)),
        }
    }
    Ok(())
}
