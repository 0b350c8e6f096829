//! Structural EM: networks whose graph is searched for under the expected counts, between runs of EM (ALGORITHMS 8).

use super::completed::{Completed, memberships, ways};
use super::fixed::{blank_of, random_start};
use super::learner::LOOSE_GAIN;
use super::method::{Found, Method, Rows};
use super::starts::{self, Plan, Reached, Starts, longest};
use crate::average::{EXACT, Model};
use crate::classify::Fitted;
use crate::data::{Source, Table};
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Expected, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::parameters::dirichlet::{Prior, count_dag, network_from_counts};
use crate::parameters::em::Frequencies;
use crate::run::{Outcome, Run, SearchOutcome, Stop};
use crate::seed::{Purpose, Random};
use crate::stats::Score;
use crate::structure::Structure;
use crate::structure::constraints::Rules;
use crate::structure::search::{self, GraphSearch, Patience, Scope, graph_score};
use rayon::prelude::*;

/// What a search raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The expected log-likelihood less half of ln N a parameter.
    Mdl,
    /// The marginal likelihood of the expected counts.
    Bayesian,
}

/// Structural EM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructuralEm {
    /// What the search raises.
    pub aim: Aim,
    /// The most parents of a column, the cluster counted; without limit where none is said.
    pub parents: Option<usize>,
    /// What is added to every expected count.
    pub alpha: f64,
    /// A run of EM ends when the relative gain is no more.
    pub tolerance: f64,
    /// At most this many iterations a run of EM.
    pub iterations: usize,
}

/// Structural EM.
pub const STRUCTURAL_EM: Description = Description {
    name: "structural-em",
    help: "any graph over the columns, by hill climbing between runs of EM; columns may not depend on the cluster",
    source: "Friedman 1997 (mdl); Friedman 1998 (bayesian)",
    settings: &[
        Setting {
            name: "score",
            help: "what the search raises: mdl, or the marginal likelihood of the expected counts",
            range: Range::Choice(&["mdl", "bayesian"]),
        },
        Setting {
            name: "parents",
            help: "the most parents of a column, the cluster counted; auto is no limit",
            range: Range::WholeOrAuto { most: 64 },
        },
        Setting {
            name: "alpha",
            help: "what is added to every expected count; 0 is maximum likelihood",
            range: Range::NotNegative { default: 1.0 },
        },
        Setting {
            name: "tolerance",
            help: "EM on the best graphs ends when the relative gain is no more",
            range: Range::Positive { default: 1e-12 },
        },
        Setting {
            name: "iterations",
            help: "at most this many per run of EM; the best starts may take 20 times as many",
            range: Range::Whole { least: 1, most: 1_000_000, default: 500 },
        },
    ],
};

/// What the score of the result is called: lower is better, unlike that of a search for a graph.
const BIC: &str = "BIC (-2 ln L + p ln N)";

/// A graph is searched for at most so many times a start.
const MOST_SEARCHES: usize = 50;

/// About so many completions of all rows are gone through, and so many are drawn at most.
const ALL_COMPLETIONS: usize = 1 << 22;

/// How many completions are drawn for each cluster of a row that has more.
const DRAWS: usize = 64;

/// A search goes on for so many steps without a new best: it is one of many, each from where the last ended.
const PATIENCE: Patience = Patience { tabu: 5, restarts: 0 };

impl StructuralEm {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> StructuralEm {
        StructuralEm {
            aim: [Aim::Mdl, Aim::Bayesian][v[0] as usize],
            parents: v[1].is_finite().then_some(v[1] as usize),
            alpha: v[2],
            tolerance: v[3],
            iterations: v[4] as usize,
        }
    }

    fn values(&self) -> [f64; 5] {
        let parents = self.parents.map_or(f64::INFINITY, |n| n as f64);
        [self.aim as usize as f64, parents, self.alpha, self.tolerance, self.iterations as f64]
    }

    fn score(&self) -> Score {
        match self.aim {
            Aim::Mdl => Score::Bic,
            Aim::Bayesian => Score::K2,
        }
    }

    fn prior(&self) -> Prior {
        if self.alpha > 0.0 { Prior::Dirichlet(self.alpha) } else { Prior::None }
    }
}

impl Method for StructuralEm {
    fn form(&self) -> String {
        STRUCTURAL_EM.form(&self.values())
    }

    fn check(&self) -> Result<()> {
        STRUCTURAL_EM.check(&self.values())
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        let blank = blank_of(rows.data.schema())?;
        let data = Source::Memory(rows.data.view());
        let weight = rows.data.weights().map_or(rows.data.rows() as f64, |w| w.iter().sum());
        let table = rows.data;
        let above = |most: usize| (0..table.rows()).filter(move |&r| ways(table, r) > most as u128);
        let most = (ALL_COMPLETIONS / above(1).count().max(1)).clamp(1, EXACT);
        let drawn = above(most).collect();
        let starts = Searching { method: self, rows: table, data, blank, drawn, weight };
        starts::learn(&starts, plan, run)
    }
}

struct Searching<'a> {
    method: &'a StructuralEm,
    rows: &'a Table,
    data: Source<'a>,
    blank: Network,
    /// The rows with too many completions to go through.
    drawn: Vec<usize>,
    /// Of all rows.
    weight: f64,
}

impl Searching<'_> {
    /// EM on a network's own graph.
    fn em<'b>(&'b self, iterations: usize, tolerance: f64, run: &'b Run<'b>) -> Expectation<'b> {
        let until = Until::Gain(tolerance);
        Expectation { data: &self.data, criterion: Criterion::Latent, iterations, until, run }
    }

    /// EM until graphs can be compared.
    fn climb(&self, network: Network, run: &Run<'_>) -> Result<Expected> {
        let tolerance = self.method.tolerance.max(LOOSE_GAIN);
        let em = self.em(self.method.iterations, tolerance, run);
        em.climb(network, &mut Frequencies { alpha: self.method.alpha })
    }

    /// Every row once for each cluster and completion, by memberships of the rows; missing cells are as the network has them.
    fn labelled(&self, network: &Network, memberships: Vec<f64>, run: &Run<'_>) -> Result<Table> {
        let tables = LogTables::new(network);
        let count = (ALL_COMPLETIONS / (self.drawn.len().max(1) * self.clusters())).clamp(1, DRAWS);
        let draw = |&r: &usize| {
            let cell = |v: usize| self.rows.cells(v).code(r);
            let row: Vec<Option<usize>> = (0..self.rows.columns() - 1).map(cell).collect();
            let mut random = Random::new(run.seed, Purpose::Completion, r as u64);
            (r, tables.draw_missing(network, &row, count, &mut random))
        };
        let mut drawn = vec![None; self.rows.rows()];
        let found: Vec<(usize, Vec<u16>)> =
            run.install(|| self.drawn.par_iter().map(draw).collect());
        found.into_iter().for_each(|(r, codes)| drawn[r] = Some(codes));
        let fitted = Fitted::from(Model::Network(network.clone()));
        Completed::new(self.rows, drawn)?.labelled(&fitted, memberships, run)
    }

    /// The best graph found from that of the present network, under memberships, and its network; none where nothing is
    /// better.
    fn better(
        &self,
        present: &Network,
        table: &Table,
        run: &Run<'_>,
    ) -> Result<Option<(Network, SearchOutcome)>> {
        let dag = present.dag();
        let data = Source::Memory(table.view());
        let class = dag.nodes() - 1;
        let mut rules = Rules::none(dag.nodes());
        // The cluster is what the columns depend on, not the other way round.
        (0..class).for_each(|v| rules.arcs.forbid(v, class));
        rules.start = Some(dag.clone());
        let parents = self.method.parents.unwrap_or(usize::MAX).max(1);
        let method =
            search::Method::Climb { score: self.method.score(), parents, patience: PATIENCE };
        let (found, told) = GraphSearch { scope: Scope::All, method }.find(&data, &rules, run)?;
        let told = told.unwrap_or(SearchOutcome { score: None, steps: 0 });
        let new = told.score.as_ref().map_or(f64::NEG_INFINITY, |(_, value)| *value);
        let old = graph_score(dag, &data, self.method.score(), run)?;
        if found == *dag || new <= old + 1e-9 * old.abs() {
            return Ok(None);
        }
        let counts = count_dag(&found, &data, run)?;
        let network = network_from_counts(self.method.prior(), &found, data.schema(), &counts)?;
        Ok(Some((network, told)))
    }

    fn reached(
        &self,
        network: Network,
        mut outcome: Outcome,
        run: &Run<'_>,
    ) -> Result<Reached<Network>> {
        let run = &run.to_the_end();
        let log_likelihood = self.em(1, 0.0, run).value(&LogTables::new(&network))?;
        let penalty = self.weight.max(1.0).ln() / 2.0 * network.free_parameters() as f64;
        let score = log_likelihood - penalty;
        // The search scored the rows as completed by the model before; this is the score of the rows themselves.
        if let Some(search) = &mut outcome.search {
            search.score = Some((BIC.into(), -2.0 * score));
        }
        Ok(Reached { own: network, outcome, log_likelihood, score })
    }
}

impl Starts for Searching<'_> {
    type Own = Network;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<Network>> {
        let mut network = random_start(&self.blank, run.seed, index)?;
        let mut all = Outcome { stop: Stop::IterationLimit, ..Outcome::exact() };
        for _ in 0..MOST_SEARCHES {
            let Expected { network: climbed, outcome } = self.climb(network, run)?;
            all.iterations += outcome.iterations;
            all.passes += outcome.passes;
            all.trace.extend(outcome.trace);
            let better = match outcome.stop {
                Stop::Interrupted => None,
                _ => {
                    let memberships = self.memberships(&climbed, run)?;
                    self.better(&climbed, &self.labelled(&climbed, memberships, run)?, run)?
                }
            };
            match better {
                Some((next, told)) => {
                    network = next;
                    let steps = all.search.as_ref().map_or(0, |s| s.steps) + told.steps;
                    all.search = Some(SearchOutcome { steps, ..told });
                }
                None => {
                    all.stop = outcome.stop;
                    network = climbed;
                    break;
                }
            }
        }
        self.reached(network, all, run)
    }

    /// EM on the graph that was found.
    fn go_on(&self, reached: &Reached<Network>, run: &Run<'_>) -> Result<Reached<Network>> {
        let em = self.em(longest(self.method.iterations), self.method.tolerance, run);
        let mut learner = Frequencies { alpha: self.method.alpha };
        let Expected { network, outcome } = em.climb_fast(reached.own.clone(), &mut learner)?;
        let search = reached.outcome.search.clone();
        Ok(self.reached(network, Outcome { search, ..outcome }, run)?.after(&reached.outcome))
    }

    fn memberships(&self, network: &Network, run: &Run<'_>) -> Result<Vec<f64>> {
        let fitted = Fitted::from(Model::Network(network.clone()));
        Ok(memberships(&fitted, self.rows.view(), run)?.0)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.rows.weights()
    }

    fn step(
        &self,
        present: &Reached<Network>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<Network>> {
        let present = &present.own;
        let table = self.labelled(present, memberships, run)?;
        let better = self.better(present, &table, run)?;
        let (network, search) = match better {
            Some((network, told)) => (network, Some(told)),
            None => {
                let data = Source::Memory(table.view());
                let counts = count_dag(present.dag(), &data, run)?;
                let prior = self.method.prior();
                (network_from_counts(prior, present.dag(), self.rows.schema(), &counts)?, None)
            }
        };
        self.reached(network, Outcome { search, ..Outcome::exact() }, run)
    }

    fn finish(&self, network: Network, _: &Run<'_>) -> Result<Model> {
        Ok(Model::Network(network))
    }

    fn clusters(&self) -> usize {
        self.blank.states(self.blank.variables().len() - 1)
    }
}
