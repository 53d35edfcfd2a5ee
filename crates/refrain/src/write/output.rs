//! Where bytes are written: files that appear when they are complete, or streams; optionally compressed, counted and
//! digested.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::atomic::{AtomicFile, followed, path_below};
use crate::error::{Error, IoContext, Result};
use crate::text::Digest;

/// The size of an output, and its digest if the sink [computed it](Sink::with_digest).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, as `sha256sum` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A file being written, or a stream.
pub struct Sink {
    to: Destination,
    digest: Option<Digest>,
    bytes: u64,
    /// Set when the reader of a pipe has gone.
    closed: Arc<AtomicBool>,
}

enum Destination {
    File(AtomicFile),
    /// A stream with its name, for messages.
    Stream(Box<dyn Write + Send>, PathBuf),
}

impl Sink {
    /// A file. It appears under its name when it is finished. Pipes and devices are written directly, and links are
    /// followed.
    pub fn file(path: &Path) -> Result<Sink> {
        let real = followed(path);
        let path = real.as_path();
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let device = File::options().write(true).open(path).at(path)?;
            return Ok(Sink::new(Destination::Stream(Box::new(device), path.to_owned())));
        }
        Ok(Sink::new(Destination::File(AtomicFile::create(path)?)))
    }

    /// Resumes a file after its first `bytes`; the rest is discarded. See [`Sink::leave`].
    pub fn resume(path: &Path, bytes: u64) -> Result<Sink> {
        Ok(Sink { bytes, ..Sink::new(Destination::File(AtomicFile::resume(&followed(path), bytes)?)) })
    }

    /// A file whose name the user did not choose, below a folder; after its first `bytes`, if it is resumed. It replaces whatever
    /// has its name. Symbolic links below the folder are never followed.
    pub(crate) fn below(folder: &Path, name: impl AsRef<Path>, bytes: Option<u64>) -> Result<Sink> {
        let path = path_below(folder, name.as_ref())?;
        let file = match bytes {
            Some(bytes) => AtomicFile::resume(&path, bytes)?,
            None => AtomicFile::create(&path)?,
        };
        Ok(Sink { bytes: bytes.unwrap_or_default(), ..Sink::new(Destination::File(file)) })
    }

    /// Also computes the SHA-256 of what is written from now on, which takes longer than writing it.
    #[must_use]
    pub fn with_digest(self) -> Sink {
        Sink { digest: Some(Digest::default()), ..self }
    }

    /// The file stays as it is when it is not finished, to be [resumed](Sink::resume).
    pub fn leave(&mut self) {
        if let Destination::File(file) = &mut self.to {
            file.keep_partial();
        }
    }

    /// A stream, such as standard output.
    pub fn stream(stream: impl Write + Send + 'static) -> Sink {
        Sink::new(Destination::Stream(Box::new(stream), "standard output".into()))
    }

    fn new(to: Destination) -> Sink {
        Sink { to, digest: None, bytes: 0, closed: Arc::default() }
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.to {
            Destination::File(file) => file.path().to_owned(),
            Destination::Stream(_, name) => name.clone(),
        }
    }

    /// The path of a file; none for a stream.
    pub(super) fn file_path(&self) -> Option<PathBuf> {
        match &self.to {
            Destination::File(file) => Some(file.path().to_owned()),
            Destination::Stream(..) => None,
        }
    }

    /// Whether the reader of a pipe is closed, for writers whose errors do not say so.
    pub(super) fn closed(&self) -> Arc<AtomicBool> {
        self.closed.clone()
    }

    /// Ends the writing.
    pub fn finish(self) -> Result<Written> {
        match self.to {
            Destination::File(file) => file.commit()?,
            Destination::Stream(mut stream, name) => stream.flush().at(&name)?,
        }
        Ok(Written { bytes: self.bytes, sha256: self.digest.map(Digest::hex) })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.to {
            Destination::File(file) => file.write(bytes),
            Destination::Stream(stream, _) => stream.write(bytes),
        };
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.closed.store(true, Ordering::Relaxed);
        }
        let n = written?;
        if let Some(digest) = &mut self.digest {
            digest.update(&bytes[..n]);
        }
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Destination::File(file) => file.flush(),
            Destination::Stream(stream, _) => stream.flush(),
        }
    }
}

/// Compression of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Compression {
    /// None.
    #[default]
    #[serde(rename = "none")]
    None,
    /// gzip.
    #[serde(rename = "gz")]
    Gzip,
    /// Zstandard.
    #[serde(rename = "zst")]
    Zstd,
}

impl Compression {
    /// The compression that a file name states.
    pub fn of_path(path: &Path) -> Compression {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }

    /// The suffix it adds to a file name.
    pub fn suffix(self) -> &'static str {
        match self {
            Compression::None => "",
            Compression::Gzip => ".gz",
            Compression::Zstd => ".zst",
        }
    }

    /// Compresses what is written to an output.
    pub(crate) fn compress(self, output: Sink) -> Result<Compressed> {
        self.compress_at(output, 3)
    }

    /// The same with a level of zstd, for files that live only for a while.
    pub(crate) fn compress_at(self, output: Sink, zstd_level: i32) -> Result<Compressed> {
        let path = output.path();
        let is_resumed = output.bytes > 0;
        let inner = BufWriter::with_capacity(128 << 10, output);
        let stage = if is_resumed { Stage::Between(inner) } else { self.stage(inner, zstd_level).at(&path)? };
        Ok(Compressed { stage: Some(stage), path, packing: self, zstd_level })
    }

    fn stage(self, inner: BufWriter<Sink>, zstd_level: i32) -> io::Result<Stage> {
        Ok(match self {
            Compression::None => Stage::Plain(inner),
            Compression::Gzip => Stage::Gzip(flate2::write::GzEncoder::new(inner, flate2::Compression::default())),
            Compression::Zstd => Stage::Zstd(zstd::stream::write::Encoder::new(inner, zstd_level)?),
        })
    }
}

/// A compressed output.
pub(crate) struct Compressed {
    /// None after an error at the end of a frame.
    stage: Option<Stage>,
    path: PathBuf,
    packing: Compression,
    zstd_level: i32,
}

enum Stage {
    /// After a frame. The next one begins with the first byte, so that a file is the same whether or not it was paused at
    /// its end.
    Between(BufWriter<Sink>),
    Plain(BufWriter<Sink>),
    Gzip(flate2::write::GzEncoder<BufWriter<Sink>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<Sink>>),
}

impl Stage {
    /// Ends the frame.
    fn end(self) -> io::Result<BufWriter<Sink>> {
        match self {
            Stage::Between(inner) | Stage::Plain(inner) => Ok(inner),
            Stage::Gzip(encoder) => encoder.finish(),
            Stage::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl Compressed {
    /// Writes bytes, with the path in the error.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).at(&self.path)
    }

    /// Ends a compression frame; the next byte begins another one.
    pub(crate) fn end_frame(&mut self) -> Result<()> {
        let inner = self.take().and_then(Stage::end).at(&self.path)?;
        self.stage = Some(Stage::Between(inner));
        Ok(())
    }

    /// Ends a compression frame, so that the file can be [resumed](Sink::resume) here. Returns its size in bytes.
    pub(crate) fn pause(&mut self) -> Result<u64> {
        let mut inner = self.take().and_then(Stage::end).at(&self.path)?;
        inner.flush().at(&self.path)?;
        inner.get_mut().leave();
        let bytes = inner.get_ref().bytes;
        self.stage = Some(Stage::Between(inner));
        Ok(bytes)
    }

    fn take(&mut self) -> io::Result<Stage> {
        self.stage.take().ok_or_else(|| io::Error::other("an earlier error stopped the output"))
    }

    /// Ends the writing.
    pub(crate) fn finish(mut self) -> Result<Written> {
        let inner = self.take().and_then(Stage::end).at(&self.path)?;
        inner.into_inner().map_err(|error| Error::io(&self.path, error.into_error()))?.finish()
    }
}

impl Write for Compressed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(Stage::Between(inner)) =
            self.stage.take_if(|stage| matches!(stage, Stage::Between(_)) && !bytes.is_empty())
        {
            self.stage = Some(self.packing.stage(inner, self.zstd_level)?);
        }
        match &mut self.stage {
            Some(Stage::Between(_)) => Ok(0),
            Some(Stage::Plain(inner)) => inner.write(bytes),
            Some(Stage::Gzip(encoder)) => encoder.write(bytes),
            Some(Stage::Zstd(encoder)) => encoder.write(bytes),
            None => self.take().map(|_| 0),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stage {
            Some(Stage::Between(inner) | Stage::Plain(inner)) => inner.flush(),
            Some(Stage::Gzip(encoder)) => encoder.flush(),
            Some(Stage::Zstd(encoder)) => encoder.flush(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_whether_or_not_it_was_paused_at_its_end() {
        let folder = tempfile::tempdir().expect("a folder");
        for packing in [Compression::None, Compression::Gzip, Compression::Zstd] {
            for pieces in [&[][..], &["one ", "two"]] {
                let write = |name: &str, at_end: bool| {
                    let path = folder.path().join(name);
                    let mut out = packing.compress(Sink::file(&path).expect("a file")).expect("a frame");
                    out.pause().expect("a frame");
                    for piece in pieces {
                        out.put(piece.as_bytes()).expect("room");
                    }
                    let bytes = out.pause().expect("a frame");
                    if at_end {
                        out.finish().expect("a file");
                    } else {
                        // As a run leaves it that is killed here, and as the next one resumes it.
                        drop(out);
                        let sink = Sink::resume(&path, bytes).expect("the file");
                        packing.compress(sink).expect("no frame yet").finish().expect("a file");
                    }
                    std::fs::read(&path).expect("a file")
                };
                let (whole, resumed) = (write("whole", true), write("resumed", false));
                assert_eq!(whole, resumed, "{packing:?} {pieces:?}");
                assert_eq!(whole.is_empty(), packing == Compression::None && pieces.is_empty(), "a valid frame");
            }
        }
    }
}
