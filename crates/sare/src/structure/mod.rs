//! Structures of classifiers: one file per learner.

pub mod constraints;
pub mod given;
pub mod joined;
pub mod kdb;
pub mod naive;
pub mod named;
pub mod pairs;
pub mod search;
pub mod selective;
pub mod structural_tm;
pub mod tan;
mod wrapper;
pub mod wrapper_tan;

use self::constraints::Rules;
use crate::data::Source;
use crate::error::Result;
use crate::graph::Dag;
use crate::run::{Run, SearchOutcome};

/// Learns the graph of a classifier.
pub trait Structure: Send + Sync {
    /// The text form that makes this learner again.
    fn form(&self) -> String;

    /// Refuses settings that no structure can come of.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// True if the class is the only parent of every attribute, whatever the rows.
    fn is_naive(&self) -> bool {
        false
    }

    /// True if it can begin with a structure it is given.
    fn takes_start(&self) -> bool {
        false
    }

    /// Learns a graph over the columns of `data`, all discrete, of which the last is the class. A rule it has no way to
    /// obey may be left to the caller, who checks the graph.
    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag>;

    /// Learns a graph and tells how it was found, where it is searched for.
    fn find(
        &self,
        data: &Source<'_>,
        rules: &Rules,
        run: &Run<'_>,
    ) -> Result<(Dag, Option<SearchOutcome>)> {
        Ok((self.learn(data, rules, run)?, None))
    }
}
