//! Parameters by iteration: what one pass costs, and what it takes to reach the optimum.
//!
//! `SARE_BENCH_DATA=FOLDER cargo bench --bench discriminative` reads the first 100,000 rows of `w1.csv` in the folder. CPU
//! seconds of the whole process on one thread, the least of several runs; one line of JSON a workload. `pass-...` is the
//! time of an iteration: that of a climb of 21 less that of a climb of 1, divided by the passes between.

mod common;

use common::{cpu, least, report};
use sare::classify::{Classifier, Learner};
use sare::data::{ReadOptions, Table, View, read_table};
use sare::network::known::{Shape, generate};
use sare::run::Run;
use std::hint::black_box;

/// Rows that are learnt from.
const ROWS: usize = 100_000;

fn main() {
    let run = Run::with_seed(1).threads(1).expect("one thread");
    // `cargo test --benches` only asks whether the benchmark runs at all.
    if std::env::args().any(|a| a == "--test") {
        let table = generate("corral", None, &Shape::default(), 1).expect("the set is known");
        optimum("trial", "nb", "cll", &table, &run);
        return;
    }
    let folder = std::env::var("SARE_BENCH_DATA").unwrap_or_else(|_| ".".into());
    let read = read_table(&format!("{folder}/w1.csv"), &ReadOptions::default(), &run);
    let Ok(table) = read else { return };
    let table = table.gather(&(0..ROWS.min(table.rows()) as u32).collect::<Vec<u32>>());
    for model in ["nb", "tan"] {
        for parameters in ["cll", "tm"] {
            pass(&format!("pass-{parameters}-{model}"), model, parameters, &table, &run);
        }
    }
    optimum("logistic", "nb", "cll:l2=0", &table, &run);
    optimum("logistic-cg", "nb", "cll:cg,l2=0", &table, &run);
    optimum("cll-tan", "tan", "cll:l2=0", &table, &run);
    optimum("penalised-nb", "nb", "cll", &table, &run);
    optimum("penalised-tan", "tan", "cll", &table, &run);
}

fn learner(model: &str, parameters: &str) -> Learner {
    Learner {
        structure: sare::registry::structure(model).expect("the model is known"),
        parameters: sare::registry::parameters(parameters).expect("the learner is known"),
        ..Learner::default()
    }
}

fn timed(learner: &Learner, table: &Table, run: &Run<'_>) -> (Classifier, f64) {
    let fit = || learner.fit(table.view(), "class", run).expect("it can be fitted");
    let (fitted, first) = cpu(fit);
    let time = least(first, || drop(black_box(fit())));
    (fitted, time)
}

/// What one pass over the rows takes.
fn pass(work: &str, model: &str, parameters: &str, table: &Table, run: &Run<'_>) {
    let climb = |iterations: usize| {
        let form = format!("{parameters}:iterations={iterations},tolerance=1e-300,l2=0");
        timed(&learner(model, &form), table, run)
    };
    let ((short, little), (long, much)) = (climb(1), climb(21));
    let passes = long.outcome().passes - short.outcome().passes;
    let answer = format!("{{\"passes\": {passes}}}");
    report(work, (much - little) / passes as f64, None, &answer);
}

/// Climbs to the optimum; the answer is how high it is.
fn optimum(work: &str, model: &str, parameters: &str, table: &Table, run: &Run<'_>) {
    let (fitted, time) = timed(&learner(model, parameters), table, run);
    let coded = fitted.bins().apply(table);
    let posteriors = fitted.posteriors(View::all(&coded), run).expect("rows can be predicted");
    let class = coded.cells(coded.columns() - 1);
    let of_row = |r: usize| posteriors.row(r)[class.code(r).unwrap_or(0)].ln();
    let mean = (0..coded.rows()).map(of_row).sum::<f64>() / coded.rows() as f64;
    let answer = format!(
        "{{\"mean_log_posterior\": {mean}, \"iterations\": {}, \"passes\": {}}}",
        fitted.outcome().iterations,
        fitted.outcome().passes
    );
    report(work, time, None, &answer);
}
