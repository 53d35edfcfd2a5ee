//! Guards library calls that may panic on bad input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// True while this thread runs a guarded step.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a library call; `None` if it panicked. Nothing that the call touched may be used afterwards.
///
/// The panic message is not printed: a damaged file is reported as a failure of that file. For that, the process's
/// panic hook is wrapped once, in one that is silent on threads inside such a call and passes on all other panics.
pub(super) fn guarded<T>(step: impl FnOnce() -> T) -> Option<T> {
    static WRAP: Once = Once::new();
    WRAP.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(step));
    GUARDED.set(outer);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        assert_eq!(guarded(|| 1), Some(1));
        assert_eq!(guarded(|| -> u32 { panic!("on purpose") }), None);
        assert!(!GUARDED.get());
    }
}
