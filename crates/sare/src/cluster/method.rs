//! What a way to find clusters is, and what it comes to.

use super::starts::Plan;
use crate::average::Model;
use crate::data::{Table, View};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::run::{Alternatives, Outcome, Run, StartOutcome};

/// A way to find clusters.
pub trait Method: Send + Sync {
    /// The text form that makes this method again.
    fn form(&self) -> String;

    /// Refuses settings that no clusters can come of.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether one cluster is the same from every start, also where cells are missing: where columns depend on nothing but the
    /// cluster.
    fn has_one_single_cluster(&self) -> bool {
        false
    }

    /// Whether starts can be averaged; else the best is all there is.
    fn averages_starts(&self) -> bool {
        true
    }

    /// Finds clusters. As many as the last column of the rows has levels.
    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found>;

    /// Goes on from a network of as many clusters; refused by methods that cannot.
    fn go_on(&self, _rows: &Rows<'_>, _start: &Network, _run: &Run<'_>) -> Result<Found> {
        let problem = format!("'{}' cannot go on from a network", self.form());
        Err(Error::model("clusters", problem, "use em or ema"))
    }
}

/// What clusters are learnt from.
pub struct Rows<'a> {
    /// The attributes as they were read.
    pub raw: View<'a>,
    /// The same rows with all columns discrete and one more, the last: the cluster, which is missing in every row.
    pub coded: View<'a>,
    /// The coded rows, equal ones made one of their weight together, in an order that does not depend on that of the rows.
    pub data: &'a Table,
}

impl Rows<'_> {
    /// How many clusters are looked for.
    pub fn clusters(&self) -> usize {
        self.data.schema().fields.last().map_or(0, |f| f.states())
    }
}

/// What a method came to.
pub struct Found {
    /// The model, whose class is the cluster.
    pub model: Model,
    /// How the best start ended, with what its model tells of attributes and arcs.
    pub outcome: Outcome,
    /// How every start ended.
    pub starts: Vec<StartOutcome>,
    /// How many starts reached the best.
    pub reached: usize,
    /// Other solutions as good as the best one.
    pub alternatives: Option<Alternatives>,
    /// What was raised, where that is not the likelihood: its name and the best start's value.
    pub objective: Option<(String, f64)>,
    /// The cluster of each raw row, where the method parts rows by another rule than the model's.
    pub hard: Option<Vec<u32>>,
}
