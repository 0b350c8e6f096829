//! What was learnt, ready to score rows.

use crate::average::{self, Model, PairModel};
use crate::data::{Block, View};
use crate::error::Result;
use crate::infer::density::{LogTables, Purpose, Room};
use crate::network::Network;
use crate::run::Run;
use crate::stats::score_rows;

/// A model with all that scoring rows needs.
#[derive(Clone, Debug)]
pub(crate) enum Fitted {
    /// A network and its log-probabilities.
    Network(Network, LogTables),
    /// An average made of pairs, which keeps its own.
    Pairs(PairModel),
}

impl From<Model> for Fitted {
    fn from(model: Model) -> Fitted {
        match model {
            Model::Network(network) => {
                let tables = LogTables::new(&network);
                Fitted::Network(network, tables)
            }
            Model::Pairs(pairs) => Fitted::Pairs(pairs),
        }
    }
}

impl Fitted {
    /// The model.
    pub(crate) fn model(self) -> Model {
        match self {
            Fitted::Network(network, _) => Model::Network(network),
            Fitted::Pairs(pairs) => Model::Pairs(pairs),
        }
    }

    /// How many classes it tells apart.
    pub(crate) fn classes(&self) -> usize {
        match self {
            Fitted::Network(network, _) => network.states(network.variables().len() - 1),
            Fitted::Pairs(pairs) => pairs.tables().classes(),
        }
    }

    /// How many numbers the tables leave free.
    pub(crate) fn free_parameters(&self) -> usize {
        match self {
            Fitted::Network(network, _) => network.free_parameters(),
            Fitted::Pairs(pairs) => pairs.free_parameters(),
        }
    }

    /// The log-joint of every row and class, rows by rows, each row finished by `finish`; fails only where missing cells
    /// cannot be summed out in the memory there is.
    pub(crate) fn per_class(
        &self,
        coded: View<'_>,
        purpose: Purpose,
        run: &Run<'_>,
        finish: impl Fn(&mut [f64]) + Sync,
    ) -> Result<Vec<f64>> {
        let classes = self.classes();
        Ok(match self {
            Fitted::Network(_, tables) => {
                tables.check(coded)?;
                let score = |block: &Block<'_>, room: &mut Room, scores: &mut [f64]| {
                    tables.log_joint(block, purpose, room, scores);
                };
                score_rows(coded, classes, run, score, finish)
            }
            Fitted::Pairs(pairs) => {
                let score = |block: &Block<'_>, room: &mut average::Room, scores: &mut [f64]| {
                    pairs.log_joint(block, room, scores);
                };
                score_rows(coded, classes, run, score, finish)
            }
        })
    }
}
