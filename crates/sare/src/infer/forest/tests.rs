use super::*;
use crate::num::tolerance::close;
use crate::num::{log_sum_exp, normalise_logs};
use crate::seed::{Purpose, Random};

/// A random forest whose attributes have 2 or 3 states; some tables hold zeros.
fn random_forest(attributes: usize, classes: usize, random: &mut Random) -> Forest {
    let states: Vec<usize> = (0..attributes).map(|_| 2 + random.below(2)).collect();
    let mut names: Vec<usize> = (0..attributes).collect();
    random.shuffle(&mut names);
    let mut parents = vec![None; attributes];
    for place in 1..attributes {
        if random.uniform() < 0.85 {
            parents[names[place]] = Some(names[random.below(place)]);
        }
    }
    let mut table = |v: usize| {
        let configurations = parents[v].map_or(1, |p: usize| states[p]);
        let mut table = vec![0.0; configurations * states[v] * classes];
        for row in 0..configurations * classes {
            let (parent, class) = (row / classes, row % classes);
            for (x, p) in random.dirichlet(states[v], 0.7).into_iter().enumerate() {
                table[(parent * states[v] + x) * classes + class] = p;
            }
        }
        table
    };
    let tables = (0..attributes).map(&mut table).collect();
    Forest::new(classes, states.clone(), parents, tables)
}

/// Every completion of a row with its ln p given a class.
fn completions(forest: &Forest, row: &[Option<usize>], class: usize) -> Vec<(Vec<usize>, f64)> {
    let mut all = vec![Vec::new()];
    for v in 0..row.len() {
        let states = forest.possible(v, row);
        let longer = |row: &Vec<usize>| -> Vec<Vec<usize>> {
            states.clone().map(|x| [&row[..], &[x]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let log = |row: &Vec<usize>| -> f64 {
        let entry = |v: usize| {
            let parent = forest.parents[v].map_or(0, |p| row[p]);
            ln_or_floor(forest.entry(v, parent, row[v], &(class..class + 1))[0])
        };
        (0..row.len()).map(entry).sum()
    };
    all.into_iter().map(|row| (log(&row), row)).map(|(ln, row)| (row, ln)).collect()
}

/// Scores, the distribution of every missing cell and of every two, for all classes and for some of them.
#[test]
fn messages_say_what_all_completions_say() {
    let (mut room, mut beliefs) = (Messages::default(), Beliefs::default());
    for seed in 0..40 {
        let mut random = Random::new(seed, Purpose::Model, 77);
        let classes = 2 + random.below(3);
        let forest = random_forest(11, classes, &mut random);
        // Up to ten missing cells.
        let chance = [0.0, 0.2, 0.5, 0.8, 1.0][seed as usize % 5];
        let mut cell =
            |v: usize| Some(random.below(forest.states[v])).filter(|_| random.uniform() >= chance);
        let mut row: Vec<Option<usize>> = (0..11).map(&mut cell).collect();
        row[seed as usize % 11].get_or_insert(1);
        let range = if seed % 3 == 0 { 1..2 } else { 0..classes };
        let mut scores = vec![0.25; range.len()];
        forest.add_row(&row, &range, &mut room, &mut scores);
        forest.believe(&row, &range, &mut room, &mut beliefs);
        assert_eq!(beliefs.missing.len(), row.iter().filter(|x| x.is_none()).count());
        for (k, class) in range.clone().enumerate() {
            let all = completions(&forest, &row, class);
            let mut weights: Vec<f64> = all.iter().map(|(_, ln)| *ln).collect();
            let total = log_sum_exp(&weights);
            assert!(close(scores[k], 0.25 + total, 1e-10), "{} {total}", scores[k]);
            normalise_logs(&mut weights);
            let sum = |fits: &dyn Fn(&[usize]) -> bool| -> f64 {
                all.iter().zip(&weights).filter(|((row, _), _)| fits(row)).map(|(_, w)| w).sum()
            };
            for (j, &b) in beliefs.missing.iter().enumerate() {
                for y in 0..forest.states[b] {
                    let ours = beliefs.singles[j][y * range.len() + k];
                    assert!((ours - sum(&|row| row[b] == y)).abs() < 1e-10);
                    for (i, &a) in beliefs.missing[..j].iter().enumerate() {
                        for x in 0..forest.states[a] {
                            let cell = x * forest.states[b] + y;
                            let ours = beliefs.pair(i, j)[cell * range.len() + k];
                            let wanted = sum(&|row| row[a] == x && row[b] == y);
                            assert!((ours - wanted).abs() < 1e-10, "{ours} {wanted}");
                        }
                    }
                }
            }
        }
    }
}

/// Hundreds of improbable cells under one missing attribute underflow nothing, and impossible ones stay finite.
#[test]
fn stars_and_impossible_rows_stay_finite() {
    let attributes = 600;
    let parents: Vec<Option<usize>> = (0..attributes).map(|v| (v > 0).then_some(0)).collect();
    for p in [1e-3, 0.0] {
        let mut tables = vec![vec![p, 1.0 - p, 1.0 - p, p]; attributes];
        tables[0] = vec![0.5, 0.5];
        let forest = Forest::new(1, vec![2; attributes], parents.clone(), tables);
        let mut row = vec![Some(0); attributes];
        row[0] = None;
        let mut score = [0.0];
        forest.add_row(&row, &(0..1), &mut Messages::default(), &mut score);
        // Under the parent's second state every other cell is probable.
        let wanted = 599.0 * (1.0 - p).ln() + 0.5f64.ln();
        assert!(close(score[0], wanted, 1e-10), "{} {wanted}", score[0]);
        row[1] = Some(1);
        row[2] = Some(1);
        score = [0.0];
        forest.add_row(&row, &(0..1), &mut Messages::default(), &mut score);
        assert!(score[0].is_finite() && (p > 0.0 || score[0] <= -1e8), "{}", score[0]);
    }
}
