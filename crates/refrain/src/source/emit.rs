//! Passes items to the sink, each with its position.

use std::ops::ControlFlow;

use super::compress::{BOMB, RAISE_EXPANSION};
use super::{InputFormat, Item, Outage, RawDocument};
use crate::document::{Origin, Position};
use crate::error::{Failure, Hint};

/// Numbers the items of one input and passes on those from the wanted position on.
pub(crate) struct Emitter<'a> {
    next: Position,
    first_wanted: u64,
    /// The types of documents to pass on; empty for all.
    types: &'a [InputFormat],
    outage: &'a Outage,
    sink: &'a mut dyn FnMut(Position, Item) -> ControlFlow<()>,
}

impl<'a> Emitter<'a> {
    /// Passes on the items of `from.input` from record `from.record` on. Documents of other types are skipped. Nothing is passed on
    /// after an outage.
    pub(crate) fn new(
        from: Position,
        types: &'a [InputFormat],
        outage: &'a Outage,
        sink: &'a mut dyn FnMut(Position, Item) -> ControlFlow<()>,
    ) -> Emitter<'a> {
        Emitter { next: Position { record: 0, ..from }, first_wanted: from.record, types, outage, sink }
    }

    /// False if the next item comes before the wanted position: it can be skipped without reading it.
    pub(crate) fn wants_next(&self) -> bool {
        self.next.record >= self.first_wanted
    }

    /// Counts an item without reading it.
    pub(crate) fn pass_over(&mut self) -> ControlFlow<()> {
        self.next.record += 1;
        ControlFlow::Continue(())
    }

    /// Passes on a document.
    pub(crate) fn document(&mut self, raw: RawDocument) -> ControlFlow<()> {
        if !self.types.is_empty() {
            let found = raw.document_type();
            if !self.types.contains(&found) {
                return self.skipped(raw.origin, format!("type {}", found.name()));
            }
        }
        self.emit(|| Item::Document(Box::new(raw)))
    }

    /// Passes on something that is not a document.
    pub(crate) fn skipped(&mut self, origin: Origin, reason: impl Into<String>) -> ControlFlow<()> {
        self.emit(|| Item::Skipped { origin, reason: reason.into() })
    }

    /// Passes on a failure.
    pub(crate) fn failed(&mut self, mut failure: Failure) -> ControlFlow<()> {
        // Every stream reports this error as text.
        if failure.hint.is_none() && failure.error.ends_with(BOMB) {
            failure = failure.hint(Hint::option("max_expansion", RAISE_EXPANSION));
        }
        self.emit(|| Item::Failed(failure))
    }

    fn emit(&mut self, item: impl FnOnce() -> Item) -> ControlFlow<()> {
        if self.outage.get().is_some() {
            return ControlFlow::Break(());
        }
        let wanted = self.wants_next();
        let position = self.next;
        self.next.record += 1;
        if wanted { (self.sink)(position, item()) } else { ControlFlow::Continue(()) }
    }
}
