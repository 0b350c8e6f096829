//! Every registered learner through every check.

mod common;

use common::{columns, mixed_table, shuffled};
use sare::average::PairModel;
use sare::classify::{ClassValues, Classifier, Learner};
use sare::data::{Cells, Field, Table, View};
use sare::num::tolerance::{ROUNDING, close};
use sare::registry::{self, DISCRETISERS, PARAMETERS, STRUCTURES};
use sare::run::{Run, Stop};

/// Every structure with all parameters, and naive Bayes with every discretiser too, each with its default settings; the
/// searches by every method.
fn learners() -> Vec<(String, Learner)> {
    let mut all = Vec::new();
    let more = ["ban:k2", "ban:pc", "network:k2", "network:pc", "joined:backward", "fan:2"];
    let names = STRUCTURES.iter().map(|s| s.description.name).chain(more);
    for s in names {
        for p in PARAMETERS {
            // Those that iterate, with some structures.
            let counted = ["ml", "laplace", "dirichlet", "bdeu"].contains(&p.description.name);
            let some =
                if p.description.name == "tm" { &["nb"][..] } else { &["nb", "tan", "network"] };
            if !counted && !some.contains(&s) {
                continue;
            }
            let every = if s == "nb" && counted { DISCRETISERS } else { &DISCRETISERS[..1] };
            for d in every {
                let [p, d] = [p.description, d.description].map(|d| d.name);
                let learner = Learner {
                    structure: registry::structure(s).unwrap(),
                    parameters: registry::parameters(p).unwrap(),
                    discretise: registry::discretiser(d).unwrap(),
                    ..Learner::default()
                };
                // What does not go together is refused at the door, and by name.
                match learner.check() {
                    Ok(()) => all.push((format!("{s} + {p} + {d}"), learner)),
                    Err(e) => assert!(e.to_string().contains("needs a prior") && p == "ml", "{e}"),
                }
            }
        }
    }
    assert!(all.len() >= 60);
    all
}

fn fit(learner: &Learner, table: &Table) -> Classifier {
    learner.fit(table.view(), "class", &Run::default()).expect("the table can be learnt from")
}

/// Counts of the same rows; what missing cells add to them is a sum in the order of the rows.
fn same_pairs(a: Option<&PairModel>, b: Option<&PairModel>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
    let (x, y) = (a.tables(), b.tables());
    let near = |p: &[f64], q: &[f64]| p.iter().zip(q).all(|(p, q)| close(*p, *q, 1e-9));
    let n = x.attributes();
    a.kind() == b.kind()
        && a.prior() == b.prior()
        && x.states() == y.states()
        && near(x.class().values(), y.class().values())
        && (0..n).all(|j| {
            near(x.single(j), y.single(j)) && (0..j).all(|i| near(x.pair(i, j), y.pair(i, j)))
        })
}

/// Two classifiers that learnt the same.
fn same_model(a: &Classifier, b: &Classifier) -> bool {
    match (a.network(), b.network()) {
        // Rows in another order are sums in another order.
        (Some(x), Some(y)) if a.outcome().stop != Stop::Exact => {
            let near =
                |v: usize| x.table(v).iter().zip(y.table(v)).all(|(p, q)| (p - q).abs() < 1e-4);
            x.dag() == y.dag() && (0..x.variables().len()).all(near)
        }
        (x, y) => x == y && same_pairs(a.pairs(), b.pairs()),
    }
}

fn predict(model: &Classifier, table: &Table) -> ClassValues {
    model.predict(table, &Run::default()).expect("the table can be predicted").posteriors
}

/// How near the posteriors of two fits of the same must be: a climb ends near the top, not on it.
fn slack(model: &Classifier) -> f64 {
    if model.outcome().stop == Stop::Exact { ROUNDING } else { 0.02 }
}

fn same(a: &ClassValues, b: &ClassValues, slack: f64) -> bool {
    a.rows() == b.rows()
        && (0..a.rows()).all(|r| a.row(r).iter().zip(b.row(r)).all(|(x, y)| close(*x, *y, slack)))
}

#[test]
fn a_text_form_makes_the_same_learner_again() {
    for (name, learner) in learners() {
        let form = learner.structure.form();
        assert_eq!(registry::structure(&form).unwrap().form(), form, "{name}");
        let form = learner.parameters.form();
        assert_eq!(registry::parameters(&form).unwrap().form(), form, "{name}");
    }
    assert_eq!(registry::parameters("dirichlet:0.25").unwrap().form(), "dirichlet:0.25");
    assert_eq!(registry::parameters("bdeu:ess=7").unwrap().form(), "bdeu:7");
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let table = mixed_table(400, 1);
    for (name, learner) in learners() {
        let model = fit(&learner, &table);
        let (other, _) = shuffled(&table, 2);
        assert!(same_model(&fit(&learner, &other), &model), "{name}");
    }
}

/// Levels renamed so that their order is turned round: the same predictions under the new names.
#[test]
fn the_names_of_levels_do_not_matter() {
    let table = mixed_table(400, 3);
    let turned = |(field, cells): (Field, Cells)| {
        let states = field.states();
        if states == 0 {
            return (field, cells);
        }
        let levels: Vec<String> = field.levels().iter().rev().map(|l| format!("was {l}")).collect();
        let codes = (0..table.rows()).map(|r| cells.code(r).map(|c| states - 1 - c));
        (Field::discrete(field.name.clone(), levels), Cells::from_codes(codes, states))
    };
    let other = Table::new("turned", columns(&table).into_iter().map(turned).collect()).unwrap();
    for (name, learner) in learners() {
        let model = fit(&learner, &table);
        let ours = predict(&model, &table);
        let theirs = predict(&fit(&learner, &other), &other);
        for r in 0..table.rows() {
            let back: Vec<f64> = theirs.row(r).iter().rev().copied().collect();
            let equal = |(x, y): (&f64, &f64)| close(*x, *y, slack(&model));
            assert!(ours.row(r).iter().zip(&back).all(equal), "{name}, row {r}");
        }
    }
}

#[test]
fn weight_two_is_the_row_twice() {
    let table = mixed_table(300, 4);
    let twice: Vec<u32> = (0..300).chain(0..300).collect();
    let doubled = table.gather(&twice);
    let heavy = table.clone().with_weights(vec![2.0; 300]).unwrap();
    for (name, learner) in learners() {
        assert!(same_model(&fit(&learner, &heavy), &fit(&learner, &doubled)), "{name}");
    }
}

#[test]
fn weight_zero_is_no_row() {
    let table = mixed_table(300, 5);
    let weights = (0..300).map(|r| f64::from(r % 3 != 0)).collect();
    let kept: Vec<u32> = (0..300).filter(|r| r % 3 != 0).collect();
    let light = table.clone().with_weights(weights).unwrap();
    for (name, learner) in learners() {
        let some = fit(&learner, &table.gather(&kept));
        assert!(same_model(&fit(&learner, &light), &some), "{name}");
    }
}

#[test]
fn some_rows_of_a_table_are_those_rows_alone() {
    let table = mixed_table(300, 6);
    let kept: Vec<u32> = (0..300).filter(|r| r % 4 != 1).collect();
    for (name, learner) in learners() {
        let view = learner.fit(View::of(&table, &kept), "class", &Run::default()).unwrap();
        assert!(same_model(&view, &fit(&learner, &table.gather(&kept))), "{name}");
    }
}

#[test]
fn a_constant_column_changes_no_naive_bayes_posterior() {
    let table = mixed_table(300, 7);
    let mut with = columns(&table);
    let constant = Cells::from_codes(std::iter::repeat_n(Some(0), 300), 1);
    with.insert(0, (Field::discrete("constant", ["only"]), constant));
    let with = Table::new("with", with).unwrap();
    // An average is over the constant column's structures too, which all say the same.
    for (name, learner) in learners().into_iter().filter(|(n, _)| n.starts_with("nb ")) {
        let model = fit(&learner, &table);
        let a = predict(&model, &table);
        assert!(same(&a, &predict(&fit(&learner, &with), &with), slack(&model)), "{name}");
    }
}

#[test]
fn a_class_of_one_level_is_refused() {
    let table = mixed_table(100, 8);
    let mut one = columns(&table);
    let last = one.len() - 1;
    let codes = Cells::from_codes(std::iter::repeat_n(Some(0), 100), 1);
    one[last] = (Field::discrete("class", ["calm"]), codes);
    let one = Table::new("one", one).unwrap();
    for (name, learner) in learners() {
        let error = learner.fit(one.view(), "class", &Run::default()).unwrap_err().to_string();
        assert!(error.contains("one level, 'calm'"), "{name}: {error}");
    }
}

#[test]
fn no_rows_are_refused() {
    let table = mixed_table(10, 8).gather(&[]);
    for (name, learner) in learners() {
        let error = learner.fit(table.view(), "class", &Run::default()).unwrap_err().to_string();
        assert!(error.contains("no row to learn from"), "{name}: {error}");
    }
}

#[test]
fn a_class_without_rows_is_still_predicted_with_finite_numbers() {
    let table = mixed_table(200, 9);
    let kept: Vec<u32> =
        (0..200u32).filter(|&r| table.cells(6).code(r as usize) != Some(2)).collect();
    for (name, learner) in learners() {
        let view = View::of(&table, &kept);
        let model = learner.fit(view, "class", &Run::default()).unwrap();
        let posteriors = predict(&model, &table);
        for r in 0..200 {
            let row = posteriors.row(r);
            assert!(row.iter().all(|p| p.is_finite()), "{name}");
            assert!(close(row.iter().sum(), 1.0, ROUNDING), "{name}");
        }
    }
}

#[test]
fn an_unseen_level_is_a_missing_cell() {
    let table = mixed_table(200, 10);
    let mut strange = columns(&table);
    let mut empty = columns(&table);
    strange[1] = (
        Field::discrete("d1", ["unheard of"]),
        Cells::from_codes(std::iter::repeat_n(Some(0), 200), 1),
    );
    empty[1].1 = Cells::from_codes(std::iter::repeat_n(None, 200), 3);
    let [strange, empty] = [strange, empty].map(|c| Table::new("t", c).unwrap());
    for (name, learner) in learners() {
        let model = fit(&learner, &table);
        let prediction = model.predict(&strange, &Run::default()).unwrap();
        assert_eq!(prediction.posteriors, predict(&model, &empty), "{name}");
        let key = ("d1".to_string(), "unheard of".to_string());
        assert_eq!(prediction.unseen.get(&key), Some(&200), "{name}");
        assert_eq!(prediction.unseen.len(), 1, "{name}");
    }
}

/// p(class): of a network by summing over every row of states, of an average by its counts.
fn prior_of(model: &Classifier) -> Vec<f64> {
    let Some(network) = model.network() else {
        let (logs, _) = model.pairs().unwrap().alone();
        return logs.into_iter().map(f64::exp).collect();
    };
    let class = network.variables().len() - 1;
    let mut sums = vec![0.0; network.states(class)];
    let mut row = vec![0; class + 1];
    loop {
        sums[row[class]] += network.log_probability(&row).exp();
        let Some(v) = (0..=class).find(|&v| row[v] + 1 < network.states(v)) else { return sums };
        row[v] += 1;
        row[..v].fill(0);
    }
}

#[test]
fn with_every_cell_missing_the_posterior_is_the_prior() {
    let table = mixed_table(200, 11);
    let nothing = columns(&table).into_iter().map(|(field, _)| {
        let cells = match field.states() {
            0 => Cells::from_numbers(vec![f64::NAN; 5]),
            states => Cells::from_codes(std::iter::repeat_n(None, 5), states),
        };
        (field, cells)
    });
    let nothing = Table::new("nothing", nothing.collect()).unwrap();
    for (name, learner) in learners() {
        let model = fit(&learner, &table);
        let prior = prior_of(&model);
        let posteriors = predict(&model, &nothing);
        assert_eq!(posteriors.rows(), 5);
        let equal = |(p, q): (&f64, &f64)| close(*p, *q, ROUNDING);
        assert!((0..5).all(|r| posteriors.row(r).iter().zip(&prior).all(equal)), "{name}");
    }
}

#[test]
fn a_saved_model_predicts_the_same_bits() {
    let table = mixed_table(200, 12);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json").display().to_string();
    for (name, learner) in learners() {
        let model = fit(&learner, &table);
        model.save(&path).unwrap();
        let loaded = Classifier::load(&path).unwrap();
        assert_eq!(predict(&loaded, &table), predict(&model, &table), "{name}");
        assert_eq!(loaded.forms(), model.forms());
    }
}

#[test]
fn threads_change_no_bit() {
    let table = mixed_table(20_000, 13);
    let weights = (0..20_000).map(|r| 0.1 + (r % 7) as f64 / 7.0).collect();
    let weighted = table.clone().with_weights(weights).unwrap();
    // What parameters are added to the counts makes no difference here.
    let laplace = |(name, _): &(String, Learner)| name.contains("laplace");
    for (name, learner) in learners().into_iter().filter(laplace) {
        for table in [&table, &weighted] {
            let on = |threads| {
                let run = Run::default().threads(threads).unwrap();
                let model = learner.fit(table.view(), "class", &run).unwrap();
                (model.predict(table, &run).unwrap().posteriors, model.network().cloned())
            };
            let one = on(1);
            assert!(on(2) == one && on(3) == one, "{name}");
        }
    }
}

/// Where leave-one-out has a closed form, it gives what fitting without each row gives.
#[test]
fn leave_one_out_in_closed_form_is_refitting() {
    let table = mixed_table(60, 14);
    let rows: Vec<u32> = (0..60).filter(|r| r % 11 != 3).collect();
    let mut checked = 0;
    for (name, learner) in learners() {
        let Some(logs) = sare::classify::leave_one_out::leave_one_out(&learner, &table, &rows)
        else {
            continue;
        };
        checked += 1;
        for (i, &row) in rows.iter().enumerate() {
            let others: Vec<u32> = rows.iter().copied().filter(|&r| r != row).collect();
            let view = View::of(&table, &others);
            let (model, coded) = learner.fit_arranged(view, &Run::default()).unwrap();
            let one = [row];
            let refitted = model.log_joint(View::of(&coded, &one), &Run::default()).unwrap();
            let equal = |(x, y): (&f64, &f64)| close(*x, *y, ROUNDING);
            let closed = &logs[i * 3..][..3];
            assert!(closed.iter().zip(refitted.row(0)).all(equal), "{name}, row {row}: {closed:?}");
        }
    }
    assert!(checked >= 12, "naive Bayes from counts has a closed form");
}

#[test]
fn senseless_settings_are_refused_at_the_door() {
    use sare::data::Method;
    use sare::parameters::dirichlet::{FromCounts, Prior};
    let table = mixed_table(50, 15);
    let fit = |learner: Learner| learner.fit(table.view(), "class", &Run::default());
    for prior in [Prior::Dirichlet(f64::NAN), Prior::Dirichlet(-1.0), Prior::Bdeu(f64::INFINITY)] {
        let parameters = Box::new(FromCounts { prior });
        let error = fit(Learner { parameters, ..Learner::default() }).unwrap_err().to_string();
        assert!(error.contains("must be a number above 0"), "{error}");
    }
    let discretise = Method::EqualWidth(100_000);
    let error = fit(Learner { discretise, ..Learner::default() }).unwrap_err().to_string();
    assert!(error.contains("from 1 to 65535"), "{error}");
}
