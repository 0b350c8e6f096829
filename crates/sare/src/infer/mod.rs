//! What a network says of rows: ln p(class, seen attributes), and what the families of a row with missing cells are
//! expected to be.

pub(crate) mod density;
pub(crate) mod expectation;
pub(crate) mod holes;
pub(crate) mod slopes;
mod walk;
