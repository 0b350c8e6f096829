//! A number for every row and class, block by block on all threads: the frame of prediction.

use crate::data::{Block, View};
use crate::run::Run;
use rayon::prelude::*;

/// The most rows whose scores are held in cache while every column is visited, and the fewest worth a task of their own.
const BLOCK: usize = 2048;
const SMALLEST: usize = 16;

/// Rows x classes, class innermost: `score` fills the numbers of a block of rows, with room of its own that is used again,
/// and `finish` has the last word on each row.
pub fn score_rows<R: Default>(
    view: View<'_>,
    classes: usize,
    run: &Run<'_>,
    score: impl Fn(&Block<'_>, &mut R, &mut [f64]) + Sync,
    finish: impl Fn(&mut [f64]) + Sync,
) -> Vec<f64> {
    let mut values = vec![0.0; view.len() * classes];
    run.install(|| {
        // A row's numbers depend on no other row, so blocks may be as many as keep all threads at work.
        let shares = 4 * rayon::current_num_threads();
        let rows = view.len().div_ceil(shares).clamp(SMALLEST, BLOCK);
        values.par_chunks_mut(rows * classes).enumerate().for_each_init(
            R::default,
            |room, (number, scores)| {
                score(&view.block(number * rows, scores.len() / classes), room, scores);
                scores.chunks_exact_mut(classes).for_each(&finish);
            },
        );
    });
    values
}
