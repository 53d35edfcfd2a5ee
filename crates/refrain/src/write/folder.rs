//! A folder with a text file for every document.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::output::Written;
use super::{DocumentWriter, Names, WriteOptions};
use crate::disk::atomic::path_below;
use crate::document::Document;
use crate::error::{IoContext, Result};
use crate::source::InputFiles;

/// Writes files to a folder, each under a name of its own.
#[derive(Debug)]
pub(crate) struct FolderWriter {
    folder: PathBuf,
    bytes: u64,
    /// The next number for names that were used before.
    used: HashMap<PathBuf, u32>,
    /// Files of this run, which are not replaced.
    taken: HashSet<PathBuf>,
    /// Other files are.
    overwrite: bool,
}

/// The extension of text files.
pub(crate) const TEXT: &str = "txt";

impl FolderWriter {
    /// Writes to a folder that others also write to; the files in `taken` are theirs. With `overwrite`, other files of
    /// the same names are replaced; without it, documents get other names.
    pub(crate) fn next_to(
        folder: &Path,
        taken: impl IntoIterator<Item = PathBuf>,
        overwrite: bool,
    ) -> Result<FolderWriter> {
        fs::create_dir_all(folder).at(folder)?;
        let taken = taken.into_iter().collect();
        Ok(FolderWriter { folder: folder.to_owned(), bytes: 0, used: HashMap::new(), taken, overwrite })
    }

    /// Creates a file in the folder, and returns its path there. Equal names are made distinct with a number.
    fn create(&mut self, name: &Path) -> Result<(PathBuf, File)> {
        let attempt = self.used.entry(name.to_owned()).or_insert(1);
        loop {
            let name = if *attempt == 1 { name.to_owned() } else { numbered(name, *attempt) };
            *attempt += 1;
            if !self.taken.insert(name.clone()) {
                continue;
            }
            let path = path_below(&self.folder, &name)?;
            // Remove an existing file, which may be a link, instead of following it.
            if self.overwrite && path.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
                fs::remove_file(&path).at(&path)?;
            }
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return result.at(&path).map(|file| (name, file)),
            }
        }
    }

    /// Writes a file, and returns its path in the folder.
    pub(crate) fn write(&mut self, name: &Path, bytes: &[u8]) -> Result<PathBuf> {
        let (name, mut file) = self.create(name)?;
        file.write_all(bytes).at(&self.folder.join(&name))?;
        self.bytes += bytes.len() as u64;
        Ok(name)
    }
}

/// A name with a number before its extension.
fn numbered(name: &Path, number: u32) -> PathBuf {
    let mut numbered = name.file_stem().unwrap_or_default().to_owned();
    numbered.push(format!("-{number}"));
    if let Some(extension) = name.extension() {
        numbered.push(".");
        numbered.push(extension);
    }
    name.with_file_name(numbered)
}

/// Writes the text of each document to a file of its own.
pub(crate) struct TextFolder<'a> {
    folder: FolderWriter,
    names: Names,
    inputs: Option<&'a InputFiles>,
    options: WriteOptions,
}

impl<'a> TextFolder<'a> {
    /// Documents get the names of the files that they were read from, if they are known.
    pub(crate) fn new(
        folder: FolderWriter,
        names: Names,
        inputs: Option<&'a InputFiles>,
        options: WriteOptions,
    ) -> TextFolder<'a> {
        TextFolder { folder, names, inputs, options }
    }
}

impl DocumentWriter for TextFolder<'_> {
    fn write(&mut self, document: &Document) -> Result<()> {
        let input = self.inputs.and_then(|inputs| inputs.get(document.position.input));
        let name = self.names.of_document(document, input, TEXT);
        let text = document.shown(self.options.keep_marked).text;
        self.folder.write(&name, text.as_bytes()).map(drop)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written { bytes: self.folder.bytes, sha256: None })
    }
}
