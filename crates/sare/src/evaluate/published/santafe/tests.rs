//! The experiments on data that can be made here.

use super::binary::{binary_set, table_5_1, table_5_2};
use super::correlation::{Worth, worth, worths};
use super::figures::{Size, simulate};
use super::likelihood::table_5_4;
use super::models::{Fit, Model, climb, learner};
use super::random::{Distribution, Form, Joint};
use super::sets::Folder;
use crate::data::generate::rule;
use crate::data::write::{write_csv, write_file};
use crate::evaluate::scheme::Scheme;
use crate::evaluate::validate::{Options, evaluate};
use crate::infer::density::LogTables;
use crate::num::tolerance::close;
use crate::run::Run;
use crate::seed::{Purpose, Random};

/// A folder with corral, and with what `columns.csv` would say of it.
fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_string_lossy().into_owned();
    let corral = rule("corral", None, 1).unwrap();
    write_file(&format!("{path}/corral.csv"), |out| write_csv(&corral, "", out)).unwrap();
    let kinds = "file,column,kind\ncorral.csv,*,discrete\n";
    std::fs::write(format!("{path}/columns.csv"), kinds).unwrap();
    (folder, path)
}

/// The figures of naive Bayes were computed by another program, in 40 lines of Python; that of corral is the published
/// one too (table 5.4).
#[test]
fn known_sets_have_known_likelihoods() {
    let (_kept, path) = folder();
    let run = Run::default();
    for (set, rows, columns, expected) in [
        ("corral", 128, 7, -37.58),
        ("monk1-bin", 432, 11, -247.93),
        ("monk2-bin", 432, 11, -269.25),
    ] {
        let table = binary_set(&path, set, &run).unwrap();
        assert_eq!((table.rows(), table.columns()), (rows, columns), "{set}");
        let trace = climb(&Model::Naive, &table, &run).unwrap();
        assert!((trace[0] - expected).abs() < 0.005, "{set}: {}", trace[0]);
        assert!(trace.windows(2).all(|w| w[1] > w[0]), "{set}");
    }
}

#[test]
fn tm_starts_from_the_generative_model() {
    let table = rule("corral", None, 1).unwrap();
    let run = Run::default();
    for model in [Model::Naive, Model::Tan, Model::ConditionalTan] {
        let trace = climb(&model, &table, &run).unwrap();
        let cll = |fit: Fit| {
            let scheme = Scheme::Resubstitution;
            let learner = learner(&model, fit);
            evaluate(&learner, &table, "class", scheme, &Options::default(), &run)
                .unwrap()
                .total
                .cll
        };
        assert!(close(trace[0], cll(Fit::Generative), 1e-9), "{model:?}");
        assert!(close(trace[trace.len() - 1], cll(Fit::Tm), 1e-9), "{model:?}");
    }
}

#[test]
fn training_rows_come_before_all_monks() {
    let (_kept, path) = folder();
    // Not the robot's class, so that the row can be told from its twin.
    std::fs::write(format!("{path}/monk1-train.csv"), "a1,a2,a3,a4,a5,a6,class\n3,1,2,2,4,1,1\n")
        .unwrap();
    let table = binary_set(&path, "monk1-bin", &Run::default()).unwrap();
    assert_eq!(table.rows(), 433);
    let row = |r: usize| (0..11).map(|c| table.cells(c).code(r).unwrap()).collect::<Vec<_>>();
    // 3, 1, 2, 2, 4, 1 less one, low bits first; of two values one bit.
    assert_eq!(row(0), [0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1]);
    assert_eq!(row(1), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn an_experiment_leaves_out_what_it_has_not() {
    let (_kept, path) = folder();
    let run = Run::default();
    let report = table_5_1(&path, false, &run).unwrap();
    let sets: Vec<&str> = report.rows.iter().map(|r| r[0].as_str()).collect();
    assert_eq!(sets, ["corral", "monk1-bin", "monk2-bin"]);
    assert_eq!(report.rows[0][..3], ["corral", "-33.25", "-37.58"]);
    assert!(report.rows.iter().all(|r| r.len() == report.header.len()));
    assert!(report.notes.iter().any(|n| n.starts_with("mofn-3-7-10 was left out")));
    assert_eq!(report.drawings.len(), 3);
    let report = table_5_4(&path, false, &run).unwrap();
    assert_eq!(report.rows.len(), 1);
    assert!(report.notes[18].starts_with("NB: 1 of 1 equal"), "{:?}", report.notes);
}

/// Leaving out each row of corral, naive Bayes has the published accuracy; and what is quick says what it left out.
#[test]
fn left_out_rows_are_tested() {
    let (_kept, path) = folder();
    let report = table_5_2(&path, false, &Run::default()).unwrap();
    assert_eq!(report.rows[0][..3], ["corral", "84.37", "84.38"]);
    assert!(report.rows.iter().all(|r| r.len() == report.header.len()));
    assert!(report.notes.iter().any(|n| n.starts_with("Quick:")));
}

#[test]
fn missing_votes_are_votes_and_other_holes_leave_rows_out() {
    let (_kept, path) = folder();
    let rows = "a,b,class\ny,n,u\n,n,v\ny,,v\nn,m,u\n,k,v\n";
    for name in ["vote", "crx"] {
        std::fs::write(format!("{path}/{name}.csv"), rows).unwrap();
    }
    let run = Run::default();
    let folder = Folder::open(&path, &run).unwrap();
    let vote = folder.set("vote", &run).unwrap();
    assert_eq!(vote.rows(), 5);
    assert_eq!((vote.field(0).states(), vote.field(1).states(), vote.field(2).states()), (3, 4, 2));
    assert_eq!((vote.text(0, 1), vote.text(1, 2)), ("?".to_string(), "?".to_string()));
    // The class v is gone with its rows, and so is the level k.
    let crx = folder.set("crx", &run).unwrap();
    assert_eq!((crx.rows(), crx.field(1).states(), crx.field(2).states()), (2, 2, 1));
}

#[test]
fn random_joints_are_distributions() {
    for (alpha, seed) in [(1.0, 1), (1.0, 2), (0.01, 3)] {
        let draw = || Joint::draw(vec![2, 3, 2], alpha, &mut Random::new(seed, Purpose::Model, 0));
        let joint = draw();
        assert_eq!(joint.cells(), 12);
        let all: Vec<f64> = (0..12).map(|c| joint.probability(c)).collect();
        assert!(all.iter().all(|p| *p >= 0.0), "{all:?}");
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((0..12).all(|c| draw().probability(c) == all[c]), "same seed, same distribution");
        // Rows come as often as their cells say, within five standard deviations.
        let mut random = Random::new(seed, Purpose::Sample, 0);
        let table = Distribution::Joint(joint).sample(100_000, &mut random).unwrap();
        let mut counts = [0.0; 12];
        for r in 0..table.rows() {
            let code = |c: usize| table.cells(c).code(r).unwrap();
            counts[(code(0) * 3 + code(1)) * 2 + code(2)] += 1.0;
        }
        for (count, p) in counts.iter().zip(&all) {
            let allowed = 5.0 * (p * (1.0 - p) / 1e5).sqrt() + 1e-9;
            assert!((count / 1e5 - p).abs() < allowed, "{count} {p}");
        }
    }
    let draw = |seed| {
        let mut random = Random::new(seed, Purpose::Model, 0);
        Distribution::draw(Form::SparseJoint, 6, 3, &mut random).unwrap()
    };
    let rows = |d: Distribution| d.sample(50, &mut Random::new(9, Purpose::Sample, 0)).unwrap();
    assert_eq!(rows(draw(5)), rows(draw(5)));
    assert_ne!(rows(draw(5)), rows(draw(6)));
}

#[test]
fn random_networks_have_their_form() {
    for seed in 0..20 {
        let draw = |form| {
            let mut random = Random::new(seed, Purpose::Model, 0);
            match Distribution::draw(form, 8, 3, &mut random).unwrap() {
                Distribution::Network(network) => network,
                Distribution::Joint(_) => panic!("{form:?} is a network"),
            }
        };
        let (naive, tan) = (draw(Form::Naive), draw(Form::Tan));
        assert_eq!((naive.dag().arcs(), tan.dag().arcs()), (8, 8 + 7));
        assert!((0..8).all(|v| tan.dag().has_arc(8, v) && tan.dag().parents(v).count() <= 2));
        assert!((0..8).all(|v| (2..=3).contains(&tan.states(v))) && tan.states(8) == 3);
    }
}

/// The same figures on one thread and on two, and on data of naive Bayes a classifier better than guessing.
#[test]
fn a_simulation_depends_on_the_seed_alone() {
    let size = Size { models: 2, samples: 2, rows: vec![60] };
    let on = |threads: usize, seed: u64| {
        let run = Run::with_seed(seed).threads(threads).unwrap();
        simulate(&size, &[4], &run).unwrap()
    };
    let report = on(1, 1);
    assert_eq!(report.rows, on(2, 1).rows);
    assert_ne!(report.rows, on(2, 2).rows);
    // Two numbers of classes and their mean, for each of four kinds.
    assert_eq!((report.rows.len(), report.drawings.len()), (12, 8));
    assert_eq!(report.rows[0][..4], ["NB", "4", "2", "60"]);
    assert!(report.rows[0][4].parse::<f64>().unwrap() > 55.0, "{:?}", report.rows[0]);
}

#[test]
fn what_parameters_are_worth() {
    let mut random = Random::new(4, Purpose::Model, 0);
    let Distribution::Network(network) = Distribution::draw(Form::Tan, 5, 3, &mut random).unwrap()
    else {
        panic!("a TAN is a network");
    };
    let table = network.sample("t", 200, &mut random).unwrap();
    let ours = worth(&LogTables::new(&network), &table);
    let sum: f64 = network.log_probabilities(&table).unwrap().iter().sum();
    assert!(close(ours.likelihood, sum, 1e-9));
    // By summing over the classes of each row.
    let (mut conditional, mut right) = (0.0, 0.0);
    for r in 0..200 {
        let mut row: Vec<usize> = (0..6).map(|c| table.cells(c).code(r).unwrap()).collect();
        let truth = row[5];
        let all: Vec<f64> = (0..3)
            .map(|c| {
                row[5] = c;
                network.log_probability(&row).exp()
            })
            .collect();
        conditional += (all[truth] / all.iter().sum::<f64>()).ln();
        right += f64::from(u8::from(all.iter().all(|p| *p <= all[truth])));
    }
    assert!(close(ours.conditional, conditional, 1e-9));
    assert_eq!(ours.accuracy, right / 200.0);
    let run = Run::default();
    let all: Vec<Worth> = worths(&Model::Naive, &table, 20, &run).unwrap();
    assert_eq!(all, worths(&Model::Naive, &table, 20, &run).unwrap());
    assert!(all.iter().all(|w| w.conditional < 0.0 && w.likelihood < w.conditional));
}
