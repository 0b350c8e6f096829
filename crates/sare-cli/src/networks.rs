//! Networks that commands ask questions of: from model files and network files, and what is known of their variables.

use crate::args::{Common, Usage};
use clap::Args;
use sare::classify::Classifier;
use sare::data::Discretiser;
use sare::data::open::{content, display_name};
use sare::error::Result;
use sare::infer::Evidence;
use sare::infer::evidence::{level_named, variable_named};
use sare::network::Network;
use sare::network::formats::{Format, network_from};
use sare::run::Run;
use sare::structure::named::name_before;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A network, with the cut points of its numbers where it comes from a model.
pub struct Loaded {
    /// The network.
    pub network: Network,
    bins: Option<Discretiser>,
}

/// What tells a network from a model.
#[derive(Deserialize)]
struct Peek {
    nodes: Option<IgnoredAny>,
}

/// Loads the network of a file: a model of sare's, or a network in any format that can be read (`-` for standard input).
pub fn load_network(path: &str, common: &Common) -> Result<Loaded> {
    let name = display_name(path);
    let bytes = content(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_model = text.trim_start().starts_with('{')
        && !serde_json::from_str::<Peek>(&text).is_ok_and(|p| p.nodes.is_some());
    // A BIF file cannot begin with a brace, but what does is not always JSON.
    if is_model && Format::of_name(path).is_none_or(|f| f == Format::Json) {
        let model = Classifier::parse(name, &text)?;
        let network = model.as_network(&Run::default())?;
        return Ok(Loaded { network, bins: Some(model.bins().clone()) });
    }
    let read = network_from(name, &bytes, None)?;
    for note in &read.notes {
        common.warn(&format!("{name}: {note}"));
    }
    Ok(Loaded { network: read.network, bins: None })
}

impl Loaded {
    /// The number of a variable by its name.
    pub fn variable(&self, name: &str) -> Result<usize> {
        variable_named(&self.network, name)
    }

    /// The numbers of variables by their names, each once.
    pub fn variables(&self, names: &[String]) -> anyhow::Result<Vec<usize>> {
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let v = self.variable(name)?;
            if all.contains(&v) {
                return Err(Usage(format!("'{name}' is named twice")).into());
            }
            all.push(v);
        }
        Ok(all)
    }

    /// The name of a variable.
    pub fn name(&self, variable: usize) -> &str {
        &self.network.variables()[variable].name
    }

    /// The levels of a variable.
    pub fn levels(&self, variable: usize) -> &[String] {
        &self.network.variables()[variable].levels
    }

    /// The state that a text means: a level, or a number of a column that the model cuts.
    fn state(&self, variable: usize, text: &str) -> Result<usize> {
        let number = || {
            let number = text.trim().parse::<f64>().ok()?;
            self.bins.as_ref()?.bin(variable, number)
        };
        level_named(&self.network, variable, text).or_else(|e| number().ok_or(e))
    }
}

/// What is known.
#[derive(Args)]
pub struct Knowing {
    /// What is known: variable=level,... (may be given several times; a number will do where the model cuts numbers)
    #[arg(long, value_name = "FINDINGS")]
    given: Vec<String>,
    /// An uncertain observation, as variable=level:likelihood,... (levels left out have 0; may be given several times)
    #[arg(long, value_name = "FINDING")]
    likely: Vec<String>,
}

impl Knowing {
    /// The evidence that was given.
    pub fn evidence(&self, loaded: &Loaded) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::none();
        for text in &self.given {
            let found = findings(text).ok_or_else(|| {
                Usage(format!(
                    "--given '{text}' must be variable=level, with commas between findings"
                ))
            })?;
            for (variable, level) in found {
                let v = loaded.variable(&variable)?;
                evidence.see(&loaded.network, v, loaded.state(v, &level)?)?;
            }
        }
        for text in &self.likely {
            let wrong = || {
                Usage(format!(
                    "--likely '{text}' must be variable=level:likelihood,level:likelihood"
                ))
            };
            let (variable, levels) = text.split_once('=').ok_or_else(wrong)?;
            let v = loaded.variable(variable.trim())?;
            let mut likelihood = vec![0.0; loaded.levels(v).len()];
            let mut named = vec![false; likelihood.len()];
            for part in levels.split(',') {
                let (level, number) = part.rsplit_once(':').ok_or_else(wrong)?;
                let state = loaded.state(v, level)?;
                if std::mem::replace(&mut named[state], true) {
                    return Err(Usage(format!(
                        "--likely '{text}' names the level '{level}' twice"
                    ))
                    .into());
                }
                likelihood[state] = number.trim().parse().map_err(|_| wrong())?;
            }
            evidence.likely(&loaded.network, v, likelihood)?;
        }
        Ok(evidence)
    }
}

/// The findings between the commas, variable and level; what has no `=` belongs to the level before it, which has a comma in
/// its name. A variable that has one stands in double quotes.
fn findings(text: &str) -> Option<Vec<(String, String)>> {
    let (mut all, mut rest) = (Vec::new(), text);
    while !rest.trim().is_empty() {
        let (variable, after) = name_before(rest, "=")?;
        let begins = |next: &str| {
            let part = next.split(',').next().unwrap_or_default();
            next.trim_start().starts_with('"') || part.contains('=')
        };
        let end = after.match_indices(',').map(|(i, _)| i).find(|&i| begins(&after[i + 1..]));
        let level = &after[..end.unwrap_or(after.len())];
        all.push((variable, level.to_string()));
        rest = end.map_or("", |i| &after[i + 1..]);
    }
    Some(all)
}
