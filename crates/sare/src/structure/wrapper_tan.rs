//! Arcs chosen by how well they predict: naive Bayes with at most one attribute parent an attribute (ALGORITHMS 3).

use super::Structure;
use super::constraints::Rules;
use super::naive::augmented;
use super::wrapper::Judge;
use crate::data::Source;
use crate::describe::Description;
use crate::error::Result;
use crate::graph::Dag;
use crate::observe::Event;
use crate::parameters::left_out::Terms;
use crate::run::Run;
use crate::stats::Family;

/// Starts from naive Bayes and adds the arc between attributes that raises leave-one-out accuracy most, for as long as
/// one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrapperTan;

/// What the wrapper is called and does.
pub const DESCRIPTION: Description = Description {
    name: "wrapper-tan",
    help: "naive Bayes with at most one attribute parent each, arcs chosen by leave-one-out accuracy",
    source: "Keogh and Pazzani 1999",
    settings: &[],
};

impl Structure for WrapperTan {
    fn form(&self) -> String {
        DESCRIPTION.name.into()
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let judge = Judge::new(data, &self.form(), run)?;
        let attributes = judge.attributes();
        let mut dag = Dag::new(attributes);
        for child in 0..attributes {
            let required = rules.arcs.required().parents(child).filter(|&p| p < attributes);
            required.collect::<Vec<_>>().into_iter().try_for_each(|p| dag.add(p, child))?;
        }
        let family =
            |dag: &Dag, child: usize| Family { child, parents: dag.parents(child).collect() };
        // Where the class may not be a parent, an attribute says nothing about it.
        let told: Vec<usize> =
            (0..attributes).filter(|&v| !rules.arcs.forbids(attributes, v)).collect();
        let mut terms: Vec<Option<Terms>> = (0..attributes).map(|_| None).collect();
        told.iter().for_each(|&v| terms[v] = Some(judge.terms(&family(&dag, v))));
        let mut best = judge.right(&judge.scores(terms.iter().flatten()), &[]);
        run.tell(&Event::Phase { name: "arcs tried", steps: None })?;
        for number in 1.. {
            run.tell(&Event::Iteration { number, objective: best })?;
            let mut found: Option<(usize, usize, f64)> = None;
            for &child in told.iter().filter(|&&v| dag.parents(v).next().is_none()) {
                run.tell(&Event::Step { steps: 1 })?;
                let others = terms.iter().enumerate().filter(|(v, _)| *v != child);
                let scores = judge.scores(others.filter_map(|(_, t)| t.as_ref()));
                let fits = |p: &usize| {
                    rules.arcs.allows(*p, child)
                        && !dag.has_path(child, *p)
                        && judge.fits(&Family { child, parents: vec![*p] })
                };
                let parents: Vec<usize> = (0..attributes).filter(fits).collect();
                let value = |&p: &usize| {
                    let family = Family { child, parents: vec![p] };
                    judge.right(&scores, &[&judge.terms(&family)])
                };
                let than = found.map_or(best, |(_, _, value)| value);
                if let Some((place, value)) = judge.best(&parents, than, value) {
                    found = Some((parents[place], child, value));
                }
            }
            let Some((parent, child, value)) = found else { break };
            dag.add(parent, child)?;
            terms[child] = Some(judge.terms(&family(&dag, child)));
            best = value;
        }
        augmented(&dag, rules)
    }
}
