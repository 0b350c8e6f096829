//! What a DAG says about independence: the statements it implies, and the trails along which two nodes depend.

use super::bits::BitSet;
use super::dag::Dag;
use super::separation::separated;

/// Two nodes that are independent given some others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Independent {
    /// One node.
    pub x: usize,
    /// The other; the lower number is `x`.
    pub y: usize,
    /// The others, in rising order.
    pub given: Vec<usize>,
}

/// Nodes that separate two nodes and none of which can be left out; nothing if the two are joined by an arc.
///
/// The parents of the later of the two separate them. What is known stays among the ancestors of the two, where knowing
/// more never opens a trail, so leaving out one node after the other ends at a set that cannot be made smaller.
pub fn minimal_separator(dag: &Dag, x: usize, y: usize) -> Option<Vec<usize>> {
    if x == y || dag.has_arc(x, y) || dag.has_arc(y, x) {
        return None;
    }
    let later = if dag.has_path(x, y) { y } else { x };
    let mut given: Vec<usize> = dag.parents(later).collect();
    let mut place = 0;
    while place < given.len() {
        let node = given.remove(place);
        if !separated(dag, x, y, &given) {
            given.insert(place, node);
            place += 1;
        }
    }
    Some(given)
}

/// For every two nodes that no arc joins, in rising order: what makes them independent. At most `most` statements, and how
/// many there are in all.
pub fn implied(dag: &Dag, most: usize) -> (Vec<Independent>, usize) {
    let nodes = dag.nodes();
    let pairs = nodes * nodes.saturating_sub(1) / 2;
    let all = (0..nodes).flat_map(|x| (x + 1..nodes).map(move |y| (x, y)));
    let statement = |(x, y)| Some(Independent { x, y, given: minimal_separator(dag, x, y)? });
    (all.filter_map(statement).take(most).collect(), pairs - dag.arcs())
}

/// A shortest trail from `x` to `y` that is open given some nodes, with its ends; nothing if they are separated.
pub fn open_trail(dag: &Dag, x: usize, y: usize, given: &[usize]) -> Option<Vec<usize>> {
    let mut known = BitSet::new(dag.nodes());
    let mut opens = BitSet::new(dag.nodes());
    for &g in given {
        known.insert(g);
        opens.insert(g);
        dag.ancestors(g).iter().for_each(|a| {
            opens.insert(a);
        });
    }
    // Each step with the step it came from: up from a child, or down from a parent.
    let mut steps: Vec<(usize, bool, usize)> = vec![(x, false, 0)];
    let mut seen = [BitSet::new(dag.nodes()), BitSet::new(dag.nodes())];
    let mut at = 0;
    while at < steps.len() {
        let (node, down, _) = steps[at];
        let passes = !known.contains(node);
        if seen[usize::from(down)].insert(node) {
            if passes && node == y {
                return Some(way_to(&steps, at));
            }
            if if down { opens.contains(node) } else { passes } {
                steps.extend(dag.parents(node).map(|p| (p, false, at)));
            }
            if passes {
                steps.extend(dag.children(node).map(|c| (c, true, at)));
            }
        }
        at += 1;
    }
    None
}

/// The nodes from the first step to the last.
fn way_to(steps: &[(usize, bool, usize)], last: usize) -> Vec<usize> {
    let mut way = vec![steps[last].0];
    let mut at = last;
    while at != 0 {
        at = steps[at].2;
        way.push(steps[at].0);
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::super::trials::{all_dags, random_dag, subsets_of};
    use super::*;
    use crate::seed::{Purpose, Random};

    #[test]
    fn separators_separate_and_nothing_in_them_can_be_left_out() {
        let mut random = Random::new(4, Purpose::Model, 0);
        let mut met = 0;
        for trial in 0..60 {
            let dag = random_dag(7, [0.2, 0.4, 0.7][trial % 3], &mut random);
            let (all, count) = implied(&dag, usize::MAX);
            assert_eq!(all.len(), count);
            for Independent { x, y, given } in all {
                assert!(separated(&dag, x, y, &given));
                for part in subsets_of(given.len()).filter(|s| s.len() < given.len()) {
                    let part: Vec<usize> = part.into_iter().map(|i| given[i]).collect();
                    assert!(!separated(&dag, x, y, &part), "{dag:?} {x} {y} {given:?} {part:?}");
                    met += 1;
                }
            }
            assert_eq!(implied(&dag, 2).0.len(), count.min(2));
        }
        assert!(met > 100);
    }

    #[test]
    fn a_trail_is_open_and_there_is_one_unless_the_nodes_are_separated() {
        for dag in all_dags(4) {
            for given in subsets_of(4) {
                for (x, y) in [(0, 3), (1, 2), (2, 2)] {
                    let trail = open_trail(&dag, x, y, &given);
                    assert_eq!(trail.is_none(), separated(&dag, x, y, &given));
                    let Some(trail) = trail else { continue };
                    assert!(trail[0] == x && trail[trail.len() - 1] == y);
                    for w in trail.windows(3) {
                        let meets = dag.has_arc(w[0], w[1]) && dag.has_arc(w[2], w[1]);
                        let opened = given.iter().any(|&g| dag.has_path(w[1], g));
                        assert!(if meets { opened } else { !given.contains(&w[1]) });
                    }
                }
            }
        }
    }
}
