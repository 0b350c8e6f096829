//! Cutting numbers into bins. Cut points are part of a fitted model: learnt from training rows only and kept with it.

mod equal;
mod mdlp;
pub(crate) mod points;

use super::schema::{Field, Kind, Schema};
use super::source::View;
use super::table::{Cells, MAX_LEVELS, MISSING_U8, MISSING_U16, Table};
use crate::error::{Error, Result};
use points::Points;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How cut points are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Fayyad and Irani's recursive cuts of least class entropy, stopped by description length (ALGORITHMS 1).
    Mdlp,
    /// Bins of equal width between the smallest and the largest value.
    EqualWidth(
        /// How many bins.
        usize,
    ),
    /// Bins of about equally many rows.
    EqualFrequency(
        /// How many bins.
        usize,
    ),
}

impl Method {
    /// Refuses a number of bins that codes cannot tell apart.
    pub fn check(&self) -> Result<()> {
        match *self {
            Method::EqualWidth(bins) | Method::EqualFrequency(bins)
                if !(1..=MAX_LEVELS).contains(&bins) =>
            {
                Err(Error::Setting {
                    learner: "discretiser".into(),
                    setting: "bins".into(),
                    value: bins.to_string(),
                    expected: format!("from 1 to {MAX_LEVELS}"),
                })
            }
            _ => Ok(()),
        }
    }
}

/// The cut points of every continuous column; a number goes into the bin of how many cut points lie below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Discretiser {
    /// For each column its cut points in rising order; `None` for a column that is discrete by itself.
    pub cuts: Vec<Option<Vec<f64>>>,
}

impl Discretiser {
    /// Learns cut points from these rows. `class` is the class column, which only [`Method::Mdlp`] looks at; without
    /// a class it makes one bin of every column.
    pub fn learn(view: View<'_>, class: Option<usize>, method: Method) -> Result<Discretiser> {
        let table = view.table();
        let learn =
            |column: usize| Ok(Points::of(view, column, class)?.map(|points| points.cuts(method)));
        let cuts = (0..table.columns()).into_par_iter().map(learn).collect::<Result<_>>()?;
        Ok(Discretiser { cuts })
    }

    /// The schema after cutting: every column with cut points is discrete.
    pub fn schema(&self, schema: &Schema) -> Schema {
        let coded = |(field, cuts): (&Field, &Option<Vec<f64>>)| match cuts {
            Some(cuts) => Field::discrete(field.name.clone(), bin_names(cuts)),
            None => field.clone(),
        };
        Schema::new(schema.fields.iter().zip(&self.cuts).map(coded).collect())
    }

    /// The table with its numbers cut; the other columns are shared.
    pub fn apply(&self, table: &Table) -> Table {
        let mut coded = table.clone();
        let schema = self.schema(table.schema());
        let cut: Vec<(usize, Cells)> = self
            .cuts
            .par_iter()
            .enumerate()
            .filter_map(|(column, cuts)| match (cuts, table.cells(column)) {
                (Some(cuts), Cells::Numbers(numbers)) => Some((column, code(numbers, cuts))),
                _ => None,
            })
            .collect();
        for (column, cells) in cut {
            coded.replace(column, schema.fields[column].clone(), cells);
        }
        coded
    }

    /// The bin of a number in a column; nothing if the column is not cut or this is no number.
    pub fn bin(&self, column: usize, number: f64) -> Option<usize> {
        let cuts = self.cuts.get(column)?.as_ref()?;
        (!number.is_nan()).then(|| bin_of(number, cuts))
    }

    /// True if no column needs cutting.
    pub fn is_empty(&self) -> bool {
        self.cuts.iter().all(Option::is_none)
    }
}

/// A number goes left of its own cut point.
fn bin_of(x: f64, cuts: &[f64]) -> usize {
    cuts.partition_point(|cut| *cut < x)
}

fn code(numbers: &[f64], cuts: &[f64]) -> Cells {
    let bin = |x: &f64| bin_of(*x, cuts);
    if cuts.len() < MISSING_U8 as usize {
        let code = |x: &f64| if x.is_nan() { MISSING_U8 } else { bin(x) as u8 };
        Cells::Narrow(Arc::new(numbers.iter().map(code).collect()))
    } else {
        let code = |x: &f64| if x.is_nan() { MISSING_U16 } else { bin(x) as u16 };
        Cells::Wide(Arc::new(numbers.iter().map(code).collect()))
    }
}

/// Names for the bins between these cut points.
pub fn bin_names(cuts: &[f64]) -> Vec<String> {
    if cuts.is_empty() {
        return vec!["any".into()];
    }
    let mut shown: Vec<String> = cuts.iter().map(|c| short(*c)).collect();
    if shown.windows(2).any(|w| w[0] == w[1]) {
        shown = cuts.iter().map(f64::to_string).collect();
    }
    let mut names = vec![format!("<={}", shown[0])];
    names.extend(shown.windows(2).map(|w| format!("({}, {}]", w[0], w[1])));
    names.push(format!(">{}", shown[shown.len() - 1]));
    names
}

/// Six significant digits, enough to read.
fn short(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    if !(-4..=9).contains(&digits) {
        return format!("{x:.5e}");
    }
    let text = format!("{x:.*}", (5 - digits).max(0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// The point between two neighbouring values; never equal to the larger one, so that it separates them.
fn midpoint(a: f64, b: f64) -> f64 {
    let middle = a + (b - a) / 2.0;
    if middle < b && middle.is_finite() { middle } else { a }
}

impl Kind {
    /// True for numbers.
    pub fn is_continuous(&self) -> bool {
        *self == Kind::Continuous
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_named_for_people() {
        assert_eq!(bin_names(&[2.4499999999999997, 4.75]), ["<=2.45", "(2.45, 4.75]", ">4.75"]);
        assert_eq!(bin_names(&[]), ["any"]);
        assert_eq!(
            bin_names(&[1e-9, 1e12]),
            ["<=1.00000e-9", "(1.00000e-9, 1.00000e12]", ">1.00000e12"]
        );
        // Names that would look alike are written out.
        assert_eq!(bin_names(&[1.0000001, 1.0000002])[1], "(1.0000001, 1.0000002]");
        assert_eq!(bin_names(&[1234567.0, -5.0])[0], "<=1234567");
    }

    #[test]
    fn a_number_goes_left_of_its_own_cut() {
        let Cells::Narrow(codes) = code(&[1.0, 2.0, 2.5, f64::NAN, 9.0], &[2.0, 3.0]) else {
            panic!("two cuts need one byte");
        };
        assert_eq!(*codes, [0, 0, 1, MISSING_U8, 2]);
    }

    #[test]
    fn neighbours_are_always_separated() {
        let (a, b) = (1.0, 1.0 + f64::EPSILON);
        let m = midpoint(a, b);
        assert!(a <= m && m < b);
        assert!(midpoint(f64::MIN, f64::MAX) < f64::MAX);
    }
}
