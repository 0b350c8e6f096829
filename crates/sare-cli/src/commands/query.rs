//! `sare query`: what a network says of some variables once others are known.

use crate::args::{Common, NameList, Usage, names};
use crate::networks::{Knowing, Loaded, load_network};
use crate::output::{TextTable, cut, print, print_json};
use clap::Args;
use sare::error::Error;
use sare::infer::information::next_questions;
use sare::infer::join_tree::DEFAULT_LIMIT;
use sare::infer::sampling::estimate;
use sare::infer::{Estimates, Evidence, Explanation, Factor, JoinTree, Query, Sampler};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Ask a network what is probable once something is known
#[derive(Args)]
pub struct QueryCommand {
    /// The model, or a network as JSON (- for standard input)
    model: String,
    #[command(flatten)]
    knowing: Knowing,
    /// The variables asked for [default: all]
    #[arg(long, value_name = "NAMES")]
    target: Vec<NameList>,
    /// The joint distribution of the targets, not each alone
    #[arg(long, requires = "target", conflicts_with_all = ["mpe", "next", "sampling"])]
    joint: bool,
    /// The most probable configuration of all variables
    #[arg(long, conflicts_with_all = ["next", "sampling"])]
    mpe: bool,
    /// What to ask next: how much each other variable would tell about the target
    #[arg(long, requires = "target", conflicts_with = "sampling")]
    next: bool,
    /// Estimate by drawing rows: forward, lw (likelihood weighting) or gibbs
    #[arg(long, value_name = "NAME")]
    sampling: Option<String>,
    /// Rows to draw
    #[arg(short = 'n', long, default_value_t = 100_000, value_name = "N", requires = "sampling")]
    samples: usize,
    /// Rounds of each chain of gibbs that do not count
    #[arg(long, default_value_t = 1000, value_name = "N", requires = "sampling")]
    burn_in: usize,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// The most memory that tables may need, in GB
    #[arg(long, default_value_t = DEFAULT_LIMIT as f64 / 1e9, value_name = "GB")]
    memory: f64,
}

impl QueryCommand {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        if !(self.memory > 0.0 && self.memory.is_finite()) {
            return Err(Usage(format!("--memory {} must be above 0", self.memory)).into());
        }
        let loaded = load_network(&self.model, common)?;
        let evidence = self.knowing.evidence(&loaded)?;
        let targets = match self.target.is_empty() {
            true => (0..loaded.network.variables().len()).collect(),
            false => loaded.variables(&names(&self.target))?,
        };
        let limit = (self.memory * 1e9) as u128;
        let query = Query { network: &loaded.network, evidence: &evidence, limit };
        let asked = Asked { loaded: &loaded, query, targets };
        let answer = match &self.sampling {
            Some(name) => {
                let sampler = Sampler::named(name, self.burn_in)?;
                let watcher = common.watcher();
                let run = common.run(self.seed, &watcher)?;
                let estimates = estimate(&loaded.network, &evidence, sampler, self.samples, &run)?;
                drop(watcher);
                warn_of_zeros(sampler, &loaded, common);
                asked.sampled(name, &estimates)
            }
            None if self.mpe => asked.explained(&query.most_probable().map_err(by_sampling)?),
            None if self.next => asked.next(limit)?,
            None if self.joint => asked.joint()?,
            None => asked.marginals()?,
        };
        if common.json { print_json(&answer.json) } else { print(&answer.text) }
    }
}

/// Chains may be kept apart by zeros.
fn warn_of_zeros(sampler: Sampler, loaded: &Loaded, common: &Common) {
    let all = 0..loaded.network.variables().len();
    let zeros = all.clone().any(|v| loaded.network.table(v).contains(&0.0));
    if matches!(sampler, Sampler::Gibbs { .. }) && zeros {
        common.warn(
            "some tables hold zeros, which may keep a chain from reaching everything: compare with --sampling lw",
        );
    }
}

/// Says by which option an approximation is had.
fn by_sampling(e: Error) -> Error {
    match e {
        Error::TooLarge { what, bytes, limit, .. } => Error::TooLarge {
            what,
            bytes,
            limit,
            fix: "give more findings or fewer targets, allow more --memory, or ask for an estimate: --sampling lw"
                .into(),
        },
        other => other,
    }
}

struct Answer {
    text: String,
    json: Value,
}

struct Asked<'a> {
    loaded: &'a Loaded,
    query: Query<'a>,
    targets: Vec<usize>,
}

impl Asked<'_> {
    /// What is known, and how probable it was.
    fn heading(&self, log_evidence: Option<f64>) -> (String, Value) {
        let evidence: &Evidence = self.query.evidence;
        let count = evidence.findings().len();
        let given = evidence.text(&self.loaded.network);
        let mut json = json!({"given": given});
        if count == 0 {
            return (String::new(), json);
        }
        let mut text = format!("Given {given}\n");
        if let Some(log) = log_evidence {
            json["log_evidence"] = log.into();
            json["probability_of_evidence"] = log.exp().into();
            let _ = writeln!(text, "Probability of this: {} (ln {log:.6})", number(log.exp()));
        }
        // Worth a word only where findings can contradict each other, and where it is not too much work.
        if let (2.., Some(_), Ok(conflict)) = (count, log_evidence, self.query.conflict()) {
            json["conflict"] = conflict.into();
            let meaning = if conflict > 0.0 {
                "the findings go badly together"
            } else {
                "the findings go together"
            };
            let _ = writeln!(text, "Conflict: {conflict:.4} ({meaning})");
        }
        text.push('\n');
        (text, json)
    }

    fn marginals(&self) -> anyhow::Result<Answer> {
        let found = self.query.marginals(&self.targets).map_err(by_sampling)?;
        let (mut text, mut json) = self.heading(found.log_evidence);
        let mut rows = TextTable::new(["variable", "level", "probability"], 2);
        let mut all = Map::new();
        for (&v, marginal) in self.targets.iter().zip(&found.marginals) {
            self.add_rows(v, &mut rows, |s| vec![number(marginal[s])]);
            all.insert(self.loaded.name(v).into(), self.by_level(v, marginal));
        }
        text.push_str(&rows.text(0));
        json["marginals"] = all.into();
        Ok(Answer { text, json })
    }

    fn sampled(&self, name: &str, found: &Estimates) -> Answer {
        let (mut text, mut json) = self.heading(None);
        json["sampling"] = json!({"sampler": name, "samples": found.samples});
        let mut line = format!("Estimated from {} rows ({name})", found.samples);
        if let Some(effective) = found.effective {
            let _ = write!(line, ", as good as {effective:.0} independent ones");
            json["sampling"]["effective"] = effective.into();
        }
        if let (Some((log, error)), false) =
            (found.log_evidence, self.query.evidence.findings().is_empty())
        {
            let _ = write!(
                line,
                "; ln of the probability of this {log:.4} (standard error {error:.4})"
            );
            json["log_evidence"] = log.into();
            json["log_evidence_error"] = error.into();
        }
        let mut rows = TextTable::new(["variable", "level", "probability", "standard error"], 2);
        let (mut all, mut errors) = (Map::new(), Map::new());
        for &v in &self.targets {
            let (p, error) = (found.marginal(v), found.errors(v));
            self.add_rows(v, &mut rows, |s| {
                vec![format!("{:.6}", p[s]), format!("{:.6}", error[s])]
            });
            all.insert(self.loaded.name(v).into(), self.by_level(v, p));
            errors.insert(self.loaded.name(v).into(), self.by_level(v, error));
        }
        let _ = write!(text, "{line}\n\n{}", rows.text(0));
        json["marginals"] = all.into();
        json["standard_errors"] = errors.into();
        Answer { text, json }
    }

    fn joint(&self) -> anyhow::Result<Answer> {
        let (Factor { scope, values }, log) =
            self.query.joint(&self.targets).map_err(by_sampling)?;
        let (mut text, mut json) = self.heading(log);
        let names: Vec<&str> = scope.iter().map(|&v| self.loaded.name(v)).collect();
        let header = names.iter().map(|n| cut(n, 30)).chain(["probability".into()]);
        let mut rows = TextTable::new(header, scope.len());
        let mut entries = Vec::with_capacity(values.len());
        for (entry, p) in values.iter().enumerate() {
            let (mut rest, mut levels) = (entry, vec![""; scope.len()]);
            for (place, &v) in scope.iter().enumerate().rev() {
                let own = self.loaded.levels(v);
                levels[place] = &own[rest % own.len()];
                rest /= own.len();
            }
            rows.row(levels.iter().map(|l| cut(l, 30)).chain([number(*p)]));
            entries.push(json!({"levels": levels, "probability": p}));
        }
        text.push_str(&rows.text(0));
        json["joint"] = json!({"variables": names, "entries": entries});
        Ok(Answer { text, json })
    }

    fn explained(&self, best: &Explanation) -> Answer {
        let (mut text, mut json) = self.heading(Some(best.log_joint - best.log_posterior));
        let _ = writeln!(
            text,
            "Most probable configuration: probability {} given this (ln {:.6})\n",
            number(best.log_posterior.exp()),
            best.log_posterior
        );
        let mut rows = TextTable::new(["variable", "level", ""], 3);
        let mut all = Map::new();
        for (v, &state) in best.states.iter().enumerate() {
            let known = if self.query.evidence.of(v).is_some() { "(given)" } else { "" };
            let level = &self.loaded.levels(v)[state];
            rows.row([cut(self.loaded.name(v), 40), cut(level, 40), known.into()]);
            all.insert(self.loaded.name(v).into(), level.as_str().into());
        }
        text.push_str(&rows.text(0));
        json["explanation"] = json!({
            "levels": all, "log_joint": best.log_joint, "log_posterior": best.log_posterior,
        });
        Answer { text, json }
    }

    fn next(&self, limit: u128) -> anyhow::Result<Answer> {
        let [target] = self.targets[..] else {
            return Err(Usage("--next needs one --target".into()).into());
        };
        let tree = JoinTree::new(&self.loaded.network, limit).map_err(by_sampling)?;
        let found = next_questions(&tree, self.query.evidence, target)?;
        let here = self.query.marginals(&[target]).map_err(by_sampling)?;
        let entropy = -here.marginals[0].iter().map(|&p| sare::num::x_ln_x(p)).sum::<f64>();
        let (mut text, mut json) = self.heading(here.log_evidence);
        let name = self.loaded.name(target);
        let _ =
            writeln!(text, "What to ask next about {name} (its entropy is {entropy:.6} nats)\n");
        let mut rows = TextTable::new(["variable", "would tell, nats", "share of the entropy"], 1);
        let mut all = Vec::with_capacity(found.len());
        for (v, information) in found {
            let share = if entropy > 0.0 { information / entropy } else { 0.0 };
            let variable = self.loaded.name(v);
            rows.row([cut(variable, 40), format!("{information:.6}"), format!("{share:.4}")]);
            all.push(json!({"variable": variable, "information": information}));
        }
        text.push_str(&rows.text(0));
        json["target"] = name.into();
        json["entropy"] = entropy.into();
        json["next"] = all.into();
        Ok(Answer { text, json })
    }

    /// One row a level of a variable, its name in the first.
    fn add_rows(&self, v: usize, rows: &mut TextTable, figures: impl Fn(usize) -> Vec<String>) {
        for (s, level) in self.loaded.levels(v).iter().enumerate() {
            let name = if s == 0 { cut(self.loaded.name(v), 40) } else { String::new() };
            rows.row([name, cut(level, 40)].into_iter().chain(figures(s)));
        }
    }

    fn by_level(&self, v: usize, values: &[f64]) -> Value {
        let pairs = self.loaded.levels(v).iter().zip(values);
        pairs.map(|(l, x)| (l.clone(), Value::from(*x))).collect::<Map<_, _>>().into()
    }
}

/// A probability that can be read: very small ones by their power of ten.
fn number(p: f64) -> String {
    if p == 0.0 || p >= 1e-4 { format!("{p:.6}") } else { format!("{p:.4e}") }
}
