//! Random networks and evidence, to hold ways of inference against each other.

#![allow(dead_code, reason = "not every test uses everything")]

use sare::graph::Dag;
use sare::infer::Evidence;
use sare::network::{Network, Variable};
use sare::num::tolerance::{OTHER_PACKAGE, close};
use sare::seed::Random;

/// A random network with some states that cannot be.
pub fn random_network(variables: usize, random: &mut Random) -> Network {
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
pub fn random_evidence(network: &Network, random: &mut Random) -> Evidence {
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

/// A random network without zeros, in which chains reach everything.
pub fn soft_network(variables: usize, random: &mut Random) -> Network {
    let network = random_network(variables, random);
    let states: Vec<usize> = (0..variables).map(|v| network.states(v)).collect();
    let soften = |v: usize| {
        let rows = network.table(v).iter();
        rows.map(|p| 0.8 * p + 0.2 / states[v] as f64).collect()
    };
    let tables = (0..variables).map(soften).collect();
    Network::new(network.variables().to_vec(), network.dag().clone(), tables).unwrap()
}

/// Whether all numbers agree.
pub fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b, OTHER_PACKAGE))
}
