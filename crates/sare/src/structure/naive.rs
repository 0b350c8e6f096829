//! Naive Bayes: the class is the only parent of every attribute.

use super::Structure;
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

    fn learn(&self, data: &Source<'_>, _: &Run<'_>) -> Result<Dag> {
        let columns = data.schema().len();
        let mut dag = Dag::new(columns);
        for attribute in 0..columns - 1 {
            dag.add(columns - 1, attribute)?;
        }
        Ok(dag)
    }
}
