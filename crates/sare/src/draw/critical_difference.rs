//! The critical-difference diagram of Demsar (2006): average ranks on an axis, with bars that join learners whose
//! ranks differ by less than the critical difference.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::palette::{INK, MUTED, stroke};
use super::scale::{Scale, grouped, plain, range, settle, usable};
use super::svg::{Anchor, Spot, Svg};
use super::text::{fit, room};

const AXIS: f64 = 400.0;
const NAME: f64 = 210.0;
const ROW: f64 = 19.0;
const BAR: f64 = 9.0;

/// A chart of average ranks; the best, lowest rank is on the left.
#[derive(Clone, Debug, Default)]
pub struct CriticalDifference {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The learners, in any order.
    pub learners: Vec<Ranked>,
    /// Ranks that differ by at least this much differ significantly; nothing is joined if it is not above 0.
    pub critical_difference: f64,
}

/// A learner with its average rank.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// Its rank, averaged over data sets; 1 is best.
    pub rank: f64,
}

/// A learner with the spot on the axis and the height of its name.
struct Leader<'a> {
    learner: &'a Ranked,
    at: f64,
    height: f64,
    left: bool,
}

/// The largest groups of neighbours, in sorted ranks, whose first and last differ by less than the difference.
pub(super) fn groups(ranks: &[f64], difference: f64) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for first in 0..ranks.len() {
        let last = (first..ranks.len()).rev().find(|j| ranks[*j] - ranks[first] < difference);
        let last = last.unwrap_or(first);
        if last > first && found.last().is_none_or(|g| last > g.1) {
            found.push((first, last));
        }
    }
    found
}

/// In which row each group's bar is drawn so that bars do not meet; and the number of rows.
fn bar_rows(
    groups: &[(usize, usize)],
    ends: impl Fn((usize, usize)) -> (f64, f64),
) -> (Vec<usize>, usize) {
    let mut taken: Vec<f64> = Vec::new();
    let mut rows = Vec::new();
    for &group in groups {
        let (from, to) = ends(group);
        let row = taken.iter().position(|end| from > end + 6.0).unwrap_or(taken.len());
        if row == taken.len() {
            taken.push(to);
        }
        taken[row] = to;
        rows.push(row);
    }
    (rows, taken.len())
}

impl CriticalDifference {
    fn sorted(&self) -> Vec<&Ranked> {
        let mut all: Vec<&Ranked> = self.learners.iter().filter(|l| usable(l.rank)).collect();
        all.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        all
    }

    /// The difference if there is one to draw.
    fn difference(&self) -> Option<f64> {
        Some(self.critical_difference).filter(|d| usable(*d) && *d > 0.0)
    }

    /// Whole ranks around all ranks, and as long as the difference.
    fn axis(&self, sorted: &[&Ranked], start: f64) -> Scale {
        let (low, high) = settle(range(sorted.iter().map(|l| l.rank)));
        let low = low.floor();
        let mut high = high.ceil().max(low + 1.0);
        // A difference much longer than the axis is cut and has no end.
        if let Some(d) = self.difference() {
            high = high.max(low + d.ceil().min(2.0 * (high - low)));
        }
        Scale::linear((low, high), start, start + AXIS)
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let sorted = self.sorted();
        let name_width = |l: &&Ranked| room(&fit(&l.name, 12.0, NAME), 12.0);
        let half = sorted.len().div_ceil(2);
        let side_room = |side: &[&Ranked]| side.iter().map(name_width).fold(40.0, f64::max) + 52.0;
        let left = MARGIN + side_room(&sorted[..half]);
        let full = left + AXIS + side_room(&sorted[half..]) + MARGIN;
        let heading = Heading::new(&self.title, &self.note, full);
        let axis = self.axis(&sorted, left);
        let above = if self.difference().is_some() { 34.0 } else { 4.0 };
        let line = heading.height() + above + 24.0;
        let ranks: Vec<f64> = sorted.iter().map(|l| l.rank).collect();
        let groups = groups(&ranks, self.difference().unwrap_or(0.0));
        let ends = |g: (usize, usize)| (axis.at(ranks[g.0]) - 5.0, axis.at(ranks[g.1]) + 5.0);
        let (rows, count) = bar_rows(&groups, ends);
        let first = line + 14.0 + count as f64 * BAR + 12.0;
        let height = first + half as f64 * ROW + MARGIN - 4.0;
        let name = frame::name(&self.title, "Critical-difference diagram");
        let mut svg = Svg::new(full, height, name, &describe(&sorted));
        heading.draw(&mut svg);
        self.ruler(&mut svg, &axis, line);
        let n = sorted.len();
        let leaders = sorted.iter().enumerate().map(|(i, learner)| {
            let row = if i < half { i } else { n - 1 - i };
            let height = first + row as f64 * ROW;
            Leader { learner, at: axis.at(learner.rank), height, left: i < half }
        });
        for leader in leaders {
            leader.draw(&mut svg, &axis, line);
        }
        for (group, row) in groups.iter().zip(rows) {
            let names: Vec<&str> = sorted[group.0..=group.1].iter().map(|l| &*l.name).collect();
            let (from, to) = ends(*group);
            let y = line + 14.0 + row as f64 * BAR;
            svg.group(&stroke(INK, "4", ""));
            svg.title(&format!("no significant difference: {}", names.join(", ")));
            svg.line((from, y), (to, y), &[]);
            svg.close();
        }
        svg.finish()
    }

    /// The axis, and the length of the difference above it.
    fn ruler(&self, svg: &mut Svg, axis: &Scale, line: f64) {
        let ticks = frame::ticks_up_to(axis, 16);
        svg.group(&stroke(INK, "1.2", ""));
        svg.line((axis.start, line), (axis.end, line), &[]);
        for tick in &ticks {
            let at = axis.at(tick.value);
            svg.line((at, line), (at, line - 7.0), &[]);
        }
        for pair in ticks.windows(2) {
            let at = (axis.at(pair[0].value) + axis.at(pair[1].value)) / 2.0;
            svg.line((at, line), (at, line - 4.0), &[]);
        }
        svg.close();
        for tick in &ticks {
            let spot = (axis.at(tick.value), line - 11.0);
            svg.text(spot, Anchor::Middle, &tick.label, &[("font-size", "11")]);
        }
        let Some(difference) = self.difference() else { return };
        let y = line - 32.0;
        let (from, to) = (axis.start, axis.at(axis.low + difference));
        svg.group(&stroke(INK, "1.6", ""));
        svg.line((from, y), (to, y), &[]);
        // Without an end where the axis is too short for it.
        let whole = axis.holds(axis.low + difference);
        for end in [Some(from), whole.then_some(to)].into_iter().flatten() {
            svg.line((end, y - 4.0), (end, y + 4.0), &[]);
        }
        svg.close();
        let text = format!("CD = {}", plain(difference));
        let middle = ((from + to) / 2.0).max(from + room(&text, SMALL) / 2.0);
        svg.text((middle, y - 7.0), Anchor::Middle, &text, &[("font-size", "11")]);
    }
}

impl Leader<'_> {
    fn draw(&self, svg: &mut Svg, axis: &Scale, line: f64) {
        let (end, sign, anchor) = match self.left {
            true => (axis.start - 8.0, -1.0, Anchor::End),
            false => (axis.end + 8.0, 1.0, Anchor::Start),
        };
        let spots: [Spot; 3] = [(self.at, line), (self.at, self.height), (end, self.height)];
        svg.group(&[]);
        svg.title(&format!("{}: {}", self.learner.name, plain(self.learner.rank)));
        svg.path(&spots, false, &stroke(INK, "1", ""));
        let rank = grouped(self.learner.rank, 2);
        let y = self.height + 4.0;
        let muted = [("font-size", "11"), ("fill", MUTED)];
        svg.text((end + sign * 4.0, y), anchor, &rank, &muted);
        let name = fit(&self.learner.name, 12.0, NAME);
        svg.text((end + sign * (room(&rank, SMALL) + 10.0), y), anchor, &name, &[]);
        svg.close();
    }
}

/// The ranks in words, for those who cannot see the drawing.
fn describe(sorted: &[&Ranked]) -> String {
    let all: Vec<String> = sorted.iter().map(|l| format!("{} {}", l.name, plain(l.rank))).collect();
    format!("Average ranks: {}.", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_hand() {
        // 1 and 2.25 differ by more than 1; 2.25 and 3.25 by just 1, which is significant.
        assert_eq!(groups(&[1.0, 1.5, 2.25, 3.25], 1.0), [(0, 1), (1, 2)]);
        assert_eq!(groups(&[1.0, 1.5, 1.75], 1.0), [(0, 2)]);
        assert!(groups(&[1.0, 1.0], 0.0).is_empty());
        assert!(groups(&[], 1.0).is_empty());
    }

    #[test]
    fn bars_of_a_row_do_not_meet() {
        let ends = |g: (usize, usize)| (g.0 as f64 * 10.0, g.1 as f64 * 10.0);
        let (rows, count) = bar_rows(&[(0, 2), (1, 3), (3, 5), (4, 6)], ends);
        assert_eq!((rows, count), (vec![0, 1, 0, 1], 2));
    }

    #[test]
    fn every_learner_is_named_and_ranked() {
        for count in 2..=30 {
            let learner = |i: usize| Ranked { name: format!("l{i}."), rank: 1.0 + i as f64 * 0.7 };
            let learners = (0..count).map(learner).collect();
            let chart =
                CriticalDifference { learners, critical_difference: 2.0, ..Default::default() };
            let svg = chart.svg();
            for i in 0..count {
                assert!(svg.contains(&format!(">l{i}.</text>")), "{i} of {count}");
            }
            assert!(svg.contains(">CD = 2</text>"));
        }
    }

    #[test]
    fn names_stand_within_the_drawing() {
        let name = "W".repeat(60);
        let learners = vec![Ranked { name: name.clone(), rank: 1.0 }, Ranked { name, rank: 2.0 }];
        let svg = CriticalDifference { learners, ..Default::default() }.svg();
        assert!(svg.contains("WW…</text>"));
        assert!(!svg.contains("CD ="));
    }
}
