//! A chain of cluster columns, the parameters integrated out. Rows that are alike are drawn together: how many of them each
//! of two clusters has, given the clusters of all other rows. Drawn one by one, they would move far more slowly.

use super::rows::{MISSING, Rows};
use crate::num::normalise_logs;
use crate::seed::Random;

/// Products in this range lose nothing; others are done by their logarithms.
const RANGE: std::ops::Range<f64> = 1e-290..1e290;

/// Where a chain stands.
pub(super) struct Chain<'a> {
    rows: &'a Rows,
    clusters: usize,
    /// For the cells seen of each kind of rows: where the counts of its state begin, and where the totals of its attribute
    /// do. One kind after the other.
    cells: Vec<(u32, u32)>,
    starts: Vec<usize>,
    /// How many rows of each kind each cluster has.
    shares: Vec<u32>,
    /// The rows of every state of every attribute and cluster, cluster innermost, alpha added.
    counts: Vec<f64>,
    /// Where the counts of each attribute begin.
    from: Vec<usize>,
    /// The sums of the counts over the states of each attribute.
    totals: Vec<f64>,
    /// The rows of every cluster, alpha added.
    sizes: Vec<f64>,
    chances: Vec<f64>,
}

impl<'a> Chain<'a> {
    /// A chain whose first clusters are drawn with these probabilities, for each kind of rows.
    pub fn new(rows: &'a Rows, alpha: f64, first: &[f64], random: &mut Random) -> Chain<'a> {
        let class = rows.attributes();
        let clusters = rows.table.field(class).states();
        let states = |v: usize| rows.table.field(v).states();
        let mut from = vec![0];
        (0..class).for_each(|v| from.push(from[v] + states(v) * clusters));
        let (mut cells, mut starts) = (Vec::new(), vec![0]);
        for kind in 0..rows.copies.len() {
            let seen = rows.codes(kind).iter().enumerate().filter(|(_, code)| **code != MISSING);
            let place = |(v, &code): (usize, &u16)| {
                ((from[v] + code as usize * clusters) as u32, (v * clusters) as u32)
            };
            cells.extend(seen.map(place));
            starts.push(cells.len());
        }
        let total = |v: usize| std::iter::repeat_n(alpha * states(v) as f64, clusters);
        let mut chain = Chain {
            rows,
            clusters,
            cells,
            starts,
            shares: vec![0; rows.copies.len() * clusters],
            counts: vec![alpha; from[class]],
            from,
            totals: (0..class).flat_map(total).collect(),
            sizes: vec![alpha; clusters],
            chances: Vec::new(),
        };
        for (kind, &copies) in rows.copies.iter().enumerate() {
            for _ in 0..copies {
                let cluster = random.categorical(&first[kind * clusters..][..clusters]);
                chain.add(kind, cluster, 1.0);
                chain.shares[kind * clusters + cluster] += 1;
            }
        }
        chain
    }

    /// The rows of each state of an attribute by cluster, cluster innermost, alpha added.
    pub fn counts(&self, attribute: usize) -> &[f64] {
        &self.counts[self.from[attribute]..self.from[attribute + 1]]
    }

    /// The rows of each cluster, alpha added.
    pub fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// Draws the clusters of every kind of rows.
    pub fn sweep(&mut self, random: &mut Random) {
        let clusters = self.clusters;
        for kind in 0..self.rows.copies.len() {
            match clusters {
                0 | 1 => {}
                2 => self.share(kind, 0, 1, random),
                _ => {
                    for _ in 1..clusters {
                        let a = random.below(clusters);
                        let b = (a + 1 + random.below(clusters - 1)) % clusters;
                        self.share(kind, a, b, random);
                    }
                }
            }
        }
    }

    fn add(&mut self, kind: usize, cluster: usize, by: f64) {
        for &(count, total) in &self.cells[self.starts[kind]..self.starts[kind + 1]] {
            self.counts[count as usize + cluster] += by;
            self.totals[total as usize + cluster] += by;
        }
        self.sizes[cluster] += by;
    }

    /// Shares the rows of a kind that two clusters have between the two, given all other rows.
    fn share(&mut self, kind: usize, a: usize, b: usize, random: &mut Random) {
        let place = kind * self.clusters;
        let (in_a, in_b) = (self.shares[place + a], self.shares[place + b]);
        let both = in_a + in_b;
        if both == 0 {
            return;
        }
        self.add(kind, a, -f64::from(in_a));
        self.add(kind, b, -f64::from(in_b));
        let now = if both == 1 {
            let odds = self.odds(kind, a, b, 0, 1);
            u32::from(random.uniform() * (1.0 + odds) >= 1.0)
        } else {
            self.weigh(kind, a, b, both);
            random.categorical(&self.chances) as u32
        };
        self.add(kind, a, f64::from(now));
        self.add(kind, b, f64::from(both - now));
        self.shares[place + a] = now;
        self.shares[place + b] = both - now;
    }

    /// The probability that cluster a has none, one, ... or all of the rows, the rest being in b.
    fn weigh(&mut self, kind: usize, a: usize, b: usize, both: u32) {
        let mut chances = std::mem::take(&mut self.chances);
        chances.clear();
        chances.push(1.0);
        let (mut product, mut sum) = (1.0, 1.0);
        for t in 0..both {
            product *= self.odds(kind, a, b, t, both);
            chances.push(product);
            sum += product;
        }
        let usual = |p: &f64| RANGE.contains(p);
        if chances.iter().all(usual) {
            chances.iter_mut().for_each(|p| *p /= sum);
        } else {
            let mut log = 0.0;
            for t in 0..both {
                log += self.odds(kind, a, b, t, both).ln();
                chances[t as usize + 1] = log;
            }
            chances[0] = 0.0;
            normalise_logs(&mut chances);
        }
        self.chances = chances;
    }

    /// How much more probable it is that cluster a has t + 1 of the rows than that it has t, the rest being in b. The counts
    /// are those without these rows. The product stays in range: at most 16 attributes, and neither alpha nor the number of
    /// rows is extreme.
    #[inline]
    fn odds(&self, kind: usize, a: usize, b: usize, t: u32, both: u32) -> f64 {
        let (more, less) = (f64::from(t), f64::from(both - t - 1));
        let ways = (less + 1.0) / (more + 1.0);
        let mut odds = ways * (self.sizes[a] + more) / (self.sizes[b] + less);
        for &(count, total) in &self.cells[self.starts[kind]..self.starts[kind + 1]] {
            let (count, total) = (count as usize, total as usize);
            let above = (self.counts[count + a] + more) * (self.totals[total + b] + less);
            let below = (self.counts[count + b] + less) * (self.totals[total + a] + more);
            odds *= above / below;
        }
        odds
    }
}
