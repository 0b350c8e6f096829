//! How clusters are to be found, as it was typed.

use crate::args::{NameList, Usage, names};
use clap::Args;
use sare::cluster::{self, Clusterer, Latent, Policy, Update};
use sare::data::Table;
use sare::describe::{Description, parts};
use sare::registry;
use sare::structure::named::NamedGraph;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

/// One number of clusters, or several.
#[derive(Clone, Debug)]
pub enum Numbers {
    /// This many.
    One(usize),
    /// Any of these.
    Range(RangeInclusive<usize>),
}

impl Numbers {
    /// The number, or the largest of them.
    pub fn largest(&self) -> usize {
        match self {
            Numbers::One(number) => *number,
            Numbers::Range(numbers) => *numbers.end(),
        }
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Numbers, String> {
        let number = |t: &str| {
            t.trim().parse::<usize>().map_err(|_| {
                format!("'{t}' is no whole number: give a number, or a range such as 1..8")
            })
        };
        let Some((from, to)) = text.split_once("..") else {
            return Ok(Numbers::One(number(text)?));
        };
        let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
        if from == 0 || from > to {
            return Err(format!("{from}..{to} is no range: give one that rises from 1 or more"));
        }
        Ok(Numbers::Range(from..=to))
    }
}

/// How clusters are to be found.
#[derive(Args)]
pub struct MethodArgs {
    /// How they are found (see `sare learners`) [default: ema]
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    method: Option<String>,
    /// From how many random starts
    #[arg(long, default_value_t = 100, value_name = "NUMBER", help_heading = "Method")]
    starts: usize,
    /// What becomes of them: best (kept), uniform or weighted (averaged, all alike or by likelihood)
    #[arg(long, default_value = "best", value_name = "NAME", help_heading = "Method")]
    policy: String,
    /// What is added to expected counts (em, ema): flat, centred on the frequencies of all rows, as much as the rows say, or either
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    prior: Option<String>,
    /// How probable it is beforehand that a column matters (ema): even, or learnt
    #[arg(long, value_name = "NAME", help_heading = "Method")]
    relevance_prior: Option<String>,
    /// A graph for em, in which the cluster is called 'cluster': a formula such as [cluster][a|cluster][b|a:cluster], or a file
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    structure: Option<String>,
    /// The order of the columns, for ema-tan and em-network; those that are not named come after
    #[arg(long, value_name = "NAMES", help_heading = "Method")]
    order: Vec<NameList>,
    /// How numbers are cut into bins (see `sare learners`)
    #[arg(long, default_value = "equal-frequency:3", value_name = "NAME", help_heading = "Method")]
    discretise: String,
}

impl MethodArgs {
    /// The learner that was asked for.
    pub fn clusterer(&self, clusters: usize) -> anyhow::Result<Clusterer> {
        let mut form = match (&self.method, &self.structure) {
            (Some(form), _) => form.clone(),
            (None, Some(_)) => cluster::EM.name.into(),
            (None, None) => cluster::EMA.name.into(),
        };
        let settings = [
            ("prior", self.prior.clone()),
            ("relevance", self.relevance_prior.clone()),
            ("order", (!self.order.is_empty()).then(|| "columns".into())),
        ];
        for (name, value) in settings {
            if let Some(value) = value {
                self.takes(&form, name)?;
                let mark = if form.contains(':') { ',' } else { ':' };
                form.push_str(&format!("{mark}{name}={value}"));
            }
        }
        let method = match &self.structure {
            None => registry::clusterer(&form)?,
            Some(structure) => {
                let (name, rest) = parts(&form);
                if name != cluster::EM.name {
                    let text = format!("--structure goes with --method em, not with '{name}'");
                    return Err(Usage(text).into());
                }
                let graph = Some(NamedGraph::read(structure)?);
                let values = cluster::EM.parse(rest)?;
                Arc::new(Latent { graph, ..Latent::new(Update::Frequencies, &values) })
            }
        };
        Ok(Clusterer {
            method,
            clusters,
            starts: self.starts,
            policy: Policy::named(&self.policy)?,
            discretise: registry::discretiser(&self.discretise)?,
        })
    }

    /// Refuses an option whose setting a method does not have.
    fn takes(&self, form: &str, setting: &str) -> anyhow::Result<()> {
        let (name, _) = parts(form);
        let with = |d: &&Description| d.settings.iter().any(|s| s.name == setting);
        let all = || registry::CLUSTERERS.iter().map(|e| e.description);
        // Of a method that is not known there is something else to say.
        let Some(own) = all().find(|d| d.name == name).filter(|d| !with(d)) else { return Ok(()) };
        let option = if setting == "relevance" { "relevance-prior" } else { setting };
        let methods: Vec<&str> = all().filter(with).map(|d| d.name).collect();
        let methods = methods.join(" and ");
        Err(Usage(format!("--{option} goes with {methods}, not with '{}'", own.name)).into())
    }

    /// The columns to learn from, in the order that was asked for.
    pub fn attributes(&self, table: &Table, truth: Option<usize>) -> anyhow::Result<Table> {
        let mut columns = Vec::new();
        for name in &names(&self.order) {
            let column = table.schema().require(name, table.name())?;
            let wrong = match (Some(column) == truth, columns.contains(&column)) {
                (true, _) => ", which --truth leaves out",
                (_, true) => "twice",
                _ => "",
            };
            if !wrong.is_empty() {
                return Err(Usage(format!("--order names '{name}' {wrong}")).into());
            }
            columns.push(column);
        }
        let rest: Vec<usize> =
            (0..table.columns()).filter(|c| Some(*c) != truth && !columns.contains(c)).collect();
        columns.extend(rest);
        Ok(table.select(&columns))
    }
}
