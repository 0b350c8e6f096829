//! Parameters from counts: relative frequencies, plain or smoothed by a Dirichlet prior (ALGORITHMS 4).

use super::Parameters;
use super::reasons::arc_reasons;
use crate::data::{Field, Schema, Source};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::network::{Network, Variable};
use crate::run::{Outcome, Run};
use crate::stats::{CountFamilies, Family, FamilyTable, run_pass};
use serde::{Deserialize, Serialize};

/// What is added to every count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prior {
    /// Nothing: maximum likelihood.
    None,
    /// One: Laplace's rule.
    Laplace,
    /// The same number to every cell.
    Dirichlet(
        /// That number.
        f64,
    ),
    /// A sample of this size spread evenly over the cells of a family.
    Bdeu(
        /// The equivalent sample size.
        f64,
    ),
}

/// Maximum likelihood.
pub const ML: Description = Description {
    name: "ml",
    help: "maximum likelihood: relative frequencies",
    source: "closed form",
    settings: &[],
};

/// Laplace's rule.
pub const LAPLACE: Description = Description {
    name: "laplace",
    help: "one is added to every count",
    source: "Laplace 1774",
    settings: &[],
};

/// A symmetric Dirichlet prior.
pub const DIRICHLET: Description = Description {
    name: "dirichlet",
    help: "the same number is added to every count",
    source: "posterior mean under a symmetric Dirichlet prior",
    settings: &[Setting {
        name: "alpha",
        help: "what is added to every count",
        range: Range::Positive { default: 1.0 },
    }],
};

/// The BDeu prior.
pub const BDEU: Description = Description {
    name: "bdeu",
    help: "a prior sample spread evenly over the cells of each family",
    source: "Buntine 1991; Heckerman, Geiger and Chickering 1995",
    settings: &[Setting {
        name: "ess",
        help: "the size of the prior sample",
        range: Range::Positive { default: 1.0 },
    }],
};

/// Parameters from counts with a prior; the posterior mean, and so at once the average over all parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromCounts {
    /// What is added to every count.
    pub prior: Prior,
}

impl Default for FromCounts {
    fn default() -> Self {
        FromCounts { prior: Prior::Laplace }
    }
}

impl Prior {
    /// What is added to each cell of a family with this many cells.
    pub(crate) fn cell(self, cells: usize) -> f64 {
        match self {
            Prior::None => 0.0,
            Prior::Laplace => 1.0,
            Prior::Dirichlet(alpha) => alpha,
            Prior::Bdeu(size) => size / cells as f64,
        }
    }

    /// p(state | configuration, class) from counts: configuration slowest, then class, state fastest. A configuration
    /// that was never seen is uniform.
    pub fn probabilities(self, counts: &FamilyTable) -> Vec<f64> {
        let cells = counts.cells() * counts.classes();
        let mut table = Vec::with_capacity(cells);
        for j in 0..counts.configurations() {
            for c in 0..counts.classes() {
                let row: Vec<f64> = (0..counts.states()).map(|k| counts.at(j, k, c)).collect();
                table.extend(self.smoothed(&row, cells));
            }
        }
        table
    }

    /// p(class | configuration) from the counts of the parents' cells by class, configuration by configuration.
    pub fn of_class(self, counts: &FamilyTable) -> Vec<f64> {
        let (classes, cells) = (counts.classes(), counts.cells() * counts.classes());
        let seen = counts.values()[..cells].chunks_exact(classes);
        seen.flat_map(|row| self.smoothed(row, cells)).collect()
    }

    /// The probabilities of the states of one configuration, in a family with this many cells.
    pub(crate) fn smoothed(self, counts: &[f64], cells: usize) -> Vec<f64> {
        let prior = self.cell(cells);
        let total = counts.iter().sum::<f64>() + prior * counts.len() as f64;
        let share =
            |n: &f64| if total > 0.0 { (n + prior) / total } else { 1.0 / counts.len() as f64 };
        counts.iter().map(share).collect()
    }
}

impl Parameters for FromCounts {
    fn form(&self) -> String {
        match self.prior {
            Prior::None => ML.name.into(),
            Prior::Laplace => LAPLACE.name.into(),
            Prior::Dirichlet(alpha) => format!("{}:{alpha}", DIRICHLET.name),
            Prior::Bdeu(size) => format!("{}:{size}", BDEU.name),
        }
    }

    fn check(&self) -> Result<()> {
        let (setting, value) = match self.prior {
            Prior::Dirichlet(alpha) => ("alpha", alpha),
            Prior::Bdeu(size) => ("ess", size),
            Prior::None | Prior::Laplace => return Ok(()),
        };
        if value > 0.0 && value <= 1e100 {
            return Ok(());
        }
        Err(Error::Setting {
            learner: self.form(),
            setting: setting.into(),
            value: value.to_string(),
            expected: "a number above 0".into(),
        })
    }

    fn prior(&self) -> Option<Prior> {
        Some(self.prior)
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let counts = count_dag(dag, data, run)?;
        let outcome = Outcome { reasons: arc_reasons(dag, &counts), ..Outcome::exact() };
        Ok((network_from_counts(self.prior, dag, data.schema(), &counts)?, outcome))
    }
}

/// The network of a graph from the counts of its families, as [`count_dag`] lays them out.
pub fn network_from_counts(
    prior: Prior,
    dag: &Dag,
    schema: &Schema,
    counts: &[FamilyTable],
) -> Result<Network> {
    let tables = tables_from_counts(prior, counts);
    Network::new(variables(schema), dag.clone(), tables)
}

/// The tables of a network from the counts of its families, as [`count_dag`] lays them out.
pub(crate) fn tables_from_counts(prior: Prior, counts: &[FamilyTable]) -> Vec<Vec<f64>> {
    let class = counts.len() - 1;
    // The class is the last column, so as a parent it changes fastest, as the counts have it.
    let attributes = counts[..class].iter().map(|counts| prior.probabilities(counts));
    attributes.chain([prior.of_class(&counts[class])]).collect()
}

/// The counts of every family of a graph whose last node is the class: a table of each attribute with its attribute
/// parents, by class where the class is a parent, then one of the class's parents by class (one cell where it has none).
pub fn count_dag(dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<Vec<FamilyTable>> {
    let class = dag.nodes() - 1;
    let attributes = |node: usize| dag.parents(node).filter(move |&p| p != class);
    let of_attribute = |child: usize| {
        (Family { child, parents: attributes(child).collect() }, dag.has_arc(class, child))
    };
    // By class, the parents' cells are the class's family: the last parent stands in for the child.
    let mut parents: Vec<usize> = attributes(class).collect();
    let stand_in = parents.pop();
    let of_class = (Family { child: stand_in.unwrap_or(class), parents }, stand_in.is_some());
    let families = (0..class).map(of_attribute).chain([of_class]);
    let pass = CountFamilies::of_known_class(data, families, class)?;
    let mut counts = run_pass(data, &pass, run)?;
    if stand_in.is_none() {
        let classes = counts[class].states();
        let mut own = FamilyTable::zeros(1, 1, classes);
        (0..classes).for_each(|c| *own.at_mut(0, 0, c) = counts[class].at(0, c, 0));
        counts[class] = own;
    }
    Ok(counts)
}

/// The columns of a discrete table as the variables of a network.
pub(crate) fn variables(schema: &Schema) -> Vec<Variable> {
    let variable = |f: &Field| Variable { name: f.name.clone(), levels: f.levels().to_vec() };
    schema.fields.iter().map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Table};
    use crate::num::tolerance::{ROUNDING, close};

    /// A class of many levels must not blow up the tables of families it is no parent of, and rows without a class count in
    /// none.
    #[test]
    fn families_without_the_class_are_counted_without_it() {
        let column = |name: &str, states: usize, code: &dyn Fn(usize) -> Option<usize>| {
            let levels: Vec<String> = (0..states).map(|l| l.to_string()).collect();
            let cells = Cells::from_codes((0..600).map(code), states);
            (Field::discrete(name, levels), cells)
        };
        // Families of up to 256 codes are counted another way than larger ones.
        for states in [3, 40] {
            let table = Table::new(
                "t",
                vec![
                    column("x", states, &|r| Some(r % states)),
                    column("y", states, &|r| (r % 7 != 0).then_some(r / 3 % states)),
                    column("class", 500, &|r| (r % 5 != 0).then_some(r % 500)),
                ],
            )
            .unwrap();
            let mut dag = Dag::new(3);
            dag.add(0, 1).unwrap();
            let counts = count_dag(&dag, &Source::Memory(table.view()), &Run::default()).unwrap();
            let classes: Vec<usize> = counts.iter().map(FamilyTable::classes).collect();
            assert_eq!(classes, [1, 1, 500]);
            for (x, y) in [(0, 0), (1, 2), (2, 1)] {
                let here = |r: &usize| {
                    !r.is_multiple_of(5)
                        && !r.is_multiple_of(7)
                        && r % states == x
                        && r / 3 % states == y
                };
                let expected = (0..600).filter(here).count() as f64;
                assert_eq!(counts[1].at(x, y, 0), expected);
            }
            assert_eq!(counts[2].total(), 480.0);
        }
    }

    #[test]
    fn priors_by_hand() {
        let mut counts = FamilyTable::zeros(1, 2, 2);
        *counts.at_mut(0, 0, 0) = 3.0;
        *counts.at_mut(0, 1, 0) = 1.0;
        let expect = |prior: Prior, wanted: [f64; 4]| {
            let got = prior.probabilities(&counts);
            assert!(got.iter().zip(wanted).all(|(g, w)| close(*g, w, ROUNDING)), "{got:?}");
        };
        expect(Prior::None, [0.75, 0.25, 0.5, 0.5]);
        expect(Prior::Laplace, [4.0 / 6.0, 2.0 / 6.0, 0.5, 0.5]);
        expect(Prior::Dirichlet(0.5), [0.7, 0.3, 0.5, 0.5]);
        // Four cells share a prior sample of 2: half a row each.
        expect(Prior::Bdeu(2.0), [0.7, 0.3, 0.5, 0.5]);
    }
}
