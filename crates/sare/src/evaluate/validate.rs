//! Validation: everything that is learnt is learnt from the training part alone.

use super::measures::{Measures, Predictions};
use super::scheme::{Plan, Scheme};
use crate::classify::learner::{arrange, check_table};
use crate::classify::leave_one_out::leave_one_out;
use crate::classify::{CostMatrix, Learner};
use crate::data::notes::Note;
use crate::data::split::{Part, Split};
use crate::data::{Table, View};
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What came of one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldResult {
    /// The number of the split.
    pub split: usize,
    /// Cases learnt from.
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
    /// The splits on which the learner failed, and why.
    pub failures: Vec<(usize, String)>,
    /// Over all rows tested in the first repetition.
    pub total: Measures,
    /// The predictions of the rows tested in the first repetition.
    pub predictions: Predictions,
    /// Rows left out because their class is unknown.
    pub unlabelled: usize,
    /// What was decided while the table was read, and what is to be known of the classes.
    pub notes: Vec<Note>,
}

/// What came of a split: its measures, or why there are none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SplitOutcome {
    /// It was learnt and measured.
    Done(Box<FoldResult>),
    /// The learner failed.
    Failed(String),
}

/// A mean over splits and its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over splits; none of a single split, or where the mean is infinite.
    pub deviation: Option<f64>,
    /// The standard error of the mean; none where there is no deviation.
    pub error: Option<f64>,
    /// How many splits it is over: those on which the measure is defined.
    pub parts: usize,
}

impl Estimate {
    /// Of these values; those that are no numbers (such as the AUC of a part without one of the classes) are left out.
    pub fn of(values: &[f64]) -> Estimate {
        let values: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let deviation = (n > 1.0).then(|| (squares / (n - 1.0)).sqrt()).filter(|d| d.is_finite());
        let error = deviation.map(|d| d / n.sqrt());
        Estimate { mean, deviation, error, parts: values.len() }
    }
}

impl Evaluation {
    /// A measure's mean over splits. Of a bootstrap, .632 of the mean and .368 of the resubstitution.
    pub fn estimate(&self, measure: impl Fn(&Measures) -> f64) -> Estimate {
        estimate(self.scheme, &self.folds, measure).unwrap_or_else(|| Estimate::of(&[]))
    }

    /// The accuracy. Of a single split, its standard error is the binomial one.
    pub fn accuracy(&self) -> Estimate {
        let mut accuracy = self.estimate(|m| m.accuracy);
        if self.folds.len() == 1 {
            let p = accuracy.mean;
            accuracy.error = Some((p * (1.0 - p) / self.total.effective_cases).sqrt());
        }
        accuracy
    }
}

/// A measure's mean over the splits of a scheme; `None` if there are none, or a bootstrap lacks one of its two sides.
pub fn estimate(
    scheme: Scheme,
    folds: &[FoldResult],
    measure: impl Fn(&Measures) -> f64,
) -> Option<Estimate> {
    let (own, tested): (Vec<&FoldResult>, Vec<&FoldResult>) =
        folds.iter().partition(|f| scheme.resubstitution() == Some(f.split));
    if tested.is_empty() {
        return None;
    }
    let outside = Estimate::of(&tested.iter().map(|f| measure(&f.test)).collect::<Vec<_>>());
    if scheme.resubstitution().is_none() {
        return Some(outside);
    }
    own.first().map(|own| Estimate {
        mean: 0.632 * outside.mean + 0.368 * measure(&own.test),
        deviation: outside.deviation.map(|d| 0.632 * d),
        error: outside.error.map(|e| 0.632 * e),
        parts: outside.parts,
    })
}

/// Why the conditional log-likelihood of some splits is infinite; `None` where it is not.
pub fn impossible_note<'a>(folds: impl IntoIterator<Item = &'a FoldResult>) -> Option<String> {
    let rows: f64 = folds.into_iter().map(|f| f.test.impossible).sum();
    let are = if rows == 1.0 { "test row has" } else { "test rows have" };
    (rows > 0.0).then(|| format!("cll is -inf: {rows} {are} probability 0 for the true class"))
}

/// What an evaluation is to look at besides the test rows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Decisions and costs by this matrix.
    pub costs: Option<CostMatrix>,
    /// Measure the training rows too.
    pub training: bool,
}

/// Evaluates a learner on a table. The splits run in parallel; no result depends on how. A split on which the learner
/// fails does not lose the others.
pub fn evaluate(
    learner: &Learner,
    table: &Table,
    class: &str,
    scheme: Scheme,
    options: &Options,
    run: &Run<'_>,
) -> Result<Evaluation> {
    let arranged = arranged(table, class)?;
    let plan = Plan::new(&arranged, scheme, run.seed)?;
    run.tell(&Event::Phase { name: "evaluating", steps: Some(plan.len() as u64) })?;
    let one = |index: usize| -> Result<(SplitOutcome, Predictions)> {
        let result = attempt(learner, &arranged, &plan, index, options, run)?;
        run.tell(&Event::Step { steps: 1 })?;
        Ok(result)
    };
    let results: Vec<(SplitOutcome, Predictions)> =
        run.install(|| (0..plan.len()).into_par_iter().map(one).collect::<Result<_>>())?;
    let classes = arranged.field(arranged.columns() - 1).levels().to_vec();
    let mut predictions = Predictions::new(classes.len());
    let (mut folds, mut failures) = (Vec::new(), Vec::new());
    for (index, (outcome, own)) in results.into_iter().enumerate() {
        predictions.extend(&own);
        match outcome {
            SplitOutcome::Done(fold) => folds.push(*fold),
            SplitOutcome::Failed(reason) => failures.push((index, reason)),
        }
    }
    if let (true, Some((_, reason))) = (folds.is_empty(), failures.first()) {
        let problem = format!("the learner failed on every split: {reason}");
        return Err(Error::data(table.name(), problem, "try another scheme or learner"));
    }
    Ok(Evaluation {
        scheme,
        classes,
        total: predictions.measures(options.costs.as_ref()),
        predictions,
        folds,
        failures,
        unlabelled: table.rows() - plan.rows().len(),
        notes: notes_of(table, &plan),
    })
}

/// What was decided while the table was read, and what is to be known of its classes under a scheme.
pub fn notes(table: &Table, class: &str, scheme: Scheme) -> Result<Vec<Note>> {
    Ok(notes_of(table, &Plan::new(&arranged(table, class)?, scheme, 0)?))
}

fn notes_of(table: &Table, plan: &Plan) -> Vec<Note> {
    table.conventions().notes.iter().chain(plan.note()).cloned().collect()
}

/// The columns to learn from, the class last, checked once for all splits.
pub(super) fn arranged(table: &Table, class: &str) -> Result<Table> {
    let arranged = table.select(&arrange(table.schema(), class, table.name())?);
    check_table(&arranged)?;
    Ok(arranged)
}

/// One split; a failure of the learner is an outcome, an interruption is not. The predictions of later repetitions are
/// not kept: they would fill the memory.
pub(super) fn attempt(
    learner: &Learner,
    table: &Table,
    plan: &Plan,
    index: usize,
    options: &Options,
    run: &Run<'_>,
) -> Result<(SplitOutcome, Predictions)> {
    match run_split(learner, table, plan, index, options, run) {
        Ok((fold, predictions)) => {
            let first = index < plan.one_repetition();
            let kept = if first { predictions } else { Predictions::default() };
            Ok((SplitOutcome::Done(Box::new(fold)), kept))
        }
        Err(Error::Interrupted) => Err(Error::Interrupted),
        Err(e) => Ok((SplitOutcome::Failed(e.to_string()), Predictions::default())),
    }
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
        let trained = split.train.len() as usize - 1;
        let test = predictions.measures(costs);
        let fold = FoldResult { split: index, trained, test, training: None };
        return Ok((fold, predictions));
    }
    let (fold, predictions) = run_split_of(learner, table, &split, options, run)?;
    Ok((FoldResult { split: index, ..fold }, predictions))
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
    let weight = |r: &u32| table.weights().map_or(1.0, |w| w[*r as usize]);
    if split.test.rows().iter().map(weight).sum::<f64>() <= 0.0 {
        let problem = "the test part holds no rows that weigh anything";
        return Err(Error::data(table.name(), problem, "use fewer or larger parts"));
    }
    let (test, training) = fit_and_predict(learner, table, split, options.training, run)?;
    let fold = FoldResult {
        split: 0,
        trained: split.train.len() as usize,
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
    let weighed = split.train.weighing(table);
    let (classifier, coded) = learner.fit_arranged(View::of(&weighed, split.train.rows()), run)?;
    let predict = |part: &Part| -> Result<Predictions> {
        let logs = classifier.log_joint(View::of(&coded, part.rows()), run)?;
        Ok(collect(table, part, |i| logs.row(i)))
    };
    let training = if training { Some(predict(&split.train)?) } else { None };
    let test = predict(&split.test)?;
    // An iterative learner that is stopped still returns a model, but not the one to be measured.
    run.check_whole()?;
    Ok((test, training))
}

/// Leave-one-out: in closed form where there is one, otherwise a model a row. Of a row that stands for several cases one is
/// left out, and all are predicted alike.
fn each_left_out(
    learner: &Learner,
    table: &Table,
    whole: &Part,
    run: &Run<'_>,
) -> Result<Predictions> {
    let classes = table.field(table.columns() - 1).states();
    if let Some(logs) = run.install(|| leave_one_out(learner, table, whole.rows())) {
        return Ok(collect(table, whole, |i| &logs[i * classes..][..classes]));
    }
    let rows = whole.rows().len();
    run.tell(&Event::Phase { name: "leaving out each row", steps: Some(rows as u64) })?;
    let one = |i: usize| -> Result<Predictions> {
        let split = whole.leave_one_out(i);
        let (test, _) = fit_and_predict(learner, table, &split, false, run)?;
        run.tell(&Event::Step { steps: 1 })?;
        Ok(test)
    };
    let parts: Vec<Predictions> =
        run.install(|| (0..rows).into_par_iter().map(one).collect::<Result<_>>())?;
    let mut all = Predictions::new(classes);
    parts.iter().for_each(|p| all.extend(p));
    Ok(all)
}

fn collect<'a>(table: &Table, part: &Part, logs: impl Fn(usize) -> &'a [f64]) -> Predictions {
    let class = table.columns() - 1;
    let weighed = part.weighing(table);
    let mut predictions = Predictions::new(table.field(class).states());
    for (i, &row) in part.rows().iter().enumerate() {
        if let Some(truth) = table.cells(class).code(row as usize) {
            let weight = weighed.weights().map_or(1.0, |w| w[row as usize]);
            predictions.push(truth, weight, part.cases(i), logs(i));
        }
    }
    predictions
}
