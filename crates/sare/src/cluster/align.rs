//! Which cluster of one run is which of another: the names of clusters are exchangeable, so runs are aligned before
//! they are compared or averaged.

use super::assignment::assign;
use crate::error::{Error, Result};
use rayon::prelude::*;

/// Rows whose products are summed by themselves before the sums are added in order, so that the result does not depend
/// on threads.
const PIECE: usize = 1 << 14;

/// The probability of every cluster in every row, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Memberships<'a> {
    /// The probabilities, `clusters` of them a row.
    pub values: &'a [f64],
    /// How many clusters there are.
    pub clusters: usize,
}

impl Memberships<'_> {
    fn rows(&self) -> usize {
        self.values.len().checked_div(self.clusters).unwrap_or(0)
    }

    fn piece(&self, piece: usize) -> impl Iterator<Item = &[f64]> {
        let start = (piece * PIECE * self.clusters).min(self.values.len());
        let end = ((piece + 1) * PIECE * self.clusters).min(self.values.len());
        self.values[start..end].chunks_exact(self.clusters.max(1))
    }

    fn check(&self, weights: Option<&[f64]>) -> Result<()> {
        let bad = |problem: String, fix: &str| Err(Error::data("memberships", problem, fix));
        if self.rows() * self.clusters != self.values.len() {
            let problem = format!("{} values for {} clusters", self.values.len(), self.clusters);
            return bad(problem, "give one value a row and cluster");
        }
        match weights {
            Some(w) if w.len() != self.rows() => {
                let problem = format!("{} weights for {} rows", w.len(), self.rows());
                bad(problem, "give one weight a row, or none")
            }
            _ => Ok(()),
        }
    }
}

/// The name that each cluster of the second run gets so that it agrees best with the first: the assignment of greatest
/// weight on the expected co-membership table P^T Q. With as many clusters in both it is a permutation; clusters of the
/// second run that the first has no partner for are named after all of the first's, in their order.
pub fn align(
    first: Memberships<'_>,
    second: Memberships<'_>,
    weights: Option<&[f64]>,
) -> Result<Vec<usize>> {
    first.check(weights)?;
    second.check(weights)?;
    if first.rows() != second.rows() {
        let problem = format!("one run has {} rows, the other {}", first.rows(), second.rows());
        return Err(Error::data("memberships", problem, "align runs on the same rows"));
    }
    let together = expected_table(second, first, weights);
    let costs: Vec<f64> = together.iter().map(|w| -w).collect();
    let partners = assign(&costs, second.clusters, first.clusters)?;
    let mut next = first.clusters;
    let mut name = |partner: Option<usize>| {
        partner.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    Ok(partners.into_iter().map(&mut name).collect())
}

/// sum over rows of weight p(a | row) q(b | row), for each cluster a of the one and b of the other.
fn expected_table(a: Memberships<'_>, b: Memberships<'_>, weights: Option<&[f64]>) -> Vec<f64> {
    let size = a.clusters * b.clusters;
    let sum_piece = |piece: usize| {
        let mut sums = vec![0.0; size];
        for (i, (p, q)) in a.piece(piece).zip(b.piece(piece)).enumerate() {
            let weight = weights.map_or(1.0, |w| w[piece * PIECE + i]);
            for (sums, p) in sums.chunks_exact_mut(b.clusters.max(1)).zip(p) {
                sums.iter_mut().zip(q).for_each(|(s, q)| *s += weight * p * q);
            }
        }
        sums
    };
    let pieces: Vec<Vec<f64>> =
        (0..a.rows().div_ceil(PIECE)).into_par_iter().map(sum_piece).collect();
    let mut table = vec![0.0; size];
    for piece in pieces {
        table.iter_mut().zip(piece).for_each(|(t, s)| *t += s);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Random};

    fn random_rows(rows: usize, clusters: usize, random: &mut Random) -> Vec<f64> {
        (0..rows).flat_map(|_| random.dirichlet(clusters, 0.3)).collect()
    }

    fn memberships(values: &[f64], clusters: usize) -> Memberships<'_> {
        Memberships { values, clusters }
    }

    #[test]
    fn a_renamed_run_gets_its_names_back() {
        let mut random = Random::new(4, Purpose::Sample, 0);
        // More rows than a piece, so that pieces are joined.
        for (rows, k) in [(30, 2), (50, 5), (PIECE + 77, 3), (2 * PIECE, 4)] {
            let p = random_rows(rows, k, &mut random);
            let mut names: Vec<usize> = (0..k).collect();
            random.shuffle(&mut names);
            let mut q = vec![0.0; p.len()];
            for (p, q) in p.chunks(k).zip(q.chunks_mut(k)) {
                (0..k).for_each(|c| q[c] = p[names[c]]);
            }
            assert_eq!(align(memberships(&p, k), memberships(&q, k), None).unwrap(), names);
        }
    }

    #[test]
    fn no_other_permutation_agrees_better() {
        let mut random = Random::new(8, Purpose::Sample, 0);
        for _ in 0..50 {
            let (p, q) = (random_rows(9, 3, &mut random), random_rows(9, 3, &mut random));
            let weights: Vec<f64> = (0..9).map(|_| random.below(3) as f64).collect();
            let agreement = |names: &[usize]| -> f64 {
                let row = |r: usize| -> f64 {
                    (0..3).map(|c| q[3 * r + c] * p[3 * r + names[c]]).sum::<f64>() * weights[r]
                };
                (0..9).map(row).sum()
            };
            let found = align(memberships(&p, 3), memberships(&q, 3), Some(&weights)).unwrap();
            let every = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            let best = every.iter().map(|n| agreement(n)).fold(0.0, f64::max);
            assert!(agreement(&found) >= best - 1e-12);
        }
    }

    #[test]
    fn runs_with_other_numbers_of_clusters() {
        let three = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let two = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0];
        let (three, two) = (memberships(&three, 3), memberships(&two, 2));
        assert_eq!(align(three, two, None).unwrap(), [1, 0]);
        // Of the third's and the second's clusters of equal weight the second comes first; the third is new.
        assert_eq!(align(two, three, None).unwrap(), [1, 0, 2]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (a, b) = ([0.5; 6], [0.5; 4]);
        let problem = |a, b, w| align(a, b, w).unwrap_err().to_string();
        assert!(problem(memberships(&a, 2), memberships(&b, 2), None).contains("3 rows"));
        assert!(problem(memberships(&a, 4), memberships(&b, 2), None).contains("6 values"));
        let weights = Some(&[1.0][..]);
        assert!(problem(memberships(&a, 2), memberships(&a, 2), weights).contains("1 weights"));
    }
}
