//! DOT, for Graphviz: the graph alone, without tables, so it is only written.

use crate::network::Network;
use std::io::{self, Write};

/// Writes the graph of a network as DOT.
pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = network.variables().iter().map(|v| quoted(&v.name)).collect();
    writeln!(out, "digraph {{")?;
    for name in &names {
        writeln!(out, "  {name};")?;
    }
    for (child, name) in names.iter().enumerate() {
        for parent in network.dag().parents(child) {
            writeln!(out, "  {} -> {name};", names[parent])?;
        }
    }
    writeln!(out, "}}")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
