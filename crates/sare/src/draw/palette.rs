//! Colours, marks and dashes that tell series apart, also for the colour-blind and on black-and-white prints.

use super::svg::{Spot, Svg};

/// Text and axes.
pub const INK: &str = "#1f1f1f";
/// Lesser text.
pub const MUTED: &str = "#5c5c5c";
/// Lines that only guide the eye.
pub const FAINT: &str = "#9a9a9a";
/// The grid.
pub const GRID: &str = "#e6e6e6";
/// The ground.
pub const PAPER: &str = "#ffffff";

/// The colours of Okabe and Ito but for yellow, which is lost on white; the strongest contrasts first.
pub const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Colours of areas that meet, the strongest contrasts between neighbours first; more areas than this begin again.
pub const FILLS: [&str; 12] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f",
    "#5e3c99", "#a6761d", "#b2df8a", "#8c1d40",
];

/// The colour of the area with this number.
pub fn fill(index: usize) -> &'static str {
    FILLS[index % FILLS.len()]
}

/// Dashes as SVG writes them; the first is a whole line.
pub const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "9 3 2 3", "13 4"];

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// An empty circle.
    Ring,
    /// An empty square.
    Box,
    /// A triangle that points down.
    Down,
    /// Two strokes that cross.
    Cross,
}

/// The marks in the order in which series take them: neighbours differ in more than their outline.
pub const MARKERS: [Marker; 8] = [
    Marker::Circle,
    Marker::Box,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Ring,
    Marker::Square,
    Marker::Down,
    Marker::Cross,
];

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The colour of all of it.
    pub colour: &'static str,
    /// The mark of its points.
    pub marker: Marker,
    /// The dashes of its line; empty for a whole line.
    pub dash: &'static str,
}

/// The look of the series with this number; the first 280 all differ.
pub fn style(index: usize) -> Style {
    Style {
        colour: COLOURS[index % COLOURS.len()],
        marker: MARKERS[index % MARKERS.len()],
        dash: DASHES[index % DASHES.len()],
    }
}

impl Marker {
    /// Draws the mark around a spot; all shapes of one size look about as large.
    pub fn draw(self, svg: &mut Svg, at: Spot, size: f64, colour: &str) {
        let (x, y) = at;
        let filled = [("fill", colour), ("stroke", PAPER), ("stroke-width", "0.6")];
        let hollow = [("fill", PAPER), ("stroke", colour), ("stroke-width", "1.6")];
        let around = |spots: &[Spot]| {
            spots.iter().map(|s| (x + s.0 * size, y + s.1 * size)).collect::<Vec<_>>()
        };
        match self {
            Marker::Circle => svg.circle(at, size, &filled),
            Marker::Ring => svg.circle(at, size * 0.9, &hollow),
            Marker::Square => {
                let s = size * 0.9;
                svg.rect((x - s, y - s), 2.0 * s, 2.0 * s, &filled);
            }
            Marker::Box => {
                let s = size * 0.8;
                svg.rect((x - s, y - s), 2.0 * s, 2.0 * s, &hollow);
            }
            Marker::Triangle => {
                svg.path(&around(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)]), true, &filled);
            }
            Marker::Down => {
                svg.path(&around(&[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)]), true, &filled);
            }
            Marker::Diamond => {
                let spots = around(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]);
                svg.path(&spots, true, &filled);
            }
            Marker::Cross => {
                let stroke = [("stroke", colour), ("stroke-width", "1.8")];
                let s = size * 0.9;
                svg.line((x - s, y - s), (x + s, y + s), &stroke);
                svg.line((x - s, y + s), (x + s, y - s), &stroke);
            }
        }
    }
}

/// The attributes of a line of a colour, a width and a dash (empty for a whole line).
pub fn stroke<'a>(colour: &'a str, width: &'a str, dash: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut all = vec![("stroke", colour), ("stroke-width", width), ("fill", "none")];
    if !dash.is_empty() {
        all.push(("stroke-dasharray", dash));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_differ() {
        for i in 0..280 {
            for j in 0..i {
                assert_ne!(style(i), style(j), "{i} and {j}");
            }
        }
        // Without colour, mark and dash still tell as many series apart as one chart can hold.
        for i in 0..40 {
            for j in 0..i {
                let (a, b) = (style(i), style(j));
                assert!(a.marker != b.marker || a.dash != b.dash, "{i} and {j}");
            }
        }
    }

    #[test]
    fn every_mark_draws_something() {
        for marker in MARKERS {
            let mut svg = Svg::new(10.0, 10.0, "", "");
            let before = svg.clone().finish().len();
            marker.draw(&mut svg, (5.0, 5.0), 4.0, COLOURS[0]);
            assert!(svg.finish().len() > before);
        }
    }
}
