//! Queries of networks: the workloads that `bench/peers` gives to other packages too.
//!
//! `SARE_BENCH_DATA=FOLDER cargo bench --bench inference` reads every `NAME.json` of the folder's `networks` that has a
//! `NAME.queries.json` beside it (a list of objects: variable, level) and computes all marginals for each query;
//! `SARE_BENCH_ONLY=alarm,pigs` chooses among them. CPU seconds of the whole process on one thread, the least of several runs; one line of JSON a workload.

mod common;

use common::{cpu, least, report};
use sare::infer::join_tree::DEFAULT_LIMIT;
use sare::infer::{Evidence, JoinTree, Posterior};
use sare::network::Network;
use sare::network::random::{Form, RandomNetwork};
use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;

fn main() {
    // `cargo test --benches` only asks whether the benchmark runs at all.
    if std::env::args().any(|a| a == "--test") {
        let form = Form::Network(2);
        let random = RandomNetwork { form, attributes: 9, states: 2, classes: 2, alpha: 1.0 };
        query("trial", &random.draw(1).expect("it can be drawn"), &[Evidence::none()]);
        return;
    }
    let folder = std::env::var("SARE_BENCH_DATA").unwrap_or_else(|_| ".".into());
    let Ok(files) = fs::read_dir(format!("{folder}/networks")) else { return };
    let only = std::env::var("SARE_BENCH_ONLY").ok();
    let mut names: Vec<String> = files
        .filter_map(|f| {
            f.ok()?.file_name().into_string().ok()?.strip_suffix(".queries.json").map(Into::into)
        })
        .filter(|name: &String| only.as_ref().is_none_or(|o| o.split(',').any(|o| o == name)))
        .collect();
    names.sort();
    for name in names {
        let read = |end: &str| fs::read_to_string(format!("{folder}/networks/{name}{end}"));
        let network = read(".json").expect("the network is beside its queries");
        let network: Network = serde_json::from_str(&network).expect("it is a network");
        let queries = read(".queries.json").expect("the queries were there");
        let queries: Vec<BTreeMap<String, String>> =
            serde_json::from_str(&queries).expect("they are queries");
        query(&name, &network, &queries.iter().map(|q| evidence(&network, q)).collect::<Vec<_>>());
    }
}

fn evidence(network: &Network, query: &BTreeMap<String, String>) -> Evidence {
    let mut evidence = Evidence::none();
    for (variable, level) in query {
        evidence.see_named(network, variable, level).expect("variable and level are known");
    }
    evidence
}

/// All marginals for each query; the answer is the mean of the sum of their entropies and of ln p(evidence).
fn query(name: &str, network: &Network, queries: &[Evidence]) {
    let (tree, building) = cpu(|| JoinTree::new(network, DEFAULT_LIMIT).expect("it fits"));
    let mut posterior = tree.prior();
    let mut all = |read: &mut dyn FnMut(&Posterior)| {
        for evidence in queries {
            tree.update(evidence, &mut posterior).expect("the evidence is possible");
            read(&posterior);
        }
    };
    let (mut entropy, mut log) = (0.0, 0.0);
    all(&mut |p| {
        entropy -= p.marginals().iter().map(|&x| sare::num::x_ln_x(x)).sum::<f64>();
        log += p.log_evidence();
    });
    let time = least(f64::INFINITY, || {
        all(&mut |p| {
            black_box(p.marginals());
        });
    });
    let count = queries.len() as f64;
    let answer = format!(
        "{{\"queries\": {count}, \"entropy\": {}, \"log_evidence\": {}, \"entries\": {}}}",
        entropy / count,
        log / count,
        tree.cost().entries,
    );
    report(&format!("join-tree-{name}"), building, None, "null");
    report(&format!("query-{name}"), time, None, &answer);
}
