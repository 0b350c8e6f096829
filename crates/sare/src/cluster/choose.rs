//! How many clusters: several numbers tried, one recommended, and by which rule (ALGORITHMS 8).

use super::clusterer::{Clusterer, Clustering, merged};
use super::starts::Quiet;
use crate::average::PairModel;
use crate::classify::Classifier;
use crate::data::View;
use crate::data::cases::Cases;
use crate::data::split::{Part, Split};
use crate::error::{Error, Result};
use crate::num::LN_ZERO;
use crate::observe::Event;
use crate::run::{ClusterOutcome, Figures, NumbersTried, Outcome, Rule, Run, Stop, near_whole};
use crate::seed::{Purpose, Random};
use std::ops::RangeInclusive;

/// What one number of clusters comes to.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The clusters.
    pub clustering: Clustering,
    /// Its figures.
    pub figures: Figures,
}

impl Figures {
    /// Those of the clusters of a model; none of a model that was learnt with a class.
    pub fn of(model: &Classifier) -> Option<Figures> {
        let outcome = model.outcome();
        let ClusterOutcome { log_likelihood, entropy, reached, starts, sizes, .. } =
            outcome.clusters.as_ref()?;
        let coded = model.bins().schema(model.schema());
        let attributes = &coded.fields[..coded.len() - 1];
        let patterns: f64 = attributes.iter().map(|f| f.states() as f64).product();
        Some(Figures {
            clusters: sizes.len(),
            log_likelihood: *log_likelihood,
            parameters: parameters(model, outcome),
            rows: near_whole(sizes.iter().sum()),
            patterns: Some(patterns.min(f64::MAX)),
            entropy: *entropy,
            cross_validated: None,
            converged: matches!(outcome.stop, Stop::Converged | Stop::NoGain | Stop::Exact),
            reached: *reached,
            starts: starts.len(),
        })
    }
}

/// How many numbers a model leaves free, as far as its structure is probable: an attribute that does not depend on the
/// cluster needs no table a cluster.
fn parameters(model: &Classifier, outcome: &Outcome) -> f64 {
    let class = model.schema().len() - 1;
    let states: Vec<f64> =
        model.bins().schema(model.schema()).fields.iter().map(|f| f.states() as f64).collect();
    let clusters = states[class];
    if let Some(expected) = model.pairs().and_then(PairModel::expected_parameters) {
        return expected;
    }
    match &outcome.relevance {
        Some(relevance) => {
            let alone = |v: usize| (1.0 + relevance[v] * (clusters - 1.0)) * (states[v] - 1.0);
            clusters - 1.0 + (0..class).map(alone).sum::<f64>()
        }
        None => model.free_parameters() as f64,
    }
}

/// Tries several numbers of clusters.
#[derive(Clone)]
pub struct Chooser {
    /// How clusters are learnt; its own number is not used.
    pub clusterer: Clusterer,
    /// The numbers; one cluster is always tried as well.
    pub numbers: RangeInclusive<usize>,
    /// The rows are dealt into so many parts for the log-likelihood of rows that were not learnt from; none if 0.
    pub folds: usize,
    /// What recommends.
    pub rule: Rule,
}

/// What came of several numbers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// By rising number.
    pub candidates: Vec<Candidate>,
    /// The place of the recommended one.
    pub chosen: usize,
    /// What recommends it.
    pub rule: Rule,
}

/// A part is learnt from with at most so many starts: what is wanted there is a likelihood, not the best clusters of all.
const MOST_STARTS_OF_A_PART: usize = 10;

impl Chooser {
    /// Learns every number of clusters, and recommends one: the best by the rule among those whose best start came to an
    /// end, the smallest of equals. Its model remembers the figures of all.
    pub fn choose(&self, view: View<'_>, run: &Run<'_>) -> Result<Choice> {
        if self.numbers.is_empty() {
            let value = format!("{}..{}", self.numbers.start(), self.numbers.end());
            return Err(Error::Setting {
                learner: "clusters".into(),
                setting: "clusters".into(),
                value,
                expected: "a range that rises, as 1..8".into(),
            });
        }
        let least = if self.rule == Rule::CrossValidated { 2 } else { 0 };
        if self.folds == 1 || self.folds < least {
            return Err(Error::Setting {
                learner: "clusters".into(),
                setting: "folds".into(),
                value: self.folds.to_string(),
                expected: "at least 2, or with a rule other than cv 0 for none".into(),
            });
        }
        let first = (!self.numbers.contains(&1)).then_some(1);
        let mut candidates = Vec::new();
        for clusters in first.into_iter().chain(self.numbers.clone()) {
            match self.candidate(clusters, view, run) {
                Err(Error::Interrupted) if !candidates.is_empty() => {}
                candidate => candidates.push(candidate?),
            }
            if run.should_stop(&Event::Step { steps: 0 }) {
                // One cluster, which is always tried, is no answer to somebody who asked for more.
                if candidates.len() == 1 && *self.numbers.end() > 1 {
                    return Err(Error::Interrupted);
                }
                let tried = candidates.last().map_or(1, |c| c.figures.clusters);
                let text = format!(
                    "stopped: no more than {tried} clusters were tried, the last number perhaps from fewer starts"
                );
                run.should_stop(&Event::Note { text: &text });
                break;
            }
        }
        let mut chosen = 0;
        for (i, Candidate { figures, .. }) in candidates.iter().enumerate() {
            if figures.is_better(&candidates[chosen].figures, self.rule) {
                chosen = i;
            }
        }
        if candidates[chosen].figures.by(self.rule) == f64::INFINITY {
            let text = format!(
                "{} cannot rank the numbers of clusters: held-out rows have probability 0 under every model, or were not scored",
                self.rule.name()
            );
            run.should_stop(&Event::Note { text: &text });
        }
        let figures = candidates.iter().map(|c| c.figures.clone()).collect();
        let numbers = NumbersTried { rule: self.rule, figures };
        candidates[chosen].clustering.model.keep_numbers(numbers);
        Ok(Choice { candidates, chosen, rule: self.rule })
    }

    fn candidate(&self, clusters: usize, view: View<'_>, run: &Run<'_>) -> Result<Candidate> {
        // One cluster is the same from every start, but for what may be thought of missing cells.
        let (table, own) = (view.table(), &self.clusterer);
        let holes = (0..table.columns()).any(|c| table.cells(c).missing() > 0);
        let same = own.method.has_one_single_cluster() || !holes;
        let starts = if clusters == 1 && same { 1 } else { own.starts };
        let clusterer = Clusterer { clusters, starts, ..self.clusterer.clone() };
        let clustering = clusterer.find(view, run)?;
        let mut figures = Figures::of(&clustering.model)
            .ok_or_else(|| Error::model("clusters", "nothing was learnt", "learn them again"))?;
        let stopped = run.should_stop(&Event::Step { steps: 0 });
        if self.folds >= 2 && !stopped {
            figures.cross_validated = match self.left_out(&clusterer, view, run) {
                // What was learnt from all rows is kept.
                Err(Error::Interrupted) => None,
                Err(e) if self.rule != Rule::CrossValidated => {
                    let text = format!(
                        "with {clusters} clusters nothing is known of rows not learnt from, as one of {} parts could not be left out: {e}",
                        self.folds
                    );
                    run.should_stop(&Event::Note { text: &text });
                    None
                }
                sum => Some(sum?),
            };
        }
        Ok(Candidate { clustering, figures })
    }

    /// The log-likelihood of all cases, each under clusters learnt without its fold.
    fn left_out(&self, clusterer: &Clusterer, view: View<'_>, run: &Run<'_>) -> Result<f64> {
        let starts = clusterer.starts.min(MOST_STARTS_OF_A_PART);
        let clusterer = Clusterer { starts, ..clusterer.clone() };
        // What is to be said of the starts of a part is not of interest.
        let quiet = Quiet(run);
        let run = &run.clone().observed(&quiet);
        let cases = Cases::of(view, None);
        let folds = cases.len().min(self.folds as u64) as usize;
        let dealt = cases.folds(folds, &mut Random::new(run.seed, Purpose::Split, 0));
        let weighing = |part: &Part| part.weighing(view.table());
        let mut sum = 0.0;
        for fold in 0..folds {
            let Split { train, test } = dealt.split(fold);
            let model = clusterer.fit(View::of(&weighing(&train), train.rows()), run)?;
            // After a stop the model is of fewer starts than the others.
            run.check_whole()?;
            let rows = merged(View::of(&weighing(&test), test.rows()))?;
            let logs = model.log_likelihoods(&rows, run)?;
            let weighed = |(i, ln): (usize, f64)| rows.weights().map_or(1.0, |w| w[i]) * ln;
            // A row that cannot be, not just an improbable one.
            if logs.iter().any(|ln| *ln < LN_ZERO / 2.0) {
                return Ok(f64::NEG_INFINITY);
            }
            sum += logs.into_iter().enumerate().map(weighed).sum::<f64>();
        }
        Ok(sum)
    }
}
