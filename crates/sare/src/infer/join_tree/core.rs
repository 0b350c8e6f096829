//! Factors made into a tree of tables: each clique holds p(its other members | those it shares with the clique it
//! hangs from), so that a part of the tree in which nothing was seen has nothing to say upwards.

use super::super::embedding::{Embedding, total};
use super::super::factor::Factors;
use super::cost::Cost;
use super::propagate::{Guard, Work};
use crate::error::Result;
use crate::graph::{CliqueTree, Triangulation, Undirected};

/// A clique with its place in the tree.
pub(super) struct Clique {
    /// The members: first those shared with the parent, in its order; the last changes fastest.
    pub scope: Vec<usize>,
    /// How many of them are shared.
    pub shared: usize,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// Where its entries begin among those of all cliques.
    pub from: usize,
    /// Where the entries of its separator begin among those of all separators.
    pub separator_from: usize,
    /// Configurations of the members that are shared.
    pub separator: usize,
    /// Configurations of the others.
    pub rest: usize,
    /// How the separator lies in the parent's table; of the root nothing.
    pub above: Option<Embedding>,
    /// The others: variable, its states, and the entries that follow each of its states.
    pub own: Vec<Own>,
}

/// A variable in the clique nearest to the root that holds it.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub variable: usize,
    pub states: usize,
    pub inner: usize,
}

impl Clique {
    /// The place of its entries.
    pub fn entries(&self) -> std::ops::Range<usize> {
        self.from..self.from + self.separator * self.rest
    }

    /// The place of the entries of its separator.
    pub fn separators(&self) -> std::ops::Range<usize> {
        self.separator_from..self.separator_from + self.separator
    }
}

/// The tree with its tables.
pub(crate) struct Core {
    pub(super) states: Vec<usize>,
    pub(super) cliques: Vec<Clique>,
    /// p(others | shared) of every clique.
    pub(super) tables: Vec<f64>,
    pub(super) separators: usize,
    pub(super) cost: Cost,
    /// The clique in which each variable is not shared with the parent.
    pub(super) home: Vec<usize>,
    /// Where the marginal of each variable begins among all, and where the last ends.
    pub(super) marginal_from: Vec<usize>,
    /// The marginals when nothing else is known.
    pub(super) prior: Vec<f64>,
    /// ln of the sum of the product of all factors; minus infinity if nothing is possible.
    pub(super) log_mass: f64,
}

/// The plan of a tree: which cliques there will be, and what they cost. Nothing large is made yet.
pub(crate) struct Plan {
    tree: CliqueTree,
    pub cost: Cost,
}

impl Plan {
    /// A plan for factors over variables with these numbers of states; `together` are variables that one clique must
    /// hold.
    pub fn new<'a>(
        states: &[usize],
        scopes: impl Iterator<Item = &'a [usize]>,
        together: &'a [usize],
    ) -> Plan {
        let mut graph = Undirected::new(states.len());
        for scope in scopes.chain([together]) {
            for (i, &a) in scope.iter().enumerate() {
                scope[..i].iter().for_each(|&b| {
                    graph.add(a, b);
                });
            }
        }
        let tree = CliqueTree::new(&Triangulation::cheapest(&graph, states), states);
        let cost = Cost::of(&tree, states);
        Plan { tree, cost }
    }
}

impl Core {
    /// Builds what was planned.
    pub fn build(plan: Plan, factors: &Factors, limit: u128) -> Result<Core> {
        plan.cost.check(limit)?;
        let states = factors.states.clone();
        let (cliques, separators) = layout(&plan.tree, &states);
        let entries = cliques.last().map_or(0, |c| c.entries().end);
        let mut home = vec![0; states.len()];
        let mut marginal_from = vec![0];
        for (c, clique) in cliques.iter().enumerate() {
            clique.own.iter().for_each(|own| home[own.variable] = c);
        }
        for (v, s) in states.iter().enumerate() {
            marginal_from.push(marginal_from[v] + s);
        }
        let mut core = Core {
            prior: vec![0.0; marginal_from[states.len()]],
            tables: vec![1.0; entries],
            log_mass: 0.0,
            cost: plan.cost,
            states,
            cliques,
            separators,
            home,
            marginal_from,
        };
        let mut guards: Vec<Guard> = core.cliques.iter().map(|_| Guard::new()).collect();
        core.enter(factors, &mut guards);
        core.condition(&mut guards);
        if core.log_mass > f64::NEG_INFINITY {
            let mut work = Work::new(&core);
            core.propagate(&[], None, &mut work);
            core.prior.copy_from_slice(&work.marginals);
        }
        Ok(core)
    }

    /// Multiplies every factor into the smallest clique that holds it.
    fn enter(&mut self, factors: &Factors, guards: &mut [Guard]) {
        let mut depth_home = vec![Vec::new(); self.states.len()];
        for (c, clique) in self.cliques.iter().enumerate() {
            clique.scope.iter().for_each(|&v| depth_home[v].push(c));
        }
        for factor in &factors.factors {
            let Some(&first) = factor.scope.iter().min_by_key(|&&v| depth_home[v].len()) else {
                // Everything in it is known: a number.
                self.log_mass += factor.values[0].ln();
                continue;
            };
            let holds = |c: &&usize| {
                let scope = &self.cliques[**c].scope;
                factor.scope.iter().all(|v| scope.contains(v))
            };
            let candidates = depth_home[first].iter().filter(holds);
            let best = candidates.min_by_key(|&&c| self.cliques[c].entries().len());
            let Some(&c) = best else { continue };
            let embedding = Embedding::new(&self.cliques[c].scope, &factor.scope, &self.states);
            let table = &mut self.tables[self.cliques[c].entries()];
            embedding.multiply(table, &factor.values);
            self.log_mass += guards[c].after(&factor.values, table);
        }
    }

    /// Turns the products of factors into p(others | shared), from the leaves to the root.
    fn condition(&mut self, guards: &mut [Guard]) {
        let mut message = Vec::new();
        for c in (0..self.cliques.len()).rev() {
            let clique = &self.cliques[c];
            let table = &mut self.tables[clique.entries()];
            message.clear();
            for part in table.chunks_exact_mut(clique.rest) {
                let sum = total(part);
                message.push(sum);
                // What cannot be stays 0.
                if sum > 0.0 {
                    part.iter_mut().for_each(|x| *x /= sum);
                }
            }
            let all = total(&message);
            self.log_mass += all.ln();
            if let (Some(parent), Some(above)) = (clique.parent, &clique.above) {
                message.iter_mut().for_each(|x| *x /= all);
                let table = &mut self.tables[self.cliques[parent].entries()];
                above.multiply(table, &message);
                self.log_mass += guards[parent].after(&message, table);
            }
        }
        if self.log_mass.is_nan() {
            self.log_mass = f64::NEG_INFINITY;
        }
    }

    /// ln of the sum of the product of all factors; minus infinity if nothing is possible.
    pub fn log_mass(&self) -> f64 {
        self.log_mass
    }

    /// The marginal of a variable when nothing more is known.
    pub fn prior(&self, variable: usize) -> &[f64] {
        &self.prior[self.marginal_range(variable)]
    }

    /// The place of a variable's marginal among all.
    pub fn marginal_range(&self, variable: usize) -> std::ops::Range<usize> {
        self.marginal_from[variable]..self.marginal_from[variable + 1]
    }
}

/// The cliques with their places, and the entries of all separators.
fn layout(tree: &CliqueTree, states: &[usize]) -> (Vec<Clique>, usize) {
    let mut cliques: Vec<Clique> = Vec::with_capacity(tree.cliques.len());
    let (mut from, mut separator_from) = (0, 0);
    for (c, members) in tree.cliques.iter().enumerate() {
        let parent = tree.parents[c];
        let above = parent.map_or(&[][..], |p| &cliques[p].scope);
        let mut scope: Vec<usize> =
            above.iter().copied().filter(|v| members.binary_search(v).is_ok()).collect();
        let shared = scope.len();
        let embedding = parent.map(|_| Embedding::new(above, &scope, states));
        scope.extend(members.iter().filter(|v| !above.contains(v)));
        let size = |part: &[usize]| part.iter().map(|&v| states[v]).product::<usize>();
        let (separator, rest) = (size(&scope[..shared]), size(&scope[shared..]));
        let own = (shared..scope.len()).map(|i| Own {
            variable: scope[i],
            states: states[scope[i]],
            inner: size(&scope[i + 1..]),
        });
        let own = own.collect();
        if let Some(parent) = parent {
            cliques[parent].children.push(c);
        }
        cliques.push(Clique {
            scope,
            shared,
            parent,
            children: Vec::new(),
            from,
            separator_from,
            separator,
            rest,
            above: embedding,
            own,
        });
        from += separator * rest;
        separator_from += separator;
    }
    (cliques, separator_from)
}
