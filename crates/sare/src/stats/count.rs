//! Counting families, by class where the class is seen.

use super::family::{FamilyTable, LARGEST_TABLE};
use super::kernels::histogram;
use super::pass::Pass;
use crate::data::source::{Block, Codes, Scratch, Source};
use crate::error::{Error, Result};

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
    /// Whether each family's table tells classes apart.
    by_class: Vec<bool>,
    states: Vec<usize>,
    class: Option<usize>,
    weighted: bool,
}

impl CountFamilies {
    /// Counts these families of a source's columns by the states of the class column, or without a class.
    pub fn new(source: &Source<'_>, families: Vec<Family>, class: Option<usize>) -> Result<Self> {
        let by_class = vec![class.is_some(); families.len()];
        CountFamilies::checked(source, families, by_class, class)
    }

    /// Counts these families in the rows of known class, by class only where a family says so: a table that need not tell
    /// classes apart is so many times smaller.
    pub fn of_known_class(
        source: &Source<'_>,
        families: impl IntoIterator<Item = (Family, bool)>,
        class: usize,
    ) -> Result<Self> {
        let (families, by_class) = families.into_iter().unzip();
        CountFamilies::checked(source, families, by_class, Some(class))
    }

    fn checked(
        source: &Source<'_>,
        families: Vec<Family>,
        by_class: Vec<bool>,
        class: Option<usize>,
    ) -> Result<Self> {
        let schema = source.schema();
        let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
        let mut all = 0u128;
        for (family, &by_class) in families.iter().zip(&by_class) {
            let class = class.as_ref().filter(|_| by_class);
            let members = family.parents.iter().chain([&family.child]).chain(class);
            let name = &schema.fields[family.child].name;
            all += FamilyTable::check_size(name, members.map(|&m| states[m]))?;
        }
        if all > LARGEST_TABLE {
            return Err(Error::TooLarge {
                what: format!("the tables of {} families", families.len()),
                bytes: all,
                limit: LARGEST_TABLE,
                fix: "leave out columns of many levels, or use fewer parents".into(),
            });
        }
        Ok(CountFamilies { families, by_class, states, class, weighted: source.has_weights() })
    }

    /// How many classes there are; 1 without a class.
    fn classes(&self) -> usize {
        self.class.map_or(1, |c| self.states[c])
    }

    /// How many classes the table of a family tells apart.
    fn told_apart(&self, family: usize) -> usize {
        if self.by_class[family] { self.classes() } else { 1 }
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
        let class = self.class_codes(block, &mut room.scratch);
        let narrow_class: Vec<u8> = class.iter().map(|&c| c as u8).collect();
        let all_known = class.iter().all(|&c| (c as usize) < self.classes());
        let mut weight_room = std::mem::take(&mut room.weights);
        let weights = block.weights(&mut weight_room);
        for (number, (family, table)) in self.families.iter().zip(tables).enumerate() {
            let members: Vec<usize> =
                family.parents.iter().copied().chain([family.child]).collect();
            let by_class = self.by_class[number];
            let codes = members.iter().map(|&m| self.states[m] + 1).product::<usize>();
            let radix = if by_class { self.classes() + 1 } else { 1 };
            if weights.is_none() && (by_class || all_known) && codes * radix <= 256 {
                let class = by_class.then_some(&narrow_class[..]);
                self.count_packed(block, &members, class, table, room);
                continue;
            }
            cells(block, &members, &self.states, &mut room.scratch, &mut room.cells);
            let (classes, told) = (self.classes(), self.told_apart(number));
            let values = table.values_mut();
            for (row, (&cell, &c)) in room.cells.iter().zip(&class).enumerate() {
                if (c as usize) < classes {
                    let c = if by_class { c as usize } else { 0 };
                    // Without weights whole numbers below 2^53, exact in any order.
                    values[cell as usize * told + c] += weights.map_or(1.0, |w| w[row]);
                }
            }
        }
        room.weights = weight_room;
    }

    /// Counts a small family: members and class packed into one byte, a missing cell as one more state, then a histogram.
    fn count_packed(
        &self,
        block: &Block<'_>,
        members: &[usize],
        class: Option<&[u8]>,
        table: &mut FamilyTable,
        room: &mut Room,
    ) {
        let Room { scratch, packed, .. } = room;
        packed.clear();
        packed.resize(block.len(), 0);
        for &member in members {
            let (last, radix) = (self.states[member] as u8, self.states[member] as u8 + 1);
            // A column of so few states is narrow.
            if let Codes::Narrow(codes) = block.codes(member, scratch) {
                packed.iter_mut().zip(codes).for_each(|(p, &x)| *p = *p * radix + x.min(last));
            }
        }
        let classes = table.classes();
        // One more for rows of unknown class; without a class there are none.
        let width = class.map_or(1, |_| classes + 1);
        if let Some(class) = class {
            packed.iter_mut().zip(class).for_each(|(p, &c)| *p = *p * width as u8 + c);
        }
        let mut counts = [0u64; 256];
        histogram(packed, &mut counts);
        let missing = table.cells();
        let values = table.values_mut();
        let codes: usize = members.iter().map(|&m| self.states[m] + 1).product();
        for code in 0..codes {
            let cell = self.cell_of(code, members).unwrap_or(missing);
            for c in 0..classes {
                values[cell * classes + c] += counts[code * width + c] as f64;
            }
        }
    }

    /// The cell of a packed code; none if a member is missing in it.
    fn cell_of(&self, code: usize, members: &[usize]) -> Option<usize> {
        let (mut rest, mut cell, mut size) = (code, 0, 1);
        for &member in members.iter().rev() {
            let states = self.states[member];
            let state = rest % (states + 1);
            if state == states {
                return None;
            }
            cell += state * size;
            size *= states;
            rest /= states + 1;
        }
        Some(cell)
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
        let table = |(number, f): (usize, &Family)| {
            let configurations = f.parents.iter().map(|&p| self.states[p]).product();
            FamilyTable::zeros(configurations, self.states[f.child], self.told_apart(number))
        };
        self.families.iter().enumerate().map(table).collect()
    }

    fn add(&self, block: &Block<'_>, stats: &mut Vec<FamilyTable>) {
        let mut room = Room::default();
        for part in block.parts(BLOCK) {
            self.add_block(&part, stats, &mut room);
        }
    }

    fn bytes(&self) -> usize {
        let size = |(number, f): (usize, &Family)| {
            let members = f.parents.iter().chain([&f.child]).map(|&m| self.states[m]);
            members.product::<usize>() * self.told_apart(number) * size_of::<f64>()
        };
        self.families.iter().enumerate().map(size).sum()
    }

    fn is_exact(&self) -> bool {
        !self.weighted
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
    if size < usize::from(u16::MAX) {
        return narrow_cells(block, members, states, scratch, out);
    }
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

/// [`cells`] where their number fits into two bytes: vectors hold twice as many, and every machine multiplies them.
fn narrow_cells(
    block: &Block<'_>,
    members: &[usize],
    states: &[usize],
    scratch: &mut Scratch,
    out: &mut [u32],
) {
    const CHUNK: usize = 1024;
    let mut cells = [0u16; CHUNK];
    let size: usize = members.iter().map(|&m| states[m]).product();
    for (part, out) in block.parts(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let cells = &mut cells[..out.len()];
        cells.fill(0);
        for &member in members {
            let s = states[member] as u16;
            let step = |cell: &mut u16, code: u16| {
                let missing = (code >= s) | (*cell == u16::MAX);
                *cell = if missing { u16::MAX } else { cell.wrapping_mul(s).wrapping_add(code) };
            };
            match part.codes(member, scratch) {
                Codes::Narrow(codes) => {
                    cells.iter_mut().zip(codes).for_each(|(o, &c)| step(o, c.into()));
                }
                Codes::Wide(codes) => cells.iter_mut().zip(codes).for_each(|(o, &c)| step(o, c)),
            }
        }
        out.iter_mut().zip(cells).for_each(|(o, c)| *o = u32::from((*c).min(size as u16)));
    }
}
