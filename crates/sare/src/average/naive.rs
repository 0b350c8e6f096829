//! The average over all selective naive Bayes structures, in closed form (ALGORITHMS 6).

use super::rivals::Rivals;
use super::smooth::proper;
use super::{Average, Model};
use crate::data::Source;
use crate::describe::Description;
use crate::error::Result;
use crate::graph::Dag;
use crate::network::Network;
use crate::parameters::dirichlet::{Prior, variables};
use crate::run::{Outcome, Run};
use crate::stats::{CountFamilies, Family, FamilyTable, run_pass};

/// The exact Bayesian average over the 2^n structures in which the class is a parent of some attributes, each structure
/// equally probable beforehand and every table with a symmetric Dirichlet prior. The average is itself a naive Bayes
/// network: each table is the mean of the one that depends on the class and the one that does not, weighted by the
/// posterior probability that the attribute depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AveragedNaiveBayes;

/// What the average is called and does.
pub const DESCRIPTION: Description = Description {
    name: "averaged-nb",
    help: "the average over all choices of attributes for naive Bayes, with the probability that each matters",
    source: "Dash and Cooper 2002; Santafe, Lozano and Larranaga 2006",
    settings: &[],
};

impl AveragedNaiveBayes {
    /// The posterior probability that an attribute depends on the class, from its counts by class.
    pub fn relevance(prior: Prior, counts: &FamilyTable) -> f64 {
        Rivals::new(prior, counts, &counts.sum_over_classes()).relevance(0.0)
    }
}

/// p(state | class), class by class, averaged over both structures.
fn table(prior: Prior, counts: &FamilyTable, relevance: f64) -> Vec<f64> {
    let dependent = prior.probabilities(counts);
    let independent = prior.probabilities(&counts.sum_over_classes());
    let mean = |(i, p): (usize, &f64)| {
        relevance * p + (1.0 - relevance) * independent[i % counts.states()]
    };
    dependent.iter().enumerate().map(mean).collect()
}

impl Average for AveragedNaiveBayes {
    fn form(&self) -> String {
        DESCRIPTION.name.into()
    }

    fn check(&self, prior: Option<Prior>) -> Result<()> {
        proper(DESCRIPTION.name, prior).map(|_| ())
    }

    fn learn(&self, prior: Prior, data: &Source<'_>, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.check(Some(prior))?;
        let schema = data.schema();
        let class = schema.len() - 1;
        let alone = |child: usize| (Family { child, parents: Vec::new() }, child != class);
        let pass = CountFamilies::of_known_class(data, (0..=class).map(alone), class)?;
        let counts = run_pass(data, &pass, run)?;
        let relevance: Vec<f64> =
            counts[..class].iter().map(|c| AveragedNaiveBayes::relevance(prior, c)).collect();
        let all = counts[..class].iter().zip(&relevance);
        let mut tables: Vec<Vec<f64>> = all.map(|(c, r)| table(prior, c, *r)).collect();
        let classes = &counts[class].values()[..counts[class].states()];
        tables.push(prior.smoothed(classes, classes.len()));
        let mut dag = Dag::new(class + 1);
        for attribute in 0..class {
            dag.add(class, attribute)?;
        }
        let network = Network::new(variables(schema), dag, tables)?;
        let outcome = Outcome { relevance: Some(relevance), ..Outcome::exact() };
        Ok((Model::Network(network), outcome))
    }
}
