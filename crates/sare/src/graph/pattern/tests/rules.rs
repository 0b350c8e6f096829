use super::*;
use crate::error::Error;
use std::sync::Mutex;

/// With rules that the DAG obeys, exactly those arcs are directed on which all its equivalents that obey them agree.
#[test]
fn rules_that_hold_direct_all_they_can() {
    let mut random = Random::new(3, Purpose::Model, 0);
    for trial in 0..300 {
        let dag = random_dag(5, [0.4, 0.6, 0.9][trial % 3], &mut random);
        let mut rules = ArcRules::none(5);
        let all = rules_of(&dag, [0.1, 0.3][trial % 2], &mut random);
        for (a, b) in skeleton(&dag).into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
            if all.requires(a, b) {
                rules.require(a, b).unwrap();
            } else if all.forbids(a, b) {
                rules.forbid(a, b);
            }
        }
        let key = meetings_of(&dag);
        let class: Vec<Dag> = directions(&dag)
            .into_iter()
            .filter(|d| meetings_of(d) == key && rules.broken_by(d).is_none())
            .collect();
        let pattern = learn(&dag, &rules);
        assert_eq!(pattern, agreement(&class.iter().collect::<Vec<_>>()), "{dag:?} {rules:?}");
        assert!(class.contains(&pattern.extension(&rules)));
        // The rules may also come only now.
        assert!(class.contains(&Pattern::of(&dag).extension(&rules)));
    }
}

/// Rules may keep nodes apart that were never tested: then less is directed, but nothing wrongly.
#[test]
fn rules_that_hold_direct_nothing_wrongly() {
    let mut random = Random::new(4, Purpose::Model, 0);
    for trial in 0..300 {
        let nodes = 5 + trial % 4;
        let dag = random_dag(nodes, DENSITIES[trial / 4 % 4], &mut random);
        let rules = rules_of(&dag, [0.2, 0.5, 0.8][trial % 3], &mut random);
        let pattern = learn(&dag, &rules);
        assert!(pattern.arcs().all(|(p, c)| dag.has_arc(p, c)), "{dag:?} {rules:?} {pattern:?}");
        assert_eq!(pattern.skeleton(), Pattern::of(&dag).skeleton());
        let extension = pattern.extension(&rules);
        assert!(rules.broken_by(&extension).is_none());
        assert_eq!(skeleton(&extension), skeleton(&dag));
    }
}

#[test]
fn rules_are_obeyed_whatever_the_answers() {
    let mut random = Random::new(5, Purpose::Model, 0);
    let mut lost = 0;
    for trial in 0..600 {
        let nodes = 4 + trial % 5;
        let dag = random_dag(nodes, DENSITIES[trial / 5 % 4], &mut random);
        let rules = random_rules(nodes, &mut random);
        let learnt = learn_badly(&dag, &rules, [0.0, 0.1, 0.5][trial % 3], trial as u64);
        assert!(learnt.arcs().all(|(p, c)| rules.allows(p, c)));
        assert!(skeleton(rules.required()).iter().all(|&(a, b)| !learnt.is_undirected(a, b)));
        // A pattern that knew nothing of the rules must be made to fit as well.
        for pattern in [learnt, Pattern::of(&dag)] {
            let extension = pattern.extension(&rules);
            assert_eq!(rules.broken_by(&extension), None, "{pattern:?} {rules:?}");
            for (a, b) in skeleton(&extension) {
                assert!(pattern.adjacent(a, b) || rules.requires(a, b) || rules.requires(b, a));
            }
            for (a, b) in pattern.skeleton().edges() {
                if !extension.has_arc(a, b) && !extension.has_arc(b, a) {
                    let closed =
                        |p: usize, c: usize| !rules.allows(p, c) || extension.has_path(c, p);
                    assert!(closed(a, b) && closed(b, a), "{pattern:?} {rules:?}");
                    lost += 1;
                }
            }
        }
    }
    assert!(lost > 0, "the rules must sometimes leave no choice");
}

#[test]
fn only_what_is_open_is_asked() {
    let mut rules = ArcRules::none(4);
    rules.require(0, 1).unwrap();
    rules.forbid(2, 3);
    rules.forbid(3, 2);
    rules.forbid(0, 2);
    let asked = Mutex::new(BTreeSet::new());
    let pattern = pc_stable(4, &rules, 1, &|a, b, given| {
        assert!(given.len() <= 1);
        asked.lock().unwrap().insert((a, b));
        Ok(false)
    });
    let asked = asked.into_inner().unwrap();
    assert_eq!(asked.into_iter().collect::<Vec<_>>(), [(0, 2), (0, 3), (1, 2), (1, 3)]);
    let pattern = pattern.unwrap();
    assert!(pattern.is_directed(0, 1) && pattern.is_directed(2, 0) && !pattern.adjacent(2, 3));
    let nothing = pc_stable(4, &rules, 1, &|_, _, _| Ok(true)).unwrap();
    assert_eq!((nothing.arcs().collect::<Vec<_>>(), nothing.edges().count()), (vec![(0, 1)], 0));
    let failed = pc_stable(2, &ArcRules::none(2), 1, &|_, _, _| {
        Err(Error::Cycle { parent: "a".into(), child: "b".into() })
    });
    assert!(failed.is_err());
    let empty = pc_stable(0, &ArcRules::none(0), 3, &|_, _, _| Ok(true)).unwrap();
    assert_eq!(empty.extension(&ArcRules::none(0)).nodes(), 0);
}

/// The answers say 0 -> 1 <- 2 and the rules say no to 2 -> 1: then the answers prove nothing about 0 -> 1 either.
#[test]
fn a_v_structure_against_the_rules_is_left_out_whole() {
    let mut rules = ArcRules::none(3);
    let independent = &|a, b, _: &[usize]| Ok((a, b) == (0, 2));
    let free = pc_stable(3, &rules, 0, independent).unwrap();
    assert_eq!(free.arcs().collect::<Vec<_>>(), [(0, 1), (2, 1)]);
    rules.forbid(2, 1);
    let bound = pc_stable(3, &rules, 0, independent).unwrap();
    assert_eq!(bound.arcs().collect::<Vec<_>>(), [(1, 2)]);
    assert!(bound.is_undirected(0, 1));
}
