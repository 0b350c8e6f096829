//! `sare curve`: learning curves.

use super::compare::{Candidates, set_name};
use crate::args::{Common, MeasureArgs, Reading, leaves_class};
use crate::output::{TextTable, given, keep_apart, print, print_json};
use crate::scheme::SchemeArgs;
use clap::Args;
use sare::data::read_table;
use sare::data::write::write_file;
use sare::draw::lines::{LinePoint, Lines, Series};
use sare::evaluate::curve::{Curve, learning_curves};
use sare::evaluate::report::shown;
use sare::evaluate::{Measure, notes};
use serde_json::json;

/// Show how learners do as they see more rows
#[derive(Args)]
pub struct CurveCommand {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// The class column
    #[arg(long, value_name = "COLUMN")]
    class: String,
    /// Numbers of training rows
    #[arg(long, value_delimiter = ',', required = true, value_name = "SIZES")]
    sizes: Vec<usize>,
    #[command(flatten)]
    candidates: Candidates,
    #[command(flatten)]
    judging: MeasureArgs,
    #[command(flatten)]
    scheme: SchemeArgs,
    /// Write the curves as a drawing
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

impl CurveCommand {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let candidates = self.candidates.all()?;
        let scheme = self.scheme.scheme()?;
        let measure = self.judging.measure()?;
        let mut inputs = given(&[("cost file", &self.judging.cost)]);
        inputs.push(("data file", &self.data));
        keep_apart(&given(&[("--svg", &self.svg)]), &inputs)?;
        let watcher = common.watcher();
        let run = common.run(self.judging.seed, &watcher)?;
        let reading = leaves_class(&self.class, self.reading.options())?;
        let table = read_table(&self.data, &reading, &run)?;
        super::fit::warn_of_weights(&table, common);
        let options = self.judging.options(&table, &self.class)?;
        let (class, sizes) = (&self.class, &self.sizes);
        let curves = learning_curves(&candidates, &table, class, scheme, sizes, &options, &run)?;
        drop(run);
        drop(watcher);
        let notes = notes(&table, class, scheme)?;
        common.notes(&notes);
        if let Some(path) = &self.svg {
            let svg = self.chart(&curves, &measure, &set_name(&self.data)).svg();
            write_file(path, |out| out.write_all(svg.as_bytes()))?;
        }
        if common.json {
            let estimates = |c: &Curve| {
                let sizes = 0..self.sizes.len();
                sizes.map(|s| c.estimate(s, measure.value)).collect::<Vec<_>>()
            };
            let curves: Vec<_> = curves
                .iter()
                .map(|c| json!({"learner": c.learner, measure.name: estimates(c)}))
                .collect();
            return print_json(&json!({"sizes": self.sizes, "curves": curves, "notes": notes}));
        }
        let mut header = vec!["rows".to_string()];
        header.extend(curves.iter().map(|c| c.learner.clone()));
        let mut rows = TextTable::new(header, 0);
        for (s, size) in self.sizes.iter().enumerate() {
            let mut row = vec![size.to_string()];
            row.extend(curves.iter().map(|c| {
                let e = c.estimate(s, measure.value);
                let error = e.error.map_or(String::new(), |x| format!(" ± {}", shown(&measure, x)));
                format!("{}{error}", shown(&measure, e.mean))
            }));
            rows.row(row);
        }
        let unit = if measure.share { " in percent" } else { "" };
        print(&format!(
            "{}\n{} ({}){unit}: mean ± standard error over splits; {} (seed {}).\n",
            rows.text(0),
            measure.name,
            measure.help,
            scheme.words(),
            self.judging.seed
        ))
    }

    fn chart(&self, curves: &[Curve], measure: &Measure, name: &str) -> Lines {
        let scale = if measure.share { 100.0 } else { 1.0 };
        let series = curves.iter().map(|c| Series {
            name: c.learner.clone(),
            points: (0..self.sizes.len())
                .map(|s| {
                    let e = c.estimate(s, measure.value);
                    LinePoint {
                        x: self.sizes[s] as f64,
                        y: scale * e.mean,
                        error: e.error.map(|x| scale * x),
                    }
                })
                .collect(),
        });
        let (least, most) = (self.sizes.iter().min(), self.sizes.iter().max());
        Lines {
            title: format!("Learning curves on {name}"),
            x_label: "training rows".into(),
            y_label: format!("{}{}", measure.name, if measure.share { " (%)" } else { "" }),
            series: series.collect(),
            // Sizes that span more than a decade are told apart only on a logarithmic axis.
            x_log: least.zip(most).is_some_and(|(a, b)| *b >= 10 * *a),
            ..Lines::default()
        }
    }
}
