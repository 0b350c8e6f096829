//! XMLBIF 0.3: `VARIABLE` with `OUTCOME`s, `DEFINITION` with `FOR`, `GIVEN`s and a `TABLE` in which the last of `GIVEN`
//! changes fastest among the parents and the child fastest of all.

use super::ReadNetwork;
use super::draft::{Definition, Draft, Node};
use super::names::{LEVELS, NAME, Names, Rules, cleaned, coded, coded_list};
use super::report::{Report, blame};
use super::tables::Entries;
use super::xml::{Element, can_hold, escaped, parse};
use crate::error::Result;
use crate::network::Network;
use std::io::{self, Write};

/// Reads an XMLBIF file.
pub(super) fn read(report: Report<'_>, text: &str) -> Result<ReadNetwork> {
    let root = parse(report, text)?;
    let network = if root.is("NETWORK") { Some(&root) } else { root.child("NETWORK") };
    let Some(network) = network else {
        let problem = format!("<{}> holds no NETWORK", root.name);
        return Err(report.error(root.line, problem, "give an XMLBIF file"));
    };
    let mut draft = Draft::new(report);
    for element in &network.children {
        if element.is("VARIABLE") {
            draft.nodes.push(variable(report, element)?);
        } else if element.is("DEFINITION") || element.is("PROBABILITY") {
            draft.definitions.push(definition(report, element)?);
        }
    }
    draft.finish()
}

fn variable(report: Report<'_>, element: &Element<'_>) -> Result<Node> {
    let name = required(report, element, "NAME")?;
    let kind = element.attribute("TYPE", report)?;
    if let Some(kind) = kind.filter(|k| !["nature", "discrete"].contains(&k.as_str())) {
        let problem = format!("it is of the type '{kind}'");
        let fix = "only networks of discrete chance nodes can be read";
        return Err(report.node(element.line, &name, problem, fix));
    }
    let levels = element.children.iter().filter(|c| c.is("OUTCOME") || c.is("VALUE"));
    let levels = levels.map(|o| o.text(report)).collect::<Result<_>>()?;
    let mut node = Node::new(name, element.line, levels);
    for property in element.all("PROPERTY") {
        if let Some((key, code)) = property.text(report)?.split_once('=') {
            node.keep(report, property.line, key.trim(), code.trim())?;
        }
    }
    Ok(node)
}

fn definition<'a>(report: Report<'a>, element: &Element<'_>) -> Result<Definition<'a>> {
    let node = required(report, element, "FOR")?;
    let parents = element.all("GIVEN").map(|g| g.text(report)).collect::<Result<_>>()?;
    let Some(table) = blame(&node, element.only("TABLE", report))? else {
        return Err(report.node(element.line, &node, "it has no TABLE", "give its probabilities"));
    };
    let text = table.text(report)?;
    let numbers = text.split(|c: char| c.is_ascii_whitespace() || c == ',');
    let numbers = numbers.filter(|w| !w.is_empty());
    let values = numbers.map(|w| report.number(table.line, w)).collect::<Result<_>>();
    let values = blame(&node, values)?;
    Ok(Definition { node, line: element.line, parents, entries: Entries::ChildFastest(values) })
}

fn required(report: Report<'_>, element: &Element<'_>, name: &'static str) -> Result<String> {
    match element.only(name, report)? {
        Some(child) => child.text(report),
        None => {
            let problem = format!("<{}> has no <{name}>", element.name);
            Err(report.error(element.line, problem, format!("add <{name}>")))
        }
    }
}

/// The rules for names.
pub(super) const RULES: Rules = Rules { node: can_hold, level: can_hold, clean: cleaned };

/// Writes a network as XMLBIF.
pub(super) fn write(network: &Network, out: &mut dyn Write) -> io::Result<()> {
    let names = Names::new(network, &RULES);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>unknown</NAME>")?;
    for (variable, node, levels) in names.of(network) {
        writeln!(out, "<VARIABLE TYPE=\"nature\">\n  <NAME>{}</NAME>", escaped(node))?;
        for level in levels {
            writeln!(out, "  <OUTCOME>{}</OUTCOME>", escaped(level))?;
        }
        if *node != variable.name {
            writeln!(out, "  <PROPERTY>{NAME} = {}</PROPERTY>", coded(&variable.name))?;
        }
        if levels != variable.levels {
            writeln!(out, "  <PROPERTY>{LEVELS} = {}</PROPERTY>", coded_list(&variable.levels))?;
        }
        writeln!(out, "</VARIABLE>")?;
    }
    for (v, node) in names.nodes.iter().enumerate() {
        writeln!(out, "<DEFINITION>\n  <FOR>{}</FOR>", escaped(node))?;
        for parent in network.dag().parents(v) {
            writeln!(out, "  <GIVEN>{}</GIVEN>", escaped(&names.nodes[parent]))?;
        }
        writeln!(out, "  <TABLE>")?;
        for row in network.table(v).chunks_exact(network.states(v)) {
            let values: Vec<String> = row.iter().map(|p| format!("{p:?}")).collect();
            writeln!(out, "    {}", values.join(" "))?;
        }
        writeln!(out, "  </TABLE>\n</DEFINITION>")?;
    }
    writeln!(out, "</NETWORK>\n</BIF>")
}
