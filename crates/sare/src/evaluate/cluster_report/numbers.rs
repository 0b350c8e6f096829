//! How the number of clusters was chosen.

use super::{Clustered, number, table, words};
use crate::draw::lines::{LinePoint, Lines, Series};
use crate::draw::page::{Block, Cell, Figure, Section};
use crate::draw::scale::grouped;
use crate::run::{Figures, NumbersTried, Rule};

/// The rules, what the page calls them and what they go by.
const RULES: [(Rule, &str, &str); 4] = [
    (Rule::Bic, "BIC", "the log-likelihood less half of ln N for each free parameter"),
    (Rule::Aic, "AIC", "the log-likelihood less one for each free parameter"),
    (
        Rule::Icl,
        "ICL",
        "BIC less the entropy of the memberships, so that clusters must be told apart too",
    ),
    (
        Rule::CrossValidated,
        "cross-validated",
        "the log-likelihood of rows that were not learnt from",
    ),
];

pub(super) fn section(c: &Clustered<'_>, numbers: &NumbersTried) -> Section {
    let told = RULES.iter().find(|(rule, ..)| *rule == numbers.rule).unwrap_or(&RULES[0]);
    let converged = |f: &&Figures| f.converged;
    let unsure = match numbers.figures.iter().filter(converged).count() {
        n if n == numbers.figures.len() => "",
        0 => " No number's best start had converged: more iterations may tell otherwise.",
        _ => " A number whose best start had not converged is not chosen.",
    };
    let text = format!(
        "{} is the best of the numbers tried by {}: {}.{unsure}",
        c.clusters(),
        told.1,
        told.2
    );
    let mut blocks = vec![Block::Paragraph(text)];
    if numbers.figures.len() > 1 {
        blocks.push(chart(numbers));
    }
    blocks.push(listed(c, numbers));
    super::section("How many clusters", blocks)
}

/// Every rule's figure by the number of clusters.
fn chart(numbers: &NumbersTried) -> Block {
    let series = RULES.iter().filter_map(|(rule, name, _)| {
        let point = |f: &Figures| LinePoint { x: f.clusters as f64, y: f.by(*rule), error: None };
        let points: Vec<LinePoint> =
            numbers.figures.iter().map(point).filter(|p| p.y.is_finite()).collect();
        (!points.is_empty()).then(|| Series { name: (*name).into(), points })
    });
    let chart = Lines {
        title: "Numbers of clusters".into(),
        x_label: "clusters".into(),
        y_label: "nats".into(),
        series: series.collect(),
        ..Lines::default()
    };
    let caption =
        "What each rule goes by, by the number of clusters: the higher the better.".into();
    Block::Figure(Figure { svg: chart.svg(), caption })
}

fn listed(c: &Clustered<'_>, numbers: &NumbersTried) -> Block {
    let left_out = numbers.figures.iter().any(|f| f.cross_validated.is_some());
    let mut columns: Vec<_> =
        ["clusters", "log-likelihood", "free", "BIC", "AIC", "ICL"].map(number).into();
    columns.extend(left_out.then(|| number("CV")));
    columns.extend([number("entropy"), words("reached"), words("")]);
    let row = |f: &Figures| -> Vec<Cell> {
        let figure = |x: f64| if x.is_finite() { grouped(x, 1) } else { "−∞".into() };
        let mut row = vec![f.clusters.to_string()];
        row.extend([f.log_likelihood, f.parameters, f.bic, f.aic, f.icl].map(figure));
        row.extend(left_out.then(|| f.cross_validated.map_or(String::new(), figure)));
        let mark = match (f.clusters == c.clusters(), f.converged) {
            (true, true) => "chosen",
            (true, false) => "chosen, not\u{a0}converged",
            (false, false) => "not\u{a0}converged",
            (false, true) => "",
        };
        row.extend([
            figure(f.entropy),
            format!("{}\u{a0}of\u{a0}{}", f.reached, f.starts),
            mark.into(),
        ]);
        row.into_iter().map(Cell::from).collect()
    };
    let caption = format!(
        "The numbers that were tried, in nats: the higher the better, but for the entropy, a sum over rows. Free: parameters; \
         {}reached: how many starts reached the best solution.",
        if left_out { "CV: cross-validated; " } else { "" }
    );
    table("Numbers tried", caption, columns, numbers.figures.iter().map(row).collect())
}
