//! What attributes tell about clusters.

use crate::network::Network;
use crate::num::x_ln_x;
use std::f64::consts::LN_2;

/// What each attribute tells, in bits.
pub(super) struct Told {
    /// I_P(X) = mean over clusters c of KL( p(X) || p(X | c) ): 0 where the attribute does not depend on the cluster.
    pub independence: Vec<f64>,
    /// I(X; cluster).
    pub information: Vec<f64>,
}

/// Of a network in which the last variable, the cluster, is the only parent of every other.
pub(super) fn told(network: &Network) -> Told {
    let class = network.variables().len() - 1;
    let weights = network.table(class);
    let mut all = Told { independence: Vec::new(), information: Vec::new() };
    for v in 0..class {
        let rows = || network.table(v).chunks_exact(network.states(v));
        let mut marginal = vec![0.0; network.states(v)];
        for (row, w) in rows().zip(weights) {
            marginal.iter_mut().zip(row).for_each(|(m, p)| *m += w * p);
        }
        let divergence = |row: &[f64]| -> f64 {
            let term = |(m, p): (&f64, &f64)| if *m > 0.0 { m * (m / p).ln() } else { 0.0 };
            marginal.iter().zip(row).map(term).sum()
        };
        let mean = rows().map(divergence).sum::<f64>() / weights.len() as f64;
        let entropy = |p: &[f64]| -p.iter().map(|&p| x_ln_x(p)).sum::<f64>();
        let within: f64 = rows().zip(weights).map(|(row, w)| w * entropy(row)).sum();
        all.independence.push(mean.max(0.0) / LN_2);
        all.information.push((entropy(&marginal) - within).max(0.0) / LN_2);
    }
    all
}
