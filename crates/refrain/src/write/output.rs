//! Where bytes go: files that appear when they are complete, or streams; packed or not; counted and digested on the way.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::error::{Error, IoContext, Result};
use crate::text::Digest;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, as `sha256sum` prints it.
    pub sha256: String,
}

/// A file being written, or a stream.
pub struct Output {
    to: Destination,
    digest: Digest,
    bytes: u64,
    /// Set when the reader of a pipe has gone.
    closed: Arc<AtomicBool>,
}

enum Destination {
    File(AtomicFile),
    /// With its name, for messages.
    Stream(Box<dyn Write + Send>, PathBuf),
}

impl Output {
    /// A file. It appears under its name when it is finished. What is no ordinary file (a pipe, a device) is written to as
    /// it is, and a link is followed.
    pub fn file(path: &Path) -> Result<Output> {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let path = real.as_path();
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let device = File::options().write(true).open(path).at(path)?;
            return Ok(Output::new(Destination::Stream(Box::new(device), path.to_owned())));
        }
        Ok(Output::new(Destination::File(AtomicFile::create(path)?)))
    }

    /// A stream, such as standard output.
    pub fn stream(stream: impl Write + Send + 'static) -> Output {
        Output::new(Destination::Stream(Box::new(stream), "standard output".into()))
    }

    fn new(to: Destination) -> Output {
        Output { to, digest: Digest::default(), bytes: 0, closed: Arc::default() }
    }

    /// The path, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.to {
            Destination::File(file) => file.path.clone(),
            Destination::Stream(_, name) => name.clone(),
        }
    }

    /// Tells whether the reader of a pipe has gone, for writers whose errors do not.
    pub(super) fn closed(&self) -> Arc<AtomicBool> {
        self.closed.clone()
    }

    /// Ends the writing.
    pub fn finish(self) -> Result<Written> {
        match self.to {
            Destination::File(file) => file.commit()?,
            Destination::Stream(mut stream, name) => stream.flush().at(&name)?,
        }
        Ok(Written { bytes: self.bytes, sha256: self.digest.hex() })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.to {
            Destination::File(file) => file.file.write(bytes),
            Destination::Stream(stream, _) => stream.write(bytes),
        };
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            self.closed.store(true, Ordering::Relaxed);
        }
        let n = written?;
        self.digest.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Destination::File(file) => file.file.flush(),
            Destination::Stream(stream, _) => stream.flush(),
        }
    }
}

/// A file that is written aside, synced and renamed: under its name it is complete or not there. Dropped without
/// [`commit`](AtomicFile::commit), it leaves nothing behind.
struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    file: File,
    committed: bool,
}

impl AtomicFile {
    fn create(path: &Path) -> Result<AtomicFile> {
        if path.is_dir() {
            return Err(Error::Refused(format!("{} is a folder; name a file in it", path.display())));
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".partial");
        let temporary = path.with_file_name(name);
        let file = File::create(&temporary).map_err(|error| Error::io(path, error))?;
        Ok(AtomicFile { path: path.to_owned(), temporary, file, committed: false })
    }

    fn commit(mut self) -> Result<()> {
        self.file.sync_all().at(&self.temporary)?;
        fs::rename(&self.temporary, &self.path).at(&self.path)?;
        self.committed = true;
        sync_folder(self.path.parent())
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Makes a rename in a folder last.
fn sync_folder(folder: Option<&Path>) -> Result<()> {
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).at(folder)
}

/// Writes a small file so that it is there whole or not at all.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.file.write_all(content).at(path)?;
    file.commit()
}

/// Compression of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// None.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Packing {
    /// The packing that a file name asks for.
    pub fn of_path(path: &Path) -> Packing {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Packing::Gzip,
            Some("zst") => Packing::Zstd,
            _ => Packing::None,
        }
    }

    /// What it adds to a file name.
    pub fn suffix(self) -> &'static str {
        match self {
            Packing::None => "",
            Packing::Gzip => ".gz",
            Packing::Zstd => ".zst",
        }
    }

    /// Packs what is written to an output.
    pub fn pack(self, output: Output) -> Result<Packed> {
        self.pack_at(output, 3)
    }

    /// The same with a level of zstd, for files that live only for a while.
    pub(crate) fn pack_at(self, output: Output, zstd_level: i32) -> Result<Packed> {
        let path = output.path();
        let inner = BufWriter::with_capacity(128 << 10, output);
        let stage = match self {
            Packing::None => Stage::Plain(inner),
            Packing::Gzip => Stage::Gzip(flate2::write::GzEncoder::new(inner, flate2::Compression::default())),
            Packing::Zstd => Stage::Zstd(zstd::stream::write::Encoder::new(inner, zstd_level).at(&path)?),
        };
        Ok(Packed { stage, path })
    }
}

/// A packed output.
pub struct Packed {
    stage: Stage,
    path: PathBuf,
}

enum Stage {
    Plain(BufWriter<Output>),
    Gzip(flate2::write::GzEncoder<BufWriter<Output>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<Output>>),
}

impl Packed {
    /// Writes bytes, with the path in the error.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).at(&self.path)
    }

    /// Ends the writing.
    pub fn finish(self) -> Result<Written> {
        let path = self.path;
        let inner = match self.stage {
            Stage::Plain(inner) => inner,
            Stage::Gzip(encoder) => encoder.finish().at(&path)?,
            Stage::Zstd(encoder) => encoder.finish().at(&path)?,
        };
        inner.into_inner().map_err(|error| Error::io(&path, error.into_error()))?.finish()
    }
}

impl Write for Packed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stage {
            Stage::Plain(inner) => inner.write(bytes),
            Stage::Gzip(encoder) => encoder.write(bytes),
            Stage::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.stage {
            Stage::Plain(inner) => inner.flush(),
            Stage::Gzip(encoder) => encoder.flush(),
            Stage::Zstd(encoder) => encoder.flush(),
        }
    }
}
