//! A network as a drawing: parents above children, the class in colour, strong arcs wide.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::layers::{BOX, Layout, Route, lay_out};
use super::palette::{COLOURS, INK, MUTED, PAPER};
use super::svg::{Anchor, Spot, Svg, number};
use super::text::{fit, room};
use std::collections::BTreeSet;
use std::fmt::Write;

#[cfg(test)]
mod tests;

/// The widest that a label is before it is cut.
const LABEL: f64 = 128.0;
/// The font size of labels.
const SIZE: f64 = 12.0;
/// The least width of a drawing: a title needs some.
const LEAST: f64 = 240.0;
/// So many arcs are named in the description.
const TOLD: usize = 80;

/// A directed graph to be drawn. Arcs need not be free of cycles: one that closes a cycle points up.
///
/// ```
/// use sare::draw::{DrawnArc, DrawnNode, Emphasis, NetworkDrawing};
///
/// let node = |label: &str, emphasis| DrawnNode { label: label.into(), emphasis, tooltip: None };
/// let nodes = vec![node("class", Emphasis::Class), node("a", Emphasis::Attribute)];
/// let arcs = vec![DrawnArc { from: 0, to: 1, ..DrawnArc::default() }];
/// let drawing = NetworkDrawing { nodes, arcs, ..NetworkDrawing::default() };
/// assert!(drawing.svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct NetworkDrawing {
    /// What it is called.
    pub title: Option<String>,
    /// A line in small print under the title.
    pub note: Option<String>,
    /// The nodes.
    pub nodes: Vec<DrawnNode>,
    /// The arcs; those from a node to itself or to a node that does not exist are left out.
    pub arcs: Vec<DrawnArc>,
    /// What the width of arcs means, for the legend; without it, or without strengths, there is no legend.
    pub strength_note: Option<String>,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct DrawnNode {
    /// What stands in its box, cut if it is long; the whole is shown when the pointer rests on it.
    pub label: String,
    /// How it is set off.
    pub emphasis: Emphasis,
    /// More to show when the pointer rests on it.
    pub tooltip: Option<String>,
}

/// How a node is set off from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Emphasis {
    /// The class: in colour. If it has many children, its arcs are drawn light.
    Class,
    /// An attribute.
    #[default]
    Attribute,
    /// A node that does not matter to the class.
    Faded,
}

/// An arc.
#[derive(Clone, Debug, Default)]
pub struct DrawnArc {
    /// The number of the parent.
    pub from: usize,
    /// The number of the child.
    pub to: usize,
    /// How strong it is, as a share of the strongest (0 to 1): strong arcs are wide and dark.
    pub strength: Option<f64>,
    /// More to show when the pointer rests on it.
    pub tooltip: Option<String>,
}

impl NetworkDrawing {
    /// The drawing.
    pub fn svg(&self) -> String {
        let layout = self.layout();
        let legend = self.strength_note.as_deref().filter(|_| self.strengths().next().is_some());
        let legend = legend.map(|text| fit(text, SMALL, LABEL * 4.0));
        let words = legend.as_ref().map_or(0.0, |text| LEGEND + room(text, SMALL));
        let inner = layout.width.max(words).max(LEAST - 2.0 * MARGIN);
        let full = inner + 2.0 * MARGIN;
        let title = self.title.as_deref().unwrap_or("");
        let heading = Heading::new(title, self.note.as_deref().unwrap_or(""), full);
        let top = heading.height();
        let foot = if legend.is_some() { 30.0 } else { 0.0 };
        let height = top + layout.height + foot + MARGIN;
        let name = frame::name(title, "Network");
        let mut svg = Svg::new(full, height, name, &self.description());
        heading.draw(&mut svg);
        let (x, y) = (MARGIN + (inner - layout.width) / 2.0, top);
        // One shift for all keeps the numbers of the layout out of the titles and the legend.
        let shift = format!("translate({} {})", number(x), number(y));
        svg.group(&[("transform", &shift)]);
        self.draw_arcs(&mut svg, &layout);
        for (node, middle) in self.nodes.iter().zip(&layout.middles) {
            node.draw(&mut svg, *middle);
        }
        svg.close();
        if let Some(text) = legend {
            draw_legend(&mut svg, &text, height - MARGIN - 8.0);
        }
        svg.finish()
    }

    /// Where nodes and arcs are.
    fn layout(&self) -> Layout {
        let widths: Vec<f64> = self.nodes.iter().map(DrawnNode::width).collect();
        let arcs: Vec<(usize, usize)> = self.arcs.iter().map(|a| (a.from, a.to)).collect();
        let central: Vec<bool> = self.nodes.iter().map(|n| n.emphasis == Emphasis::Class).collect();
        lay_out(&widths, &arcs, &central)
    }

    fn strengths(&self) -> impl Iterator<Item = f64> {
        self.arcs.iter().filter_map(|a| a.strength).filter(|s| s.is_finite())
    }

    /// The graph in words, for those who cannot see it.
    fn description(&self) -> String {
        let mut text = format!("{} nodes, {} arcs", self.nodes.len(), self.arcs.len());
        if self.arcs.len() <= TOLD {
            for (parent, node) in self.nodes.iter().enumerate() {
                let own = self.arcs.iter().filter(|a| a.from == parent);
                let children: Vec<&str> =
                    own.filter_map(|a| self.nodes.get(a.to)).map(|n| &*n.label).collect();
                if !children.is_empty() {
                    let _ = write!(text, "; {} → {}", node.label, children.join(", "));
                }
            }
        }
        text
    }

    /// Draws the arcs, those of the class first if they are light: the others then cross above them.
    fn draw_arcs(&self, svg: &mut Svg, layout: &Layout) {
        let light = |arc: &DrawnArc| {
            layout.hubs.contains(&arc.from)
                && self.nodes.get(arc.from).is_some_and(|n| n.emphasis == Emphasis::Class)
        };
        let mut all: Vec<(bool, f64, &DrawnArc, &Route)> = self
            .arcs
            .iter()
            .zip(&layout.routes)
            .filter_map(|(arc, route)| Some((light(arc), arc.share(), arc, route.as_ref()?)))
            .collect();
        all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
        svg.group(&[("fill", "none")]);
        let mut drawn = BTreeSet::new();
        for (light, _, arc, route) in all {
            let faded = |v: usize| self.nodes.get(v).is_some_and(|n| n.emphasis == Emphasis::Faded);
            let (width, colour) = arc.look(light, faded(arc.from) || faded(arc.to));
            let name = |v: usize| self.nodes.get(v).map_or("", |n| &*n.label);
            let mut title = format!("{} → {}", name(arc.from), name(arc.to));
            if let Some(more) = &arc.tooltip {
                let _ = write!(title, ": {more}");
            }
            svg.open("g", &[]);
            svg.title(&title);
            // Where arcs run as one, one line is enough: many would blur.
            let new = |i: &usize| drawn.insert((route.piece(*i), colour.clone()));
            let last = route.pieces.len().saturating_sub(1);
            let from = (0..last).find(new).unwrap_or(last);
            draw_arrow(svg, &route.rest(from), width, &colour);
            for i in from..last {
                drawn.insert((route.piece(i), colour.clone()));
            }
            svg.close();
        }
        svg.close();
    }
}

impl DrawnNode {
    fn shown(&self) -> String {
        fit(&self.label, SIZE, LABEL)
    }

    /// The width of its box.
    fn width(&self) -> f64 {
        // Bold letters are a little wider.
        let bold = if self.emphasis == Emphasis::Class { 1.07 } else { 1.0 };
        (room(&self.shown(), SIZE) * bold + 16.0).max(36.0)
    }

    fn draw(&self, svg: &mut Svg, (x, y): Spot) {
        svg.group(&[]);
        let title = match &self.tooltip {
            Some(more) => format!("{}: {more}", self.label),
            None => self.label.clone(),
        };
        svg.title(&title);
        let (fill, line, ink) = match self.emphasis {
            Emphasis::Class => (COLOURS[0], COLOURS[0], PAPER),
            Emphasis::Attribute => ("#f4f6f8", MUTED, INK),
            Emphasis::Faded => (PAPER, "#c8c8c8", MUTED),
        };
        let width = self.width();
        let look = [("rx", "5"), ("fill", fill), ("stroke", line)];
        svg.rect((x - width / 2.0, y - BOX / 2.0), width, BOX, &look);
        let mut look = vec![("fill", ink)];
        if self.emphasis == Emphasis::Class {
            look.push(("font-weight", "bold"));
        }
        svg.text((x, y + 4.2), Anchor::Middle, &self.shown(), &look);
        svg.close();
    }
}

impl DrawnArc {
    /// Its strength, if it has one that can be drawn, within 0 to 1.
    fn share(&self) -> f64 {
        self.strength.filter(|s| s.is_finite()).map_or(0.5, |s| s.clamp(0.0, 1.0))
    }

    /// The width and the colour of its line.
    fn look(&self, light: bool, faded: bool) -> (f64, String) {
        let known = self.strength.is_some_and(f64::is_finite);
        look(known.then(|| self.share()), if faded { 0.4 } else { 1.0 }, light)
    }
}

impl Route {
    /// What tells a piece from all others.
    fn piece(&self, i: usize) -> [u64; 8] {
        let start = if i == 0 { self.start } else { self.pieces[i - 1][2] };
        let [a, b, c] = self.pieces[i];
        [start.0, start.1, a.0, a.1, b.0, b.1, c.0, c.1].map(f64::to_bits)
    }

    /// The curve from a piece on.
    fn rest(&self, i: usize) -> Route {
        let start = if i == 0 { self.start } else { self.pieces[i - 1][2] };
        Route { start, pieces: self.pieces[i..].to_vec() }
    }
}

/// The width and the colour of a line of a strength, with a share of the ink, light or not.
fn look(strength: Option<f64>, ink: f64, light: bool) -> (f64, String) {
    let (pale, dark) =
        if light { ([214, 228, 237], [128, 182, 214]) } else { ([176, 176, 176], [31, 31, 31]) };
    let (width, share) = match (strength, light) {
        (None, false) => (1.3, 0.72),
        (None, true) => (1.1, 0.5),
        (Some(s), false) => (0.7 + 2.9 * s, 0.15 + 0.85 * s),
        (Some(s), true) => (0.7 + 2.0 * s, s),
    };
    let mix = |i: usize| {
        let (from, to) = (f64::from(pale[i]), f64::from(dark[i]));
        (from + (to - from) * share * ink).round() as u8
    };
    (width, format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2)))
}

/// Draws a line with a head at its end.
fn draw_arrow(svg: &mut Svg, route: &Route, width: f64, colour: &str) {
    let mut pieces = route.pieces.clone();
    let Some(last) = pieces.last_mut() else { return };
    let (length, half) = (5.0 + 2.0 * width, 2.2 + 1.05 * width);
    let tip = last[2];
    let (dx, dy) = (tip.0 - last[1].0, tip.1 - last[1].1);
    let norm = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / norm, dy / norm);
    // The line ends within the head, or a wide one would stick out beyond the tip.
    for spot in &mut last[1..] {
        *spot = (spot.0 - ux * length * 0.8, spot.1 - uy * length * 0.8);
    }
    svg.curve(route.start, &pieces, &[("stroke", colour), ("stroke-width", &number(width))]);
    let base = (tip.0 - ux * length, tip.1 - uy * length);
    let side = |s: f64| (base.0 - uy * half * s, base.1 + ux * half * s);
    svg.path(&[tip, side(1.0), side(-1.0)], true, &[("fill", colour)]);
}

/// The width of the samples of the legend, with the room before its words.
const LEGEND: f64 = 88.0;

/// Draws three widths of line and what they mean.
fn draw_legend(svg: &mut Svg, text: &str, middle: f64) {
    for (i, strength) in [0.0, 0.5, 1.0].into_iter().enumerate() {
        let (width, colour) = look(Some(strength), 1.0, false);
        let left = MARGIN + 27.0 * i as f64;
        let line = [("stroke", &*colour), ("stroke-width", &*number(width))];
        svg.line((left, middle), (left + 22.0, middle), &line);
    }
    let spot = (MARGIN + LEGEND, middle + 4.0);
    svg.text(spot, Anchor::Start, text, &[("font-size", "11"), ("fill", MUTED)]);
}
