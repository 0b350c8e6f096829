//! The one pass of learning parameters by iteration: a criterion, and which way each family's counts would raise it.
//!
//! For every row each class gets a weight u(class); the slopes are family tables in which u is scattered over the row's
//! cells (over the cells it is expected in, where members are missing). With u = 1 for the row's own class, or
//! u = p(class | row) where the class is latent, they are counts or expected counts (EM); with u = 1 - p(class | row) for the own class and -p(class | row) for the others they
//! are what TM adds to its counts and what the gradient of the conditional likelihood is made of (ALGORITHMS 5).

use super::density::{Layer, LogTables, Purpose, Room};
use super::holes::Elimination;
use crate::data::source::{Block, Codes, Scratch};
use crate::num::normalise_logs;
use crate::stats::count::cells;
use crate::stats::kernels::scatter;
use crate::stats::{FamilyTable, Merge, Pass};

/// Rows whose scores are held in cache while every column is visited.
const BLOCK: usize = 2048;

/// What is raised, summed over rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Criterion {
    /// ln p(class, row)
    Joint,
    /// ln p(row), the class summed out where it is not seen: what clustering raises.
    Latent,
    /// ln p(class | row)
    Conditional,
    /// -(1 - p(class | row)), the expected error turned round.
    Error,
    /// -(1 - p(class | row))^2
    Squared,
    /// ln p(class | row) + m ln p(row)
    Mixed(f64),
}

impl Criterion {
    /// Whether families without the class matter.
    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Criterion::Joint | Criterion::Latent => Purpose::Density,
            Criterion::Mixed(m) if m > 0.0 => Purpose::Density,
            _ => Purpose::Posterior,
        }
    }

    /// Turns a row's log-joints into the weights of its classes; returns the row's value. `own` is no class where it is
    /// unknown.
    fn weigh(self, own: usize, weight: f64, row: &mut [f64]) -> f64 {
        if self == Criterion::Latent && own >= row.len() {
            let value = normalise_logs(row);
            row.iter_mut().for_each(|p| *p *= weight);
            return weight * value;
        }
        if matches!(self, Criterion::Joint | Criterion::Latent) {
            let value = row[own];
            row.fill(0.0);
            row[own] = weight;
            return weight * value;
        }
        let joint = row[own];
        let total = normalise_logs(row);
        let (ln, p) = (joint - total, row[own]);
        let (value, own_share, other_share) = match self {
            Criterion::Error => (p - 1.0, p, p),
            Criterion::Squared => (-(1.0 - p).powi(2), 2.0 * (1.0 - p) * p, 2.0 * (1.0 - p) * p),
            Criterion::Mixed(m) => (ln + m * total, 1.0, 1.0 - m),
            _ => (ln, 1.0, 1.0),
        };
        row.iter_mut().for_each(|p| *p *= -weight * other_share);
        row[own] += weight * own_share;
        weight * value
    }
}

/// A criterion's value and slopes: the families of the attributes by class, then that of the class (its parents' cells
/// by class), laid out as their counts are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slopes {
    pub value: f64,
    pub families: Vec<FamilyTable>,
}

impl Merge for Slopes {
    fn merge(&mut self, other: &Self) {
        self.value += other.value;
        self.families.iter_mut().zip(&other.families).for_each(|(a, b)| a.merge(b));
    }
}

/// The pass; the last column is the class, and rows of unknown class count nowhere, but for the
/// latent criterion.
pub(crate) struct SlopesPass<'a> {
    pub tables: &'a LogTables,
    pub criterion: Criterion,
    /// Where to scatter nothing, because the value alone is wanted.
    pub value_only: bool,
}

impl SlopesPass<'_> {
    fn class(&self) -> usize {
        self.tables.states.len() - 1
    }

    /// The layers that matter.
    fn layers(&self) -> impl Iterator<Item = &Layer> {
        let other = self.criterion.purpose() == Purpose::Density;
        [&self.tables.telling].into_iter().chain(other.then_some(&self.tables.other))
    }

    fn part(&self, block: &Block<'_>, room: &mut Room, work: &mut Work, slopes: &mut Slopes) {
        let classes = self.tables.classes;
        let class = self.class();
        work.scores.resize(block.len() * classes, 0.0);
        let purpose = self.criterion.purpose();
        self.tables.gather_joint(block, purpose, room, &mut work.scores);
        let mut weight_room = std::mem::take(&mut work.weights);
        let weights = block.weights(&mut weight_room);
        own_classes(block, class, &mut work.scratch, &mut work.own);
        for (i, row) in work.scores.chunks_exact_mut(classes).enumerate() {
            let own = work.own[i] as usize;
            let weight = weights.map_or(1.0, |w| w[i]);
            if !self.counts(own, weight) {
                row.fill(0.0);
                continue;
            }
            if !room.holed[i] {
                slopes.value += self.criterion.weigh(own, weight, row);
            }
        }
        if room.holed.contains(&true) && !self.tables.dependent.is_empty() {
            let elimination = self.tables.elimination();
            for i in self.tables.by_holes(block, &room.holed) {
                let own = work.own[i] as usize;
                let weight = weights.map_or(1.0, |w| w[i]);
                let row = &mut work.scores[i * classes..][..classes];
                if self.counts(own, weight) {
                    self.tables.see(block, i, &mut room.seen);
                    self.holed(&elimination, own, weight, room, row, slopes);
                }
                row.fill(0.0);
            }
        }
        work.weights = weight_room;
        if !self.value_only {
            self.scatter(block, room, work, slopes);
        }
    }

    /// Whether a row of this class and weight counts.
    fn counts(&self, own: usize, weight: f64) -> bool {
        let known = own < self.tables.classes || self.criterion == Criterion::Latent;
        known && weight != 0.0
    }

    /// Adds a row with missing cells among attributes that depend on each other; `row` is where its scores and weights
    /// may stand.
    fn holed(
        &self,
        elimination: &Elimination<'_>,
        own: usize,
        weight: f64,
        room: &mut Room,
        row: &mut [f64],
        slopes: &mut Slopes,
    ) {
        // Where the class is seen, these ask nothing of the others.
        let seen = matches!(self.criterion, Criterion::Joint | Criterion::Latent);
        let classes = if seen && own < row.len() { own..own + 1 } else { 0..row.len() };
        row.copy_from_slice(&self.tables.prior);
        elimination.add_row(&room.seen, classes.clone(), &mut room.row, &mut row[classes.clone()]);
        slopes.value += self.criterion.weigh(own, weight, row);
        if self.value_only {
            return;
        }
        let u = &row[classes.clone()];
        let mut visit = |family: usize, cell: usize, p: &[f64]| {
            let place = elimination.families[family].child.unwrap_or(self.class());
            let to = &mut slopes.families[place];
            let told = to.classes();
            let entry = &mut to.values_mut()[cell * told..][..told];
            let products = u.iter().zip(p).map(|(u, p)| u * p);
            if told == 1 {
                entry[0] += products.sum::<f64>();
            } else {
                entry[classes.clone()].iter_mut().zip(products).for_each(|(e, x)| *e += x);
            }
        };
        elimination.expect_row(&room.seen, &mut room.row, &mut visit);
        self.add_prior(row, slopes);
    }

    /// The class's own family, where the class has no parents.
    fn add_prior(&self, u: &[f64], slopes: &mut Slopes) {
        if self.tables.class_is_root {
            let entry = slopes.families[self.class()].values_mut();
            entry.iter_mut().zip(u).for_each(|(e, u)| *e += u);
        }
    }

    fn scatter(&self, block: &Block<'_>, room: &mut Room, work: &mut Work, slopes: &mut Slopes) {
        let classes = self.tables.classes;
        let Work { scores, groups, totals, .. } = work;
        let (own, rest) = groups.split_at_mut(self.tables.telling.groups.len());
        self.scatter_layer(&self.tables.telling, block, scores, classes, room, own, slopes);
        if self.layers().count() > 1 {
            totals.clear();
            totals.extend(scores.chunks_exact(classes).map(|row| row.iter().sum::<f64>()));
            self.scatter_layer(&self.tables.other, block, totals, 1, room, rest, slopes);
        }
        let mut sums = vec![0.0; classes];
        for row in scores.chunks_exact(classes) {
            sums.iter_mut().zip(row).for_each(|(s, u)| *s += u);
        }
        self.add_prior(&sums, slopes);
    }

    /// Scatters the rows' weights, rows x the classes that the layer tells apart.
    #[allow(clippy::too_many_arguments)]
    fn scatter_layer(
        &self,
        layer: &Layer,
        block: &Block<'_>,
        weights: &[f64],
        classes: usize,
        room: &mut Room,
        groups: &mut [Vec<f64>],
        slopes: &mut Slopes,
    ) {
        for (group, sums) in layer.groups.iter().zip(groups) {
            group.codes(block, &mut room.scratch, &mut room.codes);
            scatter(&room.codes, weights, classes, sums);
        }
        let Room { scratch, cells: cell, .. } = room;
        for family in &layer.families {
            let to = &mut slopes.families[family.child.unwrap_or(self.class())];
            cells(block, &family.members, &self.tables.states, scratch, cell);
            scatter(cell, weights, classes, to.values_mut());
        }
    }
}

/// Buffers that are used again for every block.
#[derive(Default)]
struct Work {
    scores: Vec<f64>,
    weights: Vec<f64>,
    own: Vec<u32>,
    scratch: Scratch,
    /// What is scattered into each group of columns.
    groups: Vec<Vec<f64>>,
    /// The sum of each row's weights over the classes.
    totals: Vec<f64>,
}

/// The class of each row; the largest number where it is unknown.
fn own_classes(block: &Block<'_>, class: usize, scratch: &mut Scratch, out: &mut Vec<u32>) {
    out.clear();
    match block.codes(class, scratch) {
        Codes::Narrow(codes) => out.extend(codes.iter().map(|&c| u32::from(c))),
        Codes::Wide(codes) => out.extend(codes.iter().map(|&c| u32::from(c))),
    }
}

impl Pass for SlopesPass<'_> {
    type Stats = Slopes;

    fn empty(&self) -> Slopes {
        let table = |&(configurations, states, classes): &(usize, usize, usize)| {
            FamilyTable::zeros(configurations, states, classes)
        };
        Slopes { value: 0.0, families: self.tables.shapes.iter().map(table).collect() }
    }

    fn add(&self, block: &Block<'_>, slopes: &mut Slopes) {
        let (mut room, mut work) = (Room::default(), Work::default());
        let groups = || self.layers().flat_map(|layer| &layer.groups);
        work.groups = groups().map(|g| vec![0.0; g.table().len()]).collect();
        for part in block.parts(BLOCK) {
            self.part(&part, &mut room, &mut work, slopes);
        }
        for (group, sums) in groups().zip(&work.groups) {
            group.spread(sums, |column, state, entry| {
                let to = &mut slopes.families[column].values_mut()[state * entry.len()..];
                to.iter_mut().zip(entry).for_each(|(t, e)| *t += e);
            });
        }
    }

    fn bytes(&self) -> usize {
        let cells = self.tables.shapes.iter().map(|(q, r, c)| (q * r + 1) * c);
        cells.sum::<usize>() * size_of::<f64>()
    }
}
