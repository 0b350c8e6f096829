//! Comma-separated (or tab-, semicolon-, bar- or blank-separated) text.
//!
//! A scanner of our own: it leaves the fields where they were read (no copy per field), knows the line of every
//! record, and refuses ragged rows and open quotes by line. A property test compares it with the `csv` crate.

mod layout;
mod scan;

use super::notes::{About, Note};
use super::raw::{RawRows, Records};
use super::read::MISSING_TEXTS;
use crate::error::{Error, Result};
use layout::{other_delimiter, preamble, sniff};
use rustc_hash::FxHashMap;
use scan::{Scan, Scanner};
use std::io::Read;

/// How much is read at a time: small enough that a chunk and its spans stay in cache.
const CHUNK: usize = 64 * 1024;
/// At least so many bytes per column: every chunk costs some work for each, which rows must share.
const CHUNK_PER_COLUMN: usize = 64;
/// A record longer than this is taken for an unclosed quote.
const LONGEST_RECORD: usize = 1 << 30;

/// Reads delimited text.
pub struct CsvReader {
    input: Box<dyn Read + Send>,
    file: String,
    names: Vec<String>,
    scanner: Scanner,
    /// What has been read but not yet been given out.
    tail: Vec<u8>,
    /// True when the input has nothing more.
    ended: bool,
    /// The line on which the next record starts.
    line: u64,
    /// The first record of a file without a header, already scanned.
    first: Option<RawRows>,
    /// Empty fields behind the last column are dropped.
    trailing: bool,
    /// Rows begin with a name for which the header has no field.
    row_names: bool,
    notes: Vec<Note>,
}

impl CsvReader {
    /// Starts reading: passes over comment lines, takes the header (or makes names `c1`, `c2`, ... where there is none)
    /// and finds the delimiter if it is not given.
    pub fn new(
        input: Box<dyn Read + Send>,
        file: &str,
        delimiter: Option<u8>,
        header: bool,
    ) -> Result<CsvReader> {
        let mut reader = CsvReader {
            input,
            file: file.into(),
            names: Vec::new(),
            scanner: Scanner::new(delimiter.unwrap_or(b',')),
            tail: Vec::new(),
            ended: false,
            line: 1,
            first: None,
            trailing: false,
            row_names: false,
            notes: Vec::new(),
        };
        reader.fill_head()?;
        reader.check_text()?;
        let before = preamble(&reader.tail, header);
        reader.tail.drain(..before.bytes);
        reader.line += before.lines;
        if before.comments > 0 {
            let text = format!("comment lines before the table were skipped: {}", before.comments);
            reader.notes.push(Note::new(About::Comments, text));
            reader.fill_head()?;
        }
        let delimiter = delimiter.or(before.delimiter);
        let delimiter = delimiter.unwrap_or_else(|| sniff(&reader.tail, reader.ended));
        reader.scanner = Scanner::new(delimiter);
        reader.take_header(header)?;
        Ok(reader)
    }

    /// The same reader with one more thing to say.
    pub(super) fn noting(mut self, note: Option<Note>) -> CsvReader {
        self.notes.extend(note);
        self
    }

    /// Reads until a few lines are there.
    fn fill_head(&mut self) -> Result<()> {
        let few = |bytes: &[u8]| bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() < 4;
        while !self.ended && few(&self.tail) {
            let mut bytes = std::mem::take(&mut self.tail);
            self.fill(&mut bytes)?;
            self.tail = bytes;
        }
        Ok(())
    }

    /// Refuses what is not text, and passes over the byte-order mark.
    fn check_text(&mut self) -> Result<()> {
        if self.tail.starts_with(b"PK\x03\x04") {
            let problem = "this is a zip archive or a workbook, not text";
            return Err(Error::data(&self.file, problem, "unpack it, or save the sheet as CSV"));
        }
        if self.tail.contains(&0) {
            let fix = "if it is UTF-16 without a byte-order mark, say --encoding utf-16";
            return Err(Error::data(&self.file, "the file is not text, or UTF-16", fix));
        }
        if self.tail.starts_with("\u{feff}".as_bytes()) {
            self.tail.drain(..3);
        }
        Ok(())
    }

    fn take_header(&mut self, header: bool) -> Result<()> {
        let mut rows = RawRows::default();
        let width = self.scan_chunk(&mut rows, 1, None)?;
        if width == 0 {
            return Err(Error::data(&self.file, "the file is empty", "give a file with a header"));
        }
        rows.width = width;
        if !header {
            self.names = (1..=width).map(|c| format!("c{c}")).collect();
            self.first = Some(rows);
            return Ok(());
        }
        for c in 0..width {
            let name = self.text(rows.field(0, c), rows.lines[0])?.trim().to_string();
            self.names.push(name);
        }
        self.settle_width();
        self.check_names(rows.lines[0])
    }

    /// Where header and rows differ in width: delimiters at their ends, and the row names of R, which have no name.
    fn settle_width(&mut self) {
        let named = self.names.iter().rposition(|n| !n.is_empty()).map_or(1, |last| last + 1);
        let (widths, empty) = self.scanner.widths(&self.tail, self.ended, named);
        let wider = widths.iter().filter(|w| **w > named).count();
        if empty && (named < self.names.len() || wider > 0) {
            self.names.truncate(named);
            self.trailing = true;
            let text = "delimiters behind the last column were dropped";
            self.notes.push(Note::new(About::Trailing, text));
        } else if named == self.names.len() && wider > 0 && widths.iter().all(|w| *w == named + 1) {
            self.names.insert(0, String::new());
            self.row_names = true;
        }
    }

    fn check_names(&self, line: u64) -> Result<()> {
        let cell = |problem: String, fix: &str| Error::Cell {
            file: self.file.clone(),
            line,
            column: None,
            problem,
            fix: fix.into(),
        };
        let mut seen = FxHashMap::default();
        for (i, name) in self.names.iter().enumerate() {
            // The first may be an index, which the cells tell.
            if name.is_empty() && (i > 0 || self.names.len() == 1) {
                let problem = format!("the header's field {} has no name", i + 1);
                return Err(cell(problem, "name every column"));
            }
            if let Some(first) = seen.insert(name, i) {
                let problem =
                    format!("the header names '{name}' twice (fields {} and {})", first + 1, i + 1);
                let numbers = self.names.iter().all(|n| n.parse::<f64>().is_ok());
                let no_header = "rename one of them, or say --no-header if these are the first row";
                return Err(cell(problem, if numbers { no_header } else { "rename one of them" }));
            }
        }
        Ok(())
    }

    fn text(&self, field: &[u8], line: u64) -> Result<String> {
        String::from_utf8(field.to_vec()).map_err(|_| not_utf8(&self.file, line, None))
    }

    /// How much is read at a time.
    fn chunk(&self) -> usize {
        CHUNK.max(CHUNK_PER_COLUMN * self.names.len())
    }

    /// Reads one more chunk onto the end of `bytes`.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> Result<()> {
        let before = bytes.len();
        // A record that does not fit asks for twice as much, so that long ones are not rescanned chunk by chunk.
        let want = self.chunk().max(before);
        let got = self.input.by_ref().take(want as u64).read_to_end(bytes);
        let got = got.map_err(Error::io(&self.file))?;
        self.ended = got < want;
        if bytes.len() > LONGEST_RECORD {
            return Err(self.open_quote());
        }
        Ok(())
    }

    fn open_quote(&self) -> Error {
        Error::Cell {
            file: self.file.clone(),
            line: self.line,
            column: None,
            problem: "a quote opened in the record that starts here is never closed".into(),
            fix: "close it, or double a quote that is part of the text".into(),
        }
    }

    /// Scans up to `limit` records into `rows`; returns the number of fields of the first one (0: no record left).
    fn scan_chunk(
        &mut self,
        rows: &mut RawRows,
        limit: usize,
        width: Option<usize>,
    ) -> Result<usize> {
        rows.clear();
        std::mem::swap(&mut rows.bytes, &mut self.tail);
        self.tail.clear();
        if rows.bytes.len() < self.chunk() && !self.ended {
            self.fill(&mut rows.bytes)?;
        }
        let (mut at, mut fields) = (0, width.unwrap_or(0));
        while rows.len() < limit {
            let before = rows.spans.len();
            let mut line = self.line;
            match self.scanner.record(&mut rows.bytes, at, self.ended, &mut rows.spans, &mut line) {
                Scan::Record(next) => {
                    let start = std::mem::replace(&mut at, next);
                    let found = rows.spans.len() - before;
                    if fields == 0 {
                        fields = found;
                    }
                    if found != fields && !self.drops(rows, before + fields) {
                        let record = &rows.bytes[start..at];
                        return Err(self.ragged(found, fields, record));
                    }
                    rows.lines.push(self.line);
                    self.line = line;
                }
                Scan::Blank(next) => {
                    if fields == 1 && width.is_some() {
                        // In a file of one column an empty line is an empty cell.
                        rows.spans.push((at as u32, at as u32));
                        rows.lines.push(self.line);
                    }
                    at = next;
                    self.line = line;
                }
                Scan::Incomplete if self.ended && at == rows.bytes.len() => break,
                Scan::Incomplete if self.ended => return Err(self.open_quote()),
                Scan::Incomplete if !rows.is_empty() => break,
                Scan::Incomplete => {
                    rows.bytes.drain(..at);
                    at = 0;
                    self.fill(&mut rows.bytes)?;
                }
                Scan::AfterQuote => return Err(self.text_after_quote()),
            }
        }
        self.tail.extend_from_slice(&rows.bytes[at..]);
        Ok(if rows.is_empty() { 0 } else { fields })
    }

    /// Drops the spans from `kept` on if they are empty fields behind the last column.
    fn drops(&self, rows: &mut RawRows, kept: usize) -> bool {
        let empty = |s: &(u32, u32)| rows.bytes[s.0 as usize..s.1 as usize].trim_ascii().is_empty();
        let drops = self.trailing && rows.spans.get(kept..).is_some_and(|s| s.iter().all(empty));
        if drops {
            rows.spans.truncate(kept);
        }
        drops
    }

    fn ragged(&self, found: usize, expected: usize, record: &[u8]) -> Error {
        let other = other_delimiter(record, expected, self.scanner.delimiter);
        let name = |d: u8| if d == b'\t' { "tabs".into() } else { format!("'{}'", char::from(d)) };
        let fix = match other {
            Some(d) => format!("it seems to be separated by {}: use one delimiter", name(d)),
            None => "check its delimiters and quotes".into(),
        };
        Error::Cell {
            file: self.file.clone(),
            line: self.line,
            column: None,
            problem: format!("the row has {found} fields where {expected} are expected"),
            fix,
        }
    }

    fn text_after_quote(&self) -> Error {
        Error::Cell {
            file: self.file.clone(),
            line: self.line,
            column: None,
            problem: "there is text after a closing quote".into(),
            fix: "double a quote that is part of a quoted field".into(),
        }
    }
}

impl Records for CsvReader {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn missing(&self) -> &[&str] {
        &MISSING_TEXTS
    }

    fn delimiter(&self) -> Option<u8> {
        Some(self.scanner.delimiter)
    }

    fn has_row_names(&self) -> bool {
        self.row_names
    }

    fn notes(&self) -> Vec<Note> {
        self.notes.clone()
    }

    fn read(&mut self, rows: &mut RawRows, limit: usize) -> Result<()> {
        if let Some(first) = self.first.take() {
            *rows = first;
            return Ok(());
        }
        rows.width = self.names.len();
        self.scan_chunk(rows, limit, Some(rows.width)).map(|_| ())
    }
}

/// A cell that is not UTF-8.
pub(crate) fn not_utf8(file: &str, line: u64, column: Option<&str>) -> Error {
    Error::Cell {
        file: file.into(),
        line,
        column: column.map(str::to_string),
        problem: "the text is not UTF-8".into(),
        fix: "say --encoding latin-1 if it is Western European text, or save the file as UTF-8"
            .into(),
    }
}

#[cfg(test)]
mod tests;
