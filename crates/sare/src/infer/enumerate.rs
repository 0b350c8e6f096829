//! Answers by going through every configuration: slow, simple, and right; what the faster ways are held against.

use super::evidence::{Evidence, Finding};
use super::factor::Factor;
use crate::error::{Error, Result};
use crate::network::Network;

/// Configurations that are gone through at most.
const MOST: u128 = 1 << 24;

/// The probability of the evidence, with the joint distribution of `variables` given it (the last changes fastest), and
/// the most probable configuration with ln of its probability, the findings included. Of equals, the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerated {
    /// ln p(evidence); minus infinity if it is impossible.
    pub log_evidence: f64,
    /// p(variables | evidence); all 0 if the evidence is impossible.
    pub joint: Factor,
    /// The most probable configuration of all variables.
    pub best: Vec<usize>,
    /// ln of its probability together with the evidence.
    pub log_best: f64,
}

/// Goes through all configurations of a small network.
pub fn enumerate(
    network: &Network,
    evidence: &Evidence,
    variables: &[usize],
) -> Result<Enumerated> {
    let count = network.variables().len();
    let states: Vec<usize> = (0..count).map(|v| network.states(v)).collect();
    let all = states.iter().fold(1u128, |all, &s| all.saturating_mul(s as u128));
    if all > MOST {
        return Err(Error::TooLarge {
            what: format!("going through {all} configurations"),
            bytes: all.saturating_mul(8),
            limit: MOST * 8,
            fix: "use a join tree".into(),
        });
    }
    let mut values = vec![0.0; variables.iter().map(|&v| states[v]).product()];
    let (mut sum, mut best, mut top) = (0.0, vec![0; count], f64::NEG_INFINITY);
    let mut row = vec![0; count];
    for number in 0..all as usize {
        let mut rest = number;
        for v in (0..count).rev() {
            row[v] = rest % states[v];
            rest /= states[v];
        }
        let p = network.log_probability(&row).exp() * weight(evidence, &row);
        values[variables.iter().fold(0, |index, &v| index * states[v] + row[v])] += p;
        sum += p;
        if p > top {
            (top, best) = (p, row.clone());
        }
    }
    if sum > 0.0 {
        values.iter_mut().for_each(|x| *x /= sum);
    }
    let joint = Factor { scope: variables.to_vec(), values };
    Ok(Enumerated { log_evidence: sum.ln(), joint, best, log_best: top.ln() })
}

/// How probable the findings are in a complete row.
fn weight(evidence: &Evidence, row: &[usize]) -> f64 {
    let one = |(v, finding): &(usize, Finding)| match finding {
        Finding::State(s) => f64::from(u8::from(row[*v] == *s)),
        Finding::Likelihood(l) => l[row[*v]],
    };
    evidence.findings().iter().map(one).product()
}
