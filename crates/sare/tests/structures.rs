//! Structures against exhaustive enumeration on small tables.

mod common;

use common::mixed_table;
use sare::classify::Learner;
use sare::data::{Cells, Discretiser, Method, Source, Table};
use sare::graph::Dag;
use sare::num::tolerance::{ROUNDING, close};
use sare::registry;
use sare::run::Run;
use sare::stats::{CountFamilies, Family, Score, run_pass};
use sare::structure::constraints::Rules;
use sare::structure::pairs::Information;

/// Complete discrete rows: six attributes and the class.
fn complete(rows: usize, seed: u64) -> Table {
    let table = mixed_table(rows, seed);
    let coded =
        Discretiser::learn(table.view(), Some(6), Method::EqualFrequency(3)).unwrap().apply(&table);
    let whole: Vec<u32> = (0..rows as u32)
        .filter(|&r| (0..7).all(|c| coded.cells(c).code(r as usize).is_some()))
        .collect();
    coded.gather(&whole)
}

fn learn(form: &str, table: &Table) -> Dag {
    let structure = registry::structure(form).unwrap();
    let rules = Rules::none(table.columns());
    structure.one().unwrap().learn(&Source::Memory(table.view()), &rules, &Run::default()).unwrap()
}

/// The score of a structure in which the class is a parent of all.
fn score_of(dag: &Dag, table: &Table, score: Score) -> f64 {
    let families: Vec<Family> = (0..6)
        .map(|child| Family { child, parents: dag.parents(child).filter(|&p| p != 6).collect() })
        .collect();
    let source = Source::Memory(table.view());
    let pass = CountFamilies::new(&source, families, Some(6)).unwrap();
    run_pass(&source, &pass, &Run::default()).unwrap().iter().map(|t| score.of(t)).sum()
}

/// Every forest over six attributes, rooted somewhere, with the class as a parent of all: each attribute takes one
/// earlier parent, or none, in some order; enumerated by parent vectors without cycles.
fn every_forest() -> Vec<Dag> {
    let mut all = Vec::new();
    for code in 0..7usize.pow(6) {
        let mut dag = Dag::new(7);
        let mut rest = code;
        let fits = (0..6).all(|child| {
            let parent = rest % 7;
            rest /= 7;
            dag.add(6, child).is_ok() && (parent == 6 || dag.add(parent, child).is_ok())
        });
        if fits {
            all.push(dag);
        }
    }
    all
}

#[test]
fn no_tree_or_forest_is_better() {
    let forests = every_forest();
    // (n + 1)^(n - 1) rooted labelled forests on n nodes.
    assert_eq!(forests.len(), 7usize.pow(5));
    let run = Run::default();
    for seed in 0..3 {
        let table = complete(400, seed);
        let best = |edges: Option<usize>, score: Score| {
            let fits = |d: &&Dag| edges.is_none_or(|e| d.arcs() == 6 + e);
            forests
                .iter()
                .filter(fits)
                .map(|d| score_of(d, &table, score))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let tan = learn("tan", &table);
        assert_eq!(tan.arcs(), 11);
        let ours = score_of(&tan, &table, Score::LogLikelihood);
        assert!(close(ours, best(Some(5), Score::LogLikelihood), ROUNDING), "{ours}");
        for edges in [0, 2, 4] {
            let fan = learn(&format!("fan:{edges}"), &table);
            assert_eq!(fan.arcs(), 6 + edges);
            let ours = score_of(&fan, &table, Score::LogLikelihood);
            assert!(close(ours, best(Some(edges), Score::LogLikelihood), ROUNDING));
        }
        let auto = score_of(&learn("fan:auto", &table), &table, Score::Bic);
        assert!(close(auto, best(None, Score::Bic), ROUNDING), "{auto}");
        // The conditional tree has the greatest sum of residuals.
        let information = Information::of(&Source::Memory(table.view()), &run).unwrap();
        let residual = |d: &Dag| -> f64 {
            let edges = (0..6).flat_map(|c| d.parents(c).filter(|&p| p != 6).map(move |p| (p, c)));
            edges.map(|(a, b)| information.pair(a, b)).map(|p| p.conditional - p.plain).sum()
        };
        let trees = forests.iter().filter(|d| d.arcs() == 11).map(residual);
        let most = trees.fold(f64::NEG_INFINITY, f64::max);
        assert!(close(residual(&learn("conditional-tan", &table)), most, ROUNDING));
        let most = forests.iter().map(residual).fold(f64::NEG_INFINITY, f64::max);
        assert!(close(residual(&learn("conditional-tan:drop", &table)), most, ROUNDING));
    }
}

#[test]
fn k_dependence_takes_the_strongest_earlier_attributes() {
    let table = complete(500, 7);
    let information = Information::of(&Source::Memory(table.view()), &Run::default()).unwrap();
    let order = information.by_relevance();
    assert!(order.windows(2).all(|w| information.with_class[w[0]] >= information.with_class[w[1]]));
    assert_eq!(learn("kdb:0", &table), learn("nb", &table));
    for k in 1..4 {
        let dag = learn(&format!("kdb:{k}"), &table);
        for (i, &child) in order.iter().enumerate() {
            let parents: Vec<usize> = dag.parents(child).filter(|&p| p != 6).collect();
            assert_eq!(parents.len(), k.min(i));
            assert!(parents.iter().all(|p| order[..i].contains(p)));
            let weakest = parents.iter().map(|&p| information.pair(child, p).conditional);
            let weakest = weakest.fold(f64::INFINITY, f64::min);
            let left = order[..i].iter().filter(|p| !parents.contains(p));
            assert!(left.map(|&p| information.pair(child, p).conditional).all(|x| x <= weakest));
        }
    }
}

/// Weighted rows go another way to the counts: a weight of 1 must change nothing, and weight 2 is the row twice.
#[test]
fn weighted_pairs_are_the_same_pairs() {
    let table = complete(200, 8);
    let rows = table.rows();
    let ones = table.clone().with_weights(vec![1.0; rows]).unwrap();
    let of = |t: &Table| Information::of(&Source::Memory(t.view()), &Run::default()).unwrap();
    let (plain, weighted) = (of(&table), of(&ones));
    assert!(plain.all().eq(weighted.all()));
    assert_eq!(plain.with_class, weighted.with_class);
}

/// Rows with holes, in networks whose attributes depend on each other: against the sum over every completion.
#[test]
fn holes_are_summed_out_exactly() {
    let table = mixed_table(300, 9);
    for form in ["tan", "fan:3", "kdb:2", "kdb:4", "conditional-tan"] {
        let learner = Learner {
            structure: registry::structure(form).unwrap(),
            discretise: Method::EqualFrequency(3),
            ..Learner::default()
        };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let network = model.network().unwrap();
        let states: Vec<usize> = (0..7).map(|v| network.states(v)).collect();
        let coded = model.bins().apply(&table);
        // More holes than the table has by itself: row r loses the attributes of the bits of r.
        let holed = Table::new(
            "holed",
            (0..7)
                .map(|c| {
                    let keep = |r: usize| c == 6 || ((r % 64) >> c) & 1 == 0;
                    let codes = (0..64).map(|r| coded.cells(c).code(r).filter(|_| keep(r)));
                    (coded.field(c).clone(), Cells::from_codes(codes, states[c]))
                })
                .collect(),
        )
        .unwrap();
        let logs = model.log_joint(holed.view(), &Run::default()).unwrap();
        let total: usize = states.iter().product();
        for r in 0..64 {
            let mut joint = [0.0; 3];
            for cell in 0..total {
                let (mut rest, mut row) = (cell, [0; 7]);
                for v in 0..7 {
                    row[v] = rest % states[v];
                    rest /= states[v];
                }
                if (0..6).all(|v| holed.cells(v).code(r).is_none_or(|c| c == row[v])) {
                    joint[row[6]] += network.log_probability(&row).exp();
                }
            }
            for (ours, p) in logs.row(r).iter().zip(joint) {
                assert!(close(*ours, p.ln(), ROUNDING), "{form}, row {r}: {ours} and {}", p.ln());
            }
        }
    }
}

/// Two hundred attributes in a chain, every second one missing: nothing underflows.
#[test]
fn long_chains_with_holes_stay_finite() {
    let rows = 50;
    let mut columns: Vec<_> = (0..200)
        .map(|c| {
            let code = |r: usize| (r * 31 + c / 2 * 17 + r * c % 7) % 3;
            let codes = (0..rows).map(|r| ((r + c) % 2 == 0).then(|| code(r)));
            let field = sare::data::Field::discrete(format!("x{c}"), ["a", "b", "c"]);
            (field, Cells::from_codes(codes, 3))
        })
        .collect();
    let class = Cells::from_codes((0..rows).map(|r| Some(r % 2)), 2);
    columns.push((sare::data::Field::discrete("class", ["u", "v"]), class));
    let table = Table::new("chain", columns).unwrap();
    for form in ["tan", "kdb:2"] {
        let structure = registry::structure(form).unwrap();
        let learner = Learner { structure, ..Learner::default() };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let posteriors = model.predict(&table, &Run::default()).unwrap().posteriors;
        for r in 0..rows {
            assert!(close(posteriors.row(r).iter().sum(), 1.0, ROUNDING), "{form}");
        }
    }
}

/// The wrapper against refitting: every step takes the attribute with the best leave-one-out accuracy, and it stops when
/// none is strictly better.
#[test]
fn the_wrapper_takes_the_best_attribute_at_every_step() {
    let table = complete(160, 11);
    let accuracy = |attributes: &[usize]| -> f64 {
        let own = |r: usize| table.cells(6).code(r).unwrap();
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let mut columns = attributes.to_vec();
        columns.push(6);
        let part = table.select(&columns);
        let right = rows.iter().filter(|&&row| {
            let others: Vec<u32> = rows.iter().copied().filter(|&r| r != row).collect();
            let view = sare::data::View::of(&part, &others);
            let (model, coded) = Learner::default().fit_arranged(view, &Run::default()).unwrap();
            let logs =
                model.log_joint(sare::data::View::of(&coded, &[row]), &Run::default()).unwrap();
            logs.winner(0) == own(row as usize)
        });
        right.count() as f64
    };
    let mut chosen: Vec<usize> = Vec::new();
    let mut best = {
        // No attribute: the class frequencies without the row.
        let mut counts = [0; 3];
        (0..table.rows()).for_each(|r| counts[table.cells(6).code(r).unwrap()] += 1);
        let right = |r: &usize| {
            let own = table.cells(6).code(*r).unwrap();
            let mut rest = counts;
            rest[own] -= 1;
            let top = (0..3).rev().max_by_key(|&c| rest[c]).unwrap();
            top == own
        };
        (0..table.rows()).filter(right).count() as f64
    };
    loop {
        let open: Vec<usize> = (0..6).filter(|a| !chosen.contains(a)).collect();
        let tried: Vec<f64> =
            open.iter().map(|&a| accuracy(&[&chosen[..], &[a]].concat())).collect();
        let most = tried.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most <= best {
            break;
        }
        best = most;
        chosen.push(open[tried.iter().position(|&t| t == most).unwrap()]);
    }
    let mut expected = Dag::new(7);
    chosen.iter().for_each(|&a| expected.add(6, a).unwrap());
    assert!(!chosen.is_empty() && chosen.len() < 6, "the test must have something to select");
    assert_eq!(learn("selective", &table), expected);
}

#[test]
fn the_filter_keeps_what_is_significant() {
    let table = complete(400, 12);
    let information = Information::of(&Source::Memory(table.view()), &Run::default()).unwrap();
    let dag = learn("selective:filter,0.001", &table);
    for a in 0..6 {
        let freedom = ((table.field(a).states() - 1) * 2) as f64;
        let statistic = 2.0 * table.rows() as f64 * information.with_class[a];
        let p = sare::stats::distribution::chi_square_upper(statistic, freedom);
        assert_eq!(dag.has_arc(6, a), p <= 0.001, "attribute {a}: p = {p}");
    }
}

/// A network so dense that missing cells cannot be summed out still predicts complete rows, and says why it refuses others.
#[test]
fn what_cannot_be_summed_out_is_refused_only_where_cells_are_missing() {
    let rows = 60;
    let mut columns: Vec<_> = (0..40)
        .map(|c| {
            let codes = (0..rows).map(|r| Some((r * (c + 3) + r * r / (c + 1)) % 2));
            let field = sare::data::Field::discrete(format!("x{c}"), ["a", "b"]);
            (field, Cells::from_codes(codes, 2))
        })
        .collect();
    let class = Cells::from_codes((0..rows).map(|r| Some(r % 2)), 2);
    columns.push((sare::data::Field::discrete("class", ["u", "v"]), class));
    let table = Table::new("dense", columns.clone()).unwrap();
    let structure = registry::structure("kdb:16").unwrap();
    let learner = Learner { structure, ..Learner::default() };
    let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
    assert_eq!(model.predict(&table, &Run::default()).unwrap().posteriors.rows(), rows);
    let holed = (0..rows).map(|r| table.cells(0).code(r).filter(|_| r != 7));
    columns[0].1 = Cells::from_codes(holed, 2);
    let holed = Table::new("holed", columns).unwrap();
    let error = model.predict(&holed, &Run::default()).unwrap_err().to_string();
    assert!(error.contains("summing out missing cells would need"), "{error}");
}

/// The average in closed form against the sum over all 2^6 structures, each weighted by its evidence.
#[test]
fn averaged_naive_bayes_is_the_sum_over_all_structures() {
    use sare::parameters::dirichlet::Prior;
    for (alpha, seed) in [(1.0, 21), (0.3, 22)] {
        // Few rows, so that no structure is certain.
        let table = complete(60, seed);
        let parameters = registry::parameters(&format!("dirichlet:{alpha}")).unwrap();
        let structure = registry::structure("averaged-nb").unwrap();
        let learner = Learner { structure, parameters, ..Learner::default() };
        let model = learner.fit(table.view(), "class", &Run::default()).unwrap();
        let source = Source::Memory(table.view());
        let alone = |child| Family { child, parents: Vec::new() };
        let pass = CountFamilies::new(&source, (0..7).map(alone).collect(), Some(6)).unwrap();
        let counts = run_pass(&source, &pass, &Run::default()).unwrap();
        let prior = Prior::Dirichlet(alpha);
        let evidence = |t: &sare::stats::FamilyTable| {
            Score::Bdeu(alpha * (t.cells() * t.classes()) as f64).of(t)
        };
        let classes = prior.probabilities(&counts[6].sum_over_classes());
        let mut joint = vec![[0.0; 3]; table.rows()];
        let (mut total, mut with) = (0.0, [0.0; 6]);
        for structure in 0..64usize {
            let depends = |v: usize| structure >> v & 1 == 1;
            let ln: f64 = (0..6)
                .map(|v| {
                    evidence(&if depends(v) {
                        counts[v].clone()
                    } else {
                        counts[v].sum_over_classes()
                    })
                })
                .sum();
            // Less the evidence of independence of all, so that nothing overflows.
            let base: f64 = (0..6).map(|v| evidence(&counts[v].sum_over_classes())).sum();
            let weight = (ln - base).exp();
            total += weight;
            (0..6).filter(|&v| depends(v)).for_each(|v| with[v] += weight);
            for (r, joint) in joint.iter_mut().enumerate() {
                for (c, sum) in joint.iter_mut().enumerate() {
                    let p: f64 = (0..6)
                        .map(|v| {
                            let x = table.cells(v).code(r).unwrap();
                            let states = counts[v].states();
                            if depends(v) {
                                prior.probabilities(&counts[v])[c * states + x]
                            } else {
                                prior.probabilities(&counts[v].sum_over_classes())[x]
                            }
                        })
                        .product();
                    *sum += weight * classes[c] * p;
                }
            }
        }
        let ours = model.log_joint(table.view(), &Run::default()).unwrap();
        for (r, joint) in joint.iter().enumerate() {
            for (c, sum) in joint.iter().enumerate() {
                assert!(close(ours.row(r)[c], (sum / total).ln(), ROUNDING), "row {r}");
            }
        }
        let relevance = model.outcome().relevance.as_ref().unwrap();
        for (ours, with) in relevance.iter().zip(with) {
            assert!(close(*ours, with / total, ROUNDING));
            assert!(*ours > 0.0 && *ours < 1.0);
        }
    }
}
