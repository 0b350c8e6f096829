//! Clustering methods on the same rows of the same random models: whose partition is nearer to the true one.

use super::random::Shape;
use crate::cluster::{Agreement, Clusterer, Contingency, Policy, Quiet, agreement};
use crate::data::{Table, View};
use crate::error::Result;
use crate::observe::Event;
use crate::registry;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::hypothesis::wilcoxon;
use rayon::prelude::*;

/// How the distance of two partitions is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distance {
    /// Entries in which the co-membership matrices differ.
    Hamming,
    /// The share of rows that are not right under the best matching of clusters.
    Error,
}

/// Methods that are compared.
pub(super) struct Contest<'a> {
    /// The methods, as [`clusterer`] reads them.
    pub methods: &'a [&'a str],
    /// From how many random parameters each starts.
    pub starts: usize,
    /// How many models are drawn of each kind.
    pub models: usize,
    /// The sizes of the data sets that are drawn from each model.
    pub rows: &'a [usize],
    /// How a partition is judged.
    pub distance: Distance,
}

/// What a method made of one data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// How far its partition is from the true one.
    pub distance: f64,
    /// The share of rows that are right under the best matching of clusters.
    pub accuracy: f64,
    /// Whether all rows are in one cluster.
    pub is_one: bool,
}

/// The learner of clusters that every experiment here uses: the text form of a method, and after a space the name of a policy
/// over its starts; the best is kept where there is none.
pub(super) fn clusterer(text: &str, clusters: usize, starts: usize) -> Result<Clusterer> {
    let (method, policy) = match text.split_once(' ') {
        Some((method, policy)) => (method, Policy::named(policy)?),
        None => (text, Policy::Best),
    };
    let method = registry::clusterer(method)?;
    Ok(Clusterer { method, clusters, starts, policy, ..Clusterer::default() })
}

impl Contest<'_> {
    /// How many data sets there are of one kind of models.
    pub fn sets(&self) -> usize {
        self.models * self.rows.len()
    }

    /// What each method found: by number of rows, by method, by model.
    ///
    /// Every model and every data set has a stream of its own, so that smaller contests are parts of larger ones.
    pub fn hold(&self, shape: &Shape, run: &Run<'_>) -> Result<Vec<Vec<Vec<Found>>>> {
        let stream = |model: usize, rows: usize| {
            (shape.number() * 1000 + model as u64) * 10_000 + rows as u64
        };
        let one = |task: usize| -> Result<Vec<Found>> {
            let (rows, model) = (self.rows[task / self.models], task % self.models);
            let mut random = Random::new(run.seed, Purpose::Model, stream(model, 0));
            let truth = shape.draw(&mut random)?;
            let own = stream(model, rows);
            let mut random = Random::new(run.seed, Purpose::Sample, own);
            let table = truth.sample("sample", rows, &mut random)?;
            let found = self.judge(&table, run.seed.wrapping_add(own), run);
            run.tell(&Event::Step { steps: 1 })?;
            found
        };
        let all: Vec<Vec<Found>> =
            run.install(|| (0..self.sets()).into_par_iter().map(one).collect::<Result<_>>())?;
        let of = |method: usize, sets: &[Vec<Found>]| sets.iter().map(|s| s[method]).collect();
        let by_method =
            |sets: &[Vec<Found>]| (0..self.methods.len()).map(|m| of(m, sets)).collect();
        Ok(all.chunks(self.models).map(by_method).collect())
    }

    /// What each method makes of the rows, whose true clusters are in the last column.
    fn judge(&self, table: &Table, seed: u64, run: &Run<'_>) -> Result<Vec<Found>> {
        let class = table.columns() - 1;
        let clusters = table.field(class).states();
        let quiet = Quiet(run);
        let mut own = run.clone().observed(&quiet);
        own.seed = seed;
        let found = |method: &&str| -> Result<Found> {
            let clusterer = clusterer(method, clusters, self.starts)?;
            let both = partition(&clusterer, table, class, &own)?;
            let Agreement { hamming, accuracy, .. } = agreement(&both);
            let distance = match self.distance {
                Distance::Hamming => hamming,
                Distance::Error => 1.0 - accuracy,
            };
            Ok(Found { distance, accuracy, is_one: both.second().len() == 1 })
        };
        self.methods.iter().map(found).collect()
    }
}

/// Clusters the rows by all columns but one, and sets their most probable clusters beside that column.
pub(super) fn partition(
    clusterer: &Clusterer,
    table: &Table,
    truth: usize,
    run: &Run<'_>,
) -> Result<Contingency> {
    let columns: Vec<usize> = (0..table.columns()).filter(|c| *c != truth).collect();
    let attributes = table.select(&columns);
    let model = clusterer.fit(View::all(&attributes), run)?;
    let posteriors = model.predict(&attributes, run)?.posteriors;
    let known: Vec<Option<u32>> =
        (0..table.rows()).map(|r| table.cells(truth).code(r).map(|c| c as u32)).collect();
    let found: Vec<Option<u32>> =
        (0..table.rows()).map(|r| Some(posteriors.winner(r) as u32)).collect();
    Contingency::new(&known, &found, None)
}

/// How often one method was nearer to the truth than another, and how probable such a difference is by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    /// It was nearer.
    pub wins: usize,
    /// Both were as near.
    pub draws: usize,
    /// The other was nearer.
    pub losses: usize,
    /// How sure the difference is: 0, or 1 at the level of 10 %, or 2 at that of 1 %.
    pub sure: usize,
}

impl Tally {
    /// Of what one method and another found on the same data sets, by Wilcoxon's signed-rank test.
    pub fn of(one: &[Found], other: &[Found]) -> Tally {
        let distances = |all: &[Found]| all.iter().map(|f| f.distance).collect::<Vec<f64>>();
        let (one, other) = (distances(one), distances(other));
        let count = |holds: fn(&f64, &f64) -> bool| {
            one.iter().zip(&other).filter(|(x, y)| holds(x, y)).count()
        };
        let p = wilcoxon(&one, &other).p_value;
        Tally {
            wins: count(|x, y| x < y),
            draws: count(|x, y| x == y),
            losses: count(|x, y| x > y),
            sure: usize::from(p < 0.1) + usize::from(p < 0.01),
        }
    }

    /// How many data sets it is of.
    pub fn total(&self) -> usize {
        self.wins + self.draws + self.losses
    }

    /// Both together; how sure the differences are is not a thing that adds up.
    pub fn plus(&self, other: &Tally) -> Tally {
        Tally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            sure: 0,
        }
    }

    /// Wins, draws and losses, with as many stars as the difference is sure.
    pub fn text(&self) -> String {
        format!("{}/{}/{}{}", self.wins, self.draws, self.losses, "*".repeat(self.sure))
    }
}
