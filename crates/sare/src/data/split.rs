//! Parting rows into training and test parts, as lists of row numbers: the table is never copied.

use crate::seed::{Purpose, Random};

/// A training part and the test part that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The rows to learn from, in rising order.
    pub train: Vec<u32>,
    /// The rows to test on, in rising order.
    pub test: Vec<u32>,
}

/// Rows that are never tested are in no fold.
const NO_FOLD: u32 = u32::MAX;

/// Rows dealt into folds of sizes that differ by at most one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    /// Each row's fold, in the order of `rows`.
    fold: Vec<u32>,
    rows: Vec<u32>,
    count: usize,
}

impl Folds {
    /// Deals `rows` at random into `count` folds. `repetition` gives other folds from the same seed.
    pub fn random(rows: &[u32], count: usize, seed: u64, repetition: u64) -> Folds {
        Folds::dealt(rows, &vec![0; rows.len()], count, seed, repetition, false)
    }

    /// Deals `rows` at random into `count` folds with each class spread as evenly as it can be. `classes` holds the
    /// class of each of the rows. A row that is the only one of its class is in no fold, and so in every training part.
    pub fn stratified(
        rows: &[u32],
        classes: &[usize],
        count: usize,
        seed: u64,
        repetition: u64,
    ) -> Folds {
        Folds::dealt(rows, classes, count, seed, repetition, true)
    }

    /// Each row is its own fold.
    pub fn leave_one_out(rows: &[u32]) -> Folds {
        Folds { fold: (0..rows.len() as u32).collect(), rows: rows.to_vec(), count: rows.len() }
    }

    fn dealt(
        rows: &[u32],
        classes: &[usize],
        count: usize,
        seed: u64,
        repetition: u64,
        spare: bool,
    ) -> Folds {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        Random::new(seed, Purpose::Split, repetition).shuffle(&mut order);
        // Class by class round the table: every class is spread, and no fold gets all the left-overs.
        order.sort_by_key(|&i| classes[i]);
        let mut fold = vec![NO_FOLD; rows.len()];
        let mut turn = 0;
        for class in order.chunk_by(|&i, &j| classes[i] == classes[j]) {
            for &i in class.iter().filter(|_| !spare || class.len() > 1) {
                fold[i] = (turn % count.max(1)) as u32;
                turn += 1;
            }
        }
        Folds { fold, rows: rows.to_vec(), count }
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The split that tests on one fold.
    pub fn split(&self, fold: usize) -> Split {
        let mut split = Split { train: Vec::new(), test: Vec::new() };
        for (&row, &f) in self.rows.iter().zip(&self.fold) {
            if f as usize == fold { split.test.push(row) } else { split.train.push(row) }
        }
        split
    }

    /// All splits in turn.
    pub fn splits(&self) -> impl Iterator<Item = Split> + '_ {
        (0..self.count).map(|f| self.split(f))
    }
}

/// Tests on a random part of `rows` (at least one row, if there are two) and learns from the rest.
pub fn hold_out(rows: &[u32], fraction: f64, seed: u64, repetition: u64) -> Split {
    let mut order: Vec<u32> = rows.to_vec();
    Random::new(seed, Purpose::Split, repetition).shuffle(&mut order);
    let wanted = (fraction.clamp(0.0, 1.0) * rows.len() as f64).round() as usize;
    let tested =
        wanted.clamp(1.min(rows.len()), rows.len().saturating_sub(1).max(1).min(rows.len()));
    let mut train = order.split_off(tested);
    order.sort_unstable();
    train.sort_unstable();
    Split { train, test: order }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(n: u32) -> Vec<u32> {
        (0..n).collect()
    }

    #[test]
    fn folds_are_even_and_cover_every_row_once() {
        let folds = Folds::random(&all(23), 5, 1, 0);
        let mut tested: Vec<u32> = Vec::new();
        for split in folds.splits() {
            assert!(split.test.len() == 4 || split.test.len() == 5);
            assert_eq!(split.train.len() + split.test.len(), 23);
            assert!(split.train.iter().all(|r| !split.test.contains(r)));
            tested.extend(split.test);
        }
        tested.sort_unstable();
        assert_eq!(tested, all(23));
    }

    #[test]
    fn stratified_folds_spread_each_class() {
        let classes: Vec<usize> = (0..100).map(|i| usize::from(i < 30)).collect();
        for split in Folds::stratified(&all(100), &classes, 10, 4, 0).splits() {
            assert_eq!(split.test.iter().filter(|&&r| r < 30).count(), 3);
            assert_eq!(split.test.len(), 10);
        }
    }

    #[test]
    fn a_rare_class_is_spread_and_a_single_row_is_always_learnt_from() {
        let mut classes = vec![0; 20];
        classes.extend([1, 1, 1, 2]);
        let splits: Vec<Split> = Folds::stratified(&all(24), &classes, 5, 3, 0).splits().collect();
        let rare = |s: &Split| s.test.iter().filter(|&&r| (20..23).contains(&r)).count();
        assert!(splits.iter().all(|s| rare(s) <= 1));
        assert_eq!(splits.iter().map(rare).sum::<usize>(), 3);
        assert!(splits.iter().all(|s| s.train.contains(&23) && !s.test.contains(&23)));
        assert!(splits.iter().all(|s| (4..=5).contains(&s.test.len())));
    }

    #[test]
    fn seeds_and_repetitions_differ_and_repeat() {
        let folds = |seed, repetition| Folds::random(&all(50), 5, seed, repetition);
        assert_eq!(folds(1, 0), folds(1, 0));
        assert_ne!(folds(1, 0), folds(2, 0));
        assert_ne!(folds(1, 0), folds(1, 1));
    }

    #[test]
    fn leave_one_out_tests_each_row_alone() {
        let folds = Folds::leave_one_out(&[3, 5, 8]);
        assert_eq!(folds.split(1), Split { train: vec![3, 8], test: vec![5] });
    }

    #[test]
    fn hold_out_has_the_size_asked_for() {
        let split = hold_out(&all(300), 1.0 / 3.0, 1, 0);
        assert_eq!((split.train.len(), split.test.len()), (200, 100));
        assert_eq!(hold_out(&all(2), 0.0, 1, 0).test.len(), 1);
        assert_eq!(hold_out(&[], 0.5, 1, 0).test.len(), 0);
    }
}
