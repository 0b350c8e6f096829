//! Which columns tell the clusters apart.

use super::{Clustered, MOST_DRAWN, number, table, words};
use crate::draw::page::{Block, Cell, Column, Figure, Section};
use crate::draw::panels::{Panel, Panels};
use crate::run::ClusterOutcome;
use std::cmp::Ordering;

/// The attributes by the probability that they matter, where it is known, and then by what they tell about the cluster.
pub(super) fn order(found: &ClusterOutcome, relevance: Option<&Vec<f64>>) -> Vec<usize> {
    // Probabilities that are shown alike count as alike, so that what is nearly certain comes by what it tells.
    let shown = |v: usize| relevance.map_or(0, |p| (p[v] * 1e4).round() as i64);
    let by = |&x: &usize, &y: &usize| -> Ordering {
        shown(y).cmp(&shown(x)).then(found.information[y].total_cmp(&found.information[x]))
    };
    let mut order: Vec<usize> = (0..found.information.len()).collect();
    order.sort_by(by);
    order
}

/// A measure of attributes: what the chart and the table call it, and its values.
struct Told<'a> {
    name: &'static str,
    unit: &'static str,
    values: &'a [f64],
    most: Option<f64>,
}

fn told<'a>(c: &'a Clustered<'_>) -> Vec<Told<'a>> {
    let relevance = c.model.outcome().relevance.as_deref();
    let probable =
        |values| Told { name: "probability that it matters", unit: "", values, most: Some(1.0) };
    let bits = |name, values| Told { name, unit: " (bits)", values, most: None };
    let mut all: Vec<Told<'_>> = relevance.map(probable).into_iter().collect();
    all.push(bits("mutual information", &c.found.information));
    all.push(bits("I_P", &c.found.independence));
    all
}

pub(super) fn section(c: &Clustered<'_>) -> Section {
    let told = told(c);
    let drawn = &c.order[..c.order.len().min(MOST_DRAWN)];
    let panel = |t: &Told<'_>| Panel {
        label: format!("{}{}", t.name, t.unit),
        values: drawn.iter().map(|&v| t.values[v]).collect(),
        most: t.most,
    };
    let chart = Panels {
        title: "What each column tells about the cluster".into(),
        names: drawn.iter().map(|&v| c.attribute(v).to_string()).collect(),
        panels: told.iter().map(panel).collect(),
        ..Panels::default()
    };
    let caption = if drawn.len() < c.order.len() {
        format!("The first {} of {} columns.", drawn.len(), c.order.len())
    } else {
        String::new()
    };
    let blocks = vec![
        Block::Paragraph(explained(told.len() > 2)),
        Block::Figure(Figure { svg: chart.svg(), caption }),
        listed(c, &told),
    ];
    super::section("Which columns matter", blocks)
}

fn explained(probable: bool) -> String {
    let probability = "The probability that a column matters is that of its dependence on the cluster, given the rows: \
                       the clusters were averaged over all choices of columns that do. ";
    let rest = "Mutual information is how many bits a cell tells about the cluster of its row. I_P is the mean, over \
                the clusters, of the divergence of the column's distribution there from that in all rows; it is 0 for \
                a column that is the same in every cluster, and infinite (∞) where a cluster excludes a level.";
    format!("{}{rest}", if probable { probability } else { "" })
}

fn listed(c: &Clustered<'_>, told: &[Told<'_>]) -> Block {
    let mut columns: Vec<Column> = vec![words("column"), number("levels")];
    columns.extend(told.iter().map(|t| number(format!("{}{}", t.name, t.unit))));
    let text = |x: f64| if x.is_finite() { format!("{x:.4}") } else { "∞".into() };
    let row = |&v: &usize| -> Vec<Cell> {
        let mut row: Vec<Cell> =
            vec![c.attribute(v).into(), c.coded.fields[v].states().to_string().into()];
        row.extend(told.iter().map(|t| Cell::from(text(t.values[v]))));
        row
    };
    let caption = "What each column tells about the cluster, those that matter most first.";
    let rows = c.order.iter().map(row).collect();
    table("All columns as a table", caption.into(), columns, rows)
}
