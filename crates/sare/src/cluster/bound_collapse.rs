//! BC+EM: bound and collapse, in which only rows that are surely of a cluster count, and EM from where it ends, by turns
//! (ALGORITHMS 9).

use super::completed::memberships;
use super::fixed::{FixedGraph, random_start};
use super::learner::{EmState, Latent, Update};
use super::method::{Found, Method, Rows};
use super::starts::{self, Plan, Reached, Starts};
use crate::average::Model;
use crate::classify::Fitted;
use crate::data::{Cells, Source, Table};
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::network::Network;
use crate::num::winner;
use crate::parameters::dirichlet::count_dag;
use crate::run::{Outcome, Run, Stop};
use crate::stats::{FamilyTable, Score};

/// BC+EM for naive Bayes.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundCollapse {
    /// What is added to every count.
    pub alpha: f64,
    /// A row is of a cluster whose probability is above this.
    pub sure: f64,
    /// Ends when the relative change of the log marginal likelihood is no more.
    pub tolerance: f64,
    /// At most so many rounds of both.
    pub rounds: usize,
    /// EM, from where bound and collapse ends.
    em: Latent,
}

/// BC+EM.
pub const BC_EM: Description = Description {
    name: "bc-em",
    help: "naive Bayes by bound and collapse on the rows that are surely of a cluster, and EM from there, by turns",
    source: "Pena, Lozano and Larranaga 2000 and 2002",
    settings: &[
        Setting {
            name: "alpha",
            help: "what is added to every count",
            range: Range::Positive { default: 1.0 },
        },
        Setting {
            name: "sure",
            help: "a row is of a cluster whose probability is above this",
            range: Range::Level { default: 0.51 },
        },
        Setting {
            name: "tolerance",
            help: "ends when the relative change of the log marginal likelihood is no more",
            range: Range::Positive { default: 1e-6 },
        },
        Setting {
            name: "rounds",
            help: "at most so many rounds of both",
            range: Range::Whole { least: 1, most: 100_000, default: 150 },
        },
    ],
};

impl BoundCollapse {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> BoundCollapse {
        let em = Latent::new(Update::Frequencies, &[v[0], 1e-12, 500.0]);
        BoundCollapse { alpha: v[0], sure: v[1], tolerance: v[2], rounds: v[3] as usize, em }
    }

    fn values(&self) -> [f64; 4] {
        [self.alpha, self.sure, self.tolerance, self.rounds as f64]
    }
}

impl Method for BoundCollapse {
    fn has_one_single_cluster(&self) -> bool {
        true
    }

    fn form(&self) -> String {
        BC_EM.form(&self.values())
    }

    fn check(&self) -> Result<()> {
        BC_EM.check(&self.values())
    }

    fn learn(&self, rows: &Rows<'_>, plan: &Plan, run: &Run<'_>) -> Result<Found> {
        let em = FixedGraph::new(&self.em, rows.data)?;
        starts::learn(&Turns { method: self, rows: rows.data, em }, plan, run)
    }
}

struct Turns<'a> {
    method: &'a BoundCollapse,
    rows: &'a Table,
    em: FixedGraph<'a>,
}

impl Turns<'_> {
    /// What bound and collapse makes of the rows under a network.
    fn collapse(&self, network: &Network, run: &Run<'_>) -> Result<Network> {
        let class = self.rows.columns() - 1;
        let (told, _) =
            memberships(&Fitted::from(Model::Network(network.clone())), self.rows.view(), run)?;
        let k = network.states(class);
        let own = |row: &[f64]| {
            let most = winner(row);
            (row[most] > self.method.sure).then_some(most)
        };
        // One cluster is sure of all rows.
        let own = |row: &[f64]| if k == 1 { Some(0) } else { own(row) };
        let mut sure = self.rows.clone();
        let codes = Cells::from_codes(told.chunks_exact(k).map(own), k);
        sure.replace(class, self.rows.field(class).clone(), codes);
        let counts = count_dag(network.dag(), &Source::Memory(sure.view()), run)?;
        let mut unsure = sure;
        let codes = told.chunks_exact(k).map(|row| own(row).is_none().then_some(0));
        let codes = Cells::from_codes(codes.collect::<Vec<_>>(), k);
        unsure.replace(class, self.rows.field(class).clone(), codes);
        // Those of no cluster stand in the first.
        let open = count_dag(network.dag(), &Source::Memory(unsure.view()), run)?;
        let alpha = self.method.alpha;
        let mut tables: Vec<Vec<f64>> =
            (0..class).map(|v| collapsed(&counts[v], &open[v], alpha)).collect();
        let sizes = &counts[class].values()[..k];
        let total = sizes.iter().sum::<f64>() + alpha * k as f64;
        tables.push(sizes.iter().map(|n| (n + alpha) / total).collect());
        network.with_tables(tables)
    }

    /// The log marginal likelihood of the rows completed as expected.
    fn log_marginal(&self, counts: &[FamilyTable]) -> f64 {
        let evidence = |t: &FamilyTable| {
            Score::Bdeu(self.method.alpha * (t.cells() * t.classes()) as f64).of(t)
        };
        let class = counts.len() - 1;
        let k = counts[class].classes();
        let mut own = FamilyTable::zeros(1, k, 1);
        own.values_mut()[..k].copy_from_slice(&counts[class].values()[..k]);
        counts[..class].iter().map(evidence).sum::<f64>() + evidence(&own)
    }
}

/// p(state | cluster), cluster by cluster: the mean of the estimates in which each state in turn takes all the rows that
/// are of no cluster, by how probable the state is among those that are.
fn collapsed(counts: &FamilyTable, open: &FamilyTable, alpha: f64) -> Vec<f64> {
    let states = counts.states();
    let free: Vec<f64> = (0..states).map(|k| open.at(0, k, 0)).collect();
    let of_cluster = |c: usize| {
        let seen: Vec<f64> = (0..states).map(|k| alpha + counts.at(0, k, c)).collect();
        let total: f64 = seen.iter().sum();
        let mut estimate = vec![0.0; states];
        for (up, (own, free)) in seen.iter().zip(&free).enumerate() {
            let share = own / total;
            for (k, n) in seen.iter().enumerate() {
                let taken = if k == up { *free } else { 0.0 };
                estimate[k] += share * (n + taken) / (total + free);
            }
        }
        estimate
    };
    (0..counts.classes()).flat_map(of_cluster).collect()
}

impl Starts for Turns<'_> {
    type Own = EmState;

    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<EmState>> {
        let mut network = random_start(self.em.blank(), run.seed, index)?;
        let mut all = Outcome { stop: Stop::IterationLimit, ..Outcome::exact() };
        let mut last: Option<f64> = None;
        for _ in 0..self.method.rounds {
            let climbed = self.em.climb(self.collapse(&network, run)?, run)?;
            network = climbed.network;
            all.iterations += climbed.outcome.iterations;
            all.passes += climbed.outcome.passes;
            all.trace.extend(climbed.outcome.trace);
            if climbed.outcome.stop == Stop::Interrupted {
                all.stop = Stop::Interrupted;
                break;
            }
            let value = self.log_marginal(&self.em.counts(&network, run)?);
            if last.is_some_and(|l| (value - l).abs() <= self.method.tolerance * l.abs()) {
                all.stop = Stop::Converged;
                break;
            }
            last = Some(value);
        }
        self.em.reached_by(network, all, run)
    }

    /// EM alone, from where the turns ended.
    fn go_on(&self, reached: &Reached<EmState>, run: &Run<'_>) -> Result<Reached<EmState>> {
        self.em.go_on(reached, run)
    }

    fn memberships(&self, state: &EmState, run: &Run<'_>) -> Result<Vec<f64>> {
        self.em.memberships(state, run)
    }

    fn weights(&self) -> Option<&[f64]> {
        self.em.weights()
    }

    fn step(
        &self,
        present: &Reached<EmState>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<EmState>> {
        self.em.step(present, memberships, run)
    }

    fn finish(&self, state: EmState, run: &Run<'_>) -> Result<Model> {
        self.em.finish(state, run)
    }

    fn clusters(&self) -> usize {
        self.em.clusters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};

    /// By hand, two states: 3 and 1 rows of the cluster, 2 and 4 of none, one added to each.
    #[test]
    fn bounds_collapse_to_their_mean() {
        let table = |a: f64, b: f64| {
            let mut t = FamilyTable::zeros(1, 2, 1);
            *t.at_mut(0, 0, 0) = a;
            *t.at_mut(0, 1, 0) = b;
            t
        };
        let found = collapsed(&table(3.0, 1.0), &table(2.0, 4.0), 1.0);
        let (first_up, second_up) = ([6.0 / 8.0, 2.0 / 8.0], [4.0 / 10.0, 6.0 / 10.0]);
        for k in 0..2 {
            let mean = 4.0 / 6.0 * first_up[k] + 2.0 / 6.0 * second_up[k];
            assert!(close(found[k], mean, ROUNDING), "{found:?}");
        }
        // With nothing open it is the plain estimate.
        let plain = collapsed(&table(3.0, 1.0), &table(0.0, 0.0), 1.0);
        assert!(close(plain[0], 4.0 / 6.0, ROUNDING));
    }
}
