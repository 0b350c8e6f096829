//! How cases are split into training and test. A row whose weight is a whole number stands for as many cases.

use crate::data::cases::{Cases, Dealt};
use crate::data::notes::{About, Note, listed};
use crate::data::split::{Part, Split};
use crate::data::{Table, View};
use crate::error::{Error, Result};
use crate::seed::{Purpose, Random};

/// More repetitions than this are a slip of the finger.
const MOST_REPEATS: usize = 1_000_000;

/// A way to part rows into training and test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scheme {
    /// Tested on the rows it was learnt from.
    Resubstitution,
    /// Every row is tested once a repetition, by a model learnt from the other folds.
    Folds {
        /// How many folds.
        count: usize,
        /// How often the rows are dealt anew.
        repeats: usize,
        /// Whether each class is spread evenly over the folds.
        stratified: bool,
    },
    /// Every row is tested by a model learnt from all others.
    LeaveOneOut,
    /// A random part is tested by a model learnt from the rest.
    HoldOut {
        /// The share that is tested.
        share: f64,
        /// How often.
        repeats: usize,
    },
    /// The first rows are learnt from, the others tested.
    FirstRows(
        /// How many.
        usize,
    ),
    /// Efron's .632: learnt from rows drawn with replacement, tested on those not drawn, and mixed with resubstitution.
    Bootstrap {
        /// How many times rows are drawn.
        repeats: usize,
    },
}

impl Scheme {
    /// Stratified folds, dealt once.
    pub fn folds(count: usize) -> Scheme {
        Scheme::Folds { count, repeats: 1, stratified: true }
    }

    /// Five repetitions of two folds.
    pub fn five_by_two() -> Scheme {
        Scheme::Folds { count: 2, repeats: 5, stratified: true }
    }

    /// The scheme in words.
    pub fn words(&self) -> String {
        let times = |n: usize| if n == 1 { String::new() } else { format!("{n} times ") };
        match *self {
            Scheme::Resubstitution => "resubstitution (tested on the training rows)".into(),
            Scheme::Folds { count, repeats, stratified } => {
                let kind = if stratified { "stratified" } else { "unstratified" };
                format!("{}{kind} {count}-fold cross-validation", times(repeats))
            }
            Scheme::LeaveOneOut => "leave-one-out".into(),
            Scheme::HoldOut { share, repeats } => {
                format!("{}hold-out of {} %", times(repeats), (100.0 * share * 1e4).round() / 1e4)
            }
            Scheme::FirstRows(rows) => format!("learnt from the first {rows} rows"),
            Scheme::Bootstrap { repeats } => format!(".632 bootstrap of {repeats} samples"),
        }
    }

    /// The split that is tested on its own training rows and mixed with the others.
    pub fn resubstitution(&self) -> Option<usize> {
        match *self {
            Scheme::Bootstrap { repeats } => Some(repeats),
            _ => None,
        }
    }

    /// Test rows to training rows, where the parts overlap between splits: what the corrected t test needs.
    pub fn test_to_train(&self) -> Option<f64> {
        match *self {
            Scheme::Folds { count, .. } => Some(1.0 / (count as f64 - 1.0)),
            Scheme::HoldOut { share, .. } => Some(share / (1.0 - share)),
            Scheme::Bootstrap { .. } => Some(0.368 / 0.632),
            _ => None,
        }
    }
}

/// The splits of a scheme on a table: the same for every learner, and for every order of the rows.
#[derive(Clone, Debug)]
pub struct Plan {
    scheme: Scheme,
    rows: Vec<u32>,
    /// All cases.
    whole: Part,
    /// In the order they are dealt in, where splits are drawn one by one.
    cases: Option<Cases>,
    /// One for each time they are dealt into folds.
    dealt: Vec<Dealt>,
    seed: u64,
    note: Option<Note>,
}

impl Plan {
    /// Plans the splits of the rows of known class of a table whose last column is the class.
    pub fn new(table: &Table, scheme: Scheme, seed: u64) -> Result<Plan> {
        let class = table.columns() - 1;
        let known = |row: &u32| table.cells(class).code(*row as usize).is_some();
        let rows: Vec<u32> = (0..table.rows() as u32).filter(known).collect();
        let whole = Part::of(table, rows.iter().copied());
        let note = check(table, scheme, &whole)?;
        let of = |stratify| Cases::of(View::of(table, &rows), stratify);
        let (mut cases, mut dealt) = (None, Vec::new());
        match scheme {
            Scheme::Folds { count, repeats, stratified } => {
                let cases = of(stratified.then_some(class));
                let random = |repetition| Random::new(seed, Purpose::Split, repetition);
                dealt.extend((0..repeats as u64).map(|r| cases.folds(count, &mut random(r))));
            }
            Scheme::HoldOut { .. } | Scheme::Bootstrap { .. } => cases = Some(of(None)),
            _ => {}
        }
        Ok(Plan { scheme, rows, whole, cases, dealt, seed, note })
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// What the user should know of the classes.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// The rows of known class.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// How many splits there are. Leave-one-out is one: its rows are tested one by one but judged together.
    pub fn len(&self) -> usize {
        match self.scheme {
            Scheme::Folds { count, repeats, .. } => count * repeats,
            Scheme::HoldOut { repeats, .. } => repeats,
            // The last is the resubstitution that the others are mixed with.
            Scheme::Bootstrap { repeats } => repeats + 1,
            _ => 1,
        }
    }

    /// How many of the splits, from the first on, make up one repetition.
    pub fn one_repetition(&self) -> usize {
        match self.scheme {
            Scheme::Folds { count, .. } => count,
            _ => 1,
        }
    }

    /// True if there is no split, which no plan has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One split. Of leave-one-out, the whole as both parts.
    pub fn split(&self, index: usize) -> Split {
        let whole = || Split { train: self.whole.clone(), test: self.whole.clone() };
        let mut random = Random::new(self.seed, Purpose::Split, index as u64);
        match (self.scheme, &self.cases) {
            (Scheme::Folds { count, .. }, _) => self.dealt[index / count].split(index % count),
            (Scheme::HoldOut { share, .. }, Some(cases)) => cases.hold_out(share, &mut random),
            (Scheme::FirstRows(count), _) => {
                let first = |r: u32| (r as usize) < count;
                Split {
                    train: self.whole.filtered(first),
                    test: self.whole.filtered(|r| !first(r)),
                }
            }
            (Scheme::Bootstrap { repeats }, Some(cases)) if index < repeats => {
                cases.drawn(&mut random)
            }
            _ => whole(),
        }
    }
}

/// Refuses a scheme that the cases do not allow; classes with fewer cases than folds are worth a note.
fn check(table: &Table, scheme: Scheme, whole: &Part) -> Result<Option<Note>> {
    let bad = |setting: &str, value: String, expected: String| {
        Err(Error::Setting { learner: "evaluate".into(), setting: setting.into(), value, expected })
    };
    let known = usize::try_from(whole.len()).unwrap_or(usize::MAX);
    match scheme {
        Scheme::Folds { count, .. } if count < 2 || count > known => {
            let expected = format!("from 2 to {known}, the number of cases of known class");
            bad("folds", count.to_string(), expected)
        }
        Scheme::Folds { repeats, .. }
        | Scheme::HoldOut { repeats, .. }
        | Scheme::Bootstrap { repeats }
            if !(1..=MOST_REPEATS).contains(&repeats) =>
        {
            bad("repeats", repeats.to_string(), format!("from 1 to {MOST_REPEATS}"))
        }
        Scheme::Folds { count, stratified: true, .. } => {
            let classes = Counts::of(table, whole);
            let tested = classes.tested();
            if count as u64 > tested {
                let expected =
                    format!("from 2 to {tested}, the number of cases in classes of more than one");
                return bad("folds", count.to_string(), expected);
            }
            Ok(classes.note(table, count))
        }
        Scheme::HoldOut { share, .. } if !(share > 0.0 && share < 1.0 && known > 1) => bad(
            "hold-out",
            share.to_string(),
            "above 0 and below 1, with rows on both sides".into(),
        ),
        Scheme::FirstRows(count) => {
            let train = whole.rows().partition_point(|&r| (r as usize) < count);
            if train == 0 || train == whole.rows().len() {
                let expected = format!("below {}, with rows on both sides", table.rows());
                return bad("train-first", count.to_string(), expected);
            }
            Ok(None)
        }
        _ if known < 2 => {
            let fix = "give at least two rows of known class";
            Err(Error::data(table.name(), "there are too few rows to evaluate on", fix))
        }
        _ => Ok(None),
    }
}

/// How many cases each class has.
struct Counts(Vec<u64>);

impl Counts {
    fn of(table: &Table, whole: &Part) -> Counts {
        let class = table.columns() - 1;
        let mut counts = vec![0; table.field(class).states()];
        for (place, &row) in whole.rows().iter().enumerate() {
            let code = table.cells(class).code(row as usize);
            code.into_iter().for_each(|c| counts[c] += whole.cases(place));
        }
        Counts(counts)
    }

    /// Cases that are in some fold: all but the only one of a class.
    fn tested(&self) -> u64 {
        self.0.iter().filter(|n| **n > 1).sum()
    }

    /// Names the classes that not every fold can have.
    fn note(&self, table: &Table, folds: usize) -> Option<Note> {
        let field = table.field(table.columns() - 1);
        let with_names = self.0.iter().copied().zip(field.levels());
        let mut few: Vec<(u64, &String)> =
            with_names.filter(|(n, _)| (1..folds as u64).contains(n)).collect();
        few.sort_by_key(|(n, _)| *n);
        let names: Vec<String> = few.iter().map(|(n, level)| format!("{level} ({n})")).collect();
        let alone = few.iter().any(|(n, _)| *n == 1);
        let alone = if alone { "; a single row is learnt from and never tested" } else { "" };
        let text = format!(
            "classes with fewer rows than the {folds} folds, spread as far as they go: {}{alone}",
            listed(&names)
        );
        let columns = vec![field.name.clone()];
        (!few.is_empty()).then_some(Note { about: About::RareClasses, columns, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Field};

    fn table(classes: &[usize]) -> Table {
        let x = Cells::from_numbers((0..classes.len()).map(|row| row as f64).collect());
        let class = Cells::from_codes(classes.iter().map(|&c| Some(c)), 3);
        let fields = [Field::continuous("x"), Field::discrete("class", ["u", "v", "w"])];
        Table::new("t", fields.into_iter().zip([x, class]).collect()).unwrap()
    }

    #[test]
    fn bootstrap_tests_on_what_was_not_drawn() {
        let classes: Vec<usize> = (0..1000).map(|i| i % 3).collect();
        let plan = Plan::new(&table(&classes), Scheme::Bootstrap { repeats: 4 }, 1).unwrap();
        assert_eq!(plan.len(), 5);
        for i in 0..4 {
            let split = plan.split(i);
            assert_eq!(split.train.len(), 1000);
            assert!(split.test.rows().iter().all(|r| !split.train.rows().contains(r)));
            // About 1/e of the rows are not drawn; five standard deviations.
            assert!((split.test.len() as f64 - 367.9).abs() < 5.0 * 9.9, "{}", split.test.len());
        }
        assert_ne!(plan.split(0), plan.split(1));
        assert_eq!(plan.split(4).train, plan.split(4).test);
    }

    #[test]
    fn a_small_class_is_spread_with_a_note() {
        let mut classes = vec![0; 20];
        classes.extend([1; 3]);
        classes.extend([2; 1]);
        let t = table(&classes);
        let plan = Plan::new(&t, Scheme::folds(5), 1).unwrap();
        let note = &plan.note().unwrap().text;
        assert!(note.contains("'w (1)', 'v (3)'") && note.contains("never tested"), "{note}");
        let mut tested: Vec<u32> =
            (0..5).flat_map(|i| plan.split(i).test.rows().to_vec()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..23).collect::<Vec<u32>>(), "all but the only row of its class");
        assert!((0..5).all(|i| plan.split(i).train.rows().contains(&23)));
        assert!(Plan::new(&table(&[0, 0, 1, 1]), Scheme::folds(2), 1).unwrap().note().is_none());
        // Where too few rows are left to test, that is an error.
        let error = Plan::new(&table(&[0, 0, 1, 2]), Scheme::folds(3), 1).unwrap_err().to_string();
        assert!(error.contains("from 2 to 2, the number of cases in classes"), "{error}");
    }

    #[test]
    fn repetitions_deal_anew() {
        let classes: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let plan = Plan::new(&table(&classes), Scheme::five_by_two(), 1).unwrap();
        assert_eq!(plan.len(), 10);
        assert_eq!(plan.split(0).test, plan.split(1).train);
        assert_ne!(plan.split(0), plan.split(2));
    }
}
