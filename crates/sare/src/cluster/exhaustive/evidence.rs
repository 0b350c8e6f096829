//! The evidence of a structure, p(D | S), by Gibbs sampling.
//!
//! The Candidate method has it from any parameters t: p(D | S) = p(D | t) p(t | S) / p(t | D, S), where the last is the mean of
//! p(t | D, C) over drawn cluster columns C (Besag 1989; Chib 1995; Chickering and Heckerman 1997). The names of clusters are
//! exchangeable: the mean is also over all of them. With one t, the most probable parameters, this goes wrong where clusters
//! overlap: columns that make parameters near t likely are so rare that a chain may not meet them at all, p(t | D) comes out
//! far too small and the evidence far too large, and among thousands of structures the largest mistakes have all the weight.
//!
//! So the formula is used at many t: half of them drawn from the posterior, half from the estimate of it, q(t), the mean over
//! columns; what it gives at all of them is joined as bridge sampling says (Meng and Wong 1996; Fruehwirth-Schnatter 2004).
//! Neither t that q hardly knows nor t that the posterior hardly knows can then do harm.
//!
//! Half of the chains start from the most probable parameters and half from anywhere.

use super::chain::Chain;
use super::rows::Rows;
use crate::error::Result;
use crate::infer::density::{LogTables, Purpose, Room};
use crate::network::Network;
use crate::num::{ln_gamma, log_add, log_sum_exp, normalise_logs};
use crate::observe::Event;
use crate::run::Run;
use crate::seed::Random;

const CHAINS: usize = 4;
/// In the first half of a chain one column in so many goes into q, at most this many in all.
const APART: usize = 5;
const MOST_COLUMNS: usize = 400;
/// In the second half one column in so many gives a point of the posterior.
const POINTS_APART: usize = 2;
/// Stretches of points that the error is computed from.
const BATCHES: usize = 20;
/// The fewest draws: every stretch has a point.
pub(super) const LEAST_SAMPLES: usize = CHAINS * BATCHES;
/// Bridge sampling iterates until nothing changes, in a few steps.
const STEPS: usize = 200;

/// A logarithm with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub log: f64,
    pub error: f64,
}

/// What the evidence is computed from: naive Bayes of all attributes of some rows.
pub(super) struct Evidence<'a> {
    pub rows: &'a Rows,
    /// The most probable parameters.
    pub network: &'a Network,
    /// What the prior adds to every count.
    pub alpha: f64,
    /// How many cluster columns are drawn.
    pub samples: usize,
}

impl Evidence<'_> {
    /// ln p(D | S) of the rows, as many of each kind as it has copies.
    pub fn estimate(&self, random: &mut Random, run: &Run<'_>) -> Result<Estimate> {
        let (columns, points) = self.chains(random, run)?;
        let prior = Given::new(self, |_, _| self.alpha, |_| self.alpha);
        let mut room = Room::default();
        let mut near = vec![0.0; columns.len()];
        // What the formula gives at a t.
        let mut value = |t: &Network| {
            let at = Point::new(t, self.rows);
            let each = near.iter_mut().zip(&columns);
            each.for_each(|(near, column)| *near = column.log_density(&at));
            let q = log_sum_exp(&near) - (columns.len() as f64).ln();
            self.posteriors(t, &mut room).1 + prior.log_density(&at) - q
        };
        let of_posterior: Vec<f64> = points.iter().map(&mut value).collect();
        let mut of_q = Vec::with_capacity(points.len());
        for number in 0..points.len() {
            // Every column in turn.
            of_q.push(value(&columns[number % columns.len()].draw(self, random)?));
        }
        Ok(bridge(&of_posterior, &of_q))
    }

    fn clusters(&self) -> usize {
        self.network.states(self.rows.attributes())
    }

    /// Cluster columns for q, and points of the posterior from other columns.
    fn chains(&self, random: &mut Random, run: &Run<'_>) -> Result<(Vec<Given>, Vec<Network>)> {
        let (told, _) = self.posteriors(self.network, &mut Room::default());
        let anywhere = vec![1.0 / self.clusters() as f64; told.len()];
        let half = self.samples / CHAINS / 2;
        let apart = APART.max((CHAINS * half).div_ceil(MOST_COLUMNS));
        let (mut columns, mut points) = (Vec::new(), Vec::new());
        for number in 0..CHAINS {
            let first = if number % 2 == 0 { &told } else { &anywhere };
            let mut chain = Chain::new(self.rows, self.alpha, first, random);
            let given = |chain: &Chain<'_>| {
                let count = |v: usize, place: usize| chain.counts(v)[place];
                Given::new(self, count, |cluster| chain.sizes()[cluster])
            };
            (0..half / 2).for_each(|_| chain.sweep(random));
            for draw in 0..half {
                chain.sweep(random);
                if draw % apart == 0 {
                    columns.push(given(&chain));
                }
            }
            for draw in 0..half {
                chain.sweep(random);
                if draw % POINTS_APART == 0 {
                    points.push(given(&chain).draw(self, random)?);
                }
            }
            run.tell(&Event::Step { steps: 0 })?;
        }
        Ok((columns, points))
    }

    /// p(cluster | row) of each kind of rows, and ln p(D | t).
    fn posteriors(&self, t: &Network, room: &mut Room) -> (Vec<f64>, f64) {
        let clusters = self.clusters();
        let view = self.rows.table.view();
        let mut told = vec![0.0; view.len() * clusters];
        let block = view.block(0, view.len());
        LogTables::new(t).log_joint(&block, Purpose::Density, room, &mut told);
        let each = told.chunks_exact_mut(clusters).zip(&self.rows.copies);
        let likelihood = each.map(|(row, &n)| f64::from(n) * normalise_logs(row)).sum();
        (told, likelihood)
    }
}

/// The logarithms of parameters, cluster by cluster: the tables of every attribute, then the cluster's size.
struct Point {
    clusters: usize,
    logs: Vec<f64>,
}

impl Point {
    fn new(t: &Network, rows: &Rows) -> Point {
        let class = rows.attributes();
        let clusters = t.states(class);
        let mut logs = Vec::new();
        // A draw may be too small for a number; what it is then does not matter, as it is so for prior and posterior.
        let ln = |p: &f64| p.max(f64::MIN_POSITIVE).ln();
        for cluster in 0..clusters {
            for v in 0..class {
                let states = t.states(v);
                logs.extend(t.table(v)[cluster * states..][..states].iter().map(ln));
            }
            logs.push(ln(&t.table(class)[cluster]));
        }
        Point { clusters, logs }
    }
}

/// The parameters' distribution given a cluster column, or beforehand: a product of Dirichlet distributions.
struct Given {
    /// Their parameters less one, laid out as a point is.
    exponents: Vec<f64>,
    /// What the densities' constants come to, for each cluster, and for the clusters' sizes.
    constants: Vec<f64>,
    constant: f64,
}

impl Given {
    /// From the parameters: of each attribute for state and cluster, cluster innermost, and of the clusters' sizes.
    fn new(
        whole: &Evidence<'_>,
        count: impl Fn(usize, usize) -> f64,
        size: impl Fn(usize) -> f64,
    ) -> Given {
        let (clusters, class) = (whole.clusters(), whole.rows.attributes());
        let (mut exponents, mut constants) = (Vec::new(), Vec::with_capacity(clusters));
        for cluster in 0..clusters {
            let mut constant = -ln_gamma(size(cluster));
            for v in 0..class {
                let mut total = 0.0;
                for state in 0..whole.network.states(v) {
                    let own = count(v, state * clusters + cluster);
                    total += own;
                    constant -= ln_gamma(own);
                    exponents.push(own - 1.0);
                }
                constant += ln_gamma(total);
            }
            exponents.push(size(cluster) - 1.0);
            constants.push(constant);
        }
        let constant = ln_gamma((0..clusters).map(size).sum());
        Given { exponents, constants, constant }
    }

    /// The logarithm of the density at a point, the mean over all namings of the clusters.
    fn log_density(&self, point: &Point) -> f64 {
        let (clusters, width) = (point.clusters, point.logs.len() / point.clusters);
        let entry = |cluster: usize, named: usize| -> f64 {
            let own = &self.exponents[cluster * width..][..width];
            let logs = &point.logs[named * width..][..width];
            self.constants[cluster] + own.iter().zip(logs).map(|(e, l)| e * l).sum::<f64>()
        };
        self.constant + mean_over_namings(clusters, entry)
    }

    /// Parameters drawn from it.
    fn draw(&self, whole: &Evidence<'_>, random: &mut Random) -> Result<Network> {
        let (clusters, class) = (whole.clusters(), whole.rows.attributes());
        let width = self.exponents.len() / clusters;
        let mut tables: Vec<Vec<f64>> = vec![Vec::new(); class + 1];
        for own in self.exponents.chunks_exact(width) {
            let mut rest = own;
            for (v, table) in tables[..class].iter_mut().enumerate() {
                let (states, others) = rest.split_at(whole.network.states(v));
                let parameters: Vec<f64> = states.iter().map(|e| e + 1.0).collect();
                table.extend(random.dirichlet_with(&parameters));
                rest = others;
            }
        }
        let sizes: Vec<f64> =
            self.exponents.chunks_exact(width).map(|e| e[width - 1] + 1.0).collect();
        tables[class] = random.dirichlet_with(&sizes);
        whole.network.with_tables(tables)
    }
}

/// The logarithm of the mean over all permutations of the product of the entries they choose, one in each row and column,
/// of a table of logarithms. Set by set of columns, so that not every permutation is gone through.
fn mean_over_namings(size: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    if size == 2 {
        return log_add(entry(0, 0) + entry(1, 1), entry(0, 1) + entry(1, 0))
            - std::f64::consts::LN_2;
    }
    let logs: Vec<f64> = (0..size * size).map(|i| entry(i / size, i % size)).collect();
    let mut sums = vec![f64::NEG_INFINITY; 1 << size];
    sums[0] = 0.0;
    for set in 1usize..1 << size {
        let row = &logs[(set.count_ones() as usize - 1) * size..][..size];
        for (column, ln) in row.iter().enumerate().filter(|(c, _)| set >> c & 1 == 1) {
            let with = sums[set ^ (1 << column)] + ln;
            let sum = &mut sums[set];
            *sum = if sum.is_finite() { log_add(*sum, with) } else { with };
        }
    }
    sums[(1 << size) - 1] - ln_gamma(size as f64 + 1.0)
}

/// Joins what the formula gives at points of the posterior and at points of q, as logarithms: the number r with
/// r = mean of w / (w + r) over those of q, divided by the mean of 1 / (w + r) over those of the posterior.
///
/// All by logarithms: a chain that comes to a better place late gives points of which q knows next to nothing, and w then
/// differ by more than any number can hold. That is an estimate with a great error, to be made again, and not a failure.
fn bridge(of_posterior: &[f64], of_q: &[f64]) -> Estimate {
    let above = |r: f64| -> Vec<f64> { of_q.iter().map(|w| w - log_add(*w, r)).collect() };
    let below = |r: f64| -> Vec<f64> { of_posterior.iter().map(|w| -log_add(*w, r)).collect() };
    let log_mean = |logs: &[f64]| log_sum_exp(logs) - (logs.len() as f64).ln();
    let mut r = log_mean(of_q);
    for _ in 0..STEPS {
        let last = r;
        r = log_mean(&above(r)) - log_mean(&below(r));
        if (r - last).abs() < 1e-10 {
            break;
        }
    }
    let error = |logs: Vec<f64>| {
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        relative_error(&logs.iter().map(|ln| (ln - top).exp()).collect::<Vec<f64>>())
    };
    Estimate { log: r, error: error(above(r)).hypot(error(below(r))) }
}

/// The standard error of a mean as a part of it, by how stretches differ: neighbours in a chain are alike.
fn relative_error(values: &[f64]) -> f64 {
    let part = |b: usize| &values[values.len() * b / BATCHES..values.len() * (b + 1) / BATCHES];
    let means: Vec<f64> =
        (0..BATCHES).map(|b| part(b).iter().sum::<f64>() / part(b).len() as f64).collect();
    let count = BATCHES as f64;
    let mean = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|m| (m / mean - 1.0).powi(2)).sum();
    (squares / count / (count - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::close;

    #[test]
    fn all_namings_are_gone_through() {
        let mut random = Random::new(1, crate::seed::Purpose::Sample, 0);
        let logs: Vec<f64> = (0..9).map(|_| random.normal() * 30.0).collect();
        let every = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let products = every.map(|n| (0..3).map(|r| logs[3 * r + n[r]]).sum::<f64>());
        let mean = log_sum_exp(&products) - 6f64.ln();
        assert!(close(mean_over_namings(3, |r, c| logs[3 * r + c]), mean, 1e-12));
        let mean = log_sum_exp(&[logs[0] + logs[3], logs[1] + logs[2]]) - 2f64.ln();
        assert!(close(mean_over_namings(2, |r, c| logs[2 * r + c]), mean, 1e-12));
        assert_eq!(mean_over_namings(1, |_, _| -7.0), -7.0);
    }

    /// Points of the posterior that q hardly knows, and the other way round: further apart than the range of numbers.
    #[test]
    fn a_bridge_holds_however_far_the_points_are_apart() {
        for far in [10.0, 700.0, 1e4, 1e6] {
            let posterior: Vec<f64> = (0..40).map(|i| if i < 20 { far } else { 0.0 }).collect();
            for q in [vec![0.0; 40], vec![-far; 40], posterior.clone()] {
                let Estimate { log, error } = bridge(&posterior, &q);
                assert!(log.is_finite() && error.is_finite(), "{far}: {log} {error}");
                assert!((-far..=far).contains(&log), "{far}: {log}");
            }
            // One in forty of q far above the others: that is nothing to rely on.
            let q: Vec<f64> = (0..40).map(|i| if i == 7 { far } else { 0.0 }).collect();
            let told = bridge(&posterior, &q);
            assert!(told.error > 0.2, "{far}: {told:?}");
        }
    }

    /// Two normal distributions of different width: the ratio of their constants, and its error over many trials.
    #[test]
    fn a_bridge_finds_the_ratio_of_two_constants() {
        let wide = 1.5f64;
        let mut offs = Vec::new();
        let mut errors = Vec::new();
        for trial in 0..100 {
            let mut random = Random::new(trial, crate::seed::Purpose::Sample, 0);
            // exp(3 - x^2 / 2) is e^3 sqrt(2 pi) times the first, and q is the second.
            let value = |x: f64| {
                let constant = (2.0 * std::f64::consts::PI).sqrt() * wide;
                3.0 - x * x / 2.0 + (x / wide).powi(2) / 2.0 + constant.ln()
            };
            let posterior: Vec<f64> = (0..400).map(|_| value(random.normal())).collect();
            let q: Vec<f64> = (0..400).map(|_| value(random.normal() * wide)).collect();
            let Estimate { log, error } = bridge(&posterior, &q);
            offs.push(log - 3.0 - (2.0 * std::f64::consts::PI).ln() / 2.0);
            errors.push(error);
        }
        let mean = offs.iter().sum::<f64>() / 100.0;
        let spread = (offs.iter().map(|x| x * x).sum::<f64>() / 100.0).sqrt();
        let told = errors.iter().sum::<f64>() / 100.0;
        assert!(mean.abs() < 4.0 * spread / 10.0, "{mean}");
        assert!(told > 0.7 * spread && told < 1.4 * spread, "{told} {spread}");
    }
}
