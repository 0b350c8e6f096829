//! The bit planes of whole columns, kept: any set of columns is counted with every other column by ANDs and popcounts.

use super::planes::{GROUP, Kernel, LINE_ROWS, Line, Tile};

/// A column of a store.
#[derive(Clone, Debug)]
struct Stored {
    states: usize,
    /// The plane of the first state; the others but the last follow.
    first: usize,
    /// The plane of the last state.
    last: usize,
    /// Whether a cell is missing, so that the last state does not follow from the others.
    holed: bool,
}

/// Planes of columns, one bit a row, in groups of four whose lines alternate.
pub(crate) struct PlaneStore {
    kernel: Kernel,
    columns: Vec<Stored>,
    /// Lines of one plane.
    lines: usize,
    planes: Vec<Line>,
    rows: usize,
}

/// The rows of each seen cell of some columns, as planes.
pub(crate) struct Cells {
    /// The seen cells, rising: mixed-radix numbers of the columns' states, the last column changing fastest.
    pub numbers: Vec<u64>,
    /// How many rows each has.
    pub rows: Vec<u32>,
    planes: Vec<Line>,
}

impl PlaneStore {
    /// No columns yet, for so many rows.
    pub(crate) fn new(rows: usize) -> PlaneStore {
        let lines = rows.div_ceil(LINE_ROWS).max(1);
        PlaneStore { kernel: Kernel::best(), columns: Vec::new(), lines, planes: Vec::new(), rows }
    }

    /// The bytes that columns with these states take.
    pub(crate) fn bytes(rows: usize, states: impl Iterator<Item = usize>) -> usize {
        states.sum::<usize>().next_multiple_of(GROUP) * rows.div_ceil(LINE_ROWS) * size_of::<Line>()
    }

    /// Cuts columns of codes into planes; a code of `states` or more is a missing cell. Once for all columns.
    pub(crate) fn fill<'a>(&mut self, columns: impl Iterator<Item = (Vec<u8>, usize)> + 'a) {
        let columns: Vec<(Vec<u8>, usize)> = columns.collect();
        // The last states come after all the others, so that those that are multiplied lie side by side.
        let mut next = 0;
        for (codes, states) in &columns {
            let holed = codes.iter().any(|&c| usize::from(c) >= *states);
            let (first, last) = (next, 0);
            next += states.saturating_sub(1);
            self.columns.push(Stored { states: *states, first, last, holed });
        }
        for stored in &mut self.columns {
            stored.last = next;
            next += 1;
        }
        let size = next.next_multiple_of(GROUP) * self.lines;
        self.planes.resize(size, Line([0; 8]));
        for (column, (mut codes, states)) in columns.into_iter().enumerate() {
            codes.resize(self.lines * LINE_ROWS, u8::MAX);
            for state in 0..states {
                let plane = self.plane_of(column, state);
                let from = plane / GROUP * self.lines * GROUP;
                let to = &mut self.planes[from..from + self.lines * GROUP][plane % GROUP..];
                self.kernel.cut(&codes, state as u8, to, GROUP);
            }
        }
    }

    /// The bytes of one plane.
    pub(crate) fn plane_bytes(&self) -> f64 {
        (self.lines * size_of::<Line>()) as f64
    }

    fn plane_of(&self, column: usize, state: usize) -> usize {
        let stored = &self.columns[column];
        if state + 1 == stored.states { stored.last } else { stored.first + state }
    }

    /// The lines of a plane in a list of groups.
    fn plane<'p>(&self, planes: &'p [Line], plane: usize) -> impl Iterator<Item = &'p Line> {
        let from = plane / GROUP * self.lines * GROUP + plane % GROUP;
        planes[from..].iter().step_by(GROUP).take(self.lines)
    }

    /// The seen cells of some columns.
    pub(crate) fn cells(&self, columns: &[usize]) -> Cells {
        let ones = |line: usize| {
            let rest = self.rows.saturating_sub(line * LINE_ROWS);
            let word = |w: usize| match rest.saturating_sub(w * 64) {
                0 => 0,
                n if n >= 64 => u64::MAX,
                n => (1 << n) - 1,
            };
            Line(std::array::from_fn(word))
        };
        let mut numbers = vec![0u64];
        let mut rows = vec![self.rows as u32];
        let mut planes: Vec<Vec<Line>> = vec![(0..self.lines).map(ones).collect()];
        for &column in columns {
            let states = self.columns[column].states;
            let (mut new_numbers, mut new_rows, mut new_planes) = (vec![], vec![], vec![]);
            for (number, plane) in numbers.iter().zip(&planes) {
                for state in 0..states {
                    let other = self.plane(&self.planes, self.plane_of(column, state));
                    let mut count = 0;
                    let both = plane.iter().zip(other).map(|(x, y)| {
                        let line = Line(std::array::from_fn(|w| x.0[w] & y.0[w]));
                        count += line.0.iter().map(|w| w.count_ones()).sum::<u32>();
                        line
                    });
                    let both: Vec<Line> = both.collect();
                    if count > 0 {
                        new_numbers.push(number * states as u64 + state as u64);
                        new_rows.push(count);
                        new_planes.push(both);
                    }
                }
            }
            (numbers, rows, planes) = (new_numbers, new_rows, new_planes);
        }
        let mut grouped = vec![Line([0; 8]); planes.len().next_multiple_of(GROUP) * self.lines];
        for (i, plane) in planes.iter().enumerate() {
            let from = i / GROUP * self.lines * GROUP + i % GROUP;
            let to = grouped[from..].iter_mut().step_by(GROUP);
            to.zip(plane).for_each(|(to, line)| *to = *line);
        }
        Cells { numbers, rows, planes: grouped }
    }

    /// How many rows each cell has in each state of some columns: for each column a list of cells x states.
    pub(crate) fn products(&self, cells: &Cells, columns: &[usize]) -> Vec<Vec<u32>> {
        let size = self.lines * GROUP;
        let groups = cells.planes.len() / size.max(1);
        // Each group of planes is multiplied once, whichever columns want it.
        let wanted = |column: usize| {
            let stored = &self.columns[column];
            let own = stored.first..stored.first + stored.states.saturating_sub(1);
            own.chain(stored.holed.then_some(stored.last))
        };
        let mut tiles: Vec<Option<Vec<Tile>>> = vec![None; self.planes.len() / size.max(1)];
        for plane in columns.iter().flat_map(|&c| wanted(c)) {
            tiles[plane / GROUP].get_or_insert_with(|| {
                let other = &self.planes[plane / GROUP * size..][..size];
                let product = |group: usize| {
                    let mut tile = [0; GROUP * GROUP];
                    self.kernel.add_tile(&cells.planes[group * size..][..size], other, &mut tile);
                    tile
                };
                (0..groups).map(product).collect()
            });
        }
        let count = |cell: usize, plane: usize| {
            let of_group = tiles[plane / GROUP].as_ref();
            of_group.map_or(0, |t| t[cell / GROUP][cell % GROUP * GROUP + plane % GROUP])
        };
        let of_column = |&column: &usize| {
            let stored = &self.columns[column];
            let mut counts = Vec::with_capacity(cells.rows.len() * stored.states);
            for (cell, &rows) in cells.rows.iter().enumerate() {
                let mut rest = rows;
                for state in 0..stored.states - 1 {
                    let n = count(cell, stored.first + state);
                    rest -= n;
                    counts.push(n);
                }
                counts.push(if stored.holed { count(cell, stored.last) } else { rest });
            }
            counts
        };
        columns.iter().map(of_column).collect()
    }
}
