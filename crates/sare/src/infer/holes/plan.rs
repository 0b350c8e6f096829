//! How the missing cells of a row are summed out: all that depends only on which cells these are, so that rows with the
//! same holes share it.

use super::Elimination;
use std::ops::Range;

/// A table over some missing attributes: assignments x classes, the last attribute changing fastest. Its variables are a
/// stretch of the plan's, its values of the room's.
#[derive(Clone)]
pub(super) struct Factor {
    pub variables: Range<usize>,
    pub values: Range<usize>,
}

/// One variable summed out: the factors that held it, and the one that came of them.
pub(super) struct Step {
    /// The variables of the one that came of it, and the one that goes, which changes fastest.
    pub variables: Range<usize>,
    pub inputs: Range<usize>,
    pub output: usize,
}

/// The plan of rows in which the same cells are missing.
#[derive(Default)]
pub(super) struct Plan {
    /// Whether each attribute is missing, and for how many classes at once: what the plan was made for.
    holes: Vec<bool>,
    width: usize,
    relevant: Vec<bool>,
    /// The families that say anything, each with its factor where a member is missing.
    pub families: Vec<(usize, Option<usize>)>,
    /// Every factor, those of families first.
    pub factors: Vec<Factor>,
    pub variables: Vec<usize>,
    pub steps: Vec<Step>,
    pub inputs: Vec<usize>,
    /// The factors that nothing is left to be summed out of.
    pub left: Vec<usize>,
    /// The entries of all factors together.
    pub entries: usize,
}

impl Plan {
    /// Makes the plan of a row, unless it is that of the row before.
    pub(super) fn renew(
        &mut self,
        elimination: &Elimination<'_>,
        row: &[Option<usize>],
        width: usize,
    ) {
        let same =
            self.width == width && row.iter().map(Option::is_none).eq(self.holes.iter().copied());
        if same {
            return;
        }
        self.width = width;
        self.holes.clear();
        self.holes.extend(row.iter().map(Option::is_none));
        self.families.clear();
        self.factors.clear();
        self.variables.clear();
        self.steps.clear();
        self.inputs.clear();
        self.left.clear();
        self.entries = 0;
        self.find_relevant(elimination);
        for (number, family) in elimination.families.iter().enumerate() {
            if family.child.is_none_or(|c| self.relevant[c]) {
                let start = self.variables.len();
                let missing = family.members.iter().copied().filter(|&m| self.holes[m]);
                self.variables.extend(missing);
                let open = self.variables.len() > start;
                let factor = open.then(|| self.add_factor(elimination, start));
                self.families.push((number, factor));
            }
        }
        self.left.extend(0..self.factors.len());
        for &v in elimination.order {
            if self.holes[v] && self.relevant[v] {
                self.add_step(elimination, v);
            }
        }
    }

    /// Marks the attributes that are seen or have a descendant that is seen or the class: the others sum to one and drop
    /// out.
    fn find_relevant(&mut self, elimination: &Elimination<'_>) {
        self.relevant.clear();
        self.relevant.extend(self.holes.iter().map(|hole| !hole));
        let mut grown = true;
        while grown {
            grown = false;
            for family in elimination.families {
                if family.child.is_none_or(|c| self.relevant[c]) {
                    for &member in &family.members {
                        grown |= !self.relevant[member];
                        self.relevant[member] = true;
                    }
                }
            }
        }
    }

    /// Adds a factor over the last variables, from `start` on.
    fn add_factor(&mut self, elimination: &Elimination<'_>, start: usize) -> usize {
        let variables = start..self.variables.len();
        let states = self.variables[variables.clone()].iter().map(|&v| elimination.states[v]);
        let first = self.entries;
        self.entries += states.product::<usize>() * self.width;
        self.factors.push(Factor { variables, values: first..self.entries });
        self.factors.len() - 1
    }

    /// The factors that hold a variable are replaced by their product with it summed out.
    fn add_step(&mut self, elimination: &Elimination<'_>, v: usize) {
        let first_input = self.inputs.len();
        let Plan { factors, variables, inputs, left, .. } = self;
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
        let output = self.add_factor(elimination, start);
        self.variables.push(v);
        let step = Step {
            variables: start..self.variables.len(),
            inputs: first_input..self.inputs.len(),
            output,
        };
        self.left.push(output);
        self.steps.push(step);
    }
}
