//! Comma-separated (or tab-, semicolon-, bar-separated) text.
//!
//! A scanner of our own: it leaves the fields where they were read (no copy a field), knows the line of every
//! record, and refuses ragged rows and open quotes by line. A property test compares it with the `csv` crate.

use super::raw::{RawRows, Records};
use super::read::MISSING_TEXTS;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::io::Read;

/// How much is read at a time: small enough that a chunk and its spans stay in cache.
const CHUNK: usize = 64 * 1024;
/// At least so many bytes per column: every chunk costs some work for each, which rows must share.
const CHUNK_PER_COLUMN: usize = 64;
/// A record longer than this is taken for an unclosed quote.
const LONGEST_RECORD: usize = 1 << 30;
/// The delimiters that are tried when none is given.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

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
}

impl CsvReader {
    /// Starts reading: takes the header (or makes names `c1`, `c2`, ... where there is none) and finds the delimiter
    /// if it is not given.
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
        };
        reader.fill_first_line()?;
        reader.skip_byte_order_mark()?;
        if delimiter.is_none() {
            reader.scanner = Scanner::new(sniff(&reader.tail));
        }
        reader.take_header(header)?;
        Ok(reader)
    }

    fn fill_first_line(&mut self) -> Result<()> {
        while !self.ended && !self.tail.iter().any(|&b| b == b'\n' || b == b'\r') {
            let mut bytes = std::mem::take(&mut self.tail);
            self.fill(&mut bytes)?;
            self.tail = bytes;
        }
        Ok(())
    }

    fn skip_byte_order_mark(&mut self) -> Result<()> {
        if self.tail.starts_with(b"PK\x03\x04") {
            let problem = "this is a zip archive or a workbook, not text";
            return Err(Error::data(&self.file, problem, "unpack it, or save the sheet as CSV"));
        }
        if self.tail.starts_with(&[0xff, 0xfe]) || self.tail.starts_with(&[0xfe, 0xff]) {
            let fix = "save it as UTF-8 (for example: iconv -f UTF-16 -t UTF-8)";
            return Err(Error::data(&self.file, "the file is UTF-16", fix));
        }
        if self.tail.contains(&0) {
            let fix = "save it as UTF-8 text (for example: iconv -f UTF-16LE -t UTF-8)";
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
        if header {
            for c in 0..width {
                let name = self.text(rows.field(0, c), rows.lines[0])?.trim().to_string();
                self.names.push(name);
            }
            self.check_names(rows.lines[0])
        } else {
            self.names = (1..=width).map(|c| format!("c{c}")).collect();
            self.first = Some(rows);
            Ok(())
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
            if name.is_empty() {
                let problem = format!("the header's field {} has no name", i + 1);
                return Err(cell(problem, "name every column"));
            }
            if let Some(first) = seen.insert(name, i) {
                let problem =
                    format!("the header names '{name}' twice (fields {} and {})", first + 1, i + 1);
                return Err(cell(problem, "rename one of them"));
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
                    at = next;
                    let found = rows.spans.len() - before;
                    if fields == 0 {
                        fields = found;
                    }
                    if found != fields {
                        return Err(self.ragged(found, fields));
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

    fn ragged(&self, found: usize, expected: usize) -> Error {
        Error::Cell {
            file: self.file.clone(),
            line: self.line,
            column: None,
            problem: format!("the row has {found} fields where {expected} are expected"),
            fix: "check its delimiters and quotes".into(),
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
        fix: "save the file as UTF-8 (for example: iconv -f LATIN1 -t UTF-8)".into(),
    }
}

/// The delimiter that occurs most in the first line, outside quotes.
fn sniff(bytes: &[u8]) -> u8 {
    let mut counts = [0usize; DELIMITERS.len()];
    let mut quoted = false;
    for &b in bytes {
        match b {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if !quoted => {
                if let Some(d) = DELIMITERS.iter().position(|&d| d == b) {
                    counts[d] += 1;
                }
            }
            _ => {}
        }
    }
    // The first of the most frequent; a comma where there is none at all.
    let best = (0..counts.len()).rev().max_by_key(|&d| counts[d]).unwrap_or(0);
    DELIMITERS[best]
}

enum Scan {
    /// A record ended; the next starts here.
    Record(usize),
    /// An empty line; the next record starts here.
    Blank(usize),
    /// The bytes end before the record does.
    Incomplete,
    /// A closing quote is followed by something other than a delimiter.
    AfterQuote,
}

struct Scanner {
    delimiter: u8,
    /// The bytes that end an unquoted field.
    ends: [bool; 256],
}

impl Scanner {
    fn new(delimiter: u8) -> Scanner {
        let mut ends = [false; 256];
        for b in [delimiter, b'\n', b'\r'] {
            ends[b as usize] = true;
        }
        Scanner { delimiter, ends }
    }

    /// Scans the record at `at`; `last` says that no bytes will follow. The spans of a record that is not complete
    /// are taken back, and the bytes are not changed before it is.
    fn record(
        &self,
        bytes: &mut [u8],
        at: usize,
        last: bool,
        spans: &mut Vec<(u32, u32)>,
        line: &mut u64,
    ) -> Scan {
        let before = spans.len();
        let mut escaped = Vec::new();
        let mut position = at;
        let scan = loop {
            let field = if bytes.get(position) == Some(&b'"') {
                self.quoted(bytes, position, line, &mut escaped)
            } else {
                let rest = &bytes[position.min(bytes.len())..];
                let length = rest.iter().position(|&b| self.ends[b as usize]);
                let end = position + length.unwrap_or(rest.len());
                Ok(((position, end), end))
            };
            let Ok(((start, stop), end)) = field else {
                break if field == Err(true) { Scan::AfterQuote } else { Scan::Incomplete };
            };
            match bytes.get(end) {
                Some(&b) if b == self.delimiter => {
                    spans.push((start as u32, stop as u32));
                    position = end + 1;
                }
                Some(&b'\r') if end + 1 == bytes.len() && !last => break Scan::Incomplete,
                None if !last || end == at => break Scan::Incomplete,
                after => {
                    let next = match after {
                        None => end,
                        Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => end + 2,
                        Some(_) => end + 1,
                    };
                    *line += u64::from(after.is_some());
                    if end == at {
                        break Scan::Blank(next);
                    }
                    spans.push((start as u32, stop as u32));
                    break Scan::Record(next);
                }
            }
        };
        match scan {
            Scan::Record(_) => {
                for start in escaped {
                    unescape(bytes, spans, before, start);
                }
            }
            _ => spans.truncate(before),
        }
        scan
    }

    /// The quoted field at `at`: its content and where it ends. `Err(false)`: the bytes end first; `Err(true)`: text
    /// follows the closing quote.
    #[allow(clippy::type_complexity)]
    fn quoted(
        &self,
        bytes: &[u8],
        at: usize,
        line: &mut u64,
        escaped: &mut Vec<usize>,
    ) -> std::result::Result<((usize, usize), usize), bool> {
        let mut position = at + 1;
        let mut has_escapes = false;
        loop {
            match bytes.get(position) {
                None => return Err(false),
                Some(b'"') if bytes.get(position + 1) == Some(&b'"') => {
                    has_escapes = true;
                    position += 2;
                }
                Some(b'"') => break,
                Some(b) => {
                    let lone_return = *b == b'\r' && bytes.get(position + 1) != Some(&b'\n');
                    *line += u64::from(*b == b'\n' || lone_return);
                    position += 1;
                }
            }
        }
        if has_escapes {
            escaped.push(at + 1);
        }
        let stop = position;
        let mut end = position + 1;
        while matches!(bytes.get(end), Some(b' ' | b'\t')) && bytes[end] != self.delimiter {
            end += 1;
        }
        match bytes.get(end) {
            Some(&b) if !self.ends[b as usize] => Err(true),
            _ => Ok(((at + 1, stop), end)),
        }
    }
}

/// Turns doubled quotes of the field that starts at `start` into single ones, in place.
fn unescape(bytes: &mut [u8], spans: &mut [(u32, u32)], from: usize, start: usize) {
    let Some(span) = spans[from..].iter_mut().find(|s| s.0 as usize == start) else { return };
    let (mut read, mut write) = (start, start);
    while read < span.1 as usize {
        read += usize::from(bytes[read] == b'"');
        bytes[write] = bytes[read];
        (read, write) = (read + 1, write + 1);
    }
    span.1 = write as u32;
}

#[cfg(test)]
mod tests;
