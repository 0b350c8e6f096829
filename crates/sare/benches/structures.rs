//! Learning structures: the workloads that `bench/peers` gives to other packages too.
//!
//! `SARE_BENCH_DATA=FOLDER cargo bench --bench structures` reads `w1wide.csv`, `w4.csv` and `chess.csv` of the folder and
//! leaves out what is not there. Where the folder has NAME.bif and NAME-1.csv, NAME-2.csv, ... (`bench/peers/searches.py`), it searches for these networks. CPU seconds of the whole process on one thread, the least of several runs; one line of
//! JSON a workload.

mod common;

use common::{cpu, least, report};
use sare::classify::{Classifier, Learner};
use sare::data::{ReadOptions, Source, Table, read_table};
use sare::graph::{Dag, Pattern};
use sare::network::formats::read_network;
use sare::network::known::{Shape, generate};
use sare::run::Run;
use sare::seed::{Purpose, Random};
use sare::stats::Score;
use sare::structure::constraints::Rules;
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
    for network in NETWORKS {
        search(network, &folder, &run);
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

/// Networks that are searched for in samples.
const NETWORKS: [&str; 4] = ["child", "alarm", "insurance", "hailfinder"];

/// In how many orders of the columns each sample is searched.
const ORDERS: u64 = 4;

/// Searches for a network in its samples, with the columns in several orders. The answers are means: the BIC and the number
/// of pairs of columns that are joined otherwise than in the pattern of the network.
fn search(network: &str, folder: &str, run: &Run<'_>) {
    let Ok(truth) = read_network(&format!("{folder}/{network}.bif"), None) else { return };
    let truth = truth.network;
    let structure = sare::registry::structure("network").expect("the model is known");
    let structure = structure.one().expect("it has one structure");
    let (mut seconds, mut bic, mut distance, mut searches) = (0.0, 0.0, 0, 0);
    for sample in 1.. {
        let path = format!("{folder}/{network}-{sample}.csv");
        let Ok(table) = read_table(&path, &ReadOptions::default(), run) else { break };
        for order in 0..ORDERS {
            let mut columns: Vec<usize> = (0..table.columns()).collect();
            Random::new(order, Purpose::Order, sample).shuffle(&mut columns);
            let table = table.select(&columns);
            let data = Source::Memory(table.view());
            let node = |name: &str| truth.variables().iter().position(|v| v.name == name);
            let nodes: Vec<usize> =
                (0..table.columns()).filter_map(|c| node(&table.field(c).name)).collect();
            let rules = Rules::none(table.columns());
            let (dag, time) = cpu(|| structure.learn(&data, &rules, run).expect("it can be found"));
            seconds += time;
            bic += graph_score(&dag, &data, Score::Bic, run).expect("it can be scored");
            distance += hamming(&dag, &truth.dag().among(&nodes));
            searches += 1;
        }
    }
    let n = f64::from(searches);
    let answer = format!("{{\"bic\": {:.2}, \"shd\": {:.2}}}", bic / n, distance as f64 / n);
    report(&format!("search-{network}"), seconds / n, None, &answer);
}

/// How many pairs of nodes are joined otherwise in the patterns of two graphs.
fn hamming(a: &Dag, b: &Dag) -> usize {
    let (a, b) = (Pattern::of(a), Pattern::of(b));
    let joined = |p: &Pattern, i: usize, j: usize| {
        (p.adjacent(i, j), p.is_directed(i, j), p.is_directed(j, i))
    };
    let differ = |j: usize| (0..j).filter(|&i| joined(&a, i, j) != joined(&b, i, j)).count();
    (0..a.nodes()).map(differ).sum()
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
