//! `sare predict`: the class of every row, with probabilities. The file is read and written in pieces, so any size is
//! fine.

use crate::args::{Common, TextReading};
use crate::output::{keep_apart, percent};
use clap::{Args, ValueEnum};
use sare::classify::{ClassValues, Classifier, CostMatrix, Explainer, Explanation};
use sare::data::read::SchemaReader;
use sare::data::write::{write_file, write_row};
use sare::data::{Table, View};
use sare::error::Error;
use sare::run::Run;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Predict the class of every row of a file
#[derive(Args)]
pub struct Predict {
    /// The model file
    model: String,
    /// The file to predict (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// Where the predictions go (- for standard output)
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: String,
    /// Write the predictions alone, without the columns of the file
    #[arg(long)]
    only_predictions: bool,
    /// Decide by least expected cost, with the costs of this CSV file (header: decisions; rows: true classes)
    #[arg(long, value_name = "FILE")]
    cost: Option<String>,
    /// Say why: how much each attribute adds to the log-odds of the predicted class against the most probable other
    #[arg(long)]
    explain: bool,
    /// What to do with a level that was not there in training, and with a text among numbers
    #[arg(long, value_enum, default_value_t = UnseenRule::Missing)]
    unseen: UnseenRule,
    #[command(flatten)]
    text: TextReading,
    /// Whether rows come as text even where everything else is JSON.
    #[arg(skip)]
    always_text: bool,
    /// The rows' probabilities where they are known already.
    #[arg(skip)]
    known: Option<Vec<f64>>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnseenRule {
    /// The cell is missing, and counted
    Missing,
    /// An error
    Error,
}

impl Predict {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        if self.model == "-" && self.data == "-" {
            let text = "only one of the model and the data can come from standard input";
            return Err(crate::args::Usage(text.into()).into());
        }
        // The data file may be replaced: every row comes back, with its prediction.
        keep_apart(&[("--output", &self.output)], &[("model", &self.model)])?;
        let model = Classifier::load(&self.model)?;
        let watcher = common.watcher();
        let run = common.run(model.seed(), &watcher)?;
        self.with_model(&model, &run, common)
    }

    /// Every row of a file with its prediction, nothing else asked.
    pub fn of_rows(data: &str, output: &str, text: &TextReading) -> Predict {
        Predict {
            model: String::new(),
            data: data.into(),
            output: output.into(),
            only_predictions: false,
            cost: None,
            explain: false,
            unseen: UnseenRule::Missing,
            text: text.clone(),
            always_text: true,
            known: None,
        }
    }

    /// The same with the probabilities of all rows known already, rows by rows.
    pub fn knowing(self, known: Vec<f64>) -> Predict {
        Predict { known: Some(known), ..self }
    }

    /// Predicts by a model that is there already.
    pub fn with_model(
        &self,
        model: &Classifier,
        run: &Run<'_>,
        common: &Common,
    ) -> anyhow::Result<()> {
        let options = self.text.options_for(model);
        let class = vec![model.class().name.clone()];
        let strict = self.unseen == UnseenRule::Error;
        let mut reader = SchemaReader::open(&self.data, model.schema(), &options, &class, strict)?;
        let costs = match &self.cost {
            Some(path) => Some(CostMatrix::read(path, model.class().levels())?),
            None => None,
        };
        let explainer = self.explain.then(|| Explainer::new(model));
        let known = self.known.as_deref();
        let mut work = Work { model, run, costs, explainer, known, tested: 0, right: 0 };
        let mut failure = None;
        let written = write_file(&self.output, |out| {
            let format = if common.json && !self.always_text {
                Format::Json
            } else {
                let tab = self.output.ends_with(".tsv");
                Format::Text {
                    delimiter: if tab { b'\t' } else { b',' },
                    only: self.only_predictions,
                }
            };
            work.all(&mut reader, &format, out).map_err(|e| match e {
                Failure::Write(e) => e,
                Failure::Other(e) => {
                    // Stops the writing, so that nothing half-done takes the old file's place.
                    failure = Some(e);
                    io::Error::other("stopped")
                }
            })
        });
        let Work { tested, right, .. } = work;
        match failure {
            Some(e) => return Err(e.into()),
            None => written?,
        }
        unseen_words(&reader).iter().for_each(|words| common.warn(words));
        if tested > 0 && !common.quiet {
            let share = percent(right as f64 / tested as f64);
            eprintln!("sare: {share} of the {} rows of known class predicted right", tested);
        }
        Ok(())
    }
}

/// At most this many columns are named one by one.
const NAMED: usize = 5;

/// Which cells of which columns were treated as missing because the model does not know them.
pub fn unseen_words(reader: &SchemaReader) -> Vec<String> {
    let mut columns: BTreeMap<&str, Vec<(&str, u64)>> = BTreeMap::new();
    for ((column, level), count) in reader.unseen() {
        columns.entry(column).or_default().push((level, *count));
    }
    let more = columns.len().saturating_sub(NAMED);
    let words = |(column, mut levels): (&str, Vec<(&str, u64)>)| {
        levels.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let shown: Vec<String> =
            levels.iter().take(5).map(|(l, n)| format!("'{l}' ({n})")).collect();
        let numbers = reader.fields().iter().any(|f| f.name == column && !f.is_discrete());
        let (what, many) = match numbers {
            true => ("cells that are not numbers", "texts"),
            false => ("cells with levels not there in training", "levels"),
        };
        let more = levels.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more {many}") } else { String::new() };
        format!("column '{column}': {what} were treated as missing: {}{more}", shown.join(", "))
    };
    let mut lines: Vec<String> = columns.into_iter().take(NAMED).map(words).collect();
    if more > 0 {
        lines.push(format!("the same in {more} more columns"));
    }
    lines
}

enum Failure {
    Write(io::Error),
    Other(Error),
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Self {
        Failure::Write(e)
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Failure::Other(e)
    }
}

enum Format {
    Text { delimiter: u8, only: bool },
    Json,
}

struct Work<'a> {
    model: &'a Classifier,
    run: &'a Run<'a>,
    costs: Option<CostMatrix>,
    explainer: Option<Explainer<'a>>,
    known: Option<&'a [f64]>,
    tested: usize,
    right: usize,
}

impl Work<'_> {
    fn all(
        &mut self,
        reader: &mut SchemaReader,
        format: &Format,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        use sare::observe::Event;
        self.run.tell(&Event::Phase { name: "rows predicted", steps: None })?;
        if let Format::Text { delimiter, only } = format {
            let names = self.header(reader.names(), *only);
            write_row(out, names.iter().map(String::as_bytes), *delimiter)?;
        }
        let mut done = 0;
        while let Some(table) = reader.next_chunk()? {
            let coded = self.model.bins().apply(&table);
            let posteriors = self.posteriors(&coded, done)?;
            self.count(&coded, &posteriors);
            let decided: Vec<usize> =
                (0..table.rows()).map(|row| self.decide(&posteriors, row).0).collect();
            let reasons = match &self.explainer {
                Some(explainer) => explainer.explain(View::all(&coded), &decided, self.run)?,
                None => Vec::new(),
            };
            for row in 0..table.rows() {
                let reason = reasons.get(row);
                match format {
                    Format::Json => self.json_row(&posteriors, row, reason, out)?,
                    Format::Text { delimiter, only } => {
                        self.text_row(reader, &posteriors, row, reason, *only, *delimiter, out)?;
                    }
                }
            }
            done += table.rows();
            self.run.tell(&Event::Step { steps: table.rows() as u64 })?;
        }
        Ok(())
    }

    /// The probabilities of the rows that come after so many.
    fn posteriors(&self, coded: &Table, done: usize) -> Result<ClassValues, Error> {
        let classes = self.model.class().states();
        let place = done * classes..(done + coded.rows()) * classes;
        match self.known.and_then(|known| known.get(place)) {
            Some(known) => Ok(ClassValues::new(classes, known.to_vec())),
            None => {
                let told = self.model.posteriors(View::all(coded), self.run);
                told.map_err(|e| e.after_rows(done))
            }
        }
    }

    fn count(&mut self, coded: &Table, posteriors: &ClassValues) {
        let class = coded.cells(coded.columns() - 1);
        for row in 0..coded.rows() {
            if let Some(truth) = class.code(row) {
                self.tested += 1;
                self.right += usize::from(self.decide(posteriors, row).0 == truth);
            }
        }
    }

    /// The class decided for, and the expected cost of that where there are costs.
    fn decide(&self, posteriors: &ClassValues, row: usize) -> (usize, Option<f64>) {
        match &self.costs {
            Some(costs) => {
                let (decision, cost) = costs.decide(posteriors.row(row));
                (decision, Some(cost))
            }
            None => (posteriors.winner(row), None),
        }
    }

    /// The names of the output's columns: new names that the file already uses get an underscore.
    fn header(&self, input: &[String], only: bool) -> Vec<String> {
        let mut names: Vec<String> = if only { Vec::new() } else { input.to_vec() };
        let class = self.model.class();
        let new = std::iter::once(format!("predicted_{}", class.name))
            .chain(class.levels().iter().map(|l| format!("p_{l}")))
            .chain(self.costs.as_ref().map(|_| "expected_cost".to_string()))
            .chain(self.explainer.iter().flat_map(|_| self.why_names()));
        for mut name in new {
            while names.contains(&name) {
                name.push('_');
            }
            names.push(name);
        }
        names
    }

    /// The names of the columns that say why.
    fn why_names(&self) -> Vec<String> {
        let attributes = self.model.attributes().iter().map(|a| format!("why_{}", a.name));
        let first = ["against", "log_odds", "why_prior"].map(String::from);
        first.into_iter().chain(attributes).chain([String::from("why_rest")]).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "everything a line is made of")]
    fn text_row(
        &self,
        reader: &SchemaReader,
        posteriors: &ClassValues,
        row: usize,
        reason: Option<&Explanation>,
        only: bool,
        delimiter: u8,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let raw = reader.raw();
        let kept = if only { 0 } else { raw.width };
        let (decision, cost) = self.decide(posteriors, row);
        let winner = self.model.class().levels()[decision].as_bytes();
        let numbers: Vec<String> =
            posteriors.row(row).iter().chain(&cost).map(f64::to_string).collect();
        let levels = self.model.class().levels();
        let why: Vec<String> = reason.map_or(Vec::new(), |reason| {
            let first = [levels[reason.against].clone(), reason.log_odds.to_string()];
            let terms = [reason.prior].into_iter().chain(reason.attributes.iter().copied());
            let terms = terms.chain([reason.rest]).map(|x| x.to_string());
            first.into_iter().chain(terms).collect()
        });
        let fields = (0..kept)
            .map(|c| raw.field(row, c))
            .chain([winner])
            .chain(numbers.iter().chain(&why).map(String::as_bytes));
        write_row(out, fields, delimiter)
    }

    fn json_row(
        &self,
        posteriors: &ClassValues,
        row: usize,
        reason: Option<&Explanation>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let levels = self.model.class().levels();
        let probabilities: serde_json::Map<String, serde_json::Value> =
            levels.iter().zip(posteriors.row(row)).map(|(l, p)| (l.clone(), (*p).into())).collect();
        let (decision, cost) = self.decide(posteriors, row);
        let mut line = serde_json::json!({
            "predicted": levels[decision],
            "probabilities": probabilities,
        });
        if let Some(cost) = cost {
            line["expected_cost"] = cost.into();
        }
        if let Some(reason) = reason {
            let names = self.model.attributes().iter().map(|a| a.name.clone());
            let attributes: serde_json::Map<String, serde_json::Value> =
                names.zip(reason.attributes.iter().map(|&x| x.into())).collect();
            line["explanation"] = serde_json::json!({
                "against": levels[reason.against],
                "log_odds": reason.log_odds,
                "prior": reason.prior,
                "attributes": attributes,
                "rest": reason.rest,
            });
        }
        writeln!(out, "{line}")
    }
}
