//! A network as a file tells it, and how it becomes a [`Network`]: every reader fills a draft, and the draft alone
//! knows what can be wrong with it.

use super::ReadNetwork;
use super::names::{LEVELS, NAME, decoded, decoded_list};
use super::report::Report;
use super::rows::{Rounding, settle};
use super::scan::shortened;
use super::tables::{Entries, arranged};
use crate::error::{Error, Result, nearest};
use crate::graph::Dag;
use crate::network::{Network, Variable};
use rustc_hash::FxHashMap;

/// A node with its levels.
#[derive(Default)]
pub(super) struct Node {
    /// What the file calls it.
    pub name: String,
    pub line: u64,
    /// What the file calls its levels.
    pub levels: Vec<String>,
    /// Its name and those of its levels, where the format could not hold them.
    kept: Kept,
}

/// Names that a format could not hold.
#[derive(Default)]
struct Kept {
    name: Option<String>,
    levels: Option<Vec<String>>,
}

impl Node {
    /// A node as the file has it.
    pub fn new(name: String, line: u64, levels: Vec<String>) -> Node {
        Node { name, line, levels, kept: Kept::default() }
    }

    /// Takes the true names from a property of this key, if it is one of ours.
    pub fn keep(&mut self, report: Report<'_>, line: u64, key: &str, code: &str) -> Result<()> {
        let taken = match key {
            NAME => decoded(code).map(|name| self.kept.name = Some(name)),
            LEVELS => decoded_list(code).map(|levels| self.kept.levels = Some(levels)),
            _ => Some(()),
        };
        taken.ok_or_else(|| {
            let problem = format!("the {key} '{}' is damaged", shortened(code));
            report.node(line, &self.name, problem, "correct it, or take it away")
        })
    }

    /// The variable, by its true names.
    fn variable(self, report: Report<'_>) -> Result<Variable> {
        let levels = self.kept.levels.unwrap_or_else(|| self.levels.clone());
        if levels.len() != self.levels.len() {
            let problem =
                format!("{LEVELS} has {} names for {} states", levels.len(), self.levels.len());
            let fix = "correct it, or take it away";
            return Err(report.node(self.line, &self.name, problem, fix));
        }
        Ok(Variable { name: self.kept.name.unwrap_or(self.name), levels })
    }
}

/// A node's parents, in the order of the file, and its table.
pub(super) struct Definition<'a> {
    pub node: String,
    pub line: u64,
    pub parents: Vec<String>,
    pub entries: Entries<'a>,
}

/// What a file says, not yet checked.
pub(super) struct Draft<'a> {
    pub report: Report<'a>,
    pub nodes: Vec<Node>,
    pub definitions: Vec<Definition<'a>>,
    /// What the reader had to decide.
    pub notes: Vec<String>,
    /// Whether a row of a table may have any sum above 0.
    pub any_sum: bool,
}

/// The most bytes that the tables of a file may take together, and the graph.
pub(super) const LARGEST: u128 = 1 << 30;

impl<'a> Draft<'a> {
    pub fn new(report: Report<'a>) -> Draft<'a> {
        let (nodes, definitions, notes) = Default::default();
        Draft { report, nodes, definitions, notes, any_sum: false }
    }

    /// The network, if all is as it should be.
    pub fn finish(mut self) -> Result<ReadNetwork> {
        let places = self.places()?;
        let mut dag = self.empty_graph()?;
        let mut tables: Vec<Option<Vec<f64>>> = (0..self.nodes.len()).map(|_| None).collect();
        let mut rounding = Rounding::default();
        let mut budget = LARGEST;
        for definition in std::mem::take(&mut self.definitions) {
            let child = self.find(&places, &definition, &definition.node, "node")?;
            if tables[child].is_some() {
                let problem = "it has a table already";
                let fix = "give every node one table";
                return Err(self.report.node(definition.line, &definition.node, problem, fix));
            }
            let parents = self.parents(&places, &definition, child, &mut dag)?;
            let mut table = arranged(&self, &definition, child, &parents, &mut budget)?;
            let levels = self.nodes[child].levels.len();
            let named = |row| self.configuration(&parents, row);
            let any_sum = self.any_sum;
            settle(self.report, &definition, any_sum, &mut table, levels, named, &mut rounding)?;
            tables[child] = Some(table);
        }
        self.notes.extend(rounding.note());
        let (mut variables, mut complete) = (Vec::new(), Vec::new());
        for (node, table) in self.nodes.into_iter().zip(tables) {
            let Some(table) = table else {
                let fix = "give it probabilities";
                return Err(self.report.node(node.line, &node.name, "it has no table", fix));
            };
            variables.push(node.variable(self.report)?);
            complete.push(table);
        }
        let network = Network::new(variables, dag, complete)?;
        Ok(ReadNetwork { network, notes: self.notes })
    }

    /// The number of each node; every name once, every level once.
    fn places(&self) -> Result<FxHashMap<String, usize>> {
        if self.nodes.is_empty() {
            let problem = "there is no node";
            return Err(self.report.error(1, problem, "give a file with a network"));
        }
        let mut places = FxHashMap::default();
        for (place, node) in self.nodes.iter().enumerate() {
            if places.insert(node.name.clone(), place).is_some() {
                let problem = "the node is there twice";
                return Err(self.report.node(node.line, &node.name, problem, "name it once"));
            }
            if node.levels.is_empty() {
                let fix = "give it at least one state";
                return Err(self.report.node(node.line, &node.name, "it has no states", fix));
            }
            let mut sorted: Vec<&String> = node.levels.iter().collect();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
                let problem = format!("the state '{}' is there twice", twice[0]);
                return Err(self.report.node(node.line, &node.name, problem, "name it once"));
            }
        }
        Ok(places)
    }

    fn empty_graph(&self) -> Result<Dag> {
        // One bit for each pair of nodes, in both directions.
        let bytes = (self.nodes.len() as u128).pow(2) / 4;
        if bytes > LARGEST {
            return Err(Error::TooLarge {
                what: format!("{}: the graph of {} nodes", self.report.file, self.nodes.len()),
                bytes,
                limit: LARGEST,
                fix: "give a smaller network".into(),
            });
        }
        Ok(Dag::new(self.nodes.len()))
    }

    /// The number of the node with this name.
    fn find(
        &self,
        places: &FxHashMap<String, usize>,
        definition: &Definition<'_>,
        name: &str,
        what: &str,
    ) -> Result<usize> {
        places.get(name).copied().ok_or_else(|| {
            let known = nearest(name, self.nodes.iter().map(|n| n.name.as_str()));
            let known = known.map(|n| format!("; did you mean '{n}'?")).unwrap_or_default();
            let problem = format!("there is no node '{name}', its {what}{known}");
            let problem = if what == "node" {
                format!("a table is given, but there is no such node{known}")
            } else {
                problem
            };
            self.report.node(definition.line, &definition.node, problem, "declare the node")
        })
    }

    /// What the parents are in a row of our table, for messages.
    fn configuration(&self, parents: &[usize], row: usize) -> String {
        let mut rising = parents.to_vec();
        rising.sort_unstable();
        let mut rest = row;
        let mut parts = Vec::new();
        for node in rising.into_iter().rev().map(|p| &self.nodes[p]) {
            let level = &node.levels[rest % node.levels.len()];
            rest /= node.levels.len();
            parts.push(format!("{} = {level}", node.name));
        }
        parts.reverse();
        if parts.is_empty() { String::new() } else { format!(" for {}", parts.join(", ")) }
    }

    /// The numbers of a node's parents in the file's order; their arcs are added to the graph.
    fn parents(
        &self,
        places: &FxHashMap<String, usize>,
        definition: &Definition<'_>,
        child: usize,
        dag: &mut Dag,
    ) -> Result<Vec<usize>> {
        let bad = |problem: String, fix: &str| {
            self.report.node(definition.line, &definition.node, problem, fix)
        };
        let mut parents = Vec::with_capacity(definition.parents.len());
        for name in &definition.parents {
            let parent = self.find(places, definition, name, "parent")?;
            if dag.has_arc(parent, child) {
                return Err(bad(format!("the parent '{name}' is there twice"), "name it once"));
            }
            dag.add(parent, child).map_err(|_| {
                let problem =
                    format!("the arc {name} -> {} closes a directed cycle", definition.node);
                bad(problem, "take an arc of the cycle away")
            })?;
            parents.push(parent);
        }
        Ok(parents)
    }
}
