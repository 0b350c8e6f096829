//! Comparing learners: the same splits for all, every outcome kept.

use super::journal::{Journal, Key};
use super::measures::{Measures, Predictions};
use super::scheme::{Plan, Scheme};
use super::validate::{Estimate, FoldResult, Options, SplitOutcome, arranged, attempt, estimate};
use crate::classify::Learner;
use crate::data::Table;
use crate::error::Result;
use crate::observe::Event;
use crate::run::Run;
use rayon::prelude::*;
use std::hash::{BuildHasher, Hasher};

/// A table with its class.
pub struct DataSet {
    /// What it is called in the results.
    pub name: String,
    /// The rows.
    pub table: Table,
    /// The class column.
    pub class: String,
}

/// A learner with what it is called in the results.
pub struct Candidate {
    /// What it is called: structure and parameters.
    pub name: String,
    /// The learner.
    pub learner: Learner,
}

impl Candidate {
    /// A learner called by its text forms.
    pub fn new(learner: Learner) -> Candidate {
        let name = format!("{}+{}", learner.structure.form(), learner.parameters.form());
        Candidate { name, learner }
    }
}

/// Changed whenever the same work would give other figures, so that old journals are not believed.
const FORM: u32 = 1;

/// One learner on one data set.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What came of each split.
    pub outcomes: Vec<SplitOutcome>,
    /// The predictions of the first repetition; empty where they come from a journal.
    pub predictions: Predictions,
}

impl Trial {
    /// The splits that were measured, with their numbers.
    pub fn done(&self) -> impl Iterator<Item = (usize, &FoldResult)> {
        self.outcomes.iter().enumerate().filter_map(|(i, o)| match o {
            SplitOutcome::Done(fold) => Some((i, &**fold)),
            SplitOutcome::Failed(_) => None,
        })
    }

    /// Why splits failed, with their numbers.
    pub fn failures(&self) -> impl Iterator<Item = (usize, &str)> {
        self.outcomes.iter().enumerate().filter_map(|(i, o)| match o {
            SplitOutcome::Failed(reason) => Some((i, reason.as_str())),
            SplitOutcome::Done(_) => None,
        })
    }

    /// A measure's mean over the splits that were measured; `None` if none was.
    pub fn estimate(&self, scheme: Scheme, measure: impl Fn(&Measures) -> f64) -> Option<Estimate> {
        let folds: Vec<FoldResult> = self.done().map(|(_, f)| f.clone()).collect();
        estimate(scheme, &folds, measure)
    }
}

/// Learners on data sets, by the same splits.
pub struct Comparison {
    /// How rows were parted.
    pub scheme: Scheme,
    /// The learners' names.
    pub learners: Vec<String>,
    /// The data sets' names.
    pub data: Vec<String>,
    /// The classes of each data set.
    pub classes: Vec<Vec<String>>,
    /// Data sets x learners.
    pub trials: Vec<Vec<Trial>>,
    /// Rows of each data set left out because their class is unknown.
    pub unlabelled: Vec<usize>,
}

impl Comparison {
    /// A comparison of no data sets yet.
    pub fn new(scheme: Scheme, candidates: &[Candidate]) -> Comparison {
        Comparison {
            scheme,
            learners: candidates.iter().map(|c| c.name.clone()).collect(),
            data: Vec::new(),
            classes: Vec::new(),
            trials: Vec::new(),
            unlabelled: Vec::new(),
        }
    }

    /// Tries every candidate on a data set. A split that fails is kept with its reason and does not lose the others;
    /// splits in the journal are not run again.
    pub fn add(
        &mut self,
        set: &DataSet,
        candidates: &[Candidate],
        options: &Options,
        journal: &Journal,
        run: &Run<'_>,
    ) -> Result<()> {
        let arranged = arranged(&set.table, &set.class)?;
        let plan = Plan::new(&arranged, self.scheme, run.seed)?;
        let total = (plan.len() * candidates.len()) as u64;
        run.tell(&Event::Phase { name: &set.name, steps: Some(total) })?;
        let print = fingerprint(&arranged);
        let key = |candidate: &Candidate, split: usize| Key {
            data: format!("{} {print:016x}", set.name),
            learner: format!(
                "{} {:?} {:?}",
                candidate.name, candidate.learner.discretise, candidate.learner.class_weights
            ),
            scheme: format!("{:?} seed {} {options:?} form {FORM}", self.scheme, run.seed),
            split,
        };
        let work: Vec<(usize, usize)> =
            (0..candidates.len()).flat_map(|c| (0..plan.len()).map(move |s| (c, s))).collect();
        let one = |&(c, split): &(usize, usize)| -> Result<(SplitOutcome, Predictions)> {
            let key = key(&candidates[c], split);
            let result = match journal.get(&key) {
                Some(done) => (done.clone(), Predictions::default()),
                None => {
                    let learner = &candidates[c].learner;
                    let result = attempt(learner, &arranged, &plan, split, options, run)?;
                    journal.put(key, &result.0)?;
                    result
                }
            };
            run.tell(&Event::Step { steps: 1 })?;
            Ok(result)
        };
        let results: Vec<(SplitOutcome, Predictions)> =
            run.install(|| work.par_iter().map(one).collect::<Result<_>>())?;
        let classes = arranged.field(arranged.columns() - 1).levels().to_vec();
        let trials = results.chunks(plan.len()).map(|part| {
            let mut predictions = Predictions::new(classes.len());
            part.iter().for_each(|(_, p)| predictions.extend(p));
            let lacking = |(outcome, p): &(SplitOutcome, Predictions)| {
                matches!(outcome, SplitOutcome::Done(_)) && p.is_empty()
            };
            if part[..plan.one_repetition()].iter().any(lacking) {
                // Some splits came from the journal: curves of the others alone would mislead.
                predictions = Predictions::new(classes.len());
            }
            Trial { outcomes: part.iter().map(|(o, _)| o.clone()).collect(), predictions }
        });
        self.trials.push(trials.collect());
        self.data.push(set.name.clone());
        self.unlabelled.push(set.table.rows() - plan.rows().len());
        self.classes.push(classes);
        Ok(())
    }

    /// A measure on one data set by one learner.
    pub fn estimate(
        &self,
        data: usize,
        learner: usize,
        measure: impl Fn(&Measures) -> f64,
    ) -> Option<Estimate> {
        self.trials[data][learner].estimate(self.scheme, measure)
    }
}

/// A number that another table is unlikely to share.
fn fingerprint(table: &Table) -> u64 {
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    hasher.write_usize(table.rows());
    for (c, field) in table.schema().fields.iter().enumerate() {
        hasher.write(field.name.as_bytes());
        field.levels().iter().for_each(|l| hasher.write(l.as_bytes()));
        for row in 0..table.rows() {
            let code = table.cells(c).code(row).map_or(u64::MAX, |c| c as u64);
            hasher.write_u64(table.cells(c).number(row).map_or(code, f64::to_bits));
        }
    }
    for weight in table.weights().unwrap_or(&[]) {
        hasher.write_u64(weight.to_bits());
    }
    hasher.finish()
}
