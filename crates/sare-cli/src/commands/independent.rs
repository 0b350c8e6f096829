//! `sare independent`: what a structure says about independence.

use crate::args::{Common, NameList, Usage, names};
use crate::networks::{Loaded, load_network};
use crate::output::{grouped, print, print_json};
use clap::Args;
use sare::graph::independencies::{Independent, implied, open_trail};
use serde_json::json;
use std::fmt::Write as _;

/// Ask whether two variables are independent by the structure, or list what is
#[derive(Args)]
pub struct IndependentCommand {
    /// The model, or a network as JSON (- for standard input)
    model: String,
    /// The two variables; without them all pairs that no arc joins are listed, each with the least that separates it
    #[arg(num_args = 2, value_names = ["X", "Y"])]
    pair: Vec<String>,
    /// The variables that are known
    #[arg(long, value_name = "NAMES", requires = "pair")]
    given: Vec<NameList>,
    /// How many pairs are listed at most
    #[arg(long, default_value_t = 100, value_name = "N")]
    most: usize,
}

impl IndependentCommand {
    /// Runs the command.
    pub fn run(&self, common: &Common) -> anyhow::Result<()> {
        let loaded = load_network(&self.model, common)?;
        match &self.pair[..] {
            [x, y] => self.ask(&loaded, x, y, common),
            _ => self.list(&loaded, common),
        }
    }

    fn ask(&self, loaded: &Loaded, x: &str, y: &str, common: &Common) -> anyhow::Result<()> {
        let (a, b) = (loaded.variable(x)?, loaded.variable(y)?);
        let known = names(&self.given);
        let given = loaded.variables(&known)?;
        if a == b || given.contains(&a) || given.contains(&b) {
            return Err(Usage("name two different variables that are not given".into()).into());
        }
        let trail = open_trail(loaded.network.dag(), a, b, &given);
        if common.json {
            let names = |way: &Vec<usize>| way.iter().map(|&v| loaded.name(v)).collect::<Vec<_>>();
            return print_json(&json!({
                "x": x, "y": y, "given": known, "independent": trail.is_none(),
                "trail": trail.as_ref().map(names),
            }));
        }
        let known =
            if given.is_empty() { String::new() } else { format!(" given {}", known.join(", ")) };
        print(&match trail {
            None => format!("{x} and {y} are independent{known}\n"),
            Some(way) => format!(
                "{x} and {y} may depend on each other{known}\nby way of {}\n",
                drawn(loaded, &way)
            ),
        })
    }

    fn list(&self, loaded: &Loaded, common: &Common) -> anyhow::Result<()> {
        let (all, count) = implied(loaded.network.dag(), self.most);
        let names = |given: &[usize]| given.iter().map(|&v| loaded.name(v)).collect::<Vec<_>>();
        if common.json {
            let one = |i: &Independent| json!({"x": loaded.name(i.x), "y": loaded.name(i.y), "given": names(&i.given)});
            let listed: Vec<_> = all.iter().map(one).collect();
            return print_json(&json!({"independent": listed, "pairs": count}));
        }
        let mut text = String::new();
        for Independent { x, y, given } in &all {
            let bar = if given.is_empty() { "" } else { " | " };
            let given = names(given).join(", ");
            let _ = writeln!(text, "{} \u{22a5} {}{bar}{given}", loaded.name(*x), loaded.name(*y));
        }
        if count > all.len() {
            let more = grouped(count - all.len());
            let _ = writeln!(text, "({more} more pairs: --most lists them)");
        }
        if count == 0 {
            text.push_str("Every two variables are joined by an arc: nothing is independent.\n");
        }
        print(&text)
    }
}

/// A trail with its arrows.
fn drawn(loaded: &Loaded, way: &[usize]) -> String {
    let mut text = loaded.name(way[0]).to_string();
    for step in way.windows(2) {
        let arrow = if loaded.network.dag().has_arc(step[0], step[1]) { "->" } else { "<-" };
        let _ = write!(text, " {arrow} {}", loaded.name(step[1]));
    }
    text
}
