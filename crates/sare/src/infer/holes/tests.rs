use super::*;
use crate::infer::density::{LogTables, log_families};
use crate::network::Network;
use crate::network::random::{Form, RandomNetwork};
use crate::num::log_sum_exp;
use crate::num::tolerance::close;
use crate::seed::{Purpose, Random};

const ATTRIBUTES: usize = 6;
const STATES: usize = 3;
const CLASSES: usize = 3;

/// ln p(class, row) of every completion of a row that is possible in the class, with the completion.
fn completions(network: &Network, row: &[Option<usize>], class: usize) -> Vec<(Vec<usize>, f64)> {
    let all = (0..STATES.pow(ATTRIBUTES as u32)).map(|mut code| {
        let mut whole: Vec<usize> = Vec::new();
        for _ in 0..ATTRIBUTES {
            whole.push(code % STATES);
            code /= STATES;
        }
        whole
    });
    let agrees = |whole: &Vec<usize>| row.iter().zip(whole).all(|(r, w)| r.is_none_or(|r| r == *w));
    all.filter(agrees)
        .map(|mut whole| {
            whole.push(class);
            let log = network.log_probability(&whole);
            (whole, log)
        })
        .collect()
}

/// Rows of every number of missing cells, each followed by one with the same holes and other states.
fn rows() -> Vec<Vec<Option<usize>>> {
    let mut random = Random::new(3, Purpose::Holes, 9);
    let mut row = |chance: f64| {
        let cell = |random: &mut Random| {
            let state = random.below(STATES);
            (random.uniform() >= chance).then_some(state)
        };
        (0..ATTRIBUTES).map(|_| cell(&mut random)).collect()
    };
    let other =
        |row: &Vec<Option<usize>>| row.iter().map(|x| x.map(|x| (x + 1) % STATES)).collect();
    let rows: Vec<Vec<Option<usize>>> =
        [0.0, 0.3, 0.5, 0.7, 0.9, 1.0].into_iter().flat_map(|c| [row(c), row(c)]).collect();
    rows.into_iter().flat_map(|row| [other(&row), row]).collect()
}

#[test]
fn scores_and_expectations_are_those_of_all_completions() {
    let forms = [Form::Tan, Form::Network(2), Form::Network(4)];
    for (form, seed) in forms.into_iter().flat_map(|f| (0..4).map(move |seed| (f, seed))) {
        let (states, classes) = (STATES, CLASSES);
        let random = RandomNetwork { form, attributes: ATTRIBUTES, states, classes, alpha: 0.7 };
        let network = random.draw(seed).unwrap();
        let tables = LogTables::new(&network);
        if tables.dependent.is_empty() {
            continue;
        }
        let elimination = tables.elimination();
        let mut room = RowRoom::default();
        for row in rows() {
            let mut scores = tables.prior.clone();
            elimination.add_row(&row, 0..CLASSES, &mut room, &mut scores);
            let mut expected = vec![Vec::new(); elimination.families.len()];
            elimination.expect_row(&row, &mut room, &mut |family, cell, p| {
                expected[family].push((cell, p.to_vec()));
            });
            for (class, &score) in scores.iter().enumerate() {
                let whole = completions(&network, &row, class);
                let total = log_sum_exp(&whole.iter().map(|(_, l)| *l).collect::<Vec<_>>());
                assert!(close(score, total, 1e-10), "{score} {total}");
                for (family, cells) in log_families(&network).0.iter().zip(&expected) {
                    check_family(family, cells, &whole, total, class);
                }
                // One class alone is the same as that class among all.
                let mut own = [tables.prior[class]];
                elimination.add_row(&row, class..class + 1, &mut room, &mut own);
                assert!(close(own[0], total, 1e-10));
                elimination.expect_row(&row, &mut room, &mut |family, cell, p| {
                    let among = expected[family].iter().find(|(c, _)| *c == cell).unwrap();
                    assert!((among.1[class] - p[0]).abs() < 1e-10 && p.len() == 1);
                });
            }
        }
    }
}

/// Whole rows are drawn as often as they are probable, among them attributes with nothing seen below.
#[test]
fn draws_are_those_of_all_completions() {
    const DRAWS: usize = 3000;
    for (seed, form) in [Form::Tan, Form::Network(3), Form::Network(3)].into_iter().enumerate() {
        let (states, classes) = (STATES, CLASSES);
        let random = RandomNetwork { form, attributes: ATTRIBUTES, states, classes, alpha: 0.7 };
        let network = random.draw(seed as u64).unwrap();
        let tables = LogTables::new(&network);
        for row in rows().into_iter().step_by(3) {
            let missing: Vec<usize> = (0..ATTRIBUTES).filter(|&v| row[v].is_none()).collect();
            if missing.is_empty() {
                continue;
            }
            let mut random = Random::new(8, Purpose::Completion, seed as u64);
            let drawn = tables.draw_missing(&network, &row, DRAWS, &mut random);
            let drawn: Vec<&[u16]> = drawn.chunks_exact(missing.len()).collect();
            assert_eq!(drawn.len(), CLASSES * DRAWS);
            for class in 0..CLASSES {
                let whole = completions(&network, &row, class);
                let total = log_sum_exp(&whole.iter().map(|(_, l)| *l).collect::<Vec<_>>());
                let own = &drawn[class * DRAWS..][..DRAWS];
                for (i, &a) in missing.iter().enumerate() {
                    for (j, &b) in missing[..=i].iter().enumerate() {
                        let fits =
                            |row: &[usize]| (row[a], row[b]) == (1, 2) || (i == j && row[a] == 1);
                        let p: f64 = whole
                            .iter()
                            .filter(|(row, _)| fits(row))
                            .map(|(_, l)| (l - total).exp())
                            .sum();
                        let ours = |d: &&&[u16]| (d[i], d[j]) == (1, 2) || (i == j && d[i] == 1);
                        let share = own.iter().filter(ours).count() as f64 / DRAWS as f64;
                        let error = (p * (1.0 - p) / DRAWS as f64).sqrt();
                        assert!((share - p).abs() <= 5.0 * error + 1e-9, "{share} {p}");
                    }
                }
            }
        }
    }
}

/// The expected cells of a family against the share of completions with each; a family that was not visited says
/// nothing, and one that was says all.
fn check_family(
    family: &LogFamily,
    cells: &[(usize, Vec<f64>)],
    whole: &[(Vec<usize>, f64)],
    total: f64,
    class: usize,
) {
    if cells.is_empty() {
        return;
    }
    let cell_of = |row: &[usize]| family.members.iter().fold(0, |cell, &m| cell * STATES + row[m]);
    for (cell, p) in cells {
        let of_cell = whole.iter().filter(|(row, _)| cell_of(row) == *cell);
        let share: f64 = of_cell.map(|(_, l)| (l - total).exp()).sum();
        assert!((p[class] - share).abs() < 1e-10, "{} {share}", p[class]);
    }
    assert!((cells.iter().map(|(_, p)| p[class]).sum::<f64>() - 1.0).abs() < 1e-10);
}

#[test]
fn long_chains_do_not_underflow() {
    // A chain of 2,000 attributes of which every second is missing, each copying the one before with probability 1e-3.
    let length = 2000;
    let family = |v: usize| {
        let members = if v == 0 { vec![0] } else { vec![v - 1, v] };
        let mut table = FamilyTable::zeros(if v == 0 { 1 } else { 2 }, 2, 1);
        for j in 0..if v == 0 { 1 } else { 2 } {
            for k in 0..2 {
                let p: f64 = if v == 0 {
                    0.5
                } else if j == k {
                    1e-3
                } else {
                    1.0 - 1e-3
                };
                *table.at_mut(j, k, 0) = p.ln();
            }
        }
        LogFamily { members, child: Some(v), table: Arc::new(table) }
    };
    let families: Vec<LogFamily> = (0..length).map(family).collect();
    let entries: Vec<Vec<f64>> =
        families.iter().map(|f| f.table.values().iter().map(|l| l.exp()).collect()).collect();
    let (states, order) = (vec![2; length], (0..length).collect::<Vec<_>>());
    let elimination =
        Elimination { families: &families, entries: &entries, states: &states, order: &order };
    // Two steps from a state to the other: one of them copied.
    let row: Vec<Option<usize>> = (0..length).map(|v| (v % 2 == 0).then_some(v / 2 % 2)).collect();
    let mut scores = [0.0];
    elimination.add_row(&row, 0..1, &mut RowRoom::default(), &mut scores);
    let steps = (length / 2 - 1) as f64;
    let expected = 0.5f64.ln() + steps * (2.0 * 1e-3 * (1.0 - 1e-3f64)).ln();
    assert!(close(scores[0], expected, 1e-12), "{} {expected}", scores[0]);
}
