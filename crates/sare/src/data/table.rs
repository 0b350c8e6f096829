//! A table in memory. Columns are shared, not copied, when a table is rearranged or part of it is recoded.

use super::notes::Conventions;
use super::schema::{Field, Kind, Schema};
use super::source::View;
use crate::error::{Error, Result};
use std::sync::Arc;

/// The code of a missing cell in a column of at most 255 levels.
pub const MISSING_U8: u8 = u8::MAX;
/// The code of a missing cell in a column of more levels.
pub const MISSING_U16: u16 = u16::MAX;
/// A discrete column has at most this many levels.
pub const MAX_LEVELS: usize = u16::MAX as usize;
/// What weights that were given must be, for messages.
pub(crate) const WEIGHT_RANGE: &str = "a weight is 0 or a number from 1e-40 to 1e40";

/// Whether a number can be given as the weight of a row or a class: 0, or from 1e-40 to 1e40. Products of two such
/// weights, sums over all rows, and squares and reciprocals of these are normal numbers.
pub fn is_weight(number: f64) -> bool {
    number == 0.0 || (1e-40..=1e40).contains(&number)
}

/// More cases could not be counted one by one in a weight.
const MOST_CASES: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;

/// The cells of one column.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Codes of a discrete column of at most 255 levels; [`MISSING_U8`] is a missing cell.
    Narrow(Arc<Vec<u8>>),
    /// Codes of a discrete column of more levels; [`MISSING_U16`] is a missing cell.
    Wide(Arc<Vec<u16>>),
    /// Numbers; NaN is a missing cell.
    Numbers(Arc<Vec<f64>>),
    /// The cells were not kept (a column of free text).
    Dropped,
}

impl Cells {
    /// Codes from whole numbers, `None` for a missing cell, in the narrowest form that holds `states`.
    pub fn from_codes(codes: impl IntoIterator<Item = Option<usize>>, states: usize) -> Cells {
        if states <= MISSING_U8 as usize {
            let narrow = |c: Option<usize>| c.map_or(MISSING_U8, |c| c as u8);
            Cells::Narrow(Arc::new(codes.into_iter().map(narrow).collect()))
        } else {
            let wide = |c: Option<usize>| c.map_or(MISSING_U16, |c| c as u16);
            Cells::Wide(Arc::new(codes.into_iter().map(wide).collect()))
        }
    }

    /// Numbers, NaN for a missing cell.
    pub fn from_numbers(numbers: Vec<f64>) -> Cells {
        Cells::Numbers(Arc::new(numbers))
    }

    /// The code in a row; `None` if the cell is missing or the column is not discrete.
    pub fn code(&self, row: usize) -> Option<usize> {
        match self {
            Cells::Narrow(v) => (v[row] != MISSING_U8).then(|| v[row] as usize),
            Cells::Wide(v) => (v[row] != MISSING_U16).then(|| v[row] as usize),
            _ => None,
        }
    }

    /// The number in a row; `None` if the cell is missing or the column is not continuous.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Cells::Numbers(v) => (!v[row].is_nan()).then(|| v[row]),
            _ => None,
        }
    }

    /// How many cells are missing.
    pub fn missing(&self) -> usize {
        match self {
            Cells::Narrow(v) => v.iter().filter(|&&c| c == MISSING_U8).count(),
            Cells::Wide(v) => v.iter().filter(|&&c| c == MISSING_U16).count(),
            Cells::Numbers(v) => v.iter().filter(|x| x.is_nan()).count(),
            Cells::Dropped => 0,
        }
    }

    /// True if no cell is seen.
    pub fn all_missing(&self) -> bool {
        match self {
            Cells::Narrow(v) => v.iter().all(|&c| c == MISSING_U8),
            Cells::Wide(v) => v.iter().all(|&c| c == MISSING_U16),
            Cells::Numbers(v) => v.iter().all(|x| x.is_nan()),
            Cells::Dropped => false,
        }
    }

    /// The cells of these rows only.
    pub fn gather(&self, rows: &[u32]) -> Cells {
        let pick = |r: &u32| *r as usize;
        match self {
            Cells::Narrow(v) => Cells::Narrow(Arc::new(rows.iter().map(|r| v[pick(r)]).collect())),
            Cells::Wide(v) => Cells::Wide(Arc::new(rows.iter().map(|r| v[pick(r)]).collect())),
            Cells::Numbers(v) => {
                Cells::Numbers(Arc::new(rows.iter().map(|r| v[pick(r)]).collect()))
            }
            Cells::Dropped => Cells::Dropped,
        }
    }

    /// No cells, in the form that fits `kind`.
    fn empty(kind: &Kind) -> Cells {
        match kind {
            Kind::Discrete { levels } => Cells::from_codes([], levels.len()),
            Kind::Continuous => Cells::from_numbers(Vec::new()),
            Kind::Text => Cells::Dropped,
        }
    }

    /// Adds the cells of another column of the same kind.
    fn extend(&mut self, more: &Cells) {
        match (self, more) {
            (Cells::Narrow(a), Cells::Narrow(b)) => Arc::make_mut(a).extend_from_slice(b),
            (Cells::Wide(a), Cells::Wide(b)) => Arc::make_mut(a).extend_from_slice(b),
            (Cells::Numbers(a), Cells::Numbers(b)) => Arc::make_mut(a).extend_from_slice(b),
            _ => {}
        }
    }

    fn len(&self) -> Option<usize> {
        match self {
            Cells::Narrow(v) => Some(v.len()),
            Cells::Wide(v) => Some(v.len()),
            Cells::Numbers(v) => Some(v.len()),
            Cells::Dropped => None,
        }
    }
}

impl PartialEq for Cells {
    /// Equal cells; a missing number equals a missing number.
    fn eq(&self, other: &Cells) -> bool {
        match (self, other) {
            (Cells::Narrow(a), Cells::Narrow(b)) => a == b,
            (Cells::Wide(a), Cells::Wide(b)) => a == b,
            (Cells::Numbers(a), Cells::Numbers(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(x, y)| x == y || (x.is_nan() && y.is_nan()))
            }
            (Cells::Dropped, Cells::Dropped) => true,
            _ => false,
        }
    }
}

/// Columns of equal length with their schema, and perhaps a weight for each row.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    schema: Schema,
    columns: Vec<Cells>,
    weights: Option<Arc<Vec<f64>>>,
    /// The weights before those of the classes were multiplied in, where they were.
    before_classes: Option<Arc<Vec<f64>>>,
    rows: usize,
    conventions: Arc<Conventions>,
}

impl PartialEq for Table {
    /// The same columns and weights, however they were written in a file.
    fn eq(&self, other: &Table) -> bool {
        (&self.name, &self.schema, &self.columns) == (&other.name, &other.schema, &other.columns)
            && (&self.weights, self.rows) == (&other.weights, other.rows)
    }
}

impl Table {
    /// A table of these columns; `name` stands for it in messages. Fails if the columns differ in length, a name
    /// occurs twice, a code has no level or a weight is negative or not finite.
    pub fn new(name: impl Into<String>, columns: Vec<(Field, Cells)>) -> Result<Table> {
        let rows = columns.iter().find_map(|(_, cells)| cells.len()).unwrap_or(0);
        let table = Table::trusted(name, columns, rows);
        table.check()?;
        Ok(table)
    }

    /// A table of columns that are known to fit their fields and to have `rows` rows.
    pub(crate) fn trusted(
        name: impl Into<String>,
        columns: Vec<(Field, Cells)>,
        rows: usize,
    ) -> Table {
        let (fields, columns) = columns.into_iter().unzip();
        let (name, schema, conventions) = (name.into(), Schema::new(fields), Arc::default());
        Table { name, schema, columns, weights: None, before_classes: None, rows, conventions }
    }

    /// The same table, which remembers how its file was read.
    pub(crate) fn read_by(self, conventions: Arc<Conventions>) -> Table {
        Table { conventions, ..self }
    }

    /// How the file that the table was read from writes its cells, and what was decided about its columns.
    pub fn conventions(&self) -> &Arc<Conventions> {
        &self.conventions
    }

    /// A table of no rows.
    pub fn empty(name: impl Into<String>, schema: &Schema) -> Table {
        Table {
            name: name.into(),
            schema: schema.clone(),
            columns: schema.fields.iter().map(|f| Cells::empty(&f.kind)).collect(),
            weights: None,
            before_classes: None,
            rows: 0,
            conventions: Arc::default(),
        }
    }

    /// Adds the rows of a table of the same schema. A table that has no rows yet takes over whether there are weights.
    pub(crate) fn extend(&mut self, more: &Table) {
        debug_assert_eq!(self.schema, more.schema);
        for (cells, more) in self.columns.iter_mut().zip(&more.columns) {
            cells.extend(more);
        }
        let first = self.rows == 0;
        for (own, more) in
            [(&mut self.weights, &more.weights), (&mut self.before_classes, &more.before_classes)]
        {
            match (own, more) {
                (Some(a), Some(b)) => Arc::make_mut(a).extend_from_slice(b),
                (none @ None, Some(b)) if first => *none = Some(b.clone()),
                _ => {}
            }
        }
        self.rows += more.rows;
    }

    fn check(&self) -> Result<()> {
        // Of two columns of one name the map has the last.
        let positions = self.schema.positions();
        for (i, field) in self.schema.fields.iter().enumerate() {
            let bad = |problem: &str| {
                Err(Error::column(&self.name, &field.name, problem, "build the column anew"))
            };
            if positions.get(field.name.as_str()) != Some(&i) {
                return bad("the name is used twice");
            }
            if self.columns[i].len().is_some_and(|n| n != self.rows) {
                return bad("the column has another number of rows than the first");
            }
            let states = field.states();
            let mut sorted: Vec<&String> = field.levels().iter().collect();
            sorted.sort_unstable();
            if sorted.windows(2).any(|w| w[0] == w[1]) {
                return bad("a level is named twice");
            }
            let fits = match (&field.kind, &self.columns[i]) {
                (Kind::Discrete { .. }, Cells::Narrow(v)) => {
                    states <= MISSING_U8 as usize
                        && v.iter().all(|&c| c == MISSING_U8 || (c as usize) < states)
                }
                (Kind::Discrete { .. }, Cells::Wide(v)) => {
                    states > MISSING_U8 as usize
                        && states <= MAX_LEVELS
                        && v.iter().all(|&c| c == MISSING_U16 || (c as usize) < states)
                }
                (Kind::Continuous, Cells::Numbers(v)) => v.iter().all(|x| !x.is_infinite()),
                (Kind::Text, Cells::Dropped) => true,
                _ => false,
            };
            if !fits {
                return bad("a cell does not fit the column's kind or levels");
            }
        }
        Ok(())
    }

    /// The same table with a weight for each row. Shares of a weight may be as small as they are, but the largest weight
    /// must be possible ([`is_weight`]) or nearly so.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Table> {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let possible = largest == 0.0 || (1e-50..=1e50).contains(&largest);
        if weights.len() != self.rows || !possible || weights.iter().any(|w| w.is_nan() || *w < 0.0)
        {
            let problem = "the weights are not one number per row of at least 0, or too large or too small to add up";
            return Err(Error::data(&self.name, problem, WEIGHT_RANGE));
        }
        (self.weights, self.before_classes) = (Some(Arc::new(weights)), None);
        Ok(self)
    }

    /// The table with every row's weight multiplied by that of its class, a discrete column.
    pub(crate) fn weighing_classes(&self, class: usize, weights: &[f64]) -> Table {
        let of_class = |r: usize| self.columns[class].code(r).map_or(1.0, |c| weights[c]);
        let own = self.weights.clone().unwrap_or_else(|| Arc::new(vec![1.0; self.rows]));
        let weights = (0..self.rows).map(|r| own[r] * of_class(r)).collect();
        Table { weights: Some(Arc::new(weights)), before_classes: Some(own), ..self.clone() }
    }

    /// How many cases each row stands for: its weight, if all weights are whole numbers. `None` where rows have no weights,
    /// or weights that say how much a row counts rather than how often it was seen: then each row is one case. What classes
    /// weigh changes nothing.
    pub fn frequencies(&self) -> Option<&[f64]> {
        let own = self.before_classes.as_ref().or(self.weights.as_ref())?;
        let whole = own.iter().all(|w| w.fract() == 0.0);
        (whole && own.iter().sum::<f64>() < MOST_CASES).then_some(own)
    }

    /// How many cases there are: rows, or the sum of their weights where these are whole numbers.
    pub fn case_count(&self) -> usize {
        self.frequencies().map_or(self.rows, |f| f.iter().sum::<f64>() as usize)
    }

    /// What the weights of the rows are taken for, in words; nothing where there are none.
    pub fn weights_in_words(&self) -> Option<String> {
        self.weights.as_ref()?;
        Some(match self.frequencies() {
            Some(frequencies) => {
                let rows = frequencies.iter().filter(|&&f| f > 0.0).count();
                let cases = frequencies.iter().sum::<f64>();
                format!("whole numbers: {rows} rows stand for {cases} cases, which are split like rows of their own")
            }
            None => "not all whole numbers: each row is one case that counts by its weight, and no split parts it".into(),
        })
    }

    /// The table in which each of some rows stands for this many cases, and the others for none.
    pub(super) fn with_cases(&self, rows: &[u32], cases: &[u64]) -> Table {
        let frequencies = self.frequencies();
        let mut own = vec![0.0; self.rows];
        let mut weights = own.clone();
        for (&row, &cases) in rows.iter().zip(cases) {
            let row = row as usize;
            let one = self.weights().map_or(1.0, |w| w[row]) / frequencies.map_or(1.0, |f| f[row]);
            own[row] = cases as f64;
            weights[row] = one * own[row];
        }
        let before_classes = self.before_classes.as_ref().map(|_| Arc::new(own));
        Table { weights: Some(Arc::new(weights)), before_classes, ..self.clone() }
    }

    /// What stands for the table in messages: usually its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the columns are.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The field of a column.
    pub fn field(&self, column: usize) -> &Field {
        &self.schema.fields[column]
    }

    /// The cells of a column.
    pub fn cells(&self, column: usize) -> &Cells {
        &self.columns[column]
    }

    /// The same table with the row weights of another of as many rows.
    pub(crate) fn weighing_as(self, other: &Table) -> Table {
        debug_assert_eq!(self.rows, other.rows);
        let (weights, before_classes) = (other.weights.clone(), other.before_classes.clone());
        Table { weights, before_classes, ..self }
    }

    /// The weights of the rows, where they have any.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|w| w.as_slice())
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The table with only these columns, in this order. The cells are shared.
    pub fn select(&self, columns: &[usize]) -> Table {
        Table {
            name: self.name.clone(),
            schema: Schema::new(columns.iter().map(|&c| self.field(c).clone()).collect()),
            columns: columns.iter().map(|&c| self.columns[c].clone()).collect(),
            weights: self.weights.clone(),
            before_classes: self.before_classes.clone(),
            rows: self.rows,
            conventions: self.conventions.clone(),
        }
    }

    /// The whole table as a view.
    pub fn view(&self) -> View<'_> {
        View::all(self)
    }

    /// The table with only these rows, copied.
    pub fn gather(&self, rows: &[u32]) -> Table {
        let pick = |w: &Arc<Vec<f64>>| Arc::new(rows.iter().map(|&r| w[r as usize]).collect());
        Table {
            name: self.name.clone(),
            schema: self.schema.clone(),
            columns: self.columns.iter().map(|c| c.gather(rows)).collect(),
            weights: self.weights.as_ref().map(pick),
            before_classes: self.before_classes.as_ref().map(pick),
            rows: rows.len(),
            conventions: self.conventions.clone(),
        }
    }

    /// The table with one column replaced by cells that fit `field`; used where a column is recoded.
    pub(crate) fn replace(&mut self, column: usize, field: Field, cells: Cells) {
        debug_assert!(cells.len().is_none_or(|n| n == self.rows));
        self.schema.fields[column] = field;
        self.columns[column] = cells;
    }

    /// A cell as text: the level's name, the number, or nothing for a missing cell.
    pub fn text(&self, column: usize, row: usize) -> String {
        match &self.columns[column] {
            Cells::Numbers(v) if !v[row].is_nan() => v[row].to_string(),
            cells => match cells.code(row) {
                Some(code) => self.field(column).levels()[code].clone(),
                None => String::new(),
            },
        }
    }
}
