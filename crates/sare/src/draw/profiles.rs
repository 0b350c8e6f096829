//! Profiles: how the share of every level in each group differs from that in all.

use super::frame::{self, Heading, MARGIN, SMALL};
use super::palette::{COLOURS, GRID, INK, MUTED, stroke};
use super::scale::{Scale, usable};
use super::svg::{Anchor, Svg};
use super::text::{clip, fit, room};

/// The width of all panels together, and of the widest and narrowest.
const WIDE: f64 = 620.0;
const WIDEST: f64 = 220.0;
const NARROWEST: f64 = 56.0;
const BETWEEN: f64 = 22.0;
const ROW: f64 = 14.0;
const NAME: f64 = 190.0;
const LEVEL: f64 = 130.0;
/// The height of the line that says what the marks mean, and of the names of the groups with the ticks beneath.
const KEY: f64 = 22.0;
const HEAD: f64 = 46.0;
const MORE: &str = COLOURS[0];
const LESS: &str = COLOURS[1];

/// A chart of shares: a block of rows an attribute, a row a level, a panel a group.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    /// What it is called.
    pub title: String,
    /// A line in small print under the title; none if empty.
    pub note: String,
    /// The groups, from the left.
    pub groups: Vec<ProfileGroup>,
    /// The attributes, from the top.
    pub blocks: Vec<ProfileBlock>,
}

/// A group.
#[derive(Clone, Debug, Default)]
pub struct ProfileGroup {
    /// Its name.
    pub name: String,
    /// What stands beneath its name; nothing if empty.
    pub note: String,
}

/// An attribute.
#[derive(Clone, Debug, Default)]
pub struct ProfileBlock {
    /// Its name.
    pub name: String,
    /// Its levels, from the top.
    pub rows: Vec<ProfileRow>,
    /// How many levels are left out.
    pub more: usize,
}

/// A level of an attribute.
#[derive(Clone, Debug, Default)]
pub struct ProfileRow {
    /// Its name.
    pub name: String,
    /// Its share in all, from 0 to 1.
    pub whole: f64,
    /// Its share in each group.
    pub shares: Vec<f64>,
}

impl ProfileBlock {
    fn height(&self) -> f64 {
        (self.rows.len() + usize::from(self.more > 0)) as f64 * ROW + 6.0
    }
}

impl Profiles {
    /// The drawing.
    pub fn svg(&self) -> String {
        let rows = || self.blocks.iter().flat_map(|b| &b.rows);
        let widest = |names: &mut dyn Iterator<Item = &String>, most: f64| {
            names.map(|n| room(&clip(n, SMALL, most), SMALL)).fold(40.0, f64::max)
        };
        // Bold letters are a little wider.
        let names = 1.07 * widest(&mut self.blocks.iter().map(|b| &b.name), NAME);
        let levels = widest(&mut rows().map(|r| &r.name), LEVEL);
        let left = MARGIN + names + 14.0 + levels + 10.0;
        let panels = self.panels(left);
        let full = panels.last().map_or(left + 200.0, |p| p.end) + MARGIN + 10.0;
        let full = full.max(left + 200.0);
        let heading = Heading::new(&self.title, &self.note, full);
        let top = heading.height() + KEY + HEAD;
        let base = top + self.blocks.iter().map(ProfileBlock::height).sum::<f64>();
        let height = base + frame::room_below("per cent");
        let mut svg = Svg::new(full, height, frame::name(&self.title, "Profiles"), "");
        heading.draw(&mut svg);
        key(&mut svg, heading.height() + KEY / 2.0);
        self.shade(&mut svg, top, full);
        for (panel, group) in panels.iter().zip(&self.groups) {
            head(&mut svg, group, panel, top);
            let y = Scale::linear((0.0, 1.0), base, top);
            frame::grid_across(&mut svg, panel, &y);
            frame::axis_across(&mut svg, panel, base, "per cent");
        }
        let mut from = top;
        for block in &self.blocks {
            let ends = (MARGIN, left - 10.0);
            self.block(&mut svg, block, from, ends, &panels);
            from += block.height();
        }
        svg.finish()
    }

    fn panels(&self, left: f64) -> Vec<Scale> {
        let count = self.groups.len().max(1) as f64;
        let wide = ((WIDE + BETWEEN) / count - BETWEEN).clamp(NARROWEST, WIDEST);
        let place = |g: usize| {
            let start = left + g as f64 * (wide + BETWEEN);
            Scale::linear((0.0, 100.0), start, start + wide)
        };
        (0..self.groups.len()).map(place).collect()
    }

    /// Every other attribute on a tint, so that the eye keeps to its rows.
    fn shade(&self, svg: &mut Svg, top: f64, full: f64) {
        let mut from = top;
        for (i, block) in self.blocks.iter().enumerate() {
            if i % 2 == 0 {
                let tint = [("fill", "#f5f6f8")];
                svg.rect((4.0, from), full - 8.0, block.height(), &tint);
            }
            from += block.height();
        }
    }

    fn block(
        &self,
        svg: &mut Svg,
        block: &ProfileBlock,
        from: f64,
        (start, end): (f64, f64),
        panels: &[Scale],
    ) {
        let middle = |row: usize| from + 3.0 + (row as f64 + 0.5) * ROW;
        svg.group(&[("font-size", "11")]);
        svg.title(&block.name);
        let bold = [("font-weight", "bold")];
        let name = clip(&block.name, SMALL, NAME);
        svg.text((start, middle(0) + 4.0), Anchor::Start, &name, &bold);
        svg.close();
        for (i, row) in block.rows.iter().enumerate() {
            svg.group(&[("font-size", "11")]);
            svg.title(&format!("{} = {}", block.name, row.name));
            svg.text((end, middle(i) + 4.0), Anchor::End, &clip(&row.name, SMALL, LEVEL), &[]);
            svg.close();
            for (g, panel) in panels.iter().enumerate() {
                let share = row.shares.get(g).copied().unwrap_or(f64::NAN);
                if usable(share) && usable(row.whole) {
                    svg.group(&[]);
                    svg.title(&self.tooltip(block, row, g, share));
                    mark(svg, panel, row.whole, share, middle(i));
                    svg.close();
                }
            }
        }
        if block.more > 0 {
            let levels = if block.more == 1 { "level" } else { "levels" };
            let text = format!("{} more {levels}", block.more);
            let look = [("font-size", "11"), ("fill", MUTED), ("font-style", "italic")];
            svg.text((end, middle(block.rows.len()) + 4.0), Anchor::End, &text, &look);
        }
    }

    fn tooltip(&self, block: &ProfileBlock, row: &ProfileRow, g: usize, share: f64) -> String {
        format!(
            "{} = {}: {:.1} % in {}, {:.1} % in all",
            block.name,
            row.name,
            100.0 * share,
            self.groups[g].name,
            100.0 * row.whole
        )
    }
}

/// A bar from the share in all to that in a group, and a tick at the share in all.
fn mark(svg: &mut Svg, x: &Scale, whole: f64, share: f64, middle: f64) {
    let (from, to) = (x.at(100.0 * whole), x.at(100.0 * share));
    let colour = if share > whole { MORE } else { LESS };
    svg.rect((from.min(to), middle - 4.0), (to - from).abs(), 8.0, &[("fill", colour)]);
    svg.line((from, middle - 5.5), (from, middle + 5.5), &stroke(INK, "1.4", ""));
}

/// What the marks mean.
fn key(svg: &mut Svg, middle: f64) {
    let entries = [("share in all", 0.0), ("more often here", 22.0), ("less often here", -22.0)];
    let mut left = MARGIN;
    for (text, length) in entries {
        let at = left + 4.0 + f64::max(-length, 0.0);
        let x = Scale::linear((0.0, 100.0), at - 22.0, at + 22.0);
        mark(svg, &x, 0.5, 0.5 + length / 44.0, middle);
        let next = left + 12.0 + length.abs();
        svg.text((next, middle + 4.0), Anchor::Start, text, &[("font-size", "11")]);
        left = next + room(text, SMALL) + 22.0;
    }
}

/// The name of a group and the ticks above its panel.
fn head(svg: &mut Svg, group: &ProfileGroup, panel: &Scale, top: f64) {
    let middle = (panel.start + panel.end) / 2.0;
    let wide = panel.end - panel.start + BETWEEN - 4.0;
    let bold = [("font-weight", "bold")];
    svg.group(&[]);
    svg.title(&format!("{} {}", group.name, group.note));
    svg.text((middle, top - 33.0), Anchor::Middle, &fit(&group.name, 12.0 * 1.07, wide), &bold);
    let small = [("font-size", "11"), ("fill", MUTED)];
    svg.text((middle, top - 19.0), Anchor::Middle, &fit(&group.note, SMALL, wide), &small);
    svg.close();
    svg.group(&[("font-size", "10"), ("fill", MUTED), ("text-anchor", "middle")]);
    for tick in frame::ticks_across(panel) {
        let at = panel.at(tick.value);
        svg.text((at, top - 5.0), Anchor::Start, &tick.label, &[]);
    }
    svg.close();
    svg.line((panel.start, top), (panel.end, top), &[("stroke", GRID)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::tests::well_formed;

    fn chart(groups: usize, rows: Vec<ProfileRow>, more: usize) -> Profiles {
        let group = |g: usize| ProfileGroup { name: format!("group {g}"), note: "half".into() };
        Profiles {
            groups: (0..groups).map(group).collect(),
            blocks: vec![ProfileBlock { name: "answer".into(), rows, more }],
            ..Profiles::default()
        }
    }

    fn row(name: &str, whole: f64, shares: &[f64]) -> ProfileRow {
        ProfileRow { name: name.into(), whole, shares: shares.to_vec() }
    }

    #[test]
    fn bars_lead_from_the_whole_to_the_group() {
        let chart = chart(2, vec![row("yes", 0.4, &[0.9, 0.15])], 0);
        let svg = chart.svg();
        well_formed(&svg).unwrap();
        let wide = chart.panels(0.0)[0].end;
        let more = format!("width=\"{}\" height=\"8\" fill=\"{MORE}\"", 0.5 * wide);
        let less = format!("width=\"{}\" height=\"8\" fill=\"{LESS}\"", 0.25 * wide);
        assert!(svg.contains(&more) && svg.contains(&less), "{svg}");
        assert!(svg.contains("answer = yes: 90.0 % in group 0, 40.0 % in all"));
    }

    #[test]
    fn any_number_of_groups_has_room() {
        for groups in [0, 1, 2, 8, 24] {
            let chart = chart(groups, vec![row("yes", 0.4, &vec![0.5; groups])], 3);
            well_formed(&chart.svg()).unwrap();
            let panels = chart.panels(100.0);
            assert_eq!(panels.len(), groups);
            assert!(panels.windows(2).all(|w| w[1].start - w[0].end >= BETWEEN - 1e-9));
            assert!(panels.iter().all(|p| p.end - p.start >= NARROWEST));
            assert!(chart.svg().contains(">3 more levels<"));
        }
    }

    #[test]
    fn what_is_no_share_is_left_out() {
        let svg =
            chart(2, vec![row("a", f64::NAN, &[0.1]), row("b", 0.1, &[f64::INFINITY])], 1).svg();
        well_formed(&svg).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.contains(">1 more level<"));
    }
}
