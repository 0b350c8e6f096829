//! Whatever is stopped, and whenever: no half-finished result is taken for a whole one.

use super::*;
use sare::cluster::{Chooser, Clusterer, Rule};
use sare::error::{Error, Result};
use sare::evaluate::compare::Trial;
use sare::evaluate::curve::learning_curves;
use sare::evaluate::{Candidate, Comparison, DataSet, FoldResult, Journal, SplitOutcome};
use sare::observe::{Event, Observer};
use sare::run::Stop;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Asks to stop at one event, once.
struct StopAt {
    event: usize,
    seen: AtomicUsize,
}

impl StopAt {
    fn new(event: usize) -> StopAt {
        StopAt { event, seen: AtomicUsize::new(0) }
    }

    /// Whether it has asked.
    fn asked(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > self.event
    }
}

impl Observer for StopAt {
    fn event(&self, _: &Event<'_>) -> ControlFlow<()> {
        match self.seen.fetch_add(1, Ordering::SeqCst) == self.event {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Runs `work` stopped at its first event, its second, and so on until it is not stopped; then, and where it does not
/// fail, it must come to `whole`.
fn stopped_anywhere<T: PartialEq + std::fmt::Debug>(
    what: &str,
    whole: &T,
    work: impl Fn(&Run<'_>) -> Result<T>,
) -> usize {
    for event in 0.. {
        let observer = StopAt::new(event);
        let run = Run::with_seed(5).threads(1).unwrap().observed(&observer);
        match work(&run) {
            Ok(found) => assert_eq!(found, *whole, "{what}: stopped at event {event}"),
            Err(e) => assert!(matches!(e, Error::Interrupted), "{what}: {e}"),
        }
        if !observer.asked() {
            return event;
        }
    }
    unreachable!("there are fewer events than whole numbers")
}

const ITERATIVE: [(&str, &str); 6] = [
    ("nb", "cll:iterations=6"),
    ("nb", "cll:held-out=0.3,iterations=6"),
    ("nb", "ae:iterations=4"),
    ("tan", "em:iterations=4"),
    ("nb", "tm:iterations=4"),
    ("structural-tm", "laplace"),
];

#[test]
fn no_measure_comes_of_a_stopped_fit() {
    for (structure, parameters) in ITERATIVE {
        let table = grouped_table(60, 1, parameters.starts_with("em"));
        let learner = learner(structure, parameters);
        for scheme in [Scheme::folds(2), Scheme::Resubstitution] {
            let folds = |run: &Run<'_>| -> Result<Vec<FoldResult>> {
                let options = Options { costs: None, training: true };
                Ok(evaluate(&learner, &table, "class", scheme, &options, run)?.folds)
            };
            let whole = folds(&Run::with_seed(5)).unwrap();
            let what = format!("{structure} {parameters} {scheme:?}");
            let events = stopped_anywhere(&what, &whole, folds);
            assert!(events > 5, "{what}: {events}");
        }
    }
    let table = grouped_table(60, 1, false);
    let curve = |run: &Run<'_>| -> Result<Vec<Vec<FoldResult>>> {
        let candidates = [Candidate::new(learner("nb", "cll:iterations=4"))];
        let (scheme, options) = (Scheme::folds(2), Options::default());
        let curves =
            learning_curves(&candidates, &table, "class", scheme, &[10, 25], &options, run)?;
        Ok(curves[0].points.clone())
    };
    stopped_anywhere("curve", &curve(&Run::with_seed(5)).unwrap(), curve);
    let late = Run::with_seed(5).time_limit(Duration::ZERO);
    assert!(matches!(curve(&late), Err(Error::Interrupted)));
}

/// A comparison that is stopped at every event in turn and goes on from its journal comes to what it comes to at once.
#[test]
fn a_journal_holds_whole_splits_only() {
    let set =
        DataSet { name: "set".into(), table: grouped_table(60, 2, false), class: "class".into() };
    let candidates = || ITERATIVE.map(|(s, p)| Candidate::new(learner(s, p)));
    let folder = tempfile::tempdir().unwrap();
    let compare = |journal: &Journal, run: &Run<'_>| -> Result<Vec<Vec<SplitOutcome>>> {
        let candidates = candidates();
        let mut comparison = Comparison::new(Scheme::folds(2), &candidates);
        comparison.add(&set, &candidates, &Options::default(), journal, run)?;
        Ok(comparison.trials[0].iter().map(|t: &Trial| t.outcomes.clone()).collect())
    };
    let silent = Run::with_seed(5).threads(1).unwrap();
    let whole = compare(&Journal::default(), &silent).unwrap();
    let mut kept = 0;
    for event in 0.. {
        let path = folder.path().join(event.to_string()).display().to_string();
        let observer = StopAt::new(event);
        let run = Run::with_seed(5).threads(1).unwrap().observed(&observer);
        let first = compare(&Journal::open(&path).unwrap(), &run);
        if !observer.asked() {
            assert_eq!(first.unwrap(), whole);
            break;
        }
        assert!(matches!(first, Err(Error::Interrupted)));
        let journal = Journal::open(&path).unwrap();
        kept += journal.len();
        assert_eq!(compare(&journal, &silent).unwrap(), whole, "stopped at event {event}");
    }
    assert!(kept > 20, "no journal held anything: {kept}");
}

/// The log-likelihood of held-out cases is of folds that were all learnt from as many starts.
#[test]
fn no_number_of_clusters_is_chosen_by_stopped_folds() {
    let table = grouped_table(40, 3, false).select(&[0, 1]);
    let figures = |run: &Run<'_>| -> Result<Vec<Option<f64>>> {
        let method = registry::clusterer("em:1,iterations=8").unwrap();
        let clusterer = Clusterer { method, starts: 2, ..Clusterer::default() };
        let chooser = Chooser { clusterer, numbers: 1..=3, folds: 3, rule: Rule::CrossValidated };
        let choice = chooser.choose(table.view(), run)?;
        Ok(choice.candidates.iter().map(|c| c.figures.cross_validated).collect())
    };
    let whole = figures(&Run::with_seed(5)).unwrap();
    assert!(whole.iter().all(Option::is_some));
    for event in 0.. {
        let observer = StopAt::new(event);
        let run = Run::with_seed(5).threads(1).unwrap().observed(&observer);
        match figures(&run) {
            Err(e) => assert!(matches!(e, Error::Interrupted), "{e}"),
            Ok(own) => {
                for (own, whole) in own.iter().zip(&whole) {
                    assert!(own.is_none() || own == whole, "stopped at event {event}");
                }
            }
        }
        if !observer.asked() {
            break;
        }
    }
}

/// Held-out rows end a climb by themselves: that is no interruption.
#[test]
fn stopping_on_held_out_rows_is_no_interruption() {
    let mut random = Random::new(1, Purpose::Sample, 5);
    let mut of = |name: &str| {
        let codes: Vec<Option<usize>> = (0..80).map(|_| Some(random.below(3))).collect();
        column(name, 3, &codes)
    };
    let names = ["a", "b", "c", "d", "e", "f", "class"];
    let table = Table::new("noise", names.map(&mut of).into()).unwrap();
    let learner = learner("nb", "cll:held-out=0.5,l2=0");
    let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
    assert_eq!(model.outcome().stop, Stop::NoGain);
    assert!(
        evaluate(&learner, &table, "class", Scheme::folds(3), &Options::default(), &Run::default())
            .is_ok()
    );
}
