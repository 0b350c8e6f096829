//! Training and test parts, as lists of row numbers: the columns of the table are never copied.

use super::table::Table;

/// Rows to learn from or to test on. Of a row that stands for several cases, some may be in this part and some in another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// In rising order.
    rows: Vec<u32>,
    /// How many cases of each row, where rows stand for several.
    cases: Option<Vec<u64>>,
}

impl Part {
    /// These rows, one case each.
    pub fn whole(rows: Vec<u32>) -> Part {
        Part { rows, cases: None }
    }

    /// So many cases of each of these rows.
    pub(super) fn with_cases(rows: Vec<u32>, cases: Vec<u64>) -> Part {
        Part { rows, cases: Some(cases) }
    }

    /// These rows of a table with all their cases; rows of weight 0 are none.
    pub fn of(table: &Table, rows: impl IntoIterator<Item = u32>) -> Part {
        let weighs = |r: &u32| table.weights().is_none_or(|w| w[*r as usize] > 0.0);
        let rows: Vec<u32> = rows.into_iter().filter(weighs).collect();
        let frequencies = table.frequencies();
        let cases = frequencies.map(|f| rows.iter().map(|&r| f[r as usize] as u64).collect());
        Part { rows, cases }
    }

    /// The table's row numbers; a row may come more than once.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many cases of the row at a place are in this part.
    pub fn cases(&self, place: usize) -> u64 {
        self.cases.as_ref().map_or(1, |cases| cases[place])
    }

    /// How many cases there are.
    pub fn len(&self) -> u64 {
        self.cases.as_ref().map_or(self.rows.len() as u64, |cases| cases.iter().sum())
    }

    /// True if there is no case.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows that meet a condition, with all their cases.
    pub fn filtered(&self, wanted: impl Fn(u32) -> bool) -> Part {
        let places = (0..self.rows.len()).filter(|&i| wanted(self.rows[i]));
        let (rows, cases) = places.map(|i| (self.rows[i], self.cases(i))).unzip();
        Part { rows, cases: self.cases.is_some().then_some(cases) }
    }

    /// One case of the row at a place left out; the test part is all its cases, which are predicted alike.
    pub fn leave_one_out(&self, place: usize) -> Split {
        let (row, own) = (self.rows[place], self.cases(place));
        let mut train = self.clone();
        let test = Part { rows: vec![row], cases: self.cases.is_some().then(|| vec![own]) };
        match &mut train.cases {
            Some(cases) if own > 1 => cases[place] -= 1,
            cases => {
                if let Some(cases) = cases {
                    cases.remove(place);
                }
                train.rows.remove(place);
            }
        }
        Split { train, test }
    }

    /// The table with its rows weighted by their cases in this part.
    pub fn weighing(&self, table: &Table) -> Table {
        match &self.cases {
            Some(cases) => table.with_cases(&self.rows, cases),
            None => table.clone(),
        }
    }
}

/// A training part and the test part that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// What to learn from.
    pub train: Part,
    /// What to test on.
    pub test: Part,
}
