//! Rows with missing cells in networks whose attributes depend on each other: the missing cells are summed out exactly,
//! for several classes at once, by eliminating them one by one.
//!
//! Learning by iteration does this for every such row in every pass, so all that a row needs lives in buffers that are
//! used again ([`RowRoom`]): factors are stretches of one vector, and walking through their cells is adding strides. What
//! depends only on which cells are missing ([`Plan`]) is made once for neighbouring rows with the same holes.

mod plan;
mod products;

use self::plan::{Plan, Step};
use self::products::{add_product, scale, share_out};
use super::walk::Walk;
use crate::num::ln_or_floor;
use crate::seed::Random;
use crate::stats::FamilyTable;
use std::ops::Range;
use std::sync::Arc;

/// A family's log-probabilities by class, or for all classes alike, over its members but the class: attribute parents,
/// then the child, which is none where the class is the child.
#[derive(Clone, Debug)]
pub(crate) struct LogFamily {
    pub members: Vec<usize>,
    pub child: Option<usize>,
    pub table: Arc<FamilyTable>,
}

impl LogFamily {
    /// Whether attributes depend on each other through it, so that a missing one has to be summed out.
    pub(crate) fn joins_attributes(&self) -> bool {
        self.members.len() > usize::from(self.child.is_some())
    }

    /// What a table laid out as this one has of a cell for some classes: as many entries, or one for all alike.
    fn of_classes<'t>(&self, values: &'t [f64], cell: usize, classes: Range<usize>) -> &'t [f64] {
        let told = self.table.classes();
        let entry = &values[cell * told..][..told];
        if told == 1 { entry } else { &entry[classes] }
    }

    /// How many cells further the next state of a member is.
    fn stride(&self, place: usize, states: &[usize]) -> usize {
        self.members[place + 1..].iter().map(|&m| states[m]).product()
    }
}

/// What rows with missing cells are summed out by.
pub(crate) struct Elimination<'a> {
    pub families: &'a [LogFamily],
    /// The probabilities whose logarithms the families hold.
    pub entries: &'a [Vec<f64>],
    pub states: &'a [usize],
    /// An elimination order of the attributes.
    pub order: &'a [usize],
}

/// A family with missing members: its factor, and its cell where they are all in their first state.
struct Open {
    family: usize,
    factor: usize,
    cell: usize,
}

/// The buffers of a row, and how its missing cells were summed out: what is needed to go back. Of one network at a time.
#[derive(Default)]
pub(crate) struct RowRoom {
    plan: Plan,
    values: Vec<f64>,
    slopes: Vec<f64>,
    open: Vec<Open>,
    /// The families all of whose members are seen: family and cell.
    known: Vec<(usize, usize)>,
    walk: Walk,
    /// What the factors of each class were divided by.
    scale: Vec<f64>,
    /// Some numbers a class.
    classes: Vec<f64>,
    products: Vec<f64>,
}

impl Elimination<'_> {
    /// Adds ln p(seen attributes | class) of one row to the scores of these classes.
    pub(crate) fn add_row(
        &self,
        row: &[Option<usize>],
        classes: Range<usize>,
        room: &mut RowRoom,
        scores: &mut [f64],
    ) {
        let width = classes.len();
        room.plan.renew(self, row, width);
        room.open.clear();
        room.known.clear();
        room.scale.clear();
        room.scale.resize(width, 1.0);
        room.values.clear();
        room.values.resize(room.plan.entries, 0.0);
        for place in 0..room.plan.families.len() {
            self.restrict(place, row, classes.clone(), room, scores);
        }
        for step in 0..room.plan.steps.len() {
            self.sum_out(step, room, scores);
        }
        for (score, scale) in scores.iter_mut().zip(&room.scale) {
            *score += scale.ln();
        }
        for &factor in &room.plan.left {
            let values = &room.values[room.plan.factors[factor].values.clone()];
            scores.iter_mut().zip(values).for_each(|(s, v)| *s += ln_or_floor(*v));
        }
    }

    /// Fills the seen members of a family in: adds it to the scores if that is all of them, else fills its factor.
    fn restrict(
        &self,
        place: usize,
        row: &[Option<usize>],
        classes: Range<usize>,
        room: &mut RowRoom,
        scores: &mut [f64],
    ) {
        let (number, factor) = room.plan.families[place];
        let family = &self.families[number];
        let cell =
            family.members.iter().fold(0, |cell, &m| cell * self.states[m] + row[m].unwrap_or(0));
        let Some(factor) = factor else {
            let entry = family.of_classes(family.table.values(), cell, classes);
            scores.iter_mut().zip(entry.iter().cycle()).for_each(|(s, e)| *s += e);
            room.known.push((number, cell));
            return;
        };
        self.walk_family(family, row, cell, &mut room.walk);
        let entries = &self.entries[number];
        let values = &mut room.values[room.plan.factors[factor].values.clone()];
        for to in values.chunks_exact_mut(classes.len()) {
            let entry = family.of_classes(entries, room.walk.place(0), classes.clone());
            to.iter_mut().zip(entry.iter().cycle()).for_each(|(v, e)| *v = *e);
            room.walk.step();
        }
        room.open.push(Open { family: number, factor, cell });
    }

    /// Makes ready to walk through the cells of a family that agree with the seen members.
    fn walk_family(&self, family: &LogFamily, row: &[Option<usize>], cell: usize, walk: &mut Walk) {
        let missing = || family.members.iter().enumerate().filter(|(_, m)| row[**m].is_none());
        walk.begin(missing().map(|(_, &m)| self.states[m]));
        walk.follow(cell, missing().map(|(place, _)| family.stride(place, self.states)));
    }

    /// The product of a step's factors with its variable summed out. What that is scaled by, so that nothing underflows,
    /// goes into the scores.
    fn sum_out(&self, step: usize, room: &mut RowRoom, scores: &mut [f64]) {
        self.walk_step(step, room);
        let width = room.scale.len();
        let Step { variables, output, .. } = &room.plan.steps[step];
        let states = self.states[room.plan.variables[variables.end - 1]];
        let output = room.plan.factors[*output].values.clone();
        let (inputs, output) = room.values[..output.end].split_at_mut(output.start);
        for sum in output.chunks_exact_mut(width) {
            for _ in 0..states {
                add_product(inputs, room.walk.places(), &mut room.products, sum);
                room.walk.step();
            }
        }
        scale(output, &mut room.classes, &mut room.scale, scores);
    }

    /// Makes ready to walk through the cells of a step, in step with those of its inputs.
    fn walk_step(&self, step: usize, room: &mut RowRoom) {
        let width = room.scale.len();
        let RowRoom { walk, plan: Plan { variables, factors, inputs, steps, .. }, .. } = room;
        let step = &steps[step];
        let all = &variables[step.variables.clone()];
        walk.begin(all.iter().map(|&v| self.states[v]));
        for &f in &inputs[step.inputs.clone()] {
            let own = &variables[factors[f].variables.clone()];
            let stride = |v: &usize| {
                let place = own.iter().position(|x| x == v);
                let after = |p: usize| own[p + 1..].iter().map(|&o| self.states[o]).product();
                width * place.map_or(0, |p| -> usize { after(p) })
            };
            walk.follow(factors[f].values.start, all.iter().map(stride));
        }
    }

    /// Visits every family that the row last added says anything about: its number, a cell that agrees with the seen
    /// members, and p(cell | seen attributes, class) of each of the classes.
    ///
    /// With Z the sum over all completions, p(cell) = value dZ/dvalue / Z for each entry of a family's table, so going
    /// back through the elimination gives all of them at once.
    pub(crate) fn expect_row(
        &self,
        row: &[Option<usize>],
        room: &mut RowRoom,
        visit: &mut dyn FnMut(usize, usize, &[f64]),
    ) {
        let width = room.scale.len();
        self.go_back(width, room);
        room.classes.clear();
        room.classes.resize(width, 1.0);
        room.known.iter().for_each(|&(family, cell)| visit(family, cell, &room.classes));
        for &Open { family, factor, cell } in &room.open {
            let place = room.plan.factors[factor].values.clone();
            let slopes = &mut room.slopes[place.clone()];
            slopes.iter_mut().zip(&room.values[place]).for_each(|(s, v)| *s *= v);
            room.classes.fill(0.0);
            for entry in slopes.chunks_exact(width) {
                room.classes.iter_mut().zip(entry).for_each(|(sum, x)| *sum += x);
            }
            // A class under which the row is impossible expects nothing.
            let part = |sum: &mut f64| *sum = if *sum > 0.0 { 1.0 / *sum } else { 0.0 };
            room.classes.iter_mut().for_each(part);
            self.walk_family(&self.families[family], row, cell, &mut room.walk);
            for entry in slopes.chunks_exact_mut(width) {
                entry.iter_mut().zip(&room.classes).for_each(|(x, part)| *x *= part);
                visit(family, room.walk.place(0), entry);
                room.walk.step();
            }
        }
    }

    /// Draws the missing attributes of the row last added that say anything, for one of its classes: from the one summed out
    /// last to the first, each given those before.
    pub(crate) fn draw_row(
        &self,
        row: &mut [Option<usize>],
        class: usize,
        room: &RowRoom,
        random: &mut Random,
    ) {
        let width = room.scale.len();
        let Plan { variables, factors, inputs, steps, .. } = &room.plan;
        for step in steps.iter().rev() {
            let v = variables[step.variables.end - 1];
            let mut chances = vec![1.0; self.states[v]];
            for factor in inputs[step.inputs.clone()].iter().map(|&f| &factors[f]) {
                for (x, chance) in chances.iter_mut().enumerate() {
                    let state = |u: usize| if u == v { x } else { row[u].unwrap_or(0) };
                    let members = variables[factor.variables.clone()].iter();
                    let cell = members.fold(0, |cell, &u| cell * self.states[u] + state(u));
                    *chance *= room.values[factor.values.start + cell * width + class];
                }
            }
            let total: f64 = chances.iter().sum();
            chances.iter_mut().for_each(|p| *p /= total);
            row[v] = Some(random.categorical(&chances));
        }
    }

    /// Finds the slope of every factor's entries, up to what all entries of a class share.
    fn go_back(&self, width: usize, room: &mut RowRoom) {
        room.slopes.clear();
        room.slopes.resize(room.values.len(), 0.0);
        for &factor in &room.plan.left {
            room.slopes[room.plan.factors[factor].values.clone()].fill(1.0);
        }
        for step in (0..room.plan.steps.len()).rev() {
            self.walk_step(step, room);
            let Step { variables, output, .. } = &room.plan.steps[step];
            let states = self.states[room.plan.variables[variables.end - 1]];
            let output = room.plan.factors[*output].values.clone();
            let (inputs, later) = room.slopes.split_at_mut(output.start);
            for above in later[..output.len()].chunks_exact(width) {
                for _ in 0..states {
                    share_out(&room.values, room.walk.places(), above, &mut room.products, inputs);
                    room.walk.step();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
