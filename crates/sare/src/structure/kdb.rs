//! k-dependence Bayes: every attribute may depend on k others (ALGORITHMS 3).

use super::Structure;
use super::constraints::Rules;
use super::naive::augmented;
use super::pairs::Information;
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::graph::Dag;
use crate::run::Run;

/// Attributes enter in falling I(X; class); each takes the k earlier ones with the highest I(X; Y | class) as parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KDependence {
    /// The most attribute parents.
    pub k: usize,
}

/// What k-dependence Bayes is called and does.
pub const DESCRIPTION: Description = Description {
    name: "kdb",
    help: "k-dependence Bayes: each attribute depends on up to k more relevant ones",
    source: "Sahami 1996",
    settings: &[Setting {
        name: "k",
        help: "the most attribute parents",
        range: Range::Whole { least: 0, most: 20, default: 2 },
    }],
};

impl Structure for KDependence {
    fn form(&self) -> String {
        format!("{}:{}", DESCRIPTION.name, self.k)
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let information = Information::of(data, run)?;
        let order = rules.ordered(&information.by_relevance());
        let mut dag = Dag::new(order.len());
        for (i, &child) in order.iter().enumerate() {
            let mut earlier = order[..i].to_vec();
            // In column order first, so that of equals the first is taken.
            earlier.sort_unstable();
            let strength = |&p: &usize| information.pair(child, p).conditional;
            earlier.sort_by(|x, y| strength(y).total_cmp(&strength(x)));
            let required = |p: &usize| rules.arcs.requires(*p, child);
            let must = earlier.iter().copied().filter(required);
            let may =
                earlier.iter().copied().filter(|p| !required(p) && rules.arcs.allows(*p, child));
            let most = self.k.max(must.clone().count());
            must.chain(may).take(most).try_for_each(|parent| dag.add(parent, child))?;
        }
        augmented(&dag, rules)
    }
}
