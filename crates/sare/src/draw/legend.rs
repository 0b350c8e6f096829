//! Which look is which series.

use super::frame::SMALL;
use super::palette::{INK, Style, stroke};
use super::svg::{Anchor, Svg};
use super::text::{fit, room};

/// The height of a line of a legend.
pub(super) const ROW: f64 = 17.0;
const NAME: f64 = 230.0;

/// A series in a legend.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) style: Style,
    /// Whether its points are joined by a line.
    pub(super) line: bool,
    /// Whether its points bear marks.
    pub(super) marks: bool,
}

impl Entry {
    fn sample(&self) -> f64 {
        if self.line { 34.0 } else { 14.0 }
    }

    fn width(&self) -> f64 {
        self.sample() + 6.0 + room(&fit(&self.name, SMALL, NAME), SMALL)
    }

    /// Draws it with its left end at a place and its middle at a height.
    pub(super) fn draw(&self, svg: &mut Svg, left: f64, middle: f64) {
        let sample = self.sample();
        if self.line {
            let line = stroke(self.style.colour, "1.8", self.style.dash);
            svg.line((left, middle), (left + sample, middle), &line);
        }
        if self.marks {
            self.style.marker.draw(svg, (left + sample / 2.0, middle), 3.6, self.style.colour);
        }
        let name = fit(&self.name, SMALL, NAME);
        let spot = (left + sample + 6.0, middle + 4.0);
        svg.text(spot, Anchor::Start, &name, &[("font-size", "11"), ("fill", INK)]);
    }
}

impl Entry {
    /// Draws only the mark and the name, as for the end of a line.
    pub(super) fn draw_mark(&self, svg: &mut Svg, left: f64, middle: f64) {
        let bare = Entry { name: self.name.clone(), style: self.style, line: false, marks: true };
        bare.draw(svg, left, middle);
    }
}

fn widest(entries: &[Entry]) -> f64 {
    entries.iter().map(Entry::width).fold(0.0, f64::max)
}

/// How many entries stand side by side in a room.
fn columns(entries: &[Entry], across: f64) -> usize {
    (((across + 18.0) / (widest(entries) + 18.0)) as usize).clamp(1, entries.len().max(1))
}

/// The height of the legend in rows of equal columns.
pub(super) fn rows_height(entries: &[Entry], across: f64) -> f64 {
    entries.len().div_ceil(columns(entries, across)) as f64 * ROW
}

/// Draws the legend in rows of equal columns.
pub(super) fn rows(svg: &mut Svg, entries: &[Entry], left: f64, top: f64, across: f64) {
    let columns = columns(entries, across);
    for (i, entry) in entries.iter().enumerate() {
        let x = left + (i % columns) as f64 * (widest(entries) + 18.0);
        entry.draw(svg, x, top + ((i / columns) as f64 + 0.5) * ROW);
    }
}

/// The width and height of the legend as a box of one column.
pub(super) fn box_size(entries: &[Entry]) -> (f64, f64) {
    (widest(entries) + 16.0, entries.len() as f64 * ROW + 8.0)
}

/// Draws the legend as a box of one column.
pub(super) fn boxed(svg: &mut Svg, entries: &[Entry], left: f64, top: f64) {
    let (w, h) = box_size(entries);
    let frame = [("fill", "#ffffff"), ("fill-opacity", "0.9"), ("stroke", "#c8c8c8")];
    svg.rect((left, top), w, h, &frame);
    for (i, entry) in entries.iter().enumerate() {
        entry.draw(svg, left + 8.0, top + 4.0 + (i as f64 + 0.5) * ROW);
    }
}
