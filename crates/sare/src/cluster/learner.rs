//! Learning a network of one graph from the counts that are expected of a class that is in no row: EM and EMA.

use super::fixed::FixedGraph;
use super::method::{Found, Method, Rows};
use super::starts::{self, Plan};
use super::update::Averaged;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::infer::expectation::{Expectation, Expected, Until};
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::parameters::em::Frequencies;
use crate::run::Run;
use crate::structure::named::NamedGraph;

/// How expected counts become parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// As relative frequencies with something added: EM.
    Frequencies,
    /// As the average over all choices of attributes that depend on the cluster: EMA.
    Averaged,
}

/// A network of one graph with a latent class, learnt from expected counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Latent {
    /// How expected counts become parameters.
    pub update: Update,
    /// What is added to every expected count.
    pub alpha: f64,
    /// EM ends when the relative gain, EMA when the largest change of a probability is no more.
    pub tolerance: f64,
    /// At most this many iterations a start.
    pub iterations: usize,
    /// The graph, in which the cluster is called `cluster`; naive Bayes where none is given.
    pub graph: Option<NamedGraph>,
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
        Latent { update, alpha: v[0], tolerance: v[1], iterations: v[2] as usize, graph: None }
    }

    fn description(&self) -> &'static Description {
        match self.update {
            Update::Frequencies => &EM,
            Update::Averaged => &EMA,
        }
    }
}

impl Latent {
    /// When its loop ends.
    pub(super) fn until(&self) -> Until {
        match self.update {
            Update::Frequencies => Until::Gain(self.tolerance),
            Update::Averaged => Until::Change(self.tolerance),
        }
    }

    /// Goes on from a network until it ends; with the probability that each attribute matters, where that is known.
    pub(super) fn climb(
        &self,
        expectation: &Expectation<'_>,
        start: Network,
    ) -> Result<(Expected, Option<Vec<f64>>)> {
        match self.update {
            Update::Frequencies => {
                let mut update = Frequencies { alpha: self.alpha };
                Ok((expectation.climb(start, &mut update)?, None))
            }
            Update::Averaged => {
                let prior = Prior::Dirichlet(self.alpha);
                let mut update = Averaged { prior, relevance: Vec::new() };
                let climbed = expectation.climb(start, &mut update)?;
                Ok((climbed, Some(update.relevance)))
            }
        }
    }
}

impl Method for Latent {
    fn form(&self) -> String {
        let Description { name, settings, .. } = self.description();
        let mut form = format!("{name}:{}", self.alpha);
        let rest = [self.tolerance, self.iterations as f64];
        for (setting, value) in settings[1..].iter().zip(rest) {
            if value != setting.range.default() {
                form.push_str(&format!(",{}={value}", setting.name));
            }
        }
        if let Some(graph) = &self.graph {
            form.push_str(&format!(" on {}", graph.formula()));
        }
        form
    }

    fn check(&self) -> Result<()> {
        let name = self.description().name;
        if self.update == Update::Averaged && self.graph.is_some() {
            let problem =
                format!("'{name}' averages over naive Bayes structures and takes no graph");
            return Err(Error::model("structure", problem, "use em, or leave the structure out"));
        }
        let least = self.update == Update::Averaged && self.alpha == 0.0;
        if least || !(0.0..=1e100).contains(&self.alpha) {
            return Err(Error::Setting {
                learner: name.into(),
                setting: "alpha".into(),
                value: self.alpha.to_string(),
                expected: "a number above 0".into(),
            });
        }
        Ok(())
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        starts::learn(&FixedGraph::new(self, rows.data)?, plan, run)
    }

    fn go_on(&self, rows: &Rows<'_>, start: &Network, run: &Run<'_>) -> Result<Found> {
        let fixed = FixedGraph::new(self, rows.data)?;
        starts::alone(&fixed, fixed.from_network(start.clone(), run)?, run)
    }
}
