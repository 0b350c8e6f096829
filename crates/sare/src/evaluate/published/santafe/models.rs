//! The classifiers of the chapter, and what is measured of them.

use crate::classify::{Learner, Structures};
use crate::data::{Table, View};
use crate::error::Result;
use crate::evaluate::scheme::Scheme;
use crate::evaluate::validate::{Options, evaluate};
use crate::parameters::Parameters;
use crate::parameters::dirichlet::FromCounts;
use crate::parameters::tm::{Imperfect, Tm};
use crate::run::Run;
use crate::stats::hypothesis::mann_whitney;
use crate::structure::given::Given;
use crate::structure::naive::NaiveBayes;
use crate::structure::named::NamedGraph;
use crate::structure::structural_tm::StructuralTm;
use crate::structure::tan::{Edges, TreeAugmented};

/// A structure of the chapter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Model {
    Naive,
    Tan,
    ConditionalTan,
    StructuralTm,
    /// Learnt beforehand.
    Fixed(NamedGraph),
}

/// How the probabilities are learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Counts with one added: the published figures of naive Bayes are theirs to the last digit.
    Generative,
    /// The TM algorithm from there, until the conditional log-likelihood gains less than 0.001.
    Tm,
}

/// The TM of the chapter, which has no penalty.
pub(super) const TM: Tm = Tm {
    imperfect: Imperfect::Complete,
    alpha: 1.0,
    tolerance: 1e-3,
    iterations: 100_000,
    l2: 0.0,
};

/// The learner of a model with its probabilities.
pub(super) fn learner(model: &Model, fit: Fit) -> Learner {
    let structure: Structures = match model {
        Model::Naive => NaiveBayes.into(),
        Model::Tan => TreeAugmented { edges: Edges::Tree }.into(),
        Model::ConditionalTan => TreeAugmented { edges: Edges::ConditionalTree }.into(),
        Model::StructuralTm => StructuralTm { parents: 1, alpha: 1.0, l2: 0.0 }.into(),
        Model::Fixed(graph) => Given { graph: graph.clone() }.into(),
    };
    let parameters: Box<dyn Parameters> = match fit {
        Fit::Generative => Box::new(FromCounts::default()),
        Fit::Tm => Box::new(TM),
    };
    Learner { structure, parameters, ..Learner::default() }
}

/// The conditional log-likelihood on the way of TM over the whole table: first that of the generative parameters it
/// starts from, last what it reaches.
pub(super) fn climb(model: &Model, table: &Table, run: &Run<'_>) -> Result<Vec<f64>> {
    let classifier = learner(model, Fit::Tm).fit(View::all(table), "class", run)?;
    Ok(classifier.outcome().trace.clone())
}

/// Accuracy in percent of each test part of a validation by folds.
pub(super) struct Folded(pub Vec<f64>);

impl Folded {
    /// The mean over the parts.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The deviation over the parts, divided by their number as the published ones are.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|x| (x - mean).powi(2)).sum();
        (squares / self.0.len() as f64).sqrt()
    }

    /// The standard error of the mean over the five parts of one repetition.
    pub fn error(&self) -> f64 {
        self.deviation() / 2.0
    }
}

/// Five folds, of whose training parts everything is learnt.
pub(super) fn five_folds(
    model: &Model,
    fit: Fit,
    table: &Table,
    repeats: usize,
    run: &Run<'_>,
) -> Result<Folded> {
    // Some sets have a class of fewer rows than folds.
    let scheme = Scheme::Folds { count: 5, repeats, stratified: false };
    let learner = learner(model, fit);
    let result = evaluate(&learner, table, "class", scheme, &Options::default(), run)?;
    Ok(Folded(result.folds.iter().map(|f| 100.0 * f.test.accuracy).collect()))
}

/// Accuracy in percent of the model learnt from all rows, on the same rows.
pub(super) fn on_itself(model: &Model, fit: Fit, table: &Table, run: &Run<'_>) -> Result<f64> {
    let learner = learner(model, fit);
    let scheme = Scheme::Resubstitution;
    let result = evaluate(&learner, table, "class", scheme, &Options::default(), run)?;
    Ok(100.0 * result.total.accuracy)
}

/// The p-value of Mann and Whitney's test, as printed.
pub(super) fn p_value(x: &[f64], y: &[f64]) -> String {
    format!("{:.3}", mann_whitney(x, y).p_value)
}
