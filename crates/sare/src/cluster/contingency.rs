//! The contingency table of two labelings of the same rows: how much each label of one meets each of the other.

use crate::error::{Error, Result};
use serde::Serialize;

/// A label that occurs, with the weight of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LabelWeight {
    /// The label's code.
    pub code: u32,
    /// The weight of the rows that have it.
    pub weight: f64,
}

/// Two labels that meet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Meeting {
    /// The label of the first labeling: its place among those that occur.
    pub first: usize,
    /// The label of the second, likewise.
    pub second: usize,
    /// The weight of the rows that have both.
    pub weight: f64,
}

/// How many rows were left out for want of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Rows with a label in the second labeling alone.
    pub without_first: usize,
    /// Rows with a label in the first labeling alone.
    pub without_second: usize,
    /// Rows without any label.
    pub without_both: usize,
}

impl LeftOut {
    /// All of them.
    pub fn rows(&self) -> usize {
        self.without_first + self.without_second + self.without_both
    }
}

/// The labels of rows, as codes; `None` where a row has none.
pub type Labels = [Option<u32>];

/// A contingency table. Only the cells that are not empty are kept, so it never has more cells than there are rows,
/// however many labels there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Contingency {
    first: Vec<LabelWeight>,
    second: Vec<LabelWeight>,
    cells: Vec<Meeting>,
    rows: usize,
    left_out: LeftOut,
}

impl Contingency {
    /// The table of two labelings of the same rows; a row of weight 2 counts as the row twice. Rows without one of the
    /// labels are left out and counted.
    pub fn new(first: &Labels, second: &Labels, weights: Option<&[f64]>) -> Result<Contingency> {
        check(first.len(), second.len(), weights)?;
        let mut left_out = LeftOut::default();
        let mut rows = Vec::with_capacity(first.len());
        for (row, labels) in first.iter().zip(second).enumerate() {
            match labels {
                (Some(a), Some(b)) => rows.push((*a, *b, weights.map_or(1.0, |w| w[row]))),
                (None, Some(_)) => left_out.without_first += 1,
                (Some(_), None) => left_out.without_second += 1,
                (None, None) => left_out.without_both += 1,
            }
        }
        let count = rows.len();
        // Stable: the weights of a cell are added in the order of the rows.
        rows.sort_by_key(|&(a, b, _)| (a, b));
        let mut cells: Vec<(u32, u32, f64)> = Vec::new();
        for (a, b, weight) in rows {
            match cells.last_mut() {
                Some(cell) if (cell.0, cell.1) == (a, b) => cell.2 += weight,
                _ => cells.push((a, b, weight)),
            }
        }
        // A label whose rows weigh nothing is as good as absent.
        cells.retain(|cell| cell.2 > 0.0);
        Ok(Contingency::of_cells(&cells, count, left_out))
    }

    fn of_cells(cells: &[(u32, u32, f64)], rows: usize, left_out: LeftOut) -> Contingency {
        let first = label_weights(cells.iter().map(|c| (c.0, c.2)).collect());
        let second = label_weights(cells.iter().map(|c| (c.1, c.2)).collect());
        let place = |labels: &[LabelWeight], code| labels.partition_point(|l| l.code < code);
        let meeting = |&(a, b, weight): &(u32, u32, f64)| Meeting {
            first: place(&first, a),
            second: place(&second, b),
            weight,
        };
        let cells = cells.iter().map(meeting).collect();
        Contingency { first, second, cells, rows, left_out }
    }

    /// The labels of the first labeling that occur, by rising code.
    pub fn first(&self) -> &[LabelWeight] {
        &self.first
    }

    /// The labels of the second labeling that occur, by rising code.
    pub fn second(&self) -> &[LabelWeight] {
        &self.second
    }

    /// The cells that are not empty, by first label, then by second.
    pub fn cells(&self) -> &[Meeting] {
        &self.cells
    }

    /// How many rows have both labels.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The rows that were left out.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// The weight of all rows that have both labels.
    pub fn total(&self) -> f64 {
        self.first.iter().map(|l| l.weight).sum()
    }
}

/// Each label once, with its weight.
fn label_weights(mut parts: Vec<(u32, f64)>) -> Vec<LabelWeight> {
    parts.sort_by_key(|&(code, _)| code);
    let mut labels: Vec<LabelWeight> = Vec::new();
    for (code, weight) in parts {
        match labels.last_mut() {
            Some(label) if label.code == code => label.weight += weight,
            _ => labels.push(LabelWeight { code, weight }),
        }
    }
    labels
}

fn check(first: usize, second: usize, weights: Option<&[f64]>) -> Result<()> {
    let bad = |problem: String, fix: &str| Err(Error::data("two labelings", problem, fix));
    if first != second {
        let problem = format!("one has {first} rows, the other {second}");
        return bad(problem, "give labels of the same rows");
    }
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() != first {
        let problem = format!("there are {} weights for {first} rows", weights.len());
        return bad(problem, "give one weight a row, or none");
    }
    match weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        Some(row) => {
            let problem = format!("the weight of row {} is {}", row + 1, weights[row]);
            bad(problem, "give finite weights of at least 0")
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(codes: &[i32]) -> Vec<Option<u32>> {
        codes.iter().map(|&c| u32::try_from(c).ok()).collect()
    }

    #[test]
    fn cells_and_margins_are_counted() {
        let (a, b) = (labels(&[7, 2, 7, 7, -1, 2, -1]), labels(&[0, 5, 0, 5, 5, -1, -1]));
        let table = Contingency::new(&a, &b, None).unwrap();
        let label = |code, weight| LabelWeight { code, weight };
        assert_eq!(table.first(), [label(2, 1.0), label(7, 3.0)]);
        assert_eq!(table.second(), [label(0, 2.0), label(5, 2.0)]);
        let cell = |first, second, weight| Meeting { first, second, weight };
        assert_eq!(table.cells(), [cell(0, 1, 1.0), cell(1, 0, 2.0), cell(1, 1, 1.0)]);
        assert_eq!((table.rows(), table.total()), (4, 4.0));
        let left_out = LeftOut { without_first: 1, without_second: 1, without_both: 1 };
        assert_eq!((table.left_out(), left_out.rows()), (left_out, 3));
    }

    #[test]
    fn weight_two_is_the_row_twice_and_weight_nothing_none() {
        let weighed =
            Contingency::new(&labels(&[0, 1, 3]), &labels(&[0, 1, 3]), Some(&[2.0, 1.0, 0.0]))
                .unwrap();
        let twice = Contingency::new(&labels(&[0, 0, 1]), &labels(&[0, 0, 1]), None).unwrap();
        assert_eq!((weighed.first(), weighed.cells()), (twice.first(), twice.cells()));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let a = labels(&[0, 1]);
        let problem = |b: &[i32], w: Option<&[f64]>| {
            Contingency::new(&a, &labels(b), w).unwrap_err().to_string()
        };
        assert!(problem(&[0], None).contains("one has 2 rows, the other 1"));
        assert!(problem(&[0, 1], Some(&[1.0])).contains("1 weights for 2 rows"));
        assert!(problem(&[0, 1], Some(&[1.0, -2.0])).contains("weight of row 2 is -2"));
        assert!(problem(&[0, 1], Some(&[f64::NAN, 1.0])).contains("row 1 is NaN"));
    }
}
