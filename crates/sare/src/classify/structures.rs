//! What a classifier's structure is: one that is learnt, or many at once.

use crate::average::Average;
use crate::structure::Structure;

/// One structure, or the average over many.
pub enum Structures {
    /// One, which takes any parameters.
    One(Box<dyn Structure>),
    /// An average, which takes parameters that are smoothed counts.
    Average(Box<dyn Average>),
}

impl Structures {
    /// The text form that makes this learner again.
    pub fn form(&self) -> String {
        match self {
            Structures::One(structure) => structure.form(),
            Structures::Average(average) => average.form(),
        }
    }

    /// True if the class is the only parent of every attribute, whatever the rows, and nothing is averaged.
    pub fn is_naive(&self) -> bool {
        self.one().is_some_and(Structure::is_naive)
    }

    /// The learner of one structure.
    pub fn one(&self) -> Option<&dyn Structure> {
        match self {
            Structures::One(structure) => Some(&**structure),
            Structures::Average(_) => None,
        }
    }
}

impl<S: Structure + 'static> From<S> for Structures {
    fn from(structure: S) -> Structures {
        Structures::One(Box::new(structure))
    }
}
