//! Rows held out inside the training rows, to stop on.

use crate::data::{Source, View};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::seed::{Purpose, Random};

/// The rows to learn from and the rows to stop on.
pub(super) struct InnerSplit {
    rows: Option<[Vec<u32>; 2]>,
}

impl InnerSplit {
    /// Holds out a share of the rows at random; 0 holds out none.
    pub(super) fn new(data: &Source<'_>, share: f64, run: &Run<'_>) -> Result<InnerSplit> {
        if share == 0.0 {
            return Ok(InnerSplit { rows: None });
        }
        let Source::Memory(view) = data else {
            let problem = "holding out rows needs the rows in memory";
            return Err(Error::data(data.name(), problem, "leave out --stream or held-out"));
        };
        let mut rows: Vec<u32> = view.row_numbers().map(|r| r as u32).collect();
        Random::new(run.seed, Purpose::HeldOut, 0).shuffle(&mut rows);
        let held_out = (rows.len() as f64 * share).round() as usize;
        if held_out == 0 || held_out >= rows.len() {
            let problem = format!("of {} rows a share of {share} cannot be held out", rows.len());
            return Err(Error::data(data.name(), problem, "give more rows, or another share"));
        }
        let mut training = rows.split_off(held_out);
        training.sort_unstable();
        rows.sort_unstable();
        Ok(InnerSplit { rows: Some([training, rows]) })
    }

    /// The rows to learn from.
    pub(super) fn training<'a>(&'a self, data: &Source<'a>) -> Source<'a> {
        self.part(data, 0).unwrap_or(*data)
    }

    /// The rows to stop on, if any.
    pub(super) fn held_out<'a>(&'a self, data: &Source<'a>) -> Option<Source<'a>> {
        self.part(data, 1)
    }

    fn part<'a>(&'a self, data: &Source<'a>, part: usize) -> Option<Source<'a>> {
        match (data, &self.rows) {
            (Source::Memory(view), Some(rows)) => {
                Some(Source::Memory(View::of(view.table(), &rows[part])))
            }
            _ => None,
        }
    }
}
