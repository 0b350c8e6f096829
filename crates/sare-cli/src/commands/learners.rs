//! `sare learners`: what can be given by name.

use crate::args::Common;
use crate::output::{print, print_json};
use clap::Args;
use sare::describe::Description;
use sare::evaluate::MEASURES;
use sare::registry::{CLUSTERERS, DISCRETISERS, Entry, PARAMETERS, STRUCTURES, help};
use serde_json::json;

/// List the models, parameter learners, clusterers and discretisers that can be given by name
#[derive(Args)]
pub struct Learners {}

impl Learners {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        if common.json {
            return print_json(&json!({
                "models": described(STRUCTURES),
                "parameters": described(PARAMETERS),
                "clusterers": described(CLUSTERERS),
                "discretisers": described(DISCRETISERS),
                "measures": MEASURES.map(|m| json!({"name": m.name, "help": m.help})),
            }));
        }
        let measures: Vec<String> =
            MEASURES.iter().map(|m| format!("  {:<24} {}", m.name, m.help)).collect();
        print(&format!(
            "Models (--model):\n{}\n\nParameter learners (--parameters):\n{}\n\nClusterers (cluster --method):\n{}\n\nDiscretisers (--discretise):\n{}\n\nMeasures (--measure):\n{}\n",
            help(STRUCTURES),
            help(PARAMETERS),
            help(CLUSTERERS),
            help(DISCRETISERS),
            measures.join("\n")
        ))
    }
}

fn described<T>(entries: &[Entry<T>]) -> Vec<serde_json::Value> {
    let one = |d: &Description| {
        let settings: Vec<_> = d
            .settings
            .iter()
            .map(|s| json!({"name": s.name, "help": s.help, "default": s.range.written(s.range.default())}))
            .collect();
        json!({"name": d.name, "help": d.help, "source": d.source, "settings": settings})
    };
    entries.iter().map(|e| one(e.description)).collect()
}
