//! The memberships of rows as words, tables and charts.

use super::membership::{BINS, MOST_BARS, SURE};
use super::{Clustered, Membership, counted, number, percent, short, words};
use crate::draw::histogram::{Histogram, HistogramBin};
use crate::draw::membership_bars::MembershipBars;
use crate::draw::page::{Block, Cell, Column, Figure, Section, Table};
use crate::draw::scale::grouped;

/// Clusters whose mean memberships make a square table.
const SQUARE: usize = 10;

pub(super) fn section(c: &Clustered<'_>, m: &Membership, notes: &[String]) -> Section {
    let heading = format!("How sure the rows of {} are", short(&m.file));
    let mut blocks = vec![Block::Paragraph(overview(m))];
    blocks.extend(notes.iter().map(|n| Block::Paragraph(format!("Warning: {n}."))));
    blocks.push(Block::Table(assigned(c, m)));
    blocks.push(Block::Figure(histogram(m)));
    if (2..=SQUARE).contains(&c.clusters()) {
        let text = "The mean probability of each cluster (columns) among the rows of each (lines): clusters that are \
                    easily taken for one another have large numbers off the diagonal.";
        blocks.push(Block::Paragraph(text.into()));
        blocks.push(Block::Table(square(c, m)));
    }
    if (1..=MOST_BARS).contains(&m.each.len()) {
        blocks.push(Block::Figure(bars(c, m)));
    }
    Section { heading, blocks }
}

fn overview(m: &Membership) -> String {
    let weighed = match m.weight == m.rows as f64 {
        true => String::new(),
        false => format!(", of weight {} in total", grouped(m.weight, 1)),
    };
    let mut text = format!(
        "{}{weighed}. A row belongs to its most probable cluster with a probability of {:.3} on average; {} belong to \
         theirs with at least {SURE}. The mean entropy of a row is {:.3} bits.",
        counted(m.rows, "row"),
        m.mean_largest(),
        percent(m.sure.iter().sum::<f64>() / m.weight),
        m.mean_entropy()
    );
    if let Some(relative) = m.relative_entropy() {
        text.push_str(&format!(
            " Relative entropy: {relative:.3} (1: every row is sure of its cluster; 0: nothing is known of any)."
        ));
    }
    if m.missing.0 > 0 {
        text.push_str(&format!(
            " {} of {} cells are missing, and were summed out.",
            grouped(m.missing.0 as f64, 0),
            grouped(m.missing.1 as f64, 0)
        ));
    }
    text
}

/// The rows of each cluster.
fn assigned(c: &Clustered<'_>, m: &Membership) -> Table {
    let whole = m.assigned.iter().all(|a| a.fract() == 0.0);
    let mean = m.mean();
    let row = |g: usize| -> Vec<Cell> {
        let rows = m.assigned[g];
        let of_rows = |x: Option<f64>, text: &dyn Fn(f64) -> String| x.map_or("–".into(), text);
        let own = m.mean_within(g).map(|p| p[g]);
        let sure = (rows > 0.0).then(|| m.sure[g] / rows);
        vec![
            c.name(g).into(),
            grouped(rows, if whole { 0 } else { 1 }).into(),
            percent(rows / m.weight).into(),
            percent(mean[g]).into(),
            percent(c.share(g)).into(),
            of_rows(own, &|p| format!("{p:.3}")).into(),
            of_rows(sure, &percent).into(),
        ]
    };
    let headings =
        ["rows", "share", "mean membership", "in learning", "mean probability", "at least 0.9"];
    let mut columns: Vec<Column> = vec![words("cluster")];
    columns.extend(headings.map(number));
    Table {
        caption: String::from(
            "Rows by their most probable cluster. Mean membership is the mean probability of the cluster over \
                  all rows, to be compared with its share in learning; the last two columns are of the rows of the \
                  cluster alone: the mean probability of their cluster, and how many have at least 0.9.",
        ) + &c.only(),
        columns,
        rows: (0..c.shown()).map(row).collect(),
    }
}

fn histogram(m: &Membership) -> Figure {
    let width = 1.0 / BINS as f64;
    // The largest of so many probabilities is no smaller than their mean.
    let least = (BINS as f64 / m.assigned.len() as f64) as usize;
    let bin = |i: usize| HistogramBin {
        low: i as f64 * width,
        high: (i + 1) as f64 * width,
        count: m.bins[i],
    };
    let chart = Histogram {
        title: "How sure the rows are".into(),
        x_label: "largest membership probability".into(),
        y_label: "rows".into(),
        bins: (least.min(BINS - 1)..BINS).map(bin).collect(),
        ..Histogram::default()
    };
    let caption = "Rows by the probability of their most probable cluster.";
    Figure { svg: chart.svg(), caption: caption.into() }
}

/// Mean memberships of the rows of each cluster in all.
fn square(c: &Clustered<'_>, m: &Membership) -> Table {
    let mut columns: Vec<Column> = vec![words("rows of")];
    columns.extend((0..c.clusters()).map(|g| number(c.name(g))));
    let row = |from: usize| -> Vec<Cell> {
        let mut row: Vec<Cell> = vec![c.name(from).into()];
        match m.mean_within(from) {
            Some(mean) => row.extend(
                mean.iter()
                    .enumerate()
                    .map(|(to, p)| Cell { text: format!("{p:.3}"), best: to == from }),
            ),
            None => row.extend((0..c.clusters()).map(|_| Cell::from("–"))),
        }
        row
    };
    let rows = (0..c.clusters()).map(row).collect();
    Table { columns, rows, ..Table::default() }
}

fn bars(c: &Clustered<'_>, m: &Membership) -> Figure {
    let chart = MembershipBars {
        title: "Membership of every row".into(),
        y_label: "probability".into(),
        groups: (0..c.clusters()).map(|g| c.name(g)).collect(),
        rows: m.each.clone(),
        ..MembershipBars::default()
    };
    let caption = "Each row is a bar, parted by the probability of each cluster; rows come by their most probable \
                   cluster, the surest first.";
    Figure { svg: chart.svg(), caption: caption.into() }
}
