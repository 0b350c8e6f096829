//! The density of a classifier: one function, ln p(class, attributes), from which everything else follows.

use crate::data::source::{Block, Scratch};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::stats::FamilyTable;
use crate::stats::count::cells;
use crate::stats::group::ColumnGroup;
use crate::stats::kernels::gather;

/// A network's log-probabilities laid out for the gather kernel.
#[derive(Clone, Debug)]
pub(super) struct LogTables {
    classes: usize,
    prior: Vec<f64>,
    groups: Vec<ColumnGroup>,
    /// Columns with too many states to be grouped.
    singles: Vec<(usize, FamilyTable)>,
    states: Vec<usize>,
}

impl LogTables {
    /// Lays out a network whose last variable is the class and the only parent of any attribute.
    pub(super) fn new(network: &Network) -> Result<LogTables> {
        let class = network.variables().len() - 1;
        let classes = network.states(class);
        let mut tables = Vec::with_capacity(class);
        for v in 0..=class {
            if network.dag().parents(v).any(|p| p != class) {
                let name = &network.variables()[v].name;
                let problem = format!("'{name}' has a parent other than the class");
                return Err(Error::model("network", problem, "use a naive Bayes structure"));
            }
        }
        for v in 0..class {
            let states = network.states(v);
            let mut table = FamilyTable::zeros(1, states, classes);
            let depends = network.dag().has_arc(class, v);
            for c in 0..classes {
                let row = if depends { c } else { 0 };
                for k in 0..states {
                    *table.at_mut(0, k, c) = ln_or_floor(network.table(v)[row * states + k]);
                }
            }
            tables.push((v, table));
        }
        let columns: Vec<(usize, &FamilyTable)> = tables.iter().map(|(v, t)| (*v, t)).collect();
        let (groups, left) = ColumnGroup::plan(&columns);
        Ok(LogTables {
            classes,
            prior: network.table(class).iter().map(|&p| ln_or_floor(p)).collect(),
            groups,
            singles: left.into_iter().map(|i| tables[i].clone()).collect(),
            states: (0..=class).map(|v| network.states(v)).collect(),
        })
    }

    /// ln p(class, seen attributes) of every row and class. A missing cell is summed out, which for an attribute whose
    /// only parent is the class means that it adds nothing.
    pub(super) fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        for row in scores.chunks_exact_mut(self.classes) {
            row.copy_from_slice(&self.prior);
        }
        for group in &self.groups {
            group.codes(block, &mut room.scratch, &mut room.codes);
            gather(&room.codes, group.table(), self.classes, scores);
        }
        for (column, table) in &self.singles {
            cells(block, &[*column], &self.states, &mut room.scratch, &mut room.cells);
            gather(&room.cells, table.values(), self.classes, scores);
        }
    }
}

/// Buffers that are used again for every block.
#[derive(Default)]
pub(super) struct Room {
    scratch: Scratch,
    codes: Vec<u8>,
    cells: Vec<u32>,
}
