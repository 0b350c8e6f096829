//! The errors of two learners against each other, a point a data set.

use super::frame::{self, Heading, MARGIN};
use super::labels::{Area, Placed, Scene};
use super::legend::{self, Entry};
use super::palette::{FAINT, INK, Marker, PAPER, Style, stroke};
use super::scale::{Scale, pad, plain, range, settle, usable};
use super::svg::{Anchor, Spot, Svg};
use super::text::{fit, room};

/// The side of the plot.
const SIDE: f64 = 460.0;
/// The font size of the names.
const NAME: f64 = 10.0;
/// With more points than this no names are written: nobody could tell whose they are.
const MOST_NAMES: usize = 120;

/// A chart of points with the diagonal on which both errors are equal.
///
/// Names are written where there is room; in a crowd some are left out. Resting the pointer on a point always shows
/// its name and numbers.
#[derive(Clone, Debug, Default)]
pub struct Scatter {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The data sets.
    pub points: Vec<ScatterPoint>,
}

/// A data set.
#[derive(Clone, Debug, Default)]
pub struct ScatterPoint {
    /// Its name.
    pub name: String,
    /// The error of the one learner.
    pub x: f64,
    /// The error of the other learner.
    pub y: f64,
    /// How far the first error's bar reaches to either side.
    pub x_error: Option<f64>,
    /// How far the second error's bar reaches to either side.
    pub y_error: Option<f64>,
}

/// On which side of the diagonal a point lies.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Below,
    Above,
    On,
}

impl Side {
    fn of(point: &ScatterPoint) -> Side {
        let near = 1e-12 * point.x.abs().max(point.y.abs());
        match point.y - point.x {
            d if d.abs() <= near => Side::On,
            d if d < 0.0 => Side::Below,
            _ => Side::Above,
        }
    }

    fn style(self) -> Style {
        let (colour, marker) = match self {
            Side::Below => ("#0072b2", Marker::Circle),
            Side::Above => ("#d55e00", Marker::Box),
            Side::On => (INK, Marker::Diamond),
        };
        Style { colour, marker, dash: "" }
    }
}

/// An error bar's half length if it can be drawn.
pub(super) fn reach(error: Option<f64>) -> f64 {
    error.filter(|e| usable(*e) && *e > 0.0).unwrap_or(0.0)
}

impl Scatter {
    /// The points that can be drawn.
    fn drawn(&self) -> Vec<&ScatterPoint> {
        self.points.iter().filter(|p| usable(p.x) && usable(p.y)).collect()
    }

    /// How many points lie below the diagonal, above it and on it.
    pub fn sides(&self) -> [usize; 3] {
        let points = self.drawn();
        [Side::Below, Side::Above, Side::On]
            .map(|side| points.iter().filter(|p| Side::of(p) == side).count())
    }

    fn entries(&self) -> Vec<Entry> {
        let [below, above, on] = self.sides();
        let entry = |count: usize, what: &str, side: Side| {
            let name = format!("{count} {what}");
            Entry { name, style: side.style(), line: false, marks: true }
        };
        let mut all = vec![
            entry(below, "below the diagonal", Side::Below),
            entry(above, "above the diagonal", Side::Above),
        ];
        if on > 0 {
            all.push(entry(on, "on the diagonal", Side::On));
        }
        all
    }

    /// The range of both axes.
    fn range(&self) -> (f64, f64) {
        let points = self.drawn();
        let of = |f: fn(&ScatterPoint) -> [f64; 4]| range(points.iter().flat_map(|p| f(p)));
        let centres = settle(of(|p| [p.x, p.x, p.y, p.y]));
        let ends = of(|p| {
            let (dx, dy) = (reach(p.x_error), reach(p.y_error));
            [p.x - dx, p.x + dx, p.y - dy, p.y + dy]
        });
        let (mut low, high) = settle(ends);
        // Errors are read from 0, unless there are many and all far from it.
        let far = points.len() > 2 && low > 0.5 * high;
        if centres.0 >= 0.0 && !far {
            low = 0.0;
        }
        pad((low, high), 0.04)
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let range = self.range();
        let heading = Heading::new(&self.title, &self.note, SIDE + 90.0);
        let top = heading.height() + 4.0;
        let y = Scale::linear(range, top + SIDE, top);
        let left = frame::room_left(&y, &self.y_label);
        let x = Scale::linear(range, left, left + SIDE);
        let entries = self.entries();
        let below = top + SIDE + frame::room_below(&self.x_label);
        let height = below + legend::rows_height(&entries, SIDE) + MARGIN;
        let [b, a, o] = self.sides();
        let about = format!("{b} points below the diagonal, {a} above it, {o} on it.");
        let name = frame::name(&self.title, "Errors of two learners");
        let mut svg = Svg::new(left + SIDE + MARGIN + 8.0, height, name, &about);
        heading.draw(&mut svg);
        frame::axes(&mut svg, &x, &y, &self.x_label, &self.y_label);
        let dashed = stroke(FAINT, "1.2", "5 4");
        svg.line((x.start, y.start), (x.end, y.end), &dashed);
        self.draw_points(&mut svg, &x, &y);
        legend::rows(&mut svg, &entries, left, below, SIDE);
        svg.finish()
    }

    fn draw_points(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let points = self.drawn();
        let spots: Vec<Spot> = points.iter().map(|p| (x.at(p.x), y.at(p.y))).collect();
        let mut bars: Vec<(Spot, Spot)> = Vec::new();
        for (p, spot) in points.iter().zip(&spots) {
            let (dx, dy) = (reach(p.x_error), reach(p.y_error));
            let across = ((x.at(p.x - dx), spot.1), (x.at(p.x + dx), spot.1));
            let up = ((spot.0, y.at(p.y - dy)), (spot.0, y.at(p.y + dy)));
            bars.extend((dx > 0.0).then_some(across));
            bars.extend((dy > 0.0).then_some(up));
        }
        svg.group(&[("stroke", "#8c8c8c"), ("stroke-width", "0.9"), ("stroke-opacity", "0.8")]);
        for (from, to) in &bars {
            svg.line(*from, *to, &[]);
        }
        svg.close();
        let names = self.place(&points, &spots, bars, x, y);
        for (name, placed) in &names {
            if let Some(placed) = placed {
                draw_name(svg, name, placed);
            }
        }
        for (p, spot) in points.iter().zip(&spots) {
            let style = Side::of(p).style();
            svg.group(&[]);
            svg.title(&tooltip(p));
            style.marker.draw(svg, *spot, 4.0, style.colour);
            svg.close();
        }
    }

    /// The names as written, with their places.
    fn place(
        &self,
        points: &[&ScatterPoint],
        spots: &[Spot],
        mut lines: Vec<(Spot, Spot)>,
        x: &Scale,
        y: &Scale,
    ) -> Vec<(String, Option<Placed>)> {
        if points.len() > MOST_NAMES {
            return Vec::new();
        }
        lines.push(((x.start, y.start), (x.end, y.end)));
        let names = points.iter().map(|p| fit(p.name.trim(), NAME, 130.0)).collect::<Vec<_>>();
        let sized = |(spot, name): (&Spot, &String)| (*spot, room(name, NAME));
        let sized: Vec<(Spot, f64)> = spots.iter().zip(&names).map(sized).collect();
        let bounds =
            Area { left: x.start + 2.0, top: y.end, right: x.end + 6.0, bottom: y.start - 2.0 };
        let scene = Scene { points: &sized, lines: &lines, bounds, height: 10.0 };
        names.into_iter().zip(scene.place()).collect()
    }
}

fn draw_name(svg: &mut Svg, name: &str, placed: &Placed) {
    if let Some((from, to)) = placed.leader {
        svg.line(from, to, &stroke(FAINT, "0.7", ""));
    }
    // Bars and the diagonal stay visible behind a name, but fainter than its letters.
    let (area, veil) = (placed.area, [("fill", PAPER), ("fill-opacity", "0.7")]);
    svg.rect((area.left, area.top), area.right - area.left, area.bottom - area.top, &veil);
    let spot = (area.left, area.bottom - 2.0);
    svg.text(spot, Anchor::Start, name, &[("font-size", "10")]);
}

fn tooltip(p: &ScatterPoint) -> String {
    let one = |v: f64, e: Option<f64>| match reach(e) {
        e if e > 0.0 => format!("{} ± {}", plain(v), plain(e)),
        _ => plain(v),
    };
    format!("{}: x {}, y {}", p.name, one(p.x, p.x_error), one(p.y, p.y_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> Scatter {
        let point = |(x, y): &(f64, f64)| ScatterPoint {
            name: "set".into(),
            x: *x,
            y: *y,
            ..ScatterPoint::default()
        };
        Scatter { points: points.iter().map(point).collect(), ..Scatter::default() }
    }

    #[test]
    fn points_are_counted_by_side() {
        let all = [(0.2, 0.1), (0.3, 0.1), (0.1, 0.2), (0.1, 0.1), (f64::NAN, 0.1)];
        assert_eq!(chart(&all).sides(), [2, 1, 1]);
        let svg = chart(&all).svg();
        assert!(svg.contains(">2 below the diagonal<") && svg.contains(">1 on the diagonal<"));
    }

    #[test]
    fn axes_start_at_zero_unless_all_is_far() {
        assert_eq!(chart(&[(0.2, 0.1)]).range().0, 0.0);
        assert!(chart(&[(0.5, 0.4), (0.45, 0.44), (0.42, 0.41)]).range().0 > 0.3);
    }

    #[test]
    fn a_crowd_keeps_its_tooltips() {
        let svg = chart(&[(0.1, 0.2); 300]).svg();
        assert_eq!(svg.matches("<title>set: x 0.1, y 0.2</title>").count(), 300);
    }
}
