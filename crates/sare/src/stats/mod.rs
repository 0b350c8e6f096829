//! Statistics: values with laws, gathered by one pass over the rows. Family tables and the kernels that fill and
//! read them, information measures and scores, tails of distributions, tests of hypotheses.

pub mod count;
pub mod distribution;
pub mod extend;
pub mod family;
pub mod group;
pub mod hypothesis;
mod incomplete_beta;
pub mod information;
pub mod kernels;
pub mod merge;
pub mod pairs;
pub mod pass;
pub mod rows;
pub mod score;
pub mod soft;
mod studentised_range;

pub use count::{CountFamilies, Family};
pub use extend::FamilyCounter;
pub use family::FamilyTable;
pub use merge::Merge;
pub use pairs::{CountPairs, PairCounts};
pub use pass::{Pass, run_pass};
pub use rows::score_rows;
pub use score::Score;
pub use soft::ScatterFamilies;
