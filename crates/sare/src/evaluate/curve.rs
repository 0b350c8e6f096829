//! Learning curves: the same folds, learnt from ever more of their training rows.

use super::compare::Candidate;
use super::measures::Measures;
use super::scheme::{Plan, Scheme};
use super::validate::{Estimate, FoldResult, Options, arranged, run_split_of};
use crate::data::cases::{Cases, Dealt};
use crate::data::split::{Part, Split};
use crate::data::{Table, View};
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

/// The learning curves of some learners on a table: in every split so many of the training cases are drawn at random, larger
/// samples holding the smaller ones. Sizes above the number of training cases are an error.
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
    let plans: Vec<Split> = (0..plan.len()).map(|i| plan.split(i)).collect();
    let most = plans.iter().map(|s| s.train.len()).min().unwrap_or(0);
    if let Some(size) = sizes.iter().find(|&&s| s == 0 || s as u64 > most) {
        return Err(Error::Setting {
            learner: "curve".into(),
            setting: "sizes".into(),
            value: size.to_string(),
            expected: format!("from 1 to {most}, the cases of the smallest training part"),
        });
    }
    let samples = |(i, split): (usize, Split)| Samples::draw(&arranged, split, sizes, run.seed, i);
    let splits: Vec<Samples> = plans.into_iter().enumerate().map(samples).collect();
    let work: Vec<(usize, usize, usize)> = (0..candidates.len())
        .flat_map(|c| (0..sizes.len()).map(move |s| (c, s)))
        .flat_map(|(c, s)| (0..splits.len()).map(move |i| (c, s, i)))
        .collect();
    run.tell(&Event::Phase { name: "learning curves", steps: Some(work.len() as u64) })?;
    let one = |&(c, s, i): &(usize, usize, usize)| -> Result<FoldResult> {
        let split = splits[i].of_size(sizes[s]);
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

/// Samples of the training cases of a split.
struct Samples {
    /// The sizes, each once, in rising order.
    sizes: Vec<usize>,
    /// The smallest sample, what the next one has beside it, and so on.
    steps: Dealt,
    test: Part,
}

impl Samples {
    fn draw(table: &Table, split: Split, sizes: &[usize], seed: u64, index: usize) -> Samples {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let Split { train, test } = split;
        let cases = Cases::of(View::of(&train.weighing(table), train.rows()), None);
        let before = std::iter::once(0).chain(sizes.iter().copied());
        let mut steps: Vec<u64> = before.zip(&sizes).map(|(a, b)| (b - a) as u64).collect();
        steps.push(cases.len() - steps.iter().sum::<u64>());
        let mut random = Random::new(seed, Purpose::Subsample, 1 + index as u64);
        Samples { steps: cases.parts(&steps, &mut random), sizes, test }
    }

    /// The split whose training part is the sample of a size.
    fn of_size(&self, size: usize) -> Split {
        let last = self.sizes.partition_point(|&s| s < size);
        Split { train: self.steps.part(|step| step as usize <= last), test: self.test.clone() }
    }
}
