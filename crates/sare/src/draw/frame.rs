//! What charts share: the heading, the axes with their ticks and names.

use super::palette::{FAINT, GRID, INK, MUTED};
use super::scale::{Kind, Scale, Tick};
use super::svg::{Anchor, Svg};
use super::text::{fit, room, wrap};

/// The font size of ticks.
pub(super) const SMALL: f64 = 11.0;
/// The empty margin around a drawing.
pub(super) const MARGIN: f64 = 12.0;
const BIG: f64 = 14.0;

/// The title and the note beneath it, broken into lines.
pub(super) struct Heading {
    title: Vec<String>,
    note: Vec<String>,
}

impl Heading {
    pub(super) fn new(title: &str, note: &str, room: f64) -> Heading {
        let room = room - 2.0 * MARGIN;
        // Bold letters are a little wider.
        Heading { title: wrap(title, BIG * 1.07, room, 3), note: wrap(note, SMALL, room, 3) }
    }

    /// How much of the drawing's top it takes.
    pub(super) fn height(&self) -> f64 {
        let text = self.title.len() as f64 * 18.0 + self.note.len() as f64 * 15.0;
        MARGIN + if text > 0.0 { text + 8.0 } else { 0.0 }
    }

    pub(super) fn draw(&self, svg: &mut Svg) {
        let mut y = MARGIN - 4.0;
        for line in &self.title {
            y += 18.0;
            let bold = [("font-size", "14"), ("font-weight", "bold")];
            svg.text((MARGIN, y), Anchor::Start, line, &bold);
        }
        for line in &self.note {
            y += 15.0;
            svg.text((MARGIN, y), Anchor::Start, line, &[("font-size", "11"), ("fill", MUTED)]);
        }
    }
}

/// What a drawing is called: its title, or its kind if it has none.
pub(super) fn name<'a>(title: &'a str, kind: &'a str) -> &'a str {
    if title.trim().is_empty() { kind } else { title }
}

/// How many steps between ticks look well on an axis of a length.
pub(super) fn steps(length: f64) -> usize {
    (length.abs() / 55.0).clamp(2.0, 10.0) as usize
}

/// As many ticks as fit side by side along a horizontal axis.
pub(super) fn ticks_across(scale: &Scale) -> Vec<Tick> {
    ticks_up_to(scale, steps(scale.end - scale.start))
}

/// As many ticks as fit side by side along a horizontal axis, in at most so many steps.
pub(super) fn ticks_up_to(scale: &Scale, most: usize) -> Vec<Tick> {
    let apart = |ticks: &[Tick]| {
        ticks.windows(2).all(|pair| {
            let need = room(&pair[0].label, SMALL) / 2.0 + room(&pair[1].label, SMALL) / 2.0 + 7.0;
            (scale.at(pair[1].value) - scale.at(pair[0].value)).abs() >= need
        })
    };
    (2..=most).rev().map(|n| scale.ticks(n)).find(|t| apart(t)).unwrap_or_else(|| scale.ticks(1))
}

/// As many ticks as look well along a vertical axis.
pub(super) fn ticks_up(scale: &Scale) -> Vec<Tick> {
    scale.ticks(steps(scale.end - scale.start))
}

/// How much room the names of a vertical axis need on its left.
pub(super) fn room_left(y: &Scale, label: &str) -> f64 {
    let widest = ticks_up(y).iter().map(|t| room(&t.label, SMALL)).fold(0.0, f64::max);
    MARGIN + widest + 9.0 + if label.is_empty() { 0.0 } else { 20.0 }
}

/// How much room the names of a horizontal axis need below it.
pub(super) fn room_below(label: &str) -> f64 {
    MARGIN + 18.0 + if label.is_empty() { 0.0 } else { 19.0 }
}

/// Draws the grid and both axes.
pub(super) fn axes(svg: &mut Svg, x: &Scale, y: &Scale, x_label: &str, y_label: &str) {
    grid_up(svg, x, y);
    grid_across(svg, x, y);
    axis_across(svg, x, y.start, x_label);
    axis_up(svg, y, x.start, y_label);
}

/// Lines across the plot at the ticks of the vertical axis.
pub(super) fn grid_up(svg: &mut Svg, x: &Scale, y: &Scale) {
    svg.group(&[("stroke", GRID)]);
    for tick in ticks_up(y) {
        let at = y.at(tick.value);
        svg.line((x.start, at), (x.end, at), &[]);
    }
    svg.close();
}

/// Lines up the plot at the ticks of the horizontal axis.
pub(super) fn grid_across(svg: &mut Svg, x: &Scale, y: &Scale) {
    svg.group(&[("stroke", GRID)]);
    for tick in ticks_across(x) {
        let at = x.at(tick.value);
        svg.line((at, y.start), (at, y.end), &[]);
    }
    svg.close();
}

/// The horizontal axis at a height, with its name beneath.
pub(super) fn axis_across(svg: &mut Svg, x: &Scale, base: f64, label: &str) {
    let ticks = ticks_across(x);
    svg.group(&[("stroke", INK)]);
    svg.line((x.start, base), (x.end, base), &[]);
    for tick in &ticks {
        let at = x.at(tick.value);
        svg.line((at, base), (at, base + 5.0), &[]);
    }
    if x.kind == Kind::Log {
        for value in x.minor() {
            svg.line((x.at(value), base), (x.at(value), base + 3.0), &[("stroke", FAINT)]);
        }
    }
    svg.close();
    svg.group(&[("font-size", "11"), ("text-anchor", "middle")]);
    for tick in &ticks {
        svg.text((x.at(tick.value), base + 17.0), Anchor::Start, &tick.label, &[]);
    }
    svg.close();
    if !label.is_empty() {
        let middle = (x.start + x.end) / 2.0;
        // A long name may stick out of the axis on both sides, not out of the drawing.
        let across =
            2.0 * (middle - MARGIN).min(x.end + MARGIN - middle).max((x.end - x.start) / 2.0);
        svg.text((middle, base + 37.0), Anchor::Middle, &fit(label, 12.0, across), &[]);
    }
}

/// The vertical axis at a place, with its name on the left.
pub(super) fn axis_up(svg: &mut Svg, y: &Scale, base: f64, label: &str) {
    let ticks = ticks_up(y);
    svg.group(&[("stroke", INK)]);
    svg.line((base, y.start), (base, y.end), &[]);
    for tick in &ticks {
        let at = y.at(tick.value);
        svg.line((base - 5.0, at), (base, at), &[]);
    }
    svg.close();
    svg.group(&[("font-size", "11"), ("text-anchor", "end")]);
    for tick in &ticks {
        svg.text((base - 8.0, y.at(tick.value) + 4.0), Anchor::Start, &tick.label, &[]);
    }
    svg.close();
    if !label.is_empty() {
        let text = fit(label, 12.0, (y.start - y.end).abs().max(40.0));
        let spot = (MARGIN + 9.0, (y.start + y.end) / 2.0);
        let turn =
            format!("rotate(-90 {} {})", super::svg::number(spot.0), super::svg::number(spot.1));
        svg.text(spot, Anchor::Middle, &text, &[("transform", &turn)]);
    }
}
