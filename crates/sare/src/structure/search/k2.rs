//! K2: on an order of the nodes, each takes the earlier ones that raise its family's score most, one by one.

use super::scores::{FamilyScores, Wanted};
use crate::error::Result;
use crate::graph::{ArcRules, Dag};
use crate::observe::Event;
use crate::run::Run;

/// Below this, two gains differ by rounding.
const SMALLEST_GAIN: f64 = 1e-6;

/// The graph that K2 builds on an order of the nodes of `scores`.
pub(super) fn k2(
    scores: &mut FamilyScores<'_>,
    rules: &ArcRules,
    order: &[usize],
    run: &Run<'_>,
) -> Result<Dag> {
    let nodes = scores.nodes();
    let mut dag = Dag::new(nodes);
    run.tell(&Event::Phase { name: "K2", steps: Some(nodes as u64) })?;
    for (place, &child) in order.iter().enumerate() {
        let mut parents: Vec<usize> =
            rules.required().parents(child).filter(|&p| p < nodes).collect();
        let mut earlier = order[..place].to_vec();
        // In column order, so that of equals the first is taken.
        earlier.sort_unstable();
        loop {
            let may = |p: &usize| !parents.contains(p) && rules.allows(*p, child);
            let full = parents.len() >= scores.most_parents();
            let open: Vec<usize> =
                if full { Vec::new() } else { earlier.iter().copied().filter(may).collect() };
            let wanted = Wanted { child, parents: parents.clone(), more: open.clone() };
            scores.prepare(&[wanted], false)?;
            let mut best = (None, 0.0);
            for p in open {
                let gain = scores.gain(child, &parents, p);
                if gain > best.1 + SMALLEST_GAIN {
                    best = (Some(p), gain);
                }
            }
            let Some(parent) = best.0 else { break };
            parents.push(parent);
        }
        parents.into_iter().try_for_each(|p| dag.add(p, child))?;
        run.tell(&Event::Step { steps: 1 })?;
    }
    Ok(dag)
}
