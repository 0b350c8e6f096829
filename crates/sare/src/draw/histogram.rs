//! Histograms: how often values of each size came.

use super::frame::{self, Heading, MARGIN};
use super::palette::{INK, fill};
use super::scale::{Scale, nice, plain, range, settle, usable};
use super::svg::Svg;

const WIDE: f64 = 470.0;
const HIGH: f64 = 240.0;

/// A chart of bins.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The bins, of any width.
    pub bins: Vec<HistogramBin>,
}

/// The values between two bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct HistogramBin {
    /// Where they begin.
    pub low: f64,
    /// Where they end.
    pub high: f64,
    /// How many there are, or their weight.
    pub count: f64,
}

impl HistogramBin {
    fn drawn(&self) -> bool {
        usable(self.low) && usable(self.high) && self.low < self.high && usable(self.count)
    }
}

impl Histogram {
    /// The drawing.
    pub fn svg(&self) -> String {
        let bins: Vec<&HistogramBin> = self.bins.iter().filter(|b| b.drawn()).collect();
        let most = bins.iter().map(|b| b.count).fold(0.0, f64::max);
        let heading = Heading::new(&self.title, &self.note, WIDE + 60.0);
        let top = heading.height() + 4.0;
        let counts = nice(settle(Some((0.0, most))), frame::steps(HIGH));
        let y = Scale::linear(counts, top + HIGH, top);
        let left = frame::room_left(&y, &self.y_label);
        let across = settle(range(bins.iter().flat_map(|b| [b.low, b.high])));
        let x = Scale::linear(across, left, left + WIDE);
        let height = top + HIGH + frame::room_below(&self.x_label);
        let name = frame::name(&self.title, "Histogram");
        let mut svg = Svg::new(left + WIDE + MARGIN + 8.0, height, name, "");
        heading.draw(&mut svg);
        frame::grid_up(&mut svg, &x, &y);
        for bin in bins {
            let (from, to) = (x.at(bin.low), x.at(bin.high));
            svg.group(&[]);
            let (low, high) = (plain(bin.low), plain(bin.high));
            svg.title(&format!("{low} to {high}: {}", plain(bin.count)));
            let up = y.at(bin.count.max(0.0));
            let look = [("fill", fill(0)), ("fill-opacity", "0.75"), ("stroke", "#ffffff")];
            svg.rect((from, up), to - from, y.start - up, &look);
            svg.close();
        }
        svg.line((x.start, y.start), (x.end, y.start), &[("stroke", INK)]);
        frame::axis_across(&mut svg, &x, y.start, &self.x_label);
        frame::axis_up(&mut svg, &y, x.start, &self.y_label);
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::well_formed;

    #[test]
    fn areas_stand_on_the_axis_and_are_as_high_as_their_counts() {
        let bin = |low: f64, count: f64| HistogramBin { low, high: low + 0.5, count };
        let bins = vec![bin(0.0, 5.0), bin(0.5, 10.0), bin(f64::NAN, 1.0), bin(0.5, f64::INFINITY)];
        let svg = Histogram { bins, ..Histogram::default() }.svg();
        well_formed(&svg).unwrap();
        // An axis from 0 to 10 is 240 high, and each bin half of 470 wide.
        assert_eq!(svg.matches("width=\"235\"").count(), 2, "{svg}");
        assert!(svg.contains("height=\"240\" fill") && svg.contains("height=\"120\" fill"));
        well_formed(&Histogram::default().svg()).unwrap();
    }
}
