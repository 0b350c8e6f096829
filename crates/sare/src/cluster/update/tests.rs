use super::*;
use crate::average::rivals::Rivals;
use crate::graph::Dag;
use crate::network::Variable;
use crate::num::tolerance::{ROUNDING, close};
use crate::num::{ln_gamma, log_sum_exp};
use crate::stats::Score;

/// Counts of one attribute in some clusters: state by state, cluster innermost.
fn counts(clusters: usize, values: &[f64]) -> FamilyTable {
    let mut table = FamilyTable::zeros(1, values.len() / clusters, clusters);
    table.values_mut()[..values.len()].copy_from_slice(values);
    table
}

/// The counts of the clusters themselves.
fn sizes(values: &[f64]) -> FamilyTable {
    let mut table = FamilyTable::zeros(1, 1, values.len());
    table.values_mut()[..values.len()].copy_from_slice(values);
    table
}

/// Naive Bayes of binary attributes in two clusters.
fn network(attributes: usize, tables: Vec<Vec<f64>>) -> Network {
    let variable = |v: usize| Variable {
        name: if v < attributes { format!("x{v}") } else { "cluster".into() },
        levels: vec!["0".into(), "1".into()],
    };
    let mut dag = Dag::new(attributes + 1);
    (0..attributes).for_each(|v| dag.add(attributes, v).unwrap());
    Network::new((0..=attributes).map(variable).collect(), dag, tables).unwrap()
}

/// ln p of a sequence, drawn one by one from an urn that begins with these numbers.
fn urn(begin: &[f64], counts: &[f64]) -> f64 {
    let (total, n): (f64, f64) = (begin.iter().sum(), counts.iter().sum());
    let pairs = begin.iter().zip(counts).filter(|(_, n)| **n > 0.0);
    let states: f64 = pairs.map(|(a, n)| ln_gamma(a + n) - ln_gamma(*a)).sum();
    states + ln_gamma(total) - ln_gamma(total + n)
}

#[test]
fn a_flat_prior_is_that_of_the_published_average() {
    let t = counts(3, &[6.0, 1.0, 2.0, 5.0, 0.5, 0.0, 0.2, 3.0, 4.0]);
    for alpha in [0.3, 1.0, 2.0] {
        let rivals = TablePrior::Flat(alpha).rivals(&Column::none(), &t);
        let score = |t: &FamilyTable| Score::Bdeu(alpha * (t.cells() * t.classes()) as f64).of(t);
        assert!(close(rivals.dependent, score(&t), ROUNDING));
        assert!(close(rivals.independent, score(&t.sum_over_classes()), ROUNDING));
        let prior = Prior::Dirichlet(alpha);
        let (with, without) =
            (prior.probabilities(&t), prior.probabilities(&t.sum_over_classes()).repeat(3));
        for relevance in [0.0, 0.3, 1.0] {
            let ours = TablePrior::Flat(alpha).table(&Column::none(), &t, relevance);
            for (i, p) in ours.iter().enumerate() {
                let wanted = relevance * with[i] + (1.0 - relevance) * without[i];
                assert!(close(*p, wanted, ROUNDING));
            }
        }
    }
}

#[test]
fn a_centred_prior_is_an_urn_of_all_rows() {
    // The third state never occurs here, but may in other rows.
    let t = counts(2, &[6.0, 1.0, 2.0, 5.0, 0.0, 0.0]);
    let (column, s) = (Column::new(&t), 3.0);
    let centre = [7.5 / 15.5, 7.5 / 15.5, 0.5 / 15.5];
    assert!(column.centre.iter().zip(&centre).all(|(f, wanted)| close(*f, *wanted, ROUNDING)));
    let rivals = TablePrior::Centred(s).rivals(&column, &t);
    let begin = centre.map(|f| s * f);
    let own = urn(&begin, &[6.0, 2.0, 0.0]) + urn(&begin, &[1.0, 5.0, 0.0]);
    let worth = (8.0 * 4.0 / 11.0 + 6.0 * 4.0 / 9.0) / 14.0;
    let gain = own - 14.0 * centre[0].ln() - 0.5 * f64::ln(worth);
    assert!(close(rivals.independent, urn(&[1.0; 3], &[7.0, 7.0, 0.0]), ROUNDING));
    assert!(close(rivals.dependent - rivals.independent, gain, 1e-10));
    let table = TablePrior::Centred(s).table(&column, &t, 1.0);
    let wanted = |n: f64, state: usize, rows: f64| (n + begin[state]) / (rows + s);
    assert!(close(table[0], wanted(6.0, 0, 8.0), ROUNDING));
    assert!(close(table[4], wanted(5.0, 1, 6.0), ROUNDING));
    assert!(close(table[5], wanted(0.0, 2, 6.0), ROUNDING) && table[5] > 0.0, "not impossible");
    assert_eq!(TablePrior::Centred(s).table(&column, &t, 0.0), column.centre.repeat(2));
}

/// A centre that weighs much leaves nothing to depend on the cluster: either is as probable as the other, and the tables are
/// the same.
#[test]
fn a_heavy_centre_says_nothing() {
    let t = counts(3, &[6.0, 1.0, 2.0, 5.0, 0.5, 0.0, 0.2, 3.0, 4.0]);
    let (column, heavy) = (Column::new(&t), TablePrior::Centred(1e7));
    assert!(close(heavy.rivals(&column, &t).relevance(0.0), 0.5, 1e-4));
    let (with, without) = (heavy.table(&column, &t, 1.0), heavy.table(&column, &t, 0.0));
    assert!(with.iter().zip(&without).all(|(a, b)| close(*a, *b, 1e-5)));
}

/// The odds of an attribute of two states, the frequencies averaged over by adding up small pieces.
#[test]
fn uncertain_frequencies_are_averaged_over() {
    let exact = |s: f64, t: &FamilyTable| {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for i in 0..4000 {
            let f = (f64::from(i) + 0.5) / 4000.0;
            let begin = [s * f, s * (1.0 - f)];
            let of = |c: usize| urn(&begin, &[t.at(0, 0, c), t.at(0, 1, c)]);
            with.push((0..t.classes()).map(of).sum());
            let all = t.sum_over_classes();
            without.push(all.at(0, 0, 0) * f.ln() + all.at(0, 1, 0) * (1.0 - f).ln());
        }
        log_sum_exp(&with) - log_sum_exp(&without)
    };
    let sets: [&[f64]; 4] = [
        &[20.0, 24.0, 31.0, 28.0, 22.0, 17.0],
        &[40.0, 3.0, 20.0, 5.0, 44.0, 30.0],
        &[10.5, 11.5, 9.0, 8.5, 7.5, 11.0],
        &[4.0, 6.0, 3.0, 44.0, 40.0, 45.0],
    ];
    for values in sets {
        let t = counts(3, values);
        let column = Column::new(&t);
        for s in [2.0, 8.0, 32.0] {
            let Rivals { dependent, independent } = TablePrior::Centred(s).rivals(&column, &t);
            let (ours, exact) = (dependent - independent, exact(s, &t));
            let begin: Vec<f64> = column.centre.iter().map(|f| s * f).collect();
            let of = |c: usize| urn(&begin, &[t.at(0, 0, c), t.at(0, 1, c)]);
            let all = t.sum_over_classes();
            let alone: f64 = (0..2).map(|k| all.at(0, k, 0) * column.centre[k].ln()).sum();
            let given = (0..3).map(of).sum::<f64>() - alone;
            let (off, before) = ((ours - exact).abs(), (given - exact).abs());
            assert!(
                off < before,
                "{values:?} s {s}: {ours} {exact}, {given} given the frequencies"
            );
            // Where a state is rare, the density of its frequency is not like a normal one.
            let rare = column.centre.iter().any(|f| s * f < 1.0);
            assert!(off < if rare { 1.2 } else { 0.35 }, "{values:?} s {s}: {ours} {exact}");
        }
    }
}

/// The weight of the centre goes to where the evidence is greatest, and rises where clusters hardly differ; attributes whose
/// states are as frequent as any in each cluster by itself are better told by a flat prior.
#[test]
fn the_prior_is_learnt() {
    let learnt = |either: bool, t: &[FamilyTable]| {
        let columns: Vec<Column> = t.iter().map(Column::new).collect();
        let evidence = |prior: TablePrior| -> f64 {
            columns.iter().zip(t).map(|(c, t)| prior.rivals(c, t).dependent).sum()
        };
        let mut learning = Learning::new(either, 500);
        let mut prior = learning.first();
        for _ in 0..200 {
            prior = learning.look(prior, &evidence);
            learning.stepped(0.1);
        }
        assert!(learning.settled());
        // One step alone comes to the same at once.
        assert_eq!(Learning::new(either, 1).look(learning.first(), &evidence), prior);
        prior
    };
    let (apart, alike) = (counts(2, &[90.0, 2.0, 1.0, 95.0]), counts(2, &[50.0, 46.0, 45.0, 52.0]));
    let weight = |t: &FamilyTable| match learnt(false, std::slice::from_ref(t)) {
        TablePrior::Centred(s) => s,
        TablePrior::Flat(_) => f64::NAN,
    };
    assert!(weight(&apart) < 2.0 && weight(&alike) > 16.0);
    let drifted = [
        counts(2, &[90.0, 84.0, 10.0, 16.0]),
        counts(2, &[12.0, 6.0, 88.0, 94.0]),
        counts(2, &[97.0, 92.0, 3.0, 8.0]),
    ];
    assert!(matches!(learnt(true, &drifted), TablePrior::Centred(_)));
    let any = [
        counts(2, &[90.0, 34.0, 10.0, 66.0]),
        counts(2, &[12.0, 76.0, 88.0, 24.0]),
        counts(2, &[47.0, 92.0, 53.0, 8.0]),
    ];
    assert!(matches!(learnt(true, &any), TablePrior::Flat(_)));
}

#[test]
fn stages_come_one_after_the_other() {
    let mut learning = Learning::new(true, 500);
    let evidence = |_: TablePrior| 0.0;
    let mut steps = Vec::new();
    for _ in 0..60 {
        let prior = learning.look(learning.first(), &evidence);
        assert_eq!(prior, learning.first(), "of equals it stays");
        learning.stepped(1.0);
        steps.push(learning.stage);
    }
    let first = |stage| steps.iter().position(|s| *s == stage);
    assert_eq!((first(Stage::Weighing), first(Stage::Last)), (Some(19), Some(39)));
    // Where nothing changes there is no need to wait, but no stage is left out.
    let mut learning = Learning::new(true, 500);
    for stage in [Stage::Settling, Stage::Weighing, Stage::Last] {
        assert!(learning.stage == stage && !learning.settled());
        learning.look(learning.first(), &evidence);
        learning.stepped(0.0);
    }
    assert!(learning.settled());
    assert_eq!(Learning::new(true, 1).stage, Stage::Last);
}

/// Where every row is surely of one cluster the evidence is that of complete rows, by the sum over structures.
#[test]
fn evidence_is_exact_where_clusters_are_certain() {
    let t = counts(2, &[6.0, 1.0, 2.0, 5.0]);
    let all = [t.clone(), sizes(&[8.0, 6.0])];
    let network = network(1, vec![vec![0.75, 0.25, 0.2, 0.8], vec![0.6, 0.4]]);
    // ln p(rows | parameters) of rows whose clusters are certain.
    let certain = 6.0 * (0.6f64 * 0.75).ln()
        + 2.0 * (0.6f64 * 0.25).ln()
        + (0.4f64 * 0.2).ln()
        + 5.0 * (0.4f64 * 0.8).ln();
    for alpha in [1.0, 0.4] {
        let begin = [alpha; 2];
        let dependent = urn(&begin, &[6.0, 2.0]) + urn(&begin, &[1.0, 5.0]);
        let independent = urn(&begin, &[7.0, 7.0]);
        let of_clusters = urn(&begin, &[8.0, 6.0]);
        let ours = |depend| {
            let update = Averaged::new(Added::Flat, alpha, depend, 500);
            update.log_evidence(&network, &all, certain)
        };
        let half = 0.5f64.ln();
        let even = of_clusters + log_sum_exp(&[dependent + half, independent + half]);
        assert!(close(ours(Depend::Even), even, 1e-10));
        assert!(close(ours(Depend::All), of_clusters + dependent, 1e-10));
    }
    let mut centred = Averaged::new(Added::Centred, 1.0, Depend::Learnt, 1);
    centred.columns = vec![Column::new(&t)];
    centred.probable = 0.7;
    let Rivals { dependent, independent } = centred.prior.rivals(&centred.columns[0], &t);
    let mean = log_sum_exp(&[dependent + 0.7f64.ln(), independent + 0.3f64.ln()]);
    let exact = urn(&[1.0; 2], &[8.0, 6.0]) + mean;
    assert!(close(centred.log_evidence(&network, &all, certain), exact, 1e-10));
}

/// How probable it is beforehand that an attribute matters is the mean of what it is afterwards, within bounds.
#[test]
fn relevance_is_learnt() {
    let (tells, silent) =
        (counts(2, &[60.0, 10.0, 20.0, 50.0]), counts(2, &[30.0, 26.0, 50.0, 34.0]));
    let all = [tells.clone(), silent, sizes(&[80.0, 60.0])];
    let present = network(2, vec![vec![0.5; 4], vec![0.5; 4], vec![0.5; 2]]);
    let mut update = Averaged::new(Added::Flat, 1.0, Depend::Learnt, 500);
    update.network(&present, &all).unwrap();
    let first = update.relevance.clone();
    let mean = (first[0] + first[1]) / 2.0;
    assert!(close(update.probable, mean, ROUNDING) && mean > 0.5);
    update.network(&present, &all).unwrap();
    assert!(update.relevance[1] > first[1], "the odds beforehand are better now");
    let alone = [tells, sizes(&[80.0, 60.0])];
    let present = network(1, vec![vec![0.5; 4], vec![0.5; 2]]);
    update.network(&present, &alone).unwrap();
    assert_eq!(update.probable, 1.0 - LEAST_PROBABLE);
}
