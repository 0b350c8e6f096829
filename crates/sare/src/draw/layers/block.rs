//! A connected part of the graph on rows of its own.

use super::order::Web;
use super::place::{Link, place};
use super::rank::{rank, sides, split};
use super::{GAP, LANE};
use std::collections::BTreeMap;

/// Above so many bends the long arcs of a node share theirs from the start: the drawing is then only an overview.
const BENDS: usize = 6_000;

/// A part laid out: its left edge is at 0, its first row is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// How wide it is.
    pub(super) width: f64,
    /// How many rows it has.
    pub(super) rows: usize,
    /// The nodes with their rows and middles.
    pub(super) spots: Vec<(usize, usize, f64)>,
    /// The arcs, by number, with the rows they pass and where.
    pub(super) bends: Vec<(usize, Vec<(usize, f64)>)>,
    /// How many pairs of arcs cross.
    pub(super) crossings: usize,
}

/// The rows of a part, the arcs as chains of vertices; those after the nodes are bends.
struct Chains {
    web: Web,
    chains: Vec<Vec<usize>>,
    /// The upper end of the arc that a bend belongs to.
    owner: Vec<usize>,
    nodes: usize,
}

impl Chains {
    fn new(row: &[usize], arcs: &[(usize, usize)]) -> Chains {
        let nodes = row.len();
        let mut owner: Vec<usize> = (0..nodes).collect();
        let mut rows = vec![Vec::new(); row.iter().max().map_or(0, |r| r + 1)];
        for (v, r) in row.iter().enumerate() {
            rows[*r].push(v);
        }
        let bends: usize = arcs.iter().map(|(a, b)| row[*b] - row[*a] - 1).sum();
        let mut shared: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut chains = Vec::with_capacity(arcs.len());
        for &(a, b) in arcs {
            let mut chain = vec![a];
            for (r, members) in rows.iter_mut().enumerate().take(row[b]).skip(row[a] + 1) {
                let known = if bends > BENDS { shared.get(&(a, r)).copied() } else { None };
                chain.push(known.unwrap_or_else(|| {
                    let new = owner.len();
                    owner.push(a);
                    members.push(new);
                    shared.insert((a, r), new);
                    new
                }));
            }
            chain.push(b);
            chains.push(chain);
        }
        let mut all = Chains { web: Web::default(), chains, owner, nodes };
        all.join(rows);
        all
    }

    /// Makes the web of the chains.
    fn join(&mut self, rows: Vec<Vec<usize>>) {
        let links = self.links();
        let (up, down) = sides(self.owner.len(), &links);
        self.web = Web { rows, up, down };
    }

    /// The links of the chains, each once, in the order of the arcs.
    fn links(&self) -> Vec<(usize, usize)> {
        let mut seen = std::collections::BTreeSet::new();
        let pairs = self.chains.iter().flat_map(|c| c.windows(2).map(|p| (p[0], p[1])));
        pairs.filter(|pair| seen.insert(*pair)).collect()
    }

    /// Lets arcs of one node that run side by side run as one until they part.
    fn bundle(&mut self) {
        let mut same: Vec<usize> = (0..self.owner.len()).collect();
        let mut rows = std::mem::take(&mut self.web.rows);
        for row in &mut rows {
            self.centre(row, &same);
            let mut kept: Vec<usize> = Vec::with_capacity(row.len());
            for &v in row.iter() {
                let above = |v: usize| self.web.up[v].first().map(|u| same[*u]);
                match kept.last() {
                    Some(&last)
                        if v >= self.nodes
                            && last >= self.nodes
                            && self.owner[v] == self.owner[last]
                            && above(v) == above(last) =>
                    {
                        same[v] = last;
                    }
                    _ => kept.push(v),
                }
            }
            *row = kept;
        }
        self.chains.iter_mut().flatten().for_each(|v| *v = same[*v]);
        self.join(rows);
    }
}

impl Chains {
    /// Puts the long arcs of a node into the midst of its children that have none themselves: on their edge, each
    /// further row would begin where the last one ends. Nothing crosses that did not before.
    fn centre(&self, row: &mut [usize], same: &[usize]) {
        let (up, down) = (&self.web.up, &self.web.down);
        let parent = |v: usize| (up[v].len() == 1).then(|| same[up[v][0]]);
        let like = |a: &usize, b: &usize| {
            let movable = |v: usize| v >= self.nodes || down[v].is_empty();
            movable(*a) && movable(*b) && parent(*a).is_some() && parent(*a) == parent(*b)
        };
        for run in row.chunk_by_mut(like) {
            let (ends, bends): (Vec<usize>, Vec<usize>) =
                run.iter().partition(|v| **v < self.nodes);
            let (left, right) = ends.split_at(ends.len() / 2);
            let order = left.iter().chain(&bends).chain(right);
            run.iter_mut().zip(order).for_each(|(seat, v)| *seat = *v);
        }
    }
}

/// Lays out a connected part: `arcs` go from upper to lower nodes, numbered within the part; rows wider than `bound`
/// are split. The numbers of nodes and arcs in the result are those given in `names` and `numbers`.
pub(super) fn lay(
    names: &[usize],
    arcs: &[(usize, usize)],
    numbers: &[usize],
    widths: &[f64],
    bound: f64,
) -> Block {
    let mut row = rank(names.len(), arcs);
    split(&mut row, arcs, widths, bound);
    let mut chains = Chains::new(&row, arcs);
    chains.web.untangle();
    chains.bundle();
    let nodes = names.len();
    let half = |v: usize| widths.get(v).map_or(0.0, |w| w / 2.0);
    let apart = |a: usize, b: usize| {
        let room = match (a < nodes, b < nodes) {
            (true, true) => GAP,
            (false, false) => LANE,
            _ => LANE + 2.0,
        };
        half(a) + half(b) + room
    };
    // A bend in the midst of an arc shows most.
    let weigh = |(a, b): (usize, usize)| -> Link {
        let bends = usize::from(a >= nodes) + usize::from(b >= nodes);
        (a, b, [1.0, 2.0, 8.0][bends])
    };
    let links: Vec<Link> = chains.links().into_iter().map(weigh).collect();
    let x = place(&chains.web.rows, &links, nodes, apart);
    let all = || chains.web.rows.iter().flatten();
    let left = all().map(|v| x[*v] - half(*v)).fold(f64::INFINITY, f64::min);
    let right = all().map(|v| x[*v] + half(*v)).fold(f64::NEG_INFINITY, f64::max);
    let bends = |(chain, number): (&Vec<usize>, &usize)| {
        let first = row[chain[0]];
        let inner = chain[1..chain.len() - 1].iter().enumerate();
        (*number, inner.map(|(i, v)| (first + 1 + i, x[*v] - left)).collect())
    };
    Block {
        width: right - left,
        rows: chains.web.rows.len(),
        spots: (0..nodes).map(|v| (names[v], row[v], x[v] - left)).collect(),
        bends: chains.chains.iter().zip(numbers).map(bends).collect(),
        crossings: chains.web.crossings(),
    }
}
