//! Parameters by iteration: they reach the optimum, never go down, and agree with each other.

mod common;

use common::mixed_table;
use sare::classify::{Classifier, Learner};
use sare::data::{Cells, Discretiser, Field, Method, Table};
use sare::num::tolerance::close;
use sare::registry;
use sare::run::{Run, Stop};
use sare::seed::{Purpose, Random};

fn coded(rows: usize, seed: u64) -> Table {
    let table = mixed_table(rows, seed);
    Discretiser::learn(table.view(), Some(6), Method::EqualFrequency(3)).unwrap().apply(&table)
}

fn complete(rows: usize, seed: u64) -> Table {
    let table = coded(rows, seed);
    let whole = |r: &u32| (0..7).all(|c| table.cells(c).code(*r as usize).is_some());
    table.gather(&(0..rows as u32).filter(whole).collect::<Vec<u32>>())
}

/// Six binary attributes that hang together, and a class that they tell a little about: an optimum that is not at
/// infinity.
fn noisy(rows: usize) -> Table {
    let mut random = Random::new(17, Purpose::Sample, 5);
    let mut codes: Vec<Vec<Option<usize>>> = vec![Vec::new(); 7];
    for _ in 0..rows {
        let class = random.below(2);
        let mut last = class;
        for column in codes.iter_mut().take(6) {
            let copied = random.uniform() < 0.35;
            last = if copied { (last + class) % 2 } else { random.below(2) };
            column.push(Some(last));
        }
        codes[6].push(Some(class));
    }
    let names = ["d0", "d1", "d2", "d3", "n0", "n1", "class"];
    let column = |(name, codes): (&str, Vec<Option<usize>>)| {
        (Field::discrete(name, ["0", "1"]), Cells::from_codes(codes, 2))
    };
    Table::new("noisy", names.into_iter().zip(codes).map(column).collect()).unwrap()
}

fn fit(model: &str, parameters: &str, table: &Table) -> Classifier {
    let learner = Learner {
        structure: registry::structure(model).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    };
    learner.fit(table.view(), "class", &Run::default()).unwrap()
}

/// The conditional log-likelihood of a table's classes.
fn cll(model: &Classifier, table: &Table) -> f64 {
    let posteriors = model.predict(table, &Run::default()).unwrap().posteriors;
    let class = table.cells(table.columns() - 1);
    (0..table.rows()).map(|r| posteriors.row(r)[class.code(r).unwrap()].ln()).sum()
}

#[test]
fn tm_and_gradients_reach_the_same_optimum() {
    let table = noisy(500);
    for model in ["nb", "tan", "kdb:1", "fan:2"] {
        let published = |form: &str| fit(model, &format!("{form},l2=0"), &table);
        let exact = cll(&published("cll:tolerance=1e-12,iterations=5000"), &table);
        let conjugate = cll(&published("cll:cg,tolerance=1e-10,iterations=5000"), &table);
        let tm = published("tm:tolerance=1e-9,iterations=100000");
        let generative = cll(&fit(model, "laplace", &table), &table);
        assert!(close(exact, conjugate, 1e-5), "{model}: {exact} {conjugate}");
        assert!(close(exact, cll(&tm, &table), 1e-5), "{model}: {exact} {}", cll(&tm, &table));
        assert!(exact > generative + 0.01, "{model}: {exact} {generative}");
        let trace = &tm.outcome().trace;
        assert!(trace.windows(2).all(|w| w[1] >= w[0]), "{model}: TM never goes down");
        assert!(close(*trace.last().unwrap(), cll(&tm, &table), 1e-9));
    }
}

#[test]
fn tm_refuses_or_completes_what_is_not_perfect() {
    let table = noisy(500);
    let collider =
        "given:[d0|class][d1|class][d2|class:d0:d1][d3|class][n0|class][n1|class][class]";
    let learner = |parameters: &str| Learner {
        structure: registry::structure(collider).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    };
    let error = learner("tm").fit(table.view(), "class", &Run::default()).unwrap_err().to_string();
    assert!(error.contains("d0 -> d1") && error.contains("use cll"), "{error}");
    let whole = fit(collider, "tm:complete,tolerance=1e-9,iterations=100000,l2=0", &table);
    assert!(whole.network().unwrap().dag().has_arc(0, 1));
    let joined = collider.replace("[d1|class]", "[d1|class:d0]");
    let best = cll(&fit(&joined, "cll:tolerance=1e-12,iterations=5000,l2=0", &table), &table);
    assert!(close(cll(&whole, &table), best, 1e-5));
    let reversed = "given:[class|d0][d0][d1|class][d2|class][d3][n0][n1]";
    let learner = Learner {
        structure: registry::structure(reversed).unwrap(),
        parameters: registry::parameters("tm:complete").unwrap(),
        ..Learner::default()
    };
    let error = learner.fit(table.view(), "class", &Run::default()).unwrap_err().to_string();
    assert!(error.contains("the class has parents"), "{error}");
}

/// L-BFGS reaches the optimum in no more passes than conjugate gradients, and an iteration of TM takes one.
#[test]
fn passes_are_few() {
    for table in [noisy(500), complete(600, 9)] {
        for model in ["nb", "tan"] {
            let limited = fit(model, "cll:tolerance=1e-8,iterations=5000,l2=0", &table);
            let conjugate = fit(model, "cll:cg,tolerance=1e-8,iterations=5000,l2=0", &table);
            let [few, many] = [&limited, &conjugate].map(|m| m.outcome().passes);
            assert!(0 < few && few <= many, "{model}: {few} and {many}");
        }
    }
    let outcome = fit("nb", "tm:l2=0", &noisy(500)).outcome().clone();
    assert_eq!(outcome.passes, outcome.iterations + 1);
}

/// What each criterion raises is higher than where it began, and it is the best of all criteria on its own measure.
#[test]
fn each_criterion_is_best_at_its_own_measure() {
    let table = complete(700, 5);
    let class = table.cells(6);
    let measure = |model: &Classifier| {
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        let p = |r: usize| posteriors.row(r)[class.code(r).unwrap()];
        let sum = |f: &dyn Fn(f64) -> f64| (0..table.rows()).map(|r| f(p(r))).sum::<f64>();
        [sum(&|p| p.max(1e-300).ln()), sum(&|p| p - 1.0), sum(&|p| -(1.0 - p) * (1.0 - p))]
    };
    let names = ["cll", "ae", "se"];
    let all = names
        .map(|n| measure(&fit("nb", &format!("{n}:tolerance=1e-9,iterations=3000,l2=0"), &table)));
    let start = measure(&fit("nb", "laplace", &table));
    for (i, name) in names.iter().enumerate() {
        assert!(all[i][i] > start[i], "{name}");
        // The two errors have several hill tops, but each climbs higher than the likelihood's top.
        assert!(all[i][i] >= all[0][i] - 1e-6, "{name}: {} {}", all[i][i], all[0][i]);
    }
}

/// With complete rows EM and the likelihood gradient have nothing to do but what counting does.
#[test]
fn without_missing_cells_em_is_counting() {
    let table = complete(400, 6);
    for model in ["nb", "tan", "network"] {
        let counted = fit(model, "ml", &table);
        let em = fit(model, "em:alpha=0", &table);
        let gradient = fit(model, "ll:tolerance=1e-13,iterations=5000", &table);
        let run = Run::default();
        let ll = |m: &Classifier| -> f64 {
            let logs = m.log_joint(table.view(), &run).unwrap();
            (0..table.rows()).map(|r| logs.row(r)[table.cells(6).code(r).unwrap()]).sum()
        };
        assert!(close(ll(&em), ll(&counted), 1e-10), "{model}");
        assert!(
            close(ll(&gradient), ll(&counted), 1e-6),
            "{model}: {} {}",
            ll(&gradient),
            ll(&counted)
        );
        assert_eq!(em.outcome().stop, Stop::Converged);
    }
}

/// One step of EM by enumerating every completion of every row, and a likelihood that never falls.
#[test]
fn em_counts_every_completion_by_its_probability() {
    let mut random = Random::new(8, Purpose::Sample, 3);
    let states = [2usize, 3, 2, 2];
    let columns: Vec<(Field, Cells)> = states
        .iter()
        .enumerate()
        .map(|(i, &s)| {
            let codes: Vec<Option<usize>> = (0..80)
                .map(|_| {
                    let code = random.below(s);
                    (i == 3 || random.below(3) > 0).then_some(code)
                })
                .collect();
            let levels: Vec<String> = (0..s).map(|l| l.to_string()).collect();
            let name = if i == 3 { "class".to_string() } else { format!("x{i}") };
            (Field::discrete(name, levels), Cells::from_codes(codes, s))
        })
        .collect();
    let table = Table::new("t", columns).unwrap();
    let form = "given:[x0|class][x1|x0:class][x2|x0:x1][class]";
    let start = fit(form, "laplace", &table);
    // The first iteration counts under the start's parameters; the second judges what came of it and ends.
    let one = fit(form, "em:alpha=0,iterations=1", &table);
    let network = start.network().unwrap();
    let mut counts = [[[0.0f64; 3]; 2]; 2];
    for r in 0..80 {
        let class = table.cells(3).code(r).unwrap();
        let mut fits = Vec::new();
        for code in 0..12usize {
            let row = vec![code % 2, code / 2 % 3, code / 6, class];
            if (0..3).all(|v| table.cells(v).code(r).is_none_or(|x| x == row[v])) {
                let p = network.log_probability(&row).exp();
                fits.push((row, p));
            }
        }
        // What is missing below the last seen one in the graph says nothing and is not counted.
        let relevant = table.cells(1).code(r).is_some() || table.cells(2).code(r).is_some();
        let total: f64 = fits.iter().map(|(_, p)| p).sum();
        for (row, p) in fits.iter().filter(|_| relevant) {
            counts[row[3]][row[0]][row[1]] += p / total;
        }
    }
    let found = one.network().unwrap().table(1);
    for x0 in 0..2 {
        for class in 0..2 {
            let row = counts[class][x0];
            let total: f64 = row.iter().sum();
            for (x1, n) in row.iter().enumerate() {
                let ours = found[(x0 * 2 + class) * 3 + x1];
                assert!(close(ours, n / total, 1e-10), "{x0} {class} {x1}: {ours} {}", n / total);
            }
        }
    }
    for parameters in ["em", "em:alpha=0"] {
        let trace = fit(form, parameters, &table).outcome().trace.clone();
        let falls = |w: &&[f64]| w[1] < w[0] - 1e-9 * w[0].abs();
        assert!(trace.len() > 2 && trace.windows(2).find(falls).is_none(), "{trace:?}");
    }
    // The gradient climbs to the same likelihood.
    let em = *fit(form, "em:alpha=0,tolerance=1e-13,iterations=20000", &table)
        .outcome()
        .trace
        .last()
        .unwrap();
    let ll =
        *fit(form, "ll:tolerance=1e-13,iterations=20000", &table).outcome().trace.last().unwrap();
    assert!(close(em, ll, 1e-4), "{em} {ll}");
}

#[test]
fn held_out_rows_stop_a_climb() {
    let table = complete(200, 7);
    let free = fit("kdb:2", "cll:tolerance=1e-9,l2=0", &table);
    let stopped = fit("kdb:2", "cll:held-out=0.3,l2=0", &table);
    let drawn = fit("kdb:2", "cll:l2=10", &table);
    assert!(cll(&stopped, &table) < cll(&free, &table));
    assert!(cll(&drawn, &table) < cll(&free, &table));
    assert!(cll(&drawn, &table) > cll(&fit("kdb:2", "laplace", &table), &table));
}

/// While a column of one state is tried, TM goes on, and what it gains must not be put down to the column.
#[test]
fn structural_tm_takes_no_column_of_one_state() {
    let table = noisy(500);
    let constant = Cells::from_codes((0..table.rows()).map(|_| Some(0)), 1);
    let mut columns = vec![(Field::discrete("same", ["x"]), constant)];
    columns.extend((0..7).map(|c| (table.field(c).clone(), table.cells(c).clone())));
    let with = Table::new("with", columns).unwrap();
    let model = fit("structural-tm", "tm", &with);
    let dag = model.network().unwrap().dag();
    assert!(!dag.has_arc(7, 0) && (0..8).all(|v| !dag.has_arc(0, v)));
    let without = fit("structural-tm", "tm", &table);
    let dag_without = without.network().unwrap().dag();
    assert!(dag_without.arcs() > 0 && dag.arcs() == dag_without.arcs());
}
