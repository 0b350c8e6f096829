//! A file that says which columns of which data files are discrete and which continuous, for sets whose cells alone do
//! not tell.

use super::open::open;
use super::raw::RawRows;
use super::read::ReadOptions;
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use std::path::Path;

/// The kinds of columns by file.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// File name, column (`*` for all), and whether it is continuous.
    entries: Vec<(String, String, bool)>,
}

impl Kinds {
    /// Reads a CSV file with the columns `file`, `column` and `kind` (`discrete` or `continuous`); others are not looked
    /// at. A column `*` speaks for every column of its file but the class.
    pub fn read(path: &str, run: &Run<'_>) -> Result<Kinds> {
        let mut records = open(path, &ReadOptions::default())?;
        let place = |name: &str| {
            records.names().iter().position(|n| n == name).ok_or_else(|| {
                let problem = format!("the file has no column '{name}'");
                Error::data(path, problem, "give columns file, column and kind")
            })
        };
        let places = [place("file")?, place("column")?, place("kind")?];
        let (mut kinds, mut rows) = (Kinds::default(), RawRows::default());
        loop {
            records.read(&mut rows, 1 << 12)?;
            if rows.is_empty() {
                return Ok(kinds);
            }
            run.tell(&Event::Step { steps: 0 })?;
            for r in 0..rows.len() {
                let [file, column, kind] =
                    places.map(|c| String::from_utf8_lossy(rows.field(r, c)).into_owned());
                let continuous = match kind.as_str() {
                    "continuous" => true,
                    "discrete" => false,
                    other => {
                        return Err(Error::Cell {
                            file: path.into(),
                            line: rows.lines[r],
                            column: Some("kind".into()),
                            problem: format!("'{other}' is no kind"),
                            fix: "say discrete or continuous".into(),
                        });
                    }
                };
                kinds.entries.push((file, column, continuous));
            }
        }
    }

    /// The options for reading a data file, with the kinds of its columns. Files that are not named are left to the rule.
    pub fn apply(&self, path: &str, class: &str, options: &ReadOptions) -> Result<ReadOptions> {
        let name = Path::new(path).file_name().map(|n| n.to_string_lossy().into_owned());
        let mut options = options.clone();
        for (file, column, continuous) in &self.entries {
            if Some(file) != name.as_ref() {
                continue;
            }
            let columns = match column.as_str() {
                "*" => {
                    let names = open(path, &options)?.names().to_vec();
                    names.into_iter().filter(|n| n != class).collect()
                }
                _ => vec![column.clone()],
            };
            match continuous {
                true => options.continuous.extend(columns),
                false => options.discrete.extend(columns),
            }
        }
        Ok(options)
    }
}
