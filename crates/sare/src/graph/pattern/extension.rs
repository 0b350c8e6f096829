//! A DAG out of a pattern.

use super::super::bits::BitSet;
use super::super::dag::Dag;
use super::super::rules::ArcRules;
use super::super::undirected::Undirected;
use super::Pattern;

impl Pattern {
    /// A DAG with the adjacencies, the arcs and no other v-structures than this pattern, and that obeys the rules (Dor
    /// and Tarsi 1992). Where the choice is free, arcs lead away from the lower node.
    ///
    /// There may be none, if the pattern was learnt from tests that contradict each other or the rules contradict it.
    /// Then too the DAG obeys the rules, and it makes few new v-structures; an arc of the pattern is turned if the rules
    /// or a cycle want it, and an adjacency is lost only if in each direction it would break a rule or close a cycle.
    pub fn extension(&self, rules: &ArcRules) -> Dag {
        let mut dag = rules.required().clone();
        // What can go one way only comes first: the rest can yield to it.
        for (a, b) in self.skeleton.edges() {
            match (rules.allows(a, b), rules.allows(b, a)) {
                (true, false) => add(&mut dag, a, b),
                (false, true) => add(&mut dag, b, a),
                _ => false,
            };
        }
        let free = |&(a, b): &(usize, usize)| rules.allows(a, b) && rules.allows(b, a);
        for (parent, child) in self.arcs().filter(free) {
            if !add(&mut dag, parent, child) {
                add(&mut dag, child, parent);
            }
        }
        let mut left = Left::new(&dag);
        for (a, b) in self.edges().filter(free) {
            left.open.add(a, b);
            left.joined.add(a, b);
        }
        while let Some(sink) = left.next_sink(&dag) {
            left.open.neighbours(sink).for_each(|parent| {
                add(&mut dag, parent, sink);
            });
            left.take(sink);
        }
        dag
    }
}

/// Adds an arc unless it would close a cycle; true if it is there then.
fn add(dag: &mut Dag, parent: usize, child: usize) -> bool {
    dag.add(parent, child).is_ok()
}

/// The part of the graph from which no sink was taken yet.
struct Left {
    nodes: BitSet,
    /// The edges still to be directed.
    open: Undirected,
    /// All adjacencies.
    joined: Undirected,
}

impl Left {
    fn new(dag: &Dag) -> Left {
        let count = dag.nodes();
        let mut nodes = BitSet::new(count);
        let mut joined = Undirected::new(count);
        for child in 0..count {
            nodes.insert(child);
            dag.parents(child).for_each(|p| {
                joined.add(p, child);
            });
        }
        Left { nodes, open: Undirected::new(count), joined }
    }

    /// The node, of those without an arc to another that is left, whose undirected edges can all lead to it with the
    /// fewest new v-structures; of equals the last, so that the first nodes become parents. There is one as long as
    /// nodes are left, because the arcs have no cycle.
    fn next_sink(&self, dag: &Dag) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for node in (0..dag.nodes()).rev().filter(|&n| self.nodes.contains(n)) {
            if dag.children(node).any(|c| self.nodes.contains(c)) {
                continue;
            }
            let harm = self.harm(node);
            if harm == 0 {
                return Some(node);
            }
            if best.is_none_or(|(least, _)| harm < least) {
                best = Some((harm, node));
            }
        }
        best.map(|(_, node)| node)
    }

    /// How many v-structures come about if every undirected edge of a node leads to it.
    fn harm(&self, node: usize) -> usize {
        let around: Vec<usize> = self.joined.neighbours(node).collect();
        let new = |(i, &a): (usize, &usize)| {
            let open = self.open.has_edge(a, node);
            let meets =
                |&&b: &&usize| (open || self.open.has_edge(b, node)) && !self.joined.has_edge(a, b);
            around[..i].iter().filter(meets).count()
        };
        around.iter().enumerate().map(new).sum()
    }

    fn take(&mut self, node: usize) {
        self.nodes.remove(node);
        let around: Vec<usize> = self.joined.neighbours(node).collect();
        for n in around {
            self.open.remove(node, n);
            self.joined.remove(node, n);
        }
    }
}
