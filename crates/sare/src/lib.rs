//! sare learns Bayesian networks that tell classes apart and find clusters in tables.
//!
//! ```
//! use sare::classify::Learner;
//! use sare::evaluate::{Options, Scheme, evaluate};
//! use sare::network::known::{Shape, generate};
//! use sare::run::Run;
//!
//! let table = generate("monk3", None, &Shape::default(), 1)?;
//! let model = Learner::default().fit(table.view(), "class", &Run::default())?;
//! let prediction = model.predict(&table, &Run::default())?;
//! assert_eq!(prediction.posteriors.rows(), 432);
//!
//! let result = evaluate(
//!     &Learner::default(), &table, "class", Scheme::folds(5), &Options::default(), &Run::default())?;
//! assert!(result.accuracy().mean > 0.9);
//! # Ok::<(), sare::error::Error>(())
//! ```
//!
//! Data flows one way through the rooms: [`data`], [`graph`], [`stats`], [`network`], [`infer`], [`parameters`], [`structure`],
//! [`average`], [`classify`], [`cluster`], [`evaluate`]. A room uses the rooms before it, never those after it.
//! [`registry`] knows every learner by name.

pub mod average;
pub mod classify;
pub mod cluster;
pub mod data;
pub mod describe;
pub mod draw;
pub mod error;
pub mod evaluate;
pub mod graph;
pub mod infer;
pub mod network;
pub mod num;
pub mod observe;
pub mod optimise;
pub mod parameters;
pub mod registry;
pub mod run;
pub mod seed;
pub mod stats;
pub mod structure;
