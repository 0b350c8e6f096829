//! Rows as a file gives them: fields of bytes, before anybody knows what they mean. Every format is read into this
//! one form, so that types, levels and missing cells are decided in one place.

use super::notes::Note;
use super::schema::Kind;
use crate::error::Result;

/// Some rows of fields, in buffers that are used again for the next ones.
#[derive(Clone, Debug, Default)]
pub struct RawRows {
    /// The bytes the spans point into.
    pub bytes: Vec<u8>,
    /// Start and end in `bytes` of each field, row by row.
    pub spans: Vec<(u32, u32)>,
    /// The line of the file on which each row starts, counted from 1.
    pub lines: Vec<u64>,
    /// Fields in a row.
    pub width: usize,
    /// The weights of the rows up to the last that has one; empty where no row has.
    pub weights: Vec<f64>,
}

impl RawRows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// One field.
    #[inline]
    pub fn field(&self, row: usize, column: usize) -> &[u8] {
        let (start, end) = self.spans[row * self.width + column];
        &self.bytes[start as usize..end as usize]
    }

    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
        self.lines.clear();
        self.weights.clear();
    }

    /// Adds one field to the row under way.
    pub fn push_field(&mut self, field: &[u8]) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(field);
        self.spans.push((start, self.bytes.len() as u32));
    }

    /// Ends the row under way, whose fields have all been pushed.
    pub fn end_row(&mut self, line: u64) {
        debug_assert_eq!(self.spans.len(), (self.lines.len() + 1) * self.width);
        self.lines.push(line);
    }

    /// Gives the row that ended last a weight; rows before it that have none weigh 1.
    pub fn weigh_last(&mut self, weight: f64) {
        self.weights.resize(self.lines.len() - 1, 1.0);
        self.weights.push(weight);
    }

    /// Adds the weights of these rows to those of the `before` rows that came earlier; there are none as long as no row
    /// has one.
    pub(super) fn collect_weights(&self, before: usize, all: &mut Option<Vec<f64>>) {
        if all.is_none() && self.weights.is_empty() {
            return;
        }
        let all = all.get_or_insert_default();
        all.resize(before, 1.0);
        all.extend_from_slice(&self.weights);
        all.resize(before + self.len(), 1.0);
    }
}

/// What a file's own header says of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// Nothing: the cells decide.
    Unknown,
    /// The kind, which is believed; a nominal column's levels are in the declared order.
    Kind(Kind),
    /// Texts, whose levels are to be collected; dates among them are still dates.
    Discrete,
}

/// A file read row by row.
pub trait Records: Send {
    /// The names of the columns.
    fn names(&self) -> &[String];

    /// What the file says of each column.
    fn declared(&self) -> Vec<Declared> {
        vec![Declared::Unknown; self.names().len()]
    }

    /// Texts that mean a missing cell in this format.
    fn missing(&self) -> &[&str] {
        &[""]
    }

    /// What separates the fields, in delimited text.
    fn delimiter(&self) -> Option<u8> {
        None
    }

    /// Whether rows begin with a name for which the header has no field, as R writes them.
    fn has_row_names(&self) -> bool {
        false
    }

    /// What was decided about the file before its first row.
    fn notes(&self) -> Vec<Note> {
        Vec::new()
    }

    /// Replaces `rows` by the next ones, at most `limit`; none at the end of the file. May give fewer than there are.
    fn read(&mut self, rows: &mut RawRows, limit: usize) -> Result<()>;
}
