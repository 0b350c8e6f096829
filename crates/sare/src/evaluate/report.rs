//! A comparison as one self-contained page.

use super::auc::roc;
use super::compare::Comparison;
use super::measures::{MEASURES, Measure};
use super::summary::{ALPHA, Cell as Result, Summary};
use super::validate::Estimate;
use crate::draw::critical_difference::{CriticalDifference, Ranked};
use crate::draw::lines::{LinePoint, Lines, Series};
use crate::draw::page::{Block, Cell, Column, Figure, Page, Section, Table};
use crate::draw::reliability::{Bin, Reliability};
use crate::draw::scatter::{Scatter, ScatterPoint};
use std::cmp::Ordering;

/// Data sets whose ROC and calibration curves are drawn; more would make the page unwieldy.
const DRAWN_SETS: usize = 6;

/// The page of a comparison by a measure.
pub fn page(comparison: &Comparison, summary: &Summary, measure: &Measure, footer: &str) -> Page {
    let learners = comparison.learners.len();
    let sets = comparison.data.len();
    let mut sections = vec![results(comparison, summary, measure)];
    if let Some(section) = ranks(comparison, summary) {
        sections.push(section);
    }
    if learners > 1 && sets > 1 {
        sections.push(scatters(comparison));
    }
    sections.push(curves(comparison));
    sections.extend(failures(comparison));
    Page {
        title: "Comparison of learners".into(),
        lead: format!(
            "{learners} learner{} on {sets} data set{}, {}",
            if learners == 1 { "" } else { "s" },
            if sets == 1 { "" } else { "s" },
            comparison.scheme.words()
        ),
        sections,
        footer: footer.into(),
    }
}

/// A measure in the form its kind is shown in.
pub fn shown(measure: &Measure, x: f64) -> String {
    if measure.share { format!("{:.2}", 100.0 * x) } else { format!("{x:.4}") }
}

/// Mean and standard deviation in the form their kind is shown in; an infinite mean has no deviation.
pub fn shown_estimate(measure: &Measure, e: &Estimate) -> String {
    let deviation = match e.deviation {
        Some(d) => format!(" ± {}", shown(measure, d)),
        None if e.mean.is_infinite() => " ± -".into(),
        None => String::new(),
    };
    format!("{}{deviation}", shown(measure, e.mean))
}

/// `+` or `-` where a learner is significantly better or worse than the first.
pub fn mark(cell: &Result) -> &'static str {
    match cell.verdict {
        Ordering::Greater => "+",
        Ordering::Less => "-",
        Ordering::Equal => "",
    }
}

/// What the marks mean; nothing where there is nothing to mark.
pub fn marks(comparison: &Comparison, summary: &Summary) -> String {
    if comparison.learners.len() < 2 {
        return String::new();
    }
    format!(
        "+ and -: significantly better and worse than {} on that file ({}, p < {ALPHA})",
        comparison.learners[0], summary.test
    )
}

fn results(comparison: &Comparison, summary: &Summary, measure: &Measure) -> Section {
    let mut columns = vec![Column { heading: "data".into(), numeric: false }];
    let heading = |l: &String| Column { heading: l.clone(), numeric: true };
    columns.extend(comparison.learners.iter().map(heading));
    let rows = summary.cells.iter().zip(&comparison.data).map(|(cells, name)| {
        let mut row = vec![Cell { text: name.clone(), best: false }];
        let best = best_of(cells, measure);
        row.extend(cells.iter().enumerate().map(|(l, cell)| Cell {
            text: cell.estimate.map_or("failed".into(), |e| {
                let failed = if cell.failed > 0 { " (some failed)" } else { "" };
                format!("{} {}{failed}", shown_estimate(measure, &e), mark(cell))
            }),
            best: best.contains(&l),
        }));
        row
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    let plain = |text: String| Cell { text, best: false };
    if summary.ranked > 0 && comparison.learners.len() > 1 {
        let mut row = vec![plain("average rank".into())];
        row.extend(summary.average_ranks.iter().map(|r| plain(format!("{r:.2}"))));
        rows.push(row);
    }
    let unit = if measure.share { " in percent" } else { "" };
    let caption = format!(
        "{}{unit}: mean ± standard deviation over splits; bold: best of the row. {}",
        measure.help,
        marks(comparison, summary)
    );
    let mut blocks = vec![Block::Table(Table { caption, columns, rows })];
    if measure.name == "cll" {
        blocks.extend(comparison.impossible_notes().into_iter().map(Block::Paragraph));
    }
    Section { heading: format!("Results: {}", measure.name), blocks }
}

/// The learners with the best mean as it is shown; none where all are equal.
fn best_of(cells: &[Result], measure: &Measure) -> Vec<usize> {
    let sign = if measure.larger_is_better { 1.0 } else { -1.0 };
    let value = |c: &Result| c.estimate.map_or(f64::NEG_INFINITY, |e| sign * e.mean);
    let values: Vec<f64> = cells.iter().map(value).collect();
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let same = |l: &usize| shown(measure, values[*l]) == shown(measure, best);
    let winners: Vec<usize> = (0..cells.len()).filter(same).collect();
    if winners.len() < cells.len() { winners } else { Vec::new() }
}

fn ranks(comparison: &Comparison, summary: &Summary) -> Option<Section> {
    let critical_difference = summary.critical_difference?;
    let ranked = comparison.learners.iter().zip(&summary.average_ranks);
    let diagram = CriticalDifference {
        title: "Average ranks".into(),
        learners: ranked.map(|(name, &rank)| Ranked { name: name.clone(), rank }).collect(),
        critical_difference,
        ..CriticalDifference::default()
    };
    let caption = format!(
        "Average ranks over {} data sets; learners joined by a bar differ by less than Nemenyi's critical difference \
         of {critical_difference:.3} (alpha = {ALPHA}).",
        summary.ranked
    );
    let mut blocks = vec![Block::Figure(Figure { svg: diagram.svg(), caption })];
    if let (Some(f), Some(i)) = (summary.friedman, summary.iman_davenport) {
        blocks.push(Block::Paragraph(format!(
            "Friedman: chi-square = {:.4}, p = {:.4} ({}). Iman-Davenport: F = {:.4}, p = {:.4}.",
            f.statistic, f.p_value, f.variant, i.statistic, i.p_value
        )));
    }
    for (learner, a) in comparison.learners[1..].iter().zip(&summary.against_first) {
        blocks.push(Block::Paragraph(format!(
            "{learner} against {}: {} wins, {} draws, {} losses ({} and {} of them significant); Wilcoxon over data \
             sets: p = {:.4} ({}), {:.4} after Holm.",
            comparison.learners[0],
            a.wins,
            a.draws,
            a.losses,
            a.significant.0,
            a.significant.1,
            a.wilcoxon.p_value,
            a.wilcoxon.variant,
            a.holm
        )));
    }
    Some(Section { heading: "Ranks and tests".into(), blocks })
}

/// Error against error of every learner and the first.
fn scatters(comparison: &Comparison) -> Section {
    let error = &MEASURES[1];
    let mut blocks = Vec::new();
    for learner in 1..comparison.learners.len() {
        let point = |d: usize| {
            let x = comparison.estimate(d, 0, error.value)?;
            let y = comparison.estimate(d, learner, error.value)?;
            Some(ScatterPoint {
                name: comparison.data[d].clone(),
                x: 100.0 * x.mean,
                y: 100.0 * y.mean,
                x_error: x.error.map(|e| 100.0 * e),
                y_error: y.error.map(|e| 100.0 * e),
            })
        };
        let (name, first) = (&comparison.learners[learner], &comparison.learners[0]);
        let scatter = Scatter {
            title: format!("{name} against {first}"),
            x_label: format!("error of {first} (%)"),
            y_label: format!("error of {name} (%)"),
            points: (0..comparison.data.len()).filter_map(point).collect(),
            ..Scatter::default()
        };
        let caption = format!(
            "Each point a data set, with standard errors over splits; below the diagonal {name} errs less."
        );
        blocks.push(Block::Figure(Figure { svg: scatter.svg(), caption }));
    }
    Section { heading: "Error against error".into(), blocks }
}

/// ROC and calibration curves of the first data sets.
fn curves(comparison: &Comparison) -> Section {
    let mut blocks = Vec::new();
    let all = comparison.data.len();
    if all > DRAWN_SETS {
        blocks.push(Block::Paragraph(format!("The first {DRAWN_SETS} of {all} data sets.")));
    }
    for d in 0..all.min(DRAWN_SETS) {
        if comparison.trials[d].iter().any(|t| t.predictions.is_empty()) {
            blocks.push(Block::Paragraph(format!(
                "{}: splits taken from a journal, which does not keep predictions, or failed, are not drawn.",
                comparison.data[d]
            )));
        }
        if comparison.trials[d].iter().all(|t| t.predictions.is_empty()) {
            continue;
        }
        blocks.push(Block::Figure(roc_curves(comparison, d)));
        for (learner, trial) in comparison.learners.iter().zip(&comparison.trials[d]) {
            if !trial.predictions.is_empty() {
                blocks.push(Block::Figure(reliability(comparison, d, learner, trial)));
            }
        }
    }
    Section { heading: "ROC and calibration".into(), blocks }
}

fn roc_curves(comparison: &Comparison, d: usize) -> Figure {
    let classes = &comparison.classes[d];
    // Of two classes one curve says all; of several, the first is set against the rest.
    let class = if classes.len() == 2 { 1 } else { 0 };
    let trials = comparison.learners.iter().zip(&comparison.trials[d]);
    let series = trials.filter(|(_, t)| !t.predictions.is_empty()).map(|(name, trial)| {
        let mut curve = roc(&mut trial.predictions.against(class));
        // Without rows on both sides there is no curve.
        curve.retain(|(x, y)| x.is_finite() && y.is_finite());
        let point = |(x, y): (f64, f64)| LinePoint { x, y, error: None };
        Series { name: name.clone(), points: curve.into_iter().map(point).collect() }
    });
    let rest = if classes.len() == 2 { &classes[0] } else { "the rest" };
    let chart = Lines {
        title: format!("{}: {} against {rest}", comparison.data[d], classes[class]),
        x_label: "false-positive rate".into(),
        y_label: "true-positive rate".into(),
        series: series.collect(),
        unit_square: true,
        diagonal: true,
        ..Lines::default()
    };
    let caption = format!("ROC curves on {}, rows of the first repetition.", comparison.data[d]);
    Figure { svg: chart.svg(), caption }
}

fn reliability(
    comparison: &Comparison,
    d: usize,
    learner: &str,
    trial: &super::compare::Trial,
) -> Figure {
    let calibration = trial.predictions.measures(None).calibration;
    let bin = |b: &super::calibration::ReliabilityBin| Bin {
        low: b.low,
        high: b.high,
        predicted: b.confidence,
        observed: b.accuracy,
        count: b.weight,
        ..Bin::default()
    };
    let chart = Reliability {
        title: format!("{}: {learner}", comparison.data[d]),
        x_label: "probability given to the predicted class".into(),
        y_label: "share predicted right".into(),
        bins: calibration.bins.iter().map(bin).collect(),
        ..Reliability::default()
    };
    let caption = format!(
        "Calibration of {learner} on {}: expected calibration error {:.4} (equal widths), {:.4} (equal counts).",
        comparison.data[d], calibration.error_by_width, calibration.error_by_count
    );
    Figure { svg: chart.svg(), caption }
}

fn failures(comparison: &Comparison) -> Option<Section> {
    let mut blocks = Vec::new();
    for (data, trials) in comparison.data.iter().zip(&comparison.trials) {
        for (learner, trial) in comparison.learners.iter().zip(trials) {
            for (split, reason) in trial.failures() {
                let text = format!("{learner} on {data}, split {}: {reason}", split + 1);
                blocks.push(Block::Paragraph(text));
            }
        }
    }
    (!blocks.is_empty()).then(|| Section { heading: "Failed".into(), blocks })
}
