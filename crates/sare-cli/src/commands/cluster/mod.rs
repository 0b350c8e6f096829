//! `sare cluster`: groups of rows without a class, and what tells them apart.

mod method;
mod told;

use self::method::{MethodArgs, Numbers};
use self::told::{Told, warn};
use super::predict::Predict;
use crate::args::{Common, Reading, Usage, read_again};
use crate::output::{given, keep_apart, print, print_json};
use clap::Args;
use sare::cluster::{
    Agreement, Chooser, Clusterer, Clustering, Contingency, LATENT, Rule, agreement, latent_name,
};
use sare::data::{Table, read_table};
use sare::observe::Silent;
use sare::run::Run;
use std::time::Instant;

/// Find clusters of rows, and which columns tell them apart
///
/// The result is a model like any other, whose class is the cluster: sare predict, show, query, sample and report take it.
#[derive(Args)]
pub struct Cluster {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// How many clusters, or several numbers to choose from, as 1..8
    #[arg(long, short = 'k', value_name = "NUMBER")]
    clusters: Numbers,
    #[command(flatten)]
    method: MethodArgs,
    /// Criterion that chooses one of several numbers: bic, aic, aic3, caic, sabic, icl, or cv (held-out log-likelihood)
    /// [default: bic]
    #[arg(long, value_name = "RULE", help_heading = "Choosing the number")]
    choose: Option<String>,
    /// Number of folds for the held-out log-likelihood (0 = skip)
    /// [default: 5]
    #[arg(long, value_name = "NUMBER", help_heading = "Choosing the number")]
    folds: Option<usize>,
    /// Continue by splitting and merging clusters, as long as the criterion falls (em, ema)
    #[arg(long, help_heading = "Choosing the number")]
    split_merge: bool,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// A column of known groups: left out of learning, and compared with the clusters
    #[arg(long, value_name = "COLUMN")]
    truth: Option<String>,
    /// Where the model goes (- for standard output)
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// Where every row goes, with its cluster and the probability of each (- for standard output)
    #[arg(long, value_name = "FILE")]
    assign: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

/// Parts that rows are dealt into where nothing is said.
const FOLDS: usize = 5;

impl Cluster {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let clusterer = self.method.clusterer(self.clusters.largest())?;
        clusterer.check()?;
        let rule = self.choose.as_deref().map_or(Ok(Rule::default()), Rule::named)?;
        self.check(rule)?;
        let mut options = self.reading.options();
        options.keep.extend(self.truth.clone());
        let watcher = common.watcher();
        let run = common.run(self.seed, &watcher)?;
        let table = read_table(&self.data, &options, &run)?;
        let truth = match &self.truth {
            Some(name)
                if options.ignore.contains(name) || options.weight.as_ref() == Some(name) =>
            {
                let text =
                    format!("--truth {name} is a column that --ignore or --weight takes away");
                return Err(Usage(text).into());
            }
            Some(name) => Some(table.schema().require(name, table.name())?),
            None => None,
        };
        let known = truth.map(|column| known_groups(&table, column)).transpose()?;
        let attributes = self.method.attributes(&table, truth)?;
        super::fit::warn_of_weights(&table, common);
        if attributes.schema().position(LATENT).is_some() {
            common.warn(&format!(
                "a column is called '{LATENT}': it is learnt from like any other, and the clusters are called '{}'; if it \
                 is one you know, say --truth {LATENT}, and --ignore {LATENT} leaves it out",
                latent_name(attributes.schema())
            ));
        }
        let began = Instant::now();
        let found = self.learn(&clusterer, &attributes, rule, &run)?;
        // What was found before Ctrl-C is written and shown.
        crate::progress::finish();
        let run = common.run(self.seed, &Silent)?;
        let seconds = began.elapsed().as_secs_f64();
        let agreed = known.map(|known| compare(&table, &known, &found)).transpose()?;
        common.notes(&table.conventions().notes);
        watcher.notes().iter().for_each(|note| common.warn(note));
        let model = found.model.clone();
        let model = model.with_missing(options.missing).with_weight(options.weight);
        let found = Clustering { model, ..found };
        self.write(&found, &run, common)?;
        drop(run);
        drop(watcher);
        let told = Told::new(&found.model, agreed.as_ref(), seconds)?;
        warn(&told, common);
        if [&self.output, &self.assign].into_iter().flatten().any(|path| path == "-") {
            return Ok(());
        }
        if common.json { print_json(&told.json()) } else { print(&told.text()) }
    }

    fn check(&self, rule: Rule) -> anyhow::Result<()> {
        let several = matches!(self.clusters, Numbers::Range(_));
        if self.choose.is_some() && !several && !self.split_merge {
            let text = "--choose goes with several numbers of clusters, as --clusters 1..8, or with --split-merge";
            return Err(Usage(text.into()).into());
        }
        if self.folds.is_some() && !several {
            let text = "--folds goes with several numbers of clusters, as --clusters 1..8";
            return Err(Usage(text.into()).into());
        }
        if self.split_merge {
            Clusterer::check_split_and_merge(rule)?;
        }
        if self.assign.is_some() {
            read_again("--assign", &self.data)?;
        }
        let outputs = given(&[("--output", &self.output), ("--assign", &self.assign)]);
        keep_apart(&outputs, &[("data file", &self.data)])
    }

    /// The clusters; where several numbers were tried, their model knows the figures of all.
    fn learn(
        &self,
        clusterer: &Clusterer,
        table: &Table,
        rule: Rule,
        run: &Run<'_>,
    ) -> anyhow::Result<Clustering> {
        let found = match &self.clusters {
            Numbers::One(_) => clusterer.find(table.view(), run)?,
            Numbers::Range(numbers) => {
                let (clusterer, numbers) = (clusterer.clone(), numbers.clone());
                let folds = self.folds.unwrap_or(FOLDS);
                let chooser = Chooser { clusterer, numbers, folds, rule };
                let mut choice = chooser.choose(table.view(), run)?;
                choice.candidates.swap_remove(choice.chosen).clustering
            }
        };
        if !self.split_merge {
            return Ok(found);
        }
        Ok(clusterer.split_and_merge(table.view(), found, rule, run)?.clustering)
    }

    fn write(&self, found: &Clustering, run: &Run<'_>, common: &Common) -> anyhow::Result<()> {
        if let Some(path) = &self.output {
            found.model.save(path)?;
        }
        match &self.assign {
            Some(path) => {
                let rows = Predict::of_rows(&self.data, path, self.reading.text());
                rows.knowing(found.memberships.clone()).with_model(&found.model, run, common)
            }
            None => Ok(()),
        }
    }
}

/// The known group of each row. Refused before anything is learnt where there is nothing to compare with.
fn known_groups(table: &Table, truth: usize) -> anyhow::Result<Vec<Option<u32>>> {
    let name = &table.field(truth).name;
    if !table.field(truth).is_discrete() {
        let text =
            format!("column '{name}' holds numbers; if they are codes, say --discrete {name}");
        return Err(Usage(text).into());
    }
    let code = |r: usize| table.cells(truth).code(r).map(|c| c as u32);
    let known: Vec<Option<u32>> = (0..table.rows()).map(code).collect();
    if known.iter().all(Option::is_none) {
        let text = format!("column '{name}' has no label to compare with: every cell is missing");
        return Err(Usage(text).into());
    }
    let weight = |r: usize| table.weights().map_or(1.0, |w| w[r]);
    if !known.iter().enumerate().any(|(r, k)| k.is_some() && weight(r) > 0.0) {
        let text = format!("column '{name}' has labels only in rows that weigh nothing");
        return Err(Usage(text).into());
    }
    Ok(known)
}

/// How well the clusters agree with known groups, and how many rows have none.
fn compare(
    table: &Table,
    known: &[Option<u32>],
    found: &Clustering,
) -> anyhow::Result<(Agreement, usize)> {
    let found: Vec<Option<u32>> = found.assignment().into_iter().map(Some).collect();
    let unlabelled = known.iter().filter(|k| k.is_none()).count();
    Ok((agreement(&Contingency::new(known, &found, table.weights())?), unlabelled))
}
