//! Averages over structures as models: written and read, from weights and streams, with holes and many attributes.

mod common;

use common::averages::{fit, holed, learners, logs, pairs, table};
use sare::average::naive::AveragedNaiveBayes;
use sare::average::order::{OrderAverage, OrderWeights};
use sare::average::super_parents::SuperParents;
use sare::average::trees::TreeAverage;
use sare::average::{Average, Model, PairModel, PairTables, Rows};
use sare::data::{Source, Stream, Table, View};
use sare::parameters::dirichlet::Prior;
use sare::run::Run;

#[test]
fn too_many_completions_are_refused_before_prediction() {
    let states = [4; 24];
    let table = table(&states, 2, 300, 0.5, 62);
    let few = holed(&table, |r, v| r % 2 == 0 && v < 6);
    let many = holed(&table, |r, v| r == 17 && v % 5 != 0);
    let nothing = holed(&table, |_, _| true);
    for average in learners() {
        let model = pairs(fit(average.as_ref(), Prior::Laplace, &table).0);
        assert!(model.check(View::of(&few, &[0, 1, 2])).is_ok());
        assert!(model.check(nothing.view()).is_ok(), "nothing seen is nothing to sum over");
        let run = Run::default();
        match model.log_joints(many.view(), &run) {
            Ok(values) => {
                assert!(average.form().starts_with("aode"));
                assert!(values.iter().all(|x| x.is_finite()));
            }
            Err(e) => {
                let text = e.to_string();
                assert!(text.contains("row 18") && text.contains("65536"), "{text}");
            }
        }
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
            let values = pairs(model).log_joints(table.view(), &run).unwrap();
            (values.into_iter().map(f64::to_bits).collect::<Vec<_>>(), outcome)
        };
        assert_eq!(with(1), with(3), "{}", average.form());
    }
}

/// Rival structures are weighed by rows without holes, and only by those; the class is counted in all rows.
#[test]
fn structures_are_weighed_by_complete_rows() {
    let full = table(&[2, 3, 2, 3], 2, 300, 0.6, 93);
    let some = holed(&full, |r, v| r % 3 == 0 && v == r % 4);
    let whole: Vec<u32> = (0..300).filter(|r| r % 3 != 0).collect();
    let run = Run::default();
    let source = Source::Memory(some.view());
    let complete = PairTables::count(&source, Rows::Complete, &run).unwrap();
    assert_eq!(complete.rows(), 200.0);
    let wanted =
        PairTables::count(&Source::Memory(View::of(&full, &whole)), Rows::Complete, &run).unwrap();
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        assert_eq!(complete.pair(i, j), wanted.pair(i, j));
    }
    assert_eq!(complete.class().total(), 300.0);
    let available = PairTables::count(&source, Rows::Available, &run).unwrap();
    assert_eq!(available.rows(), 300.0);
    for v in 0..4 {
        let seen = (0..300).filter(|&r| some.cells(v).code(r).is_some()).count();
        assert_eq!(available.alone(v).total(), seen as f64);
        assert_eq!(complete.alone(v).total(), 200.0);
    }
    let never = holed(&full, |r, v| v == r % 4);
    for average in &learners()[1..] {
        let source = Source::Memory(never.view());
        let error = average.learn(Prior::Laplace, &source, &run).unwrap_err().to_string();
        assert!(error.contains("no row of known class has all its cells"), "{error}");
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
            if name == "some.csv" && !average.form().starts_with("aode") {
                let error = stream.unwrap_err().to_string();
                assert!(error.contains("leave out --stream"), "{error}");
                continue;
            }
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
