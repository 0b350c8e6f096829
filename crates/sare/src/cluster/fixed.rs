//! Networks of one graph with a latent class: their starts and steps.

use super::boundary::at_boundary;
use super::clusterer::LATENT;
use super::completed::{labelled, memberships};
use super::learner::{Climbed, EmState, Latent};
use super::starts::{Reached, Starts};
use crate::average::Model;
use crate::classify::Fitted;
use crate::data::{Schema, Source, Table};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Expected, Maximise};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::parameters::dirichlet::variables;
use crate::parameters::em::Frequencies;
use crate::run::{Outcome, Run, Stop};
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

    /// EM for a start, or for one of the best.
    fn expectation<'b>(
        &'b self,
        data: &'b Source<'b>,
        best: bool,
        run: &'b Run<'b>,
    ) -> Expectation<'b> {
        let (until, iterations) = (self.method.until(best), self.method.limit(best));
        Expectation { data, criterion: Criterion::Latent, iterations, until, run }
    }

    /// The network that starts are drawn for.
    pub(super) fn blank(&self) -> &Network {
        &self.blank
    }

    fn climb_from(&self, start: Network, run: &Run<'_>) -> Result<Climbed> {
        let state = self.method.state(start, None, self.method.iterations);
        self.method.climb(&self.expectation(&self.data, false, run), state, false)
    }

    /// Goes on from a network until it ends.
    pub(super) fn climb(&self, start: Network, run: &Run<'_>) -> Result<Expected> {
        let Climbed { state, outcome, .. } = self.climb_from(start, run)?;
        Ok(Expected { network: state.network, outcome })
    }

    /// What a start from a network comes to.
    pub(super) fn start_at(&self, start: Network, run: &Run<'_>) -> Result<Reached<EmState>> {
        self.reached(self.climb_from(start, run)?, run)
    }

    /// The expected counts under a network.
    pub(super) fn counts(&self, network: &Network, run: &Run<'_>) -> Result<Vec<FamilyTable>> {
        Ok(self.expectation(&self.data, false, run).count(&LogTables::new(network))?.families)
    }

    /// What a start has come to that ended with this network.
    pub(super) fn reached_by(
        &self,
        network: Network,
        outcome: Outcome,
        run: &Run<'_>,
    ) -> Result<Reached<EmState>> {
        let state = self.method.state(network, None, self.method.iterations);
        self.reached(Climbed { state, outcome, relevance: None, evidence: None }, run)
    }

    fn reached(
        &self,
        Climbed { state, mut outcome, relevance, evidence }: Climbed,
        run: &Run<'_>,
    ) -> Result<Reached<EmState>> {
        let log_likelihood = self.log_likelihood(&state.network, run)?;
        outcome.passes += 1;
        outcome.relevance = relevance;
        let score = evidence.unwrap_or(log_likelihood);
        Ok(Reached { own: state, outcome, log_likelihood, score })
    }

    fn log_likelihood(&self, network: &Network, run: &Run<'_>) -> Result<f64> {
        let run = &run.to_the_end();
        self.expectation(&self.data, false, run).value(&LogTables::new(network))
    }
}

impl Starts for FixedGraph<'_> {
    type Own = EmState;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<EmState>> {
        self.start_at(random_start(&self.blank, run.seed, index)?, run)
    }

    fn go_on(&self, reached: &Reached<EmState>, run: &Run<'_>) -> Result<Reached<EmState>> {
        if self.method.tolerance < 0.0 {
            return Ok(reached.clone());
        }
        let expectation = self.expectation(&self.data, true, run);
        let further = self.method.climb(&expectation, reached.own.clone(), true)?;
        let mut further = self.reached(further, run)?.after(&reached.outcome);
        // What is on its way to 0 is taken there, as long as that is no worse.
        while self.method.reaches_boundary() && further.outcome.stop == Stop::Converged {
            let network = &further.own.network;
            let counts = expectation.count(&LogTables::new(network))?.families;
            let next = Frequencies { alpha: 0.0 }.network(network, &counts)?;
            let Some(at) = at_boundary(network, &next) else { break };
            let state = self.method.state(at, None, self.method.iterations);
            let there = self.method.climb(&expectation, state, true)?;
            let there = self.reached(there, run)?;
            if there.outcome.trace.first().is_none_or(|&ln| ln < further.log_likelihood - noise(ln))
            {
                break;
            }
            further = there.after(&further.outcome);
        }
        Ok(further)
    }

    fn memberships(&self, state: &EmState, run: &Run<'_>) -> Result<Vec<f64>> {
        let fitted = Fitted::from(Model::Network(state.network.clone()));
        Ok(memberships(&fitted, self.rows.view(), run)?.0)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.rows.weights()
    }

    /// With the class known in every copy of a row, what is expected of missing cells is by the present network.
    fn step(
        &self,
        present: &Reached<EmState>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<EmState>> {
        let table = labelled(self.rows, memberships)?;
        let data = Source::Memory(table.view());
        let one = Expectation { iterations: 1, ..self.expectation(&data, false, run) };
        let relevance = present.outcome.relevance.as_deref();
        let state = self.method.state(present.own.network.clone(), relevance, 1);
        let stepped = self.method.climb(&one, state, false)?;
        self.reached(Climbed { outcome: Outcome::exact(), ..stepped }, run)
    }

    fn finish(&self, state: EmState, _: &Run<'_>) -> Result<Model> {
        Ok(Model::Network(state.network))
    }

    fn clusters(&self) -> usize {
        self.blank.states(self.blank.variables().len() - 1)
    }
}

/// Sums of logarithms are not known better than this.
fn noise(sum: f64) -> f64 {
    1e-12 * sum.abs()
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
