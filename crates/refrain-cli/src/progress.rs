//! Progress on standard error, when it is a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::common::on_terminal;

/// What a bar shows.
pub(crate) struct Status {
    /// What is being done.
    pub(crate) phase: &'static str,
    /// Bytes done.
    pub(crate) done: u64,
    /// Bytes to do; 0 when that is not known.
    pub(crate) total: u64,
    /// Whatever else is worth telling.
    pub(crate) note: String,
}

/// A bar that is drawn from a thread of its own until it is dropped.
pub(crate) struct Bar {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Draws what `status` says, ten times a second. Nothing is drawn when nobody would see it.
    pub(crate) fn start(quiet: bool, status: impl Fn() -> Status + Send + 'static) -> Bar {
        let stop = Arc::new(AtomicBool::new(false));
        if quiet || !on_terminal() {
            return Bar { stop, thread: None };
        }
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let bar = ProgressBar::new(0);
            let known = "{prefix:>5} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left{msg}";
            let unknown = "{prefix:>5} {spinner} {bytes} {bytes_per_sec}{msg}";
            let style =
                |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let (known, unknown) = (style(known).progress_chars("=> "), style(unknown));
            let mut phase = "";
            while !stopped.load(Ordering::Relaxed) {
                let now = status();
                if now.phase != phase {
                    phase = now.phase;
                    bar.reset();
                    bar.set_prefix(phase);
                }
                bar.set_style(if now.total > 0 { known.clone() } else { unknown.clone() });
                bar.set_length(now.total.max(now.done));
                bar.set_position(now.done);
                bar.set_message(now.note);
                std::thread::sleep(Duration::from_millis(100));
            }
            bar.finish_and_clear();
        });
        Bar { stop, thread: Some(thread) }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
