//! Maximum spanning trees and forests.

use super::undirected::Undirected;

/// An edge with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// One end.
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// What it is worth.
    pub weight: f64,
}

/// The spanning tree of greatest weight (a forest, where the edges do not connect all nodes). Edges of equal weight
/// are taken in their given order.
pub fn maximum_spanning_tree(nodes: usize, edges: &[Edge]) -> Undirected {
    let mut order: Vec<usize> = (0..edges.len()).collect();
    // A stable sort keeps the given order of equal weights.
    order.sort_by(|&x, &y| edges[y].weight.total_cmp(&edges[x].weight));
    let mut tree = Undirected::new(nodes);
    let mut group: Vec<usize> = (0..nodes).collect();
    for e in order {
        let (a, b) = (find(&mut group, edges[e].a), find(&mut group, edges[e].b));
        if a != b {
            group[a.max(b)] = a.min(b);
            tree.add(edges[e].a, edges[e].b);
        }
    }
    tree
}

/// The representative of a node's group, with the path to it shortened.
pub(super) fn find(group: &mut [usize], mut node: usize) -> usize {
    while group[node] != node {
        group[node] = group[group[node]];
        node = group[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every spanning tree of five nodes by brute force: no heavier one exists.
    #[test]
    fn no_tree_is_heavier() {
        let weight = |a: usize, b: usize| ((a * 7 + b * 13) % 11) as f64;
        let mut edges = Vec::new();
        for a in 0..5 {
            for b in a + 1..5 {
                edges.push(Edge { a, b, weight: weight(a, b) });
            }
        }
        let total: f64 = maximum_spanning_tree(5, &edges).edges().map(|(a, b)| weight(a, b)).sum();
        let mut best = f64::NEG_INFINITY;
        for choice in 0u32..1 << edges.len() {
            if choice.count_ones() == 4 {
                let chosen: Vec<Edge> =
                    (0..10).filter(|e| choice >> e & 1 == 1).map(|e| edges[e]).collect();
                let tree = maximum_spanning_tree(5, &chosen);
                if tree.edges().count() == 4 {
                    best = best.max(chosen.iter().map(|e| e.weight).sum());
                }
            }
        }
        assert_eq!(total, best);
    }

    #[test]
    fn a_rooted_tree_leads_away_from_its_root() {
        let edges = [(0, 1), (1, 2), (3, 4)].map(|(a, b)| Edge { a, b, weight: 1.0 });
        let dag = maximum_spanning_tree(5, &edges).rooted(&[2]);
        assert!(dag.has_arc(2, 1) && dag.has_arc(1, 0) && dag.has_arc(3, 4) && dag.arcs() == 3);
    }
}
