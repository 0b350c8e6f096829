//! The tree of cliques of a triangulated graph.

use super::triangulate::Triangulation;

/// The cliques of a chordal graph, joined to a tree in which the cliques that hold a node hang together. Graphs that
/// fall apart give one tree too: their parts are joined by separators without members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliqueTree {
    /// The members of each clique in rising order. A clique comes after the one it hangs from.
    pub cliques: Vec<Vec<usize>>,
    /// The clique that each one hangs from; the first has none.
    pub parents: Vec<Option<usize>>,
}

impl CliqueTree {
    /// The tree of the cliques that an elimination meets. Of all cliques that one is the root from which evidence
    /// at any node would have the least way to go, counted in entries of tables.
    pub fn new(triangulation: &Triangulation, states: &[usize]) -> CliqueTree {
        let (cliques, joined) = cliques_of(triangulation);
        let roots = roots(&cliques, &joined, states);
        let mut tree = CliqueTree { cliques: Vec::new(), parents: Vec::new() };
        let mut seen = vec![false; cliques.len()];
        // The first root is that of the whole tree; the others hang from it.
        let mut open: Vec<(usize, Option<usize>)> =
            roots.iter().enumerate().map(|(i, &r)| (r, (i > 0).then_some(0))).rev().collect();
        while let Some((clique, parent)) = open.pop() {
            seen[clique] = true;
            let place = tree.cliques.len();
            tree.cliques.push(cliques[clique].clone());
            tree.parents.push(parent);
            let next = joined[clique].iter().rev().filter(|&&n| !seen[n]);
            open.extend(next.map(|&n| (n, Some(place))));
        }
        tree
    }

    /// What a clique has in common with the one it hangs from, in rising order.
    pub fn separator(&self, clique: usize) -> Vec<usize> {
        let Some(parent) = self.parents[clique] else { return Vec::new() };
        let above = &self.cliques[parent];
        let members = self.cliques[clique].iter().copied();
        members.filter(|v| above.binary_search(v).is_ok()).collect()
    }
}

/// The cliques that are in no other, and which of them are joined.
fn cliques_of(triangulation: &Triangulation) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let steps = triangulation.order.len();
    let mut place = vec![0; steps];
    triangulation.order.iter().enumerate().for_each(|(step, &v)| place[v] = step);
    let mut cliques: Vec<Vec<usize>> = Vec::new();
    let mut clique_of = vec![0; steps];
    for (step, inside) in triangulation.absorbed().into_iter().enumerate() {
        clique_of[step] = match inside {
            Some(earlier) => clique_of[earlier],
            None => {
                let mut members = triangulation.around[step].clone();
                members.push(triangulation.order[step]);
                members.sort_unstable();
                cliques.push(members);
                cliques.len() - 1
            }
        };
    }
    let mut joined = vec![Vec::new(); cliques.len()];
    for (step, around) in triangulation.around.iter().enumerate() {
        let Some(next) = around.iter().map(|&v| place[v]).min() else { continue };
        let (a, b) = (clique_of[step], clique_of[next]);
        if a != b {
            joined[a].push(b);
            joined[b].push(a);
        }
    }
    (cliques, joined)
}

/// The best root of every part of the forest, that of the part with the lowest clique first.
fn roots(cliques: &[Vec<usize>], joined: &[Vec<usize>], states: &[usize]) -> Vec<usize> {
    let size = |c: usize| cliques[c].iter().map(|&v| states[v] as f64).product::<f64>();
    let sizes: Vec<f64> = (0..cliques.len()).map(size).collect();
    let mut holders = vec![0usize; states.len()];
    cliques.iter().flatten().for_each(|&v| holders[v] += 1);
    // How likely evidence is to be entered at a clique, and then how likely below it.
    let own = |c: &Vec<usize>| c.iter().map(|&v| 1.0 / holders[v] as f64).sum::<f64>();
    let mut below: Vec<f64> = cliques.iter().map(own).collect();
    let mut seen = vec![false; cliques.len()];
    let mut roots = Vec::new();
    for first in 0..cliques.len() {
        if seen[first] {
            continue;
        }
        let mut order = vec![(first, first)];
        let mut at = 0;
        seen[first] = true;
        while at < order.len() {
            let clique = order[at].0;
            for &next in joined[clique].iter() {
                if !seen[next] {
                    seen[next] = true;
                    order.push((next, clique));
                }
            }
            at += 1;
        }
        order[1..].iter().rev().for_each(|&(c, parent)| below[parent] += below[c]);
        // The way from every clique to the root, as a difference from that of the first root.
        let all = below[first];
        let mut way = vec![(first, 0.0)];
        let mut ways = vec![0.0; cliques.len()];
        for &(c, parent) in &order[1..] {
            ways[c] = ways[parent] + sizes[c] * (all - below[c]) - sizes[parent] * below[c];
            way.push((c, ways[c]));
        }
        let best = way.into_iter().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        roots.extend(best.map(|(c, _)| c));
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::super::elimination::moral_graph;
    use super::super::spanning::{Edge, maximum_spanning_tree};
    use super::super::trials::random_dag;
    use super::*;
    use crate::seed::{Purpose, Random};
    use proptest::prelude::*;

    fn shared(a: &[usize], b: &[usize]) -> usize {
        a.iter().filter(|v| b.contains(v)).count()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn cliques_that_hold_a_node_hang_together(seed in 0u64.., nodes in 1usize..40, density in 0.0..0.4f64) {
            let mut random = Random::new(seed, Purpose::Model, 0);
            let dag = random_dag(nodes, density, &mut random);
            let states: Vec<usize> = (0..nodes).map(|_| 1 + random.below(4)).collect();
            let graph = moral_graph(&dag, &[]);
            let triangulation = Triangulation::cheapest(&graph, &states);
            let tree = CliqueTree::new(&triangulation, &states);
            let count = tree.cliques.len();
            prop_assert!(tree.parents[0].is_none());
            prop_assert!((1..count).all(|c| tree.parents[c].is_some_and(|p| p < c)));
            // A node's cliques hang together if all but one of them have it in their separator.
            for v in 0..nodes {
                let holds = (0..count).filter(|&c| tree.cliques[c].contains(&v)).count();
                let passed = (0..count).filter(|&c| tree.separator(c).contains(&v)).count();
                prop_assert_eq!(holds, passed + 1);
            }
            // Every family is in a clique, and no clique in another.
            for v in 0..nodes {
                let family: Vec<usize> = dag.parents(v).chain([v]).collect();
                prop_assert!(tree.cliques.iter().any(|c| shared(&family, c) == family.len()));
            }
            for a in 0..count {
                prop_assert!((0..count).all(|b| a == b || shared(&tree.cliques[a], &tree.cliques[b]) < tree.cliques[a].len()));
            }
            // No tree of the same cliques has more in its separators.
            let mut edges = Vec::new();
            for a in 0..count {
                for b in 0..a {
                    edges.push(Edge { a, b, weight: shared(&tree.cliques[a], &tree.cliques[b]) as f64 });
                }
            }
            let best = maximum_spanning_tree(count, &edges);
            let most: usize = best.edges().map(|(a, b)| shared(&tree.cliques[a], &tree.cliques[b])).sum();
            let ours: usize = (0..count).map(|c| tree.separator(c).len()).sum();
            prop_assert_eq!(ours, most);
        }
    }

    #[test]
    fn the_root_lies_in_the_middle_of_a_chain() {
        let mut dag = crate::graph::Dag::new(9);
        (1..9).for_each(|v| dag.add(v - 1, v).unwrap());
        let states = [2; 9];
        let triangulation = Triangulation::cheapest(&moral_graph(&dag, &[]), &states);
        let tree = CliqueTree::new(&triangulation, &states);
        assert_eq!(tree.cliques.len(), 8);
        assert!(tree.cliques[0].contains(&4), "{:?}", tree.cliques[0]);
    }
}
