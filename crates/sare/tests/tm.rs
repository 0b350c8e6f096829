//! The TM algorithm by its published route, and structures chosen by it, against exhaustive search.

use sare::classify::{Classifier, Learner};
use sare::data::{Cells, Field, Table};
use sare::num::tolerance::close;
use sare::registry;
use sare::run::Run;
use sare::seed::{Purpose, Random};

fn table(columns: Vec<Vec<usize>>, states: usize) -> Table {
    let last = columns.len() - 1;
    let column = |(i, codes): (usize, Vec<usize>)| {
        let name = if i == last { "class".to_string() } else { format!("x{i}") };
        let levels: Vec<String> = (0..states).map(|s| s.to_string()).collect();
        (Field::discrete(name, levels), Cells::from_codes(codes.into_iter().map(Some), states))
    };
    Table::new("t", columns.into_iter().enumerate().map(column).collect()).unwrap()
}

fn fit(model: &str, parameters: &str, table: &Table) -> Classifier {
    let learner = Learner {
        structure: registry::structure(model).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    };
    learner.fit(table.view(), "class", &Run::default()).unwrap()
}

/// A and B with A B = 1 for the powers 1 and 2 of the states 1 and 2: moments from counts, and back.
const POWERS: [[f64; 2]; 2] = [[1.0, 2.0], [1.0, 4.0]];
const BACK: [[f64; 2]; 2] = [[2.0, -1.0], [-0.5, 0.5]];

/// One iteration of TM on naive Bayes with a class and attributes of three states, by moments of the states' numbers as
/// published: M_s = sum c^s and M_sm = sum c^s x^m are updated, and counts come back from them by linear systems. It must
/// be the step that the counts themselves take.
#[test]
fn moments_of_three_states_give_the_step_of_counts() {
    let mut random = Random::new(3, Purpose::Sample, 6);
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..400 {
        let class = random.below(3);
        for column in columns.iter_mut().take(3) {
            column.push(if random.uniform() < 0.3 { class } else { random.below(3) });
        }
        columns[3].push(class);
    }
    let rows = 400.0;
    let power = |x: usize, s: usize| (x as f64).powi(s as i32 + 1);
    // The start: relative frequencies.
    let ml = fit("nb", "ml", &table(columns.clone(), 3));
    let table = table(columns.clone(), 3);
    let posteriors = ml.predict(&table, &Run::default()).unwrap().posteriors;
    let sum = |of: &dyn Fn(usize) -> f64| (0..400).map(of).sum::<f64>();
    let expected_power = |r: usize, s: usize| -> f64 {
        posteriors.row(r).iter().enumerate().map(|(c, p)| p * power(c, s)).sum()
    };
    // M + (M - E[M | x]) of the class and of the class with an attribute.
    let of_class: [f64; 2] =
        std::array::from_fn(|s| sum(&|r| 2.0 * power(columns[3][r], s) - expected_power(r, s)));
    let class_counts: [f64; 2] =
        std::array::from_fn(|c| (0..2).map(|s| BACK[c][s] * of_class[s]).sum());
    let p_class = [
        (rows - class_counts.iter().sum::<f64>()) / rows,
        class_counts[0] / rows,
        class_counts[1] / rows,
    ];
    let one = fit("nb", "tm:alpha=0,iterations=1,tolerance=1e-12,l2=0", &table);
    let network = one.network().unwrap();
    for (ours, p) in network.table(3).iter().zip(p_class) {
        assert!(close(*ours, p, 1e-10), "{ours} {p}");
    }
    for i in 0..3 {
        let moment = |s: usize, m: usize| {
            sum(&|r| {
                (2.0 * power(columns[3][r], s) - expected_power(r, s)) * power(columns[i][r], m)
            })
        };
        // Counts of classes and states 1 and 2 from the four moments, the others by what all sum to.
        let inner = |c: usize, x: usize| -> f64 {
            let term = |s: usize, m: usize| BACK[c][s] * BACK[x][m] * moment(s, m);
            (0..2).flat_map(|s| (0..2).map(move |m| (s, m))).map(|(s, m)| term(s, m)).sum()
        };
        let of_state = |x: usize| columns[i].iter().filter(|&&k| k == x).count() as f64;
        for c in 1..3 {
            let counts: Vec<f64> = (1..3).map(|x| inner(c - 1, x - 1)).collect();
            let own = class_counts[c - 1];
            let p = [own - counts[0] - counts[1], counts[0], counts[1]].map(|n| n / own);
            for (x, p) in p.into_iter().enumerate() {
                let ours = network.table(i)[c * 3 + x];
                assert!(close(ours, p, 1e-9), "attribute {i}, class {c}, state {x}: {ours} {p}");
            }
        }
        // Class 0 holds what is left of every state.
        let own = rows - class_counts[0] - class_counts[1];
        for x in 1..3 {
            let left = of_state(x) - inner(0, x - 1) - inner(1, x - 1);
            assert!(close(network.table(i)[x], left / own, 1e-9));
        }
    }
    // The two matrices are inverse, or all of this would prove nothing.
    let product = BACK
        .map(|[a, b]| [a * POWERS[0][0] + b * POWERS[1][0], a * POWERS[0][1] + b * POWERS[1][1]]);
    assert_eq!(product, [[1.0, 0.0], [0.0, 1.0]]);
}

/// The conditional log-likelihood of a table's classes, less half of ln N for every parameter of p(class | attributes).
fn conditional_bic(formula: &str, free: usize, table: &Table) -> f64 {
    let model = fit(formula, "cll:tolerance=1e-13,iterations=20000,l2=0", table);
    let posteriors = model.predict(table, &Run::default()).unwrap().posteriors;
    let class = table.cells(table.columns() - 1);
    let of_row = |r: usize| posteriors.row(r)[class.code(r).unwrap()].ln();
    let cll: f64 = (0..table.rows()).map(of_row).sum();
    cll - (table.rows() as f64).ln() / 2.0 * free as f64
}

/// Every structure that arcs from the class and a forest over the attributes it points to can make: as a formula, and with
/// how many parameters of p(class | attributes), all of two states.
fn every_forest() -> Vec<(String, usize)> {
    let mut all = Vec::new();
    // Each of three attributes: left out, alone, or with one of the two others as a parent.
    for code in 0..64usize {
        let choice: Vec<usize> = (0..3).map(|v| code / 4usize.pow(v) % 4).collect();
        let other = |v: usize, k: usize| (v + k - 1) % 3;
        let mut formula = String::from("given:[class]");
        let mut free = 1;
        let mut right = true;
        for v in 0..3 {
            match choice[v] {
                0 => formula.push_str(&format!("[x{v}]")),
                1 => {
                    formula.push_str(&format!("[x{v}|class]"));
                    free += 1;
                }
                k => {
                    let parent = other(v, k);
                    // Parents must be used themselves, and two attributes may not be each other's parents.
                    right &= choice[parent] > 0;
                    formula.push_str(&format!("[x{v}|class:x{parent}]"));
                    free += 2;
                }
            }
        }
        if right {
            all.push((formula, free));
        }
    }
    all
}

/// x0 and x1 tell the class a little alone (a greedy search could not begin otherwise) and more together; x2 is noise.
#[test]
fn structural_tm_finds_the_best_forest() {
    let mut random = Random::new(9, Purpose::Sample, 7);
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..600 {
        let x: Vec<usize> = (0..3).map(|_| random.below(2)).collect();
        let told = [[0.05, 0.6], [0.55, 0.5]][x[0]][x[1]];
        columns[3].push(usize::from(random.uniform() < told));
        x.into_iter().enumerate().for_each(|(v, x)| columns[v].push(x));
    }
    let table = table(columns, 2);
    for form in ["structural-tm", "structural-tm:l2=0"] {
        let dag = fit(form, "tm", &table).network().unwrap().dag().clone();
        assert!(dag.has_arc(3, 0) && dag.has_arc(3, 1) && !dag.has_arc(3, 2), "{form} {dag:?}");
        assert!(dag.has_arc(0, 1) || dag.has_arc(1, 0), "{form} {dag:?}");
    }
    let best = every_forest()
        .into_iter()
        .filter_map(|(formula, free)| {
            let learner = registry::structure(&formula).unwrap();
            let acyclic = Learner { structure: learner, ..Learner::default() }
                .fit(table.view(), "class", &Run::default())
                .is_ok();
            acyclic.then(|| conditional_bic(&formula, free, &table))
        })
        .fold(f64::NEG_INFINITY, f64::max);
    let ours = conditional_bic("given:[class][x0|class][x1|class:x0][x2]", 4, &table);
    assert!(close(ours, best, 1e-9), "{ours} {best}");
    // Without room for parents there is only what each tells alone.
    let alone = fit("structural-tm:0", "tm", &table);
    assert!((0..3).all(|v| alone.network().unwrap().dag().parents(v).all(|p| p == 3)));
}
