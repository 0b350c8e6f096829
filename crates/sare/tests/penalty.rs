//! The penalty of discriminative parameters: what it draws to, how far, and that it is the default.

use sare::classify::{Classifier, Learner};
use sare::data::{Cells, Field, Table, View};
use sare::num::tolerance::close;
use sare::registry;
use sare::run::{Run, Stop};
use sare::seed::{Purpose, Random};

const ITERATIVE: [&str; 5] = ["cll", "ae", "se", "mixed", "tm"];

/// A table of columns x0, x1, ... and the class, of so many states each.
fn table(columns: Vec<Vec<Option<usize>>>, states: &[usize]) -> Table {
    let last = columns.len() - 1;
    let column = |(i, codes): (usize, Vec<Option<usize>>)| {
        let name = if i == last { "class".to_string() } else { format!("x{i}") };
        let levels: Vec<String> = (0..states[i]).map(|s| s.to_string()).collect();
        (Field::discrete(name, levels), Cells::from_codes(codes, states[i]))
    };
    Table::new("t", columns.into_iter().enumerate().map(column).collect()).unwrap()
}

/// Four attributes that depend on a class of three and on each other; cells go missing with the chance `holes`.
fn noisy(rows: usize, holes: f64) -> Table {
    let mut random = Random::new(23, Purpose::Sample, 1);
    let states = [2, 3, 2, 4, 3];
    let mut columns = vec![Vec::new(); 5];
    for _ in 0..rows {
        let class = random.below(3);
        let mut last = class;
        for (column, &s) in columns.iter_mut().take(4).zip(&states) {
            last = if random.uniform() < 0.5 { (last + class) % s } else { random.below(s) };
            column.push((random.uniform() >= holes).then_some(last));
        }
        columns[4].push(Some(class));
    }
    table(columns, &states)
}

/// The first column is the class; the second is noise.
fn separable(rows: usize) -> Table {
    let mut random = Random::new(4, Purpose::Sample, 2);
    let class: Vec<Option<usize>> = (0..rows).map(|r| Some(r % 2)).collect();
    let noise = (0..rows).map(|_| Some(random.below(3))).collect();
    table(vec![class.clone(), noise, class], &[2, 3, 2])
}

fn fit(model: &str, parameters: &str, table: &Table) -> Classifier {
    let learner = Learner {
        structure: registry::structure(model).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    };
    learner.fit(table.view(), "class", &Run::default()).unwrap()
}

fn tables(model: &Classifier) -> Vec<Vec<f64>> {
    let network = model.network().unwrap();
    (0..network.variables().len()).map(|v| network.table(v).to_vec()).collect()
}

/// The largest difference of a log-probability.
fn apart(a: &Classifier, b: &Classifier) -> f64 {
    let (a, b) = (tables(a).concat(), tables(b).concat());
    a.iter().zip(&b).map(|(p, q)| (p.ln() - q.ln()).abs()).fold(0.0, f64::max)
}

/// Half the sum of squares of the differences of log-parameters, less the mean difference of each table row: the
/// penalty of a strength of 1.
fn distance(a: &Classifier, b: &Classifier) -> f64 {
    let network = a.network().unwrap();
    let mut sum = 0.0;
    for (v, (a, b)) in tables(a).iter().zip(&tables(b)).enumerate() {
        let states = network.states(v);
        for (a, b) in a.chunks_exact(states).zip(b.chunks_exact(states)) {
            let d: Vec<f64> = a.iter().zip(b).map(|(p, q)| (p / q).ln()).collect();
            let mean = d.iter().sum::<f64>() / d.len() as f64;
            sum += d.iter().map(|d| 0.5 * (d - mean).powi(2)).sum::<f64>();
        }
    }
    sum
}

/// The sum of ln p(class | row).
fn cll(model: &Classifier, table: &Table) -> f64 {
    let posteriors = model.posteriors(View::all(table), &Run::default()).unwrap();
    let class = table.cells(table.columns() - 1);
    (0..table.rows()).map(|r| posteriors.row(r)[class.code(r).unwrap()].ln()).sum()
}

/// Where a column determines the class, the probabilities settle: they do not go on for as long as they may, rows that
/// contradict the column are possible, and none becomes 0.
#[test]
fn separable_classes_leave_finite_parameters() {
    let seen = separable(80);
    // Every combination of the columns with every class.
    let cells = |f: &dyn Fn(usize) -> usize| (0..12).map(|i| Some(f(i))).collect();
    let all = table(vec![cells(&|i| i % 2), cells(&|i| i / 4), cells(&|i| i / 2 % 2)], &[2, 3, 2]);
    for model in ["nb", "tan", "kdb:2"] {
        for form in ITERATIVE {
            let [some, more] = [1_000, 100_000]
                .map(|n| fit(model, &format!("{form}:iterations={n},tolerance=1e-12"), &seen));
            assert!(apart(&some, &more) < 1e-3, "{model} {form}: {}", apart(&some, &more));
            assert!(tables(&more).concat().iter().all(|p| *p > 1e-4), "{model} {form}");
            assert!(cll(&more, &all).is_finite(), "{model} {form}");
            let usual = fit(model, form, &seen);
            assert!(cll(&usual, &seen) / 80.0 > -0.1, "{model} {form}: {}", cll(&usual, &seen));
        }
    }
    // Without the penalty they go on for ever.
    let free = |n: usize| fit("nb", &format!("cll:iterations={n},tolerance=1e-300,l2=0"), &seen);
    let start = fit("nb", "laplace", &seen);
    let (near, far) = (distance(&free(5), &start), distance(&free(500), &start));
    assert!(far > 2.0 * near, "{near} {far}");
}

/// A class and nothing that tells of it: with t the log-odds of the two classes less those of the start, the highest
/// point of n1 ln p1 + n0 ln p0 - l2 t^2 / 4 is where n1 - N p1 = l2 t / 2, found by bisection.
#[test]
fn one_parameter_is_where_its_equation_says() {
    let class: Vec<Option<usize>> = (0..50).map(|r| Some(usize::from(r < 9))).collect();
    let seen = table(vec![vec![Some(0); 50], class], &[1, 2]);
    for (l2, form) in [0.3, 4.0, 200.0].iter().flat_map(|&l2| ["cll", "tm"].map(|f| (l2, f))) {
        let odds = (10f64 / 42.0).ln();
        let p1 = |t: f64| 1.0 / (1.0 + (-odds - t).exp());
        let (mut low, mut high) = (-5.0, 5.0);
        for _ in 0..200 {
            let t = 0.5 * (low + high);
            if 9.0 - 50.0 * p1(t) > l2 * t / 2.0 { low = t } else { high = t }
        }
        let iterations = "tolerance=1e-15,iterations=10000";
        let model = fit("given:[class][x0]", &format!("{form}:{iterations},l2={l2}"), &seen);
        let ours = model.network().unwrap().table(1)[1];
        assert!(close(ours, p1(low), 1e-7), "{form} {l2}: {ours} {}", p1(low));
    }
}

/// TM with the penalty ends where the gradient does, with missing cells of naive Bayes too.
#[test]
fn tm_and_gradients_reach_the_same_optimum_of_the_penalty() {
    for (model, holes) in [("nb", 0.0), ("tan", 0.0), ("kdb:1", 0.0), ("fan:2", 0.0), ("nb", 0.2)] {
        let seen = noisy(300, holes);
        let start = fit(model, "laplace", &seen);
        for l2 in [0.1, 1.0, 20.0] {
            let value = |m: &Classifier| cll(m, &seen) - l2 * distance(m, &start);
            let exact = fit(model, &format!("cll:tolerance=1e-13,iterations=9999,l2={l2}"), &seen);
            let tm = fit(model, &format!("tm:tolerance=1e-9,iterations=99999,l2={l2}"), &seen);
            let (best, ours) = (value(&exact), value(&tm));
            assert!(close(best, ours, 1e-6), "{model} {holes} {l2}: {best} {ours}");
            assert!(apart(&exact, &tm) < 0.05, "{model} {holes} {l2}: {}", apart(&exact, &tm));
            assert!(best > value(&start) + 1e-3);
            let trace = &tm.outcome().trace;
            assert!(trace.windows(2).all(|w| w[1] >= w[0]), "TM never goes down");
            assert!(close(*trace.last().unwrap(), ours, 1e-9));
            assert_eq!(tm.outcome().stop, Stop::Converged);
        }
    }
}

#[test]
fn a_stronger_penalty_never_moves_further() {
    let seen = noisy(200, 0.0);
    for model in ["nb", "tan"] {
        let start = fit(model, "laplace", &seen);
        for form in ["cll", "se", "mixed", "tm"] {
            let mut last = f64::INFINITY;
            for l2 in [0.03, 0.3, 1.0, 3.0, 30.0, 1e6] {
                let form = format!("{form}:tolerance=1e-11,iterations=20000,l2={l2}");
                let moved = distance(&fit(model, &form, &seen), &start);
                assert!(moved <= last * (1.0 + 1e-3), "{model} {form}: {moved} after {last}");
                last = moved;
            }
            assert!(last < 1e-4, "{model} {form}: {last}");
        }
    }
}

/// A weight of 2 is the row twice: the penalty does not grow with the rows.
#[test]
fn weights_are_rows() {
    let seen = noisy(120, 0.0);
    let twice = seen.gather(&(0..120).chain(0..120).collect::<Vec<u32>>());
    let heavy = seen.clone().with_weights(vec![2.0; 120]).unwrap();
    for form in ITERATIVE {
        let form = format!("{form}:tolerance=1e-12,iterations=20000,l2=2");
        let gap = apart(&fit("tan", &form, &twice), &fit("tan", &form, &heavy));
        assert!(gap < 1e-3, "{form}: {gap}");
    }
}

/// A configuration that no row has stays as the counts left it.
#[test]
fn parameters_without_rows_stay_at_the_start() {
    let mut columns: Vec<Vec<Option<usize>>> = vec![Vec::new(); 3];
    let mut random = Random::new(6, Purpose::Sample, 3);
    for _ in 0..100 {
        // State 2 of x0 never occurs.
        let (class, x0) = (random.below(2), random.below(2));
        let x1 = if random.uniform() < 0.7 { class } else { x0 };
        [x0, x1, class].into_iter().zip(&mut columns).for_each(|(x, c)| c.push(Some(x)));
    }
    let seen = table(columns, &[3, 2, 2]);
    let model = "given:[class][x0|class][x1|class:x0]";
    let start = fit(model, "laplace", &seen);
    for form in ITERATIVE {
        let found = fit(model, form, &seen);
        let (ours, counted) = (tables(&found), tables(&start));
        let same = |(p, q): (&f64, &f64)| close(*p, *q, 1e-12);
        assert!(ours[1][8..].iter().zip(&counted[1][8..]).all(same), "{form}: {:?}", ours[1]);
        assert!(!ours[1][..8].iter().zip(&counted[1][..8]).all(same), "{form}");
    }
}

/// The default is penalised and its form says so; the published form is asked for by l2=0.
#[test]
fn forms_name_the_penalty() {
    for form in ITERATIVE.iter().chain(&["ll"]) {
        let usual = registry::parameters(form).unwrap().form();
        let l2 = usual.rsplit_once("l2=").unwrap().1.parse::<f64>().unwrap();
        assert_eq!(l2 > 0.0, *form != "ll", "{usual}");
        assert_eq!(registry::parameters(&usual).unwrap().form(), usual);
        let free = registry::parameters(&format!("{form}:l2=0")).unwrap().form();
        assert!(free.ends_with("l2=0"), "{free}");
    }
    let structural = registry::structure("structural-tm").unwrap().form();
    assert_eq!(registry::structure(&structural).unwrap().form(), structural);
    assert!(!structural.ends_with("l2=0") && structural.contains("l2="), "{structural}");
}
