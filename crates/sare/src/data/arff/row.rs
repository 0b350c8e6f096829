//! One row of an ARFF file: dense or sparse, perhaps with a weight at its end.

use super::text::{Slip, at_end, blank, has_comma, shown, skip_blanks, token};
use super::{ArffReader, Type};
use crate::data::raw::RawRows;
use crate::error::{Error, Result, nearest};
use std::ops::Range;

/// At most this many levels are listed in a message.
const LISTED: usize = 20;

impl ArffReader {
    /// Reads the row on the current line, which is not empty and not a comment.
    pub(super) fn row(&self, rows: &mut RawRows) -> Result<()> {
        let text = self.lines.text();
        let (bytes, spans) = (rows.bytes.len(), rows.spans.len());
        let end = if text.starts_with(b"{") {
            self.sparse(rows)?
        } else {
            match self.dense(rows, |b| b == b',') {
                Err(_) if self.types.len() > 1 && !has_comma(text) => {
                    rows.bytes.truncate(bytes);
                    rows.spans.truncate(spans);
                    self.dense(rows, blank)?
                }
                read => read?,
            }
        };
        rows.end_row(self.lines.number);
        self.weight(end, rows)
    }

    /// Reads one value for each attribute; returns where the last one ends.
    fn dense(&self, rows: &mut RawRows, separates: impl Fn(u8) -> bool) -> Result<usize> {
        let text = self.lines.text();
        let mut at = 0;
        for column in 0..self.types.len() {
            if column > 0 {
                at = skip_blanks(text, at);
                if at_end(text, at) {
                    return Err(self.too_short(column));
                }
                at += usize::from(text[at] == b',');
            }
            at = self.cell(column, at, &separates, rows)?;
        }
        Ok(at)
    }

    fn too_short(&self, found: usize) -> Error {
        let declared = self.types.len();
        let problem = format!("the row has {found} of the {declared} values declared");
        let fix = "separate the values with commas, and write ? for an unknown value";
        self.lines.refuse(None, problem, fix)
    }

    /// Adds the cell that starts at `at`; returns where its separator is, or the end.
    fn cell(
        &self,
        column: usize,
        at: usize,
        separates: impl Fn(u8) -> bool,
        rows: &mut RawRows,
    ) -> Result<usize> {
        let text = self.lines.text();
        let start = rows.bytes.len();
        // After the last value there may be a weight, or a comment without a blank before it.
        let last = column + 1 == self.types.len();
        let found = match last {
            true => token(text, at, |b| separates(b) || b == b'{', &mut rows.bytes),
            false => token(text, at, &separates, &mut rows.bytes),
        };
        let (quoted, end) = match found {
            Err(Slip::Percent) if last && !matches!(self.types[column], Type::Text) => {
                rows.bytes.truncate(start);
                token(text, at, |b| separates(b) || b == b'{' || b == b'%', &mut rows.bytes)
            }
            found => found,
        }
        .and_then(|(quoted, end)| {
            let brace = !quoted && rows.bytes.len() == start && text.get(end) == Some(&b'{');
            if brace { Err(Slip::Brace) } else { Ok((quoted, end)) }
        })
        .map_err(|slip| self.lines.slip(slip, self.names.get(column).map(String::as_str)))?;
        let span = self.value(column, start, quoted, rows)?;
        rows.spans.push((span.start as u32, span.end as u32));
        Ok(end)
    }

    /// Checks the value from `start` to the end of the bytes; returns where the field is.
    fn value(
        &self,
        column: usize,
        start: usize,
        quoted: bool,
        rows: &mut RawRows,
    ) -> Result<Range<usize>> {
        let name = self.names.get(column).map(String::as_str);
        let value = &rows.bytes[start..];
        let kind = &self.types[column];
        if value.is_empty() && !(quoted && matches!(kind, Type::Text)) {
            let fix = "write ? if the value is not known";
            return Err(self.lines.refuse(name, "there is no value", fix));
        }
        if !quoted && value == b"?" {
            rows.bytes.truncate(start);
            return Ok(start..start);
        }
        match kind {
            Type::Nominal(levels) if !levels.contains(value) => {
                return Err(self.no_such_level(name, &levels.names, value));
            }
            Type::Date(pattern) => {
                let days = std::str::from_utf8(value).ok().and_then(|text| pattern.days(text));
                let days = days.ok_or_else(|| {
                    let problem = format!("'{}' is not a date of the declared form", shown(value));
                    self.lines.refuse(name, problem, "correct it, or write ? if it is not known")
                })?;
                rows.bytes.truncate(start);
                rows.bytes.extend_from_slice(days.to_string().as_bytes());
            }
            _ => {}
        }
        Ok(start..rows.bytes.len())
    }

    fn no_such_level(&self, name: Option<&str>, levels: &[String], value: &[u8]) -> Error {
        let value = shown(value);
        let known = levels.iter().map(String::as_str);
        let listed: Vec<&str> = known.clone().take(LISTED).collect();
        let more = match levels.len().saturating_sub(LISTED) {
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

    /// Reads a row of pairs in braces: the number of an attribute, counted from 0, and its value. An attribute without a
    /// pair is 0 or its first level; a string is missing. Returns where the row ends.
    fn sparse(&self, rows: &mut RawRows) -> Result<usize> {
        let text = self.lines.text();
        let mut fields: Vec<Option<Range<usize>>> = vec![None; self.types.len()];
        let mut at = 1;
        loop {
            at = skip_blanks(text, at);
            match text.get(at) {
                Some(b',') => at += 1,
                Some(b'}') => break,
                None | Some(b'%') => {
                    let fix = "close it with }";
                    return Err(self.lines.refuse(None, "the sparse row is not closed", fix));
                }
                Some(_) => {
                    let column = self.attribute_number(&mut at)?;
                    let name = Some(self.names[column].as_str());
                    if fields[column].is_some() {
                        let problem = "the sparse row has two values for it";
                        return Err(self.lines.refuse(name, problem, "remove one"));
                    }
                    let start = rows.bytes.len();
                    let stop = |b| b == b',' || b == b'}' || blank(b);
                    let (quoted, end) = token(text, at, stop, &mut rows.bytes)
                        .map_err(|slip| self.lines.slip(slip, name))?;
                    at = end;
                    fields[column] = Some(self.value(column, start, quoted, rows)?);
                }
            }
        }
        for (field, kind) in fields.into_iter().zip(&self.types) {
            let start = rows.bytes.len();
            let span = field.unwrap_or_else(|| {
                let zero = match kind {
                    Type::Nominal(levels) => levels.names[0].as_bytes(),
                    Type::Numeric | Type::Date(_) => b"0",
                    Type::Text => b"",
                };
                rows.bytes.extend_from_slice(zero);
                start..rows.bytes.len()
            });
            rows.spans.push((span.start as u32, span.end as u32));
        }
        Ok(at + 1)
    }

    /// The attribute number at `at`, which goes beyond it.
    fn attribute_number(&self, at: &mut usize) -> Result<usize> {
        let text = self.lines.text();
        let stop = |&b: &u8| blank(b) || matches!(b, b',' | b'}' | b'%');
        let end = text[*at..].iter().position(stop).map_or(text.len(), |length| *at + length);
        let word = &text[*at..end];
        *at = end;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
        number.filter(|&n| n < self.types.len()).ok_or_else(|| {
            let most = self.types.len() - 1;
            let problem =
                format!("'{}' is not the number of an attribute (0 to {most})", shown(word));
            let fix = "write {number value, number value}, and values with blanks in quotes";
            self.lines.refuse(None, problem, fix)
        })
    }

    /// Reads what follows the values of a row: nothing, or a weight in braces.
    fn weight(&self, at: usize, rows: &mut RawRows) -> Result<()> {
        let text = self.lines.text();
        let mut at = skip_blanks(text, at);
        if at_end(text, at) {
            return Ok(());
        }
        at = skip_blanks(text, at + usize::from(text[at] == b','));
        if text.get(at) != Some(&b'{') {
            let problem = format!("more values than the {} attributes declared", self.types.len());
            let fix =
                "remove what is too much, or put a value with a comma or blank in it in quotes";
            return Err(self.lines.refuse(None, problem, fix));
        }
        let length = text[at..].iter().position(|&b| b == b'}').unwrap_or(text.len() - 1 - at);
        let (inside, rest) = (&text[at + 1..at + length.max(1)], at + length + 1);
        let weight = std::str::from_utf8(inside).ok().and_then(|w| w.trim().parse::<f64>().ok());
        match weight.filter(|w| *w >= 0.0 && w.is_finite()) {
            Some(weight) if at_end(text, skip_blanks(text, rest)) => {
                rows.weigh_last(weight);
                Ok(())
            }
            _ => {
                let problem = format!("'{}' is not a weight", shown(&text[at..]));
                let fix = "end the row, or end it with a number of at least 0 in braces";
                Err(self.lines.refuse(None, problem, fix))
            }
        }
    }
}
