//! Counting families, by class where the class is seen.

use super::family::FamilyTable;
use super::kernels::histogram;
use super::pass::Pass;
use crate::data::source::{Block, Codes, Scratch, Source};
use crate::error::Result;

/// Rows handled together: a column of codes, the class and the packed codes stay in the first cache.
const BLOCK: usize = 8192;

/// A child with its attribute parents, as column numbers. The class, where it is a parent, is not among them: it is
/// the innermost dimension of the family's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The child.
    pub child: usize,
    /// Its attribute parents; the first changes slowest in the table.
    pub parents: Vec<usize>,
}

/// Counts families: one table each. A row counts in a family's table only where all its members are seen; a row of
/// unknown class counts nowhere.
#[derive(Clone, Debug)]
pub struct CountFamilies {
    families: Vec<Family>,
    states: Vec<usize>,
    class: Option<usize>,
    weighted: bool,
}

impl CountFamilies {
    /// Counts these families of a source's columns by the states of the class column, or without a class.
    pub fn new(source: &Source<'_>, families: Vec<Family>, class: Option<usize>) -> Result<Self> {
        let schema = source.schema();
        let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
        for family in &families {
            let members = family.parents.iter().chain([&family.child]).chain(&class);
            let name = &schema.fields[family.child].name;
            FamilyTable::check_size(name, members.map(|&m| states[m]))?;
        }
        Ok(CountFamilies { families, states, class, weighted: source.has_weights() })
    }

    fn classes(&self) -> usize {
        self.class.map_or(1, |c| self.states[c])
    }

    /// The rows' class codes, the number of classes for a missing one; all 0 where there is no class.
    fn class_codes(&self, block: &Block<'_>, scratch: &mut Scratch) -> Vec<u32> {
        let mut out = Vec::new();
        match self.class {
            Some(class) => cells(block, &[class], &self.states, scratch, &mut out),
            None => out.resize(block.len(), 0),
        }
        out
    }

    fn add_block(&self, block: &Block<'_>, tables: &mut [FamilyTable], room: &mut Room) {
        let classes = self.classes();
        let class = self.class_codes(block, &mut room.scratch);
        let narrow_class: Vec<u8> = class.iter().map(|&c| c as u8).collect();
        let mut weight_room = std::mem::take(&mut room.weights);
        let weights = block.weights(&mut weight_room);
        for (family, table) in self.families.iter().zip(tables) {
            let states = self.states[family.child];
            let small = family.parents.is_empty() && (states + 1) * (classes + 1) <= 256;
            if let (true, None, Codes::Narrow(codes)) =
                (small, weights, block.codes(family.child, &mut room.scratch))
            {
                count_packed(codes, states, &narrow_class, classes, table, &mut room.packed);
                continue;
            }
            let members: Vec<usize> =
                family.parents.iter().copied().chain([family.child]).collect();
            cells(block, &members, &self.states, &mut room.scratch, &mut room.cells);
            let values = table.values_mut();
            for (row, (&cell, &c)) in room.cells.iter().zip(&class).enumerate() {
                if (c as usize) < classes {
                    // Whole numbers below 2^53: exact in any order.
                    values[cell as usize * classes + c as usize] += weights.map_or(1.0, |w| w[row]);
                }
            }
        }
        room.weights = weight_room;
    }
}

/// Buffers that are used again for every block.
#[derive(Default)]
struct Room {
    scratch: Scratch,
    cells: Vec<u32>,
    packed: Vec<u8>,
    weights: Vec<f64>,
}

impl Pass for CountFamilies {
    type Stats = Vec<FamilyTable>;

    fn empty(&self) -> Vec<FamilyTable> {
        let table = |f: &Family| {
            let configurations = f.parents.iter().map(|&p| self.states[p]).product();
            FamilyTable::zeros(configurations, self.states[f.child], self.classes())
        };
        self.families.iter().map(table).collect()
    }

    fn add(&self, block: &Block<'_>, stats: &mut Vec<FamilyTable>) {
        let mut room = Room::default();
        for part in block.parts(BLOCK) {
            self.add_block(&part, stats, &mut room);
        }
    }

    fn is_exact(&self) -> bool {
        !self.weighted
    }
}

/// Counts one column by class: codes and classes packed into bytes, then a histogram.
fn count_packed(
    codes: &[u8],
    states: usize,
    class: &[u8],
    classes: usize,
    table: &mut FamilyTable,
    packed: &mut Vec<u8>,
) {
    let (last, width) = (states as u8, classes as u8 + 1);
    packed.clear();
    packed.extend(codes.iter().zip(class).map(|(&x, &c)| x.min(last) * width + c));
    let mut counts = [0u64; 256];
    histogram(packed, &mut counts);
    let values = table.values_mut();
    for cell in 0..=states {
        for c in 0..classes {
            values[cell * classes + c] += counts[cell * (classes + 1) + c] as f64;
        }
    }
}

/// The cell of each row in the table of these members, the first changing slowest; the number of cells where a member
/// is missing.
pub fn cells(
    block: &Block<'_>,
    members: &[usize],
    states: &[usize],
    scratch: &mut Scratch,
    out: &mut Vec<u32>,
) {
    let size: usize = members.iter().map(|&m| states[m]).product();
    out.clear();
    out.resize(block.len(), 0);
    for &member in members {
        let s = states[member] as u32;
        // The largest number marks a row with a missing member until the end.
        let step = |cell: &mut u32, code: u32| {
            let missing = code >= s || *cell == u32::MAX;
            *cell = if missing { u32::MAX } else { *cell * s + code };
        };
        match block.codes(member, scratch) {
            Codes::Narrow(codes) => out.iter_mut().zip(codes).for_each(|(o, &c)| step(o, c.into())),
            Codes::Wide(codes) => out.iter_mut().zip(codes).for_each(|(o, &c)| step(o, c.into())),
        }
    }
    out.iter_mut().for_each(|cell| *cell = (*cell).min(size as u32));
}
