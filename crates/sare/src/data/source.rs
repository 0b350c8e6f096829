//! Where rows come from: a table in memory (or some of its rows), or a file read in pieces.

use super::stream::Stream;
use super::table::{Cells, Table};

/// A table, or some of its rows, without a copy.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    table: &'a Table,
    rows: Option<&'a [u32]>,
}

impl<'a> View<'a> {
    /// All rows.
    pub fn all(table: &'a Table) -> View<'a> {
        View { table, rows: None }
    }

    /// These rows, in this order; a row may come more than once.
    pub fn of(table: &'a Table, rows: &'a [u32]) -> View<'a> {
        View { table, rows: Some(rows) }
    }

    /// The same rows of another table of as many rows (one whose columns have been recoded).
    pub fn over<'b>(self, table: &'b Table) -> View<'b>
    where
        'a: 'b,
    {
        View { table, rows: self.rows }
    }

    /// The table.
    pub fn table(self) -> &'a Table {
        self.table
    }

    /// How many rows are seen.
    pub fn len(self) -> usize {
        self.rows.map_or(self.table.rows(), <[u32]>::len)
    }

    /// True if no row is seen.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The row of the table that is the view's `index`-th.
    pub fn row(self, index: usize) -> usize {
        self.rows.map_or(index, |rows| rows[index] as usize)
    }

    /// The table's row numbers, in order.
    pub fn row_numbers(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.len()).map(move |i| self.row(i))
    }

    /// The rows from `start`, `len` of them.
    pub fn block(self, start: usize, len: usize) -> Block<'a> {
        Block { view: self, start, len }
    }
}

/// A short run of a view's rows: small enough to stay in cache while every column is visited.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    view: View<'a>,
    start: usize,
    len: usize,
}

/// The codes of one column in a block.
#[derive(Clone, Copy, Debug)]
pub enum Codes<'a> {
    /// Of a column of at most 255 levels.
    Narrow(&'a [u8]),
    /// Of a column of more levels.
    Wide(&'a [u16]),
}

/// Room for the codes of one column when the rows do not lie side by side.
#[derive(Default)]
pub struct Scratch {
    narrow: Vec<u8>,
    wide: Vec<u16>,
}

impl<'a> Block<'a> {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The block in parts of at most `len` rows.
    pub fn parts(&self, len: usize) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let block = *self;
        (0..block.len).step_by(len.max(1)).map(move |at| Block {
            start: block.start + at,
            len: len.min(block.len - at),
            ..block
        })
    }

    /// True if the rows lie side by side in the table.
    pub fn is_contiguous(&self) -> bool {
        self.view.rows.is_none()
    }

    /// The row of the table that is the block's `index`-th.
    pub fn row_number(&self, index: usize) -> usize {
        self.view.row(self.start + index)
    }

    /// The table the rows are from.
    pub fn table(&self) -> &'a Table {
        self.view.table
    }

    /// The codes of a discrete column, side by side. An undiscretised column is a mistake of the caller.
    pub fn codes<'s>(&self, column: usize, scratch: &'s mut Scratch) -> Codes<'s>
    where
        'a: 's,
    {
        let (start, end) = (self.start, self.start + self.len);
        match (self.view.table.cells(column), self.view.rows) {
            (Cells::Narrow(v), None) => Codes::Narrow(&v[start..end]),
            (Cells::Wide(v), None) => Codes::Wide(&v[start..end]),
            (Cells::Narrow(v), Some(rows)) => {
                scratch.narrow.clear();
                scratch.narrow.extend(rows[start..end].iter().map(|&r| v[r as usize]));
                Codes::Narrow(&scratch.narrow)
            }
            (Cells::Wide(v), Some(rows)) => {
                scratch.wide.clear();
                scratch.wide.extend(rows[start..end].iter().map(|&r| v[r as usize]));
                Codes::Wide(&scratch.wide)
            }
            _ => unreachable!("columns are made discrete before they are counted"),
        }
    }

    /// The weights of the rows, where they have any.
    pub fn weights<'s>(&self, room: &'s mut Vec<f64>) -> Option<&'s [f64]>
    where
        'a: 's,
    {
        let weights = self.view.table.weights()?;
        let (start, end) = (self.start, self.start + self.len);
        match self.view.rows {
            None => Some(&weights[start..end]),
            Some(rows) => {
                room.clear();
                room.extend(rows[start..end].iter().map(|&r| weights[r as usize]));
                Some(room)
            }
        }
    }
}

/// Where a pass gets its rows from.
#[derive(Clone, Copy)]
pub enum Source<'a> {
    /// Rows in memory, handled by all threads.
    Memory(View<'a>),
    /// A file read in pieces: any size in bounded memory.
    Stream(&'a Stream),
}

impl Source<'_> {
    /// What the columns are.
    pub fn schema(&self) -> &super::Schema {
        match self {
            Source::Memory(view) => view.table.schema(),
            Source::Stream(stream) => stream.schema(),
        }
    }

    /// What stands for the rows in messages.
    pub fn name(&self) -> &str {
        match self {
            Source::Memory(view) => view.table.name(),
            Source::Stream(stream) => stream.name(),
        }
    }

    /// Whether the rows have weights.
    pub fn has_weights(&self) -> bool {
        match self {
            Source::Memory(view) => view.table.weights().is_some(),
            Source::Stream(stream) => stream.has_weights(),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        match self {
            Source::Memory(view) => view.len(),
            Source::Stream(stream) => stream.rows(),
        }
    }
}
