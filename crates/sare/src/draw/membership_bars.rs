//! Memberships: a bar a row, parted by how probable each group is.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::legend::{self, Entry};
use super::palette::{INK, Marker, PAPER, Style, fill, stroke};
use super::scale::Scale;
use super::svg::{Anchor, Spot, Svg};
use super::text::{fit, room};
use crate::num::first_max;

const WIDE: f64 = 720.0;
const HIGH: f64 = 190.0;
/// No bar is wider, so that a few rows do not look like areas.
const BAR: f64 = 24.0;

/// A chart of the memberships of rows in groups. Rows come by their most probable group and there by falling probability
/// of it, whatever order they were given in.
#[derive(Clone, Debug, Default)]
pub struct MembershipBars {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The name of the vertical axis.
    pub y_label: String,
    /// The names of the groups.
    pub groups: Vec<String>,
    /// The probability of each group in each row.
    pub rows: Vec<Vec<f64>>,
}

/// The rows as they are drawn.
struct Stacked {
    /// For each row the sums of the probabilities up to each group.
    sums: Vec<Vec<f64>>,
    /// The most probable group of each row.
    groups: Vec<usize>,
}

impl MembershipBars {
    fn stacked(&self) -> Stacked {
        let groups = self.groups.len();
        let clean = |row: &Vec<f64>| -> Vec<f64> {
            let at = |g: usize| row.get(g).filter(|p| p.is_finite()).map_or(0.0, |p| p.max(0.0));
            (0..groups).map(at).collect()
        };
        let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
        if groups > 0 {
            rows = self.rows.iter().map(clean).map(|row| (first_max(&row), row)).collect();
        }
        rows.sort_by(|(g, a), (h, b)| g.cmp(h).then(b[*h].total_cmp(&a[*g])));
        let sum = |(_, row): &(usize, Vec<f64>)| {
            let mut total = 0.0;
            let add = |p: &f64| {
                total += p;
                total.min(1.0)
            };
            row.iter().map(add).collect()
        };
        let sums = rows.iter().map(sum).collect();
        Stacked { sums, groups: rows.iter().map(|(g, _)| *g).collect() }
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let stacked = self.stacked();
        let wide = WIDE.min(stacked.sums.len() as f64 * BAR).max(240.0);
        let heading = Heading::new(&self.title, &self.note, wide + 70.0);
        let top = heading.height() + 4.0;
        let y = Scale::linear((0.0, 1.0), top + HIGH, top);
        let left = frame::room_left(&y, &self.y_label);
        let x = Scale::linear((0.0, stacked.sums.len().max(1) as f64), left, left + wide);
        let entries: Vec<Entry> =
            self.groups.iter().enumerate().map(|(g, name)| entry(name, g)).collect();
        let below = y.start + 26.0;
        let height = below + legend::rows_height(&entries, wide) + MARGIN;
        let name = frame::name(&self.title, "Memberships");
        let mut svg = Svg::new(left + wide + MARGIN + 8.0, height, name, "");
        heading.draw(&mut svg);
        // From the last group to the first, each over all behind it, so that no seam shows between two.
        for group in (0..self.groups.len()).rev() {
            svg.group(&[]);
            svg.title(&self.groups[group]);
            let outline = outline(&stacked.sums, group, &x, &y);
            svg.path(&outline, true, &[("fill", fill(group))]);
            svg.close();
        }
        self.blocks(&mut svg, &stacked.groups, &x, &y);
        frame::axis_up(&mut svg, &y, x.start, &self.y_label);
        legend::rows(&mut svg, &entries, left, below, wide);
        svg.finish()
    }

    /// Names beneath the rows of each group, and lines between the groups.
    fn blocks(&self, svg: &mut Svg, groups: &[usize], x: &Scale, y: &Scale) {
        let mut from = 0;
        for block in groups.chunk_by(|a, b| a == b) {
            let to = from + block.len();
            let (start, end) = (x.at(from as f64), x.at(to as f64));
            if from > 0 {
                svg.line((start, y.end), (start, y.start), &stroke(PAPER, "1.5", ""));
            }
            svg.line((start + 1.5, y.start + 5.0), (end - 1.5, y.start + 5.0), &[("stroke", INK)]);
            let name = &self.groups[block[0]];
            // A name that does not fit is left to the legend.
            if room(name, SMALL) <= end - start {
                let spot = ((start + end) / 2.0, y.start + 18.0);
                let name = fit(name, SMALL, end - start);
                svg.text(spot, Anchor::Middle, &name, &[("font-size", "11")]);
            }
            from = to;
        }
    }
}

fn entry(name: &str, group: usize) -> Entry {
    let style = Style { colour: fill(group), marker: Marker::Square, dash: "" };
    Entry { name: name.into(), style, line: false, marks: true }
}

/// The area under the sums up to a group, row by row.
fn outline(sums: &[Vec<f64>], group: usize, x: &Scale, y: &Scale) -> Vec<Spot> {
    let mut spots = vec![(x.start, y.start)];
    for (row, sums) in sums.iter().enumerate() {
        let up = y.at(sums[group]);
        // A row as high as the one before only makes its step longer.
        if spots.len() > 2 && spots.last().is_some_and(|s| (s.1 - up).abs() < 0.005) {
            spots.pop();
        } else {
            spots.push((x.at(row as f64), up));
        }
        spots.push((x.at((row + 1) as f64), up));
    }
    spots.push((spots[spots.len() - 1].0, y.start));
    spots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::well_formed;

    fn chart(rows: &[&[f64]]) -> MembershipBars {
        MembershipBars {
            groups: vec!["one".into(), "two".into(), "three".into()],
            rows: rows.iter().map(|r| r.to_vec()).collect(),
            ..MembershipBars::default()
        }
    }

    #[test]
    fn rows_come_by_group_and_the_surest_first() {
        let drawn =
            chart(&[&[0.1, 0.9, 0.0], &[0.6, 0.2, 0.2], &[0.0, 1.0, 0.0], &[0.7, 0.3, 0.0]])
                .stacked();
        assert_eq!(drawn.groups, [0, 0, 1, 1]);
        assert_eq!(drawn.sums[0], [0.7, 1.0, 1.0]);
        assert_eq!(drawn.sums[2], [0.0, 1.0, 1.0]);
        assert_eq!(drawn.sums[3], [0.1, 1.0, 1.0]);
    }

    #[test]
    fn equal_rows_are_one_step() {
        let x = Scale::linear((0.0, 3.0), 0.0, 30.0);
        let y = Scale::linear((0.0, 1.0), 100.0, 0.0);
        let sums = [vec![0.5], vec![0.5], vec![0.25]];
        let spots = outline(&sums, 0, &x, &y);
        let wanted =
            [(0.0, 100.0), (0.0, 50.0), (20.0, 50.0), (20.0, 75.0), (30.0, 75.0), (30.0, 100.0)];
        assert_eq!(spots, wanted);
    }

    #[test]
    fn odd_rows_are_drawn() {
        let odd: [&[f64]; 3] = [&[], &[f64::NAN, f64::INFINITY, -1.0], &[2.0, 2.0, 2.0]];
        for rows in [&[], &odd[..1], &odd[1..2], &odd[2..], &odd[..]] {
            let svg = chart(rows).svg();
            well_formed(&svg).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
        let none = MembershipBars { rows: vec![vec![1.0]], ..MembershipBars::default() };
        well_formed(&none.svg()).unwrap();
    }
}
