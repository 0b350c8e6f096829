//! Why the arcs of a graph are there: what each parent tells about its child beside the others.

use crate::graph::Dag;
use crate::run::ArcReason;
use crate::stats::distribution::chi_square_upper;
use crate::stats::{FamilyTable, Score};

/// The reasons of all arcs, from the counts of the graph's families as [`super::dirichlet::count_dag`] makes them, over
/// the rows in which all members of a family are seen.
pub fn arc_reasons(dag: &Dag, counts: &[FamilyTable]) -> Vec<ArcReason> {
    let class = dag.nodes() - 1;
    let classes = counts[class].classes();
    let states = |v: usize| if v == class { classes } else { counts[v].states() };
    let mut reasons = Vec::with_capacity(dag.arcs());
    for child in 0..=class {
        let attributes: Vec<usize> = dag.parents(child).filter(|&p| p != class).collect();
        let family = if child == class { as_child(&counts[class]) } else { counts[child].clone() };
        for parent in dag.parents(child) {
            let rest = if parent == class {
                family.sum_over_classes()
            } else {
                // Parents after this one change faster than it does.
                let inner =
                    attributes.iter().filter(|&&p| p > parent).map(|&p| states(p)).product();
                sum_over_parent(&family, states(parent), inner)
            };
            let total = family.total();
            let gained = |score: Score| score.of(&family) - score.of(&rest);
            let likelihood = gained(Score::LogLikelihood).max(0.0);
            let others = rest.configurations() * rest.classes();
            let freedom = ((family.states() - 1) * (states(parent) - 1) * others) as f64;
            reasons.push(ArcReason {
                parent,
                child,
                information: if total > 0.0 { likelihood / total } else { 0.0 },
                gain: gained(Score::Bic),
                chance: if freedom > 0.0 {
                    chi_square_upper(2.0 * likelihood, freedom)
                } else {
                    1.0
                },
            });
        }
    }
    reasons
}

/// The class's family with the class as a child like any other.
fn as_child(counts: &FamilyTable) -> FamilyTable {
    let mut table = FamilyTable::zeros(counts.cells(), counts.classes(), 1);
    table.values_mut().iter_mut().zip(counts.values()).for_each(|(to, n)| *to = *n);
    table
}

/// A table with one parent summed out; parents after it have `inner` configurations together.
fn sum_over_parent(table: &FamilyTable, states: usize, inner: usize) -> FamilyTable {
    let configurations = table.configurations() / states;
    let mut sum = FamilyTable::zeros(configurations, table.states(), table.classes());
    for j in 0..table.configurations() {
        let to = j / (states * inner) * inner + j % inner;
        for k in 0..table.states() {
            for c in 0..table.classes() {
                *sum.at_mut(to, k, c) += table.at(j, k, c);
            }
        }
    }
    sum
}
