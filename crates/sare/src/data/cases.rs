//! Cases and how they are dealt into parts. A row whose weight is a whole number w stands for w cases, any other row for one.
//!
//! Cases are dealt in the order of their cells, equal ones side by side. So a table deals alike whatever the order of its
//! rows, and whether equal rows are written out or joined to one with a weight.

use super::distinct::DistinctRows;
use super::source::View;
use super::split::{Part, Split};
use crate::seed::Random;

/// So many equal cases are dealt one by one; of more, each part's number is drawn at once.
const ONE_BY_ONE: u64 = 8;

/// The fold of a case that is never tested.
const NO_FOLD: u32 = u32::MAX;

/// The cases of some rows.
#[derive(Clone, Debug)]
pub struct Cases {
    /// Row numbers: class by class where classes are spread evenly, equal rows side by side.
    rows: Vec<u32>,
    /// How many cases each row is.
    counts: Vec<u64>,
    /// Where each run of rows with equal cases ends.
    equal: Vec<usize>,
    /// Where each class ends.
    strata: Vec<usize>,
    /// Whether rows stand for several cases.
    weighted: bool,
}

impl Cases {
    /// The cases of a view; rows of weight 0 are none. `stratify` is the column whose levels are spread evenly over folds,
    /// known in every row.
    pub fn of(view: View<'_>, stratify: Option<usize>) -> Cases {
        let table = view.table();
        let frequencies = table.frequencies();
        let weight = |i: usize| table.weights().map_or(1.0, |w| w[view.row(i)]);
        let count = |i: usize| match frequencies {
            Some(f) => f[view.row(i)] as u64,
            None => u64::from(weight(i) > 0.0),
        };
        let kind = DistinctRows::of(view).of_row;
        let stratum =
            |i: usize| stratify.and_then(|c| table.cells(c).code(view.row(i))).unwrap_or(0);
        // Rows that are one case of a weight of their own are equal only if their weights are.
        let same = |i: usize, j: usize| {
            kind[i] == kind[j] && (frequencies.is_some() || weight(i) == weight(j))
        };
        let mut order: Vec<usize> = (0..view.len()).filter(|&i| count(i) > 0).collect();
        order.sort_by(|&i, &j| {
            let cells = (stratum(i), kind[i]).cmp(&(stratum(j), kind[j]));
            let whole = frequencies.is_some();
            cells.then_with(|| if whole { i.cmp(&j) } else { weight(i).total_cmp(&weight(j)) })
        });
        let ends = |differ: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
            let last = |&at: &usize| at == order.len() || differ(order[at - 1], order[at]);
            (1..=order.len()).filter(last).collect()
        };
        Cases {
            rows: order.iter().map(|&i| view.row(i) as u32).collect(),
            counts: order.iter().map(|&i| count(i)).collect(),
            equal: ends(&|i, j| stratum(i) != stratum(j) || !same(i, j)),
            strata: ends(&|i, j| stratum(i) != stratum(j)),
            weighted: frequencies.is_some(),
        }
    }

    /// How many cases there are.
    pub fn len(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// True if there is no case.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many cases each class has, in the order of the classes that have any.
    fn of_strata(&self) -> impl Iterator<Item = (std::ops::Range<usize>, u64)> {
        let starts = std::iter::once(0).chain(self.strata.iter().copied());
        starts.zip(&self.strata).map(|(from, &to)| (from..to, self.counts[from..to].iter().sum()))
    }

    /// Deals the cases at random into folds of sizes that differ by at most one, each class spread as evenly as it can be. The
    /// only case of a class is in no fold, and so in every training part.
    pub fn folds(&self, count: usize, random: &mut Random) -> Dealt {
        let folds = count.max(1) as u64;
        // Class by class round the table: every class is spread, and no fold gets all the left-overs.
        let turns = |dealt: u64, fold: u64| (dealt + folds - 1 - fold) / folds;
        let mut dealt = Dealt::new(self);
        let mut done = 0;
        let several = self.strata.len() > 1;
        for (range, cases) in self.of_strata() {
            if several && cases == 1 {
                let only = range.clone().find(|&i| self.counts[i] > 0);
                only.into_iter().for_each(|i| dealt.push(self.rows[i], NO_FOLD, 1));
                continue;
            }
            let next = done + cases;
            let mut room = (0..folds).map(|f| turns(next, f) - turns(done, f)).collect::<Vec<_>>();
            self.deal(range, &mut room, random, &mut dealt);
            done = next;
        }
        dealt.in_order()
    }

    /// Deals the cases at random into parts of these sizes, which sum to the number of cases.
    pub fn parts(&self, sizes: &[u64], random: &mut Random) -> Dealt {
        let mut dealt = Dealt::new(self);
        self.deal(0..self.rows.len(), &mut sizes.to_vec(), random, &mut dealt);
        dealt.in_order()
    }

    /// Deals the cases of some rows into parts that have room for so many.
    fn deal(
        &self,
        range: std::ops::Range<usize>,
        room: &mut [u64],
        random: &mut Random,
        dealt: &mut Dealt,
    ) {
        let mut own = vec![0; room.len()];
        let mut at = range.start;
        let first = self.equal.partition_point(|&end| end <= range.start);
        for &end in self.equal[first..].iter().take_while(|&&end| end <= range.end) {
            draw(self.counts[at..end].iter().sum(), room, random, &mut own);
            let mut rows = (at..end).map(|i| (self.rows[i], self.counts[i]));
            let mut open = (0, 0);
            for (part, &cases) in own.iter().enumerate() {
                let mut cases = cases;
                while cases > 0 {
                    if open.1 == 0 {
                        let Some(next) = rows.next() else { break };
                        open = next;
                    }
                    let given = cases.min(open.1);
                    dealt.push(open.0, part as u32, given);
                    open.1 -= given;
                    cases -= given;
                }
            }
            at = end;
        }
    }

    /// Tests on a random share of the cases (at least one, if there are two) and learns from the rest.
    pub fn hold_out(&self, share: f64, random: &mut Random) -> Split {
        let all = self.len();
        let wanted = (share.clamp(0.0, 1.0) * all as f64).round() as u64;
        let tested = wanted.min(all.saturating_sub(1)).max(1).min(all);
        self.parts(&[tested, all - tested], random).split(0)
    }

    /// So many cases of each row, in the order of the rows here.
    fn part(&self, cases: &[u64]) -> Part {
        let mut all: Vec<(u32, u64)> =
            self.rows.iter().copied().zip(cases.iter().copied()).collect();
        all.retain(|(_, cases)| *cases > 0);
        all.sort_unstable();
        if self.weighted {
            let (rows, cases) = all.into_iter().unzip();
            return Part::with_cases(rows, cases);
        }
        let again = |(row, times): (u32, u64)| std::iter::repeat_n(row, times as usize);
        Part::whole(all.into_iter().flat_map(again).collect())
    }

    /// As many cases as there are, drawn with replacement, and those not drawn. Of very few cases all may be drawn, with
    /// nothing left to test: then they are drawn again.
    pub fn drawn(&self, random: &mut Random) -> Split {
        let total = self.len();
        let mut before = 0;
        let ends: Vec<u64> = self
            .counts
            .iter()
            .map(|n| {
                before += n;
                before
            })
            .collect();
        let mut times = vec![0u64; self.rows.len()];
        let mut hit = vec![0u64; total.div_ceil(64) as usize];
        let mut left = vec![0; self.rows.len()];
        while left.iter().all(|&n| n == 0) {
            times.fill(0);
            hit.fill(0);
            left.copy_from_slice(&self.counts);
            for _ in 0..total {
                let case = random.below(total as usize) as u64;
                let row = ends.partition_point(|&end| end <= case);
                times[row] += 1;
                let (word, bit) = (&mut hit[case as usize / 64], 1 << (case % 64));
                left[row] -= u64::from(*word & bit == 0);
                *word |= bit;
            }
            if total < 2 {
                break;
            }
        }
        Split { train: self.part(&times), test: self.part(&left) }
    }
}

/// How many of some equal cases go to each part: draws without replacement from the room that is left.
fn draw(cases: u64, room: &mut [u64], random: &mut Random, own: &mut [u64]) {
    let mut left: u64 = room.iter().sum();
    own.fill(0);
    if cases > ONE_BY_ONE {
        let mut wanted = cases;
        for (room, own) in room.iter_mut().zip(own) {
            *own = random.hypergeometric(left, *room, wanted);
            left -= *room;
            wanted -= *own;
            *room -= *own;
        }
        return;
    }
    for _ in 0..cases {
        let mut place = random.below(left as usize) as u64;
        let mut part = 0;
        while place >= room[part] {
            place -= room[part];
            part += 1;
        }
        own[part] += 1;
        room[part] -= 1;
        left -= 1;
    }
}

/// Cases dealt into parts.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// Rows with the part they are in; a row that stands for several cases may be in several.
    entries: Vec<(u32, u32)>,
    /// How many cases of the row each entry is, where rows stand for several.
    cases: Option<Vec<u64>>,
}

impl Dealt {
    fn new(cases: &Cases) -> Dealt {
        Dealt {
            entries: Vec::with_capacity(cases.rows.len()),
            cases: cases.weighted.then(Vec::new),
        }
    }

    fn push(&mut self, row: u32, part: u32, cases: u64) {
        match (&mut self.cases, self.entries.last()) {
            (Some(all), Some(&last)) if last == (row, part) => {
                if let Some(own) = all.last_mut() {
                    *own += cases;
                }
            }
            (all, _) => {
                self.entries.push((row, part));
                all.iter_mut().for_each(|all| all.push(cases));
            }
        }
    }

    /// With the rows in rising order.
    fn in_order(mut self) -> Dealt {
        match &mut self.cases {
            None => self.entries.sort_unstable(),
            Some(cases) => {
                let mut all: Vec<((u32, u32), u64)> =
                    self.entries.drain(..).zip(cases.drain(..)).collect();
                all.sort_unstable();
                (self.entries, *cases) = all.into_iter().unzip();
            }
        }
        self
    }

    /// The cases in some of the parts together.
    pub fn part(&self, wanted: impl Fn(u32) -> bool) -> Part {
        let chosen = self.entries.iter().enumerate().filter(|(_, (_, part))| wanted(*part));
        let Some(cases) = &self.cases else {
            return Part::whole(chosen.map(|(_, (row, _))| *row).collect());
        };
        let (mut rows, mut own): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
        for (i, &(row, _)) in chosen {
            match own.last_mut() {
                Some(own) if rows.last() == Some(&row) => *own += cases[i],
                _ => {
                    rows.push(row);
                    own.push(cases[i]);
                }
            }
        }
        Part::with_cases(rows, own)
    }

    /// One part to test on, and the others to learn from.
    pub fn split(&self, part: usize) -> Split {
        let part = part as u32;
        Split { train: self.part(|p| p != part), test: self.part(|p| p == part) }
    }
}

#[cfg(test)]
mod tests;
