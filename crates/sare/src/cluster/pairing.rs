//! Two labelings read from files: their rows paired by position or by an identifier.

use crate::data::ReadOptions;
use crate::data::texts::{TextColumn, TextColumns, read_texts};
use crate::error::{Error, Result};
use crate::run::Run;
use rustc_hash::FxHashMap;

/// The column of clusters in a file of clustered rows.
pub const ASSIGNED: &str = "predicted_cluster";

/// A labeling of a file's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Labeling {
    /// What stands for the file in messages.
    pub file: String,
    /// The column of labels.
    pub column: String,
    /// The different labels, by number or by alphabet.
    pub names: Vec<String>,
    /// The label of each row, as its place among the names.
    pub labels: Vec<Option<u32>>,
    /// What tells the rows apart, where rows are paired by it.
    ids: Option<Ids>,
}

#[derive(Clone, Debug, PartialEq)]
struct Ids {
    column: String,
    /// The identifier of each row, none twice.
    texts: Vec<String>,
}

impl Labeling {
    /// Reads the labels of a column. If none is named, that is [`ASSIGNED`] where there is one, as in a file of clustered rows,
    /// and else the last one that is not the identifier.
    pub fn read(
        path: &str,
        column: Option<&str>,
        id: Option<&str>,
        options: &ReadOptions,
        run: &Run<'_>,
    ) -> Result<Labeling> {
        let file = crate::data::open::display_name(path);
        let mut read = read_texts(path, options, run, &|schema| {
            let id = id.map(|id| schema.require(id, file)).transpose()?;
            let label = match column {
                Some(name) => schema.require(name, file)?,
                None if schema.position(ASSIGNED).is_some() => schema.require(ASSIGNED, file)?,
                None => (0..schema.len()).rev().find(|c| Some(*c) != id).ok_or_else(|| {
                    let problem = "there is no column beside the identifier";
                    Error::data(file, problem, "add the column of labels")
                })?,
            };
            Ok([Some(label), id].into_iter().flatten().collect())
        })?;
        let ids = match id {
            Some(_) => read.columns.pop().map(|ids| unique(&read, ids)).transpose()?,
            None => None,
        };
        Labeling::of(read, 0, ids)
    }

    /// Reads the labels of two columns of one file.
    pub fn read_two(
        path: &str,
        columns: [&str; 2],
        options: &ReadOptions,
        run: &Run<'_>,
    ) -> Result<[Labeling; 2]> {
        let file = crate::data::open::display_name(path);
        let read = read_texts(path, options, run, &|schema| {
            columns.iter().map(|name| schema.require(name, file)).collect()
        })?;
        Ok([Labeling::of(read.clone(), 0, None)?, Labeling::of(read, 1, None)?])
    }

    fn of(mut read: TextColumns, column: usize, ids: Option<Ids>) -> Result<Labeling> {
        let column = read.columns.swap_remove(column);
        if column.texts.is_empty() {
            let problem = "no row has a label";
            let fix = "name another column, or say with --missing what means a missing label";
            return Err(Error::column(&read.file, &column.name, problem, fix));
        }
        let (names, labels) = (column.texts, column.codes);
        Ok(Labeling { file: read.file, column: column.name, names, labels, ids })
    }
}

/// The identifiers, which must all be there and differ.
fn unique(read: &TextColumns, ids: TextColumn) -> Result<Ids> {
    let mut row_of: Vec<Option<usize>> = vec![None; ids.texts.len()];
    let mut texts = Vec::with_capacity(ids.codes.len());
    for (row, code) in ids.codes.iter().enumerate() {
        let bad = |problem: String, fix: &str| Error::Cell {
            file: read.file.clone(),
            line: read.lines[row],
            column: Some(ids.name.clone()),
            problem,
            fix: fix.into(),
        };
        let Some(code) = code.map(|c| c as usize) else {
            return Err(bad("the identifier is missing".into(), "fill it in"));
        };
        if let Some(before) = row_of[code].replace(row) {
            let problem = format!(
                "the identifier '{}' was on line {} already",
                ids.texts[code], read.lines[before]
            );
            return Err(bad(problem, "give each row its own"));
        }
        texts.push(ids.texts[code].clone());
    }
    Ok(Ids { column: ids.name, texts })
}

/// Labels of the same rows, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The labels of the first labeling.
    pub first: Vec<Option<u32>>,
    /// The labels of the second.
    pub second: Vec<Option<u32>>,
    /// How many rows of the first file have no partner.
    pub only_first: usize,
    /// How many rows of the second have none.
    pub only_second: usize,
}

/// Pairs the rows of two labelings: by identifier if both were read with one, otherwise by position. Some row must have
/// a label in both.
pub fn pair(first: &Labeling, second: &Labeling) -> Result<Paired> {
    let paired = match (&first.ids, &second.ids) {
        (Some(a), Some(b)) => pair_by_id(first, a, second, b),
        _ => pair_by_position(first, second),
    }?;
    let both = |(a, b): (&Option<u32>, &Option<u32>)| a.is_some() && b.is_some();
    if !paired.first.iter().zip(&paired.second).any(both) {
        let problem = format!("no row with a label has one in {} too", in_words(second));
        let fix = "name other columns, or say with --missing what means a missing label";
        return Err(Error::column(&first.file, &first.column, problem, fix));
    }
    Ok(paired)
}

fn in_words(labeling: &Labeling) -> String {
    format!("column '{}' of {}", labeling.column, labeling.file)
}

fn pair_by_position(first: &Labeling, second: &Labeling) -> Result<Paired> {
    let (a, b) = (first.labels.len(), second.labels.len());
    if a != b {
        let problem = format!("{a} rows, but {} has {b}", second.file);
        let fix = "give the same rows in the same order, or name the column that tells rows apart with --id";
        return Err(Error::data(&first.file, problem, fix));
    }
    let (first, second) = (first.labels.clone(), second.labels.clone());
    Ok(Paired { first, second, only_first: 0, only_second: 0 })
}

fn pair_by_id(first: &Labeling, a: &Ids, second: &Labeling, b: &Ids) -> Result<Paired> {
    let rows: FxHashMap<&str, usize> =
        b.texts.iter().enumerate().map(|(row, id)| (id.as_str(), row)).collect();
    let mut paired =
        Paired { first: Vec::new(), second: Vec::new(), only_first: 0, only_second: 0 };
    for (id, label) in a.texts.iter().zip(&first.labels) {
        match rows.get(id.as_str()) {
            Some(&row) => {
                paired.first.push(*label);
                paired.second.push(second.labels[row]);
            }
            None => paired.only_first += 1,
        }
    }
    paired.only_second = b.texts.len() - paired.first.len();
    if paired.first.is_empty() {
        let problem = format!("none of its identifiers is in {}", second.file);
        let example = |ids: &Ids| ids.texts.first().cloned().unwrap_or_default();
        let fix =
            format!("look at how they are written ('{}' here, '{}' there)", example(a), example(b));
        return Err(Error::column(&first.file, &a.column, problem, fix));
    }
    Ok(paired)
}
