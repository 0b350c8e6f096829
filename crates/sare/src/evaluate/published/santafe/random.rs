//! Distributions drawn at random, to make data of known complexity.

use crate::data::{Cells, Field, Table};
use crate::error::Result;
use crate::graph::Dag;
use crate::network::{Network, Variable};
use crate::seed::Random;

/// What a distribution is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Attributes independent given the class.
    Naive,
    /// Attributes that form a random tree given the class.
    Tan,
    /// Every cell of attributes and class has its own probability.
    Joint,
    /// The same, but few cells have almost all of it.
    SparseJoint,
}

/// The Dirichlet parameters of a sparse joint distribution sum to this, so that its probability is on some hundreds of cells.
const SPARSE: f64 = 100.0;

/// A distribution over some attributes of two or three states and a class, the last.
pub(super) enum Distribution {
    /// A network.
    Network(Network),
    /// A table of all cells.
    Joint(Joint),
}

impl Distribution {
    /// Draws a distribution: the states of each attribute, two or three, then the graph, then every table, uniformly among
    /// all tables there are.
    pub fn draw(
        form: Form,
        attributes: usize,
        classes: usize,
        random: &mut Random,
    ) -> Result<Distribution> {
        let mut states: Vec<usize> = (0..attributes).map(|_| 2 + random.below(2)).collect();
        states.push(classes);
        let cells: usize = states.iter().product();
        match form {
            Form::Joint => return Ok(Distribution::Joint(Joint::draw(states, 1.0, random))),
            Form::SparseJoint => {
                let alpha = SPARSE / cells as f64;
                return Ok(Distribution::Joint(Joint::draw(states, alpha, random)));
            }
            Form::Naive | Form::Tan => {}
        }
        let dag = graph(form, attributes, random)?;
        let table = |v: usize| -> Vec<f64> {
            let rows: usize = dag.parents(v).map(|p| states[p]).product();
            (0..rows).flat_map(|_| random.dirichlet(states[v], 1.0)).collect()
        };
        let tables = (0..states.len()).map(table).collect();
        let variables = names(attributes).zip(&states).map(|(name, &n)| {
            let levels = (0..n).map(|l| l.to_string()).collect();
            Variable { name, levels }
        });
        Ok(Distribution::Network(Network::new(variables.collect(), dag, tables)?))
    }

    /// Draws rows.
    pub fn sample(&self, rows: usize, random: &mut Random) -> Result<Table> {
        match self {
            Distribution::Network(network) => network.sample("sample", rows, random),
            Distribution::Joint(joint) => joint.sample(rows, random),
        }
    }
}

fn names(attributes: usize) -> impl Iterator<Item = String> {
    (1..=attributes).map(|i| format!("x{i}")).chain(["class".to_string()])
}

/// The class a parent of all, and for a TAN a random tree beside it.
fn graph(form: Form, attributes: usize, random: &mut Random) -> Result<Dag> {
    let mut dag = Dag::new(attributes + 1);
    let mut order: Vec<usize> = (0..attributes).collect();
    random.shuffle(&mut order);
    for (i, &v) in order.iter().enumerate() {
        dag.add(attributes, v)?;
        if form == Form::Tan && i > 0 {
            dag.add(order[random.below(i)], v)?;
        }
    }
    Ok(dag)
}

/// A distribution with a probability for each cell.
pub(super) struct Joint {
    states: Vec<usize>,
    /// The probability of each cell and all before it; the last variable changes fastest.
    sums: Vec<f64>,
}

impl Joint {
    /// A distribution over these states, from the Dirichlet distribution with all parameters `alpha`; of 1, any is as
    /// likely as any other.
    pub fn draw(states: Vec<usize>, alpha: f64, random: &mut Random) -> Joint {
        let cells = states.iter().product();
        let mut sums = random.dirichlet(cells, alpha);
        let mut sum = 0.0;
        for p in &mut sums {
            sum += *p;
            *p = sum;
        }
        Joint { states, sums }
    }

    fn sample(&self, rows: usize, random: &mut Random) -> Result<Table> {
        let cell = |_| {
            let u = random.uniform();
            // Rounding may leave the last sum below 1.
            self.sums.partition_point(|&s| s <= u).min(self.sums.len() - 1)
        };
        let drawn: Vec<usize> = (0..rows).map(cell).collect();
        let mut columns = Vec::new();
        let mut step = self.sums.len();
        for (name, &states) in names(self.states.len() - 1).zip(&self.states) {
            step /= states;
            let codes = drawn.iter().map(|cell| Some(cell / step % states));
            let field = Field::discrete(name, (0..states).map(|l| l.to_string()));
            columns.push((field, Cells::from_codes(codes, states)));
        }
        Table::new("sample", columns)
    }

    /// The probability of a cell.
    #[cfg(test)]
    pub fn probability(&self, cell: usize) -> f64 {
        self.sums[cell] - if cell > 0 { self.sums[cell - 1] } else { 0.0 }
    }

    /// How many cells there are.
    #[cfg(test)]
    pub fn cells(&self) -> usize {
        self.sums.len()
    }
}
