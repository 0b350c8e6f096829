//! Leave-one-out of naive Bayes in closed form: every row's own counts taken off, nothing fitted again.
//!
//! With its own row left out, a row's term of an attribute depends only on its cell and its own class. So each
//! attribute has one table over (cell, own class), and the scores of all rows are gathered from these tables as those
//! of a prediction are. Where numbers are cut, the cut points without the row depend only on its value and its class.

use super::learner::{ClassWeights, Learner};
use crate::data::Table;
use crate::data::discretise::points::Points;
use crate::data::source::View;
use crate::num::ln_or_floor;
use crate::parameters::dirichlet::Prior;
use crate::stats::kernels::gather;
use rayon::prelude::*;

/// Where each row's vector is, and the vectors: the terms of one attribute.
struct Terms {
    cells: Vec<u32>,
    table: Vec<f64>,
}

/// ln p(class, attributes) of each of the rows by the classifier learnt from the others, rows x classes; `None` if the
/// learner has no closed form or rows have weights. The last column is the class, known in every row.
pub fn leave_one_out(learner: &Learner, table: &Table, rows: &[u32]) -> Option<Vec<f64>> {
    let plain = learner.class_weights == ClassWeights::Equal && table.weights().is_none();
    let prior = learner.parameters.prior().filter(|_| plain && learner.structure.is_naive())?;
    let class = table.columns() - 1;
    let classes = table.field(class).states();
    let own: Vec<usize> =
        rows.iter().map(|&r| table.cells(class).code(r as usize).unwrap_or(0)).collect();
    let terms = |column: usize| {
        let view = View::of(table, rows);
        match Points::of(view, column, Some(class)) {
            Some(points) => terms_of_numbers(&points, learner, prior, view, column, &own),
            None => terms_of_levels(prior, view, column, &own, classes),
        }
    };
    let all: Vec<Terms> = (0..class).into_par_iter().map(terms).collect();
    let first = prior_terms(prior, &own, classes);
    let mut scores = vec![0.0; rows.len() * classes];
    for terms in std::iter::once(&first).chain(&all) {
        gather(&terms.cells, &terms.table, classes, &mut scores);
    }
    Some(scores)
}

/// ln p(class) without a row of each class.
fn prior_terms(prior: Prior, own: &[usize], classes: usize) -> Terms {
    let mut counts = vec![0.0; classes];
    own.iter().for_each(|&c| counts[c] += 1.0);
    let mut table = Vec::with_capacity(classes * classes);
    for left_out in 0..classes {
        let mut rest = counts.clone();
        rest[left_out] -= 1.0;
        table.extend(prior.smoothed(&rest, classes).into_iter().map(ln_or_floor));
    }
    Terms { cells: own.iter().map(|&c| c as u32).collect(), table }
}

/// ln p(state | class) for every class, from the classes' counts of the state and of all states.
fn term(
    prior: Prior,
    of_state: &[f64],
    of_all: &[f64],
    states: usize,
) -> impl Iterator<Item = f64> {
    let added = prior.cell(states * of_all.len());
    let log = move |(n, total): (&f64, &f64)| {
        let total = total + added * states as f64;
        ln_or_floor(if total > 0.0 { (n + added) / total } else { 1.0 / states as f64 })
    };
    of_state.iter().zip(of_all).map(log).collect::<Vec<_>>().into_iter()
}

fn terms_of_levels(
    prior: Prior,
    view: View<'_>,
    column: usize,
    own: &[usize],
    classes: usize,
) -> Terms {
    let states = view.table().field(column).states();
    let cells_of = view.table().cells(column);
    let codes: Vec<Option<usize>> = view.row_numbers().map(|r| cells_of.code(r)).collect();
    let mut counts = vec![0.0; states * classes];
    let mut totals = vec![0.0; classes];
    for (code, &c) in codes.iter().zip(own) {
        if let Some(state) = code {
            counts[state * classes + c] += 1.0;
            totals[c] += 1.0;
        }
    }
    let mut table = Vec::with_capacity((states * classes + 1) * classes);
    for state in 0..states {
        for left_out in 0..classes {
            let mut of_state = counts[state * classes..][..classes].to_vec();
            let mut of_all = totals.clone();
            of_state[left_out] -= 1.0;
            of_all[left_out] -= 1.0;
            table.extend(term(prior, &of_state, &of_all, states));
        }
    }
    // A missing cell adds nothing.
    table.resize(table.len() + classes, 0.0);
    let cell =
        |(code, &c): (&Option<usize>, &usize)| code.map_or(states * classes, |s| s * classes + c);
    Terms { cells: codes.iter().zip(own).map(|x| cell(x) as u32).collect(), table }
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
        term(prior, &of_bin, &of_all, cuts.len() + 1).collect()
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
