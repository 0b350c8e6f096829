//! Files of networks that other tools read and write, one file a format.
//!
//! Every reader fills a draft (`draft.rs`), which alone checks it and puts its tables into our order. Names that a format
//! cannot hold are written as identifiers, with the name itself in a property (`names.rs`), so that what sare writes it
//! reads back bit for bit.
//!
//! ```
//! use sare::network::formats::{Format, network_from, network_to};
//!
//! let file = b"network unknown { }
//!     variable rain { type discrete [ 2 ] { yes, no }; }
//!     variable wet { type discrete [ 2 ] { yes, no }; }
//!     probability ( rain ) { table 0.2, 0.8; }
//!     probability ( wet | rain ) { (yes) 0.9, 0.1; (no) 0.05, 0.95; }";
//! let read = network_from("rain.bif", file, None)?;
//! assert_eq!(read.network.table(1), [0.9, 0.1, 0.05, 0.95]);
//! let mut text = Vec::new();
//! network_to(&read.network, Format::Net, &mut text).unwrap();
//! assert_eq!(network_from("rain.net", &text, None)?.network, read.network);
//! # Ok::<(), sare::error::Error>(())
//! ```

mod bif;
mod dot;
mod draft;
mod dsl;
mod format;
mod json;
mod names;
mod net;
mod report;
mod rows;
mod scan;
mod tables;
mod text;
mod xdsl;
mod xml;
mod xmlbif;

#[cfg(test)]
mod tests;

pub use format::Format;

use super::Network;
use crate::data::open::{content, display_name};
use crate::data::write::write_file;
use crate::error::{Error, Result};
use names::Names;
use report::Report;
use std::io::{self, Write};
use text::text_of;

/// A network that was read, with what had to be decided.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadNetwork {
    /// The network.
    pub network: Network,
    /// What the user should know: rows that were divided by their sums, an encoding that was guessed.
    pub notes: Vec<String>,
}

/// Reads a network from a file (`-` for the standard input), gzipped or not. Without a format, the content says which it
/// is, and the ending of the name must not say otherwise.
pub fn read_network(path: &str, format: Option<Format>) -> Result<ReadNetwork> {
    network_from(display_name(path), &content(path)?, format)
}

/// Reads a network from the content of a file of this name.
pub fn network_from(name: &str, bytes: &[u8], format: Option<Format>) -> Result<ReadNetwork> {
    let (text, encoding) = text_of(name, bytes)?;
    let format = match format {
        Some(format) => format,
        None => Format::of_file(name, &text)?,
    };
    let report = Report { file: name };
    let mut read = match format {
        Format::Bif => bif::read(report, &text),
        Format::XmlBif => xmlbif::read(report, &text),
        Format::Net => net::read(report, &text),
        Format::Xdsl => xdsl::read(report, &text),
        Format::Dsl => dsl::read(report, &text),
        Format::Json => json::read(name, &text),
        Format::Dot => {
            let problem = "DOT holds a graph without probabilities";
            Err(Error::data(name, problem, "read the network from another format"))
        }
    }?;
    read.notes.extend(encoding);
    Ok(read)
}

/// Writes a network into a file (`-` for the standard output), whole or not at all, and returns what the user should
/// know: names that the format could not hold. Without a format, the ending of the name says which.
pub fn write_network(network: &Network, path: &str, format: Option<Format>) -> Result<Vec<String>> {
    let format = match format {
        Some(format) => format,
        None => Format::of_name(path).ok_or_else(|| Format::unknown_ending(path))?,
    };
    format.check_writable()?;
    write_file(path, |out| network_to(network, format, out))?;
    let rules = match format {
        Format::Bif => bif::RULES,
        Format::XmlBif => xmlbif::RULES,
        Format::Net => net::RULES,
        Format::Dot | Format::Json | Format::Xdsl | Format::Dsl => return Ok(Vec::new()),
    };
    Ok(Names::new(network, &rules).note(network, format.name()).into_iter().collect())
}

/// Writes a network in a format that can be written.
pub fn network_to(network: &Network, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Bif => bif::write(network, out),
        Format::XmlBif => xmlbif::write(network, out),
        Format::Net => net::write(network, out),
        Format::Dot => dot::write(network, out),
        Format::Json => json::write(network, out),
        Format::Xdsl | Format::Dsl => {
            Err(io::Error::new(io::ErrorKind::Unsupported, "the format can only be read"))
        }
    }
}

/// The configurations of a node's parents in the order of its table.
struct Configurations {
    sizes: Vec<usize>,
    states: Vec<usize>,
}

impl Configurations {
    fn new(network: &Network, parents: &[usize]) -> Configurations {
        let sizes = parents.iter().map(|&p| network.states(p)).collect();
        Configurations { sizes, states: vec![0; parents.len()] }
    }

    /// The state of each parent.
    fn states(&self) -> &[usize] {
        &self.states
    }

    /// How many parents, counted from the last, are at their first state with all that follow them.
    fn opened(&self) -> usize {
        self.states.iter().rev().take_while(|&&s| s == 0).count()
    }

    /// Goes on to the next configuration; returns how many parents, counted from the last, began anew.
    fn advance(&mut self) -> usize {
        for i in (0..self.states.len()).rev() {
            self.states[i] += 1;
            if self.states[i] < self.sizes[i] {
                return self.states.len() - 1 - i;
            }
            self.states[i] = 0;
        }
        self.states.len()
    }
}
