//! Lines: learning curves, ROC curves, histories of training.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::labels::spread;
use super::legend::{self, Entry};
use super::palette::{FAINT, Style, stroke, style};
use super::scale::{Scale, nice, pad, plain, range, settle, usable};
use super::scatter::reach;
use super::svg::{Spot, Svg};
use super::text::room;

/// Where the names of the series stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Legend {
    /// At the ends of the lines if there is room, else beneath; in a corner of a unit square if there is room.
    #[default]
    Auto,
    /// Beneath the chart.
    Beneath,
}

/// A chart of lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The lines.
    pub series: Vec<Series>,
    /// Whether the horizontal axis is logarithmic; points that are not above 0 are then left out.
    pub x_log: bool,
    /// Whether both axes run from 0 to 1, as for ROC curves; points outside are left out.
    pub unit_square: bool,
    /// Whether the diagonal is drawn: what chance would give in a ROC curve.
    pub diagonal: bool,
    /// Where the names of the series stand.
    pub legend: Legend,
}

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, in the order in which they are joined.
    pub points: Vec<LinePoint>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinePoint {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// How far its error bar reaches up and down.
    pub error: Option<f64>,
}

/// A line that can be drawn.
struct Drawn<'a> {
    number: usize,
    name: &'a str,
    style: Style,
    points: Vec<LinePoint>,
}

/// Where the legend goes, as decided.
#[derive(PartialEq)]
enum Place {
    Ends,
    Beneath,
    Corner,
    Nowhere,
}

const WIDE: f64 = 470.0;
const HIGH: f64 = 330.0;
const SQUARE: f64 = 390.0;
/// The room between the plot and the names at the ends of the lines.
const LEAD: f64 = 26.0;
const GAP: f64 = 15.0;

impl Lines {
    fn drawn(&self) -> Vec<Drawn<'_>> {
        let held = |p: &&LinePoint| {
            let unit = |v: f64| (0.0..=1.0).contains(&v);
            usable(p.x)
                && usable(p.y)
                && (!self.x_log || p.x > 1e-90)
                && (!self.unit_square || unit(p.x) && unit(p.y))
        };
        let one = |(i, s): (usize, &'_ Series)| {
            (i, s.points.iter().filter(held).copied().collect::<Vec<LinePoint>>())
        };
        let all = self.series.iter().enumerate().map(one).filter(|(_, points)| !points.is_empty());
        all.map(|(i, points)| Drawn {
            number: i,
            name: &self.series[i].name,
            style: style(i),
            points,
        })
        .collect()
    }

    fn ranges(&self, all: &[Drawn]) -> ((f64, f64), (f64, f64)) {
        if self.unit_square {
            return ((0.0, 1.0), (0.0, 1.0));
        }
        let points = || all.iter().flat_map(|d| &d.points);
        let x = settle(range(points().map(|p| p.x)));
        let ends = points().flat_map(|p| [p.y - reach(p.error), p.y + reach(p.error)]);
        let (mut low, high) = settle(range(ends));
        // Bars of shares may reach below 0; the axis need not.
        if points().all(|p| p.y >= 0.0) {
            low = low.max(0.0);
        }
        let x = match self.x_log {
            true => (x.0 / (x.1 / x.0).powf(0.03), x.1 * (x.1 / x.0).powf(0.03)),
            false => pad(x, 0.02),
        };
        (x, nice(pad((low, high), 0.02), frame::steps(HIGH)))
    }

    fn place(&self, all: &[Drawn], height: f64) -> Place {
        let named = all.len() > 1 || all.iter().any(|d| !d.name.trim().is_empty());
        let widest = all.iter().map(|d| room(d.name, SMALL)).fold(0.0, f64::max);
        if !named {
            Place::Nowhere
        } else if self.legend == Legend::Beneath {
            Place::Beneath
        } else if self.unit_square {
            if all.len() <= 7 && widest <= 185.0 { Place::Corner } else { Place::Beneath }
        } else if widest <= 180.0 && all.len() as f64 * GAP <= height {
            Place::Ends
        } else {
            Place::Beneath
        }
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let all = self.drawn();
        let (x_range, y_range) = self.ranges(&all);
        let (wide, high) = if self.unit_square { (SQUARE, SQUARE) } else { (WIDE, HIGH) };
        let place = self.place(&all, high);
        let entries: Vec<Entry> = all.iter().map(entry).collect();
        let names = all.iter().map(|d| room(d.name, SMALL)).fold(0.0, f64::max);
        let right = if place == Place::Ends { LEAD + 16.0 + names } else { 8.0 };
        let heading = Heading::new(&self.title, &self.note, wide + 60.0 + right);
        let top = heading.height() + 4.0;
        let y = Scale::linear(y_range, top + high, top);
        let left = frame::room_left(&y, &self.y_label);
        let x = match self.x_log {
            true => Scale::log(x_range, left, left + wide),
            false => Scale::linear(x_range, left, left + wide),
        };
        let below = top + high + frame::room_below(&self.x_label);
        let across = left + wide + right - MARGIN;
        let legend = legend::rows_height(&entries, across);
        let height = below + if place == Place::Beneath { legend + MARGIN } else { 0.0 };
        let name = frame::name(&self.title, "Line chart");
        let mut svg = Svg::new(left + wide + right + MARGIN, height, name, "");
        heading.draw(&mut svg);
        frame::axes(&mut svg, &x, &y, &self.x_label, &self.y_label);
        if self.diagonal {
            svg.line((x.start, y.start), (x.end, y.end), &stroke(FAINT, "1.2", "5 4"));
        }
        for (i, line) in all.iter().enumerate() {
            line.draw(&mut svg, &x, &y, side_step(&all, i));
        }
        match place {
            Place::Ends => ends(&mut svg, &all, &entries, &x, &y),
            Place::Beneath => legend::rows(&mut svg, &entries, MARGIN, below, across),
            Place::Corner => {
                let (w, h) = legend::box_size(&entries);
                legend::boxed(&mut svg, &entries, x.end - w - 8.0, y.start - h - 8.0);
            }
            Place::Nowhere => {}
        }
        svg.finish()
    }
}

fn entry(line: &Drawn) -> Entry {
    Entry { name: line.name.to_string(), style: line.style, line: true, marks: true }
}

/// How far a series is moved aside, so that error bars at the same place can be told apart: a few units at most.
fn side_step(all: &[Drawn], i: usize) -> f64 {
    let bars = all.iter().flat_map(|d| &d.points).any(|p| reach(p.error) > 0.0);
    if !bars || all.len() < 2 {
        return 0.0;
    }
    let step = (10.0 / all.len() as f64).min(3.0);
    (i as f64 - (all.len() as f64 - 1.0) / 2.0) * step
}

impl Drawn<'_> {
    fn draw(&self, svg: &mut Svg, x: &Scale, y: &Scale, aside: f64) {
        let spot = |p: &LinePoint| ((x.at(p.x) + aside).clamp(x.start, x.end), y.at(p.y));
        let spots: Vec<Spot> = self.points.iter().map(spot).collect();
        svg.path(&thinned(&spots), false, &{
            let mut line = stroke(self.style.colour, "1.8", self.style.dash);
            line.push(("stroke-linejoin", "round"));
            line
        });
        svg.group(&[("stroke", self.style.colour), ("stroke-width", "1.1")]);
        for (p, (at, _)) in self.points.iter().zip(&spots) {
            let e = reach(p.error);
            if e > 0.0 {
                let (low, high) = (y.at(p.y - e), y.at(p.y + e));
                svg.line((*at, low), (*at, high), &[]);
                for (value, end) in [(p.y - e, low), (p.y + e, high)] {
                    if y.holds(value) {
                        svg.line((at - 2.5, end), (at + 2.5, end), &[]);
                    }
                }
            }
        }
        svg.close();
        for i in marked(&spots, self.number) {
            let p = &self.points[i];
            svg.group(&[]);
            let bar = match reach(p.error) {
                e if e > 0.0 => format!(" ± {}", plain(e)),
                _ => String::new(),
            };
            svg.title(&format!("{}: {} at {}{bar}", self.name, plain(p.y), plain(p.x)));
            self.style.marker.draw(svg, spots[i], 3.6, self.style.colour);
            svg.close();
        }
    }
}

/// Which spots bear marks: all of a short line; of a long one some, equally far apart along it, and not at the same
/// places as those of the next series.
fn marked(spots: &[Spot], number: usize) -> Vec<usize> {
    if spots.len() <= 25 {
        return (0..spots.len()).collect();
    }
    let step = |w: &[Spot]| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1);
    let total: f64 = spots.windows(2).map(step).sum();
    let mut next = total / 8.0 * (0.3 + 0.4 * (number % 3) as f64 / 2.0);
    let mut gone = 0.0;
    let mut kept = Vec::new();
    for (i, pair) in spots.windows(2).enumerate() {
        gone += step(pair);
        if gone >= next && total > 0.0 {
            kept.push(i + 1);
            next = gone + total / 8.0;
        }
    }
    kept
}

/// The spots without those so near the one before that nobody could see them.
fn thinned(spots: &[Spot]) -> Vec<Spot> {
    let mut kept: Vec<Spot> = Vec::new();
    for (i, s) in spots.iter().enumerate() {
        let far = |k: &Spot| (k.0 - s.0).abs() + (k.1 - s.1).abs() >= 0.4;
        if i + 1 == spots.len() || kept.last().is_none_or(far) {
            kept.push(*s);
        }
    }
    kept
}

/// The names at the ends of the lines.
fn ends(svg: &mut Svg, all: &[Drawn], entries: &[Entry], x: &Scale, y: &Scale) {
    let last = |d: &Drawn| d.points.last().map_or((x.end, y.start), |p| (x.at(p.x), y.at(p.y)));
    let wanted: Vec<f64> = all.iter().map(|d| last(d).1).collect();
    let heights = spread(&wanted, GAP, y.end, y.start);
    for ((line, entry), height) in all.iter().zip(entries).zip(heights) {
        let (from, at) = last(line);
        svg.line((from + 5.0, at), (x.end + LEAD - 4.0, height), &stroke(FAINT, "0.8", ""));
        entry.draw_mark(svg, x.end + LEAD, height);
    }
}

#[cfg(test)]
mod tests;
