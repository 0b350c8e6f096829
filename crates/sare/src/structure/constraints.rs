//! What a search must obey, by column names, and where it begins.

use super::named::{NamedGraph, Names, arc};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::graph::{ArcRules, Broken, Dag};

/// Required and forbidden arcs, tiers and a structure to begin with, as given by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// Arcs that must be there: parent and child.
    pub required: Vec<(String, String)>,
    /// Arcs that must not be there: parent and child, either of which may be `*` for every column.
    pub forbidden: Vec<(String, String)>,
    /// Groups of columns: no arc leads from a later group to an earlier one.
    pub tiers: Vec<Vec<String>>,
    /// The structure a search begins with.
    pub start: Option<NamedGraph>,
}

/// The constraints over the columns of a table.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Required and forbidden arcs.
    pub arcs: ArcRules,
    /// Where a search begins.
    pub start: Option<Dag>,
}

impl Rules {
    /// No rules for a table of so many columns.
    pub fn none(columns: usize) -> Rules {
        Rules { arcs: ArcRules::none(columns), start: None }
    }

    /// Nodes in the order they were given, but each after its required parents.
    pub fn ordered(&self, order: &[usize]) -> Vec<usize> {
        let mut left = order.to_vec();
        let mut ordered = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let free = |v: &usize| left.iter().all(|&p| !self.arcs.requires(p, *v));
            // Required arcs have no cycle, so one is always free.
            let place = left.iter().position(free).unwrap_or(0);
            ordered.push(left.remove(place));
        }
        ordered
    }

    /// Fails if a graph breaks a rule, naming the learner that cannot obey it.
    pub fn check(&self, dag: &Dag, learner: &str, schema: &Schema) -> Result<()> {
        let name = |v: usize| schema.fields[v].name.as_str();
        let (problem, fix) = match self.arcs.broken_by(dag) {
            None => return Ok(()),
            Some(Broken::Absent(p, c)) => (
                format!("'{learner}' cannot have the required arc {} -> {}", name(p), name(c)),
                "choose a model that can, such as network",
            ),
            Some(Broken::Present(p, c)) => (
                format!("'{learner}' needs the forbidden arc {} -> {}", name(p), name(c)),
                "choose a model that does not, such as network",
            ),
        };
        Err(Error::model("constraints", problem, fix))
    }
}

impl Constraints {
    /// True if nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Constraints::default()
    }

    /// True if an arc is required or forbidden, or there are tiers.
    pub fn bind(&self) -> bool {
        !(self.required.is_empty() && self.forbidden.is_empty() && self.tiers.is_empty())
    }

    /// Adds one line of constraints: `require a -> b`, `forbid a -> b` or `tiers a, b < c < d`.
    pub fn add_line(&mut self, line: &str) -> Result<()> {
        let bad = |fix: &str| Error::model("constraints", format!("cannot read '{line}'"), fix);
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "require" => self.required.push(arc(rest).ok_or_else(|| bad("write require a -> b"))?),
            "forbid" => self.forbidden.push(arc(rest).ok_or_else(|| bad("write forbid a -> b"))?),
            "tiers" if !self.tiers.is_empty() => return Err(bad("give tiers once")),
            "tiers" => self.tiers = tiers(rest).ok_or_else(|| bad("write tiers a, b < c"))?,
            _ => return Err(bad("begin the line with require, forbid or tiers")),
        }
        Ok(())
    }

    /// Adds the lines of a text; empty lines and those that begin with # are skipped.
    pub fn add_text(&mut self, text: &str) -> Result<()> {
        let lines = text.lines().map(str::trim);
        lines.filter(|l| !l.is_empty() && !l.starts_with('#')).try_for_each(|l| self.add_line(l))
    }

    /// The constraints over the columns of a file.
    pub fn over(&self, schema: &Schema, file: &str) -> Result<Rules> {
        let mut arcs = ArcRules::none(schema.len());
        let place = |name: &str| match name {
            "*" => Ok((0..schema.len()).collect::<Vec<usize>>()),
            name => schema.require(name, file).map(|v| vec![v]),
        };
        for (parent, child) in &self.forbidden {
            let children = place(child)?;
            for p in place(parent)? {
                children.iter().filter(|&&c| c != p).for_each(|&c| arcs.forbid(p, c));
            }
        }
        let mut tier = vec![None; schema.len()];
        for (number, names) in self.tiers.iter().enumerate() {
            for name in names {
                if tier[schema.require(name, file)?].replace(number).is_some() {
                    let problem = format!("'{name}' is in two tiers");
                    return Err(Error::model("constraints", problem, "name every column once"));
                }
            }
        }
        let tiered: Vec<usize> = (0..schema.len()).filter(|&v| tier[v].is_some()).collect();
        for &p in &tiered {
            tiered.iter().filter(|&&c| tier[p] > tier[c]).for_each(|&c| arcs.forbid(p, c));
        }
        for (parent, child) in &self.required {
            let (p, c) = (schema.require(parent, file)?, schema.require(child, file)?);
            if arcs.forbids(p, c) {
                let problem = format!("the arc {parent} -> {child} is both required and forbidden");
                return Err(Error::model("constraints", problem, "take one of the two away"));
            }
            let cycle = |_| Error::Cycle { parent: parent.clone(), child: child.clone() };
            arcs.require(p, c).map_err(cycle)?;
        }
        let start = match &self.start {
            None => None,
            Some(graph) => {
                let dag = graph.over(schema, file)?;
                let rules = Rules { arcs: arcs.clone(), start: None };
                rules.check(&dag, "the structure to begin with", schema)?;
                Some(dag)
            }
        };
        Ok(Rules { arcs, start })
    }
}

/// The groups of `a, b < c < d`.
fn tiers(text: &str) -> Option<Vec<Vec<String>>> {
    let mut names = Names { rest: text };
    let mut groups = vec![Vec::new()];
    loop {
        let (name, mark) = names.next(&[",", "<"])?;
        if name.is_empty() {
            return None;
        }
        groups.last_mut()?.push(name);
        match mark {
            "" => return Some(groups),
            "<" => groups.push(Vec::new()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Field;

    fn over(text: &str) -> Result<Rules> {
        let names = ["age", "sex", "smoker", "class"];
        let schema = Schema::new(names.map(|n| Field::discrete(n, ["0", "1"])).to_vec());
        let mut constraints = Constraints::default();
        constraints.add_text(text)?;
        constraints.over(&schema, "t.csv")
    }

    #[test]
    fn lines_become_rules() {
        let text = "# what we know\nrequire age -> smoker\nforbid * -> sex\ntiers age, sex < smoker < class";
        let rules = over(text).unwrap().arcs;
        assert!(rules.requires(0, 2) && !rules.allows(2, 0));
        assert!(rules.forbids(0, 1) && rules.forbids(3, 1));
        assert!(rules.forbids(2, 0) && rules.forbids(3, 2) && rules.allows(0, 3));
        // Names that hold marks are quoted.
        assert_eq!(
            tiers("\"a, b\" < c,d"),
            Some(vec![vec!["a, b".into()], vec!["c".into(), "d".into()]])
        );
        // A column in no tier is free.
        let rules = over("tiers age < smoker").unwrap().arcs;
        assert!(rules.allows(3, 0) && rules.allows(0, 3) && rules.forbids(2, 0));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let message = |text| over(text).unwrap_err().to_string();
        assert!(message("require age -> smokr").contains("did you mean 'smoker'"));
        assert!(message("require age -> sex\nforbid age -> sex").contains("both required and"));
        assert!(message("require age -> sex\nrequire sex -> age").contains("cycle"));
        assert!(message("tiers age < age").contains("two tiers"));
        assert!(message("allow age -> sex").contains("begin the line with"));
        assert!(message("require age").contains("write require a -> b"));
    }
}
