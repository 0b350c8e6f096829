//! `sare generate`: known data sets without a download.

use crate::args::{Common, Usage};
use crate::output::{grouped, print, print_json};
use clap::Args;
use sare::data::write::{write_csv, write_file};
use sare::network::known::{Shape, all, generate, network_of};
use serde_json::json;

/// Make a known data set, or rows of a random network
#[derive(Args)]
pub struct Generate {
    /// The set (see --list)
    name: Option<String>,
    /// List the sets
    #[arg(long)]
    list: bool,
    /// Where the rows go (- for standard output)
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: String,
    /// Draw this many rows at random instead of making the whole set
    #[arg(long, short = 'n', value_name = "N")]
    rows: Option<usize>,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Attributes of a random network
    #[arg(long, default_value_t = Shape::default().variables, value_name = "N")]
    variables: usize,
    /// States of each attribute of a random network
    #[arg(long, default_value_t = Shape::default().states, value_name = "N")]
    states: usize,
    /// States of the class of a random network
    #[arg(long, default_value_t = Shape::default().clusters, value_name = "N")]
    clusters: usize,
    /// The most parents a variable of random-network has
    #[arg(long, default_value_t = Shape::default().max_parents, value_name = "N")]
    max_parents: usize,
    /// The probability that an attribute of random-nb depends on the class
    #[arg(long, default_value_t = Shape::default().relevant, value_name = "P")]
    relevant: f64,
    /// The Dirichlet parameter that a random network's tables are drawn with
    #[arg(long, default_value_t = Shape::default().alpha, value_name = "A")]
    alpha: f64,
    /// Where the random network itself goes, as JSON
    #[arg(long, value_name = "FILE")]
    network: Option<String>,
}

impl Generate {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let name = match &self.name {
            Some(name) if !self.list => name,
            None if !self.list => {
                let names: Vec<&str> = all().iter().map(|k| k.name).collect();
                return Err(Usage(format!("name a set: {}", names.join(", "))).into());
            }
            _ => return list(common),
        };
        let shape = Shape {
            variables: self.variables,
            states: self.states,
            clusters: self.clusters,
            max_parents: self.max_parents,
            relevant: self.relevant,
            alpha: self.alpha,
        };
        let table = generate(name, self.rows, &shape, self.seed)?;
        if let Some(path) = &self.network {
            let Some(random) = network_of(name, &shape) else {
                return Err(Usage(format!("'{name}' is made by a rule and has no network")).into());
            };
            let network = random.draw(self.seed)?;
            write_file(path, |out| {
                serde_json::to_writer_pretty(&mut *out, &network)?;
                out.write_all(b"\n")
            })?;
        }
        write_file(&self.output, |out| write_csv(&table, "weight", out))?;
        Ok(())
    }
}

fn list(common: &Common) -> anyhow::Result<()> {
    if common.json {
        let sets: Vec<_> =
            all().iter().map(|k| json!({"name": k.name, "help": k.help, "rows": k.rows})).collect();
        return print_json(&sets);
    }
    let line = |k: &sare::network::known::Known| {
        format!("{:<16} {:>7} rows  {}\n", k.name, grouped(k.rows), k.help)
    };
    print(&all().iter().map(line).collect::<String>())
}
