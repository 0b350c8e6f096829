//! The density of a classifier: one function, ln p(class, attributes), from which everything else follows.

use super::holes::{Elimination, LogFamily, RowRoom};
use crate::data::source::{Block, Scratch, Source, View};
use crate::error::{Error, Result};
use crate::graph::BitSet;
use crate::graph::elimination::{moral_graph, smallest_table_order};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::seed::Random;
use crate::stats::FamilyTable;
use crate::stats::count::cells;
use crate::stats::group::ColumnGroup;
use crate::stats::kernels::gather;
use std::sync::{Arc, OnceLock};

/// The largest table that summing out missing cells may need, in entries.
const LARGEST_ELIMINATION: u128 = 1 << 26;

/// A network's log-probabilities laid out for the gather kernel.
#[derive(Clone, Debug)]
pub(crate) struct LogTables {
    pub(super) classes: usize,
    /// ln p(class), or zeros where the class has parents and its family is among the others.
    pub(super) prior: Vec<f64>,
    /// Whether the class has no parents.
    pub(super) class_is_root: bool,
    /// The configurations and states of each variable's family and the classes it tells apart, 1 where the class is no
    /// parent; of the class, its parents' configurations.
    pub(super) shapes: Vec<(usize, usize, usize)>,
    /// The families of the class and of its children: all that tells classes apart.
    pub(super) telling: Layer,
    /// The other families, which add the same to every class: their tables have one entry a cell.
    pub(super) other: Layer,
    pub(super) states: Vec<usize>,
    /// Attributes that tell classes apart by themselves and that families of the others hold: where one of them is
    /// missing, those families tell about it, and so about the class.
    told_through: Vec<usize>,
    /// Every family, and an elimination order, for rows whose missing cells must be summed out; empty where no attribute
    /// depends on another and a missing cell just drops out.
    pub(super) dependent: Vec<LogFamily>,
    order: Vec<usize>,
    /// The probabilities of those families, made when the first such row comes.
    entries: OnceLock<Vec<Vec<f64>>>,
    /// The entries of the largest table that summing out may need for one class.
    largest: u128,
}

/// Some families.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Columns without attribute parents, several to a byte.
    pub(super) groups: Vec<ColumnGroup>,
    /// Families that are not grouped: with parents, or with too many states.
    pub(super) families: Vec<LogFamily>,
}

impl Layer {
    fn new(families: Vec<LogFamily>) -> Layer {
        let (joined, alone): (Vec<LogFamily>, Vec<LogFamily>) =
            families.into_iter().partition(LogFamily::joins_attributes);
        let columns: Vec<(usize, &FamilyTable)> =
            alone.iter().map(|f| (f.members[0], &*f.table)).collect();
        let (groups, left) = ColumnGroup::plan(&columns);
        let singles = left.into_iter().map(|i| alone[i].clone());
        Layer { groups, families: joined.into_iter().chain(singles).collect() }
    }

    fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.families.is_empty()
    }

    /// Adds every family's log-probabilities to the scores, rows x the classes they tell apart, and marks the rows in
    /// which a missing cell must be summed out.
    fn add(
        &self,
        block: &Block<'_>,
        states: &[usize],
        classes: usize,
        room: &mut Room,
        scores: &mut [f64],
    ) {
        for group in &self.groups {
            group.codes(block, &mut room.scratch, &mut room.codes);
            gather(&room.codes, group.table(), classes, scores);
        }
        for family in &self.families {
            cells(block, &family.members, states, &mut room.scratch, &mut room.cells);
            gather(&room.cells, family.table.values(), classes, scores);
            if family.joins_attributes() {
                let missing = family.table.cells() as u32;
                let holes = room.holed.iter_mut().zip(&room.cells);
                holes.for_each(|(hole, &cell)| *hole |= cell == missing);
            }
        }
    }
}

/// What a density is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To tell the classes of a row apart: what adds the same to all of them is left out.
    Posterior,
    /// For its own sake.
    Density,
}

impl LogTables {
    /// Lays out a network whose last variable is the class.
    pub(crate) fn new(network: &Network) -> LogTables {
        let class = network.variables().len() - 1;
        let states: Vec<usize> = (0..=class).map(|v| network.states(v)).collect();
        let mut attributes = (0..=class).flat_map(|v| network.dag().parents(v));
        let (order, largest) = if attributes.any(|p| p != class) {
            smallest_table_order(&moral_graph(network.dag(), &[class]), &states)
        } else {
            (Vec::new(), 1)
        };
        let order = order.into_iter().filter(|&v| v != class).collect();
        LogTables::laid_out(network, states, order, largest)
    }

    /// Lays out another network of the same graph.
    pub(crate) fn renewed(&self, network: &Network) -> LogTables {
        LogTables::laid_out(network, self.states.clone(), self.order.clone(), self.largest)
    }

    /// `largest` is the entries of the largest table that eliminating in `order` meets for one class.
    fn laid_out(
        network: &Network,
        states: Vec<usize>,
        order: Vec<usize>,
        largest: u128,
    ) -> LogTables {
        let dag = network.dag();
        let class = network.variables().len() - 1;
        let classes = network.states(class);
        let (all, prior) = log_families(network);
        let joined = all.iter().any(LogFamily::joins_attributes);
        let shape = |v: usize| {
            let attributes = dag.parents(v).filter(|&p| p != class).map(|p| states[p]);
            let told = if v == class || dag.has_arc(class, v) { classes } else { 1 };
            (attributes.product(), if v == class { 1 } else { states[v] }, told)
        };
        let shapes = (0..=class).map(shape).collect();
        let tells = |f: &LogFamily| f.child.is_none_or(|v| dag.has_arc(class, v));
        let joined_in = |told: bool| {
            let mut members = BitSet::new(class + 1);
            let families = all.iter().filter(|f| f.joins_attributes() && tells(f) == told);
            families.flat_map(|f| &f.members).for_each(|&m| {
                members.insert(m);
            });
            members
        };
        let (in_telling, in_other) = (joined_in(true), joined_in(false));
        let through =
            |&v: &usize| dag.has_arc(class, v) && !in_telling.contains(v) && in_other.contains(v);
        let told_through = (0..class).filter(through).collect();
        let dependent = if joined { all.clone() } else { Vec::new() };
        let (telling, other) = all.into_iter().partition(tells);
        LogTables {
            classes,
            prior,
            telling: Layer::new(telling),
            other: Layer::new(other),
            dependent,
            states,
            order,
            entries: OnceLock::new(),
            largest,
            class_is_root: dag.parents(class).next().is_none(),
            told_through,
            shapes,
        }
    }

    /// [`LogTables::check`] for rows wherever they are.
    pub(crate) fn check_source(&self, data: &Source<'_>) -> Result<()> {
        match data {
            Source::Memory(view) => self.check(*view),
            Source::Stream(stream) if (0..self.states.len() - 1).any(|c| stream.missing(c) > 0) => {
                self.check_size()
            }
            Source::Stream(_) => Ok(()),
        }
    }

    /// Fails if rows have missing cells and summing them out could take too much memory. Complete rows never need it.
    pub(crate) fn check(&self, coded: View<'_>) -> Result<()> {
        if self.check_size().is_ok() {
            return Ok(());
        }
        let table = coded.table();
        let holed = |r: usize| (0..self.states.len() - 1).any(|v| table.cells(v).code(r).is_none());
        if coded.row_numbers().any(holed) { self.check_size() } else { Ok(()) }
    }

    /// Fails if summing out missing cells could take too much memory.
    fn check_size(&self) -> Result<()> {
        let entries = self.largest.saturating_mul(self.classes as u128);
        if entries <= LARGEST_ELIMINATION {
            return Ok(());
        }
        Err(Error::TooLarge {
            what: "summing out missing cells".into(),
            bytes: entries.saturating_mul(8),
            limit: LARGEST_ELIMINATION * 8,
            fix: "use a structure with fewer parents, or rows without missing cells".into(),
        })
    }

    /// ln p(class, seen attributes) of every row and class, for a posterior up to what all classes share. Missing cells
    /// are summed out: those of attributes that no other depends on add nothing, which the tables' cell for missing
    /// members sees to; rows in which one that others depend on, or that depends on others, is missing are done one by
    /// one.
    pub(crate) fn log_joint(
        &self,
        block: &Block<'_>,
        purpose: Purpose,
        room: &mut Room,
        scores: &mut [f64],
    ) {
        self.gather_joint(block, purpose, room, scores);
        if self.dependent.is_empty() {
            return;
        }
        let elimination = self.elimination();
        for i in self.by_holes(block, &room.holed) {
            let row = &mut scores[i * self.classes..][..self.classes];
            row.copy_from_slice(&self.prior);
            self.see(block, i, &mut room.seen);
            elimination.add_row(&room.seen, 0..self.classes, &mut room.row, row);
        }
    }

    /// The marked rows of a block, those with the same missing cells side by side: they are summed out by the same plan.
    pub(super) fn by_holes(&self, block: &Block<'_>, marked: &[bool]) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..marked.len()).filter(|&i| marked[i]).collect();
        let missing =
            |i: usize, v: usize| block.table().cells(v).code(block.row_number(i)).is_none();
        let holes = |i: &usize| {
            let mut holes = BitSet::new(self.states.len());
            (0..self.states.len() - 1).filter(|&v| missing(*i, v)).for_each(|v| {
                holes.insert(v);
            });
            holes
        };
        // Stable, so that the order is the same whatever the sort.
        rows.sort_by_cached_key(holes);
        rows
    }

    /// [`LogTables::log_joint`] but for the rows that must be done one by one, which it marks.
    pub(super) fn gather_joint(
        &self,
        block: &Block<'_>,
        purpose: Purpose,
        room: &mut Room,
        scores: &mut [f64],
    ) {
        for row in scores.chunks_exact_mut(self.classes) {
            row.copy_from_slice(&self.prior);
        }
        room.holed.clear();
        room.holed.resize(block.len(), false);
        self.telling.add(block, &self.states, self.classes, room, scores);
        if purpose == Purpose::Density && !self.other.is_empty() {
            let mut shared = std::mem::take(&mut room.shared);
            shared.clear();
            shared.resize(block.len(), 0.0);
            self.other.add(block, &self.states, 1, room, &mut shared);
            for (row, s) in scores.chunks_exact_mut(self.classes).zip(&shared) {
                row.iter_mut().for_each(|x| *x += s);
            }
            room.shared = shared;
        }
        for &v in &self.told_through {
            cells(block, &[v], &self.states, &mut room.scratch, &mut room.cells);
            let missing = self.states[v] as u32;
            let holes = room.holed.iter_mut().zip(&room.cells);
            holes.for_each(|(hole, &cell)| *hole |= cell == missing);
        }
    }

    /// What sums out the missing cells of the rows that are done one by one.
    pub(super) fn elimination(&self) -> Elimination<'_> {
        let exponentials =
            |f: &LogFamily| f.table.values().iter().map(|l| l.exp()).collect::<Vec<f64>>();
        Elimination {
            families: &self.dependent,
            entries: self.entries.get_or_init(|| self.dependent.iter().map(exponentials).collect()),
            states: &self.states,
            order: &self.order,
        }
    }

    /// Draws the missing attributes of a row from their distribution given the seen ones and each class in turn, so many times
    /// a class; `network` is the one that was laid out. The states of the missing attributes, draw by draw.
    pub(crate) fn draw_missing(
        &self,
        network: &Network,
        row: &[Option<usize>],
        count: usize,
        random: &mut Random,
    ) -> Vec<u16> {
        let (elimination, mut room) = (self.elimination(), RowRoom::default());
        let mut scores = vec![0.0; self.classes];
        elimination.add_row(row, 0..self.classes, &mut room, &mut scores);
        let order = network.dag().topological_order();
        let mut drawn = Vec::new();
        for class in (0..self.classes).flat_map(|c| std::iter::repeat_n(c, count)) {
            let mut states = row.to_vec();
            elimination.draw_row(&mut states, class, &room, random);
            let mut whole: Vec<usize> = states.iter().map(|x| x.unwrap_or(0)).collect();
            whole.push(class);
            // What is left has nothing seen below it.
            for &v in order.iter().filter(|&&v| v < states.len() && states[v].is_none()) {
                whole[v] = random.categorical(network.row_of(v, &whole));
            }
            let missing = (0..row.len()).filter(|&v| row[v].is_none());
            drawn.extend(missing.map(|v| whole[v] as u16));
        }
        drawn
    }

    /// The attributes of one row of a block.
    pub(super) fn see(&self, block: &Block<'_>, index: usize, seen: &mut Vec<Option<usize>>) {
        let number = block.row_number(index);
        seen.clear();
        seen.extend((0..self.states.len() - 1).map(|v| block.table().cells(v).code(number)));
    }
}

/// The families of a network whose last variable is the class, and ln p(class); where the class has parents its family
/// is the last of the families and ln p(class) is zeros.
pub(crate) fn log_families(network: &Network) -> (Vec<LogFamily>, Vec<f64>) {
    let class = network.variables().len() - 1;
    let mut all: Vec<LogFamily> = (0..class).map(|v| log_family(network, v, class)).collect();
    if network.dag().parents(class).next().is_none() {
        return (all, network.table(class).iter().map(|&p| ln_or_floor(p)).collect());
    }
    all.push(class_family(network, class));
    (all, vec![0.0; network.states(class)])
}

/// The log-probabilities of an attribute given its attribute parents, by class where the class is a parent.
fn log_family(network: &Network, v: usize, class: usize) -> LogFamily {
    let classes = if network.dag().has_arc(class, v) { network.states(class) } else { 1 };
    let states = network.states(v);
    let mut members: Vec<usize> = network.dag().parents(v).filter(|&p| p != class).collect();
    let configurations = members.iter().map(|&p| network.states(p)).product();
    members.push(v);
    let mut table = FamilyTable::zeros(configurations, states, classes);
    for j in 0..configurations {
        for c in 0..classes {
            // The class is the last variable, so as a parent it changes fastest.
            let row = &network.table(v)[(j * classes + c) * states..][..states];
            for (k, &p) in row.iter().enumerate() {
                *table.at_mut(j, k, c) = ln_or_floor(p);
            }
        }
    }
    LogFamily { members, child: Some(v), table: Arc::new(table) }
}

/// The log-probabilities of the class given its parents.
fn class_family(network: &Network, class: usize) -> LogFamily {
    let members: Vec<usize> = network.dag().parents(class).collect();
    let mut table = FamilyTable::zeros(network.configurations(class), 1, network.states(class));
    let values = table.values_mut().iter_mut();
    values.zip(network.table(class)).for_each(|(value, &p)| *value = ln_or_floor(p));
    LogFamily { members, child: None, table: Arc::new(table) }
}

/// Buffers that are used again for every block.
#[derive(Default)]
pub(crate) struct Room {
    pub(super) scratch: Scratch,
    pub(super) codes: Vec<u8>,
    pub(super) cells: Vec<u32>,
    pub(super) holed: Vec<bool>,
    /// What a row's classes share.
    pub(super) shared: Vec<f64>,
    pub(super) seen: Vec<Option<usize>>,
    pub(super) row: RowRoom,
}

/// Whether an attribute is missing in some row; the last column is the class.
pub(crate) fn has_holes(data: &Source<'_>) -> bool {
    let mut attributes = 0..data.schema().len() - 1;
    match data {
        Source::Memory(view) => attributes.any(|v| {
            let cells = view.table().cells(v);
            view.row_numbers().any(|r| cells.code(r).is_none())
        }),
        Source::Stream(stream) => attributes.any(|c| stream.missing(c) > 0),
    }
}
