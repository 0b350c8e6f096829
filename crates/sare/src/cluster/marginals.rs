//! What the attributes are like in each cluster, whatever they depend on beside it.

use crate::average::Model;
use crate::classify::Classifier;
use crate::error::Result;
use crate::infer::join_tree::DEFAULT_LIMIT;
use crate::infer::{Evidence, JoinTree};
use crate::network::Network;

/// p(cluster), and of every attribute p(state | cluster).
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    /// The probability of each cluster.
    pub clusters: Vec<f64>,
    /// For each attribute p(state | cluster): cluster by cluster, the state changing fastest.
    pub attributes: Vec<Vec<f64>>,
}

/// Clusters are alike if no probability differs by as much.
const ALIKE: f64 = 0.01;
/// Pairs that are told.
const MOST_PAIRS: usize = 5;

impl Marginals {
    /// Those of a model whose class is the cluster. An average over structures is asked for what it says of each attribute
    /// by itself.
    pub fn of(model: &Classifier) -> Result<Marginals> {
        match (model.network(), model.pairs()) {
            (Some(network), _) => of_network(network),
            (None, Some(pairs)) => Ok(of_pairs(pairs)),
            (None, None) => Ok(Marginals { clusters: Vec::new(), attributes: Vec::new() }),
        }
    }

    /// Those of a fitted model.
    pub(super) fn of_model(model: &Model) -> Result<Marginals> {
        match model {
            Model::Network(network) => of_network(network),
            Model::Pairs(pairs) => Ok(of_pairs(pairs)),
        }
    }

    /// How many states an attribute has.
    pub fn states(&self, attribute: usize) -> usize {
        self.attributes[attribute].len() / self.clusters.len()
    }

    /// p(state | cluster) of an attribute.
    pub fn given(&self, attribute: usize, cluster: usize) -> &[f64] {
        let states = self.states(attribute);
        &self.attributes[attribute][cluster * states..][..states]
    }

    /// The pairs of clusters that no attribute tells apart, the first few.
    pub fn alike(&self) -> Vec<(usize, usize)> {
        let same = |&(a, b): &(usize, usize)| {
            let near = |v: usize| {
                let both = self.given(v, a).iter().zip(self.given(v, b));
                both.into_iter().all(|(p, q)| (p - q).abs() < ALIKE)
            };
            (0..self.attributes.len()).all(near)
        };
        let k = self.clusters.len();
        let pairs = (0..k).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.filter(same).take(MOST_PAIRS).collect()
    }

    /// p(state) of an attribute, over all clusters.
    pub fn overall(&self, attribute: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.states(attribute)];
        for (cluster, weight) in self.clusters.iter().enumerate() {
            let row = self.given(attribute, cluster);
            sums.iter_mut().zip(row).for_each(|(s, p)| *s += weight * p);
        }
        sums
    }
}

fn of_pairs(pairs: &crate::average::PairModel) -> Marginals {
    let (logs, alone) = pairs.alone();
    let clusters: Vec<f64> = logs.iter().map(|ln| ln.exp()).collect();
    // Cluster innermost there, state innermost here; the last cell there is that of missing members.
    let turned = |table: &Vec<f64>| -> Vec<f64> {
        let k = clusters.len();
        let states = table.len() / k - 1;
        (0..k).flat_map(|c| (0..states).map(move |s| table[s * k + c].exp())).collect()
    };
    let attributes = alone.iter().map(turned).collect();
    Marginals { clusters, attributes }
}

fn of_network(network: &Network) -> Result<Marginals> {
    let class = network.variables().len() - 1;
    let dag = network.dag();
    if (0..class).all(|v| dag.parents(v).eq([class])) && dag.parents(class).next().is_none() {
        let attributes = (0..class).map(|v| network.table(v).to_vec()).collect();
        return Ok(Marginals { clusters: network.table(class).to_vec(), attributes });
    }
    let tree = JoinTree::new(network, DEFAULT_LIMIT)?;
    let mut posterior = tree.prior();
    let clusters = posterior.marginal(class).to_vec();
    let mut attributes = vec![Vec::new(); class];
    for (cluster, &p) in clusters.iter().enumerate() {
        // Of a cluster that cannot be, nothing is known: what is said of all rows stands for it.
        let mut evidence = Evidence::none();
        if p > 0.0 {
            evidence.see(network, class, cluster)?;
        }
        tree.update(&evidence, &mut posterior)?;
        let all = attributes.iter_mut().enumerate();
        all.for_each(|(v, table)| table.extend_from_slice(posterior.marginal(v)));
    }
    Ok(Marginals { clusters, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::random::{Form, RandomNetwork};
    use crate::num::tolerance::close;

    #[test]
    fn attributes_that_depend_on_each_other_are_summed_out() {
        let shape =
            RandomNetwork { form: Form::Tan, attributes: 4, states: 3, classes: 2, alpha: 1.0 };
        let network = shape.draw(3).unwrap();
        let told = of_network(&network).unwrap();
        for v in 0..4 {
            let mut sums = [0.0; 6];
            for cell in 0..162usize {
                let row: Vec<usize> =
                    (0..4).map(|i| cell / 3usize.pow(i) % 3).chain([cell / 81]).collect();
                sums[row[4] * 3 + row[v]] += network.log_probability(&row).exp();
            }
            for (place, sum) in sums.iter().enumerate() {
                let p = told.given(v, place / 3)[place % 3] * told.clusters[place / 3];
                assert!(close(p, *sum, 1e-12), "{p} {sum}");
            }
        }
    }
}
