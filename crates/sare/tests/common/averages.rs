//! What the tests of averages need.

use sare::average::order::{OrderAverage, OrderWeights};
use sare::average::super_parents::SuperParents;
use sare::average::trees::TreeAverage;
use sare::average::{Average, Model, PairModel};
use sare::data::{Cells, Field, Source, Table};
use sare::parameters::dirichlet::Prior;
use sare::run::{Outcome, Run};
use sare::seed::{Purpose, Random};

/// Rows of attributes that depend on the class and on each other, the class last; `noise` is the share of cells drawn
/// at random.
pub fn table(states: &[usize], classes: usize, rows: usize, noise: f64, seed: u64) -> Table {
    let mut random = Random::new(seed, Purpose::Sample, 0);
    let mut columns: Vec<Vec<Option<usize>>> = vec![Vec::new(); states.len() + 1];
    for _ in 0..rows {
        let class = random.below(classes);
        let mut before = class;
        for (v, &s) in states.iter().enumerate() {
            let own = if v % 3 == 2 { before } else { before + class };
            let x = if random.uniform() < noise { random.below(s) } else { own % s };
            columns[v].push(Some(x));
            before = x;
        }
        columns[states.len()].push(Some(class));
    }
    of_codes(columns, states, classes)
}

/// A table of these codes, the class last.
pub fn of_codes(columns: Vec<Vec<Option<usize>>>, states: &[usize], classes: usize) -> Table {
    let all = states.iter().chain([&classes]);
    let column = |(v, (codes, &s)): (usize, (Vec<Option<usize>>, &usize))| {
        let field = Field::discrete(format!("x{v}"), (0..s).map(|l| l.to_string()));
        (field, Cells::from_codes(codes, s))
    };
    Table::new("rows", columns.into_iter().zip(all).enumerate().map(column).collect()).unwrap()
}

/// The same rows with holes in the attributes: cell (r, v) goes where `holed(r, v)`.
pub fn holed(table: &Table, holed: impl Fn(usize, usize) -> bool) -> Table {
    let states: Vec<usize> = (0..table.columns()).map(|c| table.field(c).states()).collect();
    let class = states.len() - 1;
    let column = |v: usize| {
        let keep = |r: usize| v == class || !holed(r, v);
        (0..table.rows()).map(|r| table.cells(v).code(r).filter(|_| keep(r))).collect()
    };
    of_codes((0..=class).map(column).collect(), &states[..class], states[class])
}

/// Learns from all rows of a table.
pub fn fit(average: &dyn Average, prior: Prior, table: &Table) -> (Model, Outcome) {
    average.learn(prior, &Source::Memory(table.view()), &Run::default()).unwrap()
}

/// The model of pairs, which all averages but that of naive Bayes are.
pub fn pairs(model: Model) -> PairModel {
    match model {
        Model::Pairs(model) => model,
        Model::Network(_) => panic!("a network"),
    }
}

/// ln p(class, attributes) of every row and class.
pub fn logs(model: &PairModel, table: &Table) -> Vec<f64> {
    model.log_joints(table.view(), &Run::default())
}

/// One of every average that is made of pairs.
pub fn learners() -> [Box<dyn Average>; 4] {
    [
        Box::new(SuperParents { least: 0 }),
        Box::new(OrderAverage { orders: 1, weights: OrderWeights::Evidence }),
        Box::new(OrderAverage { orders: 4, weights: OrderWeights::Uniform }),
        Box::new(TreeAverage::default()),
    ]
}
