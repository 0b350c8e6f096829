//! How the clusters were found: the climb of the best start, and where all starts ended.

use super::{Clustered, counted, number, table};
use crate::draw::cloud::{Cloud, CloudSeries};
use crate::draw::lines::{LinePoint, Lines, Series};
use crate::draw::page::{Block, Cell, Figure, Section};
use crate::draw::scale::grouped;
use crate::run::{StartOutcome, Stop};

/// Solutions that are listed.
const LISTED: usize = 10;

pub(super) fn section(c: &Clustered<'_>) -> Section {
    let ends = Ends::of(&c.found.starts, c.found.reached);
    let mut blocks = Vec::new();
    if c.model.outcome().trace.len() > 1 {
        blocks.push(climb(c));
    }
    let (all, solutions) = (ends.values.len(), ends.solutions.len());
    let text = match solutions {
        0 => {
            let (all, best) = (c.found.starts.len(), c.found.reached);
            format!("{} ended, {best} of them at the best solution.", counted(all, "start"))
        }
        1 => format!("{} ended, all at the same solution.", counted(all, "start")),
        _ => format!(
            "{} ended at {solutions} different solutions, {} of the starts at the best one. A solution that many \
             starts find is more likely to be the best there is.",
            counted(all, "start"),
            ends.solutions[0]
        ),
    };
    blocks.push(Block::Paragraph(text));
    if solutions > 1 {
        blocks.push(Block::Figure(cloud(&ends)));
        blocks.push(listed(&ends));
    }
    super::section("How they were found", blocks)
}

/// The objective of the best start by iteration.
fn climb(c: &Clustered<'_>) -> Block {
    let point = |(i, &y): (usize, &f64)| LinePoint { x: i as f64, y, error: None };
    let points = c.model.outcome().trace.iter().enumerate().map(point).collect();
    let chart = Lines {
        title: "The best start".into(),
        x_label: "iteration".into(),
        y_label: "objective".into(),
        series: vec![Series { name: String::new(), points }],
        ..Lines::default()
    };
    let what = match &c.found.objective {
        Some((name, _)) => name,
        None => {
            "the log-likelihood of the rows, with the logarithm of the prior where there is one"
        }
    };
    let caption = format!("The objective of the best start by iteration: {what}.");
    Block::Figure(Figure { svg: chart.svg(), caption })
}

/// Where the starts ended.
struct Ends {
    /// What starts are compared by, falling, and whether the start converged.
    values: Vec<(f64, bool)>,
    /// What that is.
    by: &'static str,
    /// How many starts ended at each solution, the best first.
    solutions: Vec<usize>,
}

impl Ends {
    fn of(starts: &[StartOutcome], reached: usize) -> Ends {
        let end = |s: &StartOutcome| {
            let value = s.value().filter(|x| x.is_finite())?;
            Some((value, s.stop != Some(Stop::IterationLimit)))
        };
        let mut values: Vec<(f64, bool)> = starts.iter().filter_map(end).collect();
        values.sort_by(|x, y| y.0.total_cmp(&x.0).then(y.1.cmp(&x.1)));
        let mut solutions = Vec::new();
        let mut rest = &values[..];
        while let Some(&(head, _)) = rest.first() {
            let same = |v: &&(f64, bool)| StartOutcome::same_top(v.0, head);
            // Of the best it is known how many reached it.
            let count = match solutions.is_empty() {
                true => reached.clamp(1, rest.len()),
                false => rest.iter().take_while(same).count(),
            };
            solutions.push(count);
            rest = &rest[count..];
        }
        let scored = starts.iter().any(|s| s.score.is_some());
        Ends { values, solutions, by: if scored { "score" } else { "log-likelihood" } }
    }
}

fn cloud(ends: &Ends) -> Figure {
    let best = ends.solutions[0];
    let kinds = ["reached the best", "ended lower", "had not converged"];
    let kind = |rank: usize, converged: bool| match (rank < best, converged) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let mut series: Vec<CloudSeries> =
        kinds.iter().map(|k| CloudSeries { name: (*k).into(), points: Vec::new() }).collect();
    for (rank, &(value, converged)) in ends.values.iter().enumerate() {
        series[kind(rank, converged)].points.push(((rank + 1) as f64, value));
    }
    series.retain(|s| !s.points.is_empty());
    let chart = Cloud {
        title: "Where the starts ended".into(),
        x_label: "start, from the best".into(),
        y_label: ends.by.into(),
        series,
        ..Cloud::default()
    };
    let caption = format!(
        "The {} that each start reached, the best on the left; steps are solutions that several starts found.{}",
        ends.by,
        if ends.by == "score" { " The score is what the method compares starts by." } else { "" }
    );
    Figure { svg: chart.svg(), caption }
}

fn listed(ends: &Ends) -> Block {
    let best = ends.values[0].0;
    let mut from = 0;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (rank, count) in ends.solutions.iter().enumerate() {
        let value = ends.values[from].0;
        let texts = [
            (rank + 1).to_string(),
            grouped(value, 3),
            grouped(best - value, 3),
            grouped(*count as f64, 0),
        ];
        rows.push(texts.into_iter().map(Cell::from).collect());
        from += count;
    }
    rows.truncate(LISTED);
    let more = ends.solutions.len().saturating_sub(LISTED);
    let mut caption = String::from("The solutions, and how many starts ended at each.");
    if more > 0 {
        caption.push_str(&format!(" The best {LISTED} of {}.", ends.solutions.len()));
    }
    let columns = ["solution", ends.by, "below the best", "starts"].map(number);
    table("Solutions", caption, columns.into(), rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(value: f64, converged: bool) -> StartOutcome {
        let stop = if converged { Stop::Converged } else { Stop::IterationLimit };
        StartOutcome {
            log_likelihood: Some(value),
            score: None,
            stop: Some(stop),
            iterations: 3,
            problem: None,
        }
    }

    #[test]
    fn starts_are_grouped_by_where_they_ended() {
        let failed = StartOutcome { log_likelihood: None, stop: None, ..start(0.0, true) };
        let starts = [
            start(-105.0, true),
            start(-100.0, true),
            start(-105.00004, false),
            failed,
            start(-100.00002, true),
            start(-110.0, true),
        ];
        let ends = Ends::of(&starts, 2);
        assert_eq!(ends.solutions, [2, 2, 1]);
        assert_eq!(ends.values.len(), 5);
        let svg = cloud(&ends).svg;
        for name in ["reached the best", "ended lower", "had not converged"] {
            assert!(svg.contains(name), "{name}");
        }
    }
}
