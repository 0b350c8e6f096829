//! Selective naive Bayes: only some attributes, chosen by how well they predict or by how much they tell.

use super::Structure;
use super::constraints::Rules;
use super::joined::forward;
use super::wrapper::Judge;
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::run::Run;
use crate::stats::distribution::chi_square_quantile;
use crate::stats::information::information_with_class;
use crate::stats::{CountFamilies, Family, run_pass};

/// How attributes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Greedily, the one that raises leave-one-out accuracy most, for as long as one does.
    Wrapper,
    /// Every one whose information about the class is significant by the chi-square test at this level.
    Filter(
        /// The level.
        f64,
    ),
}

/// Naive Bayes with selected attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selective {
    /// How they are chosen.
    pub selection: Selection,
}

/// What selective naive Bayes is called and does.
pub const DESCRIPTION: Description = Description {
    name: "selective",
    help: "naive Bayes with attributes chosen by leave-one-out accuracy (wrapper) or by a test of information (filter)",
    source: "Langley and Sage 1994",
    settings: &[
        Setting {
            name: "by",
            help: "how attributes are chosen",
            range: Range::Choice(&["wrapper", "filter"]),
        },
        Setting {
            name: "level",
            help: "the filter's level of significance",
            range: Range::Only(&["filter"], &Range::Level { default: 0.05 }),
        },
    ],
};

impl Structure for Selective {
    fn form(&self) -> String {
        match self.selection {
            Selection::Wrapper => format!("{}:wrapper", DESCRIPTION.name),
            Selection::Filter(level) => format!("{}:filter,{level}", DESCRIPTION.name),
        }
    }

    fn check(&self) -> Result<()> {
        match self.selection {
            Selection::Filter(level) if !(level > 0.0 && level < 1.0) => Err(Error::Setting {
                learner: DESCRIPTION.name.into(),
                setting: "level".into(),
                value: level.to_string(),
                expected: "a number above 0 and below 1".into(),
            }),
            _ => Ok(()),
        }
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let class = data.schema().len() - 1;
        let mut dag = Dag::new(class + 1);
        match self.selection {
            Selection::Filter(level) => {
                let kept = |v: &usize| rules.arcs.requires(class, *v);
                let mut chosen: Vec<usize> = (0..class).filter(kept).collect();
                let open = informative(data, class, level, run)?;
                chosen.extend(open.into_iter().filter(|&v| !rules.arcs.forbids(class, v)));
                chosen.into_iter().try_for_each(|attribute| dag.add(class, attribute))?;
            }
            Selection::Wrapper => {
                let judge = Judge::new(data, &self.form(), run)?;
                forward(&judge, rules, false)?
                    .into_iter()
                    .flatten()
                    .try_for_each(|v| dag.add(class, v))?;
            }
        }
        Ok(dag)
    }
}

/// The attributes of which 2 N I(X; C) exceeds the chi-square quantile.
fn informative(data: &Source<'_>, class: usize, level: f64, run: &Run<'_>) -> Result<Vec<usize>> {
    let alone = |child: usize| Family { child, parents: Vec::new() };
    let pass = CountFamilies::new(data, (0..class).map(alone).collect(), Some(class))?;
    let counts = run_pass(data, &pass, run)?;
    let significant = |&v: &usize| {
        let freedom = ((counts[v].states() - 1) * (counts[v].classes() - 1)) as f64;
        let statistic = 2.0 * counts[v].total() * information_with_class(&counts[v]);
        freedom > 0.0 && statistic >= chi_square_quantile(level, freedom)
    };
    Ok((0..class).filter(significant).collect())
}
