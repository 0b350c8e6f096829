//! How learners do where cells are missing, as a Markdown table:
//! `cargo run --release --example missing_table [FOLDER OF CSV FILES]`
//!
//! Training and test rows lose cells by the same mechanism: completely at random; depending on another column, which loses
//! none; depending on the class. Accuracy in per cent of three folds, and its mean over the sets.

use sare::classify::Learner;
use sare::data::removal::remove_cells_by;
use sare::data::{ReadOptions, Table, read_table};
use sare::error::Result;
use sare::evaluate::{Options, Scheme, evaluate};
use sare::network::known::{Shape, generate};
use sare::registry;
use sare::run::Run;
use std::path::Path;

const LEARNERS: [(&str, &str); 16] = [
    ("nb", "laplace"),
    ("selective", "laplace"),
    ("tan", "laplace"),
    ("tan", "em"),
    ("fan:auto", "laplace"),
    ("conditional-tan", "laplace"),
    ("kdb:2", "laplace"),
    ("kdb:2", "em"),
    ("wrapper-tan", "laplace"),
    ("joined", "laplace"),
    ("ban", "laplace"),
    ("network", "laplace"),
    ("aode", "laplace"),
    ("averaged-nb", "laplace"),
    ("averaged-tan", "laplace"),
    ("averaged-trees", "laplace"),
];

const RATES: [f64; 5] = [0.0, 0.1, 0.2, 0.4, 0.6];

/// What decides whether a cell is lost.
const MECHANISMS: [&str; 3] = ["at random", "by another column", "by the class"];

/// Rows of a set at most.
const ROWS: usize = 300;

/// A table with discrete columns, the class last, without some of its cells.
///
/// By another column: every second column is always seen, and the next one is lost where it is in the upper half of its
/// levels. By the class: the chance grows with the number of the class. Both are doubled, up to 0.95, so that about as many
/// cells go as at random.
fn without_cells(table: &Table, mechanism: usize, rate: f64) -> Table {
    let class = table.columns() - 1;
    // Where in the levels of a column a row is, from 0 to 1; one half where that is not known.
    let share = |column: usize, row: usize| -> f64 {
        let last = table.field(column).states().saturating_sub(1).max(1) as f64;
        table.cells(column).code(row).map_or(0.5, |code| code as f64 / last)
    };
    let upper = |share: f64| if share == 0.5 { 0.5 } else { share.round() };
    remove_cells_by(table, 1, |row, column| match mechanism {
        _ if column == class => 0.0,
        0 => rate,
        1 if column % 2 == 0 => 0.0,
        1 => (2.0 * rate * upper(share(column - 1, row))).min(0.95),
        _ => (2.0 * rate * share(class, row)).min(0.95),
    })
}

fn accuracy(table: &Table, class: &str, learner: (&str, &str)) -> Result<f64> {
    let learner = Learner {
        structure: registry::structure(learner.0)?,
        parameters: registry::parameters(learner.1)?,
        ..Learner::default()
    };
    let scheme = Scheme::Folds { count: 3, repeats: 1, stratified: false };
    let found = evaluate(&learner, table, class, scheme, &Options::default(), &Run::default())?;
    Ok(100.0 * found.accuracy().mean)
}

/// The sets: generated ones, and files of a folder, whose class is the last column.
fn sets(folder: Option<&str>) -> Result<Vec<Table>> {
    let mut sets = Vec::new();
    for name in ["monk1", "nursery", "tic-tac-toe"] {
        sets.push(generate(name, Some(ROWS), &Shape::default(), 1)?);
    }
    let files = ["chess", "vote", "flare", "soybean-large", "hepatitis", "crx", "cleve"];
    for name in files.into_iter().filter(|_| folder.is_some()) {
        let path = Path::new(folder.unwrap_or_default()).join(name).with_extension("csv");
        let table = read_table(&path.to_string_lossy(), &ReadOptions::default(), &Run::default())?;
        // Spread over the file, which may be sorted by class.
        let step = table.rows().div_ceil(ROWS);
        let some: Vec<u32> = (0..table.rows() as u32).step_by(step).collect();
        sets.push(table.gather(&some));
    }
    Ok(sets)
}

/// The name of a set, without folder and ending.
fn name(table: &Table) -> String {
    let stem = Path::new(table.name()).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The accuracies of all learners on all sets, learner by learner.
fn accuracies(sets: &[Table]) -> Result<Vec<Vec<f64>>> {
    let of = |learner: &(&str, &str)| {
        let on = |table: &Table| accuracy(table, &table.field(table.columns() - 1).name, *learner);
        sets.iter().map(on).collect()
    };
    LEARNERS.iter().map(of).collect()
}

/// A table with a line for each learner.
fn print(columns: &[String], lines: &[Vec<f64>]) {
    println!("| learner | {} |", columns.join(" | "));
    println!("| --- |{}", " ---: |".repeat(columns.len()));
    for ((structure, parameters), line) in LEARNERS.iter().zip(lines) {
        let cells: Vec<String> = line.iter().map(|x| format!("{x:.1}")).collect();
        println!("| `{structure}`, `{parameters}` | {} |", cells.join(" | "));
    }
    println!();
}

/// Where a learner is further below naive Bayes than both errors and what it loses on whole rows explain.
fn print_losses(sets: &[Table], all: &[Vec<f64>], whole: &[Vec<f64>], what: &str) {
    for (learner, (own, own_whole)) in LEARNERS.iter().zip(all.iter().zip(whole)) {
        for (s, table) in sets.iter().enumerate() {
            let error = |x: f64| (x * (100.0 - x) / table.rows() as f64).sqrt();
            let below = (all[0][s] - own[s]) - (whole[0][s] - own_whole[s]).max(0.0);
            if below > 3.0 * error(own[s]) {
                println!(
                    "- {}, {what}: `{}`, `{}` {:.1}, `nb` {:.1}",
                    name(table),
                    learner.0,
                    learner.1,
                    own[s],
                    all[0][s]
                );
            }
        }
    }
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1);
    let sets = sets(folder.as_deref())?;
    let names: Vec<String> = sets.iter().map(name).collect();
    let whole = accuracies(&sets)?;
    println!("### As they are\n");
    print(&names, &whole);
    // Its 19 classes would take most of the time.
    let some = |t: &&Table| name(t) != "soybean-large";
    let sets: Vec<Table> = sets.iter().filter(some).cloned().collect();
    let whole = accuracies(&sets)?;
    let mut tables = Vec::new();
    for (number, mechanism) in MECHANISMS.iter().enumerate() {
        println!("### Missing {mechanism}\n");
        let mut lines = vec![Vec::new(); LEARNERS.len()];
        for rate in RATES {
            let without: Vec<Table> = sets.iter().map(|t| without_cells(t, number, rate)).collect();
            let found = if rate == 0.0 { whole.clone() } else { accuracies(&without)? };
            for (line, own) in lines.iter_mut().zip(&found) {
                line.push(own.iter().sum::<f64>() / own.len() as f64);
            }
            tables.push((format!("{:.0} % {mechanism}", 100.0 * rate), found));
        }
        let rates: Vec<String> = RATES.iter().map(|r| format!("{:.0} %", 100.0 * r)).collect();
        print(&rates, &lines);
    }
    println!("### Below naive Bayes because of missing cells\n");
    tables.iter().for_each(|(what, all)| print_losses(&sets, all, &whole, what));
    Ok(())
}
