//! On which row a node stands: below its parents, near those it is joined to.

use super::GAP;
use std::collections::BTreeSet;

/// The arcs with the upper node first. An arc that would close a cycle is turned round for the layout, and one from a
/// node to itself or to no node is none: whatever the arcs are, there is a drawing.
pub(super) fn orient(nodes: usize, arcs: &[(usize, usize)]) -> Vec<Option<(usize, usize)>> {
    let valid = |&(a, b): &(usize, usize)| a != b && a < nodes && b < nodes;
    let sound: Vec<(usize, usize)> = arcs.iter().copied().filter(valid).collect();
    let mut place = vec![0; nodes];
    for (i, v) in topological(nodes, &sound).into_iter().enumerate() {
        place[v] = i;
    }
    let turn = |&(a, b): &(usize, usize)| if place[a] < place[b] { (a, b) } else { (b, a) };
    arcs.iter().map(|arc| valid(arc).then(|| turn(arc))).collect()
}

/// The nodes, parents before children as far as there is no cycle; the smallest number first.
fn topological(nodes: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let (up, down) = sides(nodes, arcs);
    let mut waiting: Vec<usize> = up.iter().map(Vec::len).collect();
    let mut ready: BTreeSet<usize> = (0..nodes).filter(|v| waiting[*v] == 0).collect();
    let mut left: BTreeSet<usize> = (0..nodes).collect();
    let mut order = Vec::with_capacity(nodes);
    while let Some(v) = ready.pop_first().or_else(|| left.first().copied()) {
        left.remove(&v);
        order.push(v);
        for &w in &down[v] {
            waiting[w] = waiting[w].saturating_sub(1);
            if waiting[w] == 0 && left.contains(&w) {
                ready.insert(w);
            }
        }
    }
    order
}

/// The parents and the children of every node.
pub(super) fn sides(nodes: usize, arcs: &[(usize, usize)]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let (mut up, mut down) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for &(a, b) in arcs {
        down[a].push(b);
        up[b].push(a);
    }
    (up, down)
}

/// Rows by longest path, then pulled to where the arcs are short in all; the arcs go from upper to lower nodes.
pub(super) fn rank(nodes: usize, arcs: &[(usize, usize)]) -> Vec<usize> {
    let order = topological(nodes, arcs);
    let (up, down) = sides(nodes, arcs);
    let mut row = vec![0; nodes];
    for &v in &order {
        row[v] = up[v].iter().map(|p| row[*p] + 1).max().unwrap_or(0);
    }
    let length = |row: &[usize]| arcs.iter().map(|(a, b)| row[*b] - row[*a]).sum::<usize>();
    let mut best = (length(&row), row.clone());
    for _ in 0..8 {
        // A node with as many parents as children moves both ways: the chain above it can then follow.
        for &v in order.iter().rev().filter(|v| down[**v].len() >= up[**v].len()) {
            row[v] = down[v].iter().map(|c| row[*c] - 1).min().unwrap_or(row[v]);
        }
        for &v in order.iter().filter(|v| up[**v].len() >= down[**v].len()) {
            row[v] = up[v].iter().map(|p| row[*p] + 1).max().unwrap_or(row[v]);
        }
        let now = length(&row);
        if now >= best.0 {
            break;
        }
        best = (now, row.clone());
    }
    let first = best.1.iter().copied().min().unwrap_or(0);
    best.1.iter().map(|r| r - first).collect()
}

/// Moves nodes of rows wider than `bound` down, those first that take the fewest others with them.
pub(super) fn split(row: &mut [usize], arcs: &[(usize, usize)], widths: &[f64], bound: f64) {
    let (_, down) = sides(row.len(), arcs);
    let mut at = 0;
    while row.iter().any(|r| *r >= at) {
        let mut members: Vec<usize> = (0..row.len()).filter(|v| row[*v] == at).collect();
        let mut width: f64 = members.iter().map(|v| widths[*v] + GAP).sum();
        if width > bound && members.len() > 1 {
            let cost = |v: usize| pushed(v, row, &down).len();
            let mut costs: Vec<(usize, usize)> = members.iter().map(|v| (cost(*v), *v)).collect();
            costs.sort_unstable_by_key(|(cost, v)| (std::cmp::Reverse(*cost), *v));
            members = costs.into_iter().map(|(_, v)| v).collect();
            while width > bound && members.len() > 1 {
                let v = members.pop().unwrap_or(0);
                width -= widths[v] + GAP;
                for w in pushed(v, row, &down) {
                    row[w] += 1;
                }
            }
        }
        at += 1;
    }
}

/// The node and those below it that must move down a row if it does.
fn pushed(v: usize, row: &[usize], down: &[Vec<usize>]) -> Vec<usize> {
    let mut found = BTreeSet::from([v]);
    let mut open = vec![v];
    while let Some(v) = open.pop() {
        for &w in &down[v] {
            if row[w] == row[v] + 1 && found.insert(w) {
                open.push(w);
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn downwards(row: &[usize], arcs: &[(usize, usize)]) {
        assert!(arcs.iter().all(|(a, b)| row[*a] < row[*b]), "{row:?}");
    }

    #[test]
    fn parents_are_pulled_to_their_children() {
        // Longest paths put 4 and 5 on the first rows; their only descendant is far below.
        let arcs = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 3)];
        let row = rank(6, &arcs);
        downwards(&row, &arcs);
        assert_eq!(row, [0, 1, 2, 3, 1, 2]);
    }

    #[test]
    fn cycles_and_strangers_are_no_trouble() {
        let arcs = orient(3, &[(0, 1), (1, 2), (2, 0), (1, 1), (0, 9)]);
        assert_eq!(arcs, [Some((0, 1)), Some((1, 2)), Some((0, 2)), None, None]);
    }

    #[test]
    fn wide_rows_are_split() {
        let arcs: Vec<(usize, usize)> =
            (1..21).map(|v| (0, v)).chain([(3, 21), (21, 22)]).collect();
        let mut row = rank(23, &arcs);
        let widths = vec![50.0; 23];
        split(&mut row, &arcs, &widths, 6.0 * (50.0 + GAP));
        downwards(&row, &arcs);
        for r in 0..=4 {
            assert!((1..=6).contains(&row.iter().filter(|x| **x == r).count()), "{row:?}");
        }
        // What has others below it stays.
        assert_eq!((row[3], row[21]), (1, 2));
    }
}
