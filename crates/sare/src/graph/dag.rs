//! A directed graph without cycles, at every moment.

use super::bits::BitSet;
use super::sorted::SortedSet;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A directed acyclic graph over nodes 0..n.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<usize>>", into = "Vec<Vec<usize>>")]
pub struct Dag {
    parents: Vec<SortedSet>,
    children: Vec<SortedSet>,
}

impl Dag {
    /// A graph of `nodes` nodes and no arcs.
    pub fn new(nodes: usize) -> Dag {
        let none = vec![SortedSet::default(); nodes];
        Dag { parents: none.clone(), children: none }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> usize {
        self.parents.iter().map(SortedSet::len).sum()
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
        if from == to {
            return true;
        }
        let blocked = self.children[from].is_empty() || self.parents[to].is_empty();
        !blocked && self.reach(from, &self.children).contains(to)
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

    fn reach(&self, start: usize, next: &[SortedSet]) -> BitSet {
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
        let mut missing: Vec<usize> = self.parents.iter().map(SortedSet::len).collect();
        let roots = (0..self.nodes()).filter(|&n| missing[n] == 0);
        let mut ready: BinaryHeap<Reverse<usize>> = roots.map(Reverse).collect();
        let mut order = Vec::with_capacity(self.nodes());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for child in self.children[node].iter() {
                missing[child] -= 1;
                if missing[child] == 0 {
                    ready.push(Reverse(child));
                }
            }
        }
        order
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

    /// Against a matrix of arcs: what is there, in which order, and what is refused.
    #[test]
    fn random_changes_agree_with_a_matrix() {
        use crate::seed::{Purpose, Random};
        let mut random = Random::new(1, Purpose::Subsample, 0);
        for nodes in [1, 2, 5, 9] {
            let (mut dag, mut arcs) = (Dag::new(nodes), vec![vec![false; nodes]; nodes]);
            for _ in 0..400 {
                let (p, c) = (random.below(nodes), random.below(nodes));
                let mut with = arcs.clone();
                match random.below(3) {
                    0 => {
                        with[p][c] = true;
                        let added = dag.add(p, c).is_ok();
                        assert_eq!(added, !reaches(&with, c, p));
                        arcs = if added { with } else { arcs };
                    }
                    1 => {
                        assert_eq!(dag.remove(p, c), arcs[p][c]);
                        arcs[p][c] = false;
                    }
                    _ => {
                        with[p][c] = false;
                        let may = arcs[p][c] && !reaches(&with, p, c);
                        with[c][p] = true;
                        assert_eq!(dag.reverse(p, c).is_ok(), may);
                        arcs = if may { with } else { arcs };
                    }
                }
                check(&dag, &arcs);
            }
        }
    }

    fn reaches(arcs: &[Vec<bool>], from: usize, to: usize) -> bool {
        let mut seen = vec![false; arcs.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend((0..arcs.len()).filter(|&n| arcs[node][n]));
            }
        }
        seen[to]
    }

    fn check(dag: &Dag, arcs: &[Vec<bool>]) {
        let nodes = 0..arcs.len();
        for v in nodes.clone() {
            assert!(dag.parents(v).eq(nodes.clone().filter(|&p| arcs[p][v])));
            assert!(dag.children(v).eq(nodes.clone().filter(|&c| arcs[v][c])));
            assert!(nodes.clone().all(|n| dag.has_arc(v, n) == arcs[v][n]));
            assert!(nodes.clone().all(|n| dag.has_path(v, n) == reaches(arcs, v, n)));
        }
        // The lowest number whose parents have all come is next.
        let mut order: Vec<usize> = Vec::new();
        while order.len() < arcs.len() {
            let ready = |v: &usize| dag.parents(*v).all(|p| order.contains(&p));
            let next = nodes.clone().find(|v| !order.contains(v) && ready(v)).unwrap();
            order.push(next);
        }
        assert_eq!(dag.topological_order(), order);
    }

    /// With two bit matrices this graph would take 100 gigabytes.
    #[test]
    fn memory_grows_with_the_arcs() {
        let nodes = 640_000;
        let mut dag = Dag::new(nodes);
        for child in 0..nodes - 1 {
            dag.add(nodes - 1, child).unwrap();
        }
        assert_eq!(dag.arcs(), nodes - 1);
        assert_eq!(dag.topological_order()[..3], [nodes - 1, 0, 1]);
    }
}
