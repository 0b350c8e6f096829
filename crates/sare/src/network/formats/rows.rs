//! Rows of probabilities that do not sum to 1: printed with few digits, or counts.

use super::draft::Definition;
use super::report::Report;
use crate::error::Result;
use crate::network::Network;

/// A row whose sum misses 1 by no more than this is off by rounding alone and stays as it is.
const EXACT: f64 = 1e-12;
/// A row that misses 1 by no more than this is divided by its sum without a note.
const QUIET: f64 = 1e-6;
/// A row that misses 1 by no more than this was printed with few digits; a larger gap is an error, unless the format
/// allows any sum.
const FEW_DIGITS: f64 = 1e-2 + 1e-9;

/// The rows that were divided by their sums.
#[derive(Default)]
pub(super) struct Rounding {
    rows: usize,
    nodes: usize,
    /// The node, the configuration and the sum of the first.
    first: Option<(String, String, f64)>,
}

impl Rounding {
    /// What is to be said about them.
    pub fn note(self) -> Option<String> {
        let (node, row, sum) = self.first?;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        // Without the digits that only the rounding of the sum makes.
        let sum = (sum * 1e9).round() / 1e9;
        Some(format!(
            "divided {} row{} of {} node{} by the sum, which was not 1 (the first: {sum} for '{node}'{row})",
            self.rows,
            plural(self.rows),
            self.nodes,
            plural(self.nodes),
        ))
    }
}

/// Whether a row misses 1 by more than few digits can explain, and is to be refused.
pub(super) fn is_wrong(row: &[f64]) -> bool {
    (row.iter().sum::<f64>() - 1.0).abs() > FEW_DIGITS
}

/// The network with every row divided by its sum; those of a network miss 1 by little.
pub(super) fn divided(network: Network) -> Result<Network> {
    let off = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() > EXACT;
    let nodes = 0..network.variables().len();
    let mut tables: Vec<Vec<f64>> = nodes.map(|v| network.table(v).to_vec()).collect();
    let mut changed = false;
    for (v, table) in tables.iter_mut().enumerate() {
        for row in table.chunks_exact_mut(network.states(v)).filter(|row| off(row)) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
            changed = true;
        }
    }
    if changed { network.with_tables(tables) } else { Ok(network) }
}

/// Divides every row by its sum. `any_sum` says that the format allows any sum above 0; otherwise a row that misses 1 by
/// more than a hundredth is refused. `named` returns the configuration of a row, for messages.
pub(super) fn settle(
    report: Report<'_>,
    definition: &Definition<'_>,
    any_sum: bool,
    table: &mut [f64],
    states: usize,
    named: impl Fn(usize) -> String,
    rounding: &mut Rounding,
) -> Result<()> {
    let mut touched = false;
    for (number, row) in table.chunks_exact_mut(states).enumerate() {
        let sum: f64 = row.iter().sum();
        let gap = (sum - 1.0).abs();
        if gap <= EXACT {
            continue;
        }
        let usable = sum > 0.0 && sum.is_finite();
        if !usable || (!any_sum && is_wrong(row)) {
            let problem = format!("its row{} sums to {sum} instead of 1", named(number));
            return Err(report.node(definition.line, &definition.node, problem, "correct the row"));
        }
        row.iter_mut().for_each(|p| *p /= sum);
        if gap > QUIET {
            rounding.rows += 1;
            rounding.nodes += usize::from(!touched);
            touched = true;
            rounding.first.get_or_insert_with(|| (definition.node.clone(), named(number), sum));
        }
    }
    Ok(())
}
