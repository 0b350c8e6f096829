//! Clusters: rows told apart without a class, by naive Bayes with a latent one; how well two partitions of the same rows
//! agree, which cluster of one run is which of another, and the baselines k-means and k-modes.

pub mod align;
pub mod assignment;
pub mod baselines;
pub mod contingency;
pub mod exhaustive;
mod learner;
pub mod marginals;
mod matching;
pub mod pairing;
pub mod partition;
mod relevance;
mod starts;
#[cfg(test)]
mod tests;
mod update;

pub use align::{Memberships, align};
pub use assignment::assign;
pub use baselines::{HardClusters, KMeans, KModes};
pub use contingency::{Contingency, Labels};
pub use exhaustive::Exhaustive;
pub use learner::{Clusterer, EM, EMA, Latent, MOST_CLUSTERS, Update};
pub use marginals::Marginals;
pub use partition::{Agreement, agreement};
