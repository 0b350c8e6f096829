//! The matching of greatest weight in a table of which only the cells above 0 are kept: the assignment problem in
//! memory that grows with the cells, not with the labels squared.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Pairs of a row and a column, each in at most one pair, that together have the greatest weight, by rising row. Cells
/// are (row, column, weight) with weights above 0, each pair once.
pub(super) fn heaviest_matching(
    cells: &[(usize, usize, f64)],
    rows: usize,
    columns: usize,
) -> Vec<(usize, usize)> {
    // Every row of the smaller side starts one search.
    if rows > columns {
        let turned: Vec<(usize, usize, f64)> = cells.iter().map(|&(r, c, w)| (c, r, w)).collect();
        let pairs = heaviest_matching(&turned, columns, rows);
        let mut pairs: Vec<(usize, usize)> = pairs.into_iter().map(|(c, r)| (r, c)).collect();
        pairs.sort_unstable();
        return pairs;
    }
    let mut search = Search::new(cells, rows, columns);
    for row in 0..rows {
        search.bring_in(row);
    }
    search.pairs()
}

/// The state of the matching. A row may also stay alone: it then has a column of its own, after the others, at no cost.
struct Search {
    /// The columns and costs of each row, one row after the other.
    edges: Vec<(usize, f64)>,
    starts: Vec<usize>,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
    holder: Vec<Option<usize>>,
    columns: usize,
    /// Of the search under way; `far` is infinite for columns not met.
    far: Vec<f64>,
    before: Vec<Option<usize>>,
    done: Vec<bool>,
    met: Vec<usize>,
}

/// A column met at some distance; the nearest comes out of the heap first, of equals the first column.
struct Met {
    far: f64,
    column: usize,
}

impl Ord for Met {
    fn cmp(&self, other: &Met) -> Ordering {
        other.far.total_cmp(&self.far).then(other.column.cmp(&self.column))
    }
}

impl PartialOrd for Met {
    fn partial_cmp(&self, other: &Met) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Met {
    fn eq(&self, other: &Met) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Met {}

impl Search {
    fn new(cells: &[(usize, usize, f64)], rows: usize, columns: usize) -> Search {
        let mut sorted = cells.to_vec();
        sorted.sort_by_key(|&(r, c, _)| (r, c));
        let (mut edges, mut starts) = (Vec::with_capacity(cells.len() + rows), vec![0]);
        let mut row_price = Vec::with_capacity(rows);
        let mut left = sorted.as_slice();
        for row in 0..rows {
            let own = left.partition_point(|cell| cell.0 == row);
            edges.extend(left[..own].iter().map(|&(_, c, w)| (c, -w)));
            edges.push((columns + row, 0.0));
            // With the row's least cost as its price, no edge is cheaper than its prices.
            row_price.push(left[..own].iter().fold(0.0, |price: f64, cell| price.min(-cell.2)));
            left = &left[own..];
            starts.push(edges.len());
        }
        let all = columns + rows;
        Search {
            edges,
            starts,
            row_price,
            column_price: vec![0.0; all],
            holder: vec![None; all],
            columns,
            far: vec![f64::INFINITY; all],
            before: vec![None; all],
            done: vec![false; all],
            met: Vec::new(),
        }
    }

    /// Brings in one more row along the cheapest path of changes.
    fn bring_in(&mut self, start: usize) {
        let mut heap = BinaryHeap::new();
        self.meet(start, None, 0.0, &mut heap);
        // The row's own column is free, so a path is always found.
        while let Some(Met { far, column }) = heap.pop() {
            if std::mem::replace(&mut self.done[column], true) {
                continue;
            }
            match self.holder[column] {
                Some(holder) => self.meet(holder, Some(column), far, &mut heap),
                None => {
                    self.change_prices(start, far);
                    self.flip(start, column);
                    break;
                }
            }
        }
        for column in self.met.drain(..) {
            self.far[column] = f64::INFINITY;
            self.done[column] = false;
        }
    }

    fn meet(&mut self, row: usize, last: Option<usize>, length: f64, heap: &mut BinaryHeap<Met>) {
        for e in self.starts[row]..self.starts[row + 1] {
            let (column, cost) = self.edges[e];
            // Rounding must not make a path shorter than its beginning.
            let step = (cost - self.row_price[row] - self.column_price[column]).max(0.0);
            let far = length + step;
            if !self.done[column] && far < self.far[column] {
                if self.far[column] == f64::INFINITY {
                    self.met.push(column);
                }
                self.far[column] = far;
                self.before[column] = last;
                heap.push(Met { far, column });
            }
        }
    }

    fn change_prices(&mut self, start: usize, length: f64) {
        self.row_price[start] += length;
        for &c in self.met.iter().filter(|&&c| self.done[c]) {
            self.column_price[c] -= length - self.far[c];
            if let Some(holder) = self.holder[c] {
                self.row_price[holder] += length - self.far[c];
            }
        }
    }

    fn flip(&mut self, start: usize, end: usize) {
        let mut column = end;
        while let Some(previous) = self.before[column] {
            self.holder[column] = self.holder[previous];
            column = previous;
        }
        self.holder[column] = Some(start);
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let pair = |c: usize| self.holder[c].map(|r| (r, c));
        let mut pairs: Vec<(usize, usize)> = (0..self.columns).filter_map(pair).collect();
        pairs.sort_unstable();
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::assign;
    use crate::seed::{Purpose, Random};

    #[test]
    fn as_heavy_as_the_assignment_of_the_whole_table() {
        let mut random = Random::new(6, Purpose::Sample, 0);
        for trial in 0..500 {
            let (rows, columns) = (1 + random.below(8), 1 + random.below(8));
            let mut table = vec![0.0; rows * columns];
            for _ in 0..random.below(2 * rows * columns) {
                let weight = if trial % 2 == 0 { 1.0 } else { random.uniform() };
                table[random.below(rows * columns)] += weight;
            }
            let costs: Vec<f64> = table.iter().map(|w| -w).collect();
            let dense = assign(&costs, rows, columns).unwrap();
            let best: f64 = dense
                .iter()
                .enumerate()
                .filter_map(|(r, c)| Some(table[r * columns + (*c)?]))
                .sum();
            let cells: Vec<(usize, usize, f64)> = (0..table.len())
                .filter(|&i| table[i] > 0.0)
                .map(|i| (i / columns, i % columns, table[i]))
                .collect();
            let pairs = heaviest_matching(&cells, rows, columns);
            let weight: f64 = pairs.iter().map(|&(r, c)| table[r * columns + c]).sum();
            assert!((weight - best).abs() < 1e-9, "{weight} and {best}: {cells:?}");
            let mut used: Vec<usize> = pairs.iter().map(|p| p.1).collect();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), pairs.len());
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }

    #[test]
    fn a_hundred_thousand_labels_in_little_memory() {
        // A path through all labels: a full table of it would have 10^10 cells.
        let n = 100_000;
        let cells: Vec<(usize, usize, f64)> =
            (0..n).flat_map(|i| [(i, i, 1.0), (i, (i + 1) % n, 1.0)]).collect();
        let pairs = heaviest_matching(&cells, n, n);
        assert_eq!(pairs.len(), n);
    }
}
