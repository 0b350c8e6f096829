//! What is told of clusters.

use crate::args::Common;
use crate::output::{TextTable, cut, grouped, percent};
use sare::classify::Classifier;
use sare::cluster::{
    Agreement, BoundaryEstimate, Compared, Figures, Marginals, NumbersTried, Rule, boundary,
    warnings,
};
use sare::run::{ClusterOutcome, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Attributes that are listed, and of each cluster.
const MOST_LISTED: usize = 20;
const MOST_OF_A_CLUSTER: usize = 6;

/// The criteria of the table of numbers of clusters.
const CRITERIA: [Rule; 6] = [Rule::Bic, Rule::Aic, Rule::Aic3, Rule::Caic, Rule::Sabic, Rule::Icl];

/// How that table is read.
const READING: &str = "bic to icl: lower is better. log-likelihood, held-out log-likelihood and relative entropy: higher is better.\n\
                       df: residual degrees of freedom, the smaller of rows and possible patterns less one, minus the parameters.";
const IMPOSSIBLE: &str =
    "\n-∞: a held-out row has probability 0, because a probability was estimated as 0 without it.";

/// A number with at most one decimal, as whole ones are.
fn decimal(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

/// A cut point without the rounding error of the mean of two numbers.
fn rounded(x: f64) -> String {
    format!("{x:.9e}").parse::<f64>().unwrap_or(x).to_string()
}

/// A measure that is infinite where an estimate is on the boundary.
fn measure(x: f64) -> String {
    if x.is_finite() { format!("{x:.4}") } else { "∞".into() }
}

/// All there is to tell.
pub struct Told<'a> {
    model: &'a Classifier,
    outcome: &'a Outcome,
    found: &'a ClusterOutcome,
    agreed: Option<&'a Agreement>,
    /// Rows that have no known group.
    unlabelled: usize,
    seconds: f64,
    marginals: Marginals,
    figures: Figures,
    boundary: Vec<BoundaryEstimate>,
}

/// A state of a column in a cluster: how probable there, and in all.
struct State<'a> {
    level: &'a str,
    here: f64,
    all: f64,
}

impl<'a> Told<'a> {
    pub fn new(
        model: &'a Classifier,
        agreed: Option<&'a (Agreement, usize)>,
        seconds: f64,
    ) -> anyhow::Result<Told<'a>> {
        let outcome = model.outcome();
        let (Some(found), Some(figures)) = (&outcome.clusters, Figures::of(model)) else {
            anyhow::bail!("no clusters were learnt")
        };
        let marginals = Marginals::of(model)?;
        let boundary = boundary(&marginals);
        let unlabelled = agreed.map_or(0, |a| a.1);
        let agreed = agreed.map(|a| &a.0);
        Ok(Told {
            model,
            outcome,
            found,
            agreed,
            unlabelled,
            seconds,
            marginals,
            figures,
            boundary,
        })
    }

    /// The attributes, those that matter most first: by the probability that they do where it is known, and what they tell
    /// about the cluster.
    fn by_relevance(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.found.information.len()).collect();
        let probable = |v: usize| self.outcome.relevance.as_ref().map_or(0.0, |p| p[v]);
        // What differs by less is the same, and what it tells decides.
        let rounded = |v: usize| (probable(v) * 1e4).round();
        order.sort_by(|&x, &y| {
            let told = self.found.information[y].total_cmp(&self.found.information[x]);
            rounded(y).total_cmp(&rounded(x)).then(told)
        });
        order
    }

    /// The states of a column in a cluster, the most over-represented first.
    fn profile(&self, column: usize, cluster: usize, levels: &'a [Vec<String>]) -> Vec<State<'a>> {
        let all = self.marginals.overall(column);
        let here = self.marginals.given(column, cluster);
        let states = levels[column].iter().zip(here.iter().zip(all));
        let mut states: Vec<State<'a>> =
            states.map(|(level, (&here, all))| State { level, here, all }).collect();
        states.sort_by(|x, y| (y.here - y.all).total_cmp(&(x.here - x.all)));
        states
    }

    /// The levels of every column, of numbers their bins.
    fn levels(&self) -> Vec<Vec<String>> {
        let coded = self.model.bins().schema(self.model.schema());
        coded.fields.iter().map(|f| f.levels().to_vec()).collect()
    }

    pub fn text(&self) -> String {
        let mut text = self.numbers();
        let best = match &self.found.objective {
            Some((name, value)) => format!("{name} {value:.3}"),
            None => format!("log-likelihood {:.3}", self.found.log_likelihood),
        };
        let _ = write!(
            text,
            "{} by {} from {} rows of {}, in {:.2} s\n{best}, reached by {} of {} starts\n{}\n",
            self.model.forms()[0],
            self.model.forms()[1],
            grouped(self.model.training().rows),
            self.model.training().file,
            self.seconds,
            self.found.reached,
            self.found.starts.len(),
            self.fit()
        );
        let total: f64 = self.found.sizes.iter().sum();
        let mut sizes = TextTable::new(["cluster", "rows expected", "share"], 0);
        for (c, size) in self.found.sizes.iter().enumerate() {
            sizes.row([(c + 1).to_string(), format!("{size:.1}"), percent(size / total)]);
        }
        text.push_str(&sizes.text(0));
        if let Some(a) = self.agreed {
            let left_out = match self.unlabelled {
                0 => String::new(),
                rows => format!(" ({} without one left out)", grouped(rows)),
            };
            let _ = writeln!(
                text,
                "\nwith the known groups{left_out}: {} right under the best matching, adjusted Rand {:.4}, normalised mutual \
                 information {:.4}, co-membership Hamming distance {}",
                percent(a.accuracy),
                a.adjusted_rand,
                a.normalised_information,
                a.hamming
            );
        }
        if self.found.sizes.len() > 1 {
            let _ = write!(text, "\n{}\n{}", self.relevance(), self.profiles());
        }
        text.push_str(&self.at_boundary());
        text.push_str(&self.bins());
        text
    }

    /// The criteria and degrees of freedom of the clusters; of rows that were parted by distance there are none.
    fn fit(&self) -> String {
        if self.found.objective.is_some() {
            return String::new();
        }
        let figures = &self.figures;
        let criteria = [Rule::Bic, Rule::Aic, Rule::Sabic, Rule::Icl]
            .map(|rule| format!("{} {:.3}", rule.name().to_uppercase(), figures.by(rule)));
        let degrees = figures
            .residual_degrees_of_freedom()
            .map_or(String::new(), |df| format!(", {} residual degrees of freedom", decimal(df)));
        let entropy = figures
            .relative_entropy()
            .map_or(String::new(), |x| format!(", relative entropy {x:.4}"));
        format!(
            "{} (lower is better)\n{} parameters{degrees}{entropy}\n",
            criteria.join(", "),
            decimal(figures.parameters)
        )
    }

    /// The probabilities that were estimated as 0 or 1.
    fn at_boundary(&self) -> String {
        let count = self.boundary.len();
        if count == 0 {
            return String::new();
        }
        let levels = self.levels();
        let named = |b: &BoundaryEstimate| {
            let column = cut(&self.model.schema().fields[b.attribute].name, 30);
            let level = cut(&levels[b.attribute][b.state], 24);
            format!("p({column} = {level} | cluster {}) = {}", b.cluster + 1, b.probability)
        };
        let named: Vec<String> = self.boundary.iter().take(MOST_LISTED).map(named).collect();
        let more = match count.saturating_sub(MOST_LISTED) {
            0 => String::new(),
            more => format!("\n  ({more} more: --json shows all)"),
        };
        format!(
            "\nEstimates on the boundary, 0 or 1: {count}. Measures that divide by them are infinite (∞).\n  {}{more}\n",
            named.join("\n  ")
        )
    }

    /// The columns of numbers that were cut into bins, with their cut points.
    fn bins(&self) -> String {
        let cut_columns = self.cut_columns();
        if cut_columns.is_empty() {
            return String::new();
        }
        let mut rows =
            TextTable::new(["numbers cut into bins", "bins", "cut points"], 1).last_left();
        for (name, cuts) in cut_columns.iter().take(MOST_LISTED) {
            let points: Vec<String> = cuts.iter().map(|&x| rounded(x)).collect();
            rows.row([cut(name, 30), (cuts.len() + 1).to_string(), cut(&points.join(", "), 60)]);
        }
        let more = match cut_columns.len().saturating_sub(MOST_LISTED) {
            0 => String::new(),
            more => format!("({more} more: --json shows all)\n"),
        };
        format!("\n{}{more}", rows.text(0))
    }

    /// The names of those columns, and where they are cut.
    fn cut_columns(&self) -> Vec<(&'a str, &'a [f64])> {
        let columns = self.model.schema().fields.iter().zip(&self.model.bins().cuts);
        columns.filter_map(|(f, cuts)| Some((f.name.as_str(), cuts.as_deref()?))).collect()
    }

    /// The figures of the numbers that were tried.
    fn numbers(&self) -> String {
        let Some(tried) = &self.found.numbers else { return String::new() };
        let NumbersTried { rule, figures } = tried;
        let mut header = vec!["clusters", "log-likelihood", "parameters", "df"];
        header.extend(CRITERIA.map(Rule::name));
        header.extend(["held-out", "rel. entropy", "reached"]);
        let mut rows = TextTable::new(header, 0).last_left();
        let chosen = self.found.sizes.len();
        let best = match tried.compared() {
            Compared::Converged => format!("  <- best by {} of those that converged", rule.name()),
            _ => format!("  <- best by {}", rule.name()),
        };
        for f in figures {
            let mark = match (f.clusters == chosen, f.converged) {
                (true, true) => best.clone(),
                (true, false) => format!("{best}, not converged"),
                (false, false) => "  not converged".into(),
                (false, true) => String::new(),
            };
            let number = |x: f64| match x == f64::NEG_INFINITY {
                true => "-∞".into(),
                false => format!("{x:.2}"),
            };
            let mut row = vec![f.clusters.to_string(), number(f.log_likelihood)];
            row.push(decimal(f.parameters));
            row.push(f.residual_degrees_of_freedom().map_or(String::new(), decimal));
            row.extend(CRITERIA.map(|rule| number(f.by(rule))));
            row.push(f.cross_validated.map_or(String::new(), number));
            row.push(f.relative_entropy().map_or(String::new(), |x| format!("{x:.4}")));
            row.push(format!("{} of {}{mark}", f.reached, f.starts));
            rows.row(row);
        }
        let impossible = figures.iter().any(|f| f.cross_validated == Some(f64::NEG_INFINITY));
        let note = if impossible { IMPOSSIBLE } else { "" };
        format!("{}\n{READING}{note}\n\n", rows.text(0))
    }

    /// What each column tells, the most relevant first.
    fn relevance(&self) -> String {
        let mut header = vec!["column", "bits about the cluster", "I_P"];
        let probable = self.outcome.relevance.as_ref();
        header.extend(probable.map(|_| "probability that it matters"));
        let mut rows = TextTable::new(header, 1);
        let order = self.by_relevance();
        for &v in order.iter().take(MOST_LISTED) {
            let mut row = vec![
                cut(&self.model.schema().fields[v].name, 30),
                format!("{:.4}", self.found.information[v]),
                measure(self.found.independence[v]),
            ];
            row.extend(probable.map(|p| format!("{:.4}", p[v])));
            rows.row(row);
        }
        let more = order.len().saturating_sub(MOST_LISTED);
        let more =
            if more > 0 { format!("({more} more: --json shows all)\n") } else { String::new() };
        format!("{}{more}", rows.text(0))
    }

    /// Of each cluster, for the most relevant columns, the levels that are most over- and under-represented.
    fn profiles(&self) -> String {
        let levels = self.levels();
        let order = self.by_relevance();
        let mut text = String::new();
        for cluster in 0..self.found.sizes.len() {
            let _ = writeln!(text, "cluster {}", cluster + 1);
            let header = ["column", "more of", "here", "in all", "less of", "here", "in all"];
            let mut rows = TextTable::new(header, 2);
            for &v in order.iter().take(MOST_OF_A_CLUSTER) {
                let states = self.profile(v, cluster, &levels);
                let mut row = vec![cut(&self.model.schema().fields[v].name, 30)];
                for s in [states.first(), states.last()].into_iter().flatten() {
                    row.extend([cut(s.level, 24), percent(s.here), percent(s.all)]);
                }
                rows.row(row);
            }
            text.push_str(&rows.text(2));
        }
        text
    }

    pub fn json(&self) -> Value {
        let names: Vec<&str> = self.model.attributes().iter().map(|a| a.name.as_str()).collect();
        let (levels, order) = (self.levels(), self.by_relevance());
        let profile = |cluster: usize| -> Vec<Value> {
            let column = |&v: &usize| {
                let state =
                    |s: State<'_>| json!({"level": s.level, "here": s.here, "in_all": s.all});
                let states = self.profile(v, cluster, &levels);
                let states: Vec<Value> = states.into_iter().map(state).collect();
                json!({"column": names[v], "states": states})
            };
            order.iter().map(column).collect()
        };
        let column = |&v: &usize| {
            json!({
                "name": names[v],
                "information": self.found.information[v],
                "independence": self.found.independence[v],
                "independence_is_infinite": self.found.independence[v].is_infinite(),
                "relevance": self.outcome.relevance.as_ref().map(|p| p[v]),
            })
        };
        let tried = self.found.numbers.as_ref();
        let boundary = |b: &BoundaryEstimate| {
            json!({
                "cluster": b.cluster + 1,
                "column": names[b.attribute],
                "level": levels[b.attribute][b.state],
                "probability": b.probability,
            })
        };
        let bins = |(name, cuts): (&str, &[f64])| json!({"column": name, "bins": cuts.len() + 1, "cut_points": cuts});
        json!({
            "clusters": self.found.sizes.len(),
            "method": self.model.forms()[1],
            "notes": self.model.training().conventions.notes,
            "rows": self.model.training().rows,
            "log_likelihood": self.found.log_likelihood,
            "objective": self.found.objective,
            "entropy": self.found.entropy,
            "sizes": self.found.sizes,
            "reached": self.found.reached,
            "starts": self.found.starts,
            "stop": self.outcome.stop,
            "history": self.outcome.trace,
            "seconds": self.seconds,
            "fit": fit(&self.figures),
            "alternatives": self.found.alternatives,
            "boundary": self.boundary.iter().map(boundary).collect::<Vec<_>>(),
            "bins": self.cut_columns().into_iter().map(bins).collect::<Vec<_>>(),
            "tried": tried.map_or(Vec::new(), |t| t.figures.iter().map(fit).collect()),
            "rule": tried.map(|t| t.rule.name()),
            "compared": tried.map(NumbersTried::compared),
            "agreement": self.agreed,
            "without_known_group": self.unlabelled,
            "columns": order.iter().map(column).collect::<Vec<_>>(),
            "profiles": (0..self.found.sizes.len()).map(profile).collect::<Vec<_>>(),
        })
    }
}

/// The figures of a number of clusters, with every criterion: the lower the better.
fn fit(figures: &Figures) -> Value {
    let mut all = json!({
        "clusters": figures.clusters,
        "log_likelihood": figures.log_likelihood,
        "parameters": figures.parameters,
        "rows": figures.rows,
        "patterns": figures.patterns,
        "degrees_of_freedom": figures.degrees_of_freedom(),
        "residual_degrees_of_freedom": figures.residual_degrees_of_freedom(),
        "held_out_log_likelihood": figures.cross_validated,
        "held_out_is_impossible": figures.cross_validated == Some(f64::NEG_INFINITY),
        "entropy": figures.entropy,
        "relative_entropy": figures.relative_entropy(),
        "converged": figures.converged,
        "reached": figures.reached,
        "starts": figures.starts,
    });
    CRITERIA.iter().for_each(|&rule| all[rule.name()] = figures.by(rule).into());
    all
}

/// Says what may be wrong with what was found.
pub fn warn(told: &Told<'_>, common: &Common) {
    warnings(told.model).iter().for_each(|text| common.warn(text));
    for (a, b) in told.marginals.alike() {
        let names = format!("{} and {}", a + 1, b + 1);
        common.warn(&format!("clusters {names} are nearly the same: there may be fewer clusters"));
    }
}
