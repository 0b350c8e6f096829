//! Finding out what a column is from its cells.

use super::cell::Look;
use super::dictionary::{Dictionary, MISSING};
use super::encode::{Codes, Comma, Evidence, Meaning};
use super::left_out::{Judge, LeftOut};
use super::raw::RawRows;
use super::schema::{Field, Kind};
use super::table::{Cells, MAX_LEVELS, MISSING_U8, MISSING_U16};
use crate::error::{Error, Result};
use std::sync::Arc;

/// A numeric column of whole numbers is discrete if it has at most this many different values.
pub const DISCRETE_INTEGERS: usize = 12;

/// The class is discrete up to this many whole numbers: codes of classes are more common than classes to be cut.
pub const CLASS_INTEGERS: usize = 50;

/// What is known of a column before its cells are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nothing.
    Open,
    /// It is declared as texts; dates among them are still dates.
    Texts,
    /// It is discrete.
    Discrete,
}

/// A column of which nothing is known yet: its different texts are collected until all cells have been seen.
pub(crate) struct Inference {
    dictionary: Dictionary,
    levels: Vec<Level>,
    state: State,
    wish: Wish,
    /// The column holds dates; known once there are too many to keep as texts.
    dates: bool,
    evidence: Evidence,
    /// Missing cells, counted only where the cells are not kept.
    missing: usize,
    /// The line of the first row.
    first_line: u64,
}

/// One of the different texts of the column.
struct Level {
    text: String,
    look: Look,
    /// Where it came first.
    line: u64,
}

impl Level {
    /// The number it stands for in a column of numbers or dates; NaN for a missing value.
    fn value(&self) -> f64 {
        match self.look {
            Look::Number(x) | Look::Comma { value: x, .. } | Look::Date(x) => x,
            Look::Word | Look::Text => f64::NAN,
        }
    }
}

enum State {
    /// Codes in order of first appearance.
    Codes(Codes),
    /// Too many different numbers to keep as texts.
    Numbers(Vec<f64>),
    /// Too many different texts to be a discrete column.
    Text,
    /// How often each level came: all that the first reading of a stream wants.
    Counts(Vec<u64>),
    /// The same once there were too many numbers.
    Judged(Judge),
}

/// What a column turned out to be.
pub(crate) struct Finished {
    pub field: Field,
    pub cells: Cells,
    /// Missing cells, where they were not kept.
    pub missing: usize,
    pub evidence: Evidence,
    /// It holds dates.
    pub dates: bool,
}

impl Inference {
    /// `keep` is false when only the levels are wanted.
    pub(crate) fn new(meaning: &Meaning, wish: Wish, keep: bool) -> Inference {
        let mut dictionary = Dictionary::new();
        for m in meaning.missing.iter() {
            dictionary.insert(m.as_bytes(), MISSING);
        }
        let state = match keep {
            true => State::Codes(Codes::Narrow(Vec::new())),
            false => State::Counts(Vec::new()),
        };
        let (levels, evidence) = (Vec::new(), Evidence::default());
        Inference {
            dictionary,
            levels,
            state,
            wish,
            dates: false,
            evidence,
            missing: 0,
            first_line: 0,
        }
    }

    pub(super) fn add(&mut self, rows: &RawRows, column: usize, meaning: &Meaning) -> Result<()> {
        if self.first_line == 0 {
            self.first_line = rows.lines.first().copied().unwrap_or(0);
        }
        let mut r = 0;
        while r < rows.len() {
            // Most cells of most columns: a text that has been met, of not too many.
            if let State::Codes(Codes::Narrow(v)) = &mut self.state {
                while let Some(code) =
                    (r < rows.len()).then(|| self.dictionary.get(rows.field(r, column))).flatten()
                {
                    v.push(if code == MISSING { MISSING_U8 } else { code as u8 });
                    r += 1;
                }
            }
            if r < rows.len() {
                self.add_cell(rows.field(r, column), rows.lines[r], meaning)?;
                r += 1;
            }
        }
        Ok(())
    }

    fn add_cell(&mut self, field: &[u8], line: u64, meaning: &Meaning) -> Result<()> {
        let code = match self.dictionary.get(field) {
            Some(code) => code,
            None => match self.state {
                State::Text => return Ok(()),
                State::Numbers(_) | State::Judged(_) => MISSING,
                _ => self.learn(field, line, meaning)?,
            },
        };
        let (dates, evidence) = (self.dates, &mut self.evidence);
        match &mut self.state {
            State::Codes(Codes::Narrow(v)) => {
                v.push(if code == MISSING { MISSING_U8 } else { code as u8 });
            }
            State::Codes(Codes::Wide(v)) => {
                v.push(if code == MISSING { MISSING_U16 } else { code as u16 });
            }
            State::Counts(counts) => match counts.get_mut(code as usize) {
                Some(count) => *count += 1,
                None => self.missing += 1,
            },
            State::Numbers(v) => v.push(known_value(field, line, meaning, dates, evidence)?),
            State::Judged(judge) => {
                let x = known_value(field, line, meaning, dates, evidence)?;
                self.missing += usize::from(x.is_nan());
                judge.number(x, 1);
            }
            State::Text => {}
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
        let look = meaning.look(&text);
        if self.levels.len() == MAX_LEVELS {
            self.overflow(meaning)?;
            return Ok(MISSING);
        }
        let code = self.levels.len() as u32;
        self.dictionary.insert(field, code);
        self.levels.push(Level { text, look, line });
        if let State::Counts(counts) = &mut self.state {
            counts.push(0);
        }
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

    /// More different texts than a discrete column may have: numbers or dates if all are, otherwise free text.
    fn overflow(&mut self, meaning: &Meaning) -> Result<()> {
        let holds = self.holds();
        let numeric = holds == Holds::Numbers && self.wish == Wish::Open || holds == Holds::Dates;
        if !numeric {
            self.check_mixture(meaning)?;
            if self.wish == Wish::Discrete {
                let problem = format!("it has more than {MAX_LEVELS} different values");
                let fix = format!("leave it out with --ignore {}", meaning.column);
                return Err(Error::column(&meaning.file, &meaning.column, problem, fix));
            }
            self.state = State::Text;
            return Ok(());
        }
        self.dates = holds == Holds::Dates;
        self.see_levels();
        let state = std::mem::replace(&mut self.state, State::Text);
        self.state = match state {
            State::Codes(codes) => State::Numbers(self.values(&codes)),
            State::Counts(counts) => {
                self.missing += self.words(&counts) as usize;
                State::Judged(self.judged(&counts))
            }
            other => other,
        };
        // From here on every cell is parsed, so the dictionary must not answer for known texts.
        self.dictionary = Dictionary::new();
        Ok(())
    }

    /// What the cells seen so far are, without words for missing values.
    fn holds(&self) -> Holds {
        let (mut numbers, mut dates) = (false, false);
        for level in &self.levels {
            match level.look {
                Look::Number(_) => numbers = true,
                Look::Comma { .. } if self.wish == Wish::Open => numbers = true,
                Look::Date(_) if self.wish != Wish::Discrete => dates = true,
                Look::Word => {}
                _ => return Holds::Texts,
            }
        }
        match (numbers, dates) {
            (true, false) => Holds::Numbers,
            (false, true) => Holds::Dates,
            _ => Holds::Texts,
        }
    }

    /// Takes note of what the levels show of how numbers are written.
    fn see_levels(&mut self) {
        let words = self.levels.iter().any(|l| l.look == Look::Word);
        let counts = if words { self.counts() } else { Vec::new() };
        for (l, level) in self.levels.iter().enumerate() {
            let count = counts.get(l).copied().unwrap_or(0);
            self.evidence.see(level.look, &level.text, level.line, count);
        }
    }

    /// How often each level came.
    fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.levels.len()];
        let mut count = |c: usize| {
            if let Some(n) = counts.get_mut(c) {
                *n += 1;
            }
        };
        match &self.state {
            State::Codes(Codes::Narrow(v)) => v.iter().for_each(|&c| count(c as usize)),
            State::Codes(Codes::Wide(v)) => v.iter().for_each(|&c| count(c as usize)),
            State::Counts(known) => counts.clone_from(known),
            _ => {}
        }
        counts
    }

    fn values(&self, codes: &Codes) -> Vec<f64> {
        let values: Vec<f64> = self.levels.iter().map(Level::value).collect();
        let value = |c: usize| values.get(c).copied().unwrap_or(f64::NAN);
        match codes {
            Codes::Narrow(v) => v.iter().map(|&c| value(c as usize)).collect(),
            Codes::Wide(v) => v.iter().map(|&c| value(c as usize)).collect(),
        }
    }

    /// How many cells hold a word for a missing value.
    fn words(&self, counts: &[u64]) -> u64 {
        let word = |(l, _): &(&Level, &u64)| l.look == Look::Word;
        self.levels.iter().zip(counts).filter(word).map(|(_, n)| n).sum()
    }

    /// What levels that came so often say of the column as numbers.
    fn judged(&self, counts: &[u64]) -> Judge {
        let mut judge = Judge::default();
        for (level, &count) in self.levels.iter().zip(counts) {
            judge.number(level.value(), count);
        }
        judge
    }

    /// What the cells show of decimal commas, where the column may hold numbers.
    pub(super) fn settle(&mut self) -> &Evidence {
        let open = matches!(self.state, State::Codes(_) | State::Counts(_));
        if open && self.holds() != Holds::Texts {
            self.see_levels();
        }
        &self.evidence
    }

    /// Refuses columns that are numbers but for a few cells: reading them as names would go wrong silently.
    fn check_mixture(&self, meaning: &Meaning) -> Result<()> {
        if self.wish != Wish::Open {
            return Ok(());
        }
        let numbers = self.levels.iter().filter(|l| matches!(l.look, Look::Number(_))).count();
        let other = |l: &&Level| !matches!(l.look, Look::Number(_) | Look::Word);
        let others: Vec<&Level> = self.levels.iter().filter(other).collect();
        let Some(first) = others.iter().min_by_key(|l| l.line) else { return Ok(()) };
        // inf and 1e400 parse as numbers but are none: with nothing but numbers beside them they are a mistake.
        let not_finite = |l: &&Level| l.text.trim().parse::<f64>().is_ok();
        let comma = |l: &&Level| matches!(Look::of(&l.text), Look::Comma { .. });
        let commas = numbers + others.len() > DISCRETE_INTEGERS && others.iter().all(comma);
        let few = numbers > DISCRETE_INTEGERS && others.len() * 5 <= numbers;
        let odd = numbers > 0 && others.iter().all(not_finite);
        if !(commas || few || odd) {
            return Ok(());
        }
        let error = meaning.not_a_number(first.line, &first.text);
        Err(match error {
            Error::Cell { file, line, column, problem, fix } if line == self.first_line && few => {
                let fix = format!("if line {line} is a second header, delete it; {fix}");
                Error::Cell { file, line, column, problem, fix }
            }
            other => other,
        })
    }

    /// Decides what the column is and hands out its cells. What a comma is has been decided by now.
    pub(crate) fn finish(mut self, meaning: &Meaning, rows: u64, role: Role) -> Result<Finished> {
        for level in &mut self.levels {
            if let Look::Comma { .. } = level.look {
                level.look = meaning.look(&level.text);
            }
        }
        let holds = self.holds();
        let open = matches!(self.state, State::Codes(_) | State::Counts(_));
        if let (Some((line, text)), false, Comma::No) = (&self.evidence.comma, open, meaning.comma)
        {
            return Err(meaning.not_a_number(*line, text));
        }
        let mut finished = Finished {
            field: Field::new(meaning.column.clone(), Kind::Continuous),
            cells: Cells::Dropped,
            missing: self.missing,
            evidence: std::mem::take(&mut self.evidence),
            dates: self.dates,
        };
        let mut judge = Judge::default();
        match std::mem::replace(&mut self.state, State::Text) {
            State::Text => {
                finished.field.kind = Kind::Text;
                finished.field.left_out = Some(role.of_texts(meaning)?);
                return Ok(finished);
            }
            State::Judged(known) => judge = known,
            State::Numbers(v) => finished.cells = Cells::from_numbers(v),
            state => self.finish_levels(holds, state, meaning, &mut finished, &mut judge)?,
        }
        if !matches!(finished.cells, Cells::Dropped) {
            judge.cells(&finished.cells);
        }
        let different = self.levels.len() as u64 == rows || self.levels.len() == MAX_LEVELS;
        finished.field.left_out = match role {
            Role::Index { row_names } => {
                let numbers = holds == Holds::Numbers && self.whole() && !row_names;
                if !different && !numbers {
                    return Err(no_index(&meaning.file, row_names));
                }
                Some(LeftOut::Index)
            }
            _ => role.applies(judge.verdict(rows)),
        };
        Ok(finished)
    }

    fn whole(&self) -> bool {
        self.levels.iter().filter(|l| l.look != Look::Word).all(|l| l.value().fract() == 0.0)
    }

    /// Decides by the levels, of which there are not too many.
    fn finish_levels(
        &mut self,
        holds: Holds,
        state: State,
        meaning: &Meaning,
        finished: &mut Finished,
        judge: &mut Judge,
    ) -> Result<()> {
        self.check_mixture(meaning)?;
        let numeric = holds == Holds::Numbers;
        if holds == Holds::Texts {
            // There, words are levels and commas are text.
            finished.evidence = Evidence::default();
        }
        let is_level = |l: &Level| holds == Holds::Texts || l.look != Look::Word;
        let order = self.level_order(numeric, is_level);
        finished.dates = holds == Holds::Dates;
        let few = numeric && self.whole() && order.len() <= meaning.whole_levels;
        let discrete = match holds {
            Holds::Texts => true,
            Holds::Numbers => few || self.wish != Wish::Open,
            Holds::Dates => false,
        };
        if let State::Counts(counts) = &state {
            if holds != Holds::Texts {
                finished.missing += self.words(counts) as usize;
            }
            *judge = match discrete {
                false => self.judged(counts),
                true => {
                    let mut judge = Judge::default();
                    order.iter().enumerate().for_each(|(c, &l)| judge.level(c, counts[l]));
                    judge
                }
            };
        }
        if discrete {
            let levels = order.iter().map(|&l| self.levels[l].text.clone()).collect();
            finished.field.kind = Kind::Discrete { levels };
        }
        if let State::Codes(codes) = state {
            finished.cells = match discrete {
                true => renumber(codes, &order, self.levels.len()),
                false => Cells::from_numbers(self.values(&codes)),
            };
        }
        Ok(())
    }

    /// Levels in the order of their numbers, or of their texts: never of the rows, so that permuting rows changes
    /// nothing.
    fn level_order(&self, numeric: bool, is_level: impl Fn(&Level) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.levels.len()).filter(|&l| is_level(&self.levels[l])).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.levels[a], &self.levels[b]);
            let by_value =
                if numeric { a.value().total_cmp(&b.value()) } else { std::cmp::Ordering::Equal };
            by_value.then_with(|| a.text.cmp(&b.text))
        });
        order
    }
}

/// What all cells of a column are, words for missing values aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Numbers,
    Dates,
    Texts,
}

/// What a column is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An attribute, which is left out if it cannot help.
    Attribute,
    /// The user named it: it stays if it has any value.
    Named,
    /// The user said that it must stay.
    Kept,
    /// The first column, without a name, or without a field in the header.
    Index { row_names: bool },
}

impl Role {
    /// What the verdict on the cells means for the column.
    pub(super) fn applies(self, verdict: Option<LeftOut>) -> Option<LeftOut> {
        verdict.filter(|why| match self {
            Role::Attribute => true,
            Role::Named | Role::Kept => *why == LeftOut::Empty,
            Role::Index { .. } => false,
        })
    }

    fn of_texts(self, meaning: &Meaning) -> Result<LeftOut> {
        match self {
            Role::Index { .. } => Ok(LeftOut::Index),
            Role::Kept => {
                let problem = format!("it has more than {MAX_LEVELS} different texts");
                let fix = "it cannot be kept: leave it out, or group its values";
                Err(Error::column(&meaning.file, &meaning.column, problem, fix))
            }
            _ => Ok(LeftOut::Texts),
        }
    }
}

fn no_index(file: &str, row_names: bool) -> Error {
    let problem = match row_names {
        true => {
            "the rows have one field more than the header, and it does not hold row names, which differ"
        }
        false => {
            "the first column has no name, and its cells are neither row numbers nor all different"
        }
    };
    Error::data(file, problem, "name every column in the header")
}

/// A cell of a column that is known to hold numbers, or dates.
fn known_value(
    field: &[u8],
    line: u64,
    meaning: &Meaning,
    dates: bool,
    evidence: &mut Evidence,
) -> Result<f64> {
    match meaning.value(field, line, dates, evidence)? {
        Some(value) => Ok(value),
        None => Err(meaning.not_a_number(line, meaning.text(field, line)?)),
    }
}

/// Codes of first appearance into codes of the sorted levels; levels that are not in `order` are missing.
fn renumber(codes: Codes, order: &[usize], levels: usize) -> Cells {
    let mut new: Vec<Option<usize>> = vec![None; levels];
    for (code, &old) in order.iter().enumerate() {
        new[old] = Some(code);
    }
    if order.len() == levels && order.iter().enumerate().all(|(code, &old)| code == old) {
        return match codes {
            Codes::Narrow(v) => Cells::Narrow(Arc::new(shrunk(v))),
            Codes::Wide(v) => Cells::Wide(Arc::new(shrunk(v))),
        };
    }
    match codes {
        Codes::Narrow(mut v) => {
            let mut table = [MISSING_U8; 256];
            new.iter()
                .enumerate()
                .for_each(|(old, c)| table[old] = c.map_or(MISSING_U8, |c| c as u8));
            v.iter_mut().for_each(|c| *c = table[*c as usize]);
            Cells::Narrow(Arc::new(shrunk(v)))
        }
        Codes::Wide(v) => {
            let code = |c: &u16| new.get(*c as usize).copied().flatten();
            Cells::from_codes(v.iter().map(code), order.len())
        }
    }
}

fn shrunk<T>(mut v: Vec<T>) -> Vec<T> {
    v.shrink_to_fit();
    v
}
