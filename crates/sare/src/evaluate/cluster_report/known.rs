//! Known groups of the rows beside their clusters.

use super::{Clustered, counted, number, percent, table, words};
use crate::cluster::pairing::Labeling;
use crate::cluster::{Agreement, Contingency, Labels, agreement};
use crate::draw::page::{Block, Cell, Section};
use crate::draw::scale::grouped;
use crate::error::{Error, Result};

/// How known groups of the rows and their clusters meet.
#[derive(Clone, Debug)]
pub struct Known {
    /// The column of the groups.
    pub column: String,
    /// Their names.
    pub names: Vec<String>,
    /// Groups by clusters.
    pub table: Contingency,
    /// How well they agree.
    pub agreement: Agreement,
}

impl Known {
    /// Of the groups and the clusters of the same rows.
    pub(super) fn of(groups: Labeling, clusters: &Labels, weights: &[f64]) -> Result<Known> {
        let Labeling { file, column, names, labels, .. } = groups;
        let table = Contingency::new(&labels, clusters, Some(weights))?;
        if table.total() <= 0.0 {
            let fix = "name another column, or leave the weights out";
            return Err(Error::column(
                &file,
                &column,
                "the rows that have a label weigh nothing",
                fix,
            ));
        }
        let agreement = agreement(&table);
        Ok(Known { column, names, table, agreement })
    }
}

pub(super) fn section(c: &Clustered<'_>, known: &Known) -> Section {
    let Agreement { hamming, adjusted_rand, normalised_information, accuracy } = known.agreement;
    let without = known.table.left_out().rows();
    let left_out = match without {
        0 => String::new(),
        rows => format!(" {} without a group left out.", counted(rows, "row")),
    };
    let text = format!(
        "The groups that column {} knows, beside the clusters: {} of the rows are right where each cluster is matched with at \
         most one group, as well as can be. Adjusted Rand index {adjusted_rand:.3} (1: the same partition, 0: as by chance), \
         normalised mutual information {normalised_information:.3}, co-membership Hamming distance {}.{left_out}",
        known.column,
        percent(accuracy),
        grouped(hamming, 0)
    );
    super::section("Known groups", vec![Block::Paragraph(text), meetings(c, known)])
}

/// How many rows of each group are in each cluster.
fn meetings(c: &Clustered<'_>, known: &Known) -> Block {
    let (groups, clusters) = (known.table.first(), known.table.second());
    let mut weights = vec![vec![0.0; c.clusters()]; groups.len()];
    for m in known.table.cells() {
        weights[m.first][clusters[m.second].code as usize] = m.weight;
    }
    let whole = weights.iter().flatten().all(|w| w.fract() == 0.0);
    let text = |w: f64| grouped(w, if whole { 0 } else { 1 });
    let row = |(group, weights): (usize, &Vec<f64>)| -> Vec<Cell> {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let cell = |&w: &f64| Cell { text: text(w), best: w == largest };
        let mut row: Vec<Cell> = vec![known.names[groups[group].code as usize].as_str().into()];
        row.extend(weights.iter().take(c.shown()).map(cell));
        row.push(text(groups[group].weight).into());
        row
    };
    let rows = weights.iter().enumerate().map(row).collect();
    let mut columns = vec![words(known.column.as_str())];
    columns.extend((0..c.shown()).map(|k| number(c.name(k))));
    columns.push(number("in all"));
    let caption = format!("Rows of each group by their most probable cluster.{}", c.only());
    table("Groups", caption, columns, rows)
}
