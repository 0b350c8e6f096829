//! What families gain by one more parent, each computed once.

use crate::data::Source;
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use crate::stats::extend::SeenCounts;
use crate::stats::family::LARGEST_TABLE;
use crate::stats::{Family, FamilyCounter, Score};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The most cells a family may have that a search looks at: its table must fit in memory and in a model file.
pub(super) const MOST_CELLS: f64 = (1 << 22) as f64;

/// The most gains that are kept: beyond, it begins anew.
const MOST_KEPT: usize = 1 << 22;

/// What the search remembers of two nodes, in bytes, about.
const BYTES_OF_A_GAIN: u128 = 128;

/// A child and one more parent, then the parents in rising order.
type Key = Vec<u32>;

/// What is to be made ready: a child with its parents, and those of which one more parent may come.
pub(super) struct Wanted {
    pub child: usize,
    pub parents: Vec<usize>,
    pub more: Vec<usize>,
}

/// What the families a search has met gain by one more parent. Every child may have parents that are always there (the
/// class, for classifiers in which it is a parent of all) and are not named.
///
/// With and without the parent a family is scored by the same rows, those in which all its members are seen: fewer rows
/// must not look like better evidence. The gain counts as if they were all rows.
pub(super) struct FamilyScores<'a> {
    counter: FamilyCounter<'a>,
    score: Score,
    /// The column of each node. Callers number nodes; inside, everything is by columns.
    columns: Vec<usize>,
    /// The parents of each child that are always there.
    always: Vec<Vec<usize>>,
    most_parents: usize,
    gains: FxHashMap<Key, f64>,
    run: &'a Run<'a>,
    /// Families that were too large to be looked at.
    refused: usize,
    /// The weight of the rows in which the family with the most missing cells was seen.
    least_seen: f64,
}

/// A gain and the weight of the rows it comes from.
struct Gained {
    key: Key,
    gain: f64,
    seen: f64,
}

impl<'a> FamilyScores<'a> {
    pub(super) fn new(
        data: &Source<'a>,
        score: Score,
        columns: Vec<usize>,
        always: Vec<Vec<usize>>,
        most_parents: usize,
        run: &'a Run<'a>,
    ) -> Result<FamilyScores<'a>> {
        // A gain, its key and its place in the search for every two nodes.
        let bytes = (always.len() as u128).pow(2) * BYTES_OF_A_GAIN;
        if bytes > LARGEST_TABLE {
            return Err(Error::TooLarge {
                what: format!("the gains of all pairs of {} columns", always.len()),
                bytes,
                limit: LARGEST_TABLE,
                fix: "leave out columns, or use what needs no search, such as nb or selective, and for clusters em or ema"
                    .into(),
            });
        }
        let counter = FamilyCounter::new(*data, run)?;
        let (gains, least_seen) = (FxHashMap::default(), counter.total());
        Ok(FamilyScores {
            counter,
            score,
            columns,
            always,
            most_parents,
            gains,
            run,
            refused: 0,
            least_seen,
        })
    }

    fn columns_of(&self, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().map(|&v| self.columns[v]).collect()
    }

    /// How many nodes are searched over.
    pub(super) fn nodes(&self) -> usize {
        self.always.len()
    }

    /// The most parents a node may have beside those that are always there.
    pub(super) fn most_parents(&self) -> usize {
        self.most_parents
    }

    /// Tells what the user should know of the families the search met.
    pub(super) fn tell(&self) -> Result<()> {
        if self.refused > 0 {
            let refused = self.refused;
            self.run.note(&format!(
                "{refused} families were not looked at: their tables are too large"
            ))?;
        }
        let (least, total) = (self.least_seen, self.counter.total());
        if least < total * (1.0 - 1e-9) {
            let (least, total) = (rounded(least), rounded(total));
            self.run.note(&format!(
                "cells are missing: a family gains a parent by the rows in which all are seen, at least {least} of {total}"
            ))?;
        }
        Ok(())
    }

    /// The score of a family by itself.
    pub(super) fn family(&self, child: usize, parents: &[usize]) -> Result<f64> {
        let family = self.named(self.columns[child], &self.columns_of(parents));
        let (base, _) = self.counter.extend(&family, &[], |_, _, _| ())?;
        let seen = base.table.total();
        let scale = if seen > 0.0 { self.counter.total() / seen } else { 1.0 };
        Ok(base.score(self.score, scale))
    }

    /// What a child gains if `other` becomes, or ceases to be, its parent; that must have been prepared. What cannot be
    /// is minus infinity.
    pub(super) fn gain(&self, child: usize, parents: &[usize], other: usize) -> f64 {
        let (child, other) = (self.columns[child], self.columns[other]);
        let parents = self.columns_of(parents);
        let of = |key: Key| self.gains.get(&key).copied();
        if parents.contains(&other) {
            let smaller: Vec<usize> = parents.iter().copied().filter(|&p| p != other).collect();
            of(key(child, &smaller, other)).map_or(f64::NEG_INFINITY, |gain| -gain)
        } else {
            of(key(child, &parents, other)).unwrap_or(f64::NEG_INFINITY)
        }
    }

    /// Makes gains ready: of one more parent, and if `fewer` of one parent less.
    pub(super) fn prepare(&mut self, wanted: &[Wanted], fewer: bool) -> Result<()> {
        if self.gains.len() > MOST_KEPT {
            self.gains.clear();
        }
        let mut tasks: Vec<Wanted> = Vec::new();
        for Wanted { child, parents, more } in wanted {
            let child = &self.columns[*child];
            let (parents, more) = (&self.columns_of(parents), &self.columns_of(more));
            let mut open = Vec::new();
            for &p in more.iter().filter(|p| !parents.contains(p)) {
                let key = key(*child, parents, p);
                if self.gains.contains_key(&key) {
                    continue;
                }
                if self.fits(*child, parents, p) {
                    open.push(p);
                } else {
                    self.refused += 1;
                    self.gains.insert(key, f64::NEG_INFINITY);
                }
            }
            if !open.is_empty() {
                tasks.push(Wanted { child: *child, parents: parents.clone(), more: open });
            }
            for &p in parents.iter().filter(|_| fewer) {
                let smaller: Vec<usize> = parents.iter().copied().filter(|&q| q != p).collect();
                if !self.gains.contains_key(&key(*child, &smaller, p)) {
                    tasks.push(Wanted { child: *child, parents: smaller, more: vec![p] });
                }
            }
        }
        let found: Vec<Result<Vec<Gained>>> =
            self.run.install(|| tasks.par_iter().map(|task| self.compute(task)).collect());
        for gained in found {
            for Gained { key, gain, seen } in gained? {
                self.least_seen = self.least_seen.min(seen);
                self.gains.insert(key, gain);
            }
        }
        Ok(())
    }

    fn compute(&self, Wanted { child, parents, more }: &Wanted) -> Result<Vec<Gained>> {
        // A place to stop.
        self.run.tell(&Event::Step { steps: 0 })?;
        let scored =
            |counts: SeenCounts, seen: f64| counts.score(self.score, self.counter.total() / seen);
        // All rows of the family are the rows of most larger ones too.
        let of_base = OnceCell::new();
        let gained = |base: &SeenCounts, p: usize, with: SeenCounts| {
            let key = key(*child, parents, p);
            let (rows, seen) = (base.table.total(), with.table.total());
            let without = match seen > 0.0 {
                false => return Gained { key, gain: f64::NEG_INFINITY, seen },
                true if seen == rows => *of_base.get_or_init(|| scored(base.clone(), rows)),
                true => scored(with.merged(self.counter.states()[p]), seen),
            };
            Gained { key, gain: scored(with, seen) - without, seen }
        };
        Ok(self.counter.extend(&self.named(*child, parents), more, gained)?.1)
    }

    /// A family with the parents that are always there.
    fn named(&self, child: usize, parents: &[usize]) -> Family {
        Family { child, parents: self.always[child].iter().chain(parents).copied().collect() }
    }

    /// Whether a family's table is small enough to be made.
    fn fits(&self, child: usize, parents: &[usize], more: usize) -> bool {
        let members = parents.iter().chain(&self.always[child]).chain([&child, &more]);
        members.map(|&m| self.counter.states()[m] as f64).product::<f64>() <= MOST_CELLS
    }
}

/// A weight as it is told.
fn rounded(weight: f64) -> f64 {
    (weight * 1000.0).round() / 1000.0
}

fn key(child: usize, parents: &[usize], more: usize) -> Key {
    let mut key: Key = [child, more].iter().chain(parents).map(|&v| v as u32).collect();
    key[2..].sort_unstable();
    key
}
