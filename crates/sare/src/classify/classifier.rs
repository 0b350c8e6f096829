//! A fitted classifier.

use super::fitted::Fitted;
use super::model_file::ModelFile;
use super::whole::whole_network;
use crate::average::{Model, PairModel};
use crate::data::Conventions;
use crate::data::discretise::Discretiser;
use crate::data::encode::Unseen;
use crate::data::schema::Kind;
use crate::data::{Cells, Field, Schema, Table, View};
use crate::error::{Error, Result};
use crate::infer::density::Purpose;
use crate::network::Network;
use crate::num::{class_probabilities, log_sum_exp, winner};
use crate::run::{NumbersTried, Outcome, Run};
use serde::{Deserialize, Serialize};

/// What a classifier was learnt from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The file.
    pub file: String,
    /// The rows of known class.
    pub rows: usize,
    /// How many of them the cut points were learnt from: all, but for a stream with more numbers than fit in memory.
    pub cut_rows: usize,
    /// The column that says how much each row weighs, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// How the file writes its cells, and what was decided about its columns.
    #[serde(default, skip_serializing_if = "Conventions::is_default")]
    pub conventions: Conventions,
}

impl Training {
    /// All cut points from all rows of a file.
    pub(crate) fn new(file: &str, rows: usize, conventions: &Conventions) -> Training {
        let conventions = conventions.clone();
        Training { file: file.into(), rows, cut_rows: rows, weight: None, conventions }
    }
}

/// A Bayesian network that tells classes apart, with all that is needed to read new rows.
#[derive(Clone, Debug)]
pub struct Classifier {
    pub(super) schema: Schema,
    pub(super) bins: Discretiser,
    fitted: Fitted,
    pub(super) forms: [String; 2],
    pub(super) training: Training,
    pub(super) seed: u64,
    pub(super) outcome: Outcome,
    /// Texts that mean a missing cell, where the training file was read with some of its own.
    pub(super) missing: Option<Vec<String>>,
}

impl Classifier {
    /// Puts a classifier together. The last column of `schema` and the last variable of the model are the class.
    pub(crate) fn new(
        schema: Schema,
        bins: Discretiser,
        model: Model,
        forms: [String; 2],
        training: Training,
        seed: u64,
        outcome: Outcome,
    ) -> Classifier {
        let missing = None;
        let fitted = model.into();
        Classifier { schema, bins, fitted, forms, training, seed, outcome, missing }
    }

    /// The columns it was learnt from, before cutting, the class last.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The columns it needs to predict: all but the class.
    pub fn attributes(&self) -> &[Field] {
        &self.schema.fields[..self.schema.len() - 1]
    }

    /// The class column.
    pub fn class(&self) -> &Field {
        &self.schema.fields[self.schema.len() - 1]
    }

    /// The cut points of its continuous columns.
    pub fn bins(&self) -> &Discretiser {
        &self.bins
    }

    /// The network, if it is one; its last variable is the class.
    pub fn network(&self) -> Option<&Network> {
        match &self.fitted {
            Fitted::Network(network, _) => Some(network),
            Fitted::Pairs(_) => None,
        }
    }

    /// The model as one network: its own, or for an average over orders or trees the one in which every attribute depends on
    /// the class and on all before it. Fails where that would have too many entries, and for the mean over super-parents,
    /// which is no distribution over rows.
    pub fn as_network(&self, run: &Run<'_>) -> Result<Network> {
        match &self.fitted {
            Fitted::Network(network, _) => Ok(network.clone()),
            Fitted::Pairs(pairs) if pairs.log_evidence().is_none() => {
                let problem = format!("'{}' is no distribution over rows", self.forms[0]);
                let fix = "fit a single structure, such as tan or network";
                Err(Error::model("model", problem, fix))
            }
            Fitted::Pairs(_) => whole_network(&self.fitted, &self.bins.schema(&self.schema), run),
        }
    }

    /// The average made of pairs of attributes, if it is one.
    pub fn pairs(&self) -> Option<&PairModel> {
        match &self.fitted {
            Fitted::Network(..) => None,
            Fitted::Pairs(pairs) => Some(pairs),
        }
    }

    /// How many numbers its tables leave free.
    pub fn free_parameters(&self) -> usize {
        self.fitted.free_parameters()
    }

    /// The text forms of the structure and the parameter learner.
    pub fn forms(&self) -> &[String; 2] {
        &self.forms
    }

    /// What it was learnt from.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// The seed it was learnt with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How learning ended.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Texts that mean a missing cell in files to predict, where the training file was read with some of its own.
    pub fn missing(&self) -> Option<&[String]> {
        self.missing.as_deref()
    }

    /// The same classifier that remembers these texts as missing cells.
    pub fn with_missing(mut self, missing: Option<Vec<String>>) -> Classifier {
        self.missing = missing;
        self
    }

    /// Keeps the name of the column of weights.
    pub fn with_weight(mut self, column: Option<String>) -> Classifier {
        self.training.weight = column;
        self
    }

    /// Keeps the numbers of clusters that were tried, where the class is one.
    pub(crate) fn keep_numbers(&mut self, numbers: NumbersTried) {
        if let Some(clusters) = &mut self.outcome.clusters {
            clusters.numbers = Some(numbers);
        }
    }

    /// Reads a model file.
    pub fn load(path: &str) -> Result<Classifier> {
        ModelFile::load(path)
    }

    /// The model that the text of a model file holds; `name` is what messages call it.
    pub fn parse(name: &str, text: &str) -> Result<Classifier> {
        ModelFile::parse(name, text)
    }

    /// Writes a model file, whole or not at all.
    pub fn save(&self, path: &str) -> Result<()> {
        ModelFile::save(self, path)
    }

    /// Predicts every row of a table whose columns are matched by name and whose levels are matched by text. A level
    /// the classifier does not know is a missing cell, and counted.
    pub fn predict(&self, table: &Table, run: &Run<'_>) -> Result<Prediction> {
        let (conformed, unseen) = self.conform(table)?;
        let coded = run.install(|| self.bins.apply(&conformed));
        Ok(Prediction { posteriors: self.posteriors(View::all(&coded), run)?, unseen })
    }

    /// ln p(row) of every row of a table, the class summed out; columns and levels are matched as [`Classifier::predict`]
    /// does it.
    pub fn log_likelihoods(&self, table: &Table, run: &Run<'_>) -> Result<Vec<f64>> {
        let (conformed, _) = self.conform(table)?;
        let coded = run.install(|| self.bins.apply(&conformed));
        let joint = self.log_joint(View::all(&coded), run)?;
        Ok((0..joint.rows()).map(|r| log_sum_exp(joint.row(r))).collect())
    }

    /// The table with the classifier's columns, in its order and with its codes. A class column the table lacks is
    /// missing.
    fn conform(&self, table: &Table) -> Result<(Table, Unseen)> {
        let mut unseen = Unseen::new();
        let class = self.schema.len() - 1;
        let mut columns = Vec::with_capacity(self.schema.len());
        for (i, field) in self.schema.fields.iter().enumerate() {
            let cells = match table.schema().position(&field.name) {
                // The class is not looked at.
                _ if i == class => {
                    Cells::from_codes(std::iter::repeat_n(None, table.rows()), field.states())
                }
                None => return Err(table.schema().require(&field.name, table.name()).unwrap_err()),
                Some(column) => conform_column(table, column, field, &mut unseen)?,
            };
            columns.push((field.clone(), cells));
        }
        Ok((Table::trusted(table.name(), columns, table.rows()), unseen))
    }

    /// ln p(class, seen attributes) of rows coded as the classifier codes them.
    pub fn log_joint(&self, coded: View<'_>, run: &Run<'_>) -> Result<ClassValues> {
        self.per_class(coded, Purpose::Density, run, |_| {})
    }

    /// ln p(class, seen attributes) up to what all classes share: for telling classes apart where a posterior would have
    /// lost the small ones.
    pub(super) fn log_odds(&self, coded: View<'_>, run: &Run<'_>) -> Result<ClassValues> {
        self.per_class(coded, Purpose::Posterior, run, |_| {})
    }

    /// The posterior probabilities of rows coded as the classifier codes them.
    pub fn posteriors(&self, coded: View<'_>, run: &Run<'_>) -> Result<ClassValues> {
        self.per_class(coded, Purpose::Posterior, run, |row| {
            class_probabilities(row);
        })
    }

    /// The log-joint of every row, finished by `finish`; fails only where missing cells cannot be summed out in the
    /// memory there is.
    fn per_class(
        &self,
        coded: View<'_>,
        purpose: Purpose,
        run: &Run<'_>,
        finish: impl Fn(&mut [f64]) + Sync,
    ) -> Result<ClassValues> {
        let values = self.fitted.per_class(coded, purpose, run, finish)?;
        Ok(ClassValues { classes: self.fitted.classes(), values })
    }
}

/// A column in the codes of `field`.
fn conform_column(
    table: &Table,
    column: usize,
    field: &Field,
    unseen: &mut Unseen,
) -> Result<Cells> {
    let own = table.field(column);
    match (&field.kind, &own.kind) {
        (Kind::Continuous, Kind::Continuous) => Ok(table.cells(column).clone()),
        (Kind::Discrete { levels }, Kind::Discrete { levels: theirs }) => {
            if levels == theirs {
                return Ok(table.cells(column).clone());
            }
            let map: Vec<Option<usize>> =
                theirs.iter().map(|t| levels.iter().position(|l| l == t)).collect();
            let mut strangers = vec![0u64; theirs.len()];
            let codes = (0..table.rows()).map(|row| {
                let code = table.cells(column).code(row)?;
                strangers[code] += u64::from(map[code].is_none());
                map[code]
            });
            let cells = Cells::from_codes(codes, levels.len());
            for (level, count) in theirs.iter().zip(strangers).filter(|(_, n)| *n > 0) {
                unseen.insert((field.name.clone(), level.clone()), count);
            }
            Ok(cells)
        }
        (wanted, _) => {
            let wanted = if wanted.is_continuous() { "numbers" } else { "named levels" };
            let problem = format!("the model expects {wanted} here");
            let fix = "read the file by the model's schema";
            Err(Error::column(table.name(), &own.name, problem, fix))
        }
    }
}

/// What came of predicting a table.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The posterior probabilities, one row a row of the table.
    pub posteriors: ClassValues,
    /// Levels the classifier did not know, by column and level, with how often each came.
    pub unseen: Unseen,
}

/// A number for every row and class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassValues {
    classes: usize,
    values: Vec<f64>,
}

impl ClassValues {
    /// Numbers of so many classes, rows by rows.
    pub fn new(classes: usize, values: Vec<f64>) -> ClassValues {
        ClassValues { classes, values }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.values.len() / self.classes
    }

    /// The numbers of one row, class by class.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.classes..][..self.classes]
    }

    /// The most probable class of a row; of those equal but for rounding, the first.
    pub fn winner(&self, row: usize) -> usize {
        winner(self.row(row))
    }
}
