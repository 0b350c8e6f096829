//! Naive Bayes: the class is the only parent of every attribute.

use super::Structure;
use super::constraints::Rules;
use crate::data::Source;
use crate::describe::Description;
use crate::error::Result;
use crate::graph::Dag;
use crate::run::Run;

/// The naive Bayes structure (ALGORITHMS 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NaiveBayes;

/// What naive Bayes is called and does.
pub const DESCRIPTION: Description = Description {
    name: "nb",
    help: "naive Bayes: attributes independent given the class",
    source: "Duda and Hart 1973",
    settings: &[],
};

impl Structure for NaiveBayes {
    fn form(&self) -> String {
        DESCRIPTION.name.into()
    }

    fn is_naive(&self) -> bool {
        true
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, _: &Run<'_>) -> Result<Dag> {
        augmented(&Dag::new(data.schema().len() - 1), rules)
    }
}

/// A graph over the attributes with the class, a new last node, as a parent of all but those it may not be a parent of.
pub(super) fn augmented(attributes: &Dag, rules: &Rules) -> Result<Dag> {
    let class = attributes.nodes();
    let mut dag = Dag::new(class + 1);
    for child in 0..class {
        if !rules.arcs.forbids(class, child) {
            dag.add(class, child)?;
        }
        for parent in attributes.parents(child) {
            dag.add(parent, child)?;
        }
    }
    Ok(dag)
}
