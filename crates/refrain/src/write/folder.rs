//! A folder with a text file for every document.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::output::Written;
use super::{DocumentWriter, WriteOptions};
use crate::document::Document;
use crate::error::{IoContext, Result};

/// Writes the text of each document to a file of its own in a folder.
#[derive(Debug)]
pub(crate) struct FolderWriter {
    folder: PathBuf,
    options: WriteOptions,
    bytes: u64,
    /// The next number for names that were used before.
    used: HashMap<String, u32>,
    /// Files of this run, which are not replaced.
    taken: HashSet<PathBuf>,
    /// Other files are.
    overwrite: bool,
}

/// The extension of text files.
const TEXT: &str = "txt";
/// Longer names do not fit file systems.
const MAX_NAME: usize = 180;

impl FolderWriter {
    /// Writes to a folder that others also write to; the files in `taken` are theirs. With `overwrite`, other files of
    /// the same names are replaced; without it, documents get other names.
    pub(crate) fn next_to(
        folder: &Path,
        options: WriteOptions,
        taken: impl IntoIterator<Item = PathBuf>,
        overwrite: bool,
    ) -> Result<FolderWriter> {
        fs::create_dir_all(folder).at(folder)?;
        Ok(FolderWriter {
            folder: folder.to_owned(),
            options,
            bytes: 0,
            used: HashMap::new(),
            taken: taken.into_iter().collect(),
            overwrite,
        })
    }

    /// Creates a file under a name made from that of the document. Equal names are made distinct with a number.
    fn create(&mut self, name: &str, extension: &str) -> Result<(PathBuf, File)> {
        let stem = safe_name(name, extension);
        let attempt = self.used.entry(stem.clone()).or_insert(1);
        loop {
            let number = if *attempt == 1 { String::new() } else { format!("-{attempt}") };
            let name = format!("{stem}{number}.{extension}");
            *attempt += 1;
            let path = self.folder.join(name);
            if !self.taken.insert(path.clone()) {
                continue;
            }
            // Remove an existing file, which may be a link, instead of following it.
            if self.overwrite && path.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
                fs::remove_file(&path).at(&path)?;
            }
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return result.at(&path).map(|file| (path, file)),
            }
        }
    }
}

/// A file name without its extension, made from an address or id: no folders, nothing hidden, nothing a shell or file system would trip over.
pub(crate) fn safe_name(id: &str, extension: &str) -> String {
    let id = crate::url::without_scheme(id);
    let id = id.strip_suffix(extension).and_then(|id| id.strip_suffix('.')).unwrap_or(id);
    let mut name = String::new();
    for c in id.chars() {
        let safe = c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let c = if safe { c } else { '_' };
        if name.len() + c.len_utf8() > MAX_NAME {
            break;
        }
        let repeated = c == '_' && name.ends_with('_');
        let leading = name.is_empty() && matches!(c, '.' | '_' | '-');
        if !repeated && !leading {
            name.push(c);
        }
    }
    if name.is_empty() { "document".into() } else { name }
}

impl FolderWriter {
    /// Writes a document, and returns its path.
    pub(crate) fn write_named(&mut self, document: &Document) -> Result<PathBuf> {
        let text = document.shown(self.options.keep_marked).text;
        self.write_bytes(document.name(), TEXT, text.as_bytes())
    }

    /// Writes a file under a name that people know the document by, and returns its path.
    pub(crate) fn write_bytes(&mut self, name: &str, extension: &str, bytes: &[u8]) -> Result<PathBuf> {
        let (path, mut file) = self.create(name, extension)?;
        file.write_all(bytes).at(&path)?;
        self.bytes += bytes.len() as u64;
        Ok(path)
    }
}

impl DocumentWriter for FolderWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.write_named(document).map(drop)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written { bytes: self.bytes, sha256: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_the_folder() {
        assert_eq!(safe_name("../../etc/passwd", TEXT), "etc_passwd");
        assert_eq!(safe_name("https://a.example/x?y=1", TEXT), "a.example_x_y_1");
        assert_eq!(safe_name("notes.zip/b/.hidden.txt", TEXT), "notes.zip_b_.hidden");
        assert_eq!(safe_name("/", TEXT), "document");
        assert!(safe_name(&"ä".repeat(500), TEXT).len() <= MAX_NAME);
    }
}
