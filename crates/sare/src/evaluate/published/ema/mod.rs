//! Santafé, Lozano and Larrañaga, "Bayesian model averaging of naive Bayes for clustering", IEEE Transactions on Systems,
//! Man, and Cybernetics B 36 (2006), and Santafé's dissertation of 2007, chapter 7: clusters by averages over structures.

mod brute_force;
mod contest;
mod detection;
mod leukemia;
mod published;
mod random;
mod sums;
mod table_1;
mod table_2;
mod tan;
mod wins;

#[cfg(test)]
mod tests;

pub use brute_force::BRUTE_FORCE;
pub use detection::DETECTION;
pub use leukemia::LEUKEMIA;
pub use table_1::TABLE_1;
pub use table_2::TABLE_2;
pub use tan::{TABLE_7_4, TABLE_7_5, TABLE_7_6};
