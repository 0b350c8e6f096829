//! What is given with each call and is no part of a learner: seed, observer, threads, time limit. And what comes
//! back beside the model: how the run ended.

mod check;
mod clusters;

pub(crate) use clusters::near_whole;
pub use clusters::{
    Alternatives, ClusterOutcome, Compared, Figures, NumbersTried, Rule, StartOutcome,
};

use crate::error::{Error, Result};
use crate::observe::{Event, Observer, Silent};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More threads than this are a slip of the finger.
const MOST_THREADS: usize = 1024;

/// The circumstances of a call.
#[derive(Clone)]
pub struct Run<'a> {
    /// Everything random is derived from this number.
    pub seed: u64,
    observer: &'a dyn Observer,
    deadline: Option<Instant>,
    /// Whether the observer or the clock has asked to stop; shared by all clones of a run.
    stopped: Arc<AtomicBool>,
    pool: Option<Arc<rayon::ThreadPool>>,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run { seed: 1, observer: &Silent, deadline: None, stopped: Arc::default(), pool: None }
    }
}

impl<'a> Run<'a> {
    /// A silent run with this seed on all cores.
    pub fn with_seed(seed: u64) -> Run<'static> {
        Run { seed, ..Run::default() }
    }

    /// The same run, watched.
    pub fn observed(self, observer: &'a dyn Observer) -> Run<'a> {
        Run { observer, stopped: Arc::default(), ..self }
    }

    /// The same run on this many threads; 0 means one a core. No result depends on it.
    pub fn threads(self, threads: usize) -> Result<Run<'a>> {
        let bad = |expected: String| Error::Setting {
            learner: "run".into(),
            setting: "threads".into(),
            value: threads.to_string(),
            expected,
        };
        if threads > MOST_THREADS {
            return Err(bad(format!("from 0 to {MOST_THREADS}")));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| bad(format!("a number this system can start ({e})")))?;
        Ok(Run { pool: Some(Arc::new(pool)), ..self })
    }

    /// The same run with a limit on its time.
    pub fn time_limit(self, limit: Duration) -> Run<'a> {
        Run { deadline: Instant::now().checked_add(limit), stopped: Arc::default(), ..self }
    }

    /// The same run, watched by nobody and without a limit: for the little that is left to do after a stop, so that what
    /// was found is not lost.
    pub(crate) fn to_the_end(&self) -> Run<'a> {
        Run { observer: &Silent, deadline: None, stopped: Arc::default(), ..self.clone() }
    }

    /// Runs `work` on this run's threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Tells the observer; fails if it, or the clock, asks to stop. For work that has no result until it is whole.
    pub fn tell(&self, event: &Event<'_>) -> Result<()> {
        if self.should_stop(event) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Tells the observer something the user should know about the result.
    pub fn note(&self, text: &str) -> Result<()> {
        self.tell(&Event::Note { text })
    }

    /// Tells the observer; true if it, or the clock, asks to stop, or did so before. For loops that have a result at every
    /// iteration.
    pub fn should_stop(&self, event: &Event<'_>) -> bool {
        let asked = self.observer.event(event).is_break()
            || self.deadline.is_some_and(|d| Instant::now() >= d);
        if asked {
            self.stopped.store(true, Ordering::Relaxed);
        }
        asked || self.stopped.load(Ordering::Relaxed)
    }

    /// Fails if the observer or the clock has asked to stop: what was learnt in this run may then be half-finished. For
    /// results that only count whole, such as figures and the lines of a journal.
    pub fn check_whole(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Why an iterative learner ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The answer is in closed form: there was nothing to iterate.
    Exact,
    /// The change fell below the tolerance.
    Converged,
    /// The limit on iterations was reached.
    IterationLimit,
    /// No step improved the objective, or where rows are held out to stop on, that of those rows.
    NoGain,
    /// The observer or the clock asked to stop; the model is the best so far.
    Interrupted,
}

/// How a learner ended. Not converging is a result, not an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why it ended.
    pub stop: Stop,
    /// How many iterations it took.
    pub iterations: usize,
    /// The objective after each iteration.
    pub trace: Vec<f64>,
    /// How many times an iterative learner went over the rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub passes: usize,
    /// The posterior probability that each attribute depends on the class, where structures were averaged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<Vec<f64>>,
    /// Why each arc of the graph is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ArcReason>,
    /// The posterior probability of each arc, where structures with different arcs were averaged; arcs of less than
    /// [`LEAST_ARC`] are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arcs: Option<Vec<ArcProbability>>,
    /// How the graph was found, where it was searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchOutcome>,
    /// How clusters were found, where they were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterOutcome>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// How a search for a graph ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchOutcome {
    /// What it raised, and the graph's value; none for a search by tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<(String, f64)>,
    /// How many steps it took (of hill climbing, over all restarts), parents it added, or tests it made.
    pub steps: u64,
}

/// Why an arc is there: what the parent tells about the child beside the child's other parents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArcReason {
    /// The column the arc leads from.
    pub parent: usize,
    /// The column it leads to.
    pub child: usize,
    /// I(child; parent | other parents), in nats.
    pub information: f64,
    /// How much the arc adds to the BIC score.
    pub gain: f64,
    /// The probability of as much information by chance: the chi-square test of 2 N I.
    pub chance: f64,
}

/// An arc less probable than this is not reported, so that files stay small.
pub const LEAST_ARC: f64 = 0.001;

/// How probable an arc is, given the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArcProbability {
    /// The column where it starts.
    pub parent: usize,
    /// The column where it ends. Of an edge without direction the parent is the lower column.
    pub child: usize,
    /// The posterior probability.
    pub probability: f64,
}

impl Outcome {
    /// The outcome of a learner that has nothing to iterate.
    pub fn exact() -> Outcome {
        Outcome {
            stop: Stop::Exact,
            iterations: 0,
            trace: Vec::new(),
            passes: 0,
            relevance: None,
            reasons: Vec::new(),
            arcs: None,
            search: None,
            clusters: None,
        }
    }
}
