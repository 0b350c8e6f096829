//! Sets whose class is a short logical formula: corral, m-of-n and the monk's problems.

use super::{CLASS, combinations, discrete_table, labelled_grid};
use crate::data::schema::Field;
use crate::data::table::Table;

const BITS: [&str; 2] = ["0", "1"];

/// The 128 rows of corral (John, Kohavi and Pfleger 1994).
///
/// Each of the 32 combinations of the other attributes occurs four times: three times with `Correlated` equal to the
/// class and once unequal, hence 75 %. The copies in circulation list the 32 combinations twice with the equal value
/// and then once more with both values, and so does this.
pub(super) fn corral() -> Table {
    let names = ["A0", "A1", "B0", "B1", "Irrelevant", "Correlated", CLASS];
    let class_of = |c: &[usize]| usize::from((c[0] == 1 && c[1] == 1) || (c[2] == 1 && c[3] == 1));
    let row = |c: &[usize], correlated: usize| [c, &[correlated, class_of(c)]].concat();

    let relevant: Vec<Vec<usize>> = combinations(&[2; 5]).collect();
    let agreeing = relevant.iter().map(|c| row(c, class_of(c)));
    let both = relevant.iter().flat_map(|c| [row(c, 0), row(c, 1)]);
    let rows: Vec<Vec<usize>> = agreeing.clone().chain(agreeing).chain(both).collect();
    discrete_table("corral", names.map(|name| Field::discrete(name, BITS)).to_vec(), &rows)
}

/// All 1024 cells of mofn-3-7-10: at least 3 of the 7 bits in the middle; the first two and the last are irrelevant.
pub(super) fn mofn() -> Table {
    let fields = (0..10).map(|i| Field::discrete(format!("Bit-{i}"), BITS)).collect();
    let class_of = |c: &[usize]| usize::from(c[2..=8].iter().sum::<usize>() >= 3);
    labelled_grid("mofn-3-7-10", fields, &BITS, class_of)
}

/// The first monk's problem (Thrun and others 1991).
pub(super) fn monk1() -> Table {
    monk("monk1", |[a1, a2, _, _, a5, _]| a1 == a2 || a5 == 1)
}

/// The second monk's problem.
pub(super) fn monk2() -> Table {
    monk("monk2", |values| values.iter().filter(|&&v| v == 1).count() == 2)
}

/// The third monk's problem. The noise that its authors put into the training rows is left out.
pub(super) fn monk3() -> Table {
    monk("monk3", |[_, a2, _, a4, a5, _]| (a5 == 3 && a4 == 1) || (a5 != 4 && a2 != 3))
}

/// All 432 robots, with the class 1 where the rule holds. The rule sees the values as the papers number them, from 1.
fn monk(name: &str, holds: impl Fn([usize; 6]) -> bool) -> Table {
    const STATES: [usize; 6] = [3, 3, 2, 3, 4, 2];
    let field = |(i, &states): (usize, &usize)| {
        Field::discrete(format!("a{}", i + 1), (1..=states).map(|value| value.to_string()))
    };
    let fields = STATES.iter().enumerate().map(field).collect();
    let class_of = |codes: &[usize]| usize::from(holds(std::array::from_fn(|i| codes[i] + 1)));
    labelled_grid(name, fields, &BITS, class_of)
}
