//! Priors that are learnt: one step against all choices of attributes, EM that never falls, holes, threads.

use super::*;
use crate::num::log_sum_exp;
use crate::registry;

/// The expected counts of the seen cells by cluster, by going through the clusters of every row.
fn seen(network: &Network, table: &Table) -> (Vec<FamilyTable>, Vec<f64>) {
    let mut counts: Vec<FamilyTable> =
        STATES.iter().map(|&s| FamilyTable::zeros(1, s, CLUSTERS)).collect();
    let mut clusters = vec![0.0; CLUSTERS];
    for r in 0..table.rows() {
        let cell = |v: usize| table.cells(v).code(r);
        let log = |c: usize| -> f64 {
            let of = |v: usize| cell(v).map_or(0.0, |x| network.table(v)[c * STATES[v] + x].ln());
            network.table(4)[c].ln() + (0..4).map(of).sum::<f64>()
        };
        let logs: Vec<f64> = (0..CLUSTERS).map(log).collect();
        let total = log_sum_exp(&logs);
        for (c, log) in logs.iter().enumerate() {
            let share = table.weights().unwrap()[r] * (log - total).exp();
            clusters[c] += share;
            (0..4).for_each(|v| {
                if let Some(x) = cell(v) {
                    *counts[v].at_mut(0, x, c) += share;
                }
            });
        }
    }
    (counts, clusters)
}

/// lnB with and without the cluster, and the tables, straight from the formulas, the prior centred with s rows.
fn rivals(t: &FamilyTable, s: f64) -> [(f64, Vec<f64>); 2] {
    use crate::num::ln_gamma;
    let all = t.sum_over_classes();
    let n: Vec<f64> = (0..t.states()).map(|k| all.at(0, k, 0)).collect();
    let (r, total) = (n.len() as f64, n.iter().sum::<f64>());
    assert!(n.iter().all(|n| *n > 0.0));
    let f: Vec<f64> = n.iter().map(|n| (n + 0.5) / (total + 0.5 * r)).collect();
    let apart: f64 = ln_gamma(r) - ln_gamma(r + total);
    let without = apart + n.iter().map(|n| ln_gamma(1.0 + n)).sum::<f64>();
    let (mut with, mut worth, mut table) = (without, 0.0, Vec::new());
    for c in 0..CLUSTERS {
        let own = t.sum_over_states(0, c);
        worth += own * (s + 1.0) / (s + own);
        with += ln_gamma(s) - ln_gamma(s + own);
        for (k, f) in f.iter().enumerate() {
            let x = t.at(0, k, c);
            with += ln_gamma(s * f + x) - ln_gamma(s * f) - x * f.ln();
            table.push((x + s * f) / (own + s));
        }
    }
    with += (r - 1.0) / 2.0 * (total / worth).ln();
    [(without, f.repeat(CLUSTERS)), (with, table)]
}

/// One step alone with a centred prior: of every s in the grid that of most evidence, then the sum over all choices of
/// attributes. Missing cells drop out.
#[test]
fn a_centred_step_is_what_enumeration_gives() {
    for holes in [false, true] {
        let table = table(60, holes);
        let data = Source::Memory(table.view());
        let run = Run::default();
        let start = random_start(&blank_of(data.schema()).unwrap(), 5, 2).unwrap();
        let expected = expectation(&data, &run).count(&LogTables::new(&start)).unwrap();
        let mut ema = Averaged::new(Added::Centred, 1.0, Depend::Even, 1);
        let averaged = ema.network(&start, &expected.families).unwrap();
        let (counts, clusters) = seen(&start, &table);
        // p(rows | choice) of all 16, and what each choice makes of the tables.
        let choices = |s: f64| -> Vec<(f64, Vec<Vec<f64>>)> {
            let both: Vec<_> = counts.iter().map(|t| rivals(t, s)).collect();
            let one = |choice: usize| {
                let of = |v: usize| &both[v][choice >> v & 1];
                let log = (0..4).map(|v| of(v).0).sum();
                (log, (0..4).map(|v| of(v).1.clone()).collect())
            };
            (0..16).map(one).collect()
        };
        let evidence = |s: f64| log_sum_exp(&choices(s).iter().map(|c| c.0).collect::<Vec<_>>());
        let grid = (-6..=10).map(|i| 2f64.powf(f64::from(i) / 2.0));
        let best = grid.max_by(|a, b| evidence(*a).total_cmp(&evidence(*b))).unwrap();
        let total = evidence(best);
        let mut sums: Vec<Vec<f64>> = STATES.iter().map(|s| vec![0.0; s * CLUSTERS]).collect();
        let mut with = [0.0; 4];
        for (choice, (log, tables)) in choices(best).into_iter().enumerate() {
            let weight = (log - total).exp();
            for v in 0..4 {
                sums[v].iter_mut().zip(&tables[v]).for_each(|(s, p)| *s += weight * p);
                with[v] += if choice >> v & 1 == 1 { weight } else { 0.0 };
            }
        }
        sums.push(Prior::Laplace.smoothed(&clusters, CLUSTERS));
        assert_same(&averaged, &sums);
        for (ours, with) in ema.relevance.iter().zip(with) {
            assert!(close(*ours, with, 1e-9) && *ours > 0.0 && *ours < 1.0);
        }
    }
}

/// Also when the prior moves on the way.
#[test]
fn em_with_a_learnt_prior_never_falls() {
    let holed = table(200, true);
    let run = Run::default();
    for (index, added) in [Added::Centred, Added::Either, Added::Centred].into_iter().enumerate() {
        let data = Source::Memory(holed.view());
        let start = random_start(&blank_of(data.schema()).unwrap(), 6, index).unwrap();
        let mut update = Averaged::new(added, 0.5, Depend::All, 200);
        let until = Until::Gain(1e-9);
        let long = Expectation { iterations: 200, until, ..expectation(&data, &run) };
        let trace = long.climb(start, &mut update).unwrap().outcome.trace;
        assert!(trace.len() > 20);
        assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{trace:?}");
    }
}

fn named(form: &str) -> Clusterer {
    let method = registry::clusterer(form).unwrap();
    Clusterer { method, clusters: 3, starts: 12, ..Clusterer::default() }
}

const LEARNT: [&str; 5] = [
    "em:1,prior=centred",
    "em:0.5,prior=either,choose=evidence",
    "ema:1,prior=centred",
    "ema:1,relevance=learnt,choose=evidence",
    "ema:auto",
];

#[test]
fn learnt_priors_find_known_clusters_also_where_cells_are_missing() {
    let (whole, truth) = known(3);
    let holed = with_holes(&whole, &mut Random::new(1, Purpose::Holes, 0), 0.3);
    for (table, least) in [(&whole, 380), (&holed, 320)] {
        for form in LEARNT {
            let found = named(form).find(table.view(), &Run::default()).unwrap();
            let mut matrix = [[0; 3]; 3];
            let assigned = found.assignment().into_iter().zip(&truth);
            assigned.for_each(|(found, truth)| matrix[*truth][found as usize] += 1);
            let right: usize = matrix.iter().map(|row| *row.iter().max().unwrap()).sum();
            assert!(right > least, "{form}: {matrix:?}");
            if let Some(relevance) = &found.model.outcome().relevance {
                assert!(relevance[..5].iter().all(|p| *p > 0.99), "{form}: {relevance:?}");
                assert!(relevance[5..].iter().all(|p| *p < 0.5), "{form}: {relevance:?}");
            }
        }
    }
}

#[test]
fn threads_change_no_bit_of_a_learnt_prior() {
    let (whole, _) = known(4);
    let table = with_holes(&whole, &mut Random::new(2, Purpose::Holes, 0), 0.1);
    for form in ["em:1,prior=either", "ema:auto"] {
        let fit = |threads: usize| {
            let run = Run::with_seed(7).threads(threads).unwrap();
            let model = named(form).fit(table.view(), &run).unwrap();
            (model.network().unwrap().clone(), model.outcome().clone())
        };
        assert_eq!(fit(1), fit(3), "{form}");
    }
}

/// The mean over starts is one step, which has to learn its prior at once.
#[test]
fn starts_can_be_averaged_under_a_learnt_prior() {
    let (table, truth) = known(3);
    let all = Clusterer { policy: Policy::Weighted, ..named("ema:auto") };
    let found = all.find(table.view(), &Run::default()).unwrap();
    let mut matrix = [[0; 3]; 3];
    let assigned = found.assignment().into_iter().zip(&truth);
    assigned.for_each(|(found, truth)| matrix[*truth][found as usize] += 1);
    assert!(matrix.iter().map(|row| *row.iter().max().unwrap()).sum::<usize>() > 380);
    let relevance = found.model.outcome().relevance.clone().unwrap();
    assert!(relevance[5..].iter().all(|p| *p < 0.5), "{relevance:?}");
}

#[test]
fn forms_make_the_same_method_again() {
    for form in LEARNT {
        let written = registry::clusterer(form).unwrap().form();
        assert_eq!(registry::clusterer(&written).unwrap().form(), written);
    }
    let auto = registry::clusterer("ema:auto").unwrap().form();
    assert_eq!(auto, "ema:1,prior=either,relevance=learnt,choose=evidence");
    let message = |form: &str| registry::clusterer(form).map(|_| ()).unwrap_err().to_string();
    assert!(message("ema:auto,prior=centred").contains("left out with alpha=auto"));
    assert!(message("ema:1,prior=round").contains("flat, centred, either"));
    let (table, _) = known(6);
    let refused = named("em:0,choose=evidence").fit(table.view(), &Run::default());
    assert!(refused.unwrap_err().to_string().contains("alpha = 0"));
}
