//! How well two partitions of the same rows agree, from their contingency table alone (ALGORITHMS, section 8).

use super::contingency::{Contingency, LabelWeight, Meeting};
use super::matching::heaviest_matching;
use crate::stats::information::entropy;
use serde::Serialize;

/// The measures of agreement of two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// See [`hamming`].
    pub hamming: f64,
    /// See [`adjusted_rand`].
    pub adjusted_rand: f64,
    /// See [`normalised_information`].
    pub normalised_information: f64,
    /// See [`accuracy`].
    pub accuracy: f64,
}

/// All measures of two partitions.
pub fn agreement(table: &Contingency) -> Agreement {
    Agreement {
        hamming: hamming(table),
        adjusted_rand: adjusted_rand(table),
        normalised_information: normalised_information(table),
        accuracy: accuracy(table),
    }
}

/// The Hamming distance of the co-membership matrices: in how many of their N x N entries (each pair twice, a row with
/// itself included, which never differs) two rows are together in one partition and apart in the other;
/// sum a^2 + sum b^2 - 2 sum n^2. With weights an entry counts as the product of its rows' weights. Exact up to 94
/// million rows.
pub fn hamming(table: &Contingency) -> f64 {
    let squares = Squares::of(table);
    squares.first + squares.second - 2.0 * squares.both
}

/// The adjusted Rand index: 1 for equal partitions, 0 on average for independent ones of the same sizes, below 0 for
/// worse. Two partitions without a pair that one joins and the other parts agree wholly: no rows, one cluster each, or
/// singletons each. Weights count rows (2 is the row twice).
pub fn adjusted_rand(table: &Contingency) -> f64 {
    let (squares, total) = (Squares::of(table), table.total());
    let joined_by_both = squares.both - total;
    let joined_by_first = squares.first - squares.both;
    let joined_by_second = squares.second - squares.both;
    let apart = total * total - squares.first - squares.second + squares.both;
    if joined_by_first == 0.0 && joined_by_second == 0.0 {
        return 1.0;
    }
    let over = 2.0 * (joined_by_both * apart - joined_by_first * joined_by_second);
    let under = (joined_by_both + joined_by_first) * (joined_by_first + apart)
        + (joined_by_both + joined_by_second) * (joined_by_second + apart);
    // Only weights far below 1 can make it vanish: then there is not one pair to judge by.
    if under > 0.0 { over / under } else { 0.0 }
}

/// I(A; B) / ((H(A) + H(B)) / 2): 1 for equal partitions, 0 for independent ones. It is 1 where both have one cluster or
/// there are no rows, 0 where only one of them has one cluster.
pub fn normalised_information(table: &Contingency) -> f64 {
    match (table.first().len(), table.second().len()) {
        (0 | 1, 0 | 1) => return 1.0,
        (1, _) | (_, 1) => return 0.0,
        _ => {}
    }
    let total = table.total();
    let term = |weight: f64, a: f64, b: f64| weight / total * (weight * total / (a * b)).ln();
    let information: f64 = table
        .cells()
        .iter()
        .map(|c| term(c.weight, table.first()[c.first].weight, table.second()[c.second].weight))
        .sum();
    let weights = |labels: &[LabelWeight]| labels.iter().map(|l| l.weight).collect::<Vec<f64>>();
    let mean = (entropy(&weights(table.first())) + entropy(&weights(table.second()))) / 2.0;
    // Independent partitions leave some rounding, on either side of 0.
    if information <= f64::EPSILON * mean { 0.0 } else { (information / mean).min(1.0) }
}

/// The share of rows on which the partitions agree once the labels of one are matched with those of the other as well as
/// they can be, each with at most one; 1 where there are no rows.
pub fn accuracy(table: &Contingency) -> f64 {
    let total = table.total();
    if total == 0.0 {
        return 1.0;
    }
    // Each label once, so the sum cannot exceed the whole but by rounding.
    let matched: f64 = matching(table).iter().map(|m| m.weight).sum();
    (matched / total).min(1.0)
}

/// The best matching of the labels: the cells of the table that join partners, by first label. A label may have none.
pub fn matching(table: &Contingency) -> Vec<Meeting> {
    let cells: Vec<(usize, usize, f64)> =
        table.cells().iter().map(|c| (c.first, c.second, c.weight)).collect();
    let pairs = heaviest_matching(&cells, table.first().len(), table.second().len());
    let cell = |&(a, b): &(usize, usize)| {
        let at = table.cells().binary_search_by_key(&(a, b), |c| (c.first, c.second)).ok()?;
        Some(table.cells()[at])
    };
    pairs.iter().filter_map(cell).collect()
}

/// Sums of squares of a contingency table's margins and cells.
struct Squares {
    first: f64,
    second: f64,
    both: f64,
}

impl Squares {
    fn of(table: &Contingency) -> Squares {
        Squares {
            first: table.first().iter().map(|l| l.weight * l.weight).sum(),
            second: table.second().iter().map(|l| l.weight * l.weight).sum(),
            both: table.cells().iter().map(|c| c.weight * c.weight).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};
    use crate::seed::{Purpose, Random};

    fn table(a: &[u32], b: &[u32]) -> Contingency {
        let some = |l: &[u32]| l.iter().map(|&c| Some(c)).collect::<Vec<_>>();
        Contingency::new(&some(a), &some(b), None).unwrap()
    }

    /// Two random labelings of a few rows.
    fn random_labels(random: &mut Random) -> (Vec<u32>, Vec<u32>) {
        let (rows, ka, kb) = (1 + random.below(12), 1 + random.below(5), 1 + random.below(5));
        let a = (0..rows).map(|_| random.below(ka) as u32).collect();
        let b = (0..rows).map(|_| random.below(kb) as u32).collect();
        (a, b)
    }

    #[test]
    fn hamming_and_rand_by_all_pairs() {
        let mut random = Random::new(2, Purpose::Sample, 0);
        for _ in 0..500 {
            let (a, b) = random_labels(&mut random);
            let (mut differ, mut pairs) = (0, [[0.0f64; 2]; 2]);
            for i in 0..a.len() {
                for j in 0..a.len() {
                    let (in_a, in_b) = (a[i] == a[j], b[i] == b[j]);
                    differ += u32::from(in_a != in_b);
                    if i != j {
                        pairs[usize::from(in_a)][usize::from(in_b)] += 1.0;
                    }
                }
            }
            let t = table(&a, &b);
            assert_eq!(hamming(&t), f64::from(differ));
            // The usual form: (index - expected) / (maximum - expected), in pairs joined.
            let (joined_a, joined_b) = (pairs[1][0] + pairs[1][1], pairs[0][1] + pairs[1][1]);
            let all = pairs[0][0] + pairs[0][1] + pairs[1][0] + pairs[1][1];
            let expected = joined_a * joined_b / all;
            let usual = (pairs[1][1] - expected) / ((joined_a + joined_b) / 2.0 - expected);
            let ours = adjusted_rand(&t);
            assert!(usual.is_nan() || close(ours, usual, 1e-10), "{a:?} {b:?}: {ours} {usual}");
        }
    }

    #[test]
    fn measures_do_not_depend_on_labels_or_sides() {
        let mut random = Random::new(3, Purpose::Sample, 0);
        for _ in 0..200 {
            let (a, b) = random_labels(&mut random);
            let (there, back) = (agreement(&table(&a, &b)), agreement(&table(&b, &a)));
            let renamed: Vec<u32> = a.iter().map(|&l| 900 - 7 * l).collect();
            for other in [back, agreement(&table(&renamed, &b))] {
                assert_eq!(there.hamming, other.hamming);
                assert_eq!(there.accuracy, other.accuracy);
                assert!(close(there.adjusted_rand, other.adjusted_rand, ROUNDING));
                let (x, y) = (there.normalised_information, other.normalised_information);
                assert!(close(x, y, ROUNDING));
            }
        }
    }

    #[test]
    fn equal_partitions_agree_wholly() {
        for labels in [&[][..], &[4], &[1, 1, 1], &[0, 1, 2, 3], &[0, 0, 1, 2, 1]] {
            let got = agreement(&table(labels, labels));
            assert_eq!((got.hamming, got.adjusted_rand, got.accuracy), (0.0, 1.0, 1.0));
            assert!(close(got.normalised_information, 1.0, ROUNDING));
        }
    }

    #[test]
    fn one_cluster_against_singletons() {
        let got = agreement(&table(&[0; 5], &[0, 1, 2, 3, 4]));
        assert_eq!((got.hamming, got.adjusted_rand), (20.0, 0.0));
        assert_eq!((got.normalised_information, got.accuracy), (0.0, 0.2));
    }

    #[test]
    fn a_matching_has_each_label_once() {
        // The largest cell would take 5 and leave 0; the best is 4 and 4.
        let a = [vec![0; 9], vec![1; 4]].concat();
        let b = [vec![0; 5], vec![1; 4], vec![0; 4]].concat();
        let t = table(&a, &b);
        let found: Vec<(usize, usize)> = matching(&t).iter().map(|m| (m.first, m.second)).collect();
        assert_eq!(found, [(0, 1), (1, 0)]);
        assert!(close(accuracy(&t), 8.0 / 13.0, ROUNDING));
    }

    #[test]
    fn weight_two_is_the_row_twice() {
        let (a, b) = ([0, 0, 1, 1, 2], [0, 1, 1, 1, 0]);
        let some = |l: &[u32]| l.iter().map(|&c| Some(c)).collect::<Vec<_>>();
        let weights = [2.0, 1.0, 3.0, 1.0, 2.0];
        let weighed = Contingency::new(&some(&a), &some(&b), Some(&weights)).unwrap();
        let repeat = |l: &[u32]| {
            let times = l.iter().zip(weights);
            times.flat_map(|(&x, w)| vec![x; w as usize]).collect::<Vec<u32>>()
        };
        let twice = table(&repeat(&a), &repeat(&b));
        assert_eq!(agreement(&weighed), agreement(&twice));
    }
}
