//! Every format against files whose content is known, and against each other.

mod awkward;
mod detection;
mod errors;
mod forms;
mod mutations;
mod odd;
mod orders;
mod sums;

use super::{Format, ReadNetwork, network_from, network_to, read_network, write_network};
use crate::network::Network;

/// The formats that are both written and read.
const BOTH_WAYS: [Format; 4] = [Format::Bif, Format::XmlBif, Format::Net, Format::Json];

fn read(format: Format, text: &str) -> ReadNetwork {
    network_from("t", text.as_bytes(), Some(format)).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What the reader says to a file it must refuse.
fn message(format: Format, text: &str) -> String {
    network_from("t", text.as_bytes(), Some(format)).expect_err("the file is wrong").to_string()
}

fn written(network: &Network, format: Format) -> String {
    let mut bytes = Vec::new();
    network_to(network, format, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
