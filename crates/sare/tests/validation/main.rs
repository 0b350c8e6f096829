//! What a figure is made of: whole results only, cases and not table rows, decisions that rounding does not take.

mod stops;
mod ties;
mod weights;

use sare::classify::Learner;
use sare::data::{Cells, Field, Table};
use sare::evaluate::{Evaluation, Options, Scheme, evaluate};
use sare::registry;
use sare::run::Run;
use sare::seed::{Purpose, Random};

fn learner(structure: &str, parameters: &str) -> Learner {
    Learner {
        structure: registry::structure(structure).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    }
}

fn evaluated(learner: &Learner, table: &Table, scheme: Scheme) -> Evaluation {
    let run = Run::with_seed(5);
    evaluate(learner, table, "class", scheme, &Options::default(), &run).unwrap()
}

/// A column of codes, named by its number; the last is the class.
fn column(name: &str, states: usize, codes: &[Option<usize>]) -> (Field, Cells) {
    let levels: Vec<String> = (0..states).map(|l| format!("{name}{l}")).collect();
    (Field::discrete(name, levels), Cells::from_codes(codes.iter().copied(), states))
}

/// Rows of two columns of levels, one of few numbers, and a class of three that they depend on; many rows are equal.
fn grouped_table(rows: usize, seed: u64, holes: bool) -> Table {
    let mut random = Random::new(seed, Purpose::Sample, 31);
    let classes: Vec<usize> = (0..rows).map(|_| random.categorical(&[0.5, 0.3, 0.2])).collect();
    let of = |states: usize, random: &mut Random| -> Vec<Option<usize>> {
        let code = |&class: &usize| {
            let own = if random.uniform() < 0.5 { class % states } else { random.below(states) };
            (!holes || random.below(8) > 0).then_some(own)
        };
        classes.iter().map(code).collect()
    };
    let (a, b, n) = (of(3, &mut random), of(2, &mut random), of(5, &mut random));
    let numbers = n.iter().map(|c| c.map_or(f64::NAN, |c| 0.5 * c as f64 - 1.0)).collect();
    let class: Vec<Option<usize>> = classes.into_iter().map(Some).collect();
    Table::new(
        "grouped",
        vec![
            column("a", 3, &a),
            column("b", 2, &b),
            (Field::continuous("n"), Cells::from_numbers(numbers)),
            column("class", 3, &class),
        ],
    )
    .unwrap()
}
