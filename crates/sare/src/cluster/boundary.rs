//! Probabilities on the boundary: maximum likelihood estimates some as 0 or 1, and EM comes near to that without ever reaching it.

use super::marginals::Marginals;
use crate::network::Network;

/// A probability that was estimated as 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundaryEstimate {
    /// The cluster.
    pub cluster: usize,
    /// The attribute.
    pub attribute: usize,
    /// Its state.
    pub state: usize,
    /// p(state | cluster): 0 or 1.
    pub probability: f64,
}

/// What is nearer to 0 is on the boundary.
const ZERO: f64 = 1e-9;

/// The states that a cluster excludes though other clusters do not; where that leaves a single one, that one.
pub fn boundary(marginals: &Marginals) -> Vec<BoundaryEstimate> {
    let mut all = Vec::new();
    for attribute in 0..marginals.attributes.len() {
        let overall = marginals.overall(attribute);
        let seen: Vec<usize> = (0..overall.len()).filter(|&s| overall[s] > ZERO).collect();
        for cluster in (0..marginals.clusters.len()).filter(|&c| marginals.clusters[c] > ZERO) {
            let given = marginals.given(attribute, cluster);
            let (zeros, others): (Vec<usize>, Vec<usize>) =
                seen.iter().partition(|&&state| given[state] <= ZERO);
            let (states, probability) = match others[..] {
                [only] if !zeros.is_empty() => (vec![only], 1.0),
                _ => (zeros, 0.0),
            };
            let estimate = |state| BoundaryEstimate { cluster, attribute, state, probability };
            all.extend(states.into_iter().map(estimate));
        }
    }
    all
}

/// A probability that is smaller, and still falls by more than this part at a step of EM, is on its way to 0.
const SMALL: f64 = 1e-3;
const FALLS: f64 = 1e-3;

/// The network with the probabilities as 0 that are on their way there; `next` is what a step of EM makes of it. None where there
/// are none.
pub(super) fn at_boundary(network: &Network, next: &Network) -> Option<Network> {
    let mut found = false;
    let mut table = |v: usize| -> Vec<f64> {
        let states = network.states(v);
        let mut own = network.table(v).to_vec();
        for (row, next) in own.chunks_exact_mut(states).zip(next.table(v).chunks_exact(states)) {
            for (p, next) in row.iter_mut().zip(next) {
                if *p > 0.0 && *p < SMALL && *next < *p * (1.0 - FALLS) {
                    *p = 0.0;
                    found = true;
                }
            }
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= total);
        }
        own
    };
    let tables: Vec<Vec<f64>> = (0..network.variables().len()).map(&mut table).collect();
    if found { network.with_tables(tables).ok() } else { None }
}
