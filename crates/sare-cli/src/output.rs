//! Tables on a terminal, and JSON.

use crate::args::Usage;
use sare::data::write::write_file;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Prints to the standard output; a closed pipe comes back as an error that is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    Ok(write_file("-", |out| out.write_all(text.as_bytes()))?)
}

/// Prints a value as JSON.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// Refuses, before anything is learnt, to write over a file that is read, two results into one file, or where no file can be.
/// Each with what it is called: an option, or what the file holds.
pub fn keep_apart(outputs: &[(&str, &str)], inputs: &[(&str, &str)]) -> anyhow::Result<()> {
    for (i, (option, path)) in outputs.iter().enumerate().filter(|(_, (_, path))| *path != "-") {
        if let Some((held, _)) = inputs.iter().find(|(_, input)| place(input) == place(path)) {
            return Err(Usage(format!("{option} {path} would replace the {held} itself")).into());
        }
        let folder = Path::new(path).parent().filter(|f| !f.as_os_str().is_empty());
        // What is wrong is the file system, not the command.
        if let Some(folder) = folder.filter(|f| !f.is_dir()) {
            anyhow::bail!(
                "{option} {path}: there is no folder {}; make it first",
                folder.display()
            );
        }
        if Path::new(path).is_dir() {
            anyhow::bail!("{option} {path} is a folder; name a file in it");
        }
        if let Some((other, _)) = outputs[..i].iter().find(|(_, o)| place(o) == place(path)) {
            return Err(Usage(format!("{other} and {option} need different files")).into());
        }
    }
    let streams = outputs.iter().filter(|(_, path)| *path == "-").count();
    if streams > 1 {
        return Err(Usage("only one thing can go to standard output".into()).into());
    }
    Ok(())
}

/// The options that were given, with their files.
pub fn given<'a>(options: &[(&'a str, &'a Option<String>)]) -> Vec<(&'a str, &'a str)> {
    options.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))).collect()
}

/// Where a path leads, whichever way it is written and whether or not a file is there already.
fn place(path: &str) -> PathBuf {
    let path = Path::new(path);
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        match (folder, path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_path_buf(),
        }
    })
}

/// Rows of text in aligned columns: the first ones to the left, the others to the right.
#[derive(Default)]
pub struct TextTable {
    rows: Vec<Vec<String>>,
    left: usize,
    last_left: bool,
}

impl TextTable {
    /// A table with this header; the first `left` columns are aligned to the left.
    pub fn new<S: Into<String>>(header: impl IntoIterator<Item = S>, left: usize) -> TextTable {
        let rows = vec![header.into_iter().map(Into::into).collect()];
        TextTable { rows, left, last_left: false }
    }

    /// The same table with its last column, of text, aligned to the left.
    pub fn last_left(self) -> TextTable {
        TextTable { last_left: true, ..self }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table as text, each line after `indent` spaces.
    pub fn text(&self, indent: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = " ".repeat(indent);
            for (c, cell) in row.iter().enumerate() {
                let space = " ".repeat(widths[c] - cell.chars().count());
                let gap = if c == 0 { "" } else { "  " };
                let (before, after) = if c < self.left || (self.last_left && c + 1 == columns) {
                    ("", space)
                } else {
                    (&*space, "".into())
                };
                let _ = write!(line, "{gap}{before}{cell}{after}");
            }
            text.push_str(line.trim_end());
            text.push('\n');
            if number == 0 {
                let rule = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
                let _ = writeln!(text, "{}{}", " ".repeat(indent), "-".repeat(rule));
            }
        }
        text
    }
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// A whole number with its thousands apart.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(d);
    }
    text
}

/// A text cut to a width.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A table as Markdown, all but the first column to the right.
pub fn markdown(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|c| c.trim().replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> =
        (0..header.len()).map(|i| if i == 0 { "---" } else { "---:" }.to_string()).collect();
    let body: String = rows.iter().map(|r| line(r)).collect();
    format!("{}{}{body}", line(header), line(&rule))
}
