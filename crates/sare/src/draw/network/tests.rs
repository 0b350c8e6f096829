//! Drawings of networks.

use super::*;
use crate::draw::tests::well_formed;

/// The arcs of the ALARM network (Beinlich and others, 1989), parent and child.
const ALARM: &str = include_str!("alarm.txt");

fn drawing(pairs: &[(&str, &str)], class: &str) -> NetworkDrawing {
    let mut names: Vec<&str> = Vec::new();
    for name in pairs.iter().flat_map(|p| [p.0, p.1]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let at = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let emphasis = |n: &str| if n == class { Emphasis::Class } else { Emphasis::Attribute };
    let node = |n: &&str| DrawnNode { label: (*n).into(), emphasis: emphasis(n), tooltip: None };
    let arc = |p: &(&str, &str)| DrawnArc { from: at(p.0), to: at(p.1), ..Default::default() };
    NetworkDrawing {
        nodes: names.iter().map(node).collect(),
        arcs: pairs.iter().map(arc).collect(),
        ..NetworkDrawing::default()
    }
}

fn alarm() -> NetworkDrawing {
    drawing(&ALARM.lines().map(|l| l.split_once(' ').unwrap()).collect::<Vec<_>>(), "HR")
}

/// A class with so many attributes `a1`, `a2`, ….
fn naive(attributes: usize) -> NetworkDrawing {
    let names: Vec<String> = (1..=attributes).map(|i| format!("a{i}")).collect();
    drawing(&names.iter().map(|n| ("class", &**n)).collect::<Vec<_>>(), "class")
}

#[test]
fn alarm_has_few_crossings() {
    let drawing = alarm();
    assert_eq!((drawing.nodes.len(), drawing.arcs.len()), (37, 46));
    let layout = drawing.layout();
    assert_eq!(layout.crossings, 6, "two thousand starts find none with fewer on these rows");
    assert!(layout.hubs.is_empty());
}

#[test]
fn every_node_and_arc_is_drawn_once() {
    let svg = alarm().svg();
    well_formed(&svg).unwrap();
    assert_eq!(svg.matches("<rect").count(), 38, "37 boxes and the ground");
    assert_eq!(svg.matches(" → ").count(), 46 + 26, "arcs, and parents in the description");
    assert!(svg.contains("<title>CATECHOL → HR</title>"));
    assert_eq!(svg, alarm().svg());
}

#[test]
fn labels_are_escaped_and_cut() {
    let long = "a<b & \"c\" of an attribute with a name that fits in no box";
    let mut drawing = drawing(&[("x", long)], "x");
    drawing.title = Some("<t>".into());
    drawing.arcs[0].tooltip = Some("1 < 2".into());
    drawing.nodes[0].tooltip = Some("p & q".into());
    let svg = drawing.svg();
    well_formed(&svg).unwrap();
    let whole = "a&lt;b &amp; &quot;c&quot; of an attribute with a name that fits in no box";
    assert!(svg.contains(&format!("<title>{whole}</title>")));
    assert!(svg.contains(&format!("<title>x → {whole}: 1 &lt; 2</title>")));
    assert!(
        svg.contains("<title>x: p &amp; q</title>") && svg.contains("<title>&lt;t&gt;</title>")
    );
    assert!(svg.contains("…</text>") && !svg.contains(&format!("{whole}</text>")));
    assert!(drawing.nodes[1].width() < LABEL * 1.09 + 17.0);
}

#[test]
fn the_class_is_in_colour_and_many_arcs_of_it_are_light() {
    let (few, many) = (naive(4).svg(), naive(36).svg());
    let (light, dark) = (look(None, 1.0, true).1, look(None, 1.0, false).1);
    assert!(few.contains(&dark) && !few.contains(&light));
    assert!(many.contains(&light) && !many.contains(&dark));
    for svg in [few, many] {
        assert_eq!(svg.matches(&format!("fill=\"{}\"", COLOURS[0])).count(), 1);
    }
    // The attributes' own arcs stay dark.
    let mut tree = naive(36);
    tree.arcs.extend((2..37).map(|to| DrawnArc { from: to / 2, to, ..Default::default() }));
    let svg = tree.svg();
    assert!(svg.contains(&light) && svg.contains(&dark));
}

#[test]
fn strong_arcs_are_wide_and_dark() {
    let all: Vec<(f64, String)> = [0.0, 0.5, 1.0].map(|s| look(Some(s), 1.0, false)).into();
    assert!(all[0].0 < all[1].0 && all[1].0 < all[2].0);
    assert!(all[0].1 > all[1].1 && all[1].1 > all[2].1, "{all:?}");
    assert!(look(Some(1.0), 0.4, false).1 > all[2].1, "faded");
    let mut drawing = naive(3);
    drawing.strength_note = Some("arc width: information".into());
    assert!(!drawing.svg().contains("arc width"), "no strengths, no legend");
    for (arc, s) in drawing.arcs.iter_mut().zip([0.1, f64::NAN, 7.0]) {
        arc.strength = Some(s);
    }
    let svg = drawing.svg();
    well_formed(&svg).unwrap();
    assert!(svg.contains(">arc width: information</text>") && svg.contains("stroke-width=\"3.6\""));
}

#[test]
fn arcs_that_run_as_one_are_drawn_as_one() {
    let drawing = naive(200);
    let (layout, svg) = (drawing.layout(), drawing.svg());
    let all: usize = layout.routes.iter().flatten().map(|r| r.pieces.len()).sum();
    let drawn = svg.matches('C').count();
    assert!(drawn * 3 < all, "{drawn} of {all}");
    assert_eq!(svg.matches("Z\"").count(), 200, "each has its head");
}

#[test]
fn nothing_and_little() {
    let none = NetworkDrawing::default().svg();
    well_formed(&none).unwrap();
    assert!(none.contains("<title>Network</title>"));
    let node = DrawnNode { label: String::new(), ..DrawnNode::default() };
    let one = NetworkDrawing { nodes: vec![node], ..NetworkDrawing::default() };
    assert_eq!(one.svg().matches("<rect").count(), 2);
    let loops = vec![DrawnArc::default(), DrawnArc { from: 5, to: 0, ..DrawnArc::default() }];
    let svg = NetworkDrawing { arcs: loops, ..one }.svg();
    well_formed(&svg).unwrap();
    assert!(!svg.contains("<path"));
}
