//! A column of numbers as cut points see it: its different values, each with the weight of every class.

use super::{Method, equal, mdlp};
use crate::data::source::View;
use crate::data::table::Cells;
use crate::error::{Error, Result};

/// The most memory the points of one column may take.
const LARGEST_POINTS: u128 = 1 << 30;

/// The different values of a column in rising order, with the weight of each class at each; none weighs nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Points {
    numbers: Vec<f64>,
    classes: usize,
    /// Values x classes.
    weights: Vec<f64>,
}

impl Points {
    /// The points of a column of numbers, or `None` for another column. Rows whose number or class is missing are left
    /// out; without a class there is one class for all.
    pub(crate) fn of(
        view: View<'_>,
        column: usize,
        class: Option<usize>,
    ) -> Result<Option<Points>> {
        let table = view.table();
        let Cells::Numbers(numbers) = table.cells(column) else { return Ok(None) };
        let mut values: Vec<(f64, u32, f64)> = Vec::with_capacity(view.len());
        for row in view.row_numbers() {
            let known = class.map_or(Some(0), |c| table.cells(c).code(row));
            let weight = table.weights().map_or(1.0, |w| w[row]);
            if let (Some(class), false, true) = (known, numbers[row].is_nan(), weight > 0.0) {
                // Minus zero is zero.
                values.push((numbers[row] + 0.0, class as u32, weight));
            }
        }
        // By weight too, so that sums of fractions do not depend on the order of rows.
        values.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2))
        });
        let classes = class.map_or(1, |c| table.field(c).states());
        let different = 1 + values.windows(2).filter(|w| w[0].0 < w[1].0).count();
        let bytes = different as u128 * classes as u128 * 8;
        if bytes > LARGEST_POINTS {
            return Err(Error::TooLarge {
                what: format!("counting the values of '{}' by class", table.field(column).name),
                bytes,
                limit: LARGEST_POINTS,
                fix: "round the numbers, or merge classes".into(),
            });
        }
        Ok(Some(Points::from_sorted(&values, classes)))
    }

    /// From numbers in rising order with their classes and weights above 0.
    pub(crate) fn from_sorted(values: &[(f64, u32, f64)], classes: usize) -> Points {
        let mut points = Points { numbers: Vec::new(), classes, weights: Vec::new() };
        for &(number, class, weight) in values {
            if points.numbers.last().is_none_or(|last| *last < number) {
                points.numbers.push(number);
                points.weights.resize(points.numbers.len() * classes, 0.0);
            }
            let last = points.numbers.len() - 1;
            points.weights[last * classes + class as usize] += weight;
        }
        points
    }

    /// How many different values there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// How many classes there are.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// The values.
    pub(crate) fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// The weight of each class at a value.
    pub(crate) fn weights(&self, point: usize) -> &[f64] {
        &self.weights[point * self.classes..][..self.classes]
    }

    /// The weight at a value.
    pub(crate) fn weight(&self, point: usize) -> f64 {
        self.weights(point).iter().sum()
    }

    /// The points without one row of weight 1.
    pub(crate) fn without(&self, point: usize, class: usize) -> Points {
        let mut rest = self.clone();
        rest.weights[point * self.classes + class] -= 1.0;
        if rest.weight(point) <= 0.0 {
            rest.numbers.remove(point);
            rest.weights.drain(point * self.classes..(point + 1) * self.classes);
        }
        rest
    }

    /// The cut points of a method.
    pub(crate) fn cuts(&self, method: Method) -> Vec<f64> {
        match method {
            Method::Mdlp => mdlp::cuts(self),
            Method::EqualWidth(bins) => equal::width(self, bins),
            Method::EqualFrequency(bins) => equal::frequency(self, bins),
        }
    }
}
