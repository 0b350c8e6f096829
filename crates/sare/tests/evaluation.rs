//! Evaluation that cannot flatter, loses nothing and gives the same bits however it is run.

mod common;

use common::mixed_table;
use sare::classify::Learner;
use sare::data::{Cells, Discretiser, Field, Method, Source, Table};
use sare::error::{Error, Result};
use sare::evaluate::SplitOutcome;
use sare::evaluate::compare::Trial;
use sare::evaluate::curve::learning_curves;
use sare::evaluate::{
    Candidate, Comparison, DataSet, Journal, MEASURES, Options, Scheme, Summary, evaluate,
};
use sare::graph::Dag;
use sare::num::tolerance::{ROUNDING, close};
use sare::run::Run;
use sare::seed::{Purpose, Random};
use sare::structure::Structure;
use sare::structure::constraints::Rules;
use sare::structure::naive::NaiveBayes;

/// Numbers that have nothing to do with the class.
fn random_labels(rows: usize, attributes: usize) -> Table {
    let mut random = Random::new(5, Purpose::Sample, 7);
    let mut columns: Vec<(Field, Cells)> = (0..attributes)
        .map(|c| {
            let numbers = (0..rows).map(|_| random.normal()).collect();
            (Field::continuous(format!("n{c}")), Cells::from_numbers(numbers))
        })
        .collect();
    let mut labels: Vec<usize> = (0..rows).map(|r| r % 2).collect();
    random.shuffle(&mut labels);
    let class = Cells::from_codes(labels.into_iter().map(Some), 2);
    columns.push((Field::discrete("class", ["u", "v"]), class));
    Table::new("random labels", columns).unwrap()
}

/// On random labels nothing can be predicted. Cut points learnt from all rows, test rows included, would pretend it can:
/// the test shows that such a leak would be seen, and that there is none.
#[test]
fn random_labels_are_predicted_by_chance_only() {
    let table = random_labels(120, 2000);
    let honest = |t: &Table, scheme| {
        let options = Options::default();
        evaluate(&Learner::default(), t, "class", scheme, &options, &Run::default())
            .unwrap()
            .accuracy()
            .mean
    };
    let leaking = Discretiser::learn(table.view(), Some(2000), Method::Mdlp).unwrap().apply(&table);
    assert!(honest(&leaking, Scheme::folds(5)) > 0.8, "a leak would be seen");
    // Four binomial standard deviations.
    let bound = 4.0 * (0.25f64 / 120.0).sqrt();
    for scheme in
        [Scheme::folds(5), Scheme::LeaveOneOut, Scheme::HoldOut { share: 0.5, repeats: 2 }]
    {
        let accuracy = honest(&table, scheme);
        assert!((accuracy - 0.5).abs() < bound, "{scheme:?}: {accuracy}");
    }
}

#[test]
fn every_scheme_gives_the_same_bits_on_any_number_of_threads() {
    let table = mixed_table(200, 41);
    for scheme in [
        Scheme::Resubstitution,
        Scheme::folds(5),
        Scheme::Folds { count: 3, repeats: 4, stratified: false },
        Scheme::five_by_two(),
        Scheme::LeaveOneOut,
        Scheme::HoldOut { share: 0.3, repeats: 3 },
        Scheme::FirstRows(120),
        Scheme::Bootstrap { repeats: 5 },
    ] {
        let on = |threads| {
            let run = Run::with_seed(3).threads(threads).unwrap();
            let options = Options { costs: None, training: true };
            evaluate(&Learner::default(), &table, "class", scheme, &options, &run).unwrap()
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.folds, three.folds, "{scheme:?}");
        assert_eq!(one.predictions, three.predictions);
        assert!(one.folds.iter().all(|f| f.test.rows > 0));
    }
}

#[test]
fn the_bootstrap_mixes_with_resubstitution() {
    let table = mixed_table(150, 42);
    let of = |scheme| {
        evaluate(&Learner::default(), &table, "class", scheme, &Options::default(), &Run::default())
            .unwrap()
    };
    let result = of(Scheme::Bootstrap { repeats: 6 });
    let outside: f64 = result.folds[..6].iter().map(|f| f.test.accuracy).sum::<f64>() / 6.0;
    let own = of(Scheme::Resubstitution).accuracy().mean;
    assert_eq!(result.folds[6].test.accuracy, own);
    assert!(close(result.accuracy().mean, 0.632 * outside + 0.368 * own, ROUNDING));
}

/// Leave-one-out of a learner without a closed form is a model a row; of naive Bayes it is the same numbers at once.
#[test]
fn leave_one_out_without_a_closed_form() {
    struct Plain;
    impl Structure for Plain {
        fn form(&self) -> String {
            "plain".into()
        }
        fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
            NaiveBayes.learn(data, rules, run)
        }
    }
    let table = mixed_table(60, 43);
    let of = |learner: &Learner| {
        let scheme = Scheme::LeaveOneOut;
        evaluate(learner, &table, "class", scheme, &Options::default(), &Run::default()).unwrap()
    };
    let slow = of(&Learner { structure: Plain.into(), ..Learner::default() });
    let fast = of(&Learner::default());
    assert_eq!(slow.total.confusion, fast.total.confusion);
    assert!(close(slow.total.cll, fast.total.cll, ROUNDING));
}

/// Fails when the training part holds a certain number of rows.
struct Moody {
    bad: usize,
}

impl Structure for Moody {
    fn form(&self) -> String {
        "moody".into()
    }
    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        if data.rows() == self.bad {
            return Err(Error::data(data.name(), "not today", "try tomorrow"));
        }
        NaiveBayes.learn(data, rules, run)
    }
}

fn set(table: &Table, name: &str) -> DataSet {
    DataSet { name: name.into(), table: table.clone(), class: "class".into() }
}

fn candidates(bad: usize) -> Vec<Candidate> {
    let moody = Learner { structure: Moody { bad }.into(), ..Learner::default() };
    vec![Candidate::new(Learner::default()), Candidate::new(moody)]
}

fn compare(table: &Table, candidates: &[Candidate], journal: &Journal) -> Comparison {
    let mut comparison = Comparison::new(Scheme::folds(5), candidates);
    for name in ["first", "second"] {
        let options = Options::default();
        comparison.add(&set(table, name), candidates, &options, journal, &Run::default()).unwrap();
    }
    comparison
}

#[test]
fn a_fold_that_fails_does_not_lose_the_others() {
    // 103 rows in five folds: training parts of 82 and 83 rows.
    let table = mixed_table(103, 44);
    let comparison = compare(&table, &candidates(83), &Journal::default());
    let failed: Vec<&str> = comparison.trials[0][1].failures().map(|(_, reason)| reason).collect();
    assert!(!failed.is_empty() && failed.len() < 5);
    assert!(failed.iter().all(|reason| reason.contains("not today")));
    assert_eq!(comparison.trials[0][0].failures().count(), 0);
    let summary = Summary::of(&comparison, &MEASURES[1]);
    assert_eq!(summary.cells[0][1].failed, failed.len());
    // On the folds both have, the two are the same learner.
    assert_eq!(summary.cells[0][1].against_first.unwrap().p_value, 1.0);
    assert!(summary.cells[0][1].estimate.is_some());
}

#[test]
fn a_journal_goes_on_where_it_stopped() {
    let table = mixed_table(103, 45);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal").display().to_string();
    let outcomes = |c: &Comparison| -> Vec<Vec<SplitOutcome>> {
        c.trials.iter().flatten().map(|t: &Trial| t.outcomes.clone()).collect()
    };
    let whole = compare(&table, &candidates(0), &Journal::open(&path).unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 20);
    // Cut in the middle of a line, as a stopped process leaves it.
    let kept: usize = text.lines().take(7).map(|l| l.len() + 1).sum();
    std::fs::write(&path, &text[..kept + 30]).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.len(), 7);
    assert_eq!(outcomes(&compare(&table, &candidates(0), &journal)), outcomes(&whole));
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(again.lines().count(), 20);
    // Now nothing is left to do: a learner that would fail is not asked.
    let journal = Journal::open(&path).unwrap();
    assert_eq!(outcomes(&compare(&table, &candidates(83), &journal)), outcomes(&whole));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), again);
    // Other rows are another matter, whatever the set is called.
    let other = mixed_table(103, 46);
    let fresh = compare(&other, &candidates(0), &Journal::open(&path).unwrap());
    assert_ne!(outcomes(&fresh), outcomes(&whole));
    std::fs::write(&path, "no journal\n").unwrap();
    let error = Journal::open(&path).err().unwrap().to_string();
    assert!(error.contains("line 1: this is no line of a journal"), "{error}");
}

/// A learner that knows more wins, and the tests say so.
#[test]
fn a_real_difference_is_found() {
    struct Nothing;
    impl Structure for Nothing {
        fn form(&self) -> String {
            "nothing".into()
        }
        fn learn(&self, data: &Source<'_>, _: &Rules, _: &Run<'_>) -> Result<Dag> {
            Ok(Dag::new(data.schema().len()))
        }
    }
    let nothing = Learner { structure: Nothing.into(), ..Learner::default() };
    let candidates = [Candidate::new(nothing), Candidate::new(Learner::default())];
    let mut comparison = Comparison::new(Scheme::folds(10), &candidates);
    for seed in 0..8 {
        let set = set(&mixed_table(300, seed), &seed.to_string());
        let options = Options::default();
        comparison.add(&set, &candidates, &options, &Journal::default(), &Run::default()).unwrap();
    }
    let summary = Summary::of(&comparison, &MEASURES[0]);
    let against = &summary.against_first[0];
    assert_eq!((against.wins, against.losses, against.significant), (8, 0, (8, 0)));
    assert_eq!(summary.average_ranks, [2.0, 1.0]);
    // The least that eight data sets allow.
    assert!(close(against.wilcoxon.p_value, 2.0 / 256.0, ROUNDING));
    // The error, of which less is better, says the same.
    assert_eq!(Summary::of(&comparison, &MEASURES[1]).against_first[0].wins, 8);
}

#[test]
fn learning_curves_end_at_the_whole_training_part() {
    let table = mixed_table(250, 47);
    let candidates = [Candidate::new(Learner::default())];
    let (run, options) = (Run::default(), Options::default());
    let scheme = Scheme::folds(5);
    let curves =
        learning_curves(&candidates, &table, "class", scheme, &[20, 100, 200], &options, &run);
    let curves = curves.unwrap();
    let whole =
        evaluate(&Learner::default(), &table, "class", scheme, &Options::default(), &run).unwrap();
    let last = curves[0].estimate(2, |m| m.accuracy);
    assert!(close(last.mean, whole.accuracy().mean, ROUNDING));
    assert!(curves[0].estimate(0, |m| m.accuracy).mean < last.mean);
    let error = learning_curves(&candidates, &table, "class", scheme, &[201], &options, &run);
    assert!(error.unwrap_err().to_string().contains("from 1 to 200"));
}

/// Row weights are obeyed in testing as in training.
#[test]
fn a_row_of_weight_two_is_tested_twice() {
    let table = mixed_table(120, 48);
    let heavy = table.clone().with_weights(vec![2.0; 120]).unwrap();
    let of = |t: &Table| {
        let scheme = Scheme::FirstRows(60);
        let learner = Learner::default();
        evaluate(&learner, t, "class", scheme, &Options::default(), &Run::default()).unwrap().total
    };
    let twice: Vec<u32> = (0..60).chain(0..60).chain(60..120).chain(60..120).collect();
    let doubled = table.gather(&twice);
    let doubled = {
        let learner = Learner::default();
        let scheme = Scheme::FirstRows(120);
        evaluate(&learner, &doubled, "class", scheme, &Options::default(), &Run::default())
            .unwrap()
            .total
    };
    assert_eq!(of(&heavy).confusion, doubled.confusion);
    assert!(close(of(&heavy).cll, doubled.cll, ROUNDING));
}

/// The area under the curve is a matter of which row ranks above which: neither the order of columns nor the names of the
/// classes may change it, though both change the last bits of every score.
#[test]
fn the_area_under_the_curve_does_not_hang_on_last_bits() {
    let table = sare::network::known::generate("corral", None, &Default::default(), 1).unwrap();
    let auc = |t: &Table| {
        let scheme = Scheme::Resubstitution;
        let options = Options::default();
        evaluate(&Learner::default(), t, "class", scheme, &options, &Run::default())
            .unwrap()
            .total
            .auc
    };
    let first = auc(&table);
    for order in [[5, 4, 3, 2, 1, 0, 6], [2, 0, 4, 1, 5, 3, 6], [1, 3, 5, 0, 2, 4, 6]] {
        assert_eq!(auc(&table.select(&order)), first);
    }
    let mut columns = common::columns(&table);
    let codes = (0..128).map(|r| table.cells(6).code(r).map(|c| 1 - c));
    columns[6].1 = Cells::from_codes(codes, 2);
    assert_eq!(auc(&Table::new("swapped", columns).unwrap()), first);
}

/// Learners that err equally often draw, however their means were rounded.
#[test]
fn equal_learners_draw() {
    struct Twin;
    impl Structure for Twin {
        fn form(&self) -> String {
            "twin".into()
        }
        fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
            NaiveBayes.learn(data, rules, run)
        }
    }
    let twin = Learner { structure: Twin.into(), ..Learner::default() };
    let candidates = [Candidate::new(Learner::default()), Candidate::new(twin)];
    let scheme = Scheme::Folds { count: 5, repeats: 3, stratified: false };
    let mut comparison = Comparison::new(scheme, &candidates);
    for seed in 0..4 {
        let set = set(&mixed_table(97, seed), &seed.to_string());
        let options = Options::default();
        comparison.add(&set, &candidates, &options, &Journal::default(), &Run::default()).unwrap();
    }
    for measure in &MEASURES {
        let summary = Summary::of(&comparison, measure);
        let against = &summary.against_first[0];
        assert_eq!((against.wins, against.losses), (0, 0), "{}", measure.name);
        assert!(measure.name == "cost" || against.draws == 4, "{}", measure.name);
    }
}
