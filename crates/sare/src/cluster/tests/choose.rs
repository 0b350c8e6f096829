//! How many clusters.

use super::{clusterer, known};
use crate::cluster::{Candidate, Chooser, Clusterer, Figures, Rule, Update, warnings};
use crate::data::{Cells, Field, Table};
use crate::num::tolerance::close;
use crate::registry;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::{FamilyTable, Score};

#[test]
fn the_number_that_made_the_rows_is_recommended() {
    let (table, _) = known(3);
    for update in [Update::Frequencies, Update::Averaged] {
        for rule in [Rule::Bic, Rule::Icl, Rule::CrossValidated] {
            let learner = Clusterer { starts: 8, ..clusterer(update, 1.0) };
            let chooser = Chooser { clusterer: learner, numbers: 2..=5, folds: 4, rule };
            let choice = chooser.choose(table.view(), &Run::default()).unwrap();
            let known =
                |c: &Candidate| c.clustering.model.outcome().clusters.clone().unwrap().numbers;
            let numbers = known(&choice.candidates[choice.chosen]).unwrap();
            assert_eq!(numbers.rule, rule);
            assert!(numbers.figures.iter().eq(choice.candidates.iter().map(|c| &c.figures)));
            // One cluster is always tried.
            let tried: Vec<usize> = choice.candidates.iter().map(|c| c.figures.clusters).collect();
            assert_eq!(tried, [1, 2, 3, 4, 5]);
            let chosen = choice.candidates[choice.chosen].figures.clusters;
            if rule == Rule::CrossValidated {
                // The held-out deviance is noisy, and more clusters than there are do little harm: they gain next to nothing,
                // and one too few loses much.
                let cv = |k: usize| choice.candidates[k - 1].figures.by(rule);
                assert!(
                    chosen >= 3 && cv(chosen) > cv(3) - 20.0,
                    "{chosen}: {}",
                    cv(chosen) - cv(3)
                );
                assert!(cv(3) < cv(2) - 40.0, "{}", cv(3) - cv(2));
            } else {
                assert_eq!(chosen, 3, "{update:?} {rule:?}");
            }
            for c in &choice.candidates {
                let f = &c.figures;
                let bic = -2.0 * f.log_likelihood + 400f64.ln() * f.parameters;
                assert!(close(f.by(Rule::Bic), bic, 1e-12) && f.rows == 400.0);
                assert!(close(f.by(Rule::Icl), bic + 2.0 * f.entropy, 1e-12) && f.entropy >= -1e-9);
                assert_eq!(f.patterns, Some(3f64.powi(10)));
                assert!(f.cross_validated.unwrap() < f.log_likelihood);
            }
            // One cluster of ten columns of three levels.
            assert!(close(choice.candidates[0].figures.parameters, 20.0, 1e-9));
        }
    }
}

#[test]
fn splitting_and_merging_leads_to_the_number_that_made_the_rows() {
    let (table, _) = known(7);
    for clusters in [1, 2, 6] {
        let learner = Clusterer { clusters, starts: 5, ..clusterer(Update::Frequencies, 1.0) };
        let from = learner.find(table.view(), &Run::default()).unwrap();
        let run = Run::default();
        let end = learner.split_and_merge(table.view(), from, Rule::Bic, &run).unwrap();
        assert_eq!(end.figures.clusters, 3, "from {clusters}");
        let found = end.clustering.model.outcome().clusters.as_ref().unwrap();
        let way = &found.numbers.as_ref().unwrap().figures;
        // Every number on the way, and those at its end that were no better.
        let numbers: Vec<usize> = way.iter().map(|f| f.clusters).collect();
        assert!(numbers.is_sorted() && (2..=4).all(|k| numbers.contains(&k)), "{numbers:?}");
        assert!((clusters.min(3)..=clusters.max(3)).all(|k| numbers.contains(&k)), "{numbers:?}");
        assert!(way.contains(&end.figures));
        assert!(way.iter().all(|f| f.by(Rule::Bic) >= end.figures.by(Rule::Bic)), "{way:?}");
        let warned = warnings(&end.clustering.model).join("\n");
        assert!(!warned.contains("is the largest that was tried"), "{warned}");
    }
}

/// The figures of what was chosen are its own, though a start that did not converge looked better before.
#[test]
fn what_has_not_converged_is_not_gone_to_and_does_not_lend_its_figures() {
    // Every column by itself in another order: without clusters, EM takes long.
    let (mut table, _) = known(7);
    for c in 0..table.columns() {
        let mut order: Vec<u32> = (0..table.rows() as u32).collect();
        Random::new(3, Purpose::Sample, c as u64).shuffle(&mut order);
        table.replace(c, table.field(c).clone(), table.cells(c).gather(&order));
    }
    let run = Run::default();
    let hasty = Clusterer {
        method: registry::clusterer("em:1,iterations=1,tolerance=1e-300").unwrap(),
        starts: 5,
        ..Clusterer::default()
    };
    let chooser = Chooser { clusterer: hasty.clone(), numbers: 1..=3, folds: 0, rule: Rule::Bic };
    let mut choice = chooser.choose(table.view(), &run).unwrap();
    let first = choice.candidates.swap_remove(choice.chosen);
    // One cluster converges at once, and no other number does.
    assert!(first.figures.converged && first.figures.clusters == 1);
    let end = hasty.split_and_merge(table.view(), first.clustering, Rule::Bic, &run).unwrap();
    assert_eq!(end.figures.clusters, 1);
    let found = end.clustering.model.outcome().clusters.as_ref().unwrap();
    let tried = &found.numbers.as_ref().unwrap().figures;
    assert_eq!(tried[0].log_likelihood, found.log_likelihood);
    assert!(tried[1..].iter().all(|f| !f.converged) && tried.len() > 2);
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let (table, _) = known(7);
    let learner = clusterer(Update::Averaged, 1.0);
    let chooser =
        Chooser { clusterer: learner, numbers: 1..=2, folds: 0, rule: Rule::CrossValidated };
    let message = |c: &Chooser| c.choose(table.view(), &Run::default()).unwrap_err().to_string();
    assert!(message(&chooser).contains("at least 2"));
    let one = Chooser { folds: 1, rule: Rule::Bic, ..chooser.clone() };
    assert!(message(&one).contains("at least 2"));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let numbers = 5..=2;
    assert!(message(&Chooser { numbers, ..chooser }).contains("5..2"));
    assert!(Rule::named("bik").unwrap_err().to_string().contains("bic"));
}

/// Folds are dealt to sorted rows: the order of the file changes no figure.
#[test]
fn the_order_of_rows_changes_no_figure() {
    let (table, _) = known(9);
    let mut order: Vec<u32> = (0..400).collect();
    Random::new(1, Purpose::Sample, 0).shuffle(&mut order);
    let shuffled = table.gather(&order);
    let chooser = Chooser {
        clusterer: Clusterer { starts: 3, ..clusterer(Update::Averaged, 1.0) },
        numbers: 1..=3,
        folds: 4,
        rule: Rule::CrossValidated,
    };
    let figures = |table: &Table| -> Vec<Figures> {
        let choice = chooser.choose(table.view(), &Run::default()).unwrap();
        choice.candidates.into_iter().map(|c| c.figures).collect()
    };
    assert_eq!(figures(&table), figures(&shuffled));
}

/// One cluster is the same from every start, but where columns depend on each other and cells are missing.
#[test]
fn one_cluster_gets_the_starts_that_it_needs() {
    let (table, _) = known(12);
    let table = table.select(&[0, 1, 2]);
    let holed = super::with_holes(&table, &mut Random::new(5, Purpose::Holes, 0), 0.1);
    let starts = |form: &str, table: &Table| {
        let method = registry::clusterer(form).unwrap();
        let clusterer = Clusterer { method, starts: 4, ..Clusterer::default() };
        let chooser = Chooser { clusterer, numbers: 1..=1, folds: 0, rule: Rule::Bic };
        let choice = chooser.choose(table.view(), &Run::default()).unwrap();
        choice.candidates[0].figures.starts
    };
    for (form, with_holes) in [
        ("em", 1),
        ("ema", 1),
        ("bc-em", 1),
        ("kmodes", 1),
        ("em-tan", 4),
        ("ema-tan", 4),
        ("structural-em", 4),
    ] {
        assert_eq!((starts(form, &table), starts(form, &holed)), (1, with_holes), "{form}");
    }
}

/// A row that is impossible without the others has the log-likelihood of something impossible, not of something rare.
#[test]
fn impossible_rows_are_told_as_such() {
    let codes = (0..40).map(|r| Some(if r == 7 { 2 } else { r % 2 }));
    let column = (Field::discrete("a", ["x", "y", "only once"]), Cells::from_codes(codes, 3));
    let table = Table::new("t", vec![column]).unwrap();
    let choose = |alpha: f64| {
        let clusterer = Clusterer { starts: 2, ..clusterer(Update::Frequencies, alpha) };
        let chooser = Chooser { clusterer, numbers: 1..=1, folds: 5, rule: Rule::Bic };
        let choice = chooser.choose(table.view(), &Run::default()).unwrap();
        choice.candidates[0].figures.cross_validated.unwrap()
    };
    assert_eq!(choose(0.0), f64::NEG_INFINITY);
    assert!(choose(1.0).is_finite());
}

/// What averages leave free, against going through all parent sets and all trees of three columns.
#[test]
fn the_free_numbers_of_averages_are_means_over_structures() {
    let (table, _) = known(10);
    let table = table.select(&[0, 1, 5]);
    let (states, clusters) = (3.0, 2.0);
    let figures = |form: &str| {
        let method = registry::clusterer(form).unwrap();
        let clusterer = Clusterer { method, clusters: 2, starts: 2, ..Clusterer::default() };
        let found = clusterer.find(table.view(), &Run::default()).unwrap();
        (Figures::of(&found.model).unwrap().parameters, found)
    };
    // Every tree of three columns has two edges, and all columns have three states.
    let (trees, _) = figures("ema-trees");
    let edge = (states - 1.0) * (states - 1.0);
    let wanted = clusters * (3.0 * (states - 1.0) + 2.0 * edge) + clusters - 1.0;
    assert!(close(trees, wanted, 1e-9), "{trees} {wanted}");
    let (orders, found) = figures("ema-tan:1,order=columns");
    let pairs = found.model.pairs().unwrap();
    let tables = pairs.tables();
    let score = |t: &FamilyTable| Score::Bdeu((t.cells() * t.classes()) as f64).of(t);
    let mut wanted = clusters - 1.0;
    for child in 0..3 {
        // With no other column, then with each before it; without the cluster, and with it.
        let families = [None].into_iter().chain((0..child).map(Some));
        let (mut logs, mut free) = (Vec::new(), Vec::new());
        for parent in families {
            let counts = parent.map_or_else(|| tables.alone(child), |p| tables.family(p, child));
            let others = if parent.is_some() { states } else { 1.0 };
            logs.extend([score(&counts.sum_over_classes()), score(&counts)]);
            free.extend([others * (states - 1.0), clusters * others * (states - 1.0)]);
        }
        crate::num::normalise_logs(&mut logs);
        wanted += logs.iter().zip(&free).map(|(p, n)| p * n).sum::<f64>();
    }
    assert!(close(orders, wanted, 1e-9), "{orders} {wanted}");
}
