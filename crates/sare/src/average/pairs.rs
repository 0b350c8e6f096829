//! The weight of rows by class, by class and state, and by class and two states: all that the averages of this room
//! are made of.

use crate::data::table::MAX_LEVELS;
use crate::error::{Error, Result};
use crate::infer::forest::Beliefs;
use crate::stats::family::LARGEST_TABLE;
use crate::stats::{FamilyTable, Merge};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The tables of all pairs are held this many times: while they are counted, as counts, and for prediction a table for
/// each direction.
const COPIES: u128 = 7;

/// What a pair takes beside its entries: its places, two lists with what the allocator needs, and a cell of missing
/// members in each.
fn bytes_of_a_pair(classes: usize) -> u128 {
    256 + 32 * classes as u128
}

/// A weight above this in a file is damage: rows that heavy would be lost in rounding.
const LARGEST_WEIGHT: f64 = 1e100;

/// Counts of attributes and of their pairs by class. The class is not among the attributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "PairFile", into = "PairFile")]
pub struct PairTables {
    states: Vec<usize>,
    /// N_c
    class: Vec<f64>,
    /// N_c(x_i): attribute by attribute, state by state, class innermost.
    singles: Vec<f64>,
    /// N_c(x_i, x_j): pair by pair (i < j, i slowest), x_i by x_i, x_j by x_j, class innermost.
    pairs: Vec<f64>,
    single_starts: Vec<usize>,
    pair_starts: Vec<usize>,
    rows: f64,
}

/// The tables as they are written: flat lists.
#[derive(Serialize, Deserialize)]
struct PairFile {
    rows: f64,
    states: Vec<usize>,
    class: Vec<f64>,
    singles: Vec<f64>,
    pairs: Vec<f64>,
}

impl PairTables {
    /// Tables from their parts: states of the attributes, N_c, N_c(x_i), N_c(x_i, x_j), and the weight of the rows that the
    /// tables of attributes and pairs count. Fails unless the sizes fit and every weight is finite and not negative.
    pub(super) fn new(
        states: Vec<usize>,
        class: Vec<f64>,
        singles: Vec<f64>,
        pairs: Vec<f64>,
        rows: f64,
    ) -> Result<PairTables> {
        let bad = |problem: &str| Err(Error::model("pair tables", problem, "fit the model again"));
        if states.is_empty() || class.is_empty() {
            return bad("there is no attribute or no class");
        }
        if !states.iter().chain([&class.len()]).all(|s| (1..=MAX_LEVELS).contains(s)) {
            return bad("a number of states is not possible");
        }
        check_size(&states, class.len())?;
        let (mut single_starts, mut pair_starts) = (vec![0], vec![0]);
        let (mut single_end, mut pair_end) = (0, 0);
        for (i, a) in states.iter().enumerate() {
            single_end += a * class.len();
            single_starts.push(single_end);
            for b in &states[i + 1..] {
                pair_end += a * b * class.len();
                pair_starts.push(pair_end);
            }
        }
        if singles.len() != single_end || pairs.len() != pair_end {
            return bad("the number of counts does not fit the numbers of states");
        }
        let possible = |n: &f64| (0.0..=LARGEST_WEIGHT).contains(n);
        if !class.iter().chain(&singles).chain(&pairs).chain([&rows]).all(possible) {
            return bad("a count is negative or not finite");
        }
        Ok(PairTables { states, class, singles, pairs, single_starts, pair_starts, rows })
    }

    /// The same counts with the classes in another order: `order[0]` becomes the first, and so on.
    pub(super) fn relabelled(&self, order: &[usize]) -> Result<PairTables> {
        let turned = |values: &[f64]| -> Vec<f64> {
            let entries = values.chunks_exact(order.len());
            entries.flat_map(|entry| order.iter().map(|&c| entry[c])).collect()
        };
        let [class, singles, pairs] = [&self.class, &self.singles, &self.pairs].map(|v| turned(v));
        PairTables::new(self.states.clone(), class, singles, pairs, self.rows)
    }

    /// Tables of the same size that count nothing.
    pub(super) fn zeros(&self) -> PairTables {
        let zeros = |values: &Vec<f64>| vec![0.0; values.len()];
        PairTables {
            class: zeros(&self.class),
            singles: zeros(&self.singles),
            pairs: zeros(&self.pairs),
            rows: 0.0,
            states: self.states.clone(),
            single_starts: self.single_starts.clone(),
            pair_starts: self.pair_starts.clone(),
        }
    }

    /// The memory that the counts take.
    pub(super) fn bytes(&self) -> usize {
        (self.singles.len() + self.pairs.len()) * size_of::<f64>()
    }

    /// Adds the attributes and pairs of a row that hold a missing cell: what is believed of these, times what the row
    /// weighs for each of some classes.
    pub(super) fn add_expected(
        &mut self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        beliefs: &Beliefs,
        weights: &[f64],
    ) {
        let (all, width) = (self.classes(), classes.len());
        let add = |to: &mut [f64], cell: usize, entry: &[f64]| {
            let to = to[cell * all + classes.start..].iter_mut();
            to.zip(entry.iter().zip(weights)).for_each(|(n, (p, w))| *n += p * w);
        };
        for (j, &b) in beliefs.missing.iter().enumerate() {
            let start = self.single_starts[b];
            for (y, p) in beliefs.singles[j].chunks_exact(width).enumerate() {
                add(&mut self.singles[start..], y, p);
            }
            for (a, x) in row.iter().enumerate().filter_map(|(a, x)| Some((a, (*x)?))) {
                let (start, [of_a, of_b]) = self.pair_place(a, b);
                for (y, p) in beliefs.singles[j].chunks_exact(width).enumerate() {
                    add(&mut self.pairs[start..], x * of_a + y * of_b, p);
                }
            }
            for (i, &a) in beliefs.missing[..j].iter().enumerate() {
                let (start, [of_a, of_b]) = self.pair_place(a, b);
                for (cell, p) in beliefs.pair(i, j).chunks_exact(width).enumerate() {
                    let (x, y) = (cell / self.states[b], cell % self.states[b]);
                    add(&mut self.pairs[start..], x * of_a + y * of_b, p);
                }
            }
        }
    }

    /// Where the counts of two attributes begin, and how many cells further the next state of each is.
    fn pair_place(&self, a: usize, b: usize) -> (usize, [usize; 2]) {
        let (n, i, j) = (self.attributes(), a.min(b), a.max(b));
        let start = self.pair_starts[i * (2 * n - i - 1) / 2 + (j - i - 1)];
        (start, if a < b { [self.states[b], 1] } else { [1, self.states[a]] })
    }

    /// How many attributes there are.
    pub fn attributes(&self) -> usize {
        self.states.len()
    }

    /// How many states each attribute has.
    pub fn states(&self) -> &[usize] {
        &self.states
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.class.len()
    }

    /// The weight of the rows that the tables of attributes and pairs were counted from.
    pub fn rows(&self) -> f64 {
        self.rows
    }

    /// N_c of every row of known class, whether its other cells are seen or not, as a family without parents.
    pub fn class(&self) -> FamilyTable {
        filled(FamilyTable::zeros(1, self.classes(), 1), &self.class)
    }

    /// N_c(x_i), by class.
    pub fn alone(&self, attribute: usize) -> FamilyTable {
        filled(
            FamilyTable::zeros(1, self.states[attribute], self.classes()),
            self.single(attribute),
        )
    }

    /// N_c(x_i): state by state, class innermost.
    pub fn single(&self, attribute: usize) -> &[f64] {
        &self.singles[self.single_starts[attribute]..self.single_starts[attribute + 1]]
    }

    /// N_c(x_i, x_j) of attributes `i < j`: cell `(x_i * states_j + x_j) * classes + class`.
    ///
    /// # Panics
    /// Unless `i < j` and `j` is an attribute.
    pub fn pair(&self, i: usize, j: usize) -> &[f64] {
        let n = self.attributes();
        assert!(i < j && j < n, "no pair of attributes {i} and {j}");
        let place = i * (2 * n - i - 1) / 2 + (j - i - 1);
        &self.pairs[self.pair_starts[place]..self.pair_starts[place + 1]]
    }

    /// A child with one attribute as its parent, by class.
    pub fn family(&self, parent: usize, child: usize) -> FamilyTable {
        let table = FamilyTable::zeros(
            self.states[parent.min(child)],
            self.states[parent.max(child)],
            self.classes(),
        );
        let table = filled(table, self.pair(parent.min(child), parent.max(child)));
        if parent < child { table } else { turned(&table) }
    }

    /// Two attributes `i < j` as one whose states are those of both, by class.
    pub fn joined(&self, i: usize, j: usize) -> FamilyTable {
        let states = self.states[i] * self.states[j];
        filled(FamilyTable::zeros(1, states, self.classes()), self.pair(i, j))
    }
}

impl Merge for PairTables {
    fn merge(&mut self, other: &Self) {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(&mut self.class, &other.class);
        add(&mut self.singles, &other.singles);
        add(&mut self.pairs, &other.pairs);
        self.rows += other.rows;
    }
}

/// Every pair of so many attributes, the lower first, in the order of the tables.
pub(super) fn all_pairs(attributes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..attributes).flat_map(move |i| (i + 1..attributes).map(move |j| (i, j)))
}

/// The same table with parent and child exchanged.
pub(super) fn turned(table: &FamilyTable) -> FamilyTable {
    let mut out = FamilyTable::zeros(table.states(), table.configurations(), table.classes());
    for j in 0..table.configurations() {
        for k in 0..table.states() {
            for c in 0..table.classes() {
                *out.at_mut(k, j, c) = table.at(j, k, c);
            }
        }
    }
    out
}

fn filled(mut table: FamilyTable, counts: &[f64]) -> FamilyTable {
    table.values_mut()[..counts.len()].copy_from_slice(counts);
    table
}

/// Fails if the tables of attributes of these states would be too large to make.
pub(super) fn check_size(states: &[usize], classes: usize) -> Result<()> {
    let (sum, squares) = states
        .iter()
        .fold((0u128, 0u128), |(sum, squares), &s| (sum + s as u128, squares + (s as u128).pow(2)));
    let cells = ((sum * sum - squares) / 2 + sum) * classes as u128;
    let pairs = (states.len() as u128 * (states.len() as u128).saturating_sub(1)) / 2;
    let bytes = cells * size_of::<f64>() as u128 * COPIES + pairs * bytes_of_a_pair(classes);
    if bytes > LARGEST_TABLE {
        return Err(Error::TooLarge {
            what: format!("the tables of all pairs of {} attributes", states.len()),
            bytes,
            limit: LARGEST_TABLE,
            fix: "leave out columns, or cut them into fewer bins".into(),
        });
    }
    Ok(())
}

impl From<PairTables> for PairFile {
    fn from(t: PairTables) -> PairFile {
        let PairTables { rows, states, class, singles, pairs, .. } = t;
        PairFile { rows, states, class, singles, pairs }
    }
}

impl TryFrom<PairFile> for PairTables {
    type Error = Error;

    fn try_from(f: PairFile) -> Result<PairTables> {
        PairTables::new(f.states, f.class, f.singles, f.pairs, f.rows)
    }
}
