//! ARFF, the text format of Weka: a header that declares the attributes, then rows of values, dense or sparse.
//!
//! An unquoted `?` is a missing cell and becomes an empty field; a quoted one is the text `?`. An empty text in quotes
//! is missing too where the attribute is a string, and refused elsewhere. Dates become days since 1970-01-01. Ranges of
//! numbers and weights of attributes are skipped; weights of rows become the weights of the table.

mod date;
mod levels;
mod row;
mod text;

#[cfg(test)]
mod tests;

use super::raw::{Declared, RawRows, Records};
use super::schema::Kind;
use crate::error::{Error, Result, nearest};
use date::{DatePattern, ISO};
use levels::Levels;
use std::collections::HashMap;
use std::io::BufRead;
use text::{Lines, at_end, blank, has_comma, shown, skip_blanks, token, utf8};

/// A read stops early once it holds this many bytes, so that long lines cannot add up to too much.
const MAX_BYTES: usize = 1 << 26;

/// Reads an ARFF file.
pub struct ArffReader {
    lines: Lines,
    names: Vec<String>,
    types: Vec<Type>,
}

impl ArffReader {
    /// Reads the header up to and including `@data`. `file` stands for the input in messages.
    pub fn new(input: Box<dyn BufRead + Send>, file: &str) -> Result<ArffReader> {
        let lines = Lines::new(input, file);
        let mut reader = ArffReader { lines, names: Vec::new(), types: Vec::new() };
        reader.header()?;
        Ok(reader)
    }

    fn header(&mut self) -> Result<()> {
        let mut declared_on: HashMap<String, u64> = HashMap::new();
        while self.lines.advance()? {
            let text = self.lines.text();
            let end = text.iter().position(|&b| blank(b) || b == b'%').unwrap_or(text.len());
            match text[..end].to_ascii_lowercase().as_slice() {
                // A line of nothing or of a comment, which may be in any encoding, as may the relation's name.
                b"" | b"@relation" => {}
                b"@attribute" => {
                    let (name, kind) = self.attribute(end)?;
                    if let Some(line) = declared_on.insert(name.clone(), self.lines.number) {
                        let problem = format!("the attribute on line {line} has the same name");
                        return Err(self.lines.refuse(Some(&name), problem, "rename one of them"));
                    }
                    self.names.push(name);
                    self.types.push(kind);
                }
                b"@data" => return self.start_data(end),
                other => return Err(self.unknown_keyword(other)),
            }
        }
        Err(Error::data(
            &self.lines.file,
            "the file ends before a line '@data'",
            "check that it is an ARFF file and was written whole",
        ))
    }

    fn start_data(&self, end: usize) -> Result<()> {
        let text = self.lines.text();
        if !at_end(text, skip_blanks(text, end)) {
            let problem = "there is more on the line of '@data'";
            return Err(self.lines.refuse(None, problem, "start the rows on the next line"));
        }
        if self.names.is_empty() {
            let problem = "no attribute is declared before '@data'";
            return Err(self.lines.refuse(
                None,
                problem,
                "declare each with '@attribute name type'",
            ));
        }
        Ok(())
    }

    fn unknown_keyword(&self, word: &[u8]) -> Error {
        let shown = shown(word);
        let known = ["@relation", "@attribute", "@data"];
        if !word.starts_with(b"@") {
            let problem = format!("'{shown}' stands before '@data' but is no declaration");
            let fix = "put '@data' before the first row, and '%' before a comment";
            return self.lines.refuse(None, problem, fix);
        }
        let fix = match nearest(&shown, known.into_iter()) {
            Some(name) => format!("did you mean '{name}'?"),
            None => format!("a header has only {}; remove the line", known.join(", ")),
        };
        self.lines.refuse(None, format!("'{shown}' is not known"), fix)
    }

    /// The name and type on a line whose keyword ends at `at`.
    fn attribute(&self, at: usize) -> Result<(String, Type)> {
        let text = self.lines.text();
        if std::str::from_utf8(text).is_err() {
            let fix = "convert the file to UTF-8, for instance with iconv";
            return Err(self.lines.refuse(None, "the declaration is not valid UTF-8", fix));
        }
        let mut name = Vec::new();
        let (_, at) = token(text, at, |b| blank(b) || b == b'{', &mut name)
            .map_err(|slip| self.lines.slip(slip, None))?;
        let name = utf8(&name);
        if name.is_empty() {
            let fix = "write '@attribute name type'";
            return Err(self.lines.refuse(None, "an attribute without a name", fix));
        }
        let mut at = skip_blanks(text, at);
        let kind = if text.get(at) == Some(&b'{') {
            Type::Nominal(self.levels(&name, &mut at)?)
        } else {
            self.plain_type(&name, &mut at)?
        };
        at = skip_blanks(text, at);
        if !at_end(text, after_extras(text, at)) {
            let rest = shown(&text[at..]);
            let problem = format!("'{rest}' after the type is not understood");
            let fix = "give nothing, a range such as [0,9], or a weight such as {2}";
            return Err(self.lines.refuse(Some(&name), problem, fix));
        }
        Ok((name, kind))
    }

    /// A type given by a word.
    fn plain_type(&self, name: &str, at: &mut usize) -> Result<Type> {
        let mut word = Vec::new();
        let stop = |b| blank(b) || matches!(b, b'[' | b'(' | b'{' | b'%');
        let (_, end) = token(self.lines.text(), *at, stop, &mut word)
            .map_err(|slip| self.lines.slip(slip, Some(name)))?;
        *at = end;
        let refuse = |problem: &str, fix: &str| Err(self.lines.refuse(Some(name), problem, fix));
        match word.to_ascii_lowercase().as_slice() {
            b"numeric" | b"real" | b"integer" => Ok(Type::Numeric),
            b"string" => Ok(Type::Text),
            b"date" => self.date(name, at),
            b"relational" => refuse(
                "relational attributes are not supported",
                "remove the attribute or turn its parts into attributes of their own",
            ),
            b"" => refuse("the attribute has no type", "add numeric, string or {level, ...}"),
            other => {
                let other = shown(other);
                let known = ["numeric", "real", "integer", "string"];
                let fix = match nearest(&other, known.into_iter()) {
                    Some(near) => format!("did you mean '{near}'?"),
                    None => "use numeric, string or {level, ...}".to_string(),
                };
                refuse(&format!("the type '{other}' is not known"), &fix)
            }
        }
    }

    /// The pattern of a date attribute, from `at` to beyond it.
    fn date(&self, name: &str, at: &mut usize) -> Result<Type> {
        let mut pattern = Vec::new();
        let (_, end) = token(self.lines.text(), *at, |b| b == b'{', &mut pattern)
            .map_err(|slip| self.lines.slip(slip, Some(name)))?;
        *at = end;
        let pattern = if pattern.is_empty() { ISO.to_string() } else { utf8(&pattern) };
        DatePattern::new(&pattern).map(Type::Date).map_err(|problem| {
            let fix = "write the pattern with yyyy, MM, dd, HH, mm and ss, or declare a string";
            self.lines.refuse(Some(name), format!("'{pattern}': {problem}"), fix)
        })
    }

    /// The levels of a nominal attribute, from the opening brace at `at` to beyond the closing one.
    fn levels(&self, name: &str, at: &mut usize) -> Result<Levels> {
        let text = self.lines.text();
        let refuse = |problem: String, fix: &str| Err(self.lines.refuse(Some(name), problem, fix));
        let mut levels = Levels::default();
        // Blanks separate levels where no comma does.
        let blanks = !has_comma(&text[*at..]);
        loop {
            let mut level = Vec::new();
            let stop = |b| b == b',' || b == b'}' || (blanks && blank(b));
            let (quoted, end) = token(text, *at + 1, stop, &mut level)
                .map_err(|slip| self.lines.slip(slip, Some(name)))?;
            *at = end;
            let level = utf8(&level);
            if level.is_empty() {
                let problem = "a level is empty, or none is declared".to_string();
                return refuse(problem, "name it, here and in the rows, or remove the attribute");
            }
            if !quoted && level.bytes().any(blank) {
                let problem = format!("the level '{level}' has a blank in it but no quotes");
                return refuse(problem, "put it in quotes, or a comma between two levels");
            }
            if !levels.push(level) {
                let twice = levels.names.last().map_or("", String::as_str);
                return refuse(format!("the level '{twice}' is declared twice"), "remove one");
            }
            let next = skip_blanks(text, *at);
            match text.get(next) {
                Some(b',') => *at = next,
                Some(b'}') => {
                    *at = next;
                    break;
                }
                Some(_) if blanks => *at = next - 1,
                _ => return refuse("the levels have no closing brace".into(), "close them with }"),
            }
        }
        *at += 1;
        levels.index();
        Ok(levels)
    }
}

impl Records for ArffReader {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn declared(&self) -> Vec<Declared> {
        let declared = |kind: &Type| match kind {
            Type::Nominal(l) => Declared::Kind(Kind::Discrete { levels: l.names.clone() }),
            Type::Numeric | Type::Date(_) => Declared::Kind(Kind::Continuous),
            Type::Text => Declared::Discrete,
        };
        self.types.iter().map(declared).collect()
    }

    fn missing(&self) -> &[&str] {
        &[""]
    }

    fn read(&mut self, rows: &mut RawRows, limit: usize) -> Result<()> {
        rows.clear();
        rows.width = self.types.len();
        while rows.len() < limit && rows.bytes.len() < MAX_BYTES && self.lines.advance()? {
            if !at_end(self.lines.text(), 0) {
                self.row(rows)?;
            }
        }
        Ok(())
    }
}

/// What an attribute is declared to be.
enum Type {
    Nominal(Levels),
    Numeric,
    Date(DatePattern),
    Text,
}

/// Beyond a range of numbers and the weight of an attribute, which say nothing about a row.
fn after_extras(text: &[u8], at: usize) -> usize {
    let mut at = at;
    for (open, close) in [(&b"[("[..], &b"])"[..]), (b"{", b"}")] {
        let length = text[at..].iter().position(|b| close.contains(b));
        if let (true, Some(length)) = (text.get(at).is_some_and(|b| open.contains(b)), length) {
            let inside = String::from_utf8_lossy(&text[at + 1..at + length]);
            if !inside.split(',').all(|n| n.trim().parse::<f64>().is_ok()) {
                return at;
            }
            at = skip_blanks(text, at + length + 1);
        }
    }
    at
}
