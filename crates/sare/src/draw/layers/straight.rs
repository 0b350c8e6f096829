//! The last touch to the places: arcs that are nearly straight become so, and long ones are straight between their ends.

use super::place::Link;

/// What it costs that a link is not straight at all, as if it were so much longer.
const KINK: f64 = 14.0;

/// Who stands where, as far as places are moved.
struct Row<'a> {
    rows: &'a [Vec<usize>],
    gaps: &'a [Vec<f64>],
    /// The row of a vertex and its place in it.
    seat: Vec<(usize, usize)>,
    near: Vec<Vec<(usize, f64)>>,
}

impl Row<'_> {
    /// Between what a vertex may move.
    fn free(&self, v: usize, x: &[f64]) -> (f64, f64) {
        let (r, i) = self.seat[v];
        let (row, gaps) = (&self.rows[r], &self.gaps[r]);
        let low = if i > 0 { x[row[i - 1]] + gaps[i - 1] } else { f64::NEG_INFINITY };
        let high = row.get(i + 1).map_or(f64::INFINITY, |w| x[*w] - gaps[i]);
        // What rounding did must not make the present place a forbidden one.
        (low.min(x[v]), high.max(x[v]))
    }

    /// What the links of some vertices to others cost with all of them at a place.
    fn cost(&self, group: &[usize], at: f64, x: &[f64]) -> f64 {
        let one = |&(w, weight): &(usize, f64)| {
            let off = (x[w] - at).abs();
            // Squares for far ends: a parent stays above the middle of its children.
            weight * (off + off * off / 60.0 + if off > 0.5 { KINK } else { 0.0 })
        };
        let outer = |v: &usize| self.near[*v].iter().filter(|w| !group.contains(&w.0));
        group.iter().flat_map(outer).map(one).sum()
    }

    /// Moves vertices to one place if that is better than where they are.
    fn improve(&self, group: &[usize], x: &mut [f64]) {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for &v in group {
            let (l, h) = self.free(v, x);
            (low, high) = (low.max(l), high.min(h));
        }
        if low > high {
            return;
        }
        let apart = group.iter().any(|v| (x[*v] - x[group[0]]).abs() > 0.5);
        let now = if apart { f64::INFINITY } else { self.cost(group, x[group[0]], x) };
        let mean = group.iter().map(|v| x[*v]).sum::<f64>() / group.len() as f64;
        let near = group.iter().flat_map(|v| &self.near[*v]).map(|w| x[w.0]);
        let mut best = (now - 1e-6, None);
        for at in near.chain([mean]).map(|at| at.clamp(low, high)) {
            let cost = self.cost(group, at, x);
            if cost < best.0 {
                best = (cost, Some(at));
            }
        }
        if let Some(at) = best.1 {
            group.iter().for_each(|v| x[*v] = at);
        }
    }
}

/// Straightens what can be without a change of order; vertices from `nodes` on are bends.
pub(super) fn straighten(
    rows: &[Vec<usize>],
    gaps: &[Vec<f64>],
    links: &[Link],
    nodes: usize,
    x: &mut [f64],
) {
    let mut seat = vec![(0, 0); x.len()];
    for (r, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(i, v)| seat[*v] = (r, i));
    }
    let mut near = vec![Vec::new(); x.len()];
    for &(a, b, weight) in links {
        near[a].push((b, weight));
        near[b].push((a, weight));
    }
    let row = Row { rows, gaps, seat, near };
    let groups = runs(&row, nodes);
    for round in 0..6 {
        for k in 0..groups.len() {
            let group = &groups[if round % 2 == 0 { k } else { groups.len() - 1 - k }];
            row.improve(group, x);
        }
    }
}

/// The nodes one by one, and the bends of one arc that follow each other together and in halves.
fn runs(row: &Row, nodes: usize) -> Vec<Vec<usize>> {
    let mut all = Vec::new();
    for &v in row.rows.iter().flatten() {
        if v < nodes {
            all.push(vec![v]);
            continue;
        }
        let below = |v: usize| {
            let mut down = row.near[v].iter().filter(|w| row.seat[w.0].0 > row.seat[v].0);
            let first = down.next().map(|w| w.0).filter(|w| *w >= nodes);
            if down.next().is_some() { None } else { first }
        };
        let above = row.near[v].iter().find(|w| row.seat[w.0].0 < row.seat[v].0);
        // The run begins here, or was begun by the bend above.
        if above.is_some_and(|u| u.0 >= nodes && below(u.0) == Some(v)) {
            continue;
        }
        let run: Vec<usize> = std::iter::successors(Some(v), |v| below(*v)).collect();
        let (upper, lower) = run.split_at(run.len() / 2);
        for part in [&[][..], upper, lower].into_iter().filter(|p| !p.is_empty()) {
            all.push(part.to_vec());
        }
        all.push(run);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_straight_becomes_so() {
        // 0 over 1 over 2, a little off; 3 stands in the way of nothing.
        let rows = [vec![0], vec![1, 3], vec![2]];
        let gaps = [vec![], vec![40.0], vec![]];
        let links = [(0, 1, 1.0), (1, 2, 1.0)];
        let mut x = [0.0, 3.0, 7.0, 60.0];
        straighten(&rows, &gaps, &links, 4, &mut x);
        assert!((x[0] - x[1]).abs() < 1e-9 && (x[1] - x[2]).abs() < 1e-9, "{x:?}");
        assert_eq!(x[3], 60.0);
    }

    #[test]
    fn nothing_comes_too_near() {
        // A long arc from 0 by way of 2 and 4 to 5, between nodes that leave it little room.
        let rows = [vec![0], vec![1, 2], vec![4, 3], vec![5]];
        let gaps = [vec![], vec![40.0], vec![30.0], vec![]];
        let links = [(0, 2, 2.0), (2, 4, 8.0), (4, 5, 2.0), (0, 1, 1.0), (1, 3, 1.0)];
        let mut x = [0.0, -30.0, 12.0, 25.0, -8.0, 3.0];
        straighten(&rows, &gaps, &links, 2, &mut x);
        assert!(x[2] - x[1] >= 40.0 - 1e-9 && x[3] - x[4] >= 30.0 - 1e-9, "{x:?}");
    }
}
