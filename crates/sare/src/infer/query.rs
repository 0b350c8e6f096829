//! One question to a network: only the part that matters for it is made into a tree. Variables that nothing asked or
//! seen descends from are left out, and what is known for certain is sliced away, so that a large network answers a
//! small question.

use super::embedding::Embedding;
use super::evidence::Evidence;
use super::factor::{Factor, Factors};
use super::join_tree::{
    Core, Cost, DEFAULT_LIMIT, Explanation, Plan, Work, first_failing, impossible,
};
use crate::data::Table;
use crate::error::{Error, Result};
use crate::graph::BitSet;
use crate::network::Network;
use crate::seed::Random;

/// A question to a network.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The network.
    pub network: &'a Network,
    /// What is known.
    pub evidence: &'a Evidence,
    /// The bytes that tables may need.
    pub limit: u128,
}

/// Marginals of some variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    /// p(variable | evidence) of each variable asked for.
    pub marginals: Vec<Vec<f64>>,
    /// ln p(evidence), where the part of the network that it needs is not too large.
    pub log_evidence: Option<f64>,
}

/// A part of the network as a tree, and the variables that its own numbers stand for.
struct Part {
    kept: Vec<usize>,
    core: Core,
    /// Whether the mass of the tree is that of all evidence.
    whole: bool,
}

impl<'a> Query<'a> {
    /// A question with the usual limit.
    pub fn new(network: &'a Network, evidence: &'a Evidence) -> Query<'a> {
        Query { network, evidence, limit: DEFAULT_LIMIT }
    }

    /// What answering for these targets costs, once what does not matter is left out.
    pub fn cost(&self, targets: &[usize]) -> Cost {
        let families = self.ancestors(targets);
        let kept = self.kept(&families, targets);
        let states: Vec<usize> = kept.iter().map(|&v| self.network.states(v)).collect();
        let local =
            |f: &usize| self.members(*f).filter_map(|v| kept.binary_search(&v).ok()).collect();
        let scopes: Vec<Vec<usize>> = families.iter().map(local).collect();
        Plan::new(&states, scopes.iter().map(Vec::as_slice), &[]).cost
    }

    /// p(target | evidence) of each target.
    pub fn marginals(&self, targets: &[usize]) -> Result<Marginals> {
        match self.part(targets, &[]) {
            // Where all of them together need too much, each of them alone may not.
            Err(Error::TooLarge { .. }) if targets.len() > 1 => self.one_by_one(targets),
            Err(e) => Err(e),
            Ok(part) => {
                let marginals = targets.iter().map(|&v| self.marginal(&part, v)).collect();
                Ok(Marginals { marginals, log_evidence: part.log_evidence() })
            }
        }
    }

    fn one_by_one(&self, targets: &[usize]) -> Result<Marginals> {
        let mut all = Marginals { marginals: Vec::new(), log_evidence: None };
        for &v in targets {
            let part = self.part(&[v], &[])?;
            all.marginals.push(self.marginal(&part, v));
            all.log_evidence = all.log_evidence.or(part.log_evidence());
        }
        Ok(all)
    }

    fn marginal(&self, part: &Part, variable: usize) -> Vec<f64> {
        match part.kept.binary_search(&variable) {
            Ok(place) => part.core.prior(place).to_vec(),
            Err(_) => {
                let seen = self.evidence.states(self.network.variables().len())[variable];
                (0..self.network.states(variable))
                    .map(|s| f64::from(u8::from(seen == Some(s))))
                    .collect()
            }
        }
    }

    /// The joint distribution of variables given the evidence, the last changing fastest, and ln p(evidence) where it
    /// is not too large to be known.
    pub fn joint(&self, variables: &[usize]) -> Result<(Factor, Option<f64>)> {
        let part = self.part(variables, variables)?;
        let unseen: Vec<usize> =
            variables.iter().copied().filter(|v| part.kept.binary_search(v).is_ok()).collect();
        let local: Vec<usize> =
            unseen.iter().filter_map(|v| part.kept.binary_search(v).ok()).collect();
        let mut work = Work::new(&part.core);
        part.core.propagate(&[], None, &mut work);
        let small = part.core.joint(&local, &work).map_or(vec![1.0], |f| f.values);
        let all = 0..self.network.variables().len();
        let states: Vec<usize> = all.map(|v| self.network.states(v)).collect();
        let mut values = vec![1.0; variables.iter().map(|&v| states[v]).product()];
        Embedding::new(variables, &unseen, &states).multiply(&mut values, &small);
        for v in variables.iter().filter(|v| !unseen.contains(v)) {
            let known = self.marginal(&part, *v);
            Embedding::new(variables, &[*v], &states).multiply(&mut values, &known);
        }
        Ok((Factor { scope: variables.to_vec(), values }, part.log_evidence()))
    }

    /// ln p(evidence).
    pub fn log_evidence(&self) -> Result<f64> {
        Ok(self.part(&[], &[])?.core.log_mass())
    }

    /// The most probable configuration of all variables.
    pub fn most_probable(&self) -> Result<Explanation> {
        let all: Vec<usize> = (0..self.network.variables().len()).collect();
        let part = self.part_of(&all, &[], &[])?;
        let mut states: Vec<usize> =
            self.evidence.states(all.len()).into_iter().map(|s| s.unwrap_or(0)).collect();
        let best = part.core.most_probable(&[], &mut Work::new(&part.core));
        let best = best.ok_or_else(|| self.impossible())?;
        part.kept.iter().zip(best).for_each(|(&v, state)| states[v] = state);
        Ok(Explanation::new(self.network, self.evidence, states, part.core.log_mass()))
    }

    /// Draws rows from p(all variables | evidence), as a table.
    pub fn sample(&self, name: &str, rows: usize, random: &mut Random) -> Result<Table> {
        let part = self.part(&[], &[])?;
        let work = Work::new(&part.core);
        let seen = self.evidence.states(self.network.variables().len());
        // What no evidence descends from is drawn as if nothing were known.
        let drawn = |v: &usize| seen[*v].is_none() && part.kept.binary_search(v).is_err();
        let order: Vec<usize> =
            self.network.dag().topological_order().into_iter().filter(drawn).collect();
        let mut local = vec![0; part.kept.len()];
        self.network.tabulate(name, rows, |row| {
            seen.iter().enumerate().for_each(|(v, s)| row[v] = s.unwrap_or(row[v]));
            part.core.draw(&work, random, &mut local);
            part.kept.iter().zip(&local).for_each(|(&v, &state)| row[v] = state);
            self.network.draw(&order, random, row);
        })
    }

    /// The tree of what matters: of the targets, the evidence and what they descend from; or, if that is too large, of
    /// what tells something about the targets.
    fn part(&self, targets: &[usize], together: &[usize]) -> Result<Part> {
        let families = self.ancestors(targets);
        match self.part_of(&families, targets, together) {
            Err(Error::TooLarge { .. }) if !targets.is_empty() => {
                let near = self.connected(&families, targets);
                let mut part = self.part_of(&near, targets, together)?;
                part.whole = near.len() == families.len();
                Ok(part)
            }
            result => result,
        }
    }

    fn part_of(&self, families: &[usize], targets: &[usize], together: &[usize]) -> Result<Part> {
        let part = self.build(families, targets, together)?;
        if part.core.log_mass() == f64::NEG_INFINITY { Err(self.impossible()) } else { Ok(part) }
    }

    /// The tree of these families, possible or not.
    fn build(&self, families: &[usize], targets: &[usize], together: &[usize]) -> Result<Part> {
        let kept = self.kept(families, targets);
        let factors = Factors::given(self.network, families, &kept, self.evidence);
        let together: Vec<usize> =
            together.iter().filter_map(|v| kept.binary_search(v).ok()).collect();
        let scopes = factors.factors.iter().map(|f| f.scope.as_slice());
        let plan = Plan::new(&factors.states, scopes, &together);
        let core = Core::build(plan, &factors, self.limit)?;
        Ok(Part { kept, core, whole: true })
    }

    /// The variables from which a target or a finding can be reached, these included, in rising order.
    fn ancestors(&self, targets: &[usize]) -> Vec<usize> {
        let mut seen = BitSet::new(self.network.variables().len());
        let findings = self.evidence.findings().iter().map(|(v, _)| *v);
        let mut open: Vec<usize> = targets.iter().copied().chain(findings).collect();
        while let Some(v) = open.pop() {
            if seen.insert(v) {
                open.extend(self.network.dag().parents(v));
            }
        }
        seen.iter().collect()
    }

    /// Those of the families that are joined with a target when what is known is sliced away.
    fn connected(&self, families: &[usize], targets: &[usize]) -> Vec<usize> {
        let count = self.network.variables().len();
        let seen = self.evidence.states(count);
        let mut families_of = vec![Vec::new(); count];
        for &f in families {
            self.members(f).for_each(|v| families_of[v].push(f));
        }
        let (mut near, mut met) = (BitSet::new(count), BitSet::new(count));
        let mut open: Vec<usize> = targets.iter().copied().filter(|&v| seen[v].is_none()).collect();
        while let Some(v) = open.pop() {
            if met.insert(v) {
                for &f in &families_of[v] {
                    near.insert(f);
                    open.extend(self.members(f).filter(|&m| seen[m].is_none()));
                }
            }
        }
        near.iter().collect()
    }

    /// The variables that the tree of these families and targets is over, in rising order.
    fn kept(&self, families: &[usize], targets: &[usize]) -> Vec<usize> {
        let count = self.network.variables().len();
        let seen = self.evidence.states(count);
        let mut kept = BitSet::new(count);
        let members = families.iter().flat_map(|&f| self.members(f));
        members.chain(targets.iter().copied()).filter(|&v| seen[v].is_none()).for_each(|v| {
            kept.insert(v);
        });
        kept.iter().collect()
    }

    fn members(&self, family: usize) -> impl Iterator<Item = usize> + '_ {
        self.network.dag().parents(family).chain([family])
    }

    /// The error that names the shortest beginning of the evidence that is impossible.
    fn impossible(&self) -> Error {
        let mut possible = |count: usize| {
            let evidence = self.evidence.first(count);
            Query { evidence: &evidence, ..*self }.is_possible()
        };
        let count = first_failing(self.evidence.findings().len(), &mut possible);
        impossible(self.network, &self.evidence.first(count))
    }

    /// Whether the evidence can be; what is too large to be known can.
    fn is_possible(&self) -> bool {
        let part = self.build(&self.ancestors(&[]), &[], &[]);
        part.map_or(true, |part| part.core.log_mass() > f64::NEG_INFINITY)
    }
}

impl Part {
    fn log_evidence(&self) -> Option<f64> {
        self.whole.then(|| self.core.log_mass())
    }
}
