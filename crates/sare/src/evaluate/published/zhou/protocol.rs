//! What the two tables of the thesis share: the sets, how their rows are parted, and the learners.

use crate::classify::{Learner, Structures};
use crate::data::kinds::Kinds;
use crate::data::{ReadOptions, Table, read_table};
use crate::error::Result;
use crate::evaluate::scheme::Scheme;
use crate::evaluate::validate::{Estimate, Options, evaluate};
use crate::optimise::Method;
use crate::parameters::Parameters;
use crate::parameters::dirichlet::FromCounts;
use crate::parameters::em::{self, ExpectationMaximisation};
use crate::parameters::gradient::{Aim, Gradient};
use crate::run::Run;
use crate::structure::naive::NaiveBayes;
use crate::structure::selective::{Selection, Selective};
use crate::structure::tan::{Edges, TreeAugmented};

/// The class of every set.
pub(super) const CLASS: &str = "class";

/// Sets whose training rows are the first of the file.
const FIRST: [(&str, usize); 4] =
    [("letter", 15_000), ("mofn-3-7-10", 300), ("satimage", 4435), ("waveform-21", 300)];
/// Sets whose training rows are not recorded, with the share tested.
const RANDOM: [(&str, f64); 3] =
    [("chess", 1066.0 / 3196.0), ("segment", 770.0 / 2310.0), ("shuttle-small", 1934.0 / 5800.0)];

/// How a set's rows are parted.
pub(super) fn scheme_of(set: &str, repeats: usize) -> Scheme {
    if let Some((_, rows)) = FIRST.iter().find(|(name, _)| *name == set) {
        return Scheme::FirstRows(*rows);
    }
    if let Some((_, share)) = RANDOM.iter().find(|(name, _)| *name == set) {
        return Scheme::HoldOut { share: *share, repeats };
    }
    // lymphography has a class of two rows, which cannot be spread over five folds.
    Scheme::Folds { count: 5, repeats, stratified: set != "lymphography" }
}

/// Reads a set.
pub(super) fn read_set(folder: &str, set: &str, kinds: &Kinds, run: &Run<'_>) -> Result<Table> {
    // The two names stand for the same rows.
    let file = if set == "pima" { "diabetes" } else { set };
    let path = format!("{folder}/{file}.csv");
    let options = kinds.apply(&path, CLASS, &ReadOptions::default())?;
    read_table(&path, &options, run)
}

/// A learner of the thesis, by the names of ours that stands for it.
#[derive(Clone, Copy)]
pub(super) struct Contender {
    pub model: &'static str,
    pub parameters: &'static str,
    /// The column of its published error; its error bar follows.
    pub column: usize,
}

impl Contender {
    /// What it is called in the table.
    pub(super) fn name(&self) -> String {
        match self.parameters {
            "laplace" => self.model.into(),
            parameters => format!("{} {parameters}", self.model),
        }
    }

    fn learner(&self) -> Learner {
        let structure: Structures = match self.model {
            "tan" => TreeAugmented { edges: Edges::Tree }.into(),
            "selective" => Selective { selection: Selection::Wrapper }.into(),
            _ => NaiveBayes.into(),
        };
        let parameters: Box<dyn Parameters> = match self.parameters {
            "laplace" => Box::new(FromCounts::default()),
            "em" => Box::new(expectation()),
            "ll" => Box::new(stopped_climb(Aim::Likelihood)),
            _ => Box::new(stopped_climb(Aim::ConditionalLikelihood)),
        };
        Learner { structure, parameters, ..Learner::default() }
    }
}

/// The aim, climbed for as long as a fifth of the rows gains by it. The author tuned when to stop on inner folds.
fn stopped_climb(aim: Aim) -> Gradient {
    Gradient {
        aim,
        method: Method::LimitedMemory,
        iterations: 200,
        tolerance: 1e-6,
        held_out: 0.2,
        l2: 0.0,
    }
}

/// Expected counts with one added, as the author adds one to counts.
fn expectation() -> ExpectationMaximisation {
    let defaults: Vec<f64> = em::DESCRIPTION.settings.iter().map(|s| s.range.default()).collect();
    ExpectationMaximisation::new(&defaults)
}

/// An error in percent and how far its bar reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub error: f64,
    pub bar: f64,
}

/// The mean error over these tables, each parted anew, and its standard error: that of one repetition, as the published
/// one is.
pub(super) fn measure(
    contender: &Contender,
    tables: &[Table],
    scheme: Scheme,
    run: &Run<'_>,
) -> Result<Figure> {
    let learner = contender.learner();
    let mut errors = Vec::new();
    let mut tested = f64::NAN;
    for (number, table) in tables.iter().enumerate() {
        let mut own = run.clone();
        own.seed = run.seed.wrapping_add(number as u64);
        let result = evaluate(&learner, table, CLASS, scheme, &Options::default(), &own)?;
        errors.extend(result.folds.iter().map(|f| f.test.error));
        tested = result.folds[0].test.weight;
    }
    let all = Estimate::of(&errors);
    let bar = match scheme {
        // The deviation over all folds, but the error of a mean over the folds of one repetition.
        Scheme::Folds { count, .. } => all.deviation.unwrap_or(f64::NAN) / (count as f64).sqrt(),
        _ => (all.mean * (1.0 - all.mean) / tested).sqrt(),
    };
    Ok(Figure { error: 100.0 * all.mean, bar: 100.0 * bar })
}
