//! Chordal graphs: those in which every cycle of four nodes or more has a shortcut.

use super::bits::BitSet;
use super::undirected::Undirected;

/// The nodes in the order of a maximum cardinality search: next comes the node that most of those before it are
/// joined with (of equals, the lowest number). Tarjan and Yannakakis, SIAM J. Comput. 13 (1984).
pub fn maximum_cardinality_order(graph: &Undirected) -> Vec<usize> {
    let nodes = graph.nodes();
    let mut before = vec![0usize; nodes];
    // The nodes by how many numbered neighbours they have.
    let mut by_count = vec![BitSet::new(nodes); nodes.max(1)];
    (0..nodes).for_each(|v| {
        by_count[0].insert(v);
    });
    let (mut top, mut order, mut done) = (0, Vec::with_capacity(nodes), BitSet::new(nodes));
    while order.len() < nodes {
        let Some(node) = by_count[top].iter().next() else {
            top -= 1;
            continue;
        };
        by_count[top].remove(node);
        done.insert(node);
        order.push(node);
        for n in graph.neighbours(node).filter(|&n| !done.contains(n)) {
            by_count[before[n]].remove(n);
            before[n] += 1;
            by_count[before[n]].insert(n);
            top = top.max(before[n]);
        }
    }
    order
}

/// Whether a graph is chordal: then, and only then, the neighbours that come before a node in a maximum cardinality
/// search are all joined with each other.
pub fn is_chordal(graph: &Undirected) -> bool {
    let mut seen = BitSet::new(graph.nodes());
    maximum_cardinality_order(graph).into_iter().all(|node| {
        let before: Vec<usize> = graph.neighbours(node).filter(|&n| seen.contains(n)).collect();
        seen.insert(node);
        let joined = |i: usize| before[..i].iter().all(|&b| graph.has_edge(before[i], b));
        (0..before.len()).all(joined)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Random};

    /// A graph is chordal if nodes whose neighbours are all joined can be taken away until none is left.
    fn simplicial(graph: &Undirected) -> bool {
        let mut left: Vec<usize> = (0..graph.nodes()).collect();
        loop {
            let around = |v: usize| left.iter().copied().filter(move |&n| graph.has_edge(v, n));
            let simple = left.iter().position(|&v| {
                around(v).all(|a| around(v).all(|b| a == b || graph.has_edge(a, b)))
            });
            match simple {
                Some(place) => left.remove(place),
                None => return left.is_empty(),
            };
        }
    }

    #[test]
    fn chordal_graphs_are_told_from_others() {
        let mut random = Random::new(3, Purpose::Model, 0);
        let mut found = [0, 0];
        for trial in 0..400 {
            let nodes = 3 + trial % 6;
            let mut graph = Undirected::new(nodes);
            for a in 0..nodes {
                for b in 0..a {
                    if random.uniform() < 0.5 {
                        graph.add(a, b);
                    }
                }
            }
            let expected = simplicial(&graph);
            found[usize::from(expected)] += 1;
            assert_eq!(is_chordal(&graph), expected, "{graph:?}");
        }
        assert!(found.iter().all(|&n| n > 50), "{found:?}");
    }

    #[test]
    fn the_search_takes_the_node_with_most_neighbours_behind_it() {
        let mut graph = Undirected::new(5);
        [(0, 3), (3, 4), (0, 4), (1, 2)].into_iter().for_each(|(a, b)| {
            graph.add(a, b);
        });
        assert_eq!(maximum_cardinality_order(&graph), [0, 3, 4, 1, 2]);
        assert!(maximum_cardinality_order(&Undirected::new(0)).is_empty());
    }
}
