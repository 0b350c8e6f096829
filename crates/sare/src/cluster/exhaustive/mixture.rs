//! The average over all structures: their weights, one naming of the clusters for all, and the network nearest to it.

use super::fit::{Fitted, Shared, members};
use super::rows::Rows;
use super::{Averaged, Structure};
use crate::cluster::align::{Memberships, align};
use crate::cluster::fixed::blank_of;
use crate::data::Source;
use crate::error::Result;
use crate::infer::density::{LogTables, Purpose, Room};
use crate::infer::expectation::{Expectation, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::num::{class_probabilities, first_max, normalise_logs};
use crate::run::{Run, Stop};
use rayon::prelude::*;

/// Averages what all structures came to, those of the sets 0, 1, 2 and so on.
pub(super) fn averaged(
    rows: &Rows,
    shared: Shared,
    fitted: Vec<Fitted>,
    run: &Run<'_>,
) -> Result<Averaged> {
    let mut weights: Vec<f64> = fitted.iter().map(|f| f.evidence.log).collect();
    normalise_logs(&mut weights);
    let best = first_max(&weights);
    let limit = fitted.iter().any(|f| f.stop == Stop::IterationLimit);
    let reference = memberships(rows, &members(best), &fitted[best])?;
    let clusters = fitted[best].clusters.len();
    let named = |(set, fitted): (usize, Fitted)| -> Result<Structure> {
        let attributes = members(set);
        let own = memberships(rows, &attributes, &fitted)?;
        let of = |values| Memberships { values, clusters };
        let names = align(of(&reference), of(&own), Some(rows.weights()))?;
        let mut structure = Structure {
            attributes,
            log_evidence: fitted.evidence.log,
            error: fitted.evidence.error,
            weight: weights[set],
            clusters: fitted.clusters,
            tables: fitted.tables,
        };
        structure.rename(&names);
        Ok(structure)
    };
    let structures: Result<Vec<Structure>> =
        run.install(|| fitted.into_par_iter().enumerate().map(named).collect());
    let mut structures = structures?;
    let sizes = sums(&structures, clusters, |s| s.clusters.clone());
    // The clusters by falling size, as everywhere.
    let mut order: Vec<usize> = (0..clusters).collect();
    order.sort_by(|&x, &y| sizes[y].total_cmp(&sizes[x]));
    let mut names = vec![0; clusters];
    order.iter().enumerate().for_each(|(name, &cluster)| names[cluster] = name);
    structures.iter_mut().for_each(|s| s.rename(&names));
    let network = nearest(rows, &shared.alone, &structures)?;
    let relevance = |v: usize| {
        let with = structures.iter().filter(|s| s.attributes.contains(&v));
        with.map(|s| s.weight).sum::<f64>().min(1.0)
    };
    let data = Source::Memory(rows.table.view());
    let expectation = Expectation {
        data: &data,
        criterion: Criterion::Latent,
        iterations: 1,
        until: Until::Gain(0.0),
        run,
    };
    Ok(Averaged {
        relevance: (0..rows.attributes()).map(relevance).collect(),
        log_likelihood: expectation.value(&LogTables::new(&network))?,
        network,
        // The most probable first; of equals, as of the sort, the earlier set.
        structures: by_weight(structures),
        alone: shared.alone,
        stop: if limit { Stop::IterationLimit } else { Stop::Converged },
    })
}

fn by_weight(mut structures: Vec<Structure>) -> Vec<Structure> {
    structures.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    structures
}

/// p(cluster | row) of every kind of rows by one structure.
fn memberships(rows: &Rows, attributes: &[usize], fitted: &Fitted) -> Result<Vec<f64>> {
    let class = rows.attributes();
    let columns: Vec<usize> = attributes.iter().copied().chain([class]).collect();
    let table = rows.table.select(&columns);
    let tables = fitted.tables.iter().cloned().chain([fitted.clusters.clone()]).collect();
    let network = blank_of(table.schema())?.with_tables(tables)?;
    let clusters = fitted.clusters.len();
    let mut scores = vec![0.0; table.rows() * clusters];
    let block = table.view().block(0, table.rows());
    let logs = LogTables::new(&network);
    logs.log_joint(&block, Purpose::Posterior, &mut Room::default(), &mut scores);
    scores.chunks_exact_mut(clusters).for_each(|row| {
        class_probabilities(row);
    });
    Ok(scores)
}

/// Weighted sums over the structures of numbers that each of them has.
fn sums(
    structures: &[Structure],
    size: usize,
    values: impl Fn(&Structure) -> Vec<f64>,
) -> Vec<f64> {
    let mut sums = vec![0.0; size];
    for structure in structures {
        let own = values(structure);
        sums.iter_mut().zip(own).for_each(|(s, x)| *s += structure.weight * x);
    }
    sums
}

/// The naive Bayes network nearest to the average: that with its p(cluster) and its p(state | cluster).
fn nearest(rows: &Rows, alone: &[Vec<f64>], structures: &[Structure]) -> Result<Network> {
    let blank = blank_of(rows.table.schema())?;
    let class = rows.attributes();
    let clusters = blank.states(class);
    let table = |v: usize| -> Vec<f64> {
        let states = blank.states(v);
        let joint = |s: &Structure| -> Vec<f64> {
            let given = |c: usize| s.given(v, c, alone);
            (0..clusters).flat_map(|c| given(c).iter().map(move |p| s.clusters[c] * p)).collect()
        };
        let mut table = sums(structures, clusters * states, joint);
        for row in table.chunks_exact_mut(states) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
        table
    };
    let mut tables: Vec<Vec<f64>> = (0..class).map(table).collect();
    let mut sizes = sums(structures, clusters, |s| s.clusters.clone());
    let sum: f64 = sizes.iter().sum();
    sizes.iter_mut().for_each(|p| *p /= sum);
    tables.push(sizes);
    blank.with_tables(tables)
}
