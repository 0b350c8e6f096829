//! JSON, the form of sare's own networks; a model that holds a network will do.

use super::ReadNetwork;
use super::rows::divided;
use crate::error::{Error, Result};
use crate::network::Network;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::{self, Write};

/// What tells a network from a model.
#[derive(Deserialize)]
struct Header {
    nodes: Option<IgnoredAny>,
    network: Option<IgnoredAny>,
    pairs: Option<IgnoredAny>,
}

/// A model with a network.
#[derive(Deserialize)]
struct Model {
    network: Network,
}

/// Reads the JSON of a network, or of a model.
pub(super) fn read(file: &str, text: &str) -> Result<ReadNetwork> {
    let damaged = |e: serde_json::Error| {
        let what = if e.is_eof() { "the file ends in the middle" } else { "the file is damaged" };
        Error::model(file, format!("{what}: {e}"), "correct it, or copy it again")
    };
    let header: Header = serde_json::from_str(text).map_err(damaged)?;
    let network = match header {
        Header { nodes: Some(_), .. } => serde_json::from_str(text).map_err(damaged)?,
        Header { network: Some(_), .. } => {
            serde_json::from_str::<Model>(text).map_err(damaged)?.network
        }
        Header { pairs: Some(_), .. } => {
            let problem = "the model is an average over structures, not one network";
            return Err(Error::model(file, problem, "fit a model with one structure"));
        }
        _ => {
            let problem = "there is neither a list of nodes nor a network";
            return Err(Error::model(file, problem, "give a network or a model"));
        }
    };
    Ok(ReadNetwork { network: divided(network)?, notes: Vec::new() })
}

/// Writes a network as JSON.
pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, network)?;
    out.write_all(b"\n")
}
