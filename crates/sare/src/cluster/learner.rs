//! Learning clusters: the states of a class that is in no row.

use super::marginals::Marginals;
use super::relevance::{Told, told};
use super::starts::{Best, Reached, best_of};
use super::update::Averaged;
use crate::average::Model;
use crate::classify::{Classifier, Training};
use crate::data::discretise::{Discretiser, Method};
use crate::data::schema::Kind;
use crate::data::{Cells, Field, Schema, Source, Table, View};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Expected, Maximise, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::parameters::dirichlet::{Prior, variables};
use crate::parameters::em::Frequencies;
use crate::parameters::reasons::arc_reasons;
use crate::run::{ClusterOutcome, Outcome, Run};
use crate::seed::{Purpose, Random};

/// How expected counts become parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// As relative frequencies with something added: EM.
    Frequencies,
    /// As the average over all choices of attributes that depend on the cluster: EMA.
    Averaged,
}

/// Naive Bayes with a latent class, learnt from expected counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latent {
    /// How expected counts become parameters.
    pub update: Update,
    /// What is added to every expected count.
    pub alpha: f64,
    /// EM ends when the relative gain, EMA when the largest change of a probability is no more.
    pub tolerance: f64,
    /// At most this many iterations a start.
    pub iterations: usize,
}

const ITERATIONS: Setting = Setting {
    name: "iterations",
    help: "at most this many a start",
    range: Range::Whole { least: 1, most: 1_000_000, default: 500 },
};

/// EM.
pub const EM: Description = Description {
    name: "em",
    help: "naive Bayes by expectation-maximisation: the greatest likelihood, or with a prior",
    source: "Dempster, Laird and Rubin 1977; Goodman 1974",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every expected count; 0 is maximum likelihood",
            range: Range::NotNegative { default: 1.0 },
        },
        Setting {
            name: "tolerance",
            help: "ends when the relative gain is no more",
            range: Range::Positive { default: 1e-7 },
        },
        ITERATIONS,
    ],
};

/// EMA.
pub const EMA: Description = Description {
    name: "ema",
    help: "the average over all choices of attributes, with the probability that each matters",
    source: "Santafe, Lozano and Larranaga 2006",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every expected count",
            range: Range::Positive { default: 1.0 },
        },
        Setting {
            name: "tolerance",
            help: "ends when no probability changes by more",
            range: Range::Positive { default: 1e-4 },
        },
        ITERATIONS,
    ],
};

impl Latent {
    /// From the values of the settings.
    pub fn new(update: Update, v: &[f64]) -> Latent {
        Latent { update, alpha: v[0], tolerance: v[1], iterations: v[2] as usize }
    }

    fn description(&self) -> &'static Description {
        match self.update {
            Update::Frequencies => &EM,
            Update::Averaged => &EMA,
        }
    }

    /// The text form that makes this learner again.
    pub fn form(&self) -> String {
        let Description { name, settings, .. } = self.description();
        let mut form = format!("{name}:{}", self.alpha);
        let rest = [self.tolerance, self.iterations as f64];
        for (setting, value) in settings[1..].iter().zip(rest) {
            if value != setting.range.default() {
                form.push_str(&format!(",{}={value}", setting.name));
            }
        }
        form
    }
}

/// A learner of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusterer {
    /// How.
    pub method: Latent,
    /// How many clusters.
    pub clusters: usize,
    /// From how many random parameters it starts.
    pub starts: usize,
    /// How numbers are cut into bins.
    pub discretise: Method,
}

impl Default for Clusterer {
    fn default() -> Self {
        let method =
            Latent { update: Update::Averaged, alpha: 1.0, tolerance: 1e-4, iterations: 500 };
        Clusterer { method, clusters: 2, starts: 100, discretise: Method::EqualFrequency(3) }
    }
}

/// The most clusters.
pub const MOST_CLUSTERS: usize = 1000;

impl Clusterer {
    /// Refuses settings that no learning can come of.
    pub fn check(&self) -> Result<()> {
        let bad = |setting: &str, value: String, expected: String| {
            let learner = self.method.description().name.into();
            Err(Error::Setting { learner, setting: setting.into(), value, expected })
        };
        if !(1..=MOST_CLUSTERS).contains(&self.clusters) {
            let expected = format!("a whole number from 1 to {MOST_CLUSTERS}");
            return bad("clusters", self.clusters.to_string(), expected);
        }
        if self.starts == 0 {
            return bad("starts", "0".into(), "at least 1".into());
        }
        let least = self.method.update == Update::Averaged && self.method.alpha == 0.0;
        if least || !(0.0..=1e100).contains(&self.method.alpha) {
            return bad("alpha", self.method.alpha.to_string(), "a number above 0".into());
        }
        if self.discretise == Method::Mdlp {
            return bad("discretise", "mdlp".into(), "a way that needs no class".into());
        }
        self.discretise.check()
    }

    /// Learns clusters from some rows of a table; every discrete and continuous column is an attribute.
    ///
    /// The result is a classifier whose class, the last column, is the cluster: it predicts, explains itself, is saved and
    /// asked like any other.
    pub fn fit(&self, view: View<'_>, run: &Run<'_>) -> Result<Classifier> {
        self.check()?;
        let fields = &view.table().schema().fields;
        let usable: Vec<usize> =
            (0..fields.len()).filter(|&c| fields[c].kind != Kind::Text).collect();
        let table = view.table().select(&usable);
        check_rows(&table, view.len())?;
        let weight = |r: usize| table.weights().map_or(1.0, |w| w[r]);
        if view.row_numbers().map(weight).sum::<f64>() <= 0.0 {
            let fix = "give at least one row a weight above 0";
            return Err(Error::data(table.name(), "the rows weigh nothing in total", fix));
        }
        let bins = run.install(|| Discretiser::learn(view.over(&table), None, self.discretise))?;
        let coded = run.install(|| bins.apply(&table));
        let latent = with_latent(&coded, self.clusters);
        let source = Source::Memory(view.over(&latent));
        let (network, outcome) = self.learn(&source, run)?;
        let mut raw = table.schema().fields.clone();
        raw.push(latent.field(usable.len()).clone());
        let mut cuts = bins.cuts.clone();
        cuts.push(None);
        let training =
            Training { file: table.name().into(), rows: view.len(), cut_rows: view.len() };
        Ok(Classifier::new(
            Schema::new(raw),
            Discretiser { cuts },
            Model::Network(network),
            [format!("clusters:{}", self.clusters), self.method.form()],
            training,
            run.seed,
            outcome,
        ))
    }

    /// The best of all starts, clusters by falling size.
    fn learn(&self, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let blank = blank_of(data.schema())?;
        let one = |index: usize, run: &Run<'_>| self.one_start(&blank, index, data, run);
        let Best { best, starts, reached } = best_of(self.starts, run, &one)?;
        let expectation = self.expectation(data, run);
        let counts = expectation.count(&LogTables::new(&best.network))?.families;
        let class = counts.len() - 1;
        let sizes = counts[class].values()[..self.clusters].to_vec();
        let mut order: Vec<usize> = (0..self.clusters).collect();
        order.sort_by(|&x, &y| sizes[y].total_cmp(&sizes[x]));
        let network = relabelled(&best.network, &order)?;
        let model = Model::Network(network.clone());
        let Told { independence, information } = told(&Marginals::of_model(&model)?);
        let clusters = ClusterOutcome {
            log_likelihood: best.log_likelihood,
            sizes: order.iter().map(|&c| sizes[c]).collect(),
            starts,
            reached,
            independence,
            information,
        };
        let outcome = Outcome {
            relevance: best.relevance,
            reasons: arc_reasons(network.dag(), &counts),
            clusters: Some(clusters),
            ..best.outcome
        };
        Ok((network, outcome))
    }

    fn expectation<'a>(&self, data: &'a Source<'a>, run: &'a Run<'a>) -> Expectation<'a> {
        let until = match self.method.update {
            Update::Frequencies => Until::Gain(self.method.tolerance),
            Update::Averaged => Until::Change(self.method.tolerance),
        };
        let iterations = self.method.iterations;
        Expectation { data, criterion: Criterion::Latent, iterations, until, run }
    }

    fn one_start(
        &self,
        blank: &Network,
        index: usize,
        data: &Source<'_>,
        run: &Run<'_>,
    ) -> Result<Reached> {
        let start = random_start(blank, run.seed, index)?;
        let expectation = self.expectation(data, run);
        let alpha = self.method.alpha;
        let finish = |climbed: Expected, relevance| -> Result<Reached> {
            let Expected { network, mut outcome } = climbed;
            let log_likelihood = expectation.value(&LogTables::new(&network))?;
            outcome.passes += 1;
            Ok(Reached { network, outcome, log_likelihood, relevance })
        };
        match self.method.update {
            Update::Frequencies => {
                let climbed = expectation.climb(start, &mut Frequencies { alpha })?;
                finish(climbed, None)
            }
            Update::Averaged => {
                let mut update = Averaged { prior: Prior::Dirichlet(alpha), relevance: Vec::new() };
                let climbed = expectation.climb(start, &mut update as &mut dyn Maximise)?;
                finish(climbed, Some(update.relevance))
            }
        }
    }
}

/// The cluster, which is the last column, a parent of every attribute; all tables uniform.
pub(super) fn blank_of(schema: &Schema) -> Result<Network> {
    let class = schema.len() - 1;
    let mut dag = Dag::new(schema.len());
    (0..class).try_for_each(|v| dag.add(class, v))?;
    let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
    let uniform = |v: usize| {
        let rows = if v == class { 1 } else { states[class] };
        vec![1.0 / states[v] as f64; rows * states[v]]
    };
    Network::new(variables(schema), dag, (0..=class).map(uniform).collect())
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

/// The same network with its clusters in another order.
fn relabelled(network: &Network, order: &[usize]) -> Result<Network> {
    let class = network.variables().len() - 1;
    let table = |v: usize| -> Vec<f64> {
        let states = if v == class { 1 } else { network.states(v) };
        order.iter().flat_map(|&c| network.table(v)[c * states..][..states].to_vec()).collect()
    };
    network.with_tables((0..=class).map(table).collect())
}

/// The table with a last column that is missing in every row.
fn with_latent(coded: &Table, clusters: usize) -> Table {
    let mut name = String::from("cluster");
    while coded.schema().position(&name).is_some() {
        name.push('_');
    }
    let levels: Vec<String> = (1..=clusters).map(|c| c.to_string()).collect();
    let latent = Cells::from_codes(std::iter::repeat_n(None, coded.rows()), clusters);
    let mut columns: Vec<(Field, Cells)> =
        (0..coded.columns()).map(|c| (coded.field(c).clone(), coded.cells(c).clone())).collect();
    columns.push((Field::discrete(name, levels), latent));
    let table = Table::trusted(coded.name(), columns, coded.rows());
    table.weighing_as(coded)
}

fn check_rows(table: &Table, rows: usize) -> Result<()> {
    if table.columns() == 0 {
        let fix = "give at least one column of levels or numbers";
        return Err(Error::data(table.name(), "there is no column to learn from", fix));
    }
    if rows == 0 {
        return Err(Error::data(table.name(), "there is no row to learn from", "give some rows"));
    }
    if let Some(c) = (0..table.columns()).find(|&c| table.cells(c).all_missing()) {
        let name = &table.field(c).name;
        let fix = format!("leave it out with --ignore {name}");
        return Err(Error::column(table.name(), name, "every cell is missing", fix));
    }
    Ok(())
}
