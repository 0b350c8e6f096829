//! Classifiers: a structure with parameters, fitted; prediction with missing cells and unseen levels; model files.

pub mod classifier;
mod density;
pub mod learner;
mod model_file;

pub use classifier::{Classifier, Posteriors, Prediction};
pub use learner::{ClassWeights, Learner};
