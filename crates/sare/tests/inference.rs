//! Every way to answer a query gives what going through all configurations gives.

use sare::graph::Dag;
use sare::infer::enumerate::{Enumerated, enumerate};
use sare::infer::join_tree::DEFAULT_LIMIT;
use sare::infer::{Evidence, JoinTree};
use sare::network::{Network, Variable};
use sare::num::tolerance::{OTHER_PACKAGE, close};
use sare::run::Run;
use sare::seed::{Purpose, Random};

/// A random network with some states that cannot be.
fn random_network(variables: usize, random: &mut Random) -> Network {
    let density = [0.1, 0.3, 0.6][random.below(3)];
    let mut order: Vec<usize> = (0..variables).collect();
    random.shuffle(&mut order);
    let mut dag = Dag::new(variables);
    for b in 0..variables {
        for a in 0..b {
            if random.uniform() < density && dag.parents(order[b]).count() < 4 {
                dag.add(order[a], order[b]).unwrap();
            }
        }
    }
    let states: Vec<usize> = (0..variables).map(|_| [1, 2, 2, 3, 4][random.below(5)]).collect();
    let table = |v: usize| {
        let rows: usize = dag.parents(v).map(|p| states[p]).product();
        (0..rows).flat_map(|_| random_row(states[v], random)).collect()
    };
    let tables = (0..variables).map(table).collect();
    let variable = |v: usize| Variable {
        name: format!("v{v}"),
        levels: (0..states[v]).map(|l| l.to_string()).collect(),
    };
    Network::new((0..variables).map(variable).collect(), dag, tables).unwrap()
}

fn random_row(states: usize, random: &mut Random) -> Vec<f64> {
    let alpha = [0.3, 1.0, 5.0][random.below(3)];
    let mut row = random.dirichlet(states, alpha);
    if states > 1 && random.uniform() < 0.2 {
        row[random.below(states)] = 0.0;
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        if row.iter().any(|p| p.is_nan()) {
            row = vec![1.0 / states as f64; states];
        }
    }
    row
}

/// Random findings, certain and uncertain, possible or not.
fn random_evidence(network: &Network, random: &mut Random) -> Evidence {
    let share = [0.0, 0.2, 0.5][random.below(3)];
    let mut evidence = Evidence::none();
    for v in 0..network.variables().len() {
        if random.uniform() >= share {
            continue;
        }
        let states = network.states(v);
        if random.below(3) == 0 {
            let likelihood = (0..states).map(|s| if s == 1 { 0.0 } else { 3.0 * random.uniform() });
            evidence.likely(network, v, likelihood.collect()).unwrap();
        } else {
            evidence.see(network, v, random.below(states)).unwrap();
        }
    }
    evidence
}

fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b, OTHER_PACKAGE))
}

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
