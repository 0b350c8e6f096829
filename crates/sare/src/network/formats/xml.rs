//! As much XML as network files need: elements with attributes and text, in a tree. Declarations, comments, processing
//! instructions and document types are skipped; nothing outside the file is ever looked at.

#[cfg(test)]
mod tests;

use super::report::Report;
use super::scan::shortened;
use crate::error::{Error, Result};

/// Elements inside each other: more than any network file has, few enough for the stack.
const DEEPEST: usize = 64;

/// An element.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub name: &'a str,
    pub line: u64,
    attributes: Vec<(&'a str, &'a str)>,
    /// Its own text as it stands in the file, with references.
    raw: String,
    pub children: Vec<Element<'a>>,
}

impl<'a> Element<'a> {
    /// Whether it has this name, in any case.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The children of this name.
    pub fn all(&self, name: &'a str) -> impl Iterator<Item = &Element<'a>> {
        self.children.iter().filter(move |c| c.is(name))
    }

    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Element<'a>> {
        self.children.iter().find(|c| c.is(name))
    }

    /// The child of this name; fails if there is more than one.
    pub fn only(&self, name: &'a str, report: Report<'_>) -> Result<Option<&Element<'a>>> {
        let mut all = self.all(name);
        let first = all.next();
        match all.next() {
            None => Ok(first),
            Some(second) => {
                let problem = format!("<{}> has more than one <{name}>", self.name);
                Err(report.error(second.line, problem, "leave one"))
            }
        }
    }

    /// Its own text, without the blanks around it unless they are written as references.
    pub fn text(&self, report: Report<'_>) -> Result<String> {
        decoded(report, self.line, self.raw.trim_ascii())
    }

    /// An attribute's value.
    pub fn attribute(&self, name: &str, report: Report<'_>) -> Result<Option<String>> {
        let found = self.attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| decoded(report, self.line, value)).transpose()
    }
}

/// A text with its references resolved.
fn decoded(report: Report<'_>, line: u64, raw: &str) -> Result<String> {
    let mut out = String::with_capacity(raw.len());
    let mut parts = raw.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let resolved = part.split_once(';').and_then(|(name, rest)| Some((reference(name)?, rest)));
        let Some((c, rest)) = resolved else {
            let problem = format!("'&{}' is no reference", shortened(part));
            return Err(report.error(line, problem, "write &amp; for &"));
        };
        out.push(c);
        out.push_str(rest);
    }
    Ok(out)
}

fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// A text as the content of an element or attribute: it reads back the same, blanks at its ends included.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let edge = text.len() - text.trim_start().len()..text.trim_end().len();
    for (at, c) in text.char_indices() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", c as u32)),
            c if c.is_whitespace() && !edge.contains(&at) => {
                out.push_str(&format!("&#{};", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether XML 1.0 can hold a text at all.
pub(super) fn can_hold(text: &str) -> bool {
    let control = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r');
    !text.chars().any(|c| control(c) || matches!(c, '\u{fffe}' | '\u{ffff}'))
}

/// Reads a file and returns its outermost element.
pub(super) fn parse<'a>(report: Report<'a>, text: &'a str) -> Result<Element<'a>> {
    let mut reader = Reader { text, at: 0, line: 1, report };
    let mut open: Vec<Element<'a>> = Vec::new();
    loop {
        let (before, found) = reader.until("<");
        if let Some(element) = open.last_mut() {
            element.raw.push_str(before);
        }
        if !found {
            return Err(reader.cut_off(open.last()));
        }
        let line = reader.line;
        if reader.skip("!--") {
            reader.require("-->", "a comment")?;
        } else if reader.skip("![CDATA[") {
            let inside = reader.require("]]>", "a CDATA section")?;
            if let Some(element) = open.last_mut() {
                // Escaped, because the text is resolved as a whole later.
                element.raw.push_str(&inside.replace('&', "&amp;"));
            }
        } else if reader.skip("?") {
            reader.require("?>", "a processing instruction")?;
        } else if reader.skip("!") {
            reader.declaration()?;
        } else if reader.skip("/") {
            let name = reader.require(">", "a tag")?.trim_ascii();
            let Some(element) = open.pop().filter(|e| e.name == name) else {
                let problem = format!("</{}> closes nothing that is open", shortened(name));
                return Err(report.error(line, problem, "correct the tags"));
            };
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        } else {
            let (element, closed) = reader.tag(line)?;
            if !closed {
                if open.len() == DEEPEST {
                    let problem = format!("more than {DEEPEST} elements are inside each other");
                    return Err(report.error(line, problem, "give a file with a network"));
                }
                open.push(element);
                continue;
            }
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    report: Report<'a>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, count: usize) -> &'a str {
        let passed = &self.rest()[..count];
        self.line += passed.bytes().filter(|&b| b == b'\n').count() as u64;
        self.at += count;
        passed
    }

    /// What stands before a mark, and whether the mark is there; both are passed.
    fn until(&mut self, mark: &str) -> (&'a str, bool) {
        match self.rest().find(mark) {
            Some(length) => {
                let before = self.advance(length);
                self.at += mark.len();
                (before, true)
            }
            None => (self.advance(self.rest().len()), false),
        }
    }

    fn require(&mut self, mark: &str, what: &str) -> Result<&'a str> {
        let line = self.line;
        match self.until(mark) {
            (before, true) => Ok(before),
            _ => {
                let problem = format!("{what} is not closed");
                Err(self.report.error(line, problem, format!("end it with {mark}")))
            }
        }
    }

    fn skip(&mut self, start: &str) -> bool {
        let found = self.rest().starts_with(start);
        self.at += if found { start.len() } else { 0 };
        found
    }

    fn cut_off(&self, open: Option<&Element<'_>>) -> Error {
        match open {
            Some(element) => {
                let problem = format!("<{}> is not closed", element.name);
                self.report.error(element.line, problem, "the file is cut off: copy it again")
            }
            None => self.report.error(self.line, "there is no element", "give an XML file"),
        }
    }

    /// Passes a document type, which may hold declarations of its own in brackets.
    fn declaration(&mut self) -> Result<()> {
        let line = self.line;
        let mut depth = 1usize;
        while depth > 0 {
            let Some(at) = self.rest().find(['<', '>', '"', '\'']) else {
                let problem = "a declaration is not closed";
                return Err(self.report.error(line, problem, "end it with >"));
            };
            self.advance(at);
            if self.skip("<!--") {
                self.require("-->", "a comment")?;
                continue;
            }
            match self.advance(1) {
                "<" => depth += 1,
                ">" => depth -= 1,
                quote => {
                    self.require(quote, "a quoted text")?;
                }
            }
        }
        Ok(())
    }

    /// A tag after its `<`, and whether it is closed at once.
    fn tag(&mut self, line: u64) -> Result<(Element<'a>, bool)> {
        let name = self.name();
        let bad = |reader: &Self, problem: &str| {
            reader.report.error(line, problem, "write <name attribute=\"value\">")
        };
        if name.is_empty() {
            return Err(bad(self, "a tag has no name"));
        }
        let mut attributes = Vec::new();
        loop {
            self.blanks();
            if self.skip("/>") || self.skip(">") {
                let closed = self.text[..self.at].ends_with("/>");
                let element =
                    Element { name, line, attributes, raw: String::new(), children: Vec::new() };
                return Ok((element, closed));
            }
            let attribute = self.name();
            self.blanks();
            if attribute.is_empty() || !self.skip("=") {
                return Err(bad(self, &format!("the tag <{}> is damaged", shortened(name))));
            }
            self.blanks();
            let quote = if self.skip("\"") {
                "\""
            } else if self.skip("'") {
                "'"
            } else {
                return Err(bad(self, &format!("the value of '{attribute}' has no quotes")));
            };
            attributes.push((attribute, self.require(quote, "an attribute's value")?));
        }
    }

    fn name(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || "<>/=\"'".contains(c);
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        self.advance(length)
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.advance(rest.len() - rest.trim_ascii_start().len());
    }
}
