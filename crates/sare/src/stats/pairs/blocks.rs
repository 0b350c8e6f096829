//! The bit planes of one block of rows.
//!
//! The rows of a block are brought into class order, so that the number of rows with two given
//! states in one class is the popcount of the AND of two stretches of memory. Each class starts a
//! new line; the bits that pad its last line are zero in every plane.

use super::PairColumn;
use super::planes::{GROUP, Instructions, Kernel, LINE_ROWS, Line, Steps, Tile};

/// A code that is no state: it pads the last line of a class.
const NO_STATE: u8 = u8::MAX;

/// Rows of a block at most: places in class order are 32-bit numbers.
const MOST_ROWS: usize = 1 << 30;

/// The planes of one block of rows.
pub(super) struct Planes {
    kernel: Kernel,
    /// Rows of each class.
    counts: Vec<usize>,
    /// First line of each class, then the number of all lines.
    first: Vec<usize>,
    /// The class order as moves of up to 64 rows, where the kernel can use them.
    steps: Option<Steps>,
    /// The class order as row numbers, where it is needed.
    order: Vec<u32>,
    /// One column; in class order unless PEXT does that later.
    bytes: Vec<u8>,
    /// One plane in row order and in class order, for PEXT.
    by_row: Vec<Line>,
    by_class: Vec<u64>,
    /// The planes, group by group: `lines[(group * all_lines + line) * GROUP + plane % GROUP]`.
    lines: Vec<Line>,
}

impl Planes {
    /// No rows yet.
    pub(super) fn new(kernel: Kernel) -> Self {
        Planes {
            kernel,
            counts: Vec::new(),
            first: Vec::new(),
            steps: None,
            order: Vec::new(),
            bytes: Vec::new(),
            by_row: Vec::new(),
            by_class: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Starts a block: takes the class of each row, and sets plane 0 to ones.
    pub(super) fn start(&mut self, class: PairColumn) {
        let rows = class.codes.len();
        assert!((1..=MOST_ROWS).contains(&rows), "a block of {rows} rows");
        self.counts.clear();
        self.counts.resize(class.states.max(256), 0);
        class.codes.iter().for_each(|&c| self.counts[usize::from(c)] += 1);
        self.counts.truncate(class.states);
        self.first.clear();
        self.first.push(0);
        for (c, n) in self.counts.iter().enumerate() {
            self.first.push(self.first[c] + n.div_ceil(LINE_ROWS));
        }
        self.list_moves(class.codes);
        // In class order with room for a last store of 64 bytes, or whole lines in row order.
        let room = self.all_lines() * LINE_ROWS + 64;
        self.bytes.clear();
        self.bytes.resize(room.max(rows.next_multiple_of(LINE_ROWS)), 0);
        self.cut(0, 1);
    }

    /// Chooses how columns are brought into class order, and prepares that.
    fn list_moves(&mut self, class: &[u8]) {
        self.steps = match self.kernel.instructions() {
            Instructions::Portable | Instructions::Avx2 => None,
            Instructions::Avx2Pext => Some(self.steps_of(class)),
            // With many classes a move has so few rows that the sort is faster.
            Instructions::Avx512 => {
                Some(self.steps_of(class)).filter(|s| s.len() * 2 <= class.len())
            }
        };
        if self.steps.is_none() || self.kernel.instructions() == Instructions::Avx2Pext {
            self.sort_rows(class);
        }
    }

    /// Sets `planes` planes from `at` on to the first states of a column.
    pub(super) fn set_column(&mut self, at: usize, codes: &[u8], planes: usize) {
        match (&self.steps, self.kernel.instructions()) {
            (Some(steps), Instructions::Avx512) => {
                self.kernel.compress(codes, steps, &mut self.bytes);
            }
            // A move takes for each plane about as long as the sort of six rows.
            (Some(steps), _) if steps.len() * planes * 6 <= codes.len() => {
                return self.extract(at, codes, planes);
            }
            _ => self.sort_column(codes),
        }
        self.cut(at, planes);
    }

    /// Writes a column to `bytes` by the sorted row numbers.
    fn sort_column(&mut self, codes: &[u8]) {
        let mut order = &self.order[..];
        for (first, n) in self.first.iter().zip(&self.counts) {
            let (rows, rest) = order.split_at(*n);
            let to = &mut self.bytes[first * LINE_ROWS..][..*n];
            to.iter_mut().zip(rows).for_each(|(d, &r)| *d = codes[r as usize]);
            order = rest;
        }
    }

    /// Adds the products of two groups to `out`, one tile per class.
    pub(super) fn add_tiles(&self, a: usize, b: usize, out: &mut [Tile]) {
        let all = self.all_lines() * GROUP;
        let (a, b) = (&self.lines[a * all..][..all], &self.lines[b * all..][..all]);
        for (part, tile) in self.first.windows(2).zip(out) {
            let part = part[0] * GROUP..part[1] * GROUP;
            self.kernel.add_tile(&a[part.clone()], &b[part], tile);
        }
    }

    fn all_lines(&self) -> usize {
        self.first.last().copied().unwrap_or(0)
    }

    /// The moves of up to 64 rows of one class that bring the rows into class order.
    fn steps_of(&self, class: &[u8]) -> Steps {
        let words = class.len().div_ceil(64);
        let mut masks = vec![0u64; self.counts.len() * words];
        for (word, rows) in class.chunks(64).enumerate() {
            for (bit, &c) in rows.iter().enumerate() {
                if usize::from(c) < self.counts.len() {
                    masks[usize::from(c) * words + word] |= 1 << bit;
                }
            }
        }
        let mut steps = Steps::default();
        for (masks, first) in masks.chunks_exact(words).zip(&self.first) {
            let mut at = (first * LINE_ROWS) as u32;
            for (word, &mask) in masks.iter().enumerate().filter(|(_, m)| **m != 0) {
                steps.push(mask, word as u32, at);
                at += mask.count_ones();
            }
        }
        steps
    }

    /// Fills `order` by a counting sort.
    fn sort_rows(&mut self, class: &[u8]) {
        let (mut next, mut sum) = (Vec::with_capacity(self.counts.len()), 0);
        for n in &self.counts {
            next.push(sum);
            sum += n;
        }
        self.order.clear();
        self.order.resize(sum, 0);
        for (row, &c) in class.iter().enumerate() {
            if let Some(place) = next.get_mut(usize::from(c)) {
                self.order[*place] = row as u32;
                *place += 1;
            }
        }
    }

    /// Pads `bytes`, which is in class order, and sets planes from it.
    fn cut(&mut self, at: usize, planes: usize) {
        for (c, n) in self.counts.iter().enumerate() {
            let from = self.first[c] * LINE_ROWS + n;
            self.bytes[from..self.first[c + 1] * LINE_ROWS].fill(NO_STATE);
        }
        let all = self.all_lines();
        for state in 0..planes {
            let to = plane_mut(&mut self.lines, at + state, all);
            self.kernel.cut(&self.bytes[..all * LINE_ROWS], state as u8, to, GROUP);
        }
    }

    /// Sets planes by cutting the column in row order and moving bits instead of bytes.
    fn extract(&mut self, at: usize, codes: &[u8], planes: usize) {
        let Some(steps) = &self.steps else { return };
        let all = self.all_lines();
        self.bytes[..codes.len()].copy_from_slice(codes);
        self.by_row.resize(codes.len().div_ceil(LINE_ROWS), Line([0; 8]));
        self.by_class.clear();
        self.by_class.resize(all * 8 + 2, 0);
        for state in 0..planes {
            let bytes = &self.bytes[..self.by_row.len() * LINE_ROWS];
            self.kernel.cut(bytes, state as u8, &mut self.by_row, 1);
            self.kernel.extract(&self.by_row, steps, &mut self.by_class);
            let to = plane_mut(&mut self.lines, at + state, all).iter_mut().step_by(GROUP);
            to.zip(self.by_class.as_chunks().0).for_each(|(line, words)| line.0 = *words);
        }
    }
}

/// From the first line of a plane to the end of its group.
fn plane_mut(lines: &mut Vec<Line>, plane: usize, all: usize) -> &mut [Line] {
    let from = plane / GROUP * all * GROUP;
    let to = from + all * GROUP;
    if lines.len() < to {
        lines.resize(to, Line([0; 8]));
    }
    &mut lines[(from + plane % GROUP).min(to)..to]
}
