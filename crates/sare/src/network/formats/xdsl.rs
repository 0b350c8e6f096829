//! XDSL, the form of GeNIe and SMILE: `cpt` nodes with `state`s, `parents` and `probabilities`, the last parent changing
//! fastest among the parents and the child fastest of all, and `deterministic` nodes that name the resulting states.

use super::ReadNetwork;
use super::draft::{Definition, Draft, Node};
use super::report::{Report, blame};
use super::tables::Entries;
use super::xml::{Element, parse};
use crate::error::Result;

/// Reads an XDSL file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let root = parse(report, text)?;
    let Some(nodes) = root.child("nodes").filter(|_| root.is("smile")) else {
        let problem = format!("<{}> holds no nodes of SMILE", root.name);
        return Err(report.error(root.line, problem, "give an XDSL file"));
    };
    if let Some(dynamic) = root.child("dynamic") {
        let problem = "the network is dynamic";
        return Err(report.error(dynamic.line, problem, "unroll it first"));
    }
    let mut draft = Draft::new(report);
    for element in &nodes.children {
        let Some(id) = element.attribute("id", report)? else {
            let problem = format!("a <{}> has no id", element.name);
            return Err(report.error(element.line, problem, "give it one"));
        };
        let (node, definition) = blame(&id, node(report, element, &id))?;
        draft.nodes.push(node);
        draft.definitions.push(definition);
    }
    draft.finish()
}

fn node<'a>(report: Report<'a>, element: &Element<'_>, id: &str) -> Result<(Node, Definition<'a>)> {
    let line = element.line;
    let words = |name: &'static str| -> Result<Option<Vec<String>>> {
        let text = element.only(name, report)?.map(|e| e.text(report)).transpose()?;
        Ok(text.map(|t| t.split_ascii_whitespace().map(str::to_string).collect()))
    };
    let entries = if element.is("cpt") {
        let words = words("probabilities")?.unwrap_or_default();
        let values = words.iter().map(|w| report.number(line, w)).collect::<Result<_>>()?;
        Entries::ChildFastest(values)
    } else if element.is("deterministic") {
        Entries::States(words("resultingstates")?.unwrap_or_default())
    } else {
        let problem = format!("it is a node of the kind '{}'", element.name);
        let fix = "only cpt and deterministic nodes can be read: change its type in GeNIe first";
        return Err(report.error(line, problem, fix));
    };
    let mut levels = Vec::new();
    for state in element.all("state") {
        let Some(name) = state.attribute("id", report)? else {
            return Err(report.error(state.line, "a state has no id", "give it one"));
        };
        levels.push(name);
    }
    let parents = words("parents")?.unwrap_or_default();
    let definition = Definition { node: id.into(), line, parents, entries };
    Ok((Node::new(id.into(), line, levels), definition))
}
