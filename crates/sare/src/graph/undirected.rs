//! An undirected graph.

use super::bits::BitSet;
use super::dag::Dag;

/// An undirected graph over nodes 0..n, without loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undirected {
    neighbours: Vec<BitSet>,
}

impl Undirected {
    /// A graph of `nodes` nodes and no edges.
    pub fn new(nodes: usize) -> Undirected {
        Undirected { neighbours: vec![BitSet::new(nodes); nodes] }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.neighbours.len()
    }

    /// Adds an edge between two different nodes; true if it is new.
    pub fn add(&mut self, a: usize, b: usize) -> bool {
        if a == b {
            return false;
        }
        self.neighbours[b].insert(a);
        self.neighbours[a].insert(b)
    }

    /// Takes an edge away; true if it was there.
    pub fn remove(&mut self, a: usize, b: usize) -> bool {
        self.neighbours[b].remove(a);
        self.neighbours[a].remove(b)
    }

    /// Whether there is an edge.
    pub fn has_edge(&self, a: usize, b: usize) -> bool {
        self.neighbours[a].contains(b)
    }

    /// The neighbours of a node in rising order.
    pub fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.neighbours[node].iter()
    }

    /// The neighbours of a node as a set.
    pub(super) fn around(&self, node: usize) -> &BitSet {
        &self.neighbours[node]
    }

    /// Every edge once, the lower node first.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.nodes())
            .flat_map(|a| self.neighbours(a).filter(move |&b| a < b).map(move |b| (a, b)))
    }

    /// Makes a forest directed: in every tree the arcs lead away from its root, which is the first of `roots` in it,
    /// or else its lowest node. Edges that would close a cycle are left out, so a graph that is no forest loses some.
    pub fn rooted(&self, roots: &[usize]) -> Dag {
        let mut dag = Dag::new(self.nodes());
        let mut seen = BitSet::new(self.nodes());
        for start in roots.iter().copied().chain(0..self.nodes()) {
            let mut open = vec![start];
            if !seen.insert(start) {
                continue;
            }
            while let Some(node) = open.pop() {
                for next in self.neighbours(node) {
                    if seen.insert(next) && dag.add(node, next).is_ok() {
                        open.push(next);
                    }
                }
            }
        }
        dag
    }
}
