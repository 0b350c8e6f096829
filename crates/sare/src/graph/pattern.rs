//! Partially directed graphs: what independences say about a DAG, and what they leave open.

mod extension;
mod orient;
mod pc;

pub use pc::{Independence, pc_stable};

use super::bits::BitSet;
use super::dag::Dag;
use super::rules::ArcRules;
use super::undirected::Undirected;

/// A graph over nodes 0..n in which every two adjacent nodes are joined by an arc or, where either direction will do,
/// by an undirected edge. The arcs have no cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    skeleton: Undirected,
    /// The nodes with an arc to a node.
    parents: Vec<BitSet>,
}

impl Pattern {
    /// All edges of a graph, none of them directed.
    fn undirected(skeleton: Undirected) -> Pattern {
        let nodes = skeleton.nodes();
        Pattern { skeleton, parents: vec![BitSet::new(nodes); nodes] }
    }

    /// The pattern that a DAG shares with exactly the DAGs that say the same independences (its CPDAG): an arc is
    /// directed if all of them have it in that direction.
    pub fn of(dag: &Dag) -> Pattern {
        let mut skeleton = Undirected::new(dag.nodes());
        for child in 0..dag.nodes() {
            dag.parents(child).for_each(|p| {
                skeleton.add(p, child);
            });
        }
        let mut pattern = Pattern::undirected(skeleton);
        for child in 0..dag.nodes() {
            for p in dag.parents(child) {
                if dag.parents(child).any(|q| q != p && !pattern.adjacent(p, q)) {
                    pattern.parents[child].insert(p);
                }
            }
        }
        pattern.close(&ArcRules::none(dag.nodes()));
        pattern
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The adjacencies, without directions.
    pub fn skeleton(&self) -> &Undirected {
        &self.skeleton
    }

    /// Whether two nodes are joined, by an arc or an undirected edge.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        self.skeleton.has_edge(a, b)
    }

    /// Whether there is an arc.
    pub fn is_directed(&self, parent: usize, child: usize) -> bool {
        self.parents[child].contains(parent)
    }

    /// Whether there is an undirected edge.
    pub fn is_undirected(&self, a: usize, b: usize) -> bool {
        self.adjacent(a, b) && !self.is_directed(a, b) && !self.is_directed(b, a)
    }

    /// The nodes with an arc to a node, in rising order.
    pub fn parents(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents[node].iter()
    }

    /// Every arc, parent and child, by the child's number.
    pub fn arcs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.nodes()).flat_map(|child| self.parents(child).map(move |parent| (parent, child)))
    }

    /// Every undirected edge once, the lower node first.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.skeleton.edges().filter(|&(a, b)| self.is_undirected(a, b))
    }
}

#[cfg(test)]
mod tests;
