//! Progress on standard error: a bar on a terminal, and a line for each stage that ended; or lines of JSON for programs.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use refrain::{Event, Observer};
use serde_json::json;

use crate::arguments::{on_terminal, print_message};

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Not at all.
    Nothing,
    /// For people, if they watch.
    Bar,
    /// For programs.
    Json,
}

impl Shown {
    /// A bar, unless the user asked for quiet.
    pub(crate) fn unless(quiet: bool) -> Shown {
        if quiet { Shown::Nothing } else { Shown::Bar }
    }
}

/// A stage of a run.
#[derive(Debug, Clone, Copy)]
struct Stage {
    name: &'static str,
    began: Instant,
    /// Bytes done, and to do; 0 if that is unknown.
    done: u64,
    total: u64,
    documents: u64,
    removed: u64,
    failures: u64,
}

impl Stage {
    fn did_something(&self) -> bool {
        self.done + self.documents > 0
    }

    /// How much it did: `200 documents, 3 removed`.
    fn counts(&self, unit: &str) -> String {
        let some = |count, what| if count > 0 { format!(", {count} {what}") } else { String::new() };
        format!("{} {unit}{}{}", self.documents, some(self.removed, "removed"), some(self.failures, "failed"))
    }

    /// The line that is kept of a stage.
    fn line(&self, unit: &str, is_complete: bool) -> String {
        let time = self.began.elapsed();
        // Not every stage counts documents.
        let counts = if self.documents > 0 { self.counts(unit) + " in " } else { String::new() };
        let mut line = format!("{:>9}  {counts}{}", self.name, duration(time));
        if self.done > 0 {
            let rate = u128::from(self.done) * 1000 / time.as_millis().max(1);
            let rate = HumanBytes(u64::try_from(rate).unwrap_or(u64::MAX));
            let _ = write!(line, "; {}, {rate}/s", HumanBytes(self.done));
        }
        line + if is_complete { "" } else { "; not complete" }
    }

    /// The same for programs.
    fn json(&self, event: &str) -> String {
        let seconds = self.began.elapsed().as_secs_f64().max(0.001);
        let rate = self.done as f64 / seconds;
        let left = (event == "progress" && self.done > 0 && self.total >= self.done)
            .then(|| ((self.total - self.done) as f64 / rate).round());
        json!({
            "event": event,
            "stage": self.name,
            "documents": self.documents,
            "removed": self.removed,
            "failures": self.failures,
            "bytes": self.done,
            "total_bytes": (self.total > 0).then_some(self.total),
            "seconds": (seconds * 1000.0).round() / 1000.0,
            "bytes_per_second": rate.round(),
            "seconds_left": left,
        })
        .to_string()
    }
}

/// A duration in words.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// The stages so far.
#[derive(Default)]
struct Stages {
    current: Option<Stage>,
    /// Those that ended and were not shown yet.
    ended: Vec<Stage>,
}

impl Stages {
    fn hear(&mut self, event: &Event) {
        let Event::Progress { phase, done, total, documents, failures, removed } = *event else { return };
        let before = self.current.filter(|stage| stage.name == phase);
        if before.is_none() {
            self.ended.extend(self.current.filter(Stage::did_something));
        }
        let began = before.map_or_else(Instant::now, |stage| stage.began);
        self.current = Some(Stage { name: phase, began, done, total, documents, removed, failures });
    }
}

fn lock(stages: &Mutex<Stages>) -> MutexGuard<'_, Stages> {
    stages.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Progress that is shown from a thread of its own until the run ends.
pub(crate) struct Bar {
    /// How the run ended: true if it is complete.
    how: Arc<OnceLock<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// A bar for a run, and the observer that moves it; `unit` is what the run counts, such as "documents".
    pub(crate) fn of_run(shown: Shown, unit: &'static str) -> (Bar, Observer) {
        let how: Arc<OnceLock<bool>> = Arc::default();
        if shown == Shown::Nothing || (shown == Shown::Bar && !on_terminal()) {
            return (Bar { how, thread: None }, Observer::default());
        }
        let stages: Arc<Mutex<Stages>> = Arc::default();
        let (heard, ended) = (stages.clone(), how.clone());
        let thread = std::thread::spawn(move || match shown {
            Shown::Json => tell(&stages, &ended),
            _ => draw(&stages, &ended, unit),
        });
        (Bar { how, thread: Some(thread) }, Observer::new(move |event| lock(&heard).hear(event)))
    }

    /// Shows the end of a run.
    pub(crate) fn end(self, is_complete: bool) {
        let _ = self.how.set(is_complete);
        if let Some(thread) = self.thread {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Draws a bar ten times a second, once there is something to show. Of a run with several stages, a line is kept of each.
fn draw(stages: &Mutex<Stages>, how: &OnceLock<bool>, unit: &str) {
    let mut bar = ProgressBar::hidden();
    let known = "{prefix:>9} [{bar:25}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left{msg}";
    let unknown = "{prefix:>9} {spinner} {bytes} {bytes_per_sec}{msg}";
    let style = |template| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let (known, unknown) = (style(known).progress_chars("=> "), style(unknown));
    let counting = style("{prefix:>9} {spinner}{msg}");
    let (mut name, mut lines) = ("", 0);
    loop {
        let how = how.get();
        let (ended, current) = {
            let mut stages = lock(stages);
            (std::mem::take(&mut stages.ended), stages.current.filter(Stage::did_something))
        };
        if !ended.is_empty() {
            bar.finish_and_clear();
            for stage in &ended {
                print_message(&stage.line(unit, true));
            }
            lines += ended.len();
        }
        // The end of a stage that was shown is shown, too.
        if let Some(stage) = current.filter(|stage| how.is_none() || stage.name == name) {
            if stage.name != name {
                name = stage.name;
                bar.finish_and_clear();
                bar = ProgressBar::hidden().with_prefix(name);
            }
            let style = match (stage.total, stage.done) {
                (0, 0) => &counting,
                (0, _) => &unknown,
                _ => &known,
            };
            bar.set_style(style.clone());
            bar.set_length(stage.total.max(stage.done));
            bar.set_message(format!(", {}", stage.counts(unit)));
            bar.set_position(stage.done);
            if bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
                bar.tick();
            }
        }
        if let Some(is_complete) = how {
            bar.finish_and_clear();
            // The only stage of a run needs no line: its summary says the same.
            if let Some(stage) = current.filter(|_| lines > 0) {
                print_message(&stage.line(unit, *is_complete));
            }
            return;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// Prints a line of JSON every second, and one for each stage that ended.
fn tell(stages: &Mutex<Stages>, how: &OnceLock<bool>) {
    let mut last = Instant::now();
    loop {
        let how = how.get();
        let (ended, current) = {
            let mut stages = lock(stages);
            (std::mem::take(&mut stages.ended), stages.current.filter(Stage::did_something))
        };
        for stage in ended {
            print_message(&stage.json("stage"));
        }
        if let Some(is_complete) = how {
            let event = if *is_complete { "stage" } else { "stopped" };
            if let Some(stage) = current {
                print_message(&stage.json(event));
            }
            return;
        }
        if let Some(stage) = current.filter(|_| last.elapsed() >= Duration::from_secs(1)) {
            print_message(&stage.json("progress"));
            last = Instant::now();
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
}
