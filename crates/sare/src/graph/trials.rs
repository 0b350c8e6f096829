//! Graphs to try the algorithms on.

use super::dag::Dag;
use super::rules::ArcRules;
use crate::seed::Random;

/// Every DAG over this many nodes.
pub fn all_dags(nodes: usize) -> impl Iterator<Item = Dag> {
    let pairs: Vec<(usize, usize)> = (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    (0..3usize.pow(pairs.len() as u32)).filter_map(move |code| {
        let mut dag = Dag::new(nodes);
        let mut rest = code;
        for &(a, b) in &pairs {
            match rest % 3 {
                1 => dag.add(a, b).ok()?,
                2 => dag.add(b, a).ok()?,
                _ => {}
            }
            rest /= 3;
        }
        Some(dag)
    })
}

/// A DAG in which every two nodes are joined with this probability.
pub fn random_dag(nodes: usize, density: f64, random: &mut Random) -> Dag {
    let order = random_order(nodes, random);
    let mut dag = Dag::new(nodes);
    for b in 0..nodes {
        for a in 0..b {
            if random.uniform() < density {
                dag.add(order[a], order[b]).unwrap();
            }
        }
    }
    dag
}

/// The nodes in random order.
pub fn random_order(nodes: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes).collect();
    random.shuffle(&mut order);
    order
}

/// Every set of numbers below `bound`, each in rising order.
pub fn subsets_of(bound: usize) -> impl Iterator<Item = Vec<usize>> {
    (0usize..1 << bound).map(move |bits| (0..bound).filter(|b| bits >> b & 1 == 1).collect())
}

/// Rules that `dag` obeys: each arc is required, and each absent one forbidden, with this probability.
pub fn rules_of(dag: &Dag, share: f64, random: &mut Random) -> ArcRules {
    let mut rules = ArcRules::none(dag.nodes());
    for child in 0..dag.nodes() {
        for parent in (0..dag.nodes()).filter(|&p| p != child) {
            match dag.has_arc(parent, child) {
                _ if random.uniform() >= share => {}
                true => rules.require(parent, child).unwrap(),
                false => rules.forbid(parent, child),
            }
        }
    }
    rules
}
