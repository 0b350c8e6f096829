//! Graphs: directed ones that never have a cycle, undirected and partially directed ones, trees of greatest weight,
//! and who tells nothing about whom.

pub mod bits;
pub mod branching;
pub mod chordal;
pub mod clique_tree;
pub mod dag;
pub mod elimination;
pub mod independencies;
pub mod pattern;
pub mod perfect;
pub mod rules;
pub mod separation;
mod sorted;
pub mod spanning;
#[cfg(test)]
mod trials;
pub mod triangulate;
pub mod undirected;

pub use bits::BitSet;
pub use branching::{Arc, maximum_branching};
pub use clique_tree::CliqueTree;
pub use dag::Dag;
pub use pattern::{Independence, Pattern, pc_stable};
pub use rules::{ArcRules, Broken};
pub use separation::{markov_blanket, separated};
pub use spanning::{Edge, maximum_spanning_tree};
pub use triangulate::Triangulation;
pub use undirected::Undirected;
