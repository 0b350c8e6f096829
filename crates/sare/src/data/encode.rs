//! From fields of bytes to the cells of a column: the one place where types, levels and missing cells are decided.

use super::cell::{Look, is_missing_word};
use super::csv::not_utf8;
use super::dictionary::{Dictionary, MISSING};
use super::inference::Inference;
use super::left_out::Judge;
use super::raw::RawRows;
use super::schema::Kind;
use super::table::{Cells, MISSING_U8, MISSING_U16, WEIGHT_RANGE, is_weight};
use crate::error::{Error, Result, nearest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How cells are to be understood, and how to say where one is.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    pub file: String,
    pub column: String,
    pub missing: Arc<Vec<String>>,
    /// In a column of numbers the words of [`MISSING_WORDS`](super::MISSING_WORDS) are missing too.
    pub words: bool,
    pub comma: Comma,
    /// The column is known to hold dates.
    pub dates: bool,
    /// The columns are known: options that say what they are do not help.
    pub known: bool,
    /// Whole numbers of at most this many different values are levels.
    pub whole_levels: usize,
}

/// What a comma in a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comma {
    /// No part of a number.
    No,
    /// A decimal comma.
    Yes,
    /// A decimal comma, unless it looks as if it separated thousands.
    Clear,
    /// To be decided once all cells have been seen.
    Undecided,
}

/// What the cells of a column of numbers showed.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// How often each word for a missing value came.
    pub words: BTreeMap<String, u64>,
    /// The first cell with a comma, and its line.
    pub comma: Option<(u64, String)>,
    /// Some comma cannot separate thousands.
    pub sure: bool,
    /// Some number has a decimal point.
    pub point: bool,
}

impl Evidence {
    /// Takes note of some cells of one text.
    pub(super) fn see(&mut self, look: Look, text: &str, line: u64, count: u64) {
        match look {
            Look::Word => *self.words.entry(text.trim().into()).or_default() += count,
            Look::Comma { sure, .. } => {
                self.sure |= sure;
                self.comma.get_or_insert_with(|| (line, text.into()));
            }
            Look::Number(_) => self.point |= text.contains('.'),
            Look::Date(_) | Look::Text => {}
        }
    }
}

impl Meaning {
    pub(super) fn is_missing(&self, field: &[u8]) -> bool {
        let field = field.trim_ascii();
        self.missing.iter().any(|m| m.as_bytes() == field)
    }

    /// What a text can be read as in this column.
    pub(super) fn look(&self, text: &str) -> Look {
        match Look::of(text) {
            Look::Comma { value, sure } => match self.comma {
                Comma::Yes => Look::Number(value),
                Comma::Clear if sure => Look::Number(value),
                Comma::Undecided => Look::Comma { value, sure },
                _ => Look::Text,
            },
            Look::Word if !self.words => Look::Text,
            other => other,
        }
    }

    pub(super) fn number(&self, text: &str) -> Option<f64> {
        match self.look(text) {
            Look::Number(value) | Look::Comma { value, .. } => Some(value),
            _ => None,
        }
    }

    /// A cell of a column of numbers, or of dates: NaN for a missing one, nothing for a text.
    pub(super) fn value(
        &self,
        field: &[u8],
        line: u64,
        dates: bool,
        evidence: &mut Evidence,
    ) -> Result<Option<f64>> {
        let text = self.text(field, line)?;
        // First of all: a mark such as -999 is a number too.
        if self.is_missing(field) {
            return Ok(Some(f64::NAN));
        }
        let look = self.look(text);
        let value = match look {
            Look::Number(x) | Look::Comma { value: x, .. } if !dates => Some(x),
            Look::Date(x) if dates => Some(x),
            Look::Word => Some(f64::NAN),
            _ => None,
        };
        if value.is_some() && (self.comma == Comma::Undecided || look == Look::Word) {
            evidence.see(look, text, line, 1);
        }
        Ok(value)
    }

    pub(super) fn text<'a>(&self, field: &'a [u8], line: u64) -> Result<&'a str> {
        std::str::from_utf8(field).map_err(|_| not_utf8(&self.file, line, Some(&self.column)))
    }

    pub(super) fn cell(&self, line: u64, problem: String, fix: String) -> Error {
        let column = Some(self.column.clone());
        Error::Cell { file: self.file.clone(), line, column, problem, fix }
    }

    /// Refuses a text in a column of numbers.
    pub(super) fn not_a_number(&self, line: u64, text: &str) -> Error {
        let shown: String = text.chars().take(40).collect();
        let name = &self.column;
        let missing = format!("--missing \"?,NA,,{shown}\"");
        let (problem, fix) = match text.trim().parse::<f64>() {
            Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => (
                format!("'{shown}' is beyond the range of numbers"),
                format!("correct it, or if it marks a missing cell, say {missing}"),
            ),
            Ok(_) => (
                format!("'{shown}' is not a number that can be used"),
                format!("if it marks a missing cell, say {missing}"),
            ),
            Err(_) if matches!(Look::of(text), Look::Comma { .. }) => (
                format!("'{shown}' is not a number"),
                "if the comma is a decimal comma, say --decimal-comma yes; if it separates thousands, remove it"
                    .into(),
            ),
            Err(_) => (
                format!("'{shown}' is not a number"),
                format!(
                    "if it marks a missing cell, say {missing}; if the column holds names or codes, say --discrete \
                     {name}; to leave the column out, --ignore {name}"
                ),
            ),
        };
        let known = self.known.then(|| "correct the cell or leave it empty".into());
        self.cell(line, problem, known.unwrap_or(fix))
    }
}

/// Cells that a fixed schema does not know, by column and text, with how often each came: unseen levels, and texts among
/// numbers.
pub type Unseen = BTreeMap<(String, String), u64>;

/// Collects the cells of one column.
pub(crate) enum Encoder {
    /// The column is not wanted.
    Skip,
    /// The cells decide what the column is.
    Infer(Inference),
    /// The levels are fixed; another one is missing (and counted) or an error.
    Levels {
        dictionary: Dictionary,
        levels: Arc<Vec<String>>,
        /// The levels' values, where all are numbers and all differ: 1.0 is then the level 1.
        values: Option<Vec<f64>>,
        codes: Codes,
        strict: bool,
    },
    /// Numbers; a text is missing (and counted) or an error.
    Numbers { values: Vec<f64>, evidence: Evidence, strict: bool },
    /// Numbers of at least 0, none missing.
    Weights(Vec<f64>),
}

/// Codes in the narrowest form so far.
pub(crate) enum Codes {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Codes {
    fn for_states(states: usize) -> Codes {
        if states <= MISSING_U8 as usize {
            Codes::Narrow(Vec::new())
        } else {
            Codes::Wide(Vec::new())
        }
    }

    fn take(&mut self) -> Cells {
        match self {
            Codes::Narrow(v) => Cells::Narrow(Arc::new(std::mem::take(v))),
            Codes::Wide(v) => Cells::Wide(Arc::new(std::mem::take(v))),
        }
    }
}

impl Encoder {
    /// An encoder for a column whose kind is known.
    pub(crate) fn fixed(kind: &Kind, meaning: &Meaning, strict: bool) -> Encoder {
        match kind {
            Kind::Continuous => {
                Encoder::Numbers { values: Vec::new(), evidence: Evidence::default(), strict }
            }
            Kind::Text => Encoder::Skip,
            Kind::Discrete { levels } => {
                let mut dictionary = Dictionary::new();
                for m in meaning.missing.iter() {
                    dictionary.insert(m.as_bytes(), MISSING);
                }
                // After the missing marks: a level that looks like one is still a level.
                for (code, level) in levels.iter().enumerate() {
                    dictionary.insert(level.as_bytes(), code as u32);
                }
                let codes = Codes::for_states(levels.len());
                let values = values_of(levels, meaning);
                let levels = Arc::new(levels.clone());
                Encoder::Levels { dictionary, levels, values, codes, strict }
            }
        }
    }

    /// Adds the column's fields of these rows.
    pub(crate) fn add(
        &mut self,
        rows: &RawRows,
        column: usize,
        meaning: &Meaning,
        unseen: &mut Unseen,
    ) -> Result<()> {
        match self {
            Encoder::Skip => Ok(()),
            Encoder::Infer(inference) => inference.add(rows, column, meaning),
            Encoder::Numbers { values, evidence, strict } => {
                for r in 0..rows.len() {
                    let (field, line) = (rows.field(r, column), rows.lines[r]);
                    let value = meaning.value(field, line, meaning.dates, evidence)?;
                    if value.is_none() {
                        let text = meaning.text(field, line)?;
                        if *strict {
                            return Err(meaning.not_a_number(line, text));
                        }
                        *unseen.entry((meaning.column.clone(), text.into())).or_default() += 1;
                    }
                    values.push(value.unwrap_or(f64::NAN));
                }
                Ok(())
            }
            Encoder::Weights(weights) => {
                for r in 0..rows.len() {
                    weights.push(weight(rows.field(r, column), rows.lines[r], meaning)?);
                }
                Ok(())
            }
            Encoder::Levels { dictionary, levels, values, codes, strict } => {
                for r in 0..rows.len() {
                    let field = rows.field(r, column);
                    let code = match dictionary.get(field) {
                        Some(code) => code,
                        None if meaning.is_missing(field) => MISSING,
                        None if meaning.words && values.is_some() && is_missing_word(field) => {
                            MISSING
                        }
                        None if let Some(code) =
                            code_by_value(field, values.as_deref(), meaning) =>
                        {
                            dictionary.insert(field, code);
                            code
                        }
                        None if *strict => {
                            return Err(unknown_level(field, rows.lines[r], levels, meaning));
                        }
                        None => {
                            let level = meaning.text(field, rows.lines[r])?.to_string();
                            *unseen.entry((meaning.column.clone(), level)).or_default() += 1;
                            MISSING
                        }
                    };
                    match codes {
                        Codes::Narrow(v) => {
                            v.push(if code == MISSING { MISSING_U8 } else { code as u8 })
                        }
                        Codes::Wide(v) => {
                            v.push(if code == MISSING { MISSING_U16 } else { code as u16 })
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Forgets the cells collected since the last call, after `judge` has seen them, and says how many are missing.
    pub(super) fn take_missing(&mut self, judge: &mut Judge) -> usize {
        // What is still open counts its own.
        if let Encoder::Infer(_) = self {
            return 0;
        }
        let cells = self.take();
        judge.cells(&cells);
        cells.missing()
    }

    /// The cells collected so far of a column whose kind is known; starts anew.
    pub(crate) fn take(&mut self) -> Cells {
        match self {
            Encoder::Levels { codes, .. } => codes.take(),
            Encoder::Numbers { values: numbers, .. } | Encoder::Weights(numbers) => {
                Cells::from_numbers(std::mem::take(numbers))
            }
            Encoder::Skip | Encoder::Infer(_) => Cells::Dropped,
        }
    }
}

/// The values of levels that are all numbers, each a different one.
fn values_of(levels: &[String], meaning: &Meaning) -> Option<Vec<f64>> {
    let values: Option<Vec<f64>> =
        levels.iter().map(|l| meaning.number(l).filter(|x| x.is_finite())).collect();
    let mut sorted = values.clone()?;
    sorted.sort_unstable_by(f64::total_cmp);
    values.filter(|_| sorted.windows(2).all(|w| w[0] < w[1]))
}

/// The code of the level that is the same number written otherwise.
fn code_by_value(field: &[u8], values: Option<&[f64]>, meaning: &Meaning) -> Option<u32> {
    let number = meaning.number(std::str::from_utf8(field).ok()?)?;
    values?.iter().position(|v| *v == number).map(|code| code as u32)
}

fn unknown_level(field: &[u8], line: u64, levels: &[String], meaning: &Meaning) -> Error {
    let text = String::from_utf8_lossy(field);
    let near = nearest(&text, levels.iter().map(String::as_str));
    let hint = near.map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
    let problem = format!("'{text}' is not one of the column's {} levels{hint}", levels.len());
    meaning.cell(line, problem, "correct the cell or leave it empty".into())
}

/// A row's weight.
fn weight(field: &[u8], line: u64, meaning: &Meaning) -> Result<f64> {
    let text = meaning.text(field, line)?;
    match meaning.number(text) {
        Some(w) if is_weight(w) && !meaning.is_missing(field) => Ok(w),
        number => {
            let shown: String = text.chars().take(40).collect();
            let problem = match number {
                Some(w) if w > 1.0 => format!("'{shown}' is too large for a weight"),
                Some(w) if w > 0.0 => format!("'{shown}' is too small for a weight"),
                _ => format!("'{shown}' is not a weight"),
            };
            Err(meaning.cell(line, problem, WEIGHT_RANGE.into()))
        }
    }
}
