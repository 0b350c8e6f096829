//! Classifiers: a structure with parameters, fitted; prediction with missing cells and unseen levels; model files.

pub mod classifier;
pub mod decision;
pub mod explain;
mod fitted;
pub mod learner;
pub mod leave_one_out;
mod model_file;
mod structures;
mod whole;

pub use classifier::{ClassValues, Classifier, Prediction, Training};
pub use decision::CostMatrix;
pub use explain::{Explainer, Explanation};
pub(crate) use fitted::Fitted;
pub use learner::{ClassWeights, Learner};
pub use structures::Structures;
