mod rules;

use super::super::separation::separated;
use super::super::trials::{all_dags, random_dag, random_order, rules_of};
use super::*;
use crate::seed::{Purpose, Random};
use std::collections::BTreeSet;

const DENSITIES: [f64; 4] = [0.15, 0.3, 0.5, 0.8];

fn skeleton(dag: &Dag) -> Vec<(usize, usize)> {
    let joined = |&(a, b): &(usize, usize)| dag.has_arc(a, b) || dag.has_arc(b, a);
    (0..dag.nodes()).flat_map(|b| (0..b).map(move |a| (a, b))).filter(joined).collect()
}

/// The pairs of arcs that meet in a node and whose starts are not adjacent, as (parent, child, parent).
fn meetings(
    nodes: usize,
    arc: impl Fn(usize, usize) -> bool,
    joined: impl Fn(usize, usize) -> bool,
) -> BTreeSet<(usize, usize, usize)> {
    let mut found = BTreeSet::new();
    for child in 0..nodes {
        for b in 0..nodes {
            for a in (0..b).filter(|&a| arc(a, child) && arc(b, child) && !joined(a, b)) {
                found.insert((a, child, b));
            }
        }
    }
    found
}

fn meetings_of(dag: &Dag) -> BTreeSet<(usize, usize, usize)> {
    let joined = |a: usize, b: usize| dag.has_arc(a, b) || dag.has_arc(b, a);
    meetings(dag.nodes(), |p, c| dag.has_arc(p, c), joined)
}

/// The pattern with the arcs on which all these DAGs of one skeleton agree.
fn agreement(dags: &[&Dag]) -> Pattern {
    let mut joined = Undirected::new(dags[0].nodes());
    skeleton(dags[0]).into_iter().for_each(|(a, b)| {
        joined.add(a, b);
    });
    let mut pattern = Pattern::undirected(joined);
    for (a, b) in skeleton(dags[0]).into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        if dags.iter().all(|d| d.has_arc(a, b)) {
            pattern.parents[b].insert(a);
        }
    }
    pattern
}

/// Every DAG with the adjacencies of this one.
fn directions(dag: &Dag) -> Vec<Dag> {
    let edges = skeleton(dag);
    let make = |code: u32| {
        let mut made = Dag::new(dag.nodes());
        for (i, &(a, b)) in edges.iter().enumerate() {
            if code >> i & 1 == 1 { made.add(a, b).ok()? } else { made.add(b, a).ok()? }
        }
        Some(made)
    };
    (0..1 << edges.len()).filter_map(make).collect()
}

/// The true answer of a DAG, made false with this probability; the same question always gets the same answer.
fn answer(dag: &Dag, wrong: f64, seed: u64, a: usize, b: usize, given: &[usize]) -> bool {
    let bits = given.iter().fold(0u64, |bits, g| bits | 1 << g);
    let question = bits << 16 | (a.min(b) as u64) << 8 | a.max(b) as u64;
    let lie = Random::new(seed, Purpose::Sample, question).uniform() < wrong;
    separated(dag, a, b, given) != lie
}

fn learn(dag: &Dag, rules: &ArcRules) -> Pattern {
    let independent = &|a, b, given: &[usize]| Ok(separated(dag, a, b, given));
    pc_stable(dag.nodes(), rules, usize::MAX, independent).unwrap()
}

fn learn_badly(dag: &Dag, rules: &ArcRules, wrong: f64, seed: u64) -> Pattern {
    let independent = &|a, b, given: &[usize]| Ok(answer(dag, wrong, seed, a, b, given));
    pc_stable(dag.nodes(), rules, 3, independent).unwrap()
}

/// Rules that need not fit any particular DAG.
fn random_rules(nodes: usize, random: &mut Random) -> ArcRules {
    let other = random_dag(nodes, 0.3, random);
    let share = [0.05, 0.2, 0.5][random.below(3)];
    let mut rules = rules_of(&other, share, random);
    for _ in 0..random.below(nodes) {
        let (a, b) = (random.below(nodes), random.below(nodes));
        if a != b && !rules.requires(a, b) {
            rules.forbid(a, b);
        }
    }
    rules
}

/// Fails if the arcs of a pattern have a cycle.
fn arcs_as_dag(pattern: &Pattern) -> Dag {
    let mut dag = Dag::new(pattern.nodes());
    pattern.arcs().for_each(|(p, c)| dag.add(p, c).unwrap());
    dag
}

#[test]
fn same_pattern_means_same_adjacencies_and_v_structures() {
    let dags: Vec<Dag> = all_dags(4).collect();
    assert_eq!(dags.len(), 543);
    let keys: Vec<_> = dags.iter().map(|d| (skeleton(d), meetings_of(d))).collect();
    let patterns: Vec<Pattern> = dags.iter().map(Pattern::of).collect();
    for i in 0..dags.len() {
        for j in 0..i {
            assert_eq!(
                patterns[i] == patterns[j],
                keys[i] == keys[j],
                "{:?} {:?}",
                dags[i],
                dags[j]
            );
        }
        let class: Vec<&Dag> =
            (0..dags.len()).filter(|&j| keys[j] == keys[i]).map(|j| &dags[j]).collect();
        assert_eq!(patterns[i], agreement(&class));
    }
    assert_eq!(patterns.iter().map(|p| format!("{p:?}")).collect::<BTreeSet<_>>().len(), 185);
}

#[test]
fn true_answers_give_the_pattern_of_the_dag_and_its_extension_the_same_pattern() {
    let mut random = Random::new(1, Purpose::Model, 0);
    for trial in 0..480 {
        let nodes = 5 + trial % 4;
        let dag = random_dag(nodes, DENSITIES[trial / 4 % 4], &mut random);
        let (pattern, free) = (Pattern::of(&dag), ArcRules::none(nodes));
        assert_eq!(learn(&dag, &free), pattern, "{dag:?}");
        let extension = pattern.extension(&free);
        assert_eq!(Pattern::of(&extension), pattern, "{dag:?}");
        assert_eq!(Pattern::of(&extension).extension(&free), extension);
    }
}

#[test]
fn numbering_decides_nothing_even_if_answers_are_false() {
    let mut random = Random::new(2, Purpose::Model, 0);
    let mut contradicted = 0;
    for trial in 0..400 {
        let nodes = 5 + trial % 4;
        let dag = random_dag(nodes, DENSITIES[trial / 4 % 4], &mut random);
        let wrong = [0.05, 0.2, 0.5][trial % 3];
        let seed = trial as u64;
        let rules = match trial / 2 % 3 {
            0 => ArcRules::none(nodes),
            1 => rules_of(&dag, 0.2, &mut random),
            _ => random_rules(nodes, &mut random),
        };
        let pattern = learn_badly(&dag, &rules, wrong, seed);
        arcs_as_dag(&pattern);
        contradicted += usize::from(Pattern::of(&pattern.extension(&rules)) != pattern);
        // Node n of the renumbered graph is node old[n] of the first.
        let old = random_order(nodes, &mut random);
        let mut renumbered = ArcRules::none(nodes);
        for a in 0..nodes {
            for b in 0..nodes {
                if rules.requires(old[a], old[b]) {
                    renumbered.require(a, b).unwrap();
                }
                if rules.forbids(old[a], old[b]) {
                    renumbered.forbid(a, b);
                }
            }
        }
        let independent = &|a: usize, b: usize, given: &[usize]| {
            assert!(a < b && given.is_sorted());
            let given: Vec<usize> = given.iter().map(|&g| old[g]).collect();
            Ok(answer(&dag, wrong, seed, old[a], old[b], &given))
        };
        let again = pc_stable(nodes, &renumbered, 3, independent).unwrap();
        for a in 0..nodes {
            for b in 0..nodes {
                assert_eq!(again.adjacent(a, b), pattern.adjacent(old[a], old[b]), "{dag:?}");
                assert_eq!(again.is_directed(a, b), pattern.is_directed(old[a], old[b]), "{dag:?}");
            }
        }
    }
    assert!(contradicted > 100, "the answers must often contradict each other: {contradicted}");
}

/// Any partially directed graph: if one of the ways to direct its edges is faultless, one is found.
#[test]
fn an_extension_is_found_where_there_is_one() {
    let mut random = Random::new(6, Purpose::Model, 0);
    let (mut some, mut none) = (0, 0);
    for trial in 0..800 {
        let dag = random_dag(5, [0.4, 0.6, 0.9][trial % 3], &mut random);
        let mut pattern = agreement(&[&dag]);
        for (p, c) in agreement(&[&dag]).arcs() {
            if random.uniform() < 0.7 {
                pattern.parents[c].remove(p);
            }
        }
        let rules = match trial % 2 {
            0 => ArcRules::none(5),
            _ => random_rules(5, &mut random),
        };
        let key = meetings(5, |p, c| pattern.is_directed(p, c), |a, b| pattern.adjacent(a, b));
        let faultless = |d: &Dag| {
            let keeps = pattern.arcs().all(|(p, c)| d.has_arc(p, c));
            keeps && meetings_of(d) == key && rules.broken_by(d).is_none()
        };
        let extension = pattern.extension(&rules);
        if directions(&dag).iter().any(faultless) {
            assert!(faultless(&extension) && skeleton(&extension) == skeleton(&dag), "{pattern:?}");
            some += 1;
        } else {
            assert!(rules.broken_by(&extension).is_none());
            none += 1;
        }
    }
    assert!(some > 100 && none > 100, "{some} {none}");
}

/// 0 -> 1 <- 2 and 1 -> 2 <- 3 want the edge of 1 and 2 both ways: it stays undirected, and the other arms do not.
#[test]
fn contradicting_v_structures_leave_their_edge_undirected() {
    let pattern = pc_stable(4, &ArcRules::none(4), 0, &|a, b, _| {
        Ok([(0, 2), (1, 3), (0, 3)].contains(&(a, b)))
    })
    .unwrap();
    assert_eq!(pattern.arcs().collect::<Vec<_>>(), [(0, 1), (3, 2)]);
    assert_eq!(pattern.edges().collect::<Vec<_>>(), [(1, 2)]);
    let dag = pattern.extension(&ArcRules::none(4));
    assert_eq!((dag.arcs(), dag.has_arc(1, 2)), (3, true));
}

/// One of Meek's rules wants 0 -> 2 and another 2 -> 0, but that would close the cycle over 1.
#[test]
fn a_direction_that_would_close_a_cycle_has_no_say() {
    let mut joined = Undirected::new(4);
    [(0, 1), (1, 2), (0, 2), (2, 3)].into_iter().for_each(|(a, b)| {
        joined.add(a, b);
    });
    let mut pattern = Pattern::undirected(joined);
    [(0, 1), (1, 2), (3, 2)].into_iter().for_each(|(p, c)| {
        pattern.parents[c].insert(p);
    });
    pattern.close(&ArcRules::none(4));
    assert!(pattern.is_directed(0, 2));
}
