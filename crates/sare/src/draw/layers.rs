//! The layout of a directed graph on rows, parents above children (after Sugiyama, Tagawa and Toda).
//!
//! Rows by longest path, tightened and split where too wide; few crossings by sweeps; places by least squares in
//! order; curves between the boxes. The arcs of the class, when it has many, do not take part: they are led through
//! the gaps afterwards. Parts that hang together only through the class are packed on one sheet.

mod block;
mod hubs;
mod order;
mod pack;
mod place;
mod rank;
mod route;
mod straight;
#[cfg(test)]
mod tests;

use super::svg::Spot;
use block::Block;
use pack::{Parts, Sheet};

/// The height of a node's box.
pub(super) const BOX: f64 = 26.0;
/// The least room between two boxes on a row.
const GAP: f64 = 26.0;
/// The least room between two arcs on a row.
const LANE: f64 = 12.0;
/// The least room between two rows.
const BAND: f64 = 36.0;
/// The distance of rows, to plan with.
const PITCH: f64 = BOX + BAND + 8.0;
/// The wished width of a drawing for a height of 1.
const ASPECT: f64 = 1.5;
/// Above so many nodes fewer ways to split rows are tried.
const SEVERAL: usize = 400;

/// A smooth curve: each piece by its two control points and its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    pub(super) start: Spot,
    pub(super) pieces: Vec<[Spot; 3]>,
}

impl Route {
    /// The same curve from its end.
    fn turned(&self) -> Route {
        let start = self.pieces.last().map_or(self.start, |p| p[2]);
        let end = |i: usize| if i == 0 { self.start } else { self.pieces[i - 1][2] };
        let pieces = self.pieces.iter().enumerate().rev().map(|(i, p)| [p[1], p[0], end(i)]);
        Route { start, pieces: pieces.collect() }
    }
}

/// Where all is.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The middles of the boxes.
    pub(super) middles: Vec<Spot>,
    /// The curve of every arc from its parent to its child; none for arcs from a node to itself or to no node.
    pub(super) routes: Vec<Option<Route>>,
    /// The nodes whose arcs were led through the gaps.
    pub(super) hubs: Vec<usize>,
    /// How many pairs of the other arcs cross.
    #[cfg_attr(not(test), expect(dead_code))]
    pub(super) crossings: usize,
}

/// The parts into which a graph falls without the arcs of its hubs.
struct Split {
    /// The nodes of each connected part of more than one.
    parts: Vec<Vec<usize>>,
    single: Vec<usize>,
    lone: Vec<usize>,
}

/// Lays out the nodes of given widths; `central` marks those that may be hubs sooner than others.
pub(super) fn lay_out(widths: &[f64], arcs: &[(usize, usize)], central: &[bool]) -> Layout {
    let nodes = widths.len();
    let turned = rank::orient(nodes, arcs);
    let sound: Vec<(usize, usize)> = turned.iter().flatten().copied().collect();
    let hubs = hubs::choose(nodes, &sound, central);
    let split = parts(nodes, &sound, &hubs);
    let blocks_for = |bound: f64| -> Vec<Block> {
        split.parts.iter().map(|p| block(p, &turned, widths, bound)).collect()
    };
    let sheet_for = |bound: f64| {
        pack::pack(&Parts {
            widths,
            arcs: arcs.len(),
            top: hubs.len(),
            blocks: &blocks_for(bound),
            single: &split.single,
            lone: &split.lone,
        })
    };
    let area: f64 = widths.iter().map(|w| (w + GAP) * PITCH).sum();
    let page = (area * ASPECT).sqrt();
    // A split row costs bends: it has to pay. Large graphs take time, and always have rows to split.
    let (first, others) =
        if nodes > SEVERAL { (1.2, &[0.7][..]) } else { (f64::INFINITY, &[2.2, 1.6, 1.2][..]) };
    let mut sheet = sheet_for(first * page);
    for share in others {
        let other = sheet_for(share * page);
        if other.page() < 0.88 * sheet.page() {
            sheet = other;
        }
    }
    for (row, hub) in hubs.iter().enumerate() {
        sheet.spots[*hub] = (row, sheet.width / 2.0);
    }
    finish(sheet, widths, &turned, arcs, hubs)
}

/// Splits the graph into what hangs together without the hubs.
fn parts(nodes: usize, arcs: &[(usize, usize)], hubs: &[usize]) -> Split {
    let mut near = vec![Vec::new(); nodes];
    let mut fed = vec![false; nodes];
    for &(a, b) in arcs {
        if hubs.contains(&a) {
            fed[b] = true;
        } else {
            near[a].push(b);
            near[b].push(a);
        }
    }
    let mut split = Split { parts: Vec::new(), single: Vec::new(), lone: Vec::new() };
    let mut seen = vec![false; nodes];
    hubs.iter().for_each(|h| seen[*h] = true);
    for start in 0..nodes {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = vec![start];
        let mut next = 0;
        while next < part.len() {
            for &w in &near[part[next]] {
                if !std::mem::replace(&mut seen[w], true) {
                    part.push(w);
                }
            }
            next += 1;
        }
        part.sort_unstable();
        match (part.len(), fed[start]) {
            (1, true) => split.single.push(start),
            (1, false) => split.lone.push(start),
            _ => split.parts.push(part),
        }
    }
    split
}

/// Lays out a connected part.
fn block(part: &[usize], arcs: &[Option<(usize, usize)>], widths: &[f64], bound: f64) -> Block {
    let own = |v: &usize| part.binary_search(v).ok();
    let inner = |(i, arc): (usize, &Option<(usize, usize)>)| {
        let (a, b) = (*arc)?;
        Some((i, (own(&a)?, own(&b)?)))
    };
    let (numbers, arcs): (Vec<usize>, Vec<(usize, usize)>) =
        arcs.iter().enumerate().filter_map(inner).unzip();
    let widths: Vec<f64> = part.iter().map(|v| widths[*v]).collect();
    block::lay(part, &arcs, &numbers, &widths, bound)
}

/// Leads the arcs of the hubs, gives the rows their heights and draws the curves.
fn finish(
    mut sheet: Sheet,
    widths: &[f64],
    turned: &[Option<(usize, usize)>],
    arcs: &[(usize, usize)],
    hubs: Vec<usize>,
) -> Layout {
    let mut boxes = vec![Vec::new(); sheet.rows.max(1)];
    for (v, (row, x)) in sheet.spots.iter().enumerate() {
        boxes[*row].push((x - widths[v] / 2.0, x + widths[v] / 2.0));
    }
    boxes.iter_mut().for_each(|row| row.sort_by(|a, b| a.0.total_cmp(&b.0)));
    for hub in &hubs {
        lead(&mut sheet, *hub, turned, &boxes);
    }
    // How far to the side arcs go below each row, if any do.
    let mut steps: Vec<Option<f64>> = vec![None; boxes.len()];
    for (i, (a, b)) in turned.iter().enumerate().filter_map(|(i, arc)| Some((i, (*arc)?))) {
        let line: Vec<(usize, f64)> = std::iter::once(sheet.spots[a])
            .chain(sheet.bends[i].iter().copied())
            .chain([sheet.spots[b]])
            .collect();
        for pair in line.windows(2) {
            let step = (pair[1].1 - pair[0].1).abs();
            steps[pair[0].0] = Some(steps[pair[0].0].unwrap_or(0.0).max(step));
        }
    }
    // A sheet that is wide all the same has height to spare.
    let rows = boxes.len() as f64;
    let spare = ((sheet.width / ASPECT - rows * PITCH) / rows).clamp(0.0, BAND);
    let mut tops = vec![0.0];
    for r in 1..boxes.len() {
        // Where arcs go far to the side they need some height not to be flat.
        let band = steps[r - 1].map_or(BAND / 2.5, |s| BAND + (0.06 * s).min(30.0).max(spare));
        tops.push(tops[r - 1] + BOX + band);
    }
    let bends = || sheet.bends.iter().flatten().map(|b| (b.1 - 4.0, b.1 + 4.0));
    let all = || boxes.iter().flatten().copied().chain(bends());
    let left = all().map(|b| b.0).reduce(f64::min).unwrap_or(0.0);
    let right = all().map(|b| b.1).reduce(f64::max).unwrap_or(0.0);
    let shift = |at: &mut (usize, f64)| at.1 -= left;
    sheet.spots.iter_mut().chain(sheet.bends.iter_mut().flatten()).for_each(shift);
    boxes.iter_mut().flatten().for_each(|b| *b = (b.0 - left, b.1 - left));
    let ground = route::Ground { spots: &sheet.spots, widths, tops: &tops, boxes: &boxes };
    let drawn: Vec<usize> = (0..arcs.len()).filter(|i| turned[*i].is_some()).collect();
    let ways: Vec<route::Way> = drawn
        .iter()
        .filter_map(|i| Some(route::Way { ends: turned[*i]?, bends: &sheet.bends[*i] }))
        .collect();
    let mut routes = vec![None; arcs.len()];
    for (i, route) in drawn.iter().zip(route::routes(&ways, &ground)) {
        let back = turned[*i] != Some(arcs[*i]);
        routes[*i] = Some(if back { route.turned() } else { route });
    }
    let middle = |(row, x): &(usize, f64)| (*x, tops[*row] + BOX / 2.0);
    Layout {
        width: right - left,
        height: if widths.is_empty() { 0.0 } else { tops[tops.len() - 1] + BOX },
        middles: sheet.spots.iter().map(middle).collect(),
        routes,
        hubs,
        crossings: sheet.crossings,
    }
}

/// Leads the arcs of a hub through what is on the sheet.
fn lead(
    sheet: &mut Sheet,
    hub: usize,
    turned: &[Option<(usize, usize)>],
    boxes: &[Vec<(f64, f64)>],
) {
    let around = |(left, right): (f64, f64), room: f64| (left - room, right + room);
    let mut taken: Vec<Vec<(f64, f64)>> =
        boxes.iter().map(|row| row.iter().map(|b| around(*b, hubs::CLEAR.0)).collect()).collect();
    for (row, x) in sheet.bends.iter().flatten() {
        taken[*row].push(around((*x, *x), hubs::CLEAR.1));
    }
    let ends = (-2.0 * GAP, sheet.width + 2.0 * GAP);
    let free: Vec<Vec<(f64, f64)>> = taken
        .iter_mut()
        .map(|row| {
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            hubs::free(row, ends)
        })
        .collect();
    let own: Vec<(usize, usize)> = turned
        .iter()
        .enumerate()
        .filter_map(|(i, arc)| arc.filter(|a| a.0 == hub).map(|a| (i, a.1)))
        .collect();
    let targets: Vec<(usize, f64)> = own.iter().map(|(_, v)| sheet.spots[*v]).collect();
    let ways = hubs::lead(sheet.spots[hub], &targets, &free);
    for ((arc, _), way) in own.into_iter().zip(ways) {
        sheet.bends[arc] = way;
    }
}
