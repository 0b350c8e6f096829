//! Table 5.4: conditional likelihood on whole sets.

use super::models::{Model, climb};
use super::published::{lines, same};
use super::sets::{Folder, each};
use crate::error::Result;
use crate::evaluate::published::Report;
use crate::run::Run;

const PUBLISHED: &str = include_str!("table_5_4.csv");

pub(super) fn table_5_4(folder: &str, _: bool, run: &Run<'_>) -> Result<Report> {
    let folder = Folder::open(folder, run)?;
    let mut report = Report::default();
    report.header.push("set".into());
    for name in ["NB", "NB-TM", "TAN", "TAN-TM"] {
        report.header.extend([format!("{name} published"), "ours".into()]);
    }
    let mut equal = [0; 4];
    // Where ours is at least as high: TM raises it, so more is nearer to its end.
    let mut reached = [0; 4];
    each(lines(PUBLISHED), &mut report, |line| {
        let table = folder.set(line.set, run)?;
        let mut row = vec![line.set.to_string()];
        let traces = [climb(&Model::Naive, &table, run)?, climb(&Model::Tan, &table, run)?];
        let ours = traces.iter().flat_map(|t| [t[0], t[t.len() - 1]]);
        for (i, (ours, theirs)) in ours.zip(&line.values).enumerate() {
            equal[i] += usize::from(same(ours, *theirs));
            reached[i] += usize::from(ours > theirs - 0.0051);
            row.extend([format!("{theirs:.2}"), format!("{ours:.2}")]);
        }
        Ok(row)
    })?;
    let sets = report.rows.len();
    for (i, name) in ["NB", "NB-TM", "TAN", "TAN-TM"].into_iter().enumerate() {
        report.notes.push(format!(
            "{name}: {} of {sets} equal to the last printed digit, {} at least as high.",
            equal[i], reached[i]
        ));
    }
    report.notes.extend(notes());
    Ok(report)
}

fn notes() -> impl Iterator<Item = String> {
    [
        "Sums of ln p(class | attributes) over all rows of the set, which is also what was learnt from. Rows with missing \
         cells left out, Fayyad and Irani's cut points from all rows, counts with one added, TM until it gains less than \
         0.001: as published, but that the text says maximum likelihood where the figures are those of one added.",
        "These data give the published figures of naive Bayes: vote with its missing votes as a level of their own, breast \
         and lymphography with their numbers taken as names, the others cut. For soybean-large and flare none was found that \
         does; for flare another class was predicted, as the published accuracies of 92 % and more show: the commonest of \
         our classes (a C-class flare or none) has 83 % of the rows.",
        "The root of a TAN was chosen at random by the author; ours is the attribute that tells most about the class. With \
         one added to the counts the root changes the figures a little.",
        "The published TM searches its step on a grid of 0.01; ours halves it.",
    ]
    .map(String::from)
    .into_iter()
}
