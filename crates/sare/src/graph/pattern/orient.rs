//! Directing undirected edges without ever closing a cycle, whatever the numbers of the nodes.

use super::super::bits::BitSet;
use super::super::rules::ArcRules;
use super::Pattern;
use std::collections::BTreeSet;

/// Whether the rules allow no arc between two nodes.
pub fn apart(rules: &ArcRules, a: usize, b: usize) -> bool {
    !rules.allows(a, b) && !rules.allows(b, a)
}

impl Pattern {
    /// Directs as the rules demand: what they require, and what they allow one way only. One-way edges that would close
    /// a cycle together stay undirected.
    pub(super) fn obey(&mut self, rules: &ArcRules) {
        for child in 0..self.nodes() {
            rules.required().parents(child).for_each(|p| {
                self.parents[child].insert(p);
            });
        }
        let both = |(a, b): (usize, usize)| [(a, b), (b, a)];
        let one_way = |&(a, b): &(usize, usize)| !rules.allows(b, a);
        let wanted = self.edges().flat_map(both).filter(one_way).collect();
        self.direct(wanted, rules);
    }

    /// Directs undirected edges by Meek's four rules until none applies. A rule looks at two nodes that are not
    /// adjacent and takes it that their common neighbour is no common child of theirs, as it would be directed already.
    /// That is known only of nodes that were found independent, not of those that `rules` keep apart.
    pub(super) fn close(&mut self, rules: &ArcRules) {
        loop {
            let both = |(a, b): (usize, usize)| [(a, b), (b, a)];
            let compelled = |&(a, b): &(usize, usize)| self.compelled(a, b, rules);
            let wanted = self.edges().flat_map(both).filter(compelled).collect();
            if !self.direct(wanted, rules) {
                return;
            }
        }
    }

    /// Whether the undirected edge of `a` and `b` must lead to `b`: else a cycle or a new v-structure would come.
    fn compelled(&self, a: usize, b: usize, rules: &ArcRules) -> bool {
        let open = |c: usize, d: usize| c != d && !self.adjacent(c, d) && !apart(rules, c, d);
        let new_meeting = || self.parents(a).any(|c| open(c, b));
        let cycle = || self.parents(b).any(|c| self.is_directed(a, c));
        let two_ways = || {
            let over: Vec<usize> = self.parents(b).filter(|&c| self.is_undirected(a, c)).collect();
            over.iter().enumerate().any(|(i, &c)| over[..i].iter().any(|&d| open(c, d)))
        };
        let long_way = || {
            let far = |&d: &usize| self.adjacent(a, d);
            let start = |d: usize| self.parents(d).any(|c| self.is_undirected(a, c) && open(c, b));
            self.parents(b).filter(far).any(start)
        };
        new_meeting() || cycle() || two_ways() || long_way()
    }

    /// Makes arcs of those `wanted` that are undirected edges and allowed; true if there was one. An edge wanted both
    /// ways and the wanted arcs that lie on a cycle stay undirected, all alike, so that the order of the nodes decides
    /// nothing.
    pub(super) fn direct(
        &mut self,
        mut wanted: BTreeSet<(usize, usize)>,
        rules: &ArcRules,
    ) -> bool {
        let mut children = vec![Vec::new(); self.nodes()];
        self.arcs().for_each(|(p, c)| children[p].push(c));
        wanted.retain(|&(p, c)| {
            // What would close a cycle is out of the question, so it must not speak against the other direction.
            self.is_undirected(p, c) && rules.allows(p, c) && !reaches(&children, c, p)
        });
        let agreed = |&(p, c): &(usize, usize)| !wanted.contains(&(c, p));
        let agreed: Vec<(usize, usize)> = wanted.iter().copied().filter(agreed).collect();
        agreed.iter().for_each(|&(p, c)| children[p].push(c));
        let mut any = false;
        for (p, c) in agreed {
            if !reaches(&children, c, p) {
                self.parents[c].insert(p);
                any = true;
            }
        }
        any
    }
}

/// Whether `to` can be reached along the arcs.
fn reaches(children: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = BitSet::new(children.len());
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        open.extend(children[node].iter().copied().filter(|&c| seen.insert(c)));
    }
    false
}
