//! Opening a file: which format it is, whether it is compressed, or the standard input.

use super::arff::ArffReader;
use super::csv::CsvReader;
use super::encoding::{Encoding, decoded};
use super::notes::{About, Note};
use super::raw::Records;
use super::read::ReadOptions;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delimited text.
    Csv,
    /// Weka's attribute-relation format.
    Arff,
    /// Parquet.
    Parquet,
    /// Arrow IPC, also known as Feather.
    Arrow,
}

/// What stands for a path in messages.
pub fn display_name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Whether this is the standard input, a named pipe or the like, which can be read only once.
pub fn is_pipe(path: &str) -> bool {
    // What is not there, and a folder, are refused when they are opened.
    path == "-" || std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Opens a file (`-` for the standard input) for reading row by row.
pub fn open(path: &str, options: &ReadOptions) -> Result<Box<dyn Records>> {
    let name = display_name(path);
    let mut input = unpacked(path)?;
    let start = input.fill_buf().map_err(Error::io(name))?;
    let mut format = format_of(path, start);
    let mut encoding = Encoding::Utf8;
    if matches!(format, Format::Csv | Format::Arff) {
        (input, encoding) = decoded(input, options.encoding).map_err(Error::io(name))?;
        format = format_of(path, input.fill_buf().map_err(Error::io(name))?);
    }
    match format {
        Format::Csv => {
            let reader = CsvReader::new(Box::new(input), name, options.delimiter, options.header)?;
            let found = (options.encoding.is_none() && encoding != Encoding::Utf8)
                .then(|| Note::new(About::Encoding, format!("decoded from {}", encoding.name())));
            Ok(Box::new(reader.noting(found)))
        }
        Format::Arff => Ok(Box::new(ArffReader::new(input, name)?)),
        format => columnar(format, name, path, input),
    }
}

#[cfg(feature = "columnar")]
fn columnar(
    format: Format,
    name: &str,
    path: &str,
    input: Box<dyn BufRead + Send>,
) -> Result<Box<dyn Records>> {
    use super::columnar;
    let file = seekable(path, input).map_err(Error::io(name))?;
    match format {
        Format::Parquet => columnar::parquet(name, file),
        _ => columnar::arrow_ipc(name, file),
    }
}

/// The file itself where it is one and as it is read; what comes through a pipe or is decompressed goes into a temporary
/// file first.
#[cfg(feature = "columnar")]
fn seekable(path: &str, mut input: Box<dyn BufRead + Send>) -> std::io::Result<File> {
    use std::io::Seek as _;
    if !is_pipe(path) {
        let mut file = File::open(path)?;
        let mut start = Vec::new();
        (&mut file).take(GZIP.len() as u64).read_to_end(&mut start)?;
        file.rewind()?;
        if start != GZIP {
            return Ok(file);
        }
    }
    let mut spooled = tempfile::tempfile()?;
    std::io::copy(&mut input, &mut spooled)?;
    spooled.rewind()?;
    Ok(spooled)
}

#[cfg(not(feature = "columnar"))]
fn columnar(
    _: Format,
    name: &str,
    _: &str,
    _: Box<dyn BufRead + Send>,
) -> Result<Box<dyn Records>> {
    let fix = "build with the feature 'columnar', or convert the file to CSV";
    Err(Error::data(name, "Parquet and Arrow were left out of this build", fix))
}

/// How a gzipped file starts.
const GZIP: &[u8] = &[0x1f, 0x8b];

/// The content of a file (`-` for the standard input), decompressed if it is gzipped.
pub fn content(path: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked(path)?.read_to_end(&mut bytes).map_err(Error::io(display_name(path)))?;
    Ok(bytes)
}

/// The bytes of a file, decompressed if it is gzipped.
pub(crate) fn unpacked(path: &str) -> Result<Box<dyn BufRead + Send>> {
    let raw: Box<dyn Read + Send> = if path == "-" {
        Box::new(std::io::stdin())
    } else {
        let file = File::open(path).map_err(Error::io(path))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(Error::data(path, "this is a folder", "name a file"));
        }
        Box::new(file)
    };
    let mut input = BufReader::with_capacity(1 << 16, raw);
    let start = input.fill_buf().map_err(Error::io(display_name(path)))?;
    if start.starts_with(GZIP) {
        let unzip = Unzip(flate2::bufread::MultiGzDecoder::new(input));
        return Ok(Box::new(BufReader::with_capacity(1 << 16, unzip)));
    }
    Ok(Box::new(input))
}

/// A decompressor whose errors say what to do.
struct Unzip<R>(flate2::bufread::MultiGzDecoder<R>);

impl<R: BufRead> Read for Unzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).map_err(|e| {
            let text = format!("the compressed file is damaged or cut off ({e}); copy it again");
            std::io::Error::new(e.kind(), text)
        })
    }
}

/// By what the file starts with, then by its name's ending; text is CSV.
fn format_of(path: &str, start: &[u8]) -> Format {
    if start.starts_with(b"PAR1") {
        return Format::Parquet;
    }
    if start.starts_with(b"ARROW1") {
        return Format::Arrow;
    }
    let lower = path.to_ascii_lowercase();
    let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
    match stem.rsplit('.').next() {
        Some("arff") => Format::Arff,
        Some("arrow" | "feather" | "ipc" | "arrows") => Format::Arrow,
        Some("parquet") => Format::Parquet,
        _ => {
            let head = String::from_utf8_lossy(&start[..start.len().min(4096)]).to_lowercase();
            let first = head.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('%'));
            let arff = first.is_some_and(|l| l.starts_with("@relation"));
            if arff { Format::Arff } else { Format::Csv }
        }
    }
}
