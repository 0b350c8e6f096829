//! What several test files need.
#![allow(dead_code, reason = "no test file uses all of it")]

pub mod averages;

use sare::data::{Cells, Field, Table};
use sare::seed::{Purpose, Random};

/// A table with discrete and continuous columns, missing cells and a class that depends on them.
pub fn mixed_table(rows: usize, seed: u64) -> Table {
    let mut random = Random::new(seed, Purpose::Sample, 99);
    let classes: Vec<usize> = (0..rows).map(|_| random.categorical(&[0.5, 0.3, 0.2])).collect();
    let mut columns = Vec::new();
    for (c, states) in [2usize, 3, 4, 7].into_iter().enumerate() {
        let codes: Vec<Option<usize>> = classes
            .iter()
            .map(|&class| {
                let noise = random.below(states);
                let code = if random.uniform() < 0.4 { (class + c) % states } else { noise };
                (random.uniform() > 0.1).then_some(code)
            })
            .collect();
        let levels = (0..states).map(|s| format!("level {s}"));
        columns.push((Field::discrete(format!("d{c}"), levels), Cells::from_codes(codes, states)));
    }
    for c in 0..2 {
        let numbers = classes
            .iter()
            .map(|&class| {
                let x = random.normal() + class as f64 * (1.0 + c as f64);
                if random.uniform() > 0.1 { x } else { f64::NAN }
            })
            .collect();
        columns.push((Field::continuous(format!("n{c}")), Cells::from_numbers(numbers)));
    }
    let class = Cells::from_codes(classes.into_iter().map(Some), 3);
    columns.push((Field::discrete("class", ["calm", "rain", "storm"]), class));
    Table::new("mixed", columns).expect("the columns fit together")
}

/// The same table with its rows in another order.
pub fn shuffled(table: &Table, seed: u64) -> (Table, Vec<u32>) {
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    Random::new(seed, Purpose::Sample, 98).shuffle(&mut order);
    (table.gather(&order), order)
}

/// The table as columns that can be put together anew.
pub fn columns(table: &Table) -> Vec<(Field, Cells)> {
    (0..table.columns()).map(|c| (table.field(c).clone(), table.cells(c).clone())).collect()
}
