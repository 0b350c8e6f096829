//! The density of a classifier: one function, ln p(class, attributes), from which everything else follows.

use super::holes::{LogFamily, add_row};
use crate::data::source::{Block, Scratch, View};
use crate::error::{Error, Result};
use crate::graph::elimination::{moral_graph, smallest_table_order};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::stats::FamilyTable;
use crate::stats::count::cells;
use crate::stats::group::ColumnGroup;
use crate::stats::kernels::gather;

/// The largest table that summing out missing cells may need, in entries.
const LARGEST_ELIMINATION: u128 = 1 << 26;

/// A network's log-probabilities laid out for the gather kernel.
#[derive(Clone, Debug)]
pub(super) struct LogTables {
    classes: usize,
    prior: Vec<f64>,
    /// Columns without attribute parents, several to a byte.
    groups: Vec<ColumnGroup>,
    /// Families that are not grouped: with parents, or with too many states.
    families: Vec<LogFamily>,
    states: Vec<usize>,
    /// Every family, and an elimination order, for rows whose missing cells must be summed out; empty where no attribute
    /// has an attribute parent and a missing cell just drops out.
    dependent: Vec<LogFamily>,
    order: Vec<usize>,
    /// The entries of the largest table that summing out may need.
    largest: u128,
}

impl LogTables {
    /// Lays out a network whose last variable is the class and has no parent.
    pub(super) fn new(network: &Network) -> Result<LogTables> {
        let class = network.variables().len() - 1;
        let classes = network.states(class);
        let states: Vec<usize> = (0..=class).map(|v| network.states(v)).collect();
        if network.dag().parents(class).next().is_some() {
            let problem = "the class has a parent";
            return Err(Error::model("network", problem, "use a structure in which it has none"));
        }
        let all: Vec<LogFamily> = (0..class).map(|v| log_family(network, v, class)).collect();
        let (with_parents, alone): (Vec<&LogFamily>, Vec<&LogFamily>) =
            all.iter().partition(|f| f.members.len() > 1);
        let columns: Vec<(usize, &FamilyTable)> =
            alone.iter().map(|f| (f.child(), &f.table)).collect();
        let (groups, left) = ColumnGroup::plan(&columns);
        let singles = left.into_iter().map(|i| alone[i]);
        let families = with_parents.iter().copied().chain(singles).cloned().collect();
        let (order, largest) = if with_parents.is_empty() {
            (Vec::new(), 1)
        } else {
            smallest_table_order(&moral_graph(network.dag(), &[class]), &states)
        };
        Ok(LogTables {
            classes,
            prior: network.table(class).iter().map(|&p| ln_or_floor(p)).collect(),
            groups,
            families,
            dependent: if with_parents.is_empty() { Vec::new() } else { all.clone() },
            states,
            order: order.into_iter().filter(|&v| v != class).collect(),
            largest: largest.saturating_mul(classes as u128),
        })
    }

    /// Fails if rows have missing cells and summing them out could take too much memory. Complete rows never need it.
    pub(super) fn check(&self, coded: View<'_>) -> Result<()> {
        if self.largest <= LARGEST_ELIMINATION {
            return Ok(());
        }
        let table = coded.table();
        let holed = |r: usize| (0..self.states.len() - 1).any(|v| table.cells(v).code(r).is_none());
        if !coded.row_numbers().any(holed) {
            return Ok(());
        }
        Err(Error::TooLarge {
            what: "summing out missing cells".into(),
            bytes: self.largest.saturating_mul(8),
            limit: LARGEST_ELIMINATION * 8,
            fix: "use a structure with fewer parents, or rows without missing cells".into(),
        })
    }

    /// ln p(class, seen attributes) of every row and class. Missing cells are summed out: those of attributes whose only
    /// parent is the class add nothing, which the tables' cell for missing members sees to; rows in which an attribute
    /// that others depend on, or that depends on others, is missing are done one by one.
    pub(super) fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        for row in scores.chunks_exact_mut(self.classes) {
            row.copy_from_slice(&self.prior);
        }
        for group in &self.groups {
            group.codes(block, &mut room.scratch, &mut room.codes);
            gather(&room.codes, group.table(), self.classes, scores);
        }
        room.holed.clear();
        room.holed.resize(block.len(), false);
        for family in &self.families {
            cells(block, &family.members, &self.states, &mut room.scratch, &mut room.cells);
            gather(&room.cells, family.table.values(), self.classes, scores);
            if family.members.len() > 1 {
                let missing = family.table.cells() as u32;
                let holes = room.holed.iter_mut().zip(&room.cells);
                holes.for_each(|(hole, &cell)| *hole |= cell == missing);
            }
        }
        if self.dependent.is_empty() {
            return;
        }
        for (i, row) in scores.chunks_exact_mut(self.classes).enumerate() {
            if room.holed[i] {
                row.copy_from_slice(&self.prior);
                let number = block.row_number(i);
                let code = |v: usize| block.table().cells(v).code(number);
                let seen: Vec<Option<usize>> = (0..self.states.len() - 1).map(code).collect();
                add_row(&self.dependent, &self.states, &self.order, &seen, row);
            }
        }
    }
}

/// The log-probabilities of an attribute given its attribute parents, by class.
fn log_family(network: &Network, v: usize, class: usize) -> LogFamily {
    let classes = network.states(class);
    let states = network.states(v);
    let mut members: Vec<usize> = network.dag().parents(v).filter(|&p| p != class).collect();
    let configurations = members.iter().map(|&p| network.states(p)).product();
    members.push(v);
    let mut table = FamilyTable::zeros(configurations, states, classes);
    let depends = network.dag().has_arc(class, v);
    for j in 0..configurations {
        for c in 0..classes {
            // The class is the last variable, so as a parent it changes fastest.
            let row = if depends { j * classes + c } else { j };
            for k in 0..states {
                *table.at_mut(j, k, c) = ln_or_floor(network.table(v)[row * states + k]);
            }
        }
    }
    LogFamily { members, table }
}

/// Buffers that are used again for every block.
#[derive(Default)]
pub(super) struct Room {
    scratch: Scratch,
    codes: Vec<u8>,
    cells: Vec<u32>,
    holed: Vec<bool>,
}
