//! `sare cluster`: groups of rows without a class, and what tells them apart.

use super::predict::Predict;
use crate::args::{Common, Reading, Usage};
use crate::output::{TextTable, cut, grouped, percent, print, print_json};
use clap::Args;
use sare::classify::{ClassValues, Classifier};
use sare::cluster::{Agreement, Clusterer, Contingency, agreement};
use sare::data::{Table, read_table};
use sare::registry;
use sare::run::{ClusterOutcome, Run, Stop};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Find clusters of rows, and which columns tell them apart
///
/// The result is a model like any other, whose class is the cluster: sare predict, show, query and sample take it.
#[derive(Args)]
pub struct Cluster {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// How many clusters
    #[arg(long, short = 'k', value_name = "NUMBER")]
    clusters: usize,
    /// How they are found (see `sare learners`)
    #[arg(long, default_value = "ema", value_name = "NAME")]
    method: String,
    /// From how many random starts; the best is kept
    #[arg(long, default_value_t = 100, value_name = "NUMBER")]
    starts: usize,
    /// How numbers are cut into bins (see `sare learners`)
    #[arg(long, default_value = "equal-frequency:3", value_name = "NAME")]
    discretise: String,
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

impl Cluster {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let clusterer = Clusterer {
            method: registry::clusterer(&self.method)?,
            clusters: self.clusters,
            starts: self.starts,
            discretise: registry::discretiser(&self.discretise)?,
        };
        clusterer.check()?;
        if self.assign.is_some() && self.assign == self.output {
            let text = "--output and --assign need different files";
            return Err(Usage(text.into()).into());
        }
        if self.assign.is_some() && self.data == "-" {
            let text = "--assign reads the file again, which standard input cannot be";
            return Err(Usage(text.into()).into());
        }
        let options = self.reading.options();
        let watcher = common.watcher();
        let run = common.run(self.seed, &watcher)?;
        let table = read_table(&self.data, &options, &run)?;
        let truth = match &self.truth {
            Some(name) => Some(table.schema().require(name, table.name())?),
            None => None,
        };
        let columns: Vec<usize> = (0..table.columns()).filter(|c| Some(*c) != truth).collect();
        let attributes = table.select(&columns);
        super::fit::warn_of(attributes.schema(), attributes.rows(), "", common);
        let model = clusterer.fit(attributes.view(), &run)?.with_missing(options.missing);
        let posteriors = model.predict(&attributes, &run)?.posteriors;
        let agreed = match truth {
            Some(column) => Some(compare(&table, column, &posteriors)?),
            None => None,
        };
        watcher.notes().iter().for_each(|note| common.warn(note));
        self.write(&model, &run, common)?;
        drop(run);
        drop(watcher);
        let Some(found) = &model.outcome().clusters else { return Ok(()) };
        warn(found, &model, common);
        if [&self.output, &self.assign].into_iter().flatten().any(|path| path == "-") {
            return Ok(());
        }
        if common.json {
            return print_json(&as_json(&model, found, agreed.as_ref()));
        }
        print(&text(&model, found, agreed.as_ref()))
    }

    fn write(&self, model: &Classifier, run: &Run<'_>, common: &Common) -> anyhow::Result<()> {
        if let Some(path) = &self.output {
            model.save(path)?;
        }
        match &self.assign {
            Some(path) => {
                let rows = Predict::of_rows(&self.data, path, self.reading.text());
                rows.with_model(model, run, common)
            }
            None => Ok(()),
        }
    }
}

/// How well the clusters agree with known groups.
fn compare(table: &Table, truth: usize, posteriors: &ClassValues) -> anyhow::Result<Agreement> {
    if !table.field(truth).is_discrete() {
        let name = &table.field(truth).name;
        let text =
            format!("column '{name}' holds numbers; if they are codes, say --discrete {name}");
        return Err(Usage(text).into());
    }
    let code = |r: usize| table.cells(truth).code(r).map(|c| c as u32);
    let known: Vec<Option<u32>> = (0..table.rows()).map(code).collect();
    if known.iter().all(Option::is_none) {
        let name = &table.field(truth).name;
        let text = format!("column '{name}' has no label to compare with: every cell is missing");
        return Err(Usage(text).into());
    }
    let found: Vec<Option<u32>> =
        (0..table.rows()).map(|r| Some(posteriors.winner(r) as u32)).collect();
    Ok(agreement(&Contingency::new(&known, &found, table.weights())?))
}

/// Says what may be wrong with what was found.
fn warn(found: &ClusterOutcome, model: &Classifier, common: &Common) {
    let failed: Vec<&String> = found.starts.iter().filter_map(|s| s.problem.as_ref()).collect();
    if let Some(problem) = failed.first() {
        common.warn(&format!("{} starts failed: {problem}", failed.len()));
    }
    if found.reached == 1 && found.starts.len() > 1 {
        common.warn("the best solution was found by one start only: there may be better ones; try more --starts");
    }
    let limited = |stop: &Option<Stop>| *stop == Some(Stop::IterationLimit);
    let slow = found.starts.iter().filter(|s| limited(&s.stop)).count();
    if slow > 0 {
        let form = &model.forms()[1];
        common.warn(&format!(
            "{slow} of {} starts had not converged after their iterations ('{form}' takes iterations=N)",
            found.starts.len()
        ));
    }
    let total: f64 = found.sizes.iter().sum();
    for (c, size) in found.sizes.iter().enumerate().filter(|(_, s)| **s < 1e-3 * total) {
        common.warn(&format!("cluster {} is nearly empty ({size:.2} rows expected)", c + 1));
    }
}

/// Attributes, and in each cluster states, that are listed.
const MOST_LISTED: usize = 20;
const MOST_STATES: usize = 5;

/// The attributes, those that tell most about the cluster first.
fn by_information(found: &ClusterOutcome) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.information.len()).collect();
    order.sort_by(|&x, &y| found.information[y].total_cmp(&found.information[x]));
    order
}

fn text(model: &Classifier, found: &ClusterOutcome, agreed: Option<&Agreement>) -> String {
    let mut text = format!(
        "{} by {} from {} rows of {}\nlog-likelihood {:.3}, reached by {} of {} starts\n\n",
        model.forms()[0],
        model.forms()[1],
        grouped(model.training().rows),
        model.training().file,
        found.log_likelihood,
        found.reached,
        found.starts.len()
    );
    let total: f64 = found.sizes.iter().sum();
    let mut sizes = TextTable::new(["cluster", "rows expected", "share"], 0);
    for (c, size) in found.sizes.iter().enumerate() {
        sizes.row([(c + 1).to_string(), format!("{size:.1}"), percent(size / total)]);
    }
    text.push_str(&sizes.text(0));
    if let Some(a) = agreed {
        let _ = writeln!(
            text,
            "\nwith the known groups: {} right under the best matching, adjusted Rand {:.4}, normalised mutual \
             information {:.4}",
            percent(a.accuracy),
            a.adjusted_rand,
            a.normalised_information
        );
    }
    let _ = write!(text, "\n{}\n{}", relevance(model, found), profiles(model, found));
    text
}

/// What each column tells, the most first.
fn relevance(model: &Classifier, found: &ClusterOutcome) -> String {
    let mut header = vec!["column", "bits about the cluster", "I_P"];
    let probable = model.outcome().relevance.as_ref();
    header.extend(probable.map(|_| "probability that it matters"));
    let mut rows = TextTable::new(header, 1);
    let order = by_information(found);
    for &v in order.iter().take(MOST_LISTED) {
        let mut row = vec![
            cut(&model.schema().fields[v].name, 30),
            format!("{:.4}", found.information[v]),
            format!("{:.4}", found.independence[v]),
        ];
        row.extend(probable.map(|p| format!("{:.4}", p[v])));
        rows.row(row);
    }
    let more = order.len().saturating_sub(MOST_LISTED);
    let more = if more > 0 { format!("({more} more: --json shows all)\n") } else { String::new() };
    format!("{}{more}", rows.text(0))
}

/// A state of a column in a cluster: how probable there, and in all.
struct State {
    column: usize,
    level: String,
    here: f64,
    all: f64,
}

/// Of every column the state that is most over-represented in a cluster; columns that part the cluster most from all rows
/// first, by the divergence of their distribution there from that in all.
fn profile(model: &Classifier, cluster: usize) -> Vec<State> {
    let Some(network) = model.network() else { return Vec::new() };
    let class = network.variables().len() - 1;
    let weights = network.table(class);
    let mut columns: Vec<(f64, State)> = Vec::new();
    for v in 0..class {
        let levels = &network.variables()[v].levels;
        let p = |c: usize, k: usize| network.table(v)[c * levels.len() + k];
        let state = |k: usize| {
            let all = weights.iter().enumerate().map(|(c, w)| w * p(c, k)).sum();
            State { column: v, level: levels[k].clone(), here: p(cluster, k), all }
        };
        let states: Vec<State> = (0..levels.len()).map(state).collect();
        let part = |s: &State| if s.here > 0.0 { s.here * (s.here / s.all).ln() } else { 0.0 };
        let divergence = states.iter().map(part).sum::<f64>();
        let over = |s: &State| s.here - s.all;
        let most = states.into_iter().max_by(|x, y| over(x).total_cmp(&over(y)));
        columns.extend(most.map(|s| (divergence, s)));
    }
    columns.sort_by(|(x, _), (y, _)| y.total_cmp(x));
    columns.into_iter().map(|(_, state)| state).collect()
}

fn profiles(model: &Classifier, found: &ClusterOutcome) -> String {
    let mut text = String::new();
    for cluster in 0..found.sizes.len() {
        let _ = writeln!(text, "cluster {}", cluster + 1);
        let mut rows = TextTable::new(["column", "level", "here", "in all"], 2);
        for s in profile(model, cluster).into_iter().take(MOST_STATES) {
            let name = cut(&model.schema().fields[s.column].name, 30);
            rows.row([name, cut(&s.level, 30), percent(s.here), percent(s.all)]);
        }
        text.push_str(&rows.text(2));
    }
    text
}

fn as_json(model: &Classifier, found: &ClusterOutcome, agreed: Option<&Agreement>) -> Value {
    let names: Vec<&str> = model.attributes().iter().map(|a| a.name.as_str()).collect();
    let profile = |cluster: usize| -> Vec<Value> {
        let state = |s: State| json!({"column": names[s.column], "level": s.level, "here": s.here, "in_all": s.all});
        profile(model, cluster).into_iter().map(state).collect()
    };
    let column = |v: usize| {
        json!({
            "name": names[v],
            "information": found.information[v],
            "independence": found.independence[v],
            "relevance": model.outcome().relevance.as_ref().map(|p| p[v]),
        })
    };
    json!({
        "clusters": found.sizes.len(),
        "method": model.forms()[1],
        "rows": model.training().rows,
        "log_likelihood": found.log_likelihood,
        "sizes": found.sizes,
        "reached": found.reached,
        "starts": found.starts,
        "agreement": agreed,
        "columns": by_information(found).into_iter().map(column).collect::<Vec<_>>(),
        "profiles": (0..found.sizes.len()).map(profile).collect::<Vec<_>>(),
    })
}
