//! Figures 5.7 to 5.9: accuracy by the number of rows, on data of random distributions.

use super::models::{Fit, Model, five_folds};
use super::random::{Distribution, Form};
use crate::draw::{LinePoint, Lines, Series};
use crate::error::Result;
use crate::evaluate::published::{Drawing, Report};
use crate::evaluate::validate::Estimate;
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// The distributions, and the figure of each.
const FORMS: [(Form, &str, &str); 4] = [
    (Form::Naive, "NB", "5-7"),
    (Form::Tan, "TAN", "5-8"),
    (Form::Joint, "joint", "5-9"),
    (Form::SparseJoint, "sparse joint", "5-9-sparse"),
];
const ATTRIBUTES: [usize; 3] = [8, 12, 16];
const CLASSES: [usize; 2] = [2, 3];
const ROWS: [usize; 7] = [40, 80, 120, 200, 300, 400, 500];
const LEARNERS: [(&str, Model, Fit); 6] = [
    ("NB", Model::Naive, Fit::Generative),
    ("NB-TM", Model::Naive, Fit::Tm),
    ("TAN", Model::Tan, Fit::Generative),
    ("TAN-TM", Model::Tan, Fit::Tm),
    ("cTAN", Model::ConditionalTan, Fit::Generative),
    ("cTAN-TM", Model::ConditionalTan, Fit::Tm),
];

/// How much is drawn.
pub(super) struct Size {
    /// Distributions of each kind.
    pub models: usize,
    /// Samples of each distribution.
    pub samples: usize,
    /// Rows of a sample.
    pub rows: Vec<usize>,
}

pub(super) fn figures_5_7_to_5_9(_: &str, full: bool, run: &Run<'_>) -> Result<Report> {
    let size = match full {
        true => Size { models: 10, samples: 50, rows: ROWS.to_vec() },
        false => Size { models: 3, samples: 2, rows: vec![40, 120, 500] },
    };
    simulate(&size, &ATTRIBUTES, run)
}

/// The table of every kind, number of attributes and classes, and rows.
pub(super) fn simulate(size: &Size, attributes: &[usize], run: &Run<'_>) -> Result<Report> {
    let mut report = Report::default();
    let names = LEARNERS.iter().map(|l| l.0.to_string());
    report.header = ["data of", "attributes", "classes", "rows"].map(String::from).to_vec();
    report.header.extend(names);
    run.tell(&Event::Phase { name: "simulating", steps: None })?;
    for (f, (form, of, figure)) in FORMS.into_iter().enumerate() {
        let mut sums = vec![[0.0; LEARNERS.len()]; size.rows.len()];
        let mut configurations = 0.0;
        for &count in attributes {
            for classes in CLASSES {
                let key = Key { form, attributes: count, classes, number: f };
                let results = configuration(&key, size, run)?;
                for (i, (rows, means)) in size.rows.iter().zip(&results).enumerate() {
                    let cells =
                        [of.into(), count.to_string(), classes.to_string(), rows.to_string()];
                    let shown = means.iter().map(|m| format!("{:.2}", m.mean));
                    report.rows.push(cells.into_iter().chain(shown).collect());
                    sums[i].iter_mut().zip(means).for_each(|(s, m)| *s += m.mean);
                }
                configurations += 1.0;
                let name = format!("santafe-{figure}-{count}-{classes}");
                let title = format!("Data of random {of} distributions");
                let note = format!("{count} attributes, {classes} classes; bars: standard errors");
                let svg = chart(&title, &note, &size.rows, &results);
                report.drawings.push(Drawing { name, svg });
            }
        }
        for (rows, sums) in size.rows.iter().zip(&sums) {
            let cells = [of.into(), "mean".into(), "mean".into(), rows.to_string()];
            let shown = sums.iter().map(|s| format!("{:.2}", s / configurations));
            report.rows.push(cells.into_iter().chain(shown).collect());
        }
    }
    report.notes.extend(notes(size));
    Ok(report)
}

/// A kind of distribution.
struct Key {
    form: Form,
    attributes: usize,
    classes: usize,
    number: usize,
}

impl Key {
    /// The stream of one distribution, or of one of its samples.
    fn stream(&self, model: usize, sample: usize) -> u64 {
        let kind = (self.number * 100 + self.attributes) * 10 + self.classes;
        (kind as u64 * 1000 + model as u64) * 1_000_000 + sample as u64
    }
}

/// Mean accuracy in percent of each learner for each number of rows; the error is over distributions.
fn configuration(key: &Key, size: &Size, run: &Run<'_>) -> Result<Vec<Vec<Estimate>>> {
    let mut by_model: Vec<Vec<Vec<f64>>> = Vec::new();
    for model in 0..size.models {
        let mut random = Random::new(run.seed, Purpose::Model, key.stream(model, 0));
        let truth = Distribution::draw(key.form, key.attributes, key.classes, &mut random)?;
        let tasks: Vec<(usize, usize)> =
            (0..size.rows.len()).flat_map(|i| (0..size.samples).map(move |s| (i, s))).collect();
        let one = |&(i, sample): &(usize, usize)| -> Result<Vec<f64>> {
            let stream = key.stream(model, i * size.samples + sample);
            let mut random = Random::new(run.seed, Purpose::Sample, stream);
            let table = truth.sample(size.rows[i], &mut random)?;
            // The folds of a sample are its own.
            let mut own = run.clone();
            own.seed = run.seed.wrapping_add(stream);
            run.tell(&Event::Step { steps: 1 })?;
            let of = |l: &(&str, Model, Fit)| five_folds(&l.1, l.2, &table, 1, &own);
            LEARNERS.iter().map(|l| of(l).map(|f| f.mean())).collect()
        };
        let found: Vec<Vec<f64>> =
            run.install(|| tasks.par_iter().map(one).collect::<Result<_>>())?;
        by_model.push(found.chunks(size.samples).map(mean_of_columns).collect());
    }
    let estimate =
        |i: usize, l: usize| Estimate::of(&by_model.iter().map(|m| m[i][l]).collect::<Vec<f64>>());
    let rows = 0..size.rows.len();
    Ok(rows.map(|i| (0..LEARNERS.len()).map(|l| estimate(i, l)).collect()).collect())
}

fn mean_of_columns(rows: &[Vec<f64>]) -> Vec<f64> {
    let sum = |c: usize| rows.iter().map(|r| r[c]).sum::<f64>();
    (0..LEARNERS.len()).map(|c| sum(c) / rows.len() as f64).collect()
}

fn chart(title: &str, note: &str, rows: &[usize], results: &[Vec<Estimate>]) -> String {
    let series = |(l, learner): (usize, &(&str, Model, Fit))| {
        let point = |(&x, r): (&usize, &Vec<Estimate>)| LinePoint {
            x: x as f64,
            y: r[l].mean,
            error: r[l].error,
        };
        let points = rows.iter().zip(results).map(point).collect();
        Series { name: learner.0.into(), points }
    };
    Lines {
        title: title.into(),
        note: note.into(),
        x_label: "rows".into(),
        y_label: "accuracy in percent, five folds".into(),
        series: LEARNERS.iter().enumerate().map(series).collect(),
        ..Lines::default()
    }
    .svg()
}

fn notes(size: &Size) -> Vec<String> {
    vec![
        format!(
            "Accuracy in percent by five folds, the mean over {} distributions of each kind with {} samples of each size; \
             the author had 10 and 50 and seven sizes from 40 to 500 rows (--full). His figures give no numbers to set \
             beside these.",
            size.models, size.samples
        ),
        "Each attribute has two or three states, at random; every table of a network, and the joint distribution, is drawn \
         uniformly among all there are. The text says neither. Such joint distributions over thousands to millions of cells \
         leave almost nothing to learn from 500 rows: accuracy is that of guessing."
            .into(),
        "Sparse joint is not in the publication: joint distributions whose Dirichlet parameters sum to 100, so that some \
         hundreds of cells have almost all of the probability and no graph fits."
            .into(),
    ]
}
