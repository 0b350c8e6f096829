//! Every way to answer a query gives what going through all configurations gives.

#[path = "common/networks.rs"]
mod networks;

use networks::{all_close, random_evidence, random_network};
use sare::error::Error;
use sare::graph::Dag;
use sare::infer::enumerate::{Enumerated, enumerate};
use sare::infer::information::next_questions;
use sare::infer::join_tree::DEFAULT_LIMIT;
use sare::infer::sampling::estimate;
use sare::infer::{Evidence, Finding, JoinTree, Query, Sampler};
use sare::network::{Network, Variable};
use sare::num::tolerance::{OTHER_PACKAGE, close};
use sare::run::Run;
use sare::seed::{Purpose, Random};

#[test]
fn trees_agree_with_enumeration() {
    let mut random = Random::new(11, Purpose::Model, 0);
    let (mut possible, mut impossible) = (0, 0);
    for trial in 0..1000 {
        let network = random_network(1 + trial % 8, &mut random);
        let count = network.variables().len();
        let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
        let mut posterior = tree.prior();
        for _ in 0..3 {
            let evidence = random_evidence(&network, &mut random);
            let exact = enumerate(&network, &evidence, &(0..count).collect::<Vec<_>>()).unwrap();
            match tree.update(&evidence, &mut posterior) {
                Err(e) => {
                    impossible += 1;
                    assert_eq!(exact.log_evidence, f64::NEG_INFINITY, "{e}");
                }
                Ok(()) => {
                    possible += 1;
                    assert!(close(posterior.log_evidence(), exact.log_evidence, OTHER_PACKAGE));
                    for v in 0..count {
                        let expected = marginal(&exact, &[v], &network);
                        assert!(all_close(posterior.marginal(v), &expected), "{trial} {v}");
                    }
                    let family = |v: usize| network.dag().parents(v).chain([v]).collect::<Vec<_>>();
                    for scope in (0..count).map(family) {
                        let joint = tree.joint(&mut posterior, &scope).unwrap();
                        assert!(all_close(&joint.values, &marginal(&exact, &scope, &network)));
                    }
                }
            }
        }
    }
    assert!(possible > 1500 && impossible > 100, "{possible} {impossible}");
}

/// The joint distribution of some variables from that of all.
fn marginal(exact: &Enumerated, scope: &[usize], network: &Network) -> Vec<f64> {
    let mut values = vec![0.0; scope.iter().map(|&v| network.states(v)).product()];
    for (number, p) in exact.joint.values.iter().enumerate() {
        let (mut rest, mut row) = (number, vec![0; exact.joint.scope.len()]);
        for &v in exact.joint.scope.iter().rev() {
            row[v] = rest % network.states(v);
            rest /= network.states(v);
        }
        values[scope.iter().fold(0, |index, &v| index * network.states(v) + row[v])] += p;
    }
    values
}

/// Queries that build only what matters, the most probable explanation included.
#[test]
fn pruned_queries_agree_with_enumeration() {
    let mut random = Random::new(13, Purpose::Model, 0);
    let (mut possible, mut impossible) = (0, 0);
    for trial in 0..2000 {
        let network = random_network(1 + trial % 8, &mut random);
        let count = network.variables().len();
        let evidence = random_evidence(&network, &mut random);
        let exact = enumerate(&network, &evidence, &(0..count).collect::<Vec<_>>()).unwrap();
        let mut targets: Vec<usize> = (0..count).filter(|_| random.below(3) == 0).collect();
        random.shuffle(&mut targets);
        let query = Query::new(&network, &evidence);
        if exact.log_evidence == f64::NEG_INFINITY {
            impossible += 1;
            assert!(matches!(query.marginals(&targets), Err(Error::Impossible { .. })));
            assert!(matches!(query.most_probable(), Err(Error::Impossible { .. })));
            continue;
        }
        possible += 1;
        let found = query.marginals(&targets).unwrap();
        assert!(close(found.log_evidence.unwrap(), exact.log_evidence, OTHER_PACKAGE));
        for (v, p) in targets.iter().zip(&found.marginals) {
            assert!(all_close(p, &marginal(&exact, &[*v], &network)));
        }
        let (joint, log) = query.joint(&targets).unwrap();
        assert_eq!(joint.scope, targets);
        assert!(close(log.unwrap(), exact.log_evidence, OTHER_PACKAGE));
        assert!(all_close(&joint.values, &marginal(&exact, &targets, &network)));
        let best = query.most_probable().unwrap();
        assert!(close(best.log_joint, exact.log_best, OTHER_PACKAGE), "{best:?} {exact:?}");
        let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
        let again = tree.most_probable(&evidence, &mut tree.prior()).unwrap();
        assert!(close(again.log_joint, exact.log_best, OTHER_PACKAGE));
        assert!(close(again.log_posterior, exact.log_best - exact.log_evidence, OTHER_PACKAGE));
    }
    assert!(possible > 1500 && impossible > 50, "{possible} {impossible}");
}

/// The shortest impossible beginning of the evidence is named, by trees and by queries.
#[test]
fn what_cannot_be_is_named() {
    let level = |l: &str| l.to_string();
    let variable = |n: &str| Variable { name: n.into(), levels: vec![level("no"), level("yes")] };
    let mut dag = Dag::new(3);
    dag.add(0, 1).unwrap();
    let tables = vec![vec![0.5, 0.5], vec![1.0, 0.0, 0.2, 0.8], vec![1.0, 0.0]];
    let variables = ["rain", "wet", "frost"].map(variable).to_vec();
    let network = Network::new(variables, dag, tables).unwrap();
    let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
    for (findings, named) in [
        (&[("rain", "no"), ("wet", "yes"), ("frost", "yes")][..], "rain=no, wet=yes cannot be"),
        (&[("frost", "yes"), ("rain", "no"), ("wet", "yes")][..], "frost=yes cannot be"),
        (&[("rain", "yes"), ("wet", "yes"), ("frost", "yes")][..], "rain=yes, wet=yes, frost=yes"),
    ] {
        let mut evidence = Evidence::none();
        findings.iter().for_each(|(v, l)| evidence.see_named(&network, v, l).unwrap());
        let errors = [
            tree.update(&evidence, &mut tree.prior()).unwrap_err(),
            Query::new(&network, &evidence).marginals(&[0]).unwrap_err(),
        ];
        assert!(errors.iter().all(|e| e.to_string().starts_with(named)), "{errors:?}");
    }
    let mut evidence = Evidence::none();
    let unknown = evidence.see_named(&network, "wett", "yes").unwrap_err().to_string();
    assert!(unknown.contains("did you mean 'wet'"), "{unknown}");
    let unknown = evidence.see_named(&network, "wet", "yess").unwrap_err().to_string();
    assert!(unknown.contains("wet=yess") && unknown.contains("did you mean 'yes'"), "{unknown}");
    evidence.see_named(&network, "wet", "yes").unwrap();
    assert!(evidence.see(&network, 1, 0).is_err() && evidence.see(&network, 0, 2).is_err());
    assert!(evidence.see(&network, 9, 0).is_err());
    assert!(evidence.likely(&network, 0, vec![0.0, 0.0]).is_err());
    assert!(evidence.likely(&network, 0, vec![1.0]).is_err());
    assert!(evidence.likely(&network, 0, vec![1.0, f64::NAN]).is_err());
}

/// What is too large is refused before anything is made, and a question that needs only a part is answered.
#[test]
fn large_networks_answer_small_questions() {
    // Two rows of 80 nodes, each with ten parents in the first row: far beyond any join tree.
    let variables = 160;
    let mut random = Random::new(5, Purpose::Model, 0);
    let mut dag = Dag::new(variables);
    for child in 80..variables {
        let mut parents: Vec<usize> = (0..80).collect();
        random.shuffle(&mut parents);
        parents[..10].iter().for_each(|&p| dag.add(p, child).unwrap());
    }
    let rows = |v: usize| 1usize << dag.parents(v).count();
    let tables = (0..variables)
        .map(|v| (0..rows(v)).flat_map(|_| random.dirichlet(2, 1.0)).collect())
        .collect();
    let variable =
        |v: usize| Variable { name: format!("v{v}"), levels: vec!["a".into(), "b".into()] };
    let network = Network::new((0..variables).map(variable).collect(), dag, tables).unwrap();
    let Err(Error::TooLarge { bytes, fix, .. }) = JoinTree::new(&network, DEFAULT_LIMIT) else {
        panic!("it must be too large");
    };
    assert_eq!(bytes, JoinTree::estimate(&network).bytes);
    assert!(bytes > DEFAULT_LIMIT && fix.contains("likelihood weighting"));
    // One child and its parents are a small matter, and so are all marginals one by one.
    let mut evidence = Evidence::none();
    evidence.see(&network, 100, 1).unwrap();
    let query = Query::new(&network, &evidence);
    assert!(query.cost(&[3]).entries < 10_000);
    let all: Vec<usize> = (0..variables).collect();
    let exact = query.marginals(&all).unwrap();
    assert!(exact.marginals.iter().all(|m| close(m.iter().sum(), 1.0, OTHER_PACKAGE)));
    let sampled =
        estimate(&network, &evidence, Sampler::Weighting, 20_000, &Run::default()).unwrap();
    for (v, m) in exact.marginals.iter().enumerate() {
        assert!((m[0] - sampled.marginal(v)[0]).abs() <= 5.0 * sampled.errors(v)[0] + 1e-12);
    }
    let few = Query { limit: 100, ..query };
    let parent = network.dag().parents(100).next().unwrap();
    assert!(matches!(few.marginals(&[parent]), Err(Error::TooLarge { .. })));
}

/// Where evidence leaves little of a large tree, a smaller one answers the same.
#[test]
fn much_evidence_makes_a_large_tree_small() {
    let mut random = Random::new(18, Purpose::Model, 0);
    // A square in which each depends on the one above it and the one to its left.
    const SIDE: usize = 14;
    let mut dag = Dag::new(SIDE * SIDE);
    for v in 0..SIDE * SIDE {
        if v >= SIDE {
            dag.add(v - SIDE, v).unwrap();
        }
        if !v.is_multiple_of(SIDE) {
            dag.add(v - 1, v).unwrap();
        }
    }
    let rows = |v: usize| 1usize << dag.parents(v).count();
    let table =
        |v: usize| (0..rows(v)).flat_map(|_| random.dirichlet(2, 1.0)).collect::<Vec<f64>>();
    let tables = (0..SIDE * SIDE).map(table).collect();
    let levels = || vec!["a".to_string(), "b".to_string()];
    let variables =
        (0..SIDE * SIDE).map(|v| Variable { name: format!("v{v}"), levels: levels() }).collect();
    let network = Network::new(variables, dag, tables).unwrap();
    let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
    assert!(tree.cost().entries > 5000 * (SIDE * SIDE) as u128, "{:?}", tree.cost());
    let mut evidence = Evidence::none();
    // Two columns cut the square in three.
    for row in 0..SIDE {
        evidence.see(&network, row * SIDE + 4, row % 2).unwrap();
        evidence.see(&network, row * SIDE + 9, row % 2).unwrap();
    }
    let all: Vec<usize> = (0..SIDE * SIDE).collect();
    let less = Query::new(&network, &evidence).cost(&all).entries;
    assert!(less * 16 < tree.cost().entries, "{less}");
    let mut posterior = tree.prior();
    tree.update(&evidence, &mut posterior).unwrap();
    let marginals = posterior.marginals().to_vec();
    for v in all {
        // A joint distribution is always that of the large tree.
        let joint = tree.joint(&mut posterior, &[v]).unwrap();
        assert!(all_close(&joint.values, &marginals[2 * v..][..2]));
    }
    // One more finding, uncertain, and one that says nothing: still the same.
    evidence.likely(&network, 3, vec![2.0, 2.0]).unwrap();
    let log = posterior.log_evidence();
    tree.update(&evidence, &mut posterior).unwrap();
    assert!(all_close(posterior.marginals(), &marginals));
    assert!(close(posterior.log_evidence(), log + 2f64.ln(), OTHER_PACKAGE));
}

/// Mutual information and conflict, from the joint distribution of all variables.
#[test]
fn what_to_ask_next_and_conflict_agree_with_enumeration() {
    let mut random = Random::new(17, Purpose::Model, 0);
    for trial in 0..300 {
        let network = random_network(2 + trial % 5, &mut random);
        let count = network.variables().len();
        let evidence = random_evidence(&network, &mut random);
        let exact = enumerate(&network, &evidence, &(0..count).collect::<Vec<_>>()).unwrap();
        let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
        let target = random.below(count);
        let known = |v: usize| matches!(evidence.of(v), Some(Finding::State(_)));
        let found = next_questions(&tree, &evidence, target);
        if exact.log_evidence == f64::NEG_INFINITY || known(target) {
            assert!(found.is_err());
            continue;
        }
        let found = found.unwrap();
        assert_eq!(found.len(), (0..count).filter(|&v| v != target && !known(v)).count());
        assert!(found.windows(2).all(|w| w[0].1 >= w[1].1));
        for (v, information) in found {
            let joint = marginal(&exact, &[v, target], &network);
            let (p, q) = (marginal(&exact, &[v], &network), marginal(&exact, &[target], &network));
            let term = |(i, x): (usize, &f64)| {
                let apart = p[i / q.len()] * q[i % q.len()];
                if *x > 0.0 { x * (x / apart).ln() } else { 0.0 }
            };
            let expected: f64 = joint.iter().enumerate().map(term).sum();
            assert!(close(information, expected, OTHER_PACKAGE), "{information} {expected}");
        }
        let mut apart = 0.0;
        for (v, finding) in evidence.findings() {
            let mut alone = Evidence::none();
            match finding {
                Finding::State(s) => alone.see(&network, *v, *s).unwrap(),
                Finding::Likelihood(l) => alone.likely(&network, *v, l.clone()).unwrap(),
            }
            apart += enumerate(&network, &alone, &[]).unwrap().log_evidence;
        }
        let found = Query::new(&network, &evidence).conflict().unwrap();
        assert!(close(found, apart - exact.log_evidence, OTHER_PACKAGE));
    }
}

#[test]
fn many_queries_are_the_same_on_any_number_of_threads() {
    let mut random = Random::new(12, Purpose::Model, 0);
    let network = random_network(14, &mut random);
    let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
    let evidence: Vec<Evidence> =
        (0..200).map(|_| random_evidence(&network, &mut random)).collect();
    let answer = |threads| {
        let run = Run::default().threads(threads).unwrap();
        let bits = |p: &sare::infer::Posterior| {
            p.marginals().iter().map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        tree.update_each(&evidence, &run, bits).into_iter().map(Result::ok).collect::<Vec<_>>()
    };
    assert_eq!(answer(1), answer(3));
}

/// Hundreds of findings, each improbable: products of their probabilities are far below the smallest number, and the answer
/// is that of sums of logarithms.
#[test]
fn hundreds_of_improbable_findings_stay_in_range() {
    let count = 700;
    let variable = |name: String| Variable { name, levels: vec!["a".into(), "b".into()] };
    let mut variables: Vec<Variable> = (0..count).map(|i| variable(format!("x{i}"))).collect();
    variables.push(variable("class".into()));
    let mut dag = Dag::new(count + 1);
    (0..count).for_each(|v| dag.add(count, v).unwrap());
    let chance = |v: usize, class: usize| 1e-6 * (1.0 + ((v * 7 + class * 3) % 10) as f64);
    let row = |v: usize, class: usize| [chance(v, class), 1.0 - chance(v, class)];
    let mut tables: Vec<Vec<f64>> = (0..count).map(|v| [row(v, 0), row(v, 1)].concat()).collect();
    tables.push(vec![0.4, 0.6]);
    let network = Network::new(variables, dag, tables).unwrap();
    let mut evidence = Evidence::none();
    // Every second one is certain, the others as good as.
    for v in 0..count {
        match v % 2 {
            0 => evidence.see(&network, v, 0).unwrap(),
            _ => evidence.likely(&network, v, vec![1e-3, 1e-30]).unwrap(),
        }
    }
    let says = |v: usize, class: usize| match v % 2 {
        0 => chance(v, class),
        _ => 1e-3 * chance(v, class) + 1e-30 * (1.0 - chance(v, class)),
    };
    let log = |class: usize| -> f64 {
        [0.4f64, 0.6][class].ln() + (0..count).map(|v| says(v, class).ln()).sum::<f64>()
    };
    let top = log(0).max(log(1));
    let total = top + ((log(0) - top).exp() + (log(1) - top).exp()).ln();
    let wanted = [log(0), log(1)].map(|ln| (ln - total).exp());
    let tree = JoinTree::new(&network, DEFAULT_LIMIT).unwrap();
    let mut posterior = tree.prior();
    tree.update(&evidence, &mut posterior).unwrap();
    assert!(all_close(posterior.marginal(count), &wanted), "{:?}", posterior.marginal(count));
    assert!(close(posterior.log_evidence(), total, OTHER_PACKAGE));
    let query = Query::new(&network, &evidence);
    let found = query.marginals(&[count]).unwrap();
    assert!(all_close(&found.marginals[0], &wanted), "{:?} {wanted:?}", found.marginals);
    assert!(close(found.log_evidence.unwrap(), total, OTHER_PACKAGE));
    let best = query.most_probable().unwrap();
    assert_eq!(best.states[count], usize::from(wanted[1] > wanted[0]));
    let gibbs = Sampler::Gibbs { burn_in: 10 };
    let estimates = estimate(&network, &evidence, gibbs, 200, &Run::default()).unwrap();
    assert!(estimates.marginal(count).iter().all(|p| p.is_finite()));
}
