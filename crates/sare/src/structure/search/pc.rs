//! PC: a graph from tests of independence (the order-independent variant, with the G^2 test).

use super::scores::MOST_CELLS;
use crate::data::Source;
use crate::error::{Error, Result};
use crate::graph::{ArcRules, Dag, pc_stable};
use crate::num::first_max;
use crate::observe::Event;
use crate::run::Run;
use crate::stats::distribution::chi_square_upper;
use crate::stats::extend::SeenCounts;
use crate::stats::{Family, FamilyCounter, Score};
use std::sync::atomic::{AtomicU64, Ordering};

/// With more nodes there are millions of tests before anything is conditioned on.
const MOST_NODES: usize = 2000;

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
    if nodes > MOST_NODES {
        let problem =
            format!("{nodes} columns are too many for tests of all pairs: at most {MOST_NODES}");
        let fix =
            "leave out columns, or use a model without a search, such as nb, selective or tan";
        return Err(Error::data(data.name(), problem, fix));
    }
    let counter = FamilyCounter::new(*data, run)?;
    run.tell(&Event::Phase { name: "tests of independence", steps: None })?;
    let (made, too_large) = (AtomicU64::new(0), AtomicU64::new(0));
    let test = |x: usize, y: usize, given: &[usize]| {
        run.tell(&Event::Step { steps: 1 })?;
        let parents: Vec<usize> = given.iter().copied().chain(always).collect();
        let states = |m: usize| counter.states()[m] as f64;
        let given: f64 = parents.iter().map(|&m| states(m)).product();
        let freedom = (states(x) - 1.0) * (states(y) - 1.0) * given;
        // However the rows fell, G^2 could not be larger than this: below what is free, nothing could be significant.
        if 2.0 * counter.total() * states(x).min(states(y)).ln() < freedom {
            return Ok(true);
        }
        if given * states(x) * states(y) > MOST_CELLS {
            too_large.fetch_add(1, Ordering::Relaxed);
            return Ok(true);
        }
        made.fetch_add(1, Ordering::Relaxed);
        let family = Family { child: x, parents };
        let other = counter.states()[y];
        let (_, chances) = counter.extend(&family, &[y], |_, _, with| chance(&with, other))?;
        Ok(chances[0] > level)
    };
    let pattern = run.install(|| pc_stable(nodes, rules, most, &test))?;
    let refused = too_large.into_inner();
    if refused > 0 {
        run.note(&format!(
            "{refused} tests of independence were not made, and their columns taken to be independent: the tables are too large"
        ))?;
    }
    let dag = fitting(pattern.extension(rules), &counter, rules, always, run)?;
    Ok((dag, made.into_inner()))
}

/// The graph without the arcs that make a family's table too large: in such a family the parent that tells least about
/// the child goes first.
fn fitting(
    mut dag: Dag,
    counter: &FamilyCounter<'_>,
    rules: &ArcRules,
    always: Option<usize>,
    run: &Run<'_>,
) -> Result<Dag> {
    let mut left_out = 0;
    for child in 0..dag.nodes() {
        loop {
            let parents: Vec<usize> = dag.parents(child).collect();
            let members = parents.iter().copied().chain(always).chain([child]);
            let cells: f64 = members.map(|m| counter.states()[m] as f64).product();
            let free: Vec<usize> =
                parents.into_iter().filter(|&p| !rules.requires(p, child)).collect();
            if cells <= MOST_CELLS || free.is_empty() {
                break;
            }
            let family = Family { child, parents: always.into_iter().collect() };
            let told = |_: &SeenCounts, parent: usize, with: SeenCounts| {
                let without = with.merged(counter.states()[parent]);
                let likelihood = |counts: &SeenCounts| Score::LogLikelihood.of(&counts.table);
                likelihood(&without) - likelihood(&with)
            };
            let (_, lost) = counter.extend(&family, &free, told)?;
            dag.remove(free[first_max(&lost)], child);
            left_out += 1;
        }
    }
    if left_out > 0 {
        run.note(&format!(
            "{left_out} arcs that the tests gave were left out: with them a table would be too large"
        ))?;
    }
    Ok(dag)
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
