//! Resolves the names given by the user to a list of files.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use walkdir::WalkDir;

use super::corpus::{EVIDENCE, MANIFEST, REMOVED_LIST, RUN_REPORT};
use super::store::{Object, Outage, Store, Stored};
use crate::error::{Failure, IoContext, Result};

/// The name of standard input.
pub const STDIN: &str = "-";

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// The name shown to the user.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size, if it has one.
    pub size: Option<u64>,
    /// True if the user named this file itself, false if it was found in a folder or by a pattern.
    pub named: bool,
    /// True for a part of a corpus that refrain wrote.
    pub in_corpus: bool,
    /// The object, if it is in a store.
    pub(crate) stored: Option<Stored>,
}

impl InputFile {
    /// True for standard input.
    pub fn is_stdin(&self) -> bool {
        self.path == Path::new(STDIN)
    }

    /// What changes with the content of an object in a store.
    pub(crate) fn version(&self) -> Option<&str> {
        self.stored.as_ref().and_then(|stored| stored.object.version.as_deref())
    }

    /// Opens the file, or the object of a store.
    pub(crate) fn open(&self) -> io::Result<Box<dyn Read>> {
        match &self.stored {
            Some(stored) => Ok(Box::new(stored.open(&Outage::default())?)),
            None => Ok(Box::new(File::open(&self.path)?)),
        }
    }
}

/// The name of standard input once it has been copied to a file.
const COPIED_STDIN: &str = "standard input";

/// The files to read, in a fixed order: as named; sorted by name within a folder or pattern.
#[derive(Debug, Clone, Default)]
pub struct InputFiles {
    list: Vec<InputFile>,
}

impl InputFiles {
    /// Copies standard input to a file in a new folder, so that it can be read twice. `temporary` is the folder for temporary
    /// files, unless the system decides. Returns the new folder, which is deleted when it is dropped; `None` if standard input
    /// is not among the inputs.
    pub fn copy_stdin(&mut self, temporary: Option<&Path>) -> Result<Option<TempDir>> {
        if !self.list.iter().any(InputFile::is_stdin) {
            return Ok(None);
        }
        let above = temporary.map_or_else(std::env::temp_dir, Path::to_owned);
        let folder = tempfile::Builder::new().prefix("refrain-stdin-").tempdir_in(&above).at(&above)?;
        let path = folder.path().join("standard-input");
        let bytes = File::create(&path).and_then(|mut file| io::copy(&mut io::stdin().lock(), &mut file)).at(&path)?;
        for input in self.list.iter_mut().filter(|input| input.is_stdin()) {
            COPIED_STDIN.clone_into(&mut input.name);
            path.clone_into(&mut input.path);
            input.size = Some(bytes);
        }
        Ok(Some(folder))
    }

    /// Finds the files for names: files, folders, glob patterns, `@list` (a file with one name per line) and `-`.
    /// Folders are read recursively, without hidden files and refrain's reports and libraries. Links are followed, and
    /// loops of links do no harm. Names that match nothing become failures.
    pub fn expand<I>(names: I) -> (InputFiles, Vec<Failure>)
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        InputFiles::expand_without(names, None, None)
    }

    /// The same, without the output of the run, which must not become its input. Names that the store knows are its objects.
    pub fn expand_without<I>(
        names: I,
        output: Option<&Path>,
        store: Option<&Arc<dyn Store>>,
    ) -> (InputFiles, Vec<Failure>)
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let output = output.and_then(|path| fs::canonicalize(path).ok());
        let mut expansion = Expansion { output, store, ..Expansion::default() };
        for name in names {
            expansion.add(name.as_ref(), true);
        }
        (InputFiles { list: expansion.list }, expansion.failures)
    }

    /// These files, in this order.
    pub(super) fn of(list: Vec<InputFile>) -> InputFiles {
        InputFiles { list }
    }

    /// The single input that represents documents in memory.
    pub(super) fn memory(bytes: u64) -> InputFiles {
        let name = "memory".to_owned();
        InputFiles {
            list: vec![InputFile {
                path: name.clone().into(),
                name,
                size: Some(bytes),
                named: true,
                in_corpus: false,
                stored: None,
            }],
        }
    }

    /// Names the input that represents documents in memory.
    pub(super) fn rename_memory(&mut self, digest: &str) {
        for input in &mut self.list {
            input.name = format!("memory-{digest}");
            input.path = input.name.clone().into();
        }
    }

    /// Number of files.
    pub fn len(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// True when there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The file at an index.
    pub fn get(&self, index: u32) -> Option<&InputFile> {
        self.list.get(index as usize)
    }

    /// All files.
    pub fn iter(&self) -> impl Iterator<Item = &InputFile> {
        self.list.iter()
    }

    /// Total size of all files in bytes, as far as known.
    pub fn total_size(&self) -> u64 {
        self.list.iter().filter_map(|input| input.size).sum()
    }
}

#[derive(Default)]
struct Expansion<'s> {
    list: Vec<InputFile>,
    failures: Vec<Failure>,
    /// Where the run writes.
    output: Option<PathBuf>,
    store: Option<&'s Arc<dyn Store>>,
}

impl Expansion<'_> {
    fn add(&mut self, name: &str, lists_allowed: bool) {
        if name == STDIN {
            // It can be read only once.
            if self.list.iter().any(InputFile::is_stdin) {
                return;
            }
            self.list.push(InputFile {
                name: name.into(),
                path: name.into(),
                size: None,
                named: true,
                in_corpus: false,
                stored: None,
            });
            return;
        }
        if let Some(store) = self.store.filter(|store| store.knows(name)) {
            match store.find(name) {
                Ok(objects) => self.add_objects(store, &objects),
                Err(failure) => self.failures.push(failure),
            }
            return;
        }
        let path = Path::new(name);
        if self.is_in_output(path) {
            self.failures.push(Failure::new(name, "is inside the output; name another output"));
            return;
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => self.add_folder(name, path),
            Ok(meta) => self.push_file(path, meta.is_file().then_some(meta.len()), true),
            Err(_) if name.starts_with('@') && lists_allowed => self.add_list(&name[1..]),
            Err(_) if name.contains(['*', '?', '[']) => self.add_pattern(name),
            Err(error) => self.failures.push(Failure::new(name, super::describe(&error))),
        }
    }

    /// True for the output and everything below it.
    fn is_in_output(&self, path: &Path) -> bool {
        let output = self.output.as_ref();
        output.is_some_and(|output| fs::canonicalize(path).is_ok_and(|real| real.starts_with(output)))
    }

    fn push_file(&mut self, path: &Path, size: Option<u64>, named: bool) {
        let name = plain_name(path);
        self.list.push(InputFile { name, path: path.to_owned(), size, named, in_corpus: false, stored: None });
    }

    /// Adds the objects that were found under a name. Of a corpus, only the parts are added.
    fn add_objects(&mut self, store: &Arc<dyn Store>, objects: &[Object]) {
        let found = |object: &Object| Stored { store: store.clone(), object: object.clone() };
        let mut corpora: HashMap<&str, HashSet<PathBuf>> = HashMap::new();
        for manifest in objects {
            let Some(folder) = manifest.name.strip_suffix(MANIFEST).filter(|name| name.ends_with('/')) else {
                continue;
            };
            let read = found(manifest).open(&Outage::default()).and_then(|mut file| {
                let mut content = Vec::new();
                file.read_to_end(&mut content).map(|_| content)
            });
            let parts = match read {
                Ok(content) => super::corpus::parts_of_manifest(Path::new(folder), &content),
                Err(error) => Some(Err(super::describe(&error))),
            };
            match parts {
                Some(Ok(parts)) => _ = corpora.insert(folder, parts.into_iter().collect()),
                Some(Err(error)) => {
                    corpora.insert(folder, HashSet::new());
                    self.failures.push(Failure::new(folder, error));
                }
                None => {}
            }
        }
        let is_evidence = |name: &str| {
            let (folder, file) = name.rsplit_once('/').unwrap_or_default();
            folder.ends_with(&format!("/{EVIDENCE}")) && [REMOVED_LIST, RUN_REPORT].contains(&file)
        };
        let corpus_of = |name: &str| corpora.iter().find(|(folder, _)| name.starts_with(**folder));
        let before = self.list.len();
        for object in objects {
            let path = PathBuf::from(&object.name);
            let in_corpus = match corpus_of(&object.name) {
                Some((_, parts)) if parts.contains(&path) => true,
                Some(_) => continue,
                None if !object.named && is_evidence(&object.name) => continue,
                None => false,
            };
            let (name, size, stored) = (object.name.clone(), object.size, Some(found(object)));
            self.list.push(InputFile { name, path, size, named: object.named || in_corpus, in_corpus, stored });
        }
        // A part that is missing is found when the others are counted.
        let parts: usize = corpora.values().map(HashSet::len).sum();
        let listed = self.list[before..].iter().filter(|input| input.in_corpus).count();
        if listed < parts {
            let name = corpora.keys().min().copied().unwrap_or_default();
            self.failures.push(Failure::new(name, format!("{} parts of this corpus are missing", parts - listed)));
        }
    }

    fn add_list(&mut self, list: &str) {
        let content = match fs::read(list) {
            Ok(content) => content,
            Err(error) => {
                self.failures.push(Failure::new(format!("@{list}"), super::describe(&error)));
                return;
            }
        };
        for line in String::from_utf8_lossy(&content).lines() {
            let line = line.trim_end_matches('\r');
            if !line.is_empty() {
                self.add(line, false);
            }
        }
    }

    fn add_pattern(&mut self, pattern: &str) {
        let paths = match glob::glob(pattern) {
            Ok(paths) => paths,
            Err(error) => {
                self.failures.push(Failure::new(pattern, format!("not a pattern: {error}")));
                return;
            }
        };
        let mut paths: Vec<PathBuf> = paths.filter_map(Result::ok).collect();
        paths.sort();
        if paths.is_empty() {
            self.failures.push(Failure::new(pattern, "no file matches this pattern"));
        }
        for path in paths.into_iter().filter(|path| !self.is_in_output(path)).collect::<Vec<_>>() {
            match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.add_folder(&path.to_string_lossy(), &path),
                Ok(meta) => self.push_file(&path, Some(meta.len()), false),
                Err(error) => {
                    self.failures.push(Failure::new(path.to_string_lossy(), super::describe(&error)));
                }
            }
        }
    }

    fn add_folder(&mut self, name: &str, folder: &Path) {
        let before = (self.list.len(), self.failures.len());
        if let Some(kind) = super::corpus::kept_by_refrain(folder) {
            self.failures.push(Failure::new(name, format!("is {kind}, not a folder of documents")));
        } else if !self.add_corpus(folder) {
            self.walk(folder);
        }
        if (self.list.len(), self.failures.len()) == before {
            self.failures.push(Failure::new(name, "no files in this folder"));
        }
    }

    fn walk(&mut self, folder: &Path) {
        let root = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        // Visited folders and linked files: each is read once.
        let mut seen = HashSet::from([root.clone()]);
        let mut entries = WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // A loop of links: its files are found without following it.
                Err(error) if error.loop_ancestor().is_some() => continue,
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_string_lossy().into_owned();
                    let message = error.io_error().map_or_else(|| error.to_string(), super::describe);
                    self.failures.push(Failure::new(path, message));
                    continue;
                }
            };
            if entry.depth() == 0 {
                continue;
            }
            let (path, is_folder) = (entry.path(), entry.file_type().is_dir());
            let real = if is_folder || entry.path_is_symlink() { fs::canonicalize(path).ok() } else { None };
            let found_elsewhere = real.as_ref().is_some_and(|real| {
                (entry.path_is_symlink() && is_visible_below(&root, real)) || !seen.insert(real.clone())
            });
            // Only a file with the same name as the output needs a closer check.
            let called_alike = self.output.as_ref().and_then(|output| output.file_name()) == Some(entry.file_name());
            let is_output = called_alike && self.is_in_output(path);
            if is_hidden(entry.file_name()) || found_elsewhere || is_output {
                if is_folder {
                    entries.skip_current_dir();
                }
            } else if is_folder && (super::corpus::kept_by_refrain(path).is_some() || self.add_corpus(path)) {
                entries.skip_current_dir();
            } else if entry.file_type().is_file() && !super::corpus::is_report_of_texts(path) {
                let size = entry.metadata().ok().map(|meta| meta.len());
                self.push_file(path, size, false);
            }
        }
    }

    /// Adds the parts of a corpus folder; false if the folder is not a corpus.
    fn add_corpus(&mut self, folder: &Path) -> bool {
        match super::corpus::parts_of(folder) {
            Some(Ok(parts)) => {
                for path in parts {
                    let size = fs::metadata(&path).ok().map(|meta| meta.len());
                    let name = path.to_string_lossy().into_owned();
                    self.list.push(InputFile { name, path, size, named: true, in_corpus: true, stored: None });
                }
            }
            Some(Err(error)) => self.failures.push(Failure::new(folder.to_string_lossy(), error)),
            None => return false,
        }
        true
    }
}

/// A path in its plain form, however it was typed: `./a//b` is `a/b`. A file called `-` keeps the dot that
/// distinguishes it from standard input.
pub(crate) fn plain_name(path: &Path) -> String {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let name = parts.collect::<PathBuf>().to_string_lossy().into_owned();
    if name == STDIN { path.to_string_lossy().into_owned() } else { name }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// True if walking the folder finds a path below it without following links.
fn is_visible_below(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|inner| !inner.components().any(|part| is_hidden(part.as_os_str())))
}
