//! Decisions between classes, against exact fractions: rounding takes none of them.

use super::*;
use sare::classify::{CostMatrix, Structures};
use sare::data::{Source, View};
use sare::structure::constraints::Constraints;

/// A table of whole numbers: rows of codes, the class last.
struct Exact {
    rows: Vec<Vec<usize>>,
    states: Vec<usize>,
}

impl Exact {
    /// Small tables: two classes of equally many rows, or with one row more of the first, or any numbers.
    fn random(random: &mut Random) -> Exact {
        let (columns, kind) = (2 + random.below(5), random.below(3));
        let code = |states: usize, random: &mut Random| random.below(states);
        let states = match kind {
            2 => (0..=columns).map(|_| 2 + random.below(2)).collect(),
            _ => vec![2; columns + 1],
        };
        let rows = match kind {
            0 => 6 + 2 * random.below(2),
            1 => 7 + 2 * random.below(4),
            _ => 5 + random.below(9),
        };
        let mut row = |r: usize| -> Vec<usize> {
            let mut row: Vec<usize> = states.iter().map(|&s| code(s, random)).collect();
            if kind < 2 {
                row[columns] = r % 2;
            }
            row
        };
        Exact { rows: (0..rows).map(&mut row).collect(), states: states.clone() }
    }

    /// Rows of zeros and ones.
    fn binary(rows: &[&str]) -> Exact {
        let codes = |text: &&str| text.bytes().map(|b| usize::from(b == b'1')).collect();
        Exact { rows: rows.iter().map(codes).collect(), states: vec![2; rows[0].len()] }
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

    /// The factors of the joint of a row and a class under naive Bayes of some attributes with Laplace's parameters, learnt
    /// from all rows but perhaps one: numerators and denominators.
    fn factors(
        &self,
        row: usize,
        class: usize,
        attributes: &[usize],
        without: Option<usize>,
    ) -> Vec<(u128, u128)> {
        let rows =
            || self.rows.iter().enumerate().filter(|(i, _)| Some(*i) != without).map(|(_, r)| r);
        let own = || rows().filter(|r| r[self.class()] == class);
        let (all, n) = (rows().count() as u128, own().count() as u128);
        let factor = |&a: &usize| {
            let same = own().filter(|r| r[a] == self.rows[row][a]).count() as u128;
            (same + 1, n + self.states[a] as u128)
        };
        let prior = (n + 1, all + self.states[self.class()] as u128);
        std::iter::once(prior).chain(attributes.iter().map(factor)).collect()
    }

    fn joint(
        &self,
        row: usize,
        class: usize,
        attributes: &[usize],
        without: Option<usize>,
    ) -> (u128, u128) {
        let factors = self.factors(row, class, attributes, without);
        factors.iter().fold((1, 1), |(n, d), (own, whole)| (n * own, d * whole))
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
            let factors = self.factors(row, c, attributes, None);
            factors.iter().map(|&(n, d)| (n as f64 / d as f64).ln()).sum()
        };
        let scores: Vec<f64> = (0..self.states[self.class()]).map(score).collect();
        sare::num::first_max(&scores)
    }

    /// The attributes that the greedy selection takes, counted in exact fractions.
    fn selected(&self) -> Vec<usize> {
        let (mut chosen, mut best) = (Vec::new(), self.right(&[], true));
        loop {
            let open: Vec<usize> = (0..self.class()).filter(|a| !chosen.contains(a)).collect();
            let with = |&a: &usize| self.right(&[&chosen[..], &[a]].concat(), true);
            let tried: Vec<usize> = open.iter().map(with).collect();
            let most = tried.iter().copied().max().unwrap_or(0);
            if most <= best {
                chosen.sort_unstable();
                return chosen;
            }
            best = most;
            chosen.push(open[tried.iter().position(|&t| t == most).unwrap()]);
        }
    }
}

/// Predictions, resubstitution and leave-one-out, by naive Bayes and by the same structure as it is given, in two orders of
/// the columns, on tables full of ties.
#[test]
fn decisions_are_those_of_exact_fractions() {
    let mut random = Random::new(12, Purpose::Sample, 0);
    let (mut ties, mut rounded) = (0, 0);
    for _ in 0..300 {
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
    assert!(ties > 60 && rounded > 2, "the test has no power: {ties} ties, {rounded} rounded");
}

fn class_states(exact: &Exact) -> usize {
    exact.states[exact.class()]
}

fn selective(exact: &Exact) -> Vec<usize> {
    let table = exact.table();
    let source = Source::Memory(View::all(&table));
    let rules = Constraints::default().over(table.schema(), "exact").unwrap();
    let Structures::One(selective) = registry::structure("selective").unwrap() else {
        panic!("selective is one structure")
    };
    let dag = selective.learn(&source, &rules, &Run::default()).unwrap();
    dag.children(exact.class()).collect()
}

/// Each step of the greedy selection is that of exact fractions.
#[test]
fn selection_is_that_of_exact_fractions() {
    let mut random = Random::new(13, Purpose::Sample, 0);
    let mut longer = 0;
    for _ in 0..300 {
        let exact = Exact::random(&mut random);
        let chosen = exact.selected();
        longer += usize::from(chosen.len() > 1);
        assert_eq!(selective(&exact), chosen, "{:?}", exact.rows);
    }
    assert!(longer > 5, "{longer}");
}

/// Sets on which sums of logarithms would stop at the first attribute, because they take a tie for a row predicted wrong.
#[test]
fn selection_goes_on_where_rounding_would_stop_it() {
    let first = "01011000 10101011 01000010 11101111 10101000 00011011 00100010 10011111 10111000 11001101 01000110 \
                 01100011 10010000";
    let second = "001010 011101 010000 001111 000100 001101 010110 010001 111000 010111 101100 010111 000000";
    let third = "001110 010111 001100 011101 110100 111101 010000 101001 101110 011111 010000 011111 000010";
    for (rows, chosen) in [(first, [4, 6]), (second, [0, 3]), (third, [1, 2])] {
        let exact = Exact::binary(&rows.split_whitespace().collect::<Vec<_>>());
        assert_eq!(exact.selected(), chosen);
        assert_eq!(selective(&exact), chosen);
    }
}

/// Rows 111 k1, 001 k1, 010 k1, 000 k0, 011 k0, 100 k0: for 001 both classes have the joint 9/125.
#[test]
fn the_first_class_wins_nine_of_a_hundred_and_twenty_five() {
    let exact = Exact::binary(&["1111", "0011", "0101", "0000", "0110", "1000"]);
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
