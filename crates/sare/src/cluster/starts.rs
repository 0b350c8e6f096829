//! Many starts: each from parameters of its own, the best kept, a bad one survived.

use crate::error::{Error, Result};
use crate::network::Network;
use crate::observe::{Event, Observer};
use crate::run::{Outcome, Run, StartOutcome};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// What one start came to.
pub(super) struct Reached {
    pub network: Network,
    pub outcome: Outcome,
    /// The log-likelihood of the rows under the network.
    pub log_likelihood: f64,
    /// The probability that each attribute matters, where that is known.
    pub relevance: Option<Vec<f64>>,
}

/// The best start, and how all of them ended.
pub(super) struct Best {
    pub best: Reached,
    pub starts: Vec<StartOutcome>,
    /// How many reached as high.
    pub reached: usize,
}

/// Two starts have reached the same hill top if their log-likelihoods differ by no more than this, absolutely or as a part.
const SAME: f64 = 1e-5;

/// Starts whose networks are held at the same time.
const AT_ONCE: usize = 16;

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

/// Runs every start, in parallel; of equals the first is best. Fails if all fail.
pub(super) fn best_of(
    count: usize,
    run: &Run<'_>,
    start: &(dyn Fn(usize, &Run<'_>) -> Result<Reached> + Sync),
) -> Result<Best> {
    run.tell(&Event::Phase { name: "starts", steps: Some(count as u64) })?;
    let quiet = Quiet(run);
    let inner = run.clone().observed(&quiet);
    let mut best: Option<Reached> = None;
    let mut starts = Vec::with_capacity(count);
    let mut first_problem = None;
    for from in (0..count).step_by(AT_ONCE) {
        let indices = from..(from + AT_ONCE).min(count);
        let found: Vec<Result<Reached>> = run.install(|| {
            indices
                .into_par_iter()
                .map(|index| {
                    let reached = start(index, &inner);
                    run.should_stop(&Event::Step { steps: 1 });
                    reached
                })
                .collect()
        });
        for reached in found {
            match reached {
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(e) => {
                    let problem = Some(e.to_string());
                    starts.push(StartOutcome {
                        log_likelihood: None,
                        stop: None,
                        iterations: 0,
                        problem,
                    });
                    first_problem.get_or_insert(e);
                }
                Ok(reached) => {
                    starts.push(StartOutcome {
                        log_likelihood: Some(reached.log_likelihood),
                        stop: Some(reached.outcome.stop),
                        iterations: reached.outcome.iterations,
                        problem: None,
                    });
                    let higher = |b: &Reached| reached.log_likelihood > b.log_likelihood;
                    if best.as_ref().is_none_or(higher) {
                        best = Some(reached);
                    }
                }
            }
        }
    }
    let Some(best) = best else { return Err(first_problem.unwrap_or(Error::Interrupted)) };
    let slack = SAME * best.log_likelihood.abs().max(1.0);
    let same = |s: &&StartOutcome| {
        s.log_likelihood.is_some_and(|value| value >= best.log_likelihood - slack)
    };
    let reached = starts.iter().filter(same).count();
    Ok(Best { best, starts, reached })
}
