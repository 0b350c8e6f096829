//! Whether the best starts converge, and whether what they converge to is the only answer.

use super::known;
use crate::cluster::{Chooser, Clusterer, Clustering, Compared, Figures, Rule, boundary, warnings};
use crate::cluster::{Marginals, fixed::blank_of, fixed::random_start};
use crate::data::{Cells, Field, Source, Table};
use crate::infer::expectation::{Expectation, Until};
use crate::infer::slopes::Criterion;
use crate::parameters::em::Frequencies;
use crate::registry;
use crate::run::{Run, Stop};
use crate::seed::{Purpose, Random};

fn clusterer(form: &str, clusters: usize) -> Clusterer {
    let method = registry::clusterer(form).unwrap();
    Clusterer { method, clusters, starts: 20, ..Clusterer::default() }
}

/// Binary columns that depend on a hidden one of so many states.
fn binary(columns: usize, hidden: usize, rows: usize) -> Table {
    let mut random = Random::new(11, Purpose::Sample, 0);
    let chance: Vec<f64> = (0..hidden * columns).map(|_| random.dirichlet(2, 1.0)[0]).collect();
    let states: Vec<usize> = (0..rows).map(|_| random.below(hidden)).collect();
    let mut column = |v: usize| {
        let cell =
            |&s: &usize| Some(usize::from(random.dirichlet(2, 1.0)[0] > chance[s * columns + v]));
        let codes: Vec<Option<usize>> = states.iter().map(cell).collect();
        (Field::discrete(format!("x{v}"), ["no", "yes"]), Cells::from_codes(codes, 2))
    };
    Table::new("binary", (0..columns).map(&mut column).collect()).unwrap()
}

fn found(clustering: &Clustering) -> &crate::run::ClusterOutcome {
    clustering.model.outcome().clusters.as_ref().unwrap()
}

/// Before, a start that had not converged after its iterations stayed as it was, and its number of clusters was not compared.
#[test]
fn the_best_starts_continue_beyond_the_limit_of_the_others() {
    let (table, _) = known(3);
    let run = Run::default();
    for form in
        ["em:1,iterations=8", "em:0,iterations=20", "ema:1,iterations=8", "bc-em:1,rounds=3"]
    {
        let found = clusterer(form, 3).find(table.view(), &run).unwrap();
        assert_eq!(found.model.outcome().stop, Stop::Converged, "{form}");
    }
    let clusterer = clusterer("em:1,iterations=30", 1);
    let chooser = Chooser { clusterer, numbers: 1..=4, folds: 0, rule: Rule::Bic };
    let choice = chooser.choose(table.view(), &run).unwrap();
    assert!(choice.candidates.iter().all(|c| c.figures.converged));
    let model = &choice.candidates[choice.chosen].clustering.model;
    let numbers = model.outcome().clusters.as_ref().unwrap().numbers.as_ref().unwrap();
    assert_eq!(numbers.compared(), Compared::All);
}

/// Extrapolated EM against plain EM: the same end, never lower on the way, in fewer iterations.
#[test]
fn extrapolation_leads_where_em_leads() {
    let (table, _) = known(6);
    let latent = Cells::from_codes(std::iter::repeat_n(None, table.rows()), 3);
    let mut columns: Vec<(Field, Cells)> =
        (0..table.columns()).map(|c| (table.field(c).clone(), table.cells(c).clone())).collect();
    columns.push((Field::discrete("cluster", ["1", "2", "3"]), latent));
    let table = Table::new("t", columns).unwrap();
    let (data, run) = (Source::Memory(table.view()), Run::default());
    for alpha in [0.0, 1.0] {
        let em = Expectation {
            data: &data,
            criterion: Criterion::Latent,
            iterations: 100_000,
            until: Until::Gain(1e-14),
            run: &run,
        };
        let mut iterations = [0, 0];
        for index in 0..6 {
            let start = random_start(&blank_of(data.schema()).unwrap(), 3, index).unwrap();
            let plain = em.climb(start.clone(), &mut Frequencies { alpha }).unwrap();
            let fast = em.climb_fast(start, &mut Frequencies { alpha }).unwrap();
            let last = |o: &crate::run::Outcome| *o.trace.last().unwrap();
            let (a, b) = (last(&plain.outcome), last(&fast.outcome));
            // From one start both may end on different hills, but neither below where it began to climb.
            assert!(fast.outcome.trace.windows(2).all(|w| w[1] >= w[0] - 1e-8), "{alpha} {index}");
            assert_eq!(fast.outcome.stop, Stop::Converged);
            if (a - b).abs() < 1e-3 {
                assert!((a - b).abs() < 1e-7, "{alpha} {index}: {a} {b}");
                iterations[0] += plain.outcome.passes;
                iterations[1] += fast.outcome.passes;
            }
        }
        assert!(iterations[1] > 0 && iterations[1] < iterations[0], "{alpha}: {iterations:?}");
    }
}

/// Eight patterns determine seven numbers; three clusters have eleven, and all starts reach the same likelihood in different places.
#[test]
fn clusters_that_are_not_identified_are_reported() {
    let table = binary(3, 2, 300);
    let of =
        |clusters: usize| clusterer("em:0", clusters).find(table.view(), &Run::default()).unwrap();
    let three = of(3);
    let figures = Figures::of(&three.model).unwrap();
    assert_eq!((figures.parameters, figures.degrees_of_freedom()), (11.0, Some(-4.0)));
    assert_eq!(figures.residual_degrees_of_freedom(), Some(-4.0));
    let alternatives = found(&three).alternatives.unwrap();
    assert!(alternatives.starts > 0 && alternatives.difference > 0.05, "{alternatives:?}");
    let text = warnings(&three.model).join("\n");
    assert!(text.contains("11 parameters, and 8 possible patterns"), "{text}");
    assert!(text.contains("put rows into other clusters"), "{text}");
    let two = of(2);
    assert_eq!(Figures::of(&two.model).unwrap().degrees_of_freedom(), Some(0.0));
    assert_eq!(found(&two).alternatives, None);
    assert!(!warnings(&two.model).join("\n").contains("not identified"));
    // Enough columns, and the clusters that made the rows.
    let (table, _) = known(3);
    let known = clusterer("em:0", 3).find(table.view(), &Run::default()).unwrap();
    assert_eq!(found(&known).alternatives, None);
    assert!(!warnings(&known.model).join("\n").contains("not identified"));
}

/// Two clusters, in one of which a level never occurs: by hand, p = 0 there.
#[test]
fn estimates_on_the_boundary_are_exact_and_named() {
    let rows = 400;
    let mut random = Random::new(2, Purpose::Sample, 3);
    let hidden: Vec<usize> = (0..rows).map(|_| random.below(2)).collect();
    let mut column = |v: usize| {
        let mut code = |&h: &usize| match (v, h) {
            // The level "never" of the first column is of the second cluster alone.
            (0, 0) => random.below(2),
            (0, _) => random.below(3),
            _ => usize::from(random.below(10) < 1 + 8 * h),
        };
        let codes: Vec<Option<usize>> = hidden.iter().map(|h| Some(code(h))).collect();
        let states = if v == 0 { 3 } else { 2 };
        let levels: Vec<String> =
            ["a", "b", "never"][..states].iter().map(|l| l.to_string()).collect();
        (Field::discrete(format!("x{v}"), levels), Cells::from_codes(codes, states))
    };
    let table = Table::new("t", (0..7).map(&mut column).collect()).unwrap();
    let clusters = clusterer("em:0", 2).find(table.view(), &Run::default()).unwrap();
    let marginals = Marginals::of(&clusters.model).unwrap();
    let all = boundary(&marginals);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((all[0].attribute, all[0].state, all[0].probability), (0, 2, 0.0));
    assert_eq!(marginals.given(0, all[0].cluster)[2], 0.0);
    assert_eq!(found(&clusters).independence[0], f64::INFINITY);
    assert!(found(&clusters).independence[1..].iter().all(|x| x.is_finite()));
    // With a prior nothing is.
    let smooth = clusterer("em:1", 2).find(table.view(), &Run::default()).unwrap();
    assert!(boundary(&Marginals::of(&smooth.model).unwrap()).is_empty());
}

/// The result of `structural-em` has the BIC of its rows, not that of rows completed by the model before.
#[test]
fn the_score_of_structural_em_is_its_bic() {
    let (table, _) = known(4);
    let table = table.select(&[0, 1, 2, 5]);
    let learner = Clusterer { starts: 5, ..clusterer("structural-em", 2) };
    let clusters = learner.find(table.view(), &Run::default()).unwrap();
    let outcome = clusters.model.outcome();
    let (name, score) = outcome.search.clone().unwrap().score.unwrap();
    let free = clusters.model.network().unwrap().free_parameters() as f64;
    let bic = -2.0 * found(&clusters).log_likelihood + free * 400f64.ln();
    assert!(name.contains("BIC") && (score - bic).abs() < 1e-6, "{name} {score} {bic}");
}
