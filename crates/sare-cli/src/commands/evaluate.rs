//! `sare evaluate`: how well a learner does on rows it has not seen.

use crate::args::{Common, Learning, Reading, Usage};
use crate::output::{TextTable, cut, grouped, percent, print, print_json};
use crate::scheme::SchemeArgs;
use clap::Args;
use sare::classify::CostMatrix;
use sare::data::{About, Note, read_table};
use sare::evaluate::{Estimate, Evaluation, MEASURES, Options, Scheme, evaluate, impossible_note};
use serde_json::json;
use std::fmt::Write as _;

/// Evaluate a learner on rows it has not seen
#[derive(Args)]
pub struct Evaluate {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// Decide by least expected cost, with the costs of this CSV file (header: decisions; rows: true classes)
    #[arg(long, value_name = "FILE")]
    cost: Option<String>,
    /// Show the measures on the training rows too
    #[arg(long)]
    training: bool,
    #[command(flatten)]
    scheme: SchemeArgs,
    #[command(flatten)]
    learning: Learning,
    #[command(flatten)]
    reading: Reading,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let learner = self.learning.learner()?;
        let scheme = self.scheme.scheme()?;
        if self.training && scheme == Scheme::LeaveOneOut {
            let text =
                "--training does not go with --leave-one-out: there is a training part a row";
            return Err(Usage(text.into()).into());
        }
        if self.data == "-" && self.cost.as_deref() == Some("-") {
            return Err(Usage(
                "only one of the data and the costs can come from standard input".into(),
            )
            .into());
        }
        let watcher = common.watcher();
        let run = common.run(self.learning.seed, &watcher)?;
        let reading = self.learning.checked(self.reading.options())?;
        let table = read_table(&self.data, &reading, &run)?;
        let class = &self.learning.class;
        let column = table.schema().require(class, table.name())?;
        let costs = match &self.cost {
            Some(path) => Some(CostMatrix::read(path, table.field(column).levels())?),
            None => None,
        };
        let options = Options { costs, training: self.training };
        let result = evaluate(&learner, &table, class, scheme, &options, &run)?;
        let weights = table.weights_in_words();
        drop(run);
        common.notes(&result.notes);
        drop(watcher);
        if result.unlabelled > 0 {
            common.warn(&format!("{} rows have no class and were left out", result.unlabelled));
        }
        let what = format!(
            "{} with {} parameters on {}, {} (seed {})",
            learner.structure.form(),
            learner.parameters.form(),
            table.name(),
            scheme.words(),
            self.learning.seed
        );
        if common.json {
            print_json(&as_json(&what, self.learning.seed, weights, &result))
        } else {
            let weights = weights.map_or(String::new(), |words| format!("weights: {words}\n"));
            print(&format!(
                "{what}\n{weights}\n{}",
                as_text(&result, table.frequencies().is_some())
            ))
        }
    }
}

fn as_text(result: &Evaluation, cases: bool) -> String {
    let training = result.folds.iter().any(|f| f.training.is_some());
    let mut header = vec!["measure", "test", "+-"];
    header.extend(training.then_some("training"));
    header.push("what it is");
    let mut rows = TextTable::new(header, 1).last_left();
    for m in MEASURES {
        // The error says what the accuracy says, and of two classes there is one curve.
        let skipped = m.name == "error"
            || (m.name == "cost" && result.total.cost.is_none())
            || (m.name == "auc-weighted" && result.classes.len() < 3);
        if skipped {
            continue;
        }
        let show = |x: f64| if m.share { percent(x) } else { format!("{x:.6}") };
        let e = if m.name == "accuracy" { result.accuracy() } else { result.estimate(m.value) };
        let none = if e.mean.is_infinite() { "-" } else { "" };
        let mut row = vec![m.name.to_string(), show(e.mean), e.error.map_or(none.into(), show)];
        if training {
            let values: Vec<f64> =
                result.folds.iter().filter_map(|f| f.training.as_ref()).map(m.value).collect();
            row.push(show(Estimate::of(&values).mean));
        }
        let some = e.parts < result.folds.len() && result.scheme.resubstitution().is_none();
        let over = if some { format!(" (over {} parts)", e.parts) } else { String::new() };
        row.push(format!("{}{over}", m.help));
        rows.row(row);
    }
    let total = &result.total;
    let mut text = rows.text(0);
    let one = result.folds.len() == 1;
    let error = if one { "binomial standard error" } else { "standard error over the parts" };
    let _ = writeln!(text, "\n+-: {error}");
    for (split, reason) in &result.failures {
        let _ = writeln!(text, "failed: part {}: {reason}", split + 1);
    }
    if let Some(note) = impossible_note(&result.folds) {
        let _ = writeln!(text, "{note}");
    }
    let repetition = if one { "" } else { " (first repetition)" };
    let unit = if cases { "cases" } else { "rows" };
    let rows = grouped(total.rows);
    let _ = write!(text, "\n{rows} {unit} tested{repetition}:\n{}", confusion(result));
    text
}

/// Classes shown side by side in a confusion matrix.
const WIDEST: usize = 14;

fn confusion(result: &Evaluation) -> String {
    let shown = result.classes.len().min(WIDEST);
    let mut header = vec!["true \\ predicted".to_string()];
    header.extend(result.classes[..shown].iter().map(|c| cut(c, 12)));
    header.extend(["recall".into(), "precision".into()]);
    let mut rows = TextTable::new(header, 1);
    let share = |x: f64| if x.is_nan() { "-".into() } else { percent(x) };
    for (c, counts) in result.total.confusion.iter().enumerate() {
        let mut row = vec![cut(&result.classes[c], 30)];
        row.extend(counts[..shown].iter().map(|n| format!("{}", (n * 100.0).round() / 100.0)));
        row.extend([share(result.total.recall(c)), share(result.total.precision(c))]);
        rows.row(row);
    }
    let mut text = rows.text(0);
    if shown < result.classes.len() {
        let hidden = result.classes.len() - shown;
        let _ = writeln!(text, "({hidden} more predicted classes: --json shows all)");
    }
    text
}

fn as_json(
    what: &str,
    seed: u64,
    weights: Option<String>,
    result: &Evaluation,
) -> serde_json::Value {
    let accuracy = result.accuracy();
    let impossible = impossible_note(&result.folds);
    let impossible = impossible.map(|text| Note::new(About::ZeroProbability, text));
    let notes: Vec<Note> = result.notes.iter().cloned().chain(impossible).collect();
    let measures: serde_json::Map<String, serde_json::Value> =
        MEASURES.iter().map(|m| (m.name.to_string(), json!(result.estimate(m.value)))).collect();
    let folds: Vec<_> = result
        .folds
        .iter()
        .map(|f| json!({"split": f.split, "trained": f.trained, "tested": f.test.rows, "test": f.test, "training": f.training}))
        .collect();
    let classes: Vec<_> = result
        .classes
        .iter()
        .enumerate()
        .map(|(c, name)| {
            json!({"class": name, "recall": result.total.recall(c), "precision": result.total.precision(c)})
        })
        .collect();
    json!({
        "evaluation": what,
        "scheme": result.scheme.words(),
        "seed": seed,
        "weights": weights,
        "accuracy": accuracy.mean,
        "accuracy_standard_error": accuracy.error,
        "measures": measures,
        "rows": result.total.rows,
        "unlabelled_rows": result.unlabelled,
        "classes": result.classes,
        "per_class": classes,
        "first_repetition": result.total,
        "folds": folds,
        "failures": result.failures,
        "notes": notes,
    })
}
