//! Answers by drawing rows: for networks too large for exact ones, always with their standard errors. Rows are drawn in
//! parts that each have a stream of random numbers of their own, so that threads change nothing.

mod gibbs;
mod weighting;

use super::evidence::{Evidence, Finding};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::run::Run;

/// How rows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// Parents before children; rows that contradict the evidence are thrown away.
    Forward,
    /// Parents before children, but what is known stays as it is: each row has the weight p(findings | parents).
    Weighting,
    /// Chains that draw one variable after the other given all others. The first `burn_in` rounds of each chain are
    /// thrown away. Where tables hold zeros a chain may not reach every configuration.
    Gibbs {
        /// Rounds of each chain that do not count.
        burn_in: usize,
    },
}

impl Sampler {
    /// The samplers by the names that they have on the command line.
    pub const NAMES: [&str; 3] = ["forward", "lw", "gibbs"];

    /// A sampler by its name; `burn_in` is for chains.
    pub fn named(name: &str, burn_in: usize) -> Result<Sampler> {
        match name {
            "forward" => Ok(Sampler::Forward),
            "lw" => Ok(Sampler::Weighting),
            "gibbs" => Ok(Sampler::Gibbs { burn_in }),
            _ => Err(Error::unknown("sampler", name, Sampler::NAMES)),
        }
    }
}

/// Estimated marginals.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimates {
    from: Vec<usize>,
    marginals: Vec<f64>,
    errors: Vec<f64>,
    /// Rows that were drawn.
    pub samples: usize,
    /// How many independent rows would be as good, where the weights tell.
    pub effective: Option<f64>,
    /// ln p(evidence) and its standard error, where the sampler tells.
    pub log_evidence: Option<(f64, f64)>,
}

impl Estimates {
    /// The estimate of p(variable | evidence).
    pub fn marginal(&self, variable: usize) -> &[f64] {
        &self.marginals[self.from[variable]..self.from[variable + 1]]
    }

    /// The standard errors of [`Estimates::marginal`].
    pub fn errors(&self, variable: usize) -> &[f64] {
        &self.errors[self.from[variable]..self.from[variable + 1]]
    }
}

/// Estimates the marginals of all variables from `samples` rows.
pub fn estimate(
    network: &Network,
    evidence: &Evidence,
    sampler: Sampler,
    samples: usize,
    run: &Run<'_>,
) -> Result<Estimates> {
    const LEAST: usize = 100;
    if samples < LEAST {
        return Err(Error::Setting {
            learner: "sampling".into(),
            setting: "samples".into(),
            value: samples.to_string(),
            expected: format!("{LEAST} or more"),
        });
    }
    match sampler {
        Sampler::Forward => weighting::estimate(network, evidence, false, samples, run),
        Sampler::Weighting => weighting::estimate(network, evidence, true, samples, run),
        Sampler::Gibbs { burn_in } => gibbs::estimate(network, evidence, burn_in, samples, run),
    }
}

/// Where the marginal of each variable begins among all, and where the last ends.
fn places(network: &Network) -> Vec<usize> {
    let mut from = vec![0];
    for v in 0..network.variables().len() {
        from.push(from[v] + network.states(v));
    }
    from
}

/// What is known of each variable.
fn findings<'a>(network: &Network, evidence: &'a Evidence) -> Vec<Option<&'a Finding>> {
    let mut all = vec![None; network.variables().len()];
    evidence.findings().iter().for_each(|(v, finding)| all[*v] = Some(finding));
    all
}

/// No row agrees with the evidence.
fn no_row(network: &Network, evidence: &Evidence, samples: usize) -> Error {
    let text = evidence.text(network);
    let problem = format!("none of {samples} rows drawn agrees with {text}");
    Error::model("network", problem, "draw more, or ask for the exact answer: it may be impossible")
}
