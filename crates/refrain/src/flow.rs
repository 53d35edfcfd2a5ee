//! The one loop over a collection: ordered work on all cores, with progress and a way to stop.

use std::ops::{ControlFlow, Range};

use crate::document::Position;
use crate::error::Result;
use crate::run::Workers;
use crate::source::{Collection, Item};

/// Raw bytes that are handed to a worker at a time.
const CHUNK_BYTES: usize = 256 << 10;
/// Items that are handed to a worker at a time.
const CHUNK_ITEMS: usize = 256;

/// Reads the whole collection as one phase, works on its items on all threads, and hands the results to the sink in the
/// order of the collection.
pub(crate) fn each_document<T: Send>(
    workers: &Workers,
    phase: &'static str,
    source: &Collection,
    work: impl Fn(Position, Item) -> T + Sync,
    sink: impl FnMut(Position, T) -> Result<()>,
) -> Result<()> {
    source.rewind();
    workers.begin(phase, source.inputs().total_size());
    each_document_of(workers, source, 0..source.inputs().len(), Position::default(), work, sink)
}

/// The same for some inputs of the collection, from a position on, inside the current phase. Memory is bounded by a few
/// chunks.
pub(crate) fn each_document_of<T: Send>(
    workers: &Workers,
    source: &Collection,
    inputs: Range<u32>,
    from: Position,
    work: impl Fn(Position, Item) -> T + Sync,
    mut sink: impl FnMut(Position, T) -> Result<()>,
) -> Result<()> {
    let stop = workers.stop();
    // One thread has no use for more than one item at a time.
    let most = if workers.threads() == 1 { 1 } else { CHUNK_ITEMS };
    let result = workers.in_stages(
        |send| {
            let mut chunk = Vec::new();
            let mut bytes = 0;
            let finished = read_inputs(source, inputs, from, &mut |position, item| {
                if let Item::Document(raw) = &item {
                    bytes += raw.size();
                }
                chunk.push((position, item));
                if stop.is_requested() {
                    return ControlFlow::Break(());
                }
                if bytes < CHUNK_BYTES && chunk.len() < most {
                    return ControlFlow::Continue(());
                }
                bytes = 0;
                send(std::mem::take(&mut chunk))
            });
            if finished.is_continue() && !chunk.is_empty() {
                let _ = send(chunk);
            }
            Ok(())
        },
        |(position, item)| {
            let is_document = matches!(item, Item::Document(_));
            (position, is_document, work(position, item))
        },
        |(position, is_document, done)| {
            stop.check()?;
            workers.set_done(source.bytes_read(), u64::from(is_document));
            sink(position, done)
        },
    );
    result.and_then(|()| source.check_stores()).and_then(|()| stop.check())
}

fn read_inputs(
    source: &Collection,
    inputs: Range<u32>,
    from: Position,
    sink: &mut dyn FnMut(Position, Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for input in inputs {
        let start = if input == from.input { from } else { Position { input, record: 0 } };
        if start >= from {
            source.read(start, sink)?;
        }
    }
    ControlFlow::Continue(())
}
