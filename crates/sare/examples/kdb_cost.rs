//! What learning k-dependence Bayes costs: linear in the rows, quadratic in the attributes.
//! `cargo run --release --example kdb_cost -- kdb-cost.svg`

use sare::classify::Learner;
use sare::draw::{LinePoint, Lines, Series};
use sare::error::Result;
use sare::network::known::{Shape, generate};
use sare::registry;
use sare::run::Run;
use std::time::Instant;

const MOST_ROWS: usize = 400_000;
const MOST_ATTRIBUTES: usize = 160;
const ATTRIBUTES: usize = 40;
const ROWS: usize = 25_000;

/// The least seconds of several runs on one thread.
fn seconds(rows: usize, attributes: usize) -> Result<f64> {
    let shape = Shape { variables: attributes, states: 4, clusters: 4, ..Shape::default() };
    let table = generate("random-tan", Some(rows), &shape, 1)?;
    let learner = Learner { structure: registry::structure("kdb:2")?, ..Learner::default() };
    let run = Run::with_seed(1).threads(1)?;
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        learner.fit(table.view(), "class", &run)?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "kdb-cost.svg".into());
    let (mut by_rows, mut by_attributes) = (Vec::new(), Vec::new());
    for step in 1..=8 {
        let rows = MOST_ROWS * step / 8;
        let time = seconds(rows, ATTRIBUTES)?;
        println!("{rows} rows x {ATTRIBUTES} attributes: {time:.4} s");
        by_rows.push(LinePoint { x: step as f64 / 8.0, y: time, error: None });
        let attributes = MOST_ATTRIBUTES * step / 8;
        let time = seconds(ROWS, attributes)?;
        println!("{ROWS} rows x {attributes} attributes: {time:.4} s");
        let share = (step as f64 / 8.0).powi(2);
        by_attributes.push(LinePoint { x: share, y: time, error: None });
    }
    let chart = Lines {
        title: "Learning kdb:2 (4 states, 4 classes, one thread)".into(),
        note: "straight lines: linear in the rows, quadratic in the attributes".into(),
        x_label: "share of the most rows, or of the square of the most attributes".into(),
        y_label: "seconds".into(),
        series: vec![
            Series {
                name: format!("rows to {MOST_ROWS}, {ATTRIBUTES} attributes"),
                points: by_rows,
            },
            Series {
                name: format!("attributes to {MOST_ATTRIBUTES}, {ROWS} rows"),
                points: by_attributes,
            },
        ],
        ..Lines::default()
    };
    sare::data::write::write_file(&path, |out| out.write_all(chart.svg().as_bytes()))
}
