//! `sare evaluate`: how well a learner does on rows it has not seen.

use super::fit::warn_of;
use crate::args::{Common, Learning, Reading};
use crate::output::{TextTable, cut, grouped, percent, print, print_json};
use clap::Args;
use sare::data::read_table;
use sare::evaluate::{Evaluation, Scheme, evaluate};
use serde_json::json;
use std::fmt::Write as _;

/// Evaluate a learner on rows it has not seen
#[derive(Args)]
pub struct Evaluate {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    #[command(flatten)]
    scheme: SchemeArgs,
    #[command(flatten)]
    learning: Learning,
    #[command(flatten)]
    reading: Reading,
}

/// How rows are parted into training and test.
#[derive(Args)]
#[group(multiple = false)]
pub struct SchemeArgs {
    /// Stratified cross-validation with this many folds [default: 10]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Test each row on a model learnt from all others
    #[arg(long)]
    leave_one_out: bool,
    /// Test a random share of the rows on a model learnt from the rest
    #[arg(long, value_name = "SHARE")]
    hold_out: Option<f64>,
    /// Learn from the first N rows and test the others
    #[arg(long, value_name = "N")]
    train_first: Option<usize>,
}

impl SchemeArgs {
    fn scheme(&self) -> Scheme {
        match (self.leave_one_out, self.hold_out, self.train_first) {
            (true, _, _) => Scheme::LeaveOneOut,
            (_, Some(share), _) => Scheme::HoldOut(share),
            (_, _, Some(rows)) => Scheme::FirstRows(rows),
            _ => Scheme::Folds(self.folds.unwrap_or(10)),
        }
    }

    fn words(&self) -> String {
        match self.scheme() {
            Scheme::LeaveOneOut => "leave one out".into(),
            Scheme::HoldOut(share) => format!("hold-out of {}", percent(share)),
            Scheme::FirstRows(rows) => format!("learnt from the first {rows} rows"),
            Scheme::Folds(n) => format!("stratified {n}-fold cross-validation"),
            _ => "validation".into(),
        }
    }
}

impl Evaluate {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let learner = self.learning.learner()?;
        let watcher = common.watcher();
        let run = common.run(self.learning.seed, &watcher)?;
        let options = self.learning.checked(self.reading.options())?;
        let table = read_table(&self.data, &options, &run)?;
        warn_of(table.schema(), table.rows(), &self.learning.class, common);
        let result = evaluate(&learner, &table, &self.learning.class, self.scheme.scheme(), &run)?;
        drop(run);
        drop(watcher);
        if result.unlabelled > 0 {
            common.warn(&format!("{} rows have no class and were left out", result.unlabelled));
        }
        let what = format!(
            "{} with {} parameters on {}, {} (seed {})",
            learner.structure.form(),
            learner.parameters.form(),
            table.name(),
            self.scheme.words(),
            self.learning.seed
        );
        if common.json {
            print_json(&as_json(&what, &result))
        } else {
            print(&format!("{what}\n\n{}", as_text(&result)))
        }
    }
}

fn as_text(result: &Evaluation) -> String {
    let mut text = String::new();
    let (accuracy, error) = result.accuracy();
    let error = error.map_or(String::new(), |e| format!(" +- {} (standard error)", percent(e)));
    let total = &result.total;
    let _ = writeln!(text, "accuracy    {}{error}", percent(accuracy));
    let cll = total.conditional_log_likelihood();
    let _ = writeln!(text, "CLL         {cll:.4}, {:.6} a row", cll / total.weight());
    if total.impossible > 0.0 {
        let _ =
            writeln!(text, "            {} rows whose class got probability 0", total.impossible);
    }
    let _ = writeln!(text, "rows tested {}\n", grouped(total.rows));
    text.push_str(&confusion(result));
    text
}

/// Classes shown side by side in a confusion matrix.
const WIDEST: usize = 14;

fn confusion(result: &Evaluation) -> String {
    let shown = result.classes.len().min(WIDEST);
    let mut header = vec!["true \\ predicted".to_string()];
    header.extend(result.classes[..shown].iter().map(|c| cut(c, 12)));
    header.push("right".into());
    let mut rows = TextTable::new(header, 1);
    for (c, counts) in result.total.confusion.iter().enumerate() {
        let mut row = vec![cut(&result.classes[c], 30)];
        row.extend(counts[..shown].iter().map(|n| format!("{}", (n * 100.0).round() / 100.0)));
        let sum: f64 = counts.iter().sum();
        row.push(if sum > 0.0 { percent(counts[c] / sum) } else { "-".into() });
        rows.row(row);
    }
    let mut text = rows.text(0);
    if shown < result.classes.len() {
        let hidden = result.classes.len() - shown;
        let _ = writeln!(text, "({hidden} more predicted classes: --json shows all)");
    }
    text
}

fn as_json(what: &str, result: &Evaluation) -> serde_json::Value {
    let (accuracy, error) = result.accuracy();
    let cll = result.total.conditional_log_likelihood();
    json!({
        "evaluation": what,
        "accuracy": accuracy,
        "accuracy_standard_error": error,
        "cll": cll,
        "mean_cll": cll / result.total.weight(),
        "impossible_rows": result.total.impossible,
        "rows": result.total.rows,
        "unlabelled_rows": result.unlabelled,
        "classes": result.classes,
        "confusion": result.total.confusion,
        "folds": result.folds,
    })
}
