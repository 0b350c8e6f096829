//! A file of any size as a source of rows: read in pieces, once for the schema and once for every pass.

use super::discretise::Discretiser;
use super::notes::Conventions;
use super::open::{display_name, is_pipe};
use super::read::{ReadOptions, SchemaReader, Summary, read_schema};
use super::schema::{Kind, Schema};
use super::table::Table;
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};

/// Rows are handled in pieces of this many, in memory or from a file, so that sums are formed in the same order
/// whatever the source and the number of threads.
pub const PIECE: usize = 1 << 14;

/// At most this many numbers are kept in memory to learn cut points from.
const SAMPLE_CELLS: usize = 16_000_000;

/// A file read in pieces.
#[derive(Clone, Debug)]
pub struct Stream {
    path: String,
    options: ReadOptions,
    raw: Schema,
    coded: Schema,
    rows: usize,
    missing: Vec<usize>,
    bins: Option<Discretiser>,
    class_weights: Option<Vec<f64>>,
    /// Whether the file gives weights to its rows, outside of any column.
    weighted: bool,
}

impl Stream {
    /// Reads the file once for its columns, levels and number of rows.
    pub fn open(path: &str, options: &ReadOptions, run: &Run<'_>) -> Result<Stream> {
        if is_pipe(path) {
            let problem = "a stream is read more than once, which a pipe cannot be";
            let fix = "write it to a file first, or leave out --stream";
            return Err(Error::data(display_name(path), problem, fix));
        }
        let Summary { schema, rows, missing, weighted, conventions } =
            read_schema(path, options, run)?;
        Ok(Stream {
            path: path.into(),
            options: ReadOptions { conventions, ..options.clone() },
            raw: schema.clone(),
            coded: schema,
            rows,
            missing,
            bins: None,
            class_weights: None,
            weighted,
        })
    }

    /// The columns as a pass sees them.
    pub fn schema(&self) -> &Schema {
        &self.coded
    }

    /// The file.
    pub fn name(&self) -> &str {
        &self.path
    }

    /// How the file writes its cells, and what was decided about its columns.
    pub fn conventions(&self) -> &Conventions {
        &self.options.conventions
    }

    /// How many rows the file has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many cells of a column are missing.
    pub fn missing(&self, column: usize) -> usize {
        self.missing[column]
    }

    /// Whether the rows have weights.
    pub fn has_weights(&self) -> bool {
        self.options.weight.is_some() || self.weighted || self.class_weights.is_some()
    }

    /// The same stream with only these columns, in this order.
    pub fn select(&self, columns: &[usize]) -> Stream {
        let raw = Schema::new(columns.iter().map(|&c| self.raw.fields[c].clone()).collect());
        let missing = columns.iter().map(|&c| self.missing[c]).collect();
        Stream { coded: raw.clone(), raw, missing, bins: None, ..self.clone() }
    }

    /// The same stream with its numbers cut into bins.
    pub fn discretised(&self, bins: &Discretiser) -> Stream {
        Stream { coded: bins.schema(&self.raw), bins: Some(bins.clone()), ..self.clone() }
    }

    /// The same stream with every row's weight multiplied by that of its class, the last column.
    pub fn weighing_classes(&self, weights: Vec<f64>) -> Stream {
        Stream { class_weights: Some(weights), ..self.clone() }
    }

    /// Hands every piece of rows to `work`, in order.
    pub fn for_each_piece(&self, mut work: impl FnMut(Table) -> Result<()>) -> Result<()> {
        let mut reader = SchemaReader::open(&self.path, &self.raw, &self.options, &[], true)?;
        let mut seen = 0;
        while let Some(piece) = reader.next_piece(PIECE)? {
            seen += piece.rows();
            let mut piece = piece;
            if self.weighted && piece.weights().is_none() {
                let ones = vec![1.0; piece.rows()];
                piece = piece.with_weights(ones)?;
            }
            if let Some(weights) = &self.class_weights {
                piece = piece.weighing_classes(piece.columns() - 1, weights);
            }
            if let Some(bins) = &self.bins {
                piece = bins.apply(&piece);
            }
            work(piece)?;
        }
        if seen != self.rows {
            let problem = format!("the file had {} rows and now has {seen}", self.rows);
            return Err(Error::data(&self.path, problem, "do not change it while it is read"));
        }
        Ok(())
    }

    /// All rows if their numbers fit in memory, otherwise as many as do, chosen at random without replacement: what
    /// cut points are learnt from. Without continuous columns there is nothing to learn and no row is read.
    pub fn sample(&self, run: &Run<'_>) -> Result<Table> {
        let mut sample = Table::empty(self.path.as_str(), &self.raw);
        if !self.has_numbers() {
            return Ok(sample);
        }
        run.tell(&Event::Phase { name: "rows seen for cut points", steps: None })?;
        let mut random = Random::new(run.seed, Purpose::Subsample, 0);
        let mut wanted = self.sample_rows();
        let mut left = self.rows;
        let raw = Stream { bins: None, ..self.clone() };
        raw.for_each_piece(|piece| {
            let mut rows = Vec::new();
            for r in 0..piece.rows() as u32 {
                // Each row in turn with the probability that keeps the sample exactly as large as wanted.
                // A file that has grown since is told afterwards.
                if left > 0 && random.below(left) < wanted {
                    rows.push(r);
                    wanted -= 1;
                }
                left = left.saturating_sub(1);
            }
            sample.extend(&piece.gather(&rows));
            run.tell(&Event::Step { steps: piece.rows() as u64 })
        })?;
        Ok(sample)
    }

    /// From how many rows cut points are learnt; all, where there is nothing to cut.
    pub fn sample_rows(&self) -> usize {
        if !self.has_numbers() {
            return self.rows;
        }
        (SAMPLE_CELLS / self.raw.len().max(1)).min(self.rows)
    }

    fn has_numbers(&self) -> bool {
        self.raw.fields.iter().any(|f| f.kind == Kind::Continuous)
    }
}
