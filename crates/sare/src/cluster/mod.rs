//! Clusters: how well two partitions of the same rows agree, which cluster of one run is which of another, and the
//! baselines k-means and k-modes.

pub mod align;
pub mod assignment;
pub mod baselines;
pub mod contingency;
mod matching;
pub mod pairing;
pub mod partition;

pub use align::{Memberships, align};
pub use assignment::assign;
pub use baselines::{HardClusters, KMeans, KModes};
pub use contingency::{Contingency, Labels};
pub use partition::{Agreement, agreement};
