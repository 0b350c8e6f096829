//! The density of an average over orders: every attribute a mixture over its parent sets, never a table over all earlier
//! attributes.

use super::holes::{self, completions, needed_places, row_of};
use super::model::Room;
use super::pairs::{PairTables, all_pairs};
use super::parent_sets::{Local as Posterior, ParentSets, Weighed};
use super::smooth::class_logs;
use crate::data::{Block, View};
use crate::error::{Error, Result};
use crate::num::{ln_or_floor, log_add, log_sum_exp};
use crate::parameters::dirichlet::Prior;
use crate::stats::count::cells;
use crate::stats::family::LARGEST_TABLE;
use crate::stats::kernels::gather_scaled;

/// The scores of all orders of some rows together take about this many numbers, to stay in cache.
const SCORES: usize = 1 << 14;

/// Products are turned into logarithms before they can fall below the exponential of this.
const LOWEST: f64 = -650.0;

/// A parent with its weight in the mixture of an attribute in an order.
#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    order: u32,
    weight: f64,
}

/// The mixture of one attribute in one order.
#[derive(Clone, Debug)]
struct Local {
    alone: f64,
    links: Vec<Link>,
}

/// Tables shared by all orders, and the weights of each.
#[derive(Clone, Debug)]
pub(super) struct Density {
    class: Vec<f64>,
    states: Vec<usize>,
    /// p(x_i | c), the mean over {} and {C}.
    alone: Vec<Vec<f64>>,
    /// For each pair i < j, by cell (x_i, x_j): p(x_j | c, x_i) and p(x_i | c, x_j), means over one parent and both;
    /// nothing where no order has the link.
    pairs: Vec<[Vec<f64>; 2]>,
    orders: Vec<Vec<usize>>,
    /// ln of the orders' weights.
    log_weights: Vec<f64>,
    /// Order by order, attribute by attribute.
    locals: Vec<Vec<Local>>,
    /// The same links attribute by attribute, by parent.
    links: Vec<Vec<Link>>,
    /// The mean of the orders' evidence.
    log_evidence: f64,
    /// How many numbers the attributes are expected to leave free.
    parameters: f64,
    /// So many probabilities can be multiplied before the product could underflow.
    factors: usize,
}

impl Density {
    /// The average over orders that have been weighed.
    pub(super) fn new(
        weighed: &Weighed,
        prior: Prior,
        tables: &PairTables,
        sets: &ParentSets,
    ) -> Result<Density> {
        let Weighed { orders, locals, weights, .. } = weighed;
        let (n, states) = (tables.attributes(), tables.states());
        check_size(n, orders.len())?;
        let least = least_probability(prior, tables);
        // What is left out is below the rounding of the least probability the mixture can give.
        let felt = f64::EPSILON / 16.0 * least / n as f64;
        let locals: Vec<Vec<Local>> = (0..orders.len())
            .map(|o| by_attribute(&orders[o], &locals[o], o as u32, felt))
            .collect();
        let of_child = |child: usize| {
            let links = locals.iter().flat_map(|l| &l[child].links);
            let mut links: Vec<Link> = links.copied().collect();
            links.sort_by_key(|l| l.parent);
            links
        };
        let links: Vec<Vec<Link>> = (0..n).map(of_child).collect();
        let classes = tables.classes();
        let alone = |i: usize| {
            let family = OfParent { states: states[i], configurations: 1, classes };
            family.mean(prior, tables.single(i), |_| 0, sets.class_share(i))
        };
        // Only where a link asks for it: most parents are far less probable than the best.
        let given = |parent: usize, child: usize| {
            if links[child].binary_search_by_key(&parent, |l| l.parent as usize).is_err() {
                return Vec::new();
            }
            let family =
                OfParent { states: states[child], configurations: states[parent], classes };
            let (share, second) = (sets.class_share_with(child, parent), states[child.max(parent)]);
            match parent < child {
                true => family.mean(prior, tables.pair(parent, child), |c| c / second, share),
                false => family.mean(prior, tables.pair(child, parent), |c| c % second, share),
            }
        };
        Ok(Density {
            class: class_logs(prior, &tables.class()),
            states: states.to_vec(),
            alone: (0..n).map(alone).collect(),
            pairs: all_pairs(n).map(|(i, j)| [given(i, j), given(j, i)]).collect(),
            orders: orders.clone(),
            log_weights: weights.iter().copied().map(ln_or_floor).collect(),
            links,
            locals,
            log_evidence: weighed.log_mean_evidence(),
            parameters: weighed.parameters(tables, sets),
            factors: (LOWEST / ln_or_floor(least).min(-1.0)) as usize,
        })
    }

    pub(super) fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// Fails if a row's missing cells cannot be summed over. Those after the last seen one in an order drop out of it.
    pub(super) fn check(&self, coded: View<'_>) -> Result<()> {
        holes::check(coded, self.states.len(), |row| {
            let needed = |order: &Vec<usize>| {
                let open = &order[..needed_places(order, row)];
                completions(row, &self.states, open.iter().copied())
            };
            self.orders.iter().map(needed).max().unwrap_or(1)
        })
    }

    pub(super) fn log_joint(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let classes = self.class.len();
        let rows = (SCORES / (self.orders.len() * classes)).max(32);
        for (part, scores) in block.parts(rows).zip(scores.chunks_mut(rows * classes)) {
            self.part(&part, room, scores);
        }
    }

    fn part(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let (n, classes) = (self.states.len(), self.class.len());
        let size = block.len() * classes;
        let all = size * self.orders.len();
        let Room { scratch, cells: cell, holed, values, products, sums, terms, .. } = room;
        holed.clear();
        holed.resize(block.len(), false);
        values.clear();
        for ln in &self.log_weights {
            (0..block.len()).for_each(|_| values.extend(self.class.iter().map(|c| c + ln)));
        }
        products.clear();
        products.resize(all, 1.0);
        for child in 0..n {
            sums.clear();
            sums.resize(all, 0.0);
            cells(block, &[child], &self.states, scratch, cell);
            holed.iter_mut().zip(&*cell).for_each(|(h, &c)| *h |= c as usize == self.states[child]);
            for (locals, sums) in self.locals.iter().zip(sums.chunks_exact_mut(size)) {
                gather_scaled(cell, &self.alone[child], locals[child].alone, classes, sums);
            }
            for of_parent in self.links[child].chunk_by(|a, b| a.parent == b.parent) {
                let parent = of_parent[0].parent as usize;
                let members = [child.min(parent), child.max(parent)];
                cells(block, &members, &self.states, scratch, cell);
                let table = self.table(parent, child);
                for link in of_parent {
                    let sums = &mut sums[link.order as usize * size..][..size];
                    gather_scaled(cell, table, link.weight, classes, sums);
                }
            }
            products.iter_mut().zip(&*sums).for_each(|(p, s)| *p *= s);
            if (child + 1) % self.factors.max(1) == 0 || child + 1 == n {
                values.iter_mut().zip(&mut *products).for_each(|(v, p)| *v += ln_or_floor(*p));
                products.fill(1.0);
            }
        }
        for (r, out) in scores.chunks_exact_mut(classes).enumerate() {
            if holed[r] {
                self.row(&row_of(block, r, n), out);
                continue;
            }
            for (c, out) in out.iter_mut().enumerate() {
                terms.clear();
                terms.extend(values.chunks_exact(size).map(|v| v[r * classes + c]));
                *out = log_sum_exp(terms);
            }
        }
    }

    /// A row with missing cells, by itself: every order by summing over the completions of what it needs.
    fn row(&self, row: &[Option<usize>], out: &mut [f64]) {
        let mut states: Vec<usize> = row.iter().map(|x| x.unwrap_or(0)).collect();
        let mut rest = vec![0.0; out.len()];
        out.fill(f64::NEG_INFINITY);
        for (o, order) in self.orders.iter().enumerate() {
            let end = needed_places(order, row);
            self.rest(o, 0, end, row, &mut states, &mut rest);
            let all = out.iter_mut().zip(rest.iter().zip(&self.class));
            all.for_each(|(out, (r, c))| *out = log_add(*out, r + c + self.log_weights[o]));
        }
    }

    /// ln p(seen attributes from a place of an order on | class, attributes before it).
    fn rest(
        &self,
        order: usize,
        from: usize,
        end: usize,
        seen: &[Option<usize>],
        states: &mut [usize],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let mut own = vec![0.0; out.len()];
        for place in from..end {
            let child = self.orders[order][place];
            if seen[child].is_some() {
                self.local(order, child, states, &mut own);
                out.iter_mut().zip(&own).for_each(|(out, p)| *out += ln_or_floor(*p));
                continue;
            }
            let mut below = vec![0.0; out.len()];
            let mut sum = vec![f64::NEG_INFINITY; out.len()];
            for state in 0..self.states[child] {
                states[child] = state;
                self.local(order, child, states, &mut own);
                self.rest(order, place + 1, end, seen, states, &mut below);
                let terms = own.iter().zip(&below).map(|(p, b)| ln_or_floor(*p) + b);
                sum.iter_mut().zip(terms).for_each(|(s, t)| *s = log_add(*s, t));
            }
            out.iter_mut().zip(&sum).for_each(|(out, s)| *out += s);
            return;
        }
    }

    /// p(x_i | c, earlier attributes of the order) by class.
    fn local(&self, order: usize, child: usize, states: &[usize], out: &mut [f64]) {
        let (local, classes, x) = (&self.locals[order][child], self.class.len(), states[child]);
        let entry = &self.alone[child][x * classes..][..classes];
        out.iter_mut().zip(entry).for_each(|(out, p)| *out = local.alone * p);
        for link in &local.links {
            let parent = link.parent as usize;
            let (i, j) = (child.min(parent), child.max(parent));
            let cell = states[i] * self.states[j] + states[j];
            gather_scaled(&[cell as u32], self.table(parent, child), link.weight, classes, out);
        }
    }

    /// How many numbers the attributes are expected to leave free.
    pub(super) fn parameters(&self) -> f64 {
        self.parameters
    }

    /// p(x_i | c), state by state, class innermost. Within an order every parent set has one attribute at most, so that what
    /// is known of each earlier one by itself is enough:
    ///
    /// p(x_i | c) = w p_alone(x_i | c) + sum_j w_j sum_x p(X_j = x | c) p_j(x_i | c, x)
    pub(super) fn marginals(&self) -> Vec<Vec<f64>> {
        let (n, classes) = (self.states.len(), self.class.len());
        let blank = || -> Vec<Vec<f64>> {
            self.states.iter().map(|states| vec![0.0; states * classes]).collect()
        };
        let mut mean = blank();
        for ((order, locals), ln) in self.orders.iter().zip(&self.locals).zip(&self.log_weights) {
            let mut own = blank();
            for &child in order {
                let mut sums = std::mem::take(&mut own[child]);
                let alone = sums.iter_mut().zip(&self.alone[child]);
                alone.for_each(|(sum, p)| *sum = locals[child].alone * p);
                for link in &locals[child].links {
                    let parent = link.parent as usize;
                    let (first, second) = (child.min(parent), child.max(parent));
                    let table = self.table(parent, child).chunks_exact(classes);
                    for (cell, entry) in
                        table.take(self.states[first] * self.states[second]).enumerate()
                    {
                        let (x, y) = (cell / self.states[second], cell % self.states[second]);
                        let (of_child, of_parent) = if parent < child { (y, x) } else { (x, y) };
                        let given = &own[parent][of_parent * classes..][..classes];
                        let into = &mut sums[of_child * classes..][..classes];
                        let terms = entry.iter().zip(given).map(|(p, q)| link.weight * p * q);
                        into.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                    }
                }
                own[child] = sums;
            }
            let weight = ln.exp();
            for v in 0..n {
                mean[v].iter_mut().zip(&own[v]).for_each(|(sum, p)| *sum += weight * p);
            }
        }
        mean
    }

    fn table(&self, parent: usize, child: usize) -> &[f64] {
        let (n, i, j) = (self.states.len(), child.min(parent), child.max(parent));
        &self.pairs[i * (2 * n - i - 1) / 2 + (j - i - 1)][usize::from(parent > child)]
    }
}

/// The mixtures of an order's attributes, in column order; links of less weight than `felt` are left out.
fn by_attribute(order: &[usize], locals: &[Posterior], number: u32, felt: f64) -> Vec<Local> {
    let local = |(&child, local): (&usize, &Posterior)| {
        let links = order.iter().zip(&local.earlier).filter(|(_, w)| **w > felt);
        let link = |(&parent, &weight): (&usize, &f64)| Link {
            parent: parent as u32,
            order: number,
            weight,
        };
        (child, Local { alone: local.alone, links: links.map(link).collect() })
    };
    let mut locals: Vec<(usize, Local)> = order.iter().zip(locals).map(local).collect();
    locals.sort_by_key(|(attribute, _)| *attribute);
    locals.into_iter().map(|(_, local)| local).collect()
}

/// A bound below every probability of every table: that of a state never seen with all rows in its configuration.
fn least_probability(prior: Prior, tables: &PairTables) -> f64 {
    let mut states = tables.states().to_vec();
    states.sort_unstable_by(|a, b| b.cmp(a));
    let cells = states[0] * states.get(1).unwrap_or(&1) * tables.classes();
    let own = prior.cell(cells);
    own / (tables.rows() + own * states[0] as f64)
}

/// A child with a parent, or with none.
#[derive(Clone, Copy)]
struct OfParent {
    states: usize,
    configurations: usize,
    classes: usize,
}

impl OfParent {
    /// p(child | parent, c) in the layout of the counts, as the mean of the table that depends on the class, with this
    /// share, and the one that does not; with 0 in one more cell, that of missing members. `configuration` is the parent's
    /// state in a cell.
    fn mean(
        self,
        prior: Prior,
        counts: &[f64],
        configuration: impl Fn(usize) -> usize,
        share: f64,
    ) -> Vec<f64> {
        let OfParent { states, configurations, classes } = self;
        // Of every configuration by class, and in all.
        let mut sums = vec![0.0; configurations * (classes + 1)];
        for (cell, entry) in counts.chunks_exact(classes).enumerate() {
            let sums = &mut sums[configuration(cell) * (classes + 1)..][..=classes];
            sums.iter_mut().zip(entry).for_each(|(sum, n)| *sum += n);
            sums[classes] += entry.iter().sum::<f64>();
        }
        let [with, without] = [counts.len(), counts.len() / classes].map(|c| prior.cell(c));
        let smoothed = |n: f64, sum: f64, own: f64| (n + own) / (sum + own * states as f64);
        let mut out = Vec::with_capacity(counts.len() + classes);
        for (cell, entry) in counts.chunks_exact(classes).enumerate() {
            let sums = &sums[configuration(cell) * (classes + 1)..][..=classes];
            let rest = (1.0 - share) * smoothed(entry.iter().sum(), sums[classes], without);
            let of = |(&n, &sum): (&f64, &f64)| share * smoothed(n, sum, with) + rest;
            out.extend(entry.iter().zip(sums).map(of));
        }
        out.resize(counts.len() + classes, 0.0);
        out
    }
}

/// Refuses orders whose weights and tables would be too large to make.
pub(crate) fn check_size(attributes: usize, orders: usize) -> Result<()> {
    let links = (attributes as u128).pow(2) / 2 * orders as u128;
    // The weights of the links, and beside them the tables of all pairs, at their smallest.
    let pairs = (attributes as u128).pow(2) / 2;
    let bytes = links * 2 * size_of::<Link>() as u128 + pairs * 256;
    if bytes > LARGEST_TABLE {
        return Err(Error::TooLarge {
            what: format!("the weights of {orders} orders of {attributes} attributes"),
            bytes,
            limit: LARGEST_TABLE,
            fix: match orders {
                1 => "leave out columns, or average over naive Bayes structures",
                _ => "leave out columns, or average over fewer orders",
            }
            .into(),
        });
    }
    Ok(())
}

/// How many numbers the tables leave free: every attribute with no parent, the class, any other attribute, and both.
pub(super) fn free_parameters(tables: &PairTables) -> usize {
    let (states, classes) = (tables.states(), tables.classes());
    let alone: usize = states.iter().map(|s| (1 + classes) * (s - 1)).sum();
    let both = |(i, j): (usize, usize)| {
        (1 + classes) * (states[i] * (states[j] - 1) + states[j] * (states[i] - 1))
    };
    classes - 1 + alone + all_pairs(states.len()).map(both).sum::<usize>()
}
