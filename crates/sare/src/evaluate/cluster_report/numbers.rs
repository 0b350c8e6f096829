//! How the number of clusters was chosen.

use super::{Clustered, number, table, words};
use crate::draw::lines::{LinePoint, Lines, Series};
use crate::draw::page::{Block, Cell, Figure, Section};
use crate::draw::scale::grouped;
use crate::run::{Compared, Figures, NumbersTried, Rule};

pub(super) fn section(c: &Clustered<'_>, numbers: &NumbersTried) -> Section {
    let (name, formula) = numbers.rule.explained();
    let (of, unsure) = match numbers.compared() {
        Compared::All => ("the numbers tried", ""),
        Compared::Converged => {
            ("those that converged", " A number whose best start did not converge is not compared.")
        }
        Compared::NoneConverged => (
            "the numbers tried",
            " The best start of no number converged: more iterations may lead to another choice.",
        ),
    };
    let text = format!("{} is the best of {of} by {name}: {formula}.{unsure}", c.clusters());
    let mut blocks = vec![Block::Paragraph(text)];
    if numbers.figures.len() > 1 {
        blocks.push(chart(numbers));
    }
    blocks.push(listed(c, numbers));
    super::section("How many clusters", blocks)
}

/// Every criterion by the number of clusters.
fn chart(numbers: &NumbersTried) -> Block {
    let series = Rule::ALL.into_iter().filter_map(|rule| {
        let point = |f: &Figures| LinePoint { x: f.clusters as f64, y: f.by(rule), error: None };
        let points: Vec<LinePoint> =
            numbers.figures.iter().map(point).filter(|p| p.y.is_finite()).collect();
        (!points.is_empty()).then(|| Series { name: rule.explained().0.into(), points })
    });
    let chart = Lines {
        title: "Numbers of clusters".into(),
        x_label: "clusters".into(),
        y_label: "criterion".into(),
        series: series.collect(),
        ..Lines::default()
    };
    let caption = "Every criterion by the number of clusters: lower is better.".into();
    Block::Figure(Figure { svg: chart.svg(), caption })
}

/// The criteria that have a column of their own.
const CRITERIA: [Rule; 6] = [Rule::Bic, Rule::Aic, Rule::Aic3, Rule::Caic, Rule::Sabic, Rule::Icl];

fn listed(c: &Clustered<'_>, numbers: &NumbersTried) -> Block {
    let left_out = numbers.figures.iter().any(|f| f.cross_validated.is_some());
    let mut columns: Vec<_> = ["clusters", "ln L", "p", "df"].map(number).into();
    columns.extend(CRITERIA.map(|rule| number(rule.explained().0)));
    columns.extend(left_out.then(|| number("held-out ln L")));
    columns.extend([number("relative entropy"), words("reached"), words("")]);
    let row = |f: &Figures| -> Vec<Cell> {
        let figure = |x: f64| if x.is_finite() { grouped(x, 1) } else { "−∞".into() };
        let mut row = vec![f.clusters.to_string()];
        row.extend([f.log_likelihood, f.parameters].map(figure));
        row.push(f.residual_degrees_of_freedom().map_or(String::new(), figure));
        row.extend(CRITERIA.map(|rule| figure(f.by(rule))));
        row.extend(left_out.then(|| f.cross_validated.map_or(String::new(), figure)));
        let mark = match (f.clusters == c.clusters(), f.converged) {
            (true, true) => "chosen",
            (true, false) => "chosen, not\u{a0}converged",
            (false, false) => "not\u{a0}converged",
            (false, true) => "",
        };
        row.extend([
            f.relative_entropy().map_or(String::new(), |x| format!("{x:.3}")),
            format!("{}\u{a0}of\u{a0}{}", f.reached, f.starts),
            mark.into(),
        ]);
        row.into_iter().map(Cell::from).collect()
    };
    let impossible = numbers.figures.iter().any(|f| f.cross_validated == Some(f64::NEG_INFINITY));
    let caption = format!(
        "The numbers that were tried. ln L: log-likelihood; p: free parameters; df: residual degrees of freedom, the smaller of N \
         and the possible patterns less one, minus p. Lower is better, but for ln L{} and the relative entropy (1: all rows are sure \
         of their cluster). Reached: how many starts reached the best solution.{}",
        if left_out { ", held-out ln L" } else { "" },
        if impossible { IMPOSSIBLE } else { "" }
    );
    table("Numbers tried", caption, columns, numbers.figures.iter().map(row).collect())
}

/// What minus infinity means.
const IMPOSSIBLE: &str =
    " −∞: a held-out row has probability 0, because a probability was estimated as 0 without it.";
