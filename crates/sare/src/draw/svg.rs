//! A small writer of SVG: elements with escaped attributes and text, numbers with at most two decimals.

use super::palette;
use super::text::escape;
use std::fmt::Write;

/// A place in the drawing: to the right, and down.
pub type Spot = (f64, f64);

/// The attributes of an element: names with values.
pub type Attributes<'a> = &'a [(&'a str, &'a str)];

/// The face of all text: what is installed, and of about the same width everywhere.
const FACE: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";

/// Which part of a text stands at its spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The beginning.
    Start,
    /// The middle.
    Middle,
    /// The end.
    End,
}

/// A number with at most two decimals; 0 for what is no number, and nothing beyond a million.
pub fn number(x: f64) -> String {
    let x = if x.is_nan() { 0.0 } else { x.clamp(-1e6, 1e6) };
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A drawing being written.
#[derive(Clone, Debug)]
pub struct Svg {
    text: String,
    open: Vec<&'static str>,
}

impl Svg {
    /// A drawing on white, with what it is called and a description for those who cannot see it (none if empty).
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Svg {
        let mut svg = Svg { text: String::new(), open: Vec::new() };
        let (w, h) = (number(width), number(height));
        svg.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("viewBox", &format!("0 0 {w} {h}")),
                ("width", &w),
                ("height", &h),
                ("role", "img"),
                ("font-family", FACE),
                ("font-size", "12"),
                ("fill", palette::INK),
            ],
        );
        svg.title(title);
        if !description.is_empty() {
            svg.leaf("desc", &[], description);
        }
        svg.rect((0.0, 0.0), width, height, &[("fill", palette::PAPER)]);
        svg
    }

    /// Closes what is open and gives the text.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text.push('\n');
        self.text
    }

    fn start(&mut self, name: &str, attributes: Attributes) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape(value));
        }
    }

    /// Begins an element that holds what follows until [`Svg::close`].
    pub fn open(&mut self, name: &'static str, attributes: Attributes) {
        self.start(name, attributes);
        self.text.push('>');
        self.open.push(name);
    }

    /// Begins a group, whose attributes hold for all in it, until [`Svg::close`].
    pub fn group(&mut self, attributes: Attributes) {
        self.open("g", attributes);
    }

    /// Ends the element opened last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            let _ = write!(self.text, "</{name}>");
            // A line an element would add nothing but size; one a group lets people read and compare files.
            if name == "g" {
                self.text.push('\n');
            }
        }
    }

    fn empty(&mut self, name: &str, own: Attributes, attributes: Attributes) {
        self.start(name, own);
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"{}\"", escape(value));
        }
        self.text.push_str("/>");
    }

    fn leaf(&mut self, name: &str, attributes: Attributes, text: &str) {
        self.start(name, attributes);
        let _ = write!(self.text, ">{}</{name}>", escape(text));
    }

    /// What the element opened last is called: shown when the pointer rests on it. Comes first in its element.
    pub fn title(&mut self, text: &str) {
        self.leaf("title", &[], text);
    }

    /// A straight line.
    pub fn line(&mut self, from: Spot, to: Spot, attributes: Attributes) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let own = [("x1", &*x1), ("y1", &*y1), ("x2", &*x2), ("y2", &*y2)];
        self.empty("line", &own, attributes);
    }

    /// Straight strokes from spot to spot, and back to the first if closed.
    pub fn path(&mut self, spots: &[Spot], closed: bool, attributes: Attributes) {
        let mut d = String::new();
        for (i, (x, y)) in spots.iter().enumerate() {
            let _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(*x), number(*y));
        }
        if closed {
            d.push('Z');
        }
        self.empty("path", &[("d", &d)], attributes);
    }

    /// A smooth line from a spot: each piece by its two control points and its end.
    pub fn curve(&mut self, start: Spot, pieces: &[[Spot; 3]], attributes: Attributes) {
        let mut d = format!("M{} {}", number(start.0), number(start.1));
        for piece in pieces {
            let [a, b, c, e, f, g] =
                [piece[0].0, piece[0].1, piece[1].0, piece[1].1, piece[2].0, piece[2].1]
                    .map(number);
            let _ = write!(d, "C{a} {b} {c} {e} {f} {g}");
        }
        self.empty("path", &[("d", &d)], attributes);
    }

    /// A circle.
    pub fn circle(&mut self, centre: Spot, radius: f64, attributes: Attributes) {
        let [x, y, r] = [centre.0, centre.1, radius].map(number);
        self.empty("circle", &[("cx", &x), ("cy", &y), ("r", &r)], attributes);
    }

    /// A rectangle by its upper left corner.
    pub fn rect(&mut self, corner: Spot, width: f64, height: f64, attributes: Attributes) {
        let [x, y, w, h] = [corner.0, corner.1, width.max(0.0), height.max(0.0)].map(number);
        self.empty("rect", &[("x", &x), ("y", &y), ("width", &w), ("height", &h)], attributes);
    }

    /// A line of text by a spot on its base line.
    pub fn text(&mut self, spot: Spot, anchor: Anchor, text: &str, attributes: Attributes) {
        let [x, y] = [spot.0, spot.1].map(number);
        let mut all = vec![("x", &*x), ("y", &*y)];
        match anchor {
            Anchor::Start => {}
            Anchor::Middle => all.push(("text-anchor", "middle")),
            Anchor::End => all.push(("text-anchor", "end")),
        }
        all.extend_from_slice(attributes);
        self.leaf("text", &all, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all = [1.0, 0.125, -0.001, 1e300, f64::NAN, f64::NEG_INFINITY, 10.5].map(number);
        assert_eq!(all, ["1", "0.12", "0", "1000000", "0", "-1000000", "10.5"]);
    }

    #[test]
    fn what_is_left_open_is_closed() {
        let mut svg = Svg::new(10.0, 10.0, "<&>", "");
        svg.group(&[("stroke", "\"'")]);
        svg.text((1.0, 2.0), Anchor::End, "a<b", &[]);
        let text = svg.finish();
        assert!(text.contains("<title>&lt;&amp;&gt;</title>"));
        assert!(text.contains("stroke=\"&quot;&#39;\""));
        assert!(
            text.ends_with("<text x=\"1\" y=\"2\" text-anchor=\"end\">a&lt;b</text></g>\n</svg>\n")
        );
        super::super::tests::well_formed(&text).unwrap();
    }
}
