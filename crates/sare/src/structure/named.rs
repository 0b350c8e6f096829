//! Graphs and arcs as people write them, by name: `[A][B|A]`, `a -> b`, or JSON with nodes and parents.

use crate::data::Schema;
use crate::data::open::display_name;
use crate::error::{Error, Result};
use crate::graph::Dag;
use serde::Deserialize;
use std::io::Read;

/// A graph over named nodes, as it was given: it may still have a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedGraph {
    /// Each node with its parents.
    pub nodes: Vec<(String, Vec<String>)>,
}

/// The part of a JSON file that says what the nodes are: of a network, or of a model that holds one.
#[derive(Deserialize)]
struct JsonFile {
    nodes: Option<Vec<JsonNode>>,
    network: Option<Box<JsonFile>>,
}

#[derive(Deserialize)]
struct JsonNode {
    name: String,
    #[serde(default)]
    parents: Vec<String>,
}

impl NamedGraph {
    /// What a text or a file says: a formula such as `[A][B|A]`, or the name of a file with a formula, with arcs
    /// `a -> b` line by line, or with JSON (nodes with their parents, or a model).
    pub fn read(text: &str) -> Result<NamedGraph> {
        if text.trim_start().starts_with('[') {
            return NamedGraph::parse("structure", text);
        }
        let mut content = String::new();
        let read = if text == "-" {
            std::io::stdin().read_to_string(&mut content)
        } else {
            std::fs::File::open(text).and_then(|mut f| f.read_to_string(&mut content))
        };
        read.map_err(Error::io(display_name(text)))?;
        NamedGraph::parse(display_name(text), &content)
    }

    /// Parses a formula, arcs or JSON; `source` is what messages name.
    pub fn parse(source: &str, text: &str) -> Result<NamedGraph> {
        match text.trim_start().chars().next() {
            Some('{') => NamedGraph::from_json(source, text),
            Some('[') => NamedGraph::from_formula(source, text),
            _ => NamedGraph::from_arcs(source, text),
        }
    }

    fn from_json(source: &str, text: &str) -> Result<NamedGraph> {
        let mut file: JsonFile = serde_json::from_str(text).map_err(|e| {
            let problem = format!("the structure is damaged: {e}");
            Error::model(source, problem, "give nodes with their parents, or a model")
        })?;
        while let Some(inner) = file.network {
            file = *inner;
        }
        let Some(nodes) = file.nodes else {
            let problem = "there is no list of nodes";
            return Err(Error::model(source, problem, "give nodes with their parents, or a model"));
        };
        NamedGraph::checked(source, nodes.into_iter().map(|n| (n.name, n.parents)).collect())
    }

    fn from_formula(source: &str, text: &str) -> Result<NamedGraph> {
        let bad = |place: &str| {
            let problem = format!("'{}' is no part of a formula", shortened(place));
            Error::model(source, problem, "write [node] or [node|parent:parent] one after another")
        };
        let mut nodes = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (node, after) = formula_node(rest).ok_or_else(|| bad(rest))?;
            nodes.push(node);
            rest = after.trim_start();
        }
        NamedGraph::checked(source, nodes)
    }

    fn from_arcs(source: &str, text: &str) -> Result<NamedGraph> {
        let mut nodes: Vec<(String, Vec<String>)> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (parent, child) = arc(line).ok_or_else(|| Error::Cell {
                file: source.into(),
                line: number as u64 + 1,
                column: None,
                problem: format!("'{}' is no arc", shortened(line)),
                fix: "write parent -> child".into(),
            })?;
            for name in [&parent, &child] {
                if !nodes.iter().any(|(n, _)| n == name) {
                    nodes.push((name.clone(), Vec::new()));
                }
            }
            if let Some((_, parents)) = nodes.iter_mut().find(|(n, _)| *n == child) {
                parents.push(parent);
            }
        }
        NamedGraph::checked(source, nodes)
    }

    /// Every node once, every parent once and a node.
    fn checked(source: &str, nodes: Vec<(String, Vec<String>)>) -> Result<NamedGraph> {
        for (i, (node, parents)) in nodes.iter().enumerate() {
            if nodes[..i].iter().any(|(n, _)| n == node) {
                let problem = format!("the node '{node}' is there twice");
                return Err(Error::model(source, problem, "name every node once"));
            }
            for (j, parent) in parents.iter().enumerate() {
                if parents[..j].contains(parent) {
                    let problem = format!("'{node}' has the parent '{parent}' twice");
                    return Err(Error::model(source, problem, "name every parent once"));
                }
                if !nodes.iter().any(|(n, _)| n == parent) {
                    return Err(Error::unknown("node", parent, nodes.iter().map(|(n, _)| &**n)));
                }
            }
        }
        Ok(NamedGraph { nodes })
    }

    /// The graph over the columns of a file; columns it does not name have no arcs.
    pub fn over(&self, schema: &Schema, file: &str) -> Result<Dag> {
        let mut dag = Dag::new(schema.len());
        for (node, parents) in &self.nodes {
            let child = schema.require(node, file)?;
            for name in parents {
                let parent = schema.require(name, file)?;
                dag.add(parent, child)
                    .map_err(|_| Error::Cycle { parent: name.clone(), child: node.clone() })?;
            }
        }
        Ok(dag)
    }

    /// The graph as a formula.
    pub fn formula(&self) -> String {
        let part = |(node, parents): &(String, Vec<String>)| {
            let parents: Vec<String> = parents.iter().map(|p| quoted(p)).collect();
            match parents.is_empty() {
                true => format!("[{}]", quoted(node)),
                false => format!("[{}|{}]", quoted(node), parents.join(":")),
            }
        };
        self.nodes.iter().map(part).collect()
    }

    /// A graph with the names of its nodes.
    pub fn of<'a>(dag: &Dag, name: impl Fn(usize) -> &'a str) -> NamedGraph {
        let node = |v: usize| {
            let parents = dag.parents(v).map(|p| name(p).to_string()).collect();
            (name(v).to_string(), parents)
        };
        NamedGraph { nodes: (0..dag.nodes()).map(node).collect() }
    }
}

/// One node of a formula with its parents, and what comes after it.
fn formula_node(text: &str) -> Option<((String, Vec<String>), &str)> {
    let mut names = Names { rest: text.strip_prefix('[')? };
    let (node, mut mark) = names.next(&["|", "]", "["])?;
    let mut parents = Vec::new();
    while mark != "]" {
        if mark.is_empty() || mark == "[" {
            return None;
        }
        let parent;
        (parent, mark) = names.next(&[":", "]", "["])?;
        if !parent.is_empty() {
            parents.push(parent);
        }
    }
    (!node.is_empty()).then_some(((node, parents), names.rest))
}

/// The two ends of an arc written as `parent -> child`. A name that holds a mark is written in double quotes.
pub fn arc(text: &str) -> Option<(String, String)> {
    let mut names = Names { rest: text };
    let (parent, mark) = names.next(&["->"])?;
    let (child, end) = names.next(&["->"])?;
    let whole = mark == "->" && end.is_empty() && !parent.is_empty() && !child.is_empty();
    whole.then_some((parent, child))
}

/// What may stand between names, and so makes a name that holds it need quotes.
const MARKS: [&str; 8] = ["->", "|", ":", "[", "]", ",", "<", "\""];

/// A name as it is written where marks may stand beside it.
pub fn quoted(name: &str) -> String {
    let plain = name == name.trim() && !MARKS.iter().any(|m| name.contains(m));
    if plain { name.to_string() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Names with commas between them; a name in double quotes may hold commas. None where something follows a closing quote, or
/// none closes.
pub fn name_list(text: &str) -> Option<Vec<String>> {
    let (mut names, mut all) = (Names { rest: text }, Vec::new());
    loop {
        let (name, mark) = names.next(&[","])?;
        all.push(name);
        if mark.is_empty() {
            return Some(all);
        }
    }
}

/// The name before a mark, which may hold the mark if it is in double quotes, and what comes after it.
pub fn name_before<'a>(text: &'a str, mark: &'static str) -> Option<(String, &'a str)> {
    let mut names = Names { rest: text };
    let (name, found) = names.next(&[mark])?;
    (found == mark).then_some((name, names.rest))
}

/// Names one after another, with marks between them.
pub(super) struct Names<'a> {
    /// What has not been read yet.
    pub rest: &'a str,
}

impl Names<'_> {
    /// The name up to the next of some marks, and that mark, which is empty at the end. A name in double quotes may hold
    /// marks, and a quote written twice; none if something else follows it.
    pub(super) fn next(&mut self, marks: &[&'static str]) -> Option<(String, &'static str)> {
        let text = self.rest.trim_start();
        if let Some(inside) = text.strip_prefix('"') {
            let (name, after) = until_quote(inside)?;
            self.rest = after.trim_start();
            let mark = marks.iter().find(|m| self.rest.starts_with(**m)).copied();
            if mark.is_none() && !self.rest.is_empty() {
                return None;
            }
            let mark = mark.unwrap_or_default();
            self.rest = &self.rest[mark.len()..];
            return Some((name, mark));
        }
        let found = marks.iter().filter_map(|m| Some((text.find(m)?, *m))).min();
        let (end, mark) = found.unwrap_or((text.len(), ""));
        self.rest = &text[end + mark.len()..];
        Some((text[..end].trim_end().to_string(), mark))
    }
}

/// The text before a closing quote, with doubled quotes undone, and what follows it.
fn until_quote(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        name.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, after)),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(nodes: &[(&str, &[&str])]) -> NamedGraph {
        let owned = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        NamedGraph { nodes: nodes.iter().map(|(n, p)| (n.to_string(), owned(p))).collect() }
    }

    #[test]
    fn names_that_hold_commas_are_quoted() {
        let list = |text| name_list(text).unwrap_or_default();
        assert_eq!(list("a, b"), ["a", "b"]);
        assert_eq!(list("\"how, then?\",b"), ["how, then?", "b"]);
        assert_eq!(list("\"say \"\"so\"\"\""), ["say \"so\""]);
        assert_eq!(name_list("\"a\" b"), None);
        assert_eq!(name_list("\"a"), None);
        assert_eq!(name_before("\"a=b, c\" = d,e", "="), Some(("a=b, c".into(), " d,e")));
        assert_eq!(name_before("a", "="), None);
    }

    #[test]
    fn three_ways_to_write_a_graph() {
        let wanted = names(&[("A", &[]), ("B", &["A"]), ("C", &["A", "B"])]);
        let parse = |text| NamedGraph::parse("t", text).unwrap();
        assert_eq!(parse("[A][B|A]\n[C|A:B]"), wanted);
        assert_eq!(parse("# arcs\nA -> B\n\nA->C\nB -> C\n"), wanted);
        let json = r#"{"kind": "x", "network": {"nodes": [{"name": "A"},
            {"name": "B", "parents": ["A"]}, {"name": "C", "parents": ["A", "B"], "levels": []}]}}"#;
        assert_eq!(parse(json), wanted);
        assert_eq!(parse(&wanted.formula()), wanted);
    }

    #[test]
    fn names_with_marks_are_quoted() {
        let awkward =
            names(&[("a -> b", &[]), ("c|d:[e]", &["a -> b"]), ("5\" disk, new", &[" x<y "])]);
        let mut awkward = awkward;
        awkward.nodes.push((" x<y ".into(), Vec::new()));
        assert_eq!(NamedGraph::parse("t", &awkward.formula()).unwrap(), awkward);
        assert_eq!(
            arc("\"a -> b\" -> \"say \"\"x\"\"\""),
            Some(("a -> b".into(), "say \"x\"".into()))
        );
        assert_eq!(arc("a -> b -> c"), None);
        assert_eq!(arc("\"a\" b -> c"), None);
        assert_eq!(arc("5\" -> c"), Some(("5\"".into(), "c".into())));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |text| NamedGraph::parse("t", text).unwrap_err().to_string();
        assert!(message("[A][B|A").contains("[B|A"), "{}", message("[A][B|A"));
        assert!(message("[A]x").contains("'x' is no part"));
        assert!(message("[A][A]").contains("'A' is there twice"));
        assert!(message("[A][B|A:A]").contains("parent 'A' twice"));
        assert!(
            message("[Age][B|Agee]").contains("did you mean 'Age'"),
            "{}",
            message("[Age][B|Agee]")
        );
        assert!(message("A -> B\nB to C").contains("line 2"));
        assert!(message("{\"nodes\": 3}").contains("damaged"));
        assert!(message("{}").contains("no list of nodes"));
    }
}
