//! Learning a classifier: cut points, then structure, then parameters, all from the same rows.

use super::classifier::{Classifier, Training};
use super::structures::Structures;
use crate::average::Model;
use crate::data::discretise::{Discretiser, Method};
use crate::data::schema::Kind;
use crate::data::table::{WEIGHT_RANGE, is_weight};
use crate::data::{About, Conventions, Schema, Source, Stream, Table, View};
use crate::error::{Error, Result};
use crate::parameters::Parameters;
use crate::parameters::dirichlet::{FromCounts, Prior};
use crate::run::{Outcome, Run};
use crate::stats::{CountFamilies, Family, run_pass};
use crate::structure::constraints::Constraints;
use crate::structure::naive::NaiveBayes;

/// How much a row of each class counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ClassWeights {
    /// As much as any other.
    #[default]
    Equal,
    /// So much that every class has the same weight in total.
    Balanced,
    /// By the class's name; a class that is not named counts 1.
    Given(Vec<(String, f64)>),
}

/// A learner of classifiers: any structure with any parameters.
pub struct Learner {
    /// How the graph is learnt, or which graphs are averaged.
    pub structure: Structures,
    /// How its probabilities are learnt.
    pub parameters: Box<dyn Parameters>,
    /// How numbers are cut into bins.
    pub discretise: Method,
    /// How much a row of each class counts.
    pub class_weights: ClassWeights,
    /// What the structure must obey, and where a search for it begins.
    pub constraints: Constraints,
}

impl Default for Learner {
    fn default() -> Self {
        Learner {
            structure: NaiveBayes.into(),
            parameters: Box::new(FromCounts::default()),
            discretise: Method::Mdlp,
            class_weights: ClassWeights::Equal,
            constraints: Constraints::default(),
        }
    }
}

impl Learner {
    /// Learns from some rows of a table in memory. Rows of unknown class count nowhere.
    pub fn fit(&self, view: View<'_>, class: &str, run: &Run<'_>) -> Result<Classifier> {
        let columns = arrange(view.table().schema(), class, view.table().name())?;
        let table = view.table().select(&columns);
        check_table(&table)?;
        self.fit_arranged(view.over(&table), run).map(|(classifier, _)| classifier)
    }

    /// Refuses settings that no learning can come of.
    pub fn check(&self) -> Result<()> {
        self.parameters.check()?;
        self.discretise.check()?;
        let starts = match &self.structure {
            Structures::One(structure) => {
                structure.check()?;
                structure.takes_start()
            }
            Structures::Average(average) => {
                average.check(self.parameters.prior())?;
                if self.constraints.bind() {
                    let problem = format!("'{}' is over all its structures", average.form());
                    let fix = "take the constraints away, or choose a model of one structure";
                    return Err(Error::model("constraints", problem, fix));
                }
                false
            }
        };
        if self.constraints.start.is_some() && !starts {
            let problem = format!("'{}' cannot begin with a structure", self.structure.form());
            let fix = "leave --model out to use the structure as it is, or choose a search";
            return Err(Error::model("structure", problem, fix));
        }
        Ok(())
    }

    /// Learns from a file read in pieces.
    pub fn fit_stream(&self, stream: &Stream, class: &str, run: &Run<'_>) -> Result<Classifier> {
        self.check()?;
        let columns = arrange(stream.schema(), class, stream.name())?;
        let mut stream = stream.select(&columns);
        check_class(stream.schema(), stream.name())
            .map_err(|e| with_left_out(e, stream.conventions()))?;
        let labelled = stream.rows() - stream.missing(columns.len() - 1);
        check_rows(labelled, stream.name())?;
        if let Some(c) = (0..columns.len()).find(|&c| stream.missing(c) == stream.rows()) {
            return Err(nothing_seen(stream.name(), &stream.schema().fields[c].name));
        }
        if self.class_weights != ClassWeights::Equal {
            let counts = class_counts(&Source::Stream(&stream), run)?;
            stream =
                stream.weighing_classes(self.weights(stream.schema(), stream.name(), &counts)?);
        }
        let bins = {
            let sample = stream.sample(run)?;
            run.install(|| {
                Discretiser::learn(View::all(&sample), Some(columns.len() - 1), self.discretise)
            })?
        };
        let raw = stream.schema().clone();
        let coded = stream.discretised(&bins);
        let cut_rows = stream.sample_rows().min(labelled);
        let training =
            Training { cut_rows, ..Training::new(stream.name(), labelled, stream.conventions()) };
        self.finish(&raw, bins, &Source::Stream(&coded), training, run)
    }

    /// Learns from some rows of a table whose last column is the class. Returns the table as the classifier
    /// codes it too, so that its other rows can be predicted without coding them again.
    pub fn fit_arranged(&self, view: View<'_>, run: &Run<'_>) -> Result<(Classifier, Table)> {
        self.check()?;
        let table = view.table();
        check_class(table.schema(), table.name())?;
        let class = table.columns() - 1;
        let labelled = view.row_numbers().filter(|&r| table.cells(class).code(r).is_some()).count();
        check_rows(labelled, table.name())?;
        let weighed = match self.class_weights {
            ClassWeights::Equal => table.clone(),
            _ => {
                let counts = class_counts(&Source::Memory(view), run)?;
                table.weighing_classes(class, &self.weights(table.schema(), table.name(), &counts)?)
            }
        };
        let bins =
            run.install(|| Discretiser::learn(view.over(&weighed), Some(class), self.discretise))?;
        let coded = run.install(|| bins.apply(&weighed));
        let training = Training::new(table.name(), labelled, table.conventions());
        let source = Source::Memory(view.over(&coded));
        let classifier = self.finish(table.schema(), bins, &source, training, run)?;
        Ok((classifier, coded))
    }

    fn finish(
        &self,
        raw: &Schema,
        bins: Discretiser,
        source: &Source<'_>,
        training: Training,
        run: &Run<'_>,
    ) -> Result<Classifier> {
        if source.has_weights() {
            check_weight(class_counts(source, run)?.iter().sum(), source.name())?;
        }
        let (model, outcome) = match &self.structure {
            Structures::One(structure) => {
                let rules = self.constraints.over(source.schema(), source.name())?;
                let (dag, search) = structure.find(source, &rules, run)?;
                rules.check(&dag, &structure.form(), source.schema())?;
                let (network, outcome) = self.parameters.learn(&dag, source, run)?;
                (Model::Network(network), Outcome { search, ..outcome })
            }
            Structures::Average(average) => {
                average.learn(self.parameters.prior().unwrap_or(Prior::None), source, run)?
            }
        };
        let forms = [self.structure.form(), self.parameters.form()];
        Ok(Classifier::new(raw.clone(), bins, model, forms, training, run.seed, outcome))
    }

    /// The weight of each class.
    fn weights(&self, schema: &Schema, file: &str, counts: &[f64]) -> Result<Vec<f64>> {
        let class = &schema.fields[schema.len() - 1];
        match &self.class_weights {
            ClassWeights::Equal => Ok(vec![1.0; counts.len()]),
            ClassWeights::Balanced => {
                let present = counts.iter().filter(|&&n| n > 0.0).count() as f64;
                let share = counts.iter().sum::<f64>() / present.max(1.0);
                Ok(counts.iter().map(|&n| if n > 0.0 { share / n } else { 1.0 }).collect())
            }
            ClassWeights::Given(given) => {
                let mut weights = vec![1.0; counts.len()];
                for (name, weight) in given {
                    let level = class.levels().iter().position(|l| l == name).ok_or_else(|| {
                        Error::unknown("class", name, class.levels().iter().map(String::as_str))
                    })?;
                    if !is_weight(*weight) {
                        let problem =
                            format!("the weight {weight} of class '{name}' is not possible");
                        return Err(Error::column(file, &class.name, problem, WEIGHT_RANGE));
                    }
                    weights[level] = *weight;
                }
                Ok(weights)
            }
        }
    }
}

/// The columns to learn from, the class last: every column that was not left out when the table was read.
pub fn arrange(schema: &Schema, class: &str, file: &str) -> Result<Vec<usize>> {
    let class = schema.require(class, file)?;
    let mut columns: Vec<usize> = schema.usable().filter(|c| *c != class).collect();
    columns.push(class);
    Ok(columns)
}

/// The weight of the rows of each class.
fn class_counts(source: &Source<'_>, run: &Run<'_>) -> Result<Vec<f64>> {
    let class = source.schema().len() - 1;
    let family = vec![Family { child: class, parents: Vec::new() }];
    let counts = run_pass(source, &CountFamilies::new(source, family, None)?, run)?;
    Ok((0..counts[0].states()).map(|c| counts[0].at(0, c, 0)).collect())
}

fn check_class(schema: &Schema, file: &str) -> Result<()> {
    let class = &schema.fields[schema.len() - 1];
    let bad = |problem: String, fix: String| Err(Error::column(file, &class.name, problem, fix));
    match &class.kind {
        Kind::Continuous => bad(
            "the class holds numbers, and sare classifies".into(),
            format!(
                "if they are codes of classes, say --discrete {}; to cut them into ranges, say --bins 5",
                class.name
            ),
        ),
        Kind::Text => {
            bad("the class has too many different values".into(), "choose another".into())
        }
        Kind::Discrete { levels } if levels.is_empty() => {
            bad("every cell of the class is missing".into(), "choose another class".into())
        }
        Kind::Discrete { levels } if levels.len() == 1 => bad(
            format!("the class has one level, '{}'", levels[0]),
            "there is nothing to tell apart; choose another class".into(),
        ),
        _ => check_attributes(schema, file),
    }
}

fn check_weight(total: f64, file: &str) -> Result<()> {
    if total > 0.0 && total < LARGEST_WEIGHT {
        return Ok(());
    }
    let (problem, fix) = if total > 0.0 {
        ("the rows weigh too much in total", "give smaller weights")
    } else {
        ("the rows weigh nothing in total", "give at least one row of known class a weight above 0")
    };
    Err(Error::data(file, problem, fix))
}

/// A total weight above this would lose the rows in rounding.
const LARGEST_WEIGHT: f64 = 1e100;

fn check_rows(labelled: usize, file: &str) -> Result<()> {
    if labelled == 0 {
        let fix = "give rows with a known class";
        return Err(Error::data(file, "there is no row to learn from", fix));
    }
    Ok(())
}

/// Refuses a table without attributes and columns that cannot have been seen in any row.
fn check_attributes(schema: &Schema, file: &str) -> Result<()> {
    if schema.len() < 2 {
        let fix = "give at least one column beside the class";
        return Err(Error::data(file, "there is no attribute to learn from", fix));
    }
    match schema.fields.iter().find(|f| f.is_discrete() && f.states() == 0) {
        Some(field) => Err(nothing_seen(file, &field.name)),
        None => Ok(()),
    }
}

/// Refuses a table, the class last, that no classifier can be learnt from.
pub(crate) fn check_table(table: &Table) -> Result<()> {
    // The class first: to leave it out is no advice.
    check_class(table.schema(), table.name()).map_err(|e| with_left_out(e, table.conventions()))?;
    check_seen(table)
}

/// An error that says what was left out of the table, since that may be the reason.
fn with_left_out(error: Error, conventions: &Conventions) -> Error {
    let left = conventions.notes.iter().filter(|n| matches!(n.about, About::LeftOut(_)));
    let left: Vec<&str> = left.map(|n| n.text.as_str()).collect();
    match error {
        Error::Data { file, problem, fix } if !left.is_empty() => {
            Error::Data { file, problem, fix: format!("{fix} ({})", left.join("; ")) }
        }
        other => other,
    }
}

/// Refuses columns in which nothing was seen.
fn check_seen(table: &Table) -> Result<()> {
    match (0..table.columns()).find(|&c| table.rows() > 0 && table.cells(c).all_missing()) {
        Some(column) => Err(nothing_seen(table.name(), &table.field(column).name)),
        None => Ok(()),
    }
}

fn nothing_seen(file: &str, column: &str) -> Error {
    let fix = format!("leave it out with --ignore {column}");
    Error::column(file, column, "every cell is missing", fix)
}
