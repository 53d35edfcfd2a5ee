//! The parts of a document that is a zip archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::Unreadable;

/// A document that is a zip archive.
pub(super) struct Parts<'a> {
    /// The name of the format, for messages.
    format: &'static str,
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// How many bytes all parts together may decompress to, and how many of them are left.
    limit: usize,
    left: usize,
}

impl<'a> Parts<'a> {
    /// Opens the archive.
    pub(super) fn open(format: &'static str, bytes: &'a [u8], limit: usize) -> Result<Parts<'a>, Unreadable> {
        match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => Ok(Parts { format, archive, limit, left: limit }),
            Err(_) => Err(Unreadable::damaged(format, "the list of parts at its end cannot be read")),
        }
    }

    /// A part, if there is one of this name.
    pub(super) fn find(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        let member = match self.archive.by_name(name) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(what)) if what == ZipError::PASSWORD_REQUIRED => {
                return Err(Unreadable::encrypted(self.format));
            }
            Err(error) => return Err(Unreadable::damaged(self.format, format_args!("part {name}: {error}"))),
        };
        // The sizes in the archive's directory can be wrong.
        let mut content = Vec::new();
        match member.take(self.left as u64 + 1).read_to_end(&mut content) {
            Ok(read) if read > self.left => Err(Unreadable::too_large(self.format, self.limit)),
            Ok(read) => {
                self.left -= read;
                Ok(Some(content))
            }
            Err(error) => Err(Unreadable::damaged(self.format, format_args!("part {name}: {error}"))),
        }
    }

    /// A part that every document must have.
    pub(super) fn get(&mut self, name: &str) -> Result<Vec<u8>, Unreadable> {
        let part = self.find(name)?;
        part.ok_or_else(|| Unreadable::damaged(self.format, format_args!("part {name} is missing")))
    }
}
