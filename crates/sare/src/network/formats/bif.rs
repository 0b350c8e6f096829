//! BIF, the interchange format 0.15: `variable` blocks with their states and `probability` blocks with rows by the
//! parents' states, a `table`, or a `default`. Commas and bars only separate. In a `table` the child changes slowest.

mod write;

pub(super) use write::{RULES, write};

use super::ReadNetwork;
use super::draft::{Definition, Draft, Node};
use super::report::{Report, blame};
use super::scan::{Scanner, Style, Token};
use super::tables::{Entries, Row};
use crate::error::Result;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

const STYLE: Style = Style { marks: b"{}()[],;|", slashes: true, percent: false };

/// Words between commas or bars: whether blanks separate too is known only once their number is.
#[derive(Default)]
struct Groups<'a> {
    words: Vec<Cow<'a, str>>,
    /// Where each group ends.
    ends: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn close(&mut self) {
        if self.words.len() > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.words.len());
        }
    }

    fn groups(&self) -> impl Iterator<Item = &[Cow<'a, str>]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.words[start..end])
    }

    /// This many names: the words, or else what the commas separate.
    fn resolve(self, count: usize) -> Option<Vec<Cow<'a, str>>> {
        if self.words.len() == count {
            return Some(self.words);
        }
        let joined = || self.groups().map(|g| Cow::Owned(g.join(" "))).collect();
        (self.ends.len() == count).then(joined)
    }
}

/// A probability block whose names are not yet looked up.
struct Pending<'a> {
    line: u64,
    names: Groups<'a>,
    rows: Vec<(u64, Groups<'a>, Vec<f64>)>,
    table: Option<Vec<f64>>,
    default: Option<Vec<f64>>,
}

/// Reads a BIF file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let mut scanner = Scanner::new(text, STYLE, report);
    let mut draft = Draft::new(report);
    let mut pending = Vec::new();
    loop {
        match scanner.next()? {
            Token::End => break,
            Token::Mark(b';') => {}
            token if token.is_word("network") => network(&mut scanner)?,
            token if token.is_word("variable") => draft.nodes.push(variable(&mut scanner)?),
            token if token.is_word("probability") => pending.push(probability(&mut scanner)?),
            token if token.is_word("property") => drop(scanner.value()?),
            other => {
                let wanted = "'network', 'variable' or 'probability'";
                return Err(scanner.unexpected(&other, wanted));
            }
        }
    }
    let known: FxHashSet<String> = draft.nodes.iter().map(|n| n.name.clone()).collect();
    for block in pending {
        draft.definitions.push(definition(report, block, &known)?);
    }
    draft.finish()
}

/// Passes the network block, of which nothing is needed.
fn network(scanner: &mut Scanner<'_>) -> Result<()> {
    while let Token::Word(_) | Token::Text(_) = scanner.peek()? {
        scanner.next()?;
    }
    scanner.expect(b'{', "after the network's name")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => return Ok(()),
            token if token.is_word("property") => drop(scanner.value()?),
            other => return Err(scanner.unexpected(&other, "'property' or '}'")),
        }
    }
}

fn variable(scanner: &mut Scanner<'_>) -> Result<Node> {
    let line = scanner.line;
    let mut words = vec![scanner.expect_name("a variable's name")?];
    while let Some(word) = scanner.peek()?.name() {
        scanner.next()?;
        words.push(word);
    }
    let mut node = Node::new(words.join(" "), line, Vec::new());
    let body = variable_body(scanner, &mut node);
    blame(&node.name, body)?;
    Ok(node)
}

fn variable_body(scanner: &mut Scanner<'_>, node: &mut Node) -> Result<()> {
    scanner.expect(b'{', "after the variable's name")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => return Ok(()),
            token if token.is_word("property") => property(scanner, node)?,
            token if token.is_word("type") => node.levels = states(scanner)?,
            other => return Err(scanner.unexpected(&other, "'type', 'property' or '}'")),
        }
    }
}

/// The states after `type`.
fn states(scanner: &mut Scanner<'_>) -> Result<Vec<String>> {
    let kind = scanner.next()?;
    if !kind.is_word("discrete") {
        let problem = format!("its type is {}", kind.shown());
        let fix = "only networks of discrete variables can be read";
        return Err(scanner.report.error(scanner.line, problem, fix));
    }
    scanner.expect(b'[', "before the number of states")?;
    let count = scanner.expect_name("the number of states")?;
    let count: usize = count.parse().map_err(|_| {
        let problem = format!("'{count}' is no number of states");
        scanner.report.error(scanner.line, problem, "write a whole number")
    })?;
    scanner.expect(b']', "after the number of states")?;
    scanner.expect(b'{', "before the states")?;
    let names = groups(scanner, b'}')?;
    let given = names.words.len();
    let Some(names) = names.resolve(count) else {
        let problem = format!("it has {given} states instead of {count}");
        return Err(scanner.report.error(scanner.line, problem, "name every state once"));
    };
    scanner.expect(b';', "after the states")?;
    Ok(names.into_iter().map(Cow::into_owned).collect())
}

/// Words up to a closing mark.
fn groups<'a>(scanner: &mut Scanner<'a>, close: u8) -> Result<Groups<'a>> {
    let mut groups = Groups::default();
    loop {
        match scanner.next()? {
            Token::Mark(b',' | b'|') => groups.close(),
            Token::Mark(mark) if mark == close => {
                groups.close();
                return Ok(groups);
            }
            Token::Word(word) => groups.words.push(word.into()),
            Token::Text(text) => groups.words.push(text),
            other => {
                let wanted = format!("a name or '{}'", close as char);
                return Err(scanner.unexpected(&other, &wanted));
            }
        }
    }
}

/// A property of a variable, which may hold names that BIF cannot.
fn property(scanner: &mut Scanner<'_>, node: &mut Node) -> Result<()> {
    let line = scanner.line;
    let mut text = String::new();
    for token in scanner.value()? {
        match token {
            Token::Mark(mark) => text.push(mark as char),
            other => text.extend(other.name()),
        }
    }
    text.retain(|c| !c.is_whitespace());
    match text.split_once('=') {
        Some((key, code)) => node.keep(scanner.report, line, key, code),
        None => Ok(()),
    }
}

fn probability<'a>(scanner: &mut Scanner<'a>) -> Result<Pending<'a>> {
    let line = scanner.line;
    scanner.expect(b'(', "after 'probability'")?;
    let names = groups(scanner, b')')?;
    let mut block = Pending { line, names, rows: Vec::new(), table: None, default: None };
    let name = block.names.words.first().map(|n| n.to_string()).unwrap_or_default();
    blame(&name, probability_body(scanner, &mut block))?;
    Ok(block)
}

fn probability_body<'a>(scanner: &mut Scanner<'a>, block: &mut Pending<'a>) -> Result<()> {
    scanner.expect(b'{', "after the names")?;
    loop {
        let token = scanner.next()?;
        let line = scanner.line;
        match token {
            Token::Mark(b'}') => return Ok(()),
            Token::Mark(b'(') => {
                let states = groups(scanner, b')')?;
                block.rows.push((line, states, scanner.numbers()?));
            }
            token if token.is_word("property") => drop(scanner.value()?),
            token if token.is_word("table") && block.table.is_none() => {
                block.table = Some(scanner.numbers()?);
            }
            token if token.is_word("default") && block.default.is_none() => {
                block.default = Some(scanner.numbers()?);
            }
            other => {
                let wanted = "a row, one 'table', one 'default' or '}'";
                return Err(scanner.unexpected(&other, wanted));
            }
        }
    }
}

/// The block with its names looked up.
fn definition<'a>(
    report: Report<'a>,
    block: Pending<'a>,
    known: &FxHashSet<String>,
) -> Result<Definition<'a>> {
    let mut names: Vec<String> = Vec::new();
    for group in block.names.groups() {
        // Words that are one name only together, or names with only blanks between them.
        let joined = group.join(" ");
        if group.len() == 1 || known.contains(&joined) {
            names.push(joined);
        } else {
            names.extend(group.iter().map(|w| w.to_string()));
        }
    }
    let mut names = names.into_iter();
    let Some(node) = names.next() else {
        return Err(report.error(block.line, "a probability block names no variable", "name it"));
    };
    let parents: Vec<String> = names.collect();
    let entries = match block.table {
        Some(_) if !block.rows.is_empty() || block.default.is_some() => {
            let problem = "it has a table beside rows or a default";
            return Err(report.node(block.line, &node, problem, "give one or the other"));
        }
        Some(table) => Entries::ChildSlowest(table),
        None => {
            let mut rows = Vec::with_capacity(block.rows.len());
            for (line, states, values) in block.rows {
                let given = states.words.len();
                let Some(states) = states.resolve(parents.len()) else {
                    let problem =
                        format!("a row names {given} states for {} parents", parents.len());
                    return Err(report.node(line, &node, problem, "name one state a parent"));
                };
                rows.push(Row { line, states, values });
            }
            Entries::Rows(rows, block.default)
        }
    };
    Ok(Definition { node, line: block.line, parents, entries })
}
