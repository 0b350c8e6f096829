//! Clusters within which every attribute depends on all that come before it in an order: mEM-BNET (ALGORITHMS 8).
//!
//! The tables of such a network have an entry for every combination of states, but the rows reach only the beginnings they
//! have themselves. So the loop keeps, for each attribute, one entry for every beginning that occurs: a table with few
//! cells for the same two kernels. The whole network is made once, at the end.

use super::completed::{Completed, labelled, weigh};
use super::fixed::blank_network;
use super::method::{Found, Method, Rows};
use super::orders::Order;
use super::soft::{Ending, Soft, SoftLearner};
use super::starts::{self, Plan};
use super::trees::{ITERATIONS, ORDER, TOLERANCE};
use crate::average::Model;
use crate::data::{Schema, Source, Table};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::num::ln_or_floor;
use crate::parameters::dirichlet::{Prior, count_dag, network_from_counts};
use crate::run::{Outcome, Run};
use crate::seed::{Purpose, Random};
use crate::stats::family::LARGEST_TABLE;
use crate::stats::kernels::{gather, scatter};

/// A complete network on an order in every cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompleteNetwork {
    /// What is added to every expected count.
    pub alpha: f64,
    /// The order of the attributes.
    pub order: Order,
    /// A start ends when no row's membership changes by more.
    pub tolerance: f64,
    /// At most this many iterations a start.
    pub iterations: usize,
}

/// mEM-BNET.
pub const EM_NETWORK: Description = Description {
    name: "em-network",
    help: "every column depends on all before it in an order, by EM",
    source: "Santafe 2007, section 7.6",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every expected count; 0 is maximum likelihood",
            range: Range::NotNegative { default: 1.0 },
        },
        ORDER,
        TOLERANCE,
        ITERATIONS,
    ],
};

impl CompleteNetwork {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> CompleteNetwork {
        CompleteNetwork {
            alpha: v[0],
            order: Order::of(v[1]),
            tolerance: v[2],
            iterations: v[3] as usize,
        }
    }

    fn values(&self) -> [f64; 4] {
        [self.alpha, self.order as usize as f64, self.tolerance, self.iterations as f64]
    }
}

impl Method for CompleteNetwork {
    fn form(&self) -> String {
        EM_NETWORK.form(&self.values())
    }

    fn check(&self) -> Result<()> {
        EM_NETWORK.check(&self.values())
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        check_size(rows.data.schema())?;
        let order = self.order.draw(1, rows.data, run)?.remove(0);
        // That it can be made at the end is known before anything is learnt.
        let dag = complete(&order)?;
        blank_network(rows.data.schema(), dag.clone())?;
        let completed = Completed::all(rows.data)?;
        let chain = Chain::new(&order, completed.rows());
        let learner = ChainLearner { completed, chain, dag, alpha: self.alpha };
        let ending = Ending { tolerance: self.tolerance, iterations: self.iterations };
        starts::learn(&Soft { learner, ending }, plan, run)
    }
}

/// Refuses columns whose combinations of states no table can hold: known before the graph is made.
fn check_size(schema: &Schema) -> Result<()> {
    let cells = schema.fields.iter().fold(1u128, |n, f| n.saturating_mul(f.states() as u128));
    let bytes = cells.saturating_mul(size_of::<f64>() as u128);
    if bytes <= LARGEST_TABLE {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: format!(
            "the table of the last of {} columns, all others its parents,",
            schema.len() - 1
        ),
        bytes,
        limit: LARGEST_TABLE,
        fix: "leave out columns, or use em-tan or em".into(),
    })
}

/// The class, a new last node, and all earlier attributes of the order are the parents of each.
pub(super) fn complete(order: &[usize]) -> Result<Dag> {
    let mut dag = Dag::new(order.len() + 1);
    for (place, &child) in order.iter().enumerate() {
        dag.add(order.len(), child)?;
        order[..place].iter().try_for_each(|&parent| dag.add(parent, child))?;
    }
    Ok(dag)
}

/// The beginnings that occur, attribute by attribute of the order.
pub(super) struct Chain {
    links: Vec<Link>,
    clusters: usize,
}

/// The beginnings up to one attribute.
struct Link {
    states: usize,
    /// Which of them each row has.
    cells: Vec<u32>,
    /// Of each, the shorter one without this attribute, and the attribute's state.
    shorter: Vec<u32>,
    state: Vec<u32>,
}

impl Chain {
    /// Of complete rows whose last column is the cluster.
    pub(super) fn new(order: &[usize], rows: &Table) -> Chain {
        let mut cells = vec![0u32; rows.rows()];
        let mut count = 1;
        let mut links = Vec::with_capacity(order.len());
        for &v in order {
            let states = rows.field(v).states();
            let mut places = vec![u32::MAX; count * states];
            let (mut shorter, mut state) = (Vec::new(), Vec::new());
            for (r, cell) in cells.iter_mut().enumerate() {
                let code = rows.cells(v).code(r).unwrap_or(0);
                let place = &mut places[*cell as usize * states + code];
                if *place == u32::MAX {
                    *place = shorter.len() as u32;
                    shorter.push(*cell);
                    state.push(code as u32);
                }
                *cell = *place;
            }
            count = shorter.len();
            links.push(Link { states, cells: cells.clone(), shorter, state });
        }
        let clusters = rows.field(rows.columns() - 1).states();
        Chain { links, clusters }
    }
}

/// ln p of each cluster, and of each beginning given the shorter one, cluster innermost; with the memberships they were
/// learnt from.
#[derive(Clone)]
pub(super) struct ChainTables {
    clusters: Vec<f64>,
    links: Vec<Vec<f64>>,
    memberships: Vec<f64>,
}

pub(super) struct ChainLearner {
    pub(super) completed: Completed,
    pub(super) chain: Chain,
    pub(super) dag: Dag,
    pub(super) alpha: f64,
}

impl ChainLearner {
    fn prior(&self) -> Prior {
        if self.alpha > 0.0 { Prior::Dirichlet(self.alpha) } else { Prior::None }
    }

    /// ln p(cluster, row) of every completed row.
    pub(super) fn logs(&self, own: &ChainTables) -> Vec<f64> {
        let mut scores = own.clusters.repeat(self.completed.rows().rows());
        for (link, table) in self.chain.links.iter().zip(&own.links) {
            gather(&link.cells, table, self.chain.clusters, &mut scores);
        }
        scores
    }
}

impl SoftLearner for ChainLearner {
    type Own = ChainTables;

    /// Tables drawn from the uniform distribution over distributions, of which only what occurs is kept.
    fn first(&self, index: usize, run: &Run<'_>) -> Result<ChainTables> {
        let mut random = Random::new(run.seed, Purpose::Start, index as u64);
        let k = self.chain.clusters;
        let logs = |p: Vec<f64>| p.into_iter().map(ln_or_floor).collect::<Vec<f64>>();
        let clusters = logs(random.dirichlet(k, 1.0));
        let mut links = Vec::with_capacity(self.chain.links.len());
        let mut count = 1;
        for link in &self.chain.links {
            let drawn: Vec<Vec<f64>> =
                (0..count * k).map(|_| logs(random.dirichlet(link.states, 1.0))).collect();
            let entry = |(&shorter, &state): (&u32, &u32)| {
                let rows = drawn[shorter as usize * k..][..k].iter();
                rows.map(move |row| row[state as usize]).collect::<Vec<f64>>()
            };
            links.push(link.shorter.iter().zip(&link.state).flat_map(entry).collect());
            count = link.shorter.len();
        }
        Ok(ChainTables { clusters, links, memberships: Vec::new() })
    }

    fn memberships(&self, own: &ChainTables, _: &Run<'_>) -> Result<(Vec<f64>, f64)> {
        Ok(self.completed.normalised(self.logs(own)))
    }

    fn learn(&self, _: &ChainTables, memberships: Vec<f64>, _: &Run<'_>) -> Result<ChainTables> {
        let k = self.chain.clusters;
        let weights = weigh(self.completed.rows(), memberships.clone());
        let mut before = vec![0.0; k];
        for row in weights.chunks_exact(k) {
            before.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
        }
        let clusters = self.prior().smoothed(&before, k).into_iter().map(ln_or_floor).collect();
        let mut links = Vec::with_capacity(self.chain.links.len());
        for link in &self.chain.links {
            let mut counts = vec![0.0; link.shorter.len() * k];
            scatter(&link.cells, &weights, k, &mut counts);
            let mut logs = counts.clone();
            for (entry, &shorter) in logs.chunks_exact_mut(k).zip(&link.shorter) {
                let totals = &before[shorter as usize * k..][..k];
                for (n, total) in entry.iter_mut().zip(totals) {
                    let total = total + self.alpha * link.states as f64;
                    let p = (*n + self.alpha) / total;
                    *n = ln_or_floor(if total > 0.0 { p } else { 1.0 / link.states as f64 });
                }
            }
            links.push(logs);
            before = counts;
        }
        Ok(ChainTables { clusters, links, memberships })
    }

    fn outcome(&self, _: &ChainTables) -> Outcome {
        Outcome::exact()
    }

    /// The network with an entry for everything, from the memberships that the last tables came of.
    fn finish(&self, own: ChainTables, run: &Run<'_>) -> Result<Model> {
        let memberships = match own.memberships.is_empty() {
            true => self.memberships(&own, run)?.0,
            false => own.memberships,
        };
        let table = labelled(self.completed.rows(), memberships)?;
        let data = Source::Memory(table.view());
        let counts = count_dag(&self.dag, &data, run)?;
        Ok(Model::Network(network_from_counts(self.prior(), &self.dag, data.schema(), &counts)?))
    }

    fn rows(&self) -> &Table {
        self.completed.rows()
    }
}
