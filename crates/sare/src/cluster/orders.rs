//! Orders of the attributes, for learners that need one before anything is known of the clusters.

use crate::data::{Source, Table};
use crate::describe::Range;
use crate::error::Result;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use crate::stats::information::pair_information;
use crate::stats::{CountFamilies, Family, run_pass};

/// How attributes are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By what they tell about the others in all, the most first; further orders are random.
    #[default]
    Information,
    /// At random, the same for every start.
    Random,
    /// As the columns are; further orders are random.
    Columns,
}

/// What the setting may be.
pub(super) const ORDERS: Range = Range::Choice(&["mi", "random", "columns"]);

impl Order {
    /// From the value of the setting.
    pub(super) fn of(value: f64) -> Order {
        [Order::Information, Order::Random, Order::Columns][value as usize]
    }

    /// Some orders of the attributes of a table whose last column is the cluster, each once.
    pub(super) fn draw(self, count: usize, rows: &Table, run: &Run<'_>) -> Result<Vec<Vec<usize>>> {
        let n = rows.columns() - 1;
        let mut orders: Vec<Vec<usize>> = match self {
            Order::Information => vec![by_information(rows, run)?],
            Order::Columns => vec![(0..n).collect()],
            Order::Random => Vec::new(),
        };
        for index in orders.len()..count {
            let mut order: Vec<usize> = (0..n).collect();
            Random::new(run.seed, Purpose::Order, index as u64).shuffle(&mut order);
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
        Ok(orders)
    }
}

/// The attributes by falling sum of I(X_i; X_j) over all others; of equals, the first.
fn by_information(rows: &Table, run: &Run<'_>) -> Result<Vec<usize>> {
    let n = rows.columns() - 1;
    let data = Source::Memory(rows.view());
    let mut sums = vec![0.0; n];
    for i in 0..n {
        // One attribute's pairs at a time, to bound the memory of the pass.
        let with = |j: usize| Family { child: j, parents: vec![i] };
        let pass = CountFamilies::new(&data, (i + 1..n).map(with).collect(), None)?;
        for (j, table) in (i + 1..n).zip(run_pass(&data, &pass, run)?) {
            let information = pair_information(&table);
            sums[i] += information;
            sums[j] += information;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&x, &y| sums[y].total_cmp(&sums[x]));
    Ok(order)
}
