//! A structure that is given, not learnt.

use super::Structure;
use super::constraints::Rules;
use super::named::NamedGraph;
use crate::data::Source;
use crate::describe::Description;
use crate::error::Result;
use crate::graph::Dag;
use crate::run::Run;

/// A given graph over the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The graph, by names.
    pub graph: NamedGraph,
}

/// What a given structure is called.
pub const DESCRIPTION: Description = Description {
    name: "given",
    help: "a structure of your own: given:[class][a|class][b|class:a], or --structure FILE",
    source: "the formulas of bnlearn (Scutari 2010)",
    settings: &[],
};

impl Structure for Given {
    fn form(&self) -> String {
        format!("{}:{}", DESCRIPTION.name, self.graph.formula())
    }

    fn learn(&self, data: &Source<'_>, _: &Rules, _: &Run<'_>) -> Result<Dag> {
        self.graph.over(data.schema(), data.name())
    }
}
