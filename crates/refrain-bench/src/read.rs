//! How fast sources read, and in how much memory.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Result, bail};
use refrain::Position;
use refrain::source::{Collection, InputFiles, Item, ReadOptions};
use serde_json::json;

pub(crate) fn measure(inputs: &[String], threads: u32) -> Result<()> {
    let (inputs, failures) = InputFiles::expand(inputs);
    if let Some(failure) = failures.first() {
        bail!("{failure}");
    }
    let source = Collection::new(inputs, ReadOptions::default());
    let (next, documents, skipped, failed, bytes) =
        (AtomicU32::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    let read = || {
        loop {
            let input = next.fetch_add(1, Ordering::Relaxed);
            if input >= source.inputs().len() {
                break;
            }
            let _ = source.read(Position { input, record: 0 }, &mut |_, item| {
                match item {
                    Item::Document(raw) => {
                        documents.fetch_add(1, Ordering::Relaxed);
                        bytes.fetch_add(raw.body.len() as u64, Ordering::Relaxed);
                    }
                    Item::Skipped { .. } => drop(skipped.fetch_add(1, Ordering::Relaxed)),
                    Item::Failed(_) => drop(failed.fetch_add(1, Ordering::Relaxed)),
                }
                ControlFlow::Continue(())
            });
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(read);
        }
        read();
    });
    let seconds = start.elapsed().as_secs_f64();
    let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
    print(&json!({
        "documents": count(&documents),
        "skipped": count(&skipped),
        "failed": count(&failed),
        "bytes": count(&bytes),
        "seconds": seconds,
        "peak_bytes": peak_memory(),
    }));
    Ok(())
}

/// The peak memory of this process so far, as Linux reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[allow(clippy::print_stdout)] // the result of this command
fn print(value: &serde_json::Value) {
    println!("{value}");
}
