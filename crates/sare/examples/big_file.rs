//! A file of any size in bounded memory: `cargo run --release --example big_file`

use sare::classify::Learner;
use sare::data::write::{write_csv, write_file};
use sare::data::{ReadOptions, Stream};
use sare::network::known::{Shape, generate};
use sare::run::Run;

fn main() -> Result<(), sare::error::Error> {
    let run = Run::default();
    let path = std::env::temp_dir().join("sare-big-file.csv").display().to_string();
    let table = generate("random-tan", Some(100_000), &Shape::default(), 1)?;
    write_file(&path, |out| write_csv(&table, "weight", out))?;

    // The file is read once for its schema and once for the counts, never as a whole.
    let stream = Stream::open(&path, &ReadOptions::default(), &run)?;
    let model = Learner::default().fit_stream(&stream, "class", &run)?;
    println!("{} free parameters from {} rows", model.free_parameters(), stream.rows());
    std::fs::remove_file(&path).map_err(sare::error::Error::io(path))
}
