//! Clusters within which attributes form trees: one tree learnt anew at each step, or averages over many (ALGORITHMS 8).

use super::method::{Found, Method, Rows};
use super::orders::{ORDERS, Order};
use super::soft::{Ending, FromPairs, Paired, Soft};
use super::starts::{self, Plan};
use crate::average::expected::best_tree;
use crate::average::order::{GivenOrders, OrderWeights, check_size};
use crate::average::trees::{TreeAverage, check_attributes};
use crate::average::{Average, Model, PairTables};
use crate::data::Table;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::parameters::dirichlet::Prior;
use crate::run::{Outcome, Run};

/// Which trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trees {
    /// The best one, learnt anew from the expected counts at each step: mEM-TAN.
    Best,
    /// All trees and forests that agree with orders of the attributes, averaged: EMA-TAN.
    Orders {
        /// How the attributes are ordered.
        order: Order,
        /// How many orders.
        count: usize,
        /// How they weigh against each other.
        weights: OrderWeights,
    },
    /// All spanning trees, averaged.
    All {
        /// The total prior weight of a cluster.
        weight: f64,
    },
}

/// Clusters within which attributes form trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeClusters {
    /// Which.
    pub trees: Trees,
    /// What is added to every expected count; for all spanning trees, to those of the clusters alone.
    pub alpha: f64,
    /// A start ends when no row's membership changes by more.
    pub tolerance: f64,
    /// At most this many iterations a start.
    pub iterations: usize,
}

pub(super) const TOLERANCE: Setting = Setting {
    name: "tolerance",
    help: "the best starts end when no row's membership changes by more",
    range: Range::Positive { default: 1e-6 },
};
pub(super) const ITERATIONS: Setting = Setting {
    name: "iterations",
    help: "at most this many per start; the best starts may take 20 times as many",
    range: Range::Whole { least: 1, most: 1_000_000, default: 200 },
};
pub(super) const ORDER: Setting = Setting {
    name: "order",
    help: "the order of the columns: by what each tells about the others, at random, or as they are",
    range: ORDERS,
};
const ANY_ALPHA: Setting = Setting {
    name: "alpha",
    help: "what is added to every expected count; 0 is maximum likelihood",
    range: Range::NotNegative { default: 1.0 },
};
const ALPHA: Setting = Setting {
    name: "alpha",
    help: "what is added to every expected count",
    range: Range::Positive { default: 1.0 },
};

/// mEM-TAN.
pub const EM_TAN: Description = Description {
    name: "em-tan",
    help: "a tree over the columns in every cluster, learnt anew at each step of EM",
    source: "Friedman, Geiger and Goldszmidt 1997; Santafe 2007, section 7.6",
    settings: &[ANY_ALPHA, TOLERANCE, ITERATIONS],
};

/// EMA-TAN.
pub const EMA_TAN: Description = Description {
    name: "ema-tan",
    help: "the average over all trees and forests that agree with an order, and over some orders",
    source: "Santafe, Lozano and Larranaga 2006; Santafe 2007, section 7.3.2",
    settings: &[
        ALPHA,
        ORDER,
        Setting {
            name: "orders",
            help: "over how many orders; all but the first are random",
            range: Range::Whole { least: 1, most: 1000, default: 1 },
        },
        Setting {
            name: "weights",
            help: "how the orders weigh: by the probability of the rows, or equally",
            range: Range::Choice(&["evidence", "uniform"]),
        },
        TOLERANCE,
        ITERATIONS,
    ],
};

/// The average over all spanning trees.
pub const EMA_TREES: Description = Description {
    name: "ema-trees",
    help: "the average over all trees over the columns, no order needed",
    source: "Meila and Jaakkola 2006, within the loop of Santafe, Lozano and Larranaga 2006",
    settings: &[
        Setting {
            name: "weight",
            help: "the prior weight of a cluster, in rows",
            range: Range::Positive { default: 1.0 },
        },
        TOLERANCE,
        ITERATIONS,
    ],
};

impl TreeClusters {
    /// mEM-TAN from the values of its settings.
    pub fn best(v: &[f64]) -> TreeClusters {
        TreeClusters { trees: Trees::Best, alpha: v[0], tolerance: v[1], iterations: v[2] as usize }
    }

    /// EMA-TAN from the values of its settings.
    pub fn orders(v: &[f64]) -> TreeClusters {
        let weights = [OrderWeights::Evidence, OrderWeights::Uniform][v[3] as usize];
        TreeClusters {
            trees: Trees::Orders { order: Order::of(v[1]), count: v[2] as usize, weights },
            alpha: v[0],
            tolerance: v[4],
            iterations: v[5] as usize,
        }
    }

    /// The average over all trees from the values of its settings.
    pub fn all(v: &[f64]) -> TreeClusters {
        TreeClusters {
            trees: Trees::All { weight: v[0] },
            alpha: 1.0,
            tolerance: v[1],
            iterations: v[2] as usize,
        }
    }

    fn described(&self) -> (&'static Description, Vec<f64>) {
        let ending = [self.tolerance, self.iterations as f64];
        let (description, own) = match self.trees {
            Trees::Best => (&EM_TAN, vec![self.alpha]),
            Trees::Orders { order, count, weights } => {
                let own = [order as usize, count, weights as usize].map(|n| n as f64);
                (&EMA_TAN, [&[self.alpha][..], &own].concat())
            }
            Trees::All { weight } => (&EMA_TREES, vec![weight]),
        };
        (description, [own, ending.to_vec()].concat())
    }

    fn prior(&self) -> Prior {
        if self.alpha > 0.0 { Prior::Dirichlet(self.alpha) } else { Prior::None }
    }
}

impl Method for TreeClusters {
    fn form(&self) -> String {
        let (description, values) = self.described();
        description.form(&values)
    }

    fn check(&self) -> Result<()> {
        let (description, values) = self.described();
        description.check(&values)?;
        match self.trees {
            Trees::All { weight } => TreeAverage { weight }.check(Some(self.prior())),
            _ => Ok(()),
        }
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        let prior = self.prior();
        let ending = Ending { tolerance: self.tolerance, iterations: self.iterations };
        match self.trees {
            Trees::Best => start(rows.data, BestTree(prior), ending, plan, run),
            Trees::Orders { order, count, weights } => {
                check_size(rows.data.columns() - 1, count)?;
                let orders = order.draw(count, rows.data, run)?;
                let learner = OfOrders { orders: GivenOrders { orders, weights }, prior };
                start(rows.data, learner, ending, plan, run)
            }
            Trees::All { weight } => {
                check_attributes(rows.data.columns() - 1, rows.data.name(), "ema-tan or ema")?;
                let learner = OfTrees { average: TreeAverage { weight }, prior };
                start(rows.data, learner, ending, plan, run)
            }
        }
    }
}

fn start(
    rows: &Table,
    learner: impl FromPairs,
    ending: Ending,
    plan: &Plan,
    run: &Run<'_>,
) -> Result<Found> {
    starts::learn(&Soft { learner: Paired::new(rows, learner), ending }, plan, run)
}

pub(super) struct BestTree(pub(super) Prior);

impl FromPairs for BestTree {
    fn learn(&self, counts: PairTables, rows: &Table, _: &Run<'_>) -> Result<(Model, Outcome)> {
        Ok((Model::Network(best_tree(self.0, &counts, rows.schema())?), Outcome::exact()))
    }
}

#[derive(Clone)]
pub(super) struct OfOrders {
    pub(super) orders: GivenOrders,
    pub(super) prior: Prior,
}

impl FromPairs for OfOrders {
    fn learn(&self, counts: PairTables, _: &Table, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.orders.clone().of(self.prior, counts, run)
    }
}

pub(super) struct OfTrees {
    pub(super) average: TreeAverage,
    pub(super) prior: Prior,
}

impl FromPairs for OfTrees {
    fn learn(&self, counts: PairTables, _: &Table, run: &Run<'_>) -> Result<(Model, Outcome)> {
        self.average.of(self.prior, counts, run)
    }
}
