//! Clouds of points: how two measures go together.

use super::frame::{self, Heading, MARGIN};
use super::legend::{self, Entry};
use super::palette::style;
use super::scale::{Scale, pad, range, settle, usable};
use super::svg::Svg;

const WIDE: f64 = 470.0;
const HIGH: f64 = 330.0;
/// No more points than this are no crowd.
const FEW: usize = 200;

/// A chart of the points of some series.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the horizontal axis.
    pub x_label: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The series.
    pub series: Vec<CloudSeries>,
}

/// The points of a series.
#[derive(Clone, Debug, Default)]
pub struct CloudSeries {
    /// Its name.
    pub name: String,
    /// Across and up.
    pub points: Vec<(f64, f64)>,
}

impl Cloud {
    fn points(&self) -> impl Iterator<Item = (usize, (f64, f64))> + '_ {
        let of = |(i, s): (usize, &'_ CloudSeries)| {
            let points: Vec<(f64, f64)> = s.points.clone();
            points.into_iter().map(move |p| (i, p))
        };
        self.series.iter().enumerate().flat_map(of).filter(|(_, p)| usable(p.0) && usable(p.1))
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let x_range = pad(settle(range(self.points().map(|(_, p)| p.0))), 0.03);
        let y_range = pad(settle(range(self.points().map(|(_, p)| p.1))), 0.03);
        let heading = Heading::new(&self.title, &self.note, WIDE + 60.0);
        let top = heading.height() + 4.0;
        let y = Scale::linear(y_range, top + HIGH, top);
        let left = frame::room_left(&y, &self.y_label);
        let x = Scale::linear(x_range, left, left + WIDE);
        let entry = |(i, s): (usize, &CloudSeries)| Entry {
            name: s.name.clone(),
            style: style(i),
            line: false,
            marks: true,
        };
        let entries: Vec<Entry> = self.series.iter().enumerate().map(entry).collect();
        let below = top + HIGH + frame::room_below(&self.x_label);
        let height = below + legend::rows_height(&entries, WIDE) + MARGIN;
        let name = frame::name(&self.title, "Cloud of points");
        let mut svg = Svg::new(left + WIDE + MARGIN + 8.0, height, name, "");
        heading.draw(&mut svg);
        frame::axes(&mut svg, &x, &y, &self.x_label, &self.y_label);
        // Small and faint, so that a crowd shows where it is densest; a few points must be seen one by one.
        let few = self.points().count() <= FEW;
        svg.group(&[("opacity", if few { "0.85" } else { "0.5" })]);
        let size = if few { 3.0 } else { 2.0 };
        for (i, p) in self.points() {
            style(i).marker.draw(&mut svg, (x.at(p.0), y.at(p.1)), size, style(i).colour);
        }
        svg.close();
        legend::rows(&mut svg, &entries, left, below, WIDE);
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::well_formed;

    #[test]
    fn every_point_that_can_be_drawn_is() {
        let points = vec![(1.0, 2.0), (f64::NAN, 1.0), (3.0, -5.0)];
        let series = vec![
            CloudSeries { name: "first".into(), points },
            CloudSeries { name: "second".into(), points: vec![(2.0, 2.0)] },
        ];
        let chart = Cloud { series, ..Cloud::default() };
        assert_eq!(chart.points().count(), 3);
        let svg = chart.svg();
        assert!(svg.contains(">first<") && svg.contains(">second<") && !svg.contains("NaN"));
        well_formed(&svg).unwrap();
        well_formed(&Cloud::default().svg()).unwrap();
    }
}
