//! Rows held out inside the training rows, to stop on.

use crate::data::cases::Cases;
use crate::data::split::{Part, Split};
use crate::data::{Source, Table, View};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::seed::{Purpose, Random};

/// The rows to learn from and the rows to stop on.
pub(super) struct InnerSplit {
    parts: Option<[(Table, Part); 2]>,
}

impl InnerSplit {
    /// Holds out a share of the rows at random; 0 holds out none.
    pub(super) fn new(data: &Source<'_>, share: f64, run: &Run<'_>) -> Result<InnerSplit> {
        if share == 0.0 {
            return Ok(InnerSplit { parts: None });
        }
        let Source::Memory(view) = data else {
            let problem = "holding out rows needs the rows in memory";
            return Err(Error::data(data.name(), problem, "leave out --stream or held-out"));
        };
        let cases = Cases::of(*view, None);
        let held_out = (cases.len() as f64 * share).round() as u64;
        if held_out == 0 || held_out >= cases.len() {
            let problem = format!("of {} cases a share of {share} cannot be held out", cases.len());
            return Err(Error::data(data.name(), problem, "give more rows, or another share"));
        }
        let Split { train, test } =
            cases.hold_out(share, &mut Random::new(run.seed, Purpose::HeldOut, 0));
        Ok(InnerSplit { parts: Some([train, test].map(|p| (p.weighing(view.table()), p))) })
    }

    /// The rows to learn from.
    pub(super) fn training<'a>(&'a self, data: &Source<'a>) -> Source<'a> {
        self.part(0).unwrap_or(*data)
    }

    /// The rows to stop on, if any.
    pub(super) fn held_out(&self) -> Option<Source<'_>> {
        self.part(1)
    }

    fn part(&self, part: usize) -> Option<Source<'_>> {
        let (table, part) = &self.parts.as_ref()?[part];
        Some(Source::Memory(View::of(table, part.rows())))
    }
}
