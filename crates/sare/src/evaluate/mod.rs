//! Evaluation: how well a learner does on rows it has not seen, which of several is better, and how sure that is.

pub mod auc;
pub mod calibration;
pub mod cluster_report;
pub mod compare;
pub mod curve;
pub mod journal;
pub mod measures;
pub mod published;
pub mod report;
pub mod scheme;
pub mod summary;
pub mod validate;

pub use calibration::{Calibration, ReliabilityBin};
pub use compare::{Candidate, Comparison, DataSet};
pub use journal::Journal;
pub use measures::{MEASURES, Measure, Measures, Predictions};
pub use scheme::{Plan, Scheme};
pub use summary::Summary;
pub use validate::{
    Estimate, Evaluation, FoldResult, Options, SplitOutcome, evaluate, impossible_note, notes,
};
