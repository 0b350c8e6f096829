//! Decoders that panic on damaged files, without the text that a panic prints.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether panics of this thread are caught and reported as errors.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work`; if it panics, the text of the panic is returned and not printed. Panics of other threads, and of this
/// one outside of `work`, are printed as ever.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // A thread that is ending has no such value any more, and catches nothing.
            if !CAUGHT.try_with(Cell::get).unwrap_or(false) {
                usual(panic);
            }
        }));
    });
    let outer = CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(outer);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default().into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_catches_is_quiet() {
        let caught_here = caught(|| {
            let elsewhere = std::thread::spawn(|| CAUGHT.get()).join().unwrap();
            assert!(CAUGHT.get() && !elsewhere);
            assert_eq!(caught(|| panic!("inner {}", 1)), Err::<(), _>("inner 1".into()));
            assert!(CAUGHT.get());
            panic!("outer");
        });
        assert_eq!(caught_here, Err::<(), _>("outer".into()));
        assert!(!CAUGHT.get());
        assert_eq!(caught(|| 3), Ok(3));
    }
}
