//! The baselines: k-means and k-modes. Each row belongs to the cluster whose centre is nearest, each centre is the best
//! one of its rows; many starts, the best kept (ALGORITHMS, section 8).
//!
//! A missing cell is skipped: it adds nothing to a distance and nothing to a centre. Equal rows are joined and all rows
//! sorted before anything is drawn or summed, so a result depends on the rows but not on their order.

mod descent;
mod kmeans;
mod kmodes;
mod rows;
mod starts;
#[cfg(test)]
mod tests;

pub use kmeans::KMeans;
pub use kmodes::KModes;

use crate::run::{Outcome, Stop};
use serde::Serialize;

/// Clusters to which each row belongs wholly or not at all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HardClusters {
    /// The cluster of each row. Clusters are numbered by falling size, of equals by their first row.
    pub assignment: Vec<u32>,
    /// The weight of the rows of each cluster. A cluster is empty, and then among the last, only if there are fewer
    /// different rows than clusters.
    pub sizes: Vec<f64>,
    /// The sum of the distances of the rows to the centres of their clusters, the smaller the better.
    pub objective: f64,
    /// How the best start ended, with the objective after each of its iterations, which never rises.
    pub outcome: Outcome,
    /// How many starts came as low as the best, but for rounding. If it was only one, more starts may find better.
    pub reached_best: usize,
    /// The objective of every start that was made, in their order.
    pub objectives: Vec<f64>,
    /// Why every start ended, and after how many iterations, in their order.
    pub endings: Vec<(Stop, usize)>,
}

impl HardClusters {
    /// The clusters as labels, for comparing them with other partitions.
    pub fn labels(&self) -> Vec<Option<u32>> {
        self.assignment.iter().map(|&c| Some(c)).collect()
    }
}
