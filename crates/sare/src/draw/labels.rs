//! Where names stand so that they do not cover each other.

use super::svg::Spot;

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    fn around((x, y): Spot, half: f64) -> Area {
        Area { left: x - half, top: y - half, right: x + half, bottom: y + half }
    }

    fn meets(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn within(&self, other: &Area) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }

    /// The point of it nearest to a spot.
    fn nearest(&self, (x, y): Spot) -> Spot {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// How much of a line lies in it, in steps of some hundredths of the line.
    fn crossed(&self, (from, to): (Spot, Spot)) -> f64 {
        let apart = from.0.max(to.0) < self.left
            || from.0.min(to.0) > self.right
            || from.1.max(to.1) < self.top
            || from.1.min(to.1) > self.bottom;
        if apart {
            return 0.0;
        }
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let steps = (length / 2.0).ceil().clamp(1.0, 400.0) as usize;
        let at = |i: usize| {
            let t = i as f64 / steps as f64;
            (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1))
        };
        let inside = (0..=steps).filter(|i| {
            let (x, y) = at(*i);
            x > self.left && x < self.right && y > self.top && y < self.bottom
        });
        inside.count() as f64 * length / steps as f64
    }
}

/// True if two lines cross.
fn cross(a: (Spot, Spot), b: (Spot, Spot)) -> bool {
    let side = |l: (Spot, Spot), p: Spot| {
        (l.1.0 - l.0.0) * (p.1 - l.0.1) - (l.1.1 - l.0.1) * (p.0 - l.0.0)
    };
    side(a, b.0) * side(a, b.1) < 0.0 && side(b, a.0) * side(b, a.1) < 0.0
}

/// A name in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// What the text covers.
    pub(super) area: Area,
    /// A line from the point to a name that does not stand beside it.
    pub(super) leader: Option<(Spot, Spot)>,
}

/// What names have to keep clear of.
pub(super) struct Scene<'a> {
    /// The points with the widths of their names.
    pub(super) points: &'a [(Spot, f64)],
    /// Lines that names had better not cover.
    pub(super) lines: &'a [(Spot, Spot)],
    /// The plot.
    pub(super) bounds: Area,
    /// The height of the names.
    pub(super) height: f64,
}

/// Half the room a mark takes.
const MARK: f64 = 5.0;
/// A place as bad as this is worse than no name.
const TOO_BAD: f64 = 50.0;

impl Scene<'_> {
    /// A place for each name, or none where there is no room.
    pub(super) fn place(&self) -> Vec<Option<Placed>> {
        let mut placed: Vec<Option<Placed>> = vec![None; self.points.len()];
        let near = |i: usize| {
            let (x, y) = self.points[i].0;
            let close = |p: &&(Spot, f64)| (p.0.0 - x).abs() < 60.0 && (p.0.1 - y).abs() < 24.0;
            self.points.iter().filter(close).count()
        };
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        let crowd: Vec<usize> = order.iter().map(|i| near(*i)).collect();
        order.sort_by_key(|i| std::cmp::Reverse(crowd[*i]));
        // Later rounds move names to places that others have since left, and retry those without a place.
        for _ in 0..3 {
            for &i in &order {
                placed[i] = None;
                placed[i] = self.best(i, &placed);
            }
        }
        placed
    }

    fn best(&self, i: usize, placed: &[Option<Placed>]) -> Option<Placed> {
        let mut best: Option<(f64, Placed)> = None;
        for (distance, angles) in
            [(6.0, 8), (11.0, 8), (18.0, 16), (27.0, 16), (38.0, 16), (52.0, 24)]
        {
            for k in 0..angles {
                let candidate = self.candidate(i, distance, k as f64 / angles as f64);
                if !candidate.area.within(&self.bounds) {
                    continue;
                }
                // Beside the point reads best.
                let cost = distance * 0.2
                    + if k == 0 { 0.0 } else { 0.6 }
                    + self.cost(i, &candidate, placed);
                if cost < best.map_or(TOO_BAD, |b| b.0) {
                    best = Some((cost, candidate));
                }
            }
        }
        best.map(|b| b.1)
    }

    /// The name of a point at a distance in a direction (as a share of the full turn).
    fn candidate(&self, i: usize, distance: f64, turn: f64) -> Placed {
        let ((x, y), width) = self.points[i];
        let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
        let along = |at: f64, direction: f64, size: f64| match direction {
            d if d > 0.3 => at + d * distance,
            d if d < -0.3 => at + d * distance - size,
            d => at + d * distance - size / 2.0,
        };
        let (left, top) = (along(x, cos, width), along(y, sin, self.height));
        let area = Area { left, top, right: left + width, bottom: top + self.height };
        let leader = (distance > 12.0).then(|| {
            let end = area.nearest((x, y));
            let length = (end.0 - x).hypot(end.1 - y).max(1e-9);
            let share = (MARK / length).min(1.0);
            ((x + (end.0 - x) * share, y + (end.1 - y) * share), end)
        });
        Placed { area, leader }
    }

    fn cost(&self, i: usize, it: &Placed, placed: &[Option<Placed>]) -> f64 {
        let mut cost = 0.0;
        for (j, (at, _)) in self.points.iter().enumerate() {
            let mark = Area::around(*at, MARK);
            if it.area.meets(&mark) {
                cost += TOO_BAD;
            }
            if j != i {
                // A name close to another point's mark would be taken for that point's.
                let (x, y) = it.area.nearest(*at);
                let gap = (x - at.0).hypot(y - at.1);
                let doubt = if it.leader.is_some() { 3.0 } else { 1.2 };
                cost += (12.0 - gap).max(0.0) * doubt;
            }
            if j != i && it.leader.is_some_and(|l| mark.crossed(l) > 0.0) {
                cost += TOO_BAD;
            }
        }
        cost += self.lines.iter().map(|l| it.area.crossed(*l)).sum::<f64>() * 0.3;
        for other in placed.iter().flatten() {
            let mut touched = it.area.meets(&other.area);
            touched |= it.leader.is_some_and(|l| other.area.crossed(l) > 0.0);
            touched |= other.leader.is_some_and(|l| it.area.crossed(l) > 0.0);
            let both = it.leader.zip(other.leader);
            if touched || both.is_some_and(|(a, b)| cross(a, b)) {
                cost += TOO_BAD;
            }
        }
        cost
    }
}

/// Moves heights apart until neighbours differ by `gap`, as little as possible, within `low` and `high` if there is
/// room. The order of the heights is kept.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Heaps of names that touch: the sum of where their first name wants to be, and how many there are.
    let mut heaps: Vec<(f64, usize)> = Vec::new();
    let first = |(sum, count): (f64, usize)| {
        let most = high - (count as f64 - 1.0) * gap;
        (sum / count as f64).min(most).max(low)
    };
    for &i in &order {
        let mut heap = (wanted[i], 1);
        while let Some(&above) = heaps.last() {
            if first(above) + above.1 as f64 * gap <= first(heap) {
                break;
            }
            heaps.pop();
            // Seen from the joint heap's first name, the others' first stands so many gaps further down.
            let shift = heap.1 as f64 * above.1 as f64 * gap;
            heap = (above.0 + heap.0 - shift, above.1 + heap.1);
        }
        heaps.push(heap);
    }
    let mut out = vec![0.0; wanted.len()];
    let mut next = order.into_iter();
    for heap in heaps {
        for (k, i) in next.by_ref().take(heap.1).enumerate() {
            out[i] = first(heap) + k as f64 * gap;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heights_that_are_apart_stay() {
        assert_eq!(spread(&[50.0, 10.0], 14.0, 0.0, 100.0), [50.0, 10.0]);
        assert_eq!(spread(&[50.0, 50.0], 14.0, 0.0, 100.0), [43.0, 57.0]);
        assert_eq!(spread(&[0.0, 0.0, 0.0], 14.0, 0.0, 100.0), [0.0, 14.0, 28.0]);
    }

    proptest! {
        #[test]
        fn spread_heights_are_apart(wanted in prop::collection::vec(0.0f64..300.0, 0..15)) {
            let mut out = spread(&wanted, 14.0, 0.0, 300.0);
            out.sort_by(f64::total_cmp);
            prop_assert!(out.windows(2).all(|w| w[1] - w[0] > 14.0 - 1e-9), "{out:?}");
            prop_assert!(out.iter().all(|y| (-1e-9..=300.000001).contains(y)), "{out:?}");
        }

        #[test]
        fn names_do_not_cover_each_other(points in prop::collection::vec((0.0f64..400.0, 0.0f64..400.0), 0..30)) {
            let points: Vec<(Spot, f64)> = points.into_iter().map(|p| (p, 40.0)).collect();
            let bounds = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 400.0 };
            let placed = Scene { points: &points, lines: &[], bounds, height: 10.0 }.place();
            let areas: Vec<Area> = placed.iter().flatten().map(|p| p.area).collect();
            for (i, a) in areas.iter().enumerate() {
                prop_assert!(a.within(&bounds));
                prop_assert!(areas[..i].iter().all(|b| !a.meets(b)));
                prop_assert!(points.iter().all(|p| !a.meets(&Area::around(p.0, MARK))));
            }
        }
    }
}
