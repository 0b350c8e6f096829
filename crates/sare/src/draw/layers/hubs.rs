//! Nodes at the top with arcs to most of what is below, as the class of a classifier has: their arcs would rule the
//! layout, so they are left out of it, and led through the gaps that are there.

use super::PITCH;
use std::collections::BTreeSet;

/// How many children make a hub of the class, and of another node.
const MANY: (usize, usize) = (6, 13);
/// A stretch less wide than this is narrow.
const NARROW: f64 = 30.0;
/// How far arcs keep from boxes, and from bends of other arcs.
pub(super) const CLEAR: (f64, f64) = (6.0, 4.0);

/// The hubs, from the top: at most two, whose parents are all hubs. Arcs go from upper to lower nodes.
pub(super) fn choose(nodes: usize, arcs: &[(usize, usize)], central: &[bool]) -> Vec<usize> {
    let (mut up, mut down) = (vec![BTreeSet::new(); nodes], vec![BTreeSet::new(); nodes]);
    for &(a, b) in arcs {
        down[a].insert(b);
        up[b].insert(a);
    }
    let central = |v: usize| central.get(v).copied().unwrap_or(false);
    let mut hubs: Vec<usize> = Vec::new();
    while hubs.len() < 2 {
        let fits = |v: &usize| {
            let many = if central(*v) { MANY.0 } else { MANY.1 };
            let free = up[*v].iter().all(|p| hubs.contains(p));
            free && !hubs.contains(v) && down[*v].len() >= many
        };
        let key = |v: &usize| (central(*v), down[*v].len(), std::cmp::Reverse(*v));
        match (0..nodes).filter(fits).max_by_key(key) {
            Some(v) => hubs.push(v),
            None => break,
        }
    }
    hubs
}

/// A free stretch of a row.
type Stretch = (f64, f64);

/// The free stretches between obstacles, which are sorted.
pub(super) fn free(obstacles: &[(f64, f64)], (low, high): Stretch) -> Vec<Stretch> {
    let mut all = Vec::with_capacity(obstacles.len() + 1);
    let mut from = low;
    for &(left, right) in obstacles {
        if left - from >= 1.0 {
            all.push((from, left));
        }
        from = from.max(right);
    }
    if high - from >= 1.0 || all.is_empty() {
        all.push((from, high.max(from + 1.0)));
    }
    all
}

fn middle(stretch: Stretch) -> f64 {
    f64::midpoint(stretch.0, stretch.1)
}

/// A place where a row may be passed.
#[derive(Clone, Copy)]
struct Pass {
    x: f64,
    stretch: Stretch,
    cost: f64,
    back: usize,
}

/// Leads arcs from a hub at a row to their ends (row and place): for each the rows passed, and where. `stretches` are
/// the free ones of every row.
pub(super) fn lead(
    (row, x): (usize, f64),
    ends: &[(usize, f64)],
    stretches: &[Vec<Stretch>],
) -> Vec<Vec<(usize, f64)>> {
    let last = ends.iter().map(|e| e.0).max().unwrap_or(row);
    let none = Pass { x, stretch: (x, x), cost: 0.0, back: 0 };
    let mut passes: Vec<Vec<Pass>> = vec![vec![none]];
    for free in &stretches[(row + 1).min(last)..last] {
        let above = &passes[passes.len() - 1];
        let next = free.iter().flat_map(|s| samples(*s)).map(|(x, stretch)| {
            let (back, cost) = cheapest(above, x);
            if stretch.1 - stretch.0 >= NARROW {
                return Pass { x, stretch, cost, back };
            }
            // Arcs through a narrow gap run as one, straight down if they can.
            let x = above[back].x;
            let x = if (stretch.0..=stretch.1).contains(&x) { x } else { middle(stretch) };
            Pass { x, stretch: (x, x), cost, back }
        });
        let next = next.collect();
        passes.push(next);
    }
    ends.iter().map(|&(r, x)| pull(row, r, x, &passes)).collect()
}

/// Places along a free stretch, near enough to each other to find the way; the way is pulled straight afterwards.
fn samples(stretch: Stretch) -> impl Iterator<Item = (f64, Stretch)> {
    let (low, high) = stretch;
    let steps = ((high - low) / NARROW).ceil().clamp(1.0, 60.0);
    let at = move |i: usize| (low + (high - low) * (i as f64 + 0.5) / steps, stretch);
    (0..steps as usize).map(at)
}

fn cheapest(above: &[Pass], x: f64) -> (usize, f64) {
    let cost = |p: &Pass| p.cost + (x - p.x).hypot(PITCH);
    let all = above.iter().map(cost).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
}

/// The way to an end, pulled straight within the stretches it passes.
fn pull(row: usize, end: usize, x: f64, passes: &[Vec<Pass>]) -> Vec<(usize, f64)> {
    let mut way: Vec<(f64, Stretch)> = Vec::new();
    let between = end.saturating_sub(row + 1);
    let mut at = if between > 0 { cheapest(&passes[between], x).0 } else { 0 };
    for r in (1..=between).rev() {
        let pass = passes[r][at];
        way.push((pass.x, pass.stretch));
        at = pass.back;
    }
    way.reverse();
    let start = passes[0][0].x;
    for _ in 0..60 {
        for i in 0..way.len() {
            let before = if i > 0 { way[i - 1].0 } else { start };
            let after = way.get(i + 1).map_or(x, |w| w.0);
            let (low, high) = way[i].1;
            way[i].0 = f64::midpoint(before, after).clamp(low, high);
        }
    }
    way.into_iter().enumerate().map(|(i, w)| (row + 1 + i, w.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_is_a_hub_sooner_and_only_at_the_top() {
        let star: Vec<(usize, usize)> = (1..8).map(|v| (0, v)).collect();
        assert_eq!(choose(8, &star, &[true]), [0]);
        assert!(choose(8, &star, &[]).is_empty());
        let below: Vec<(usize, usize)> = (2..9).map(|v| (1, v)).chain([(0, 1)]).collect();
        assert!(choose(9, &below, &[false, true]).is_empty());
        // A class and an attribute that is the parent of all others.
        let two: Vec<(usize, usize)> =
            (1..16).map(|v| (0, v)).chain((2..16).map(|v| (1, v))).collect();
        assert_eq!(choose(16, &two, &[true]), [0, 1]);
    }

    #[test]
    fn arcs_pass_where_it_is_free() {
        let stretches = vec![
            free(&[], (0.0, 100.0)),
            free(&[(10.0, 60.0)], (0.0, 100.0)),
            free(&[(0.0, 30.0), (40.0, 100.0)], (0.0, 100.0)),
            vec![],
        ];
        let ways = lead((0, 50.0), &[(1, 20.0), (3, 50.0)], &stretches);
        assert!(ways[0].is_empty());
        assert_eq!(ways[1].iter().map(|w| w.0).collect::<Vec<_>>(), [1, 2]);
        let (first, second) = (ways[1][0].1, ways[1][1].1);
        assert!(!(10.0..60.0).contains(&first) && (30.0..=40.0).contains(&second), "{ways:?}");
    }
}
