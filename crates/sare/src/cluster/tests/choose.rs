//! How many clusters.

use super::{clusterer, known};
use crate::cluster::{Chooser, Clusterer, Rule, Update};
use crate::num::tolerance::close;
use crate::run::Run;

#[test]
fn the_number_that_made_the_rows_is_recommended() {
    let (table, _) = known(3);
    for update in [Update::Frequencies, Update::Averaged] {
        for rule in [Rule::Bic, Rule::Icl, Rule::CrossValidated] {
            let learner = Clusterer { starts: 8, ..clusterer(update, 1.0) };
            let chooser = Chooser { clusterer: learner, numbers: 2..=5, folds: 4, rule };
            let choice = chooser.choose(table.view(), &Run::default()).unwrap();
            // One cluster is always tried.
            let tried: Vec<usize> = choice.candidates.iter().map(|c| c.figures.clusters).collect();
            assert_eq!(tried, [1, 2, 3, 4, 5]);
            let chosen = choice.candidates[choice.chosen].figures.clusters;
            // What rows that were not learnt from say is noisy, and a little more does little harm there.
            let most = if rule == Rule::CrossValidated { 4 } else { 3 };
            assert!((3..=most).contains(&chosen), "{update:?} {rule:?}: {chosen}");
            for c in &choice.candidates {
                let f = &c.figures;
                assert!(close(f.bic, f.log_likelihood - 400f64.ln() / 2.0 * f.parameters, 1e-12));
                assert!(close(f.aic, f.log_likelihood - f.parameters, 1e-12));
                assert!(close(f.icl, f.bic - f.entropy, 1e-12) && f.entropy >= -1e-9);
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
    }
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let (table, _) = known(7);
    let learner = clusterer(Update::Averaged, 1.0);
    let chooser =
        Chooser { clusterer: learner, numbers: 1..=2, folds: 0, rule: Rule::CrossValidated };
    let message = |c: &Chooser| c.choose(table.view(), &Run::default()).unwrap_err().to_string();
    assert!(message(&chooser).contains("at least 2"));
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let numbers = 5..=2;
    assert!(message(&Chooser { numbers, ..chooser }).contains("5..2"));
    assert!(Rule::named("bik").unwrap_err().to_string().contains("bic"));
}
