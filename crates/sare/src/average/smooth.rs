//! Priors: the ones an average can do with, evidence of families and smoothed tables laid out for prediction.

use crate::error::{Error, Result};
use crate::num::ln_or_floor;
use crate::parameters::Parameters;
use crate::parameters::dirichlet::{FromCounts, Prior};
use crate::stats::{FamilyTable, Score};

/// The prior, where the parameters are nothing but smoothed counts.
pub(super) fn from_counts(learner: &str, prior: Option<Prior>) -> Result<Prior> {
    let prior = prior.ok_or_else(|| Error::Setting {
        learner: learner.into(),
        setting: "parameters".into(),
        value: "not from counts alone".into(),
        expected: "one of ml, laplace, dirichlet, bdeu".into(),
    })?;
    FromCounts { prior }.check()?;
    Ok(prior)
}

/// The prior, where it gives structures an evidence.
pub(super) fn proper(learner: &str, prior: Option<Prior>) -> Result<Prior> {
    match prior {
        Some(prior @ (Prior::Laplace | Prior::Dirichlet(_) | Prior::Bdeu(_))) => {
            from_counts(learner, Some(prior))
        }
        other => Err(Error::Setting {
            learner: learner.into(),
            setting: "parameters".into(),
            value: other.map_or("not from counts alone".into(), |p| FromCounts { prior: p }.form()),
            expected:
                "one of laplace, dirichlet, bdeu, as the evidence of a structure needs a prior"
                    .into(),
        }),
    }
}

/// lnB: the logarithm of the family's marginal likelihood under a proper prior. The classes count as configurations of
/// one more parent.
pub(super) fn log_evidence(prior: Prior, counts: &FamilyTable) -> f64 {
    let cells = counts.cells() * counts.classes();
    // A sample of this size puts the prior's number into every cell.
    Score::Bdeu(prior.cell(cells) * cells as f64).of(counts)
}

/// p(child | parent, class) in the layout of the counts, with 0 in the cell of missing members.
pub(super) fn conditionals(prior: Prior, counts: &FamilyTable) -> FamilyTable {
    let (configurations, states, classes) =
        (counts.configurations(), counts.states(), counts.classes());
    let mut out = FamilyTable::zeros(configurations, states, classes);
    for (row, p) in prior.probabilities(counts).chunks_exact(states).enumerate() {
        // Class by class within a configuration.
        let (j, c) = (row / classes, row % classes);
        p.iter().enumerate().for_each(|(k, &p)| *out.at_mut(j, k, c) = p);
    }
    out
}

/// The logarithms of probabilities, with 0 in the cell of missing members: there a term drops out.
pub(super) fn logs(table: &FamilyTable) -> Vec<f64> {
    let last = table.cells() * table.classes();
    let seen = table.values()[..last].iter().map(|&p| ln_or_floor(p));
    seen.chain(std::iter::repeat_n(0.0, table.classes())).collect()
}

/// ln p(class).
pub(super) fn class_logs(prior: Prior, class: &FamilyTable) -> Vec<f64> {
    prior.probabilities(class).into_iter().map(ln_or_floor).collect()
}
