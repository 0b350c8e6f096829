//! Random models with a cluster, to make data whose true partition is known.

use crate::error::Result;
use crate::graph::Dag;
use crate::network::random::CLASS;
use crate::network::{Network, Variable};
use crate::seed::Random;

/// What depends on what in a random model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Each attribute depends on the cluster, or on nothing, with equal probability.
    SelectiveNaive,
    /// The attributes form a random network with at most so many parents each; half of them, at random, depend on the
    /// cluster as well.
    Network(usize),
    /// Every attribute depends on the cluster, and the attributes form a random tree.
    Tan,
}

/// A kind of random models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// What depends on what.
    pub form: Form,
    /// How many attributes.
    pub attributes: usize,
    /// How many clusters.
    pub clusters: usize,
    /// Each attribute has from two to so many states, at random.
    pub most_states: usize,
    /// Whether the clusters are equally probable; else their probabilities are drawn too.
    pub equal: bool,
}

impl Shape {
    /// Draws a model: the states of every attribute, then the graph, then each distribution of each table, that of the
    /// clusters last, uniformly among all there are. The cluster is the last variable.
    pub fn draw(&self, random: &mut Random) -> Result<Network> {
        let class = self.attributes;
        let mut states: Vec<usize> =
            (0..class).map(|_| 2 + random.below(self.most_states - 1)).collect();
        states.push(self.clusters);
        let dag = self.graph(random)?;
        let table = |v: usize| -> Vec<f64> {
            if v == class && self.equal {
                return vec![1.0 / self.clusters as f64; self.clusters];
            }
            let rows: usize = dag.parents(v).map(|p| states[p]).product();
            (0..rows).flat_map(|_| random.dirichlet(states[v], 1.0)).collect()
        };
        let tables = (0..=class).map(table).collect();
        Network::new(variables(&states), dag, tables)
    }

    /// A number that no other kind has.
    pub fn number(&self) -> u64 {
        let form = match self.form {
            Form::SelectiveNaive => 1,
            Form::Tan => 2,
            Form::Network(parents) => 10 + parents,
        };
        ((form * 1000 + self.attributes) * 100 + self.clusters) as u64
    }

    fn graph(&self, random: &mut Random) -> Result<Dag> {
        let class = self.attributes;
        let mut dag = Dag::new(class + 1);
        let mut order: Vec<usize> = (0..class).collect();
        random.shuffle(&mut order);
        for (i, &v) in order.iter().enumerate() {
            let parents = match self.form {
                Form::SelectiveNaive => 0,
                Form::Tan => i.min(1),
                Form::Network(most) => random.below(most.min(i) + 1),
            };
            let mut earlier = order[..i].to_vec();
            random.shuffle(&mut earlier);
            earlier[..parents].iter().try_for_each(|&p| dag.add(p, v))?;
            if self.form == Form::Tan || random.below(2) == 1 {
                dag.add(class, v)?;
            }
        }
        Ok(dag)
    }
}

/// Attributes x1, x2 and so on, then the cluster, with so many states each.
pub(super) fn variables(states: &[usize]) -> Vec<Variable> {
    let last = states.len() - 1;
    let name = |v: usize| if v == last { CLASS.into() } else { format!("x{}", v + 1) };
    let levels = |v: usize| (0..states[v]).map(|l| l.to_string()).collect();
    (0..=last).map(|v| Variable { name: name(v), levels: levels(v) }).collect()
}
