//! The one pass over the rows that every learner is a loop around.

use super::merge::Merge;
use crate::data::source::{Block, Source};
use crate::data::stream::PIECE;
use crate::error::Result;
use crate::observe::Event;
use crate::run::Run;
use rayon::prelude::*;

/// What to gather from the rows.
pub trait Pass: Sync {
    /// What is gathered.
    type Stats: Merge + Send;

    /// Statistics of no rows.
    fn empty(&self) -> Self::Stats;

    /// Adds the rows of a block.
    fn add(&self, block: &Block<'_>, stats: &mut Self::Stats);

    /// About how much memory one set of statistics takes.
    fn bytes(&self) -> usize {
        1 << 20
    }

    /// True if the statistics are whole numbers, the same in whatever order they are added up: then each thread
    /// handles its share of the rows at once.
    fn is_exact(&self) -> bool {
        false
    }
}

/// The most pieces whose statistics are held at the same time, and the memory they may take together.
const WAVE: usize = 64;
const WAVE_BYTES: usize = 256 << 20;

/// Gathers statistics from all rows of a source.
///
/// Rows are taken in pieces of fixed size, each gathered by itself, and merged in their order: the bits of the result
/// depend neither on the number of threads nor on where the rows come from.
pub fn run_pass<P: Pass>(source: &Source<'_>, pass: &P, run: &Run<'_>) -> Result<P::Stats> {
    let mut total = pass.empty();
    match source {
        Source::Memory(view) => {
            let size = if pass.is_exact() {
                let threads = run.install(rayon::current_num_threads);
                view.len().div_ceil(threads).next_multiple_of(PIECE)
            } else {
                PIECE
            };
            let pieces = view.len().div_ceil(size.max(1));
            let gather = |piece: usize| {
                let start = piece * size;
                let mut stats = pass.empty();
                pass.add(&view.block(start, size.min(view.len() - start)), &mut stats);
                stats
            };
            // Merged in order, so that the size of a wave changes no bit.
            let at_once = (WAVE_BYTES / pass.bytes().max(1)).clamp(1, WAVE);
            for wave in (0..pieces).step_by(at_once) {
                run.tell(&Event::Step { steps: 0 })?;
                let numbers = wave..(wave + at_once).min(pieces);
                let parts: Vec<P::Stats> =
                    run.install(|| numbers.into_par_iter().map(gather).collect());
                parts.iter().for_each(|part| total.merge(part));
            }
        }
        Source::Stream(stream) => {
            run.tell(&Event::Phase { name: "counting", steps: Some(stream.rows() as u64) })?;
            stream.for_each_piece(|piece| {
                let mut stats = pass.empty();
                pass.add(&piece.view().block(0, piece.rows()), &mut stats);
                total.merge(&stats);
                run.tell(&Event::Step { steps: piece.rows() as u64 })
            })?;
        }
    }
    Ok(total)
}
