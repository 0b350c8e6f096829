//! Progress on a terminal, and Ctrl-C.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sare::observe::{Event, Observer};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static STOP: AtomicBool = AtomicBool::new(false);

/// Set once a command has what it needs and only writes it.
static FINISHING: AtomicBool = AtomicBool::new(false);

/// How long after Ctrl-C a run may take to reach a safe point before the process ends without it.
const GRACE: Duration = Duration::from_secs(2);

/// Makes Ctrl-C stop the run at its next safe point; if that does not come soon (the process may be waiting for input),
/// or Ctrl-C comes again, unfinished files are removed and the process ends.
pub fn handle_interrupts() {
    // Without a handler the system ends the process at once, which is no worse than before.
    let _ = ctrlc::set_handler(|| {
        if !STOP.swap(true, Ordering::SeqCst) {
            std::thread::spawn(|| {
                std::thread::sleep(GRACE);
                if !FINISHING.load(Ordering::SeqCst) {
                    end_now();
                }
            });
            return;
        }
        end_now();
    });
}

/// From here on a first Ctrl-C, also one that came before, leaves the command time to write what it has.
pub fn finish() {
    FINISHING.store(true, Ordering::SeqCst);
}

fn end_now() {
    sare::data::write::abandon_unfinished();
    eprintln!("sare: interrupted");
    std::process::exit(1);
}

/// Work that ends sooner than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// Shows a bar on a terminal, and stops the run at the next safe point after Ctrl-C.
pub struct Watcher {
    bar: Mutex<Option<Bar>>,
    notes: Mutex<Vec<String>>,
    shown: bool,
    quiet: bool,
}

struct Bar {
    bar: ProgressBar,
    started: Instant,
}

impl Watcher {
    /// A watcher; a quiet one shows nothing.
    pub fn new(quiet: bool) -> Watcher {
        Watcher {
            bar: Mutex::new(None),
            notes: Mutex::default(),
            shown: !quiet && std::io::stderr().is_terminal(),
            quiet,
        }
    }

    /// What the run had to say, each thing once.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().map(|notes| notes.clone()).unwrap_or_default()
    }

    fn note(&self, text: &str) {
        if let Ok(mut notes) = self.notes.lock()
            && !notes.iter().any(|n| n == text)
        {
            notes.push(text.into());
        }
    }

    /// True once Ctrl-C was pressed.
    pub fn stopped(&self) -> bool {
        STOP.load(Ordering::SeqCst)
    }

    fn phase(&self, name: &str, steps: Option<u64>) {
        let Ok(mut slot) = self.bar.lock() else { return };
        if let Some(old) = slot.take() {
            old.bar.finish_and_clear();
        }
        let bar = ProgressBar::with_draw_target(steps, ProgressDrawTarget::hidden());
        let template = if steps.is_some() {
            "{msg} {bar:30} {human_pos}/{human_len}, {eta} left"
        } else {
            "{msg}: {human_pos} {spinner} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_string());
        *slot = Some(Bar { bar, started: Instant::now() });
    }

    fn step(&self, steps: u64) {
        let Ok(slot) = self.bar.lock() else { return };
        let Some(bar) = slot.as_ref() else { return };
        bar.bar.inc(steps);
        if bar.bar.is_hidden() && bar.started.elapsed() > PATIENCE {
            bar.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Observer for Watcher {
    fn event(&self, event: &Event<'_>) -> ControlFlow<()> {
        if let Event::Note { text } = event {
            self.note(text);
        }
        if let Event::Forecast { text } = event
            && !self.quiet
        {
            eprintln!("sare: {text}");
        }
        if self.shown {
            match *event {
                Event::Phase { name, steps } => self.phase(name, steps),
                Event::Step { steps } => self.step(steps),
                _ => {}
            }
        }
        if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Ok(Some(bar)) = self.bar.lock().map(|mut b| b.take()) {
            bar.bar.finish_and_clear();
        }
    }
}
