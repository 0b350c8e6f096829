//! The workloads of the ground floor: 1,000,000 rows x 30 attributes of 4 states, 4 classes.
//!
//! `cargo bench --bench ground` makes the rows itself; with `SARE_BENCH_DATA=FOLDER` it reads `FOLDER/w1.csv`, which
//! `bench/peers` gives to other packages too. Times are CPU seconds of the whole process on one thread, the least of
//! several runs; one line of JSON a workload on the standard output.

mod common;

use common::{cpu, least, peak_mb, report};
use sare::classify::Learner;
use sare::data::{ReadOptions, Source, Table, read_table};
use sare::network::known::{Shape, generate};
use sare::run::Run;
use sare::stats::pairs::CountPairs;
use sare::stats::{Score, run_pass};
use sare::structure::search::graph_score;
use std::hint::black_box;

const ROWS: usize = 1_000_000;

fn main() {
    // `cargo test --benches` only asks whether the benchmark runs at all.
    let trial = std::env::args().any(|a| a == "--test");
    let rows = if trial { 10_000 } else { ROWS };
    let run = Run::with_seed(1).threads(1).expect("one thread");
    let path = data(rows);
    let options = ReadOptions::default();
    let before = peak_mb();
    let (table, first) = cpu(|| read_table(&path, &options, &run).expect("the file is readable"));
    let peak = peak_mb();
    let read = least(first, || drop(black_box(read_table(&path, &options, &run))));
    report("read-csv", read, Some((peak, before)), &format!("{{\"rows\": {}}}", table.rows()));
    fit_and_predict("nb", &table, &run);
    fit_and_predict("tan", &table, &run);
    count_pairs(&table, &run);
}

/// The path of the rows as CSV.
fn data(rows: usize) -> String {
    if let Ok(folder) = std::env::var("SARE_BENCH_DATA") {
        return format!("{folder}/w1.csv");
    }
    let path = format!("{}/w1-{rows}.csv", env!("CARGO_TARGET_TMPDIR"));
    if !std::path::Path::new(&path).exists() {
        let shape = Shape { variables: 30, states: 4, clusters: 4, ..Shape::default() };
        let table = generate("random-tan", Some(rows), &shape, 1).expect("the set is known");
        let write = |out: &mut dyn std::io::Write| sare::data::write::write_csv(&table, "", out);
        sare::data::write::write_file(&path, write).expect("the folder is writable");
    }
    path
}

fn fit_and_predict(model: &str, table: &Table, run: &Run<'_>) {
    let structure = sare::registry::structure(model).expect("the model is known");
    let learner = Learner { structure, ..Learner::default() };
    let work = model;
    let (model, first) = cpu(|| learner.fit(table.view(), "class", run).expect("it can be fitted"));
    let fit = least(first, || drop(black_box(learner.fit(table.view(), "class", run))));
    let dag = model.network().expect("it is a network").dag();
    let bic = graph_score(dag, &Source::Memory(table.view()), Score::Bic, run);
    let bic = bic.expect("it can be scored");
    let answer = format!("{{\"arcs\": {}, \"bic\": {bic}}}", dag.arcs());
    report(&format!("fit-{work}"), fit, None, &answer);
    let (prediction, first) = cpu(|| model.predict(table, run).expect("it can be predicted"));
    let time = least(first, || drop(black_box(model.predict(table, run))));
    let class = table.cells(table.columns() - 1);
    let posteriors = &prediction.posteriors;
    let right = |r: &usize| class.code(*r) == Some(posteriors.winner(*r));
    let rows = table.rows() as f64;
    let accuracy = (0..table.rows()).filter(right).count() as f64 / rows;
    let ln = |r: usize| class.code(r).map_or(0.0, |c| posteriors.row(r)[c].ln());
    let mean = (0..table.rows()).map(ln).sum::<f64>() / rows;
    let answer = format!("{{\"accuracy\": {accuracy}, \"mean_log_posterior\": {mean}}}");
    report(&format!("predict-{work}"), time, None, &answer);
}

fn count_pairs(table: &Table, run: &Run<'_>) {
    let class = table.columns() - 1;
    let columns: Vec<usize> = (0..class).collect();
    let source = Source::Memory(table.view());
    let pass = CountPairs::new(&source, &columns, class).expect("the tables are small");
    let (counts, first) = cpu(|| run_pass(&source, &pass, run).expect("nobody interrupts"));
    let time = least(first, || drop(black_box(run_pass(&source, &pass, run))));
    let counted = counts.table(0, 1).iter().sum::<u64>();
    report("pairs", time, None, &format!("{{\"rows\": {counted}}}"));
}
