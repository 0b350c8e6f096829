//! Finding the fields of a record of delimited text, where they lie.

/// What came of looking for a record.
pub(super) enum Scan {
    /// A record ended; the next starts here.
    Record(usize),
    /// An empty line; the next record starts here.
    Blank(usize),
    /// The bytes end before the record does.
    Incomplete,
    /// A closing quote is followed by something other than a delimiter.
    AfterQuote,
}

/// Splits records at one delimiter.
pub(super) struct Scanner {
    pub(super) delimiter: u8,
    /// The bytes that end an unquoted field.
    ends: [bool; 256],
}

impl Scanner {
    pub(super) fn new(delimiter: u8) -> Scanner {
        let mut ends = [false; 256];
        for b in [delimiter, b'\n', b'\r'] {
            ends[b as usize] = true;
        }
        Scanner { delimiter, ends }
    }

    /// Scans the record at `at`; `last` says that no bytes will follow. The spans of a record that is not complete
    /// are taken back, and the bytes are not changed before it is.
    pub(super) fn record(
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

impl Scanner {
    /// How many fields each of the first records of these bytes has, and whether all fields from number `from` on are
    /// empty in every one.
    pub(super) fn widths(&self, bytes: &[u8], ended: bool, from: usize) -> (Vec<usize>, bool) {
        let (mut copy, mut spans) = (bytes.to_vec(), Vec::new());
        let (mut widths, mut empty) = (Vec::new(), true);
        let (mut at, mut line) = (0, 0);
        while widths.len() < PEEKED {
            spans.clear();
            match self.record(&mut copy, at, ended, &mut spans, &mut line) {
                Scan::Record(next) => {
                    empty &= spans.iter().skip(from).all(|(start, end)| {
                        copy[*start as usize..*end as usize].trim_ascii().is_empty()
                    });
                    widths.push(spans.len());
                    at = next;
                }
                Scan::Blank(next) => at = next,
                Scan::Incomplete | Scan::AfterQuote => break,
            }
        }
        (widths, empty)
    }
}

/// How many records are looked at before a file is read.
const PEEKED: usize = 100;
