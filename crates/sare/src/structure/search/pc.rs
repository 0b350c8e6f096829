//! PC: a graph from tests of independence (the order-independent variant, with the G^2 test).

use super::scores::MOST_CELLS;
use crate::data::Source;
use crate::error::Result;
use crate::graph::{ArcRules, Dag, pc_stable};
use crate::observe::Event;
use crate::run::Run;
use crate::stats::distribution::chi_square_upper;
use crate::stats::extend::SeenCounts;
use crate::stats::{Family, FamilyCounter, Score};
use std::sync::atomic::{AtomicU64, Ordering};

/// The graph, and how many tests were made. Two columns are independent given others if their information is no more than chance would give at this level of
/// significance; no more than `most` others are conditioned on. `always` is conditioned on in every test. A test whose table
/// would be too large to be made tells nothing: its columns are taken to be independent, and this is told.
pub(super) fn pc(
    data: &Source<'_>,
    rules: &ArcRules,
    nodes: usize,
    always: Option<usize>,
    level: f64,
    most: usize,
    run: &Run<'_>,
) -> Result<(Dag, u64)> {
    let counter = FamilyCounter::new(*data, run)?;
    run.tell(&Event::Phase { name: "tests of independence", steps: None })?;
    let (made, too_large) = (AtomicU64::new(0), AtomicU64::new(0));
    let test = |x: usize, y: usize, given: &[usize]| {
        run.tell(&Event::Step { steps: 1 })?;
        let parents: Vec<usize> = given.iter().copied().chain(always).collect();
        let members = parents.iter().chain([&x, &y]).map(|&m| counter.states()[m] as f64);
        if members.product::<f64>() > MOST_CELLS {
            too_large.fetch_add(1, Ordering::Relaxed);
            return Ok(true);
        }
        made.fetch_add(1, Ordering::Relaxed);
        let family = Family { child: x, parents };
        let states = counter.states()[y];
        let (_, chances) = counter.extend(&family, &[y], |_, _, with| chance(&with, states))?;
        Ok(chances[0] > level)
    };
    let pattern = run.install(|| pc_stable(nodes, rules, most, &test))?;
    let refused = too_large.into_inner();
    if refused > 0 {
        run.note(&format!(
            "{refused} tests of independence were not made, and their columns taken to be independent: the tables are too large"
        ))?;
    }
    Ok((pattern.extension(rules), made.into_inner()))
}

/// The probability of as much information between the child and its last parent, given the other parents, by chance:
/// the chi-square tail of G^2 = 2 N I. Rows and columns of a stratum that were never seen leave nothing free.
fn chance(with: &SeenCounts, states: usize) -> f64 {
    let merged = with.merged(states);
    let likelihood = |counts: &SeenCounts| Score::LogLikelihood.of(&counts.table);
    let statistic = 2.0 * (likelihood(with) - likelihood(&merged)).max(0.0);
    let own = with.table.states();
    let mut freedom = 0.0;
    for stratum in 0..merged.table.configurations() {
        let columns = (0..own).filter(|&k| merged.table.at(stratum, k, 0) > 0.0).count();
        let row = |s: &usize| with.table.sum_over_states(stratum * states + s, 0) > 0.0;
        let rows = (0..states).filter(row).count();
        freedom += (columns.saturating_sub(1) * rows.saturating_sub(1)) as f64;
    }
    if freedom > 0.0 { chi_square_upper(statistic, freedom) } else { 1.0 }
}
