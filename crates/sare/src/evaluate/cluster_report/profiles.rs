//! What the clusters are like: levels that are more or less frequent there than in all rows.

use super::{Clustered, MOST_DRAWN, number, percent, table, words};
use crate::draw::page::{Block, Cell, Column, Figure, Section, Table};
use crate::draw::profiles::{ProfileBlock, ProfileGroup, ProfileRow, Profiles};
use crate::draw::text::clip;

/// Levels of an attribute, rows of levels, and clusters in one chart.
const LEVELS: usize = 6;
const ROWS: usize = 90;
const GROUPS: usize = 8;
/// Levels named for each cluster on either side, and by how much they must differ.
const NAMED: usize = 6;
const NOTABLE: f64 = 0.05;
/// What stands where there is no such level.
const NONE: &str = "–";
/// The width of a name in those tables, in font sizes: about forty letters.
const NAME: f64 = 20.0;
/// A column that differs by less than this everywhere is not drawn.
const VISIBLE: f64 = 0.01;

/// A level of an attribute and its share in all rows and in each cluster that is shown.
struct Level {
    attribute: usize,
    name: String,
    whole: f64,
    shares: Vec<f64>,
}

impl Level {
    fn above(&self, cluster: usize) -> f64 {
        self.shares[cluster] - self.whole
    }

    /// By how much it differs from the whole where it differs most.
    fn spread(&self) -> f64 {
        (0..self.shares.len()).map(|c| self.above(c).abs()).fold(0.0, f64::max)
    }
}

fn levels(c: &Clustered<'_>, attribute: usize) -> Vec<Level> {
    let overall = c.marginals.overall(attribute);
    let names = c.coded.fields[attribute].levels().iter();
    let level = |(k, name): (usize, &String)| Level {
        attribute,
        name: name.clone(),
        whole: overall[k],
        shares: (0..c.shown()).map(|g| c.marginals.given(attribute, g)[k]).collect(),
    };
    names.enumerate().map(level).collect()
}

pub(super) fn section(c: &Clustered<'_>) -> Section {
    let mut blocks = vec![Block::Paragraph(
        "How often each level comes in a cluster, against how often it comes in all rows, by the model: rows that may \
         belong to several clusters count in each as much as they are probable there. Columns that matter most come \
         first."
            .into(),
    )];
    blocks.push(named(c));
    blocks.extend(drawn(c));
    blocks.extend(parts(c).iter().map(|part| listed(c, part)));
    super::section("What the clusters are like", blocks)
}

/// For every cluster the levels that part it most from all rows, to be read aloud.
fn named(c: &Clustered<'_>) -> Block {
    let all: Vec<Level> = c.order.iter().flat_map(|&v| levels(c, v)).collect();
    let side = |cluster: usize, sign: f64| -> String {
        // Of two levels one is as much less frequent as the other is more: once is enough.
        let told = |l: &&Level| sign > 0.0 || c.coded.fields[l.attribute].states() > 2;
        let far = |l: &&Level| sign * l.above(cluster) >= NOTABLE;
        let mut far: Vec<&Level> = all.iter().filter(told).filter(far).collect();
        far.sort_by(|x, y| (sign * y.above(cluster)).total_cmp(&(sign * x.above(cluster))));
        let text = |l: &&Level| {
            let (here, whole) = (percent(l.shares[cluster]), percent(l.whole));
            let name = |n: &str| clip(n, 1.0, NAME);
            format!("{} = {}: {here}\u{a0}({whole})", name(c.attribute(l.attribute)), name(&l.name))
        };
        match far.is_empty() {
            true => NONE.into(),
            false => far.iter().take(NAMED).map(text).collect::<Vec<_>>().join("\n"),
        }
    };
    let less: Vec<String> = (0..c.shown()).map(|g| side(g, -1.0)).collect();
    let both = less.iter().any(|text| text != NONE);
    let row = |g: usize| -> Vec<Cell> {
        let name = format!("{} ({})", c.name(g), percent(c.share(g)));
        vec![name.into(), side(g, 1.0).into(), less[g].clone().into()]
    };
    let mut caption = format!(
        "The levels whose share in the cluster differs most from that in all rows, at most {NAMED} on either side, if \
         by {:.0} points or more; in brackets the share in all rows.",
        100.0 * NOTABLE
    );
    if c.order.iter().any(|&v| c.coded.fields[v].states() == 2) {
        caption.push_str(
            " Of columns with two levels only the one that is more frequent here is named.",
        );
    }
    caption.push_str(&c.only());
    let mut columns = vec![words("cluster"), words("more often here"), words("less often here")];
    columns.truncate(if both { 3 } else { 2 });
    let rows = (0..c.shown()).map(row).collect();
    Block::Table(Table { caption, columns, rows })
}

/// The charts: as many clusters side by side as can be read.
fn drawn(c: &Clustered<'_>) -> Vec<Block> {
    let blocks = chosen(c);
    if blocks.is_empty() {
        let text =
            "No level differs between the clusters by a point or more: there is nothing to draw.";
        return vec![Block::Paragraph(text.into())];
    }
    let chart = |part: &[usize]| {
        let group = |&g: &usize| ProfileGroup { name: c.name(g), note: percent(c.share(g)) };
        let row = |l: &Level| ProfileRow {
            name: l.name.clone(),
            whole: l.whole,
            shares: part.iter().map(|&g| l.shares[g]).collect(),
        };
        let block = |(levels, more): &(Vec<Level>, usize)| ProfileBlock {
            name: levels.first().map_or("", |l| c.attribute(l.attribute)).into(),
            rows: levels.iter().map(row).collect(),
            more: *more,
        };
        let chart = Profiles {
            title: "Shares of the levels in each cluster".into(),
            groups: part.iter().map(group).collect(),
            blocks: blocks.iter().map(block).collect(),
            ..Profiles::default()
        };
        Block::Figure(Figure { svg: chart.svg(), caption: caption(c, &blocks) })
    };
    parts(c).iter().map(|part| chart(part)).collect()
}

/// The clusters in parts that fit side by side, about equally large.
fn parts(c: &Clustered<'_>) -> Vec<Vec<usize>> {
    let count = c.shown().div_ceil(GROUPS).max(1);
    let clusters: Vec<usize> = (0..c.shown()).collect();
    clusters.chunks(c.shown().div_ceil(count).max(1)).map(<[usize]>::to_vec).collect()
}

/// What the chart leaves out.
fn caption(c: &Clustered<'_>, blocks: &[(Vec<Level>, usize)]) -> String {
    let mut text = String::new();
    if blocks.len() < c.order.len() {
        text = format!(
            "{} of {} columns: those that matter most, without any that differ by less than a point everywhere. ",
            blocks.len(),
            c.order.len()
        );
    }
    if blocks.iter().any(|(_, more)| *more > 0) {
        text.push_str("Of columns with many levels, those that differ most.");
    }
    text.trim_end().into()
}

/// The attributes that are drawn, each with its levels that differ most, and how many of them are left out.
fn chosen(c: &Clustered<'_>) -> Vec<(Vec<Level>, usize)> {
    let mut all = Vec::new();
    let mut rows = 0;
    let levels = c.order.iter().map(|&v| levels(c, v));
    let visible = levels.filter(|l| l.iter().any(|level| level.spread() >= VISIBLE));
    for levels in visible.take(MOST_DRAWN).map(most_different) {
        rows += levels.0.len();
        if rows > ROWS && !all.is_empty() {
            break;
        }
        all.push(levels);
    }
    all
}

/// The levels that differ most from the whole, in their order, and how many are left out.
fn most_different(levels: Vec<Level>) -> (Vec<Level>, usize) {
    // A line that says "1 more level" could as well show it.
    if levels.len() <= LEVELS + 1 {
        return (levels, 0);
    }
    let more = levels.len() - LEVELS;
    let mut ranked: Vec<usize> = (0..levels.len()).collect();
    ranked.sort_by(|&x, &y| levels[y].spread().total_cmp(&levels[x].spread()));
    ranked.truncate(LEVELS);
    let numbered = levels.into_iter().enumerate();
    (numbered.filter(|(k, _)| ranked.contains(k)).map(|(_, level)| level).collect(), more)
}

/// All shares in some clusters as a table.
fn listed(c: &Clustered<'_>, part: &[usize]) -> Block {
    let mut columns: Vec<Column> = vec![words("column"), words("level"), number("in all")];
    columns.extend(part.iter().map(|&g| number(c.name(g))));
    let row = |(k, l): (usize, Level)| -> Vec<Cell> {
        let name = if k == 0 { c.attribute(l.attribute) } else { "" };
        let mut row: Vec<Cell> = vec![name.into(), l.name.clone().into(), percent(l.whole).into()];
        row.extend(
            part.iter().map(|&g| Cell { text: percent(l.shares[g]), best: l.above(g) >= NOTABLE }),
        );
        row
    };
    let rows = c.order.iter().flat_map(|&v| levels(c, v).into_iter().enumerate()).map(row);
    let caption = format!(
        "The share of each level in all rows and in each cluster; bold: at least {:.0} points above that in all.",
        100.0 * NOTABLE
    );
    let what = match (part, part.len() < c.shown()) {
        ([first, .., last], true) => format!("Shares in {} to {}", c.name(*first), c.name(*last)),
        _ => "All shares".into(),
    };
    table(&format!("{what} as a table"), caption, columns, rows.collect())
}
