//! Averages over all trees and forests that agree with an order of the attributes (ALGORITHMS 6).

use super::expected::counts;
pub(crate) use super::mixture::check_size;
use super::model::PairModel;
use super::pairs::PairTables;
use super::parent_sets::ParentSets;
use super::smooth::proper;
use super::{Average, Model};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::parameters::dirichlet::Prior;
use crate::run::{Outcome, Run};
use crate::seed::{Purpose, Random};
use crate::stats::information::information_with_class;
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
        check_size(data.schema().len() - 1, self.orders)?;
        let (tables, counted) = counts(prior, data, run)?;
        let orders = self.draw(&tables, run.seed);
        let (model, told) = GivenOrders { orders, weights: self.weights }.of(prior, tables, run)?;
        Ok((model, Outcome { relevance: told.relevance, arcs: told.arcs, ..counted }))
    }
}

/// The average over orders that are known.
#[derive(Clone)]
pub(crate) struct GivenOrders {
    /// Each a permutation of the attributes.
    pub orders: Vec<Vec<usize>>,
    /// How they weigh against each other.
    pub weights: OrderWeights,
}

impl GivenOrders {
    /// The average that counts make, under a proper prior.
    pub(crate) fn of(
        self,
        prior: Prior,
        tables: PairTables,
        run: &Run<'_>,
    ) -> Result<(Model, Outcome)> {
        let GivenOrders { orders, weights } = self;
        run.install(|| {
            let sets = ParentSets::new(prior, &tables);
            let orders = sets.weigh(orders, weights, LEAST_WEIGHT);
            let (relevance, arcs) = orders.report();
            let model = PairModel::of_orders(weights, &orders, prior, tables, &sets)?;
            let outcome =
                Outcome { relevance: Some(relevance), arcs: Some(arcs), ..Outcome::exact() };
            Ok((Model::Pairs(model), outcome))
        })
    }
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
