//! Guards calls of other libraries that may panic on bad input.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// True while this thread runs a guarded call.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call of another library; `None` if it panicked. Nothing that the call touched may be used afterwards.
pub(super) fn guarded<T>(step: impl FnOnce() -> T) -> Option<T> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(step));
    GUARDED.set(outer);
    result.ok()
}

/// True while this thread reads a file with a library that may panic on damaged files. Such a panic becomes a failure of the file.
/// A program can therefore leave it out in its panic hook.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer() {
        assert_eq!(guarded(is_guarded), Some(true));
        assert_eq!(guarded(|| -> u32 { panic!("on purpose") }), None);
        assert!(!is_guarded());
    }
}
