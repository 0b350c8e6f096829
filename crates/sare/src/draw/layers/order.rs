//! Which stands left of which: few crossings, by sweeps and by swapping neighbours.

/// Vertices on rows, joined only to those on the rows next to theirs.
#[derive(Clone, Debug, Default)]
pub(super) struct Web {
    /// The vertices of every row, from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// The vertices above to which a vertex is joined.
    pub(super) up: Vec<Vec<usize>>,
    /// Those below.
    pub(super) down: Vec<Vec<usize>>,
}

impl Web {
    /// How many pairs of links cross.
    pub(super) fn crossings(&self) -> usize {
        let place = self.places();
        let between = |pair: &[Vec<usize>]| {
            let mut ends: Vec<usize> = Vec::new();
            for &v in &pair[0] {
                let first = ends.len();
                ends.extend(self.down[v].iter().map(|w| place[*w]));
                ends[first..].sort_unstable();
            }
            inversions(&ends, pair[1].len())
        };
        self.rows.windows(2).map(between).sum()
    }

    fn places(&self) -> Vec<usize> {
        let mut place = vec![0; self.up.len()];
        for row in &self.rows {
            for (i, &v) in row.iter().enumerate() {
                place[v] = i;
            }
        }
        place
    }

    /// Orders the rows so that few links cross; never more than before. The same web is always ordered alike.
    pub(super) fn untangle(&mut self) {
        let links: usize = self.up.iter().map(Vec::len).sum();
        // Small drawings are worth many tries, and large ones cannot be read closely anyway.
        let work = links.max(1);
        let tries = (6_000 / work).clamp(1, 24);
        let sweeps = (60_000 / work).clamp(4, 24);
        let mut best = (self.crossings(), self.rows.clone());
        for start in 0..tries + 2 {
            if best.0 == 0 {
                break;
            }
            self.begin(start);
            for sweep in 0..sweeps {
                self.sweep(sweep % 2 == 0);
                if links <= 20_000 {
                    self.swap();
                }
                let now = self.crossings();
                if now < best.0 {
                    best = (now, self.rows.clone());
                }
            }
        }
        self.rows = best.1;
    }

    /// Another order to begin with: first along the arcs downwards, then upwards, then shuffled.
    fn begin(&mut self, start: usize) {
        match start {
            0 => self.follow(&self.down.clone(), false),
            1 => self.follow(&self.up.clone(), true),
            _ => {
                // A fixed stream (Knuth's MMIX): the drawing must not depend on chance.
                let mut state = start as u64;
                for row in &mut self.rows {
                    for i in (1..row.len()).rev() {
                        state = state
                            .wrapping_mul(6364136223846793005)
                            .wrapping_add(1442695040888963407);
                        row.swap(i, (state >> 33) as usize % (i + 1));
                    }
                }
            }
        }
    }

    /// Orders every row as a walk in depth finds its vertices: a tree then has no crossings.
    fn follow(&mut self, next: &[Vec<usize>], from_below: bool) {
        let rows = std::mem::take(&mut self.rows);
        let mut row_of = vec![0; self.up.len()];
        for (r, row) in rows.iter().enumerate() {
            row.iter().for_each(|v| row_of[*v] = r);
        }
        let mut seen = vec![false; self.up.len()];
        self.rows = vec![Vec::new(); rows.len()];
        let mut starts: Vec<usize> = rows.iter().flatten().copied().collect();
        if from_below {
            starts.reverse();
        }
        for start in starts {
            let mut open = vec![start];
            while let Some(v) = open.pop() {
                if !seen[v] {
                    seen[v] = true;
                    self.rows[row_of[v]].push(v);
                    open.extend(next[v].iter().rev());
                }
            }
        }
    }

    /// Sorts every row by the mean place of the neighbours on the row before it.
    fn sweep(&mut self, downwards: bool) {
        let mut place = self.places();
        let n = self.rows.len();
        for k in 1..n {
            let r = if downwards { k } else { n - 1 - k };
            let sides = if downwards { &self.up } else { &self.down };
            let key = |v: usize| {
                let near = &sides[v];
                let sum: usize = near.iter().map(|w| place[*w]).sum();
                if near.is_empty() { place[v] as f64 } else { sum as f64 / near.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> = self.rows[r].iter().map(|v| (key(*v), *v)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (i, (_, v)) in keyed.into_iter().enumerate() {
                self.rows[r][i] = v;
                place[v] = i;
            }
        }
    }

    /// Swaps neighbours as long as that takes crossings away.
    fn swap(&mut self) {
        let mut place = self.places();
        let sorted = |side: &[usize], place: &[usize]| {
            let mut all: Vec<usize> = side.iter().map(|w| place[*w]).collect();
            all.sort_unstable();
            all
        };
        for _ in 0..8 {
            let mut better = false;
            for r in 0..self.rows.len() {
                for i in 1..self.rows[r].len() {
                    let (a, b) = (self.rows[r][i - 1], self.rows[r][i]);
                    let mut gain = 0;
                    for side in [&self.up, &self.down] {
                        let (x, y) = (sorted(&side[a], &place), sorted(&side[b], &place));
                        gain += crossed(&x, &y) - crossed(&y, &x);
                    }
                    if gain > 0 {
                        better = true;
                        self.rows[r].swap(i - 1, i);
                        (place[a], place[b]) = (i, i - 1);
                    }
                }
            }
            if !better {
                break;
            }
        }
    }
}

/// How many pairs of links of a left vertex (to `left`) and a right one (to `right`) cross; both are sorted.
fn crossed(left: &[usize], right: &[usize]) -> i64 {
    let mut below = 0;
    let mut sum = 0;
    for x in left {
        while below < right.len() && right[below] < *x {
            below += 1;
        }
        sum += below as i64;
    }
    sum
}

/// How many pairs stand in the wrong order, equal ones not counted; all are below `most`.
fn inversions(all: &[usize], most: usize) -> usize {
    let mut tree = vec![0usize; most + 1];
    let mut sum = 0;
    for (seen, &x) in all.iter().enumerate() {
        let mut at = x + 1;
        let mut not_above = 0;
        while at > 0 {
            not_above += tree[at];
            at &= at - 1;
        }
        sum += seen - not_above;
        at = x + 1;
        while at <= most {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(rows: Vec<Vec<usize>>, links: &[(usize, usize)]) -> Web {
        let n = rows.iter().map(Vec::len).sum();
        let (up, down) = super::super::rank::sides(n, links);
        Web { rows, up, down }
    }

    #[test]
    fn crossings_are_counted() {
        let cross = web(vec![vec![0, 1], vec![2, 3]], &[(0, 3), (1, 2)]);
        assert_eq!(cross.crossings(), 1);
        let full: Vec<(usize, usize)> = (0..3).flat_map(|a| (3..6).map(move |b| (a, b))).collect();
        assert_eq!(web(vec![vec![0, 1, 2], vec![3, 4, 5]], &full).crossings(), 9);
        assert_eq!(inversions(&[3, 1, 2, 1], 4), 4);
        assert_eq!(crossed(&[1, 4], &[0, 2, 2]), 4);
    }

    #[test]
    fn trees_are_untangled() {
        // A tree of three rows, its leaves in the order that crosses most.
        let links = [(0, 1), (0, 2), (0, 3), (1, 9), (1, 8), (2, 7), (2, 6), (3, 5), (3, 4)];
        let mut web = web(vec![vec![0], vec![1, 2, 3], vec![4, 5, 6, 7, 8, 9]], &links);
        assert!(web.crossings() >= 12);
        web.untangle();
        assert_eq!(web.crossings(), 0);
    }

    #[test]
    fn never_more_crossings_than_before() {
        let mut state = 5u64;
        let mut draw = |most: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        };
        for _ in 0..20 {
            let rows: Vec<Vec<usize>> = (0..4).map(|r| (r * 8..r * 8 + 8).collect()).collect();
            let links: Vec<(usize, usize)> = (0..40)
                .map(|_| (draw(24), draw(8)))
                .map(|(a, b)| (a, (a / 8 + 1) * 8 + b))
                .collect();
            let mut web = web(rows, &links);
            let (before, mut again) = (web.crossings(), web.clone());
            web.untangle();
            assert!(web.crossings() < before, "a random web always has some that can go");
            again.untangle();
            assert_eq!(web.rows, again.rows);
        }
    }
}
