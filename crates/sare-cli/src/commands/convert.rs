//! `sare convert`: a network from one file format into another.

use crate::args::{Common, Usage};
use crate::output::{grouped, keep_apart, print, print_json};
use clap::Args;
use sare::network::formats::{Format, read_network, write_network};
use serde_json::json;

/// Convert a network between file formats
///
/// Reads bif, xmlbif, net (Hugin), xdsl and dsl (GeNIe) and json (a network or a model of sare), gzipped or not; writes
/// bif, xmlbif, net, json and dot (the graph alone).
#[derive(Args)]
pub struct Convert {
    /// The file to read (- for standard input)
    input: String,
    /// The file to write (- for standard output)
    output: String,
    /// The format to read [default: found from the content]
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// The format to write [default: found from the ending of the name]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
}

impl Convert {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let from = self.from.as_deref().map(Format::named).transpose()?;
        let to = match &self.to {
            Some(name) => Format::named(name)?,
            None => Format::of_name(&self.output).ok_or_else(|| self.unknown_output())?,
        };
        keep_apart(&[("OUTPUT", &self.output)], &[("input", &self.input)])?;
        let read = read_network(&self.input, from)?;
        for note in &read.notes {
            common.warn(&format!("{}: {note}", self.input));
        }
        let network = &read.network;
        let changed = write_network(network, &self.output, Some(to))?;
        for note in &changed {
            common.warn(&format!("{}: {note}", self.output));
        }
        let (nodes, arcs) = (network.variables().len(), network.dag().arcs());
        let free = network.free_parameters();
        if self.output == "-" {
            return Ok(());
        }
        if common.json {
            let notes: Vec<String> = read.notes.into_iter().chain(changed).collect();
            return print_json(&json!({
                "nodes": nodes, "arcs": arcs, "free_parameters": free, "format": to.name(), "notes": notes,
            }));
        }
        print(&format!(
            "{}: {} nodes, {} arcs, {} free parameters, as {}\n",
            self.output,
            grouped(nodes),
            grouped(arcs),
            grouped(free),
            to.name()
        ))
    }

    fn unknown_output(&self) -> Usage {
        let formats = Format::ALL.into_iter().filter(|f| f.is_writable()).map(Format::name);
        let formats = formats.collect::<Vec<&str>>().join(", ");
        Usage(format!("'{}' does not say which format to write: add --to {formats}", self.output))
    }
}
