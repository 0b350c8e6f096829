//! Rows that do not quite sum to 1, because they were printed with few digits.

use super::draft::Definition;
use super::report::Report;
use crate::error::Result;
use crate::network::network::SUM_TOLERANCE;

/// A row may miss 1 by this much (a thousandth, and the rounding of its sum); it is then divided by its sum.
const FEW_DIGITS: f64 = 1e-3 + 1e-9;

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
        let rows = if self.rows == 1 { "1 row".into() } else { format!("{} rows", self.rows) };
        let nodes = if self.nodes == 1 { "1 node".into() } else { format!("{} nodes", self.nodes) };
        Some(format!(
            "{rows} of {nodes} did not sum to 1 and were divided by their sums (the first: that of '{node}'{row}, \
             {sum})"
        ))
    }
}

/// Whether a row misses 1 by more than rounding can explain, and is to be refused.
pub(super) fn is_wrong(row: &[f64]) -> bool {
    (row.iter().sum::<f64>() - 1.0).abs() > FEW_DIGITS
}

/// Makes every row sum to 1: one that does within [`SUM_TOLERANCE`] stays as it is, one that misses it by no more than
/// a thousandth is divided by its sum, any other is refused. `named` says which configuration a row is for.
pub(super) fn settle(
    report: Report<'_>,
    definition: &Definition<'_>,
    table: &mut [f64],
    states: usize,
    named: impl Fn(usize) -> String,
    rounding: &mut Rounding,
) -> Result<()> {
    let mut touched = false;
    for (number, row) in table.chunks_exact_mut(states).enumerate() {
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() <= SUM_TOLERANCE {
            continue;
        }
        if is_wrong(row) {
            let problem = format!("its row{} sums to {sum} instead of 1", named(number));
            return Err(report.node(definition.line, &definition.node, problem, "correct the row"));
        }
        row.iter_mut().for_each(|p| *p /= sum);
        rounding.rows += 1;
        rounding.nodes += usize::from(!touched);
        touched = true;
        if rounding.first.is_none() {
            rounding.first = Some((definition.node.clone(), named(number), sum));
        }
    }
    Ok(())
}
