//! Writing BIF, with names that other programs read: pyAgrum 3.3.1 and pgmpy 0.1.26, each tried with every ASCII
//! character. Neither reads names in quotes.

use super::super::Configurations;
use super::super::names::{LEVELS, NAME, Names, Rules, cleaned, coded, coded_list};
use crate::network::Network;
use std::io::{self, Write};

/// Words that mean something in BIF.
const KEYWORDS: [&str; 8] =
    ["network", "variable", "probability", "property", "type", "discrete", "table", "default"];

/// pgmpy looks for these anywhere, even inside a name or a property, and cannot read a file in which it finds one.
/// Beside each, how it is broken up in an identifier and in a code.
const TRAPS: [[&str; 3]; 2] =
    [["variable", "vari_able", "%76ariable"], ["probability", "proba_bility", "%70robability"]];

/// The rules for names.
pub(in super::super) const RULES: Rules =
    Rules { node: |name| is_plain(name, "-"), level: is_plain_level, clean };

/// Whether other tools read this name as it is: letters, digits, underscores and what `more` allows. Digits at its start
/// must not look like a number.
fn is_plain(name: &str, more: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || more.contains(c);
    let after_digits = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let exponent = after_digits.len() < name.len() && after_digits.starts_with(['e', 'E']);
    after_digits.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !exponent
        && name.chars().all(inner)
        && !KEYWORDS.contains(&name)
        && !TRAPS.iter().any(|[trap, ..]| name.contains(trap))
}

/// The same of a level, which may be a whole number too.
fn is_plain_level(name: &str) -> bool {
    let digits = name.strip_prefix(['+', '-']).unwrap_or(name);
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    number || is_plain(name, "-.?%")
}

/// What is left of a name that is not plain.
fn clean(name: &str) -> String {
    TRAPS.iter().fold(cleaned(name), |text, [trap, broken, _]| text.replace(trap, broken))
}

/// A code that no tool trips over.
fn safe(code: String) -> String {
    TRAPS.iter().fold(code, |text, [trap, _, broken]| text.replace(trap, broken))
}

/// Writes a network as BIF.
pub(in super::super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let names = Names::new(network, &RULES);
    writeln!(out, "network unknown {{\n}}")?;
    for (variable, node, levels) in names.of(network) {
        writeln!(out, "variable {node} {{")?;
        writeln!(out, "  type discrete [ {} ] {{ {} }};", levels.len(), levels.join(", "))?;
        if *node != variable.name {
            writeln!(out, "  property {NAME} = {} ;", safe(coded(&variable.name)))?;
        }
        if levels != variable.levels {
            writeln!(out, "  property {LEVELS} = {} ;", safe(coded_list(&variable.levels)))?;
        }
        writeln!(out, "}}")?;
    }
    for (v, node) in names.nodes.iter().enumerate() {
        let parents: Vec<usize> = network.dag().parents(v).collect();
        let given: Vec<&str> = parents.iter().map(|&p| names.nodes[p].as_str()).collect();
        let bar = if given.is_empty() { "" } else { " | " };
        writeln!(out, "probability ( {node}{bar}{} ) {{", given.join(", "))?;
        let mut configurations = Configurations::new(network, &parents);
        for row in network.table(v).chunks_exact(network.states(v)) {
            let values: Vec<String> = row.iter().map(|p| format!("{p:?}")).collect();
            let values = values.join(", ");
            if parents.is_empty() {
                writeln!(out, "  table {values};")?;
            } else {
                let states = parents.iter().zip(configurations.states());
                let states: Vec<&str> =
                    states.map(|(&p, &s)| names.levels[p][s].as_str()).collect();
                writeln!(out, "  ({}) {values};", states.join(", "))?;
            }
            configurations.advance();
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}
