//! What expected counts become, for a class that is never seen: the next parameters (ALGORITHMS 8).

mod evidence;
mod learning;
mod prior;
#[cfg(test)]
mod tests;

use self::learning::{Learning, Stage};
use self::prior::{Column, TablePrior};
use crate::error::Result;
use crate::infer::expectation::{Maximise, largest_change};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;
use std::borrow::Cow;

/// What is added to the expected counts of an attribute in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The same number to every state.
    Flat,
    /// Some rows like all rows; how many is learnt.
    Centred,
    /// Either, whichever is more probable, and how much of it.
    Either,
}

impl Added {
    /// The names they are asked for by.
    pub(super) const NAMES: &[&str] = &["flat", "centred", "either"];

    /// The one at this place of the names.
    pub(super) fn at(place: f64) -> Added {
        [Added::Flat, Added::Centred, Added::Either][place as usize % Added::NAMES.len()]
    }
}

/// Which attributes depend on the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depend {
    /// All of them: no structures are averaged.
    All,
    /// Each as likely as not beforehand.
    Even,
    /// Each with the same probability beforehand, which is learnt.
    Learnt,
}

/// The average over all choices of attributes that depend on the cluster, with the expected counts (EMA); or that of one
/// choice, all of them (EM).
#[derive(Clone)]
pub(super) struct Averaged {
    depend: Depend,
    prior: TablePrior,
    /// How the prior is learnt, where it is.
    learning: Option<Learning>,
    /// What is added to the counts of the clusters themselves.
    of_clusters: f64,
    /// What all rows say of each attribute; from the first counts.
    columns: Vec<Column>,
    /// The probability that each attribute matters, by the last counts.
    pub relevance: Vec<f64>,
    /// The probability beforehand that an attribute matters.
    probable: f64,
    /// What keeps the objective of EM where it is when the prior moves.
    offset: f64,
}

/// How far the probability beforehand that an attribute matters is kept from 0 and 1.
const LEAST_PROBABLE: f64 = 0.2;

impl Averaged {
    /// For a loop of so many iterations; `alpha` is added to the counts of clusters, and where the prior is flat to all others.
    pub(super) fn new(added: Added, alpha: f64, depend: Depend, iterations: usize) -> Averaged {
        let learning = match added {
            Added::Flat => None,
            _ => Some(Learning::new(added == Added::Either, iterations)),
        };
        Averaged {
            depend,
            prior: learning.as_ref().map_or(TablePrior::Flat(alpha), Learning::first),
            learning,
            of_clusters: alpha,
            columns: Vec::new(),
            relevance: Vec::new(),
            probable: 0.5,
            offset: 0.0,
        }
    }

    /// Takes over how probable it is that each attribute matters.
    pub(super) fn expect(&mut self, relevance: &[f64]) {
        let mean = relevance.iter().sum::<f64>() / relevance.len() as f64;
        self.probable = mean.clamp(LEAST_PROBABLE, 1.0 - LEAST_PROBABLE);
    }

    /// ln of the odds beforehand that an attribute matters; infinite where all do.
    fn log_odds(&self) -> f64 {
        let early = self.learning.as_ref().is_some_and(|l| l.stage < Stage::Last);
        match self.depend {
            Depend::Even if !early => 0.0,
            Depend::Learnt if !early => (self.probable / (1.0 - self.probable)).ln(),
            _ => f64::INFINITY,
        }
    }

    /// The counts of an attribute that the prior is held against.
    ///
    /// As published, EMA adds what is expected of the missing cells. But that is what the parameters said before, not something
    /// that was seen: it makes them surer of themselves, so that a prior is never learnt from it.
    fn counted<'a>(
        &self,
        counts: &'a FamilyTable,
        clusters: &[f64],
        table: &[f64],
    ) -> Cow<'a, FamilyTable> {
        match self.learning.is_none() && self.depend != Depend::All {
            true => with_missing(counts, clusters, table),
            false => Cow::Borrowed(counts),
        }
    }

    fn column(&self, attribute: usize) -> &Column {
        static NONE: Column = Column::none();
        self.columns.get(attribute).unwrap_or(&NONE)
    }

    /// Moves the prior where it is time to.
    fn look(&mut self, present: &Network, counts: &[FamilyTable]) {
        let Some(mut learning) = self.learning.take() else { return };
        if self.columns.is_empty() {
            self.columns = counts.iter().map(Column::new).collect();
            // The rows were already asked under the present network, without a prior.
            self.offset = -self.log_density(present);
        }
        let log_odds = match learning.stage {
            Stage::Last => self.log_odds(),
            _ => f64::INFINITY,
        };
        let evidence = |prior: TablePrior| -> f64 {
            let all = self.columns.iter().zip(counts);
            all.map(|(column, counts)| prior.rivals(column, counts).together(log_odds)).sum()
        };
        let next = learning.look(self.prior, &evidence);
        if next != self.prior {
            let before = self.log_density(present);
            self.prior = next;
            self.offset += before - self.log_density(present);
        }
        self.learning = Some(learning);
    }

    /// ln of the prior of a network's parameters where all attributes depend on the cluster, but for a constant.
    fn log_density(&self, network: &Network) -> f64 {
        let of = |(v, column): (usize, &Column)| self.prior.log_density(column, network.table(v));
        let clusters = network.table(self.columns.len());
        let logs: f64 = clusters.iter().map(|&p| ln_or_floor(p)).sum();
        let of_clusters = if self.of_clusters > 0.0 { self.of_clusters * logs } else { 0.0 };
        self.columns.iter().enumerate().map(of).sum::<f64>() + of_clusters
    }
}

impl Maximise for Averaged {
    fn network(&mut self, present: &Network, counts: &[FamilyTable]) -> Result<Network> {
        let class = counts.len() - 1;
        let clusters = &counts[class].values()[..counts[class].classes()];
        self.look(present, &counts[..class]);
        let log_odds = self.log_odds();
        let mut tables = Vec::with_capacity(class + 1);
        let mut relevances = Vec::with_capacity(class);
        for (v, counts) in counts[..class].iter().enumerate() {
            let (column, counts) =
                (self.column(v), self.counted(counts, clusters, present.table(v)));
            let relevance = match log_odds == f64::INFINITY {
                true => 1.0,
                false => self.prior.rivals(column, &counts).relevance(log_odds),
            };
            tables.push(self.prior.table(column, &counts, relevance));
            relevances.push(relevance);
        }
        let of_clusters =
            if self.of_clusters > 0.0 { Prior::Dirichlet(self.of_clusters) } else { Prior::None };
        tables.push(of_clusters.smoothed(clusters, clusters.len()));
        if self.depend == Depend::Learnt && log_odds < f64::INFINITY {
            self.expect(&relevances);
        }
        self.relevance = relevances;
        let next = present.with_tables(tables)?;
        if let Some(learning) = &mut self.learning {
            learning.stepped(largest_change(present, &next));
        }
        Ok(next)
    }

    /// With it the value of EM never falls.
    fn bonus(&self, network: &Network) -> f64 {
        match self.depend == Depend::All && !self.columns.is_empty() {
            true => self.offset + self.log_density(network),
            false => 0.0,
        }
    }

    fn settled(&self) -> bool {
        self.learning.as_ref().is_none_or(Learning::settled)
    }
}

/// The counts of an attribute whose only parent is the cluster, with what is expected of the rows in which it is missing:
/// what the clusters have beyond the attribute's own counts, spread as p(state | cluster) says.
///
/// Relative frequencies do not change by this, but how sure they are does.
fn with_missing<'a>(
    counts: &'a FamilyTable,
    clusters: &[f64],
    table: &[f64],
) -> Cow<'a, FamilyTable> {
    let states = counts.states();
    let mut whole = Cow::Borrowed(counts);
    for (cluster, total) in clusters.iter().enumerate() {
        let missing = total - counts.sum_over_states(0, cluster);
        // What is left of sums of fractions is rounding.
        if missing > 1e-9 * total {
            for (state, p) in table[cluster * states..][..states].iter().enumerate() {
                *whole.to_mut().at_mut(0, state, cluster) += missing * p;
            }
        }
    }
    whole
}
