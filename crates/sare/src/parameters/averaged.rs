//! The average over all selective naive Bayes structures, in closed form (ALGORITHMS 6).

use super::Parameters;
use super::dirichlet::{FromCounts, Prior, variables};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::network::Network;
use crate::run::{Outcome, Run};
use crate::stats::{CountFamilies, Family, FamilyTable, Score, run_pass};

/// The exact Bayesian average over the 2^n structures in which the class is a parent of some attributes, each structure
/// equally probable beforehand and every table with a symmetric Dirichlet prior. The average is itself a naive Bayes
/// network: each table is the mean of the one that depends on the class and the one that does not, weighted by the
/// posterior probability that the attribute depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Averaged {
    /// What is added to every count.
    pub alpha: f64,
}

/// What the average is called and does.
pub const DESCRIPTION: Description = Description {
    name: "averaged",
    help: "for nb: the average over all choices of attributes, with the probability that each matters",
    source: "Dash and Cooper 2002; Santafe, Lozano and Larranaga 2006",
    settings: &[Setting {
        name: "alpha",
        help: "what is added to every count",
        range: Range::Positive { default: 1.0 },
    }],
};

impl Averaged {
    /// The posterior probability that an attribute depends on the class, from its counts by class.
    pub fn relevance(&self, counts: &FamilyTable) -> f64 {
        let evidence = |t: &FamilyTable| {
            // A prior of alpha in every cell, whatever their number.
            Score::Bdeu(self.alpha * (t.cells() * t.classes()) as f64).of(t)
        };
        let against = evidence(&counts.sum_over_classes()) - evidence(counts);
        1.0 / (1.0 + against.exp())
    }

    /// p(state | class), class by class, averaged over both structures.
    fn table(&self, counts: &FamilyTable, relevance: f64) -> Vec<f64> {
        let prior = Prior::Dirichlet(self.alpha);
        let dependent = prior.probabilities(counts);
        let independent = prior.probabilities(&counts.sum_over_classes());
        let mean = |(i, p): (usize, &f64)| {
            relevance * p + (1.0 - relevance) * independent[i % counts.states()]
        };
        dependent.iter().enumerate().map(mean).collect()
    }
}

impl Parameters for Averaged {
    fn form(&self) -> String {
        format!("{}:{}", DESCRIPTION.name, self.alpha)
    }

    fn check(&self) -> Result<()> {
        FromCounts { prior: Prior::Dirichlet(self.alpha) }.check()
    }

    fn needs_naive(&self) -> bool {
        true
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let schema = data.schema();
        let class = schema.len() - 1;
        if (0..class).any(|v| !dag.parents(v).eq([class])) {
            let fix = "combine it with nb, which it averages over";
            let problem = "'averaged' needs the class as the only parent of every attribute";
            return Err(Error::model("structure", problem, fix));
        }
        let alone = |child: usize| Family { child, parents: Vec::new() };
        let pass = CountFamilies::new(data, (0..=class).map(alone).collect(), Some(class))?;
        let counts = run_pass(data, &pass, run)?;
        let relevance: Vec<f64> = counts[..class].iter().map(|c| self.relevance(c)).collect();
        let mut tables: Vec<Vec<f64>> =
            counts.iter().zip(&relevance).map(|(c, r)| self.table(c, *r)).collect();
        let prior = Prior::Dirichlet(self.alpha);
        tables.push(prior.probabilities(&counts[class].sum_over_classes()));
        let outcome = Outcome { relevance: Some(relevance), ..Outcome::exact() };
        Ok((Network::new(variables(schema), dag.clone(), tables)?, outcome))
    }
}
