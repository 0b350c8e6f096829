use super::super::spanning::{Edge, maximum_spanning_tree};
use super::*;
use crate::seed::{Purpose, Random};

fn arc(parent: usize, child: usize, weight: f64) -> Arc {
    Arc { parent, child, weight }
}

fn weight_of(arcs: &[Arc], parent: usize, child: usize) -> Option<f64> {
    let same = arcs.iter().filter(|a| a.parent == parent && a.child == child);
    same.map(|a| a.weight).reduce(f64::max)
}

/// Roots and weight of a choice of parents; nothing if it has a cycle or an arc that is not there.
fn measure(arcs: &[Arc], parents: &[Option<usize>]) -> Option<(usize, f64)> {
    let mut total = 0.0;
    for (child, parent) in parents.iter().enumerate() {
        let Some(p) = *parent else { continue };
        total += weight_of(arcs, p, child)?;
        let mut up = Some(p);
        for _ in parents {
            up = up.and_then(|u| parents[u]);
        }
        if up.is_some() {
            return None;
        }
    }
    Some((parents.iter().filter(|p| p.is_none()).count(), total))
}

/// The best of all choices of parents.
fn exhaustive(nodes: usize, arcs: &[Arc], forest: bool) -> (usize, f64) {
    let mut best: Option<(usize, f64)> = None;
    for code in 0..(nodes + 1).pow(nodes as u32) {
        let digit = |n: usize| code / (nodes + 1).pow(n as u32) % (nodes + 1);
        let parents: Vec<Option<usize>> = (0..nodes).map(|n| digit(n).checked_sub(1)).collect();
        let Some((roots, total)) = measure(arcs, &parents) else { continue };
        let better = |(r, t): (usize, f64)| {
            if forest { total > t } else { roots < r || (roots == r && total > t) }
        };
        if best.is_none_or(better) {
            best = Some((roots, total));
        }
    }
    best.unwrap()
}

#[test]
fn no_choice_of_parents_is_better() {
    let mut random = Random::new(1, Purpose::Model, 0);
    for trial in 0..1200 {
        let nodes = trial % 5 + 1;
        let density = [0.2, 0.5, 0.8, 1.0][trial / 5 % 4];
        let whole = trial / 20 % 3;
        let mut arcs = Vec::new();
        for parent in 0..nodes {
            for child in (0..nodes).filter(|&c| c != parent) {
                let weight = match whole {
                    0 => random.below(7) as f64 - 3.0,
                    1 => 1.0,
                    _ => random.normal(),
                };
                if random.uniform() < density {
                    arcs.push(arc(parent, child, weight));
                }
            }
        }
        random.shuffle(&mut arcs);
        for forest in [false, true] {
            let parents = maximum_branching(nodes, &arcs, forest);
            let (roots, total) = measure(&arcs, &parents).expect("arcs that are there, no cycle");
            let expected = exhaustive(nodes, &arcs, forest);
            assert!((total - expected.1).abs() < 1e-12, "{arcs:?} {parents:?} {expected:?}");
            assert!(forest || roots == expected.0);
            // The order in which the arcs are given does not matter.
            arcs.reverse();
            assert_eq!(maximum_branching(nodes, &arcs, forest), parents);
        }
    }
}

#[test]
fn small_graphs() {
    assert!(maximum_branching(0, &[], false).is_empty());
    assert_eq!(maximum_branching(1, &[arc(0, 0, 5.0)], false), [None]);
    let odd = [arc(0, 1, f64::NAN), arc(0, 1, f64::INFINITY), arc(7, 1, 1.0), arc(0, 7, 1.0)];
    assert_eq!(maximum_branching(2, &odd, false), [None, None]);
    let loss = [arc(0, 1, -2.0), arc(1, 2, 0.0)];
    assert_eq!(maximum_branching(3, &loss, false), [None, Some(0), Some(1)]);
    assert_eq!(maximum_branching(3, &loss, true), [None, None, None]);
    let extreme = [arc(0, 1, f64::MAX), arc(1, 0, f64::MIN_POSITIVE), arc(1, 2, -f64::MAX)];
    assert_eq!(maximum_branching(3, &extreme, false), [None, Some(0), Some(1)]);
    let tiny = [arc(0, 1, 1e-320), arc(1, 0, 2e-320)];
    assert_eq!(maximum_branching(2, &tiny, true), [Some(1), None]);
}

/// With weights that are the same in both directions this is the maximum spanning tree, led away from node 0, although
/// every other root is as good and the weights do not add up without rounding.
#[test]
fn equal_directions_give_the_spanning_tree_with_the_first_node_as_root() {
    let mut random = Random::new(2, Purpose::Model, 0);
    for trial in 0..60 {
        let nodes = 2 + trial;
        let edges: Vec<Edge> = (0..nodes)
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .map(|(a, b)| Edge { a, b, weight: random.uniform() })
            .collect();
        let both = |e: &Edge| [arc(e.a, e.b, e.weight), arc(e.b, e.a, e.weight)];
        let arcs: Vec<Arc> = edges.iter().flat_map(both).collect();
        let tree = maximum_spanning_tree(nodes, &edges).rooted(&[0]);
        let expected: Vec<Option<usize>> = (0..nodes).map(|n| tree.parents(n).next()).collect();
        for forest in [false, true] {
            assert_eq!(maximum_branching(nodes, &arcs, forest), expected);
        }
    }
}

/// Cycles within cycles: every round draws two nodes together.
#[test]
fn a_chain_of_cycles_unwinds() {
    let nodes = 300;
    let chain = (1..nodes).flat_map(|n| {
        let weight = (nodes - n) as f64;
        [arc(n - 1, n, weight), arc(n, n - 1, weight)]
    });
    let mut arcs: Vec<Arc> = chain.collect();
    let expected: Vec<Option<usize>> = (0..nodes).map(|n: usize| n.checked_sub(1)).collect();
    assert_eq!(maximum_branching(nodes, &arcs, false), expected);
    // Without the arc from 0 to 1 node 0 can be no root, and every other can.
    arcs.retain(|a| (a.parent, a.child) != (0, 1));
    let parents = maximum_branching(nodes, &arcs, false);
    assert_eq!((parents[0], parents[1], parents[2]), (Some(1), None, Some(1)));
}
