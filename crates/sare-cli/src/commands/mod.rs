//! One file per subcommand.

pub mod cluster;
pub mod compare;
pub mod convert;
pub mod curve;
pub mod demo;
pub mod evaluate;
pub mod fit;
pub mod generate;
pub mod independent;
pub mod inspect;
pub mod learners;
pub mod partitions;
pub mod predict;
pub mod query;
pub mod report;
pub mod reproduce;
pub mod sample;
pub mod show;
