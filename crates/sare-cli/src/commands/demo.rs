//! `sare demo`: the whole job on data that is made on the spot.

use crate::args::Common;
use crate::output::{TextTable, grouped, percent, print, print_json};
use clap::Args;
use sare::classify::Learner;
use sare::evaluate::{Estimate, Options, Scheme, evaluate};
use sare::network::known::{Shape, generate};
use sare::registry;
use serde_json::json;

/// Evaluate naive Bayes on data sets that need no download
#[derive(Args)]
pub struct Demo {
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// The sets, and what there is to see in each.
const SETS: [(&str, &str); 9] = [
    ("monk1", "a1 = a2 or a5 = 1: an equality, which no sum over attributes can express"),
    ("monk2", "exactly two of six: the same"),
    ("monk3", "nearly a sum: naive Bayes does well"),
    ("corral", "a relation between pairs of attributes: a tree would do better"),
    ("mofn-3-7-10", "at least 3 of 7 bits: a count, but a threshold that ranks cannot place"),
    ("tic-tac-toe", "three in a row: lost on single squares"),
    ("nursery", "a hierarchy of rules that is nearly additive"),
    ("waveform-21", "21 noisy numbers, cut into bins inside each fold"),
    ("random-nb", "a true naive Bayes model: as good as it gets"),
];

impl Demo {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let watcher = common.watcher();
        let run = common.run(self.seed, &watcher)?;
        let mut lines = Vec::new();
        let header =
            ["set", "rows", "classes", "guess", "accuracy", "+-", "CLL a row", "what it shows"];
        let mut rows = TextTable::new(header, 1).last_left();
        for (name, remark) in SETS {
            let table = generate(name, None, &Shape::default(), self.seed)?;
            let learner =
                Learner { parameters: registry::parameters("laplace")?, ..Learner::default() };
            // A class of nursery has two rows, too few to be spread over the folds.
            let scheme = Scheme::Folds { count: 10, repeats: 1, stratified: name != "nursery" };
            let result = evaluate(&learner, &table, "class", scheme, &Options::default(), &run)?;
            let Estimate { mean: accuracy, error, .. } = result.accuracy();
            let total = &result.total;
            let largest = total.confusion.iter().map(|c| c.iter().sum::<f64>()).fold(0.0, f64::max);
            let guess = largest / total.weight;
            let cll = total.cll / total.weight;
            rows.row([
                name.to_string(),
                grouped(table.rows()),
                result.classes.len().to_string(),
                percent(guess),
                percent(accuracy),
                error.map_or(String::new(), percent),
                format!("{cll:.4}"),
                remark.into(),
            ]);
            lines.push(
                json!({"set": name, "rows": table.rows(), "guess": guess, "accuracy": accuracy,
                "accuracy_standard_error": error, "mean_cll": cll}),
            );
        }
        drop(run);
        drop(watcher);
        if common.json {
            return print_json(&lines);
        }
        print(&format!(
            "Naive Bayes with Laplace parameters, 10-fold cross-validation (seed {}).\n\
             guess: always the largest class; +-: standard error; CLL: mean ln p(true class).\n\n{}\n\
             Try it on your own table:\n  sare inspect FILE\n  sare evaluate FILE --class COLUMN\n  \
             sare fit FILE --class COLUMN -o model.json\n  sare predict model.json FILE -o out.csv\n",
            self.seed,
            rows.text(0)
        ))
    }
}
