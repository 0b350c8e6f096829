//! How clusters were found: every start, and every number of clusters that was tried.

use super::{Outcome, Stop};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How clusters were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterOutcome {
    /// The log-likelihood of the rows under the model.
    pub log_likelihood: f64,
    /// The expected weight of the rows of each cluster.
    pub sizes: Vec<f64>,
    /// How unsure the rows' clusters are: the sum of the entropies of their memberships, in nats.
    #[serde(default)]
    pub entropy: f64,
    /// What was raised or lowered, where that is not the likelihood: its name and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<(String, f64)>,
    /// How every start ended.
    pub starts: Vec<StartOutcome>,
    /// How many starts reached the best log-likelihood, within rounding and the tolerance.
    pub reached: usize,
    /// What became of the starts, where the best was not just kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// I_P of each attribute: the mean over clusters of the divergence of its distribution there from that in all, in
    /// bits. Infinite where a cluster excludes a state.
    #[serde(with = "infinite")]
    pub independence: Vec<f64>,
    /// The mutual information of each attribute and the cluster, in bits.
    pub information: Vec<f64>,
    /// The numbers of clusters that were tried, where it was not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersTried>,
}

/// How one start ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartOutcome {
    /// The log-likelihood it reached; none where it failed, or goes by something else.
    pub log_likelihood: Option<f64>,
    /// What starts were compared by, where that is not the log-likelihood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Why it ended; none where it failed.
    pub stop: Option<Stop>,
    /// How many iterations it took.
    pub iterations: usize,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl StartOutcome {
    /// Of a start that came to a model.
    pub(crate) fn of(outcome: &Outcome, log_likelihood: f64, score: f64) -> StartOutcome {
        StartOutcome {
            log_likelihood: Some(log_likelihood),
            score: (score != log_likelihood).then_some(score),
            stop: Some(outcome.stop),
            iterations: outcome.iterations,
            problem: None,
        }
    }

    /// What it is compared with other starts by: the higher the better.
    pub fn value(&self) -> Option<f64> {
        self.score.or(self.log_likelihood)
    }

    /// Whether a start that reached this value came to the same hill top as the best, absolutely or as a part.
    pub(crate) fn same_top(value: f64, best: f64) -> bool {
        const SAME: f64 = 1e-5;
        value >= best - SAME * best.abs().max(1.0)
    }
}

/// Several numbers of clusters, of which one was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumbersTried {
    /// What chose.
    pub rule: Rule,
    /// The figures of each number, by rising number.
    pub figures: Vec<Figures>,
}

impl NumbersTried {
    /// Adds the figures of one more; of two of the same number those that are better by the rule stay.
    pub(crate) fn add(&mut self, figures: Figures) {
        match self.figures.binary_search_by_key(&figures.clusters, |f| f.clusters) {
            // What was tried before may know more, such as how rows not learnt from fare.
            Ok(place) if self.figures[place].by(self.rule) >= figures.by(self.rule) => {}
            Ok(place) => self.figures[place] = figures,
            Err(place) => self.figures.insert(place, figures),
        }
    }

    /// Makes these the figures of their number, whatever was known of it: those of the clusters that were chosen.
    pub(crate) fn choose(&mut self, figures: &Figures) {
        match self.figures.binary_search_by_key(&figures.clusters, |f| f.clusters) {
            Ok(place) => {
                let known = &mut self.figures[place];
                let same = Figures { cross_validated: known.cross_validated, ..figures.clone() };
                // Of the same clusters how rows not learnt from fare is still known.
                *known = if *known == same { same } else { figures.clone() };
            }
            Err(place) => self.figures.insert(place, figures.clone()),
        }
    }
}

/// What recommends a number of clusters. All are the higher the better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The log-likelihood less half of ln N a parameter.
    #[default]
    Bic,
    /// The log-likelihood less one a parameter.
    Aic,
    /// BIC less the entropy of the memberships: clusters must be told apart too.
    Icl,
    /// The log-likelihood of rows that were not learnt from.
    CrossValidated,
}

impl Rule {
    /// The names they are asked for by.
    pub const NAMES: [&str; 4] = ["bic", "aic", "icl", "cv"];

    /// The rule of a name.
    pub fn named(name: &str) -> Result<Rule> {
        let all = [Rule::Bic, Rule::Aic, Rule::Icl, Rule::CrossValidated];
        let found = Rule::NAMES.iter().position(|n| *n == name);
        found.map(|i| all[i]).ok_or_else(|| Error::unknown("rule", name, Rule::NAMES))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Rule::NAMES[self as usize]
    }
}

/// The figures of a clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How many clusters.
    pub clusters: usize,
    /// Of the rows learnt from.
    pub log_likelihood: f64,
    /// How many numbers are free; of averages over structures as many as are expected to be.
    pub parameters: f64,
    /// The log-likelihood less half of ln N a parameter.
    pub bic: f64,
    /// The log-likelihood less one a parameter.
    pub aic: f64,
    /// BIC less the entropy.
    pub icl: f64,
    /// The sum of the entropies of the rows' memberships, in nats.
    pub entropy: f64,
    /// The log-likelihood of all rows, each by clusters learnt without its part; none where there were no parts,
    /// and less than any number where a row is impossible without its part.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "infinite::or_less"
    )]
    pub cross_validated: Option<f64>,
    /// Whether the best start came to an end.
    pub converged: bool,
    /// How many of the starts reached the best.
    pub reached: usize,
    /// How many starts there were.
    pub starts: usize,
}

impl Figures {
    /// What a rule goes by.
    pub fn by(&self, rule: Rule) -> f64 {
        match rule {
            Rule::Bic => self.bic,
            Rule::Aic => self.aic,
            Rule::Icl => self.icl,
            Rule::CrossValidated => self.cross_validated.unwrap_or(f64::NEG_INFINITY),
        }
    }
}

/// Numbers that may be infinite, which JSON has no word for: `null` stands for it.
mod infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(all: &[f64], to: S) -> Result<S::Ok, S::Error> {
        let finite = |x: &f64| Some(*x).filter(|x| x.is_finite());
        all.iter().map(finite).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<f64>, D::Error> {
        let all = Vec::<Option<f64>>::deserialize(from)?;
        Ok(all.into_iter().map(|x| x.unwrap_or(f64::INFINITY)).collect())
    }

    /// Of something that is left out where there is nothing to tell, so that `null` is a number too low to be written.
    pub(super) fn or_less<'a, D: Deserializer<'a>>(from: D) -> Result<Option<f64>, D::Error> {
        Ok(Some(Option::<f64>::deserialize(from)?.unwrap_or(f64::NEG_INFINITY)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_divergences_come_back_from_a_file() {
        let text = r#"{"log_likelihood": -1.0, "sizes": [1.0], "starts": [], "reached": 0,
            "independence": [0.5, null], "information": [0.1, 0.2]}"#;
        let found: ClusterOutcome = serde_json::from_str(text).unwrap();
        assert_eq!(found.independence, [0.5, f64::INFINITY]);
        let again = serde_json::to_string(&found).unwrap();
        assert!(again.contains("[0.5,null]"), "{again}");
        assert_eq!(serde_json::from_str::<ClusterOutcome>(&again).unwrap(), found);
    }

    fn figures(clusters: usize, bic: f64, cross_validated: Option<f64>) -> Figures {
        Figures {
            clusters,
            log_likelihood: -10.0,
            parameters: 3.0,
            bic,
            aic: -13.0,
            icl: -15.0,
            entropy: 0.5,
            cross_validated,
            converged: true,
            reached: 2,
            starts: 4,
        }
    }

    #[test]
    fn of_each_number_the_better_figures_stay() {
        let mut numbers = NumbersTried { rule: Rule::Bic, figures: Vec::new() };
        for (clusters, bic) in [(3, -14.0), (1, -20.0), (3, -13.0), (2, -16.0), (1, -21.0)] {
            numbers.add(figures(clusters, bic, None));
        }
        let kept: Vec<(usize, f64)> = numbers.figures.iter().map(|f| (f.clusters, f.bic)).collect();
        assert_eq!(kept, [(1, -20.0), (2, -16.0), (3, -13.0)]);
        // Equal ones that know more stay too.
        numbers.figures[1].cross_validated = Some(-30.0);
        numbers.add(figures(2, -16.0, None));
        assert_eq!(numbers.figures[1].cross_validated, Some(-30.0));
        // What was chosen stands there though something better was found, and knows what was known of it.
        numbers.choose(&figures(2, -16.0, None));
        assert_eq!(numbers.figures[1].cross_validated, Some(-30.0));
        for (clusters, bic) in [(2, -17.0), (4, -12.0)] {
            numbers.choose(&figures(clusters, bic, None));
            assert!(numbers.figures.contains(&figures(clusters, bic, None)));
        }
        assert_eq!(numbers.figures.len(), 4);
    }

    #[test]
    fn figures_come_back_from_a_file() {
        for cross_validated in [None, Some(-31.5), Some(f64::NEG_INFINITY)] {
            let own = figures(2, -14.0, cross_validated);
            let text = serde_json::to_string(&own).unwrap();
            assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), own, "{text}");
        }
    }
}
