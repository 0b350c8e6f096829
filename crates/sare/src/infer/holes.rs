//! Rows with missing cells in networks whose attributes depend on each other: the missing cells are summed out exactly,
//! for every class at once, by eliminating them one by one.

use crate::graph::BitSet;
use crate::num::ln_or_floor;
use crate::stats::FamilyTable;
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

    /// The log-probabilities of a cell for each of so many classes.
    fn of_classes(&self, cell: usize, classes: usize) -> impl Iterator<Item = f64> + '_ {
        let told = self.table.classes();
        let entry = &self.table.values()[cell * told..][..told];
        entry.iter().copied().cycle().take(classes)
    }
}

/// A table over some missing attributes: assignments x classes, the last attribute changing fastest.
struct Factor {
    variables: Vec<usize>,
    values: Vec<f64>,
}

/// How the missing cells of a row were summed out: what is needed to go back.
struct Elimination {
    /// Every factor that was made, those of families first.
    factors: Vec<Factor>,
    /// The families with missing members: family and factor.
    open: Vec<(usize, usize)>,
    /// The families all of whose members are seen: family and cell.
    known: Vec<(usize, usize)>,
    steps: Vec<Step>,
}

/// One variable summed out: the factors that held it, and the one that came of them.
struct Step {
    variable: usize,
    inputs: Vec<usize>,
    output: usize,
}

/// Adds ln p(seen attributes | class) of one row to `scores`. `order` is an elimination order of the attributes.
pub(crate) fn add_row(
    families: &[LogFamily],
    states: &[usize],
    order: &[usize],
    row: &[Option<usize>],
    scores: &mut [f64],
) {
    eliminate(families, states, order, row, scores);
}

/// Like [`add_row`], and visits every family that the row says anything about: its number, a cell that agrees with the
/// seen members, and p(cell | seen attributes, class) of each class.
///
/// With Z the sum over all completions, p(cell) = value dZ/dvalue / Z for each entry of a family's table, so going back
/// through the elimination gives all of them at once.
pub(crate) fn expect_row(
    families: &[LogFamily],
    states: &[usize],
    order: &[usize],
    row: &[Option<usize>],
    scores: &mut [f64],
    visit: &mut dyn FnMut(usize, usize, &[f64]),
) {
    let classes = scores.len();
    let elimination = eliminate(families, states, order, row, scores);
    let ones = vec![1.0; classes];
    elimination.known.iter().for_each(|&(family, cell)| visit(family, cell, &ones));
    let slopes = elimination.slopes(states, classes);
    let mut p = vec![0.0; classes];
    for &(family, number) in &elimination.open {
        let (factor, slope) = (&elimination.factors[number], &slopes[number]);
        let products = || factor.values.iter().zip(slope).map(|(v, s)| v * s);
        let mut sums = vec![0.0; classes];
        products().enumerate().for_each(|(i, x)| sums[i % classes] += x);
        let mut assignment = vec![0; factor.variables.len()];
        let all: Vec<f64> = products().collect();
        for entry in all.chunks_exact(classes) {
            // A class under which the row is impossible expects nothing.
            let share = |(x, sum): (&f64, &f64)| if *sum > 0.0 { x / sum } else { 0.0 };
            p.iter_mut().zip(entry.iter().zip(&sums).map(share)).for_each(|(p, x)| *p = x);
            let state = |m: usize| {
                let place = factor.variables.iter().position(|&v| v == m);
                row[m].or(place.map(|i| assignment[i])).unwrap_or(0)
            };
            let members = families[family].members.iter();
            visit(family, members.fold(0, |cell, &m| cell * states[m] + state(m)), &p);
            step(&mut assignment, &factor.variables, states);
        }
    }
}

fn eliminate(
    families: &[LogFamily],
    states: &[usize],
    order: &[usize],
    row: &[Option<usize>],
    scores: &mut [f64],
) -> Elimination {
    let classes = scores.len();
    let relevant = not_barren(families, row);
    let mut all = Elimination { factors: vec![], open: vec![], known: vec![], steps: vec![] };
    let told = |f: &&LogFamily| f.child.is_none_or(|c| relevant.contains(c));
    for (number, family) in families.iter().enumerate().filter(|(_, f)| told(f)) {
        match restricted(family, states, row, classes) {
            Restricted::Known(cell) => {
                let logs = family.of_classes(cell, classes);
                scores.iter_mut().zip(logs).for_each(|(s, ln)| *s += ln);
                all.known.push((number, cell));
            }
            Restricted::Open(factor) => {
                all.open.push((number, all.factors.len()));
                all.factors.push(factor);
            }
        }
    }
    let mut left: Vec<usize> = (0..all.factors.len()).collect();
    for &v in order.iter().filter(|&&v| row[v].is_none() && relevant.contains(v)) {
        let (inputs, without): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&f| all.factors[f].variables.contains(&v));
        left = without;
        if !inputs.is_empty() {
            let held: Vec<&Factor> = inputs.iter().map(|&f| &all.factors[f]).collect();
            let factor = sum_out(v, &held, states, classes, scores);
            left.push(all.factors.len());
            all.steps.push(Step { variable: v, inputs, output: all.factors.len() });
            all.factors.push(factor);
        }
    }
    for &factor in &left {
        let values = &all.factors[factor].values;
        scores.iter_mut().zip(values).for_each(|(s, v)| *s += ln_or_floor(*v));
    }
    all
}

impl Elimination {
    /// The slope of every factor's entries, up to what all entries of a class share.
    fn slopes(&self, states: &[usize], classes: usize) -> Vec<Vec<f64>> {
        let mut slopes: Vec<Vec<f64>> =
            self.factors.iter().map(|f| vec![0.0; f.values.len()]).collect();
        for (factor, slope) in self.factors.iter().zip(&mut slopes) {
            if factor.variables.is_empty() {
                slope.fill(1.0);
            }
        }
        for Step { variable, inputs, output } in self.steps.iter().rev() {
            let rest = &self.factors[*output].variables;
            let all: Vec<usize> = rest.iter().copied().chain([*variable]).collect();
            let above = std::mem::take(&mut slopes[*output]);
            let mut assignment = vec![0; all.len()];
            let size: usize = all.iter().map(|&v| states[v]).product();
            for cell in 0..size {
                let above = &above[cell / states[*variable] * classes..][..classes];
                let places: Vec<usize> = inputs
                    .iter()
                    .map(|&f| index(&self.factors[f], &all, &assignment, states) * classes)
                    .collect();
                for (k, &input) in inputs.iter().enumerate() {
                    for c in 0..classes {
                        let others = inputs.iter().zip(&places).enumerate();
                        let product: f64 = others
                            .filter(|(other, _)| *other != k)
                            .map(|(_, (&f, place))| self.factors[f].values[place + c])
                            .product();
                        slopes[input][places[k] + c] += above[c] * product;
                    }
                }
                step(&mut assignment, &all, states);
            }
            slopes[*output] = above;
        }
        slopes
    }
}

/// The place of an assignment of variables in a factor over some of them.
fn index(factor: &Factor, all: &[usize], assignment: &[usize], states: &[usize]) -> usize {
    factor.variables.iter().fold(0, |index, v| {
        let place = all.iter().position(|x| x == v).unwrap_or(0);
        index * states[*v] + assignment[place]
    })
}

/// The attributes that are seen or have a descendant that is seen or the class: the others sum to one and drop out.
fn not_barren(families: &[LogFamily], row: &[Option<usize>]) -> BitSet {
    let mut relevant = BitSet::new(row.len());
    (0..row.len()).filter(|&v| row[v].is_some()).for_each(|v| {
        relevant.insert(v);
    });
    let mut grown = true;
    while grown {
        grown = false;
        for family in families {
            if family.child.is_none_or(|c| relevant.contains(c)) {
                for &member in &family.members {
                    grown |= relevant.insert(member);
                }
            }
        }
    }
    relevant
}

enum Restricted {
    /// Every member is seen: the family's cell.
    Known(usize),
    /// Some are missing.
    Open(Factor),
}

/// A family with its seen members filled in.
fn restricted(
    family: &LogFamily,
    states: &[usize],
    row: &[Option<usize>],
    classes: usize,
) -> Restricted {
    let missing: Vec<usize> =
        family.members.iter().copied().filter(|&m| row[m].is_none()).collect();
    let cell = |chosen: &dyn Fn(usize) -> usize| {
        family
            .members
            .iter()
            .fold(0, |cell, &m| cell * states[m] + row[m].unwrap_or_else(|| chosen(m)))
    };
    if missing.is_empty() {
        return Restricted::Known(cell(&|_| 0));
    }
    let size: usize = missing.iter().map(|&m| states[m]).product();
    let mut values = Vec::with_capacity(size * classes);
    let mut assignment = vec![0; missing.len()];
    for _ in 0..size {
        let state = |m: usize| missing.iter().position(|&x| x == m).map_or(0, |i| assignment[i]);
        values.extend(family.of_classes(cell(&state), classes).map(f64::exp));
        step(&mut assignment, &missing, states);
    }
    Restricted::Open(Factor { variables: missing, values })
}

/// The next assignment, the last variable changing fastest.
fn step(assignment: &mut [usize], variables: &[usize], states: &[usize]) {
    for i in (0..variables.len()).rev() {
        assignment[i] += 1;
        if assignment[i] < states[variables[i]] {
            return;
        }
        assignment[i] = 0;
    }
}

/// The product of factors with one variable summed out; what it is scaled by, so that nothing underflows, goes into the
/// scores.
fn sum_out(
    variable: usize,
    factors: &[&Factor],
    states: &[usize],
    classes: usize,
    scores: &mut [f64],
) -> Factor {
    let mut rest: Vec<usize> = factors.iter().flat_map(|f| f.variables.iter().copied()).collect();
    rest.sort_unstable();
    rest.dedup();
    rest.retain(|&v| v != variable);
    // The variable that goes changes fastest.
    let all: Vec<usize> = rest.iter().copied().chain([variable]).collect();
    let size: usize = rest.iter().map(|&v| states[v]).product();
    let mut values = vec![0.0; size * classes];
    let mut assignment = vec![0; all.len()];
    let mut product = vec![0.0; classes];
    for cell in 0..size {
        for _ in 0..states[variable] {
            product.fill(1.0);
            for factor in factors {
                let place = index(factor, &all, &assignment, states) * classes;
                let entry = &factor.values[place..][..classes];
                product.iter_mut().zip(entry).for_each(|(p, e)| *p *= e);
            }
            let sum = &mut values[cell * classes..][..classes];
            sum.iter_mut().zip(&product).for_each(|(s, p)| *s += p);
            step(&mut assignment, &all, states);
        }
    }
    for (class, score) in scores.iter_mut().enumerate() {
        let entries = || (0..size).map(|cell| cell * classes + class);
        let top = entries().map(|i| values[i]).fold(0.0, f64::max);
        if top > 0.0 {
            *score += top.ln();
            entries().for_each(|i| values[i] /= top);
        }
    }
    Factor { variables: rest, values }
}
