//! Clusters: rows told apart without a class, by naive Bayes with a latent one.

mod learner;
mod relevance;
mod starts;
#[cfg(test)]
mod tests;
mod update;

pub use learner::{Clusterer, EM, EMA, Latent, MOST_CLUSTERS, Update};
