//! What was found, in a few lines.

use super::{Clustered, counted, number, percent, short, words};
use crate::cluster::warnings;
use crate::draw::page::{Block, Section, Table};
use crate::draw::scale::grouped;
use crate::run::Stop;

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
    for warning in warnings(c.found) {
        blocks.push(Block::Paragraph(format!("Warning: {warning}.")));
    }
    blocks.push(Block::Table(facts(c)));
    let text = "The clusters by falling size. The rows are expected numbers: a row that may belong to several counts in each \
         as much as it is probable there.";
    blocks.push(Block::Paragraph(format!("{text}{}", c.only())));
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
    let rows = [
        ("method", format!("{} by {}, seed {}", model.forms()[0], model.forms()[1], model.seed())),
        (
            "learnt from",
            format!(
                "{} of {}",
                counted(model.training().rows, "row"),
                short(&model.training().file)
            ),
        ),
        ("described by", columns),
        (
            "log-likelihood",
            format!("{} ({} a row)", grouped(found.log_likelihood, 3), grouped(each, 4)),
        ),
        (
            "starts",
            format!(
                "{}, {} of which reached the best solution",
                grouped(starts as f64, 0),
                grouped(found.reached as f64, 0)
            ),
        ),
        ("the best of them", ended(model.outcome().stop, model.outcome().iterations)),
        ("free parameters", grouped(model.free_parameters() as f64, 0)),
    ];
    let row = |(what, value): (&str, String)| vec![what.into(), value.into()];
    Table {
        columns: vec![words(""), words("")],
        rows: rows.into_iter().map(row).collect(),
        ..Table::default()
    }
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
