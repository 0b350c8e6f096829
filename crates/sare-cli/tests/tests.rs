//! The `sare` command, run as a user runs it.

#[path = "tests/bad_input.rs"]
mod bad_input;
#[path = "tests/clusters.rs"]
mod clusters;
#[path = "tests/convert.rs"]
mod convert;
#[path = "tests/feature.rs"]
mod feature;
#[cfg(unix)]
#[path = "tests/files.rs"]
mod files;
#[cfg(unix)]
#[path = "tests/interrupt.rs"]
mod interrupt;
#[path = "tests/judging.rs"]
mod judging;
#[path = "tests/partitions.rs"]
mod partitions;
#[path = "tests/queries.rs"]
mod queries;
#[path = "tests/report.rs"]
mod report;
#[path = "tests/structures.rs"]
mod structures;
#[path = "tests/util.rs"]
mod util;
