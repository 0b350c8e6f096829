//! The average over all spanning trees of the attributes, by the matrix-tree theorem (ALGORITHMS 6).

use super::expected::counts;
use super::model::{Kind, PairModel};
use super::pairs::PairTables;
use super::smooth::from_counts;
use super::{Average, Model, reported};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::parameters::dirichlet::Prior;
use crate::run::{Outcome, Run};
use std::ops::RangeInclusive;

/// The Bayesian average over the n^(n-2) networks in which the class is a parent of every attribute and the attributes
/// form a tree, all equally probable beforehand. No order is needed.
///
/// With a prior weight s a class, th_i and th_ij the posterior means of one and of two attributes given the class,
/// W_ij = B_ij / (B_i B_j) by their evidence, R_ij = th_ij / (th_i th_j) in the row, and tau the sum over spanning trees,
///
/// p(c, x) = p(c) prod_i th_i(x_i | c) tau(W o R) / tau(W).
///
/// The posterior probability of each edge is reported as an arc from the lower column to the higher one. The class is a
/// parent of every attribute in every tree, so that its arcs, and whether an attribute matters, are not in question: the
/// outcome has no relevance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeAverage {
    /// The total prior weight s of a class, spread evenly over the states of an attribute, or of two.
    pub weight: f64,
}

/// What the average is called and does.
pub const DESCRIPTION: Description = Description {
    name: "averaged-trees",
    help: "the average over all trees over the attributes, with the probability of each edge",
    source: "Meila and Jaakkola 2006; Cerquides and Lopez de Mantaras 2005",
    settings: &[Setting {
        name: "weight",
        help: "the prior weight of a class, in rows",
        range: Range::Positive { default: 1.0 },
    }],
};

/// With more attributes a row would take more than a second or so.
const MOST_ATTRIBUTES: usize = 2000;

/// The prior weights for which the elimination is proved safe.
const WEIGHTS: RangeInclusive<f64> = 1e-6..=1e6;

impl Default for TreeAverage {
    fn default() -> Self {
        TreeAverage { weight: 1.0 }
    }
}

impl Average for TreeAverage {
    fn form(&self) -> String {
        format!("{}:{}", DESCRIPTION.name, self.weight)
    }

    fn check(&self, prior: Option<Prior>) -> Result<()> {
        from_counts(DESCRIPTION.name, prior)?;
        check_weight(self.weight)
    }

    fn learn(&self, prior: Prior, data: &Source<'_>, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.check(Some(prior))?;
        check_attributes(data.schema().len() - 1, data.name(), "averaged-tan or averaged-nb")?;
        let classes = data.schema().fields.last().map_or(0, |f| f.states());
        let (tables, counted) = counts(self.pair_prior(classes), data, run)?;
        run.tell(&Event::Phase { name: "averaging trees", steps: None })?;
        let (model, told) = self.of(prior, tables, run)?;
        Ok((model, Outcome { arcs: told.arcs, ..counted }))
    }
}

impl TreeAverage {
    /// The prior of attributes and pairs: a sample of this size gives every class the weight asked for.
    fn pair_prior(&self, classes: usize) -> Prior {
        Prior::Bdeu(self.weight * classes as f64)
    }

    /// The average that counts make.
    pub(crate) fn of(
        &self,
        prior: Prior,
        tables: PairTables,
        run: &Run<'_>,
    ) -> Result<(Model, Outcome)> {
        let model = PairModel::new(Kind::Trees { weight: self.weight }, prior, tables)?;
        let edges = run.install(|| model.trees().map(|d| d.edge_probabilities()));
        let arcs = edges.map(|edges| {
            let names = (0..).flat_map(|j| (0..j).map(move |i| (i, j)));
            reported(names.zip(edges).map(|((i, j), p)| (i, j, p)))
        });
        Ok((Model::Pairs(model), Outcome { arcs, ..Outcome::exact() }))
    }
}

/// Refuses more attributes than can be averaged over in time; `instead` is what takes as many.
pub(crate) fn check_attributes(attributes: usize, file: &str, instead: &str) -> Result<()> {
    if attributes <= MOST_ATTRIBUTES {
        return Ok(());
    }
    let problem = format!(
        "{attributes} attributes are too many for the sum over all trees, which takes the cube of their number for every row: at most {MOST_ATTRIBUTES}"
    );
    Err(Error::data(file, problem, format!("leave out columns, or use {instead}")))
}

/// Refuses a prior weight that is too small or too large.
pub(super) fn check_weight(weight: f64) -> Result<()> {
    if WEIGHTS.contains(&weight) {
        return Ok(());
    }
    Err(Error::Setting {
        learner: DESCRIPTION.name.into(),
        setting: "weight".into(),
        value: weight.to_string(),
        expected: format!("a number from {} to {}", WEIGHTS.start(), WEIGHTS.end()),
    })
}
