//! ARFF, the text format of Weka: a header that declares the attributes, then dense rows of comma-separated values.
//!
//! An unquoted `?` is a missing cell and becomes an empty field; a quoted one is the text `?`. An empty text in quotes
//! is missing too where the attribute is a string, and refused elsewhere.

mod text;

#[cfg(test)]
mod tests;

use super::raw::{Declared, RawRows, Records};
use super::schema::Kind;
use crate::error::{Error, Result, nearest};
use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use text::{Lines, Slip, at_end, blank, shown, skip_blanks, token, utf8};

/// A read stops early once it holds this many bytes, so that long lines cannot add up to too much.
const MAX_BYTES: usize = 1 << 26;
/// Up to this many levels a scan is faster than a hash.
const SCANNED: usize = 8;
/// At most this many levels are listed in a message.
const LISTED: usize = 20;

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
        if !at_end(text, at) {
            let rest = shown(&text[at..]);
            let problem = format!("'{rest}' after the type is not understood");
            let fix = "remove it (ranges and attribute weights are not supported)";
            return Err(self.lines.refuse(Some(&name), problem, fix));
        }
        Ok((name, kind))
    }

    /// A type given by a word.
    fn plain_type(&self, name: &str, at: &mut usize) -> Result<Type> {
        let mut word = Vec::new();
        let (_, end) = token(self.lines.text(), *at, blank, &mut word)
            .map_err(|slip| self.lines.slip(slip, Some(name)))?;
        *at = end;
        let refuse = |problem: &str, fix: &str| Err(self.lines.refuse(Some(name), problem, fix));
        match word.to_ascii_lowercase().as_slice() {
            b"numeric" | b"real" | b"integer" => Ok(Type::Numeric),
            b"string" => Ok(Type::Text),
            b"date" => refuse(
                "date attributes are not supported",
                "declare it as string, turn the dates into numbers, or remove the attribute",
            ),
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

    /// The levels of a nominal attribute, from the opening brace at `at` to beyond the closing one.
    fn levels(&self, name: &str, at: &mut usize) -> Result<Levels> {
        let text = self.lines.text();
        let refuse = |problem: String, fix: &str| Err(self.lines.refuse(Some(name), problem, fix));
        let mut levels = Levels::default();
        loop {
            let mut level = Vec::new();
            let stop = |b| b == b',' || b == b'}';
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
            match text.get(*at) {
                Some(b',') => {}
                Some(b'}') => break,
                _ => return refuse("the levels have no closing brace".into(), "close them with }"),
            }
        }
        *at += 1;
        levels.index();
        Ok(levels)
    }

    /// Takes the row on the current line apart. The line is not empty and no comment.
    fn row(&self, rows: &mut RawRows) -> Result<()> {
        let text = self.lines.text();
        let mut at = 0;
        for column in 0..self.types.len() {
            if column > 0 {
                if at_end(text, at) {
                    return Err(self.too_short(column));
                }
                at += 1;
            }
            at = self.cell(column, at, rows)?;
        }
        if at_end(text, at) {
            rows.end_row(self.lines.number);
            return Ok(());
        }
        if text.get(skip_blanks(text, at + 1)) == Some(&b'{') {
            return Err(self.lines.brace(at + 1, None));
        }
        let problem = format!("more values than the {} attributes declared", self.types.len());
        let fix = "remove what is too much, or put a value with a comma in it in quotes";
        Err(self.lines.refuse(None, problem, fix))
    }

    fn too_short(&self, found: usize) -> Error {
        let declared = self.types.len();
        let problem = format!("the row has {found} of the {declared} values declared");
        let fix = if found == 1 {
            "separate the values with commas (tabs or blanks alone are not supported)"
        } else {
            "add what is missing, or ? for an unknown value"
        };
        self.lines.refuse(None, problem, fix)
    }

    /// Adds the cell that starts at `at`; returns where the comma after it is, or the end.
    fn cell(&self, column: usize, at: usize, rows: &mut RawRows) -> Result<usize> {
        let text = self.lines.text();
        let name = self.names.get(column).map(String::as_str);
        let start = rows.bytes.len();
        let (quoted, end) = match token(text, at, |b| b == b',', &mut rows.bytes) {
            Ok(found) => found,
            Err(Slip::Brace) => return Err(self.lines.brace(at, name)),
            Err(slip) => return Err(self.lines.slip(slip, name)),
        };
        let value = &rows.bytes[start..];
        let missing = !quoted && value == b"?";
        let kind = &self.types[column];
        if value.is_empty() && !(quoted && matches!(kind, Type::Text)) {
            let fix = "write ? if the value is not known";
            return Err(self.lines.refuse(name, "there is no value", fix));
        }
        if let Type::Nominal(levels) = kind
            && !missing
            && !levels.contains(value)
        {
            return Err(self.no_such_level(name, levels, value));
        }
        if missing {
            rows.bytes.truncate(start);
        }
        rows.spans.push((start as u32, rows.bytes.len() as u32));
        Ok(end)
    }

    fn no_such_level(&self, name: Option<&str>, levels: &Levels, value: &[u8]) -> Error {
        let value = shown(value);
        let known = levels.names.iter().map(String::as_str);
        let listed: Vec<&str> = known.clone().take(LISTED).collect();
        let more = match levels.names.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let problem =
            format!("'{value}' is not among the levels declared ({}{more})", listed.join(", "));
        let fix = match nearest(&value, known) {
            Some(near) => format!("did you mean '{near}'?"),
            None => "correct it or add it to the attribute's levels".to_string(),
        };
        self.lines.refuse(name, problem, fix)
    }
}

impl Records for ArffReader {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn declared(&self) -> Vec<Declared> {
        let declared = |kind: &Type| match kind {
            Type::Nominal(l) => Declared::Kind(Kind::Discrete { levels: l.names.clone() }),
            Type::Numeric => Declared::Kind(Kind::Continuous),
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
    Text,
}

/// The levels of a nominal attribute, so kept that a cell is soon found among them.
#[derive(Default)]
struct Levels {
    names: Vec<String>,
    seen: HashSet<Vec<u8>>,
}

impl Levels {
    /// Adds a level; false if it was there already.
    fn push(&mut self, level: String) -> bool {
        let new = self.seen.insert(level.as_bytes().to_vec());
        self.names.push(level);
        new
    }

    /// To be called after the last level: a short list is searched without the hash.
    fn index(&mut self) {
        if self.names.len() <= SCANNED {
            self.seen = HashSet::new();
        }
    }

    fn contains(&self, value: &[u8]) -> bool {
        if self.seen.is_empty() {
            // Byte by byte: levels are short, and a call to compare them costs more than the comparison.
            let same = |l: &String| l.len() == value.len() && l.bytes().eq(value.iter().copied());
            self.names.iter().any(same)
        } else {
            self.seen.contains(value)
        }
    }
}
