//! Parquet and Arrow files: columns of typed cells, which are given on as texts like those of any other format.
//!
//! A null, a NaN and an empty text all become an empty field, which is a missing cell. Categories stay discrete,
//! whatever they are categories of. A moment with a time zone is written in UTC. Whole numbers are left open: a coded
//! category and a measurement look alike. There are no lines in these files: rows are counted from 1 instead.

mod cells;
mod claims;
mod quiet;

#[cfg(test)]
mod tests;

use super::raw::{Declared, RawRows, Records};
use super::schema::Kind;
use crate::error::{Error, Result};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema};
use cells::{Stop, Strip};
use claims::CheckedFile;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};

/// Rows decoded at once from Parquet: enough to spread the cost of a call, few enough to stay in the cache.
const BATCH: usize = 8192;
/// At most this many cells are given at once, which bounds the memory of a wide table.
const MAX_CELLS: usize = 1 << 22;
/// How an Arrow file starts, a stream (since 2019), and files that are easily taken for one.
const ARROW: &[u8] = b"ARROW1";
const STREAM: &[u8] = &[0xff; 4];
const FEATHER_1: &[u8] = b"FEA1";
const PARQUET: &[u8] = b"PAR1";

/// Opens a Parquet file; `path` is what messages call it. It may be compressed with Snappy, Zstandard, LZ4 or gzip, not
/// with Brotli or LZO.
pub fn parquet(path: &str, input: File) -> Result<Box<dyn Records>> {
    let metadata = guard(path, || Ok(ArrowReaderMetadata::load(&input, Default::default())?))?;
    let declared = columns(path, metadata.schema())?;
    let input = CheckedFile::new(input, metadata.metadata());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata);
    let reader = guard(path, || Ok(builder.with_batch_size(BATCH).build()?))?;
    Ok(Box::new(Columnar::new(path, declared, Box::new(reader))))
}

/// Opens an Arrow file (also called Feather, version 2), or an Arrow stream that was written to a file; `path` is what
/// messages call it. A stream that was cut off between two of its batches cannot be told from a whole one.
pub fn arrow_ipc(path: &str, input: File) -> Result<Box<dyn Records>> {
    let mut input = BufReader::new(input);
    let mut magic = Vec::new();
    (&mut input).take(ARROW.len() as u64).read_to_end(&mut magic).map_err(Error::io(path))?;
    let check: fn(&mut BufReader<File>) -> _ = match magic.as_slice() {
        ARROW => claims::check_file,
        start if start.starts_with(STREAM) => claims::check_stream,
        _ => return Err(not_arrow(path, &magic)),
    };
    guard(path, || check(&mut input))?;
    input.rewind().map_err(Error::io(path))?;
    let reader: Box<dyn RecordBatchReader + Send> = if magic == ARROW {
        Box::new(guard(path, || FileReader::try_new(input, None))?)
    } else {
        Box::new(guard(path, || StreamReader::try_new(input, None))?)
    };
    let declared = columns(path, &reader.schema())?;
    Ok(Box::new(Columnar::new(path, declared, reader)))
}

fn not_arrow(path: &str, magic: &[u8]) -> Error {
    let (problem, fix) = if magic.starts_with(FEATHER_1) {
        ("this is a Feather file of version 1", "write it as version 2")
    } else if magic.starts_with(PARQUET) {
        ("this is a Parquet file, not an Arrow file", "say that it is Parquet")
    } else {
        ("this is neither an Arrow file nor an Arrow stream", "check which format it has")
    };
    Error::data(path, problem, fix)
}

/// Calls a decoder, which may not only fail on a damaged file but, in some corner, panic.
fn guard<T>(path: &str, call: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let problem = match quiet::caught(call) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(e)) => format!("the file cannot be read: {e}"),
        Err(text) => format!("the file cannot be read: its decoder failed: {text}"),
    };
    Err(Error::data(path, problem, "check that it is whole, or write it anew"))
}

/// The name of each column and what its type says of it.
fn columns(path: &str, schema: &Schema) -> Result<Vec<(String, Declared)>> {
    let mut seen = HashSet::new();
    let mut columns = Vec::new();
    for field in schema.fields() {
        let (name, kind) = (field.name(), field.data_type());
        if !seen.insert(name) {
            let problem = "another column has the same name";
            return Err(Error::column(path, name, problem, "rename one before writing the file"));
        }
        let Some(declared) = declared(kind) else {
            let problem = format!("cells of the type {kind} cannot be used");
            return Err(Error::column(path, name, problem, way_out(kind)));
        };
        columns.push((name.clone(), declared));
    }
    if columns.is_empty() {
        return Err(Error::data(path, "there are no columns", "check how the file was written"));
    }
    Ok(columns)
}

/// What a type says of its column; nothing for a type whose cells are no single values.
fn declared(kind: &DataType) -> Option<Declared> {
    use DataType::*;
    Some(match kind {
        Null | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => Declared::Unknown,
        Date32 | Date64 | Timestamp(..) => Declared::Unknown,
        Boolean => {
            let levels = vec!["false".to_string(), "true".to_string()];
            Declared::Kind(Kind::Discrete { levels })
        }
        Float16 | Float32 | Float64 | Decimal32(..) | Decimal64(..) | Decimal128(..)
        | Decimal256(..) => Declared::Kind(Kind::Continuous),
        Utf8 | LargeUtf8 | Utf8View | Time32(_) | Time64(_) => Declared::Discrete,
        // Whoever wrote a dictionary meant categories, even where they are numbers.
        Dictionary(_, values) => match declared(values)? {
            Declared::Kind(Kind::Discrete { levels }) => Declared::Kind(Kind::Discrete { levels }),
            _ => Declared::Discrete,
        },
        RunEndEncoded(_, values) => declared(values.data_type())?,
        _ => return None,
    })
}

fn way_out(kind: &DataType) -> &'static str {
    use DataType::*;
    match kind {
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => {
            "drop it before writing the file, or write it as text if that is what it holds"
        }
        Duration(_) | Interval(_) => {
            "drop it before writing the file, or write it as a number, such as seconds"
        }
        _ => "drop it before writing the file, or make its parts columns of their own",
    }
}

/// Batches of columns, given on as rows.
struct Columnar {
    file: String,
    names: Vec<String>,
    declared: Vec<Declared>,
    /// Nothing once the file has ended or failed.
    batches: Option<Box<dyn RecordBatchReader + Send>>,
    /// What is left of the batch under way.
    rest: Option<RecordBatch>,
    /// Rows given so far.
    given: u64,
}

impl Columnar {
    fn new(
        file: &str,
        columns: Vec<(String, Declared)>,
        batches: Box<dyn RecordBatchReader + Send>,
    ) -> Columnar {
        let (names, declared) = columns.into_iter().unzip();
        Columnar {
            file: file.into(),
            names,
            declared,
            batches: Some(batches),
            rest: None,
            given: 0,
        }
    }

    /// What is left of the batch under way, or the next one that has rows.
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(batch) = self.rest.take() {
            return Ok(Some(batch));
        }
        // Put back only if all goes well: a decoder that failed must not be asked again.
        let Some(mut batches) = self.batches.take() else { return Ok(None) };
        loop {
            match guard(&self.file, || batches.next().transpose())? {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => {
                    self.batches = Some(batches);
                    return Ok(Some(batch));
                }
                None => return Ok(None),
            }
        }
    }

    /// Writes a whole batch into `rows`. False if its texts are too long to be taken at once.
    fn write(&self, batch: &RecordBatch, rows: &mut RawRows) -> Result<bool> {
        rows.clear();
        rows.spans.resize(batch.num_rows() * rows.width, (0, 0));
        for (column, name) in self.names.iter().enumerate() {
            let spans = &mut rows.spans[column..];
            let mut strip = Strip { bytes: &mut rows.bytes, spans, step: rows.width };
            match cells::write(batch.column(column).as_ref(), &mut strip) {
                Ok(()) => {}
                Err(Stop::Full) => return Ok(false),
                Err(Stop::Failed(e)) => {
                    let problem = format!("a cell cannot be written as text: {e}");
                    return Err(Error::column(&self.file, name, problem, "drop or correct it"));
                }
            }
        }
        let first = self.given + 1;
        rows.lines.extend(first..first + batch.num_rows() as u64);
        Ok(true)
    }
}

impl Records for Columnar {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn declared(&self) -> Vec<Declared> {
        self.declared.clone()
    }

    fn missing(&self) -> &[&str] {
        &[""]
    }

    fn read(&mut self, rows: &mut RawRows, limit: usize) -> Result<()> {
        rows.clear();
        rows.width = self.names.len();
        let Some(batch) = self.batch()? else { return Ok(()) };
        let mut count = batch.num_rows().min(limit).min((MAX_CELLS / rows.width).max(1));
        while !self.write(&batch.slice(0, count), rows)? {
            if count == 1 {
                let problem = format!("row {} has too much text", self.given + 1);
                let fix = "drop the columns of long texts before writing the file";
                return Err(Error::data(&self.file, problem, fix));
            }
            count /= 2;
        }
        self.given += count as u64;
        let left = batch.num_rows() - count;
        self.rest = (left > 0).then(|| batch.slice(count, left));
        Ok(())
    }
}
