//! Which nodes of a DAG tell nothing about each other, given others.

use super::bits::BitSet;
use super::dag::Dag;

/// Whether every path between `x` and `y` is blocked once the nodes of `given` are known (d-separation). A node in
/// `given` is separated from every other; a node that is not in it is never separated from itself.
pub fn separated(dag: &Dag, x: usize, y: usize, given: &[usize]) -> bool {
    let mut known = BitSet::new(dag.nodes());
    // Where arrows meet, a path is open if the node or one of its descendants is known.
    let mut opens = BitSet::new(dag.nodes());
    for &g in given {
        known.insert(g);
        opens.insert(g);
        dag.ancestors(g).iter().for_each(|a| {
            opens.insert(a);
        });
    }
    // A path goes on from a node differently if it came up from a child than if it came down from a parent.
    let mut seen = [BitSet::new(dag.nodes()), BitSet::new(dag.nodes())];
    let mut open = vec![(x, false)];
    while let Some((node, down)) = open.pop() {
        if !seen[usize::from(down)].insert(node) {
            continue;
        }
        let passes = !known.contains(node);
        if passes && node == y {
            return false;
        }
        if passes {
            open.extend(dag.children(node).map(|c| (c, true)));
        }
        if if down { opens.contains(node) } else { passes } {
            open.extend(dag.parents(node).map(|p| (p, false)));
        }
    }
    true
}

/// The parents of a node, its children and their other parents: given these, it is separated from all the rest.
pub fn markov_blanket(dag: &Dag, node: usize) -> BitSet {
    let mut blanket = BitSet::new(dag.nodes());
    let family = |child: usize| std::iter::once(child).chain(dag.parents(child));
    dag.parents(node).chain(dag.children(node).flat_map(family)).for_each(|n| {
        blanket.insert(n);
    });
    blanket.remove(node);
    blanket
}

#[cfg(test)]
mod tests {
    use super::super::trials::{all_dags, random_dag, subsets_of};
    use super::*;
    use crate::seed::{Purpose, Random};

    /// Whether some path from the last node of `path` to `y` is open, by trying every one.
    fn open_path(dag: &Dag, path: &mut Vec<usize>, y: usize, given: &[usize]) -> bool {
        let end = path[path.len() - 1];
        if end == y {
            return path.windows(3).all(|w| {
                let meets = dag.has_arc(w[0], w[1]) && dag.has_arc(w[2], w[1]);
                let known = given.contains(&w[1]);
                if meets { known || given.iter().any(|&g| dag.has_path(w[1], g)) } else { !known }
            });
        }
        (0..dag.nodes()).any(|next| {
            let joined = dag.has_arc(end, next) || dag.has_arc(next, end);
            if !joined || path.contains(&next) {
                return false;
            }
            path.push(next);
            let open = open_path(dag, path, y, given);
            path.pop();
            open
        })
    }

    fn check(dag: &Dag) {
        for given in subsets_of(dag.nodes()) {
            for x in (0..dag.nodes()).filter(|x| !given.contains(x)) {
                for y in (0..x).filter(|y| !given.contains(y)) {
                    let expected = !open_path(dag, &mut vec![x], y, &given);
                    assert_eq!(separated(dag, x, y, &given), expected, "{dag:?} {x} {y} {given:?}");
                    assert_eq!(separated(dag, y, x, &given), expected);
                }
            }
        }
    }

    #[test]
    fn no_open_path_is_missed_and_none_is_invented() {
        (1..=4).flat_map(all_dags).for_each(|dag| check(&dag));
        let mut random = Random::new(1, Purpose::Model, 0);
        for trial in 0..60 {
            check(&random_dag(5 + trial % 2, [0.2, 0.4, 0.7][trial % 3], &mut random));
        }
    }

    #[test]
    fn what_is_given_is_separated_and_a_node_is_not_from_itself() {
        let mut dag = Dag::new(2);
        dag.add(0, 1).unwrap();
        assert!(separated(&dag, 0, 1, &[1]) && separated(&dag, 0, 1, &[0]));
        assert!(!separated(&dag, 1, 1, &[]) && separated(&dag, 1, 1, &[1]));
    }

    /// The blanket separates its node from the rest, and no part of it does.
    #[test]
    fn the_blanket_is_the_least_that_separates() {
        let mut random = Random::new(2, Purpose::Model, 0);
        for trial in 0..60 {
            let dag = random_dag(6, [0.2, 0.4, 0.7][trial % 3], &mut random);
            for node in 0..6 {
                let blanket: Vec<usize> = markov_blanket(&dag, node).iter().collect();
                let separates = |given: &[usize]| {
                    let rest = (0..6).filter(|n| *n != node && !given.contains(n));
                    rest.into_iter().all(|n| separated(&dag, node, n, given))
                };
                let least = subsets_of(6)
                    .filter(|given| !given.contains(&node) && separates(given))
                    .min_by_key(Vec::len);
                assert_eq!(least, Some(blanket));
            }
        }
    }
}
