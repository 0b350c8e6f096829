//! The same model with its clusters in another order.

use crate::average::Model;
use crate::error::Result;
use crate::network::Network;

/// Cluster `order[0]` becomes the first, and so on.
pub(super) fn relabelled(model: Model, order: &[usize]) -> Result<Model> {
    Ok(match model {
        Model::Network(network) => Model::Network(of_network(&network, order)?),
        Model::Pairs(pairs) => Model::Pairs(pairs.relabelled(order)?),
    })
}

fn of_network(network: &Network, order: &[usize]) -> Result<Network> {
    let class = network.variables().len() - 1;
    let table = |v: usize| -> Vec<f64> {
        let table = network.table(v);
        // As the last variable the cluster changes fastest among the parents; where it is the child, it is the state.
        let size = match v == class {
            true => 1,
            false if network.dag().has_arc(class, v) => network.states(v),
            false => return table.to_vec(),
        };
        let configurations = table.chunks_exact(size * order.len());
        configurations
            .flat_map(|rows| order.iter().flat_map(|&c| rows[c * size..][..size].to_vec()))
            .collect()
    };
    network.with_tables((0..=class).map(table).collect())
}
