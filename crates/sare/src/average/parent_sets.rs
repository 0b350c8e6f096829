//! The posterior of what each attribute of an order depends on (ALGORITHMS 6).

use super::order::OrderWeights;
use super::pairs::{PairTables, all_pairs};
use super::reported;
use super::smooth::log_evidence;
use crate::num::{log_add, log_sum_exp, normalise_logs};
use crate::parameters::dirichlet::Prior;
use crate::run::ArcProbability;
use crate::stats::score::log_rising_sum;
use rayon::prelude::*;

/// Pairs of attributes that are worth a thread of their own.
const PAIRS_AT_ONCE: usize = 256;

/// lnB of every attribute with every parent set.
#[derive(Clone, Debug)]
pub(super) struct ParentSets {
    attributes: usize,
    /// Without parents, by child.
    none: Vec<f64>,
    /// With the class.
    class: Vec<f64>,
    /// With one attribute: child by child, parent innermost.
    one: Vec<f64>,
    /// With one attribute and the class.
    both: Vec<f64>,
}

/// What one attribute of an order depends on.
#[derive(Clone, Debug)]
pub(super) struct Local {
    /// ln sum_v prior_v exp(lnB_v)
    log_evidence: f64,
    /// The weight of {} and {C} together.
    pub alone: f64,
    /// The weight of {X_j} and {C, X_j} together, for every earlier attribute of the order.
    pub earlier: Vec<f64>,
    /// The weight of all sets with the class.
    pub with_class: f64,
}

/// Some orders, weighed against each other.
pub(super) struct Weighed {
    /// Each a permutation of the attributes.
    pub orders: Vec<Vec<usize>>,
    /// Of each order, what the attribute at each place depends on.
    pub locals: Vec<Vec<Local>>,
    /// The weight of each order.
    pub weights: Vec<f64>,
    /// ln p(rows | order, classes)
    log_evidence: Vec<f64>,
}

impl ParentSets {
    /// Of tables that all count the same rows, under a proper prior.
    pub(super) fn new(prior: Prior, tables: &PairTables) -> ParentSets {
        let (n, states) = (tables.attributes(), tables.states());
        let rows = RowTerms::new(prior, tables);
        let of_pair = |&(i, j): &(usize, usize)| {
            let cells = of_cells(prior, tables.pair(i, j), tables.classes());
            let of = |parent: usize, child: usize| {
                let rows = rows.of(parent, states[child]);
                [cells[0] - rows[0], cells[1] - rows[1]]
            };
            [of(i, j), of(j, i)]
        };
        let pairs: Vec<(usize, usize)> = all_pairs(n).collect();
        let found: Vec<[[f64; 2]; 2]> =
            pairs.par_iter().with_min_len(PAIRS_AT_ONCE).map(of_pair).collect();
        let (mut one, mut both) = (vec![0.0; n * n], vec![0.0; n * n]);
        for ((i, j), [down, up]) in pairs.into_iter().zip(found) {
            [one[j * n + i], both[j * n + i]] = down;
            [one[i * n + j], both[i * n + j]] = up;
        }
        let alone = |i: usize| tables.alone(i);
        let none = (0..n).map(|i| log_evidence(prior, &alone(i).sum_over_classes())).collect();
        let class = (0..n).map(|i| log_evidence(prior, &alone(i))).collect();
        ParentSets { attributes: n, none, class, one, both }
    }

    /// The share of {C} in {} and {C}.
    pub(super) fn class_share(&self, child: usize) -> f64 {
        1.0 / (1.0 + (self.none[child] - self.class[child]).exp())
    }

    /// The share of {C, X_j} in {X_j} and {C, X_j}.
    pub(super) fn class_share_with(&self, child: usize, parent: usize) -> f64 {
        let cell = child * self.attributes + parent;
        1.0 / (1.0 + (self.one[cell] - self.both[cell]).exp())
    }

    /// The posterior of the parent sets of the attribute at a place of an order.
    fn local(&self, order: &[usize], place: usize) -> Local {
        let (child, before) = (order[place], &order[..place]);
        let at = |parent: &usize| child * self.attributes + parent;
        let mut pairs: Vec<f64> =
            before.iter().map(|j| log_add(self.one[at(j)], self.both[at(j)])).collect();
        pairs.push(log_add(self.none[child], self.class[child]));
        let total = log_sum_exp(&pairs);
        let share = |ln: f64| (ln - total).exp();
        let with_class: f64 = before.iter().map(|j| share(self.both[at(j)])).sum();
        let sets = 2.0 * (place + 1) as f64;
        let mut earlier: Vec<f64> = pairs.into_iter().map(share).collect();
        // The last is that of {} and {C}.
        let alone = earlier.pop().unwrap_or_default();
        let with_class = (with_class + share(self.class[child])).min(1.0);
        Local { log_evidence: total - sets.ln(), alone, earlier, with_class }
    }

    /// Weighs some orders; those with less than `least` of the weight are left out.
    pub(super) fn weigh(&self, orders: Vec<Vec<usize>>, by: OrderWeights, least: f64) -> Weighed {
        let of = |order: &Vec<usize>| -> Vec<Local> {
            (0..order.len()).map(|place| self.local(order, place)).collect()
        };
        let locals: Vec<Vec<Local>> = orders.par_iter().map(of).collect();
        let sum = |of: &Vec<Local>| of.iter().map(|l| l.log_evidence).sum();
        let log_evidence: Vec<f64> = locals.iter().map(sum).collect();
        let shares = |logs: &[f64]| {
            let mut weights = match by {
                OrderWeights::Evidence => logs.to_vec(),
                OrderWeights::Uniform => vec![0.0; logs.len()],
            };
            normalise_logs(&mut weights);
            weights
        };
        let kept: Vec<bool> = shares(&log_evidence).into_iter().map(|w| w >= least).collect();
        let orders = only(orders, &kept);
        let (locals, log_evidence) = (only(locals, &kept), only(log_evidence, &kept));
        Weighed { orders, locals, weights: shares(&log_evidence), log_evidence }
    }
}

/// The values that are kept.
fn only<T>(values: Vec<T>, kept: &[bool]) -> Vec<T> {
    values.into_iter().zip(kept).filter(|(_, kept)| **kept).map(|(value, _)| value).collect()
}

impl Weighed {
    /// ln of the mean of p(rows | order, classes) over the orders.
    pub(super) fn log_mean_evidence(&self) -> f64 {
        log_sum_exp(&self.log_evidence) - (self.orders.len() as f64).ln()
    }

    /// How many numbers the attributes' tables are expected to leave free: the mean over all parent sets.
    pub(super) fn parameters(&self, tables: &PairTables, sets: &ParentSets) -> f64 {
        let (states, classes) = (tables.states(), tables.classes() as f64);
        // Of a child that has its class for a parent with this probability, beside another of so many states.
        let free = |child: usize, others: usize, class: f64| {
            ((states[child] - 1) * others) as f64 * (1.0 + class * (classes - 1.0))
        };
        let of_order = |(order, locals): (&Vec<usize>, &Vec<Local>)| -> f64 {
            let of = |(&child, local): (&usize, &Local)| {
                let with = |(&parent, w): (&usize, &f64)| {
                    w * free(child, states[parent], sets.class_share_with(child, parent))
                };
                local.alone * free(child, 1, sets.class_share(child))
                    + order.iter().zip(&local.earlier).map(with).sum::<f64>()
            };
            order.iter().zip(locals).map(of).sum()
        };
        let each = self.orders.iter().zip(&self.locals).map(of_order);
        each.zip(&self.weights).map(|(free, weight)| weight * free).sum()
    }

    /// The posterior probability that each attribute depends on the class, and of each arc.
    pub(super) fn report(&self) -> (Vec<f64>, Vec<ArcProbability>) {
        let n = self.orders.first().map_or(0, Vec::len);
        let mut relevance = vec![0.0; n];
        // Child by child; the last parent is the class.
        let mut arcs = vec![0.0; n * (n + 1)];
        for ((order, locals), weight) in self.orders.iter().zip(&self.locals).zip(&self.weights) {
            for (&child, local) in order.iter().zip(locals) {
                relevance[child] += weight * local.with_class;
                for (&parent, p) in order.iter().zip(&local.earlier) {
                    arcs[child * (n + 1) + parent] += weight * p;
                }
            }
        }
        for (child, &p) in relevance.iter().enumerate() {
            arcs[child * (n + 1) + n] = p;
        }
        let arcs =
            arcs.into_iter().enumerate().map(|(cell, p)| (cell % (n + 1), cell / (n + 1), p));
        (relevance, reported(arcs))
    }
}

/// What the cells of a pair add to lnB, whichever of the two is the child: without the class, and with it.
fn of_cells(prior: Prior, counts: &[f64], classes: usize) -> [f64; 2] {
    let cells = counts.len() / classes;
    let sums = counts.chunks_exact(classes).map(|entry| entry.iter().sum());
    [
        log_rising_sum(prior.cell(cells), sums),
        log_rising_sum(prior.cell(counts.len()), counts.iter().copied()),
    ]
}

/// What the configurations of a parent take off lnB: the same for all children of as many states.
struct RowTerms {
    /// The numbers of states there are, in rising order.
    sizes: Vec<usize>,
    /// Parent by parent, size by size: without the class, and with it.
    terms: Vec<[f64; 2]>,
}

impl RowTerms {
    fn new(prior: Prior, tables: &PairTables) -> RowTerms {
        let (states, classes) = (tables.states(), tables.classes());
        let mut sizes = states.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let of = |parent: usize, size: usize| {
            let (counts, cells) = (tables.single(parent), states[parent] * size);
            let sums = counts.chunks_exact(classes).map(|entry| entry.iter().sum());
            let row = |cells: usize| prior.cell(cells) * size as f64;
            [
                log_rising_sum(row(cells), sums),
                log_rising_sum(row(cells * classes), counts.iter().copied()),
            ]
        };
        let terms = (0..states.len()).flat_map(|p| sizes.iter().map(move |&s| (p, s)));
        let terms = terms.map(|(parent, size)| of(parent, size)).collect();
        RowTerms { sizes, terms }
    }

    fn of(&self, parent: usize, size: usize) -> [f64; 2] {
        // Every number of states is there.
        let place = self.sizes.partition_point(|s| *s < size);
        self.terms[parent * self.sizes.len() + place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Source;
    use crate::network::known::{Shape, generate};
    use crate::num::tolerance::{ROUNDING, close};
    use crate::run::Run;

    /// The shares of a pair's lnB that are computed once are together those of the family.
    #[test]
    fn parent_sets_have_the_evidence_of_their_families() {
        let table = generate("monk1", Some(200), &Shape::default(), 3).unwrap();
        let source = Source::Memory(table.view());
        let tables = PairTables::count(&source, &Run::default()).unwrap();
        for prior in [Prior::Laplace, Prior::Dirichlet(0.3), Prior::Bdeu(2.5)] {
            let sets = ParentSets::new(prior, &tables);
            for child in 0..tables.attributes() {
                for parent in (0..tables.attributes()).filter(|p| *p != child) {
                    let family = tables.family(parent, child);
                    let cell = child * tables.attributes() + parent;
                    let both = log_evidence(prior, &family);
                    let one = log_evidence(prior, &family.sum_over_classes());
                    assert!(close(sets.both[cell], both, ROUNDING), "{} {both}", sets.both[cell]);
                    assert!(close(sets.one[cell], one, ROUNDING), "{} {one}", sets.one[cell]);
                }
            }
        }
    }
}
