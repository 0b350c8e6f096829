//! Writing BIF, with names that other tools read.

use super::super::Configurations;
use super::super::names::{LEVELS, NAME, cleaned, coded, coded_list, identifiers, is_identifier};
use crate::network::Network;
use std::io::{self, Write};

/// Words that mean something in BIF.
const KEYWORDS: [&str; 8] =
    ["network", "variable", "probability", "property", "type", "discrete", "table", "default"];

/// pgmpy looks for these anywhere, even inside a name or a property, and cannot read a file in which it finds one.
/// Beside each, how it is broken up in an identifier and in a code.
const TRAPS: [[&str; 3]; 2] =
    [["variable", "vari_able", "%76ariable"], ["probability", "proba_bility", "%70robability"]];

/// Whether other tools read this name as it is.
fn is_plain(name: &str) -> bool {
    is_identifier(name, "-")
        && !KEYWORDS.iter().any(|k| k.eq_ignore_ascii_case(name))
        && !TRAPS.iter().any(|[trap, ..]| name.contains(trap))
}

/// What is left of a name that is not plain.
fn clean(name: &str) -> String {
    TRAPS.iter().fold(cleaned(name), |text, [trap, broken, _]| text.replace(trap, broken))
}

/// A code that no tool trips over.
fn safe(code: String) -> String {
    TRAPS.iter().fold(code, |text, [trap, _, broken]| text.replace(trap, broken))
}

/// The same of a level, which may be a whole number too.
fn is_plain_level(name: &str) -> bool {
    let digits = name.len() <= 9 && name.bytes().all(|b| b.is_ascii_digit());
    is_plain(name) || (digits && !name.is_empty() && (name == "0" || !name.starts_with('0')))
}

/// Writes a network as BIF.
pub(in super::super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let variables = network.variables();
    let nodes = identifiers(variables.iter().map(|v| v.name.as_str()), is_plain, clean);
    let levels: Vec<Vec<String>> = variables
        .iter()
        .map(|v| identifiers(v.levels.iter().map(String::as_str), is_plain_level, clean))
        .collect();
    writeln!(out, "network unknown {{\n}}")?;
    for ((variable, node), levels) in variables.iter().zip(&nodes).zip(&levels) {
        writeln!(out, "variable {node} {{")?;
        writeln!(out, "  type discrete [ {} ] {{ {} }};", levels.len(), levels.join(", "))?;
        if *node != variable.name {
            writeln!(out, "  property {NAME} = {} ;", safe(coded(&variable.name)))?;
        }
        if *levels != variable.levels {
            writeln!(out, "  property {LEVELS} = {} ;", safe(coded_list(&variable.levels)))?;
        }
        writeln!(out, "}}")?;
    }
    for (v, node) in nodes.iter().enumerate() {
        let parents: Vec<usize> = network.dag().parents(v).collect();
        let names: Vec<&str> = parents.iter().map(|&p| nodes[p].as_str()).collect();
        let bar = if names.is_empty() { "" } else { " | " };
        writeln!(out, "probability ( {node}{bar}{} ) {{", names.join(", "))?;
        let mut configurations = Configurations::new(network, &parents);
        for row in network.table(v).chunks_exact(network.states(v)) {
            let values: Vec<String> = row.iter().map(|p| format!("{p:?}")).collect();
            let values = values.join(", ");
            if parents.is_empty() {
                writeln!(out, "  table {values};")?;
            } else {
                let states = parents.iter().zip(configurations.states());
                let states: Vec<&str> = states.map(|(&p, &s)| levels[p][s].as_str()).collect();
                writeln!(out, "  ({}) {values};", states.join(", "))?;
            }
            configurations.advance();
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}
