//! `sare report`: clusters as one page that can be published.

use super::predict::unseen_words;
use crate::args::{Common, TextReading, Usage, read_again};
use crate::output::{grouped, keep_apart, print, print_json};
use clap::Args;
use sare::classify::Classifier;
use sare::cluster::pairing::Labeling;
use sare::data::open::{display_name, is_pipe, open};
use sare::data::read::SchemaReader;
use sare::data::write::write_file;
use sare::data::{ReadOptions, Schema};
use sare::evaluate::cluster_report::{Clustered, Membership, page};
use serde_json::json;

/// Write a page about clusters: which columns matter, what each cluster is like, how sure the rows are
///
/// One HTML file with tables and drawings that needs nothing else, of a model that `sare cluster` made and of the rows of a
/// file: those it was learnt from, or others.
#[derive(Args)]
pub struct Report {
    /// The model file
    model: String,
    /// The file whose rows are told (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// Where the page goes (- for standard output)
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: String,
    /// What the page is called [default: Clusters of FILE]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    title: String,
    /// A column of known groups, compared with the clusters
    #[arg(long, value_name = "COLUMN")]
    truth: Option<String>,
    /// The column of row weights [default: the one that the model was learnt with, where the file has it]
    #[arg(long, value_name = "COLUMN", help_heading = "Reading")]
    weight: Option<String>,
    #[command(flatten)]
    text: TextReading,
}

impl Report {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        if self.model == "-" && self.data == "-" {
            let text = "only one of the model and the data can come from standard input";
            return Err(Usage(text.into()).into());
        }
        if self.output == "-" && common.json {
            let text = "--json and the page cannot both go to standard output; say -o FILE";
            return Err(Usage(text.into()).into());
        }
        if self.truth.is_some() {
            read_again("--truth", &self.data)?;
        }
        let inputs = [("model", &*self.model), ("data file", &*self.data)];
        keep_apart(&[("--output", &self.output)], &inputs)?;
        let model = Classifier::load(&self.model)?;
        let clustered = Clustered::of(&model, display_name(&self.model))?;
        let watcher = common.watcher();
        let run = common.run(model.seed(), &watcher)?;
        let mut options = self.text.options_for(&model);
        options.weight = self.weight(&model, &options, common)?;
        let schema = Schema::new(model.attributes().to_vec());
        let mut reader = SchemaReader::open(&self.data, &schema, &options, &[], false)?;
        let groups = |name: &String| Labeling::read(&self.data, Some(name), None, &options, &run);
        let groups = self.truth.as_ref().map(groups).transpose()?;
        let name = display_name(&self.data);
        let membership = Membership::read(&model, name, &mut reader, groups, &run)?;
        drop(run);
        drop(watcher);
        let mut notes = unseen_words(&reader);
        if let Some(name) = self.truth.as_ref().filter(|name| schema.position(name).is_some()) {
            notes.push(format!(
                "the clusters were learnt from column '{name}' too: no wonder if they agree with it"
            ));
        }
        let footer = format!("Written by sare {}.", env!("CARGO_PKG_VERSION"));
        let html = page(&clustered, &membership, &self.title, &notes, &footer).html();
        write_file(&self.output, |out| out.write_all(html.as_bytes()))?;
        notes.iter().for_each(|note| common.warn(note));
        if self.output == "-" {
            return Ok(());
        }
        if common.json {
            return print_json(&self.as_json(&membership));
        }
        let clusters = membership.assigned.len();
        print(&format!(
            "{}: {clusters} cluster{}, {} rows, mean probability of their clusters {:.4}\n",
            self.output,
            if clusters == 1 { "" } else { "s" },
            grouped(membership.rows),
            membership.mean_largest()
        ))
    }

    /// The column of weights: as said, or as when the model was learnt.
    fn weight(
        &self,
        model: &Classifier,
        options: &ReadOptions,
        common: &Common,
    ) -> anyhow::Result<Option<String>> {
        let learnt = &model.training().weight;
        let (None, Some(name)) = (&self.weight, learnt) else { return Ok(self.weight.clone()) };
        // A pipe can be read only once: what is there is seen when it is too late.
        let there = !is_pipe(&self.data) && open(&self.data, options)?.names().contains(name);
        if !there {
            common.warn(&format!(
                "the model was learnt with weights, but no column '{name}' is at hand: every row of {} counts once",
                display_name(&self.data)
            ));
        }
        Ok(there.then(|| name.clone()))
    }

    fn as_json(&self, m: &Membership) -> serde_json::Value {
        json!({
            "page": self.output,
            "rows": m.rows,
            "weight": m.weight,
            "assigned": m.assigned,
            "mean_membership": m.mean(),
            "mean_largest": m.mean_largest(),
            "sure": m.sure,
            "mean_entropy": m.mean_entropy(),
            "relative_entropy": m.relative_entropy(),
            "missing_cells": m.missing.0,
            "agreement": m.known.as_ref().map(|k| k.agreement),
            "without_known_group": m.known.as_ref().map(|k| k.table.left_out().rows()),
        })
    }
}
