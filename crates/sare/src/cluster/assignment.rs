//! The assignment problem: partners for rows and columns of a matrix of costs so that the sum of costs is least.

use crate::error::{Error, Result};

/// Gives each row a column of its own so that the sum of the costs is least; where there are more rows than columns,
/// some rows get none. `costs` has the rows one after the other, each with `columns` entries.
///
/// Rows come in one by one, each along the path of least reduced cost to a free column (the Hungarian method as shortest
/// augmenting paths): O(m^2 M) for m the smaller and M the larger side. Of equal columns the first is tried first, so the
/// same matrix always gives the same answer, and of all-equal costs row i gets column i.
pub fn assign(costs: &[f64], rows: usize, columns: usize) -> Result<Vec<Option<usize>>> {
    check(costs, rows, columns)?;
    if rows <= columns {
        let taken = Prices::solve(rows, columns, |r, c| costs[r * columns + c]);
        return Ok(inverse(&taken, rows));
    }
    Ok(Prices::solve(columns, rows, |c, r| costs[r * columns + c]))
}

fn check(costs: &[f64], rows: usize, columns: usize) -> Result<()> {
    let bad = |problem: String, fix: &str| Err(Error::data("a matrix of costs", problem, fix));
    if Some(costs.len()) != rows.checked_mul(columns) {
        let problem = format!("{} entries for {rows} rows of {columns}", costs.len());
        return bad(problem, "give an entry for every row and column");
    }
    // Prices are sums of costs: as long as all of them together are finite, so is every price.
    if !costs.iter().map(|c| c.abs()).sum::<f64>().is_finite() {
        return bad("an entry, or their sum, is not finite".into(), "give finite costs");
    }
    Ok(())
}

/// From the row of each column to the column of each row.
fn inverse(taken: &[Option<usize>], rows: usize) -> Vec<Option<usize>> {
    let mut found = vec![None; rows];
    for (column, row) in taken.iter().enumerate() {
        if let Some(row) = *row {
            found[row] = Some(column);
        }
    }
    found
}

/// Prices at which no pair costs less than the price of its row and its column together, and every pair of the matching
/// exactly that: then no matching of these rows is cheaper.
struct Prices {
    row: Vec<f64>,
    column: Vec<f64>,
    /// The row that has each column.
    holder: Vec<Option<usize>>,
}

impl Prices {
    /// The row of each column; there are at least as many columns as rows.
    fn solve(
        rows: usize,
        columns: usize,
        cost: impl Fn(usize, usize) -> f64,
    ) -> Vec<Option<usize>> {
        let mut prices = Prices {
            row: vec![0.0; rows],
            column: vec![0.0; columns],
            holder: vec![None; columns],
        };
        for row in 0..rows {
            prices.bring_in(row, &cost);
        }
        prices.holder
    }

    /// Brings in one more row along the cheapest path of changes.
    fn bring_in(&mut self, start: usize, cost: &impl Fn(usize, usize) -> f64) {
        let columns = self.column.len();
        let mut far = vec![f64::INFINITY; columns];
        let mut before: Vec<Option<usize>> = vec![None; columns];
        let mut done = vec![false; columns];
        let (mut row, mut last, mut length) = (start, None, 0.0);
        let end = loop {
            let mut nearest = None;
            for c in (0..columns).filter(|&c| !done[c]) {
                let through = length + (cost(row, c) - self.row[row] - self.column[c]);
                if through < far[c] {
                    (far[c], before[c]) = (through, last);
                }
                if nearest.is_none_or(|n: usize| far[c] < far[n]) {
                    nearest = Some(c);
                }
            }
            // There are fewer rows than columns to get past, so one is always left.
            let Some(column) = nearest else { return };
            done[column] = true;
            length = far[column];
            match self.holder[column] {
                Some(holder) => (row, last) = (holder, Some(column)),
                None => break column,
            }
        };
        self.row[start] += length;
        for c in (0..columns).filter(|&c| done[c]) {
            self.column[c] -= length - far[c];
            if let Some(holder) = self.holder[c] {
                self.row[holder] += length - far[c];
            }
        }
        let mut column = end;
        while let Some(previous) = before[column] {
            self.holder[column] = self.holder[previous];
            column = previous;
        }
        self.holder[column] = Some(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Random};

    /// The least sum over every way to give the rows from `row` on a free column (or none, `spare` times).
    fn least(costs: &[f64], columns: usize, row: usize, spare: usize, free: &mut [bool]) -> f64 {
        if row * columns == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        if spare > 0 {
            best = least(costs, columns, row + 1, spare - 1, free);
        }
        for c in 0..columns {
            if free[c] {
                free[c] = false;
                let rest = least(costs, columns, row + 1, spare, free);
                best = best.min(costs[row * columns + c] + rest);
                free[c] = true;
            }
        }
        best
    }

    #[test]
    fn no_permutation_is_cheaper() {
        let mut random = Random::new(5, Purpose::Sample, 0);
        for trial in 0..600 {
            let (rows, columns) = (1 + random.below(6), 1 + random.below(6));
            // Every third matrix has few different costs, so that there are ties.
            let mut draw = || match trial % 3 {
                0 => random.below(4) as f64,
                _ => 20.0 * random.uniform() - 10.0,
            };
            let costs: Vec<f64> = (0..rows * columns).map(|_| draw()).collect();
            let found = assign(&costs, rows, columns).unwrap();
            let taken: Vec<usize> = found.iter().flatten().copied().collect();
            let mut once = taken.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!((once.len(), taken.len()), (rows.min(columns), rows.min(columns)));
            let cost = |(r, c): (usize, &Option<usize>)| c.map_or(0.0, |c| costs[r * columns + c]);
            let sum: f64 = found.iter().enumerate().map(cost).sum();
            let spare = rows.saturating_sub(columns);
            let best = least(&costs, columns, 0, spare, &mut vec![true; columns]);
            assert!((sum - best).abs() < 1e-9, "{rows} x {columns}: {sum} and {best}");
        }
    }

    #[test]
    fn ties_go_to_the_first() {
        assert_eq!(assign(&[1.0; 9], 3, 3).unwrap(), [Some(0), Some(1), Some(2)]);
        assert_eq!(assign(&[1.0; 6], 2, 3).unwrap(), [Some(0), Some(1)]);
        assert_eq!(assign(&[1.0; 6], 3, 2).unwrap(), [Some(0), Some(1), None]);
    }

    #[test]
    fn a_large_matrix_with_a_known_answer() {
        // (r - c)^2 is least on the diagonal of a shuffled matrix.
        let n = 200;
        let mut order: Vec<usize> = (0..n).collect();
        Random::new(9, Purpose::Sample, 0).shuffle(&mut order);
        let costs: Vec<f64> =
            (0..n * n).map(|i| (order[i / n] as f64 - (i % n) as f64).powi(2)).collect();
        let expected: Vec<Option<usize>> = order.into_iter().map(Some).collect();
        assert_eq!(assign(&costs, n, n).unwrap(), expected);
    }

    #[test]
    fn nothing_to_assign_and_what_cannot_be() {
        assert_eq!(assign(&[], 0, 3).unwrap(), []);
        assert_eq!(assign(&[], 2, 0).unwrap(), [None, None]);
        assert!(
            assign(&[1.0], 1, 2).unwrap_err().to_string().contains("1 entries for 1 rows of 2")
        );
        for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
            assert!(assign(&[bad, 1.0, bad, 1.0], 2, 2).is_err());
        }
    }
}
