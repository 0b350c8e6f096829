//! Tables over a few variables, and a network as a list of them.

use super::evidence::{Evidence, Finding};
use crate::network::Network;

/// A table over some variables: the last changes fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The variables.
    pub scope: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
}

/// Variables that count from 0, with factors over them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factors {
    pub states: Vec<usize>,
    pub factors: Vec<Factor>,
}

impl Factors {
    /// The families of a network.
    pub fn of(network: &Network) -> Factors {
        let count = network.variables().len();
        let states = (0..count).map(|v| network.states(v)).collect();
        let factors = (0..count).map(|v| family(network, v)).collect();
        Factors { states, factors }
    }

    /// The families of some variables of a network once the evidence is known: what is certain is sliced away, so
    /// `kept` must hold the other members of these families; they count by their place in it. Uncertain findings are
    /// factors of their own.
    pub fn given(
        network: &Network,
        families: &[usize],
        kept: &[usize],
        evidence: &Evidence,
    ) -> Factors {
        let count = network.variables().len();
        let seen = evidence.states(count);
        let mut place = vec![usize::MAX; count];
        kept.iter().enumerate().for_each(|(i, &v)| place[v] = i);
        let local = |scope: Vec<usize>| scope.into_iter().map(|v| place[v]).collect();
        let mut factors = Vec::with_capacity(families.len());
        for &v in families {
            let Factor { scope, values } = sliced(family(network, v), &seen, network);
            factors.push(Factor { scope: local(scope), values });
        }
        for (v, finding) in evidence.findings() {
            if let Finding::Likelihood(values) = finding
                && place[*v] != usize::MAX
            {
                factors.push(Factor { scope: vec![place[*v]], values: values.clone() });
            }
        }
        Factors { states: kept.iter().map(|&v| network.states(v)).collect(), factors }
    }
}

/// p(variable | parents) as a factor.
pub(crate) fn family(network: &Network, variable: usize) -> Factor {
    let scope = network.dag().parents(variable).chain([variable]).collect();
    Factor { scope, values: network.table(variable).to_vec() }
}

/// The part of a factor that agrees with the states that are known.
fn sliced(factor: Factor, seen: &[Option<usize>], network: &Network) -> Factor {
    let Factor { mut scope, mut values } = factor;
    while let Some(place) = scope.iter().position(|&v| seen[v].is_some()) {
        let v = scope.remove(place);
        let (states, state) = (network.states(v), seen[v].unwrap_or(0));
        let inner: usize = scope[place..].iter().map(|&v| network.states(v)).product();
        let block = |outer: &[f64]| outer[state * inner..][..inner].to_vec();
        values = values.chunks_exact(states * inner).flat_map(block).collect();
    }
    Factor { scope, values }
}
