//! Files that share the documents: each document goes to the smallest one, so that all end with about the same size. The
//! result depends on the documents and their order alone.

use std::fs;
use std::path::Path;

use super::output::Written;
use super::{Compression, DocumentWriter, Format, Sink, WriteOptions, open};
use crate::document::Document;
use crate::error::{IoContext, Result};

/// Writes documents into several files.
pub(crate) struct ShardsWriter {
    /// The writers, and the bytes of text that each has.
    shards: Vec<(Box<dyn DocumentWriter>, u64)>,
}

impl ShardsWriter {
    /// Opens files of these names in a folder. Their digests are computed if `with_digest` says so.
    pub(crate) fn open(
        folder: &Path,
        names: &[String],
        (format, packing): (Format, Compression),
        options: WriteOptions,
        with_digest: bool,
    ) -> Result<ShardsWriter> {
        fs::create_dir_all(folder).at(folder)?;
        let open = |name: &String| {
            let sink = Sink::file(&folder.join(name))?;
            let sink = if with_digest { sink.with_digest() } else { sink };
            Ok((open(sink, format, packing, options)?, 0))
        };
        Ok(ShardsWriter { shards: names.iter().map(open).collect::<Result<_>>()? })
    }

    /// Finishes all files.
    pub(super) fn finish_each(&mut self) -> Result<Vec<Written>> {
        self.shards.drain(..).map(|(shard, _)| shard.finish()).collect()
    }
}

impl DocumentWriter for ShardsWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        // Of several that are equally small, the first.
        let Some((shard, bytes)) = self.shards.iter_mut().min_by_key(|(_, bytes)| *bytes) else { return Ok(()) };
        *bytes += document.text().len() as u64;
        shard.write(document)
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        let bytes = self.finish_each()?.iter().map(|written| written.bytes).sum();
        Ok(Written { bytes, sha256: None })
    }
}
