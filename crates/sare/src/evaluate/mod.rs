//! Evaluation: how well a learner does on rows it has not seen.

pub mod metrics;
pub mod validate;

pub use metrics::Metrics;
pub use validate::{Evaluation, FoldResult, Scheme, evaluate};
