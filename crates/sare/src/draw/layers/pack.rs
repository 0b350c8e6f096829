//! The parts of a graph on one sheet of about the wished shape.

use super::block::Block;
use super::place::settle;
use super::{ASPECT, GAP, PITCH};

/// All nodes and bends on common rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Sheet {
    /// How wide it is.
    pub(super) width: f64,
    /// How many rows it has.
    pub(super) rows: usize,
    /// The row and the middle of every node that is on it.
    pub(super) spots: Vec<(usize, f64)>,
    /// The rows that an arc passes, and where, from the top.
    pub(super) bends: Vec<Vec<(usize, f64)>>,
    /// How many pairs of arcs cross.
    pub(super) crossings: usize,
}

impl Sheet {
    /// The height of the smallest page of the wished shape that holds the sheet.
    pub(super) fn page(&self) -> f64 {
        page(self.width, self.rows)
    }
}

fn page(width: f64, rows: usize) -> f64 {
    (width / ASPECT).max(rows as f64 * PITCH)
}

/// What is to be packed.
pub(super) struct Parts<'a> {
    /// How wide every node is.
    pub(super) widths: &'a [f64],
    /// How many arcs there are.
    pub(super) arcs: usize,
    /// The rows left free at the top.
    pub(super) top: usize,
    /// The connected parts.
    pub(super) blocks: &'a [Block],
    /// Nodes without arcs but to the nodes at the top.
    pub(super) single: &'a [usize],
    /// Nodes without arcs.
    pub(super) lone: &'a [usize],
}

/// Nodes in columns, to be read row by row.
fn grid(nodes: &[usize], widths: &[f64], columns: usize) -> Block {
    let columns = columns.clamp(1, nodes.len().max(1));
    let widest = |c: usize| nodes.iter().skip(c).step_by(columns).map(|v| widths[*v]);
    let mut left = 0.0;
    let mut middles = Vec::with_capacity(columns);
    for c in 0..columns {
        let wide = widest(c).fold(0.0, f64::max);
        middles.push(left + wide / 2.0);
        left += wide + GAP;
    }
    let spot = |(i, v): (usize, &usize)| (*v, i / columns, middles[i % columns]);
    let mut spots: Vec<(usize, usize, f64)> = nodes.iter().enumerate().map(spot).collect();
    let over = nodes.len() % columns;
    if over > 0 && columns > 1 {
        // A last row that is not full stands in the middle.
        let first = nodes.len() - over;
        let pitch = (middles[columns - 1] - middles[0]) / (columns - 1) as f64;
        let start = (left - GAP) / 2.0 - pitch * (over - 1) as f64 / 2.0;
        let wish: Vec<f64> = (0..over).map(|i| start + pitch * i as f64).collect();
        let half = |v: usize| widths[v] / 2.0;
        let apart = |p: &[usize]| half(p[0]) + half(p[1]) + GAP;
        let apart: Vec<f64> = nodes[first..].windows(2).map(apart).collect();
        let settled = settle(&wish, &vec![1.0; over], &apart);
        spots[first..].iter_mut().zip(settled).for_each(|(spot, x)| spot.2 = x);
    }
    Block { width: left - GAP, rows: nodes.len().div_ceil(columns), spots, ..Block::default() }
}

/// Where each block begins (left and row), and the size of all, at most `most` wide; each is put as high as it fits, and
/// the last `own` blocks below all others.
fn shelve(blocks: &[&Block], own: usize, most: f64) -> (Vec<(f64, usize)>, f64, usize) {
    let mut starts: Vec<(f64, usize)> = Vec::with_capacity(blocks.len());
    // How far each row is taken.
    let mut taken: Vec<f64> = Vec::new();
    // Below which rows the sheet can be cut between blocks.
    let mut whole: Vec<bool> = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        let first = if i + own >= blocks.len() { taken.len() } else { 0 };
        let left =
            |row: usize| taken.iter().skip(row).take(block.rows).fold(0.0, |a: f64, b| a.max(*b));
        let fits = |row: &usize| left(*row) == 0.0 || left(*row) + block.width <= most;
        let row = (first..taken.len()).find(fits).unwrap_or(taken.len());
        let start = left(row);
        let end = row + block.rows;
        taken.resize(taken.len().max(end), 0.0);
        whole.resize(taken.len(), true);
        taken[row..end].fill(start + block.width + 1.6 * GAP);
        whole[row..end.max(row + 1) - 1].fill(false);
        starts.push((start, row));
    }
    let width = taken.iter().fold(0.0, |a: f64, b| a.max(b - 1.6 * GAP));
    // What can be cut off stands in the middle.
    let mut from = 0;
    for row in (0..taken.len()).filter(|r| whole[*r]) {
        let wide = taken[from..=row].iter().fold(0.0, |a: f64, b| a.max(b - 1.6 * GAP));
        for start in starts.iter_mut().filter(|s| (from..=row).contains(&s.1)) {
            start.0 += (width - wide) / 2.0;
        }
        from = row + 1;
    }
    (starts, width, taken.len())
}

/// The numbers of columns that make a difference to so many nodes.
fn columns(nodes: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (1..=nodes.max(1)).map(|rows| nodes.div_ceil(rows)).collect();
    all.dedup();
    all
}

/// Packs the parts so that they fit on the smallest page.
pub(super) fn pack(parts: &Parts) -> Sheet {
    let mut blocks: Vec<&Block> = parts.blocks.iter().collect();
    blocks.sort_by_key(|b| std::cmp::Reverse(b.rows));
    let mut best: Option<(f64, Vec<Block>, f64)> = None;
    for single in columns(parts.single.len()) {
        // Both grids are about as wide; there is seldom more than one.
        let lone = if parts.single.is_empty() { columns(parts.lone.len()) } else { vec![single] };
        for lone in lone {
            let grids: Vec<Block> = [(parts.single, single), (parts.lone, lone)]
                .into_iter()
                .filter(|(nodes, _)| !nodes.is_empty())
                .map(|(nodes, columns)| grid(nodes, parts.widths, columns))
                .collect();
            let all: Vec<&Block> = blocks.iter().copied().chain(&grids).collect();
            let own = usize::from(!parts.lone.is_empty());
            let mut most = all.iter().map(|b| b.width).fold(0.0, f64::max);
            for _ in 0..if all.len() > 1 { 16 } else { 1 } {
                let (_, width, rows) = shelve(&all, own, most);
                // Between pages of one size, the one with less on it.
                let cost = page(width, rows + parts.top) + 0.01 * width;
                if best.as_ref().is_none_or(|b| cost < b.0 - 1e-9) {
                    best = Some((cost, grids.clone(), most));
                }
                most *= 1.2;
            }
        }
    }
    let (_, grids, most) = best.unwrap_or_default();
    let all: Vec<&Block> = blocks.into_iter().chain(&grids).collect();
    let (starts, width, rows) = shelve(&all, usize::from(!parts.lone.is_empty()), most);
    let mut sheet = Sheet {
        width,
        rows: rows + parts.top,
        spots: vec![(0, width / 2.0); parts.widths.len()],
        bends: vec![Vec::new(); parts.arcs],
        crossings: all.iter().map(|b| b.crossings).sum(),
    };
    for (block, (left, top)) in all.iter().zip(starts) {
        let top = top + parts.top;
        for &(v, row, x) in &block.spots {
            sheet.spots[v] = (row + top, x + left);
        }
        for (arc, bends) in &block.bends {
            sheet.bends[*arc] = bends.iter().map(|(row, x)| (row + top, x + left)).collect();
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_nodes_alone_fill_a_page() {
        let all: Vec<usize> = (0..36).collect();
        let parts =
            Parts { widths: &[80.0; 36], arcs: 0, top: 1, blocks: &[], single: &all, lone: &[] };
        let sheet = pack(&parts);
        let shape = sheet.width / (sheet.rows as f64 * PITCH);
        assert!((1.0..2.2).contains(&shape), "{shape}");
        assert!(sheet.spots.iter().all(|s| s.0 >= 1));
        assert!(sheet.spots[1].1 > sheet.spots[0].1, "reads from the left");
    }

    #[test]
    fn nodes_without_arcs_come_last() {
        let block = Block { width: 300.0, rows: 3, spots: vec![(0, 0, 20.0)], ..Block::default() };
        let parts = Parts {
            widths: &[40.0; 4],
            arcs: 0,
            top: 0,
            blocks: &[block],
            single: &[],
            lone: &[1, 2, 3],
        };
        let sheet = pack(&parts);
        assert!(sheet.spots[1..].iter().all(|s| s.0 >= 3), "{sheet:?}");
        assert_eq!(pack(&Parts { blocks: &[], lone: &[], ..parts }).rows, 0);
    }
}
