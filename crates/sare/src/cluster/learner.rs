//! Learning a network of one graph from the counts that are expected of a class that is in no row: EM and EMA.

use super::fixed::FixedGraph;
use super::method::{Found, Method, Rows};
use super::starts::{self, Plan, longest};
use super::update::{Added, Averaged, Depend};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Expected, Until};
use crate::network::Network;
use crate::parameters::em::Frequencies;
use crate::run::{Outcome, Run};
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
    /// What is added to the expected counts of clusters, and where the prior is flat to all others.
    pub alpha: f64,
    /// What is added to the expected counts of attributes.
    pub added: Added,
    /// Whether the probability beforehand that an attribute matters is learnt; it is one half otherwise.
    pub learns_relevance: bool,
    /// Whether starts are compared by evidence; it is by likelihood otherwise.
    pub by_evidence: bool,
    /// EM ends when the relative gain, EMA when the largest change of a probability is no more. Below 0 it never ends before its
    /// iterations do.
    pub tolerance: f64,
    /// At most this many iterations per start; the best starts may take 20 times as many.
    pub iterations: usize,
    /// The graph, in which the cluster is called `cluster`; naive Bayes where none is given.
    pub graph: Option<NamedGraph>,
}

/// Starts are compared at tolerances no tighter than these, before the best ones continue.
pub(super) const LOOSE_GAIN: f64 = 1e-7;
const LOOSE_CHANGE: f64 = 1e-4;

const ITERATIONS: Setting = Setting {
    name: "iterations",
    help: "at most this many per start; the best starts may take 20 times as many",
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
            help: "the best starts end when the relative gain is no more",
            range: Range::Positive { default: 1e-12 },
        },
        ITERATIONS,
        Setting { name: "prior", help: PRIOR, range: Range::Choice(Added::NAMES) },
        Setting { name: "choose", help: CHOOSE, range: Range::Choice(CHOICES) },
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
            help: "what is added to every expected count; auto is prior=either,relevance=learnt,choose=evidence",
            range: Range::PositiveOrAuto { default: 1.0 },
        },
        Setting {
            name: "tolerance",
            help: "the best starts end when no probability changes by more",
            range: Range::Positive { default: 1e-7 },
        },
        ITERATIONS,
        Setting {
            name: "prior",
            help: PRIOR,
            range: Range::Unless(&["auto"], &Range::Choice(Added::NAMES)),
        },
        Setting {
            name: "relevance",
            help: "how probable it is beforehand that a column matters: as not, or learnt",
            range: Range::Unless(&["auto"], &Range::Choice(&["even", "learnt"])),
        },
        Setting {
            name: "choose",
            help: CHOOSE,
            range: Range::Unless(&["auto"], &Range::Choice(CHOICES)),
        },
    ],
};

const PRIOR: &str = "what is added to a column's counts in a cluster: the same to all levels, or rows like all rows, as many as the rows say";
const CHOOSE: &str = "what starts are compared by";
const CHOICES: &[&str] = &["likelihood", "evidence"];

impl Latent {
    /// From the values of the settings; those that are left out are as when nothing is said.
    pub fn new(update: Update, v: &[f64]) -> Latent {
        let auto = v[0].is_infinite();
        let value = |i: usize| v.get(i).copied().unwrap_or(0.0);
        let (added, choose) = match update {
            Update::Frequencies => (value(3), value(4)),
            Update::Averaged => (value(3), value(5)),
        };
        Latent {
            update,
            alpha: if auto { 1.0 } else { v[0] },
            added: if auto { Added::Either } else { Added::at(added) },
            learns_relevance: auto || (update == Update::Averaged && value(4) > 0.0),
            by_evidence: auto || choose > 0.0,
            tolerance: v[1],
            iterations: v[2] as usize,
            graph: None,
        }
    }

    /// The values of the settings.
    fn values(&self) -> Vec<f64> {
        let flag = |yes: bool| f64::from(u8::from(yes));
        let mut values =
            vec![self.alpha, self.tolerance, self.iterations as f64, f64::from(self.added as u8)];
        if self.update == Update::Averaged {
            values.push(flag(self.learns_relevance));
        }
        values.push(flag(self.by_evidence));
        values
    }

    fn description(&self) -> &'static Description {
        match self.update {
            Update::Frequencies => &EM,
            Update::Averaged => &EMA,
        }
    }
}

impl Latent {
    /// When a start ends, and when the best ones do: starts are compared at a looser tolerance.
    pub(super) fn until(&self, best: bool) -> Until {
        let at_least = |loose: f64| match best || self.tolerance < 0.0 {
            true => self.tolerance,
            false => self.tolerance.max(loose),
        };
        match self.update {
            Update::Frequencies => Until::Gain(at_least(LOOSE_GAIN)),
            Update::Averaged => Until::Change(at_least(LOOSE_CHANGE)),
        }
    }

    /// The most iterations of a start, and of the best ones.
    pub(super) fn limit(&self, best: bool) -> usize {
        if best { longest(self.iterations) } else { self.iterations }
    }

    /// Whether probabilities may be estimated as 0: by maximum likelihood.
    pub(super) fn reaches_boundary(&self) -> bool {
        let plain = self.update == Update::Frequencies && self.added == Added::Flat;
        plain && self.alpha == 0.0
    }

    /// How expected counts become parameters in a run of so many iterations, before anything is learnt.
    fn update(&self, iterations: usize) -> Averaged {
        let depend = match (self.update, self.learns_relevance) {
            (Update::Frequencies, _) => Depend::All,
            (Update::Averaged, true) => Depend::Learnt,
            (Update::Averaged, false) => Depend::Even,
        };
        Averaged::new(self.added, self.alpha, depend, iterations)
    }

    /// Where a run begins: a network, and what is known of its attributes.
    pub(super) fn state(
        &self,
        network: Network,
        relevance: Option<&[f64]>,
        iterations: usize,
    ) -> EmState {
        let mut update = self.update(iterations);
        relevance.into_iter().for_each(|known| update.expect(known));
        EmState { network, update }
    }

    /// Runs EM until it ends; fast for the best starts.
    pub(super) fn climb(
        &self,
        expectation: &Expectation<'_>,
        EmState { network, mut update }: EmState,
        fast: bool,
    ) -> Result<Climbed> {
        // Plain EM takes any graph, and may go faster: no prior moves, so that its objective never falls.
        let mut plain = Frequencies { alpha: self.alpha };
        let mut expected = match (self.update, self.added, fast) {
            (Update::Frequencies, Added::Flat, true) => {
                expectation.climb_fast(network, &mut plain)?
            }
            (Update::Frequencies, Added::Flat, false) => expectation.climb(network, &mut plain)?,
            _ => expectation.climb(network, &mut update)?,
        };
        let evidence = match self.by_evidence {
            true => {
                let run = &expectation.run.to_the_end();
                let last = Expectation { run, ..*expectation };
                let counted = last.count(&LogTables::new(&expected.network))?;
                expected.outcome.passes += 1;
                let network = &expected.network;
                Some(update.log_evidence(network, &counted.families, counted.value))
            }
            false => None,
        };
        let relevance = (self.update == Update::Averaged).then(|| update.relevance.clone());
        let Expected { network, outcome } = expected;
        Ok(Climbed { state: EmState { network, update }, outcome, relevance, evidence })
    }
}

/// A network, and what the run of EM that led to it has learnt of the prior.
#[derive(Clone)]
pub(super) struct EmState {
    pub network: Network,
    update: Averaged,
}

/// What a run of EM came to.
pub(super) struct Climbed {
    pub state: EmState,
    pub outcome: Outcome,
    /// The probability that each attribute matters, where that is known.
    pub relevance: Option<Vec<f64>>,
    /// About ln p(rows), where starts are compared by it.
    pub evidence: Option<f64>,
}

impl Method for Latent {
    fn form(&self) -> String {
        let mut form = self.description().form(&self.values());
        if let Some(graph) = &self.graph {
            form.push_str(&format!(" on {}", graph.formula()));
        }
        form
    }

    fn has_one_single_cluster(&self) -> bool {
        self.graph.is_none()
    }

    fn check(&self) -> Result<()> {
        let name = self.description().name;
        if self.update == Update::Averaged && self.graph.is_some() {
            let problem =
                format!("'{name}' averages over naive Bayes structures and takes no graph");
            return Err(Error::model("structure", problem, "use em, or leave the structure out"));
        }
        if (self.added != Added::Flat || self.by_evidence) && self.graph.is_some() {
            let problem =
                "a prior that is learnt, and evidence, are for naive Bayes and take no graph";
            return Err(Error::model("structure", problem, "use prior=flat,choose=likelihood"));
        }
        // Without a prior there is nothing to average over.
        let proper = self.update == Update::Averaged || self.by_evidence;
        if (proper && self.alpha == 0.0) || !(0.0..=1e100).contains(&self.alpha) {
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
        starts::alone(&fixed, fixed.start_at(start.clone(), run)?, run)
    }
}
