//! Table 5.6: what structural TM selects.

use super::models::{Fit, Model, learner};
use super::published::lines;
use super::sets::{Folder, each};
use crate::data::View;
use crate::error::Result;
use crate::evaluate::published::Report;
use crate::run::Run;

const PUBLISHED: &str = include_str!("table_5_6.csv");

pub(super) fn table_5_6(folder: &str, _: bool, run: &Run<'_>) -> Result<Report> {
    let folder = Folder::open(folder, run)?;
    let mut report = Report::default();
    report.header =
        ["set", "attributes", "selected, published", "ours", "arcs between attributes", "which"]
            .map(String::from)
            .to_vec();
    each(lines(PUBLISHED).map(|l| l.set), &mut report, |set| {
        let table = folder.set(set, run)?;
        let published = lines(PUBLISHED).find(|l| l.set == set).map(|l| l.values);
        let [attributes, theirs] = published.unwrap_or_default()[..] else { return Ok(Vec::new()) };
        let classifier =
            learner(&Model::StructuralTm, Fit::Tm).fit(View::all(&table), "class", run)?;
        let Some(network) = classifier.network() else { return Ok(Vec::new()) };
        let class = network.variables().len() - 1;
        let told: Vec<usize> = network.dag().children(class).collect();
        let names: Vec<&str> = told.iter().map(|&v| network.variables()[v].name.as_str()).collect();
        Ok(vec![
            set.to_string(),
            attributes.to_string(),
            theirs.to_string(),
            told.len().to_string(),
            (network.dag().arcs() - told.len()).to_string(),
            names.join(", "),
        ])
    })?;
    report.notes.extend(
        [
            "Learnt from all rows: arcs added one by one by conditional BIC, each model fitted by TM, up to the complexity \
             of TAN. In the published models only that of corral has arcs between attributes.",
            "Ours judges an arc by 20 iterations of TM from the present model, and fits the one it takes to the end; the \
             author fits every candidate to the end.",
        ]
        .map(String::from),
    );
    Ok(report)
}
