//! What the attributes are like in each cluster, whatever they depend on beside it.

use crate::average::{Model, PairModel};
use crate::classify::Classifier;
use crate::data::Source;
use crate::error::{Error, Result};
use crate::infer::join_tree::DEFAULT_LIMIT;
use crate::infer::{Evidence, JoinTree};
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::{CountFamilies, Family, run_pass};

/// p(cluster), and of every attribute p(state | cluster).
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    /// The probability of each cluster.
    pub clusters: Vec<f64>,
    /// For each attribute p(state | cluster): cluster by cluster, the state changing fastest.
    pub attributes: Vec<Vec<f64>>,
}

/// Rows that are drawn where nothing else can be done.
const SAMPLES: usize = 100_000;
/// Clusters are alike if no probability differs by as much.
const ALIKE: f64 = 0.01;
/// Pairs that are told.
const MOST_PAIRS: usize = 5;

impl Marginals {
    /// Those of a model whose class is the cluster.
    pub fn of(model: &Classifier) -> Result<Marginals> {
        match (model.network(), model.pairs()) {
            (Some(network), _) => of_network(network),
            (None, Some(pairs)) => Ok(of_pairs(pairs)),
            (None, None) => Ok(Marginals { clusters: Vec::new(), attributes: Vec::new() }),
        }
    }

    /// Those of a fitted model.
    pub(super) fn of_model(model: &Model) -> Result<Marginals> {
        match model {
            Model::Network(network) => of_network(network),
            Model::Pairs(pairs) => Ok(of_pairs(pairs)),
        }
    }

    /// How many states an attribute has.
    pub fn states(&self, attribute: usize) -> usize {
        self.attributes[attribute].len() / self.clusters.len()
    }

    /// p(state | cluster) of an attribute.
    pub fn given(&self, attribute: usize, cluster: usize) -> &[f64] {
        let states = self.states(attribute);
        &self.attributes[attribute][cluster * states..][..states]
    }

    /// The pairs of clusters that no attribute tells apart, the first few.
    pub fn alike(&self) -> Vec<(usize, usize)> {
        let same = |&(a, b): &(usize, usize)| {
            let near = |v: usize| {
                let both = self.given(v, a).iter().zip(self.given(v, b));
                both.into_iter().all(|(p, q)| (p - q).abs() < ALIKE)
            };
            (0..self.attributes.len()).all(near)
        };
        let k = self.clusters.len();
        let pairs = (0..k).flat_map(|b| (0..b).map(move |a| (a, b)));
        pairs.filter(same).take(MOST_PAIRS).collect()
    }

    /// p(state) of an attribute, over all clusters.
    pub fn overall(&self, attribute: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.states(attribute)];
        for (cluster, weight) in self.clusters.iter().enumerate() {
            let row = self.given(attribute, cluster);
            sums.iter_mut().zip(row).for_each(|(s, p)| *s += weight * p);
        }
        sums
    }
}

fn of_pairs(pairs: &PairModel) -> Marginals {
    let (clusters, tables) = pairs.marginals();
    // Cluster innermost there, state innermost here.
    let turned = |table: &Vec<f64>| -> Vec<f64> {
        let k = clusters.len();
        let states = table.len() / k;
        (0..k).flat_map(|c| (0..states).map(move |s| table[s * k + c])).collect()
    };
    let attributes = tables.iter().map(turned).collect();
    Marginals { clusters, attributes }
}

fn of_network(network: &Network) -> Result<Marginals> {
    let class = network.variables().len() - 1;
    let dag = network.dag();
    if (0..class).all(|v| dag.parents(v).eq([class])) && dag.parents(class).next().is_none() {
        let attributes = (0..class).map(|v| network.table(v).to_vec()).collect();
        return Ok(Marginals { clusters: network.table(class).to_vec(), attributes });
    }
    let tree = match JoinTree::new(network, DEFAULT_LIMIT) {
        // What was learnt is not lost because it cannot be summed out.
        Err(Error::TooLarge { .. }) => return sampled(network, SAMPLES),
        tree => tree?,
    };
    let mut posterior = tree.prior();
    let clusters = posterior.marginal(class).to_vec();
    let mut attributes = vec![Vec::new(); class];
    for (cluster, &p) in clusters.iter().enumerate() {
        // Of a cluster that cannot be, nothing is known: what is said of all rows stands for it.
        let mut evidence = Evidence::none();
        if p > 0.0 {
            evidence.see(network, class, cluster)?;
        }
        tree.update(&evidence, &mut posterior)?;
        let all = attributes.iter_mut().enumerate();
        all.for_each(|(v, table)| table.extend_from_slice(posterior.marginal(v)));
    }
    Ok(Marginals { clusters, attributes })
}

/// About those of a network whose attributes depend on each other in too many ways to be summed out: of rows drawn from it,
/// a standard error of 0.005 at most for a cluster of one in ten.
fn sampled(network: &Network, rows: usize) -> Result<Marginals> {
    let class = network.variables().len() - 1;
    let table = network.sample("sample", rows, &mut Random::new(1, Purpose::Sample, 0))?;
    let source = Source::Memory(table.view());
    let alone = (0..class).map(|child| Family { child, parents: Vec::new() }).collect();
    let counts =
        run_pass(&source, &CountFamilies::new(&source, alone, Some(class))?, &Run::default())?;
    let mut clusters = vec![0.0; network.states(class)];
    let drawn = (0..rows).filter_map(|r| table.cells(class).code(r));
    drawn.for_each(|c| clusters[c] += 1.0 / rows as f64);
    // A cluster that none of the rows is of is said to be like all.
    let attributes = counts.iter().map(|t| Prior::None.probabilities(t)).collect();
    Ok(Marginals { clusters, attributes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::random::{Form, RandomNetwork};
    use crate::num::tolerance::close;

    #[test]
    fn a_sample_says_about_the_same() {
        let shape =
            RandomNetwork { form: Form::Tan, attributes: 4, states: 3, classes: 2, alpha: 1.0 };
        let network = shape.draw(3).unwrap();
        let (exact, about) = (of_network(&network).unwrap(), sampled(&network, SAMPLES).unwrap());
        let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(p, q)| (p - q).abs() < 0.02);
        assert!(near(&exact.clusters, &about.clusters));
        for v in 0..4 {
            assert_eq!(about.attributes[v].len(), exact.attributes[v].len());
            assert!(near(&exact.attributes[v], &about.attributes[v]), "{about:?}");
        }
    }

    /// What averages say of an attribute when all others are summed out, against going through every row there can be.
    #[test]
    fn marginals_of_averages_are_those_of_their_joint_distribution() {
        use crate::average::order::OrderAverage;
        use crate::average::trees::TreeAverage;
        use crate::classify::{Learner, Structures};
        use crate::data::View;
        let shape = crate::network::known::Shape::default();
        let table = crate::network::known::generate("monk1", Some(60), &shape, 1).unwrap();
        let every = crate::network::known::generate("monk1", None, &shape, 1).unwrap();
        let run = Run::default();
        let averages: [Box<dyn crate::average::Average>; 2] = [
            Box::new(OrderAverage { orders: 3, ..OrderAverage::default() }),
            Box::new(TreeAverage { weight: 4.0 }),
        ];
        for average in averages {
            let learner = Learner { structure: Structures::Average(average), ..Learner::default() };
            let model = learner.fit(table.view(), "class", &run).unwrap();
            let told = Marginals::of(&model).unwrap();
            let coded = model.bins().apply(&every);
            let joint = model.log_joint(View::all(&coded), &run).unwrap();
            assert_eq!(coded.rows(), 432, "every row once");
            for v in 0..6 {
                let states = coded.field(v).states();
                let mut sums = vec![0.0; 2 * states];
                for r in 0..coded.rows() {
                    let x = coded.cells(v).code(r).unwrap();
                    (0..2).for_each(|c| sums[c * states + x] += joint.row(r)[c].exp());
                }
                for (place, sum) in sums.iter().enumerate() {
                    let (c, x) = (place / states, place % states);
                    let p = told.given(v, c)[x] * told.clusters[c];
                    assert!(close(p, *sum, 1e-10), "{v}: {p} {sum}");
                }
            }
        }
    }

    #[test]
    fn attributes_that_depend_on_each_other_are_summed_out() {
        let shape =
            RandomNetwork { form: Form::Tan, attributes: 4, states: 3, classes: 2, alpha: 1.0 };
        let network = shape.draw(3).unwrap();
        let told = of_network(&network).unwrap();
        for v in 0..4 {
            let mut sums = [0.0; 6];
            for cell in 0..162usize {
                let row: Vec<usize> =
                    (0..4).map(|i| cell / 3usize.pow(i) % 3).chain([cell / 81]).collect();
                sums[row[4] * 3 + row[v]] += network.log_probability(&row).exp();
            }
            for (place, sum) in sums.iter().enumerate() {
                let p = told.given(v, place / 3)[place % 3] * told.clusters[place / 3];
                assert!(close(p, *sum, 1e-12), "{p} {sum}");
            }
        }
    }
}
