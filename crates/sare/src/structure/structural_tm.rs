//! Arcs chosen by the conditional likelihood they reach: structural TM (ALGORITHMS 3 and 5).

use super::Structure;
use super::constraints::Rules;
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::graph::{Dag, perfect};
use crate::infer::density::has_holes;
use crate::num::first_max;
use crate::observe::Event;
use crate::parameters::dirichlet::count_dag;
use crate::parameters::penalty::L2;
use crate::parameters::tm::{Climbed, Fitting, Imperfect, Tm, add_everywhere};
use crate::run::Run;
use crate::stats::{CountFamilies, Family, FamilyTable, run_pass};
use rayon::prelude::*;

/// Starts from no arcs and adds the arc, from the class to an attribute or between attributes the class is a parent of,
/// whose model, fitted by TM, has the best conditional BIC; ends when none is better than what there is. Every model it
/// looks at starts from the counts of the present one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StructuralTm {
    /// The most attribute parents.
    pub parents: usize,
    /// What is added to every count.
    pub alpha: f64,
    /// How strongly TM draws the parameters to the generative ones. 0 is the published form.
    pub l2: f64,
}

/// What structural TM is called and does.
pub const DESCRIPTION: Description = Description {
    name: "structural-tm",
    help: "arcs added one by one by the conditional BIC of models fitted by TM; goes with --parameters tm",
    source: "Santafe, Lozano and Larranaga 2005",
    settings: &[
        Setting {
            name: "parents",
            help: "the most attribute parents; 1 gives forests",
            range: Range::Whole { least: 0, most: 8, default: 1 },
        },
        Setting {
            name: "alpha",
            help: "what is added to every count",
            range: Range::NotNegative { default: 1.0 },
        },
        L2,
    ],
};

/// A model on the way: its graph, the counts TM starts from and those it has made, and its conditional log-likelihood.
#[derive(Clone)]
struct Step {
    dag: Dag,
    start: Vec<FamilyTable>,
    counts: Vec<FamilyTable>,
    likelihood: f64,
}

impl Structure for StructuralTm {
    fn form(&self) -> String {
        // The penalty is always named: files written when the default was 0 do not name it.
        format!("{}:{},alpha={},l2={}", DESCRIPTION.name, self.parents, self.alpha, self.l2)
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let class = data.schema().len() - 1;
        let states: Vec<usize> = data.schema().fields.iter().map(|f| f.states()).collect();
        let (dag, _) = perfect::completed(rules.arcs.required(), class)?;
        let mut counts = count_dag(&dag, data, run)?;
        let rows = counts[class].total();
        counts.iter_mut().for_each(|t| add_everywhere(t, self.alpha));
        // TM needs complete rows where attributes depend on each other.
        let mut parents = self.parents;
        if parents > 0 && has_holes(data) {
            run.note("cells are missing: only arcs from the class are tried")?;
            parents = 0;
        }
        let first = Step { dag, start: counts.clone(), counts, likelihood: 0.0 };
        let mut now = self.fitted(first, data, run, LONG)?;
        run.tell(&Event::Phase { name: "arcs tried", steps: None })?;
        for number in 1.. {
            let best = self.score(&now, &states, rows);
            run.tell(&Event::Iteration { number, objective: best })?;
            let arcs = candidates(&now.dag, &states, parents, rules);
            let tries = |&(p, c): &(usize, usize)| -> Result<Step> {
                self.fitted(self.with_arc(&now, p, c, data, run)?, data, run, SHORT)
            };
            let found: Vec<Result<Step>> = run.install(|| arcs.par_iter().map(tries).collect());
            let found: Vec<Step> = found.into_iter().collect::<Result<_>>()?;
            let scores: Vec<f64> = found.iter().map(|s| self.score(s, &states, rows)).collect();
            let place = first_max(&scores);
            if scores.get(place).is_none_or(|&s| s <= best + 1e-9 * best.abs()) {
                break;
            }
            now = self.fitted(found[place].clone(), data, run, LONG)?;
        }
        Ok(now.dag)
    }
}

/// How TM runs to judge an arc, and to go on from it: the tolerance and the most iterations.
const SHORT: (f64, usize) = (1e-2, 20);
const LONG: (f64, usize) = (1e-3, 200);

impl StructuralTm {
    /// The model with one more arc: its family starts from what was observed.
    fn with_arc(
        &self,
        now: &Step,
        parent: usize,
        child: usize,
        data: &Source<'_>,
        run: &Run<'_>,
    ) -> Result<Step> {
        let mut next = now.clone();
        next.dag.add(parent, child)?;
        let class = next.dag.nodes() - 1;
        let parents = next.dag.parents(child).filter(|&p| p != class).collect();
        let family = vec![Family { child, parents }];
        let pass = CountFamilies::new(data, family, Some(class))?;
        let mut counts = run_pass(data, &pass, run)?.swap_remove(0);
        add_everywhere(&mut counts, self.alpha);
        next.start[child] = counts.clone();
        next.counts[child] = counts;
        Ok(next)
    }

    fn fitted(
        &self,
        step: Step,
        data: &Source<'_>,
        run: &Run<'_>,
        (tolerance, iterations): (f64, usize),
    ) -> Result<Step> {
        // The counts have alpha in them already.
        let imperfect = Imperfect::Refuse;
        let tm = Tm { imperfect, alpha: 0.0, tolerance, iterations, l2: self.l2 };
        let fit = Fitting { dag: &step.dag, data, run };
        let Climbed { counts, likelihood, .. } = tm.climb(&fit, step.counts, &step.start)?;
        // The likelihood of a fit that was stopped says nothing about its graph.
        run.check_whole()?;
        Ok(Step { counts, likelihood, ..step })
    }

    /// The conditional likelihood less half of ln N a parameter of p(class | attributes).
    fn score(&self, step: &Step, states: &[usize], rows: f64) -> f64 {
        let class = states.len() - 1;
        let free = |v: usize| {
            let attributes = step.dag.parents(v).filter(|&p| p != class).map(|p| states[p]);
            (states[v] - 1) * attributes.product::<usize>()
        };
        let told = step.dag.children(class);
        let dimension = (states[class] - 1) * (1 + told.map(free).sum::<usize>());
        step.likelihood - rows.max(1.0).ln() / 2.0 * dimension as f64
    }
}

/// The arcs that may be added and leave a structure in which TM reaches its optimum. An attribute of one state tells
/// nothing and costs nothing: it would be taken for what the iterations of TM alone gain while it is tried.
fn candidates(dag: &Dag, states: &[usize], parents: usize, rules: &Rules) -> Vec<(usize, usize)> {
    let class = dag.nodes() - 1;
    let mut arcs = Vec::new();
    for child in (0..class).filter(|&v| states[v] > 1) {
        if !dag.has_arc(class, child) {
            if rules.arcs.allows(class, child) {
                arcs.push((class, child));
            }
            continue;
        }
        let full = dag.parents(child).count() > parents;
        let may = |p: &usize| {
            let mut with = dag.clone();
            dag.has_arc(class, *p)
                && states[*p] > 1
                && !dag.has_arc(*p, child)
                && rules.arcs.allows(*p, child)
                && with.add(*p, child).is_ok()
                && perfect::completed(&with, class).is_ok_and(|(_, added)| added.is_empty())
        };
        arcs.extend((0..class).filter(|_| !full).filter(may).map(|p| (p, child)));
    }
    arcs
}
