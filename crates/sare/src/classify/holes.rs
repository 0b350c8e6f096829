//! Rows with missing cells in networks whose attributes depend on each other: the missing cells are summed out exactly,
//! for every class at once, by eliminating them one by one.

use crate::graph::BitSet;
use crate::num::ln_or_floor;
use crate::stats::FamilyTable;

/// A family's log-probabilities by class, over its members but the class: attribute parents, then the child, which is
/// none where the class is the child.
#[derive(Clone, Debug)]
pub(super) struct LogFamily {
    pub members: Vec<usize>,
    pub child: Option<usize>,
    pub table: FamilyTable,
}

impl LogFamily {
    /// Whether attributes depend on each other through it, so that a missing one has to be summed out.
    pub(super) fn joins_attributes(&self) -> bool {
        self.members.len() > usize::from(self.child.is_some())
    }
}

/// A table over some missing attributes: assignments x classes, the last attribute changing fastest.
struct Factor {
    variables: Vec<usize>,
    values: Vec<f64>,
}

/// Adds ln p(seen attributes | class) of one row to `scores`. `order` is an elimination order of the attributes.
pub(super) fn add_row(
    families: &[LogFamily],
    states: &[usize],
    order: &[usize],
    row: &[Option<usize>],
    scores: &mut [f64],
) {
    let classes = scores.len();
    let relevant = not_barren(families, row);
    let mut factors: Vec<Factor> = Vec::new();
    for family in families.iter().filter(|f| f.child.is_none_or(|c| relevant.contains(c))) {
        match restricted(family, states, row, classes) {
            Restricted::Known(cell) => {
                let entry = &family.table.values()[cell * classes..][..classes];
                scores.iter_mut().zip(entry).for_each(|(s, e)| *s += e);
            }
            Restricted::Open(factor) => factors.push(factor),
        }
    }
    for &v in order.iter().filter(|&&v| row[v].is_none() && relevant.contains(v)) {
        let (with, without): (Vec<Factor>, Vec<Factor>) =
            factors.into_iter().partition(|f| f.variables.contains(&v));
        factors = without;
        if !with.is_empty() {
            factors.push(sum_out(v, &with, states, classes, scores));
        }
    }
    for factor in factors {
        scores.iter_mut().zip(&factor.values).for_each(|(s, v)| *s += ln_or_floor(*v));
    }
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
        let entry = &family.table.values()[cell(&state) * classes..][..classes];
        values.extend(entry.iter().map(|e| e.exp()));
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
    factors: &[Factor],
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
                let index = factor.variables.iter().fold(0, |index, v| {
                    let place = all.iter().position(|x| x == v).unwrap_or(0);
                    index * states[*v] + assignment[place]
                });
                let entry = &factor.values[index * classes..][..classes];
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
