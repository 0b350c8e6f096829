//! Graphs: directed ones that never have a cycle, undirected ones, spanning trees.

pub mod bits;
pub mod dag;
pub mod elimination;
pub mod rules;
pub mod spanning;
pub mod undirected;

pub use bits::BitSet;
pub use dag::Dag;
pub use rules::{ArcRules, Broken};
pub use spanning::{Edge, maximum_spanning_tree};
pub use undirected::Undirected;
