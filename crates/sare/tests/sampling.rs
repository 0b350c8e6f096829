//! What is drawn agrees with what is exact, and says how far it may be off.

#[path = "common/networks.rs"]
mod networks;

use networks::soft_network;
use sare::infer::enumerate::enumerate;
use sare::infer::join_tree::DEFAULT_LIMIT;
use sare::infer::sampling::estimate;
use sare::infer::{Evidence, JoinTree, Query, Sampler};
use sare::run::Run;
use sare::seed::{Purpose, Random};

/// Estimates lie within five standard errors of what is exact, and the errors are about as large as they say.
#[test]
fn samplers_agree_with_exact_answers_within_their_errors() {
    let mut random = Random::new(14, Purpose::Model, 0);
    for sampler in [Sampler::Forward, Sampler::Weighting, Sampler::Gibbs { burn_in: 100 }] {
        let (mut squares, mut terms) = (0.0, 0.0);
        let mut trials = 0;
        while trials < 40 {
            let network = soft_network(6, &mut random);
            let mut evidence = Evidence::none();
            evidence.see(&network, random.below(3), 0).unwrap();
            let likelihood = (0..network.states(4)).map(|_| random.uniform()).collect();
            evidence.likely(&network, 4, likelihood).unwrap();
            trials += 1;
            let run = Run::with_seed(trials);
            let found = estimate(&network, &evidence, sampler, 4000, &run).unwrap();
            let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
            let mut exact = tree.prior();
            tree.update(&evidence, &mut exact).unwrap();
            if let Some((log, error)) = found.log_evidence {
                assert!((log - exact.log_evidence()).abs() <= 5.0 * error + 1e-12, "{sampler:?}");
            }
            for v in 0..6 {
                let three = exact.marginal(v).iter().zip(found.marginal(v)).zip(found.errors(v));
                for ((p, estimate), error) in three {
                    assert!((p - estimate).abs() <= 5.0 * error + 1e-12, "{sampler:?} {v}");
                    // Below that the differences are those of rounding.
                    if *error > 1e-9 {
                        squares += ((p - estimate) / error).powi(2);
                        terms += 1.0;
                    }
                }
            }
        }
        let ratio: f64 = squares / terms;
        assert!((0.7..1.4).contains(&ratio), "{sampler:?}: {ratio}");
    }
}

#[test]
fn estimates_are_the_same_on_any_number_of_threads() {
    let mut random = Random::new(15, Purpose::Model, 0);
    let network = soft_network(7, &mut random);
    let mut evidence = Evidence::none();
    evidence.see(&network, 2, 0).unwrap();
    for sampler in [Sampler::Forward, Sampler::Weighting, Sampler::Gibbs { burn_in: 10 }] {
        let found = |threads| {
            let run = Run::with_seed(3).threads(threads).unwrap();
            estimate(&network, &evidence, sampler, 5000, &run).unwrap()
        };
        assert_eq!(found(1), found(3));
    }
    assert!(estimate(&network, &evidence, Sampler::Forward, 3, &Run::default()).is_err());
}

/// Rows drawn from the tree follow the posterior.
#[test]
fn rows_are_drawn_from_the_posterior() {
    let mut random = Random::new(16, Purpose::Model, 0);
    for _ in 0..10 {
        let network = soft_network(5, &mut random);
        let mut evidence = Evidence::none();
        evidence.see(&network, 1, 0).unwrap();
        let likelihood = (0..network.states(3)).map(|s| 1.0 + s as f64).collect();
        evidence.likely(&network, 3, likelihood).unwrap();
        let exact = enumerate(&network, &evidence, &[0, 1, 2, 3, 4]).unwrap();
        let rows = 20_000;
        let table = Query::new(&network, &evidence).sample("t", rows, &mut random).unwrap();
        let mut counts = vec![0.0; exact.joint.values.len()];
        for r in 0..rows {
            let code = |v: usize| table.cells(v).code(r).unwrap();
            counts[(0..5).fold(0, |index, v| index * network.states(v) + code(v))] += 1.0;
        }
        for (count, p) in counts.iter().zip(&exact.joint.values) {
            let sd = (p * (1.0 - p) / rows as f64).sqrt();
            assert!((count / rows as f64 - p).abs() <= 5.0 * sd + 2.0 / rows as f64);
        }
    }
}
