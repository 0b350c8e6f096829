//! The density of an average over orders: every attribute a mixture over its parent sets, never a table over all earlier
//! attributes.

use super::missing::{FORESTS, Mixture};
use super::model::Room;
use super::pairs::{PairTables, all_pairs};
use super::parent_sets::{Local as Posterior, ParentSets, Weighed};
use super::smooth::class_logs;
use crate::data::Block;
use crate::error::{Error, Result};
use crate::infer::forest::Forest;
use crate::num::{ln_or_floor, log_sum_exp};
use crate::parameters::dirichlet::Prior;
use crate::seed::{Purpose, Random};
use crate::stats::count::cells;
use crate::stats::family::LARGEST_TABLE;
use crate::stats::kernels::gather_scaled;
use std::sync::OnceLock;

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
    /// Drawn when the first row comes whose missing cells need them.
    forests: OnceLock<Vec<Forest>>,
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
            forests: OnceLock::new(),
        })
    }

    pub(super) fn log_evidence(&self) -> f64 {
        self.log_evidence
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
            for (c, out) in out.iter_mut().enumerate() {
                terms.clear();
                terms.extend(values.chunks_exact(size).map(|v| v[r * classes + c]));
                *out = log_sum_exp(terms);
            }
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

impl Mixture for Density {
    fn states(&self) -> &[usize] {
        &self.states
    }

    fn class(&self) -> &[f64] {
        &self.class
    }

    fn complete(&self, block: &Block<'_>, room: &mut Room, scores: &mut [f64]) {
        let classes = self.class.len();
        let rows = (SCORES / (self.orders.len() * classes)).max(32);
        let mut holed = Vec::with_capacity(block.len());
        for (part, scores) in block.parts(rows).zip(scores.chunks_mut(rows * classes)) {
            self.part(&part, room, scores);
            holed.extend_from_slice(&room.holed);
        }
        room.holed = holed;
    }

    fn forests(&self) -> &[Forest] {
        self.forests.get_or_init(|| self.draw())
    }
}

impl Density {
    /// Structures drawn by their weights. The draws are stratified: every order, and every parent of an attribute in an order,
    /// has its share of the forests up to rounding.
    fn draw(&self) -> Vec<Forest> {
        let mut random = Random::new(0, Purpose::Structure, 0);
        let weights: Vec<f64> = self.log_weights.iter().map(|ln| ln.exp()).collect();
        let orders = stratified(&weights, FORESTS, &mut random);
        let mut parents = vec![vec![None; self.states.len()]; FORESTS];
        for order in 0..self.orders.len() {
            let own: Vec<usize> = (0..FORESTS).filter(|&f| orders[f] == order).collect();
            for (child, local) in self.locals[order].iter().enumerate() {
                let links = local.links.iter().map(|l| l.weight);
                let weights: Vec<f64> = [local.alone].into_iter().chain(links).collect();
                for (&f, choice) in own.iter().zip(stratified(&weights, own.len(), &mut random)) {
                    let link = choice.checked_sub(1).map(|l| local.links[l]);
                    parents[f][child] = link.map(|l| l.parent as usize);
                }
            }
        }
        let forest = |parents: Vec<Option<usize>>| {
            let tables = parents.iter().enumerate().map(|(v, p)| self.conditional(*p, v));
            let tables = tables.collect();
            Forest::new(self.class.len(), self.states.clone(), parents, tables)
        };
        parents.into_iter().map(forest).collect()
    }

    /// p(child | parent, class), the parent's state slowest, class innermost.
    fn conditional(&self, parent: Option<usize>, child: usize) -> Vec<f64> {
        let (classes, states) = (self.class.len(), self.states[child]);
        let Some(parent) = parent else {
            return self.alone[child][..states * classes].to_vec();
        };
        let (table, of_parent) = (self.table(parent, child), self.states[parent]);
        let cell =
            |x: usize, y: usize| if parent < child { x * states + y } else { y * of_parent + x };
        let entries = (0..of_parent).flat_map(|x| (0..states).map(move |y| (x, y)));
        entries.flat_map(|(x, y)| &table[cell(x, y) * classes..][..classes]).copied().collect()
    }
}

/// So many choices with these probabilities, in random order, each as often as it should be up to rounding.
fn stratified(weights: &[f64], count: usize, random: &mut Random) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let mut sums = weights.iter().scan(0.0, |sum, w| {
        *sum += w / total;
        Some(*sum)
    });
    let (mut choice, mut sum) = (0, sums.next().unwrap_or(1.0));
    let shift = random.uniform();
    let mut choices: Vec<usize> = (0..count)
        .map(|i| {
            while (i as f64 + shift) / count as f64 >= sum && choice + 1 < weights.len() {
                choice += 1;
                sum = sums.next().unwrap_or(1.0);
            }
            choice
        })
        .collect();
    random.shuffle(&mut choices);
    choices
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
