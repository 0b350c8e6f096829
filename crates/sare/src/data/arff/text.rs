//! The lines of an ARFF file and the values on them, whatever they mean.

use crate::error::{Error, Result};
use std::io::{BufRead, Read as _};

/// A line of more bytes than this is refused: the spans of the rows must fit in 32 bits.
const MAX_LINE: u64 = 1 << 30;
/// At most this many characters of a value are shown in a message.
const SHOWN_CHARS: usize = 60;

/// The input, line by line.
pub(super) struct Lines {
    input: Box<dyn BufRead + Send>,
    pub(super) file: String,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The current line, counted from 1.
    pub(super) number: u64,
}

impl Lines {
    pub(super) fn new(input: Box<dyn BufRead + Send>, file: &str) -> Lines {
        Lines { input, file: file.into(), buffer: Vec::new(), start: 0, end: 0, number: 0 }
    }

    /// Goes to the next line; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.buffer.clear();
        let mut input = (&mut self.input).take(MAX_LINE);
        let read = input.read_until(b'\n', &mut self.buffer);
        if read.map_err(Error::io(self.file.as_str()))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.buffer.len() as u64 == MAX_LINE && !self.buffer.ends_with(b"\n") {
            let problem = format!("the line has more than {MAX_LINE} bytes");
            return Err(self.refuse(None, problem, "check that the file is ARFF"));
        }
        self.start = match self.buffer.starts_with(b"\xef\xbb\xbf") && self.number == 1 {
            // The mark that some Windows programs put before UTF-8.
            true => 3,
            false => 0,
        };
        self.start = skip_blanks(&self.buffer, self.start);
        let last = self.buffer.iter().rposition(|&b| !blank(b));
        self.end = last.map_or(self.start, |last| last + 1).max(self.start);
        Ok(true)
    }

    /// The current line without the blanks around it.
    #[inline]
    pub(super) fn text(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// A trouble on the current line.
    pub(super) fn refuse(
        &self,
        column: Option<&str>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Error {
        Error::Cell {
            file: self.file.clone(),
            line: self.number,
            column: column.map(str::to_string),
            problem: problem.into(),
            fix: fix.into(),
        }
    }

    /// A slip on the current line.
    pub(super) fn slip(&self, slip: Slip, column: Option<&str>) -> Error {
        let (problem, fix) = match slip {
            Slip::Open => {
                ("a quote is not closed", "close it, and write a quote inside a value as \\'")
            }
            Slip::AfterQuote => (
                "there is text between a closing quote and the next comma",
                "write a quote inside a value as \\'",
            ),
            Slip::Percent => (
                "there is a percent sign in a value without quotes",
                "put the value in quotes, or a blank before the comment",
            ),
            Slip::Brace => ("there is a brace outside quotes", "put the value in quotes"),
        };
        self.refuse(column, problem, fix)
    }
}

/// What can be wrong with the form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// The line ends inside quotes.
    Open,
    /// Something stands directly behind the closing quote.
    AfterQuote,
    /// A percent sign that may be meant as text or as the start of a comment.
    Percent,
    /// A brace where it has no meaning.
    Brace,
}

/// Appends to `out` the value that starts at `at` or after blanks there, and ends before a byte that is a `stop`, at a
/// comment or with the text. Returns whether it was quoted, and where its end is.
#[inline]
pub(super) fn token(
    text: &[u8],
    at: usize,
    stop: impl Fn(u8) -> bool,
    out: &mut Vec<u8>,
) -> std::result::Result<(bool, usize), Slip> {
    let at = skip_blanks(text, at);
    if let Some(&quote @ (b'\'' | b'"')) = text.get(at) {
        let closed = quoted(text, at + 1, quote, out)?;
        let end = skip_blanks(text, closed);
        let clear = at_end(text, end) || stop(text[end]) || (stop(b' ') && end > closed);
        return if clear { Ok((true, end)) } else { Err(Slip::AfterQuote) };
    }
    let mut end = at;
    while end < text.len() && !stop(text[end]) {
        match text[end] {
            b'%' if end == at || blank(text[end - 1]) => break,
            b'%' => return Err(Slip::Percent),
            b'{' | b'}' => return Err(Slip::Brace),
            _ => end += 1,
        }
    }
    let value = &text[at..end];
    let last = value.iter().rposition(|&b| !blank(b)).map_or(0, |last| last + 1);
    out.extend_from_slice(&value[..last]);
    Ok((false, end))
}

/// Appends what stands between quotes, the first of which is before `at`; returns where the text goes on.
fn quoted(
    text: &[u8],
    mut at: usize,
    quote: u8,
    out: &mut Vec<u8>,
) -> std::result::Result<usize, Slip> {
    loop {
        let rest = &text[at..];
        let length = rest.iter().position(|&b| b == quote || b == b'\\').ok_or(Slip::Open)?;
        out.extend_from_slice(&rest[..length]);
        at += length + 1;
        if rest[length] == quote {
            return Ok(at);
        }
        let (decoded, used) = escape(&text[at..]).ok_or(Slip::Open)?;
        match decoded {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(&text[at..at + used]),
        }
        at += used;
    }
}

/// The character that the text after a backslash stands for, if it is not itself, and how many bytes say so. None if
/// there is no text. Besides the usual letters there are four hexadecimal digits after `u` and up to three octal ones,
/// which is what the writers of ARFF are known to use.
fn escape(text: &[u8]) -> Option<(Option<char>, usize)> {
    let letter = match text.first()? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => {
            let digits = text.get(1..5).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
            let code = digits.map(|d| number(d, 16));
            return Some(code.and_then(char::from_u32).map_or((None, 1), |c| (Some(c), 5)));
        }
        b'0'..=b'7' => {
            // A third digit only where the number still fits in a byte.
            let most = if text[0] <= b'3' { 3 } else { 2 };
            let used = text.iter().take(most).take_while(|b| matches!(b, b'0'..=b'7')).count();
            return Some((char::from_u32(number(&text[..used], 8)), used));
        }
        _ => return Some((None, 1)),
    };
    Some((Some(letter), 1))
}

/// The value of at most four digits.
fn number(digits: &[u8], radix: u32) -> u32 {
    digits.iter().fold(0, |n, &d| n * radix + char::from(d).to_digit(radix).unwrap_or(0))
}

/// Whether there is a comma outside quotes and before a comment.
pub(super) fn has_comma(text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b',' => return true,
            b'%' => return false,
            quote @ (b'\'' | b'"') => match quoted(text, at + 1, quote, &mut Vec::new()) {
                Ok(end) => at = end,
                Err(_) => return false,
            },
            _ => at += 1,
        }
    }
    false
}

/// True for a byte that separates but means nothing.
#[inline]
pub(super) fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// The first place from `at` on that is no blank.
#[inline]
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && blank(text[at]) {
        at += 1;
    }
    at
}

/// True if nothing, or only a comment, is left at `at`.
#[inline]
pub(super) fn at_end(text: &[u8], at: usize) -> bool {
    at >= text.len() || text[at] == b'%'
}

/// A text that is known to be valid.
pub(super) fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Bytes as they may stand in a message.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}
