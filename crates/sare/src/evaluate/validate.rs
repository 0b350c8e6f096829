//! Validation: everything that is learnt is learnt from the training part alone.

use super::measures::{Measures, Predictions};
use super::scheme::{Plan, Scheme};
use crate::classify::learner::arrange;
use crate::classify::leave_one_out::leave_one_out;
use crate::classify::{CostMatrix, Learner};
use crate::data::split::Split;
use crate::data::{Table, View};
use crate::error::Result;
use crate::observe::Event;
use crate::run::Run;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What came of one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldResult {
    /// Rows learnt from.
    pub trained: usize,
    /// On the test rows.
    pub test: Measures,
    /// On the training rows, where that was asked for.
    pub training: Option<Measures>,
}

/// What came of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// How rows were parted.
    pub scheme: Scheme,
    /// The classes.
    pub classes: Vec<String>,
    /// Split by split; the last of a bootstrap is its resubstitution.
    pub folds: Vec<FoldResult>,
    /// Over all rows tested in the first repetition.
    pub total: Measures,
    /// The predictions of the rows tested in the first repetition.
    pub predictions: Predictions,
    /// Rows left out because their class is unknown.
    pub unlabelled: usize,
}

/// A mean over splits and its standard error, which is missing for a single split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over splits.
    pub deviation: Option<f64>,
    /// The standard error of the mean.
    pub error: Option<f64>,
}

impl Estimate {
    /// Of these values.
    pub fn of(values: &[f64]) -> Estimate {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let deviation = (n > 1.0).then(|| (squares / (n - 1.0)).sqrt());
        Estimate { mean, deviation, error: deviation.map(|d| d / n.sqrt()) }
    }
}

impl Evaluation {
    /// A measure's mean over splits. Of a bootstrap, .632 of the mean and .368 of the resubstitution.
    pub fn estimate(&self, measure: impl Fn(&Measures) -> f64) -> Estimate {
        estimate(self.scheme, &self.folds, measure)
    }

    /// The accuracy. Of a single split, its standard error is the binomial one.
    pub fn accuracy(&self) -> Estimate {
        let mut accuracy = self.estimate(|m| m.accuracy);
        if self.folds.len() == 1 {
            let p = accuracy.mean;
            accuracy.error = Some((p * (1.0 - p) / self.total.weight).sqrt());
        }
        accuracy
    }
}

/// A measure's mean over the splits of a scheme.
pub fn estimate(
    scheme: Scheme,
    folds: &[FoldResult],
    measure: impl Fn(&Measures) -> f64,
) -> Estimate {
    let values: Vec<f64> = folds.iter().map(|f| measure(&f.test)).collect();
    match (scheme, values.split_last()) {
        (Scheme::Bootstrap { .. }, Some((own, drawn))) if !drawn.is_empty() => {
            let outside = Estimate::of(drawn);
            Estimate {
                mean: 0.632 * outside.mean + 0.368 * own,
                deviation: outside.deviation.map(|d| 0.632 * d),
                error: outside.error.map(|e| 0.632 * e),
            }
        }
        _ => Estimate::of(&values),
    }
}

/// What an evaluation is to look at besides the test rows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Decisions and costs by this matrix.
    pub costs: Option<CostMatrix>,
    /// Measure the training rows too.
    pub training: bool,
}

/// Evaluates a learner on a table. The splits run in parallel; no result depends on how.
pub fn evaluate(
    learner: &Learner,
    table: &Table,
    class: &str,
    scheme: Scheme,
    options: &Options,
    run: &Run<'_>,
) -> Result<Evaluation> {
    let arranged = table.select(&arrange(table.schema(), class, table.name())?);
    let plan = Plan::new(&arranged, scheme, run.seed)?;
    run.tell(&Event::Phase { name: "evaluating", steps: Some(plan.len() as u64) })?;
    let one = |index: usize| -> Result<(FoldResult, Predictions)> {
        let (fold, mut predictions) = run_split(learner, &arranged, &plan, index, options, run)?;
        if index >= plan.one_repetition() {
            // Many repetitions of many rows would fill the memory.
            predictions = Predictions::default();
        }
        run.tell(&Event::Step { steps: 1 })?;
        Ok((fold, predictions))
    };
    let results: Vec<(FoldResult, Predictions)> =
        run.install(|| (0..plan.len()).into_par_iter().map(one).collect::<Result<_>>())?;
    let classes = arranged.field(arranged.columns() - 1).levels().to_vec();
    let mut predictions = Predictions::new(classes.len());
    let mut folds = Vec::with_capacity(results.len());
    for (fold, own) in results {
        predictions.extend(&own);
        folds.push(fold);
    }
    Ok(Evaluation {
        scheme,
        classes,
        total: predictions.measures(options.costs.as_ref()),
        predictions,
        folds,
        unlabelled: table.rows() - plan.rows().len(),
    })
}

/// Learns from one split's training part and predicts its test part. The table's last column is the class.
pub fn run_split(
    learner: &Learner,
    table: &Table,
    plan: &Plan,
    index: usize,
    options: &Options,
    run: &Run<'_>,
) -> Result<(FoldResult, Predictions)> {
    let split = plan.split(index);
    if plan.scheme() == Scheme::LeaveOneOut {
        let costs = options.costs.as_ref();
        let predictions = each_left_out(learner, table, &split.test, run)?;
        let trained = split.train.len() - 1;
        let fold = FoldResult { trained, test: predictions.measures(costs), training: None };
        return Ok((fold, predictions));
    }
    run_split_of(learner, table, &split, options, run)
}

/// Learns from a training part and predicts a test part. The table's last column is the class.
pub fn run_split_of(
    learner: &Learner,
    table: &Table,
    split: &Split,
    options: &Options,
    run: &Run<'_>,
) -> Result<(FoldResult, Predictions)> {
    let costs = options.costs.as_ref();
    let (test, training) = fit_and_predict(learner, table, split, options.training, run)?;
    let fold = FoldResult {
        trained: split.train.len(),
        test: test.measures(costs),
        training: training.map(|t| t.measures(costs)),
    };
    Ok((fold, test))
}

fn fit_and_predict(
    learner: &Learner,
    table: &Table,
    split: &Split,
    training: bool,
    run: &Run<'_>,
) -> Result<(Predictions, Option<Predictions>)> {
    let (classifier, coded) = learner.fit_arranged(View::of(table, &split.train), run)?;
    let predict = |rows: &[u32]| {
        let logs = classifier.log_joint(View::of(&coded, rows), run);
        collect(table, rows, |i| logs.row(i))
    };
    Ok((predict(&split.test), training.then(|| predict(&split.train))))
}

/// Leave-one-out: in closed form where there is one, otherwise a model a row.
fn each_left_out(
    learner: &Learner,
    table: &Table,
    rows: &[u32],
    run: &Run<'_>,
) -> Result<Predictions> {
    let classes = table.field(table.columns() - 1).states();
    if let Some(logs) = run.install(|| leave_one_out(learner, table, rows)) {
        return Ok(collect(table, rows, |i| &logs[i * classes..][..classes]));
    }
    run.tell(&Event::Phase { name: "leaving out each row", steps: Some(rows.len() as u64) })?;
    let one = |i: usize| -> Result<Predictions> {
        let train = rows.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &r)| r).collect();
        let split = Split { train, test: vec![rows[i]] };
        let (test, _) = fit_and_predict(learner, table, &split, false, run)?;
        run.tell(&Event::Step { steps: 1 })?;
        Ok(test)
    };
    let parts: Vec<Predictions> =
        run.install(|| (0..rows.len()).into_par_iter().map(one).collect::<Result<_>>())?;
    let mut all = Predictions::new(classes);
    parts.iter().for_each(|p| all.extend(p));
    Ok(all)
}

fn collect<'a>(table: &Table, rows: &[u32], logs: impl Fn(usize) -> &'a [f64]) -> Predictions {
    let class = table.columns() - 1;
    let mut predictions = Predictions::new(table.field(class).states());
    for (i, &row) in rows.iter().enumerate() {
        if let Some(truth) = table.cells(class).code(row as usize) {
            let weight = table.weights().map_or(1.0, |w| w[row as usize]);
            predictions.push(truth, weight, logs(i));
        }
    }
    predictions
}
