//! Figure 6: whether EMA finds which attributes depend on the cluster.

use super::contest::clusterer;
use super::random::variables;
use crate::cluster::{Marginals, Quiet, told};
use crate::data::{Table, View};
use crate::draw::{LinePoint, Lines, Series};
use crate::error::Result;
use crate::evaluate::published::{Drawing, Experiment, Report};
use crate::evaluate::validate::Estimate;
use crate::graph::Dag;
use crate::network::Network;
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// Figure 6, which is figure 7.5 of the dissertation.
pub const DETECTION: Experiment = Experiment {
    name: "ema-detection",
    help: "whether EMA finds the attributes that do not depend on the cluster, as rows grow in number",
    source: "Santafe, Lozano and Larranaga 2006, figure 6",
    data: "",
    run: detection,
};

/// A model: p(x = 1 | cluster) of each attribute, for two clusters that are equally probable.
pub(super) type Truth = &'static [[f64; 2]];

/// Four attributes, of which the fourth, and six, of which the fourth and sixth do not depend on the cluster.
pub(super) const MODELS: [Truth; 2] = [
    &[[0.1, 0.8], [0.9, 0.25], [0.2, 0.85], [0.4, 0.4]],
    &[[0.1, 0.8], [0.9, 0.25], [0.2, 0.85], [0.4, 0.4], [0.7, 0.15], [0.6, 0.6]],
];
const MOST: usize = MODELS[1].len();
const ROWS: [usize; 8] = [20, 40, 80, 160, 320, 640, 1280, 2560];
/// So many models are learnt from a data set, each from its own start.
const STARTS: u64 = 30;

/// What one data set says of each attribute: I_P, and the probability that it matters.
type Said = Vec<[f64; 2]>;

fn detection(_: &str, full: bool, run: &Run<'_>) -> Result<Report> {
    detect(if full { 50 } else { 10 }, &ROWS, run)
}

/// The table of both models for these sizes, each the mean over some data sets.
pub(super) fn detect(sets: usize, sizes: &[usize], run: &Run<'_>) -> Result<Report> {
    let mut report = Report::default();
    report.header.extend(["attributes", "rows"].map(String::from));
    for measure in ["I_P", "pi"] {
        report.header.extend((1..=MOST).map(|i| format!("{measure} x{i}")));
    }
    let steps = (MODELS.len() * sizes.len() * sets) as u64;
    run.tell(&Event::Phase { name: "data sets", steps: Some(steps) })?;
    for truth in MODELS {
        let network = network(truth)?;
        let mut lines: Vec<Vec<LinePoint>> = vec![Vec::new(); truth.len()];
        for &rows in sizes {
            let all = run.install(|| {
                let said = |set: usize| one_set(&network, rows, set, run);
                (0..sets).into_par_iter().map(said).collect::<Result<Vec<Said>>>()
            })?;
            let estimate = |attribute: usize, measure: usize| {
                let values: Vec<f64> = all.iter().map(|said| said[attribute][measure]).collect();
                Estimate::of(&values)
            };
            for (v, line) in lines.iter_mut().enumerate() {
                let Estimate { mean, error, .. } = estimate(v, 0);
                line.push(LinePoint { x: rows as f64, y: mean, error });
            }
            let shown = |m: usize| move |v: usize| format!("{:.3}", estimate(v, m).mean);
            report.rows.push(line_of(truth, &rows.to_string(), [&shown(0), &shown(1)]));
        }
        let (own, depends) = (own_measure(truth), |v: usize| truth[v][0] != truth[v][1]);
        let shown = |v: usize| format!("{:.3}", own[v]);
        let certain = |v: usize| u8::from(depends(v)).to_string();
        report.rows.push(line_of(truth, "the model", [&shown, &certain]));
        report.drawings.push(chart(truth, lines));
    }
    report.notes = notes(sets);
    Ok(report)
}

/// A line of the table; attributes that the model has not are left empty.
fn line_of(truth: Truth, rows: &str, shown: [&dyn Fn(usize) -> String; 2]) -> Vec<String> {
    let mut line = vec![truth.len().to_string(), rows.to_string()];
    for measure in shown {
        let cell = |v: usize| if v < truth.len() { measure(v) } else { String::new() };
        line.extend((0..MOST).map(cell));
    }
    line
}

/// The model that data are drawn from; the cluster is the last variable.
pub(super) fn network(truth: Truth) -> Result<Network> {
    let class = truth.len();
    let mut dag = Dag::new(class + 1);
    let mut tables = Vec::new();
    for (v, [zero, one]) in truth.iter().enumerate() {
        let mut table = vec![1.0 - zero, *zero];
        if zero != one {
            dag.add(class, v)?;
            table.extend([1.0 - one, *one]);
        }
        tables.push(table);
    }
    tables.push(vec![0.5; 2]);
    Network::new(variables(&vec![2; class + 1]), dag, tables)
}

/// I_P of the attributes in the model itself.
pub(super) fn own_measure(truth: Truth) -> Vec<f64> {
    let table = |[zero, one]: &[f64; 2]| vec![1.0 - zero, *zero, 1.0 - one, *one];
    let attributes = truth.iter().map(table).collect();
    told(&Marginals { clusters: vec![0.5; 2], attributes }).independence
}

/// The mean over models learnt from one data set, each from its own start.
fn one_set(network: &Network, rows: usize, set: usize, run: &Run<'_>) -> Result<Said> {
    let attributes = network.variables().len() - 1;
    let stream = ((attributes * 1000 + set) * 10_000 + rows) as u64;
    let mut random = Random::new(run.seed, Purpose::Sample, stream);
    let table = network.sample("sample", rows, &mut random)?;
    let table: Table = table.select(&(0..attributes).collect::<Vec<usize>>());
    let learner = clusterer("ema", 2, 1)?;
    let quiet = Quiet(run);
    let mut own = run.clone().observed(&quiet);
    let mut sums: Said = vec![[0.0; 2]; attributes];
    for start in 0..STARTS {
        own.seed = run.seed.wrapping_add(stream * STARTS + start);
        let model = learner.fit(View::all(&table), &own)?;
        let outcome = model.outcome();
        let told = outcome.clusters.iter().flat_map(|c| &c.independence);
        let matters = outcome.relevance.iter().flatten();
        for (sum, (i, p)) in sums.iter_mut().zip(told.zip(matters)) {
            *sum = [sum[0] + i / STARTS as f64, sum[1] + p / STARTS as f64];
        }
    }
    run.tell(&Event::Step { steps: 1 })?;
    Ok(sums)
}

fn chart(truth: Truth, lines: Vec<Vec<LinePoint>>) -> Drawing {
    let name = |v: usize| match truth[v][0] == truth[v][1] {
        true => format!("x{} (irrelevant)", v + 1),
        false => format!("x{}", v + 1),
    };
    let series = lines.into_iter().enumerate().map(|(v, points)| Series { name: name(v), points });
    let chart = Lines {
        title: format!("What EMA finds in {} attributes", truth.len()),
        note: "means over single starts and data sets; bars: standard errors over data sets".into(),
        x_label: "rows".into(),
        y_label: "I_P in bits".into(),
        series: series.collect(),
        x_log: true,
        ..Lines::default()
    };
    Drawing { name: format!("ema-detection-{}", truth.len()), svg: chart.svg() }
}

fn notes(sets: usize) -> Vec<String> {
    let parameters = |truth: Truth| {
        let one = |[zero, one]: &[f64; 2]| format!("{zero}/{one}");
        truth.iter().map(one).collect::<Vec<String>>().join(" ")
    };
    vec![
        format!(
            "I_P and the probability pi that an attribute matters, under EMA: the mean over {STARTS} models, each from a \
             start of its own, of {sets} data sets of each size. The article has one data set of each, and its figure gives \
             no numbers to set beside these."
        ),
        format!(
            "Two clusters of equal probability; p(x = 1 | cluster) of each attribute: {}; and {}. Those of the article are \
             not published: its text says only that they are not too close.",
            parameters(MODELS[0]),
            parameters(MODELS[1])
        ),
    ]
}
