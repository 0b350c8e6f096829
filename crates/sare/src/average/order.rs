//! Averages over all trees and forests that agree with an order of the attributes (ALGORITHMS 6).

use super::count::Rows;
use super::model::PairModel;
use super::pairs::PairTables;
use super::smooth::{log_evidence, proper};
use super::{Average, Model, mixture, reported};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::num::{log_add, log_sum_exp, normalise_logs};
use crate::parameters::dirichlet::Prior;
use crate::run::{ArcProbability, Outcome, Run};
use crate::seed::{Purpose, Random};
use crate::stats::information::information_with_class;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How the orders of an average weigh against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderWeights {
    /// By the probability of the rows given the order.
    #[default]
    Evidence,
    /// All the same.
    Uniform,
}

/// The Bayesian average over all networks in which every attribute has any one earlier attribute of the order as a
/// parent, or none, and the class as a parent, or not: the parent sets {}, {C}, {X_j}, {C, X_j}, all equally probable
/// beforehand, every table with a symmetric Dirichlet prior. Then
///
/// p(x_i | c, x_before) = sum_v w_v theta_v, w_v proportional to exp(lnB_v).
///
/// Several orders are averaged too. The first is that of falling I(X; C), the others are random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderAverage {
    /// How many orders.
    pub orders: usize,
    /// How they weigh against each other.
    pub weights: OrderWeights,
}

/// What the average is called and does.
pub const DESCRIPTION: Description = Description {
    name: "averaged-tan",
    help: "the average over all trees and forests that agree with an order, and over some orders",
    source: "Dash and Cooper 2004; Santafe, Lozano and Larranaga 2006",
    settings: &[
        Setting {
            name: "orders",
            help: "over how many orders: by I(X;C), then random ones",
            range: Range::Whole { least: 1, most: 1000, default: DEFAULT_ORDERS },
        },
        Setting {
            name: "weights",
            help: "how the orders weigh: by the probability of the rows, or equally",
            range: Range::Choice(&["evidence", "uniform"]),
        },
    ],
};

const DEFAULT_ORDERS: usize = 10;

/// An order with less of the weight than this is left out: a row would have to be this much more probable under it than
/// under the others for it to be felt.
const LEAST_WEIGHT: f64 = 1e-30;

impl Default for OrderAverage {
    fn default() -> Self {
        OrderAverage { orders: DEFAULT_ORDERS, weights: OrderWeights::Evidence }
    }
}

impl Average for OrderAverage {
    fn form(&self) -> String {
        let weights = match self.weights {
            OrderWeights::Evidence => "evidence",
            OrderWeights::Uniform => "uniform",
        };
        // Named, so that the form can stand in a list of forms.
        format!("{}:orders={},weights={weights}", DESCRIPTION.name, self.orders)
    }

    fn check(&self, prior: Option<Prior>) -> Result<()> {
        proper(DESCRIPTION.name, prior).map(|_| ())
    }

    fn learn(&self, prior: Prior, data: &Source<'_>, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.check(Some(prior))?;
        let draw = |tables: &PairTables| self.draw(tables, run.seed);
        learn(self.weights, self.orders, draw, prior, data, run)
    }
}

/// The average over orders that are known.
pub(crate) struct GivenOrders {
    /// Each a permutation of the attributes.
    pub orders: Vec<Vec<usize>>,
    /// How they weigh against each other.
    pub weights: OrderWeights,
}

impl GivenOrders {
    /// Learns as [`Average::learn`] does.
    pub(crate) fn learn(
        &self,
        prior: Prior,
        data: &Source<'_>,
        run: &Run<'_>,
    ) -> Result<(Model, Outcome)> {
        let orders = |_: &PairTables| self.orders.clone();
        learn(self.weights, self.orders.len(), orders, prior, data, run)
    }
}

/// The average over the orders that are made of the counts.
fn learn(
    weights: OrderWeights,
    count: usize,
    orders: impl FnOnce(&PairTables) -> Vec<Vec<usize>>,
    prior: Prior,
    data: &Source<'_>,
    run: &Run<'_>,
) -> Result<(Model, Outcome)> {
    mixture::check_size(data.schema().len() - 1, count)?;
    let tables = PairTables::count(data, Rows::Complete, run)?;
    super::check_rows(&tables, data.name(), run)?;
    let orders = orders(&tables);
    let evidence = run.install(|| ParentSets::new(prior, &tables));
    let shares = evidence.weigh(&orders, weights);
    let kept = orders.into_iter().zip(shares).filter(|(_, w)| *w >= LEAST_WEIGHT);
    let orders: Vec<Vec<usize>> = kept.map(|(order, _)| order).collect();
    let (relevance, arcs) = evidence.report(&orders, weights);
    let model = run.install(|| PairModel::of_orders(weights, orders, prior, tables, &evidence))?;
    let outcome = Outcome { relevance: Some(relevance), arcs: Some(arcs), ..Outcome::exact() };
    Ok((Model::Pairs(model), outcome))
}

impl OrderAverage {
    /// The orders, each once.
    fn draw(&self, tables: &PairTables, seed: u64) -> Vec<Vec<usize>> {
        let n = tables.attributes();
        let relevance: Vec<f64> =
            (0..n).map(|i| information_with_class(&tables.alone(i))).collect();
        let mut first: Vec<usize> = (0..n).collect();
        first.sort_by(|&x, &y| relevance[y].total_cmp(&relevance[x]));
        let mut orders = vec![first];
        for index in 1..self.orders {
            let mut order: Vec<usize> = (0..n).collect();
            Random::new(seed, Purpose::Order, index as u64).shuffle(&mut order);
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        orders
    }
}

/// lnB of every attribute with every parent set.
#[derive(Clone, Debug)]
pub(super) struct ParentSets {
    attributes: usize,
    /// Without parents, by child.
    none: Vec<f64>,
    /// With the class.
    class: Vec<f64>,
    /// With one attribute: child by child, parent innermost.
    one: Vec<f64>,
    /// With one attribute and the class.
    both: Vec<f64>,
}

/// What one attribute of an order depends on.
pub(super) struct Local {
    /// ln sum_v prior_v exp(lnB_v)
    pub log_evidence: f64,
    /// The weight of {} and {C} together.
    pub alone: f64,
    /// The weight of {X_j} and {C, X_j} together, for every earlier attribute of the order.
    pub earlier: Vec<f64>,
    /// The weight of all sets with the class.
    pub with_class: f64,
}

impl ParentSets {
    pub(super) fn new(prior: Prior, tables: &PairTables) -> ParentSets {
        let n = tables.attributes();
        let alone: Vec<_> = (0..n).map(|i| tables.alone(i)).collect();
        let of_pair = |cell: usize| {
            let (child, parent) = (cell / n, cell % n);
            if child == parent {
                return (0.0, 0.0);
            }
            let family = tables.family(parent, child);
            (log_evidence(prior, &family.sum_over_classes()), log_evidence(prior, &family))
        };
        let (one, both) = (0..n * n).into_par_iter().map(of_pair).unzip();
        let none = alone.iter().map(|t| log_evidence(prior, &t.sum_over_classes())).collect();
        let class = alone.iter().map(|t| log_evidence(prior, t)).collect();
        ParentSets { attributes: n, none, class, one, both }
    }

    /// The share of {C} in {} and {C}.
    pub(super) fn class_share(&self, child: usize) -> f64 {
        1.0 / (1.0 + (self.none[child] - self.class[child]).exp())
    }

    /// The share of {C, X_j} in {X_j} and {C, X_j}.
    pub(super) fn class_share_with(&self, child: usize, parent: usize) -> f64 {
        let cell = child * self.attributes + parent;
        1.0 / (1.0 + (self.one[cell] - self.both[cell]).exp())
    }

    /// The posterior of the parent sets of the attribute at a place of an order.
    pub(super) fn local(&self, order: &[usize], place: usize) -> Local {
        let (child, before) = (order[place], &order[..place]);
        let at = |parent: &usize| child * self.attributes + parent;
        let mut pairs: Vec<f64> =
            before.iter().map(|j| log_add(self.one[at(j)], self.both[at(j)])).collect();
        pairs.push(log_add(self.none[child], self.class[child]));
        let total = log_sum_exp(&pairs);
        let share = |ln: f64| (ln - total).exp();
        let with_class: f64 = before.iter().map(|j| share(self.both[at(j)])).sum();
        let sets = 2.0 * (place + 1) as f64;
        let mut earlier: Vec<f64> = pairs.into_iter().map(share).collect();
        // The last is that of {} and {C}.
        let alone = earlier.pop().unwrap_or_default();
        let with_class = (with_class + share(self.class[child])).min(1.0);
        Local { log_evidence: total - sets.ln(), alone, earlier, with_class }
    }

    /// ln p(rows | order, classes)
    pub(super) fn log_evidence(&self, order: &[usize]) -> f64 {
        (0..order.len()).map(|place| self.local(order, place).log_evidence).sum()
    }

    /// ln of the mean of p(rows | order, classes) over some orders.
    pub(super) fn log_mean_evidence(&self, orders: &[Vec<usize>]) -> f64 {
        let logs: Vec<f64> = orders.par_iter().map(|o| self.log_evidence(o)).collect();
        log_sum_exp(&logs) - (orders.len() as f64).ln()
    }

    /// The weights of some orders.
    pub(super) fn weigh(&self, orders: &[Vec<usize>], by: OrderWeights) -> Vec<f64> {
        let log = |order: &Vec<usize>| match by {
            OrderWeights::Evidence => self.log_evidence(order),
            OrderWeights::Uniform => 0.0,
        };
        let mut weights: Vec<f64> = orders.par_iter().map(log).collect();
        normalise_logs(&mut weights);
        weights
    }

    /// The posterior probability that each attribute depends on the class, and of each arc.
    fn report(&self, orders: &[Vec<usize>], by: OrderWeights) -> (Vec<f64>, Vec<ArcProbability>) {
        let n = self.attributes;
        let mut relevance = vec![0.0; n];
        // Child by child; the last parent is the class.
        let mut arcs = vec![0.0; n * (n + 1)];
        for (order, weight) in orders.iter().zip(self.weigh(orders, by)) {
            for (place, &child) in order.iter().enumerate() {
                let local = self.local(order, place);
                relevance[child] += weight * local.with_class;
                for (&parent, p) in order.iter().zip(&local.earlier) {
                    arcs[child * (n + 1) + parent] += weight * p;
                }
            }
        }
        for (child, &p) in relevance.iter().enumerate() {
            arcs[child * (n + 1) + n] = p;
        }
        let arcs =
            arcs.into_iter().enumerate().map(|(cell, p)| (cell % (n + 1), cell / (n + 1), p));
        (relevance, reported(arcs))
    }
}
