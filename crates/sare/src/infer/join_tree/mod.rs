//! Exact answers of a network: all marginals once something is known, by a tree of cliques that is built once.

mod core;
mod cost;
mod explain;
mod propagate;

pub use cost::{Cost, DEFAULT_LIMIT};
pub use explain::Explanation;

use super::evidence::Evidence;
use super::factor::{Factor, Factors};
use super::query::Query;
use crate::error::{Error, Result};
use crate::network::Network;
use crate::run::Run;
pub(crate) use core::{Core, Plan};
pub(crate) use propagate::Work;
use rayon::prelude::*;

/// A network made ready for queries.
///
/// ```
/// use sare::infer::{Evidence, JoinTree};
/// use sare::network::random::{Form, RandomNetwork};
///
/// let form = Form::Network(3);
/// let network = RandomNetwork { form, attributes: 20, states: 3, classes: 2, alpha: 1.0 }.draw(1)?;
/// let tree = JoinTree::new(&network, sare::infer::join_tree::DEFAULT_LIMIT)?;
/// let mut evidence = Evidence::none();
/// evidence.see_named(&network, "x1", "2")?;
/// let mut posterior = tree.prior();
/// tree.update(&evidence, &mut posterior)?;
/// assert_eq!(posterior.marginal(20).len(), 2);
/// # Ok::<(), sare::error::Error>(())
/// ```
pub struct JoinTree {
    network: Network,
    core: Core,
    parents: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
}

/// From this many entries a variable on it is asked whether evidence leaves much less of the network: planning a tree takes
/// about as long as going through a thousand entries a variable.
const LARGE: u128 = 5_000;
/// A tree made for one query is worth it if it is smaller by this factor: making costs several times what using does.
const MUCH: u128 = 16;

/// What a tree says once something is known; the room for it is made once and used for many queries.
pub struct Posterior {
    work: Work,
    from: Vec<usize>,
    evidence: Evidence,
    depend: Vec<bool>,
    open: Vec<usize>,
    /// Whether the distributions of all cliques are known, not only of those that evidence changes.
    whole: bool,
}

impl Posterior {
    /// p(variable | evidence).
    pub fn marginal(&self, variable: usize) -> &[f64] {
        &self.work.marginals[self.from[variable]..self.from[variable + 1]]
    }

    /// The marginals of all variables, one after the other.
    pub fn marginals(&self) -> &[f64] {
        &self.work.marginals
    }

    /// ln p(evidence); of uncertain findings, of the observations that they stand for.
    pub fn log_evidence(&self) -> f64 {
        self.work.log_evidence
    }
}

impl JoinTree {
    /// What the tree of a network would cost; nothing large is made.
    pub fn estimate(network: &Network) -> Cost {
        plan(network).cost
    }

    /// Builds the tree of a network; refuses one that would need more than `limit` bytes.
    pub fn new(network: &Network, limit: u128) -> Result<JoinTree> {
        let core = Core::build(plan(network), &Factors::of(network), limit)?;
        let dag = network.dag();
        let all = 0..network.variables().len();
        Ok(JoinTree {
            network: network.clone(),
            core,
            parents: all.clone().map(|v| dag.parents(v).collect()).collect(),
            children: all.map(|v| dag.children(v).collect()).collect(),
        })
    }

    /// What the tree costs.
    pub fn cost(&self) -> Cost {
        self.core.cost
    }

    /// The network that the tree is of.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What the tree says when nothing is known.
    pub fn prior(&self) -> Posterior {
        let mut work = Work::new(&self.core);
        work.marginals.copy_from_slice(&self.core.prior);
        Posterior {
            work,
            from: self.core.marginal_from.clone(),
            evidence: Evidence::none(),
            depend: vec![false; self.parents.len()],
            open: Vec::new(),
            whole: false,
        }
    }

    /// Computes the marginals of all variables given the evidence; fails if it is impossible, naming the first
    /// findings that are.
    pub fn update(&self, evidence: &Evidence, posterior: &mut Posterior) -> Result<()> {
        posterior.evidence.clone_from(evidence);
        posterior.whole = false;
        let large = self.core.cost.entries > LARGE * self.parents.len() as u128;
        let some = !evidence.findings().is_empty();
        if large && some && self.update_by_less(evidence, posterior)? {
            return Ok(());
        }
        self.mark_dependents(evidence, posterior);
        let findings = evidence.findings();
        if self.core.propagate(findings, Some(&posterior.depend), &mut posterior.work) {
            return Ok(());
        }
        Err(self.impossible(evidence, posterior))
    }

    /// Answers by a tree of what the evidence leaves of the network, if that is much smaller; false if it is not.
    fn update_by_less(&self, evidence: &Evidence, posterior: &mut Posterior) -> Result<bool> {
        let query = Query { network: &self.network, evidence, limit: self.core.cost.bytes };
        let all: Vec<usize> = (0..self.parents.len()).collect();
        if query.cost(&all).entries > self.core.cost.entries / MUCH {
            return Ok(false);
        }
        let found = query.marginals(&all)?;
        let Some(log_evidence) = found.log_evidence else { return Ok(false) };
        for (v, marginal) in found.marginals.iter().enumerate() {
            posterior.work.marginals[self.core.marginal_range(v)].copy_from_slice(marginal);
        }
        posterior.work.log_evidence = log_evidence;
        Ok(true)
    }

    /// The posterior of each of many pieces of evidence, as `read` sees it; the answers are in the given order.
    pub fn update_each<T: Send>(
        &self,
        evidence: &[Evidence],
        run: &Run<'_>,
        read: impl Fn(&Posterior) -> T + Sync,
    ) -> Vec<Result<T>> {
        let one = |posterior: &mut Posterior, evidence: &Evidence| {
            self.update(evidence, posterior)?;
            Ok(read(posterior))
        };
        run.install(|| evidence.par_iter().map_init(|| self.prior(), one).collect())
    }

    /// The joint distribution of variables that one clique holds, given what the posterior was last updated with;
    /// the last of them changes fastest. Nothing if no clique holds them all; every family is in a clique.
    pub fn joint(&self, posterior: &mut Posterior, variables: &[usize]) -> Option<Factor> {
        if !posterior.whole {
            let Posterior { evidence, work, .. } = &mut *posterior;
            self.core.propagate(evidence.findings(), None, work);
            posterior.whole = true;
        }
        self.core.joint(variables, &posterior.work)
    }

    /// The most probable configuration of all variables given the evidence.
    pub fn most_probable(
        &self,
        evidence: &Evidence,
        posterior: &mut Posterior,
    ) -> Result<Explanation> {
        self.update(evidence, posterior)?;
        let log_evidence = posterior.log_evidence();
        // The room holds something else afterwards.
        posterior.evidence = Evidence::none();
        posterior.whole = false;
        let Some(states) = self.core.most_probable(evidence.findings(), &mut posterior.work) else {
            return Err(self.impossible(evidence, posterior));
        };
        Ok(Explanation::new(&self.network, evidence, states, log_evidence))
    }

    /// Marks the variables that may depend on the evidence: those that have a common ancestor with it.
    fn mark_dependents(&self, evidence: &Evidence, posterior: &mut Posterior) {
        let Posterior { depend, open, .. } = posterior;
        depend.fill(false);
        open.clear();
        for (v, _) in evidence.findings() {
            if !std::mem::replace(&mut depend[*v], true) {
                open.push(*v);
            }
        }
        for next in [&self.parents, &self.children] {
            let mut at = 0;
            while at < open.len() {
                for &n in &next[open[at]] {
                    if !std::mem::replace(&mut depend[n], true) {
                        open.push(n);
                    }
                }
                at += 1;
            }
        }
    }

    /// The error that names the shortest beginning of the evidence that is impossible.
    fn impossible(&self, evidence: &Evidence, posterior: &mut Posterior) -> Error {
        let mut possible =
            |count: usize| self.core.collect(&evidence.findings()[..count], &mut posterior.work);
        let count = first_failing(evidence.findings().len(), &mut possible);
        impossible(&self.network, &evidence.first(count))
    }
}

/// The least number up to `count`, which fails, that fails; failing numbers stay failing when they grow.
pub(crate) fn first_failing(count: usize, holds: &mut dyn FnMut(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

/// The error for evidence that cannot be.
pub(crate) fn impossible(network: &Network, evidence: &Evidence) -> Error {
    let fix = match evidence.findings().len() {
        1 => "give it another level",
        _ => "the last of these contradicts the ones before it: change one of them",
    };
    Error::Impossible { evidence: evidence.text(network), fix: fix.into() }
}

fn plan(network: &Network) -> Plan {
    let count = network.variables().len();
    let states: Vec<usize> = (0..count).map(|v| network.states(v)).collect();
    let family = |v: usize| network.dag().parents(v).chain([v]).collect::<Vec<_>>();
    let scopes: Vec<Vec<usize>> = (0..count).map(family).collect();
    Plan::new(&states, scopes.iter().map(Vec::as_slice), &[])
}
