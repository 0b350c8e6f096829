//! Rows with missing cells in networks in which every attribute has at most one attribute parent: exact answers by
//! messages, for several classes at once (ALGORITHMS 7).
//!
//! Messages go only through missing attributes. Upwards, a missing v collects l_v(x) = p(seen cells below v | x, class);
//! one with nothing seen below it drops out. From there on the missing attributes are a forest of their own, with
//!
//! p(x_v | x_parent, seen, class) proportional to p(x_v | x_parent, class) l_v(x_v),
//!
//! so that the joint distribution of any two follows from that of an earlier one and the parent, one product of matrices
//! for each pair: p(x_w, x_v) = sum_y p(x_w, y) p(x_v | y).

use crate::network::Network;
use crate::num::ln_or_floor;
use std::ops::Range;

/// Products are moved into the logarithms below this, so that nothing underflows.
const LOWEST: f64 = 1e-100;

/// p(attributes | class) where every attribute has at most one attribute parent.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    classes: usize,
    states: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// p(x | parent's state, class), the parent's state slowest, class innermost.
    tables: Vec<Vec<f64>>,
    /// Every attribute after its parent.
    order: Vec<usize>,
}

/// The buffers of a row.
#[derive(Default)]
pub(crate) struct Messages {
    /// Whether anything is seen below each attribute.
    informed: Vec<bool>,
    /// l_v of every missing attribute: state by state, class innermost.
    below: Vec<Vec<f64>>,
    message: Vec<f64>,
    /// What has not been added to the scores yet.
    products: Vec<f64>,
    /// p(x_v | x_parent, seen, class) of one attribute.
    given: Vec<f64>,
    /// The place of each missing attribute among them.
    places: Vec<usize>,
}

/// The distribution of a row's missing cells given the seen ones, for some classes: of each cell and of every two.
#[derive(Default)]
pub(crate) struct Beliefs {
    /// The missing attributes.
    pub missing: Vec<usize>,
    /// By place: state by state, class innermost.
    pub singles: Vec<Vec<f64>>,
    /// Of the places i < j at `j * (j - 1) / 2 + i`: state of i by state of j, class innermost.
    pub pairs: Vec<Vec<f64>>,
}

impl Beliefs {
    /// Starts a row without missing cells.
    pub(crate) fn clear(&mut self) {
        self.missing.clear();
    }

    /// Adds a missing attribute with all its tables 0: its place, and how many attributes there are now.
    pub(crate) fn push(&mut self, attribute: usize, states: &[usize], width: usize) -> usize {
        let place = self.missing.len();
        let first = place * place.saturating_sub(1) / 2;
        self.singles.resize_with(self.singles.len().max(place + 1), Vec::new);
        self.pairs.resize_with(self.pairs.len().max(first + place), Vec::new);
        let own = states[attribute] * width;
        let blank = |table: &mut Vec<f64>, size: usize| {
            table.clear();
            table.resize(size, 0.0);
        };
        blank(&mut self.singles[place], own);
        for (table, &other) in self.pairs[first..].iter_mut().zip(&self.missing) {
            blank(table, states[other] * own);
        }
        self.missing.push(attribute);
        place
    }

    /// The joint table of the places i < j.
    pub(crate) fn pair(&self, i: usize, j: usize) -> &[f64] {
        &self.pairs[j * (j - 1) / 2 + i]
    }
}

impl Forest {
    /// A forest from each attribute's parent and table.
    pub(crate) fn new(
        classes: usize,
        states: Vec<usize>,
        parents: Vec<Option<usize>>,
        tables: Vec<Vec<f64>>,
    ) -> Forest {
        let mut children = vec![Vec::new(); states.len()];
        for (v, parent) in parents.iter().enumerate() {
            parent.iter().for_each(|&p| children[p].push(v));
        }
        let mut order: Vec<usize> = (0..states.len()).filter(|&v| parents[v].is_none()).collect();
        let mut next = 0;
        while next < order.len() {
            order.extend(&children[order[next]]);
            next += 1;
        }
        debug_assert_eq!(order.len(), states.len(), "a forest has no cycles");
        Forest { classes, states, parents, tables, order }
    }

    /// The attributes of a network whose last variable is the class; none where one has two attribute parents.
    pub(crate) fn of(network: &Network) -> Option<Forest> {
        let class = network.variables().len() - 1;
        let (classes, dag) = (network.states(class), network.dag());
        let states: Vec<usize> = (0..class).map(|v| network.states(v)).collect();
        let (mut parents, mut tables) = (Vec::new(), Vec::new());
        for (v, &own_states) in states.iter().enumerate() {
            let mut own = dag.parents(v).filter(|&p| p != class);
            parents.push(own.next());
            if own.next().is_some() {
                return None;
            }
            // The class is the last variable, so as a parent it changes fastest.
            let by_class = if dag.has_arc(class, v) { classes } else { 1 };
            let rows: Vec<&[f64]> = network.table(v).chunks_exact(own_states).collect();
            let of = |rows: &[&[f64]]| -> Vec<f64> {
                let entry = |x: usize| (0..classes).map(move |c| (x, c));
                (0..own_states).flat_map(entry).map(|(x, c)| rows[c % by_class][x]).collect()
            };
            tables.push(rows.chunks_exact(by_class).flat_map(of).collect());
        }
        Some(Forest::new(classes, states, parents, tables))
    }

    /// p(state | parent's state, class) of some classes; roots have one parent's state.
    fn entry(&self, v: usize, parent: usize, state: usize, classes: &Range<usize>) -> &[f64] {
        let start = (parent * self.states[v] + state) * self.classes;
        &self.tables[v][start + classes.start..start + classes.end]
    }

    /// The states that an attribute can have in a row.
    fn possible(&self, v: usize, row: &[Option<usize>]) -> Range<usize> {
        row[v].map_or(0..self.states[v], |x| x..x + 1)
    }

    /// The states that its parent can have; roots have one.
    fn possible_parents(&self, v: usize, row: &[Option<usize>]) -> Range<usize> {
        self.parents[v].map_or(0..1, |p| self.possible(p, row))
    }

    /// Adds ln p(seen attributes | class) of a row to the scores of these classes.
    pub(crate) fn add_row(
        &self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        room: &mut Messages,
        scores: &mut [f64],
    ) {
        let width = classes.len();
        let Messages { informed, below, message, products, .. } = room;
        informed.clear();
        informed.resize(row.len(), false);
        below.resize_with(below.len().max(row.len()), Vec::new);
        products.clear();
        products.resize(width, 1.0);
        for &v in self.order.iter().rev() {
            if row[v].is_none() && !informed[v] {
                continue;
            }
            let from = self.possible_parents(v, row);
            message.clear();
            message.resize(from.len() * width, 0.0);
            for (sum, parent) in message.chunks_exact_mut(width).zip(from) {
                if let Some(x) = row[v] {
                    sum.copy_from_slice(self.entry(v, parent, x, classes));
                    continue;
                }
                for (x, below) in below[v].chunks_exact(width).enumerate() {
                    let terms = self.entry(v, parent, x, classes).iter().zip(below);
                    sum.iter_mut().zip(terms).for_each(|(sum, (p, l))| *sum += p * l);
                }
            }
            let up = self.parents[v].filter(|&p| row[p].is_none());
            let Some(parent) = up else {
                products.iter_mut().zip(&*message).for_each(|(product, p)| *product *= p);
                for (score, product) in scores.iter_mut().zip(&mut *products) {
                    if *product < LOWEST {
                        *score += ln_or_floor(std::mem::replace(product, 1.0));
                    }
                }
                continue;
            };
            if informed[parent] {
                below[parent].iter_mut().zip(&*message).for_each(|(l, m)| *l *= m);
                (0..width).for_each(|c| scores[c] += rescale(&mut below[parent], c, width));
            } else {
                informed[parent] = true;
                below[parent].clone_from(message);
            }
        }
        scores
            .iter_mut()
            .zip(products)
            .for_each(|(score, product)| *score += ln_or_floor(*product));
    }

    /// The distribution of the missing cells of the row that was last added, for the same classes.
    pub(crate) fn believe(
        &self,
        row: &[Option<usize>],
        classes: &Range<usize>,
        room: &mut Messages,
        beliefs: &mut Beliefs,
    ) {
        let width = classes.len();
        room.places.resize(row.len(), 0);
        beliefs.clear();
        for &v in self.order.iter().filter(|&&v| row[v].is_none()) {
            self.given_parent(v, row, classes, room);
            let place = beliefs.push(v, &self.states, width);
            room.places[v] = place;
            let size = self.states[v] * width;
            let parent = self.parents[v].filter(|&p| row[p].is_none()).map(|p| room.places[p]);
            let (earlier, own) = beliefs.singles.split_at_mut(place);
            let pairs = place * place.saturating_sub(1) / 2;
            let (known, new) = beliefs.pairs.split_at_mut(pairs);
            let given = room.given.chunks_exact(size);
            match parent {
                None => own[0].copy_from_slice(&room.given),
                Some(parent) => {
                    let all = earlier[parent].chunks_exact(width).zip(given.clone());
                    all.for_each(|(p, given)| add_scaled(given, p, &mut own[0]));
                }
            }
            for (other, joint) in new[..place].iter_mut().enumerate() {
                let of_other = joint.chunks_exact_mut(size);
                let alone = earlier[other].chunks_exact(width);
                match parent {
                    None => of_other.zip(alone).for_each(|(to, p)| add_scaled(&room.given, p, to)),
                    Some(parent) if parent == other => {
                        let all = of_other.zip(alone.zip(given.clone()));
                        all.for_each(|(to, (p, given))| add_scaled(given, p, to));
                    }
                    Some(parent) => {
                        let (i, j) = (parent.min(other), parent.max(other));
                        let second = self.states[beliefs.missing[j]];
                        for (x, to) in of_other.enumerate() {
                            for (y, given) in given.clone().enumerate() {
                                let cell = if other == i { x * second + y } else { y * second + x };
                                let p = &known[j * (j - 1) / 2 + i][cell * width..][..width];
                                add_scaled(given, p, to);
                            }
                        }
                    }
                }
            }
        }
    }

    /// p(x_v | x_parent, seen, class), for every state that the parent can have.
    fn given_parent(
        &self,
        v: usize,
        row: &[Option<usize>],
        classes: &Range<usize>,
        room: &mut Messages,
    ) {
        let width = classes.len();
        let Messages { informed, below, given, message: sums, .. } = room;
        given.clear();
        for parent in self.possible_parents(v, row) {
            let start = given.len();
            (0..self.states[v]).for_each(|x| given.extend(self.entry(v, parent, x, classes)));
            if !informed[v] {
                continue;
            }
            given[start..].iter_mut().zip(&below[v]).for_each(|(p, l)| *p *= l);
            sums.clear();
            sums.resize(width, 0.0);
            for entry in given[start..].chunks_exact(width) {
                sums.iter_mut().zip(entry).for_each(|(sum, p)| *sum += p);
            }
            // A state under which the row is impossible is not believed either.
            let part = |sum: &mut f64| *sum = if *sum > 0.0 { 1.0 / *sum } else { 0.0 };
            sums.iter_mut().for_each(part);
            for entry in given[start..].chunks_exact_mut(width) {
                entry.iter_mut().zip(&*sums).for_each(|(p, part)| *p *= part);
            }
        }
    }
}

/// Adds a table, state by state, times a number for each class.
fn add_scaled(table: &[f64], by: &[f64], to: &mut [f64]) {
    for (to, entry) in to.chunks_exact_mut(by.len()).zip(table.chunks_exact(by.len())) {
        to.iter_mut().zip(entry.iter().zip(by)).for_each(|(to, (p, by))| *to += p * by);
    }
}

/// Divides the entries of a class by the largest where that is small; its logarithm. Where all are 0 they say nothing
/// any more.
fn rescale(table: &mut [f64], class: usize, width: usize) -> f64 {
    let largest = table.iter().skip(class).step_by(width).fold(0.0, |most: f64, x| most.max(*x));
    if largest >= LOWEST {
        return 0.0;
    }
    let entries = table.iter_mut().skip(class).step_by(width);
    entries.for_each(|x| *x = if largest > 0.0 { *x / largest } else { 1.0 });
    ln_or_floor(largest)
}

#[cfg(test)]
mod tests;
