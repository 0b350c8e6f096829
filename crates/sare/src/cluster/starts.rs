//! Many starts: each runs to a loose tolerance from its own random parameters, and those that may still be the best continue to
//! the tight one. The best is kept or all are averaged; a start that fails is survived.

use super::align::{Memberships, align};
use super::method::Found;
use crate::average::Model;
use crate::error::{Error, Result};
use crate::num::normalise_logs;
use crate::observe::{Event, Observer};
use crate::run::{Alternatives, Outcome, Run, StartOutcome, Stop};
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
    type Own: Clone + Send + Sync;

    /// What one start comes to, at the tolerance that is good enough to compare it with others from afar.
    fn start(&self, index: usize, run: &Run<'_>) -> Result<Reached<Self::Own>>;

    /// Continues a start until it converges at the method's own tolerance, or reaches the limit of [`longest`] iterations.
    fn go_on(&self, reached: &Reached<Self::Own>, run: &Run<'_>) -> Result<Reached<Self::Own>>;
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

/// How many iterations the best starts may take where one alone may take `iterations`.
pub(super) fn longest(iterations: usize) -> usize {
    iterations.saturating_mul(LONGER)
}

/// The best starts may take so many times the iterations of the others.
const LONGER: usize = 20;

/// What one start came to.
#[derive(Clone)]
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

    /// What it may still come to. Where gains fall by the same factor at each step, all that follow sum up to less than the last
    /// one times the number of steps.
    fn ceiling(&self) -> f64 {
        let gain = match self.outcome.trace[..] {
            [.., before, last] => (last - before).abs(),
            _ => 0.0,
        };
        self.score + gain * self.outcome.iterations as f64
    }

    /// This, with the iterations that led to where it was continued from.
    pub(super) fn after(mut self, before: &Outcome) -> Reached<T> {
        let own = &mut self.outcome;
        own.iterations += before.iterations;
        own.passes += before.passes;
        own.trace.splice(..0, before.trace.iter().copied());
        self
    }
}

/// Starts of which all is held at the same time.
const AT_ONCE: usize = 16;

/// Solutions whose scores differ by no more than this part are equally good, and if a membership differs by more than that, they are
/// different ones.
const SAME_SCORE: f64 = 1e-9;
const DIFFERENT: f64 = 0.02;

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

/// Runs every start, in parallel, and continues those that may still be the best; ties: the first. Fails if all fail. Starts that
/// ended before the run was stopped are kept.
pub(super) fn learn<S: Starts>(starts: &S, plan: &Plan, run: &Run<'_>) -> Result<Found> {
    run.tell(&Event::Phase { name: "starts", steps: Some(plan.starts as u64) })?;
    let quiet = Quiet(run);
    let inner = run.clone().observed(&quiet);
    let mut all = All::new(plan.policy != Policy::Best);
    for from in (0..plan.starts).step_by(AT_ONCE) {
        let indices: Vec<usize> = (from..(from + AT_ONCE).min(plan.starts)).collect();
        let found = at_once(run, &indices, |&index| {
            let reached = starts.start(index, &inner);
            run.should_stop(&Event::Step { steps: 1 });
            reached
        });
        found.into_iter().for_each(|reached| all.add(reached));
        all.prune();
    }
    let ended = all.outcomes.len();
    all.finish(starts, &inner);
    let stopped = all.stopped.take();
    let mut sure = true;
    let best = match (all.best().cloned(), stopped) {
        (Some(Kept { place, mut reached, finished }), _) => {
            sure = finished;
            if !sure {
                reached.outcome.stop = Stop::Interrupted;
                all.outcomes[place] = reached.told();
            }
            reached
        }
        (None, Some(stopped)) => {
            all.outcomes.push(stopped.told());
            stopped
        }
        (None, None) => return Err(all.problem.unwrap_or(Error::Interrupted)),
    };
    let text = match ended {
        0 => Some("stopped before any start converged; keeping the best one so far".into()),
        _ if ended < plan.starts => {
            Some(format!("stopped: {ended} of {} starts were made", plan.starts))
        }
        _ if !sure => Some("stopped before the best start converged".into()),
        _ => None,
    };
    // The run asks to stop, but may still be notified.
    text.iter().for_each(|text| _ = run.should_stop(&Event::Note { text }));
    let last = &run.to_the_end();
    let alternatives = all.alternatives(starts, &best, last)?;
    let same = |s: &&StartOutcome| s.value().is_some_and(|v| StartOutcome::same_top(v, best.score));
    let reached = all.outcomes.iter().filter(same).count().max(1);
    let best = match plan.policy {
        Policy::Best => best,
        policy if all.kept.len() > 1 => averaged(starts, best, &all.kept, policy, last)?,
        // The mean of one is the one itself.
        _ => best,
    };
    let Reached { own, outcome, .. } = best;
    let model = starts.finish(own, last)?;
    let starts = all.outcomes;
    Ok(Found { model, outcome, starts, reached, alternatives, objective: None, hard: None })
}

/// What a method comes to by the one start that was made.
pub(super) fn alone<S: Starts>(
    starts: &S,
    reached: Reached<S::Own>,
    run: &Run<'_>,
) -> Result<Found> {
    let reached = starts.go_on(&reached, run)?;
    let outcomes = vec![reached.told()];
    let Reached { own, outcome, .. } = reached;
    let model = starts.finish(own, &run.to_the_end())?;
    Ok(Found {
        model,
        outcome,
        starts: outcomes,
        reached: 1,
        alternatives: None,
        objective: None,
        hard: None,
    })
}

/// The same work on several things in parallel; what was not begun before a stop is not begun.
fn at_once<T: Send>(
    run: &Run<'_>,
    indices: &[usize],
    work: impl Fn(&usize) -> Result<T> + Sync,
) -> Vec<Result<T>> {
    let one = |index: &usize| match run.should_stop(&Event::Step { steps: 0 }) {
        true => Err(Error::Interrupted),
        false => work(index),
    };
    run.install(|| indices.par_iter().map(one).collect())
}

/// A start that is kept.
#[derive(Clone)]
struct Kept<T> {
    /// Its place among the outcomes.
    place: usize,
    reached: Reached<T>,
    /// Whether it was continued.
    finished: bool,
}

/// What has come of the starts so far.
struct All<T> {
    kept: Vec<Kept<T>>,
    /// The best of those that were stopped underway: better than nothing.
    stopped: Option<Reached<T>>,
    outcomes: Vec<StartOutcome>,
    /// Whether all starts are needed to the end, not the best alone.
    keeps_all: bool,
    problem: Option<Error>,
}

impl<T: Clone + Send + Sync> All<T> {
    fn new(keeps_all: bool) -> All<T> {
        All { kept: Vec::new(), stopped: None, outcomes: Vec::new(), keeps_all, problem: None }
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
                let place = self.outcomes.len();
                self.outcomes.push(reached.told());
                self.kept.push(Kept { place, reached, finished: false });
            }
        }
    }

    /// The best start so far; ties: the first.
    fn best(&self) -> Option<&Kept<T>> {
        let better = |a: &'_ Kept<T>, b: &'_ Kept<T>| b.reached.score > a.reached.score;
        self.kept.iter().reduce(|a, b| if better(a, b) { b } else { a })
    }

    /// What a start must be able to come to so that it may be the best: the score of the best that was continued, or else of the
    /// best there is.
    fn least(&self) -> f64 {
        let finished = self.kept.iter().filter(|k| k.finished).map(|k| k.reached.score);
        let best = self.best().map(|best| best.reached.score);
        finished.reduce(f64::max).or(best).unwrap_or(f64::NEG_INFINITY)
    }

    /// Forgets the starts that cannot be the best, unless all are needed.
    fn prune(&mut self) {
        let least = self.least();
        let all = self.keeps_all;
        self.kept.retain(|k| all || k.reached.ceiling() >= least);
    }

    /// Continues the starts that may be the best, the most promising first.
    fn finish<S: Starts<Own = T>>(&mut self, starts: &S, run: &Run<'_>) {
        while !run.should_stop(&Event::Step { steps: 0 }) {
            let least = self.least();
            let open = |k: &Kept<T>| !k.finished && k.reached.ceiling() >= least;
            let mut open: Vec<usize> =
                (0..self.kept.len()).filter(|&i| open(&self.kept[i])).collect();
            open.sort_by(|&a, &b| {
                self.kept[b].reached.score.total_cmp(&self.kept[a].reached.score)
            });
            open.truncate(AT_ONCE);
            if open.is_empty() {
                break;
            }
            let results = at_once(run, &open, |&i| starts.go_on(&self.kept[i].reached, run));
            for (i, result) in open.into_iter().zip(results) {
                let Kept { place, reached, finished } = &mut self.kept[i];
                match result {
                    Ok(further) => {
                        *finished = further.outcome.stop != Stop::Interrupted;
                        self.outcomes[*place] = further.told();
                        *reached = further;
                    }
                    Err(Error::Interrupted) => {}
                    // What it came to before is kept.
                    Err(e) => {
                        *finished = true;
                        self.outcomes[*place].problem = Some(e.to_string());
                    }
                }
            }
        }
    }

    /// Solutions as good as the best one in which the rows are of other clusters: then the rows do not say which of them it is.
    fn alternatives<S: Starts<Own = T>>(
        &self,
        starts: &S,
        best: &Reached<T>,
        run: &Run<'_>,
    ) -> Result<Option<Alternatives>> {
        let near = |k: &&Kept<T>| {
            let score = k.reached.score;
            k.finished && (score - best.score).abs() <= SAME_SCORE * best.score.abs().max(1.0)
        };
        let equal: Vec<&Kept<T>> = self.kept.iter().filter(near).take(AT_ONCE).collect();
        // The best is among them.
        if equal.len() < 2 {
            return Ok(None);
        }
        let (first, clusters) = (starts.memberships(&best.own, run)?, starts.clusters());
        let mut found = Alternatives { starts: 0, compared: equal.len(), difference: 0.0 };
        for kept in equal {
            let own = starts.memberships(&kept.reached.own, run)?;
            let difference = difference(&first, &own, clusters, starts.weights())?;
            found.starts += usize::from(difference > DIFFERENT);
            found.difference = found.difference.max(difference);
        }
        Ok((found.starts > 0).then_some(found))
    }
}

/// The largest difference of a membership, clusters named as in the first.
fn difference(
    first: &[f64],
    second: &[f64],
    clusters: usize,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let of = |values| Memberships { values, clusters };
    let names = align(of(first), of(second), weights)?;
    let rows = first.chunks_exact(clusters).zip(second.chunks_exact(clusters));
    let largest = |(a, b): (&[f64], &[f64])| {
        names.iter().zip(b).map(|(&name, p)| (a[name] - p).abs()).fold(0.0, f64::max)
    };
    Ok(rows.map(largest).fold(0.0, f64::max))
}

/// The step from the mean of the starts' memberships, their clusters named as in the best: cluster by cluster the model of
/// the average, for every method alike.
fn averaged<S: Starts>(
    starts: &S,
    best: Reached<S::Own>,
    others: &[Kept<S::Own>],
    policy: Policy,
    run: &Run<'_>,
) -> Result<Reached<S::Own>> {
    let mut weights: Vec<f64> = match policy {
        Policy::Weighted => others.iter().map(|k| k.reached.log_likelihood).collect(),
        _ => vec![0.0; others.len()],
    };
    normalise_logs(&mut weights);
    let first = starts.memberships(&best.own, run)?;
    let clusters = starts.clusters();
    let mut mean = vec![0.0; first.len()];
    for (kept, weight) in others.iter().zip(&weights).filter(|(_, w)| **w >= LEAST_WEIGHT) {
        let own = starts.memberships(&kept.reached.own, run)?;
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
