//! Many starts: each from parameters of its own, the best kept or all averaged, a bad one survived.

use super::align::{Memberships, align};
use super::method::Found;
use crate::average::Model;
use crate::error::{Error, Result};
use crate::num::normalise_logs;
use crate::observe::{Event, Observer};
use crate::run::{Outcome, Run, StartOutcome, Stop};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// How many starts there are, and what becomes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// From how many random parameters it starts.
    pub starts: usize,
    /// What becomes of them.
    pub policy: Policy,
}

/// What becomes of many starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The best is kept.
    #[default]
    Best,
    /// All count alike.
    Uniform,
    /// Each counts by the likelihood of the rows under it.
    Weighted,
}

impl Policy {
    /// The names they are asked for by.
    pub const NAMES: [&str; 3] = ["best", "uniform", "weighted"];

    /// The policy of a name.
    pub fn named(name: &str) -> Result<Policy> {
        let found = Policy::NAMES.iter().position(|n| *n == name);
        let policy = found.map(|i| [Policy::Best, Policy::Uniform, Policy::Weighted][i]);
        policy.ok_or_else(|| Error::unknown("policy", name, Policy::NAMES))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Policy::NAMES[self as usize]
    }
}

/// A method made ready for some rows.
pub(super) trait Starts: Sync {
    /// What it learns, in a form of its own.
    type Own: Clone + Send;

    /// What one start comes to.
    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<Self::Own>>;

    /// p(cluster | row) of everything that the method counts, side by side.
    fn memberships(&self, own: &Self::Own, run: &Run<'_>) -> Result<Vec<f64>>;

    /// The weights of everything that the method counts.
    fn weights(&self) -> Option<&[f64]>;

    /// What one step makes of given memberships; whatever they do not tell, such as missing cells, is as the present one
    /// has it.
    fn step(
        &self,
        present: &Reached<Self::Own>,
        memberships: Vec<f64>,
        run: &Run<'_>,
    ) -> Result<Reached<Self::Own>>;

    /// The model for others to use.
    fn finish(&self, own: Self::Own, run: &Run<'_>) -> Result<Model>;

    /// How many clusters there are.
    fn clusters(&self) -> usize;
}

/// What one start came to.
pub(super) struct Reached<T> {
    pub own: T,
    pub outcome: Outcome,
    /// The log-likelihood of the rows.
    pub log_likelihood: f64,
    /// What starts are compared by: the log-likelihood, or that less a penalty where structures differ.
    pub score: f64,
}

impl<T> Reached<T> {
    /// How it ended.
    fn told(&self) -> StartOutcome {
        StartOutcome::of(&self.outcome, self.log_likelihood, self.score)
    }
}

/// Starts of which all is held at the same time.
const AT_ONCE: usize = 16;

/// A start that weighs less than this beside the best is not felt.
const LEAST_WEIGHT: f64 = 1e-12;

/// Passes on the wish to stop, and nothing else: a start's own steps are not those that are shown.
pub(crate) struct Quiet<'a>(pub &'a Run<'a>);

impl Observer for Quiet<'_> {
    fn event(&self, _: &Event<'_>) -> ControlFlow<()> {
        match self.0.should_stop(&Event::Step { steps: 0 }) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Runs every start, in parallel; of equals the first is best. Fails if all fail. Starts that came to an end before the
/// run was stopped are kept.
pub(super) fn learn<S: Starts>(starts: &S, plan: &Plan, run: &Run<'_>) -> Result<Found> {
    run.tell(&Event::Phase { name: "starts", steps: Some(plan.starts as u64) })?;
    let quiet = Quiet(run);
    let inner = run.clone().observed(&quiet);
    let mut all = All::new(plan.policy != Policy::Best);
    for from in (0..plan.starts).step_by(AT_ONCE) {
        let indices = from..(from + AT_ONCE).min(plan.starts);
        let one = |index: usize| {
            // What was not begun before a stop is not begun.
            if run.should_stop(&Event::Step { steps: 0 }) {
                return Err(Error::Interrupted);
            }
            let reached = starts.start(index, &inner);
            run.should_stop(&Event::Step { steps: 1 });
            reached
        };
        let found: Vec<Result<Reached<S::Own>>> =
            run.install(|| indices.into_par_iter().map(one).collect());
        found.into_iter().for_each(|reached| all.add(reached));
    }
    let last = &run.to_the_end();
    let ended = all.outcomes.len();
    let best = match (all.best, all.stopped) {
        (Some(best), _) => best,
        (None, Some(stopped)) => {
            all.outcomes.push(stopped.told());
            stopped
        }
        (None, None) => return Err(all.problem.unwrap_or(Error::Interrupted)),
    };
    if ended < plan.starts {
        let text = match ended {
            0 => "stopped before any start had come to an end: the best so far, which has not converged, is kept".into(),
            _ => format!("stopped: {ended} of {} starts were made", plan.starts),
        };
        // It asks to stop, but may still be told.
        run.should_stop(&Event::Note { text: &text });
    }
    let same = |score: &&f64| StartOutcome::same_top(**score, best.score);
    let reached = all.scores.iter().filter(same).count().max(1);
    let best = match plan.policy {
        Policy::Best => best,
        policy if all.others.len() > 1 => averaged(starts, best, &all.others, policy, last)?,
        // The mean of one is the one itself.
        _ => best,
    };
    found(starts, best, all.outcomes, reached, last)
}

/// What a method comes to by what was reached last.
fn found<S: Starts>(
    starts: &S,
    Reached { own, outcome, .. }: Reached<S::Own>,
    outcomes: Vec<StartOutcome>,
    reached: usize,
    run: &Run<'_>,
) -> Result<Found> {
    let model = starts.finish(own, run)?;
    Ok(Found { model, outcome, starts: outcomes, reached, objective: None, hard: None })
}

/// What a method comes to by the one start that was made.
pub(super) fn alone<S: Starts>(
    starts: &S,
    reached: Reached<S::Own>,
    run: &Run<'_>,
) -> Result<Found> {
    let outcome = reached.told();
    found(starts, reached, vec![outcome], 1, run)
}

/// What has come of the starts so far.
struct All<T> {
    best: Option<Reached<T>>,
    /// The best of those that were stopped underway: better than nothing.
    stopped: Option<Reached<T>>,
    scores: Vec<f64>,
    outcomes: Vec<StartOutcome>,
    /// What all starts learnt, with their log-likelihoods, where they are needed.
    others: Vec<(T, f64)>,
    keeps_others: bool,
    problem: Option<Error>,
}

impl<T: Clone> All<T> {
    fn new(keeps_others: bool) -> All<T> {
        All {
            best: None,
            stopped: None,
            scores: Vec::new(),
            outcomes: Vec::new(),
            others: Vec::new(),
            keeps_others,
            problem: None,
        }
    }

    fn add(&mut self, reached: Result<Reached<T>>) {
        match reached {
            Err(Error::Interrupted) => {}
            Err(e) => {
                self.outcomes.push(StartOutcome {
                    log_likelihood: None,
                    score: None,
                    stop: None,
                    iterations: 0,
                    problem: Some(e.to_string()),
                });
                self.problem.get_or_insert(e);
            }
            // With a step or two behind it, a start is as good as random.
            Ok(reached) if reached.outcome.stop == Stop::Interrupted => {
                let far = reached.outcome.iterations > 2;
                if far && self.stopped.as_ref().is_none_or(|b| reached.score > b.score) {
                    self.stopped = Some(reached);
                }
            }
            Ok(reached) => {
                self.outcomes.push(reached.told());
                self.scores.push(reached.score);
                if self.keeps_others {
                    self.others.push((reached.own.clone(), reached.log_likelihood));
                }
                if self.best.as_ref().is_none_or(|b| reached.score > b.score) {
                    self.best = Some(reached);
                }
            }
        }
    }
}

/// The step from the mean of the starts' memberships, their clusters named as in the best: cluster by cluster the model of
/// the average, for every method alike.
fn averaged<S: Starts>(
    starts: &S,
    best: Reached<S::Own>,
    others: &[(S::Own, f64)],
    policy: Policy,
    run: &Run<'_>,
) -> Result<Reached<S::Own>> {
    let mut weights: Vec<f64> = match policy {
        Policy::Weighted => others.iter().map(|(_, value)| *value).collect(),
        _ => vec![0.0; others.len()],
    };
    normalise_logs(&mut weights);
    let first = starts.memberships(&best.own, run)?;
    let clusters = starts.clusters();
    let mut mean = vec![0.0; first.len()];
    for ((own, _), weight) in others.iter().zip(&weights).filter(|(_, w)| **w >= LEAST_WEIGHT) {
        let own = starts.memberships(own, run)?;
        let best = Memberships { values: &first, clusters };
        let names = align(best, Memberships { values: &own, clusters }, starts.weights())?;
        for (mean, own) in mean.chunks_exact_mut(clusters).zip(own.chunks_exact(clusters)) {
            own.iter().zip(&names).for_each(|(p, &name)| mean[name] += weight * p);
        }
    }
    let stepped = starts.step(&best, mean, run)?;
    let Outcome { stop, iterations, trace, passes, .. } = best.outcome;
    let outcome = Outcome { stop, iterations, trace, passes, ..stepped.outcome };
    Ok(Reached { outcome, ..stepped })
}
