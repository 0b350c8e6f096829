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
    /// Other solutions that are as good as the best one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<Alternatives>,
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

/// Solutions as good as the best one that put rows into other clusters: the model is not identified.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternatives {
    /// How many starts ended in one.
    pub starts: usize,
    /// How many equally good starts were compared with the best.
    pub compared: usize,
    /// The largest difference of a membership, clusters named as in the best solution.
    pub difference: f64,
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
        const SAME: f64 = 1e-6;
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
    /// Adds the figures of one more; of two of the same number those that are better by the rule stay, what converged before what
    /// did not.
    pub(crate) fn add(&mut self, figures: Figures) {
        match self.figures.binary_search_by_key(&figures.clusters, |f| f.clusters) {
            // What was tried before may know more, such as the held-out log-likelihood.
            Ok(place) if !figures.is_better(&self.figures[place], self.rule) => {}
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
                // Of the same clusters the held-out log-likelihood is still known.
                *known = if *known == same { same } else { figures.clone() };
            }
            Err(place) => self.figures.insert(place, figures.clone()),
        }
    }

    /// What the best number is the best of.
    pub fn compared(&self) -> Compared {
        match self.figures.iter().filter(|f| f.converged).count() {
            n if n == self.figures.len() => Compared::All,
            0 => Compared::NoneConverged,
            _ => Compared::Converged,
        }
    }
}

/// Which numbers of clusters the chosen one was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compared {
    /// All that were tried; the best start of each converged.
    All,
    /// Those whose best start converged.
    Converged,
    /// All that were tried; the best start of none converged.
    NoneConverged,
}

/// What recommends a number of clusters: the criterion with the lowest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// -2 ln L + p ln N.
    #[default]
    Bic,
    /// -2 ln L + 2 p.
    Aic,
    /// -2 ln L + 3 p.
    Aic3,
    /// -2 ln L + p (ln N + 1).
    Caic,
    /// -2 ln L + p ln((N + 2) / 24).
    Sabic,
    /// BIC and twice the entropy of the memberships: clusters must be told apart too.
    Icl,
    /// -2 times the log-likelihood of held-out rows.
    CrossValidated,
}

impl Rule {
    /// The names they are asked for by.
    pub const NAMES: [&str; 7] = ["bic", "aic", "aic3", "caic", "sabic", "icl", "cv"];

    /// All of them, in the order of their names.
    pub const ALL: [Rule; 7] = [
        Rule::Bic,
        Rule::Aic,
        Rule::Aic3,
        Rule::Caic,
        Rule::Sabic,
        Rule::Icl,
        Rule::CrossValidated,
    ];

    /// The rule of a name.
    pub fn named(name: &str) -> Result<Rule> {
        let found = Rule::NAMES.iter().position(|n| *n == name);
        found.map(|i| Rule::ALL[i]).ok_or_else(|| Error::unknown("rule", name, Rule::NAMES))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Rule::NAMES[self as usize]
    }

    /// What tables call it, and what it is.
    pub(crate) fn explained(self) -> (&'static str, &'static str) {
        match self {
            Rule::Bic => ("BIC", "-2 ln L + p ln N"),
            Rule::Aic => ("AIC", "-2 ln L + 2 p"),
            Rule::Aic3 => ("AIC3", "-2 ln L + 3 p"),
            Rule::Caic => ("CAIC", "-2 ln L + p (ln N + 1)"),
            Rule::Sabic => ("SABIC", "the sample-size adjusted BIC, -2 ln L + p ln((N + 2) / 24)"),
            Rule::Icl => ("ICL", "BIC + 2 E, so that clusters must be told apart too"),
            Rule::CrossValidated => {
                ("held-out deviance", "-2 ln L of rows that were left out of learning")
            }
        }
    }
}

/// The figures of a clustering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "KeptFigures")]
pub struct Figures {
    /// How many clusters.
    pub clusters: usize,
    /// ln L of the rows learnt from.
    pub log_likelihood: f64,
    /// p, the number of free parameters; of averages over structures their expected number.
    pub parameters: f64,
    /// N, the weight of all rows.
    pub rows: f64,
    /// How many different rows there may be: the product of the levels of all columns. Not known of older files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patterns: Option<f64>,
    /// The sum of the entropies of the rows' memberships, in nats.
    pub entropy: f64,
    /// The log-likelihood of all rows, each by clusters learnt without its fold; none where there were no folds,
    /// and less than any number where a row is impossible without its fold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_validated: Option<f64>,
    /// Whether the best start converged.
    pub converged: bool,
    /// How many of the starts reached the best.
    pub reached: usize,
    /// How many starts there were.
    pub starts: usize,
}

impl Figures {
    /// The criterion of a rule: the lower the better.
    pub fn by(&self, rule: Rule) -> f64 {
        let (deviance, p) = (-2.0 * self.log_likelihood, self.parameters);
        let ln_rows = self.rows.max(1.0).ln();
        match rule {
            Rule::Bic => deviance + p * ln_rows,
            Rule::Aic => deviance + 2.0 * p,
            Rule::Aic3 => deviance + 3.0 * p,
            Rule::Caic => deviance + p * (ln_rows + 1.0),
            Rule::Sabic => deviance + p * ((self.rows + 2.0) / 24.0).ln(),
            Rule::Icl => deviance + p * ln_rows + 2.0 * self.entropy,
            Rule::CrossValidated => self.cross_validated.map_or(f64::INFINITY, |ln| -2.0 * ln),
        }
    }

    /// Whether these are to be preferred: converged where the others are not, or else better by the rule.
    pub(crate) fn is_better(&self, than: &Figures, rule: Rule) -> bool {
        match self.converged == than.converged {
            true => self.by(rule) < than.by(rule),
            false => self.converged,
        }
    }

    /// How certain the memberships are, from 0 (none is) to 1: 1 - E / (N ln K). Of one cluster there is nothing to tell.
    pub fn relative_entropy(&self) -> Option<f64> {
        let most = self.rows * (self.clusters as f64).ln();
        (most > 0.0).then(|| 1.0 - self.entropy / most)
    }

    /// How many more different rows there may be than the model has parameters, less one; the model is not identified where this
    /// is negative.
    pub fn degrees_of_freedom(&self) -> Option<f64> {
        self.patterns.map(|patterns| patterns - 1.0 - self.parameters)
    }

    /// Residual degrees of freedom: the same, but of no more patterns than there are rows (poLCA's convention).
    pub fn residual_degrees_of_freedom(&self) -> Option<f64> {
        self.patterns.map(|patterns| self.rows.min(patterns - 1.0) - self.parameters)
    }
}

/// Figures as they are written in model files. Older ones hold ln L - p/2 ln N as `bic` and no number of rows.
#[derive(Deserialize)]
struct KeptFigures {
    clusters: usize,
    log_likelihood: f64,
    parameters: f64,
    rows: Option<f64>,
    bic: Option<f64>,
    patterns: Option<f64>,
    entropy: f64,
    #[serde(default, deserialize_with = "infinite::or_less")]
    cross_validated: Option<f64>,
    converged: bool,
    reached: usize,
    starts: usize,
}

impl From<KeptFigures> for Figures {
    fn from(kept: KeptFigures) -> Figures {
        let KeptFigures { clusters, log_likelihood, parameters, bic, patterns, entropy, .. } = kept;
        let old = |bic: f64| near_whole((2.0 * (log_likelihood - bic) / parameters).exp());
        // Without parameters the number of rows does not count.
        let rows = kept.rows.or(bic.filter(|_| parameters > 0.0).map(old)).unwrap_or(1.0);
        let KeptFigures { cross_validated, converged, reached, starts, .. } = kept;
        Figures {
            clusters,
            log_likelihood,
            parameters,
            rows,
            patterns,
            entropy,
            cross_validated,
            converged,
            reached,
            starts,
        }
    }
}

/// The whole number that this is within rounding, or else itself.
pub(crate) fn near_whole(x: f64) -> f64 {
    if (x - x.round()).abs() <= 1e-9 * x.abs() { x.round() } else { x }
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

    /// Of 100 rows and 3 parameters; of another log-likelihood, the other criteria are another too.
    fn figures(clusters: usize, log_likelihood: f64, cross_validated: Option<f64>) -> Figures {
        Figures {
            clusters,
            log_likelihood,
            parameters: 3.0,
            rows: 100.0,
            patterns: Some(16.0),
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
        for (clusters, ln) in [(3, -14.0), (1, -20.0), (3, -13.0), (2, -16.0), (1, -21.0)] {
            numbers.add(figures(clusters, ln, None));
        }
        let kept: Vec<(usize, f64)> =
            numbers.figures.iter().map(|f| (f.clusters, f.log_likelihood)).collect();
        assert_eq!(kept, [(1, -20.0), (2, -16.0), (3, -13.0)]);
        // Equal ones that know more stay too, and what did not converge replaces nothing that did.
        numbers.figures[1].cross_validated = Some(-30.0);
        numbers.add(figures(2, -16.0, None));
        numbers.add(Figures { converged: false, ..figures(2, -10.0, None) });
        assert_eq!(numbers.figures[1].cross_validated, Some(-30.0));
        // What was chosen stands there though something better was found, and knows what was known of it.
        numbers.choose(&figures(2, -16.0, None));
        assert_eq!(numbers.figures[1].cross_validated, Some(-30.0));
        for (clusters, ln) in [(2, -17.0), (4, -12.0)] {
            numbers.choose(&figures(clusters, ln, None));
            assert!(numbers.figures.contains(&figures(clusters, ln, None)));
        }
        assert_eq!(numbers.figures.len(), 4);
        assert_eq!(numbers.compared(), Compared::All);
        numbers.figures[3].converged = false;
        assert_eq!(numbers.compared(), Compared::Converged);
        numbers.figures.iter_mut().for_each(|f| f.converged = false);
        assert_eq!(numbers.compared(), Compared::NoneConverged);
    }

    #[test]
    fn figures_come_back_from_a_file() {
        for cross_validated in [None, Some(-31.5), Some(f64::NEG_INFINITY)] {
            let own = figures(2, -14.0, cross_validated);
            let text = serde_json::to_string(&own).unwrap();
            assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), own, "{text}");
        }
    }

    /// What poLCA prints of carcinoma with 3 classes, and the other criteria by hand from ln 118 = 4.7706846 and ln 5 = 1.6094379.
    #[test]
    fn criteria_are_those_of_the_field() {
        let f = Figures {
            clusters: 3,
            log_likelihood: -293.705,
            parameters: 23.0,
            rows: 118.0,
            patterns: Some(128.0),
            entropy: 5.0,
            ..figures(3, 0.0, Some(-300.0))
        };
        let wanted = [697.1357, 633.41, 656.41, 720.1357, 624.4271, 707.1357, 600.0];
        for (rule, wanted) in Rule::ALL.into_iter().zip(wanted) {
            assert!((f.by(rule) - wanted).abs() < 2e-4, "{rule:?}: {} {wanted}", f.by(rule));
            assert_eq!(Rule::named(rule.name()).unwrap(), rule);
        }
        assert_eq!(f.degrees_of_freedom(), Some(104.0));
        assert_eq!(f.residual_degrees_of_freedom(), Some(95.0));
        assert!((f.relative_entropy().unwrap() - (1.0 - 5.0 / (118.0 * 3f64.ln()))).abs() < 1e-12);
        assert_eq!(Figures { clusters: 1, ..f }.relative_entropy(), None);
    }

    /// Files of before hold ln L - p/2 ln N, the higher the better.
    #[test]
    fn older_figures_are_converted() {
        let bic = -293.705 - 23.0 / 2.0 * 118f64.ln();
        let text = format!(
            r#"{{"clusters": 3, "log_likelihood": -293.705, "parameters": 23.0, "bic": {bic}, "aic": -316.705,
                "icl": -350.0, "entropy": 5.0, "converged": true, "reached": 2, "starts": 4}}"#
        );
        let f: Figures = serde_json::from_str(&text).unwrap();
        assert_eq!((f.rows, f.patterns, f.cross_validated), (118.0, None, None));
        assert!((f.by(Rule::Bic) - 697.1357).abs() < 2e-4 && f.degrees_of_freedom().is_none());
    }
}
