//! Which priors of EMA find clusters where few attributes matter, and where many matter a little; and how well the
//! probability that an attribute matters tells those that do from those that do not.
//!
//! `cargo run --release --example ema_priors [REPLICATES] [FOLDER]` prints the tables of docs/results/clustering.md and writes
//! the drawing into the folder.

use sare::cluster::{Clusterer, Contingency, agreement};
use sare::data::{Cells, Field, Table};
use sare::draw::{LinePoint, Lines, Series};
use sare::error::Result;
use sare::network::random::{Form, RandomNetwork};
use sare::registry::clusterer;
use sare::run::Run;
use sare::seed::{Purpose, Random};

const METHODS: &[&str] = &[
    "em:1",
    "em:1,prior=centred",
    "ema:1",
    "ema:1,choose=evidence",
    "ema:1,relevance=learnt",
    "ema:1,relevance=learnt,choose=evidence",
    "ema:1,prior=centred",
    "ema:auto",
    "ema:1,prior=centred,relevance=learnt",
    "ema:1,prior=centred,relevance=learnt,choose=evidence",
];
const STARTS: usize = 20;

/// Rows of known clusters, and which attributes matter.
struct Known {
    table: Table,
    truth: Vec<Option<u32>>,
    clusters: usize,
    matters: Vec<bool>,
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let replicates = args.next().and_then(|a| a.parse().ok()).unwrap_or(20);
    let folder = args.next().unwrap_or_else(|| ".".into());
    let sets: &[(&str, &dyn Fn(u64) -> Result<Known>)] = &[
        ("toy, 60 x 50", &toy),
        ("islands, F_ST 0.1, 142 x 80", &|i| islands(i, 80, 0.1)),
        ("islands, F_ST 0.03, 142 x 300", &|i| islands(i, 300, 0.03)),
        ("few matter, 160 x 30", &|i| random(i, 160, 0.2)),
        ("half matter, 160 x 30", &|i| random(i, 160, 0.5)),
        ("all matter, 160 x 30", &|i| random(i, 160, 1.0)),
    ];
    println!("| method | {} |", sets.iter().map(|s| s.0).collect::<Vec<_>>().join(" | "));
    println!("| --- |{}", " ---: |".repeat(sets.len()));
    for method in METHODS {
        print!("| `{method}` |");
        for (_, make) in sets {
            let of = |i: u64| -> Result<f64> { Ok(judged(method, &make(i)?, i)?.0) };
            let all = (0..replicates).map(of).collect::<Result<Vec<f64>>>()?;
            let (mean, error) = mean_and_error(&all);
            print!(" {mean:.3} ({error:.3}) |");
        }
        println!();
    }
    roc(replicates, &folder)
}

/// Tables and a drawing of the area under the ROC curve of the probability that an attribute matters, by the number of rows.
fn roc(replicates: u64, folder: &str) -> Result<()> {
    let rows = [40, 80, 160, 320, 640];
    println!("\n| method | {} |", rows.map(|n| format!("{n} rows")).join(" | "));
    println!("| --- |{}", " ---: |".repeat(rows.len()));
    let mut series = Vec::new();
    for method in METHODS.iter().filter(|m| m.starts_with("ema")) {
        let mut points = Vec::new();
        print!("| `{method}` |");
        for n in rows {
            let of = |i: u64| -> Result<Option<f64>> {
                let known = random(i, n, 0.5)?;
                Ok(area(&judged(method, &known, i)?.1, &known.matters))
            };
            let all = (0..replicates).map(of).collect::<Result<Vec<_>>>()?;
            let all: Vec<f64> = all.into_iter().flatten().collect();
            let (mean, error) = mean_and_error(&all);
            print!(" {mean:.3} ({error:.3}) |");
            points.push(LinePoint { x: n as f64, y: mean, error: Some(error) });
        }
        println!();
        if !method.contains("choose") {
            series.push(Series { name: method.to_string(), points });
        }
    }
    let chart = Lines {
        title: "Telling attributes that matter from those that do not".into(),
        x_label: "rows".into(),
        y_label: "area under the ROC curve".into(),
        x_log: true,
        series,
        ..Lines::default()
    };
    let path = format!("{folder}/ema-roc.svg");
    sare::data::write::write_file(&path, |out| out.write_all(chart.svg().as_bytes()))
}

/// The share of rows in the right cluster under the best matching, and the probability that each attribute matters.
fn judged(method: &str, known: &Known, seed: u64) -> Result<(f64, Vec<f64>)> {
    let learner = Clusterer {
        method: clusterer(method)?,
        clusters: known.clusters,
        starts: STARTS,
        ..Clusterer::default()
    };
    let found = learner.find(known.table.view(), &Run::with_seed(seed))?;
    let labels: Vec<Option<u32>> = found.assignment().into_iter().map(Some).collect();
    let agreed = agreement(&Contingency::new(&known.truth, &labels, None)?);
    Ok((agreed.accuracy, found.model.outcome().relevance.clone().unwrap_or_default()))
}

/// Three strings of 50 bits at distances 2, 3 and 5, each 20 times with one bit in twenty turned.
fn toy(seed: u64) -> Result<Known> {
    let mut random = Random::new(seed, Purpose::Sample, 1);
    let mut places: Vec<usize> = (0..50).collect();
    random.shuffle(&mut places);
    let first: Vec<usize> = (0..50).map(|_| random.below(2)).collect();
    let mut strings = vec![first.clone(), first.clone(), first];
    for &p in &places[..2] {
        strings[1][p] ^= 1;
        strings[2][p] ^= 1;
    }
    places[2..5].iter().for_each(|&p| strings[2][p] ^= 1);
    let truth: Vec<usize> = (0..60).map(|r| r / 20).collect();
    let mut cell = |r: usize, v: usize| strings[truth[r]][v] ^ usize::from(random.uniform() < 0.05);
    let columns = (0..50).map(|v| (0..60).map(|r| cell(r, v)).collect()).collect();
    let matters = (0..50).map(|v| places[..5].contains(&v)).collect();
    known(columns, 2, truth, matters)
}

/// Haploids of three populations that drifted apart from one.
fn islands(seed: u64, markers: usize, f_st: f64) -> Result<Known> {
    let mut random = Random::new(seed, Purpose::Sample, 2);
    let sizes = [48, 46, 48];
    let truth: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(p, &n)| std::iter::repeat_n(p, n)).collect();
    let mut columns = Vec::new();
    while columns.len() < markers {
        let all = 0.05 + 0.9 * random.uniform();
        // A beta distribution as what two gamma distributions, by Dirichlet draws, leave of each other.
        let own: Vec<f64> = (0..3).map(|_| beta(all, (1.0 - f_st) / f_st, &mut random)).collect();
        let column: Vec<usize> =
            truth.iter().map(|&p| usize::from(random.uniform() < own[p])).collect();
        if column.contains(&0) && column.contains(&1) {
            columns.push(column);
        }
    }
    let matters = vec![true; markers];
    known(columns, 2, truth, matters)
}

/// A draw of the beta distribution of this mean and total, by inverting its grid of densities.
fn beta(mean: f64, total: f64, random: &mut Random) -> f64 {
    let (a, b) = (mean * total, (1.0 - mean) * total);
    let density = |x: f64| ((a - 1.0) * x.ln() + (b - 1.0) * (1.0 - x).ln()).exp();
    let grid: Vec<f64> = (0..2000).map(|i| (i as f64 + 0.5) / 2000.0).collect();
    let weights: Vec<f64> = grid.iter().map(|&x| density(x)).collect();
    let sum: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|w| w / sum).collect();
    grid[random.categorical(&shares)]
}

/// A random selective naive Bayes of three clusters and 30 attributes of three states.
fn random(seed: u64, rows: usize, relevant: f64) -> Result<Known> {
    let form = Form::SelectiveNaiveBayes(relevant);
    let shape = RandomNetwork { form, attributes: 30, states: 3, classes: 3, alpha: 1.0 };
    let network = shape.draw(seed)?;
    let mut random = Random::new(seed, Purpose::Sample, 3);
    let table = network.sample("random", rows, &mut random)?;
    let truth = (0..rows).map(|r| table.cells(30).code(r).map(|c| c as u32)).collect();
    let matters = (0..30).map(|v| network.dag().has_arc(30, v)).collect();
    let attributes = table.select(&(0..30).collect::<Vec<usize>>());
    Ok(Known { table: attributes, truth, clusters: 3, matters })
}

fn known(
    columns: Vec<Vec<usize>>,
    states: usize,
    truth: Vec<usize>,
    matters: Vec<bool>,
) -> Result<Known> {
    let levels: Vec<String> = (0..states).map(|l| l.to_string()).collect();
    let column = |(v, codes): (usize, Vec<usize>)| {
        let cells = Cells::from_codes(codes.into_iter().map(Some), states);
        (Field::discrete(format!("x{v}"), levels.clone()), cells)
    };
    let table = Table::new("known", columns.into_iter().enumerate().map(column).collect())?;
    let truth = truth.into_iter().map(|c| Some(c as u32)).collect();
    Ok(Known { table, truth, clusters: 3, matters })
}

/// The share of pairs of one that matters and one that does not in which the first is the more probable; none without both.
fn area(probable: &[f64], matters: &[bool]) -> Option<f64> {
    let of = |wanted: bool| {
        let both = probable.iter().zip(matters);
        both.filter(move |(_, m)| **m == wanted).map(|(p, _)| *p).collect::<Vec<f64>>()
    };
    let (yes, no) = (of(true), of(false));
    let pairs = yes.iter().flat_map(|y| no.iter().map(move |n| (y, n)));
    let right = pairs.map(|(y, n)| {
        if y > n {
            1.0
        } else if y < n {
            0.0
        } else {
            0.5
        }
    });
    let count = yes.len() * no.len();
    (count > 0).then(|| right.sum::<f64>() / count as f64)
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (spread / n).sqrt())
}
