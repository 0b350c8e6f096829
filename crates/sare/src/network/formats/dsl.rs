//! DSL, the older text form of GeNIe and SMILE: blocks of `KEY = value;` inside each other, `node`s among them, with
//! their `PARENTS` and, in `DEFINITION`, `NAMESTATES` and `PROBABILITIES`: the last parent changes fastest among the
//! parents, the child fastest of all.

use super::ReadNetwork;
use super::draft::{Definition, Draft, Node};
use super::report::{Report, blame};
use super::scan::{Scanner, Style, Token, shortened};
use super::tables::Entries;
use crate::error::Result;

const STYLE: Style = Style { marks: b"{}()=;,", slashes: true, percent: false };

/// A node while its block is read.
#[derive(Default)]
struct Open {
    name: String,
    line: u64,
    levels: Vec<String>,
    parents: Vec<String>,
    values: Vec<f64>,
}

/// Sections that hold nothing about probabilities, in the network and in a node.
const KNOWN: [&str; 8] = [
    "HEADER",
    "CREATION",
    "SCREEN",
    "WINDOWPOSITION",
    "USER_PROPERTIES",
    "DOCUMENTATION",
    "OBSERVATION_COST",
    "EXTRA_DEFINITION",
];

/// Sections that were left out because their meaning is not known.
#[derive(Default)]
struct Unknown {
    count: usize,
    /// The name and line of the first.
    first: Option<(String, u64)>,
}

impl Unknown {
    /// Skips what follows a key: a value, or a section.
    fn skip(&mut self, scanner: &mut Scanner<'_>, key: &str) -> Result<()> {
        let line = scanner.line;
        scanner.expect(b'=', &format!("after '{key}'"))?;
        if scanner.peek()? != Token::Mark(b'{') {
            return scanner.value().map(drop);
        }
        if !KNOWN.iter().any(|known| known.eq_ignore_ascii_case(key)) {
            self.count += 1;
            self.first.get_or_insert_with(|| (shortened(key), line));
        }
        scanner.skip_block()
    }

    fn note(self) -> Option<String> {
        let (key, line) = self.first?;
        let what = if self.count == 1 { "unknown section was" } else { "unknown sections were" };
        Some(format!("{} {what} left out (the first: {key}, line {line})", self.count))
    }
}

/// Reads a DSL file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let mut scanner = Scanner::new(text, STYLE, report);
    let mut draft = Draft::new(report);
    let mut unknown = Unknown::default();
    let start = scanner.next()?;
    if !start.is_word("net") {
        return Err(scanner.unexpected(&start, "'net'"));
    }
    while let Token::Word(_) | Token::Text(_) = scanner.peek()? {
        scanner.next()?;
    }
    scanner.expect(b'{', "after the network's name")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => break,
            Token::Mark(b';') => {}
            token if token.is_word("node") => {
                let name = scanner.expect_name("a node's name")?.into_owned();
                let mut open = Open { name, line: scanner.line, ..Open::default() };
                let body = node(&mut scanner, &mut open, &mut unknown);
                blame(&open.name, body)?;
                add(&mut draft, open);
            }
            Token::Word(key) => unknown.skip(&mut scanner, key)?,
            other => return Err(scanner.unexpected(&other, "'node', a key or '}'")),
        }
    }
    draft.notes.extend(unknown.note());
    draft.finish()
}

fn node(scanner: &mut Scanner<'_>, open: &mut Open, unknown: &mut Unknown) -> Result<()> {
    scanner.expect(b'{', "after the node's name")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => return Ok(()),
            Token::Mark(b';') => {}
            token if token.is_word("TYPE") => check_type(scanner)?,
            token if token.is_word("PARENTS") => open.parents = names(scanner)?,
            token if token.is_word("DEFINITION") => definition(scanner, open, unknown)?,
            Token::Word(key) => unknown.skip(scanner, key)?,
            other => return Err(scanner.unexpected(&other, "a key or '}'")),
        }
    }
}

fn definition(scanner: &mut Scanner<'_>, open: &mut Open, unknown: &mut Unknown) -> Result<()> {
    scanner.expect(b'=', "after 'DEFINITION'")?;
    scanner.expect(b'{', "before a definition")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => return Ok(()),
            Token::Mark(b';') => {}
            token if token.is_word("NAMESTATES") => open.levels = names(scanner)?,
            token if token.is_word("PROBABILITIES") => {
                scanner.expect(b'=', "after 'PROBABILITIES'")?;
                open.values = scanner.numbers()?;
            }
            Token::Word(key) => unknown.skip(scanner, key)?,
            other => return Err(scanner.unexpected(&other, "a key or '}'")),
        }
    }
}

fn check_type(scanner: &mut Scanner<'_>) -> Result<()> {
    scanner.expect(b'=', "after 'TYPE'")?;
    let value = scanner.value()?;
    match value.first() {
        Some(kind) if kind.is_word("CPT") => Ok(()),
        other => {
            let kind = other.map_or("nothing".into(), Token::shown);
            let problem = format!("it is a node of the type {kind}");
            let fix = "only CPT nodes can be read: change its type in GeNIe first";
            Err(scanner.report.error(scanner.line, problem, fix))
        }
    }
}

/// The names of a list in parentheses.
fn names(scanner: &mut Scanner<'_>) -> Result<Vec<String>> {
    scanner.expect(b'=', "before a list")?;
    let names = scanner.value()?.into_iter().filter_map(Token::name);
    Ok(names.map(|n| n.into_owned()).collect())
}

fn add(draft: &mut Draft<'_>, open: Open) {
    let Open { name, line, levels, parents, values } = open;
    let entries = Entries::ChildFastest(values);
    draft.nodes.push(Node::new(name.clone(), line, levels));
    draft.definitions.push(Definition { node: name, line, parents, entries });
}
