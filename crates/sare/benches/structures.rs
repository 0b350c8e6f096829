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
        for model in std::env::var("SARE_BENCH_SEARCH").unwrap_or("network".into()).split(';') {
            let (fitted, time) = timed(model, &class, &table, &run);
            let source = Source::Memory(table.view());
            let dag = fitted.network().expect("it is one").dag();
            let bic = graph_score(dag, &source, Score::Bic, &run).expect("it can be scored");
            let answer = format!("{{\"bic\": {bic}, \"arcs\": {}}}", dag.arcs());
            report(&format!("hill-climbing {model}"), time, None, &answer);
        }
    }
    if let Ok(table) = read("chess.csv") {
        fit("selective", "selective", "class", &table, &run);
        fit("joined", "joined", "class", &table, &run);
        fit("joined-backward", "joined:backward", "class", &table, &run);
        fit("wrapper-tan", "wrapper-tan", "class", &table, &run);
    }
}

fn timed(model: &str, class: &str, table: &Table, run: &Run<'_>) -> (Classifier, f64) {
    let structure = sare::registry::structure(model).expect("the model is known");
    let learner = Learner { structure, ..Learner::default() };
    let (fitted, first) = cpu(|| learner.fit(table.view(), class, run).expect("it can be fitted"));
    let time = least(first, || drop(black_box(learner.fit(table.view(), class, run))));
    (fitted, time)
}

fn fit(work: &str, model: &str, class: &str, table: &Table, run: &Run<'_>) {
    let (fitted, time) = timed(model, class, table, run);
    let arcs = fitted.network().expect("it is one").dag().arcs();
    report(work, time, None, &format!("{{\"arcs\": {arcs}}}"));
}
