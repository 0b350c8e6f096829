//! Selective naive Bayes: only some attributes, chosen by how well they predict or by how much they tell.

use super::Structure;
use crate::data::{Source, View};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::num::first_max;
use crate::observe::Event;
use crate::parameters::dirichlet::Prior;
use crate::parameters::left_out::{LeftOut, Terms};
use crate::run::Run;
use crate::stats::distribution::chi_square_quantile;
use crate::stats::information::information_with_class;
use crate::stats::kernels::gather;
use crate::stats::{CountFamilies, Family, run_pass};
use rayon::prelude::*;

/// How attributes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Greedily, the one that raises leave-one-out accuracy most, for as long as one does.
    Wrapper,
    /// Every one whose information about the class is significant by the chi-square test at this level.
    Filter(
        /// The level.
        f64,
    ),
}

/// Naive Bayes with selected attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selective {
    /// How they are chosen.
    pub selection: Selection,
}

/// What selective naive Bayes is called and does.
pub const DESCRIPTION: Description = Description {
    name: "selective",
    help: "naive Bayes with attributes chosen by leave-one-out accuracy (wrapper) or by a test of information (filter)",
    source: "Langley and Sage 1994",
    settings: &[
        Setting {
            name: "by",
            help: "how attributes are chosen",
            range: Range::Choice(&["wrapper", "filter"]),
        },
        Setting {
            name: "level",
            help: "the filter's level of significance",
            range: Range::Positive { default: 0.05 },
        },
    ],
};

impl Structure for Selective {
    fn form(&self) -> String {
        match self.selection {
            Selection::Wrapper => format!("{}:wrapper", DESCRIPTION.name),
            Selection::Filter(level) => format!("{}:filter,{level}", DESCRIPTION.name),
        }
    }

    fn learn(&self, data: &Source<'_>, run: &Run<'_>) -> Result<Dag> {
        let class = data.schema().len() - 1;
        let chosen = match (self.selection, data) {
            (Selection::Filter(level), _) => informative(data, class, level, run)?,
            (Selection::Wrapper, Source::Memory(view)) => best_predicting(*view, class, run)?,
            (Selection::Wrapper, Source::Stream(stream)) => {
                let problem = "the wrapper of 'selective' needs the rows in memory";
                let fix = "leave out --stream, or say selective:filter";
                return Err(Error::data(stream.name(), problem, fix));
            }
        };
        let mut dag = Dag::new(class + 1);
        chosen.into_iter().try_for_each(|attribute| dag.add(class, attribute))?;
        Ok(dag)
    }
}

/// The attributes of which 2 N I(X; C) exceeds the chi-square quantile.
fn informative(data: &Source<'_>, class: usize, level: f64, run: &Run<'_>) -> Result<Vec<usize>> {
    let alone = |child: usize| Family { child, parents: Vec::new() };
    let pass = CountFamilies::new(data, (0..class).map(alone).collect(), Some(class))?;
    let counts = run_pass(data, &pass, run)?;
    let significant = |&v: &usize| {
        let freedom = ((counts[v].states() - 1) * (counts[v].classes() - 1)) as f64;
        let statistic = 2.0 * counts[v].total() * information_with_class(&counts[v]);
        freedom > 0.0 && statistic >= chi_square_quantile(level.min(1.0), freedom)
    };
    Ok((0..class).filter(significant).collect())
}

/// Greedy forward selection by leave-one-out accuracy with Laplace parameters.
fn best_predicting(view: View<'_>, class: usize, run: &Run<'_>) -> Result<Vec<usize>> {
    let table = view.table();
    let classes = table.field(class).states();
    let labelled: Vec<u32> = view
        .row_numbers()
        .filter(|&r| table.cells(class).code(r).is_some())
        .map(|r| r as u32)
        .collect();
    let rows = View::of(table, &labelled);
    let own: Vec<usize> =
        rows.row_numbers().map(|r| table.cells(class).code(r).unwrap_or(0)).collect();
    let weights: Vec<f64> =
        rows.row_numbers().map(|r| table.weights().map_or(1.0, |w| w[r])).collect();
    let left_out = LeftOut { prior: Prior::Laplace, rows, own: &own, weights: &weights, classes };
    let terms: Vec<Terms> = run
        .install(|| (0..class).into_par_iter().map(|column| left_out.of_levels(column)).collect());
    let right = |scores: &[f64], terms: &Terms| -> f64 {
        let mut sum = vec![0.0; classes];
        let mut right = 0.0;
        for (i, row) in scores.chunks_exact(classes).enumerate() {
            let term = &terms.table[terms.cells[i] as usize * classes..][..classes];
            sum.iter_mut().zip(row.iter().zip(term)).for_each(|(s, (a, b))| *s = a + b);
            right += if first_max(&sum) == own[i] { weights[i] } else { 0.0 };
        }
        right
    };
    let prior = left_out.of_class();
    let mut scores = vec![0.0; own.len() * classes];
    let mut best = right(&scores, &prior);
    gather(&prior.cells, &prior.table, classes, &mut scores);
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        run.tell(&Event::Iteration { number: chosen.len() + 1, objective: best })?;
        let open: Vec<usize> = (0..class).filter(|v| !chosen.contains(v)).collect();
        let found: Vec<f64> =
            run.install(|| open.par_iter().map(|&v| right(&scores, &terms[v])).collect());
        let place = first_max(&found);
        if found.get(place).is_none_or(|&f| f <= best) {
            return Ok(chosen);
        }
        best = found[place];
        let terms = &terms[open[place]];
        gather(&terms.cells, &terms.table, classes, &mut scores);
        chosen.push(open[place]);
    }
}
