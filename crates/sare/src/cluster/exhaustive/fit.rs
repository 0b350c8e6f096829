//! The most probable parameters of one structure, and its evidence.

use super::evidence::{Estimate, Evidence};
use super::rows::Rows;
use super::{Exhaustive, MOST_ATTRIBUTES};
use crate::cluster::Quiet;
use crate::cluster::fixed::{blank_of, random_start};
use crate::data::Source;
use crate::error::{Error, Result};
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::parameters::dirichlet::Prior;
use crate::parameters::em::Frequencies;
use crate::run::{Run, Stop};
use crate::seed::{Purpose, Random};
use crate::stats::Score;

/// The attributes of a set, in rising order.
pub(super) fn members(set: usize) -> Vec<usize> {
    (0..usize::BITS as usize).filter(|v| set >> v & 1 == 1).collect()
}

/// What one structure came to.
#[derive(Clone)]
pub(super) struct Fitted {
    /// p(cluster).
    pub clusters: Vec<f64>,
    /// p(state | cluster) of the attributes that depend on it, cluster by cluster.
    pub tables: Vec<Vec<f64>>,
    /// ln p(D | S).
    pub evidence: Estimate,
    /// How often the evidence was estimated again.
    pub round: usize,
    /// How EM ended.
    pub stop: Stop,
}

/// What all structures share: attributes that do not depend on the cluster are the same in each, and in closed form.
pub(super) struct Shared {
    /// p(state) of each attribute.
    pub alone: Vec<Vec<f64>>,
    /// The logarithm of each attribute's part of the evidence.
    evidence: Vec<f64>,
}

impl Shared {
    pub fn new(rows: &Rows, alpha: f64) -> Shared {
        let attributes = 0..rows.attributes();
        let table = |v: usize| {
            Prior::Dirichlet(alpha).probabilities(&rows.counts(v, |kind| rows.weights()[kind]))
        };
        let evidence = |v: usize| {
            let counts = rows.counts(v, |kind| f64::from(rows.copies[kind]));
            // A prior sample of this size puts alpha into every cell.
            Score::Bdeu(alpha * counts.states() as f64).of(&counts)
        };
        Shared {
            alone: attributes.clone().map(table).collect(),
            evidence: attributes.map(evidence).collect(),
        }
    }

    /// The logarithm of the evidence of the attributes that are not in a set.
    fn without(&self, set: usize) -> f64 {
        let all = self.evidence.iter().enumerate();
        all.filter(|(v, _)| set >> v & 1 == 0).map(|(_, ln)| ln).sum()
    }
}

impl Exhaustive {
    /// Fits the structure in which the attributes of a set depend on the cluster. Only they take part: the others are what
    /// they are in every structure.
    pub(super) fn fit(
        &self,
        rows: &Rows,
        shared: &Shared,
        set: usize,
        starts: usize,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let attributes = members(set);
        let clusters = rows.table.field(rows.attributes()).states();
        let mut fitted = Fitted {
            clusters: vec![1.0 / clusters as f64; clusters],
            tables: Vec::new(),
            evidence: Estimate { log: shared.without(set), error: 0.0 },
            round: 0,
            stop: Stop::Exact,
        };
        if attributes.is_empty() {
            // Nothing is known of clusters that nothing depends on: they sum out of the evidence.
            return Ok(fitted);
        }
        let quiet = Quiet(run);
        let inner = run.clone().observed(&quiet);
        let own = rows.select(&attributes)?;
        let (network, stop) = self.best_start(&own, set * starts..(set + 1) * starts, &inner)?;
        fitted.clusters = network.table(attributes.len()).to_vec();
        fitted.tables = (0..attributes.len()).map(|v| network.table(v).to_vec()).collect();
        fitted.evidence = self.evidence(&own, shared, set, &network, 0, &inner)?;
        Ok(Fitted { stop, ..fitted })
    }

    /// The same with another estimate of the evidence, of four times the draws.
    pub(super) fn fit_again(
        &self,
        rows: &Rows,
        shared: &Shared,
        set: usize,
        before: &Fitted,
        run: &Run<'_>,
    ) -> Result<Fitted> {
        let quiet = Quiet(run);
        let inner = run.clone().observed(&quiet);
        let own = rows.select(&members(set))?;
        let tables = before.tables.iter().chain([&before.clusters]).cloned().collect();
        let network = blank_of(own.table.schema())?.with_tables(tables)?;
        let round = before.round + 1;
        let evidence = self.evidence(&own, shared, set, &network, round, &inner)?;
        Ok(Fitted { evidence, round, ..before.clone() })
    }

    /// ln p(D | S), of the rows' attributes in the set and all others; in later rounds with four times the draws each.
    fn evidence(
        &self,
        own: &Rows,
        shared: &Shared,
        set: usize,
        network: &Network,
        round: usize,
        run: &Run<'_>,
    ) -> Result<Estimate> {
        let (alpha, samples) = (self.alpha, self.samples << (2 * round));
        let evidence = Evidence { rows: own, network, alpha, samples };
        let stream = round << MOST_ATTRIBUTES | set;
        let mut random = Random::new(run.seed, Purpose::Evidence, stream as u64);
        let Estimate { log, error } = evidence.estimate(&mut random, run)?;
        Ok(Estimate { log: log + shared.without(set), error })
    }

    /// EM from many starts; the greatest likelihood wins, of equals the first.
    pub(super) fn best_start(
        &self,
        rows: &Rows,
        starts: std::ops::Range<usize>,
        run: &Run<'_>,
    ) -> Result<(Network, Stop)> {
        let data = Source::Memory(rows.table.view());
        let blank = blank_of(data.schema())?;
        let expectation = Expectation {
            data: &data,
            criterion: Criterion::Latent,
            iterations: self.iterations,
            until: Until::Gain(self.tolerance),
            run,
        };
        let mut best: Option<(Network, Stop, f64)> = None;
        for index in starts {
            let start = random_start(&blank, run.seed, index)?;
            let climbed = expectation.climb(start, &mut Frequencies { alpha: self.alpha })?;
            if climbed.outcome.stop == Stop::Interrupted {
                return Err(Error::Interrupted);
            }
            let value = expectation.value(&LogTables::new(&climbed.network))?;
            if best.as_ref().is_none_or(|b| value > b.2) {
                best = Some((climbed.network, climbed.outcome.stop, value));
            }
        }
        let (network, stop, _) = best.ok_or(Error::Interrupted)?;
        Ok((network, stop))
    }
}
