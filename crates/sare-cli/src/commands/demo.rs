//! `sare demo`: the whole job on data that is made on the spot.

use crate::args::Common;
use crate::output::{TextTable, grouped, percent, print, print_json};
use clap::Args;
use sare::classify::Learner;
use sare::evaluate::{Options, Scheme, evaluate};
use sare::network::known::{Shape, generate};
use sare::registry;
use serde_json::json;

/// Evaluate naive Bayes and TAN on data sets that need no download
#[derive(Args)]
pub struct Demo {
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// The sets, and what there is to see in each.
const SETS: [(&str, &str); 9] = [
    ("monk1", "an equality of two attributes: no sum over attributes, but one arc of a tree"),
    ("monk2", "exactly two of six: neither a sum nor a tree"),
    ("monk3", "nearly a sum"),
    ("corral", "two pairs of attributes: a tree joins them"),
    ("mofn-3-7-10", "at least 3 of 7 bits: a count with a threshold, which frequencies misplace"),
    ("tic-tac-toe", "three in a row: lost on single squares"),
    ("nursery", "a hierarchy of rules that is nearly additive"),
    ("waveform-21", "21 noisy numbers, cut into bins inside each fold"),
    ("random-nb", "a true naive Bayes model: nothing to add"),
];

impl Demo {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let watcher = common.watcher();
        let run = common.run(self.seed, &watcher)?;
        let learner = |model: &str| -> anyhow::Result<Learner> {
            Ok(Learner { structure: registry::structure(model)?, ..Learner::default() })
        };
        let learners = [learner("nb")?, learner("tan")?];
        let mut lines = Vec::new();
        let header =
            ["set", "rows", "classes", "guess", "naive Bayes", "+-", "TAN", "+-", "what it shows"];
        let mut rows = TextTable::new(header, 1).last_left();
        for (name, remark) in SETS {
            let table = generate(name, None, &Shape::default(), self.seed)?;
            // A class of nursery has two rows, too few to be spread over the folds.
            let scheme = Scheme::Folds { count: 10, repeats: 1, stratified: name != "nursery" };
            let mut row = vec![name.to_string(), grouped(table.rows())];
            let mut line = json!({"set": name, "rows": table.rows()});
            for (i, learner) in learners.iter().enumerate() {
                let result = evaluate(learner, &table, "class", scheme, &Options::default(), &run)?;
                if i == 0 {
                    let sizes = result.total.confusion.iter().map(|c| c.iter().sum::<f64>());
                    let guess = sizes.fold(0.0, f64::max) / result.total.weight;
                    row.extend([result.classes.len().to_string(), percent(guess)]);
                    line["guess"] = guess.into();
                }
                let accuracy = result.accuracy();
                row.push(percent(accuracy.mean));
                row.push(accuracy.error.map_or(String::new(), percent));
                line[learner.structure.form()] = json!(accuracy);
            }
            row.push(remark.into());
            rows.row(row);
            lines.push(line);
        }
        drop(run);
        drop(watcher);
        if common.json {
            return print_json(&lines);
        }
        print(&format!(
            "Accuracy of naive Bayes and of its tree-augmented form, 10-fold cross-validation (seed {}).\n\
             guess: always the largest class; +-: standard error.\n\n{}\n\
             Try it on your own table:\n  sare inspect FILE\n  sare evaluate FILE --class COLUMN\n  \
             sare fit FILE --class COLUMN -o model.json\n  sare predict model.json FILE -o out.csv\n",
            self.seed,
            rows.text(0)
        ))
    }
}
