//! What attributes tell about clusters.

use super::marginals::Marginals;
use crate::num::x_ln_x;
use std::f64::consts::LN_2;

/// What each attribute tells, in bits.
pub(crate) struct Told {
    /// I_P(X) = mean over clusters c of KL( p(X) || p(X | c) ): 0 where the attribute does not depend on the cluster.
    pub independence: Vec<f64>,
    /// I(X; cluster).
    pub information: Vec<f64>,
}

/// Of a model's marginals.
pub(crate) fn told(marginals: &Marginals) -> Told {
    let mut all = Told { independence: Vec::new(), information: Vec::new() };
    for v in 0..marginals.attributes.len() {
        let rows = || marginals.attributes[v].chunks_exact(marginals.states(v));
        let overall = marginals.overall(v);
        let divergence = |row: &[f64]| -> f64 {
            let term = |(m, p): (&f64, &f64)| if *m > 0.0 { m * (m / p).ln() } else { 0.0 };
            overall.iter().zip(row).map(term).sum()
        };
        let mean = rows().map(divergence).sum::<f64>() / marginals.clusters.len() as f64;
        let entropy = |p: &[f64]| -p.iter().map(|&p| x_ln_x(p)).sum::<f64>();
        let weighed = rows().zip(&marginals.clusters);
        let within: f64 = weighed.map(|(row, w)| w * entropy(row)).sum();
        all.independence.push(mean.max(0.0) / LN_2);
        all.information.push((entropy(&overall) - within).max(0.0) / LN_2);
    }
    all
}
