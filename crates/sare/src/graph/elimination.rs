//! Eliminating variables one by one: in which order, and how large the tables get.

use super::bits::BitSet;
use super::dag::Dag;
use super::undirected::Undirected;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The moral graph of a DAG: the members of every family are joined with each other, directions are dropped. Nodes in
/// `without` are left out, as if they were seen; what they made dependent stays joined.
pub fn moral_graph(dag: &Dag, without: &[usize]) -> Undirected {
    let mut graph = Undirected::new(dag.nodes());
    for child in 0..dag.nodes() {
        let members = dag.parents(child).chain([child]).filter(|m| !without.contains(m));
        let members: Vec<usize> = members.collect();
        for (i, &m) in members.iter().enumerate() {
            members[..i].iter().for_each(|&other| {
                graph.add(m, other);
            });
        }
    }
    graph
}

/// An elimination order that takes next the node whose table would be smallest (of equals, the first), and the entries
/// of the largest table it meets.
pub fn smallest_table_order(graph: &Undirected, states: &[usize]) -> (Vec<usize>, u128) {
    let mut left = graph.clone();
    let size = |left: &Undirected, v: usize| {
        let around = left.neighbours(v).map(|n| states[n] as u128);
        around.fold(states[v] as u128, u128::saturating_mul)
    };
    let mut sizes: Vec<u128> = (0..graph.nodes()).map(|v| size(&left, v)).collect();
    // A node is put in again whenever its table changes; what is left of its old entries is passed over.
    let mut next: BinaryHeap<Reverse<(u128, usize)>> =
        sizes.iter().enumerate().map(|(v, &s)| Reverse((s, v))).collect();
    let mut done = BitSet::new(graph.nodes());
    let (mut order, mut largest) = (Vec::with_capacity(graph.nodes()), 1);
    while let Some(Reverse((table, node))) = next.pop() {
        if table != sizes[node] || !done.insert(node) {
            continue;
        }
        largest = largest.max(table);
        order.push(node);
        let around: Vec<usize> = left.neighbours(node).collect();
        for (i, &a) in around.iter().enumerate() {
            left.remove(node, a);
            around[..i].iter().for_each(|&b| {
                left.add(a, b);
            });
        }
        for &a in &around {
            let now = size(&left, a);
            if now != sizes[a] {
                sizes[a] = now;
                next.push(Reverse((now, a)));
            }
        }
    }
    (order, largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_married() {
        let mut dag = Dag::new(4);
        dag.add(0, 2).unwrap();
        dag.add(1, 2).unwrap();
        dag.add(3, 2).unwrap();
        let whole = moral_graph(&dag, &[]);
        assert_eq!(
            whole.edges().collect::<Vec<_>>(),
            [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        );
        assert_eq!(moral_graph(&dag, &[3]).edges().count(), 3);
        // Parents of a node that is left out are married all the same.
        assert_eq!(moral_graph(&dag, &[2]).edges().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 3)]);
    }

    #[test]
    fn a_tree_needs_tables_of_two_and_a_cycle_of_three() {
        let mut tree = Undirected::new(5);
        [(0, 1), (1, 2), (1, 3), (3, 4)].into_iter().for_each(|(a, b)| {
            tree.add(a, b);
        });
        assert_eq!(smallest_table_order(&tree, &[3; 5]).1, 9);
        let mut cycle = Undirected::new(4);
        [(0, 1), (1, 2), (2, 3), (3, 0)].into_iter().for_each(|(a, b)| {
            cycle.add(a, b);
        });
        let (order, largest) = smallest_table_order(&cycle, &[3; 4]);
        assert_eq!((order.len(), largest), (4, 27));
    }
}
