//! NET, Hugin's text form: `node` blocks with quoted states and `potential` blocks whose data are nested in parentheses,
//! the last parent changing fastest among the parents, the child fastest of all. `%` starts a comment.

use super::draft::{Definition, Draft, Node};
use super::names::{LEVELS, NAME, Names, Rules, cleaned, coded, coded_list, is_identifier};
use super::report::{Report, blame};
use super::scan::{Scanner, Style, Token};
use super::tables::Entries;
use super::{Configurations, ReadNetwork};
use crate::error::Result;
use crate::network::Network;
use std::io::{self, Write};

const STYLE: Style = Style { marks: b"{}()=;,|", slashes: false, percent: true };

/// Nodes that are no discrete chance nodes.
const OTHER_NODES: [&str; 7] =
    ["continuous", "decision", "utility", "function", "instance", "temporal", "interval"];

/// Reads a NET file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let mut scanner = Scanner::new(text, STYLE, report);
    let mut draft = Draft { any_sum: true, ..Draft::new(report) };
    let mut uniform = Vec::new();
    let mut open = 0usize;
    loop {
        let token = scanner.next()?;
        let Token::Word(word) = token else {
            match token {
                Token::End if open == 0 => break,
                Token::Mark(b'}') if open > 0 => open -= 1,
                Token::Mark(b';') => {}
                other => return Err(scanner.unexpected(&other, "'node', 'potential' or '}'")),
            }
            continue;
        };
        match word {
            "net" | "class" => {
                while let Token::Word(_) = scanner.peek()? {
                    scanner.next()?;
                }
                scanner.expect(b'{', &format!("after '{word}'"))?;
                open += 1;
            }
            "discrete" | "chance" => {}
            "node" => draft.nodes.push(node(&mut scanner)?),
            "potential" => potential(&mut scanner, &mut draft, &mut uniform)?,
            _ if scanner.peek()? == Token::Mark(b'=') => {
                scanner.next()?;
                scanner.value()?;
            }
            _ if OTHER_NODES.contains(&word) => {
                let problem = format!("there is a {word} node");
                let fix = "only networks of discrete chance nodes can be read";
                return Err(report.error(scanner.line, problem, fix));
            }
            _ => return Err(scanner.unexpected(&token, "'node', 'potential' or an attribute")),
        }
    }
    if let Some(first) = uniform.first() {
        let what = if uniform.len() == 1 { "potential has" } else { "potentials have" };
        let note = format!("{} {what} no data: uniform (the first: '{first}')", uniform.len());
        draft.notes.push(note);
    }
    draft.finish()
}

fn node(scanner: &mut Scanner<'_>) -> Result<Node> {
    let line = scanner.line;
    let name = scanner.expect_name("a node's name")?.into_owned();
    let mut node = Node::new(name, line, Vec::new());
    let body = node_body(scanner, &mut node);
    blame(&node.name, body)?;
    Ok(node)
}

fn node_body(scanner: &mut Scanner<'_>, node: &mut Node) -> Result<()> {
    scanner.expect(b'{', "after the node's name")?;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => return Ok(()),
            Token::Word(key) => {
                let line = scanner.line;
                scanner.expect(b'=', &format!("after '{key}'"))?;
                let mut names = scanner.value()?.into_iter().filter_map(Token::name);
                match key {
                    "states" => node.levels = names.map(|n| n.into_owned()).collect(),
                    _ => {
                        let text = names.next().unwrap_or_default();
                        node.keep(scanner.report, line, key, &text)?;
                    }
                }
            }
            other => return Err(scanner.unexpected(&other, "an attribute or '}'")),
        }
    }
}

/// Reads a potential; the node of one without data joins `uniform`.
fn potential<'a>(
    scanner: &mut Scanner<'a>,
    draft: &mut Draft<'a>,
    uniform: &mut Vec<String>,
) -> Result<()> {
    let line = scanner.line;
    scanner.expect(b'(', "after 'potential'")?;
    let (mut children, mut parents) = (Vec::new(), Vec::new());
    let mut bar = false;
    loop {
        match scanner.next()? {
            Token::Mark(b')') => break,
            Token::Mark(b'|') if !bar => bar = true,
            token @ (Token::Word(_) | Token::Text(_)) => {
                let side = if bar { &mut parents } else { &mut children };
                side.extend(token.name().map(|n| n.into_owned()));
            }
            other => return Err(scanner.unexpected(&other, "a node's name or ')'")),
        }
    }
    if children.len() != 1 {
        let problem = format!("a potential has {} nodes before the bar", children.len());
        let fix = "only tables of one node given its parents can be read";
        return Err(scanner.report.error(line, problem, fix));
    }
    let node = children.remove(0);
    let data = blame(&node, potential_body(scanner))?;
    let entries = match data {
        Some(values) => Entries::ChildFastest(values),
        None => {
            uniform.push(node.clone());
            Entries::Uniform
        }
    };
    draft.definitions.push(Definition { node, line, parents, entries });
    Ok(())
}

/// The data of a potential.
fn potential_body(scanner: &mut Scanner<'_>) -> Result<Option<Vec<f64>>> {
    scanner.expect(b'{', "after the nodes of a potential")?;
    let mut data = None;
    let mut formula = None;
    loop {
        match scanner.next()? {
            Token::Mark(b'}') => break,
            Token::Word(key) => {
                scanner.expect(b'=', &format!("after '{key}'"))?;
                match key {
                    "data" => data = Some(scanner.numbers()?),
                    _ => {
                        formula = (key == "model_data").then_some(scanner.line).or(formula);
                        scanner.value()?;
                    }
                }
            }
            other => return Err(scanner.unexpected(&other, "an attribute or '}'")),
        }
    }
    match formula {
        Some(line) if data.is_none() => {
            let problem = "its table is given by a formula";
            Err(scanner.report.error(line, problem, "save the file with the table's data"))
        }
        _ => Ok(data),
    }
}

/// Words that mean something in NET.
const KEYWORDS: [&str; 12] = [
    "net",
    "class",
    "node",
    "potential",
    "discrete",
    "chance",
    "continuous",
    "decision",
    "utility",
    "function",
    "instance",
    "data",
];

fn is_plain(name: &str) -> bool {
    is_identifier(name, "")
        && !KEYWORDS.contains(&name)
        && !OTHER_NODES.contains(&name)
        && !["states", "label"].contains(&name)
}

/// Whether other tools read this text between quotes as it is.
fn is_plain_level(name: &str) -> bool {
    let plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\';
    !name.is_empty() && name.bytes().all(plain)
}

/// The rules for names.
pub(super) const RULES: Rules = Rules { node: is_plain, level: is_plain_level, clean: cleaned };

/// Writes a network as NET.
pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let names = Names::new(network, &RULES);
    writeln!(out, "net\n{{\n}}")?;
    for (variable, node, levels) in names.of(network) {
        writeln!(out, "\nnode {node}\n{{\n  states = (\"{}\");", levels.join("\" \""))?;
        if *node != variable.name {
            // What Hugin shows; the exact name is below, because tools differ in how quotes are escaped.
            let shown = |c: char| if c.is_control() || "\"\\".contains(c) { '_' } else { c };
            writeln!(
                out,
                "  label = \"{}\";",
                variable.name.chars().map(shown).collect::<String>()
            )?;
            writeln!(out, "  {NAME} = \"{}\";", coded(&variable.name))?;
        }
        if levels != variable.levels {
            writeln!(out, "  {LEVELS} = \"{}\";", coded_list(&variable.levels))?;
        }
        writeln!(out, "}}")?;
    }
    for (v, node) in names.nodes.iter().enumerate() {
        let parents: Vec<usize> = network.dag().parents(v).collect();
        let given: Vec<&str> = parents.iter().map(|&p| names.nodes[p].as_str()).collect();
        let bar = if given.is_empty() { "" } else { " | " };
        write!(out, "\npotential ({node}{bar}{})\n{{\n  data = ", given.join(" "))?;
        let mut configurations = Configurations::new(network, &parents);
        for row in network.table(v).chunks_exact(network.states(v)) {
            let values: Vec<String> = row.iter().map(|p| format!("{p:?}")).collect();
            // A parenthesis for the row and one for each parent that is at its first state with all that follow it.
            write!(out, "{}{}", "(".repeat(1 + configurations.opened()), values.join(" "))?;
            let closed = configurations.advance();
            write!(out, "){}", ")".repeat(closed))?;
            if closed < parents.len() {
                write!(out, "\n          ")?;
            }
        }
        writeln!(out, ";\n}}")?;
    }
    Ok(())
}
