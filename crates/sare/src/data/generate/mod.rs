//! Known data sets made from their rules, so that no file is needed to try a learner on them.
//!
//! A set that is a list of rows is made whole, in the row order of the copies in circulation where there is one, or
//! sampled with replacement. A set that is a distribution can only be sampled.

mod board;
mod logic;
mod nursery;
mod waveform;

use super::schema::Field;
use super::table::{Cells, Table};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Random};

/// The name of the class column, which is always the last.
const CLASS: &str = "class";

/// A data set that [`rule`] can make.
#[derive(Clone, Copy, Debug)]
pub struct KnownSet {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// How many rows the whole set has; `None` if it can only be sampled.
    pub natural_rows: Option<usize>,
    // Kept beside the description, so that no listed set can lack its maker.
    make: Make,
}

#[derive(Clone, Copy, Debug)]
enum Make {
    /// Lists the whole set.
    Listed(fn() -> Table),
    /// Draws rows; the number is drawn when none is asked for.
    Drawn(fn(usize, &mut Random) -> Table, usize),
}

/// The sets that [`rule`] can make.
pub const RULES: &[KnownSet] = &[
    KnownSet {
        name: "corral",
        help: "(A0 and A1) or (B0 and B1), with an irrelevant and a 75 % correlated attribute",
        natural_rows: Some(128),
        make: Make::Listed(logic::corral),
    },
    KnownSet {
        name: "mofn-3-7-10",
        help: "at least 3 of 7 bits are set; 3 more bits are irrelevant",
        natural_rows: Some(1024),
        make: Make::Listed(logic::mofn),
    },
    KnownSet {
        name: "monk1",
        help: "first monk's problem: a1 = a2 or a5 = 1",
        natural_rows: Some(432),
        make: Make::Listed(logic::monk1),
    },
    KnownSet {
        name: "monk2",
        help: "second monk's problem: exactly two of the six attributes are 1",
        natural_rows: Some(432),
        make: Make::Listed(logic::monk2),
    },
    KnownSet {
        name: "monk3",
        help: "third monk's problem, without noise: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3)",
        natural_rows: Some(432),
        make: Make::Listed(logic::monk3),
    },
    KnownSet {
        name: "tic-tac-toe",
        help: "every board on which a game that x starts can end; positive if x has won",
        natural_rows: Some(958),
        make: Make::Listed(board::tic_tac_toe),
    },
    KnownSet {
        name: "nursery",
        help: "every application to a nursery school and how it is ranked",
        natural_rows: Some(12_960),
        make: Make::Listed(nursery::nursery),
    },
    KnownSet {
        name: "waveform-21",
        help: "Breiman's three classes of noisy waves at 21 points; 5000 rows unless said otherwise",
        natural_rows: None,
        make: Make::Drawn(waveform::waveform, 5000),
    },
];

/// Makes the known set `name`: the whole of it, or `rows` rows drawn at random with replacement.
///
/// A set that is a distribution has no whole; without `rows` a customary number is drawn. `seed` matters only where
/// rows are drawn. Fails if no set has the name or more rows are asked for than a 32-bit row number can tell apart.
pub fn rule(name: &str, rows: Option<usize>, seed: u64) -> Result<Table> {
    let known = RULES
        .iter()
        .find(|set| set.name == name)
        .ok_or_else(|| Error::unknown("known set", name, RULES.iter().map(|set| set.name)))?;
    if let Some(asked) = rows.filter(|&asked| u32::try_from(asked).is_err()) {
        return Err(Error::data(
            name,
            format!("{asked} rows were asked for, but a table has at most {}", u32::MAX),
            "ask for fewer",
        ));
    }
    let mut random = Random::new(seed, Purpose::Sample, 0);
    Ok(match (known.make, rows) {
        (Make::Listed(list), None) => list(),
        (Make::Listed(list), Some(rows)) => sample(&list(), rows, &mut random),
        (Make::Drawn(draw, default), rows) => draw(rows.unwrap_or(default), &mut random),
    })
}

/// Rows of `whole`, drawn with replacement.
fn sample(whole: &Table, rows: usize, random: &mut Random) -> Table {
    let picks: Vec<u32> = (0..rows).map(|_| random.below(whole.rows()) as u32).collect();
    whole.gather(&picks)
}

/// Every combination of codes of attributes with these numbers of states; the last attribute varies fastest.
fn combinations(states: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (0..states.iter().product::<usize>()).map(move |mut rest| {
        let mut codes = vec![0; states.len()];
        for (code, &n) in codes.iter_mut().zip(states).rev() {
            *code = rest % n;
            rest /= n;
        }
        codes
    })
}

/// The table with every combination of the attributes, each labelled by `class_of`.
fn labelled_grid(
    name: &str,
    mut fields: Vec<Field>,
    classes: &[&str],
    class_of: impl Fn(&[usize]) -> usize,
) -> Table {
    let states: Vec<usize> = fields.iter().map(Field::states).collect();
    let label = |mut row: Vec<usize>| {
        row.push(class_of(&row));
        row
    };
    let rows: Vec<Vec<usize>> = combinations(&states).map(label).collect();
    fields.push(Field::discrete(CLASS, classes.iter().copied()));
    discrete_table(name, fields, &rows)
}

/// The table of these rows of codes, one code a field.
fn discrete_table(name: &str, fields: Vec<Field>, rows: &[Vec<usize>]) -> Table {
    let column = |(i, field): (usize, Field)| {
        let cells = Cells::from_codes(rows.iter().map(|row| Some(row[i])), field.states());
        (field, cells)
    };
    Table::new(name, fields.into_iter().enumerate().map(column).collect())
        .expect("the fields are constants of distinct names and the rules give only their codes")
}

#[cfg(test)]
mod tests;
