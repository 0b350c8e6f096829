//! Bayesian networks: a directed acyclic graph with a table of probabilities for every node.

mod file;
pub mod formats;
pub mod known;
#[expect(clippy::module_inception, reason = "the room is named after what lives in it")]
pub mod network;
pub mod random;

pub use network::{Network, Variable};
