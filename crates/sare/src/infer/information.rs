//! What evidence is worth: what to ask next about a target, and whether the findings go together.

use super::evidence::{Evidence, Finding};
use super::join_tree::{JoinTree, Posterior};
use super::query::Query;
use crate::error::{Error, Result};

/// I(variable; target | evidence) in nats of every variable that is not known for certain, the most telling first.
///
/// With p the distributions given the evidence: sum over t of p(t) sum over x of p(x | t) ln (p(x | t) / p(x)). One
/// propagation for each state of the target.
pub fn next_questions(
    tree: &JoinTree,
    evidence: &Evidence,
    target: usize,
) -> Result<Vec<(usize, f64)>> {
    if matches!(evidence.of(target), Some(Finding::State(_))) {
        return Err(Error::Setting {
            learner: "query".into(),
            setting: "target".into(),
            value: tree.network().variables()[target].name.clone(),
            expected: "a variable that is not known already".into(),
        });
    }
    let mut posterior = tree.prior();
    tree.update(evidence, &mut posterior)?;
    let now = posterior.marginals().to_vec();
    let chance = posterior.marginal(target).to_vec();
    let mut information = vec![0.0; tree.network().variables().len()];
    for (state, &p) in chance.iter().enumerate().filter(|(_, p)| **p > 0.0) {
        tree.update(&evidence.with_state(target, state), &mut posterior)?;
        add(p, &now, &posterior, &mut information);
    }
    let known = |v: usize| v == target || matches!(evidence.of(v), Some(Finding::State(_)));
    let mut all: Vec<(usize, f64)> = information
        .into_iter()
        .enumerate()
        .filter(|(v, _)| !known(*v))
        // Rounding may leave less than nothing.
        .map(|(v, i)| (v, i.max(0.0)))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(all)
}

/// Adds the divergence of every marginal from what it is `now`, times `p`.
fn add(p: f64, now: &[f64], posterior: &Posterior, information: &mut [f64]) {
    let mut from = 0;
    for (v, sum) in information.iter_mut().enumerate() {
        let marginal = posterior.marginal(v);
        for (x, old) in marginal.iter().zip(&now[from..]) {
            if *x > 0.0 && *old > 0.0 {
                *sum += p * x * (x / old).ln();
            }
        }
        from += marginal.len();
    }
}

impl Query<'_> {
    /// ln (product of p(finding) / p(all findings)): above 0 if the findings contradict each other more than if they had
    /// nothing to do with each other. Jensen and others, UAI 1990.
    pub fn conflict(&self) -> Result<f64> {
        let together = self.log_evidence()?;
        let variables: Vec<usize> = self.evidence.findings().iter().map(|(v, _)| *v).collect();
        let before = Query { evidence: &Evidence::none(), ..*self }.marginals(&variables)?;
        let alone = |((_, finding), prior): (&(usize, Finding), &Vec<f64>)| match finding {
            Finding::State(s) => prior[*s].ln(),
            Finding::Likelihood(l) => l.iter().zip(prior).map(|(l, p)| l * p).sum::<f64>().ln(),
        };
        let findings = self.evidence.findings().iter().zip(&before.marginals);
        Ok(findings.map(alone).sum::<f64>() - together)
    }
}
