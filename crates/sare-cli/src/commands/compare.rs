//! `sare compare`: which learner is better on which data, and how sure that is.

use crate::args::{Common, MeasureArgs, Reading, Usage, leaves_class};
use crate::output::{TextTable, cut, given, keep_apart, markdown, print, print_json};
use crate::scheme::SchemeArgs;
use clap::Args;
use sare::classify::Learner;
use sare::data::kinds::Kinds;
use sare::data::write::{write_file, write_row};
use sare::data::{Note, ReadOptions, read_table};
use sare::error::Error;
use sare::evaluate::report::{mark, marks, page, shown, shown_estimate};
use sare::evaluate::summary::{ALPHA, Summary};
use sare::evaluate::{Candidate, Comparison, DataSet, Journal, MEASURES, Measure, notes};
use sare::registry::{self, PARAMETERS, STRUCTURES};
use sare::run::Run;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

/// Compare learners on one or more files, by the same training and test rows
#[derive(Args)]
pub struct Compare {
    /// The files (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed)
    #[arg(required = true)]
    data: Vec<String>,
    /// The class column of every file
    #[arg(long, value_name = "COLUMN")]
    class: String,
    #[command(flatten)]
    candidates: Candidates,
    #[command(flatten)]
    judging: MeasureArgs,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// A CSV file (file, column, kind) that says which columns of which files are discrete or continuous
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    kinds: Option<String>,
    /// Write finished splits to this file, and take those it already has
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    resume: Option<String>,
    /// Print the table as Markdown
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    markdown: bool,
    /// Print every measure of every learner and file as CSV, or write it to --csv=FILE
    #[arg(long, value_name = "FILE", help_heading = "Output", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<String>,
    /// Write one page with tables and drawings
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

/// What is the same for every file.
struct Setting {
    reading: ReadOptions,
    kinds: Kinds,
    candidates: Vec<Candidate>,
    journal: Journal,
}

/// The learners: every model with every parameter learner.
#[derive(Args)]
#[command(next_help_heading = "Learning")]
pub struct Candidates {
    /// Structures, separated by commas (see `sare learners`)
    #[arg(long, default_value = "nb", value_name = "NAMES")]
    models: String,
    /// Parameter learners, separated by commas (see `sare learners`)
    #[arg(long, default_value = "laplace", value_name = "NAMES")]
    parameters: String,
    /// How numbers are cut into bins (see `sare learners`)
    #[arg(long, default_value = "mdlp", value_name = "NAME")]
    discretise: String,
}

impl Candidates {
    /// Every combination, each once.
    pub fn all(&self) -> anyhow::Result<Vec<Candidate>> {
        let mut all: Vec<Candidate> = Vec::new();
        for model in registry::forms(STRUCTURES, &self.models) {
            for parameters in registry::forms(PARAMETERS, &self.parameters) {
                let candidate = Candidate::new(Learner {
                    structure: registry::structure(&model)?,
                    parameters: registry::parameters(&parameters)?,
                    discretise: registry::discretiser(&self.discretise)?,
                    ..Learner::default()
                });
                if all.iter().any(|c| c.name == candidate.name) {
                    return Err(Usage(format!("'{}' is named twice", candidate.name)).into());
                }
                all.push(candidate);
            }
        }
        Ok(all)
    }
}

impl Compare {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let candidates = self.candidates.all()?;
        let scheme = self.scheme.scheme()?;
        let measure = self.judging.measure()?;
        if self.csv.as_deref() == Some("-") && (common.json || self.markdown) {
            return Err(Usage(
                "print one of --csv, --json and --markdown; --csv=FILE goes with both".into(),
            )
            .into());
        }
        let outputs = [("--resume", &self.resume), ("--csv", &self.csv), ("--html", &self.html)];
        let mut inputs =
            given(&[("file of kinds", &self.kinds), ("cost file", &self.judging.cost)]);
        inputs.extend(self.data.iter().map(|path| ("data file", path.as_str())));
        keep_apart(&given(&outputs), &inputs)?;
        let reading = leaves_class(&self.class, self.reading.options())?;
        let watcher = common.watcher();
        let run = common.run(self.judging.seed, &watcher)?;
        let journal = match &self.resume {
            Some(path) => Journal::open(path)?,
            None => Journal::default(),
        };
        let kinds = match &self.kinds {
            Some(path) => Kinds::read(path, &run)?,
            None => Kinds::default(),
        };
        let mut comparison = Comparison::new(scheme, &candidates);
        let setting = Setting { reading, kinds, candidates, journal };
        let (mut skipped, mut notes) = (Vec::new(), Vec::new());
        for path in &self.data {
            match self.one(path, &setting, &mut comparison, common, &run) {
                Ok(of_file) => notes.push(of_file),
                Err(Error::Interrupted) => return Err(self.interrupted()),
                // What can no longer be journalled would have to be run again.
                Err(e) if self.is_of_journal(&e) => return Err(e.into()),
                // The other files must not be lost for one.
                Err(e) => skipped.push(e.to_string()),
            }
        }
        drop(run);
        drop(watcher);
        for (name, notes) in comparison.data.iter().zip(&notes).filter(|_| !common.quiet) {
            notes.iter().for_each(|note| eprintln!("sare: note: {name}: {}", note.text));
        }
        for reason in &skipped {
            eprintln!("sare: left out: {reason}");
        }
        for (name, n) in comparison.data.iter().zip(&comparison.unlabelled).filter(|(_, n)| **n > 0)
        {
            common.warn(&format!("{name}: {n} rows have no class and were left out"));
        }
        if comparison.data.is_empty() {
            return Err(anyhow::anyhow!("no file could be used"));
        }
        let summary = Summary::of(&comparison, &measure);
        self.output(common, &comparison, &summary, &measure, (&skipped, &notes))?;
        if summary.cells.iter().flatten().all(|c| c.estimate.is_none()) {
            return Err(anyhow::anyhow!("every split failed"));
        }
        match skipped.len() {
            0 => Ok(()),
            n => Err(anyhow::anyhow!("{n} of {} files were left out", self.data.len())),
        }
    }

    fn one(
        &self,
        path: &str,
        setting: &Setting,
        comparison: &mut Comparison,
        common: &Common,
        run: &Run<'_>,
    ) -> Result<Vec<Note>, Error> {
        let options = setting.kinds.apply(path, &self.class, &setting.reading)?;
        let table = read_table(path, &options, run)?;
        super::fit::warn_of_weights(&table, common);
        let options = self.judging.options(&table, &self.class)?;
        let same = |p: &&String| set_name(p) == set_name(path);
        let alone = self.data.iter().filter(same).count() == 1;
        let name = if alone { set_name(path) } else { path.to_string() };
        let notes = notes(&table, &self.class, comparison.scheme)?;
        let set = DataSet { name, table, class: self.class.clone() };
        comparison.add(&set, &setting.candidates, &options, &setting.journal, run)?;
        Ok(notes)
    }

    fn is_of_journal(&self, e: &Error) -> bool {
        matches!(e, Error::Io { path, .. } if self.resume.as_ref() == Some(path))
    }

    fn interrupted(&self) -> anyhow::Error {
        match &self.resume {
            Some(path) => anyhow::anyhow!("interrupted; the same command goes on from {path}"),
            None => {
                anyhow::anyhow!("interrupted; with --resume FILE it could go on where it stopped")
            }
        }
    }

    fn output(
        &self,
        common: &Common,
        comparison: &Comparison,
        summary: &Summary,
        measure: &Measure,
        (skipped, notes): (&[String], &[Vec<Note>]),
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.html {
            let footer =
                format!("Made by sare {}, seed {}.", env!("CARGO_PKG_VERSION"), self.judging.seed);
            let left_out: String = skipped.iter().map(|r| format!(" Left out: {r}.")).collect();
            let html = page(comparison, summary, measure, &format!("{footer}{left_out}")).html();
            write_file(path, |out| out.write_all(html.as_bytes()))?;
        }
        if let Some(path) = &self.csv {
            let rows = csv_rows(comparison);
            write_file(path, |out| {
                rows.iter().try_for_each(|r| write_row(out, r.iter().map(String::as_bytes), b','))
            })?;
            if path == "-" {
                return Ok(());
            }
        }
        if common.json {
            return print_json(&as_json(comparison, summary, self.judging.seed, (skipped, notes)));
        }
        let (header, rows) = table(comparison, summary, measure);
        let text = if self.markdown {
            markdown(&header, &rows)
        } else {
            let mut text = TextTable::new(header, 1);
            rows.into_iter().for_each(|r| text.row(r));
            text.text(0)
        };
        print(&format!("{text}\n{}", remarks(comparison, summary, measure, self.judging.seed)))
    }
}

/// The file's name without folders and ending.
pub(super) fn set_name(path: &str) -> String {
    let name = Path::new(path).file_name().map_or(path.into(), |n| n.to_string_lossy());
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_string()
}

fn table(c: &Comparison, s: &Summary, m: &Measure) -> (Vec<String>, Vec<Vec<String>>) {
    let mut header = vec!["data".to_string()];
    header.extend(c.learners.iter().cloned());
    let mut rows = Vec::new();
    for (name, cells) in c.data.iter().zip(&s.cells) {
        let mut row = vec![cut(name, 30)];
        row.extend(cells.iter().map(|cell| match cell.estimate {
            Some(e) => {
                let failed = if cell.failed > 0 {
                    format!(" ({} failed)", cell.failed)
                } else {
                    String::new()
                };
                // A blank where there is no mark keeps the numbers in line.
                format!("{} {:1}{failed}", shown_estimate(m, &e), mark(cell))
            }
            None => "failed".into(),
        }));
        rows.push(row);
    }
    if c.learners.len() < 2 {
        return (header, rows);
    }
    if s.ranked > 0 {
        let mut row = vec!["average rank".to_string()];
        row.extend(s.average_ranks.iter().map(|r| format!("{r:.3}  ")));
        rows.push(row);
    }
    let mut row = vec!["wins/draws/losses".to_string(), "  ".into()];
    row.extend(s.against_first.iter().map(|a| format!("{}/{}/{}  ", a.wins, a.draws, a.losses)));
    rows.push(row);
    let mut row = vec!["significant +/-".to_string(), "  ".into()];
    row.extend(
        s.against_first.iter().map(|a| format!("{}/{}  ", a.significant.0, a.significant.1)),
    );
    rows.push(row);
    (header, rows)
}

fn remarks(c: &Comparison, s: &Summary, m: &Measure, seed: u64) -> String {
    let unit = if m.share { " in percent" } else { "" };
    let mut text = format!(
        "{} ({}){unit}: mean ± standard deviation; {} (seed {seed}).\n",
        m.name,
        m.help,
        c.scheme.words()
    );
    if c.learners.len() > 1 {
        let _ = writeln!(text, "{}.", marks(c, s));
    }
    for (learner, a) in c.learners[1..].iter().zip(&s.against_first).filter(|_| s.ranked > 1) {
        let _ = writeln!(
            text,
            "{learner} against {} over {} files: Wilcoxon p = {} ({}), after Holm {}.",
            c.learners[0],
            s.ranked,
            p_value(a.wilcoxon.p_value),
            a.wilcoxon.variant,
            p_value(a.holm)
        );
    }
    if let (Some(f), Some(i)) = (s.friedman, s.iman_davenport) {
        let _ = writeln!(
            text,
            "Friedman: chi-square = {}, p = {}; Iman-Davenport: F = {}, p = {}.",
            shown_plain(f.statistic),
            p_value(f.p_value),
            shown_plain(i.statistic),
            p_value(i.p_value)
        );
    }
    if let Some(cd) = s.critical_difference {
        let _ = writeln!(
            text,
            "Nemenyi's critical difference of average ranks: {cd:.3} (alpha = {ALPHA})."
        );
    }
    for note in c.impossible_notes().iter().filter(|_| m.name == "cll") {
        let _ = writeln!(text, "{note}.");
    }
    for (data, trials) in c.data.iter().zip(&c.trials) {
        for (learner, trial) in c.learners.iter().zip(trials) {
            for (split, reason) in trial.failures() {
                let _ =
                    writeln!(text, "failed: {learner} on {data}, split {}: {reason}", split + 1);
            }
        }
    }
    text
}

fn p_value(p: f64) -> String {
    if p < 1e-4 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

fn shown_plain(x: f64) -> String {
    shown(&MEASURES[2], x)
}

/// One line a file and learner, with every measure.
fn csv_rows(c: &Comparison) -> Vec<Vec<String>> {
    let mut header: Vec<String> = ["data", "learner", "splits", "failed"].map(String::from).into();
    for m in MEASURES {
        header.extend([m.name.to_string(), format!("{}_sd", m.name)]);
    }
    let mut rows = vec![header];
    for (d, data) in c.data.iter().enumerate() {
        for (l, learner) in c.learners.iter().enumerate() {
            let trial = &c.trials[d][l];
            let failed = trial.failures().count();
            let done = trial.outcomes.len() - failed;
            let mut row = vec![data.clone(), learner.clone(), done.to_string(), failed.to_string()];
            let finite =
                |x: Option<f64>| x.filter(|x| !x.is_nan()).map_or(String::new(), |x| x.to_string());
            for m in MEASURES {
                let e = c.estimate(d, l, m.value);
                row.push(finite(e.map(|e| e.mean)));
                row.push(finite(e.and_then(|e| e.deviation)));
            }
            rows.push(row);
        }
    }
    rows
}

fn as_json(
    c: &Comparison,
    s: &Summary,
    seed: u64,
    (skipped, notes): (&[String], &[Vec<Note>]),
) -> serde_json::Value {
    let mut results = Vec::new();
    for (d, data) in c.data.iter().enumerate() {
        for (l, learner) in c.learners.iter().enumerate() {
            let measures: serde_json::Map<String, serde_json::Value> = MEASURES
                .iter()
                .map(|m| (m.name.to_string(), json!(c.estimate(d, l, m.value))))
                .collect();
            results.push(json!({
                "data": data,
                "learner": learner,
                "measures": measures,
                "splits": c.trials[d][l].outcomes,
            }));
        }
    }
    json!({
        "scheme": c.scheme.words(),
        "seed": seed,
        "learners": c.learners,
        "data": c.data,
        "left_out": skipped,
        "notes": notes,
        "unlabelled_rows": c.unlabelled,
        "summary": s,
        "zero_probabilities": c.impossible_notes(),
        "results": results,
    })
}
