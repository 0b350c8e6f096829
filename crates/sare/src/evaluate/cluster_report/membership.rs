//! How sure the rows of a table are of their clusters.

use super::Known;
use crate::classify::{ClassValues, Classifier};
use crate::cluster::pairing::Labeling;
use crate::data::read::SchemaReader;
use crate::error::{Error, Result};
use crate::num::x_ln_x;
use crate::observe::Event;
use crate::run::Run;
use std::f64::consts::LN_2;

/// Bins of the largest probability.
pub(super) const BINS: usize = 20;
/// Rows whose memberships are drawn one by one.
pub(super) const MOST_BARS: usize = 1000;
/// A row is sure of its cluster from this probability.
pub(super) const SURE: f64 = 0.9;

/// The memberships of the rows of a table, as far as they are told: sums that do not grow with the rows. A row's cluster
/// is the most probable one.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The file.
    pub file: String,
    /// How many rows there are.
    pub rows: usize,
    /// What they weigh: their number, where they have no weights.
    pub weight: f64,
    /// The weight of the rows of each cluster.
    pub assigned: Vec<f64>,
    /// The sum of the probabilities of each cluster in the rows of each: the cluster of the rows changes slowest.
    pub sums: Vec<f64>,
    /// The sum of the entropies of the rows, in bits.
    pub entropy: f64,
    /// The weight of the rows that belong to their cluster with a probability of at least 0.9, by cluster.
    pub sure: Vec<f64>,
    /// Cells of the model's columns that are missing, or hold what the model does not know; and all of them.
    pub missing: (u64, u64),
    /// The weight of the rows by their largest probability, in bins of equal width from 0 to 1.
    pub(super) bins: [f64; BINS],
    /// The memberships of each row, while they are few.
    pub(super) each: Vec<Vec<f64>>,
    /// Known groups of the rows, where there are such.
    pub known: Option<Known>,
}

impl Membership {
    /// Predicts every row of a file that was opened with the model's attributes; `groups` are known ones of the same rows.
    pub fn read(
        model: &Classifier,
        file: &str,
        reader: &mut SchemaReader,
        groups: Option<Labeling>,
        run: &Run<'_>,
    ) -> Result<Membership> {
        run.tell(&Event::Phase { name: "rows predicted", steps: None })?;
        let mut all = Membership::none(file, model.class().states());
        // Of every row only where they are to be compared.
        let (mut clusters, mut weights) = (Vec::new(), Vec::new());
        while let Some(rows) = reader.next_chunk()? {
            let told = model.predict(&rows, run).map_err(|e| e.after_rows(all.rows))?;
            let missing: usize = (0..rows.columns()).map(|c| rows.cells(c).missing()).sum();
            all.missing.0 += missing as u64;
            all.missing.1 += (rows.columns() * rows.rows()) as u64;
            all.add(&told.posteriors, rows.weights());
            if groups.is_some() {
                let own = 0..rows.rows();
                clusters.extend(own.clone().map(|r| Some(told.posteriors.winner(r) as u32)));
                weights.extend(own.map(|r| rows.weights().map_or(1.0, |w| w[r])));
            }
            run.tell(&Event::Step { steps: rows.rows() as u64 })?;
        }
        if all.rows == 0 {
            let fix = "give a file with at least one row of data";
            return Err(Error::data(file, "the file has a header but no rows", fix));
        }
        if all.weight <= 0.0 {
            let fix = "give at least one row a weight above 0";
            return Err(Error::data(file, "the rows weigh nothing in total", fix));
        }
        all.known = groups.map(|g| Known::of(g, &clusters, &weights)).transpose()?;
        Ok(all)
    }

    fn none(file: &str, clusters: usize) -> Membership {
        Membership {
            file: file.into(),
            rows: 0,
            weight: 0.0,
            assigned: vec![0.0; clusters],
            sums: vec![0.0; clusters * clusters],
            entropy: 0.0,
            sure: vec![0.0; clusters],
            missing: (0, 0),
            bins: [0.0; BINS],
            each: Vec::new(),
            known: None,
        }
    }

    fn add(&mut self, posteriors: &ClassValues, weights: Option<&[f64]>) {
        let clusters = self.assigned.len();
        for r in 0..posteriors.rows() {
            let (row, winner) = (posteriors.row(r), posteriors.winner(r));
            let weight = weights.map_or(1.0, |w| w[r]);
            self.weight += weight;
            self.assigned[winner] += weight;
            let sums = &mut self.sums[winner * clusters..][..clusters];
            sums.iter_mut().zip(row).for_each(|(s, p)| *s += weight * p);
            self.entropy -= weight * row.iter().map(|&p| x_ln_x(p)).sum::<f64>() / LN_2;
            self.sure[winner] += if row[winner] >= SURE { weight } else { 0.0 };
            self.bins[((row[winner] * BINS as f64) as usize).min(BINS - 1)] += weight;
            // One more than is drawn tells that there are too many.
            if self.each.len() <= MOST_BARS {
                self.each.push(row.to_vec());
            }
        }
        self.rows += posteriors.rows();
    }

    /// The mean probability of each cluster.
    pub fn mean(&self) -> Vec<f64> {
        let clusters = self.assigned.len();
        let sum = |c: usize| self.sums.iter().skip(c).step_by(clusters).sum::<f64>();
        (0..clusters).map(|c| sum(c) / self.weight).collect()
    }

    /// The mean probability of each cluster among the rows of one; none where it has no rows.
    pub fn mean_within(&self, cluster: usize) -> Option<Vec<f64>> {
        let (clusters, rows) = (self.assigned.len(), self.assigned[cluster]);
        let sums = &self.sums[cluster * clusters..][..clusters];
        (rows > 0.0).then(|| sums.iter().map(|s| s / rows).collect())
    }

    /// The mean of the largest probability of a row.
    pub fn mean_largest(&self) -> f64 {
        let own = |c: usize| self.sums[c * self.assigned.len() + c];
        (0..self.assigned.len()).map(own).sum::<f64>() / self.weight
    }

    /// The mean entropy of a row, in bits.
    pub fn mean_entropy(&self) -> f64 {
        self.entropy / self.weight
    }

    /// 1 - mean entropy / greatest entropy: 1 where every row is sure, 0 where all clusters are equally probable in
    /// every row; none for a single cluster.
    pub fn relative_entropy(&self) -> Option<f64> {
        let most = (self.assigned.len() as f64).log2();
        (most > 0.0).then(|| 1.0 - self.mean_entropy() / most)
    }
}
