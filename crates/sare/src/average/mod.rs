//! Averages over many structures at once: one file a learner. All but the average of naive Bayes, which is a network
//! itself, are made of counts of attribute pairs by class.

mod count;
mod elimination;
pub(crate) mod expected;
mod missing;
mod mixture;
mod model;
pub mod naive;
pub mod order;
mod pairs;
mod parent_sets;
pub(crate) mod rivals;
mod smooth;
mod spanning;
pub mod super_parents;
#[cfg(test)]
mod tests;
mod tree_mixture;
pub mod trees;

pub use missing::{EXACT, FORESTS};
pub use model::{Kind, PairModel, Room};
pub use pairs::PairTables;

use crate::data::Source;
use crate::error::Result;
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::run::{ArcProbability, LEAST_ARC, Outcome, Run};

/// Learns an average over many structures.
pub trait Average: Send + Sync {
    /// The text form that makes this learner again.
    fn form(&self) -> String;

    /// Refuses settings that no average can come of. `prior` is what is added to the counts, none where the parameters
    /// are not counts with something added.
    fn check(&self, prior: Option<Prior>) -> Result<()>;

    /// Learns from the columns of `data`, all discrete, of which the last is the class.
    fn learn(&self, prior: Prior, data: &Source<'_>, run: &Run<'_>) -> Result<(Model, Outcome)>;
}

/// A fitted average.
#[derive(Clone, Debug)]
pub enum Model {
    /// One that is itself a network.
    Network(Network),
    /// One made of counts of attribute pairs.
    Pairs(PairModel),
}

/// The arcs (parent, child, probability) that are probable enough to be told.
fn reported(arcs: impl Iterator<Item = (usize, usize, f64)>) -> Vec<ArcProbability> {
    let arc = |(parent, child, p): (usize, usize, f64)| ArcProbability {
        parent,
        child,
        // Sums of weights may pass 1 by rounding.
        probability: p.min(1.0),
    };
    arcs.map(arc).filter(|a| a.probability >= LEAST_ARC).collect()
}
