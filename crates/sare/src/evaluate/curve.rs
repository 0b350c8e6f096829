//! Learning curves: the same folds, learnt from ever more of their training rows.

use super::compare::Candidate;
use super::measures::Measures;
use super::scheme::{Plan, Scheme};
use super::validate::{Estimate, FoldResult, Options, arranged, run_split_of};
use crate::data::Table;
use crate::data::split::Split;
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// One learner's results at every size.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The learner.
    pub learner: String,
    /// Size by size, split by split.
    pub points: Vec<Vec<FoldResult>>,
}

impl Curve {
    /// A measure at one of the sizes.
    pub fn estimate(&self, size: usize, measure: impl Fn(&Measures) -> f64) -> Estimate {
        let values: Vec<f64> = self.points[size].iter().map(|f| measure(&f.test)).collect();
        Estimate::of(&values)
    }
}

/// The learning curves of some learners on a table: in every split the training rows are put in random order, and each
/// size takes the first so many, so that larger samples hold the smaller ones. Sizes above the number of training rows
/// are an error.
pub fn learning_curves(
    candidates: &[Candidate],
    table: &Table,
    class: &str,
    scheme: Scheme,
    sizes: &[usize],
    options: &Options,
    run: &Run<'_>,
) -> Result<Vec<Curve>> {
    let arranged = arranged(table, class)?;
    if !matches!(scheme, Scheme::Folds { .. } | Scheme::HoldOut { .. } | Scheme::FirstRows(_)) {
        return Err(Error::Setting {
            learner: "curve".into(),
            setting: "scheme".into(),
            value: scheme.words(),
            expected: "folds, hold-out or train-first, which test rows that were not learnt from"
                .into(),
        });
    }
    let plan = Plan::new(&arranged, scheme, run.seed)?;
    let splits: Vec<Split> = (0..plan.len()).map(|i| shuffled(&plan, i, run.seed)).collect();
    let most = splits.iter().map(|s| s.train.len()).min().unwrap_or(0);
    if let Some(size) = sizes.iter().find(|&&s| s == 0 || s > most) {
        return Err(Error::Setting {
            learner: "curve".into(),
            setting: "sizes".into(),
            value: size.to_string(),
            expected: format!("from 1 to {most}, the rows of the smallest training part"),
        });
    }
    let work: Vec<(usize, usize, usize)> = (0..candidates.len())
        .flat_map(|c| (0..sizes.len()).map(move |s| (c, s)))
        .flat_map(|(c, s)| (0..splits.len()).map(move |i| (c, s, i)))
        .collect();
    run.tell(&Event::Phase { name: "learning curves", steps: Some(work.len() as u64) })?;
    let one = |&(c, s, i): &(usize, usize, usize)| -> Result<FoldResult> {
        let mut train = splits[i].train[..sizes[s]].to_vec();
        train.sort_unstable();
        let split = Split { train, test: splits[i].test.clone() };
        let learner = &candidates[c].learner;
        let (fold, _) = run_split_of(learner, &arranged, &split, options, run)?;
        run.tell(&Event::Step { steps: 1 })?;
        Ok(fold)
    };
    let results: Vec<FoldResult> =
        run.install(|| work.par_iter().map(one).collect::<Result<_>>())?;
    let curves =
        results.chunks(sizes.len() * splits.len()).zip(candidates).map(|(part, c)| Curve {
            learner: c.name.clone(),
            points: part.chunks(splits.len()).map(<[FoldResult]>::to_vec).collect(),
        });
    Ok(curves.collect())
}

/// A split with its training rows in random order.
fn shuffled(plan: &Plan, index: usize, seed: u64) -> Split {
    let mut split = plan.split(index);
    Random::new(seed, Purpose::Subsample, 1 + index as u64).shuffle(&mut split.train);
    split
}
