//! The density of an average over orders: every attribute a mixture over its parent sets, never a table over all earlier
//! attributes.

use super::holes::{self, completions, needed_places, row_of};
use super::model::Room;
use super::order::{OrderWeights, ParentSets};
use super::pairs::{PairTables, all_pairs, turned};
use super::smooth::{class_logs, conditionals};
use crate::data::{Block, View};
use crate::error::{Error, Result};
use crate::num::{ln_or_floor, log_add, log_sum_exp};
use crate::parameters::dirichlet::Prior;
use crate::stats::FamilyTable;
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
    /// For each pair i < j, by cell (x_i, x_j): p(x_j | c, x_i) and p(x_i | c, x_j), means over one parent and both.
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
    /// So many probabilities can be multiplied before the product could underflow.
    factors: usize,
}

impl Density {
    /// The average over these orders, each a permutation of the attributes.
    pub(super) fn new(
        weights: OrderWeights,
        orders: &[Vec<usize>],
        prior: Prior,
        tables: &PairTables,
        sets: &ParentSets,
    ) -> Result<Density> {
        let n = tables.attributes();
        check_size(n, orders.len())?;
        let alone: Vec<Vec<f64>> = (0..n)
            .map(|i| mean(prior, &tables.alone(i), sets.class_share(i)).values().to_vec())
            .collect();
        let pair = |(i, j): (usize, usize)| {
            let one = |p, c| mean(prior, &tables.family(p, c), sets.class_share_with(c, p));
            [one(i, j).values().to_vec(), turned(&one(j, i)).values().to_vec()]
        };
        let pairs: Vec<[Vec<f64>; 2]> = all_pairs(n).map(pair).collect();
        let classes = tables.classes();
        // Without the cell of missing members, which is 0.
        let entries = |t: &Vec<f64>| t[..t.len() - classes].iter().copied().fold(1.0, f64::min);
        let least = alone.iter().chain(pairs.iter().flatten()).map(entries).fold(1.0, f64::min);
        // What is left out is below the rounding of the least probability the mixture can give.
        let felt = f64::EPSILON / 16.0 * least / n as f64;
        let locals: Vec<Vec<Local>> =
            (0..orders.len()).map(|o| by_attribute(sets, o, &orders[o], felt)).collect();
        let of_child = |child: usize| {
            let links = locals.iter().flat_map(|l| &l[child].links);
            let mut links: Vec<Link> = links.copied().collect();
            links.sort_by_key(|l| l.parent);
            links
        };
        Ok(Density {
            class: class_logs(prior, &tables.class()),
            states: tables.states().to_vec(),
            alone,
            pairs,
            orders: orders.to_vec(),
            log_weights: sets.weigh(orders, weights).into_iter().map(ln_or_floor).collect(),
            links: (0..n).map(of_child).collect(),
            locals,
            log_evidence: sets.log_mean_evidence(orders),
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

    fn table(&self, parent: usize, child: usize) -> &[f64] {
        let (n, i, j) = (self.states.len(), child.min(parent), child.max(parent));
        &self.pairs[i * (2 * n - i - 1) / 2 + (j - i - 1)][usize::from(parent > child)]
    }
}

/// The mixtures of an order's attributes, in column order; links of less weight than `felt` are left out.
fn by_attribute(sets: &ParentSets, number: usize, order: &[usize], felt: f64) -> Vec<Local> {
    let local = |place: usize| {
        let local = sets.local(order, place);
        let links = order.iter().zip(&local.earlier).filter(|(_, w)| **w > felt);
        let link = |(&parent, &weight): (&usize, &f64)| Link {
            parent: parent as u32,
            order: number as u32,
            weight,
        };
        (order[place], Local { alone: local.alone, links: links.map(link).collect() })
    };
    let mut locals: Vec<(usize, Local)> = (0..order.len()).map(local).collect();
    locals.sort_by_key(|(attribute, _)| *attribute);
    locals.into_iter().map(|(_, local)| local).collect()
}

/// p(child | parent, c) as the mean of the table that depends on the class, with this share, and the one that does not.
fn mean(prior: Prior, counts: &FamilyTable, class_share: f64) -> FamilyTable {
    let mut table = conditionals(prior, counts);
    let without = conditionals(prior, &counts.sum_over_classes());
    let classes = counts.classes();
    for (entry, p) in table.values_mut().chunks_exact_mut(classes).zip(without.values()) {
        entry.iter_mut().for_each(|e| *e = class_share * *e + (1.0 - class_share) * p);
    }
    table
}

pub(super) fn check_size(attributes: usize, orders: usize) -> Result<()> {
    let links = (attributes as u128).pow(2) / 2 * orders as u128;
    // The weights of the links, and beside them the tables of all pairs, at their smallest.
    let pairs = (attributes as u128).pow(2) / 2;
    let bytes = links * 2 * size_of::<Link>() as u128 + pairs * 256;
    if bytes > LARGEST_TABLE {
        return Err(Error::TooLarge {
            what: format!("the weights of {orders} orders of {attributes} attributes"),
            bytes,
            limit: LARGEST_TABLE,
            fix: "average over fewer orders".into(),
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
