//! Watching a run: what it is doing, how far it is, and asking it to stop.

use std::ops::ControlFlow;

/// Something worth telling while a learner works. Sent per iteration or piece of rows, never per row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A new phase begins.
    Phase {
        /// What it does, in a few words; where the number of steps is not known, what is counted.
        name: &'a str,
        /// How many steps it will take, where that is known.
        steps: Option<u64>,
    },
    /// Steps of the phase have been done.
    Step {
        /// How many since the last such event.
        steps: u64,
    },
    /// Something the user should know about the result.
    Note {
        /// What it is, in a sentence.
        text: &'a str,
    },
    /// What the user should know before long work begins, such as how long it will take.
    Forecast {
        /// What it is, in a sentence.
        text: &'a str,
    },
    /// An iteration of a loop has ended.
    Iteration {
        /// Its number, from 1.
        number: usize,
        /// What the loop tries to raise.
        objective: f64,
    },
}

/// Listens to a run. The answer `Break` asks it to stop at the next safe point; a later `Continue` does not take that back.
pub trait Observer: Sync {
    /// Takes one event; may be called from several threads at once.
    fn event(&self, event: &Event<'_>) -> ControlFlow<()>;
}

/// Hears nothing and never stops a run.
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
