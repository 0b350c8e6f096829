//! Calibration: whether what is predicted with some probability happens as often.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::palette::{FAINT, MUTED, Marker, stroke};
use super::scale::{Scale, grouped, plain, usable};
use super::scatter::reach;
use super::svg::{Anchor, Spot, Svg};
use super::text::room;

const SIDE: f64 = 370.0;
const COUNTS: f64 = 76.0;
const BETWEEN: f64 = 22.0;
const COLOUR: &str = "#0072b2";

/// A chart of mean predicted probability against observed frequency, with the number of rows of each bin beneath.
#[derive(Clone, Debug, Default)]
pub struct Reliability {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the horizontal axis; "mean predicted probability" if empty.
    pub x_label: String,
    /// The name of the vertical axis; "observed frequency" if empty.
    pub y_label: String,
    /// The bins, from the lowest probabilities to the highest.
    pub bins: Vec<Bin>,
}

/// The rows whose predicted probability lies in some range.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bin {
    /// Where the range begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The mean of the predicted probabilities.
    pub predicted: f64,
    /// The share of rows in which what was predicted happened.
    pub observed: f64,
    /// How far the error bar of the share reaches up and down.
    pub error: Option<f64>,
    /// The rows, or their weight; bins without are not drawn as points.
    pub count: f64,
}

impl Bin {
    fn has_point(&self) -> bool {
        let unit = |v: f64| (0.0..=1.0).contains(&v);
        self.rows() > 0.0 && unit(self.predicted) && unit(self.observed)
    }

    fn rows(&self) -> f64 {
        if usable(self.count) { self.count.max(0.0) } else { 0.0 }
    }

    fn tooltip(&self) -> String {
        let rows = plain(self.rows());
        format!(
            "from {} to {}: predicted {}, observed {}, rows {rows}",
            plain(self.low),
            plain(self.high),
            plain(self.predicted),
            plain(self.observed)
        )
    }
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

impl Reliability {
    /// The drawing.
    pub fn svg(&self) -> String {
        let x_label = or(&self.x_label, "mean predicted probability");
        let y_label = or(&self.y_label, "observed frequency");
        let heading = Heading::new(&self.title, &self.note, SIDE + 80.0);
        let top = heading.height() + 4.0;
        let y = Scale::linear((0.0, 1.0), top + SIDE, top);
        let most = self.bins.iter().map(Bin::rows).fold(0.0, f64::max);
        let base = top + SIDE + BETWEEN + COUNTS;
        let counts =
            Scale::linear((0.0, if most > 0.0 { most } else { 1.0 }), base, base - COUNTS + 12.0);
        let left = frame::room_left(&y, y_label).max(MARGIN + 29.0 + room(&whole(most), SMALL));
        let x = Scale::linear((0.0, 1.0), left, left + SIDE);
        let height = base + frame::room_below(x_label);
        let name = frame::name(&self.title, "Reliability diagram");
        let mut svg = Svg::new(left + SIDE + MARGIN + 8.0, height, name, "");
        heading.draw(&mut svg);
        frame::grid_up(&mut svg, &x, &y);
        frame::grid_across(&mut svg, &x, &y);
        frame::axis_up(&mut svg, &y, left, y_label);
        svg.line((left, y.start), (x.end, y.start), &[("stroke", "#1f1f1f")]);
        svg.line((x.start, y.start), (x.end, y.end), &stroke(FAINT, "1.2", "5 4"));
        self.curve(&mut svg, &x, &y);
        self.histogram(&mut svg, &x, &counts, most);
        frame::axis_across(&mut svg, &x, base, x_label);
        svg.finish()
    }

    fn curve(&self, svg: &mut Svg, x: &Scale, y: &Scale) {
        let spot = |b: &Bin| -> Spot { (x.at(b.predicted), y.at(b.observed)) };
        let full: Vec<usize> = (0..self.bins.len()).filter(|i| self.bins[*i].has_point()).collect();
        for pair in full.windows(2) {
            // Dotted where empty bins lie between.
            let dash = if pair[1] == pair[0] + 1 { "" } else { "2 3" };
            let (from, to) = (spot(&self.bins[pair[0]]), spot(&self.bins[pair[1]]));
            svg.line(from, to, &stroke(COLOUR, "1.8", dash));
        }
        for i in full {
            let bin = &self.bins[i];
            let (at, e) = (spot(bin), reach(bin.error));
            svg.group(&[]);
            svg.title(&bin.tooltip());
            if e > 0.0 {
                let ends = (y.at(bin.observed - e), y.at(bin.observed + e));
                svg.line((at.0, ends.0), (at.0, ends.1), &stroke(COLOUR, "1.1", ""));
            }
            Marker::Circle.draw(svg, at, 4.2, COLOUR);
            svg.close();
        }
    }

    fn histogram(&self, svg: &mut Svg, x: &Scale, counts: &Scale, most: f64) {
        let sized = |b: &&Bin| usable(b.low) && usable(b.high) && b.low < b.high;
        let bins: Vec<&Bin> = self.bins.iter().filter(sized).collect();
        let ends = |b: &Bin| (x.at(b.low), x.at(b.high));
        let fits = |b: &&Bin| room(&whole(b.rows()), 9.0) <= ends(b).1 - ends(b).0 - 1.0;
        // Either every bar bears its number or the axis does.
        let numbered = bins.iter().all(fits);
        for bin in bins {
            let (from, to) = ends(bin);
            let top = counts.at(bin.rows());
            svg.group(&[]);
            svg.title(&bin.tooltip());
            let fill = [("fill", COLOUR), ("fill-opacity", "0.45")];
            svg.rect((from + 0.75, top), to - from - 1.5, counts.start - top, &fill);
            if numbered {
                let text = whole(bin.rows());
                let small = [("font-size", "9"), ("fill", MUTED)];
                svg.text(((from + to) / 2.0, top - 3.0), Anchor::Middle, &text, &small);
            }
            svg.close();
        }
        svg.line((x.start, counts.start), (x.start, counts.end), &[("stroke", "#1f1f1f")]);
        if most > 0.0 && !numbered {
            let end = [("font-size", "11")];
            svg.text((x.start - 8.0, counts.start + 4.0), Anchor::End, "0", &end);
            svg.text((x.start - 8.0, counts.end + 4.0), Anchor::End, &whole(most), &end);
        }
        let middle = (counts.start + counts.end) / 2.0;
        let turn = format!("rotate(-90 {} {})", MARGIN + 9.0, super::svg::number(middle));
        svg.text((MARGIN + 9.0, middle), Anchor::Middle, "rows", &[("transform", &turn)]);
    }
}

/// A number of rows.
fn whole(count: f64) -> String {
    if count < 1e7 && count.fract() == 0.0 { grouped(count, 0) } else { plain(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_bins_have_no_point() {
        let bin = |i: usize, count: f64| Bin {
            low: i as f64 / 10.0,
            high: (i + 1) as f64 / 10.0,
            predicted: i as f64 / 10.0,
            observed: if count > 0.0 { 0.5 } else { f64::NAN },
            error: None,
            count,
        };
        let bins = (0..10).map(|i| bin(i, if (3..6).contains(&i) { 0.0 } else { 20.0 }));
        let svg = Reliability { bins: bins.collect(), ..Reliability::default() }.svg();
        assert_eq!(svg.matches("<circle").count(), 7);
        assert_eq!(svg.matches("stroke-dasharray=\"2 3\"").count(), 1);
        assert_eq!(svg.matches(">20</text>").count(), 7);
    }
}
