//! Published experiments: run again, ours beside theirs, with the differences of protocol stated.

pub mod ema;
pub mod santafe;
pub mod zhou;

use crate::error::{Error, Result};
use crate::run::Run;
use serde::Serialize;

/// An experiment that can be run again.
pub struct Experiment {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What the folder of data must hold; empty where it makes its own data.
    pub data: &'static str,
    /// Runs it: quickly, or as published.
    pub run: fn(folder: &str, full: bool, run: &Run<'_>) -> Result<Report>,
}

/// The experiments there are.
pub const EXPERIMENTS: &[Experiment] = &[
    zhou::FIGURES,
    zhou::TABLE_4_2,
    zhou::TABLE_4_3,
    santafe::TABLE_5_1,
    santafe::TABLE_5_2,
    santafe::TABLE_5_3,
    santafe::TABLE_5_4,
    santafe::TABLE_5_5,
    santafe::TABLE_5_6,
    santafe::TABLE_5_7,
    santafe::FIGURES,
    ema::BRUTE_FORCE,
];

/// The experiment of this name.
pub fn named(name: &str) -> Result<&'static Experiment> {
    let found = EXPERIMENTS.iter().find(|e| e.name == name);
    found.ok_or_else(|| Error::unknown("experiment", name, EXPERIMENTS.iter().map(|e| e.name)))
}

/// What came of an experiment: a table, and what must be known to read it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What stands above the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Protocol, differences, sums.
    pub notes: Vec<String>,
    /// Charts, where the publication has figures.
    pub drawings: Vec<Drawing>,
}

/// A chart of an experiment.
#[derive(Clone, Debug, Serialize)]
pub struct Drawing {
    /// What it is called; its file is NAME.svg.
    pub name: String,
    /// The chart as SVG.
    pub svg: String,
}

impl Report {
    /// The table as Markdown, its first and last columns to the left.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let last = self.header.len().saturating_sub(1);
        let rule: Vec<String> = (0..self.header.len())
            .map(|c| if c == 0 || c == last { "---" } else { "---:" }.to_string())
            .collect();
        let rows: String = self.rows.iter().map(|r| line(r)).collect();
        format!("{}{}{rows}", line(&self.header), line(&rule))
    }
}
