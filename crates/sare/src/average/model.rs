//! A fitted average that is made of tables of pairs.

use super::elimination::Lanes;
use super::expected::Expect;
use super::order::OrderWeights;
use super::pairs::PairTables;
use super::parent_sets::{ParentSets, Weighed};
use super::{missing, mixture, smooth, super_parents, tree_mixture, trees};
use crate::data::source::Scratch;
use crate::data::{Block, Schema, View};
use crate::error::{Error, Result};
use crate::infer::forest::{Beliefs, Messages};
use crate::parameters::dirichlet::Prior;
use crate::run::Run;
use crate::stats::score_rows;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Which average it is, with what it was told and what it drew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// The mean over super-parents ([`super_parents`]).
    SuperParents {
        /// How often a value must have been seen for its attribute to be a parent.
        least: usize,
    },
    /// The average over orders ([`super::order`]).
    Orders {
        /// How the orders weigh against each other.
        weights: OrderWeights,
        /// The orders.
        orders: Vec<Vec<usize>>,
    },
    /// The average over all spanning trees ([`trees`]).
    Trees {
        /// The total prior weight of a class.
        weight: f64,
    },
}

/// An average over many structures, as counts of attribute pairs with what turns them into probabilities. Only the
/// counts and settings are written; the log-probabilities are made anew when it is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "PairModelFile", into = "PairModelFile")]
pub struct PairModel {
    kind: Kind,
    prior: Prior,
    tables: PairTables,
    density: Box<Density>,
}

#[derive(Serialize, Deserialize)]
struct PairModelFile {
    average: Kind,
    prior: Prior,
    counts: PairTables,
}

#[derive(Clone, Debug)]
enum Density {
    SuperParents(super_parents::Density),
    Orders(mixture::Density),
    Trees(tree_mixture::Density),
}

impl PairModel {
    /// Makes the log-probabilities that go with counts; fails if settings, orders and counts do not fit together.
    pub fn new(kind: Kind, prior: Prior, tables: PairTables) -> Result<PairModel> {
        let density = match &kind {
            Kind::SuperParents { least } => {
                let prior = smooth::from_counts(super_parents::DESCRIPTION.name, Some(prior))?;
                Density::SuperParents(super_parents::Density::new(*least, prior, &tables))
            }
            Kind::Orders { weights, orders } => {
                let prior = smooth::proper(super::order::DESCRIPTION.name, Some(prior))?;
                check_orders(orders, tables.attributes())?;
                let sets = ParentSets::new(prior, &tables);
                let orders = sets.weigh(orders.clone(), *weights, 0.0);
                Density::Orders(mixture::Density::new(&orders, prior, &tables, &sets)?)
            }
            Kind::Trees { weight } => {
                let prior = smooth::from_counts(trees::DESCRIPTION.name, Some(prior))?;
                trees::check_weight(*weight)?;
                Density::Trees(tree_mixture::Density::new(*weight, prior, &tables))
            }
        };
        Ok(PairModel { kind, prior, tables, density: Box::new(density) })
    }

    /// The average over orders that have been weighed already, under a proper prior.
    pub(super) fn of_orders(
        weights: OrderWeights,
        orders: &Weighed,
        prior: Prior,
        tables: PairTables,
        sets: &ParentSets,
    ) -> Result<PairModel> {
        check_orders(&orders.orders, tables.attributes())?;
        let density = mixture::Density::new(orders, prior, &tables, sets)?;
        let kind = Kind::Orders { weights, orders: orders.orders.clone() };
        Ok(PairModel { kind, prior, tables, density: Box::new(Density::Orders(density)) })
    }

    /// Which average it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What is added to the counts.
    pub fn prior(&self) -> Prior {
        self.prior
    }

    /// The counts it is made of.
    pub fn tables(&self) -> &PairTables {
        &self.tables
    }

    /// The same average with its classes in another order: `order[0]` becomes the first, and so on.
    pub(crate) fn relabelled(&self, order: &[usize]) -> Result<PairModel> {
        PairModel::new(self.kind.clone(), self.prior, self.tables.relabelled(order)?)
    }

    /// True if it was learnt from discrete columns with as many levels as these, the class last.
    pub fn fits(&self, schema: &Schema) -> bool {
        let states = self.tables.states().iter().copied().chain([self.tables.classes()]);
        states.eq(schema.fields.iter().map(|f| f.states()))
    }

    /// ln p(attributes of the training rows | their classes), averaged over the structures; none for super-parents,
    /// which have no such probability. Of several orders it is the mean.
    pub fn log_evidence(&self) -> Option<f64> {
        match &*self.density {
            Density::SuperParents(_) => None,
            Density::Orders(d) => Some(d.log_evidence()),
            Density::Trees(d) => Some(d.log_evidence()),
        }
    }

    /// ln p(class), and of each attribute by itself ln p(state | class), states x classes: what each would say alone.
    pub fn alone(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let of = |i: usize| smooth::logs(&smooth::conditionals(self.prior, &self.tables.alone(i)));
        let class = smooth::class_logs(self.prior, &self.tables.class());
        (class, (0..self.tables.attributes()).map(of).collect())
    }

    /// p(class), and p(state | class) of each attribute, states x classes: what the average says of it when all others are
    /// summed out. The mean over super-parents, which has no such distribution, is asked for what each says alone.
    pub fn marginals(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (class, alone) = self.alone();
        let probabilities = |logs: &[f64]| -> Vec<f64> {
            // The last cell is that of missing members.
            logs[..logs.len() - class.len()].iter().map(|ln| ln.exp()).collect()
        };
        let tables = match &*self.density {
            Density::SuperParents(_) => alone.iter().map(|t| probabilities(t)).collect(),
            Density::Orders(d) => d.marginals(),
            Density::Trees(d) => d.alone().iter().map(|t| probabilities(t)).collect(),
        };
        (class.iter().map(|ln| ln.exp()).collect(), tables)
    }

    /// How many numbers the structures that are averaged over leave free, each as probable as it is; none of the mean over
    /// super-parents, which has no probabilities.
    pub fn expected_parameters(&self) -> Option<f64> {
        let attributes = match &*self.density {
            Density::SuperParents(_) => return None,
            Density::Orders(d) => d.parameters(),
            Density::Trees(d) => d.parameters(),
        };
        Some(attributes + self.tables.classes() as f64 - 1.0)
    }

    /// The average over trees, where it is one.
    pub(super) fn trees(&self) -> Option<&tree_mixture::Density> {
        match &*self.density {
            Density::Trees(d) => Some(d),
            _ => None,
        }
    }

    /// How many numbers its tables leave free; the weights of the structures follow from them.
    pub fn free_parameters(&self) -> usize {
        match &*self.density {
            Density::SuperParents(_) => super_parents::free_parameters(&self.tables),
            Density::Orders(_) => mixture::free_parameters(&self.tables),
            Density::Trees(_) => tree_mixture::free_parameters(&self.tables),
        }
    }

    /// ln p(class, seen attributes) of every row and class, rows by rows, class innermost. The columns are those it was
    /// learnt from, coded as there.
    pub fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        match &*self.density {
            Density::SuperParents(d) => d.log_joint(block, room, scores),
            Density::Orders(d) => missing::log_joint(d, block, room, scores),
            Density::Trees(d) => missing::log_joint(d, block, room, scores),
        }
    }

    /// [`PairModel::log_joint`] of all rows of a view, on all threads.
    pub fn log_joints(&self, coded: View<'_>, run: &Run<'_>) -> Vec<f64> {
        let score = |block: &Block<'_>, room: &mut Room, scores: &mut [f64]| {
            self.log_joint(block, room, scores);
        };
        score_rows(coded, self.tables.classes(), run, score, |_| {})
    }
}

impl Expect for PairModel {
    /// The mean over super-parents, which is no distribution of the attributes, expects nothing.
    fn expect(
        &self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        weights: &[f64],
        room: &mut Room,
        add: &mut dyn FnMut(&Beliefs, &[f64]),
    ) {
        match &*self.density {
            Density::SuperParents(_) => {}
            Density::Orders(d) => missing::expect(d, row, classes, weights, room, add),
            Density::Trees(d) => missing::expect(d, row, classes, weights, room, add),
        }
    }
}

impl PartialEq for PairModel {
    fn eq(&self, other: &PairModel) -> bool {
        // The log-probabilities follow from the rest.
        (&self.kind, self.prior, &self.tables) == (&other.kind, other.prior, &other.tables)
    }
}

/// Every order must be a permutation of the attributes.
fn check_orders(orders: &[Vec<usize>], attributes: usize) -> Result<()> {
    let whole = |order: &Vec<usize>| {
        let mut sorted = order.clone();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..attributes)
    };
    if orders.is_empty() || !orders.iter().all(whole) {
        let problem = "an order is not one of the attributes";
        return Err(Error::model("average", problem, "fit the model again"));
    }
    Ok(())
}

impl From<PairModel> for PairModelFile {
    fn from(m: PairModel) -> PairModelFile {
        PairModelFile { average: m.kind, prior: m.prior, counts: m.tables }
    }
}

impl TryFrom<PairModelFile> for PairModel {
    type Error = Error;

    fn try_from(f: PairModelFile) -> Result<PairModel> {
        PairModel::new(f.average, f.prior, f.counts)
    }
}

/// Buffers that are used again for every block.
#[derive(Default)]
pub struct Room {
    pub(super) scratch: Scratch,
    pub(super) cells: Vec<u32>,
    pub(super) codes: Vec<u16>,
    pub(super) holed: Vec<bool>,
    pub(super) values: Vec<f64>,
    pub(super) products: Vec<f64>,
    pub(super) sums: Vec<f64>,
    pub(super) terms: Vec<f64>,
    pub(super) lanes: Vec<Lanes>,
    pub(super) messages: Messages,
    pub(super) beliefs: Beliefs,
}
