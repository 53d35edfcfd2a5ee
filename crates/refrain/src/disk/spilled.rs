//! Temporary files that grow at the end and are read at any position.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::platform::FileExt;
use crate::error::{IoContext, Result};

/// Bytes in a temporary file. The file is created with the first of them.
#[derive(Debug)]
pub(crate) struct Spilled {
    file: Kind,
    bytes: u64,
}

#[derive(Debug)]
enum Kind {
    /// The file has no name, stays open, and disappears even if the process is killed.
    Unnamed { folder: PathBuf, file: Option<File> },
    /// The file is open only while it is used: there can be more of these than a process may have open.
    Named(PathBuf),
}

impl Spilled {
    /// No bytes yet; a file without a name will be created in the folder.
    pub(crate) fn unnamed(folder: &Path) -> Spilled {
        Spilled { file: Kind::Unnamed { folder: folder.to_owned(), file: None }, bytes: 0 }
    }

    /// No bytes yet; they will replace whatever the file contains.
    pub(crate) fn named(path: PathBuf) -> Spilled {
        Spilled { file: Kind::Named(path), bytes: 0 }
    }

    /// How many bytes are in the file.
    pub(crate) fn len(&self) -> u64 {
        self.bytes
    }

    /// The path that errors name: the file, or the folder of a file without a name.
    pub(crate) fn path(&self) -> &Path {
        match &self.file {
            Kind::Unnamed { folder, .. } => folder,
            Kind::Named(path) => path,
        }
    }

    /// Continues a named file after its first `bytes`, and discards the rest.
    pub(crate) fn resume(&mut self, bytes: u64) -> Result<()> {
        self.bytes = bytes;
        let path = self.path();
        let file = File::options().write(true).open(path).at(path)?;
        file.set_len(bytes).at(path)
    }

    /// The same for a file that was deleted because it will not be read again.
    pub(crate) fn resume_deleted(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Adds bytes at the end.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.file {
            Kind::Unnamed { folder, file } => {
                let file = match file {
                    Some(file) => file,
                    None => file.insert(tempfile::tempfile_in(&*folder).at(folder)?),
                };
                file.write_all(bytes).at(folder)?;
            }
            Kind::Named(path) => {
                let mut options = File::options();
                let options = match self.bytes {
                    0 => options.write(true).create(true).truncate(true),
                    _ => options.append(true),
                };
                options.open(&*path).and_then(|mut file| file.write_all(bytes)).at(path)?;
            }
        }
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Fills the slice with the bytes from a position on. It is an error if there are fewer.
    pub(crate) fn read_at(&self, bytes: &mut [u8], from: u64) -> Result<()> {
        match &self.file {
            Kind::Unnamed { file: None, .. } if bytes.is_empty() => Ok(()),
            Kind::Unnamed { file: None, folder } => Err(std::io::Error::from(ErrorKind::UnexpectedEof)).at(folder),
            Kind::Unnamed { file: Some(file), folder } => file.read_exact_at(bytes, from).at(folder),
            Kind::Named(path) => File::open(path).and_then(|file| file.read_exact_at(bytes, from)).at(path),
        }
    }

    /// Deletes a named file, if there is one. A file without a name disappears when the value is dropped.
    pub(crate) fn delete(&self) -> Result<()> {
        match &self.file {
            Kind::Named(path) if path.exists() => std::fs::remove_file(path).at(path),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_appended() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bytes");
        for mut spilled in [Spilled::unnamed(folder.path()), Spilled::named(path.clone())] {
            std::fs::write(&path, "left by an earlier run").expect("room");
            for piece in [&b"one "[..], b"two ", b"three"] {
                spilled.append(piece).expect("room");
            }
            let mut bytes = [0; 7];
            spilled.read_at(&mut bytes, 4).expect("bytes");
            assert_eq!((&bytes, spilled.len()), (b"two thr", 13));
            assert!(spilled.read_at(&mut bytes, 7).is_err(), "there are only six");
            spilled.delete().expect("a file, or none");
        }
        assert!(!path.exists());
    }

    #[test]
    fn errors_name_the_file_or_its_folder() {
        let nowhere = Path::new("/nowhere/at/all");
        for mut spilled in [Spilled::unnamed(nowhere), Spilled::named(nowhere.into())] {
            assert!(spilled.append(b"x").expect_err("no folder").to_string().starts_with("/nowhere/at/all: "));
        }
    }
}
