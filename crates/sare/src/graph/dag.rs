//! A directed graph without cycles, at every moment.

use super::bits::BitSet;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A directed acyclic graph over nodes 0..n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<usize>>", into = "Vec<Vec<usize>>")]
pub struct Dag {
    parents: Vec<BitSet>,
    children: Vec<BitSet>,
}

impl Dag {
    /// A graph of `nodes` nodes and no arcs.
    pub fn new(nodes: usize) -> Dag {
        Dag { parents: vec![BitSet::new(nodes); nodes], children: vec![BitSet::new(nodes); nodes] }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> usize {
        self.parents.iter().map(BitSet::len).sum()
    }

    /// Whether there is an arc.
    pub fn has_arc(&self, parent: usize, child: usize) -> bool {
        self.parents[child].contains(parent)
    }

    /// Adds an arc (one that is there already stays); fails, and changes nothing, if it would close a cycle or a node
    /// does not exist.
    pub fn add(&mut self, parent: usize, child: usize) -> Result<()> {
        let exists = parent < self.nodes() && child < self.nodes();
        if !exists || parent == child || self.has_path(child, parent) {
            return Err(Error::Cycle { parent: parent.to_string(), child: child.to_string() });
        }
        self.parents[child].insert(parent);
        self.children[parent].insert(child);
        Ok(())
    }

    /// Takes an arc away; true if it was there.
    pub fn remove(&mut self, parent: usize, child: usize) -> bool {
        self.children[parent].remove(child);
        self.parents[child].remove(parent)
    }

    /// Turns an arc round; fails, and changes nothing, if that would close a cycle or there is no such arc.
    pub fn reverse(&mut self, parent: usize, child: usize) -> Result<()> {
        let turned = || Error::Cycle { parent: child.to_string(), child: parent.to_string() };
        if !self.remove(parent, child) {
            return Err(turned());
        }
        if self.has_path(parent, child) {
            self.parents[child].insert(parent);
            self.children[parent].insert(child);
            return Err(turned());
        }
        self.parents[parent].insert(child);
        self.children[child].insert(parent);
        Ok(())
    }

    /// The parents of a node in rising order.
    pub fn parents(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents[node].iter()
    }

    /// The children of a node in rising order.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[node].iter()
    }

    /// Whether `to` can be reached from `from` along the arcs; every node reaches itself.
    pub fn has_path(&self, from: usize, to: usize) -> bool {
        from == to || self.reach(from, &self.children).contains(to)
    }

    /// The part of the graph among some nodes, which are numbered by their places in the list.
    pub fn among(&self, nodes: &[usize]) -> Dag {
        let mut part = Dag::new(nodes.len());
        for (child, &c) in nodes.iter().enumerate() {
            for (parent, _) in nodes.iter().enumerate().filter(|&(_, &p)| self.has_arc(p, c)) {
                part.parents[child].insert(parent);
                part.children[parent].insert(child);
            }
        }
        part
    }

    /// The nodes from which a node can be reached, without itself.
    pub fn ancestors(&self, node: usize) -> BitSet {
        self.reach(node, &self.parents)
    }

    /// The nodes that can be reached from a node, without itself.
    pub fn descendants(&self, node: usize) -> BitSet {
        self.reach(node, &self.children)
    }

    fn reach(&self, start: usize, next: &[BitSet]) -> BitSet {
        let mut seen = BitSet::new(self.nodes());
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for n in next[node].iter() {
                if seen.insert(n) {
                    open.push(n);
                }
            }
        }
        seen
    }

    /// The nodes with every parent before its children; among those that could come next, the lowest number does.
    pub fn topological_order(&self) -> Vec<usize> {
        let mut missing: Vec<usize> = self.parents.iter().map(BitSet::len).collect();
        let mut ready = BitSet::new(self.nodes());
        (0..self.nodes()).filter(|&n| missing[n] == 0).for_each(|n| {
            ready.insert(n);
        });
        let mut order = Vec::with_capacity(self.nodes());
        loop {
            let Some(node) = ready.iter().next() else { return order };
            ready.remove(node);
            order.push(node);
            for child in self.children[node].iter() {
                missing[child] -= 1;
                if missing[child] == 0 {
                    ready.insert(child);
                }
            }
        }
    }
}

impl From<Dag> for Vec<Vec<usize>> {
    fn from(dag: Dag) -> Self {
        dag.parents.iter().map(|p| p.iter().collect()).collect()
    }
}

impl TryFrom<Vec<Vec<usize>>> for Dag {
    type Error = Error;

    /// From the list of each node's parents.
    fn try_from(parents: Vec<Vec<usize>>) -> Result<Dag> {
        let mut dag = Dag::new(parents.len());
        for (child, list) in parents.into_iter().enumerate() {
            for parent in list {
                dag.add(parent, child)?;
            }
        }
        Ok(dag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_refused_and_nothing_changes() {
        let mut d = Dag::new(3);
        d.add(0, 1).unwrap();
        d.add(1, 2).unwrap();
        let before = d.clone();
        assert!(d.add(2, 0).is_err() && d.add(1, 1).is_err() && d.add(0, 7).is_err());
        d.add(0, 2).unwrap();
        assert!(d.reverse(0, 2).is_err(), "0 -> 1 -> 2 -> 0 would close");
        assert!(d.reverse(2, 1).is_err(), "no such arc");
        d.remove(0, 2);
        assert_eq!(d, before);
        d.reverse(0, 1).unwrap();
        assert_eq!(d.topological_order(), [1, 0, 2]);
    }

    #[test]
    fn a_part_has_the_arcs_among_its_nodes() {
        let mut d = Dag::new(4);
        for (p, c) in [(0, 1), (1, 3), (2, 3), (0, 2)] {
            d.add(p, c).unwrap();
        }
        let part = d.among(&[3, 0, 2]);
        assert_eq!(Vec::<Vec<usize>>::from(part.clone()), [vec![2], vec![], vec![1]]);
        assert_eq!(part.topological_order(), [1, 2, 0]);
        assert_eq!(d.among(&[2, 3, 1, 0]).among(&[3, 2, 0, 1]), d);
    }

    #[test]
    fn kinship() {
        let mut d = Dag::new(70);
        for n in 1..70 {
            d.add(n - 1, n).unwrap();
        }
        assert_eq!(d.ancestors(69).len(), 69);
        assert_eq!(d.descendants(3).iter().next(), Some(4));
        assert!(d.has_path(0, 69) && !d.has_path(69, 0));
    }
}
