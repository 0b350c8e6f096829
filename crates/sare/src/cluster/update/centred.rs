//! Priors centred on the frequencies of all rows: a cluster is like all rows but for what its own rows say.
//!
//! With f the frequencies of an attribute's states in all rows, its distribution in a cluster is Dirichlet(s f). An attribute that
//! does not depend on the cluster is the limit of a large s: its distribution is f itself, and its evidence sum_k N_k ln f_k. Both
//! are given f, so that their odds are those of one model within another. s is one number for all attributes, that
//! of greatest evidence.

use crate::average::rivals::{Rivals, together};
use crate::num::ln_gamma;
use crate::stats::FamilyTable;

/// The centre of every attribute, and how much it weighs.
#[derive(Clone, Debug)]
pub(super) struct Centre {
    frequencies: Vec<Vec<f64>>,
    /// s, as its place in the grid.
    place: i32,
}

/// The values s may have: powers of the square root of 2 between these.
const PLACES: std::ops::RangeInclusive<i32> = -6..=12;
/// Where s starts: 2.
const FIRST: i32 = 2;
/// After how many steps it is looked whether a neighbour is better; s takes one step at a time, so that it does not settle
/// on what a start looked like before it had found anything.
const EVERY: usize = 4;
/// What is added to every state that occurs.
const SMOOTHING: f64 = 0.5;

impl Centre {
    /// From the counts of the seen cells of each attribute.
    pub(super) fn new(counts: &[FamilyTable]) -> Centre {
        let of = |t: &FamilyTable| -> Vec<f64> {
            let all = t.sum_over_classes();
            let seen: Vec<f64> = (0..t.states()).map(|k| all.at(0, k, 0)).collect();
            let added = |n: f64| if n > 0.0 { n + SMOOTHING } else { 0.0 };
            let total: f64 = seen.iter().map(|&n| added(n)).sum();
            seen.iter().map(|&n| if total > 0.0 { added(n) / total } else { 1.0 }).collect()
        };
        Centre { frequencies: counts.iter().map(of).collect(), place: FIRST }
    }

    /// How much the centre weighs, in rows.
    fn weight_at(place: i32) -> f64 {
        2f64.powf(f64::from(place) / 2.0)
    }

    pub(super) fn weight(&self) -> f64 {
        Centre::weight_at(self.place)
    }

    /// Every few steps goes to the better neighbour, if one is better.
    pub(super) fn weigh(&mut self, step: usize, counts: &[FamilyTable], log_odds: f64) {
        if !step.is_multiple_of(EVERY) {
            return;
        }
        let of = |place: i32| -> f64 {
            let one = |(v, t): (usize, &FamilyTable)| {
                let dependent = self.dependent(Centre::weight_at(place), v, t);
                together(dependent, self.independent(v, t), log_odds)
            };
            counts.iter().enumerate().map(one).sum()
        };
        let mut best = (of(self.place), self.place);
        for place in [self.place - 1, self.place + 1] {
            if PLACES.contains(&place) {
                let value = of(place);
                if value > best.0 {
                    best = (value, place);
                }
            }
        }
        self.place = best.1;
    }

    /// The attribute with and without the cluster as its parent.
    pub(super) fn rivals(&self, attribute: usize, counts: &FamilyTable) -> Rivals {
        let (s, f) = (self.weight(), &self.frequencies[attribute]);
        let of_cluster = |c: usize| {
            let total = counts.sum_over_states(0, c) + s;
            f.iter().enumerate().map(move |(k, f)| (counts.at(0, k, c) + s * f) / total)
        };
        let dependent = (0..counts.classes()).flat_map(of_cluster).collect();
        Rivals {
            dependent: (self.dependent(s, attribute, counts), dependent),
            independent: (self.independent(attribute, counts), f.clone()),
        }
    }

    /// ln p(counts) where every cluster has its own distribution.
    fn dependent(&self, s: f64, attribute: usize, counts: &FamilyTable) -> f64 {
        let f = &self.frequencies[attribute];
        // Of each state once, not once a cluster.
        let own: Vec<f64> =
            f.iter().map(|f| if *f > 0.0 { ln_gamma(s * f) } else { 0.0 }).collect();
        let of_cluster = |c: usize| -> f64 {
            let state = |(k, f): (usize, &f64)| match counts.at(0, k, c) {
                n if n > 0.0 => ln_gamma(s * f + n) - own[k],
                _ => 0.0,
            };
            let total = counts.sum_over_states(0, c);
            let states: f64 = f.iter().enumerate().map(state).sum();
            states + ln_gamma(s) - ln_gamma(s + total)
        };
        (0..counts.classes()).map(of_cluster).sum()
    }

    /// ln p(counts) where all have that of all rows.
    fn independent(&self, attribute: usize, counts: &FamilyTable) -> f64 {
        let all = counts.sum_over_classes();
        let f = self.frequencies[attribute].iter().enumerate();
        f.filter(|(_, f)| **f > 0.0).map(|(k, f)| all.at(0, k, 0) * f.ln()).sum()
    }
}
