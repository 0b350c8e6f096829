//! What no baseline can cluster.

use crate::data::{Field, Kind, View};
use crate::error::{Error, Result};

/// Refuses what no baseline can cluster.
pub(super) fn check_rows(view: View<'_>) -> Result<()> {
    let table = view.table();
    let bad = |problem: &str, fix: &str| Err(Error::data(table.name(), problem, fix));
    if view.is_empty() {
        return bad("there are no rows", "give at least one row");
    }
    if table.columns() == 0 {
        return bad("there are no columns to cluster by", "give at least one column");
    }
    for field in &table.schema().fields {
        if field.kind == Kind::Text {
            let problem = "it has too many different texts to cluster by";
            let fix = format!("leave it out with --ignore {}", field.name);
            return Err(Error::column(table.name(), &field.name, problem, fix));
        }
    }
    let weighs = |w: &[f64]| view.row_numbers().any(|r| w[r] > 0.0);
    if !table.weights().is_none_or(weighs) {
        return bad("all weights are 0", "give a weight above 0 to some rows");
    }
    Ok(())
}

/// What the centres of a start may take.
const LARGEST: u128 = 1 << 32;

/// Refuses centres that would not fit into memory.
pub(super) fn check_size(view: View<'_>, clusters: usize) -> Result<()> {
    let entries = |f: &Field| f.states().max(1) as u128;
    let cells: u128 = view.table().schema().fields.iter().map(entries).sum();
    let bytes = 16 * cells * clusters as u128;
    if bytes > LARGEST {
        return Err(Error::TooLarge {
            what: format!("the centres of {clusters} clusters"),
            bytes,
            limit: LARGEST,
            fix: "ask for fewer clusters, or leave out columns of many levels".into(),
        });
    }
    Ok(())
}
