//! What the columns of a table are: fixed before anything is counted.

use super::left_out::LeftOut;
use crate::error::{Error, Result, nearest};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The kind of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Codes into a list of named levels.
    Discrete {
        /// The names, in code order.
        levels: Vec<String>,
    },
    /// Numbers.
    Continuous,
    /// Too many different texts to be a discrete attribute: the column is known by name but its cells are not kept.
    Text,
}

/// A column's name and kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Field {
    /// The name, unique in its table.
    pub name: String,
    /// What its cells are.
    pub kind: Kind,
    /// Why no learner is to use it as an attribute. Of the table it was read from: no part of a model.
    #[serde(skip)]
    pub left_out: Option<LeftOut>,
}

impl PartialEq for Field {
    /// The same name and kind.
    fn eq(&self, other: &Field) -> bool {
        self.name == other.name && self.kind == other.kind
    }
}

impl Eq for Field {}

impl Field {
    /// A column of this kind.
    pub fn new(name: impl Into<String>, kind: Kind) -> Field {
        Field { name: name.into(), kind, left_out: None }
    }

    /// A discrete column.
    pub fn discrete<S: Into<String>>(
        name: impl Into<String>,
        levels: impl IntoIterator<Item = S>,
    ) -> Field {
        let levels = levels.into_iter().map(Into::into).collect();
        Field::new(name, Kind::Discrete { levels })
    }

    /// A column of numbers.
    pub fn continuous(name: impl Into<String>) -> Field {
        Field::new(name, Kind::Continuous)
    }

    /// The levels of a discrete column; none of any other.
    pub fn levels(&self) -> &[String] {
        match &self.kind {
            Kind::Discrete { levels } => levels,
            _ => &[],
        }
    }

    /// How many states a discrete column has.
    pub fn states(&self) -> usize {
        self.levels().len()
    }

    /// True for a column that a learner may use as an attribute.
    pub fn is_usable(&self) -> bool {
        self.left_out.is_none() && self.kind != Kind::Text
    }

    /// True for a discrete column.
    pub fn is_discrete(&self) -> bool {
        matches!(self.kind, Kind::Discrete { .. })
    }
}

/// The fields of a table, in column order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schema {
    /// One a column.
    pub fields: Vec<Field>,
}

impl Schema {
    /// A schema of these fields.
    pub fn new(fields: Vec<Field>) -> Schema {
        Schema { fields }
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// True if there is no column.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The names, in column order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|f| f.name.as_str())
    }

    /// Where the column of this name is.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names().position(|n| n == name)
    }

    /// Where every column is, by name: for looking up many.
    pub(crate) fn positions(&self) -> FxHashMap<&str, usize> {
        self.names().enumerate().map(|(i, name)| (name, i)).collect()
    }

    /// Where the column of this name is, or an error that suggests the nearest name. `file` is for the message.
    pub fn require(&self, name: &str, file: &str) -> Result<usize> {
        self.position(name).ok_or_else(|| Error::NoSuchColumn {
            file: file.into(),
            column: name.into(),
            nearest: nearest(name, self.names()),
            known: self.names().map(str::to_string).collect(),
        })
    }
}
