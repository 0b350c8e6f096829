//! The JSON form of a network: a list of nodes that a person can read.

use super::network::{Network, Variable};
use crate::error::{Error, Result};
use crate::graph::Dag;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A network as it is written.
#[derive(Serialize, Deserialize)]
pub(super) struct NetworkFile {
    nodes: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    name: String,
    levels: Vec<String>,
    parents: Vec<String>,
    /// One list a configuration of the parents, the last parent changing fastest.
    probabilities: Vec<Vec<f64>>,
}

impl From<Network> for NetworkFile {
    fn from(network: Network) -> NetworkFile {
        let node = |(v, variable): (usize, &Variable)| Node {
            name: variable.name.clone(),
            levels: variable.levels.clone(),
            parents: network
                .dag()
                .parents(v)
                .map(|p| network.variables()[p].name.clone())
                .collect(),
            probabilities: network
                .table(v)
                .chunks_exact(variable.levels.len())
                .map(<[f64]>::to_vec)
                .collect(),
        };
        NetworkFile { nodes: network.variables().iter().enumerate().map(node).collect() }
    }
}

impl TryFrom<NetworkFile> for Network {
    type Error = Error;

    fn try_from(file: NetworkFile) -> Result<Network> {
        let mut dag = Dag::new(file.nodes.len());
        let places: FxHashMap<&str, usize> =
            file.nodes.iter().enumerate().map(|(i, n)| (n.name.as_str(), i)).collect();
        for (child, node) in file.nodes.iter().enumerate() {
            let mut last = None;
            for name in &node.parents {
                let parent = *places.get(name.as_str()).ok_or_else(|| {
                    let names = file.nodes.iter().map(|n| n.name.as_str());
                    Error::unknown("node", name, names)
                })?;
                if last >= Some(parent) {
                    let problem = format!("the parents of '{}' are not in node order", node.name);
                    return Err(Error::model("network", problem, "write them in the nodes' order"));
                }
                last = Some(parent);
                dag.add(parent, child)
                    .map_err(|_| Error::Cycle { parent: name.clone(), child: node.name.clone() })?;
            }
        }
        let (mut variables, mut tables) = (Vec::new(), Vec::new());
        for node in file.nodes {
            if let Some(row) = node.probabilities.iter().position(|r| r.len() != node.levels.len())
            {
                let problem =
                    format!("row {} of '{}' has not one entry a level", row + 1, node.name);
                return Err(Error::model("network", problem, "correct the network"));
            }
            variables.push(Variable { name: node.name, levels: node.levels });
            tables.push(node.probabilities.concat());
        }
        Network::new(variables, dag, tables)
    }
}
