//! `sare sample`: rows drawn from a network.

use crate::args::Common;
use crate::networks::{Knowing, load_network};
use crate::output::keep_apart;
use clap::Args;
use sare::data::write::{write_csv, write_file};
use sare::infer::Query;
use sare::seed::{Purpose, Random};

/// Draw rows from a network, also from what it says once something is known
#[derive(Args)]
pub struct Sample {
    /// The model, or a network as JSON (- for standard input)
    model: String,
    /// How many rows
    #[arg(long, short = 'n', default_value_t = 1000, value_name = "N")]
    rows: usize,
    #[command(flatten)]
    knowing: Knowing,
    /// Where the rows go (- for standard output)
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: String,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

impl Sample {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        keep_apart(&[("--output", &self.output)], &[("model", &self.model)])?;
        let loaded = load_network(&self.model, common)?;
        let evidence = self.knowing.evidence(&loaded)?;
        let mut random = Random::new(self.seed, Purpose::Sample, 0);
        let query = Query::new(&loaded.network, &evidence);
        let table = query.sample(&self.model, self.rows, &mut random)?;
        Ok(write_file(&self.output, |out| write_csv(&table, "weight", out))?)
    }
}
