//! Decisions between classes, against exact fractions: rounding takes none of them.

use super::*;
use sare::classify::CostMatrix;
use sare::data::{Source, View};
use sare::structure::Structure;
use sare::structure::constraints::Constraints;

/// A table of whole numbers: rows of codes, the class last.
struct Exact {
    rows: Vec<Vec<usize>>,
    states: Vec<usize>,
}

impl Exact {
    fn random(random: &mut Random) -> Exact {
        let columns = 2 + random.below(4);
        let mut states: Vec<usize> = (0..columns).map(|_| 2 + random.below(2)).collect();
        states.push(2 + random.below(2));
        let rows = 5 + random.below(9);
        let row = |random: &mut Random| states.iter().map(|&s| random.below(s)).collect();
        Exact { rows: (0..rows).map(|_| row(random)).collect(), states }
    }

    fn class(&self) -> usize {
        self.states.len() - 1
    }

    fn table(&self) -> Table {
        let class = self.class();
        let name = |c: usize| if c == class { "class".into() } else { format!("x{c}") };
        let of = |c: usize| {
            let codes: Vec<Option<usize>> = self.rows.iter().map(|row| Some(row[c])).collect();
            column(&name(c), self.states[c], &codes)
        };
        Table::new("exact", (0..=class).map(of).collect()).unwrap()
    }

    /// The joint of a row and a class under naive Bayes of some attributes with Laplace's parameters, learnt from all rows
    /// but perhaps one: numerator and denominator.
    fn joint(
        &self,
        row: usize,
        class: usize,
        attributes: &[usize],
        without: Option<usize>,
    ) -> (u128, u128) {
        let rows =
            || self.rows.iter().enumerate().filter(|(i, _)| Some(*i) != without).map(|(_, r)| r);
        let own = || rows().filter(|r| r[self.class()] == class);
        let (all, n) = (rows().count() as u128, own().count() as u128);
        let mut joint = (n + 1, all + self.states[self.class()] as u128);
        for &a in attributes {
            let same = own().filter(|r| r[a] == self.rows[row][a]).count() as u128;
            joint = (joint.0 * (same + 1), joint.1 * (n + self.states[a] as u128));
        }
        joint
    }

    fn joints(&self, row: usize, attributes: &[usize], left_out: bool) -> Vec<(u128, u128)> {
        let without = left_out.then_some(row);
        (0..self.states[self.class()]).map(|c| self.joint(row, c, attributes, without)).collect()
    }

    /// The first class of the greatest joint, and whether another has the same.
    fn decision(&self, row: usize, attributes: &[usize], left_out: bool) -> (usize, bool) {
        let joints = self.joints(row, attributes, left_out);
        let mut best = 0;
        for c in 1..joints.len() {
            if joints[c].0 * joints[best].1 > joints[best].0 * joints[c].1 {
                best = c;
            }
        }
        let top = joints[best];
        let ties = joints.iter().filter(|j| j.0 * top.1 == top.0 * j.1).count();
        (best, ties > 1)
    }

    fn right(&self, attributes: &[usize], left_out: bool) -> usize {
        let own =
            |r: &usize| self.decision(*r, attributes, left_out).0 == self.rows[*r][self.class()];
        (0..self.rows.len()).filter(own).count()
    }

    /// What logarithms summed in the order of the columns would decide for.
    fn rounded(&self, row: usize, attributes: &[usize]) -> usize {
        let score = |c: usize| -> f64 {
            let one = |a: &[usize]| {
                let (n, d) = self.joint(row, c, a, None);
                (n as f64 / d as f64).ln()
            };
            let prior = one(&[]);
            attributes.iter().fold(prior, |sum, &a| sum + (one(&[a]) - prior))
        };
        let scores: Vec<f64> = (0..self.states[self.class()]).map(score).collect();
        sare::num::first_max(&scores)
    }
}

/// Predictions, resubstitution and leave-one-out, by naive Bayes and by the same structure as it is given, in two orders of
/// the columns, on tables full of ties.
#[test]
fn decisions_are_those_of_exact_fractions() {
    let mut random = Random::new(12, Purpose::Sample, 0);
    let (mut ties, mut rounded) = (0, 0);
    for _ in 0..150 {
        let exact = Exact::random(&mut random);
        let (table, class) = (exact.table(), exact.class());
        let rows = exact.rows.len();
        let all: Vec<usize> = (0..class).collect();
        let expected: Vec<usize> = (0..rows).map(|r| exact.decision(r, &all, false).0).collect();
        ties += (0..rows).filter(|&r| exact.decision(r, &all, false).1).count();
        rounded += (0..rows).filter(|&r| exact.rounded(r, &all) != expected[r]).count();
        let mut order: Vec<usize> = (0..=class).rev().collect();
        order.rotate_left(1);
        for table in [table.clone(), table.select(&order)] {
            let naive = learner("nb", "laplace");
            let model = naive.fit(table.view(), "class", &Run::default()).unwrap();
            let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
            let decided: Vec<usize> = (0..rows).map(|r| posteriors.winner(r)).collect();
            assert_eq!(decided, expected);
            let unit = (0..(class_states(&exact)).pow(2))
                .map(|i| f64::from(u8::from(i / class_states(&exact) != i % class_states(&exact))));
            let costs = CostMatrix::new(class_states(&exact), unit.collect()).unwrap();
            let cheapest: Vec<usize> =
                (0..rows).map(|r| costs.decide(posteriors.row(r)).0).collect();
            assert_eq!(cheapest, expected);
            let right = |learner: &Learner, scheme| {
                let total = evaluated(learner, &table, scheme).total;
                (0..class_states(&exact)).map(|c| total.confusion[c][c]).sum::<f64>() as usize
            };
            assert_eq!(right(&naive, Scheme::Resubstitution), exact.right(&all, false));
            assert_eq!(right(&naive, Scheme::LeaveOneOut), exact.right(&all, true));
            // Without the first column, as a structure of its own: a model a row.
            let fewer: Vec<usize> = (1..class).collect();
            let form: String =
                (0..class)
                    .map(|a| {
                        if fewer.contains(&a) { format!("[x{a}|class]") } else { format!("[x{a}]") }
                    })
                    .collect();
            let given = learner(&format!("given:[class]{form}"), "laplace");
            assert_eq!(right(&given, Scheme::LeaveOneOut), exact.right(&fewer, true));
            let kept: Vec<usize> = (0..=class).filter(|&c| table.field(c).name != "x0").collect();
            let without = table.select(&kept);
            let total = evaluated(&naive, &without, Scheme::LeaveOneOut).total;
            let own = (0..class_states(&exact)).map(|c| total.confusion[c][c]).sum::<f64>();
            assert_eq!(own as usize, exact.right(&fewer, true));
        }
    }
    assert!(ties > 100 && rounded > 10, "the test has no power: {ties} ties, {rounded} rounded");
}

fn class_states(exact: &Exact) -> usize {
    exact.states[exact.class()]
}

/// The path of the greedy selection, each step counted in exact fractions.
#[test]
fn selection_is_that_of_exact_fractions() {
    let mut random = Random::new(13, Purpose::Sample, 0);
    let mut lengths = [0; 6];
    for _ in 0..300 {
        let exact = Exact::random(&mut random);
        let class = exact.class();
        let (mut chosen, mut best) = (Vec::new(), exact.right(&[], true));
        loop {
            let open: Vec<usize> = (0..class).filter(|a| !chosen.contains(a)).collect();
            let with = |a: usize| exact.right(&[&chosen[..], &[a]].concat(), true);
            let tried: Vec<usize> = open.iter().map(|&a| with(a)).collect();
            let most = tried.iter().copied().max().unwrap_or(0);
            if most <= best {
                break;
            }
            best = most;
            chosen.push(open[tried.iter().position(|&t| t == most).unwrap()]);
        }
        let table = exact.table();
        let source = Source::Memory(View::all(&table));
        let rules = Constraints::default().over(table.schema(), "exact").unwrap();
        let sare::classify::Structures::One(selective) = registry::structure("selective").unwrap()
        else {
            panic!("selective is one structure")
        };
        let dag = selective.learn(&source, &rules, &Run::default()).unwrap();
        let found: Vec<usize> = dag.children(class).collect();
        lengths[chosen.len()] += 1;
        chosen.sort_unstable();
        assert_eq!(found, chosen, "{:?}", exact.rows);
    }
    assert!(lengths[1] > 20 && lengths[2] > 20 && lengths[3] > 5, "{lengths:?}");
}

/// Rows 111 k1, 001 k1, 010 k1, 000 k0, 011 k0, 100 k0: for 001 both classes have the joint 9/125.
#[test]
fn the_first_class_wins_nine_of_a_hundred_and_twenty_five() {
    let codes = |text: &str| text.bytes().map(|b| usize::from(b == b'1')).collect::<Vec<usize>>();
    let rows = ["1111", "0011", "0101", "0000", "0110", "1000"].map(codes).to_vec();
    let exact = Exact { rows, states: vec![2; 4] };
    assert_eq!(exact.joints(1, &[0, 1, 2], false).map_same(), Some((9, 125)));
    let table = exact.table();
    let model = learner("nb", "laplace").fit(table.view(), "class", &Run::default()).unwrap();
    let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
    assert_eq!(posteriors.row(1), [0.5, 0.5]);
    assert_eq!(posteriors.winner(1), 0);
    let total = evaluated(&learner("nb", "laplace"), &table, Scheme::Resubstitution).total;
    let right = exact.right(&[0, 1, 2], false) as f64;
    assert_eq!(total.confusion[0][0] + total.confusion[1][1], right);
}

trait Same {
    fn map_same(&self) -> Option<(u128, u128)>;
}

impl Same for Vec<(u128, u128)> {
    /// The fraction that all are, in lowest terms.
    fn map_same(&self) -> Option<(u128, u128)> {
        fn divisor(a: u128, b: u128) -> u128 {
            if b == 0 { a } else { divisor(b, a % b) }
        }
        let lowest = |&(n, d): &(u128, u128)| (n / divisor(n, d), d / divisor(n, d));
        let first = lowest(self.first()?);
        self.iter().all(|f| lowest(f) == first).then_some(first)
    }
}
