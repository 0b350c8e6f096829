//! The most probable explanation, and rows drawn from what is probable: both go down the tree choosing states.

use super::super::embedding::total;
use super::super::evidence::{Evidence, Finding};
use super::core::{Clique, Core};
use super::propagate::Work;
use crate::network::Network;
use crate::num::first_max;
use crate::seed::Random;

/// The most probable configuration given evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The state of every variable.
    pub states: Vec<usize>,
    /// ln p(states, evidence).
    pub log_joint: f64,
    /// ln p(states | evidence).
    pub log_posterior: f64,
}

impl Explanation {
    pub(crate) fn new(
        network: &Network,
        evidence: &Evidence,
        states: Vec<usize>,
        log_evidence: f64,
    ) -> Explanation {
        let soft = |(v, finding): &(usize, Finding)| match finding {
            Finding::State(_) => 0.0,
            Finding::Likelihood(l) => l[states[*v]].ln(),
        };
        let findings: f64 = evidence.findings().iter().map(soft).sum();
        let log_joint = network.log_probability(&states) + findings;
        Explanation { states, log_joint, log_posterior: log_joint - log_evidence }
    }
}

/// Products that differ by less than this share are equal: the same numbers multiplied in another order.
const EQUAL: f64 = 1e-12;

impl Core {
    /// The most probable configuration with these findings: of equals, the one that comes first, clique by clique.
    /// Nothing if the findings are impossible.
    pub fn most_probable(
        &self,
        findings: &[(usize, Finding)],
        work: &mut Work,
    ) -> Option<Vec<usize>> {
        let mut choices = vec![0; self.separators];
        for c in (0..self.cliques.len()).rev() {
            self.maximise(c, findings, work, &mut choices)?;
        }
        let mut row = vec![0; self.states.len()];
        for clique in &self.cliques {
            let chosen = choices[clique.separator_from + self.separator_state(clique, &row)];
            clique.write(chosen, &mut row);
        }
        Some(row)
    }

    /// The best that a clique and those below it can have, for each state of its separator.
    fn maximise(
        &self,
        c: usize,
        findings: &[(usize, Finding)],
        work: &mut Work,
        choices: &mut [usize],
    ) -> Option<()> {
        let clique = &self.cliques[c];
        let Work { tables, up, .. } = work;
        let table = &mut tables[clique.entries()];
        self.product(clique, findings, |_| true, up, table);
        let message = &mut up[clique.separators()];
        let chosen = &mut choices[clique.separators()];
        for ((part, best), choice) in table.chunks_exact(clique.rest).zip(&mut *message).zip(chosen)
        {
            let top = part[first_max(part)];
            *choice = part.iter().position(|&x| x >= top * (1.0 - EQUAL)).unwrap_or(0);
            *best = top;
        }
        let top = message[first_max(message)];
        message.iter_mut().for_each(|x| *x /= top);
        (top > 0.0).then_some(())
    }

    /// Draws a row from the distribution that the tree has after findings were collected.
    pub fn draw(&self, work: &Work, random: &mut Random, row: &mut [usize]) {
        for (c, clique) in self.cliques.iter().enumerate() {
            let tables = if work.active[c] { &work.tables } else { &self.tables };
            let state = self.separator_state(clique, row);
            let part = &tables[clique.entries()][state * clique.rest..][..clique.rest];
            let mut left = random.uniform() * total(part);
            let hit = part.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            // Rounding may leave a sliver: it belongs to the last state that can be.
            let hit = hit.or_else(|| part.iter().rposition(|&p| p > 0.0));
            clique.write(hit.unwrap_or(0), row);
        }
    }

    /// The number of the state of a clique's separator in a row.
    fn separator_state(&self, clique: &Clique, row: &[usize]) -> usize {
        let shared = &clique.scope[..clique.shared];
        shared.iter().fold(0, |index, &v| index * self.states[v] + row[v])
    }
}

impl Clique {
    /// Writes the states that the number of a configuration of the members that are not shared stands for.
    fn write(&self, configuration: usize, row: &mut [usize]) {
        for own in &self.own {
            row[own.variable] = configuration / own.inner % own.states;
        }
    }
}
