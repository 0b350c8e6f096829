//! Every data set that can be made without a file: those of a rule and those of a random network.

use super::random::{Form, RandomNetwork};
use crate::data::Table;
use crate::data::generate::{RULES, rule};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Random};

/// The largest set that is made, in bytes while it is being made.
const LARGEST_SET: u128 = 8 << 30;

/// A known set's name and what it is.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// How many rows it has when none are asked for.
    pub rows: usize,
}

/// The random networks, with the rows drawn when no number is asked for.
const RANDOM: [Known; 3] = [
    Known { name: "random-nb", help: "a random selective naive Bayes network", rows: 1000 },
    Known { name: "random-tan", help: "a random tree-augmented naive Bayes network", rows: 1000 },
    Known {
        name: "random-network",
        help: "a random Bayesian network with a limit on parents",
        rows: 1000,
    },
];

/// Every set there is.
pub fn all() -> Vec<Known> {
    let of_rules = RULES.iter().map(|set| Known {
        name: set.name,
        help: set.help,
        rows: set.natural_rows.unwrap_or(5000),
    });
    of_rules.chain(RANDOM).collect()
}

/// What to make of a random network; the sets of a rule ignore it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Attributes, not counting the class.
    pub variables: usize,
    /// States of each attribute.
    pub states: usize,
    /// States of the class.
    pub clusters: usize,
    /// The most parents a variable of `random-network` has.
    pub max_parents: usize,
    /// The probability that an attribute of `random-nb` is relevant.
    pub relevant: f64,
    /// The parameter of the symmetric Dirichlet distribution the tables are drawn from.
    pub alpha: f64,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { variables: 10, states: 3, clusters: 2, max_parents: 3, relevant: 0.5, alpha: 1.0 }
    }
}

/// The random network behind a set, or `None` for the set of a rule.
pub fn network_of(name: &str, shape: &Shape) -> Option<RandomNetwork> {
    let form = match name {
        "random-nb" => Form::SelectiveNaiveBayes(shape.relevant),
        "random-tan" => Form::Tan,
        "random-network" => Form::Network(shape.max_parents),
        _ => return None,
    };
    Some(RandomNetwork {
        form,
        attributes: shape.variables,
        states: shape.states,
        classes: shape.clusters,
        alpha: shape.alpha,
    })
}

/// Makes a set: the whole of it, or `rows` rows drawn at random.
pub fn generate(name: &str, rows: Option<usize>, shape: &Shape, seed: u64) -> Result<Table> {
    let known = all();
    let Some(set) = known.iter().find(|k| k.name == name) else {
        return Err(Error::unknown("known set", name, known.iter().map(|k| k.name)));
    };
    let columns = if network_of(name, shape).is_some() { shape.variables + 1 } else { 22 };
    let bytes = rows.unwrap_or(0) as u128 * columns as u128 * 8;
    if bytes > LARGEST_SET {
        return Err(Error::TooLarge {
            what: format!("a set of {} rows and {columns} columns", rows.unwrap_or(0)),
            bytes,
            limit: LARGEST_SET,
            fix: "ask for fewer rows".into(),
        });
    }
    let Some(random) = network_of(name, shape) else { return rule(name, rows, seed) };
    let rows = rows.unwrap_or(set.rows);
    if rows > u32::MAX as usize {
        let problem = format!("{rows} rows were asked for, but a table has at most {}", u32::MAX);
        return Err(Error::data(name, problem, "ask for fewer"));
    }
    random.draw(seed)?.sample(name, rows, &mut Random::new(seed, Purpose::Sample, 0))
}
