//! Semi-naive Bayes: attributes that depend on each other are joined into groups, chosen by leave-one-out accuracy
//! (ALGORITHMS 3).
//!
//! A group is a complete graph over its members, earlier ones parents of later ones, so that it can hold any joint
//! distribution of them and takes any parameters.

use super::Structure;
use super::constraints::Rules;
use super::wrapper::Judge;
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::graph::Dag;
use crate::observe::Event;
use crate::parameters::left_out::Terms;
use crate::run::Run;
use crate::stats::Family;

/// Which way groups are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From no attribute: one more, alone or joined to a group (FSSJ).
    Forward,
    /// From all attributes: one group less, or two joined (BSEJ).
    Backward,
}

/// Naive Bayes over groups of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Which way groups are searched.
    pub direction: Direction,
}

/// What semi-naive Bayes is called and does.
pub const DESCRIPTION: Description = Description {
    name: "joined",
    help: "semi-naive Bayes: attributes chosen and joined into groups by leave-one-out accuracy",
    source: "Pazzani 1996 (FSSJ and BSEJ)",
    settings: &[Setting {
        name: "from",
        help: "from no attribute, adding and joining (forward), or from all, leaving out and joining (backward)",
        range: Range::Choice(&["forward", "backward"]),
    }],
};

impl Structure for Joined {
    fn form(&self) -> String {
        let direction = match self.direction {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
        };
        format!("{}:{direction}", DESCRIPTION.name)
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let judge = Judge::new(data, &self.form(), run)?;
        let groups = match self.direction {
            Direction::Forward => forward(&judge, rules, true)?,
            Direction::Backward => backward(&judge, rules)?,
        };
        let class = judge.attributes();
        let mut dag = Dag::new(class + 1);
        for group in groups {
            for (i, &child) in group.iter().enumerate() {
                dag.add(class, child)?;
                group[..i].iter().try_for_each(|&parent| dag.add(parent, child))?;
            }
        }
        Ok(dag)
    }
}

type Group = Vec<usize>;

/// What is required to be there from the start: attributes that must depend on the class, and groups of those with
/// required arcs between them, parents first.
fn required_groups(rules: &Rules, attributes: usize) -> Vec<Group> {
    let required = rules.arcs.required();
    let mut groups: Vec<Group> = Vec::new();
    for v in required.topological_order().into_iter().filter(|&v| v < attributes) {
        let parents: Vec<usize> = required.parents(v).filter(|&p| p < attributes).collect();
        let has_child = required.children(v).any(|c| c < attributes);
        if parents.is_empty() && !has_child && !required.has_arc(attributes, v) {
            continue;
        }
        let mut own = Vec::new();
        // Groups that meet in this attribute become one.
        groups.retain(|g| {
            let meets = g.iter().any(|m| parents.contains(m));
            if meets {
                own.extend_from_slice(g);
            }
            !meets
        });
        own.push(v);
        groups.push(own);
    }
    groups
}

/// The families of a group whose first members, before `from`, have theirs already.
fn families(group: &[usize], from: usize) -> impl Iterator<Item = Family> + '_ {
    (from..group.len()).map(|i| Family { child: group[i], parents: group[..i].to_vec() })
}

/// Whether a group may be: the class may be a parent of every member, and earlier members of later ones.
fn allowed(group: &[usize], judge: &Judge<'_>, rules: &Rules) -> bool {
    let arcs = &rules.arcs;
    group.iter().enumerate().all(|(i, &child)| {
        !arcs.forbids(judge.attributes(), child)
            && group[..i].iter().all(|&parent| arcs.allows(parent, child))
    })
}

fn all_terms(judge: &Judge<'_>, groups: &[Group]) -> Vec<Terms> {
    groups.iter().flat_map(|g| families(g, 0)).map(|f| judge.terms(&f)).collect()
}

/// Groups chosen forward: the attribute that raises accuracy most enters, alone or (if `join`) as the last member of a
/// group, for as long as one does. Without joining this is selective naive Bayes.
pub(super) fn forward(judge: &Judge<'_>, rules: &Rules, join: bool) -> Result<Vec<Group>> {
    let mut groups = required_groups(rules, judge.attributes());
    let mut scores = judge.scores(&all_terms(judge, &groups));
    let mut best = judge.right(&scores, &[]);
    for number in 1.. {
        judge.run().tell(&Event::Iteration { number, objective: best })?;
        let used: Vec<usize> = groups.concat();
        let open: Vec<usize> = (0..judge.attributes()).filter(|v| !used.contains(v)).collect();
        // The number of a group and the new member; the first groups are new ones.
        let mut candidates: Vec<(Option<usize>, usize)> = open.iter().map(|&v| (None, v)).collect();
        if join {
            let places = (0..groups.len()).map(Some);
            candidates.extend(open.iter().flat_map(|&v| places.clone().map(move |g| (g, v))));
        }
        let family = |&(group, child): &(Option<usize>, usize)| Family {
            child,
            parents: group.map_or(Vec::new(), |g| groups[g].clone()),
        };
        candidates.retain(|c| {
            let family = family(c);
            let group: Group = family.parents.iter().copied().chain([family.child]).collect();
            allowed(&group, judge, rules) && judge.fits(&family)
        });
        let value = |c: &(Option<usize>, usize)| judge.right(&scores, &[&judge.terms(&family(c))]);
        let Some((place, found)) = judge.best(&candidates, best, value) else { break };
        let (group, v) = candidates[place];
        match group {
            Some(g) => groups[g].push(v),
            None => groups.push(vec![v]),
        }
        scores = judge.scores(&all_terms(judge, &groups));
        best = found;
    }
    Ok(groups)
}

/// A step back from all attributes.
enum Step {
    /// Leaves a group out.
    Leave(usize),
    /// Puts the members of the second group behind those of the first.
    Join(usize, usize),
}

/// Groups chosen backward: all attributes are there; the group whose loss, or the two whose joining, raises accuracy
/// most, for as long as one does.
fn backward(judge: &Judge<'_>, rules: &Rules) -> Result<Vec<Group>> {
    let mut groups = required_groups(rules, judge.attributes());
    let fixed: Vec<usize> = groups.concat();
    let class = judge.attributes();
    let alone = (0..class).filter(|v| !fixed.contains(v) && !rules.arcs.forbids(class, *v));
    groups.extend(alone.map(|v| vec![v]));
    groups.sort_by_key(|g| g.iter().min().copied());
    let mut best = judge.right(&judge.scores(&all_terms(judge, &groups)), &[]);
    judge.run().tell(&Event::Phase { name: "groups tried", steps: None })?;
    for number in 1.. {
        judge.run().tell(&Event::Iteration { number, objective: best })?;
        let of_groups: Vec<Vec<Terms>> =
            groups.iter().map(|g| all_terms(judge, std::slice::from_ref(g))).collect();
        // The scores without each group, summed anew so that nothing is left of it.
        let without = |left: usize| {
            let kept = of_groups.iter().enumerate().filter(|(i, _)| *i != left);
            judge.scores(kept.flat_map(|(_, terms)| terms))
        };
        let mut found: Option<(Step, f64)> = None;
        for second in 0..groups.len() {
            judge.run().tell(&Event::Step { steps: 1 })?;
            let scores = without(second);
            let mut steps = Vec::new();
            if !groups[second].iter().any(|v| fixed.contains(v)) {
                steps.push(Step::Leave(second));
            }
            let firsts = (0..groups.len()).filter(|&first| first != second);
            steps.extend(firsts.map(|first| Step::Join(first, second)).filter(|step| {
                let joined = joined(&groups, step);
                let largest = families(&joined, joined.len() - 1).last();
                allowed(&joined, judge, rules) && largest.is_none_or(|f| judge.fits(&f))
            }));
            let value = |step: &Step| {
                let joined = joined(&groups, step);
                let from = joined.len() - groups[second].len().min(joined.len());
                let terms: Vec<Terms> = families(&joined, from).map(|f| judge.terms(&f)).collect();
                judge.right(&scores, &terms.iter().collect::<Vec<&Terms>>())
            };
            let than = found.as_ref().map_or(best, |(_, f)| *f);
            if let Some((place, value)) = judge.best(&steps, than, value) {
                found = Some((steps.swap_remove(place), value));
            }
        }
        let Some((step, value)) = found else { break };
        best = value;
        let joined = joined(&groups, &step);
        match step {
            Step::Leave(group) => drop(groups.remove(group)),
            Step::Join(first, second) => {
                groups[first] = joined;
                groups.remove(second);
            }
        }
    }
    Ok(groups)
}

/// The group that a step makes; empty if it leaves one out.
fn joined(groups: &[Group], step: &Step) -> Group {
    match *step {
        Step::Leave(_) => Vec::new(),
        Step::Join(first, second) => [groups[first].as_slice(), &groups[second]].concat(),
    }
}
