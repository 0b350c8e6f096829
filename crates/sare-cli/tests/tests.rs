//! The `sare` command, run as a user runs it.

#[path = "tests/bad_input.rs"]
mod bad_input;
#[path = "tests/feature.rs"]
mod feature;
#[path = "tests/util.rs"]
mod util;
