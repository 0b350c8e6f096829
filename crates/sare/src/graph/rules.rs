//! Which arcs a search must and must not take.

use super::dag::Dag;
use super::sorted::SortedSet;
use crate::error::Result;
use rustc_hash::FxHashMap;

/// Required and forbidden arcs between nodes 0..n. What is required has no cycle and is not forbidden.
#[derive(Clone, Debug)]
pub struct ArcRules {
    required: Dag,
    /// The parents a node may not have.
    forbidden: Vec<SortedSet>,
    binding: bool,
}

impl ArcRules {
    /// Everything goes.
    pub fn none(nodes: usize) -> ArcRules {
        let forbidden = vec![SortedSet::default(); nodes];
        ArcRules { required: Dag::new(nodes), forbidden, binding: false }
    }

    /// Requires an arc; fails if the required arcs would have a cycle.
    pub fn require(&mut self, parent: usize, child: usize) -> Result<()> {
        self.binding = true;
        self.required.add(parent, child)
    }

    /// Forbids an arc.
    pub fn forbid(&mut self, parent: usize, child: usize) {
        self.binding = true;
        self.forbidden[child].insert(parent);
    }

    /// The rules among some nodes, which are numbered by their places in the list.
    pub fn among(&self, nodes: &[usize]) -> ArcRules {
        let places: FxHashMap<usize, usize> = nodes.iter().copied().zip(0..).collect();
        let mut part = ArcRules::none(nodes.len());
        for (child, &c) in nodes.iter().enumerate() {
            for &parent in self.forbidden[c].iter().filter_map(|p| places.get(&p)) {
                part.forbid(parent, child);
            }
            for &parent in self.required.parents(c).filter_map(|p| places.get(&p)) {
                // A part of arcs without a cycle has none.
                let _ = part.require(parent, child);
            }
        }
        part
    }

    /// True if nothing is required or forbidden.
    pub fn is_free(&self) -> bool {
        !self.binding
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.forbidden.len()
    }

    /// Whether an arc must be there.
    pub fn requires(&self, parent: usize, child: usize) -> bool {
        self.required.has_arc(parent, child)
    }

    /// Whether an arc is forbidden.
    pub fn forbids(&self, parent: usize, child: usize) -> bool {
        self.forbidden[child].contains(parent)
    }

    /// Whether an arc may be there: it is not forbidden and its opposite is not required.
    pub fn allows(&self, parent: usize, child: usize) -> bool {
        !self.forbids(parent, child) && !self.requires(child, parent)
    }

    /// The required arcs.
    pub fn required(&self) -> &Dag {
        &self.required
    }

    /// The first arc, parent and child, that is required and not in `dag`, or in `dag` and forbidden: of the first child
    /// with either, the required one.
    pub fn broken_by(&self, dag: &Dag) -> Option<Broken> {
        let absent = |c: usize| {
            self.required.parents(c).find(|&p| !dag.has_arc(p, c)).map(|p| Broken::Absent(p, c))
        };
        let present =
            |c: usize| dag.parents(c).find(|&p| self.forbids(p, c)).map(|p| Broken::Present(p, c));
        (0..self.nodes()).find_map(|c| absent(c).or_else(|| present(c)))
    }
}

/// How a graph breaks a rule: parent and child of the arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A required arc is not there.
    Absent(usize, usize),
    /// A forbidden arc is there.
    Present(usize, usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_rule_is_found() {
        let mut rules = ArcRules::none(3);
        assert!(rules.is_free() && rules.broken_by(&Dag::new(3)).is_none());
        rules.require(0, 1).unwrap();
        rules.forbid(1, 2);
        assert!(rules.require(1, 0).is_err());
        assert!(!rules.allows(1, 0) && !rules.allows(1, 2) && rules.allows(2, 1));
        let mut dag = Dag::new(3);
        assert_eq!(rules.broken_by(&dag), Some(Broken::Absent(0, 1)));
        dag.add(0, 1).unwrap();
        assert_eq!(rules.broken_by(&dag), None);
        dag.add(1, 2).unwrap();
        assert_eq!(rules.broken_by(&dag), Some(Broken::Present(1, 2)));
        let part = rules.among(&[2, 1]);
        assert!(part.forbids(1, 0) && !part.forbids(0, 1) && part.required().arcs() == 0);
        assert!(rules.among(&[1, 0]).requires(1, 0));
    }
}
