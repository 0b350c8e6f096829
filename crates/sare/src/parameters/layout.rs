//! The parameters of a network as one vector of log-parameters, table row by table row.

use crate::error::Result;
use crate::infer::density::Purpose;
use crate::network::Network;
use crate::num::normalise_logs;
use crate::stats::FamilyTable;
use std::ops::Range;

/// Which tables are in the vector, and where.
pub(super) struct Layout {
    /// The class is the last variable.
    tables: Vec<Part>,
    classes: usize,
    class: usize,
}

struct Part {
    variable: usize,
    states: usize,
    start: usize,
    len: usize,
}

impl Layout {
    /// The tables that tell classes apart, or all of them for a density.
    pub(super) fn new(network: &Network, purpose: Purpose) -> Layout {
        let class = network.variables().len() - 1;
        let mut start = 0;
        let mut tables = Vec::new();
        for variable in 0..=class {
            let told = network.dag().has_arc(class, variable);
            if told || variable == class || purpose == Purpose::Density {
                let (states, len) = (network.states(variable), network.table(variable).len());
                tables.push(Part { variable, states, start, len });
                start += len;
            }
        }
        Layout { tables, classes: network.states(class), class }
    }

    /// Where each table row is.
    pub(super) fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        self.tables.iter().flat_map(|part| {
            (part.start..part.start + part.len).step_by(part.states).map(|s| s..s + part.states)
        })
    }

    /// ln p of every entry. Entries of 0 would never come back: none is there with a prior.
    pub(super) fn log_parameters(&self, network: &Network) -> Vec<f64> {
        let of = |part: &Part| {
            network.table(part.variable).iter().map(|p| p.max(f64::MIN_POSITIVE).ln())
        };
        self.tables.iter().flat_map(of).collect()
    }

    /// The network with these log-parameters, each row made to sum to 1, and the other tables as they are.
    pub(super) fn network(&self, like: &Network, x: &[f64]) -> Result<Network> {
        let mut tables: Vec<Vec<f64>> = (0..=self.class).map(|v| like.table(v).to_vec()).collect();
        for part in &self.tables {
            let table = &mut tables[part.variable];
            table.copy_from_slice(&x[part.start..][..part.len]);
            table.chunks_exact_mut(part.states).for_each(|row| {
                normalise_logs(row);
            });
        }
        like.with_tables(tables)
    }

    /// The gradient from the slopes of counts: of a row with probabilities theta and slopes u it is u - theta sum(u).
    pub(super) fn project(&self, x: &[f64], slopes: &[FamilyTable], gradient: &mut [f64]) {
        gradient.copy_from_slice(&self.gather(slopes, |u| u));
        for part in &self.tables {
            let rows = gradient[part.start..][..part.len].chunks_exact_mut(part.states);
            let mut theta = vec![0.0; part.states];
            for (row, beta) in rows.zip(x[part.start..][..part.len].chunks_exact(part.states)) {
                theta.copy_from_slice(beta);
                normalise_logs(&mut theta);
                let sum: f64 = row.iter().sum();
                row.iter_mut().zip(&theta).for_each(|(u, t)| *u -= t * sum);
            }
        }
    }

    /// Tables laid out as counts, in the order of the vector.
    pub(super) fn gather(&self, families: &[FamilyTable], value: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut all = Vec::new();
        for part in &self.tables {
            let table = &families[part.variable];
            if part.variable == self.class {
                let cells = table.cells() * self.classes;
                all.extend(table.values()[..cells].iter().map(|&n| value(n)));
                continue;
            }
            for j in 0..table.configurations() {
                for c in 0..table.classes() {
                    all.extend((0..part.states).map(|k| value(table.at(j, k, c))));
                }
            }
        }
        all
    }
}
