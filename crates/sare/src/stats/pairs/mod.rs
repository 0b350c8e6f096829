//! Counts of every pair of discrete columns by class.
//!
//! Two methods give the same counts. Products of bit planes (module `products`) cost time in
//! proportion to the product of the states of two columns, but hundreds of rows are counted at
//! once. Histograms of packed codes cost the same for any number of states, row by row. The
//! product of the states decides between them, pair by pair.

mod blocks;
#[allow(unsafe_code)]
mod planes;
mod products;
pub(crate) mod store;
#[cfg(test)]
mod tests;

use super::family::LARGEST_TABLE;
use super::merge::Merge;
use super::pass::Pass;
use crate::data::source::{Block, Codes, Scratch, Source};
use crate::error::{Error, Result};
use planes::{Instructions, Kernel, LINE_ROWS};
use products::Products;
use serde::{Deserialize, Serialize};

/// PairColumn of one discrete column; a code of `states` or more is a missing cell.
#[derive(Clone, Copy, Debug)]
pub struct PairColumn<'a> {
    /// One code per row.
    pub codes: &'a [u8],
    /// Number of states.
    pub states: usize,
}

/// Tables of counts of all pairs of columns by class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairCounts {
    states: Vec<usize>,
    classes: usize,
    /// Where the table of each pair starts in `counts`.
    starts: Vec<usize>,
    counts: Vec<u64>,
}

impl PairCounts {
    /// Tables of zeros for columns with these numbers of states.
    ///
    /// # Panics
    /// When the tables are too large to be addressed.
    pub fn empty(states: &[usize], classes: usize) -> Self {
        let mut starts = Vec::with_capacity(states.len() * states.len().saturating_sub(1) / 2);
        let mut end = 0usize;
        for (i, a) in states.iter().enumerate() {
            for b in &states[i + 1..] {
                starts.push(end);
                let cells = a.checked_mul(*b).and_then(|ab| ab.checked_mul(classes));
                end = cells.and_then(|n| end.checked_add(n)).expect("pair tables are too large");
            }
        }
        PairCounts { states: states.to_vec(), classes, starts, counts: vec![0; end] }
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.states.len()
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of states of each column.
    pub fn states(&self) -> &[usize] {
        &self.states
    }

    /// Counts of columns `i < j`: cell `(xi * states_j + xj) * classes + class`. Only rows in
    /// which the class and both cells are seen are counted.
    ///
    /// # Panics
    /// Unless `i < j` and `j` is a column.
    pub fn table(&self, i: usize, j: usize) -> &[u64] {
        &self.counts[self.range(i, j)]
    }

    fn check_shape(&self, class: PairColumn, columns: &[PairColumn]) {
        let rows = class.codes.len();
        let same_rows = columns.iter().all(|c| c.codes.len() == rows);
        assert!(same_rows, "columns differ in length");
        let states = columns.iter().map(|c| c.states);
        assert!(states.eq(self.states.iter().copied()), "other columns");
        assert_eq!(class.states, self.classes, "other classes");
    }

    pub(super) fn table_mut(&mut self, i: usize, j: usize) -> &mut [u64] {
        let range = self.range(i, j);
        &mut self.counts[range]
    }

    fn range(&self, i: usize, j: usize) -> std::ops::Range<usize> {
        let v = self.states.len();
        assert!(i < j && j < v, "no pair of columns {i} and {j}");
        let start = self.starts[i * (2 * v - i - 1) / 2 + (j - i - 1)];
        start..start + self.states[i] * self.states[j] * self.classes
    }
}

impl Merge for PairCounts {
    fn merge(&mut self, other: &Self) {
        debug_assert_eq!((&self.states, self.classes), (&other.states, other.classes));
        self.counts.iter_mut().zip(&other.counts).for_each(|(x, y)| *x += y);
    }
}

/// The pass that counts all pairs of some columns by class.
#[derive(Clone, Debug)]
pub struct CountPairs {
    columns: Vec<usize>,
    class: usize,
    states: Vec<usize>,
    classes: usize,
}

/// Rows that are handled together where they do not lie side by side.
const GATHERED_ROWS: usize = 1 << 16;

impl CountPairs {
    /// Counts the pairs of these columns of a source without weights; all, and the class, have at most 255 levels.
    pub fn new(source: &Source<'_>, columns: &[usize], class: usize) -> Result<CountPairs> {
        let schema = source.schema();
        if source.has_weights() {
            let problem = "rows with weights cannot be counted in pairs";
            return Err(Error::data(source.name(), problem, "count families instead"));
        }
        let states: Vec<usize> = columns.iter().map(|&c| schema.fields[c].states()).collect();
        let classes = schema.fields[class].states();
        if let Some(&wide) =
            columns.iter().chain([&class]).find(|&&c| schema.fields[c].states() > 255)
        {
            let problem = format!(
                "its {} levels are too many to count in pairs",
                schema.fields[wide].states()
            );
            return Err(Error::column("table", &schema.fields[wide].name, problem, "leave it out"));
        }
        let (sum, squares) = states.iter().fold((0u128, 0u128), |(sum, squares), &s| {
            (sum + s as u128, squares + (s as u128).pow(2))
        });
        let bytes = (sum * sum - squares) / 2 * classes as u128 * 8;
        if bytes > LARGEST_TABLE {
            return Err(Error::TooLarge {
                what: format!("the tables of all pairs of {} columns", columns.len()),
                bytes,
                limit: LARGEST_TABLE,
                fix: "leave out columns, or cut them into fewer bins".into(),
            });
        }
        Ok(CountPairs { columns: columns.to_vec(), class, states, classes })
    }
}

impl Pass for CountPairs {
    type Stats = PairCounts;

    fn empty(&self) -> PairCounts {
        PairCounts::empty(&self.states, self.classes)
    }

    fn add(&self, block: &Block<'_>, stats: &mut PairCounts) {
        let rows = if block.is_contiguous() { block.len() } else { GATHERED_ROWS };
        for part in block.parts(rows) {
            let mut room: Vec<Scratch> = Vec::new();
            room.resize_with(self.columns.len() + 1, Scratch::default);
            let wanted = self.columns.iter().chain([&self.class]);
            let codes: Vec<&[u8]> = wanted
                .zip(&mut room)
                .map(|(&column, scratch)| match part.codes(column, scratch) {
                    Codes::Narrow(codes) => codes,
                    Codes::Wide(_) => {
                        unreachable!("wide columns are refused when the pass is made")
                    }
                })
                .collect();
            let (class, columns) = (codes[self.columns.len()], &codes[..self.columns.len()]);
            let columns: Vec<PairColumn<'_>> = columns
                .iter()
                .zip(&self.states)
                .map(|(codes, &states)| PairColumn { codes, states })
                .collect();
            add_pairs(PairColumn { codes: class, states: self.classes }, &columns, stats);
        }
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// Tables of all pairs of columns by class. Rows whose class is missing are left out; a pair
/// counts only the rows in which both cells are seen.
///
/// # Panics
/// When the columns and the class differ in length.
pub fn pair_counts(class: PairColumn, columns: &[PairColumn]) -> PairCounts {
    let states: Vec<_> = columns.iter().map(|c| c.states).collect();
    let mut counts = PairCounts::empty(&states, class.states);
    add_pairs(class, columns, &mut counts);
    counts
}

/// Adds the counts of a block of rows to `into`. Every call goes through all tables once, so
/// blocks should have some 16,384 rows or more; with many columns, more.
///
/// # Panics
/// When the columns differ in length, or in states from those of `into`.
pub fn add_pairs(class: PairColumn, columns: &[PairColumn], into: &mut PairCounts) {
    add_pairs_by(Kernel::best(), None, class, columns, into);
}

/// Planes that a column may have at most: more take longer to make than they save.
const MOST_PLANES: usize = 64;

/// [`add_pairs`] with a given kernel, and by planes where the product of the states is at most
/// `limit`; without a limit, by estimated times.
pub(super) fn add_pairs_by<'a>(
    kernel: Kernel,
    limit: Option<usize>,
    class: PairColumn<'a>,
    columns: &[PairColumn<'a>],
    into: &mut PairCounts,
) {
    into.check_shape(class, columns);
    let rows = class.codes.len();
    if rows == 0 || columns.len() < 2 || class.states == 0 {
        return;
    }
    let block = block_rows(columns, class.states).min(rows);
    let limit = limit.unwrap_or_else(|| plane_limit(kernel, rows, block, class.states));
    // A column needs planes if even the one with the fewest states is a partner.
    let mut states: Vec<_> = columns.iter().map(|c| c.states).collect();
    states.sort_unstable();
    let partner = |s: usize| if s == states[0] { states[1] } else { states[0] };
    let planar = |s: usize| (1..=MOST_PLANES).contains(&s) && s * partner(s) <= limit;
    let members = columns.iter().enumerate().map(|(i, c)| (i, c.states));
    let members: Vec<_> = members.filter(|(_, s)| planar(*s)).collect();
    let mut products = Products::new(kernel, limit, class.states, members.iter().copied());
    let mut packed = Packed::default();
    for start in (0..rows).step_by(block) {
        let part = start..(start + block).min(rows);
        let cut = |c: &PairColumn<'a>| c.with(&c.codes[part.clone()]);
        let (class, columns) = (cut(&class), columns.iter().map(cut).collect::<Vec<_>>());
        if members.len() > 1 {
            products.add(class, &columns, into);
        }
        for (i, a) in columns.iter().enumerate() {
            for (j, b) in columns.iter().enumerate().skip(i + 1) {
                if !(planar(a.states) && planar(b.states) && a.states * b.states <= limit) {
                    packed.count(class, *a, *b, into.table_mut(i, j));
                }
            }
        }
    }
    products.finish(into);
}

/// Rows of a block: the planes of all columns should stay in the second-level cache, but each
/// class should have enough rows to make the sums over lanes worth while.
fn block_rows(columns: &[PairColumn], classes: usize) -> usize {
    const CACHE_BITS: usize = 1 << 23;
    let planes: usize = columns.iter().map(|c| c.states.min(MOST_PLANES)).sum();
    (CACHE_BITS / planes.max(1)).clamp(1 << 14, 1 << 15).max(classes * 1024)
}

/// Up to which product of states the planes are faster than the histograms.
///
/// The times are relative to a row of a histogram, and measured (on a Xeon of 2023): for a product
/// of planes by line, by class and block, and by class and call. In blocks of many rows the limits
/// come to about 540, 180 and 55 cells, that is 23, 13 and 7 states.
fn plane_limit(kernel: Kernel, rows: usize, block: usize, classes: usize) -> usize {
    let (line, tile, table) = match kernel.instructions() {
        Instructions::Avx512 => (0.75, 1.0, 2.0),
        Instructions::Avx2 | Instructions::Avx2Pext => (2.4, 1.5, 2.0),
        Instructions::Portable => (8.5, 1.0, 2.0),
    };
    let (rows, block, classes) = (rows as f64, block as f64, classes as f64);
    // On average half of the last line of a class is empty.
    let lines = block / LINE_ROWS as f64 + classes / 2.0;
    (block / (lines * line + classes * (tile + table * block / rows))) as usize
}

/// Histograms up to this size are kept four times, so that equal codes in a row do not wait for
/// each other; larger ones would take too much of the cache.
const FOURFOLD_CELLS: usize = 4096;

/// Rows whose codes are packed before they are counted.
const CHUNK: usize = 1024;

/// Histograms of packed codes.
#[derive(Default)]
struct Packed {
    histogram: Vec<u32>,
}

impl Packed {
    /// Adds the counts of one pair to its table.
    fn count(&mut self, class: PairColumn, a: PairColumn, b: PairColumn, table: &mut [u64]) {
        let cells = table.len();
        if cells >= usize::from(u16::MAX) || cells > class.codes.len() {
            return count_directly(class, a, b, table);
        }
        // One more cell takes the rows with a missing cell.
        let ways = if cells <= FOURFOLD_CELLS { 4 } else { 1 };
        self.histogram.clear();
        self.histogram.resize((cells + 1) * ways, 0);
        let mut codes = [0; CHUNK];
        let parts = a.codes.chunks(CHUNK).zip(b.codes.chunks(CHUNK));
        for (k, (x, y)) in class.codes.chunks(CHUNK).zip(parts) {
            let codes = &mut codes[..k.len()];
            pack(class.with(k), a.with(x), b.with(y), codes);
            if ways == 4 {
                count_fourfold(codes, &mut self.histogram);
            } else {
                codes.iter().for_each(|&c| self.histogram[usize::from(c)] += 1);
            }
        }
        for part in self.histogram.chunks_exact(cells + 1) {
            table.iter_mut().zip(part).for_each(|(t, n)| *t += u64::from(*n));
        }
    }
}

impl<'a> PairColumn<'a> {
    /// Other codes with the same states.
    fn with(self, codes: &'a [u8]) -> Self {
        PairColumn { codes, ..self }
    }
}

/// The cell of each row in the table, or the cell after the last one.
fn pack(class: PairColumn, a: PairColumn, b: PairColumn, to: &mut [u16]) {
    let cells = a.states * b.states * class.states;
    let (step, classes) = ((b.states * class.states) as u16, class.states as u16);
    // 16-bit comparisons, so that a vector holds as many of them as codes.
    let seen = |code: u8, states: usize| u16::from(code) < states as u16;
    let rows = class.codes.iter().zip(a.codes.iter().zip(b.codes));
    for (to, (&k, (&x, &y))) in to.iter_mut().zip(rows) {
        let all = seen(k, class.states) & seen(x, a.states) & seen(y, b.states);
        let cell = u16::from(x).wrapping_mul(step);
        let cell = cell.wrapping_add(u16::from(y).wrapping_mul(classes)).wrapping_add(k.into());
        *to = if all { cell } else { cells as u16 };
    }
}

fn count_fourfold(codes: &[u16], histogram: &mut [u32]) {
    let (one, rest) = histogram.split_at_mut(histogram.len() / 4);
    let (two, rest) = rest.split_at_mut(one.len());
    let (three, four) = rest.split_at_mut(one.len());
    let (fours, rest) = codes.as_chunks::<4>();
    for &[a, b, c, d] in fours {
        one[usize::from(a)] += 1;
        two[usize::from(b)] += 1;
        three[usize::from(c)] += 1;
        four[usize::from(d)] += 1;
    }
    rest.iter().for_each(|&c| one[usize::from(c)] += 1);
}

/// For tables with more cells than rows.
fn count_directly(class: PairColumn, a: PairColumn, b: PairColumn, table: &mut [u64]) {
    let rows = class.codes.iter().zip(a.codes.iter().zip(b.codes));
    for (k, (x, y)) in rows.map(|(&k, (&x, &y))| (usize::from(k), (usize::from(x), usize::from(y))))
    {
        if k < class.states && x < a.states && y < b.states {
            table[(x * b.states + y) * class.states + k] += 1;
        }
    }
}
