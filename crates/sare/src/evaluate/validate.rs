//! Validation: everything that is learnt is learnt from the training part alone.

use super::metrics::Metrics;
use crate::classify::Learner;
use crate::classify::learner::{arrange, labelled};
use crate::data::split::{Folds, Split, hold_out};
use crate::data::{Table, View};
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use crate::stats::Merge;
use rayon::prelude::*;
use serde::Serialize;

/// How rows are parted into training and test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scheme {
    /// Every row is tested once, by a model learnt from the other folds; each class is spread over the folds.
    Folds(
        /// How many folds.
        usize,
    ),
    /// Every row is tested by a model learnt from all others.
    LeaveOneOut,
    /// A random part is tested by a model learnt from the rest.
    HoldOut(
        /// The share that is tested.
        f64,
    ),
    /// The first rows are learnt from, the others tested.
    FirstRows(
        /// How many.
        usize,
    ),
}

/// What came of one fold.
#[derive(Clone, Debug, Serialize)]
pub struct FoldResult {
    /// Rows learnt from.
    pub trained: usize,
    /// Rows tested.
    pub tested: usize,
    /// The share predicted right.
    pub accuracy: f64,
    /// The mean of ln p(true class | row).
    pub mean_cll: f64,
}

/// What came of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The classes.
    pub classes: Vec<String>,
    /// Fold by fold.
    pub folds: Vec<FoldResult>,
    /// Over all tested rows.
    pub total: Metrics,
    /// Rows left out because their class is unknown.
    pub unlabelled: usize,
}

impl Evaluation {
    /// The mean accuracy of the folds and its standard error, which is missing for a single fold.
    pub fn accuracy(&self) -> (f64, Option<f64>) {
        let n = self.folds.len() as f64;
        let mean = self.folds.iter().map(|f| f.accuracy).sum::<f64>() / n;
        let squares: f64 = self.folds.iter().map(|f| (f.accuracy - mean).powi(2)).sum();
        (mean, (n > 1.0).then(|| (squares / (n - 1.0) / n).sqrt()))
    }
}

/// Evaluates a learner on a table. The folds run in parallel; no result depends on how.
pub fn evaluate(
    learner: &Learner,
    table: &Table,
    class: &str,
    scheme: Scheme,
    run: &Run<'_>,
) -> Result<Evaluation> {
    let columns = arrange(table.schema(), class, table.name())?;
    let arranged = table.select(&columns);
    let rows = labelled(arranged.view());
    let splits = splits(&arranged, &rows, scheme, run.seed)?;
    run.tell(&Event::Phase { name: "folds", steps: Some(splits.count() as u64) })?;
    let one = |fold: usize| -> Result<(FoldResult, Metrics)> {
        let split = splits.get(fold);
        let metrics = run_fold(learner, &arranged, &split, run)?;
        run.tell(&Event::Step { steps: 1 })?;
        let mean_cll = metrics.conditional_log_likelihood() / metrics.weight();
        let result = FoldResult {
            trained: split.train.len(),
            tested: split.test.len(),
            accuracy: metrics.accuracy(),
            mean_cll,
        };
        Ok((result, metrics))
    };
    let results: Vec<(FoldResult, Metrics)> =
        run.install(|| (0..splits.count()).into_par_iter().map(one).collect::<Result<Vec<_>>>())?;
    let classes = arranged.field(arranged.columns() - 1).levels().to_vec();
    let mut total = Metrics::new(classes.len());
    results.iter().for_each(|(_, m)| total.merge(m));
    let folds = results.into_iter().map(|(f, _)| f).collect();
    Ok(Evaluation { classes, folds, total, unlabelled: table.rows() - rows.len() })
}

enum Splits {
    Folds(Folds),
    One(Split),
}

impl Splits {
    fn count(&self) -> usize {
        match self {
            Splits::Folds(f) => f.count(),
            Splits::One(_) => 1,
        }
    }

    fn get(&self, fold: usize) -> Split {
        match self {
            Splits::Folds(f) => f.split(fold),
            Splits::One(s) => s.clone(),
        }
    }
}

fn splits(table: &Table, rows: &[u32], scheme: Scheme, seed: u64) -> Result<Splits> {
    let bad = |setting: &str, value: String, expected: String| {
        Err(Error::Setting { learner: "evaluate".into(), setting: setting.into(), value, expected })
    };
    match scheme {
        Scheme::Folds(count) if count < 2 || count > rows.len() => {
            let expected = format!("from 2 to {}, the number of rows of known class", rows.len());
            bad("folds", count.to_string(), expected)
        }
        Scheme::Folds(count) => {
            let class = table.cells(table.columns() - 1);
            let classes: Vec<usize> =
                rows.iter().map(|&r| class.code(r as usize).unwrap_or(0)).collect();
            Ok(Splits::Folds(Folds::stratified(rows, &classes, count, seed, 0)))
        }
        Scheme::LeaveOneOut => Ok(Splits::Folds(Folds::leave_one_out(rows))),
        Scheme::HoldOut(share) if share > 0.0 && share < 1.0 && rows.len() > 1 => {
            Ok(Splits::One(hold_out(rows, share, seed, 0)))
        }
        Scheme::HoldOut(share) => bad(
            "hold-out",
            share.to_string(),
            "above 0 and below 1, with rows on both sides".into(),
        ),
        Scheme::FirstRows(count) => {
            let (train, test): (Vec<u32>, Vec<u32>) =
                rows.iter().partition(|&&r| (r as usize) < count);
            if train.is_empty() || test.is_empty() {
                let expected = format!("below {}, with rows on both sides", table.rows());
                return bad("train-first", count.to_string(), expected);
            }
            Ok(Splits::One(Split { train, test }))
        }
    }
}

fn run_fold(learner: &Learner, table: &Table, split: &Split, run: &Run<'_>) -> Result<Metrics> {
    let (classifier, coded) = learner.fit_arranged(View::of(table, &split.train), run)?;
    let posteriors = classifier.log_posteriors(View::of(&coded, &split.test), run);
    let class = coded.columns() - 1;
    let mut metrics = Metrics::new(coded.field(class).states());
    for (i, &row) in split.test.iter().enumerate() {
        if let Some(truth) = coded.cells(class).code(row as usize) {
            let weight = table.weights().map_or(1.0, |w| w[row as usize]);
            metrics.add(&posteriors, i, truth, weight);
        }
    }
    Ok(metrics)
}
