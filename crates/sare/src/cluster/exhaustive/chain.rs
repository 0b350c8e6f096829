//! A chain of cluster columns: every row's cluster in turn is drawn given those of all other rows, the parameters
//! integrated out but for those of attributes that are held where they are.

use super::rows::{MISSING, Rows};
use crate::seed::Random;

/// Where a chain stands.
pub(super) struct Chain<'a> {
    rows: &'a Rows,
    clusters: usize,
    /// For the cells seen of each kind of rows, among attributes whose parameters are integrated out: where the counts of
    /// its state begin, and where the totals of its attribute do. One kind after the other.
    cells: Vec<(u32, u32)>,
    starts: Vec<usize>,
    /// The rows of every state of every attribute and cluster, cluster innermost, alpha added.
    counts: Vec<f64>,
    /// Where the counts of each attribute begin.
    from: Vec<usize>,
    /// The sums of the counts over the states of each attribute.
    totals: Vec<f64>,
    /// The rows of every cluster, alpha added.
    pub sizes: Vec<f64>,
    /// What the attributes that are held say of the clusters of each kind, up to a factor, and its logarithm.
    held: Vec<f64>,
    held_logs: &'a [f64],
    /// The cluster of every copy of every kind.
    assigned: Vec<u16>,
    chances: Vec<f64>,
}

impl<'a> Chain<'a> {
    /// A chain in which the parameters of the `free` attributes are integrated out. `held` is what the other attributes say
    /// of each kind and cluster, as logarithms; the first clusters are drawn with the probabilities `first`.
    pub fn new(
        rows: &'a Rows,
        alpha: f64,
        free: &[usize],
        held_logs: &'a [f64],
        first: &[f64],
        random: &mut Random,
    ) -> Chain<'a> {
        let class = rows.attributes();
        let clusters = rows.table.field(class).states();
        let states = |v: usize| rows.table.field(v).states();
        let mut from = vec![0];
        (0..class).for_each(|v| from.push(from[v] + states(v) * clusters));
        let (mut cells, mut starts) = (Vec::new(), vec![0]);
        for kind in 0..rows.copies.len() {
            let codes = rows.codes(kind);
            let seen = free.iter().filter(|&&v| codes[v] != MISSING);
            let place = |&v: &usize| {
                ((from[v] + codes[v] as usize * clusters) as u32, (v * clusters) as u32)
            };
            cells.extend(seen.map(place));
            starts.push(cells.len());
        }
        let scaled = |logs: &[f64]| -> Vec<f64> {
            let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            logs.iter().map(|ln| (ln - top).exp()).collect()
        };
        let total = |v: usize| std::iter::repeat_n(alpha * states(v) as f64, clusters);
        let mut chain = Chain {
            rows,
            clusters,
            cells,
            starts,
            counts: vec![alpha; from[class]],
            from,
            totals: (0..class).flat_map(total).collect(),
            sizes: vec![alpha; clusters],
            held: held_logs.chunks_exact(clusters).flat_map(scaled).collect(),
            held_logs,
            assigned: Vec::new(),
            chances: vec![0.0; clusters],
        };
        for (kind, &copies) in rows.copies.iter().enumerate() {
            for _ in 0..copies {
                let cluster = random.categorical(&first[kind * clusters..][..clusters]);
                chain.assigned.push(cluster as u16);
                chain.count(kind, cluster, 1.0);
            }
        }
        chain
    }

    /// The rows of each state of an attribute by cluster, cluster innermost, alpha added.
    pub fn counts(&self, attribute: usize) -> &[f64] {
        &self.counts[self.from[attribute]..self.from[attribute + 1]]
    }

    /// The sums of an attribute's counts over its states, for each cluster.
    pub fn totals(&self, attribute: usize) -> &[f64] {
        &self.totals[attribute * self.clusters..][..self.clusters]
    }

    #[inline]
    fn count(&mut self, kind: usize, cluster: usize, by: f64) {
        for &(count, total) in &self.cells[self.starts[kind]..self.starts[kind + 1]] {
            self.counts[count as usize + cluster] += by;
            self.totals[total as usize + cluster] += by;
        }
        self.sizes[cluster] += by;
    }

    /// Draws the cluster of every row once, then perhaps exchanges the names of two clusters.
    pub fn sweep(&mut self, random: &mut Random) {
        let mut copy = 0;
        for kind in 0..self.rows.copies.len() {
            for _ in 0..self.rows.copies[kind] {
                self.count(kind, self.assigned[copy] as usize, -1.0);
                let cluster = self.draw(kind, random);
                self.count(kind, cluster, 1.0);
                self.assigned[copy] = cluster as u16;
                copy += 1;
            }
        }
        self.exchange(random);
    }

    /// The products stay in range: at most 16 attributes, and neither alpha nor the number of rows is extreme.
    #[inline]
    fn draw(&mut self, kind: usize, random: &mut Random) -> usize {
        let clusters = self.clusters;
        let held = &self.held[kind * clusters..][..clusters];
        let chances = self.chances.iter_mut().zip(&self.sizes).zip(held);
        chances.for_each(|((chance, size), held)| *chance = size * held);
        for &(count, total) in &self.cells[self.starts[kind]..self.starts[kind + 1]] {
            let counts = &self.counts[count as usize..][..clusters];
            let totals = &self.totals[total as usize..][..clusters];
            let terms = self.chances.iter_mut().zip(counts).zip(totals);
            terms.for_each(|((chance, count), total)| *chance *= count / total);
        }
        let sum: f64 = self.chances.iter().sum();
        self.chances.iter_mut().for_each(|chance| *chance /= sum);
        random.categorical(&self.chances)
    }

    /// Offers to exchange two clusters whole. Drawing row by row the chain would hardly ever get from one naming of the
    /// clusters to another that the held attributes do not exclude.
    fn exchange(&mut self, random: &mut Random) {
        if self.clusters < 2 {
            return;
        }
        let a = random.below(self.clusters);
        let b = (a + 1 + random.below(self.clusters - 1)) % self.clusters;
        let mut gain = 0.0;
        let mut copy = 0;
        for (kind, &copies) in self.rows.copies.iter().enumerate() {
            let logs = &self.held_logs[kind * self.clusters..][..self.clusters];
            let by = logs[b] - logs[a];
            for &cluster in &self.assigned[copy..copy + copies as usize] {
                gain += match cluster as usize {
                    c if c == a => by,
                    c if c == b => -by,
                    _ => 0.0,
                };
            }
            copy += copies as usize;
        }
        if gain < 0.0 && random.uniform() >= gain.exp() {
            return;
        }
        for cluster in &mut self.assigned {
            *cluster = match *cluster as usize {
                c if c == a => b as u16,
                c if c == b => a as u16,
                _ => *cluster,
            };
        }
        for entries in [&mut self.counts, &mut self.totals, &mut self.sizes] {
            entries.chunks_exact_mut(self.clusters).for_each(|entry| entry.swap(a, b));
        }
    }
}
