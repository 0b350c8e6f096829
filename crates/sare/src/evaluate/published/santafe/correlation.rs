//! Table 5.7: how likelihood and conditional likelihood go with accuracy.

use super::models::Model;
use super::published::lines;
use super::sets::{Folder, cut, each};
use crate::data::{Source, Table, View};
use crate::draw::{Cloud, CloudSeries};
use crate::error::Result;
use crate::evaluate::published::{Drawing, Report};
use crate::graph::Dag;
use crate::infer::density::{LogTables, Purpose as Wanted, Room};
use crate::network::Network;
use crate::num::{log_sum_exp, winner};
use crate::parameters::dirichlet::variables;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::hypothesis::{spearman, wilcoxon};
use crate::structure::Structure;
use crate::structure::constraints::Constraints;
use crate::structure::naive::NaiveBayes;
use crate::structure::tan::{Edges, TreeAugmented};
use rayon::prelude::*;

const PUBLISHED: &str = include_str!("table_5_7.csv");
const MODELS: [(&str, Model); 3] =
    [("NB", Model::Naive), ("TAN", Model::Tan), ("cTAN", Model::ConditionalTan)];
/// Correlations are taken within parts of so many parameter sets.
const PART: usize = 100;
/// So many parameter sets of each model are drawn as points.
const DRAWN: usize = 200;

/// What a set of parameters is worth on the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// Log-likelihood.
    pub likelihood: f64,
    /// Conditional log-likelihood.
    pub conditional: f64,
    /// The share predicted right.
    pub accuracy: f64,
}

pub(super) fn table_5_7(folder: &str, full: bool, run: &Run<'_>) -> Result<Report> {
    let folder = Folder::open(folder, run)?;
    let draws = if full { 10_000 } else { 1000 };
    let mut report = Report::default();
    report.header.push("set".into());
    for name in MODELS.iter().flat_map(|m| [format!("{} LL", m.0), format!("{} CLL", m.0)]) {
        report.header.extend([format!("{name} published"), "ours".into()]);
    }
    report.header.push("largest p".into());
    let mut drawings = Vec::new();
    each(lines(PUBLISHED), &mut report, |line| {
        let table = cut(&folder.set(line.set, run)?, run)?;
        let mut row = vec![line.set.to_string()];
        let (mut clouds, mut largest) = (Vec::new(), 0.0f64);
        for (i, (name, model)) in MODELS.iter().enumerate() {
            let all = worths(model, &table, draws, run)?;
            let parts: Vec<(f64, f64)> = all.chunks(PART).map(correlations).collect();
            let (generative, discriminative): (Vec<f64>, Vec<f64>) = parts.into_iter().unzip();
            let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
            for (j, ours) in [mean(&generative), mean(&discriminative)].into_iter().enumerate() {
                row.extend([format!("{:.4}", line.values[2 * i + j]), format!("{ours:.4}")]);
            }
            largest = largest.max(wilcoxon(&generative, &discriminative).p_value);
            clouds.push((*name, all));
        }
        row.push(format!("{largest:.1e}"));
        drawings.extend(figures(line.set, &clouds));
        Ok(row)
    })?;
    report.drawings = drawings;
    report.notes.push(format!(
        "Spearman's rank correlation of log-likelihood (LL) and conditional log-likelihood (CLL) with accuracy, all on the \
         rows of the set, the mean over {} parts of {PART} random parameter sets (published: 100 parts). Every row of every \
         table is drawn uniformly; the text only says at random.",
        draws / PART
    ));
    report.notes.push(
        "Largest p: of Wilcoxon's tests, over the parts, of LL against CLL, the largest of the three structures.".into(),
    );
    Ok(report)
}

/// The two correlations with accuracy.
fn correlations(part: &[Worth]) -> (f64, f64) {
    let column = |f: fn(&Worth) -> f64| part.iter().map(f).collect::<Vec<f64>>();
    let accuracy = column(|w| w.accuracy);
    let with = |f: fn(&Worth) -> f64| spearman(&column(f), &accuracy).statistic;
    (with(|w| w.likelihood), with(|w| w.conditional))
}

/// What random parameters of a structure, learnt from the rows, are worth on them.
pub(super) fn worths(
    model: &Model,
    table: &Table,
    draws: usize,
    run: &Run<'_>,
) -> Result<Vec<Worth>> {
    let source = Source::Memory(View::all(table));
    let rules = Constraints::default().over(table.schema(), table.name())?;
    let dag = match model {
        Model::Tan => TreeAugmented { edges: Edges::Tree }.learn(&source, &rules, run)?,
        Model::ConditionalTan => {
            TreeAugmented { edges: Edges::ConditionalTree }.learn(&source, &rules, run)?
        }
        _ => NaiveBayes.learn(&source, &rules, run)?,
    };
    let one = |i: usize| -> Result<Worth> {
        let mut random = Random::new(run.seed, Purpose::Model, i as u64);
        let network = random_parameters(&dag, table, &mut random)?;
        Ok(worth(&LogTables::new(&network), table))
    };
    run.install(|| (0..draws).into_par_iter().map(one).collect())
}

fn random_parameters(dag: &Dag, table: &Table, random: &mut Random) -> Result<Network> {
    let states = |v: usize| table.field(v).states();
    let probabilities = |v: usize| -> Vec<f64> {
        let rows: usize = dag.parents(v).map(states).product();
        (0..rows).flat_map(|_| random.dirichlet(states(v), 1.0)).collect()
    };
    let tables = (0..table.columns()).map(probabilities).collect();
    Network::new(variables(table.schema()), dag.clone(), tables)
}

pub(super) fn worth(tables: &LogTables, table: &Table) -> Worth {
    let class = table.columns() - 1;
    let classes = table.field(class).states();
    let mut scores = vec![0.0; table.rows() * classes];
    let block = View::all(table).block(0, table.rows());
    tables.log_joint(&block, Wanted::Density, &mut Room::default(), &mut scores);
    let mut worth = Worth { likelihood: 0.0, conditional: 0.0, accuracy: 0.0 };
    for (r, row) in scores.chunks_exact(classes).enumerate() {
        let Some(truth) = table.cells(class).code(r) else { continue };
        worth.likelihood += row[truth];
        worth.conditional += row[truth] - log_sum_exp(row);
        worth.accuracy += f64::from(u8::from(winner(row) == truth));
    }
    worth.accuracy /= table.rows() as f64;
    worth
}

/// Accuracy against likelihood and against conditional likelihood.
fn figures(set: &str, clouds: &[(&str, Vec<Worth>)]) -> Vec<Drawing> {
    let one = |short: &str, long: &str, f: fn(&Worth) -> f64| {
        let series = |(name, all): &(&str, Vec<Worth>)| CloudSeries {
            name: name.to_string(),
            points: all.iter().take(DRAWN).map(|w| (f(w), 100.0 * w.accuracy)).collect(),
        };
        let chart = Cloud {
            title: format!("Random parameters on {set}"),
            note: format!("{DRAWN} parameter sets of each structure at most"),
            x_label: long.into(),
            y_label: "accuracy in percent".into(),
            series: clouds.iter().map(series).collect(),
        };
        Drawing { name: format!("santafe-5-10-{set}-{short}"), svg: chart.svg() }
    };
    vec![
        one("ll", "log-likelihood", |w| w.likelihood),
        one("cll", "conditional log-likelihood", |w| w.conditional),
    ]
}
