//! Random networks, to make data whose truth is known.

use super::network::{Network, Variable};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::seed::{Purpose, Random};

/// The name of the class (or cluster) of a random network; it is the last variable.
pub const CLASS: &str = "class";

/// What a random network is to be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomNetwork {
    /// The form of its graph.
    pub form: Form,
    /// Attributes, not counting the class.
    pub attributes: usize,
    /// States of each attribute.
    pub states: usize,
    /// States of the class.
    pub classes: usize,
    /// The parameter of the symmetric Dirichlet distribution the tables are drawn from.
    pub alpha: f64,
}

/// The form of a random network's graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// The class is a parent of each attribute with this probability; the others are irrelevant.
    SelectiveNaiveBayes(
        /// The probability that an attribute is relevant.
        f64,
    ),
    /// The class is a parent of every attribute and the attributes form a random tree.
    Tan,
    /// Any graph in which no variable has more parents than this.
    Network(
        /// The most parents a variable has.
        usize,
    ),
}

/// The largest table a random network may have, in entries.
const LARGEST_TABLE: usize = 1 << 24;

impl RandomNetwork {
    /// Draws the network with this seed.
    pub fn draw(&self, seed: u64) -> Result<Network> {
        self.check()?;
        let mut random = Random::new(seed, Purpose::Model, 0);
        let dag = self.graph(&mut random)?;
        let class = self.attributes;
        let levels = |count: usize| (0..count).map(|l| l.to_string()).collect();
        let mut variables: Vec<Variable> = (1..=self.attributes)
            .map(|i| Variable { name: format!("x{i}"), levels: levels(self.states) })
            .collect();
        variables.push(Variable { name: CLASS.into(), levels: levels(self.classes) });
        let states = |v: usize| if v == class { self.classes } else { self.states };
        let table = |v: usize| {
            let rows: usize = dag.parents(v).map(states).product();
            (0..rows).flat_map(|_| random.dirichlet(states(v), self.alpha)).collect()
        };
        let tables = (0..variables.len()).map(table).collect();
        Network::new(variables, dag, tables)
    }

    fn check(&self) -> Result<()> {
        let bad = |setting: &str, value: String, expected: &str| {
            Err(Error::Setting {
                learner: "random network".into(),
                setting: setting.into(),
                value,
                expected: expected.into(),
            })
        };
        let possible = 1..=255;
        if self.attributes == 0 || self.attributes > 100_000 {
            return bad("variables", self.attributes.to_string(), "from 1 to 100,000");
        }
        if !possible.contains(&self.states) {
            return bad("states", self.states.to_string(), "from 1 to 255");
        }
        if !possible.contains(&self.classes) {
            return bad("clusters", self.classes.to_string(), "from 1 to 255");
        }
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            return bad("alpha", self.alpha.to_string(), "a number above 0");
        }
        match self.form {
            Form::SelectiveNaiveBayes(p) if !(0.0..=1.0).contains(&p) => {
                bad("relevant", p.to_string(), "from 0 to 1")
            }
            Form::Network(parents) => {
                // Cut off first, so that a huge number does not overflow before it is refused.
                let exponent = parents.min(31) as u32 + 1;
                let largest = self.states.max(self.classes).checked_pow(exponent);
                if parents > 30 || largest.is_none_or(|n| n > LARGEST_TABLE) {
                    return bad("max-parents", parents.to_string(), "small enough for the tables");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn graph(&self, random: &mut Random) -> Result<Dag> {
        let class = self.attributes;
        let mut dag = Dag::new(self.attributes + 1);
        match self.form {
            Form::SelectiveNaiveBayes(relevant) => {
                for v in 0..class {
                    if random.uniform() < relevant {
                        dag.add(class, v)?;
                    }
                }
            }
            Form::Tan => {
                let mut order: Vec<usize> = (0..class).collect();
                random.shuffle(&mut order);
                for (i, &v) in order.iter().enumerate() {
                    dag.add(class, v)?;
                    if i > 0 {
                        dag.add(order[random.below(i)], v)?;
                    }
                }
            }
            Form::Network(most) => {
                let mut order: Vec<usize> = (0..=class).collect();
                random.shuffle(&mut order);
                for (i, &v) in order.iter().enumerate() {
                    let mut earlier = order[..i].to_vec();
                    random.shuffle(&mut earlier);
                    let count = random.below(most.min(i) + 1);
                    for &p in &earlier[..count] {
                        dag.add(p, v)?;
                    }
                }
            }
        }
        Ok(dag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(form: Form) -> RandomNetwork {
        RandomNetwork { form, attributes: 20, states: 3, classes: 2, alpha: 1.0 }
    }

    #[test]
    fn graphs_have_the_form_asked_for() {
        for seed in 0..20 {
            let tan = spec(Form::Tan).draw(seed).unwrap();
            assert_eq!(tan.dag().arcs(), 20 + 19);
            assert!((0..20).all(|v| tan.dag().has_arc(20, v) && tan.dag().parents(v).count() <= 2));
            let net = spec(Form::Network(3)).draw(seed).unwrap();
            assert!((0..=20).all(|v| net.dag().parents(v).count() <= 3));
            let snb = spec(Form::SelectiveNaiveBayes(0.5)).draw(seed).unwrap();
            assert!((0..20).all(|v| snb.dag().parents(v).all(|p| p == 20)));
        }
        let all = spec(Form::SelectiveNaiveBayes(1.0)).draw(1).unwrap();
        assert_eq!(all.dag().arcs(), 20);
    }

    #[test]
    fn same_seed_same_network() {
        let draw = |seed| spec(Form::Tan).draw(seed).unwrap();
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }

    #[test]
    fn samples_follow_the_tables() {
        let net = RandomNetwork { attributes: 3, ..spec(Form::Network(2)) }.draw(3).unwrap();
        let mut random = Random::new(1, Purpose::Sample, 0);
        let table = net.sample("t", 200_000, &mut random).unwrap();
        let logs = net.log_probabilities(&table).unwrap();
        let states = [3, 3, 3, 2];
        for cell in 0..54 {
            let mut row = [0; 4];
            let mut rest = cell;
            for v in (0..4).rev() {
                row[v] = rest % states[v];
                rest /= states[v];
            }
            let hit = |r: usize| (0..4).all(|v| table.cells(v).code(r) == Some(row[v]));
            let seen = (0..table.rows()).filter(|&r| hit(r)).count() as f64 / 200_000.0;
            let p = net.log_probability(&row).exp();
            let first = (0..table.rows()).find(|&r| hit(r));
            assert!(first.is_none_or(|r| logs[r].exp().to_bits() == p.to_bits()));
            let sd = (p * (1.0 - p) / 200_000.0).sqrt();
            assert!((seen - p).abs() < 5.0 * sd + 1e-9, "{seen} {p}");
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        assert!(RandomNetwork { states: 0, ..spec(Form::Tan) }.draw(1).is_err());
        assert!(RandomNetwork { alpha: 0.0, ..spec(Form::Tan) }.draw(1).is_err());
        assert!(spec(Form::Network(40)).draw(1).is_err());
        assert!(spec(Form::SelectiveNaiveBayes(1.5)).draw(1).is_err());
    }
}
