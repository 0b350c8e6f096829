//! Rows with missing cells in networks whose attributes depend on each other: the missing cells are summed out exactly,
//! for several classes at once, by eliminating them one by one.
//!
//! Learning by iteration does this for every such row in every pass, so all that a row needs lives in buffers that are
//! used again ([`RowRoom`]): factors are stretches of one vector, and walking through their cells is adding strides.

mod products;

use self::products::{add_product, scale, share_out};
use super::walk::Walk;
use crate::num::ln_or_floor;
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

/// A table over some missing attributes: assignments x classes, the last attribute changing fastest. Both are stretches
/// of the room's vectors.
#[derive(Clone)]
struct Factor {
    variables: Range<usize>,
    values: Range<usize>,
}

/// A family with missing members: its factor, and its cell where they are all in their first state.
struct Open {
    family: usize,
    factor: usize,
    cell: usize,
}

/// One variable summed out: the factors that held it, and the one that came of them.
struct Step {
    /// The variables of the one that came of it, and the one that goes, which changes fastest.
    variables: Range<usize>,
    inputs: Range<usize>,
    output: usize,
}

/// The buffers of a row, and how its missing cells were summed out: what is needed to go back.
#[derive(Default)]
pub(crate) struct RowRoom {
    relevant: Vec<bool>,
    /// Every factor that was made, those of families first.
    factors: Vec<Factor>,
    variables: Vec<usize>,
    values: Vec<f64>,
    slopes: Vec<f64>,
    open: Vec<Open>,
    /// The families all of whose members are seen: family and cell.
    known: Vec<(usize, usize)>,
    steps: Vec<Step>,
    inputs: Vec<usize>,
    /// The factors not yet summed out.
    left: Vec<usize>,
    walk: Walk,
    /// What the factors of each class were divided by.
    scale: Vec<f64>,
    /// Some numbers a class.
    classes: Vec<f64>,
    products: Vec<f64>,
}

impl RowRoom {
    fn clear(&mut self, width: usize) {
        self.factors.clear();
        self.variables.clear();
        self.values.clear();
        self.open.clear();
        self.known.clear();
        self.steps.clear();
        self.inputs.clear();
        self.left.clear();
        self.scale.clear();
        self.scale.resize(width, 1.0);
    }
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
        room.clear(width);
        self.find_relevant(row, room);
        for (number, family) in self.families.iter().enumerate() {
            if family.child.is_none_or(|c| room.relevant[c]) {
                self.restrict(number, row, classes.clone(), room, scores);
            }
        }
        room.left.extend(0..room.factors.len());
        for &v in self.order {
            if row[v].is_none() && room.relevant[v] {
                self.sum_out(v, width, room, scores);
            }
        }
        for (score, scale) in scores.iter_mut().zip(&room.scale) {
            *score += scale.ln();
        }
        for &factor in &room.left {
            let values = &room.values[room.factors[factor].values.clone()];
            scores.iter_mut().zip(values).for_each(|(s, v)| *s += ln_or_floor(*v));
        }
    }

    /// Marks the attributes that are seen or have a descendant that is seen or the class: the others sum to one and drop
    /// out.
    fn find_relevant(&self, row: &[Option<usize>], room: &mut RowRoom) {
        room.relevant.clear();
        room.relevant.extend(row.iter().map(Option::is_some));
        let mut grown = true;
        while grown {
            grown = false;
            for family in self.families {
                if family.child.is_none_or(|c| room.relevant[c]) {
                    for &member in &family.members {
                        grown |= !room.relevant[member];
                        room.relevant[member] = true;
                    }
                }
            }
        }
    }

    /// Fills the seen members of a family in: adds it to the scores if that is all of them, else makes it a factor.
    fn restrict(
        &self,
        number: usize,
        row: &[Option<usize>],
        classes: Range<usize>,
        room: &mut RowRoom,
        scores: &mut [f64],
    ) {
        let family = &self.families[number];
        let cell =
            family.members.iter().fold(0, |cell, &m| cell * self.states[m] + row[m].unwrap_or(0));
        let start = room.variables.len();
        room.variables.extend(family.members.iter().copied().filter(|&m| row[m].is_none()));
        let variables = start..room.variables.len();
        if variables.is_empty() {
            let entry = family.of_classes(family.table.values(), cell, classes);
            scores.iter_mut().zip(entry.iter().cycle()).for_each(|(s, e)| *s += e);
            room.known.push((number, cell));
            return;
        }
        self.walk_family(family, row, cell, &mut room.walk);
        let first = room.values.len();
        let entries = &self.entries[number];
        for _ in 0..room.walk.len() {
            let entry = family.of_classes(entries, room.walk.place(0), classes.clone());
            room.values.extend(entry.iter().cycle().take(classes.len()));
            room.walk.step();
        }
        room.open.push(Open { family: number, factor: room.factors.len(), cell });
        room.factors.push(Factor { variables, values: first..room.values.len() });
    }

    /// Makes ready to walk through the cells of a family that agree with the seen members.
    fn walk_family(&self, family: &LogFamily, row: &[Option<usize>], cell: usize, walk: &mut Walk) {
        let missing = || family.members.iter().enumerate().filter(|(_, m)| row[**m].is_none());
        walk.begin(missing().map(|(_, &m)| self.states[m]));
        walk.follow(cell, missing().map(|(place, _)| family.stride(place, self.states)));
    }

    /// Replaces the factors that hold a variable by their product with it summed out. What that is scaled by, so that
    /// nothing underflows, goes into the scores.
    fn sum_out(&self, v: usize, width: usize, room: &mut RowRoom, scores: &mut [f64]) {
        let first_input = room.inputs.len();
        let RowRoom { factors, variables, inputs, left, .. } = room;
        left.retain(|&f| {
            let held = variables[factors[f].variables.clone()].contains(&v);
            if held {
                inputs.push(f);
            }
            !held
        });
        if inputs.len() == first_input {
            return;
        }
        let start = variables.len();
        for &f in &inputs[first_input..] {
            for place in factors[f].variables.clone() {
                let other = variables[place];
                if other != v && !variables[start..].contains(&other) {
                    variables.push(other);
                }
            }
        }
        variables.push(v);
        let all = start..variables.len();
        let step = Step {
            variables: all.clone(),
            inputs: first_input..inputs.len(),
            output: factors.len(),
        };
        self.walk_step(&step, width, room);
        let first = room.values.len();
        let size = room.walk.len() / self.states[v];
        room.values.resize(first + size * width, 0.0);
        let (inputs, output) = room.values.split_at_mut(first);
        for sum in output.chunks_exact_mut(width) {
            for _ in 0..self.states[v] {
                add_product(inputs, room.walk.places(), &mut room.products, sum);
                room.walk.step();
            }
        }
        scale(output, &mut room.classes, &mut room.scale, scores);
        room.left.push(step.output);
        room.steps.push(step);
        let variables = all.start..all.end - 1;
        room.factors.push(Factor { variables, values: first..room.values.len() });
    }

    /// Makes ready to walk through the cells of a step, in step with those of its inputs.
    fn walk_step(&self, step: &Step, width: usize, room: &mut RowRoom) {
        let RowRoom { walk, variables, factors, inputs, .. } = room;
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
            let place = room.factors[factor].values.clone();
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

    /// Finds the slope of every factor's entries, up to what all entries of a class share.
    fn go_back(&self, width: usize, room: &mut RowRoom) {
        room.slopes.clear();
        room.slopes.resize(room.values.len(), 0.0);
        for &factor in &room.left {
            room.slopes[room.factors[factor].values.clone()].fill(1.0);
        }
        let steps = std::mem::take(&mut room.steps);
        for step in steps.iter().rev() {
            self.walk_step(step, width, room);
            let variable = room.variables[step.variables.end - 1];
            let output = room.factors[step.output].values.clone();
            let (inputs, later) = room.slopes.split_at_mut(output.start);
            for above in later[..output.len()].chunks_exact(width) {
                for _ in 0..self.states[variable] {
                    share_out(&room.values, room.walk.places(), above, &mut room.products, inputs);
                    room.walk.step();
                }
            }
        }
        room.steps = steps;
    }
}

#[cfg(test)]
mod tests;
