//! Bars in panels side by side: several measures of the same things.

use super::bars::{Bar, decimals, written};
use super::frame::{self, Heading, MARGIN, SMALL};
use super::palette::{GRID, INK, fill};
use super::scale::{Scale, nice, settle, usable};
use super::svg::{Anchor, Svg};
use super::text::{clip, room};

/// The width of all panels together, and of the widest.
const WIDE: f64 = 480.0;
const WIDEST: f64 = 260.0;
const ROW: f64 = 21.0;
const NAME: f64 = 220.0;
const BETWEEN: f64 = 28.0;
/// Axes end at whole steps of which so many fill them: finer than their ticks, so that little room is lost.
const FINE: usize = 5;

/// A chart of some measures, each a panel with an axis of its own.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// What the rows are, from the top.
    pub names: Vec<String>,
    /// The measures, from the left.
    pub panels: Vec<Panel>,
}

/// A measure.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// The name of its axis.
    pub label: String,
    /// The value of each row, not below 0.
    pub values: Vec<f64>,
    /// Where the axis ends, if not where the values do.
    pub most: Option<f64>,
}

/// A panel with its place.
struct Placed<'a> {
    panel: &'a Panel,
    /// What is written beside each bar.
    texts: Vec<String>,
    x: Scale,
    /// Where the texts end.
    right: f64,
}

impl Panels {
    /// The drawing.
    pub fn svg(&self) -> String {
        let names = self.names.iter().map(|n| room(&clip(n, 12.0, NAME), 12.0)).fold(0.0, f64::max);
        let left = MARGIN + names + 10.0;
        let placed = self.placed(left);
        let full = placed.last().map_or(left, |p| p.right) + MARGIN;
        let heading = Heading::new(&self.title, &self.note, full);
        let top = heading.height() + 2.0;
        let base = top + self.names.len() as f64 * ROW + 6.0;
        let height = base + frame::room_below("name");
        let mut svg = Svg::new(full, height, frame::name(&self.title, "Bar charts"), "");
        heading.draw(&mut svg);
        for i in 0..self.names.len() {
            self.name(&mut svg, i, left, top);
        }
        for (number, p) in placed.iter().enumerate() {
            let y = Scale::linear((0.0, 1.0), base, top);
            frame::grid_across(&mut svg, &p.x, &y);
            for row in 0..self.names.len() {
                p.bar(&mut svg, &self.names[row], row, top, fill(number));
            }
            svg.line((p.x.start, top), (p.x.start, base), &[("stroke", INK)]);
            frame::axis_across(&mut svg, &p.x, base, &p.panel.label);
        }
        svg.finish()
    }

    fn placed(&self, left: f64) -> Vec<Placed<'_>> {
        let wide = (WIDE / self.panels.len().max(1) as f64).min(WIDEST);
        let mut next = left;
        let place = |panel| {
            let texts = texts(panel, self.names.len());
            let x = Scale::linear(panel.range(), next, next + wide);
            let numbers = texts.iter().map(|t| room(t, SMALL)).fold(0.0, f64::max);
            let right = next + wide + 8.0 + numbers;
            next = right + BETWEEN;
            Placed { panel, texts, x, right }
        };
        self.panels.iter().map(place).collect()
    }

    fn name(&self, svg: &mut Svg, row: usize, left: f64, top: f64) {
        svg.group(&[]);
        svg.title(&self.names[row]);
        let spot = (left - 8.0, middle(row, top) + 4.0);
        svg.text(spot, Anchor::End, &clip(&self.names[row], 12.0, NAME), &[]);
        svg.close();
    }
}

fn middle(row: usize, top: f64) -> f64 {
    top + 3.0 + (row as f64 + 0.5) * ROW
}

/// What is written beside each bar; nothing where there is no number.
fn texts(panel: &Panel, rows: usize) -> Vec<String> {
    let bars: Vec<Bar> =
        panel.values.iter().map(|&value| Bar { value, ..Bar::default() }).collect();
    let drawn: Vec<&Bar> = bars.iter().filter(|b| usable(b.value)).collect();
    let decimals = decimals(&drawn);
    let text = |b: &Bar| match b.value {
        v if usable(v) => written(b, decimals),
        f64::INFINITY => "∞".into(),
        _ => String::new(),
    };
    (0..rows).map(|i| bars.get(i).map_or_else(String::new, text)).collect()
}

impl Panel {
    fn range(&self) -> (f64, f64) {
        let values = self.values.iter().copied().filter(|v| usable(*v));
        let most = self.most.filter(|m| usable(*m)).unwrap_or_else(|| values.fold(0.0, f64::max));
        nice(settle(Some((0.0, most.max(0.0)))), FINE)
    }
}

impl Placed<'_> {
    fn bar(&self, svg: &mut Svg, name: &str, row: usize, top: f64, colour: &str) {
        let middle = middle(row, top);
        svg.group(&[]);
        svg.title(&format!("{name}: {} {}", self.panel.label, self.texts[row]));
        if let Some(&value) = self.panel.values.get(row).filter(|v| usable(**v)) {
            let to = self.x.at(value);
            let look = [("fill", colour), ("fill-opacity", "0.75")];
            svg.rect((self.x.start, middle - 6.5), to - self.x.start, 13.0, &look);
        } else {
            svg.line((self.x.start, middle), (self.x.end, middle), &[("stroke", GRID)]);
        }
        let small = [("font-size", "11")];
        svg.text((self.right, middle + 4.0), Anchor::End, &self.texts[row], &small);
        svg.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::well_formed;

    fn panel(label: &str, values: &[f64]) -> Panel {
        Panel { label: label.into(), values: values.to_vec(), most: None }
    }

    #[test]
    fn every_measure_has_an_axis_of_its_own() {
        let probable = Panel { most: Some(1.0), ..panel("probable", &[0.5, 0.25]) };
        let told = panel("told", &[12.0, 0.0]);
        assert_eq!(probable.range(), (0.0, 1.0));
        assert!(told.range().1 >= 12.0 && told.range().0 == 0.0);
        let names = vec!["first".to_string(), "second".to_string()];
        let svg = Panels { names, panels: vec![probable, told], ..Panels::default() }.svg();
        for text in [">first<", ">second<", ">probable<", ">told<", ">0.25<", ">12<"] {
            assert!(svg.contains(text), "{text}");
        }
        // A bar is as long as its value: half of an axis of 480 / 2.
        assert!(svg.contains("width=\"120\" height=\"13\""), "{svg}");
    }

    #[test]
    fn values_without_bars_are_named_or_left_out() {
        let chart = Panels {
            names: vec!["a".into(), "b".into(), "c".into()],
            panels: vec![panel("p", &[f64::INFINITY, f64::NAN])],
            ..Panels::default()
        };
        let svg = chart.svg();
        well_formed(&svg).unwrap();
        assert!(svg.contains(">∞<") && !svg.contains("NaN") && !svg.contains("height=\"13\""));
    }
}
