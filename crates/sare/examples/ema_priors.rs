//! Which priors of EMA find clusters where few attributes matter, and where many matter a little; and how well the
//! probability that an attribute matters tells those that do from those that do not.
//!
//! `cargo run --release --example ema_priors -- REPLICATES FOLDER [DATA]` prints the tables of docs/results/clustering.md, writes the
//! drawing into the folder, and with a folder of data compares known classes too.

#[path = "ema_priors/sets.rs"]
mod sets;

use sare::cluster::{Clusterer, Contingency, agreement};
use sare::draw::{LinePoint, Lines, Series};
use sare::error::Result;
use sare::registry::clusterer;
use sare::run::Run;
use sets::{Known, file, islands, random, toy, with_holes};

/// What is compared, each by likelihood and, where there is one, by evidence.
const METHODS: &[(&str, bool)] = &[
    ("em:0", false),
    ("em:1", true),
    ("em:1,prior=centred", true),
    ("ema:1", true),
    ("ema:1,relevance=learnt", true),
    ("ema:1,prior=centred", true),
    ("ema:1,prior=centred,relevance=learnt", true),
    // By evidence it is ema:auto.
    ("ema:1,prior=either,relevance=learnt", true),
];
const STARTS: usize = 20;
const ROWS: [usize; 5] = [40, 80, 160, 320, 640];

/// A way to make the set of a number.
type Make<'a> = (&'a str, &'a dyn Fn(u64) -> Result<Known>);

/// What a method made of a set.
struct Judged {
    accuracy: f64,
    adjusted_rand: f64,
    relevance: Vec<f64>,
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let replicates = args.next().and_then(|a| a.parse().ok()).unwrap_or(20);
    let folder = args.next().unwrap_or_else(|| ".".into());
    let made: &[Make<'_>] = &[
        ("toy, 60 x 50", &toy),
        ("islands 0.1, 142 x 80", &|i| islands(i, 80, 0.1)),
        ("islands 0.03, 142 x 300", &|i| islands(i, 300, 0.03)),
        ("islands 0.2, 142 x 60, 60 % missing", &|i| with_holes(islands(i, 60, 0.2)?, i, 0.6)),
    ];
    compare(made, replicates)?;
    for relevant in [0.2, 0.5, 1.0] {
        let sets: Vec<(String, usize, f64)> =
            [(0.5, 40), (0.5, 160), (2.0, 40), (2.0, 160), (2.0, 640)]
                .map(|(alpha, rows)| {
                    (format!("{relevant}, alpha {alpha}, {rows} rows"), rows, alpha)
                })
                .to_vec();
        let makes: Vec<_> = sets
            .iter()
            .map(|&(_, rows, alpha)| move |i: u64| random(i, rows, relevant, alpha))
            .collect();
        let named: Vec<Make<'_>> = sets
            .iter()
            .zip(&makes)
            .map(|(set, make)| (set.0.as_str(), make as &dyn Fn(u64) -> Result<Known>))
            .collect();
        compare(&named, replicates)?;
    }
    roc(replicates, &folder)?;
    match args.next() {
        Some(data) => classes(&data),
        None => Ok(()),
    }
}

/// The methods with what their starts are compared by.
fn forms() -> Vec<String> {
    let both = |&(form, proper): &(&str, bool)| {
        let evidence = format!("{form},choose=evidence");
        [form.to_string()].into_iter().chain(proper.then_some(evidence))
    };
    METHODS.iter().flat_map(both).collect()
}

fn head(columns: impl Iterator<Item = String>) {
    let columns: Vec<String> = columns.collect();
    println!("\n| method | {} |\n| --- |{}", columns.join(" | "), " ---: |".repeat(columns.len()));
}

/// A table of the share of rows in the right cluster, with standard errors, and the adjusted Rand index.
fn compare(sets: &[Make<'_>], replicates: u64) -> Result<()> {
    head(sets.iter().map(|s| s.0.to_string()));
    for form in forms() {
        print!("| `{form}` |");
        for (_, make) in sets {
            let all = (0..replicates).map(|i| judged(&form, &make(i)?, i));
            let all = all.collect::<Result<Vec<Judged>>>()?;
            let (mean, error) = mean_and_error(all.iter().map(|j| j.accuracy));
            let (rand, _) = mean_and_error(all.iter().map(|j| j.adjusted_rand));
            print!(" {mean:.3} ({error:.3}), {rand:.2} |");
        }
        println!();
    }
    Ok(())
}

/// A table and a drawing of the area under the ROC curve of the probability that an attribute matters, by the number of rows.
fn roc(replicates: u64, folder: &str) -> Result<()> {
    head(ROWS.iter().map(|n| format!("{n} rows")));
    let mut series = Vec::new();
    for form in forms().into_iter().filter(|form| form.starts_with("ema")) {
        let mut points = Vec::new();
        print!("| `{form}` |");
        for n in ROWS {
            let one = |i: u64| -> Result<Option<f64>> {
                let known = random(i, n, 0.5, 1.0)?;
                Ok(area(&judged(&form, &known, i)?.relevance, &known.matters))
            };
            let all = (0..replicates).map(one).collect::<Result<Vec<_>>>()?;
            let (mean, error) = mean_and_error(all.into_iter().flatten());
            print!(" {mean:.3} ({error:.3}) |");
            points.push(LinePoint { x: n as f64, y: mean, error: Some(error) });
        }
        println!();
        if form.contains("choose") {
            series.push(Series { name: form.replace(",choose=evidence", ""), points });
        }
    }
    let chart = Lines {
        title: "Telling attributes that matter from those that do not".into(),
        note: "starts chosen by evidence; bars are standard errors".into(),
        x_label: "rows".into(),
        y_label: "area under the ROC curve".into(),
        x_log: true,
        series,
        ..Lines::default()
    };
    let path = format!("{folder}/ema-roc.svg");
    sare::data::write::write_file(&path, |out| out.write_all(chart.svg().as_bytes()))
}

/// A table of how well clusters agree with classes of real rows: the share in the right one, and the adjusted Rand index.
fn classes(data: &str) -> Result<()> {
    let path = |name: &str| format!("{data}/{name}");
    let sets = [
        ("vote", file(&path("vote.csv"), "class", &[], false)?),
        ("soybean-large", file(&path("soybean-large.csv"), "class", &[], false)?),
        ("chess", file(&path("chess.csv"), "class", &[], false)?),
        ("lymphography", file(&path("lymphography.csv"), "class", &[], false)?),
        ("breast", file(&path("breast.csv"), "class", &[], true)?),
        ("h3n2", file(&path("h3n2.csv.gz"), "population", &["individual", "region"], false)?),
        ("golub-leukemia", file(&path("golub-leukemia.csv.gz"), "class", &[], true)?),
    ];
    head(sets.iter().map(|s| s.0.to_string()));
    for form in forms() {
        print!("| `{form}` |");
        for (_, known) in &sets {
            let Judged { accuracy, adjusted_rand, .. } = judged(&form, known, 1)?;
            print!(" {accuracy:.3}, {adjusted_rand:.2} |");
        }
        println!();
    }
    Ok(())
}

fn judged(form: &str, known: &Known, seed: u64) -> Result<Judged> {
    let learner = Clusterer {
        method: clusterer(form)?,
        clusters: known.clusters,
        starts: STARTS,
        ..Clusterer::default()
    };
    let found = learner.find(known.table.view(), &Run::with_seed(seed))?;
    let labels: Vec<Option<u32>> = found.assignment().into_iter().map(Some).collect();
    let agreed = agreement(&Contingency::new(&known.truth, &labels, None)?);
    let relevance = found.model.outcome().relevance.clone().unwrap_or_default();
    Ok(Judged { accuracy: agreed.accuracy, adjusted_rand: agreed.adjusted_rand, relevance })
}

/// The share of pairs of one that matters and one that does not in which the first is the more probable; none without both.
fn area(probable: &[f64], matters: &[bool]) -> Option<f64> {
    let of = |wanted: bool| {
        let both = probable.iter().zip(matters);
        both.filter(move |(_, m)| **m == wanted).map(|(p, _)| *p).collect::<Vec<f64>>()
    };
    let (yes, no) = (of(true), of(false));
    let pairs = yes.iter().flat_map(|y| no.iter().map(move |n| y.total_cmp(n)));
    let right: f64 = pairs.map(|order| f64::from(order as i8 + 1) / 2.0).sum();
    let count = yes.len() * no.len();
    (count > 0).then(|| right / count as f64)
}

fn mean_and_error(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (spread / n).sqrt())
}
