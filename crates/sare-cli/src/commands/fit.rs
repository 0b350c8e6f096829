//! `sare fit`: learn a classifier and save it.

use super::show::{probabilities, relevance};
use crate::args::{Common, Learning, Reading, Usage, read_again};
use crate::output::{TextTable, cut, grouped, keep_apart, print, print_json};
use clap::Args;
use sare::classify::Classifier;
use sare::data::{Stream, Table, read_table};
use sare::run::{ArcProbability, ArcReason};
use serde_json::json;
use std::fmt::Write as _;

/// Learn a classifier from a file and save it
#[derive(Args)]
pub struct Fit {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// Where the model goes (- for standard output)
    #[arg(long, short, value_name = "FILE")]
    output: String,
    /// Read the file in pieces: any size in bounded memory
    #[arg(long)]
    stream: bool,
    /// Say why each arc is there: information, gain in BIC, a test of chance, and its probability where one is known
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    learning: Learning,
    #[command(flatten)]
    reading: Reading,
}

impl Fit {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        keep_apart(&[("--output", &self.output)], &[("data file", &self.data)])?;
        let learner = self.learning.learner()?;
        let options = self.learning.checked(self.reading.options())?;
        if self.stream {
            read_again("--stream", &self.data)?;
        }
        if self.stream && options.bins.is_some() {
            return Err(Usage("--bins needs all rows in memory: leave out --stream".into()).into());
        }
        let watcher = common.watcher();
        let run = common.run(self.learning.seed, &watcher)?;
        let class = &self.learning.class;
        let classifier = if self.stream {
            let stream = Stream::open(&self.data, &options, &run)?;
            learner.fit_stream(&stream, class, &run)?
        } else {
            let table = read_table(&self.data, &options, &run)?;
            warn_of_weights(&table, common);
            let fitted = learner.fit(table.view(), class, &run)?;
            let unlabelled = table.rows() - fitted.training().rows;
            if unlabelled > 0 {
                common.warn(&format!("{unlabelled} rows have no class and were not learnt from"));
            }
            fitted
        };
        common.notes(&classifier.training().conventions.notes);
        watcher.notes().iter().for_each(|note| common.warn(note));
        drop(watcher);
        if classifier.training().cut_rows < classifier.training().rows {
            common.warn(&format!(
                "the file is too large to sort: cut points were learnt from a random sample of {} rows",
                grouped(classifier.training().cut_rows)
            ));
        }
        let classifier = classifier.with_missing(options.missing).with_weight(options.weight);
        classifier.save(&self.output)?;
        if self.output == "-" {
            return Ok(());
        }
        if common.json {
            let mut summary = summary_json(&classifier);
            if self.explain {
                summary["arcs"] = reasons_json(&classifier);
            }
            print_json(&summary)
        } else {
            let mut text = summary(&classifier);
            if self.explain {
                text.push_str(&reasons(&classifier));
            }
            print(&text)
        }
    }
}

/// Says what weights that are no numbers of cases are taken for.
pub fn warn_of_weights(table: &Table, common: &Common) {
    if let (None, Some(words)) = (table.frequencies(), table.weights_in_words()) {
        common.warn(&format!("weights are {words}"));
    }
}

fn summary(c: &Classifier) -> String {
    let cut = c.bins().cuts.iter().flatten().count();
    let mut text = format!(
        "{} with {} parameters from {} rows of {}\n",
        c.forms()[0],
        c.forms()[1],
        grouped(c.training().rows),
        c.training().file
    );
    let levels = c.class().levels().join(", ");
    let _ = writeln!(text, "class '{}': {}", c.class().name, crate::output::cut(&levels, 70));
    let _ = writeln!(
        text,
        "{} attributes ({cut} cut into bins), {} free parameters",
        c.attributes().len(),
        grouped(c.free_parameters())
    );
    text
}

fn summary_json(c: &Classifier) -> serde_json::Value {
    json!({
        "structure": c.forms()[0],
        "parameters": c.forms()[1],
        "rows": c.training().rows,
        "class": c.class().name,
        "levels": c.class().levels(),
        "attributes": c.attributes().len(),
        "free_parameters": c.free_parameters(),
        "notes": c.training().conventions.notes,
    })
}

/// Why each arc is there, the strongest first; in an average, how probable it is.
fn reasons(c: &Classifier) -> String {
    let name = |v: usize| cut(&c.schema().fields[v].name, 30);
    let mut text = String::new();
    let mut all = c.outcome().reasons.clone();
    all.sort_by(|x, y| y.information.total_cmp(&x.information));
    if !all.is_empty() {
        let mut rows = TextTable::new(["arc", "information", "gain in BIC", "by chance"], 1);
        for r in all {
            rows.row([
                format!("{} -> {}", name(r.parent), name(r.child)),
                format!("{:.5}", r.information),
                format!("{:.2}", r.gain),
                p_value(r.chance),
            ]);
        }
        let what = "information: I(child; parent | other parents) in nats; by chance: the probability of as much if \
                    there were none";
        let _ = writeln!(text, "\n{}{what}", rows.text(0));
    }
    text + &relevance(c) + &probabilities(c)
}

fn p_value(p: f64) -> String {
    if p < 1e-4 { format!("{p:.0e}") } else { format!("{p:.4}") }
}

fn reasons_json(c: &Classifier) -> serde_json::Value {
    let name = |v: usize| c.schema().fields[v].name.as_str();
    let one = |r: &ArcReason| {
        json!({
            "parent": name(r.parent), "child": name(r.child), "information": r.information,
            "gain": r.gain, "chance": r.chance,
        })
    };
    let probable = |a: &ArcProbability| json!({"parent": name(a.parent), "child": name(a.child), "probability": a.probability});
    let of_class = |(v, &p): (usize, &f64)| json!({"parent": c.class().name, "child": name(v), "probability": p});
    let relevance = c.outcome().relevance.iter().flatten().enumerate();
    // Where arcs have probabilities, those from the class are among them.
    let alone = relevance.filter(|_| c.outcome().arcs.is_none());
    let reasons = c.outcome().reasons.iter().map(one);
    reasons
        .chain(alone.map(of_class))
        .chain(c.outcome().arcs.iter().flatten().map(probable))
        .collect()
}
