//! Missing cells do not ruin a learner that models dependence, and no row ends a run.

use sare::classify::Learner;
use sare::cluster::Clusterer;
use sare::data::removal::remove_cells_by;
use sare::data::{Cells, Field, Table};
use sare::evaluate::{Options, Scheme, evaluate};
use sare::registry;
use sare::run::Run;
use sare::seed::{Purpose, Random};

/// Pairs of columns of which neither alone, but both together tell the class: the second is the first, turned by the class,
/// but for some noise. The class is the last column.
fn pairs_by_class(pairs: usize, rows: usize, seed: u64) -> Table {
    let mut random = Random::new(seed, Purpose::Sample, 5);
    let mut columns = vec![Vec::new(); 2 * pairs + 1];
    for _ in 0..rows {
        let class = random.below(2);
        for pair in 0..pairs {
            let first = random.below(3);
            let turned =
                if random.uniform() < 0.35 { random.below(3) } else { (first + class) % 3 };
            columns[2 * pair].push(Some(first));
            columns[2 * pair + 1].push(Some(turned));
        }
        columns[2 * pairs].push(Some(class));
    }
    let column = |(c, codes): (usize, Vec<Option<usize>>)| {
        let states = if c == 2 * pairs { 2 } else { 3 };
        let field = Field::discrete(format!("x{c}"), (0..states).map(|l| l.to_string()));
        (field, Cells::from_codes(codes, states))
    };
    Table::new("pairs", columns.into_iter().enumerate().map(column).collect()).unwrap()
}

fn learner(structure: &str, parameters: &str) -> Learner {
    Learner {
        structure: registry::structure(structure).unwrap(),
        parameters: registry::parameters(parameters).unwrap(),
        ..Learner::default()
    }
}

/// The accuracy on whole rows of a model learnt from others.
fn accuracy(structure: &str, parameters: &str, train: &Table, test: &Table) -> f64 {
    let class = &train.field(train.columns() - 1).name;
    let learner = learner(structure, parameters);
    let model = learner.fit(train.view(), class, &Run::default()).unwrap();
    let posteriors = model.predict(test, &Run::default()).unwrap().posteriors;
    let truth = test.cells(test.columns() - 1);
    let right = |r: &usize| {
        let best = posteriors.row(*r).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.map(|(c, _)| c) == truth.code(*r)
    };
    (0..test.rows()).filter(right).count() as f64 / test.rows() as f64
}

/// Cells are lost where another column, which is seen, says so: of 900 rows some twenty are whole, and by these alone no
/// structure could be told from another.
#[test]
fn averages_learn_as_well_as_from_whole_rows() {
    let (train, test) = (pairs_by_class(8, 900, 1), pairs_by_class(8, 2000, 2));
    let level = |r: usize, c: usize| train.cells(c).code(r).unwrap();
    let holed = remove_cells_by(&train, 3, |r, c| match c {
        16 => 0.0,
        c if c % 2 == 1 => [0.1, 0.35, 0.6][level(r, c - 1)],
        _ => 0.0,
    });
    let whole = |r: &usize| (0..16).all(|c| holed.cells(c).code(*r).is_some());
    assert!((0..900).filter(whole).count() < 60, "{}", (0..900).filter(whole).count());
    let tan = accuracy("tan", "em", &holed, &test);
    for average in ["averaged-tan", "averaged-trees"] {
        let (full, some) = (
            accuracy(average, "laplace", &train, &test),
            accuracy(average, "laplace", &holed, &test),
        );
        assert!(full > 0.9, "{average}: {full}");
        assert!(some > full - 0.02 && some > tan - 0.02, "{average}: {some} of {full}, tan {tan}");
    }
}

/// One column of which a third is missing and one row of which nearly all is: every method goes through.
#[test]
fn a_row_of_twenty_missing_cells_ends_no_run() {
    let table = pairs_by_class(11, 120, 4);
    let extra = (Field::discrete("extra", ["u", "v"]), (0..120).map(|r| Some(r % 2)));
    let mut columns: Vec<(Field, Cells)> =
        (0..22).map(|c| (table.field(c).clone(), table.cells(c).clone())).collect();
    columns.push((extra.0, Cells::from_codes(extra.1, 2)));
    columns.push((table.field(22).clone(), table.cells(22).clone()));
    let table = Table::new("wide", columns).unwrap();
    let holed = remove_cells_by(&table, 5, |r, c| match (r, c) {
        (7, c) if c < 20 => 1.0,
        (_, 4) => 0.3,
        _ => 0.0,
    });
    let run = Run::with_seed(1);
    for structure in ["averaged-tan", "averaged-trees", "tan", "aode", "averaged-nb"] {
        let learner = learner(structure, "laplace");
        let options = Options::default();
        let found = evaluate(&learner, &holed, "x22", Scheme::folds(3), &options, &run).unwrap();
        assert!(found.accuracy().mean > 0.4, "{structure}");
    }
    let rows = holed.select(&(0..23).collect::<Vec<usize>>());
    for method in ["em-tan", "ema-tan", "ema-trees", "structural-em", "em", "ema"] {
        let method = registry::clusterer(method).unwrap();
        let form = method.form();
        let clusterer = Clusterer { method, clusters: 2, starts: 2, ..Clusterer::default() };
        let found = clusterer.find(rows.view(), &run).unwrap_or_else(|e| panic!("{form}: {e}"));
        let of = |c: usize| found.memberships[2 * 7 + c];
        assert!((of(0) + of(1) - 1.0).abs() < 1e-9, "{form}");
    }
}
