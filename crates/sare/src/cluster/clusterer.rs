//! The learner of clusters: the states of a class that is in no row.

use super::completed::memberships;
use super::marginals::Marginals;
use super::method::{Found, Method, Rows};
use super::relabel::relabelled;
use super::relevance::{Told, told};
use super::starts::{Plan, Policy};
use super::{Latent, Update};
use crate::average::Model;
use crate::classify::{Classifier, Fitted, Training};
use crate::data::discretise::{Discretiser, Method as Cuts};
use crate::data::distinct::DistinctRows;
use crate::data::{Cells, Field, Schema, Source, Table, View};
use crate::error::{Error, Result};
use crate::infer::density::LogTables;
use crate::infer::expectation::{Expectation, Until};
use crate::infer::slopes::Criterion;
use crate::network::Network;
use crate::num::{winner, x_ln_x};
use crate::parameters::reasons::arc_reasons;
use crate::run::{ArcReason, ClusterOutcome, Outcome, Run};
use std::sync::Arc;

/// A learner of clusters.
#[derive(Clone)]
pub struct Clusterer {
    /// How.
    pub method: Arc<dyn Method>,
    /// How many clusters.
    pub clusters: usize,
    /// From how many random parameters it starts.
    pub starts: usize,
    /// What becomes of the starts.
    pub policy: Policy,
    /// How numbers are cut into bins.
    pub discretise: Cuts,
}

impl Default for Clusterer {
    fn default() -> Self {
        Clusterer {
            method: Arc::new(Latent::new(Update::Averaged, &[1.0, 1e-4, 500.0])),
            clusters: 2,
            starts: 100,
            policy: Policy::Best,
            discretise: Cuts::EqualFrequency(3),
        }
    }
}

/// The most clusters.
pub const MOST_CLUSTERS: usize = 1000;

/// Clusters of the rows they were learnt from.
#[derive(Clone, Debug)]
pub struct Clustering {
    /// The model, whose class is the cluster.
    pub model: Classifier,
    /// How much each row is of each cluster, rows by rows.
    pub memberships: Vec<f64>,
}

impl Clustering {
    /// The cluster of each row; of those equal but for rounding, the first.
    pub fn assignment(&self) -> Vec<u32> {
        let clusters = self.model.class().states();
        self.memberships.chunks_exact(clusters).map(|row| winner(row) as u32).collect()
    }
}

impl Clusterer {
    /// Refuses settings that no learning can come of.
    pub fn check(&self) -> Result<()> {
        let bad = |setting: &str, value: String, expected: String| {
            let learner = self.method.form();
            Err(Error::Setting { learner, setting: setting.into(), value, expected })
        };
        if !(1..=MOST_CLUSTERS).contains(&self.clusters) {
            let expected = format!("a whole number from 1 to {MOST_CLUSTERS}");
            return bad("clusters", self.clusters.to_string(), expected);
        }
        if self.starts == 0 {
            return bad("starts", "0".into(), "at least 1".into());
        }
        if self.policy != Policy::Best && !self.method.averages_starts() {
            let expected = "best: the starts of this method cannot be averaged".into();
            return bad("policy", self.policy.name().into(), expected);
        }
        if self.discretise == Cuts::Mdlp {
            return bad("discretise", "mdlp".into(), "a way that needs no class".into());
        }
        self.method.check()?;
        self.discretise.check()
    }

    /// Learns clusters from some rows of a table; every discrete and continuous column is an attribute.
    ///
    /// The result is a classifier whose class, the last column, is the cluster: it predicts, explains itself, is saved and
    /// asked like any other.
    pub fn fit(&self, view: View<'_>, run: &Run<'_>) -> Result<Classifier> {
        Ok(self.find(view, run)?.model)
    }

    /// Learns clusters as [`Clusterer::fit`] does, and tells how much each row is of each.
    pub fn find(&self, view: View<'_>, run: &Run<'_>) -> Result<Clustering> {
        let plan = Plan { starts: self.starts, policy: self.policy };
        self.learn(view, run, &|rows| self.method.learn(rows, &plan, run))
    }

    /// Learns clusters from one start, a network of as many.
    pub(super) fn find_from(
        &self,
        view: View<'_>,
        start: &Network,
        run: &Run<'_>,
    ) -> Result<Clustering> {
        self.learn(view, run, &|rows| self.method.go_on(rows, start, run))
    }

    fn learn(
        &self,
        view: View<'_>,
        run: &Run<'_>,
        learn: &dyn Fn(&Rows<'_>) -> Result<Found>,
    ) -> Result<Clustering> {
        self.check()?;
        let table = usable(view.table());
        check_rows(&table, view.over(&table))?;
        let bins = run.install(|| Discretiser::learn(view.over(&table), None, self.discretise))?;
        let coded = with_latent(&run.install(|| bins.apply(&table)), self.clusters);
        let data = run.install(|| merged(view.over(&coded)))?;
        let rows = Rows { raw: view.over(&table), coded: view.over(&coded), data: &data };
        let found = learn(&rows)?;
        let (model, outcome, memberships) = finish(found, self.policy, &rows, &run.to_the_end())?;
        let mut raw = table.schema().fields.clone();
        raw.push(coded.field(table.columns()).clone());
        let mut cuts = bins.cuts.clone();
        cuts.push(None);
        let training = Training::new(table.name(), view.len(), table.conventions());
        let forms = [format!("clusters:{}", self.clusters), self.method.form()];
        let (schema, bins) = (Schema::new(raw), Discretiser { cuts });
        let model = Classifier::new(schema, bins, model, forms, training, run.seed, outcome);
        Ok(Clustering { model, memberships })
    }
}

/// What the cluster is called; where a column has that name, with a mark behind it.
pub const LATENT: &str = "cluster";

/// What the cluster is called beside columns of these names.
pub fn latent_name(columns: &Schema) -> String {
    let mut name = String::from(LATENT);
    while columns.position(&name).is_some() {
        name.push('_');
    }
    name
}

/// The columns that clusters can be told by.
fn usable(table: &Table) -> Table {
    table.select(&table.schema().usable().collect::<Vec<usize>>())
}

/// The clusters by falling size, and what there is to tell of them.
fn finish(
    found: Found,
    policy: Policy,
    rows: &Rows<'_>,
    run: &Run<'_>,
) -> Result<(Model, Outcome, Vec<f64>)> {
    let Found { model, outcome, starts, reached, alternatives, objective, hard } = found;
    let fitted = Fitted::from(model);
    let k = fitted.classes();
    // Of the rows that were learnt from, which do not depend on the order they come in.
    let (told_data, log_likelihood) = memberships(&fitted, rows.data.view(), run)?;
    let (mut told_rows, _) = memberships(&fitted, rows.coded, run)?;
    let Sums { sizes, entropy, first } = match &hard {
        None => sums(&told_data, rows.data.view(), k, |i| i),
        Some(hard) => {
            told_rows.fill(0.0);
            hard.iter().enumerate().for_each(|(r, &c)| told_rows[r * k + c as usize] = 1.0);
            let place = DistinctRows::of(rows.raw).of_row;
            sums(&told_rows, rows.coded, k, |i| place[i] as usize)
        }
    };
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&x, &y| sizes[y].total_cmp(&sizes[x]).then(first[x].cmp(&first[y])));
    let model = relabelled(fitted.model(), &order)?;
    let told_rows =
        told_rows.chunks_exact(k).flat_map(|row| order.iter().map(|&c| row[c])).collect();
    let Told { independence, information } = told(&Marginals::of_model(&model)?);
    let reasons = reasons(&model, rows, run)?;
    // Of one cluster nothing depends on the cluster: what was thought beforehand is all there is.
    let relevance = outcome.relevance.filter(|_| k > 1);
    let clusters = ClusterOutcome {
        log_likelihood,
        sizes: order.iter().map(|&c| sizes[c]).collect(),
        entropy,
        objective,
        starts,
        reached,
        alternatives,
        policy: (policy != Policy::Best).then(|| policy.name().into()),
        independence,
        information,
        numbers: None,
    };
    let clusters = Some(clusters);
    Ok((model, Outcome { reasons, relevance, clusters, ..outcome }, told_rows))
}

/// Sums over rows.
struct Sums {
    /// The weight of each cluster.
    sizes: Vec<f64>,
    entropy: f64,
    /// The first row that is most of each cluster: clusters of equal size are told apart by it.
    first: Vec<usize>,
}

/// `place` is where a row would be if all were sorted.
fn sums(
    memberships: &[f64],
    view: View<'_>,
    clusters: usize,
    place: impl Fn(usize) -> usize,
) -> Sums {
    let mut sums =
        Sums { sizes: vec![0.0; clusters], entropy: 0.0, first: vec![usize::MAX; clusters] };
    let weights = view.table().weights();
    for (i, row) in memberships.chunks_exact(clusters).enumerate() {
        let weight = weights.map_or(1.0, |w| w[view.row(i)]);
        sums.sizes.iter_mut().zip(row).for_each(|(size, p)| *size += weight * p);
        sums.entropy -= weight * row.iter().map(|&p| x_ln_x(p)).sum::<f64>();
        let own = winner(row);
        sums.first[own] = sums.first[own].min(place(i));
    }
    sums
}

/// Why the arcs of a network are there, by the counts that are expected under it.
fn reasons(model: &Model, rows: &Rows<'_>, run: &Run<'_>) -> Result<Vec<ArcReason>> {
    let Model::Network(network) = model else { return Ok(Vec::new()) };
    let data = Source::Memory(rows.data.view());
    let until = Until::Gain(0.0);
    let once = Expectation { data: &data, criterion: Criterion::Latent, iterations: 1, until, run };
    let counts = once.count(&LogTables::new(network))?.families;
    Ok(arc_reasons(network.dag(), &counts))
}

/// The rows sorted, equal ones made one of their weight together: then neither the result nor a bit of it depends on the
/// order in which rows come, and rows that come often are counted once. Rows that weigh nothing are as if they were not there.
pub(super) fn merged(view: View<'_>) -> Result<Table> {
    let DistinctRows { example, weights, .. } = DistinctRows::of(view);
    let (numbers, weights): (Vec<u32>, Vec<f64>) = example
        .iter()
        .zip(weights)
        .filter(|(_, weight)| *weight > 0.0)
        .map(|(&row, weight)| (row as u32, weight))
        .unzip();
    let table = view.table().gather(&numbers);
    if numbers.len() == view.len() && view.table().weights().is_none() {
        return Ok(table);
    }
    table.with_weights(weights)
}

/// The table with a last column that is missing in every row.
fn with_latent(coded: &Table, clusters: usize) -> Table {
    let name = latent_name(coded.schema());
    let levels: Vec<String> = (1..=clusters).map(|c| c.to_string()).collect();
    let latent = Cells::from_codes(std::iter::repeat_n(None, coded.rows()), clusters);
    let mut columns: Vec<(Field, Cells)> =
        (0..coded.columns()).map(|c| (coded.field(c).clone(), coded.cells(c).clone())).collect();
    columns.push((Field::discrete(name, levels), latent));
    let table = Table::trusted(coded.name(), columns, coded.rows());
    table.weighing_as(coded)
}

fn check_rows(table: &Table, view: View<'_>) -> Result<()> {
    let bad = |problem: &str, fix: &str| Err(Error::data(table.name(), problem, fix));
    if table.columns() == 0 {
        let fix = "give at least one column of levels or numbers";
        return bad("there is no column to learn from", fix);
    }
    if view.is_empty() {
        return bad("there is no row to learn from", "give some rows");
    }
    if let Some(c) = (0..table.columns()).find(|&c| table.cells(c).all_missing()) {
        let name = &table.field(c).name;
        let fix = format!("leave it out with --ignore {name}");
        return Err(Error::column(table.name(), name, "every cell is missing", fix));
    }
    let weight = |r: usize| table.weights().map_or(1.0, |w| w[r]);
    if view.row_numbers().map(weight).sum::<f64>() <= 0.0 {
        return bad("the rows weigh nothing in total", "give at least one row a weight above 0");
    }
    Ok(())
}
