//! `sare show`: a model's structure and tables, readable.

use crate::args::{Common, NameList, names};
use crate::drawing::{climb, drawing};
use crate::output::{TextTable, cut, given, grouped, keep_apart, print, print_json};
use clap::Args;
use sare::average::Kind;
use sare::classify::Classifier;
use sare::cluster::{Figures, Rule};
use sare::data::write::write_file;
use sare::network::Network;
use std::fmt::Write as _;

/// Show a model's structure and tables
#[derive(Args)]
pub struct Show {
    /// The model file
    model: String,
    /// Show the tables of these variables only
    #[arg(long, value_name = "NAMES")]
    variables: Vec<NameList>,
    /// Show how the learner climbed: its objective after each iteration
    #[arg(long)]
    history: bool,
    /// Draw how the learner climbed as SVG into this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    history_svg: Option<String>,
    /// Draw the structure as SVG into this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<String>,
}

impl Show {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let outputs = given(&[("--svg", &self.svg), ("--history-svg", &self.history_svg)]);
        keep_apart(&outputs, &[("model", &self.model)])?;
        let model = Classifier::load(&self.model)?;
        let chosen = names(&self.variables)
            .iter()
            .map(|name| model.schema().require(name, &self.model))
            .collect::<Result<Vec<usize>, _>>()?;
        let drawings = [
            self.svg.as_ref().map(|path| (path, drawing(&model).svg())),
            self.history_svg.as_ref().map(|path| (path, climb(&model).svg())),
        ];
        for (path, svg) in drawings.iter().flatten() {
            write_file(path, |out| out.write_all(svg.as_bytes()))?;
            if path.as_str() == "-" {
                return Ok(());
            }
        }
        if self.history {
            return history(&model, common);
        }
        let network = match (model.network(), model.pairs()) {
            (Some(network), _) if common.json => return print_json(network),
            (None, Some(pairs)) if common.json => return print_json(pairs),
            (network, _) => network,
        };
        let mut text = heading(&model);
        text.push_str(&network.map(structure).unwrap_or_default());
        text.push_str(&relevance(&model));
        text.push_str(&probabilities(&model));
        let Some(network) = network else { return print(&text) };
        for v in (0..network.variables().len()).rev() {
            if chosen.is_empty() || chosen.contains(&v) {
                text.push('\n');
                text.push_str(&table(network, v));
            }
        }
        print(&text)
    }
}

fn heading(model: &Classifier) -> String {
    let found = model.outcome().search.as_ref().map(|search| match &search.score {
        Some((score, value)) => {
            format!("found in {} steps: {score} {value:.3}\n", grouped(search.steps as usize))
        }
        None => format!("found by {} tests\n", grouped(search.steps as usize)),
    });
    format!(
        "{} with {} parameters, learnt from {} rows of {} (seed {})\n{} free parameters\n{}{}\n",
        model.forms()[0],
        model.forms()[1],
        grouped(model.training().rows),
        model.training().file,
        model.seed(),
        grouped(model.free_parameters()),
        found.unwrap_or_default(),
        clusters(model)
    )
}

/// How well clusters fit.
fn clusters(model: &Classifier) -> String {
    let Some(fit) = Figures::of(model) else { return String::new() };
    format!(
        "log-likelihood {:.3}, BIC {:.3}, AIC {:.3} (lower is better)\n",
        fit.log_likelihood,
        fit.by(Rule::Bic),
        fit.by(Rule::Aic)
    )
}

/// Each variable with its children, roots first.
fn structure(network: &Network) -> String {
    let mut text = String::from("Structure\n");
    let name = |v: usize| network.variables()[v].name.as_str();
    for v in network.dag().topological_order() {
        let children: Vec<&str> = network.dag().children(v).map(name).collect();
        if !children.is_empty() {
            let _ = writeln!(text, "  {} -> {}", name(v), children.join(", "));
        } else if network.dag().parents(v).next().is_none() {
            let _ = writeln!(text, "  {} (alone)", name(v));
        }
    }
    text
}

/// The probability that each attribute matters, the highest first, where structures were averaged.
pub(super) fn relevance(model: &Classifier) -> String {
    let Some(probabilities) = &model.outcome().relevance else { return String::new() };
    let mut all: Vec<(&str, f64)> = model
        .attributes()
        .iter()
        .map(|a| a.name.as_str())
        .zip(probabilities.iter().copied())
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut rows = TextTable::new(["attribute", "probability that it matters"], 1);
    all.into_iter().for_each(|(name, p)| rows.row([cut(name, 30), format!("{p:.6}")]));
    format!("\n{}", rows.text(2))
}

/// The objective after each iteration.
fn history(model: &Classifier, common: &Common) -> anyhow::Result<()> {
    let outcome = model.outcome();
    if common.json {
        return print_json(outcome);
    }
    let mut rows = TextTable::new(["iteration", "objective"], 0);
    for (number, value) in outcome.trace.iter().enumerate() {
        rows.row([number.to_string(), format!("{value:.6}")]);
    }
    let end = serde_json::to_value(outcome.stop)?;
    let end = end.as_str().unwrap_or_default();
    let text = format!(
        "{} ended after {} iterations, {} passes over the rows: {end}\n",
        model.forms()[1],
        outcome.iterations,
        outcome.passes
    );
    print(&if outcome.trace.is_empty() { text } else { format!("{text}\n{}", rows.text(2)) })
}

/// Arcs shown of those that are probable.
const MOST_ARCS: usize = 40;

/// The probability of each arc, the highest first, where structures were averaged.
pub(super) fn probabilities(model: &Classifier) -> String {
    let Some(mut arcs) = model.outcome().arcs.clone() else { return String::new() };
    arcs.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let name = |v: usize| cut(&model.schema().fields[v].name, 30);
    let mut rows = TextTable::new(["arc", "probability"], 1);
    for arc in arcs.iter().take(MOST_ARCS) {
        let between = if is_undirected(model) { "-" } else { "->" };
        let arc_name = format!("{} {between} {}", name(arc.parent), name(arc.child));
        rows.row([arc_name, format!("{:.6}", arc.probability)]);
    }
    let more = arcs.len().saturating_sub(MOST_ARCS);
    let more =
        if more > 0 { format!("  ({more} more: --json shows all)\n") } else { String::new() };
    format!("\n{}{more}", rows.text(2))
}

/// Whether the arcs of an average have no direction.
fn is_undirected(model: &Classifier) -> bool {
    model.pairs().is_some_and(|pairs| matches!(pairs.kind(), Kind::Trees { .. }))
}

/// States shown side by side.
const WIDEST: usize = 10;

/// p(variable | parents): one line a configuration of the parents.
fn table(network: &Network, v: usize) -> String {
    let variable = &network.variables()[v];
    let parents: Vec<usize> = network.dag().parents(v).collect();
    let names: Vec<&str> = parents.iter().map(|&p| network.variables()[p].name.as_str()).collect();
    let given = if names.is_empty() { String::new() } else { format!(" | {}", names.join(", ")) };
    let states = variable.levels.len();
    let shown = states.min(WIDEST);
    let mut header: Vec<String> = names.iter().map(|n| cut(n, 20)).collect();
    header.extend(variable.levels[..shown].iter().map(|l| cut(l, 18)));
    let mut rows = TextTable::new(header, parents.len());
    for (configuration, row) in network.table(v).chunks_exact(states).enumerate() {
        let mut rest = configuration;
        let mut cells = vec![String::new(); parents.len()];
        for (i, &p) in parents.iter().enumerate().rev() {
            let levels = &network.variables()[p].levels;
            cells[i] = cut(&levels[rest % levels.len()], 20);
            rest /= levels.len();
        }
        cells.extend(row[..shown].iter().map(|p| format!("{p:.4}")));
        rows.row(cells);
    }
    let mut text = format!("p({}{given})\n{}", variable.name, rows.text(2));
    if shown < states {
        let _ = writeln!(text, "  ({} more states: --json shows all)", states - shown);
    }
    text
}
