//! Horizontal bars: relevance of attributes, accuracies of learners.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::palette::{COLOURS, GRID, INK, Marker, stroke};
use super::scale::{Scale, grouped, nice, pad, plain, range, settle, usable};
use super::scatter::reach;
use super::svg::{Anchor, Svg};
use super::text::{fit, room};

const WIDE: f64 = 360.0;
const ROW: f64 = 23.0;
const NAME: f64 = 220.0;

/// How values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BarStyle {
    /// Bars from 0: lengths may be compared.
    #[default]
    Bars,
    /// Dots on an axis that need not hold 0: for values that are all large and alike, such as accuracies.
    Dots,
}

/// A chart of one value a row.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the axis.
    pub x_label: String,
    /// The rows, from the top.
    pub bars: Vec<Bar>,
    /// How values are shown.
    pub style: BarStyle,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Bar {
    /// What it is the value of.
    pub name: String,
    /// The value.
    pub value: f64,
    /// How far the error bar reaches to either side.
    pub error: Option<f64>,
}

impl Bars {
    /// The drawing.
    pub fn svg(&self) -> String {
        let rows: Vec<&Bar> = self.bars.iter().filter(|b| usable(b.value)).collect();
        let decimals = decimals(&rows);
        let written: Vec<String> = rows.iter().map(|b| written(b, decimals)).collect();
        let names = rows.iter().map(|b| room(&fit(&b.name, 12.0, NAME), 12.0)).fold(0.0, f64::max);
        let numbers = written.iter().map(|t| room(t, SMALL)).fold(0.0, f64::max);
        let left = MARGIN + names + 10.0;
        let full = left + WIDE + 12.0 + numbers + MARGIN;
        let heading = Heading::new(&self.title, &self.note, full);
        let top = heading.height() + 2.0;
        let base = top + rows.len() as f64 * ROW + 6.0;
        let x = Scale::linear(self.range(&rows), left, left + WIDE);
        let y = Scale::linear((0.0, 1.0), base, top);
        let height = base + frame::room_below(&self.x_label);
        let name = frame::name(&self.title, "Bar chart");
        let mut svg = Svg::new(full, height, name, "");
        heading.draw(&mut svg);
        frame::grid_across(&mut svg, &x, &y);
        for (i, (bar, text)) in rows.iter().zip(&written).enumerate() {
            let middle = top + 3.0 + (i as f64 + 0.5) * ROW;
            svg.group(&[]);
            svg.title(&format!("{}: {text}", bar.name));
            let name = fit(&bar.name, 12.0, NAME);
            svg.text((left - 8.0, middle + 4.0), Anchor::End, &name, &[]);
            self.draw(&mut svg, bar, &x, middle);
            let small = [("font-size", "11")];
            svg.text((full - MARGIN, middle + 4.0), Anchor::End, text, &small);
            svg.close();
        }
        if self.style == BarStyle::Bars {
            svg.line((x.at(0.0), top), (x.at(0.0), base), &[("stroke", INK)]);
        }
        frame::axis_across(&mut svg, &x, base, &self.x_label);
        svg.finish()
    }

    fn range(&self, rows: &[&Bar]) -> (f64, f64) {
        let ends = |b: &&Bar| [b.value - reach(b.error), b.value + reach(b.error)];
        let ends = range(rows.iter().flat_map(ends));
        let none_below = rows.iter().all(|b| b.value >= 0.0);
        match self.style {
            BarStyle::Bars => {
                let (low, high) = ends.unwrap_or((0.0, 1.0));
                // Bars of shares may reach below 0; the axis need not.
                let low = if none_below { 0.0 } else { low.min(0.0) };
                nice(settle(Some((low, high.max(0.0)))), frame::steps(WIDE))
            }
            BarStyle::Dots => nice(pad(settle(ends), 0.03), frame::steps(WIDE)),
        }
    }

    fn draw(&self, svg: &mut Svg, bar: &Bar, x: &Scale, middle: f64) {
        let (at, e) = (x.at(bar.value), reach(bar.error));
        if self.style == BarStyle::Bars {
            let zero = x.at(0.0);
            let (from, to) = (zero.min(at), zero.max(at));
            svg.rect((from, middle - 7.0), to - from, 14.0, &[("fill", "#7fb8d8")]);
        } else {
            svg.line((x.start, middle), (x.end, middle), &stroke(GRID, "1", ""));
        }
        if e > 0.0 {
            let (from, to) = (x.at(bar.value - e), x.at(bar.value + e));
            let dark = if self.style == BarStyle::Bars { INK } else { COLOURS[0] };
            svg.group(&stroke(dark, "1.2", ""));
            svg.line((from, middle), (to, middle), &[]);
            for end in [from, to] {
                svg.line((end, middle - 3.5), (end, middle + 3.5), &[]);
            }
            svg.close();
        }
        if self.style == BarStyle::Dots {
            Marker::Circle.draw(svg, (at, middle), 4.5, COLOURS[0]);
        }
    }
}

/// The decimals that give the largest value at most four significant digits; none where powers of ten are better.
pub(super) fn decimals(rows: &[&Bar]) -> Option<usize> {
    let most = rows.iter().map(|b| b.value.abs()).fold(0.0, f64::max);
    if !(1e-3..1e7).contains(&most) {
        return None;
    }
    let all = (3.0 - most.log10().floor()).clamp(0.0, 6.0) as usize;
    // Not those that are 0 in every row.
    let needs = |d: usize| {
        let last = |v: f64| format!("{v:.d$}").ends_with('0');
        !rows.iter().all(|b| last(b.value) && last(reach(b.error)))
    };
    Some((1..=all).rev().find(|d| needs(*d)).unwrap_or(0))
}

/// A row's value as it stands at its right.
pub(super) fn written(bar: &Bar, decimals: Option<usize>) -> String {
    let one = |v: f64| decimals.map_or_else(|| plain(v), |d| grouped(v, d));
    match reach(bar.error) {
        e if e > 0.0 => format!("{} ± {}", one(bar.value), one(e)),
        _ => one(bar.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[f64], style: BarStyle) -> Bars {
        let bar = |v: &f64| Bar { name: "name".into(), value: *v, error: None };
        Bars { bars: values.iter().map(bar).collect(), style, ..Bars::default() }
    }

    #[test]
    fn bars_start_at_zero_and_dots_need_not() {
        let range = |values: &[f64], style| {
            let chart = chart(values, style);
            chart.range(&chart.bars.iter().collect::<Vec<_>>())
        };
        assert_eq!(range(&[0.91, 0.94], BarStyle::Bars).0, 0.0);
        assert!(range(&[0.91, 0.94], BarStyle::Dots).0 > 0.85);
        let (low, high) = range(&[-3.0, 2.0], BarStyle::Bars);
        assert!(low <= -3.0 && high >= 2.0);
    }

    #[test]
    fn numbers_have_the_decimals_they_need() {
        let svg = chart(&[0.25, 0.5, f64::NAN], BarStyle::Bars).svg();
        assert!(svg.contains(">0.25</text>") && svg.contains(">0.50</text>"));
        assert_eq!(svg.matches(">name</text>").count(), 2);
        assert!(chart(&[12.0, 3.0], BarStyle::Bars).svg().contains(">12</text>"));
        assert!(chart(&[2e-9], BarStyle::Bars).svg().contains(">2×10⁻⁹</text>"));
    }
}
