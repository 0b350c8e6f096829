//! Evidence through the tree: up to the root from where something was seen, down to where it may matter.

use super::super::embedding::{Embedding, total};
use super::super::evidence::Finding;
use super::super::factor::Factor;
use super::core::{Clique, Core, Own};
use std::borrow::Cow;

/// The room that a query works in; it can be used again and again.
pub(crate) struct Work {
    /// The tables of the cliques that evidence reaches.
    pub(super) tables: Vec<f64>,
    /// What each clique says to the one above it.
    pub(super) up: Vec<f64>,
    /// The distribution of each separator.
    down: Vec<f64>,
    /// Whether something was seen in a clique or below it.
    pub(super) active: Vec<bool>,
    /// Whether the distribution of a clique must be known.
    needed: Vec<bool>,
    rest: Vec<f64>,
    pub(super) marginals: Vec<f64>,
    /// ln p(evidence), minus infinity if it is impossible; without the mass of the tree itself.
    pub(super) log_evidence: f64,
}

impl Work {
    pub fn new(core: &Core) -> Work {
        let cliques = core.cliques.len();
        let largest = core.cliques.iter().map(|c| c.rest).max().unwrap_or(0);
        Work {
            tables: vec![0.0; core.tables.len()],
            up: vec![0.0; core.separators],
            down: vec![0.0; core.separators],
            active: vec![false; cliques],
            needed: vec![false; cliques],
            rest: vec![0.0; largest],
            marginals: vec![0.0; core.prior.len()],
            log_evidence: 0.0,
        }
    }
}

impl Core {
    /// Enters findings and computes the marginals of all variables that may `depend` on them (of all, without it);
    /// the others keep their prior ones. False if the findings are impossible.
    pub fn propagate(
        &self,
        findings: &[(usize, Finding)],
        depend: Option<&[bool]>,
        work: &mut Work,
    ) -> bool {
        if !self.collect(findings, work) {
            return false;
        }
        if depend.is_some() {
            work.marginals.copy_from_slice(&self.prior);
        }
        work.needed.fill(false);
        if let Some(first) = work.needed.first_mut() {
            *first = depend.is_none() || !findings.is_empty();
        }
        for c in 0..self.cliques.len() {
            if work.needed[c] {
                self.distribute(c, depend, work);
            }
        }
        for (v, finding) in findings {
            // What is certain is exactly so.
            if let Finding::State(state) = finding {
                let marginal = &mut work.marginals[self.marginal_range(*v)];
                marginal.fill(0.0);
                marginal[*state] = 1.0;
            }
        }
        true
    }

    /// Findings go up to the root; the root's table is its distribution afterwards.
    pub(super) fn collect(&self, findings: &[(usize, Finding)], work: &mut Work) -> bool {
        work.active.fill(false);
        work.log_evidence = 0.0;
        findings.iter().for_each(|(v, _)| work.active[self.home[*v]] = true);
        for c in (0..self.cliques.len()).rev() {
            if !work.active[c] {
                continue;
            }
            let clique = &self.cliques[c];
            self.absorb(c, findings, work);
            let table = &mut work.tables[clique.entries()];
            let sum = match clique.parent {
                Some(parent) => {
                    work.active[parent] = true;
                    let message = &mut work.up[clique.separators()];
                    for (x, part) in message.iter_mut().zip(table.chunks_exact(clique.rest)) {
                        *x = total(part);
                    }
                    scale(message)
                }
                None => scale(table),
            };
            if sum <= 0.0 {
                work.log_evidence = f64::NEG_INFINITY;
                return false;
            }
            work.log_evidence += sum.ln();
        }
        true
    }

    /// The table of a clique with what was seen in it and below it.
    fn absorb(&self, c: usize, findings: &[(usize, Finding)], work: &mut Work) {
        let clique = &self.cliques[c];
        let Work { tables, up, active, log_evidence, .. } = work;
        let table = &mut tables[clique.entries()];
        let says = |child: usize| active[child];
        *log_evidence += self.product(clique, findings, says, up, table);
    }

    /// A clique's table times what was seen in it and what those below it say, but for a number that all entries were
    /// divided by; returns its logarithm.
    pub(super) fn product(
        &self,
        clique: &Clique,
        findings: &[(usize, Finding)],
        says: impl Fn(usize) -> bool,
        up: &[f64],
        table: &mut [f64],
    ) -> f64 {
        table.copy_from_slice(&self.tables[clique.entries()]);
        let (mut guard, mut logs) = (Guard::new(), 0.0);
        for (v, finding) in findings {
            if let Some(own) = clique.own.iter().find(|own| own.variable == *v) {
                weigh(table, own, finding);
                if let Finding::Likelihood(likelihood) = finding {
                    logs += guard.after(likelihood, table);
                }
            }
        }
        for &child in clique.children.iter().filter(|c| says(**c)) {
            if let Some(above) = &self.cliques[child].above {
                let message = &up[self.cliques[child].separators()];
                above.multiply(table, message);
                logs += guard.after(message, table);
            }
        }
        logs
    }

    /// The distribution of a clique whose separator's is known: its marginals, and what goes on below.
    fn distribute(&self, c: usize, depend: Option<&[bool]>, work: &mut Work) {
        let clique = &self.cliques[c];
        let mut below = false;
        for &child in &clique.children {
            let next = &self.cliques[child];
            let matters = |v: &usize| depend.is_none_or(|d| d[*v]);
            let needed = work.active[child]
                || depend.is_none()
                || next.scope[..next.shared].iter().any(matters);
            work.needed[child] = needed;
            below |= needed;
        }
        if below || work.active[c] {
            self.weigh_by_separator(c, work);
            let table = &work.tables[clique.entries()];
            for &child in &clique.children {
                let next = &self.cliques[child];
                if let (true, Some(above)) = (work.needed[child], &next.above) {
                    above.sum(table, &mut work.down[next.separators()]);
                }
            }
            let rest = &mut work.rest[..clique.rest];
            rest.fill(0.0);
            for part in table.chunks_exact(clique.rest) {
                rest.iter_mut().zip(part).for_each(|(x, y)| *x += y);
            }
        } else {
            self.rest_of(clique, work);
        }
        for own in &clique.own {
            let marginal = &mut work.marginals[self.marginal_range(own.variable)];
            marginalise(&work.rest[..clique.rest], own, marginal);
        }
    }

    /// The joint distribution of the members of a clique, in its room.
    fn weigh_by_separator(&self, c: usize, work: &mut Work) {
        let clique = &self.cliques[c];
        let table = &mut work.tables[clique.entries()];
        let active = work.active[c];
        if clique.parent.is_none() {
            if !active {
                table.copy_from_slice(&self.tables[clique.entries()]);
            }
            return;
        }
        let down = &work.down[clique.separators()];
        if active {
            let up = &work.up[clique.separators()];
            for ((part, q), said) in table.chunks_exact_mut(clique.rest).zip(down).zip(up) {
                let ratio = if *said > 0.0 { q / said } else { 0.0 };
                part.iter_mut().for_each(|x| *x *= ratio);
            }
        } else {
            let given = self.tables[clique.entries()].chunks_exact(clique.rest);
            for ((part, given), q) in table.chunks_exact_mut(clique.rest).zip(given).zip(down) {
                part.iter_mut().zip(given).for_each(|(x, p)| *x = p * q);
            }
        }
    }

    /// The distribution of the members that are not shared, where nothing else is asked of the clique.
    fn rest_of(&self, clique: &Clique, work: &mut Work) {
        let rest = &mut work.rest[..clique.rest];
        let table = &self.tables[clique.entries()];
        if clique.parent.is_none() {
            rest.copy_from_slice(table);
            return;
        }
        rest.fill(0.0);
        let down = &work.down[clique.separators()];
        for (part, &q) in table.chunks_exact(clique.rest).zip(down) {
            if q > 0.0 {
                rest.iter_mut().zip(part).for_each(|(x, p)| *x += p * q);
            }
        }
    }
}

impl Core {
    /// The joint distribution of variables that one clique holds, after all was propagated; the last changes fastest.
    pub fn joint(&self, variables: &[usize], work: &Work) -> Option<Factor> {
        let holds = |c: &usize| variables.iter().all(|v| self.cliques[*c].scope.contains(v));
        let all = (0..self.cliques.len()).filter(holds);
        let place = all.min_by_key(|&c| self.cliques[c].entries().len())?;
        let clique = &self.cliques[place];
        let embedding = Embedding::new(&clique.scope, variables, &self.states);
        let size = variables.iter().map(|&v| self.states[v]).product();
        let mut values = vec![0.0; size];
        embedding.sum(&self.distribution(place, work), &mut values);
        scale(&mut values);
        Some(Factor { scope: variables.to_vec(), values })
    }

    /// The joint distribution of a clique's members, after all was propagated.
    fn distribution<'a>(&'a self, c: usize, work: &'a Work) -> Cow<'a, [f64]> {
        let clique = &self.cliques[c];
        let place = clique.entries();
        if work.active[c] || !clique.children.is_empty() {
            return Cow::Borrowed(&work.tables[place]);
        }
        if clique.parent.is_none() {
            return Cow::Borrowed(&self.tables[place]);
        }
        let given = self.tables[place].chunks_exact(clique.rest);
        let weighed = given.zip(&work.down[clique.separators()]);
        Cow::Owned(weighed.flat_map(|(part, q)| part.iter().map(move |p| p * q)).collect())
    }
}

/// Keeps the products in a table from leaving the range of numbers: told by what a table is multiplied, it divides the
/// table by its greatest entry before entries could have become too small or too large.
pub(super) struct Guard {
    /// No entry can have become smaller than this share of what it was, nor larger.
    lowest: f64,
    highest: f64,
}

/// Far from the smallest and the largest number, and far beyond what usual tables come to.
const LOW: f64 = 1e-100;
const HIGH: f64 = 1e100;

impl Guard {
    pub(super) fn new() -> Guard {
        Guard { lowest: 1.0, highest: 1.0 }
    }

    /// The table was multiplied by these; returns ln of what it was divided by.
    pub(super) fn after(&mut self, factors: &[f64], table: &mut [f64]) -> f64 {
        let positive = factors.iter().copied().filter(|x| *x > 0.0);
        self.lowest *= positive.fold(1.0, f64::min);
        self.highest *= factors.iter().copied().fold(1.0, f64::max);
        if self.lowest >= LOW && self.highest <= HIGH {
            return 0.0;
        }
        *self = Guard::new();
        let top = table.iter().copied().fold(0.0, f64::max);
        if top <= 0.0 {
            return 0.0;
        }
        table.iter_mut().for_each(|x| *x /= top);
        top.ln()
    }
}

/// Makes numbers sum to 1; returns what they summed to.
fn scale(values: &mut [f64]) -> f64 {
    let sum = total(values);
    if sum > 0.0 {
        // Divided, since 1 / sum may be too large for a number where the sum is very small.
        values.iter_mut().for_each(|x| *x /= sum);
    }
    sum
}

/// Multiplies a table by what is known of one of its variables.
fn weigh(table: &mut [f64], own: &Own, finding: &Finding) {
    for block in table.chunks_exact_mut(own.states * own.inner) {
        for (state, part) in block.chunks_exact_mut(own.inner).enumerate() {
            match finding {
                Finding::State(s) if *s == state => {}
                Finding::State(_) => part.fill(0.0),
                Finding::Likelihood(l) => part.iter_mut().for_each(|x| *x *= l[state]),
            }
        }
    }
}

/// The distribution of one variable from that of those that a clique does not share.
fn marginalise(rest: &[f64], own: &Own, marginal: &mut [f64]) {
    marginal.fill(0.0);
    for block in rest.chunks_exact(own.states * own.inner) {
        for (m, part) in marginal.iter_mut().zip(block.chunks_exact(own.inner)) {
            *m += total(part);
        }
    }
    scale(marginal);
}
