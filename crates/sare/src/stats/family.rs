//! The family table: for every cell of a family a short vector with one entry a class.

use super::merge::Merge;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// The largest family table that is made, in bytes.
pub const LARGEST_TABLE: u128 = 4 << 30;

/// Counts, expected counts, gradients or log-probabilities of a child with its attribute parents, by class.
///
/// A cell is the mixed-radix number of (parent states, child state), the child's state changing fastest. One more
/// cell at the end gathers the rows in which a member of the family is missing, so that no kernel needs to ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyTable {
    configurations: usize,
    states: usize,
    classes: usize,
    values: Vec<f64>,
}

impl FamilyTable {
    /// A table of zeros for `configurations` of the attribute parents, `states` of the child and `classes`.
    pub fn zeros(configurations: usize, states: usize, classes: usize) -> FamilyTable {
        let values = vec![0.0; (configurations * states + 1) * classes];
        FamilyTable { configurations, states, classes, values }
    }

    /// The bytes of a table of these sizes; fails if it would be too large to make.
    pub fn check_size(name: &str, sizes: impl IntoIterator<Item = usize>) -> Result<u128> {
        let cells = sizes.into_iter().fold(1u128, |n, s| n.saturating_mul(s as u128));
        let bytes = cells.saturating_mul(size_of::<f64>() as u128);
        if bytes > LARGEST_TABLE || cells >= u128::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: format!("the table of '{name}' with its parents"),
                bytes,
                limit: LARGEST_TABLE,
                fix: "give it fewer parents, or parents with fewer levels".into(),
            });
        }
        Ok(bytes)
    }

    /// How many configurations the attribute parents have together.
    pub fn configurations(&self) -> usize {
        self.configurations
    }

    /// How many states the child has.
    pub fn states(&self) -> usize {
        self.states
    }

    /// How many classes the table tells apart; 1 where the class is no parent.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many cells there are, not counting the one for missing members.
    pub fn cells(&self) -> usize {
        self.configurations * self.states
    }

    /// Every entry, cell by cell, class innermost, the cell of missing members last.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Every entry, to be changed.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// One entry.
    pub fn at(&self, configuration: usize, state: usize, class: usize) -> f64 {
        self.values[(configuration * self.states + state) * self.classes + class]
    }

    /// One entry, to be changed.
    pub fn at_mut(&mut self, configuration: usize, state: usize, class: usize) -> &mut f64 {
        &mut self.values[(configuration * self.states + state) * self.classes + class]
    }

    /// The sum of an entry over the child's states.
    pub fn sum_over_states(&self, configuration: usize, class: usize) -> f64 {
        (0..self.states).map(|k| self.at(configuration, k, class)).sum()
    }

    /// The sum of all entries but those of rows with a missing member.
    pub fn total(&self) -> f64 {
        self.values[..self.cells() * self.classes].iter().sum()
    }

    /// The same cells summed over the classes.
    pub fn sum_over_classes(&self) -> FamilyTable {
        let values = self.values.chunks_exact(self.classes).map(|c| c.iter().sum()).collect();
        FamilyTable { classes: 1, values, ..*self }
    }
}

impl Merge for FamilyTable {
    fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.values.len(), other.values.len());
        self.values.iter_mut().zip(&other.values).for_each(|(a, b)| *a += b);
    }
}
