//! DSL, the older text form of GeNIe and SMILE: blocks of `KEY = value;` inside each other, `node`s among them, with
//! their `PARENTS` and, in `DEFINITION`, `NAMESTATES` and `PROBABILITIES`: the last parent changes fastest among the
//! parents, the child fastest of all.

use super::ReadNetwork;
use super::draft::{Definition, Draft, Node};
use super::report::{Report, blame};
use super::scan::{Scanner, Style, Token};
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

/// Reads a DSL file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let mut scanner = Scanner::new(text, STYLE, report);
    let mut draft = Draft::new(report);
    let start = scanner.next()?;
    if !start.is_word("net") {
        return Err(scanner.unexpected(&start, "'net'"));
    }
    while let Token::Word(_) | Token::Text(_) = scanner.peek()? {
        scanner.next()?;
    }
    scanner.expect(b'{', "after the network's name")?;
    // How many blocks are open beside the network: those of no interest are only counted.
    let mut depth = 0usize;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') if depth == 0 => return draft.finish(),
            Token::Mark(b'}') => depth -= 1,
            Token::Mark(b';') => {}
            token if depth == 0 && token.is_word("node") => {
                let name = scanner.expect_name("a node's name")?.into_owned();
                let mut open = Open { name, line: scanner.line, ..Open::default() };
                let body = node(&mut scanner, &mut open);
                blame(&open.name, body)?;
                add(&mut draft, open);
            }
            Token::Word(key) => depth += usize::from(opens_block(&mut scanner, key)?),
            other => return Err(scanner.unexpected(&other, "'node', a key or '}'")),
        }
    }
}

/// Passes `= value ;`, or says that a block begins.
fn opens_block(scanner: &mut Scanner<'_>, key: &str) -> Result<bool> {
    scanner.expect(b'=', &format!("after '{key}'"))?;
    if scanner.peek()? == Token::Mark(b'{') {
        scanner.next()?;
        return Ok(true);
    }
    scanner.value()?;
    Ok(false)
}

fn node(scanner: &mut Scanner<'_>, open: &mut Open) -> Result<()> {
    scanner.expect(b'{', "after the node's name")?;
    let mut depth = 0usize;
    let mut in_definition = false;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') if depth == 0 => return Ok(()),
            Token::Mark(b'}') => depth -= 1,
            Token::Mark(b';') => {}
            Token::Word(key) => {
                in_definition &= depth > 0;
                match (depth, key.to_ascii_uppercase().as_str()) {
                    (0, "TYPE") => check_type(scanner)?,
                    (0, "PARENTS") => open.parents = names(scanner)?,
                    (1, "NAMESTATES") if in_definition => open.levels = names(scanner)?,
                    (1, "PROBABILITIES") if in_definition => {
                        scanner.expect(b'=', "after 'PROBABILITIES'")?;
                        open.values = scanner.numbers()?;
                    }
                    (_, upper) if opens_block(scanner, key)? => {
                        in_definition |= depth == 0 && upper == "DEFINITION";
                        depth += 1;
                    }
                    _ => {}
                }
            }
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
