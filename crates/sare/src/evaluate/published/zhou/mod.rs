//! Zhou, "Discriminative learning of Bayesian net parameters", thesis, University of Alberta, 2002.

mod complete;
mod errors;
mod incomplete;
mod protocol;
mod redundant;

pub use complete::TABLE_4_2;
pub use incomplete::TABLE_4_3;
pub use redundant::FIGURES;
