//! Clusters: iterations of EM and EMA on many rows, and many starts on few.
//!
//! `SARE_BENCH_DATA=FOLDER cargo bench --bench clusters` reads `w3.csv` and `w3.start.json` of the folder, and
//! `golub-leukemia.csv.gz` where it is there. CPU seconds of the whole process, the least of several runs (of long ones, the
//! one); one line of JSON a workload.

mod common;

use common::{cpu, least, peak_mb, report};
use sare::cluster::{Clusterer, EM, EMA, Found, Latent, Method, Rows, Update};
use sare::data::{Cells, Field, Method as Cuts, ReadOptions, Table, View, read_table};
use sare::describe::parts;
use sare::network::Network;
use sare::network::random::{Form, RandomNetwork};
use sare::registry::clusterer;
use sare::run::Run;
use sare::seed::{Purpose, Random};
use std::hint::black_box;

fn main() {
    let one = Run::with_seed(1).threads(1).expect("one thread");
    // `cargo test --benches` only asks whether the benchmark runs at all.
    if std::env::args().any(|a| a == "--test") {
        many("trial", "ema-tan", &tan(50, 4), 2, 3, &one);
        return;
    }
    let folder = std::env::var("SARE_BENCH_DATA").unwrap_or_else(|_| ".".into());
    if let Ok(table) = read_table(&format!("{folder}/w3.csv"), &ReadOptions::default(), &one) {
        let start = std::fs::read_to_string(format!("{folder}/w3.start.json"));
        let start: Network =
            serde_json::from_str(&start.expect("the start is there")).expect("it is a network");
        let table = with_cluster(&table, 5);
        iterations("em-50", "em:0", &table, &start, &one);
        iterations("ema-50", "ema", &table, &start, &one);
        iterations("em-centred-50", "em:1,prior=centred", &table, &start, &one);
        iterations("ema-auto-50", "ema:auto", &table, &start, &one);
    }
    many("ema-tan-640x14-100-starts", "ema-tan", &tan(640, 14), 2, 100, &one);
    many("ema-tan-2000x200-one-start", "ema-tan:1,iterations=20", &tan(2000, 200), 3, 1, &one);
    let leukemia = format!("{folder}/golub-leukemia.csv.gz");
    let options = ReadOptions { ignore: vec!["class".into()], ..ReadOptions::default() };
    if let Ok(table) = read_table(&leukemia, &options, &one) {
        many("ema-leukemia-100-starts", "ema", &table, 2, 100, &one);
        many("em-leukemia-100-starts", "em", &table, 2, 100, &one);
        many("ema-auto-leukemia-10-starts", "ema:auto", &table, 2, 10, &one);
    }
}

/// Rows of a random tree-augmented network, without its class.
fn tan(rows: usize, attributes: usize) -> Table {
    let shape = RandomNetwork { form: Form::Tan, attributes, states: 3, classes: 2, alpha: 1.0 };
    let network = shape.draw(1).expect("the shape is possible");
    let mut random = Random::new(1, Purpose::Sample, 0);
    let table = network.sample("tan", rows, &mut random).expect("it can be sampled");
    table.select(&(0..attributes).collect::<Vec<usize>>())
}

/// The table with a last column that is missing in every row.
fn with_cluster(table: &Table, clusters: usize) -> Table {
    let mut columns: Vec<(Field, Cells)> =
        (0..table.columns()).map(|c| (table.field(c).clone(), table.cells(c).clone())).collect();
    let levels = (1..=clusters).map(|c| c.to_string()).collect::<Vec<String>>();
    let missing = Cells::from_codes(std::iter::repeat_n(None, table.rows()), clusters);
    columns.push((Field::discrete("cluster", levels), missing));
    Table::new("w3", columns).expect("the columns fit")
}

/// 50 iterations from a given start, whether or not there is anything to gain.
fn iterations(work: &str, form: &str, table: &Table, start: &Network, run: &Run<'_>) {
    let (name, settings) = parts(form);
    let (update, description) = match name == EMA.name {
        true => (Update::Averaged, EMA),
        false => (Update::Frequencies, EM),
    };
    let usual = Latent::new(update, &description.parse(settings).expect("the settings are right"));
    let method = Latent { tolerance: f64::NEG_INFINITY, iterations: 50, ..usual };
    let view = View::all(table);
    let rows = Rows { raw: view, coded: view, data: table };
    let go = || -> Found { method.go_on(&rows, start, run).expect("it can go on") };
    let before = peak_mb();
    let (found, first) = cpu(go);
    let time = least(first, || drop(black_box(go())));
    let value = found.starts[0].log_likelihood.unwrap_or(f64::NAN);
    let answer =
        format!("{{\"log_likelihood\": {value}, \"iterations\": {}}}", found.outcome.iterations);
    report(work, time, Some((peak_mb(), before)), &answer);
}

/// Many starts of a method, from reading the columns to the last figure.
fn many(work: &str, form: &str, table: &Table, clusters: usize, starts: usize, run: &Run<'_>) {
    let learner = Clusterer {
        method: clusterer(form).expect("the method is known"),
        clusters,
        starts,
        discretise: Cuts::EqualFrequency(3),
        ..Clusterer::default()
    };
    let before = peak_mb();
    let (model, seconds) = cpu(|| learner.fit(table.view(), run).expect("it can be learnt"));
    let told = model.outcome().clusters.as_ref().expect("there are clusters");
    let iterations: usize = told.starts.iter().map(|s| s.iterations).sum();
    let answer = format!(
        "{{\"log_likelihood\": {}, \"reached\": {}, \"iterations\": {iterations}}}",
        told.log_likelihood, told.reached
    );
    report(work, seconds, Some((peak_mb(), before)), &answer);
}
