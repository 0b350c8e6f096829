//! What a join tree costs, known before it is built.

use crate::error::{Error, Result};
use crate::graph::CliqueTree;

/// The tables of a join tree may need this many bytes unless more is allowed.
pub const DEFAULT_LIMIT: u128 = 8_000_000_000;

/// What a join tree costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// How many cliques it has.
    pub cliques: usize,
    /// The entries of its largest clique.
    pub largest: u128,
    /// The entries of all cliques together.
    pub entries: u128,
    /// The entries of all separators together.
    pub separators: u128,
    /// The bytes of the tree and of the room that one query needs.
    pub bytes: u128,
}

impl Cost {
    /// What the tables of a tree of cliques cost.
    pub(super) fn of(tree: &CliqueTree, states: &[usize]) -> Cost {
        let size = |members: &[usize]| {
            members.iter().fold(1u128, |size, &v| size.saturating_mul(states[v] as u128))
        };
        let sizes = tree.cliques.iter().map(|c| size(c));
        let entries = sizes.clone().fold(0, u128::saturating_add);
        let separators = (0..tree.cliques.len()).map(|c| size(&tree.separator(c)));
        let separators = separators.fold(0, u128::saturating_add);
        // Each clique once in the tree and once in the room of a query, and two messages over each separator.
        let numbers = entries.saturating_add(separators).saturating_mul(2);
        Cost {
            cliques: tree.cliques.len(),
            largest: sizes.max().unwrap_or(0),
            entries,
            separators,
            bytes: numbers.saturating_mul(8),
        }
    }

    /// Refuses what would need more bytes than it may have.
    pub(super) fn check(&self, limit: u128) -> Result<()> {
        // Places inside a separator are kept in 32 bits.
        let widest = u128::from(u32::MAX);
        if self.bytes <= limit && self.largest <= widest {
            return Ok(());
        }
        Err(Error::TooLarge {
            what: format!("a join tree whose largest clique has {} entries", self.largest),
            bytes: self.bytes,
            limit: limit.min(widest * 16),
            fix: "know more, ask for fewer variables, allow more memory, or ask for an approximation by likelihood \
                  weighting"
                .into(),
        })
    }
}
