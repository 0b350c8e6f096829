//! Column groups: several attributes of few states read as one byte, so that a row's vectors of all of them are
//! gathered at once from the sum of their tables.

use super::family::FamilyTable;
use crate::data::source::{Block, Codes, Scratch};

/// A group's table stays in the first cache.
const LARGEST_GROUP_BYTES: usize = 32 << 10;

/// Some columns coded together in one byte, each with one more state for a missing cell.
#[derive(Clone, Debug)]
pub struct ColumnGroup {
    /// Column and number of states of each member.
    members: Vec<(usize, usize)>,
    /// For each code the sum of the members' vectors; a missing member adds nothing.
    table: Vec<f64>,
}

impl ColumnGroup {
    /// Groups the given columns, each with a table without attribute parents, in their order. Returns the groups, and
    /// the indices of the columns that have too many states for any.
    pub fn plan(columns: &[(usize, &FamilyTable)]) -> (Vec<ColumnGroup>, Vec<usize>) {
        let (mut groups, mut left) = (Vec::new(), Vec::new());
        let mut open: Vec<usize> = Vec::new();
        let mut size = 1;
        for (index, (_, table)) in columns.iter().enumerate() {
            let states = table.states() + 1;
            let largest = (LARGEST_GROUP_BYTES / (8 * table.classes())).clamp(1, 256);
            if states > largest {
                left.push(index);
                continue;
            }
            if size * states > largest {
                groups.push(ColumnGroup::build(columns, &open));
                open.clear();
                size = 1;
            }
            open.push(index);
            size *= states;
        }
        if !open.is_empty() {
            groups.push(ColumnGroup::build(columns, &open));
        }
        (groups, left)
    }

    fn build(columns: &[(usize, &FamilyTable)], chosen: &[usize]) -> ColumnGroup {
        let classes = columns[chosen[0]].1.classes();
        let mut table = vec![0.0; classes];
        for &index in chosen {
            let member = columns[index].1;
            let mut next = Vec::with_capacity(table.len() * (member.states() + 1));
            for row in table.chunks_exact(classes) {
                for state in 0..=member.states() {
                    next.extend((0..classes).map(|c| {
                        let own =
                            if state < member.states() { member.at(0, state, c) } else { 0.0 };
                        row[c] + own
                    }));
                }
            }
            table = next;
        }
        let members = chosen.iter().map(|&i| (columns[i].0, columns[i].1.states())).collect();
        ColumnGroup { members, table }
    }

    /// The summed vectors, code by code.
    pub fn table(&self) -> &[f64] {
        &self.table
    }

    /// Takes sums by code apart: visits every member's states with their sums by class. What was summed where a member is
    /// missing is no state of it.
    pub fn spread(&self, sums: &[f64], mut visit: impl FnMut(usize, usize, &[f64])) {
        let codes: usize = self.members.iter().map(|(_, states)| states + 1).product();
        let classes = sums.len() / codes.max(1);
        for (code, entry) in sums.chunks_exact(classes.max(1)).enumerate() {
            // Most codes do not occur where rows are few or complete.
            if entry.iter().all(|sum| *sum == 0.0) {
                continue;
            }
            let mut rest = code;
            for &(column, states) in self.members.iter().rev() {
                let state = rest % (states + 1);
                rest /= states + 1;
                if state < states {
                    visit(column, state, entry);
                }
            }
        }
    }

    /// The codes of the rows of a block.
    pub fn codes(&self, block: &Block<'_>, scratch: &mut Scratch, out: &mut Vec<u8>) {
        out.clear();
        out.resize(block.len(), 0);
        for &(column, states) in &self.members {
            // 255 states make the radix wrap to 0, which does no harm: such a column is alone in its group.
            let (last, radix) = (states as u8, (states as u8).wrapping_add(1));
            // A column of few states is narrow by construction; a wide one is never grouped.
            if let Codes::Narrow(codes) = block.codes(column, scratch) {
                out.iter_mut()
                    .zip(codes)
                    .for_each(|(o, &x)| *o = o.wrapping_mul(radix) + x.min(last));
            }
        }
    }
}
