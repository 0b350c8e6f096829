//! Networks of one graph with a latent class: their starts and steps.

use super::clusterer::LATENT;
use super::completed::{labelled, memberships};
use super::learner::{Climbed, Latent};
use super::starts::{Reached, Starts};
use crate::average::Model;
use crate::classify::Fitted;
use crate::data::{Schema, Source, Table};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Expected};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::parameters::dirichlet::variables;
use crate::run::{Outcome, Run};
use crate::seed::{Purpose, Random};
use crate::stats::FamilyTable;

/// Starts of a method on rows of unknown cluster.
pub(super) struct FixedGraph<'a> {
    method: &'a Latent,
    blank: Network,
    data: Source<'a>,
    rows: &'a Table,
}

impl<'a> FixedGraph<'a> {
    pub(super) fn new(method: &'a Latent, rows: &'a Table) -> Result<FixedGraph<'a>> {
        let schema = rows.schema();
        let blank = match &method.graph {
            None => blank_of(schema)?,
            Some(graph) => {
                let own = &schema.fields[schema.len() - 1].name;
                if own != LATENT {
                    let problem =
                        "in the structure this is the cluster, but a column is called so too";
                    let fix = "rename the column, or leave it out with --ignore";
                    return Err(Error::column(rows.name(), LATENT, problem, fix));
                }
                blank_network(schema, graph.over(schema, rows.name())?)?
            }
        };
        Ok(FixedGraph { method, blank, data: Source::Memory(rows.view()), rows })
    }

    fn expectation<'b>(&'b self, data: &'b Source<'b>, run: &'b Run<'b>) -> Expectation<'b> {
        let until = self.method.until();
        let iterations = self.method.iterations;
        Expectation { data, criterion: Criterion::Latent, iterations, until, run }
    }

    /// The network that starts are drawn for.
    pub(super) fn blank(&self) -> &Network {
        &self.blank
    }

    /// Goes on from a network until it ends.
    pub(super) fn climb(&self, start: Network, run: &Run<'_>) -> Result<Expected> {
        Ok(self.method.climb(&self.expectation(&self.data, run), start, None)?.expected)
    }

    /// What a start from a network comes to.
    pub(super) fn start_at(&self, start: Network, run: &Run<'_>) -> Result<Reached<Network>> {
        let expectation = self.expectation(&self.data, run);
        self.reached(self.method.climb(&expectation, start, None)?, run)
    }

    /// The expected counts under a network.
    pub(super) fn counts(&self, network: &Network, run: &Run<'_>) -> Result<Vec<FamilyTable>> {
        Ok(self.expectation(&self.data, run).count(&LogTables::new(network))?.families)
    }

    /// What a start has come to that ended with this network.
    pub(super) fn reached_by(
        &self,
        network: Network,
        outcome: Outcome,
        run: &Run<'_>,
    ) -> Result<Reached<Network>> {
        let expected = Expected { network, outcome };
        self.reached(Climbed { expected, relevance: None, evidence: None }, run)
    }

    fn reached(
        &self,
        Climbed { expected, relevance, evidence }: Climbed,
        run: &Run<'_>,
    ) -> Result<Reached<Network>> {
        let Expected { network, mut outcome } = expected;
        let run = &run.to_the_end();
        let log_likelihood = self.expectation(&self.data, run).value(&LogTables::new(&network))?;
        outcome.passes += 1;
        outcome.relevance = relevance;
        let score = evidence.unwrap_or(log_likelihood);
        Ok(Reached { own: network, outcome, log_likelihood, score })
    }
}

impl Starts for FixedGraph<'_> {
    type Own = Network;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<Network>> {
        self.start_at(random_start(&self.blank, run.seed, index)?, run)
    }

    fn memberships(&self, network: &Network, run: &Run<'_>) -> Result<Vec<f64>> {
        let fitted = Fitted::from(Model::Network(network.clone()));
        Ok(memberships(&fitted, self.rows.view(), run)?.0)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.rows.weights()
    }

    /// With the class known in every copy of a row, what is expected of missing cells is by the present network.
    fn step(
        &self,
        present: &Reached<Network>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<Network>> {
        let table = labelled(self.rows, memberships)?;
        let data = Source::Memory(table.view());
        let one = Expectation { iterations: 1, ..self.expectation(&data, run) };
        let relevance = present.outcome.relevance.as_deref();
        let mut stepped = self.method.climb(&one, present.own.clone(), relevance)?;
        stepped.expected.outcome = Outcome::exact();
        self.reached(stepped, run)
    }

    fn finish(&self, network: Network, _: &Run<'_>) -> Result<Model> {
        Ok(Model::Network(network))
    }

    fn clusters(&self) -> usize {
        self.blank.states(self.blank.variables().len() - 1)
    }
}

/// The cluster, which is the last column, a parent of every attribute; all tables uniform.
pub(super) fn blank_of(schema: &Schema) -> Result<Network> {
    let class = schema.len() - 1;
    let mut dag = Dag::new(schema.len());
    (0..class).try_for_each(|v| dag.add(class, v))?;
    blank_network(schema, dag)
}

/// A network of this graph; all tables uniform.
pub(super) fn blank_network(schema: &Schema, dag: Dag) -> Result<Network> {
    let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
    let mut tables = Vec::with_capacity(states.len());
    for v in 0..states.len() {
        let sizes = || dag.parents(v).chain([v]).map(|m| states[m]);
        FamilyTable::check_size(&schema.fields[v].name, sizes())?;
        tables.push(vec![1.0 / states[v] as f64; sizes().product()]);
    }
    Network::new(variables(schema), dag, tables)
}

/// Tables drawn from the uniform distribution over distributions, every start from its own stream.
pub(super) fn random_start(blank: &Network, seed: u64, index: usize) -> Result<Network> {
    let mut random = Random::new(seed, Purpose::Start, index as u64);
    let table = |v: usize| -> Vec<f64> {
        let states = blank.states(v);
        (0..blank.configurations(v)).flat_map(|_| random.dirichlet(states, 1.0)).collect()
    };
    blank.with_tables((0..blank.variables().len()).map(table).collect())
}
