//! Trees of greatest weight when an arc is worth more, or allowed, in one direction only.

use super::spanning::find;

/// A directed arc with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Where it starts.
    pub parent: usize,
    /// Where it ends.
    pub child: usize,
    /// What it is worth.
    pub weight: f64,
}

/// Stands for the parent of the nodes that get none.
const ROOT: usize = usize::MAX;

/// A given arc, or one from the root.
#[derive(Clone, Copy)]
struct Link {
    /// Whether it is one that comes before those of the root, whatever the weights.
    counts: bool,
    /// What it adds now.
    weight: i128,
    parent: usize,
    child: usize,
}

impl Link {
    fn beats(&self, other: &Link) -> bool {
        let first = (other.parent, other.child).cmp(&(self.parent, self.child));
        (self.counts, self.weight).cmp(&(other.counts, other.weight)).then(first).is_gt()
    }
}

/// The branching of greatest weight: at most one parent for each node, no cycle (Chu and Liu; Edmonds; in the way of
/// Tarjan, whose time grows with the square of the nodes). Gives the parent of every node. For a `forest` only the
/// weight counts, so no arc of weight 0 or less is taken; otherwise as many nodes as possible get a parent, and the
/// weight decides among those choices.
///
/// Of equally good arcs the one with the lowest parent, then the lowest child, is taken; where the weights are the same
/// in both directions and any node may be the root, the lowest is. Arcs from a node to itself, arcs of nodes that do
/// not exist and arcs whose weight is not a finite number are left out.
pub fn maximum_branching(nodes: usize, arcs: &[Arc], forest: bool) -> Vec<Option<usize>> {
    let mut growth = Growth::new(nodes, links(nodes, arcs, forest));
    (0..nodes).for_each(|start| growth.grow(start));
    growth.unwind()
}

/// The arcs that count.
fn links(nodes: usize, arcs: &[Arc], forest: bool) -> Vec<Link> {
    let usable = |a: &&Arc| {
        let real = a.parent < nodes && a.child < nodes && a.parent != a.child;
        real && a.weight.is_finite() && !(forest && a.weight <= 0.0)
    };
    let largest = arcs.iter().filter(usable).fold(f64::MIN_POSITIVE, |m, a| m.max(a.weight.abs()));
    // Whole numbers make sums exact, so that rounding does not decide between equals. The scale is a power of two and
    // the largest weight comes near 2^100: the sums of any graph that fits in memory stay below 2^127. It is applied by
    // halves, as the whole scale of the smallest weights would be no number.
    let half = 2f64.powi((100 - largest.log2().ceil() as i32) / 2);
    let link = |&Arc { parent, child, weight }: &Arc| {
        let weight = (weight * half * half) as i128;
        Link { counts: !forest, weight, parent, child }
    };
    arcs.iter().filter(usable).map(link).collect()
}

/// Cycles of best arcs, drawn together one after the other. The numbers from `nodes` on are those of the cycles.
struct Growth {
    nodes: usize,
    /// The arcs into each node and cycle from outside.
    into: Vec<Vec<Link>>,
    /// The best of them.
    best: Vec<Link>,
    /// The nodes and cycles each cycle is made of.
    members: Vec<Vec<usize>>,
    /// The cycle of which each node and cycle is a member, or itself.
    outer: Vec<usize>,
    /// The same for the outermost cycle, by way of others.
    outermost: Vec<usize>,
    /// The walk in which each was met, if any.
    walk: Vec<Option<usize>>,
}

impl Growth {
    fn new(nodes: usize, links: Vec<Link>) -> Growth {
        let root = |child| Link { counts: false, weight: 0, parent: ROOT, child };
        // Every node can do without a parent.
        let mut into: Vec<Vec<Link>> = (0..nodes).map(|n| vec![root(n)]).collect();
        links.into_iter().for_each(|l| into[l.child].push(l));
        let best = into.iter().enumerate().map(|(n, links)| best_of(root(n), links)).collect();
        let outer: Vec<usize> = (0..nodes).collect();
        let (outermost, walk) = (outer.clone(), vec![None; nodes]);
        Growth { nodes, into, best, members: Vec::new(), outer, outermost, walk }
    }

    /// Walks from a node against its best arcs, drawing together the cycles it meets, up to the root or to where an
    /// earlier walk was.
    fn grow(&mut self, start: usize) {
        let mut node = find(&mut self.outermost, start);
        let mut path = Vec::new();
        while self.walk[node].is_none() {
            self.walk[node] = Some(start);
            path.push(node);
            let parent = self.best[node].parent;
            if parent == ROOT {
                return;
            }
            node = find(&mut self.outermost, parent);
            if self.walk[node] == Some(start) {
                let turn = path.iter().rposition(|&p| p == node).unwrap_or(0);
                node = self.draw_together(path.split_off(turn));
            }
        }
    }

    /// Makes one of a cycle; gives its number.
    fn draw_together(&mut self, cycle: Vec<usize>) -> usize {
        let number = self.into.len();
        cycle.iter().for_each(|&m| {
            self.outer[m] = number;
            self.outermost[m] = number;
        });
        self.outer.push(number);
        self.outermost.push(number);
        self.walk.push(None);
        // Of the arcs of one parent only the best can ever be of use.
        let mut from: Vec<Option<Link>> = vec![None; self.nodes + 1];
        for &m in &cycle {
            let own = self.best[m].weight;
            for mut link in std::mem::take(&mut self.into[m]) {
                if link.parent != ROOT && find(&mut self.outermost, link.parent) == number {
                    continue;
                }
                // It would take the place of the cycle's own arc: only the difference matters.
                link.weight -= own;
                let slot = &mut from[link.parent.min(self.nodes)];
                if slot.is_none_or(|other| link.beats(&other)) {
                    *slot = Some(link);
                }
            }
        }
        let into: Vec<Link> = from.into_iter().flatten().collect();
        // The last is the root's, which every node and so every cycle has.
        self.best.push(best_of(into[into.len() - 1], &into));
        self.into.push(into);
        self.members.push(cycle);
        number
    }

    /// The parent of every node: an arc into a cycle replaces the cycle's own arc into the same member.
    fn unwind(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.nodes];
        let outside = (0..self.outer.len()).filter(|&n| self.outer[n] == n);
        let mut open: Vec<(usize, Link)> = outside.map(|n| (n, self.best[n])).collect();
        while let Some((number, link)) = open.pop() {
            if number < self.nodes {
                parents[number] = (link.parent != ROOT).then_some(link.parent);
                continue;
            }
            let mut entered = link.child;
            while self.outer[entered] != number {
                entered = self.outer[entered];
            }
            let arc = |&m: &usize| (m, if m == entered { link } else { self.best[m] });
            open.extend(self.members[number - self.nodes].iter().map(arc));
        }
        parents
    }
}

fn best_of(first: Link, links: &[Link]) -> Link {
    links.iter().fold(first, |best, l| if l.beats(&best) { *l } else { best })
}

#[cfg(test)]
mod tests;
