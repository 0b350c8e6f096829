//! Parameters of classifiers: one file per learner.

pub mod dirichlet;
pub mod em;
pub mod gradient;
mod inner;
mod layout;
pub(crate) mod left_out;
pub(crate) mod penalty;
pub mod reasons;
pub mod tm;

use self::dirichlet::Prior;
use crate::data::Source;
use crate::error::Result;
use crate::graph::Dag;
use crate::network::Network;
use crate::run::{Outcome, Run};

/// Learns the probabilities that go with a graph.
pub trait Parameters: Send + Sync {
    /// The text form that makes this learner again.
    fn form(&self) -> String;

    /// Refuses settings that no parameters can come of.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What is added to the counts, where the parameters are nothing but smoothed counts.
    fn prior(&self) -> Option<Prior> {
        None
    }

    /// Learns the tables of `dag` over the columns of `data`, all discrete, of which the last is the class.
    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)>;
}
