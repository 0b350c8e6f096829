//! What was found, in a few lines.

use super::{Clustered, counted, number, percent, short, words};
use crate::cluster::{boundary, warnings};
use crate::draw::page::{Block, Section, Table};
use crate::draw::scale::grouped;
use crate::run::{Figures, Rule, Stop};

/// The line under the title.
pub(super) fn lead(c: &Clustered<'_>) -> String {
    let training = c.model.training();
    format!(
        "{} in {} and {} of {}",
        counted(c.clusters(), "cluster"),
        counted(training.rows, "row"),
        counted(c.model.attributes().len(), "column"),
        short(&training.file)
    )
}

pub(super) fn section(c: &Clustered<'_>) -> Section {
    let mut blocks: Vec<Block> = Vec::new();
    for warning in warnings(c.model) {
        blocks.push(Block::Paragraph(format!("Warning: {warning}.")));
    }
    blocks.push(Block::Table(facts(c)));
    let boundary = boundary(&c.marginals).len();
    if boundary > 0 {
        let text = format!(
            "{} on the boundary, 0 or 1: measures that divide by them are infinite (∞).",
            counted(boundary, "estimate")
        );
        blocks.push(Block::Paragraph(text));
    }
    let text = "The clusters by falling size. The rows are expected numbers: a row that may belong to several counts in each \
         as much as it is probable there.";
    blocks.push(Block::Paragraph(format!("{text}{}", c.only())));
    if c.found.objective.is_some() {
        let text = "The method puts each row into one cluster, and these are the rows it put there. The model is naive Bayes with \
             these clusters: what it says of a row further down, and when it predicts, may be another cluster.";
        blocks.push(Block::Paragraph(text.into()));
    }
    blocks.push(Block::Table(sizes(c)));
    super::section("Summary", blocks)
}

fn facts(c: &Clustered<'_>) -> Table {
    let (model, found) = (c.model, c.found);
    let weight: f64 = found.sizes.iter().sum();
    let each = if weight > 0.0 { found.log_likelihood / weight } else { 0.0 };
    let cut = model.bins().cuts.iter().flatten().count();
    let mut columns = counted(model.attributes().len(), "column");
    if cut > 0 {
        columns.push_str(&format!(", {cut} of them numbers cut into bins"));
    }
    let starts = found.starts.len();
    let figures = Figures::of(model);
    let of = |value: fn(&Figures) -> Option<f64>| figures.as_ref().and_then(value);
    let text =
        |x: Option<f64>| x.map_or(String::new(), |x| grouped(x, usize::from(x.fract() != 0.0)));
    let criterion = |rule: Rule| figures.as_ref().map_or(String::new(), |f| grouped(f.by(rule), 3));
    let rows = [
        ("method", format!("{} by {}, seed {}", model.forms()[0], model.forms()[1], model.seed())),
        (
            "learnt from",
            format!(
                "{} of {}{}",
                counted(model.training().rows, "row"),
                short(&model.training().file),
                model.training().weight.as_ref().map_or(String::new(), |column| {
                    format!(", which weigh {} by column {}", grouped(weight, 1), short(column))
                })
            ),
        ),
        ("described by", columns),
        (
            "log-likelihood",
            format!("{} ({} a row)", grouped(found.log_likelihood, 3), grouped(each, 4)),
        ),
        ("starts", tried(starts, found.reached, found.policy.as_deref())),
        ("the best of them", ended(model.outcome().stop, model.outcome().iterations)),
        ("free parameters", text(of(|f| Some(f.parameters)))),
        ("residual degrees of freedom", text(of(Figures::residual_degrees_of_freedom))),
        (
            "BIC, AIC",
            format!("{}, {} (lower is better)", criterion(Rule::Bic), criterion(Rule::Aic)),
        ),
    ];
    let row = |(what, value): (&str, String)| vec![what.into(), value.into()];
    Table {
        columns: vec![words(""), words("")],
        rows: rows.into_iter().map(row).collect(),
        ..Table::default()
    }
}

/// How many starts there were, and what became of them.
fn tried(starts: usize, reached: usize, policy: Option<&str>) -> String {
    let (starts, reached) = (grouped(starts as f64, 0), grouped(reached as f64, 0));
    let policy = match policy {
        Some("uniform") => "; all of them were averaged, each alike",
        Some("weighted") => "; all of them were averaged, each by its likelihood",
        _ => "",
    };
    format!("{starts}, {reached} of which reached the best solution{policy}")
}

/// How a start ended.
fn ended(stop: Stop, iterations: usize) -> String {
    let after = format!("after {}", counted(iterations, "iteration"));
    match stop {
        Stop::Converged => format!("converged {after}"),
        Stop::IterationLimit => format!("had not converged {after}"),
        Stop::NoGain => format!("found nothing better {after}"),
        Stop::Interrupted => format!("was stopped {after}"),
        _ => "is in closed form".into(),
    }
}

fn sizes(c: &Clustered<'_>) -> Table {
    let row = |k: usize| {
        let rows = grouped(c.found.sizes[k], 1);
        vec![c.name(k).into(), rows.into(), percent(c.share(k)).into()]
    };
    Table {
        columns: vec![words("cluster"), number("rows"), number("share")],
        rows: (0..c.shown()).map(row).collect(),
        ..Table::default()
    }
}
