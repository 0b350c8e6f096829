//! What a network says: of rows of a classifier, ln p(class, seen attributes) and what the families of a row with
//! missing cells are expected to be; of any network, what is probable once something is known.

pub(crate) mod density;
mod embedding;
pub mod enumerate;
pub mod evidence;
pub(crate) mod expectation;
mod extrapolation;
pub mod factor;
pub(crate) mod forest;
pub(crate) mod holes;
pub mod information;
pub mod join_tree;
pub mod query;
pub mod sampling;
pub(crate) mod slopes;
mod walk;

pub use evidence::{Evidence, Finding};
pub use factor::Factor;
pub use join_tree::{Cost, Explanation, JoinTree, Posterior};
pub use query::Query;
pub use sampling::{Estimates, Sampler};
