//! The experiments in small, and the published figures.

use super::contest::{Contest, Distance, Found, Tally};
use super::detection::{MODELS, detect, network, own_measure};
use super::leukemia::LEUKEMIA;
use super::published::Published;
use super::random::{Form, Shape};
use super::table_1::AGAINST_EM;
use super::table_2::AGAINST_EM_ON_NETWORKS;
use super::tan::against;
use super::wins::{Size, WinTable};
use crate::num::tolerance::close;
use crate::run::Run;
use crate::seed::{Purpose, Random};

const TAN: [&str; 3] =
    [include_str!("table_7_4.csv"), include_str!("table_7_5.csv"), include_str!("table_7_6.csv")];

#[test]
fn published_tables_are_whole() {
    let first = Published::read(AGAINST_EM.published);
    let second = Published::read(AGAINST_EM_ON_NETWORKS.published);
    assert_eq!((first.keys.len(), first.lines.len()), (2, 12));
    assert_eq!((second.keys.len(), second.lines.len()), (3, 24));
    for table in [&first, &second] {
        assert_eq!(table.rows, [10, 20, 40, 80, 160, 320, 640]);
        assert!(table.lines.iter().all(|l| l.cells.len() == 7 && l.keys.len() == table.keys.len()));
    }
    assert_eq!(first.lines[0].cells[0], Tally { wins: 24, draws: 17, losses: 9, sure: 2 });
    assert_eq!(first.lines[11].cells[6].text(), "25/13/12**");
    assert_eq!(second.lines[16].cells[2].text(), "36/2/12**");
    // What is printed in the publications does not sum everywhere; the rest does.
    let wrong = first.wrong_sums(50);
    assert_eq!(wrong[0], "7/22/22** (4 attributes, 2 clusters, 160 rows) to 51");
    assert_eq!((wrong.len(), second.wrong_sums(50).len()), (2, 3));
    for table in TAN.map(Published::read) {
        assert_eq!((table.keys.len(), table.rows.len(), table.lines.len()), (1, 5, 6));
        assert!(table.wrong_sums(100).is_empty());
    }
}

#[test]
fn random_models_have_their_form() {
    let (mut arcs, mut most) = (0, 0);
    for seed in 0..40 {
        let draw = |form, most_states| {
            let shape = Shape { form, attributes: 10, clusters: 3, most_states, equal: false };
            shape.draw(&mut Random::new(seed, Purpose::Model, 0)).unwrap()
        };
        let (naive, net, tan) =
            (draw(Form::SelectiveNaive, 5), draw(Form::Network(2), 5), draw(Form::Tan, 3));
        for network in [&naive, &net, &tan] {
            assert_eq!((network.states(10), network.dag().parents(10).count()), (3, 0));
        }
        assert!((0..10).all(|v| naive.dag().parents(v).all(|p| p == 10)));
        arcs += naive.dag().arcs();
        let attributes = |v: usize| net.dag().parents(v).filter(|&p| p < 10).count();
        most = most.max((0..10).map(attributes).max().unwrap());
        assert_eq!(tan.dag().arcs(), 10 + 9);
        assert!((0..10).all(|v| tan.dag().has_arc(10, v) && tan.dag().parents(v).count() <= 2));
        assert!((0..10).all(|v| (2..=5).contains(&naive.states(v))));
        assert!((0..10).all(|v| (2..=3).contains(&tan.states(v))));
    }
    let equal =
        Shape { equal: true, ..SHAPE }.draw(&mut Random::new(1, Purpose::Model, 0)).unwrap();
    let drawn = SHAPE.draw(&mut Random::new(1, Purpose::Model, 0)).unwrap();
    assert_eq!(equal.table(6), [0.5, 0.5]);
    assert!(drawn.table(6) != [0.5, 0.5] && (0..6).all(|v| drawn.table(v) == equal.table(v)));
    // Half of 400 arcs, within five standard deviations.
    assert!((150..=250).contains(&arcs), "{arcs}");
    assert_eq!(most, 2);
}

#[test]
fn wins_are_counted_and_weighed() {
    let found = |distances: &[f64]| -> Vec<Found> {
        let one = |&distance| Found { distance, accuracy: 0.0, is_one: false };
        distances.iter().map(one).collect()
    };
    let tally = Tally::of(&found(&[1.0, 2.0, 2.0, 5.0]), &found(&[2.0, 2.0, 4.0, 1.0]));
    assert_eq!(tally, Tally { wins: 2, draws: 1, losses: 1, sure: 0 });
    assert_eq!((tally.text(), tally.total()), ("2/1/1".into(), 4));
    // All of n different differences on one side: p = 2 / 2^n exactly.
    for (n, sure) in [(4, 0), (5, 1), (7, 1), (8, 2)] {
        let far = found(&(1..=n).map(f64::from).collect::<Vec<f64>>());
        let near = found(&vec![0.0; far.len()]);
        assert_eq!((Tally::of(&near, &far).sure, Tally::of(&far, &near).sure), (sure, sure), "{n}");
    }
}

const SHAPE: Shape =
    Shape { form: Form::SelectiveNaive, attributes: 6, clusters: 2, most_states: 4, equal: false };

fn contest<'a>(methods: &'a [&'a str], models: usize, rows: &'a [usize]) -> Contest<'a> {
    Contest { methods, starts: 3, models, rows, distance: Distance::Hamming }
}

#[test]
fn a_contest_depends_on_the_seed_alone() {
    let large = contest(&["ema", "em:1", "em:0"], 4, &[20, 60]);
    let on = |threads: usize, seed: u64| {
        let run = Run::with_seed(seed).threads(threads).unwrap();
        large.hold(&SHAPE, &run).unwrap()
    };
    let found = on(1, 1);
    assert_eq!(found, on(2, 1));
    assert_ne!(found, on(2, 2));
    assert_eq!((found.len(), found[0].len(), found[0][0].len()), (2, 3, 4));
    // A smaller contest is a part of the larger one.
    let small = contest(&["em:1"], 2, &[60]).hold(&SHAPE, &Run::with_seed(1)).unwrap();
    assert_eq!(small[0][0], found[1][1][..2]);
    // Each pair of rows counts twice, so a distance is even, and below all pairs.
    let all = found.iter().zip([20.0, 60.0]);
    for (found, rows) in all.flat_map(|(f, n)| f.iter().flatten().map(move |v| (*v, n))) {
        let distance = found.distance;
        assert!(distance % 2.0 == 0.0 && distance <= rows * (rows - 1.0), "{found:?}");
    }
}

#[test]
fn clear_clusters_are_found_by_both_distances() {
    let shape = Shape { attributes: 60, ..SHAPE };
    let methods = ["ema", "em"];
    let run = Run::with_seed(3);
    let hamming = contest(&methods, 3, &[100]);
    let error = Contest { distance: Distance::Error, ..contest(&methods, 3, &[100]) };
    let pairs = hamming.hold(&shape, &run).unwrap();
    let shares = error.hold(&shape, &run).unwrap();
    for (p, e) in pairs[0].iter().flatten().zip(shares[0].iter().flatten()) {
        let share = e.distance;
        assert!(share < 0.1 && e.accuracy == 1.0 - share && p.accuracy == e.accuracy, "{e:?}");
        // Two clusters of which the share e of n rows is wrong: 2 e (1 - e) n^2 entries, whatever their sizes.
        assert!(close(p.distance, 2.0 * share * (1.0 - share) * 1e4, 1e-9), "{p:?} {e:?}");
    }
}

#[test]
fn a_method_draws_with_itself_and_an_unknown_one_is_named() {
    let run = Run::with_seed(1);
    let found = contest(&["em", "em"], 3, &[30]).hold(&SHAPE, &run).unwrap();
    let tally = Tally::of(&found[0][0], &found[0][1]);
    assert_eq!(tally, Tally { draws: 3, ..Tally::default() });
    let problem = contest(&["rem"], 1, &[30]).hold(&SHAPE, &run).unwrap_err().to_string();
    assert!(problem.contains("'rem'"), "{problem}");
}

#[test]
fn a_table_sets_ours_beside_the_published() {
    let published = "attributes,clusters,10,20,40\n4,2,1/1/1,2/1/1*,0/0/3**\n6,3,3/0/0,3/0/0,3/0/0\n8,2,3/0/0,3/0/0,3/0/0\n";
    let table = WinTable { published, models: 3, ..AGAINST_EM };
    let size = Size { models: 3, starts: 2, rows: &[10, 40], attributes: 6 };
    let run = Run::with_seed(2);
    let report = table.run(&size, &run).unwrap();
    assert_eq!(
        report.header,
        ["attributes", "clusters", "10 rows published", "ours", "40 rows published", "ours"]
    );
    // Two lines, and of these models and of those of equal clusters three sums and two rows for each of four methods.
    assert_eq!(report.rows.len(), 2 + 2 * (3 + 2 * 4));
    assert!(report.rows.iter().all(|r| r.len() == report.header.len()));
    let contest = Contest { starts: 2, ..contest(AGAINST_EM.methods, 3, &[10, 40]) };
    let hold = |shape: Shape| contest.hold(&shape, &run).unwrap();
    let shapes = [[4, 2], [6, 3]].map(|keys| (AGAINST_EM.shape)(&keys));
    let found = shapes.map(hold);
    let ours = |line: usize, i: usize| Tally::of(&found[line][i][0], &found[line][i][1]);
    let texts = [ours(0, 0).text(), ours(0, 1).text()];
    assert_eq!(report.rows[0], ["4", "2", "1/1/1", &texts[0], "0/0/3**", &texts[1]]);
    let sum = ours(0, 0).plus(&ours(1, 0)).text();
    assert_eq!(report.rows[2][..4], ["all: sum against em:1", "", "4/1/1", &sum]);
    let both = || found[0][1][2].iter().chain(&found[1][1][2]);
    let right = format!("{:.1}", both().map(|f| f.accuracy).sum::<f64>() / 0.06);
    assert_eq!(report.rows[7], ["all: % right by em:0", "", "", &report.rows[7][3], "", &right]);
    let ones = |all: [Vec<Vec<Vec<Found>>>; 2]| {
        let count = |f: &Vec<Vec<Vec<Found>>>| f[0][0].iter().filter(|f| f.is_one).count();
        format!("{} of 6", all.iter().map(count).sum::<usize>())
    };
    let equal = shapes.map(|shape| hold(Shape { equal: true, ..shape }));
    assert_eq!(
        report.rows[9][..4],
        ["all: in one cluster by ema:1 weighted", "", "", &ones(found)]
    );
    let name = "clusters of equal probability: in one cluster by ema:1 weighted";
    assert_eq!(report.rows[20][..4], [name, "", "", &ones(equal)]);
    assert!(report.notes[2].contains("of 4 cells"), "{:?}", report.notes);
    assert!(report.notes[3].contains("2/1/1* (4 attributes, 2 clusters, 20 rows) to 4"));
}

#[test]
fn tables_of_trees_take_any_two_methods() {
    let size = Size { models: 2, starts: 2, rows: &[40], attributes: 4 };
    let report = against(TAN[0], &["ema", "em"]).run(&size, &Run::with_seed(1)).unwrap();
    let keys: Vec<&str> = report.rows.iter().map(|r| r[0].as_str()).collect();
    assert_eq!(keys[..3], ["2", "4", "all: sum against em"]);
    assert_eq!(report.rows[0][1], "11/71/18");
    let sum: usize = report.rows[2][2].split('/').map(|n| n.parse::<usize>().unwrap()).sum();
    assert_eq!(sum, 4);
}

#[test]
fn what_is_irrelevant_is_detected() {
    let on = |threads: usize| {
        detect(3, &[40, 1280], &Run::with_seed(1).threads(threads).unwrap()).unwrap()
    };
    let report = on(1);
    assert_eq!(report.rows, on(2).rows);
    assert_eq!((report.rows.len(), report.drawings.len()), (6, 2));
    for (row, truth) in [(1, MODELS[0]), (4, MODELS[1])] {
        let cell = |c: usize| report.rows[row][c].parse::<f64>().unwrap();
        let (depends, not): (Vec<usize>, Vec<usize>) =
            (0..truth.len()).partition(|&v| truth[v][0] != truth[v][1]);
        assert_eq!(report.rows[row][..2], [truth.len().to_string(), "1280".into()]);
        for measure in [2, 8] {
            let least = depends.iter().map(|v| cell(measure + v)).fold(1.0, f64::min);
            assert!(not.iter().all(|v| cell(measure + v) < 0.5 * least), "{:?}", report.rows[row]);
        }
    }
}

#[test]
fn the_models_of_the_detection_are_what_they_say() {
    for truth in MODELS {
        let network = network(truth).unwrap();
        let class = truth.len();
        for (v, p) in truth.iter().enumerate() {
            assert_eq!(network.dag().has_arc(class, v), p[0] != p[1]);
            // By the definition, over the joint distribution of attribute and cluster.
            let joint = |x: usize, c: usize| 0.5 * if x == 1 { p[c] } else { 1.0 - p[c] };
            let marginal = |x: usize| joint(x, 0) + joint(x, 1);
            let term =
                |x: usize, c: usize| marginal(x) * (marginal(x) / (2.0 * joint(x, c))).log2();
            let mean = (term(0, 0) + term(1, 0) + term(0, 1) + term(1, 1)) / 2.0;
            assert!((own_measure(truth)[v] - mean).abs() < 1e-12);
        }
    }
}

#[test]
fn groups_that_are_far_apart_are_told_apart_however_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_string_lossy().into_owned();
    let problem = (LEUKEMIA.run)(&path, false, &Run::default()).unwrap_err().to_string();
    assert!(problem.contains("golub-leukemia.csv"), "{problem}");
    let line = |i: usize| {
        let (kind, base) = if i.is_multiple_of(2) { ("ALL", 0) } else { ("AML", 1000) };
        let gene = |g: usize| (base + (i * (g + 3)) % 17).to_string();
        format!("{},{kind},{}\n", (0..5).map(gene).collect::<Vec<_>>().join(","), gene(5))
    };
    let text = format!("a,b,c,d,e,class,f\n{}", (0..24).map(line).collect::<String>());
    std::fs::write(format!("{path}/golub-leukemia.csv"), text).unwrap();
    let report = (LEUKEMIA.run)(&path, false, &Run::default()).unwrap();
    assert_eq!(report.rows.len(), 4);
    for row in &report.rows {
        assert_eq!(row.len(), report.header.len());
        // The middle one of three bins of equally many rows has some of both groups.
        assert!(row[3].parse::<f64>().unwrap() > 90.0, "{row:?}");
        assert!(row[5..].chunks(2).all(|c| c == ["100.00", "0.00"]), "{row:?}");
    }
    assert_eq!(report.rows[1][..3], ["multi-start EMA, best start", "82.50", "3.01"]);
}
