//! Clusters: rows told apart without a class, by naive Bayes with a latent one; how well two partitions of the same rows
//! agree, which cluster of one run is which of another, and the baselines k-means and k-modes.

pub mod align;
pub mod assignment;
pub mod baselines;
mod bound_collapse;
pub mod boundary;
mod chain;
pub mod choose;
mod clusterer;
mod completed;
pub mod contingency;
pub mod exhaustive;
mod fixed;
mod hard;
mod learner;
pub mod marginals;
mod matching;
mod method;
mod orders;
pub mod pairing;
pub mod partition;
mod relabel;
mod relevance;
mod soft;
mod split_merge;
mod starts;
mod structural;
#[cfg(test)]
mod tests;
mod trees;
mod update;
mod warnings;

pub use align::{Memberships, align};
pub use assignment::assign;
pub use baselines::{HardClusters, KMeans, KModes};
pub use bound_collapse::{BC_EM, BoundCollapse};
pub use boundary::{BoundaryEstimate, boundary};
pub use chain::{CompleteNetwork, EM_NETWORK};
pub use choose::{Candidate, Choice, Chooser};
pub use clusterer::{Clusterer, Clustering, LATENT, MOST_CLUSTERS, latent_name};
pub use contingency::{Contingency, Labels};
pub use exhaustive::Exhaustive;
pub use hard::{Baseline, HardMethod, KMEANS, KMODES};
pub use learner::{EM, EMA, Latent, Update};
pub use marginals::Marginals;
pub use method::{Found, Method, Rows};
pub use orders::Order;
pub use partition::{Agreement, agreement};
pub(crate) use relevance::told;
pub(crate) use starts::Quiet;
pub use starts::{Plan, Policy};
pub use structural::{Aim, STRUCTURAL_EM, StructuralEm};
pub use trees::{EM_TAN, EMA_TAN, EMA_TREES, TreeClusters, Trees};
pub use update::Added;
pub use warnings::warnings;

pub use crate::run::{Compared, Figures, NumbersTried, Rule};
