//! Smooth curves for the arcs, from box to box and through their bends.
//!
//! Between two rows a curve stays between them, as its control points do; across a row it is straight and keeps
//! within the free stretch around its bend. So it meets no box.

use super::place::settle;
use super::{BOX, Route};
use crate::draw::svg::Spot;
use std::collections::BTreeMap;

/// How far apart arcs end on a box, and begin.
const PORTS: (f64, f64) = (14.0, 7.0);
/// The flattest that an arc meets a box: so far to the side for one down.
const FLAT: f64 = 1.7;

/// An arc to be drawn: its upper and lower node and its bends.
pub(super) struct Way<'a> {
    pub(super) ends: (usize, usize),
    pub(super) bends: &'a [(usize, f64)],
}

/// What stands where.
pub(super) struct Ground<'a> {
    /// The row and the middle of every node.
    pub(super) spots: &'a [(usize, f64)],
    /// How wide every node is.
    pub(super) widths: &'a [f64],
    /// The upper edge of the boxes of every row.
    pub(super) tops: &'a [f64],
    /// The left and right edges of the boxes of every row, sorted.
    pub(super) boxes: &'a [Vec<(f64, f64)>],
}

impl Ground<'_> {
    /// How far a line at a place of a row may lean to either side before it comes too near to a box.
    fn slack(&self, row: usize, x: f64) -> f64 {
        let near = |&(left, right): &(f64, f64)| {
            if x < f64::midpoint(left, right) { left - x } else { x - right }
        };
        let room = self.boxes[row].iter().map(near).fold(f64::INFINITY, f64::min);
        (room - 4.0).max(0.0)
    }
}

/// The curves of all arcs, downwards.
pub(super) fn routes(ways: &[Way], ground: &Ground) -> Vec<Route> {
    let spots = ground.spots;
    let next = |w: &Way| w.bends.first().map_or(spots[w.ends.1].1, |b| b.1);
    let last = |w: &Way| w.bends.last().map_or(spots[w.ends.0].1, |b| b.1);
    let starts = ports(ways, ground, |w| w.ends.0, next, PORTS.1, true);
    let stops = ports(ways, ground, |w| w.ends.1, last, PORTS.0, false);
    let lines: Vec<Vec<(usize, f64)>> = ways
        .iter()
        .enumerate()
        .map(|(i, w)| {
            let mut line = vec![(spots[w.ends.0].0, starts[i])];
            line.extend_from_slice(w.bends);
            line.push((spots[w.ends.1].0, stops[i]));
            line
        })
        .collect();
    let leans = leans(ways, &lines, ground);
    lines.iter().zip(&leans).map(|(line, leans)| curve(line, leans, ground.tops)).collect()
}

/// Where each arc meets the box of one of its ends: side by side, in the order in which they come. Those that run as
/// one begin as one.
fn ports(
    ways: &[Way],
    ground: &Ground,
    end: impl Fn(&Way) -> usize,
    other: impl Fn(&Way) -> f64,
    apart: f64,
    joint: bool,
) -> Vec<f64> {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); ground.spots.len()];
    for (i, way) in ways.iter().enumerate() {
        at[end(way)].push(i);
    }
    let mut found = vec![0.0; ways.len()];
    for (v, mut arcs) in at.into_iter().enumerate() {
        arcs.sort_by(|a, b| other(&ways[*a]).total_cmp(&other(&ways[*b])));
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for i in arcs {
            let same = |g: &&mut Vec<usize>| {
                let (a, b) = (ways[g[0]].bends.first(), ways[i].bends.first());
                joint && a.is_some() && a == b
            };
            match groups.last_mut().filter(same) {
                Some(group) => group.push(i),
                None => groups.push(vec![i]),
            }
        }
        let (middle, reach) = (ground.spots[v].1, (ground.widths[v] / 2.0 - 8.0).max(1.0));
        let step = apart.min(2.0 * reach / (groups.len().max(2) - 1) as f64);
        let wish =
            |g: &Vec<usize>| middle + ((other(&ways[g[0]]) - middle) * 0.1).clamp(-reach, reach);
        let wishes: Vec<f64> = groups.iter().map(wish).collect();
        // What comes straight from above stays straight.
        let weigh =
            |g: &Vec<usize>| if (other(&ways[g[0]]) - middle).abs() < 1.0 { 50.0 } else { 1.0 };
        let weights: Vec<f64> = groups.iter().map(weigh).collect();
        let settled = settle(&wishes, &weights, &vec![step; groups.len().saturating_sub(1)]);
        // Pushed by others, some may stand over an edge.
        let (low, high) = (middle - reach, middle + reach);
        let last = groups.len().saturating_sub(1);
        for (k, (group, x)) in groups.iter().zip(settled).enumerate() {
            let x = x.max(low + step * k as f64).min(high - step * (last - k) as f64);
            group.iter().for_each(|i| found[*i] = x);
        }
    }
    found
}

/// How much each arc leans at each of its bends: sideways for one down. Arcs that share a bend lean alike there.
fn leans(ways: &[Way], lines: &[Vec<(usize, f64)>], ground: &Ground) -> Vec<Vec<f64>> {
    let tops = ground.tops;
    let mut shared: BTreeMap<(usize, usize, u64), f64> = BTreeMap::new();
    let key = |way: &Way, (row, x): (usize, f64)| (way.ends.0, row, x.to_bits());
    for (way, line) in ways.iter().zip(lines) {
        for three in line.windows(3) {
            let slope = |a: (usize, f64), b: (usize, f64)| (b.1 - a.1) / (tops[b.0] - tops[a.0]);
            let (a, b) = (slope(three[0], three[1]), slope(three[1], three[2]));
            // The harmonic mean keeps the curve from swinging beyond its bends.
            let lean = if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
            // So does the least of those that part here; upright if they part to both sides.
            let least = shared.entry(key(way, three[1])).or_insert(lean);
            let sign = if *least * lean > 0.0 { lean.signum() } else { 0.0 };
            *least = sign * least.abs().min(lean.abs());
        }
    }
    let lean = |way: &Way, at: (usize, f64)| {
        let most = ground.slack(at.0, at.1) / (BOX / 2.0);
        shared.get(&key(way, at)).map_or(0.0, |lean| lean.clamp(-most, most))
    };
    ways.iter().map(|w| w.bends.iter().map(|b| lean(w, *b)).collect()).collect()
}

/// The curve through a line's places.
fn curve(line: &[(usize, f64)], leans: &[f64], tops: &[f64]) -> Route {
    let start = (line[0].1, tops[line[0].0] + BOX);
    let mut route = Route { start, pieces: Vec::with_capacity(2 * line.len()) };
    let mut from = start;
    let mut lean_from = None;
    for (i, &(row, x)) in line.iter().enumerate().skip(1) {
        let lean_to = leans.get(i - 1).copied();
        let to = (x - lean_to.unwrap_or(0.0) * BOX / 2.0, tops[row]);
        route.pieces.push(piece(from, lean_from, to, lean_to));
        if let Some(lean) = lean_to {
            let below = (x + lean * BOX / 2.0, tops[row] + BOX);
            route.pieces.push(piece(to, Some(lean), below, Some(lean)));
            (from, lean_from) = (below, Some(lean));
        }
    }
    route
}

/// A cubic from spot to spot that leans as told, or, at a box, along the straight way if that is not too flat.
fn piece(from: Spot, lean_from: Option<f64>, to: Spot, lean_to: Option<f64>) -> [Spot; 3] {
    let height = to.1 - from.1;
    let straight = ((to.0 - from.0) / height.max(1.0)).clamp(-FLAT, FLAT);
    // A longer handle at a bend makes it round.
    let handle = |lean: Option<f64>| height * if lean.is_some() { 0.55 } else { 0.33 };
    let (a, b) = (handle(lean_from), handle(lean_to));
    let (sa, sb) = (lean_from.unwrap_or(straight), lean_to.unwrap_or(straight));
    [(from.0 + sa * a, from.1 + a), (to.0 - sb * b, to.1 - b), to]
}
