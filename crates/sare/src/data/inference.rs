//! Finding out what a column is from its cells.

use super::dictionary::{Dictionary, MISSING};
use super::encode::{Codes, Meaning, is_decimal_comma, number};
use super::raw::RawRows;
use super::schema::{Field, Kind};
use super::table::{Cells, MAX_LEVELS, MISSING_U8, MISSING_U16};
use crate::error::{Error, Result};
use std::sync::Arc;

/// A numeric column of whole numbers is discrete if it has at most this many different values.
pub const DISCRETE_INTEGERS: usize = 12;

/// A column of which nothing is known yet: its different texts are collected until all cells have been seen.
pub(crate) struct Inference {
    dictionary: Dictionary,
    levels: Vec<Level>,
    state: State,
    /// The user or the file says that the column is discrete.
    discrete: bool,
    /// Missing cells, counted only where the cells are not kept.
    pub(super) missing: usize,
}

struct Level {
    text: String,
    /// The number it is, NaN if it is none.
    value: f64,
    /// Where it came first.
    line: u64,
}

enum State {
    /// Codes in order of first appearance.
    Codes(Codes),
    /// Too many different numbers to keep as texts.
    Numbers(Vec<f64>),
    /// Too many different texts to be a discrete column.
    Text,
    /// Only the levels are wanted (the first reading of a stream); true once there were too many numbers.
    LevelsOnly(bool),
}

impl Inference {
    /// `keep` is false when only the levels are wanted.
    pub(crate) fn new(meaning: &Meaning, discrete: bool, keep: bool) -> Inference {
        let mut dictionary = Dictionary::new();
        for m in meaning.missing.iter() {
            dictionary.insert(m.as_bytes(), MISSING);
        }
        let state =
            if keep { State::Codes(Codes::Narrow(Vec::new())) } else { State::LevelsOnly(false) };
        Inference { dictionary, levels: Vec::new(), state, discrete, missing: 0 }
    }

    pub(super) fn add(&mut self, rows: &RawRows, column: usize, meaning: &Meaning) -> Result<()> {
        for r in 0..rows.len() {
            let field = rows.field(r, column);
            let code = match self.dictionary.get(field) {
                Some(code) => code,
                None => match self.state {
                    State::Text => continue,
                    State::Numbers(_) | State::LevelsOnly(true) => MISSING,
                    _ => self.learn(field, rows.lines[r], meaning)?,
                },
            };
            match &mut self.state {
                State::Codes(Codes::Narrow(v)) => {
                    v.push(if code == MISSING { MISSING_U8 } else { code as u8 });
                }
                State::Codes(Codes::Wide(v)) => {
                    v.push(if code == MISSING { MISSING_U16 } else { code as u16 });
                }
                State::Numbers(v) => v.push(number(field, rows.lines[r], meaning)?),
                State::LevelsOnly(true) => {
                    let seen = !number(field, rows.lines[r], meaning)?.is_nan();
                    self.missing += usize::from(!seen);
                }
                State::LevelsOnly(false) => self.missing += usize::from(code == MISSING),
                State::Text => {}
            }
        }
        Ok(())
    }

    /// A text not met before: a way to write a missing cell, or a new level.
    fn learn(&mut self, field: &[u8], line: u64, meaning: &Meaning) -> Result<u32> {
        if meaning.is_missing(field) {
            self.dictionary.insert(field, MISSING);
            return Ok(MISSING);
        }
        let text = meaning.text(field, line)?.to_string();
        let value = meaning.number(&text).unwrap_or(f64::NAN);
        if self.levels.len() == MAX_LEVELS {
            self.overflow(meaning)?;
            return Ok(MISSING);
        }
        let code = self.levels.len() as u32;
        self.dictionary.insert(field, code);
        self.levels.push(Level { text, value, line });
        if self.levels.len() > MISSING_U8 as usize {
            self.widen();
        }
        Ok(code)
    }

    fn widen(&mut self) {
        if let State::Codes(codes @ Codes::Narrow(_)) = &mut self.state {
            let Codes::Narrow(narrow) = codes else { return };
            let wide = |&c: &u8| if c == MISSING_U8 { MISSING_U16 } else { u16::from(c) };
            *codes = Codes::Wide(narrow.iter().map(wide).collect());
        }
    }

    /// More different texts than a discrete column may have: numbers if all are, otherwise free text.
    fn overflow(&mut self, meaning: &Meaning) -> Result<()> {
        let numeric = !self.discrete && self.levels.iter().all(|l| l.value.is_finite());
        if !numeric {
            self.check_mixture(meaning)?;
            if self.discrete {
                let problem = format!("it has more than {MAX_LEVELS} different values");
                let fix = format!("leave it out with --ignore {}", meaning.column);
                return Err(Error::column(&meaning.file, &meaning.column, problem, fix));
            }
            self.state = State::Text;
            return Ok(());
        }
        let state = std::mem::replace(&mut self.state, State::Text);
        self.state = match state {
            State::Codes(codes) => State::Numbers(self.values(&codes)),
            _ => State::LevelsOnly(true),
        };
        // From here on every cell is parsed, so the dictionary must not answer for known texts.
        self.dictionary = Dictionary::new();
        Ok(())
    }

    fn values(&self, codes: &Codes) -> Vec<f64> {
        let value = |c: usize| self.levels.get(c).map_or(f64::NAN, |l| l.value);
        match codes {
            Codes::Narrow(v) => v.iter().map(|&c| value(c as usize)).collect(),
            Codes::Wide(v) => v.iter().map(|&c| value(c as usize)).collect(),
        }
    }

    /// Refuses columns that are numbers but for a few cells: reading them as names would go wrong silently.
    fn check_mixture(&self, meaning: &Meaning) -> Result<()> {
        if self.discrete {
            return Ok(());
        }
        let (numbers, others): (Vec<&Level>, Vec<&Level>) =
            self.levels.iter().partition(|l| l.value.is_finite());
        let Some(first) = others.first() else { return Ok(()) };
        // nan, inf and 1e400 parse as numbers but are none: with nothing but numbers beside them they are a mistake.
        let not_finite = |l: &&Level| meaning.number(&l.text).is_some();
        let commas = numbers.len() + others.len() > DISCRETE_INTEGERS
            && others.iter().all(|l| is_decimal_comma(&l.text));
        let few = numbers.len() > DISCRETE_INTEGERS && others.len() * 5 <= numbers.len();
        let odd = !numbers.is_empty() && others.iter().all(not_finite);
        if commas || few || odd {
            return Err(meaning.not_a_number(first.line, &first.text));
        }
        Ok(())
    }

    /// Decides what the column is and hands out its cells.
    pub(crate) fn finish(mut self, meaning: &Meaning) -> Result<(Field, Cells)> {
        let name = meaning.column.clone();
        let field = |kind| Field { name: name.clone(), kind };
        match self.state {
            State::Text => return Ok((field(Kind::Text), Cells::Dropped)),
            State::Numbers(v) => return Ok((field(Kind::Continuous), Cells::from_numbers(v))),
            State::LevelsOnly(true) => return Ok((field(Kind::Continuous), Cells::Dropped)),
            _ => self.check_mixture(meaning)?,
        }
        let numeric = !self.levels.is_empty() && self.levels.iter().all(|l| l.value.is_finite());
        let whole = self.levels.iter().all(|l| l.value.fract() == 0.0);
        let discrete =
            self.discrete || !numeric || (whole && self.levels.len() <= DISCRETE_INTEGERS);
        let state = std::mem::replace(&mut self.state, State::Text);
        if !discrete {
            let cells = match state {
                State::Codes(codes) => Cells::from_numbers(self.values(&codes)),
                _ => Cells::Dropped,
            };
            return Ok((field(Kind::Continuous), cells));
        }
        let order = self.level_order(numeric);
        let levels = order.iter().map(|&l| self.levels[l].text.clone()).collect();
        let cells = match state {
            State::Codes(codes) => renumber(codes, &order),
            _ => Cells::Dropped,
        };
        Ok((field(Kind::Discrete { levels }), cells))
    }

    /// Levels in the order of their numbers, or of their texts: never of the rows, so that permuting rows changes
    /// nothing.
    fn level_order(&self, numeric: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.levels[a], &self.levels[b]);
            let by_value =
                if numeric { a.value.total_cmp(&b.value) } else { std::cmp::Ordering::Equal };
            by_value.then_with(|| a.text.cmp(&b.text))
        });
        order
    }
}

/// Codes of first appearance into codes of the sorted levels.
fn renumber(codes: Codes, order: &[usize]) -> Cells {
    match codes {
        Codes::Narrow(mut v) => {
            let mut new = [MISSING_U8; 256];
            for (code, &old) in order.iter().enumerate() {
                new[old] = code as u8;
            }
            if order.iter().enumerate().any(|(code, &old)| code != old) {
                v.iter_mut().for_each(|c| *c = new[*c as usize]);
            }
            v.shrink_to_fit();
            Cells::Narrow(Arc::new(v))
        }
        Codes::Wide(mut v) => {
            let mut new = vec![MISSING_U16; MAX_LEVELS + 1];
            for (code, &old) in order.iter().enumerate() {
                new[old] = code as u16;
            }
            v.iter_mut().for_each(|c| *c = new[*c as usize]);
            v.shrink_to_fit();
            Cells::Wide(Arc::new(v))
        }
    }
}
