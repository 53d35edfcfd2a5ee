//! Inputs that are not files of this machine. The library has no network: a program that has one implements [`Store`].

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::Failure;

/// Where objects are: a program gives it to an [`Input`](crate::Input) whose names can be addresses.
pub trait Store: fmt::Debug + Send + Sync {
    /// True for a name that this store, and not the file system, resolves.
    fn knows(&self, name: &str) -> bool;

    /// The objects of a name, in order: the one with this name, those below it, or those that match it as a pattern.
    fn find(&self, name: &str) -> Result<Vec<Object>, Failure>;

    /// These objects are opened soon: small ones can be requested now.
    fn expect(&self, _objects: &[&Object]) {}

    /// Opens an object. Reading fails once it is another one than was found.
    fn open(&self, object: &Object) -> io::Result<Box<dyn Content>>;
}

/// An object of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its address.
    pub name: String,
    /// Its size, if the store states it.
    pub size: Option<u64>,
    /// What changes with its content.
    pub version: Option<String>,
    /// True if the user named this object itself.
    pub named: bool,
}

/// The bytes of an object.
pub trait Content: Read + Seek + Send + Sync {
    /// False if it can only be read from its beginning to its end, once.
    fn is_seekable(&self) -> bool;

    /// Another reader of the same bytes, at their beginning.
    fn again(&self) -> io::Result<Box<dyn Content>>;
}

/// An object, and the store that has it.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) object: Object,
}

impl Stored {
    pub(crate) fn open(&self, outage: &Outage) -> io::Result<Bytewise> {
        let content = self.store.open(&self.object)?;
        let (size, name) = (self.object.size.unwrap_or_default(), self.object.name.clone());
        Ok(Bytewise::Stored { content, size, name, outage: outage.clone() })
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Stored) -> bool {
        self.object == other.object
    }
}

impl Eq for Stored {}

/// Why a store stopped giving its bytes. The run then ends, because it can be repeated or resumed: what is missing is not damage
/// of the input.
pub(crate) type Outage = Arc<OnceLock<String>>;

/// The bytes of an input: a file, or an object of a store.
pub(crate) enum Bytewise {
    File(File),
    Stored { content: Box<dyn Content>, size: u64, name: String, outage: Outage },
}

/// What can be done with the bytes of an input.
pub(super) enum BytesOf {
    /// They can be read in any order.
    Seekable,
    /// They can be read once.
    Stream,
    /// There are none.
    Folder,
}

impl Bytewise {
    /// What can be done with the bytes.
    pub(super) fn kind(&self) -> io::Result<BytesOf> {
        Ok(match self {
            Bytewise::File(file) => match file.metadata()? {
                meta if meta.is_file() => BytesOf::Seekable,
                meta if meta.is_dir() => BytesOf::Folder,
                _ => BytesOf::Stream,
            },
            Bytewise::Stored { content, .. } if content.is_seekable() => BytesOf::Seekable,
            Bytewise::Stored { .. } => BytesOf::Stream,
        })
    }

    /// The number of bytes; 0 if it is unknown.
    pub(super) fn size(&self) -> u64 {
        match self {
            Bytewise::File(file) => file.metadata().map_or(0, |meta| meta.len()),
            Bytewise::Stored { size, .. } => *size,
        }
    }

    /// Another reader from a byte on.
    fn from(&self, start: u64) -> io::Result<Bytewise> {
        let mut again = match self {
            Bytewise::File(file) => Bytewise::File(file.try_clone()?),
            Bytewise::Stored { content, size, name, outage } => {
                Bytewise::Stored { content: content.again()?, size: *size, name: name.clone(), outage: outage.clone() }
            }
        };
        again.seek(SeekFrom::Start(start))?;
        Ok(again)
    }

    /// Fills a buffer from a byte on, as far as there are bytes.
    pub(crate) fn fill_at(&mut self, buffer: &mut [u8], from: u64) -> io::Result<usize> {
        self.seek(SeekFrom::Start(from))?;
        match super::read_up_to(self, buffer) {
            (_, Some(error)) => Err(error),
            (filled, None) => Ok(filled),
        }
    }
}

impl Read for Bytewise {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytewise::File(file) => file.read(buffer),
            Bytewise::Stored { content, name, outage, .. } => content.read(buffer).inspect_err(|error| {
                let _ = outage.set(format!("{name}: {error}"));
            }),
        }
    }
}

impl Seek for Bytewise {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Bytewise::File(file) => file.seek(to),
            Bytewise::Stored { content, .. } => content.seek(to),
        }
    }
}

impl Length for Bytewise {
    fn len(&self) -> u64 {
        self.size()
    }
}

impl ChunkReader for Bytewise {
    type T = BufReader<Bytewise>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.from(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let mut bytes = Vec::with_capacity(length);
        let read = self.from(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if read == length { Ok(bytes.into()) } else { Err(ParquetError::EOF("the file is truncated".into())) }
    }
}
