//! Averages over structures as models: written and read, from weights and streams, with holes and many attributes.

mod common;

use common::averages::{fit, holed, learners, logs, of_codes, pairs, table};
use sare::average::naive::AveragedNaiveBayes;
use sare::average::order::{OrderAverage, OrderWeights};
use sare::average::super_parents::SuperParents;
use sare::average::trees::TreeAverage;
use sare::average::{Average, Model, PairModel, PairTables};
use sare::data::{Source, Stream, Table};
use sare::num::tolerance::close;
use sare::num::{log_sum_exp, normalise_logs};
use sare::parameters::dirichlet::Prior;
use sare::run::Run;

#[test]
fn rows_with_many_missing_cells_are_answered() {
    let states = [4; 24];
    let table = table(&states, 2, 300, 0.5, 62);
    let many = holed(&table, |r, v| r == 17 && v % 5 != 0);
    let nothing = holed(&table, |r, _| r < 3);
    for average in learners() {
        let model = pairs(fit(average.as_ref(), Prior::Laplace, &table).0);
        let (whole, ours) = (logs(&model, &table), logs(&model, &many));
        for r in 0..300 {
            for c in 0..2 {
                let (part, all) = (ours[r * 2 + c], whole[r * 2 + c]);
                assert!(if r == 17 { part > all && part < 0.0 } else { part == all });
            }
        }
        let class = Prior::Laplace.probabilities(&model.tables().class());
        for (c, p) in logs(&model, &nothing)[..6].iter().enumerate() {
            assert!(close(*p, class[c % 2].ln(), 1e-12), "{}", average.form());
        }
        assert_eq!(logs(&model, &many), ours, "always the same forests");
    }
}

/// A row of twelve missing cells of two states: the sum over its completions against drawn forests.
#[test]
fn drawn_forests_are_near_the_sum_over_all_completions() {
    let table = table(&[2; 18], 3, 60, 0.7, 63);
    let missing = holed(&table, |r, v| !(v + r).is_multiple_of(3));
    let completed = |r: usize| {
        let columns = (0..19).map(|v| {
            let cell = |code: usize| {
                let places = (0..v).filter(|u| !(u + r).is_multiple_of(3)).count();
                let own = missing.cells(v).code(r);
                if v == 18 { None } else { Some(own.unwrap_or(code >> places & 1)) }
            };
            (0..1 << 12).map(cell).collect()
        });
        of_codes(columns.collect(), &[2; 18], 3)
    };
    for average in &learners()[1..] {
        let model = pairs(fit(average.as_ref(), Prior::Laplace, &table).0);
        let ours = logs(&model, &missing);
        let mut worst: f64 = 0.0;
        for r in 0..10 {
            let all = logs(&model, &completed(r));
            let wanted: Vec<f64> = (0..3)
                .map(|c| log_sum_exp(&all.iter().skip(c).step_by(3).copied().collect::<Vec<f64>>()))
                .collect();
            let posterior = |logs: &[f64]| {
                let mut p = logs.to_vec();
                normalise_logs(&mut p);
                p
            };
            let (a, b) = (posterior(&ours[r * 3..][..3]), posterior(&wanted));
            worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
        }
        assert!(worst > 1e-6 && worst < 0.1, "{}: {worst}", average.form());
    }
}

#[test]
fn hundreds_of_attributes_stay_finite() {
    let states: Vec<usize> = (0..300).map(|v| 2 + v % 3).collect();
    let table = table(&states, 3, 60, 0.4, 71);
    for average in learners() {
        // Trees use the prior for the class alone.
        let priors = if average.form().contains("trees") { 1 } else { 3 };
        let all = [Prior::Laplace, Prior::Dirichlet(1e-9), Prior::Dirichlet(1e-90)];
        for prior in all.into_iter().take(priors) {
            let (model, outcome) = fit(average.as_ref(), prior, &table);
            let values = logs(&pairs(model), &table);
            assert!(values.iter().all(|x| x.is_finite()), "{}", average.form());
            let arcs = outcome.arcs.unwrap_or_default();
            assert!(arcs.iter().all(|a| (0.001..=1.0).contains(&a.probability)));
        }
    }
    let model = pairs(fit(&SuperParents::default(), Prior::None, &table).0);
    assert!(logs(&model, &table).iter().all(|x| x.is_finite()));
}

#[test]
fn a_model_that_is_written_and_read_is_the_same() {
    let table = table(&[2, 3, 4, 2, 3, 2, 2], 3, 200, 0.5, 81);
    let weights = (0..200).map(|r| 0.1 + r as f64 / 7.0).collect();
    let table = table.with_weights(weights).unwrap();
    let holed = holed(&table, |r, v| r % 5 == v);
    for average in learners() {
        for prior in [Prior::Laplace, Prior::Dirichlet(0.1), Prior::Bdeu(2.5)] {
            let model = pairs(fit(average.as_ref(), prior, &table).0);
            let text = serde_json::to_string(&model).unwrap();
            let again: PairModel = serde_json::from_str(&text).unwrap();
            let bits = |m: &PairModel, t: &Table| -> Vec<u64> {
                logs(m, t).into_iter().map(f64::to_bits).collect()
            };
            assert_eq!(bits(&model, &table), bits(&again, &table));
            assert_eq!(bits(&model, &holed), bits(&again, &holed));
            assert_eq!(serde_json::to_string(&again).unwrap(), text);
            assert_eq!(model.free_parameters(), again.free_parameters());
            assert!(again.fits(table.schema()));
        }
    }
}

#[test]
fn damaged_models_are_refused() {
    let table = table(&[2, 3], 2, 20, 0.5, 82);
    let text = |average: &dyn Average| {
        serde_json::to_string(&pairs(fit(average, Prior::Laplace, &table).0)).unwrap()
    };
    let (aode, trees) = (text(&SuperParents::default()), text(&TreeAverage::default()));
    let orders = text(&OrderAverage { orders: 1, weights: OrderWeights::Evidence });
    let refused = |good: &str, from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        let broken = good.replacen(from, to, 1);
        serde_json::from_str::<PairModel>(&broken).expect_err(&broken);
    };
    for good in [&aode, &trees, &orders] {
        serde_json::from_str::<PairModel>(good).unwrap();
        refused(good, "\"states\":[2,3]", "\"states\":[3,2,2]");
        refused(good, "\"states\":[2,3]", "\"states\":[0,3]");
        refused(good, "\"states\":[2,3]", "\"states\":[18446744073709551615,3]");
        refused(good, "\"states\":[2,3]", "\"states\":[]");
        refused(good, "\"class\":[", "\"class\":[1.0,");
        refused(good, "\"singles\":[", "\"singles\":[-");
        refused(good, "\"pairs\":[", "\"pairs\":[3.0,");
        refused(good, "\"pairs\":[", "\"pairs\":[null,");
        refused(good, "\"pairs\":[", "\"pairs\":[1e300,");
        refused(good, "\"laplace\"", "{\"dirichlet\":-1}");
        refused(good, "\"laplace\"", "{\"bdeu\":0}");
    }
    refused(&orders, "\"laplace\"", "\"none\"");
    refused(&orders, "\"orders\":[[", "\"orders\":[[0,");
    let order = if orders.contains("[[0,1]]") { "[[0,1]]" } else { "[[1,0]]" };
    for bad in ["[[0,0]]", "[[0,7]]", "[[0]]", "[]"] {
        refused(&orders, order, bad);
    }
    refused(&trees, "\"weight\":1.0", "\"weight\":0.0");
    refused(&trees, "\"weight\":1.0", "\"weight\":1e200");
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    let once = table(&[2, 3, 4, 2], 3, 80, 0.5, 91);
    let rows: Vec<u32> = (0..80).flat_map(|r| std::iter::repeat_n(r, 1 + r as usize % 3)).collect();
    let twice = once.gather(&rows);
    let weighted =
        once.clone().with_weights((0..80).map(|r| 1.0 + f64::from(r % 3)).collect()).unwrap();
    for average in learners() {
        let (a, of_a) = fit(average.as_ref(), Prior::Laplace, &weighted);
        let (b, of_b) = fit(average.as_ref(), Prior::Laplace, &twice);
        assert_eq!(logs(&pairs(a), &once), logs(&pairs(b), &once), "{}", average.form());
        assert_eq!(of_a, of_b);
    }
    let (Model::Network(a), _) = fit(&AveragedNaiveBayes, Prior::Laplace, &weighted) else {
        panic!("not a network")
    };
    let (Model::Network(b), _) = fit(&AveragedNaiveBayes, Prior::Laplace, &twice) else {
        panic!("not a network")
    };
    assert_eq!(a, b);
}

#[test]
fn threads_change_nothing() {
    let table = table(&[2, 3, 4, 2, 2, 3], 3, 5000, 0.5, 92);
    let source = Source::Memory(table.view());
    for average in learners() {
        let with = |threads: usize| {
            let run = Run::with_seed(5).threads(threads).unwrap();
            let (model, outcome) = average.learn(Prior::Laplace, &source, &run).unwrap();
            let values = pairs(model).log_joints(table.view(), &run);
            (values.into_iter().map(f64::to_bits).collect::<Vec<_>>(), outcome)
        };
        assert_eq!(with(1), with(3), "{}", average.form());
    }
}

/// Every table counts the rows in which its cells are seen, and an average is made of counts of all rows: those of attributes
/// sum to the classes, and those of pairs to those of attributes.
#[test]
fn missing_cells_are_expected() {
    let full = table(&[2, 3, 2, 3], 2, 300, 0.6, 93);
    let some = holed(&full, |r, v| v == r % 4 || r % 5 == v);
    let run = Run::default();
    let available = PairTables::count(&Source::Memory(some.view()), &run).unwrap();
    for v in 0..4 {
        let seen = (0..300).filter(|&r| some.cells(v).code(r).is_some()).count();
        assert_eq!(available.alone(v).total(), seen as f64);
    }
    for average in &learners()[1..] {
        let (model, outcome) = fit(average.as_ref(), Prior::Laplace, &some);
        let (model, class) = (pairs(model), available.class());
        assert!(outcome.iterations > 1 && outcome.trace.len() == outcome.iterations);
        let counts = model.tables();
        assert_eq!((counts.rows(), counts.class()), (300.0, class.clone()));
        for j in 0..4 {
            let own = counts.alone(j);
            for c in 0..2 {
                assert!(close(own.sum_over_states(0, c), class.at(0, c, 0), 1e-9));
            }
            for parent in (0..4).filter(|p| *p != j) {
                let family = counts.family(parent, j);
                for (y, c) in (0..full.field(j).states()).flat_map(|y| [(y, 0), (y, 1)]) {
                    let sum: f64 =
                        (0..full.field(parent).states()).map(|x| family.at(x, y, c)).sum();
                    assert!(close(sum, own.at(0, y, c), 1e-9), "{sum} {}", own.at(0, y, c));
                }
            }
        }
    }
}

#[test]
fn streams_are_counted_like_rows_in_memory() {
    let full = table(&[2, 3, 2, 3], 2, 500, 0.6, 94);
    let some = holed(&full, |r, v| r % 9 == 0 && v == r % 4);
    let folder = tempfile::tempdir().unwrap();
    let run = Run::default();
    for (name, table) in [("full.csv", &full), ("some.csv", &some)] {
        let path = folder.path().join(name);
        let mut text: Vec<String> =
            vec![(0..5).map(|c| table.field(c).name.clone()).collect::<Vec<_>>().join(",")];
        for r in 0..500 {
            let level = |c: usize| format!("l{}", table.text(c, r)).trim_end_matches('l').into();
            text.push((0..5).map(level).collect::<Vec<String>>().join(","));
        }
        std::fs::write(&path, text.join("\n")).unwrap();
        let path = path.to_str().unwrap();
        let options = sare::data::ReadOptions::default();
        let memory = sare::data::read_table(path, &options, &run).unwrap();
        let stream = Stream::open(path, &options, &run).unwrap();
        for average in learners() {
            let of = |source: &Source<'_>| average.learn(Prior::Laplace, source, &run);
            let stream = of(&Source::Stream(&stream));
            let (stream, of_stream) = stream.unwrap();
            let (memory_model, of_memory) = of(&Source::Memory(memory.view())).unwrap();
            assert_eq!(of_stream, of_memory);
            let (a, b) = (pairs(stream), pairs(memory_model));
            assert_eq!(a.tables(), b.tables());
            assert_eq!(logs(&a, &memory), logs(&b, &memory));
        }
    }
}

#[test]
fn priors_that_will_not_do_are_refused() {
    let averages: [Box<dyn Average>; 4] = [
        Box::new(AveragedNaiveBayes),
        Box::new(OrderAverage::default()),
        Box::new(SuperParents::default()),
        Box::new(TreeAverage::default()),
    ];
    for (at, average) in averages.iter().enumerate() {
        average.check(Some(Prior::Laplace)).unwrap();
        average.check(Some(Prior::Bdeu(1.0))).unwrap();
        average.check(Some(Prior::Dirichlet(0.0))).unwrap_err();
        average.check(None).unwrap_err();
        let none = average.check(Some(Prior::None));
        if at < 2 {
            let text = none.unwrap_err().to_string();
            let names = ["laplace", "dirichlet", "bdeu", "ml"];
            assert!(names.iter().all(|n| text.contains(n)), "{text}");
        } else {
            none.unwrap();
        }
    }
    TreeAverage { weight: 1e9 }.check(Some(Prior::Laplace)).unwrap_err();
    TreeAverage { weight: f64::NAN }.check(Some(Prior::Laplace)).unwrap_err();
}
