//! k-modes: the distance of two rows is in how many cells they differ, a centre has the commonest level of each column.

use super::HardClusters;
use super::descent::Geometry;
use super::rows::{check_rows, check_size};
use super::starts::Plan;
use crate::data::View;
use crate::data::distinct::DistinctRows;
use crate::error::{Error, Result};
use crate::num::first_max;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The code of a missing cell.
pub(super) const MISSING: u32 = u32::MAX;

/// k-modes (Huang, 1998), for discrete columns. The objective is the number of seen cells that differ from the centre of
/// their row's cluster. The first start is without chance: dense rows far from each other (Cao, Liang and Bai, 2009);
/// the others are drawn.
///
/// ```
/// use sare::cluster::KModes;
/// use sare::network::known::{Shape, generate};
/// use sare::run::Run;
///
/// let table = generate("monk1", None, &Shape::default(), 1)?;
/// let found = KModes { clusters: 3, ..KModes::default() }.fit(table.view(), &Run::default())?;
/// assert_eq!(found.assignment.len(), table.rows());
/// assert!(found.sizes[0] >= found.sizes[1] && found.sizes[1] >= found.sizes[2]);
/// # Ok::<(), sare::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KModes {
    /// How many clusters.
    pub clusters: usize,
    /// How many starts, of which the best is kept.
    pub starts: usize,
    /// A start ends after this many iterations, wherever it is.
    pub max_iterations: usize,
}

impl Default for KModes {
    fn default() -> Self {
        KModes { clusters: 2, starts: 20, max_iterations: 300 }
    }
}

impl KModes {
    /// Clusters the rows by all columns, which must be discrete.
    pub fn fit(&self, view: View<'_>, run: &Run<'_>) -> Result<HardClusters> {
        check_rows(view)?;
        let plan = Plan {
            name: "k-modes",
            clusters: self.clusters,
            starts: self.starts,
            max_iterations: self.max_iterations,
        };
        plan.check(view.len())?;
        check_size(view, self.clusters)?;
        let table = view.table();
        if let Some(field) = table.schema().fields.iter().find(|f| !f.is_discrete()) {
            let problem = "k-modes takes discrete columns, and this one holds numbers";
            let fix = "cut it into bins, leave it out, or use k-means";
            return Err(Error::column(table.name(), &field.name, problem, fix));
        }
        let rows = run.install(|| DistinctRows::of(view));
        plan.run(&Modes::new(view, &rows), &rows, run)
    }
}

/// Rows of codes.
struct Modes {
    /// Row by row; [`MISSING`] for a missing cell.
    codes: Vec<u32>,
    weights: Vec<f64>,
    columns: usize,
    /// Where the levels of each column begin in a list of all levels.
    offsets: Vec<usize>,
    /// The commonest level of each column over all rows, and how common each level is.
    modes: Vec<u32>,
    shares: Vec<f64>,
}

impl Modes {
    fn new(view: View<'_>, rows: &DistinctRows) -> Modes {
        let all: Vec<usize> = (0..view.table().columns()).collect();
        let (codes, offsets) = coded_rows(view, rows, &all);
        let mut modes = Modes {
            codes,
            weights: rows.weights.clone(),
            columns: all.len(),
            offsets,
            modes: vec![0; all.len()],
            shares: Vec::new(),
        };
        let counts = modes.counts(&vec![0; rows.len()], 1);
        modes.modes = modes.modes_of(&counts, &vec![0; all.len()]);
        let total: f64 = rows.weights.iter().sum();
        modes.shares = counts.into_iter().map(|n| n / total).collect();
        modes
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.codes[row * self.columns..][..self.columns]
    }

    fn levels(&self) -> usize {
        self.offsets[self.columns]
    }

    /// The weight of each level in each cluster.
    fn counts(&self, assignment: &[u32], clusters: usize) -> Vec<f64> {
        let mut counts = vec![0.0; clusters * self.levels()];
        for (row, (&c, &weight)) in assignment.iter().zip(&self.weights).enumerate() {
            let own = &mut counts[c as usize * self.levels()..][..self.levels()];
            for (&code, &offset) in self.row(row).iter().zip(&self.offsets) {
                if code != MISSING {
                    own[offset + code as usize] += weight;
                }
            }
        }
        counts
    }

    /// The commonest level of each column in one cluster, of equals the first; `otherwise` where no cell is seen.
    fn modes_of(&self, counts: &[f64], otherwise: &[u32]) -> Vec<u32> {
        let mode = |(c, &otherwise): (usize, &u32)| {
            let own = &counts[self.offsets[c]..self.offsets[c + 1]];
            if own.iter().all(|&n| n == 0.0) { otherwise } else { first_max(own) as u32 }
        };
        otherwise.iter().enumerate().map(mode).collect()
    }

    /// How common the levels of a row are, summed over its columns.
    fn density(&self, row: usize) -> f64 {
        let cells = self.row(row).iter().zip(&self.offsets).filter(|(c, _)| **c != MISSING);
        cells.map(|(&code, &offset)| self.shares[offset + code as usize]).sum()
    }
}

impl Geometry for Modes {
    type Centres = Vec<u32>;

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn at_rows(&self, rows: &[usize]) -> Vec<u32> {
        let cells = |&row: &usize| {
            let cells = self.row(row).iter().zip(&self.modes);
            cells.map(|(&code, &mode)| if code == MISSING { mode } else { code })
        };
        rows.iter().flat_map(cells).collect()
    }

    fn centres(&self, assignment: &[u32], clusters: usize) -> Vec<u32> {
        let counts = self.counts(assignment, clusters);
        // A discrete column may have no level at all, where every cell is missing.
        let levels = self.levels();
        let own = |c: usize| self.modes_of(&counts[c * levels..(c + 1) * levels], &self.modes);
        (0..clusters).flat_map(own).collect()
    }

    fn distance(&self, row: usize, centres: &Vec<u32>, cluster: usize) -> f64 {
        let centre = &centres[cluster * self.columns..][..self.columns];
        let differ = |(&a, &b): (&u32, &u32)| u32::from(a != b && a != MISSING);
        f64::from(self.row(row).iter().zip(centre).map(differ).sum::<u32>())
    }

    /// The densest row, then each time the row whose density times distance from the nearest centre is greatest.
    fn given_start(&self, start: usize, clusters: usize) -> Option<Vec<usize>> {
        if start > 0 {
            return None;
        }
        let weighs = |row: usize| if self.weights[row] > 0.0 { self.density(row) } else { 0.0 };
        let densities: Vec<f64> = (0..self.weights.len()).map(weighs).collect();
        let mut chosen = vec![first_max(&densities)];
        let mut nearest = vec![f64::INFINITY; densities.len()];
        while chosen.len() < clusters {
            let last = self.at_rows(&chosen[chosen.len() - 1..]);
            let merits: Vec<f64> = nearest
                .iter_mut()
                .enumerate()
                .map(|(row, least)| {
                    *least = least.min(self.distance(row, &last, 0));
                    *least * densities[row]
                })
                .collect();
            chosen.push(first_max(&merits));
        }
        Some(chosen)
    }
}

/// The codes of some discrete columns in every different row, row by row, and where the levels of each column begin in
/// a list of all levels (with their number at the end).
pub(super) fn coded_rows(
    view: View<'_>,
    rows: &DistinctRows,
    columns: &[usize],
) -> (Vec<u32>, Vec<usize>) {
    let table = view.table();
    let mut codes = vec![MISSING; rows.len() * columns.len()];
    for (i, &c) in columns.iter().enumerate() {
        let cells = table.cells(c);
        for (r, &example) in rows.example.iter().enumerate() {
            codes[r * columns.len() + i] = cells.code(example).map_or(MISSING, |code| code as u32);
        }
    }
    let mut offsets = vec![0];
    for &c in columns {
        offsets.push(offsets[offsets.len() - 1] + table.field(c).states());
    }
    (codes, offsets)
}
