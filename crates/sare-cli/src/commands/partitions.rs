//! `sare partitions`: how well two partitions of the same rows agree.

use crate::args::{Common, NameList, TextReading, Usage, names};
use crate::output::{TextTable, cut, grouped, percent, print, print_json};
use clap::Args;
use sare::cluster::contingency::{Contingency, LeftOut, Meeting};
use sare::cluster::pairing::{Labeling, Paired, pair};
use sare::cluster::partition::{Agreement, agreement, matching};
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A contingency table with more labels than this on a side is not printed.
const MOST_LABELS: usize = 24;

/// Compare two partitions of the same rows, such as clusters and a known class
///
/// Give two files with a column of labels each, or one file with two such columns. Names of labels need not agree.
#[derive(Args)]
pub struct Partitions {
    /// The file of the first labels (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    first: String,
    /// The file of the second labels [default: both are in the first file]
    second: Option<String>,
    /// The columns of labels, as first,second; one name for two files that have it both [default: predicted_cluster,
    /// or else the last column of each file]
    #[arg(long, visible_alias = "columns", value_name = "COLUMNS")]
    column: Vec<NameList>,
    /// Pair the rows of two files by this column instead of by their order
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    #[command(flatten)]
    text: TextReading,
}

impl Partitions {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let [first, second] = self.read(common)?;
        let paired = pair(&first, &second)?;
        let table = Contingency::new(&paired.first, &paired.second, None)?;
        let found = agreement(&table);
        let sides = [Side::of(first), Side::of(second)];
        let report = Report { sides, paired, table, found };
        if common.json {
            return print_json(&report.json());
        }
        print(&report.text())
    }

    fn read(&self, common: &Common) -> anyhow::Result<[Labeling; 2]> {
        let watcher = common.watcher();
        let run = common.run(1, &watcher)?;
        let options = self.text.options();
        let usage = |text: &str| Err(Usage(text.into()).into());
        let columns = names(&self.column);
        let Some(second) = &self.second else {
            if self.id.is_some() {
                return usage("--id pairs the rows of two files; one file's rows need none");
            }
            let [a, b] = &columns[..] else {
                return usage(
                    "give two files, or one and the two columns to compare: --columns truth,cluster",
                );
            };
            return Ok(Labeling::read_two(&self.first, [a, b], &options, &run)?);
        };
        if self.first == "-" && second == "-" {
            return usage("the standard input can be only one of the files");
        }
        let columns = match &columns[..] {
            [] => [None, None],
            [both] => [Some(both.as_str()); 2],
            [a, b] => [Some(a.as_str()), Some(b.as_str())],
            _ => return usage("two partitions are compared: give at most two columns"),
        };
        let read = |path: &str, column: Option<&str>| {
            Labeling::read(path, column, self.id.as_deref(), &options, &run)
        };
        Ok([read(&self.first, columns[0])?, read(second, columns[1])?])
    }
}

/// Where labels are from.
#[derive(Serialize)]
struct Side {
    file: String,
    column: String,
    #[serde(skip)]
    names: Vec<String>,
}

impl Side {
    fn of(labeling: Labeling) -> Side {
        let Labeling { file, column, names, .. } = labeling;
        Side { file, column, names }
    }
}

struct Report {
    sides: [Side; 2],
    paired: Paired,
    table: Contingency,
    found: Agreement,
}

impl Report {
    fn first_name(&self, place: usize) -> &str {
        &self.sides[0].names[self.table.first()[place].code as usize]
    }

    fn second_name(&self, place: usize) -> &str {
        &self.sides[1].names[self.table.second()[place].code as usize]
    }

    fn json(&self) -> Value {
        let LeftOut { without_first, without_second, without_both } = self.table.left_out();
        let (firsts, seconds) = (self.table.first().len(), self.table.second().len());
        let cell = |c: &Meeting| {
            json!({ "first": self.first_name(c.first), "second": self.second_name(c.second),
                "rows": c.weight as u64 })
        };
        let pairs = matching(&self.table);
        json!({
            "first": self.sides[0], "second": self.sides[1],
            "rows": self.table.rows(),
            "left_out": {
                "without_first": without_first, "without_second": without_second,
                "without_both": without_both,
                "only_in_first": self.paired.only_first, "only_in_second": self.paired.only_second,
            },
            "measures": self.found,
            "first_labels": (0..firsts).map(|i| self.first_name(i)).collect::<Vec<_>>(),
            "second_labels": (0..seconds).map(|i| self.second_name(i)).collect::<Vec<_>>(),
            "cells": self.table.cells().iter().map(cell).collect::<Vec<_>>(),
            "matching": pairs.iter().map(cell).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let labels = [self.table.first().len(), self.table.second().len()];
        for ((title, side), labels) in ["first:", "second:"].iter().zip(&self.sides).zip(labels) {
            let Side { file, column, .. } = side;
            let _ =
                writeln!(text, "{title:8}{file}, column '{column}', {} labels", grouped(labels));
        }
        let _ = writeln!(text, "{}\n", self.rows_text());
        text.push_str(&self.measures_text());
        text.push('\n');
        text.push_str(&self.table_text());
        text
    }

    fn rows_text(&self) -> String {
        let left_out = self.table.left_out();
        let parts = [
            (left_out.without_first, "without a first label"),
            (left_out.without_second, "without a second label"),
            (left_out.without_both, "without any"),
            (self.paired.only_first, "in the first file only"),
            (self.paired.only_second, "in the second file only"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(rows, _)| *rows > 0)
            .map(|(rows, why)| format!("{} {why}", grouped(*rows)))
            .collect();
        let rows = grouped(self.table.rows());
        match said.is_empty() {
            true => format!("{rows} rows compared"),
            false => format!("{rows} rows compared; left out: {}", said.join(", ")),
        }
    }

    fn measures_text(&self) -> String {
        let entries = self.table.rows() as f64 * self.table.rows() as f64;
        let share = if entries > 0.0 { self.found.hamming / entries } else { 0.0 };
        let hamming = grouped(self.found.hamming as usize);
        let mut rows = TextTable::new(["measure", "value"], 1);
        rows.row(["adjusted Rand index", &format!("{:.4}", self.found.adjusted_rand)]);
        let information = format!("{:.4}", self.found.normalised_information);
        rows.row(["normalised mutual information", &information]);
        rows.row(["accuracy under the best matching", &percent(self.found.accuracy)]);
        rows.row(["co-membership Hamming distance", &hamming]);
        rows.row(["  as a share of all pairs of rows", &percent(share)]);
        rows.text(0)
    }

    fn table_text(&self) -> String {
        let (firsts, seconds) = (self.table.first(), self.table.second());
        if firsts.len() > MOST_LABELS || seconds.len() > MOST_LABELS {
            let (a, b) = (grouped(firsts.len()), grouped(seconds.len()));
            return format!("The table of {a} by {b} labels is not shown; --json has it.\n");
        }
        let whole = |weight: f64| grouped(weight as usize);
        let partners = matching(&self.table);
        let mut header = vec!["first \\ second".to_string()];
        header.extend((0..seconds.len()).map(|i| cut(self.second_name(i), 16)));
        header.extend(["rows".into(), "matched with".into()]);
        let mut rows = TextTable::new(header, 1).last_left();
        for (i, label) in firsts.iter().enumerate() {
            let mut counts = vec!["0".to_string(); seconds.len()];
            for cell in self.table.cells().iter().filter(|c| c.first == i) {
                counts[cell.second] = whole(cell.weight);
            }
            let partner = partners.iter().find(|m| m.first == i);
            let partner = partner.map_or("-".into(), |m| cut(self.second_name(m.second), 30));
            let mut line = vec![cut(self.first_name(i), 30)];
            line.extend(counts);
            line.extend([whole(label.weight), partner]);
            rows.row(line);
        }
        let mut sums = vec!["rows".to_string()];
        sums.extend(seconds.iter().map(|l| whole(l.weight)));
        sums.push(grouped(self.table.rows()));
        rows.row(sums);
        rows.text(0)
    }
}
