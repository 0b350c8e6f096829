//! Leave-one-out of naive Bayes in closed form: every row's own counts taken off, nothing fitted again.
//!
//! With its own row left out, a row's term of an attribute depends only on its cell and its own class. So each
//! attribute has one table over (cell, own class), and the scores of all rows are gathered from these tables as those
//! of a prediction are. Where numbers are cut, the cut points without the row depend only on its value and its class.

use super::learner::{ClassWeights, Learner};
use crate::data::Table;
use crate::data::discretise::points::Points;
use crate::data::source::View;
use crate::parameters::dirichlet::Prior;
use crate::parameters::left_out::{LeftOut, Terms, term};
use crate::stats::kernels::gather;
use rayon::prelude::*;

/// The most memory the terms of one attribute may take.
const LARGEST_TERMS: u128 = 1 << 28;

/// ln p(class, attributes) of each of the rows by the classifier learnt from all cases but one of the row, rows x classes;
/// `None` if the learner has no closed form, weights are not numbers of cases, or its tables would be too large. The last
/// column is the class, known in every row.
pub fn leave_one_out(learner: &Learner, table: &Table, rows: &[u32]) -> Option<Vec<f64>> {
    let cases = table.weights().is_none() || table.frequencies().is_some();
    let plain = learner.class_weights == ClassWeights::Equal && cases;
    let prior = learner.parameters.prior().filter(|_| plain && learner.structure.is_naive())?;
    let class = table.columns() - 1;
    let classes = table.field(class).states();
    let own: Vec<usize> =
        rows.iter().map(|&r| table.cells(class).code(r as usize).unwrap_or(0)).collect();
    let view = View::of(table, rows);
    let weights: Vec<f64> =
        rows.iter().map(|&r| table.weights().map_or(1.0, |w| w[r as usize])).collect();
    let ones = vec![1.0; rows.len()];
    let left_out =
        LeftOut { prior, rows: view, own: &own, weights: &weights, ones: &ones, classes };
    let terms = |column: usize| {
        let points = Points::of(view, column, Some(class)).ok()?;
        let states = points.as_ref().map_or(table.field(column).states(), Points::len);
        // A vector a cell and class: where that is too much, models are fitted instead.
        let bytes = states as u128 * (classes as u128).pow(2) * 8;
        (bytes <= LARGEST_TERMS).then(|| match points {
            Some(points) => terms_of_numbers(&points, learner, prior, view, column, &own),
            None => left_out.of_levels(column),
        })
    };
    let all: Vec<Terms> = (0..class).into_par_iter().map(terms).collect::<Option<_>>()?;
    let first = left_out.of_class();
    let mut scores = vec![0.0; rows.len() * classes];
    for terms in std::iter::once(&first).chain(&all) {
        gather(&terms.cells, &terms.table, classes, &mut scores);
    }
    Some(scores)
}

fn terms_of_numbers(
    points: &Points,
    learner: &Learner,
    prior: Prior,
    view: View<'_>,
    column: usize,
    own: &[usize],
) -> Terms {
    let classes = points.classes();
    let number_of = view.table().cells(column);
    let place = |x: f64| points.numbers().partition_point(|n| *n < x + 0.0);
    let vector = |cell: usize| {
        let (point, left_out) = (cell / classes, cell % classes);
        if points.weights(point)[left_out] <= 0.0 {
            return vec![0.0; classes];
        }
        let rest = points.without(point, left_out);
        let cuts = rest.cuts(learner.discretise);
        let bin = |x: f64| cuts.partition_point(|cut| *cut < x);
        let own_bin = bin(points.numbers()[point]);
        let (mut of_bin, mut of_all) = (vec![0.0; classes], vec![0.0; classes]);
        for p in 0..rest.len() {
            of_all.iter_mut().zip(rest.weights(p)).for_each(|(a, n)| *a += n);
            if bin(rest.numbers()[p]) == own_bin {
                of_bin.iter_mut().zip(rest.weights(p)).for_each(|(b, n)| *b += n);
            }
        }
        term(prior, &of_bin, &of_all, cuts.len() + 1, 1)
    };
    let mut table: Vec<f64> =
        (0..points.len() * classes).into_par_iter().flat_map_iter(vector).collect();
    table.resize(table.len() + classes, 0.0);
    let missing = points.len() * classes;
    let cell = |(r, &c): (usize, &usize)| {
        number_of.number(r).map_or(missing, |x| place(x) * classes + c) as u32
    };
    Terms { cells: view.row_numbers().zip(own).map(cell).collect(), table }
}
