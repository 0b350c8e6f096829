//! `sare reproduce`: published experiments, ours beside theirs.

use crate::args::{Common, Usage};
use crate::output::{TextTable, print, print_json};
use clap::Args;
use sare::data::write::write_file;
use sare::evaluate::published::{EXPERIMENTS, Report, named};
use serde_json::json;

/// Run a published experiment and print ours beside the published figures
#[derive(Args)]
pub struct Reproduce {
    /// The experiment (see --list)
    name: Option<String>,
    /// List the experiments
    #[arg(long)]
    list: bool,
    /// The folder of data files
    #[arg(long, value_name = "FOLDER")]
    data: Option<String>,
    /// With the repetitions and sizes of the publication or more, however long it takes
    #[arg(long)]
    full: bool,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Print the table as Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write the charts of an experiment that has figures into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    drawings: Option<String>,
}

impl Reproduce {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let name = match &self.name {
            Some(name) if !self.list => name,
            None if !self.list => {
                let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
                return Err(Usage(format!("name an experiment: {}", names.join(", "))).into());
            }
            _ => return list(common),
        };
        let experiment = named(name)?;
        let folder = match &self.data {
            Some(folder) => folder,
            None if experiment.data.is_empty() => "",
            None => {
                let needs = format!("'{name}' needs --data FOLDER: {}", experiment.data);
                return Err(Usage(needs).into());
            }
        };
        let watcher = common.watcher();
        let run = common.run(self.seed, &watcher)?;
        let report = (experiment.run)(folder, self.full, &run)?;
        run.check_whole()?;
        drop(run);
        drop(watcher);
        if let Some(folder) = &self.drawings {
            std::fs::create_dir_all(folder)
                .map_err(|e| Usage(format!("cannot make the folder '{folder}': {e}")))?;
            for drawing in &report.drawings {
                let path = format!("{folder}/{}.svg", drawing.name);
                write_file(&path, |out| out.write_all(drawing.svg.as_bytes()))?;
            }
        }
        if common.json {
            return print_json(&report);
        }
        let heading =
            format!("{}: {}\n{}\n\n", experiment.name, experiment.help, experiment.source);
        let table = if self.markdown { report.markdown() } else { text(&report) };
        let notes: String = report.notes.iter().map(|n| format!("- {n}\n")).collect();
        print(&format!("{heading}{table}\n{notes}"))
    }
}

fn text(report: &Report) -> String {
    let mut rows = TextTable::new(report.header.clone(), 1).last_left();
    report.rows.iter().for_each(|r| rows.row(r.clone()));
    rows.text(0)
}

fn list(common: &Common) -> anyhow::Result<()> {
    if common.json {
        let all: Vec<_> = EXPERIMENTS
            .iter()
            .map(|e| json!({"name": e.name, "help": e.help, "source": e.source, "data": e.data}))
            .collect();
        return print_json(&all);
    }
    let line = |e: &sare::evaluate::published::Experiment| {
        let data = if e.data.is_empty() { "none, it makes its own" } else { e.data };
        format!("{:<16} {}\n{:16} {}\n{:16} data: {data}\n", e.name, e.help, "", e.source, "")
    };
    print(&EXPERIMENTS.iter().map(line).collect::<String>())
}
