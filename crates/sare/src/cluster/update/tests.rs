use super::centred::Centre;
use super::*;
use crate::average::rivals::Rivals;
use crate::graph::Dag;
use crate::network::Variable;
use crate::num::tolerance::{ROUNDING, close};
use crate::num::{ln_gamma, log_sum_exp};

/// Counts of one attribute in two clusters: state by state, cluster innermost.
fn counts(values: &[f64]) -> FamilyTable {
    let mut table = FamilyTable::zeros(1, values.len() / 2, 2);
    table.values_mut()[..values.len()].copy_from_slice(values);
    table
}

/// ln p of a sequence, drawn one by one from an urn that begins with these numbers.
fn urn(begin: &[f64], counts: &[f64]) -> f64 {
    let total: f64 = begin.iter().sum();
    let n: f64 = counts.iter().sum();
    let states: f64 = begin
        .iter()
        .zip(counts)
        .filter(|(_, n)| **n > 0.0)
        .map(|(a, n)| ln_gamma(a + n) - ln_gamma(*a))
        .sum();
    states + ln_gamma(total) - ln_gamma(total + n)
}

#[test]
fn the_centred_prior_is_an_urn_of_all_rows() {
    let t = counts(&[6.0, 1.0, 2.0, 5.0, 0.0, 0.0]);
    let centre = Centre::new(std::slice::from_ref(&t));
    let (s, f) = (centre.weight(), [7.5 / 15.0, 7.5 / 15.0, 0.0]);
    let rivals = centre.rivals(0, &t);
    let begin: Vec<f64> = f.iter().map(|f| s * f).collect();
    let dependent = urn(&begin, &[6.0, 2.0, 0.0]) + urn(&begin, &[1.0, 5.0, 0.0]);
    assert!(close(rivals.dependent.0, dependent, ROUNDING));
    assert!(close(rivals.independent.0, 14.0 * 0.5f64.ln(), ROUNDING));
    assert!(close(rivals.dependent.1[0], (6.0 + s * 0.5) / (8.0 + s), ROUNDING));
    assert!(
        rivals.independent.1 == f && rivals.dependent.1[2] == 0.0,
        "never seen, never expected"
    );
    // A centre that weighs much leaves nothing to depend on the cluster.
    let heavy = urn(&[5e5, 5e5], &[6.0, 2.0]) + urn(&[5e5, 5e5], &[1.0, 5.0]);
    assert!(close(heavy, rivals.independent.0, 1e-4));
}

/// The weight of the centre goes to where the evidence is greatest, and rises where clusters hardly differ.
#[test]
fn the_weight_is_learnt() {
    let learnt = |t: &FamilyTable| {
        let mut centre = Centre::new(std::slice::from_ref(t));
        (0..200).for_each(|step| centre.weigh(step, std::slice::from_ref(t), f64::INFINITY));
        centre.weight()
    };
    let (apart, alike) = (counts(&[90.0, 2.0, 1.0, 95.0]), counts(&[50.0, 46.0, 45.0, 52.0]));
    assert!(learnt(&apart) < 2.0 && learnt(&alike) > 32.0);
}

/// One step against all choices of two attributes.
#[test]
fn a_step_is_the_average_over_all_choices() {
    let tables = [counts(&[6.0, 1.0, 2.0, 5.0]), counts(&[3.0, 4.0, 5.0, 2.0])];
    let mut clusters = FamilyTable::zeros(1, 1, 2);
    clusters.values_mut()[..2].copy_from_slice(&[8.0, 6.0]);
    let all = [tables[0].clone(), tables[1].clone(), clusters];
    let variable = |name: &str, n: usize| Variable {
        name: name.into(),
        levels: (0..n).map(|l| l.to_string()).collect(),
    };
    let mut dag = Dag::new(3);
    dag.add(2, 0).unwrap();
    dag.add(2, 1).unwrap();
    let variables = vec![variable("a", 2), variable("b", 2), variable("cluster", 2)];
    let half = vec![vec![0.5; 4], vec![0.5; 4], vec![0.5; 2]];
    let present = Network::new(variables, dag, half).unwrap();
    for (added, depend) in [
        (Added::Flat(0.7), Depend::Even),
        (Added::Centred, Depend::Even),
        (Added::Centred, Depend::Learnt),
        (Added::Flat(1.0), Depend::Learnt),
    ] {
        let mut update = Averaged::new(added, depend);
        let first = update.network(&present, &all).unwrap();
        let relevance = update.relevance.clone();
        let rivals: Vec<Rivals> = (0..2)
            .map(|v| match added {
                Added::Flat(alpha) => Rivals::new(Prior::Dirichlet(alpha), &tables[v]),
                Added::Centred => Centre::new(&tables).rivals(v, &tables[v]),
            })
            .collect();
        let mut sums = [vec![0.0; 4], vec![0.0; 4]];
        let (mut total, mut with) = (0.0, [0.0; 2]);
        for structure in 0..4 {
            let depends = |v: usize| structure >> v & 1 == 1;
            let log = |v: usize| {
                if depends(v) { rivals[v].dependent.0 } else { rivals[v].independent.0 }
            };
            let weight = (log(0) + log(1)).exp();
            total += weight;
            for v in 0..2 {
                for (i, sum) in sums[v].iter_mut().enumerate() {
                    let own = rivals[v].independent.1[i % 2];
                    *sum += weight * if depends(v) { rivals[v].dependent.1[i] } else { own };
                }
                with[v] += if depends(v) { weight } else { 0.0 };
            }
        }
        for v in 0..2 {
            assert!(close(relevance[v], with[v] / total, 1e-10));
            let all = first.table(v).iter().zip(&sums[v]);
            all.for_each(|(p, sum)| assert!(close(*p, sum / total, 1e-10), "{added:?} {depend:?}"));
        }
        // With the prior learnt, the next step has other odds.
        let again = update.network(&present, &all).unwrap();
        assert_eq!(again == first, depend == Depend::Even);
    }
}

/// Where every row is surely of one cluster the evidence is that of complete rows, by the sum over structures.
#[test]
fn evidence_is_exact_where_clusters_are_certain() {
    let t = counts(&[6.0, 1.0, 2.0, 5.0]);
    let mut clusters = FamilyTable::zeros(1, 1, 2);
    clusters.values_mut()[..2].copy_from_slice(&[8.0, 6.0]);
    let all = [t.clone(), clusters];
    let levels = |n: usize| (0..n).map(|l| l.to_string()).collect();
    let variables = vec![
        Variable { name: "a".into(), levels: levels(2) },
        Variable { name: "cluster".into(), levels: levels(2) },
    ];
    let mut dag = Dag::new(2);
    dag.add(1, 0).unwrap();
    let network =
        Network::new(variables, dag, vec![vec![0.75, 0.25, 0.2, 0.8], vec![0.6, 0.4]]).unwrap();
    let update = Averaged::new(Added::Flat(1.0), Depend::Even);
    // ln p(rows | parameters) of rows whose clusters are certain.
    let certain = 6.0 * (0.6f64 * 0.75).ln()
        + 2.0 * (0.6f64 * 0.25).ln()
        + (0.4f64 * 0.2).ln()
        + 5.0 * (0.4f64 * 0.8).ln();
    let ours = update.log_evidence(&network, &all, certain);
    let dependent = urn(&[1.0, 1.0], &[6.0, 2.0]) + urn(&[1.0, 1.0], &[1.0, 5.0]);
    let independent = urn(&[1.0, 1.0], &[7.0, 7.0]);
    let half = 0.5f64.ln();
    let exact =
        urn(&[1.0, 1.0], &[8.0, 6.0]) + log_sum_exp(&[dependent + half, independent + half]);
    assert!(close(ours, exact, 1e-10), "{ours} {exact}");
}
