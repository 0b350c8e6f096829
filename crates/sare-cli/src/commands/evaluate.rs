//! `sare evaluate`: how well a learner does on rows it has not seen.

use super::fit::warn_of;
use crate::args::{Common, Learning, Reading};
use crate::output::{TextTable, cut, grouped, percent, print, print_json};
use crate::scheme::SchemeArgs;
use clap::Args;
use sare::classify::CostMatrix;
use sare::data::read_table;
use sare::evaluate::{Estimate, Evaluation, Measures, Options, evaluate};
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
        let watcher = common.watcher();
        let run = common.run(self.learning.seed, &watcher)?;
        let reading = self.learning.checked(self.reading.options())?;
        let table = read_table(&self.data, &reading, &run)?;
        let class = &self.learning.class;
        warn_of(table.schema(), table.rows(), class, common);
        let column = table.schema().require(class, table.name())?;
        let costs = match &self.cost {
            Some(path) => Some(CostMatrix::read(path, table.field(column).levels())?),
            None => None,
        };
        let options = Options { costs, training: self.training };
        let result = evaluate(&learner, &table, class, scheme, &options, &run)?;
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
            scheme.words(),
            self.learning.seed
        );
        if common.json {
            print_json(&as_json(&what, &result))
        } else {
            print(&format!("{what}\n\n{}", as_text(&result)))
        }
    }
}

/// A measure: its name, how it is got, whether it is a share, and what it is.
type Shown = (&'static str, fn(&Measures) -> f64, bool, &'static str);

const SHOWN: [Shown; 11] = [
    ("accuracy", |m| m.accuracy, true, "share predicted right"),
    ("mean CLL", |m| m.cll / m.weight, false, "mean of ln p(true class | row)"),
    ("mean LL", |m| m.ll / m.weight, false, "mean of ln p(true class, row)"),
    ("expected error", |m| m.ae / m.weight, false, "mean of 1 - p(true class | row)"),
    ("squared error", |m| m.se / m.weight, false, "mean of (1 - p(true class | row))^2"),
    ("Brier score", |m| m.brier, false, "mean squared distance of the probabilities"),
    (
        "AUC",
        |m| m.auc,
        false,
        "area under the ROC curve; of several classes, the mean against the rest",
    ),
    ("weighted AUC", |m| m.auc_weighted, false, "the same, weighted by the classes"),
    ("calibration", |m| m.calibration.error_by_width, false, "error over 10 bins of equal width"),
    ("", |m| m.calibration.error_by_count, false, "error over 10 bins of equal count"),
    ("cost", |m| m.cost.unwrap_or(f64::NAN), false, "mean cost of the decisions"),
];

fn as_text(result: &Evaluation) -> String {
    let training = result.folds.iter().any(|f| f.training.is_some());
    let mut header = vec!["measure", "test", "+-"];
    header.extend(training.then_some("training"));
    header.push("what it is");
    let mut rows = TextTable::new(header, 1).last_left();
    let several = result.classes.len() > 2;
    for (name, measure, share, help) in SHOWN {
        let skipped =
            (name == "cost" && result.total.cost.is_none()) || (name == "weighted AUC" && !several);
        if skipped {
            continue;
        }
        let show = |x: f64| if share { percent(x) } else { format!("{x:.6}") };
        let e = if name == "accuracy" { result.accuracy() } else { result.estimate(measure) };
        let mut row = vec![name.to_string(), show(e.mean), e.error.map_or(String::new(), show)];
        if training {
            let values: Vec<f64> =
                result.folds.iter().filter_map(|f| f.training.as_ref()).map(measure).collect();
            row.push(show(Estimate::of(&values).mean));
        }
        row.push(help.into());
        rows.row(row);
    }
    let total = &result.total;
    let mut text = rows.text(0);
    let parts = if result.folds.len() == 1 { "one part" } else { "standard error over the parts" };
    let _ = writeln!(text, "\n+-: {parts}; {} rows tested", grouped(total.rows));
    if total.impossible > 0.0 {
        let _ = writeln!(text, "{} rows whose true class got probability 0", total.impossible);
    }
    let _ = write!(text, "\n{}", confusion(result));
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

fn as_json(what: &str, result: &Evaluation) -> serde_json::Value {
    let accuracy = result.accuracy();
    let cll = result.estimate(|m| m.cll / m.weight);
    let folds: Vec<_> = result
        .folds
        .iter()
        .map(|f| json!({"trained": f.trained, "tested": f.test.rows, "test": f.test, "training": f.training}))
        .collect();
    json!({
        "evaluation": what,
        "accuracy": accuracy.mean,
        "accuracy_standard_error": accuracy.error,
        "cll": result.total.cll,
        "mean_cll": cll.mean,
        "rows": result.total.rows,
        "unlabelled_rows": result.unlabelled,
        "classes": result.classes,
        "total": result.total,
        "confusion": result.total.confusion,
        "folds": folds,
    })
}
