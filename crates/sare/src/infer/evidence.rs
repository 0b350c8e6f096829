//! What is known of the variables of a network.

use crate::error::{Error, Result, nearest};
use crate::network::Network;

/// What is known of one variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// It is in this state.
    State(usize),
    /// How probable what was observed is in each of its states; only the ratios matter.
    Likelihood(Vec<f64>),
}

/// What is known: at most one finding a variable, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    findings: Vec<(usize, Finding)>,
}

/// The largest likelihood; only ratios matter.
const MOST_LIKELY: f64 = 1e100;

impl Evidence {
    /// Nothing is known.
    pub fn none() -> Evidence {
        Evidence::default()
    }

    /// Adds that a variable is in a state.
    pub fn see(&mut self, network: &Network, variable: usize, state: usize) -> Result<()> {
        self.check(network, variable)?;
        if state >= network.states(variable) {
            let expected = format!("below {}", network.states(variable));
            return Err(bad(network, variable, &state.to_string(), &expected));
        }
        self.findings.push((variable, Finding::State(state)));
        Ok(())
    }

    /// Adds that a variable has a level, both by name.
    pub fn see_named(&mut self, network: &Network, variable: &str, level: &str) -> Result<()> {
        let v = variable_named(network, variable)?;
        let state = level_named(network, v, level)?;
        self.see(network, v, state)
    }

    /// Adds an uncertain observation: how probable it is in each state of the variable.
    pub fn likely(
        &mut self,
        network: &Network,
        variable: usize,
        likelihood: Vec<f64>,
    ) -> Result<()> {
        self.check(network, variable)?;
        let right = likelihood.len() == network.states(variable)
            && likelihood.iter().all(|l| (0.0..=MOST_LIKELY).contains(l))
            && likelihood.iter().any(|l| *l > 0.0);
        if !right {
            let expected = "a number for each state, none below 0 or above 1e100 and not all 0";
            return Err(bad(network, variable, &format!("{likelihood:?}"), expected));
        }
        self.findings.push((variable, Finding::Likelihood(likelihood)));
        Ok(())
    }

    fn check(&self, network: &Network, variable: usize) -> Result<()> {
        if variable >= network.variables().len() {
            let known = network.variables().iter().map(|v| v.name.as_str());
            return Err(Error::unknown("variable", &variable.to_string(), known));
        }
        if self.of(variable).is_some() {
            return Err(bad(network, variable, "two findings", "given once"));
        }
        Ok(())
    }

    /// The findings in the order in which they were made.
    pub fn findings(&self) -> &[(usize, Finding)] {
        &self.findings
    }

    /// What is known of a variable.
    pub fn of(&self, variable: usize) -> Option<&Finding> {
        self.findings.iter().find(|(v, _)| *v == variable).map(|(_, f)| f)
    }

    /// The state of each variable that is known for certain.
    pub fn states(&self, variables: usize) -> Vec<Option<usize>> {
        let mut states = vec![None; variables];
        for (v, finding) in &self.findings {
            if let Finding::State(s) = finding {
                states[*v] = Some(*s);
            }
        }
        states
    }

    /// The same with one variable in a state, whatever was known of it.
    pub(crate) fn with_state(&self, variable: usize, state: usize) -> Evidence {
        let mut findings = self.findings.clone();
        findings.retain(|(v, _)| *v != variable);
        findings.push((variable, Finding::State(state)));
        Evidence { findings }
    }

    /// The first findings alone.
    pub(crate) fn first(&self, count: usize) -> Evidence {
        Evidence { findings: self.findings[..count].to_vec() }
    }

    /// The findings as a person would write them.
    pub fn text(&self, network: &Network) -> String {
        let one = |(v, finding): &(usize, Finding)| {
            let variable = &network.variables()[*v];
            match finding {
                Finding::State(s) => format!("{}={}", variable.name, variable.levels[*s]),
                Finding::Likelihood(l) => {
                    let parts = variable.levels.iter().zip(l).map(|(n, l)| format!("{n}:{l}"));
                    format!("{}={}", variable.name, parts.collect::<Vec<_>>().join(","))
                }
            }
        };
        self.findings.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// The number of a variable by its name.
pub fn variable_named(network: &Network, name: &str) -> Result<usize> {
    let mut names = network.variables().iter().map(|v| v.name.as_str());
    let place = names.position(|n| n == name);
    let known = || network.variables().iter().map(|v| v.name.as_str());
    place.ok_or_else(|| Error::unknown("variable of the network", name, known()))
}

/// The number of a level of a variable by its name.
pub fn level_named(network: &Network, variable: usize, level: &str) -> Result<usize> {
    let levels = &network.variables()[variable].levels;
    levels.iter().position(|l| l == level).ok_or_else(|| {
        let name = &network.variables()[variable].name;
        Error::Unknown {
            kind: "level",
            name: format!("{name}={level}"),
            nearest: nearest(level, levels.iter().map(String::as_str)),
            known: levels.clone(),
        }
    })
}

fn bad(network: &Network, variable: usize, value: &str, expected: &str) -> Error {
    Error::Setting {
        learner: "evidence".into(),
        setting: network.variables()[variable].name.clone(),
        value: value.into(),
        expected: expected.into(),
    }
}
