//! From the order of a format to ours: the parents in rising order, the last changing fastest among them, the child's
//! state fastest of all.

use super::draft::{Definition, Draft, LARGEST};
use super::rows::is_wrong;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The entries of a table as a file gives them; parents are in the file's order.
pub(super) enum Entries<'a> {
    /// The last parent changes fastest among the parents, the child's state fastest of all.
    ChildFastest(Vec<f64>),
    /// The last parent changes fastest, the child's state slowest of all.
    ChildSlowest(Vec<f64>),
    /// The child's state, for each configuration of the parents.
    States(Vec<String>),
    /// Rows that name the states of the parents, and one for all configurations that have none.
    Rows(Vec<Row<'a>>, Option<Vec<f64>>),
    /// Every state of the child as probable as another.
    Uniform,
}

/// A row of a table with its configuration.
pub(super) struct Row<'a> {
    pub line: u64,
    pub states: Vec<Cow<'a, str>>,
    pub values: Vec<f64>,
}

/// A table in our order; what is not spelt out in the file is taken off the budget of bytes.
pub(super) fn arranged(
    draft: &Draft<'_>,
    definition: &Definition<'_>,
    child: usize,
    parents: &[usize],
    budget: &mut u128,
) -> Result<Vec<f64>> {
    let states = draft.nodes[child].levels.len();
    let shape = Shape::new(draft, definition, states, parents);
    match &definition.entries {
        Entries::ChildFastest(values) => {
            shape.check(values.len(), states)?;
            Ok(shape.permuted(|configuration, state| values[configuration * states + state]))
        }
        Entries::ChildSlowest(values) => {
            let configurations = shape.check(values.len(), states)?;
            Ok(shape
                .permuted(|configuration, state| values[state * configurations + configuration]))
        }
        Entries::States(names) => {
            shape.check(names.len(), 1)?;
            shape.afford(budget)?;
            let index = shape.index(child);
            let chosen: Vec<usize> = names
                .iter()
                .map(|n| shape.level(&index, child, n, definition.line))
                .collect::<Result<_>>()?;
            Ok(shape.permuted(|configuration, state| {
                f64::from(u8::from(chosen[configuration] == state))
            }))
        }
        Entries::Uniform => {
            shape.afford(budget)?;
            Ok(vec![1.0 / states as f64; shape.cells().unwrap_or(0)])
        }
        Entries::Rows(rows, default) => {
            shape.afford(budget)?;
            let table = shape.by_rows(rows, default.as_deref())?;
            Ok(shape.permuted(|configuration, state| table[configuration * states + state]))
        }
    }
}

/// The sizes of a family, with what is needed to say what is wrong.
struct Shape<'a> {
    draft: &'a Draft<'a>,
    definition: &'a Definition<'a>,
    states: usize,
    /// The parents in the file's order.
    parents: &'a [usize],
    sizes: Vec<usize>,
}

impl<'a> Shape<'a> {
    fn new(
        draft: &'a Draft<'a>,
        definition: &'a Definition<'a>,
        states: usize,
        parents: &'a [usize],
    ) -> Shape<'a> {
        let sizes = parents.iter().map(|&p| draft.nodes[p].levels.len()).collect();
        Shape { draft, definition, states, parents, sizes }
    }

    fn bad(&self, line: u64, problem: String, fix: &str) -> Error {
        self.draft.report.node(line, &self.definition.node, problem, fix)
    }

    fn cells(&self) -> Option<usize> {
        self.sizes.iter().chain([&self.states]).try_fold(1usize, |n, &s| n.checked_mul(s))
    }

    /// The configurations of the parents, if `given` entries are `each` for every one of them.
    fn check(&self, given: usize, each: usize) -> Result<usize> {
        let configurations = self.sizes.iter().try_fold(1usize, |n, &s| n.checked_mul(s));
        let wanted = configurations.and_then(|n| n.checked_mul(each));
        match configurations {
            Some(configurations) if wanted == Some(given) => Ok(configurations),
            _ => {
                let times = |n: u128, s: &usize| n.checked_mul(*s as u128);
                let wanted = self.sizes.iter().try_fold(each as u128, times);
                let wanted = wanted.map_or("far too many".into(), |n| n.to_string());
                let problem = format!("its table has {given} entries instead of {wanted}");
                let fix = "give one entry for each configuration";
                Err(self.bad(self.definition.line, problem, fix))
            }
        }
    }

    /// Takes the table off what may still be used.
    fn afford(&self, budget: &mut u128) -> Result<()> {
        let cells =
            self.sizes.iter().fold(self.states as u128, |n, &s| n.saturating_mul(s as u128));
        // The table in the file's order is there for a while beside ours.
        let bytes = cells.saturating_mul(2 * size_of::<f64>() as u128);
        if bytes > *budget {
            let what = format!(
                "{}, line {}: the table of '{}' with its {} parents",
                self.draft.report.file,
                self.definition.line,
                self.definition.node,
                self.sizes.len()
            );
            let fix = "give it fewer parents, or parents with fewer states".into();
            return Err(Error::TooLarge { what, bytes, limit: LARGEST, fix });
        }
        *budget -= bytes;
        Ok(())
    }

    /// The table in our order, from entries by configuration in the file's order and state of the child.
    fn permuted(&self, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let cells = self.cells().unwrap_or(0);
        let mut table = vec![0.0; cells];
        let steps = self.steps();
        let mut digits = vec![0; self.sizes.len()];
        let mut ours = 0;
        for configuration in 0..cells / self.states {
            let row = &mut table[ours * self.states..][..self.states];
            row.iter_mut().enumerate().for_each(|(state, p)| *p = entry(configuration, state));
            // The next configuration in the file's order: the last parent that is not at its end goes on.
            for i in (0..digits.len()).rev() {
                digits[i] += 1;
                ours += steps[i];
                if digits[i] < self.sizes[i] {
                    break;
                }
                ours -= digits[i] * steps[i];
                digits[i] = 0;
            }
        }
        table
    }

    /// How far apart our configurations are in which each parent of the file's order differs by one state.
    fn steps(&self) -> Vec<usize> {
        let later =
            |i: usize| (0..self.parents.len()).filter(move |&j| self.parents[j] > self.parents[i]);
        (0..self.parents.len()).map(|i| later(i).map(|j| self.sizes[j]).product()).collect()
    }

    fn index(&self, node: usize) -> FxHashMap<&'a str, usize> {
        self.draft.nodes[node].levels.iter().enumerate().map(|(i, l)| (l.as_str(), i)).collect()
    }

    fn level(
        &self,
        index: &FxHashMap<&str, usize>,
        node: usize,
        name: &str,
        line: u64,
    ) -> Result<usize> {
        index.get(name).copied().ok_or_else(|| {
            let node = &self.draft.nodes[node];
            let known = crate::error::nearest(name, node.levels.iter().map(String::as_str));
            let known = known.map(|n| format!("; did you mean '{n}'?")).unwrap_or_default();
            let problem = format!("'{}' has no state '{name}'{known}", node.name);
            self.bad(line, problem, "name one of its states")
        })
    }

    /// The table in the file's order from rows that name their configurations.
    fn by_rows(&self, rows: &[Row<'_>], default: Option<&[f64]>) -> Result<Vec<f64>> {
        let cells = self.cells().unwrap_or(0);
        let mut table = vec![f64::NAN; cells];
        let indices: Vec<_> = self.parents.iter().map(|&p| self.index(p)).collect();
        for row in rows {
            self.check_row(row.line, &row.values)?;
            let mut configuration = 0;
            for (i, name) in row.states.iter().enumerate() {
                let state = self.level(&indices[i], self.parents[i], name, row.line)?;
                configuration = configuration * self.sizes[i] + state;
            }
            let place = &mut table[configuration * self.states..][..self.states];
            if !place[0].is_nan() {
                let problem = format!("the row ({}) is there twice", row.states.join(", "));
                return Err(self.bad(row.line, problem, "give every configuration once"));
            }
            place.copy_from_slice(&row.values);
        }
        if let Some(default) = default {
            self.check_row(self.definition.line, default)?;
        }
        for (configuration, place) in table.chunks_exact_mut(self.states).enumerate() {
            match default {
                _ if !place[0].is_nan() => {}
                Some(default) => place.copy_from_slice(default),
                None => {
                    let problem = format!("there is no row for ({})", self.named(configuration));
                    let fix = "add it, or a default";
                    return Err(self.bad(self.definition.line, problem, fix));
                }
            }
        }
        Ok(table)
    }

    fn check_row(&self, line: u64, values: &[f64]) -> Result<()> {
        if values.len() == self.states && is_wrong(values) {
            let problem = format!("its row sums to {} instead of 1", values.iter().sum::<f64>());
            return Err(self.bad(line, problem, "correct the row"));
        }
        if values.len() == self.states {
            return Ok(());
        }
        let problem = format!("a row has {} entries instead of {}", values.len(), self.states);
        Err(self.bad(line, problem, "give one entry a state"))
    }

    /// The states of the parents in a configuration of the file's order.
    fn named(&self, configuration: usize) -> String {
        let mut rest = configuration;
        let mut names = Vec::new();
        for (&parent, &size) in self.parents.iter().zip(&self.sizes).rev() {
            names.push(self.draft.nodes[parent].levels[rest % size].as_str());
            rest /= size;
        }
        names.reverse();
        names.join(", ")
    }
}
