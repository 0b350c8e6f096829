//! Chains of rows: each variable in turn is drawn given all others, of which only its Markov blanket matters.

use super::super::evidence::{Evidence, Finding};
use super::weighting::draw;
use super::{Estimates, findings, no_row, places};
use crate::error::Result;
use crate::network::Network;
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// Chains, and the stretches of each that the errors are computed from.
const CHAINS: usize = 8;
const BATCHES: usize = 16;
/// Rows that are tried as the start of a chain.
const STARTS: usize = 10_000;

/// p(variable | parents) with the steps that each member takes in its table.
struct Family<'a> {
    table: &'a [f64],
    steps: Vec<(usize, usize)>,
}

impl<'a> Family<'a> {
    fn new(network: &'a Network, v: usize) -> Family<'a> {
        let members: Vec<usize> = network.dag().parents(v).chain([v]).collect();
        let mut step = 1;
        let mut steps: Vec<(usize, usize)> = Vec::with_capacity(members.len());
        for &m in members.iter().rev() {
            steps.push((m, step));
            step *= network.states(m);
        }
        Family { table: network.table(v), steps }
    }

    /// Multiplies the probability of each state of a member by what this family says of it.
    fn weigh(&self, v: usize, row: &[usize], chances: &mut [f64]) {
        let (mut start, mut stride) = (0, 0);
        for &(m, step) in &self.steps {
            if m == v {
                stride = step;
            } else {
                start += row[m] * step;
            }
        }
        chances.iter_mut().enumerate().for_each(|(s, p)| *p *= self.table[start + s * stride]);
    }
}

struct Chain<'a> {
    network: &'a Network,
    known: &'a [Option<&'a Finding>],
    families: &'a [Family<'a>],
    children: &'a [Vec<usize>],
    from: &'a [usize],
}

impl Chain<'_> {
    /// Means of the distributions that variables were drawn from, batch by batch. Nothing if no start was found.
    fn run(
        &self,
        index: usize,
        burn_in: usize,
        rounds: usize,
        run: &Run<'_>,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let mut random = Random::new(run.seed, Purpose::Gibbs, index as u64);
        let order = self.network.dag().topological_order();
        let mut row = vec![0; order.len()];
        let possible = |row: &mut Vec<usize>, random: &mut Random| {
            draw(self.network, &order, self.known, true, random, row) > f64::NEG_INFINITY
        };
        if !(0..STARTS).any(|_| possible(&mut row, &mut random)) {
            return Ok(None);
        }
        let mut sums = vec![0.0; self.from[order.len()]];
        (0..burn_in).for_each(|_| self.round(&order, &mut random, &mut row, &mut sums));
        let mut batches = Vec::with_capacity(BATCHES);
        for b in 0..BATCHES {
            sums.fill(0.0);
            let count = rounds * (b + 1) / BATCHES - rounds * b / BATCHES;
            (0..count).for_each(|_| self.round(&order, &mut random, &mut row, &mut sums));
            batches.push(sums.iter().map(|s| s / count as f64).collect());
            run.tell(&Event::Step { steps: 1 })?;
        }
        Ok(Some(batches))
    }

    /// Draws every variable once, and adds the distributions that they were drawn from.
    fn round(&self, order: &[usize], random: &mut Random, row: &mut [usize], sums: &mut [f64]) {
        let mut chances = [0.0; 256];
        let mut many = Vec::new();
        for &v in order {
            let states = self.network.states(v);
            let sums = &mut sums[self.from[v]..][..states];
            if let Some(Finding::State(state)) = self.known[v] {
                sums[*state] += 1.0;
                continue;
            }
            let chances = if states <= chances.len() {
                &mut chances[..states]
            } else {
                many.resize(states, 0.0);
                &mut many[..states]
            };
            chances.fill(1.0);
            if let Some(Finding::Likelihood(l)) = self.known[v] {
                chances.copy_from_slice(l);
            }
            self.families[v].weigh(v, row, chances);
            for &c in &self.children[v] {
                self.families[c].weigh(v, row, chances);
                // Long before the product of many children could be too small for a number.
                let top = chances.iter().copied().fold(0.0, f64::max);
                if top > 0.0 && top < 1e-100 {
                    chances.iter_mut().for_each(|p| *p /= top);
                }
            }
            let sum: f64 = chances.iter().sum();
            // The row is possible as it is, so some state is.
            chances.iter_mut().for_each(|p| *p /= sum);
            sums.iter_mut().zip(&*chances).for_each(|(s, p)| *s += p);
            row[v] = random.categorical(chances);
        }
    }
}

pub(super) fn estimate(
    network: &Network,
    evidence: &Evidence,
    burn_in: usize,
    samples: usize,
    run: &Run<'_>,
) -> Result<Estimates> {
    let count = network.variables().len();
    let known = findings(network, evidence);
    let families: Vec<Family> = (0..count).map(|v| Family::new(network, v)).collect();
    let children: Vec<Vec<usize>> =
        (0..count).map(|v| network.dag().children(v).collect()).collect();
    let from = places(network);
    let chain =
        Chain { network, known: &known, families: &families, children: &children, from: &from };
    // Every batch has at least one round.
    let rounds = samples.div_ceil(CHAINS).max(BATCHES);
    run.tell(&Event::Phase { name: "sampling", steps: Some((CHAINS * BATCHES) as u64) })?;
    let one = |index| chain.run(index, burn_in, rounds, run);
    let all: Result<Vec<Option<Vec<Vec<f64>>>>> =
        run.install(|| (0..CHAINS).into_par_iter().map(one).collect());
    let batches: Option<Vec<Vec<Vec<f64>>>> = all?.into_iter().collect();
    let Some(batches) = batches else { return Err(no_row(network, evidence, STARTS)) };
    Ok(estimates(&batches.concat(), from, CHAINS * rounds))
}

/// Means over all batches, and their errors by how the batches differ.
fn estimates(batches: &[Vec<f64>], from: Vec<usize>, samples: usize) -> Estimates {
    let count = batches.len() as f64;
    let mean = |i: usize| batches.iter().map(|b| b[i]).sum::<f64>() / count;
    let marginals: Vec<f64> = (0..batches[0].len()).map(mean).collect();
    let error = |(i, m): (usize, &f64)| {
        let squares: f64 = batches.iter().map(|b| (b[i] - m) * (b[i] - m)).sum();
        (squares / (count - 1.0) / count).sqrt()
    };
    let errors = marginals.iter().enumerate().map(error).collect();
    Estimates { from, marginals, errors, samples, effective: None, log_evidence: None }
}
