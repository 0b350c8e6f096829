//! What was decided while a table was read: how its cells are written, and what its user should know.

use super::encode::{Evidence, Meaning};
use super::left_out::LeftOut;
use super::schema::{Field, Schema};
use super::table::Cells;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something decided while reading, in one line however many columns it concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is about.
    pub about: About,
    /// All columns that it concerns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The line.
    pub text: String,
}

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum About {
    /// Columns left out, and why.
    LeftOut(LeftOut),
    /// Columns with nearly as many levels as rows.
    ManyLevels,
    /// Words that mean a missing value in columns of numbers.
    MissingWords,
    /// Numbers written with a decimal comma.
    DecimalComma,
    /// Dates turned into numbers.
    Dates,
    /// A class of numbers cut into bins.
    Bins,
    /// The file's encoding.
    Encoding,
    /// Lines before the header.
    Comments,
    /// Empty fields behind the last column.
    Trailing,
    /// Classes with few rows.
    RareClasses,
    /// Test rows whose true class has probability 0.
    ZeroProbability,
}

impl Note {
    /// A note about no column in particular.
    pub fn new(about: About, text: impl Into<String>) -> Note {
        Note { about, columns: Vec::new(), text: text.into() }
    }

    /// A note about these columns; `text` is given their names, shortened.
    pub fn of(about: About, columns: Vec<String>, text: impl FnOnce(&str) -> String) -> Note {
        let text = text(&listed(&columns));
        Note { about, columns, text }
    }
}

/// At most this many names are listed in a line.
const LISTED: usize = 4;

/// The first few names and how many more there are.
pub fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<String> =
        names.iter().take(LISTED).map(|n| format!("'{}'", n.as_ref())).collect();
    match names.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// How a file writes its cells, as found or told: kept with what is learnt from it, so that new files are read alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conventions {
    /// Numbers have a decimal comma.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decimal_comma: bool,
    /// Columns of ISO dates, which are days since 1970-01-01.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dates: Vec<String>,
    /// The column of numbers that was cut into bins to be a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<Bins>,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Conventions {
    pub(crate) fn is_default(&self) -> bool {
        *self == Conventions::default()
    }
}

/// A column of numbers cut into bins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// The column.
    pub column: String,
    /// The cut points, rising.
    pub cuts: Vec<f64>,
}

/// What the cells of the columns of numbers gave rise to.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// How often each missing word came, and in which columns.
    pub words: BTreeMap<String, u64>,
    pub word_columns: Vec<String>,
    /// Columns with decimal commas.
    pub commas: Vec<String>,
    pub dates: Vec<String>,
}

impl Found {
    /// Adds what a column showed.
    pub(super) fn add(&mut self, meaning: &Meaning, evidence: &Evidence, dates: bool) {
        let name = || meaning.column.clone();
        for (word, count) in &evidence.words {
            *self.words.entry(word.clone()).or_default() += count;
        }
        self.word_columns.extend((!evidence.words.is_empty()).then(name));
        self.commas.extend(evidence.comma.is_some().then(name));
        self.dates.extend(dates.then(name));
    }

    /// The notes, with those about the columns that are left out.
    pub(super) fn notes(&self, columns: &[(Field, Cells)], rows: usize) -> Vec<Note> {
        let mut notes = left_out(columns);
        notes.extend(many_levels(columns, rows));
        if !self.words.is_empty() {
            let counts: Vec<String> =
                self.words.iter().map(|(word, n)| format!("'{word}' ({n})")).collect();
            let text = |names: &str| {
                format!("missing values in columns of numbers: {}; in {names}", counts.join(", "))
            };
            notes.push(Note::of(About::MissingWords, self.word_columns.clone(), text));
        }
        if !self.commas.is_empty() {
            let text = |names: &str| format!("decimal commas: 1,5 is read as 1.5 in {names}");
            notes.push(Note::of(About::DecimalComma, self.commas.clone(), text));
        }
        if !self.dates.is_empty() {
            let text = |names: &str| format!("dates are read as days since 1970-01-01: {names}");
            notes.push(Note::of(About::Dates, self.dates.clone(), text));
        }
        notes
    }
}

fn left_out(columns: &[(Field, Cells)]) -> Vec<Note> {
    let mut by_reason: BTreeMap<LeftOut, Vec<String>> = BTreeMap::new();
    for (field, _) in columns {
        if let Some(why) = field.left_out {
            by_reason.entry(why).or_default().push(field.name.clone());
        }
    }
    let note = |(why, columns): (LeftOut, Vec<String>)| {
        let text = |names: &str| match why {
            LeftOut::Index => {
                "left out: the first column, which has no name and holds row numbers or names"
                    .into()
            }
            LeftOut::Identifier => format!(
                "left out: {names}: every row differs, like an identifier (--keep takes it)"
            ),
            LeftOut::RowNumbers => {
                format!("left out: {names}: the numbers of the rows (--keep takes it)")
            }
            LeftOut::Constant => {
                format!("left out: {names}: one value in all rows (--keep takes it)")
            }
            LeftOut::Empty => format!("left out: {names}: every cell is missing"),
            LeftOut::Texts => format!("left out: {names}: too many different texts"),
        };
        Note::of(About::LeftOut(why), columns, text)
    };
    by_reason.into_iter().map(note).collect()
}

/// A column with more levels than half the rows is named from this many rows on.
const ROWS_FOR_LEVELS: usize = 20;

fn many_levels(columns: &[(Field, Cells)], rows: usize) -> Option<Note> {
    let many =
        |f: &&Field| f.left_out.is_none() && rows >= ROWS_FOR_LEVELS && 2 * f.states() > rows;
    let names: Vec<String> =
        columns.iter().map(|(f, _)| f).filter(many).map(|f| f.name.clone()).collect();
    let text = |names: &str| {
        format!(
            "more levels than half of the {rows} rows, like an identifier: {names}; consider --ignore"
        )
    };
    (!names.is_empty()).then(|| Note::of(About::ManyLevels, names, text))
}

impl Schema {
    /// Where the columns are that a learner may use.
    pub fn usable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&c| self.fields[c].is_usable())
    }
}
