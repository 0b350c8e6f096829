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
        let (name, schema) = (name.into(), Schema::new(fields));
        let conventions = Arc::default();
        Table { name, schema, columns, weights: None, rows, conventions }
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
        match (&mut self.weights, &more.weights) {
            (Some(a), Some(b)) => Arc::make_mut(a).extend_from_slice(b),
            (none @ None, Some(b)) if self.rows == 0 => *none = Some(b.clone()),
            _ => {}
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

    /// The same table with a weight for each row.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Table> {
        if weights.len() != self.rows || weights.iter().any(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::data(
                &self.name,
                "the weights are not one finite number of at least 0 a row",
                "correct them or leave them out",
            ));
        }
        self.weights = Some(Arc::new(weights));
        Ok(self)
    }

    /// The table with every row's weight multiplied by that of its class, a discrete column.
    pub(crate) fn weighing_classes(&self, class: usize, weights: &[f64]) -> Table {
        let of_class = |r: usize| self.columns[class].code(r).map_or(1.0, |c| weights[c]);
        let own = |r: usize| self.weights().map_or(1.0, |w| w[r]);
        let weights = (0..self.rows).map(|r| own(r) * of_class(r)).collect();
        Table { weights: Some(Arc::new(weights)), ..self.clone() }
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
        Table { weights: other.weights.clone(), ..self }
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
        Table {
            name: self.name.clone(),
            schema: self.schema.clone(),
            columns: self.columns.iter().map(|c| c.gather(rows)).collect(),
            weights: self
                .weights
                .as_ref()
                .map(|w| Arc::new(rows.iter().map(|&r| w[r as usize]).collect())),
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
