//! Making a graph chordal: its nodes are eliminated one by one, and what is around each of them is joined.

use super::undirected::Undirected;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which node is eliminated next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The one that needs the fewest new edges; of equals, the one of the smallest table.
    Fill,
    /// The same, where an edge counts the product of the states of its ends.
    WeightedFill,
    /// The one whose table, with all that is around it, is smallest; of equals, the one of fewest new edges.
    Weight,
}

/// An order of elimination with what it meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triangulation {
    /// The nodes in the order of their elimination.
    pub order: Vec<usize>,
    /// For each node of the order: the neighbours that it had left, in rising order.
    pub around: Vec<Vec<usize>>,
}

impl Triangulation {
    /// Eliminates the nodes of a graph whose nodes have these numbers of states. Of equals by the rule the lowest
    /// number comes first.
    pub fn new(graph: &Undirected, states: &[usize], rule: Rule) -> Triangulation {
        let mut work = Work::new(graph, states, rule);
        let nodes = graph.nodes();
        let (mut order, mut around) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        while let Some(node) = work.next() {
            order.push(node);
            around.push(work.eliminate(node));
        }
        Triangulation { order, around }
    }

    /// The best of all rules: the one whose cliques have the fewest entries in all.
    pub fn cheapest(graph: &Undirected, states: &[usize]) -> Triangulation {
        let mut best = Triangulation::new(graph, states, Rule::Fill);
        let mut least = best.entries(states);
        for rule in [Rule::WeightedFill, Rule::Weight] {
            let other = Triangulation::new(graph, states, rule);
            let entries = other.entries(states);
            if entries < least {
                (best, least) = (other, entries);
            }
        }
        best
    }

    /// Whether the clique of each step holds no more than that of an earlier one: its place, if so.
    pub(super) fn absorbed(&self) -> Vec<Option<usize>> {
        let mut place = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(step, &v)| place[v] = step);
        let mut inside = vec![None; self.order.len()];
        for (step, around) in self.around.iter().enumerate() {
            // What is left of a clique lies in the clique of the member that is eliminated next.
            let Some(next) = around.iter().map(|&v| place[v]).min() else { continue };
            if inside[next].is_none() && self.around[next].len() + 1 == around.len() {
                inside[next] = Some(step);
            }
        }
        inside
    }

    /// The entries of the tables of all cliques together.
    pub fn entries(&self, states: &[usize]) -> u128 {
        let size = |step: usize| {
            let members = self.around[step].iter().chain([&self.order[step]]);
            members.fold(1u128, |size, &v| size.saturating_mul(states[v] as u128))
        };
        let largest = self.absorbed().into_iter().enumerate().filter(|(_, i)| i.is_none());
        largest.fold(0, |sum, (step, _)| sum.saturating_add(size(step)))
    }

    /// The graph with the edges that the elimination adds.
    pub fn filled(&self, graph: &Undirected) -> Undirected {
        let mut filled = graph.clone();
        for around in &self.around {
            for (i, &a) in around.iter().enumerate() {
                around[..i].iter().for_each(|&b| {
                    filled.add(a, b);
                });
            }
        }
        filled
    }
}

/// What a node would cost, the more important figure first.
type Cost = (u128, u128);

struct Work<'a> {
    left: Undirected,
    states: &'a [usize],
    rule: Rule,
    /// New edges, and table, of every node that is left.
    fill: Vec<u128>,
    weight: Vec<u128>,
    gone: Vec<bool>,
    /// Entries that are no longer true stay in the queue until they come out.
    queue: BinaryHeap<Reverse<(Cost, usize)>>,
}

impl<'a> Work<'a> {
    fn new(graph: &Undirected, states: &'a [usize], rule: Rule) -> Work<'a> {
        let nodes = graph.nodes();
        let (fill, weight) = (vec![0; nodes], vec![0; nodes]);
        let (gone, queue) = (vec![false; nodes], BinaryHeap::with_capacity(2 * nodes));
        let mut work = Work { left: graph.clone(), states, rule, fill, weight, gone, queue };
        (0..nodes).for_each(|v| work.measure(v));
        work
    }

    fn cost(&self, node: usize) -> Cost {
        match self.rule {
            Rule::Fill | Rule::WeightedFill => (self.fill[node], self.weight[node]),
            Rule::Weight => (self.weight[node], self.fill[node]),
        }
    }

    /// What an end counts in the weight of an edge.
    fn end(&self, node: usize) -> u128 {
        if self.rule == Rule::WeightedFill { self.states[node] as u128 } else { 1 }
    }

    /// Counts anew what a node costs.
    fn measure(&mut self, node: usize) {
        let around = self.left.around(node);
        // Every edge between neighbours is counted from both of its ends.
        let (mut ends, mut squares, mut joined) = (0u128, 0u128, 0u128);
        let mut weight = self.states[node] as u128;
        for n in around.iter() {
            let end = self.end(n);
            ends += end;
            squares += end * end;
            joined += match self.rule {
                Rule::WeightedFill => {
                    let both = self.left.around(n).common(around);
                    end * both.map(|m| self.end(m)).sum::<u128>()
                }
                _ => self.left.around(n).common_len(around) as u128,
            };
            weight = weight.saturating_mul(self.states[n] as u128);
        }
        self.fill[node] = (ends * ends - squares - joined) / 2;
        self.weight[node] = weight;
        self.queue.push(Reverse((self.cost(node), node)));
    }

    fn next(&mut self) -> Option<usize> {
        while let Some(Reverse((cost, node))) = self.queue.pop() {
            if !self.gone[node] && cost == self.cost(node) {
                return Some(node);
            }
        }
        None
    }

    /// Joins what is around a node and takes it away; returns what was around it.
    fn eliminate(&mut self, node: usize) -> Vec<usize> {
        self.gone[node] = true;
        let around: Vec<usize> = self.left.neighbours(node).collect();
        for &a in &around {
            self.left.remove(node, a);
        }
        for (i, &a) in around.iter().enumerate() {
            for &b in &around[..i] {
                if self.left.add(a, b) {
                    self.one_less(a, b);
                }
            }
        }
        around.iter().for_each(|&a| self.measure(a));
        around
    }

    /// A new edge is one that the nodes around both of its ends no longer need.
    fn one_less(&mut self, a: usize, b: usize) {
        let weight = self.end(a) * self.end(b);
        let both: Vec<usize> = self.left.around(a).common(self.left.around(b)).collect();
        for n in both {
            // The nodes around the eliminated one are counted anew afterwards and may stand wrong till then.
            self.fill[n] = self.fill[n].saturating_sub(weight);
            self.queue.push(Reverse((self.cost(n), n)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chordal::is_chordal;
    use super::super::elimination::moral_graph;
    use super::super::trials::random_dag;
    use super::*;
    use crate::seed::{Purpose, Random};

    /// The same order by counting everything anew at every step.
    fn slowly(graph: &Undirected, states: &[usize], rule: Rule) -> Vec<usize> {
        let mut left = graph.clone();
        let mut nodes: Vec<usize> = (0..graph.nodes()).collect();
        let mut order = Vec::new();
        while !nodes.is_empty() {
            let cost = |v: usize| {
                let around: Vec<usize> = left.neighbours(v).collect();
                let pairs = around.iter().enumerate();
                let pairs = pairs.flat_map(|(i, &a)| around[..i].iter().map(move |&b| (a, b)));
                let missing = pairs.filter(|&(a, b)| !left.has_edge(a, b));
                let weighted = rule == Rule::WeightedFill;
                let edge =
                    |(a, b): (usize, usize)| if weighted { states[a] * states[b] } else { 1 };
                let fill = missing.map(edge).sum::<usize>() as u128;
                let weight: u128 = around.iter().chain([&v]).map(|&n| states[n] as u128).product();
                if rule == Rule::Weight { (weight, fill) } else { (fill, weight) }
            };
            let place = (0..nodes.len()).min_by_key(|&i| cost(nodes[i])).unwrap();
            let node = nodes.remove(place);
            let around: Vec<usize> = left.neighbours(node).collect();
            for (i, &a) in around.iter().enumerate() {
                left.remove(node, a);
                around[..i].iter().for_each(|&b| {
                    left.add(a, b);
                });
            }
            order.push(node);
        }
        order
    }

    #[test]
    fn the_order_is_that_of_counting_anew_and_the_graph_becomes_chordal() {
        let mut random = Random::new(1, Purpose::Model, 0);
        for trial in 0..200 {
            let nodes = 1 + trial % 25;
            let dag = random_dag(nodes, [0.05, 0.15, 0.4][trial % 3], &mut random);
            let states: Vec<usize> = (0..nodes).map(|_| 2 + random.below(4)).collect();
            let graph = moral_graph(&dag, &[]);
            for rule in [Rule::Fill, Rule::WeightedFill, Rule::Weight] {
                let found = Triangulation::new(&graph, &states, rule);
                assert_eq!(found.order, slowly(&graph, &states, rule), "{graph:?}");
                assert!(is_chordal(&found.filled(&graph)));
                let best = Triangulation::cheapest(&graph, &states);
                assert!(best.entries(&states) <= found.entries(&states));
            }
        }
    }

    #[test]
    fn what_is_chordal_stays_as_it_is() {
        let mut random = Random::new(2, Purpose::Model, 0);
        for trial in 0..50 {
            let dag = random_dag(12, [0.1, 0.3][trial % 2], &mut random);
            let graph = moral_graph(&dag, &[]);
            let states = vec![2; 12];
            let chordal = Triangulation::cheapest(&graph, &states).filled(&graph);
            let again = Triangulation::new(&chordal, &states, Rule::Fill);
            assert_eq!(again.filled(&chordal), chordal);
        }
    }
}
