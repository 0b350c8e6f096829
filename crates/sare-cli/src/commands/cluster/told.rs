//! What is told of clusters.

use crate::args::Common;
use crate::output::{TextTable, cut, grouped, percent};
use sare::classify::Classifier;
use sare::cluster::{Agreement, Marginals, NumbersTried, warnings};
use sare::run::{ClusterOutcome, Outcome};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Attributes that are listed, and of each cluster.
const MOST_LISTED: usize = 20;
const MOST_OF_A_CLUSTER: usize = 6;

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
        let Some(found) = &outcome.clusters else { anyhow::bail!("no clusters were learnt") };
        let marginals = Marginals::of(model)?;
        let unlabelled = agreed.map_or(0, |a| a.1);
        let agreed = agreed.map(|a| &a.0);
        Ok(Told { model, outcome, found, agreed, unlabelled, seconds, marginals })
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
            "{} by {} from {} rows of {}, in {:.2} s\n{best}, reached by {} of {} starts\n\n",
            self.model.forms()[0],
            self.model.forms()[1],
            grouped(self.model.training().rows),
            self.model.training().file,
            self.seconds,
            self.found.reached,
            self.found.starts.len()
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
        text
    }

    /// The figures of the numbers that were tried.
    fn numbers(&self) -> String {
        let Some(NumbersTried { rule, figures }) = &self.found.numbers else {
            return String::new();
        };
        let header = [
            "clusters",
            "log-likelihood",
            "parameters",
            "bic",
            "aic",
            "icl",
            "not learnt from",
            "entropy",
            "reached",
        ];
        let mut rows = TextTable::new(header, 0).last_left();
        let chosen = self.found.sizes.len();
        for f in figures {
            let mark = match (f.clusters == chosen, f.converged) {
                (true, true) => format!("  <- best by {}", rule.name()),
                (true, false) => format!("  <- best by {}, not converged", rule.name()),
                (false, false) => "  not converged".into(),
                (false, true) => String::new(),
            };
            let number = |x: f64| format!("{x:.2}");
            rows.row([
                f.clusters.to_string(),
                number(f.log_likelihood),
                number(f.parameters),
                number(f.bic),
                number(f.aic),
                number(f.icl),
                f.cross_validated.map_or(String::new(), number),
                number(f.entropy),
                format!("{} of {}{mark}", f.reached, f.starts),
            ]);
        }
        format!("{}\nThe higher the better, but for the entropy.\n\n", rows.text(0))
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
                format!("{:.4}", self.found.independence[v]),
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
                "relevance": self.outcome.relevance.as_ref().map(|p| p[v]),
            })
        };
        let tried = self.found.numbers.as_ref();
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
            "tried": tried.map_or(&[][..], |t| &t.figures),
            "rule": tried.map(|t| t.rule.name()),
            "agreement": self.agreed,
            "without_known_group": self.unlabelled,
            "columns": order.iter().map(column).collect::<Vec<_>>(),
            "profiles": (0..self.found.sizes.len()).map(profile).collect::<Vec<_>>(),
        })
    }
}

/// Says what may be wrong with what was found.
pub fn warn(told: &Told<'_>, common: &Common) {
    warnings(told.found).iter().for_each(|text| common.warn(text));
    for (a, b) in told.marginals.alike() {
        let names = format!("{} and {}", a + 1, b + 1);
        common.warn(&format!("clusters {names} are nearly the same: there may be fewer clusters"));
    }
}
