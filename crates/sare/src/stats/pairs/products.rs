//! Pair counts as products of bit planes, summed over blocks of rows.
//!
//! A column with s states and no missing cell needs only s - 1 planes: the counts of its last
//! state follow from the margins. Plane 0 is all ones, so the margins are products as well.

use super::blocks::Planes;
use super::planes::{GROUP, Kernel, Tile};
use super::{PairColumn, PairCounts};

/// A column that takes part in plane products.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Member {
    column: usize,
    states: usize,
    /// Its first plane.
    at: usize,
    /// All its states, or all but the last one.
    planes: usize,
}

/// Products of planes, summed over the blocks that had the same planes.
pub(crate) struct Products {
    planes: Planes,
    /// Columns are paired by planes when the product of their states is at most this.
    limit: usize,
    classes: usize,
    /// In the order of the states, so that the partners of a column are the first ones.
    members: Vec<Member>,
    /// For each group the first of its tiles: with itself, then with the groups that follow.
    starts: Vec<usize>,
    /// One tile per class for each pair of groups that is needed.
    tiles: Vec<Tile>,
    rows: usize,
}

impl Products {
    /// For the columns with these numbers and states.
    pub(crate) fn new(
        kernel: Kernel,
        limit: usize,
        classes: usize,
        columns: impl Iterator<Item = (usize, usize)>,
    ) -> Self {
        let member = |(column, states)| Member { column, states, at: 0, planes: states - 1 };
        let mut members: Vec<_> = columns.map(member).collect();
        members.sort_by_key(|m| m.states);
        let planes = Planes::new(kernel);
        let (starts, tiles) = (Vec::new(), Vec::new());
        Products { planes, limit, classes, members, starts, tiles, rows: 0 }
    }

    /// Counts a block of rows; what was counted with other planes goes to `into` before.
    pub(crate) fn add(&mut self, class: PairColumn, columns: &[PairColumn], into: &mut PairCounts) {
        let (mut members, mut at) = (self.members.clone(), 1);
        self.planes.start(class);
        for m in &mut members {
            let codes = columns[m.column].codes;
            let largest = codes.iter().fold(0, |x, &y| x.max(y));
            // Once seen, missing cells are expected in later blocks: changes cost time.
            if usize::from(largest) >= m.states {
                m.planes = m.states;
            }
            m.at = at;
            at += m.planes;
            self.planes.set_column(m.at, codes, m.planes);
        }
        let rows = self.rows + class.codes.len();
        if members != self.members || self.starts.is_empty() || i32::try_from(rows).is_err() {
            self.finish(into);
            self.members = members;
            self.arrange();
        }
        self.rows += class.codes.len();
        self.add_products();
    }

    /// Adds the products of all planes of the block.
    fn add_products(&mut self) {
        let mut tiles = self.tiles.chunks_exact_mut(self.classes);
        for (a, starts) in self.starts.windows(2).enumerate() {
            for (b, out) in (a..).zip(tiles.by_ref().take(starts[1] - starts[0])) {
                self.planes.add_tiles(a, b, out);
            }
        }
    }

    /// Lays out the tiles that the pairs need, all zero.
    fn arrange(&mut self) {
        // The least states of each group; the ones of plane 0 go with every plane.
        let mut least = vec![1];
        for m in &self.members {
            least.resize((m.at + m.planes).div_ceil(GROUP), m.states);
        }
        self.starts = vec![0];
        for a in 0..least.len() {
            let partners = least[a..].iter().take_while(|s| **s * least[a] <= self.limit || a == 0);
            self.starts.push(self.starts[a] + partners.count());
        }
        self.tiles = vec![[0; GROUP * GROUP]; self.starts[least.len()] * self.classes];
    }

    /// Adds what was counted since the last time to the tables.
    pub(crate) fn finish(&mut self, into: &mut PairCounts) {
        if self.rows == 0 {
            return;
        }
        self.rows = 0;
        let margins: Vec<_> = self.members.iter().map(|m| self.margin(m)).collect();
        let mut cells = Vec::new();
        for (k, (a, a_margin)) in self.members.iter().zip(&margins).enumerate() {
            let partners = self.members.iter().zip(&margins).skip(k + 1);
            for (b, b_margin) in partners.take_while(|(b, _)| a.states * b.states <= self.limit) {
                // The tables want the column with the lower number first.
                let swap = a.column > b.column;
                let (x, x_margin, y, y_margin) =
                    if swap { (b, b_margin, a, a_margin) } else { (a, a_margin, b, b_margin) };
                self.pair_cells(x, y, x_margin, y_margin, &mut cells);
                let table = into.table_mut(x.column, y.column);
                table.iter_mut().zip(&cells).for_each(|(t, n)| *t += u64::from(*n));
            }
        }
    }

    /// Counts of `[state * classes + class]` of one column.
    fn margin(&self, m: &Member) -> Vec<u32> {
        let c = self.classes;
        let mut out = vec![0; m.states * c];
        for state in 0..m.planes {
            self.copy_product(0, m.at + state, &mut out[state * c..][..c]);
        }
        if m.planes < m.states {
            let (seen, last) = out.split_at_mut(m.planes * c);
            self.copy_product(0, 0, last);
            seen.chunks_exact(c).for_each(|s| subtract(last, s));
        }
        out
    }

    /// The table of columns `x` and `y`, the states without a plane inferred from the margins.
    fn pair_cells(
        &self,
        x: &Member,
        y: &Member,
        x_margin: &[u32],
        y_margin: &[u32],
        cells: &mut Vec<u32>,
    ) {
        let c = self.classes;
        let row = y.states * c;
        cells.clear();
        cells.resize(x.states * row, 0);
        for (s, cells) in cells.chunks_exact_mut(row).take(x.planes).enumerate() {
            let (seen, last) = cells.split_at_mut(y.planes * c);
            for (t, cell) in seen.chunks_exact_mut(c).enumerate() {
                self.copy_product(x.at + s, y.at + t, cell);
            }
            if !last.is_empty() {
                last.copy_from_slice(&x_margin[s * c..][..c]);
                seen.chunks_exact(c).for_each(|cell| subtract(last, cell));
            }
        }
        let (seen, last) = cells.split_at_mut(x.planes * row);
        if !last.is_empty() {
            last.copy_from_slice(y_margin);
            seen.chunks_exact(row).for_each(|cells| subtract(last, cells));
        }
    }

    /// The product of two planes in each class.
    fn copy_product(&self, p: usize, q: usize, to: &mut [u32]) {
        let (p, q) = (p.min(q), p.max(q));
        let (a, b) = (p / GROUP, q / GROUP);
        let cell = p % GROUP * GROUP + q % GROUP;
        let tiles = &self.tiles[(self.starts[a] + b - a) * self.classes..][..self.classes];
        to.iter_mut().zip(tiles).for_each(|(n, tile)| *n = tile[cell]);
    }
}

fn subtract(from: &mut [u32], what: &[u32]) {
    from.iter_mut().zip(what).for_each(|(x, y)| *x -= y);
}
