//! Scores of families, each computed once.

use crate::data::Source;
use crate::error::Result;
use crate::run::Run;
use crate::stats::extend::SeenCounts;
use crate::stats::{Family, FamilyCounter, Score};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The most cells a family may have that a search looks at: its table must fit in memory and in a model file.
const MOST_CELLS: f64 = (1 << 22) as f64;

/// A child, then its parents in rising order.
type Key = Vec<u32>;

/// The scores of the families a search has met. Every child may have parents that are always there (the class, for
/// classifiers in which it is a parent of all) and are not named.
pub(super) struct FamilyScores<'a> {
    counter: FamilyCounter<'a>,
    score: Score,
    /// The parents of each child that are always there.
    always: Vec<Vec<usize>>,
    most_parents: usize,
    cache: FxHashMap<Key, f64>,
    run: &'a Run<'a>,
    /// Families that were too large to be looked at.
    refused: usize,
}

impl<'a> FamilyScores<'a> {
    pub(super) fn new(
        data: &Source<'a>,
        score: Score,
        always: Vec<Vec<usize>>,
        most_parents: usize,
        run: &'a Run<'a>,
    ) -> Result<FamilyScores<'a>> {
        let counter = FamilyCounter::new(*data, run)?;
        let cache = FxHashMap::default();
        Ok(FamilyScores { counter, score, always, most_parents, cache, run, refused: 0 })
    }

    /// How many nodes are searched over.
    pub(super) fn nodes(&self) -> usize {
        self.always.len()
    }

    /// The most parents a node may have beside those that are always there.
    pub(super) fn most_parents(&self) -> usize {
        self.most_parents
    }

    /// Families that were too large to be looked at.
    pub(super) fn refused(&self) -> usize {
        self.refused
    }

    /// The score of a family that has been prepared; a family that cannot be is minus infinity.
    pub(super) fn of(&self, child: usize, parents: &[usize]) -> f64 {
        self.cache.get(key(child, parents).as_slice()).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Makes the scores of families ready: of each child with its parents, with each of the `more` as one more, and with
    /// each of the parents left out if `fewer`.
    pub(super) fn prepare(
        &mut self,
        wanted: &[(usize, Vec<usize>, Vec<usize>)],
        fewer: bool,
    ) -> Result<()> {
        let mut tasks: Vec<(usize, Vec<usize>, Vec<usize>)> = Vec::new();
        for (child, parents, more) in wanted {
            let mut open = Vec::new();
            for &p in more.iter().filter(|p| !parents.contains(p)) {
                let larger = with(parents, p);
                let key = key(*child, &larger);
                if self.cache.contains_key(&key) {
                    continue;
                }
                if larger.len() > self.most_parents || !self.fits(*child, &larger) {
                    self.refused += usize::from(larger.len() <= self.most_parents);
                    self.cache.insert(key, f64::NEG_INFINITY);
                } else {
                    open.push(p);
                }
            }
            if !open.is_empty() || !self.cache.contains_key(&key(*child, parents)) {
                tasks.push((*child, parents.clone(), open));
            }
            for &p in parents.iter().filter(|_| fewer) {
                let smaller = without(parents, p);
                if !self.cache.contains_key(&key(*child, &smaller)) {
                    tasks.push((*child, smaller, Vec::new()));
                }
            }
        }
        let compute = |task: &(usize, Vec<usize>, Vec<usize>)| self.compute(task);
        let found: Vec<Result<Vec<(Key, f64)>>> =
            self.run.install(|| tasks.par_iter().map(compute).collect());
        for scores in found {
            self.cache.extend(scores?);
        }
        Ok(())
    }

    fn compute(
        &self,
        (child, parents, more): &(usize, Vec<usize>, Vec<usize>),
    ) -> Result<Vec<(Key, f64)>> {
        let always = &self.always[*child];
        let family =
            Family { child: *child, parents: always.iter().chain(parents).copied().collect() };
        let extended = self.counter.extend(&family, more)?;
        let of = |counts: SeenCounts| {
            let seen = counts.table.total();
            // Families are compared as if all rows were seen in each: fewer rows are no better evidence.
            let scale =
                if seen > 0.0 { self.counter.total() / seen } else { return f64::NEG_INFINITY };
            counts.score(self.score, scale)
        };
        let mut scores = vec![(key(*child, parents), of(extended.base))];
        for (&p, counts) in more.iter().zip(extended.with) {
            scores.push((key(*child, &with(parents, p)), of(counts)));
        }
        Ok(scores)
    }

    /// Whether a family's table is small enough to be made.
    fn fits(&self, child: usize, parents: &[usize]) -> bool {
        let members = parents.iter().chain(&self.always[child]).chain([&child]);
        members.map(|&m| self.counter.states()[m] as f64).product::<f64>() <= MOST_CELLS
    }
}

fn key(child: usize, parents: &[usize]) -> Key {
    let mut key: Key =
        std::iter::once(child).chain(parents.iter().copied()).map(|v| v as u32).collect();
    key[1..].sort_unstable();
    key
}

pub(super) fn with(parents: &[usize], more: usize) -> Vec<usize> {
    parents.iter().copied().chain([more]).collect()
}

pub(super) fn without(parents: &[usize], less: usize) -> Vec<usize> {
    parents.iter().copied().filter(|&p| p != less).collect()
}
