//! Learning structures: the workloads that `bench/peers` gives to other packages too.
//!
//! `SARE_BENCH_DATA=FOLDER cargo bench --bench structures` reads `w1wide.csv`, `w4.csv` and `chess.csv` of the folder and
//! leaves out what is not there. CPU seconds of the whole process on one thread, the least of several runs; one line of
//! JSON a workload.

mod common;

use common::{cpu, least, report};
use sare::classify::{Classifier, Learner};
use sare::data::{ReadOptions, Source, Table, read_table};
use sare::network::known::{Shape, generate};
use sare::run::Run;
use sare::stats::Score;
use sare::structure::search::graph_score;
use std::hint::black_box;

fn main() {
    let run = Run::with_seed(1).threads(1).expect("one thread");
    // `cargo test --benches` only asks whether the benchmark runs at all.
    if std::env::args().any(|a| a == "--test") {
        let table = generate("corral", None, &Shape::default(), 1).expect("the set is known");
        fit("trial", "network", "class", &table, &run);
        return;
    }
    let folder = std::env::var("SARE_BENCH_DATA").unwrap_or_else(|_| ".".into());
    let read = |name: &str| read_table(&format!("{folder}/{name}"), &ReadOptions::default(), &run);
    if let Ok(table) = read("w1wide.csv") {
        fit("fit-tan-wide", "tan", "class", &table, &run);
    }
    if let Ok(table) = read("w4.csv") {
        // Every column is a node: the class is one like any other.
        let class = table.field(table.columns() - 1).name.clone();
        fit("hill-climbing", "network", &class, &table, &run);
    }
    if let Ok(table) = read("chess.csv") {
        wrapper("selective", "selective", &table, &run);
        wrapper("joined", "joined", &table, &run);
        wrapper("joined-backward", "joined:backward", &table, &run);
        wrapper("wrapper-tan", "wrapper-tan", &table, &run);
    }
}

fn timed(model: &str, class: &str, table: &Table, run: &Run<'_>) -> (Classifier, f64) {
    let structure = sare::registry::structure(model).expect("the model is known");
    let learner = Learner { structure, ..Learner::default() };
    let (fitted, first) = cpu(|| learner.fit(table.view(), class, run).expect("it can be fitted"));
    let time = least(first, || drop(black_box(learner.fit(table.view(), class, run))));
    (fitted, time)
}

/// Learns a graph; the answer is its score.
fn fit(work: &str, model: &str, class: &str, table: &Table, run: &Run<'_>) {
    let (fitted, time) = timed(model, class, table, run);
    let dag = fitted.network().expect("it is a network").dag();
    let bic = graph_score(dag, &Source::Memory(table.view()), Score::Bic, run);
    let answer =
        format!("{{\"arcs\": {}, \"bic\": {}}}", dag.arcs(), bic.expect("it can be scored"));
    report(work, time, None, &answer);
}

/// Learns a classifier by its leave-one-out accuracy; the answer is what it chose.
fn wrapper(work: &str, model: &str, table: &Table, run: &Run<'_>) {
    let (fitted, time) = timed(model, "class", table, run);
    let dag = fitted.network().expect("it is a network").dag();
    let class = dag.nodes() - 1;
    let chosen: Vec<&str> = dag.children(class).map(|v| table.field(v).name.as_str()).collect();
    let arcs = dag.arcs();
    let answer =
        format!("{{\"attributes\": {}, \"arcs\": {arcs}, \"chosen\": {chosen:?}}}", chosen.len());
    report(work, time, None, &answer);
}
