//! `sare inspect`: what a file holds, and what may be wrong with it.

use crate::args::{Common, Reading};
use crate::output::{TextTable, cut, grouped, print, print_json};
use clap::Args;
use sare::data::inspect::{ColumnReport, inspect};
use sare::data::read_table;
use std::fmt::Write as _;

/// Show a file's columns, levels and missing cells, and what may be wrong with them
#[derive(Args)]
pub struct Inspect {
    /// The file (CSV, TSV, ARFF, Parquet, Arrow; gzip allowed; - for standard input)
    data: String,
    /// The class column, to look at it more closely
    #[arg(long, value_name = "COLUMN")]
    class: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

impl Inspect {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let watcher = common.watcher();
        let mut options = self.reading.options();
        options.keep.extend(self.class.clone());
        let table = read_table(&self.data, &options, &common.run(1, &watcher)?)?;
        drop(watcher);
        let found = inspect(&table, self.class.as_deref())?;
        if common.json {
            return print_json(&found);
        }
        common.notes(&found.notes);
        let mut text = format!(
            "{}: {} rows, {} columns, {} missing cells, {} rows without one\n\n",
            found.file,
            grouped(found.rows),
            found.columns.len(),
            grouped(found.missing),
            grouped(found.complete_rows)
        );
        let mut rows =
            TextTable::new(["column", "kind", "values", "missing", "levels or range"], 2)
                .last_left();
        for c in &found.columns {
            let distinct = c.distinct.map_or("many".into(), grouped);
            rows.row([cut(&c.name, 30), c.kind.into(), distinct, grouped(c.missing), summary(c)]);
        }
        text.push_str(&rows.text(0));
        let warned: Vec<&ColumnReport> =
            found.columns.iter().filter(|c| !c.warnings.is_empty()).collect();
        if !warned.is_empty() {
            text.push_str("\nTo look at:\n");
        }
        for column in warned {
            for warning in &column.warnings {
                let _ = writeln!(text, "  {}: {warning}", column.name);
            }
        }
        print(&text)
    }
}

fn summary(column: &ColumnReport) -> String {
    if let Some([least, mean, most]) = column.range {
        return format!("{least} to {most}, mean {mean:.4}");
    }
    let mut levels: Vec<&(String, usize)> = column.levels.iter().collect();
    if levels.len() > 8 {
        levels.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    }
    let shown: Vec<String> =
        levels.iter().take(6).map(|(l, n)| format!("{} ({n})", cut(l, 20))).collect();
    let more =
        if levels.len() > 6 { format!(", {} more", levels.len() - 6) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
