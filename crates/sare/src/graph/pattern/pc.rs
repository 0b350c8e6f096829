//! The pattern of a DAG from tests of independence.

use super::super::rules::ArcRules;
use super::super::undirected::Undirected;
use super::Pattern;
use super::orient::apart;
use crate::error::Result;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Answers whether two nodes, the lower first, are independent given others in rising order; asked from several threads.
pub type Independence<'a> = dyn Fn(usize, usize, &[usize]) -> Result<bool> + Sync + 'a;

/// What the tests say about adjacency.
struct Skeleton {
    graph: Undirected,
    /// The graph as it was when the sets of each size were tried.
    before: Vec<Undirected>,
    /// The separated pairs: how many nodes were given, and the place of the first set that separated them.
    separated: BTreeMap<(usize, usize), (usize, usize)>,
}

/// Learns a pattern by the PC algorithm in its stable form (Colombo and Maathuis 2014): two nodes stay adjacent unless
/// they are independent given at most `most_given` of the other nodes adjacent to one of them. `independent` is asked
/// about two nodes, the lower first, given others in rising order; `rules` are over the same `nodes`.
///
/// Nodes that `rules` keep apart are never asked about, and a required arc stays without being asked about. What the
/// rules require or allow only one way is directed before anything else, and no arc goes against them.
///
/// Renumbering the nodes renumbers the result and changes nothing else, even if the answers contradict each other. To
/// that end, whether a common neighbour of two independent nodes is their common child is put to the vote of all the
/// smallest sets that separate them: it is one if most of them do without it. Edges whose direction the answers
/// contradict stay undirected.
pub fn pc_stable(
    nodes: usize,
    rules: &ArcRules,
    most_given: usize,
    independent: &Independence<'_>,
) -> Result<Pattern> {
    let skeleton = Skeleton::learn(nodes, rules, most_given, independent)?;
    let mut pattern = Pattern::undirected(skeleton.graph.clone());
    pattern.obey(rules);
    let mut wanted = BTreeSet::new();
    for (a, child, b) in skeleton.meetings(independent)? {
        // If the rules rule out one arc, the tests were wrong about this child, and so perhaps about the other arc.
        let takes = |p: usize| rules.allows(p, child) && !pattern.is_directed(child, p);
        if takes(a) && takes(b) {
            wanted.extend([(a, child), (b, child)]);
        }
    }
    pattern.direct(wanted, rules);
    pattern.close(rules);
    Ok(pattern)
}

impl Skeleton {
    fn learn(
        nodes: usize,
        rules: &ArcRules,
        most_given: usize,
        test: &Independence<'_>,
    ) -> Result<Skeleton> {
        let mut graph = Undirected::new(nodes);
        for b in 0..nodes {
            (0..b).filter(|&a| !apart(rules, a, b)).for_each(|a| {
                graph.add(a, b);
            });
        }
        let mut skeleton = Skeleton { graph, before: Vec::new(), separated: BTreeMap::new() };
        for size in 0..=most_given {
            // Within a size every edge sees the same neighbours, so that neither the order of the edges nor which are
            // asked about at the same time matters.
            let before = skeleton.graph.clone();
            let open = |&(a, b): &(usize, usize)| !rules.requires(a, b) && !rules.requires(b, a);
            let edges: Vec<(usize, usize)> = before.edges().filter(open).collect();
            let asked: Vec<Asked> = edges
                .par_iter()
                .map(|&(a, b)| Asked::about(&before, a, b, size, test))
                .collect::<Result<_>>()?;
            for (&(a, b), asked) in edges.iter().zip(&asked) {
                if let Some(place) = asked.separated {
                    skeleton.graph.remove(a, b);
                    skeleton.separated.insert((a, b), (size, place));
                }
            }
            skeleton.before.push(before);
            // No node has so many neighbours left, and later there will be no more.
            if !asked.iter().any(|a| a.tried) {
                break;
            }
        }
        Ok(skeleton)
    }

    /// The v-structures: two separated nodes on the outside, their common child in the middle.
    fn meetings(&self, test: &Independence<'_>) -> Result<Vec<(usize, usize, usize)>> {
        let pairs: Vec<_> = self.separated.iter().collect();
        let found: Vec<Vec<(usize, usize, usize)>> = pairs
            .par_iter()
            .map(|&(&(a, b), &(size, first))| self.between(a, b, size, first, test))
            .collect::<Result<_>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The common children of two nodes, of which the set at place `first` was the first of its size to separate them.
    fn between(
        &self,
        a: usize,
        b: usize,
        size: usize,
        first: usize,
        test: &Independence<'_>,
    ) -> Result<Vec<(usize, usize, usize)>> {
        let common = self.graph.neighbours(a).filter(|&n| self.graph.has_edge(n, b));
        let mut votes: Vec<(usize, usize)> = common.map(|n| (n, 0)).collect();
        if votes.is_empty() {
            return Ok(Vec::new());
        }
        let mut voters = 0;
        // The sets before the first that separated are known not to.
        for (place, given) in sets(&self.before[size], a, b, size).enumerate().skip(first) {
            if place == first || test(a, b, &given)? {
                voters += 1;
                let holds = |n: usize| usize::from(given.contains(&n));
                votes.iter_mut().for_each(|(n, with)| *with += holds(*n));
            }
        }
        let outvoted = votes.into_iter().filter(|(_, with)| 2 * with < voters);
        Ok(outvoted.map(|(n, _)| (a, n, b)).collect())
    }
}

/// What came of asking about an edge given sets of one size.
struct Asked {
    /// The place of the first set that separates its ends.
    separated: Option<usize>,
    /// Whether there was a set of this size.
    tried: bool,
}

impl Asked {
    fn about(
        graph: &Undirected,
        a: usize,
        b: usize,
        size: usize,
        test: &Independence<'_>,
    ) -> Result<Asked> {
        let mut tried = false;
        for (place, given) in sets(graph, a, b, size).enumerate() {
            tried = true;
            if test(a, b, &given)? {
                return Ok(Asked { separated: Some(place), tried });
            }
        }
        Ok(Asked { separated: None, tried })
    }
}

/// The sets of `size` neighbours of `a` (without `b`), then those of `b` (without `a`), each set once.
fn sets(
    graph: &Undirected,
    a: usize,
    b: usize,
    size: usize,
) -> impl Iterator<Item = Vec<usize>> + '_ {
    let around =
        |n: usize, other: usize| graph.neighbours(n).filter(move |&m| m != other).collect();
    let new = move |set: &Vec<usize>| !set.iter().all(|&n| graph.has_edge(a, n));
    choices(around(a, b), size).chain(choices(around(b, a), size).filter(new))
}

/// Every choice of `size` items, in the order of the items.
fn choices(items: Vec<usize>, size: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut next: Option<Vec<usize>> = (size <= items.len()).then(|| (0..size).collect());
    std::iter::from_fn(move || {
        let places = next.take()?;
        let choice = places.iter().map(|&p| items[p]).collect();
        next = following(places, items.len());
        Some(choice)
    })
}

/// The rising places below `count` that come after these.
fn following(mut places: Vec<usize>, count: usize) -> Option<Vec<usize>> {
    let size = places.len();
    let moved = (0..size).rfind(|&i| places[i] + size < count + i)?;
    places[moved] += 1;
    for i in moved + 1..size {
        places[i] = places[i - 1] + 1;
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_comes_once() {
        let all: Vec<Vec<usize>> = choices(vec![2, 5, 7], 2).collect();
        assert_eq!(all, [[2, 5], [2, 7], [5, 7]]);
        assert_eq!(choices(vec![2, 5], 0).collect::<Vec<_>>(), [vec![0usize; 0]]);
        assert_eq!(choices(vec![2, 5], 3).count(), 0);
        assert_eq!(choices((0..9).collect(), 4).count(), 126);
    }
}
