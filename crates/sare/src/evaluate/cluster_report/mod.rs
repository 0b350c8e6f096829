//! Clusters as one self-contained page: what was found, which columns matter, what the clusters are like, how they were
//! found, and how sure the rows of a table are of theirs.

mod history;
mod known;
mod membership;
mod numbers;
mod profiles;
mod relevance;
mod summary;
mod sureness;
#[cfg(test)]
mod tests;

pub use known::Known;
pub use membership::Membership;

use crate::classify::Classifier;
use crate::cluster::Marginals;
use crate::data::Schema;
use crate::draw::page::{Block, Cell, Column, Page, Section, Table};
use crate::error::{Error, Result};
use crate::run::ClusterOutcome;

/// Clusters that have a column in a table or a panel in a chart: the largest ones.
const MOST_CLUSTERS: usize = 24;
/// Attributes in a chart.
const MOST_DRAWN: usize = 30;
/// A table longer than this is folded, and none is longer than that.
const UNFOLDED: usize = 40;
const LONGEST: usize = 500;

/// A model of clusters with all that the page says of it.
pub struct Clustered<'a> {
    model: &'a Classifier,
    found: &'a ClusterOutcome,
    marginals: Marginals,
    /// The columns after cutting.
    coded: Schema,
    /// The attributes, those that matter most first.
    order: Vec<usize>,
}

impl<'a> Clustered<'a> {
    /// Of a model file by this name. A model without clusters is refused, and one whose parts do not fit together.
    pub fn of(model: &'a Classifier, file: &str) -> Result<Clustered<'a>> {
        let Some(found) = &model.outcome().clusters else {
            let problem = "the model holds no clusters: it was learnt with a class";
            let fix = "make one that does with: sare cluster DATA --clusters NUMBER -o MODEL";
            return Err(Error::model(file, problem, fix));
        };
        let attributes = model.attributes().len();
        let relevance = model.outcome().relevance.as_ref();
        let fits = found.sizes.len() == model.class().states()
            && found.information.len() == attributes
            && found.independence.len() == attributes
            && relevance.is_none_or(|p| p.len() == attributes);
        if !fits {
            let problem = "what the model says of its clusters does not fit its columns";
            return Err(Error::model(file, problem, "make the model again with sare cluster"));
        }
        let marginals = Marginals::of(model)?;
        let coded = model.bins().schema(model.schema());
        let order = relevance::order(found, relevance);
        Ok(Clustered { model, found, marginals, coded, order })
    }

    /// How many clusters there are.
    fn clusters(&self) -> usize {
        self.found.sizes.len()
    }

    /// How many of them the page shows one by one.
    fn shown(&self) -> usize {
        self.clusters().min(MOST_CLUSTERS)
    }

    /// Says so where the page leaves clusters out.
    fn only(&self) -> String {
        match self.shown() < self.clusters() {
            true => format!(" The {} largest of {}.", self.shown(), self.clusters()),
            false => String::new(),
        }
    }

    /// What a cluster is called.
    fn name(&self, cluster: usize) -> String {
        format!("cluster {}", self.model.class().levels()[cluster])
    }

    /// The part of the rows that belong to a cluster.
    fn share(&self, cluster: usize) -> f64 {
        let total: f64 = self.found.sizes.iter().sum();
        if total > 0.0 { self.found.sizes[cluster] / total } else { 0.0 }
    }

    /// The name of an attribute.
    fn attribute(&self, attribute: usize) -> &str {
        &self.coded.fields[attribute].name
    }
}

/// The page. `notes` are things to know about the rows, such as levels that the model does not know; `title` may be
/// empty.
pub fn page(
    clustered: &Clustered<'_>,
    membership: &Membership,
    title: &str,
    notes: &[String],
    footer: &str,
) -> Page {
    let file = short(&clustered.model.training().file);
    let title = match title {
        "" => format!("Clusters of {file}"),
        given => given.into(),
    };
    let mut sections = vec![summary::section(clustered)];
    sections.extend(clustered.found.numbers.as_ref().map(|n| numbers::section(clustered, n)));
    sections.extend([
        relevance::section(clustered),
        profiles::section(clustered),
        history::section(clustered),
        sureness::section(clustered, membership, notes),
    ]);
    sections.extend(membership.known.as_ref().map(|k| known::section(clustered, k)));
    Page { title, lead: summary::lead(clustered), sections, footer: footer.into() }
}

/// The last part of a path.
fn short(path: &str) -> &str {
    std::path::Path::new(path).file_name().and_then(|n| n.to_str()).unwrap_or(path)
}

/// A share in per cent, which no line break tears from its sign.
fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", 100.0 * share)
}

/// A number with its noun, which gets an s where it is not one.
fn counted(count: usize, noun: &str) -> String {
    let number = crate::draw::scale::grouped(count as f64, 0);
    format!("{number} {noun}{}", if count == 1 { "" } else { "s" })
}

fn words(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), numeric: false }
}

fn number(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), numeric: true }
}

/// A table, folded if it is long behind a line that says `what` it is; of one that is too long the first rows.
fn table(what: &str, caption: String, columns: Vec<Column>, mut rows: Vec<Vec<Cell>>) -> Block {
    let all = rows.len();
    rows.truncate(LONGEST);
    let count = match all > LONGEST {
        true => format!("the first {LONGEST} of {}", counted(all, "row")),
        false => counted(all, "row"),
    };
    let table = Table { caption, columns, rows };
    match all > UNFOLDED {
        true => Block::Folded(format!("{what} ({count})"), table),
        false => Block::Table(table),
    }
}

fn section(heading: &str, blocks: Vec<Block>) -> Section {
    Section { heading: heading.into(), blocks }
}
