//! The baselines as methods among others: rows parted by k-means or k-modes, and naive Bayes as the model of the parts.

use super::baselines::{HardClusters, KMeans, KModes};
use super::fixed::blank_of;
use super::method::{Found, Method, Rows};
use super::starts::Plan;
use crate::average::Model;
use crate::data::{Cells, Source, Table, View};
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::parameters::dirichlet::{Prior, count_dag, network_from_counts};
use crate::run::{Run, StartOutcome, Stop};

/// Which baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// k-means on numbers and indicators of levels.
    Means {
        /// Whether columns of numbers are divided by their standard deviation.
        standardise: bool,
    },
    /// k-modes on levels; numbers are cut.
    Modes,
}

/// A baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardMethod {
    /// Which.
    pub baseline: Baseline,
    /// A start ends after this many iterations, wherever it is.
    pub iterations: usize,
}

const ITERATIONS: Setting = Setting {
    name: "iterations",
    help: "at most this many a start",
    range: Range::Whole { least: 1, most: 1_000_000, default: 300 },
};

/// k-means.
pub const KMEANS: Description = Description {
    name: "kmeans",
    help: "rows nearest to the mean of their cluster; levels count as indicators",
    source: "Lloyd 1982; Arthur and Vassilvitskii 2007",
    settings: &[
        Setting {
            name: "units",
            help: "whether columns of numbers are divided by their standard deviation",
            range: Range::Choice(&["standard", "own"]),
        },
        ITERATIONS,
    ],
};

/// k-modes.
pub const KMODES: Description = Description {
    name: "kmodes",
    help: "rows that differ in the fewest cells from the commonest levels of their cluster",
    source: "Huang 1998; Cao, Liang and Bai 2009",
    settings: &[ITERATIONS],
};

impl HardMethod {
    /// k-means from the values of its settings.
    pub fn means(v: &[f64]) -> HardMethod {
        let baseline = Baseline::Means { standardise: v[0] == 0.0 };
        HardMethod { baseline, iterations: v[1] as usize }
    }

    /// k-modes from the values of its settings.
    pub fn modes(v: &[f64]) -> HardMethod {
        HardMethod { baseline: Baseline::Modes, iterations: v[0] as usize }
    }

    fn part(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<HardClusters> {
        let (clusters, starts, max_iterations) = (rows.clusters(), plan.starts, self.iterations);
        match self.baseline {
            Baseline::Means { standardise } => {
                KMeans { clusters, starts, max_iterations, standardise }.fit(rows.raw, run)
            }
            Baseline::Modes => {
                let coded = rows.coded.table();
                let attributes = coded.select(&(0..coded.columns() - 1).collect::<Vec<usize>>());
                let view = rows.coded.over(&attributes);
                KModes { clusters, starts, max_iterations }.fit(view, run)
            }
        }
    }
}

impl Method for HardMethod {
    fn form(&self) -> String {
        let iterations = self.iterations as f64;
        match self.baseline {
            Baseline::Means { standardise } => {
                KMEANS.form(&[f64::from(u8::from(!standardise)), iterations])
            }
            Baseline::Modes => KMODES.form(&[iterations]),
        }
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        let parts = self.part(rows, plan, run)?;
        let table = with_clusters(rows.coded, &parts.assignment);
        let data = Source::Memory(table.view());
        let blank = blank_of(data.schema())?;
        // Parts that were found before a stop are not lost.
        let counts = count_dag(blank.dag(), &data, &run.to_the_end())?;
        let network = network_from_counts(Prior::Laplace, blank.dag(), data.schema(), &counts)?;
        let start = |&(stop, iterations): &(Stop, usize)| StartOutcome {
            log_likelihood: None,
            score: None,
            stop: Some(stop),
            iterations,
            problem: None,
        };
        let what = match self.baseline {
            Baseline::Means { .. } => "sum of squared distances",
            Baseline::Modes => "cells that differ",
        };
        Ok(Found {
            model: Model::Network(network),
            starts: parts.endings.iter().map(start).collect(),
            reached: parts.reached_best,
            alternatives: None,
            objective: Some((what.into(), parts.objective)),
            hard: Some(parts.assignment),
            outcome: parts.outcome,
        })
    }

    fn has_one_single_cluster(&self) -> bool {
        true
    }

    fn averages_starts(&self) -> bool {
        false
    }

    fn check(&self) -> Result<()> {
        let iterations = self.iterations as f64;
        match self.baseline {
            Baseline::Means { .. } => KMEANS.check(&[0.0, iterations]),
            Baseline::Modes => KMODES.check(&[iterations]),
        }
    }
}

/// The rows of a view with their clusters known.
fn with_clusters(coded: View<'_>, clusters: &[u32]) -> Table {
    let numbers: Vec<u32> = coded.row_numbers().map(|r| r as u32).collect();
    let mut table = coded.table().gather(&numbers);
    let class = table.columns() - 1;
    let field = table.field(class).clone();
    let codes = clusters.iter().map(|&c| Some(c as usize));
    let cells = Cells::from_codes(codes, field.states());
    table.replace(class, field, cells);
    table
}
