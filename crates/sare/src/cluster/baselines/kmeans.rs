//! k-means: squared Euclidean distance, a centre is the mean of its rows.

use super::HardClusters;
use super::descent::Geometry;
use super::kmodes::{MISSING, coded_rows};
use super::rows::{check_rows, check_size};
use super::starts::Plan;
use crate::data::distinct::DistinctRows;
use crate::data::{Table, View};
use crate::error::{Error, Result};
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// k-means (Lloyd, 1982) from starts far from each other (k-means++). A discrete column counts as one indicator of 0 or
/// 1 for each level, so two different levels are at squared distance 2. The objective is the sum of squared
/// distances of the seen cells from the mean of their cluster.
///
/// ```
/// use sare::cluster::KMeans;
/// use sare::network::known::{Shape, generate};
/// use sare::run::Run;
///
/// let table = generate("waveform-21", Some(90), &Shape::default(), 1)?;
/// let numbers: Vec<usize> = (0..21).collect();
/// let learner = KMeans { clusters: 3, ..KMeans::default() };
/// let found = learner.fit(table.select(&numbers).view(), &Run::default())?;
/// assert_eq!(found.sizes.iter().sum::<f64>(), 90.0);
/// # Ok::<(), sare::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeans {
    /// How many clusters.
    pub clusters: usize,
    /// How many starts, of which the best is kept.
    pub starts: usize,
    /// A start ends after this many iterations, wherever it is.
    pub max_iterations: usize,
    /// Whether columns of numbers are divided by their standard deviation, so that their units do not matter.
    pub standardise: bool,
}

impl Default for KMeans {
    fn default() -> Self {
        KMeans { clusters: 2, starts: 20, max_iterations: 300, standardise: true }
    }
}

impl KMeans {
    /// Clusters the rows by all columns.
    pub fn fit(&self, view: View<'_>, run: &Run<'_>) -> Result<HardClusters> {
        check_rows(view)?;
        let plan = Plan {
            name: "k-means",
            clusters: self.clusters,
            starts: self.starts,
            max_iterations: self.max_iterations,
        };
        plan.check(view.len())?;
        check_size(view, self.clusters)?;
        let rows = run.install(|| DistinctRows::of(view));
        plan.run(&Means::new(view, &rows, self.standardise)?, &rows, run)
    }
}

/// Rows of numbers and codes.
pub(super) struct Means {
    /// Row by row, with the mean of the column taken off; NaN for a missing cell.
    numbers: Vec<f64>,
    /// Row by row.
    codes: Vec<u32>,
    weights: Vec<f64>,
    /// How many columns of numbers there are.
    width: usize,
    /// Where the levels of each discrete column begin in a list of all levels.
    offsets: Vec<usize>,
    /// The centre of all rows.
    overall: Centre,
}

/// The centre of one cluster.
#[derive(Clone)]
pub(super) struct Centre {
    numbers: Vec<f64>,
    /// The share of every level of every discrete column.
    shares: Vec<f64>,
    /// The sum of the squared shares of each discrete column.
    squares: Vec<f64>,
}

impl Means {
    pub(super) fn new(view: View<'_>, rows: &DistinctRows, standardise: bool) -> Result<Means> {
        let table = view.table();
        let (discrete, continuous): (Vec<usize>, Vec<usize>) =
            (0..table.columns()).partition(|&c| table.field(c).is_discrete());
        let (codes, offsets) = coded_rows(view, rows, &discrete);
        let width = continuous.len();
        let mut numbers = vec![f64::NAN; rows.len() * width];
        for (i, &c) in continuous.iter().enumerate() {
            let column = prepared(table, c, rows, standardise)?;
            column.into_iter().enumerate().for_each(|(r, x)| numbers[r * width + i] = x);
        }
        let (levels, columns) = (offsets[discrete.len()], discrete.len());
        // Where no row sees a column, its centre is that of all rows; of numbers that is 0.
        let nowhere = Centre {
            numbers: vec![0.0; width],
            shares: vec![0.0; levels],
            squares: vec![0.0; columns],
        };
        let weights = rows.weights.clone();
        let mut means = Means { numbers, codes, weights, width, offsets, overall: nowhere };
        if let Some(centre) = means.centres(&vec![0; rows.len()], 1).pop() {
            means.overall = centre;
        }
        Ok(means)
    }

    fn columns(&self) -> usize {
        self.offsets.len() - 1
    }

    fn row_numbers(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.width..][..self.width]
    }

    fn row_codes(&self, row: usize) -> &[u32] {
        &self.codes[row * self.columns()..][..self.columns()]
    }

    fn at_row(&self, row: usize) -> Centre {
        let mut centre = self.overall.clone();
        for (x, own) in centre.numbers.iter_mut().zip(self.row_numbers(row)) {
            if !own.is_nan() {
                *x = *own;
            }
        }
        for (c, &code) in self.row_codes(row).iter().enumerate() {
            if code != MISSING {
                let (start, end) = (self.offsets[c], self.offsets[c + 1]);
                centre.shares[start..end].fill(0.0);
                centre.shares[start + code as usize] = 1.0;
                centre.squares[c] = 1.0;
            }
        }
        centre
    }
}

/// A column of numbers with its mean taken off, perhaps divided by its standard deviation.
fn prepared(
    table: &Table,
    column: usize,
    rows: &DistinctRows,
    standardise: bool,
) -> Result<Vec<f64>> {
    let cells = table.cells(column);
    let mut numbers: Vec<f64> =
        rows.example.iter().map(|&r| cells.number(r).unwrap_or(f64::NAN)).collect();
    let seen = |numbers: &[f64], value: &dyn Fn(f64) -> f64| -> f64 {
        let cells = numbers.iter().zip(&rows.weights).filter(|(x, _)| !x.is_nan());
        cells.map(|(&x, w)| w * value(x)).sum()
    };
    let total = seen(&numbers, &|_| 1.0);
    if total == 0.0 {
        return Ok(numbers);
    }
    let mean = seen(&numbers, &|x| x / total);
    numbers.iter_mut().for_each(|x| *x -= mean);
    let squares = seen(&numbers, &|x| x * x);
    // The sum over all columns must be finite too.
    if !(squares * table.columns() as f64).is_finite() {
        let problem = "its squares are beyond the range of numbers";
        let fix = "write it in a larger unit, or leave it out";
        return Err(Error::column(table.name(), &table.field(column).name, problem, fix));
    }
    let deviation = (squares / total).sqrt();
    // A column that says nothing is left as it is.
    if standardise && deviation > 0.0 {
        numbers.iter_mut().for_each(|x| *x /= deviation);
    }
    Ok(numbers)
}

impl Geometry for Means {
    type Centres = Vec<Centre>;

    fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn at_rows(&self, rows: &[usize]) -> Vec<Centre> {
        rows.iter().map(|&row| self.at_row(row)).collect()
    }

    fn centres(&self, assignment: &[u32], clusters: usize) -> Vec<Centre> {
        let mut sums = vec![Sums::new(self); clusters];
        for (row, (&c, &weight)) in assignment.iter().zip(&self.weights).enumerate() {
            sums[c as usize].add(self, row, weight);
        }
        sums.into_iter().map(|s| s.centre(self)).collect()
    }

    fn distance(&self, row: usize, centres: &Vec<Centre>, cluster: usize) -> f64 {
        let centre = &centres[cluster];
        let square = |(x, m): (&f64, &f64)| {
            let d = x - m;
            if d.is_nan() { 0.0 } else { d * d }
        };
        let mut sum: f64 = self.row_numbers(row).iter().zip(&centre.numbers).map(square).sum();
        for (c, &code) in self.row_codes(row).iter().enumerate() {
            if code != MISSING {
                // The squared distance of an indicator from the shares, over all levels of the column.
                let share = centre.shares[self.offsets[c] + code as usize];
                sum += (1.0 - 2.0 * share + centre.squares[c]).max(0.0);
            }
        }
        sum
    }

    fn given_start(&self, _: usize, _: usize) -> Option<Vec<usize>> {
        None
    }
}

/// Sums over the rows of one cluster.
#[derive(Clone)]
struct Sums {
    /// The mean of the cells seen so far, and their weight.
    means: Vec<f64>,
    seen: Vec<f64>,
    /// The weight of each level.
    levels: Vec<f64>,
}

impl Sums {
    fn new(means: &Means) -> Sums {
        let width = means.width;
        let levels = means.offsets[means.columns()];
        Sums { means: vec![0.0; width], seen: vec![0.0; width], levels: vec![0.0; levels] }
    }

    fn add(&mut self, means: &Means, row: usize, weight: f64) {
        for (i, x) in means.row_numbers(row).iter().enumerate() {
            if !x.is_nan() {
                self.seen[i] += weight;
                // Not a sum divided at the end: the mean of equal numbers is then that number, to the last bit.
                if weight > 0.0 {
                    self.means[i] += weight / self.seen[i] * (x - self.means[i]);
                }
            }
        }
        for (&code, &offset) in means.row_codes(row).iter().zip(&means.offsets) {
            if code != MISSING {
                self.levels[offset + code as usize] += weight;
            }
        }
    }

    fn centre(self, means: &Means) -> Centre {
        let mut centre = means.overall.clone();
        for (i, x) in centre.numbers.iter_mut().enumerate() {
            if self.seen[i] > 0.0 {
                *x = self.means[i];
            }
        }
        for c in 0..means.columns() {
            let (start, end) = (means.offsets[c], means.offsets[c + 1]);
            let total: f64 = self.levels[start..end].iter().sum();
            if total > 0.0 {
                let shares = &mut centre.shares[start..end];
                shares.iter_mut().zip(&self.levels[start..end]).for_each(|(s, n)| *s = n / total);
                centre.squares[c] = shares.iter().map(|s| s * s).sum();
            }
        }
        centre
    }
}
