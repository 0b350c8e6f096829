//! Expectation-maximisation where attributes are missing and the class is seen (ALGORITHMS 5).

use super::Parameters;
use super::dirichlet::{Prior, count_dag, network_from_counts, tables_from_counts};
use super::reasons::arc_reasons;
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::expectation::{Expectation, Expected, Maximise, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::observe::Event;
use crate::run::{Outcome, Run};
use crate::stats::FamilyTable;

/// Counts every completion of a row as much as the parameters say it is probable, and learns from these counts, until the
/// likelihood no longer rises. The start is what the seen cells of each family say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectationMaximisation {
    /// What is added to every expected count; 0 gives maximum likelihood.
    pub alpha: f64,
    /// At most this many iterations.
    pub iterations: usize,
    /// Ends when the gain is below this part of the value.
    pub tolerance: f64,
}

/// What it is called and does.
pub const DESCRIPTION: Description = Description {
    name: "em",
    help: "expected counts of missing cells by expectation-maximisation",
    source: "Dempster, Laird and Rubin 1977; Lauritzen 1995",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every expected count",
            range: Range::NotNegative { default: 1.0 },
        },
        Setting {
            name: "iterations",
            help: "at most this many",
            range: Range::Whole { least: 1, most: 1_000_000, default: 200 },
        },
        Setting {
            name: "tolerance",
            help: "ends when the relative gain falls below",
            range: Range::Positive { default: 1e-8 },
        },
    ],
};

impl ExpectationMaximisation {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> ExpectationMaximisation {
        ExpectationMaximisation { alpha: v[0], iterations: v[1] as usize, tolerance: v[2] }
    }
}

impl Parameters for ExpectationMaximisation {
    fn form(&self) -> String {
        let mut form = format!("{}:{}", DESCRIPTION.name, self.alpha);
        if self.iterations != 200 {
            form.push_str(&format!(",iterations={}", self.iterations));
        }
        if self.tolerance != 1e-8 {
            form.push_str(&format!(",tolerance={}", self.tolerance));
        }
        form
    }

    fn check(&self) -> Result<()> {
        if self.alpha >= 0.0 && self.alpha <= 1e100 {
            return Ok(());
        }
        Err(Error::Setting {
            learner: DESCRIPTION.name.into(),
            setting: "alpha".into(),
            value: self.alpha.to_string(),
            expected: "a number of at least 0".into(),
        })
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let seen = count_dag(dag, data, run)?;
        let start = network_from_counts(Prior::Laplace, dag, data.schema(), &seen)?;
        run.tell(&Event::Phase { name: "iterations of EM", steps: None })?;
        let expectation = Expectation {
            data,
            criterion: Criterion::Joint,
            iterations: self.iterations,
            until: Until::Gain(self.tolerance),
            run,
        };
        let mut update = Frequencies { alpha: self.alpha };
        let Expected { network, outcome } = expectation.climb(start, &mut update)?;
        Ok((network, Outcome { reasons: arc_reasons(dag, &seen), ..outcome }))
    }
}

/// Relative frequencies of the expected counts, plain or with something added: EM to the greatest likelihood, or to that
/// with a prior.
pub(crate) struct Frequencies {
    pub alpha: f64,
}

impl Maximise for Frequencies {
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network> {
        let prior = if self.alpha > 0.0 { Prior::Dirichlet(self.alpha) } else { Prior::None };
        present.with_tables(tables_from_counts(prior, counts))
    }

    /// alpha sum ln p: with it the value never falls.
    fn bonus(&self, network: &Network) -> f64 {
        if self.alpha == 0.0 {
            return 0.0;
        }
        let of = |v: usize| network.table(v).iter().map(|&p| ln_or_floor(p)).sum::<f64>();
        self.alpha * (0..network.variables().len()).map(of).sum::<f64>()
    }
}
