//! From one start down to where no row wants another cluster: rows to their nearest centres, centres to the best of
//! their rows, and again.

use crate::run::Stop;
use rayon::prelude::*;

/// Rows whose nearest centres are found by one thread.
const PIECE: usize = 1 << 10;

/// What makes a method: rows, distances and best centres.
pub(super) trait Geometry: Sync {
    /// The centres of all clusters.
    type Centres: Send + Sync;

    /// The weights of the rows.
    fn weights(&self) -> &[f64];

    /// Centres at these rows.
    fn at_rows(&self, rows: &[usize]) -> Self::Centres;

    /// The centres of least distance from the rows of each cluster.
    fn centres(&self, assignment: &[u32], clusters: usize) -> Self::Centres;

    /// How far a row is from the centre of a cluster: at least 0, and 0 from a centre at the row itself.
    fn distance(&self, row: usize, centres: &Self::Centres, cluster: usize) -> f64;

    /// The rows to begin with instead of drawn ones, if start `start` has such.
    fn given_start(&self, start: usize, clusters: usize) -> Option<Vec<usize>>;
}

/// Where a start ended.
pub(super) struct Ending {
    pub(super) assignment: Vec<u32>,
    pub(super) objective: f64,
    pub(super) stop: Stop,
    pub(super) trace: Vec<f64>,
}

/// Goes down from centres at some rows. At least one iteration is made, whatever `interrupted` says.
pub(super) fn descend<G: Geometry>(
    geometry: &G,
    start: &[usize],
    max_iterations: usize,
    interrupted: &dyn Fn() -> bool,
) -> Ending {
    let clusters = start.len();
    let mut centres = geometry.at_rows(start);
    let mut assignment: Option<Vec<u32>> = None;
    let mut trace: Vec<f64> = Vec::new();
    let stop = loop {
        let next = next_assignment(geometry, &centres, clusters, assignment.as_deref());
        if assignment.as_ref() == Some(&next) {
            break Stop::Converged;
        }
        let best = geometry.centres(&next, clusters);
        let objective = objective(geometry, &next, &best);
        // Every change lowers the sum, so only rounding can bring us here: the last partition was as good.
        if trace.last().is_some_and(|&last| objective >= last) {
            break Stop::NoGain;
        }
        trace.push(objective);
        (assignment, centres) = (Some(next), best);
        if trace.len() >= max_iterations {
            break Stop::IterationLimit;
        }
        if interrupted() {
            break Stop::Interrupted;
        }
    };
    let objective = trace.last().copied().unwrap_or(0.0);
    Ending { assignment: assignment.unwrap_or_default(), objective, stop, trace }
}

fn objective<G: Geometry>(geometry: &G, assignment: &[u32], centres: &G::Centres) -> f64 {
    let weights = geometry.weights();
    let term =
        |(row, &c): (usize, &u32)| weights[row] * geometry.distance(row, centres, c as usize);
    assignment.iter().enumerate().map(term).sum()
}

/// Each row to its nearest centre, of equals to its present one, else to the first; then a row for every empty cluster.
fn next_assignment<G: Geometry>(
    geometry: &G,
    centres: &G::Centres,
    clusters: usize,
    present: Option<&[u32]>,
) -> Vec<u32> {
    let rows = geometry.weights().len();
    let nearest = |row: usize| {
        let mut best = present.map_or(0, |p| p[row] as usize);
        let mut least = geometry.distance(row, centres, best);
        for c in 0..clusters {
            let distance = geometry.distance(row, centres, c);
            if distance < least {
                (best, least) = (c, distance);
            }
        }
        (best as u32, least)
    };
    let found: Vec<(u32, f64)> =
        (0..rows).into_par_iter().with_min_len(PIECE).map(nearest).collect();
    let (mut assignment, mut distances): (Vec<u32>, Vec<f64>) = found.into_iter().unzip();
    fill_empty(geometry.weights(), clusters, &mut assignment, &mut distances);
    assignment
}

/// Gives every cluster without weight the row that lies farthest from its own centre, where leaving it makes no other
/// cluster empty. Rows that all lie on their centres stay: then there are not enough different rows.
fn fill_empty(weights: &[f64], clusters: usize, assignment: &mut [u32], distances: &mut [f64]) {
    let mut members = vec![0usize; clusters];
    for (&c, &weight) in assignment.iter().zip(weights) {
        members[c as usize] += usize::from(weight > 0.0);
    }
    for cluster in 0..clusters {
        if members[cluster] > 0 {
            continue;
        }
        let mut farthest: Option<(usize, f64)> = None;
        for (row, &distance) in distances.iter().enumerate() {
            let far = weights[row] * distance;
            let may_leave = members[assignment[row] as usize] > 1;
            if may_leave && far > farthest.map_or(0.0, |(_, f)| f) {
                farthest = Some((row, far));
            }
        }
        let Some((row, _)) = farthest else { return };
        members[assignment[row] as usize] -= 1;
        members[cluster] = 1;
        assignment[row] = cluster as u32;
        distances[row] = 0.0;
    }
}
