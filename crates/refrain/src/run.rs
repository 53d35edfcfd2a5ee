//! How a job runs: how many threads and how much memory it may use, and how it is watched and stopped.

use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use rayon::ThreadPool;

use crate::disk::platform;
use crate::error::{Error, Hint, Result};

/// How a job runs. Nothing in it changes what the job finds or writes.
///
/// ```
/// use refrain::{Event, Observer, Run};
///
/// let run = Run {
///     threads: Some(2),
///     observer: Observer::new(|event| {
///         if let Event::Progress { phase, documents, .. } = event {
///             eprintln!("{phase}: {documents} documents");
///         }
///     }),
///     ..Run::default()
/// };
/// run.stop.request(); // usually from another thread: the job ends with `Error::Interrupted`
/// assert!(run.stop.check().is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Worker threads, 1 to [`Run::MAX_THREADS`]; `None` uses one per core.
    pub threads: Option<usize>,
    /// Memory that the job may use for what it learns, in bytes; `None` uses the default of the job.
    pub memory: Option<u64>,
    /// Folder for temporary files; `None` uses that of the system, or one next to the output where a run can be resumed.
    pub temporary: Option<PathBuf>,
    /// Ends the run early when another thread asks for it.
    pub stop: Stop,
    /// Receives progress.
    pub observer: Observer,
}

impl Run {
    /// The largest number of threads.
    pub const MAX_THREADS: usize = 256;

    /// Starts the threads.
    pub fn start(&self) -> Result<Workers> {
        self.check()?;
        let threads = self.threads();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Refused(format!("cannot start {threads} threads: {error}")))?;
        Ok(Workers {
            run: self.clone(),
            pool,
            phase: Mutex::new(("", 0)),
            done: AtomicU64::new(0),
            documents: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            removed: AtomicU64::new(0),
        })
    }

    /// The number of threads to use.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).clamp(1, Self::MAX_THREADS)
    }

    /// The folder for temporary files that do not outlive the run.
    pub fn temporary(&self) -> PathBuf {
        self.temporary.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// The most memory that this process has used so far, in bytes, where the system says it.
    pub fn peak_memory() -> Option<u64> {
        platform::peak_memory()
    }

    /// The memory that a job may use, in bytes.
    pub(crate) fn memory_or(&self, default: u64) -> Result<u64> {
        match self.memory.unwrap_or(default) {
            memory if memory < LEAST_MEMORY => {
                let least = format!("{}M", LEAST_MEMORY >> 20);
                let text = format!("use at least `memory={least}`");
                Err(Error::Refused("not enough memory".into()).hint(Hint::value("memory", least, text)))
            }
            memory => Ok(memory),
        }
    }

    /// Checks that the folder for temporary files exists.
    fn check(&self) -> Result<()> {
        match self.temporary.as_deref().filter(|folder| !folder.is_dir()) {
            Some(folder) => Err(not_a_folder(folder)),
            None => Ok(()),
        }
    }
}

/// The smallest memory limit, in bytes.
const LEAST_MEMORY: u64 = 32 << 20;

fn not_a_folder(folder: &Path) -> Error {
    Error::Refused(format!("{} is not a folder for temporary files; create it first", folder.display()))
}

/// A request to stop. Clones share one state: keep one, and hand another to the run.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests a stop; true if one was already requested.
    pub fn request(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }

    /// True once a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns [`Error::Interrupted`] once a stop was requested.
    pub fn check(&self) -> Result<()> {
        if self.is_requested() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Receives the events of a run, possibly from several threads at once.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<Observe>>);

type Observe = dyn Fn(&Event) + Send + Sync;

impl Observer {
    /// An observer that calls a function for every event. It is called often: keep it short.
    pub fn new(observe: impl Fn(&Event) + Send + Sync + 'static) -> Observer {
        Observer(Some(Arc::new(observe)))
    }

    /// Hands an event to the function.
    pub fn send(&self, event: &Event) {
        if let Some(observe) = &self.0 {
            observe(event);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(set)" } else { "Observer(none)" })
    }
}

/// What an [`Observer`] receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Progress of the current phase. Every phase counts from 0.
    Progress {
        /// What the job is doing: `read`, `learn`, `write`, ...
        phase: &'static str,
        /// Bytes of the input processed so far.
        done: u64,
        /// Bytes in total; 0 if unknown.
        total: u64,
        /// Documents processed so far.
        documents: u64,
        /// Failures so far.
        failures: u64,
        /// Documents of the current phase that were removed so far, where the job removes documents.
        removed: u64,
    },
}

/// Chunks that each worker may be ahead of the sink.
const CHUNKS_AHEAD: usize = 3;

/// The threads and the progress of a started run. Methods that use several threads take it as an argument.
///
/// No method of the library uses threads that it was not given.
pub struct Workers {
    run: Run,
    pool: ThreadPool,
    /// The name of the current phase, and its bytes in all.
    phase: Mutex<(&'static str, u64)>,
    done: AtomicU64,
    documents: AtomicU64,
    failures: AtomicU64,
    removed: AtomicU64,
}

impl Workers {
    /// How the job runs.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The request to stop.
    pub fn stop(&self) -> &Stop {
        &self.run.stop
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs a piece of work whose parallel iterators use these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Runs something on another thread without waiting for it.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) {
        self.pool.spawn(work);
    }

    /// Begins a phase of `total` bytes; 0 if unknown.
    pub fn begin(&self, phase: &'static str, total: u64) {
        *lock(&self.phase) = (phase, total);
        self.done.store(0, Ordering::Relaxed);
        self.documents.store(0, Ordering::Relaxed);
        self.removed.store(0, Ordering::Relaxed);
        self.report();
    }

    /// Counts work of the current phase.
    pub fn advance(&self, bytes: u64, documents: u64, failures: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
        self.documents.fetch_add(documents, Ordering::Relaxed);
        self.failures.fetch_add(failures, Ordering::Relaxed);
        self.report();
    }

    /// Counts documents that were removed. The next report has them.
    pub(crate) fn remove(&self, documents: u64) {
        self.removed.fetch_add(documents, Ordering::Relaxed);
    }

    /// Sets how many bytes of the current phase are done, and counts documents.
    pub fn set_done(&self, bytes: u64, documents: u64) {
        self.done.store(bytes, Ordering::Relaxed);
        self.documents.fetch_add(documents, Ordering::Relaxed);
        self.report();
    }

    fn report(&self) {
        let (phase, total) = *lock(&self.phase);
        self.run.observer.send(&Event::Progress {
            phase,
            done: self.done.load(Ordering::Relaxed),
            total,
            documents: self.documents.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            removed: self.removed.load(Ordering::Relaxed),
        });
    }

    /// Reads items in chunks, works on them on all threads, and hands the results to the sink in their order. All three
    /// happen at the same time: while one chunk is written, the next one is processed, and the one after it is read.
    /// With one thread, the steps take turns. An error of the sink takes precedence over one of the reader.
    pub fn in_stages<I: Send, T: Send>(
        &self,
        read: impl FnOnce(&mut dyn FnMut(Vec<I>) -> ControlFlow<()>) -> Result<()> + Send,
        work: impl Fn(I) -> T + Sync,
        mut sink: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let pool = &self.pool;
        if pool.current_num_threads() == 1 {
            let mut result = Ok(());
            let read = read(&mut |chunk| {
                result = chunk.into_iter().try_for_each(|item| sink(work(item)));
                if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            return result.and(read);
        }
        let work = &work;
        // Results in their order. A side that finds the other one gone stops: that side met an error and returns it.
        let (sender, results) = sync_channel::<Receiver<Vec<T>>>(CHUNKS_AHEAD * pool.current_num_threads());
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                pool.in_place_scope(|tasks| {
                    read(&mut |chunk| {
                        let (done, result) = sync_channel(1);
                        if sender.send(result).is_err() {
                            return ControlFlow::Break(());
                        }
                        tasks.spawn(move |_| {
                            let _ = done.send(chunk.into_iter().map(work).collect());
                        });
                        ControlFlow::Continue(())
                    })
                })
            });
            // Without a result the worker panicked, and nothing after it may be used.
            for result in results {
                let Ok(done) = result.recv() else { break };
                done.into_iter().try_for_each(&mut sink)?;
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) fn two_workers() -> Workers {
    Run { threads: Some(2), ..Run::default() }.start().expect("threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_after_a_panic_is_used() {
        let run = Run { threads: Some(2), ..Run::default() };
        let workers = run.start().expect("threads");
        let mut used = Vec::new();
        let stages = std::panic::AssertUnwindSafe(|| {
            workers.in_stages(
                |send| {
                    let _ = (0..100_u32).try_for_each(|chunk| send(vec![2 * chunk, 2 * chunk + 1]));
                    Ok(())
                },
                |item| {
                    assert!(item != 21, "on purpose");
                    item
                },
                |item| {
                    used.push(item);
                    Ok(())
                },
            )
        });
        assert!(std::panic::catch_unwind(stages).is_err());
        assert_eq!(used, (0..20).collect::<Vec<_>>());
    }
}
