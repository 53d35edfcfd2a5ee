//! Progress on standard error, when it is a terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use refrain::{Event, Observer};

use crate::arguments::on_terminal;

/// The content of a progress bar.
pub(crate) struct Status {
    /// The current phase.
    pub(crate) phase: &'static str,
    /// Bytes done.
    pub(crate) done: u64,
    /// Bytes to do; 0 when that is not known.
    pub(crate) total: u64,
    /// Documents done.
    pub(crate) documents: u64,
    /// Whatever else is worth telling.
    pub(crate) note: String,
}

/// A bar that is drawn from a thread of its own until it is dropped.
pub(crate) struct Bar {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// A bar for a run, and the observer that moves it; `unit` is what the run counts, such as "documents".
    pub(crate) fn of_run(is_shown: bool, unit: &'static str) -> (Bar, Observer) {
        if !is_shown || !on_terminal() {
            return (Bar { stop: Arc::default(), thread: None }, Observer::default());
        }
        let latest: Arc<Mutex<Option<Event>>> = Arc::default();
        let shown = latest.clone();
        let bar = Bar::start(false, move || match *shown.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Event::Progress { phase, done, total, documents, failures, removed }) => {
                let some = |count, what| if count > 0 { format!(", {count} {what}") } else { String::new() };
                let (removed, failed) = (some(removed, "removed"), some(failures, "failed"));
                Status { phase, done, total, documents, note: format!(", {documents} {unit}{removed}{failed}") }
            }
            _ => Status { phase: "start", done: 0, total: 0, documents: 0, note: String::new() },
        });
        (bar, Observer::new(move |event| *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(*event)))
    }

    /// Draws `status` ten times a second, once there is something to show. Draws nothing if nobody would see it.
    pub(crate) fn start(quiet: bool, status: impl Fn() -> Status + Send + 'static) -> Bar {
        let stop = Arc::new(AtomicBool::new(false));
        if quiet || !on_terminal() {
            return Bar { stop, thread: None };
        }
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut bar = ProgressBar::hidden();
            let known = "{prefix:>5} [{bar:30}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left{msg}";
            let unknown = "{prefix:>5} {spinner} {bytes} {bytes_per_sec}{msg}";
            let style =
                |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            let (known, unknown) = (style(known).progress_chars("=> "), style(unknown));
            let counting = style("{prefix:>5} {spinner}{msg}");
            let mut phase = "";
            while !stopped.load(Ordering::Relaxed) {
                let now = status();
                if now.phase != phase && now.done + now.documents > 0 {
                    phase = now.phase;
                    bar.finish_and_clear();
                    bar = ProgressBar::hidden().with_prefix(phase);
                }
                if now.phase == phase {
                    let style = match (now.total, now.done) {
                        (0, 0) => &counting,
                        (0, _) => &unknown,
                        _ => &known,
                    };
                    bar.set_style(style.clone());
                    bar.set_length(now.total.max(now.done));
                    bar.set_message(now.note);
                    bar.set_position(now.done);
                }
                if now.phase == phase && bar.is_hidden() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.tick();
                }
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
