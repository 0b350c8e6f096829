//! Many starts of every method: found clusters, policies, row order, threads.

use super::known;
use crate::cluster::{Clusterer, Clustering, Policy};
use crate::data::Table;
use crate::error::Error;
use crate::num::first_max;
use crate::num::tolerance::close;
use crate::observe::{Event, Observer};
use crate::registry;
use crate::run::{Run, Stop};
use crate::seed::{Purpose, Random};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Every method there is, with few iterations.
const METHODS: [&str; 10] = [
    "em",
    "ema",
    "em-tan",
    "ema-tan:1,orders=2",
    "ema-trees",
    "em-network",
    "structural-em",
    "structural-em:bayesian",
    "bc-em",
    "kmodes",
];

/// The policies that a method takes.
fn policies(form: &str) -> &'static [Policy] {
    match registry::clusterer(form).unwrap().averages_starts() {
        true => &[Policy::Uniform, Policy::Weighted, Policy::Best],
        false => &[Policy::Best],
    }
}

fn clusterer(form: &str, policy: Policy) -> Clusterer {
    let method = registry::clusterer(form).unwrap();
    Clusterer { method, clusters: 3, starts: 6, policy, ..Clusterer::default() }
}

/// How many rows are in the cluster that most rows of their own are in.
fn right(found: &Clustering, truth: &[usize]) -> usize {
    let mut matrix = [[0; 3]; 3];
    for (row, &t) in found.memberships.chunks_exact(3).zip(truth) {
        matrix[t][first_max(row)] += 1;
    }
    matrix.iter().map(|row| *row.iter().max().unwrap()).sum()
}

/// The first columns, which tell clusters apart, and one that does not.
fn few(table: &Table) -> Table {
    table.select(&[0, 1, 2, 3, 4, 5])
}

#[test]
fn every_method_finds_known_clusters_by_every_policy() {
    let (table, truth) = known(3);
    let table = few(&table);
    for form in METHODS {
        for &policy in policies(form) {
            let found = clusterer(form, policy).find(table.view(), &Run::default()).unwrap();
            let right = right(&found, &truth);
            // Among 243 combinations for 400 rows a network of all of them learns mostly noise.
            let least = match (form, policy) {
                ("em-network", _) => 200,
                (_, Policy::Best) => 350,
                // Clusters that were not named alike before they were averaged would be no better than chance.
                _ => 300,
            };
            assert!(right > least, "{form} {policy:?}: {right}");
            let clusters = found.model.outcome().clusters.as_ref().unwrap();
            assert!(clusters.sizes.windows(2).all(|w| w[0] >= w[1]), "{form}: the largest first");
            assert!((clusters.sizes.iter().sum::<f64>() - 400.0).abs() < 1e-6);
            assert_eq!(clusters.starts.len(), 6);
        }
    }
}

#[test]
fn neither_threads_nor_the_order_of_rows_changes_a_bit() {
    let (table, _) = known(4);
    let table = few(&table);
    let mut order: Vec<u32> = (0..400).collect();
    Random::new(1, Purpose::Sample, 0).shuffle(&mut order);
    let shuffled = table.gather(&order);
    for form in METHODS {
        let fit = |table: &Table, threads: usize| {
            let run = Run::with_seed(7).threads(threads).unwrap();
            clusterer(form, policies(form)[0]).find(table.view(), &run).unwrap()
        };
        let (one, three, other) = (fit(&table, 1), fit(&table, 3), fit(&shuffled, 2));
        assert_eq!(one.memberships, three.memberships, "{form}");
        assert_eq!(one.model.network(), three.model.network(), "{form}");
        assert_eq!(one.model.pairs(), three.model.pairs(), "{form}");
        assert_eq!(one.model.network(), other.model.network(), "{form}");
        assert_eq!(one.model.pairs(), other.model.pairs(), "{form}");
        for (i, &r) in order.iter().enumerate() {
            let row = |c: &Clustering, r: usize| c.memberships[3 * r..3 * r + 3].to_vec();
            assert_eq!(row(&other, i), row(&one, r as usize), "{form}");
        }
    }
}

/// Parts of rows have no mean that is parts of rows.
#[test]
fn a_policy_that_a_method_cannot_obey_is_refused() {
    for form in ["kmodes", "kmeans", "exhaustive"] {
        assert!(clusterer(form, Policy::Best).check().is_ok());
        for policy in [Policy::Uniform, Policy::Weighted] {
            let refused = clusterer(form, policy).check().unwrap_err().to_string();
            assert!(refused.contains("policy") && refused.contains("best"), "{refused}");
        }
    }
}

#[test]
fn weight_two_is_the_row_twice() {
    let (table, _) = known(5);
    let table = few(&table).gather(&(0..150).collect::<Vec<u32>>());
    let twice: Vec<u32> =
        (0..150).flat_map(|r| std::iter::repeat_n(r, 1 + r as usize % 2)).collect();
    let weights = (0..150).map(|r| 1.0 + (r % 2) as f64).collect();
    let weighed = table.clone().with_weights(weights).unwrap();
    let repeated = table.gather(&twice);
    for form in METHODS {
        let fit = |t: &Table| clusterer(form, Policy::Best).fit(t.view(), &Run::default()).unwrap();
        let (a, b) = (fit(&weighed), fit(&repeated));
        assert_eq!(a.network(), b.network(), "{form}");
        assert_eq!(a.pairs(), b.pairs(), "{form}");
    }
}

#[test]
fn missing_cells_are_taken_by_every_method() {
    let (table, truth) = known(6);
    let table = few(&table);
    let mut random = Random::new(2, Purpose::Holes, 0);
    let holed = super::with_holes(&table, &mut random, 0.1);
    for form in METHODS {
        let found = clusterer(form, Policy::Best).find(holed.view(), &Run::default()).unwrap();
        let right = right(&found, &truth);
        let least = if form == "em-network" { 180 } else { 330 };
        assert!(right > least, "{form}: {right}");
    }
}

/// Two columns that say the same beside the cluster: structural EM puts an arc between them, and the column that tells
/// nothing of the cluster does not depend on it.
#[test]
fn structural_em_finds_what_depends_on_what() {
    let (table, _) = known(8);
    let mut columns: Vec<_> =
        (0..6).map(|c| (table.field(c).clone(), table.cells(c).clone())).collect();
    let copy = crate::data::Field::discrete("copy", ["a", "b", "c"]);
    let mut random = Random::new(3, Purpose::Sample, 1);
    let codes = (0..400).map(|r| match random.below(10) {
        0 => Some(random.below(3)),
        _ => table.cells(5).code(r),
    });
    columns.push((copy, crate::data::Cells::from_codes(codes.collect::<Vec<_>>(), 3)));
    let table = Table::new("t", columns).unwrap();
    let found =
        clusterer("structural-em", Policy::Best).find(table.view(), &Run::default()).unwrap();
    let dag = found.model.network().unwrap().dag().clone();
    assert!(dag.has_arc(5, 6) || dag.has_arc(6, 5));
    assert!((0..5).all(|v| dag.has_arc(7, v)), "what tells clusters apart depends on them");
    assert!(!dag.has_arc(7, 5) && !dag.has_arc(7, 6));
    assert!(found.model.outcome().search.is_some());
}

/// Clusters of the same size are named by their first rows once sorted, whatever the order of the file.
#[test]
fn equal_clusters_are_named_the_same_in_any_order() {
    let table = |codes: [usize; 4]| {
        let column = |name: &str| {
            let cells = crate::data::Cells::from_codes(codes.map(Some), 2);
            (crate::data::Field::discrete(name, ["x", "y"]), cells)
        };
        Table::new("t", vec![column("a"), column("b")]).unwrap()
    };
    for form in ["kmodes", "kmeans", "em"] {
        let learner = Clusterer { clusters: 2, ..clusterer(form, Policy::Best) };
        let find = |codes| learner.find(table(codes).view(), &Run::default()).unwrap();
        let (one, other) = (find([0, 0, 1, 1]), find([1, 1, 0, 0]));
        assert_eq!(one.model.network(), other.model.network(), "{form}");
        assert_eq!(one.assignment()[0], other.assignment()[2], "{form}");
    }
}

/// The tree of em-tan hangs from the same column at each step: with a prior it matters, and a step could undo the last.
#[test]
fn the_tree_of_em_tan_hangs_from_the_first_column() {
    let (table, _) = known(11);
    let found =
        clusterer("em-tan", Policy::Best).find(few(&table).view(), &Run::default()).unwrap();
    let dag = found.model.network().unwrap().dag().clone();
    assert_eq!(dag.parents(0).collect::<Vec<usize>>(), [6]);
    assert!((1..6).all(|v| dag.parents(v).count() == 2));
}

/// Asks to stop when something is told for the so-and-so-many-th time, and from then on; keeps the notes.
struct Impatient<'a> {
    when: &'a (dyn Fn(&Event<'_>) -> bool + Sync),
    /// How often it is still told, and what the notes say.
    state: Mutex<(usize, Vec<String>)>,
}

impl<'a> Impatient<'a> {
    fn new(times: usize, when: &'a (dyn Fn(&Event<'_>) -> bool + Sync)) -> Impatient<'a> {
        Impatient { when, state: Mutex::new((times, Vec::new())) }
    }

    fn notes(self) -> Vec<String> {
        self.state.into_inner().unwrap().1
    }
}

impl Observer for Impatient<'_> {
    fn event(&self, event: &Event<'_>) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap();
        if let Event::Note { text } = event {
            state.1.push((*text).into());
        }
        if (self.when)(event) {
            state.0 = state.0.saturating_sub(1);
        }
        if state.0 > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// A run that is stopped after three starts comes near to what three starts come to, and says so.
#[test]
fn what_was_found_before_a_stop_is_kept() {
    let (table, _) = known(12);
    let table = few(&table);
    let started = |e: &Event<'_>| matches!(e, Event::Step { steps: 1 });
    for form in METHODS.into_iter().chain(["kmeans"]) {
        let learner = clusterer(form, policies(form)[0]);
        let watcher = Impatient::new(3, &started);
        let run = Run::default().threads(1).unwrap();
        let stopped = learner.find(table.view(), &run.clone().observed(&watcher)).unwrap();
        let three = Clusterer { starts: 3, ..learner.clone() };
        let asked = three.find(table.view(), &run).unwrap();
        let end = |c: &Clustering| {
            let outcome = c.model.outcome();
            (outcome.stop, outcome.clusters.as_ref().unwrap().log_likelihood)
        };
        let ((stop, early), (last, whole)) = (end(&stopped), end(&asked));
        // Only that the best start does not continue makes a difference.
        if policies(form).len() == 1 {
            assert_eq!(stopped.memberships, asked.memberships, "{form}");
        } else {
            assert_eq!((stop, last), (Stop::Interrupted, Stop::Converged), "{form}");
            assert!(close(early, whole, 1e-3), "{form}: {early} {whole}");
        }
        let notes = watcher.notes();
        assert!(
            notes.len() == 1 && notes[0].contains("stopped: 3 of 6 starts"),
            "{form}: {notes:?}"
        );
        // Before anything there is nothing to keep.
        let at_once = Impatient::new(1, &|_| true);
        let nothing = learner.find(table.view(), &run.observed(&at_once));
        assert!(matches!(nothing, Err(Error::Interrupted)), "{form}");
    }
}

/// Once all structures are there, the average over them is kept, though their evidence is not known well.
#[test]
fn an_exhaustive_average_is_kept_when_its_structures_are_there() {
    let (table, truth) = known(13);
    let table = few(&table);
    let learner = clusterer("exhaustive:1,samples=80", Policy::Best);
    let watcher =
        Impatient::new(1, &|e| matches!(e, Event::Phase { name, .. } if name.contains("again")));
    let found = learner.find(table.view(), &Run::default().observed(&watcher)).unwrap();
    assert!(right(&found, &truth) > 350);
    let notes = watcher.notes();
    assert!(notes.len() == 1 && notes[0].contains("less well"), "{notes:?}");
    let watcher = Impatient::new(3, &|e| matches!(e, Event::Step { steps: 1 }));
    let early = learner.find(table.view(), &Run::default().observed(&watcher));
    assert!(matches!(early, Err(Error::Interrupted)));
}

/// Wherever a run is stopped, it comes to something or says that it was interrupted.
#[test]
fn a_stop_at_any_point_is_survived() {
    let (table, _) = known(14);
    let table = few(&table).gather(&(0..60).collect::<Vec<u32>>());
    let learnt = ["ema:auto", "em:1,prior=either,choose=evidence", "ema:1,prior=centred", "kmeans"];
    for form in METHODS.into_iter().chain(learnt) {
        let learner = Clusterer { starts: 2, ..clusterer(form, Policy::Best) };
        for events in 1..40 {
            let watcher = Impatient::new(events, &|_| true);
            let run = Run::default().threads(1).unwrap().observed(&watcher);
            match learner.find(table.view(), &run) {
                Ok(found) => assert_eq!(found.memberships.len(), 3 * 60, "{form} {events}"),
                Err(e) => assert!(matches!(e, Error::Interrupted), "{form} {events}: {e}"),
            }
        }
    }
}
