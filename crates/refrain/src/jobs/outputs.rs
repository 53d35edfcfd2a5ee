//! The outputs of a job.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use serde::Serialize;
use serde_json::{Value, json};

use crate::document::Document;
use crate::error::{Error, Hint, IoContext, Result};
use crate::source::corpus::{EVIDENCE, REMOVED_LIST, RUN_REPORT};
use crate::source::{InputFiles, STDIN};
use crate::text::Offsets;
use crate::write::{
    self, Columns, Compressed, Compression, DocumentWriter, FolderWriter, Format, Names, Parts, TextFolder,
    WriteOptions, Written,
};

/// Where a job writes its results: its main output, and additional lists.
///
/// ```
/// use refrain::Outputs;
///
/// let files = Outputs::to("clean.jsonl")?.removed("removed.jsonl")?;
/// let (in_memory, results) = Outputs::memory();
/// assert!(results.documents().is_empty()); // until a job has run
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    main: Output,
    format: Option<(Format, Compression)>,
    overwrite: bool,
    lists: BTreeMap<&'static str, Output>,
}

/// One output.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Output {
    /// Nothing is written.
    #[default]
    Discard,
    /// Standard output.
    Stdout,
    /// A file, or a folder if the name ends with a slash.
    Path(PathBuf),
    /// Memory.
    Memory(Memory),
}

impl Output {
    /// A file or folder; `-` is standard output.
    pub fn path(path: impl Into<PathBuf>) -> Result<Output> {
        let path = path.into();
        match path.as_os_str().is_empty() {
            true => Err(Error::Refused("an output needs a name".into())),
            false if path == Path::new(STDIN) => Ok(Output::Stdout),
            false => Ok(Output::Path(path)),
        }
    }

    /// The file or folder, if it is one.
    pub fn as_path(&self) -> Option<&Path> {
        match self {
            Output::Path(path) => Some(path),
            _ => None,
        }
    }

    /// True if nothing is written.
    pub fn is_discarded(&self) -> bool {
        matches!(self, Output::Discard)
    }

    /// Opens the output for bytes, compressed if its name says so.
    pub(crate) fn open(&self) -> Result<Compressed> {
        self.open_at(None)
    }

    /// The same, but a file of an earlier run continues after this many bytes.
    pub(crate) fn open_at(&self, bytes: Option<u64>) -> Result<Compressed> {
        match self {
            Output::Discard => Compression::None.compress(write::Sink::stream(io::sink())),
            Output::Stdout => Compression::None.compress(write::Sink::stream(io::stdout())),
            Output::Path(path) => Compression::of_path(path).compress(match bytes {
                Some(bytes) => write::Sink::resume(path, bytes)?,
                None => write::Sink::file(path)?,
            }),
            Output::Memory(memory) => Compression::None.compress(write::Sink::stream(memory.clone())),
        }
    }

    /// Writes these bytes and nothing else, never compressed.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        if let Output::Path(path) = self {
            return write::write_atomically(path, bytes);
        }
        let mut out = self.open()?;
        out.put(bytes)?;
        out.finish().map(drop)
    }
}

/// What a job wrote to memory. Clones share one content.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    documents: Vec<Document>,
    /// What takes the documents instead, and what it has taken.
    columns: Option<Columns>,
    batches: Vec<RecordBatch>,
    bytes: Vec<u8>,
}

impl Content {
    /// Makes a batch of the documents that were collected.
    fn flush(&mut self) -> Result<()> {
        let Some(columns) = &mut self.columns else { return Ok(()) };
        let refused = |error| Error::Refused(format!("the documents are not a table: {error}"));
        self.batches.push(columns.take().map_err(refused)?);
        Ok(())
    }
}

impl Memory {
    /// Takes the documents that were written.
    pub fn documents(&self) -> Vec<Document> {
        std::mem::take(&mut self.lock().documents)
    }

    /// Takes the bytes that were written: lists, tables and reports.
    pub fn bytes(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().bytes)
    }

    /// Takes the table of documents that was written, if it was one.
    pub fn batches(&self) -> Result<Vec<RecordBatch>> {
        let mut content = self.lock();
        content.flush()?;
        Ok(std::mem::take(&mut content.batches))
    }

    /// Adds a document, whose marked ranges are kept.
    pub(crate) fn push(&self, document: Document) -> Result<()> {
        let mut content = self.lock();
        match &mut content.columns {
            Some(columns) => {
                columns.push(&document)?;
                if columns.bytes() > Columns::BYTES { content.flush() } else { Ok(()) }
            }
            None => {
                content.documents.push(document);
                Ok(())
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes documents to memory.
struct MemoryWriter {
    memory: Memory,
    options: WriteOptions,
}

impl DocumentWriter for MemoryWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        let document = if self.options.keep_marked { document.clone() } else { document.without_marked() };
        self.memory.push(document)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written { bytes: 0, sha256: None })
    }
}

/// Writes documents nowhere.
struct Nowhere;

impl DocumentWriter for Nowhere {
    fn write(&mut self, _document: &Document) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written { bytes: 0, sha256: None })
    }
}

impl Outputs {
    /// A file whose name says its format and compression, or a folder if the name ends with a slash; `-` is standard output.
    pub fn to(path: impl Into<PathBuf>) -> Result<Outputs> {
        Ok(Outputs { main: Output::path(path)?, ..Outputs::default() })
    }

    /// Standard output.
    pub fn stdout() -> Outputs {
        Outputs { main: Output::Stdout, ..Outputs::default() }
    }

    /// Memory, and a handle to the result.
    pub fn memory() -> (Outputs, Memory) {
        let memory = Memory::default();
        (Outputs { main: Output::Memory(memory.clone()), ..Outputs::default() }, memory)
    }

    /// A table of documents in memory, with the columns of Parquet files, and a handle to the result. Its first column, `record`, has
    /// the number of each document in its input, from 0. `offsets` are those of marks.
    pub fn arrow(offsets: Offsets) -> (Outputs, Memory) {
        let (outputs, memory) = Outputs::memory();
        let options = WriteOptions { keep_marked: true, offsets, ..WriteOptions::default() };
        memory.lock().columns = Some(Columns::new(options, true));
        (outputs, memory)
    }

    /// No main output: only lists and the report.
    pub fn none() -> Outputs {
        Outputs::default()
    }

    /// Sets the format and compression, if the name of the main output does not state them.
    #[must_use]
    pub fn format(mut self, format: Format, compression: Compression) -> Outputs {
        self.format = Some((format, compression));
        self
    }

    /// Allows a folder that is not empty: files of the same names are replaced, others are left alone.
    #[must_use]
    pub fn overwrite(mut self, overwrite: bool) -> Outputs {
        self.overwrite = overwrite;
        self
    }

    /// Disables the main output: only lists and the report are written.
    #[must_use]
    pub fn discard_main(mut self) -> Outputs {
        self.main = Output::Discard;
        self
    }

    /// Adds a list by its name.
    #[must_use]
    pub fn list(mut self, name: &'static str, output: Output) -> Outputs {
        self.lists.insert(name, output);
        self
    }

    /// Lists what was removed and why, one JSON object a line.
    pub fn removed(self, path: impl Into<PathBuf>) -> Result<Outputs> {
        Ok(self.list(REMOVED, Output::path(path)?))
    }

    /// Lists what failed, one JSON object a line.
    pub fn errors(self, path: impl Into<PathBuf>) -> Result<Outputs> {
        Ok(self.list(ERRORS, Output::path(path)?))
    }

    /// Writes the report of the job as JSON.
    pub fn report(self, path: impl Into<PathBuf>) -> Result<Outputs> {
        Ok(self.list(REPORT, Output::path(path)?))
    }

    /// Makes the main output a folder, whether or not its name ends with a slash.
    pub(crate) fn into_folder(mut self) -> Outputs {
        if let Output::Path(path) = &mut self.main
            && !is_folder(path)
        {
            path.as_mut_os_string().push("/");
        }
        self
    }

    /// Saves evidence of what was kept in a folder.
    pub fn save(self, folder: impl Into<PathBuf>) -> Result<Outputs> {
        let output = Output::path(folder)?;
        let slash = |path: &Path| Output::Path(path.join(""));
        let output = output.as_path().map(slash).unwrap_or(output);
        Ok(self.list(SAVE, output))
    }

    /// Lets a folder of documents also hold the evidence of the run: what was removed, and the report.
    pub(crate) fn with_evidence(self) -> Outputs {
        let Some(folder) = self.path().filter(|path| is_folder(path)).map(|path| path.join(EVIDENCE)) else {
            return self;
        };
        let report = Output::Path(folder.join(RUN_REPORT));
        self.list(EVIDENCE_LIST, Output::Path(folder.join(REMOVED_LIST))).list(EVIDENCE_REPORT, report)
    }

    /// Opens the lists of removed ranges: the one that was requested, and the one in the folder of documents; as an earlier run
    /// left them after so many bytes.
    pub(crate) fn open_removed(&self, paused: &[u64]) -> Result<RemovedLists> {
        let folder = self.folder(EVIDENCE_LIST).and_then(Path::parent).map(Path::to_owned);
        let mut lists = RemovedLists { made: Vec::new(), lists: Vec::new() };
        if let Some(folder) = &folder {
            lists.made = folder.ancestors().take_while(|above| !above.exists()).map(Path::to_owned).collect();
            fs::create_dir_all(folder).at(folder)?;
        }
        for (number, name) in [REMOVED, EVIDENCE_LIST].into_iter().filter(|name| self.get(name).is_some()).enumerate() {
            lists.lists.extend(self.open_list_at(name, paused.get(number).copied())?);
        }
        Ok(lists)
    }

    /// The parts of documents, if the main output is a folder.
    pub(crate) fn parts(&self) -> Result<Option<Parts>> {
        let Some(folder) = self.path().filter(|path| is_folder(path)) else { return Ok(None) };
        let (format, packing) = self.document_format()?;
        Ok(Some(Parts { folder: folder.to_owned(), format, packing }))
    }

    /// The main output.
    pub fn main(&self) -> &Output {
        &self.main
    }

    /// The file or folder of the main output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.main.as_path()
    }

    /// The requested format.
    pub(crate) fn requested_format(&self) -> Option<(Format, Compression)> {
        self.format
    }

    /// True if a folder that is not empty may be written to.
    pub(crate) fn may_overwrite(&self) -> bool {
        self.overwrite
    }

    /// A list, if requested.
    pub(crate) fn get(&self, name: &str) -> Option<&Output> {
        self.lists.get(name).filter(|output| !output.is_discarded())
    }

    /// The folder of a list that is a folder, if requested.
    pub(crate) fn folder(&self, name: &str) -> Option<&Path> {
        self.get(name).and_then(Output::as_path)
    }

    /// Writes the report of a job as JSON, if requested.
    pub(crate) fn write_report(&self, report: &impl Serialize) -> Result<()> {
        // A run that wrote nothing leaves no evidence.
        let list = self.get(EVIDENCE_LIST).and_then(Output::as_path);
        let has_evidence = list.is_some_and(Path::exists);
        for name in [REPORT, EVIDENCE_REPORT].into_iter().filter(|name| *name == REPORT || has_evidence) {
            let Some(mut out) = self.open_list(name)? else { continue };
            let json = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
            out.put((json + "\n").as_bytes())?;
            out.finish()?;
        }
        Ok(())
    }

    /// Opens a list, if requested.
    pub(crate) fn open_list(&self, name: &str) -> Result<Option<Compressed>> {
        self.open_list_at(name, None)
    }

    /// The same, but a file of an earlier run continues after this many bytes. Nobody chose the names of the evidence in a folder
    /// of documents: links of these names are not followed.
    fn open_list_at(&self, name: &str, bytes: Option<u64>) -> Result<Option<Compressed>> {
        let Some(output) = self.get(name) else { return Ok(None) };
        if [EVIDENCE_LIST, EVIDENCE_REPORT].contains(&name)
            && let (Some(path), Some(folder)) = (output.as_path(), self.path())
            && let Ok(below) = path.strip_prefix(folder)
        {
            return Compression::of_path(path).compress(write::Sink::below(folder, below, bytes)?).map(Some);
        }
        output.open_at(bytes).map(Some)
    }

    /// Refuses a main output that is neither a folder nor a file by its name, and lists that the job does not write.
    /// Also refuses two outputs in one file, and folders that do not exist.
    pub(crate) fn check(&self, lists: &[&str]) -> Result<()> {
        self.check_names(lists, Format::Jsonl)
    }

    /// The same for a job that usually writes a format.
    pub(crate) fn check_names(&self, lists: &[&str], usual: Format) -> Result<()> {
        if let Some(path) = self.path().filter(|path| is_neither(path)) {
            let extension = self.format.map_or(usual, |(format, _)| format).extension();
            let example = if extension.is_empty() { String::new() } else { format!(" such as .{extension}") };
            let path = path.display();
            return Err(Error::Refused(format!(
                "`{path}` could be a file or a folder; write {path}/ for a folder, or add an extension{example} for a file"
            )));
        }
        if let Some(folder) = self.path().filter(|path| is_folder(path)) {
            self.refuse_results(folder)?;
        }
        let mut taken: Vec<PathBuf> = Vec::new();
        let mut to_stdout = 0;
        let main = Some(("output", &self.main));
        for (name, output) in main.into_iter().chain(self.lists.iter().map(|(name, output)| (*name, output))) {
            if name == PAGE && !lists.contains(&PAGE) {
                let hint = Hint::option(REPORT, "end the name of `report` in .json");
                return Err(Error::Refused("this job has no report as a web page".into()).hint(hint));
            }
            if name != "output" && !lists.contains(&name) && !output.is_discarded() {
                return Err(Error::Refused(format!("this job writes no list called `{name}`")));
            }
            to_stdout += u8::from(name != ERRORS && matches!(output, Output::Stdout));
            if to_stdout > 1 {
                let advice = format!("name a file for `{name}`");
                let error = Error::Refused("two outputs would be mixed on standard output".into());
                return Err(error.hint(Hint::option(name, advice)));
            }
            let Some(path) = output.as_path() else { continue };
            let is_jsonl = Format::of_path(path)
                .is_none_or(|format| matches!(format, Format::Jsonl | Format::Json | Format::Text));
            if [REMOVED, ERRORS, CLUSTERS, LOST].contains(&name) && !is_jsonl {
                let error = Error::Refused(format!("{} is named like another format", path.display()));
                let advice = format!("`{name}` has one JSON object per line; end its name in .jsonl");
                return Err(error.hint(Hint::option(name, advice)));
            }
            if name == REPORT && Format::of_path_among(path, &[Format::Json]).is_none() {
                let error = Error::Refused(format!("the report is JSON, and {} is not named so", path.display()));
                return Err(error.hint(Hint::option(REPORT, "end the name of `report` in .json")));
            }
            let absolute = std::path::absolute(path).map_err(|error| Error::io(path, error))?;
            if taken.contains(&absolute) {
                let message = format!("two outputs cannot share one file, {}", path.display());
                let advice = format!("name another file for `{name}`");
                return Err(Error::Refused(message).hint(Hint::option(name, advice)));
            }
            let folder = path.parent().filter(|folder| !is_folder(path) && !folder.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.exists()) {
                let (path, folder) = (path.display(), folder.display());
                let error = Error::Refused(format!("cannot write {path}: the folder {folder} does not exist"));
                let advice = format!("create it, or name another file for `{name}`");
                return Err(error.hint(Hint::option(name, advice)));
            }
            taken.push(absolute);
        }
        Ok(())
    }

    /// Refuses an output that would replace a file that the job writes to a folder.
    pub(crate) fn refuse_results(&self, folder: &Path) -> Result<()> {
        const RESULTS: [&str; 9] = [
            "library.json",
            "pairs.csv",
            "pairs.jsonl",
            "pairs.tsv",
            "report.html",
            "report.json",
            "report.jsonl",
            "texts.jsonl",
            "works.jsonl",
        ];
        let folder = std::path::absolute(folder)?;
        for (name, output) in self.lists.iter().map(|(name, output)| (*name, output)).chain([("output", &self.main)]) {
            let Some(path) = output.as_path() else { continue };
            let is_result = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| RESULTS.contains(&name));
            if is_result && std::path::absolute(path)?.starts_with(&folder) {
                let message = format!("{} is a file of the results", path.display());
                let advice = format!("name another file for `{name}`");
                return Err(Error::Refused(message).hint(Hint::option(name, advice)));
            }
        }
        Ok(())
    }

    /// Refuses to overwrite an input.
    pub(crate) fn refuse_inputs(&self, inputs: &InputFiles) -> Result<()> {
        for (name, output) in &self.lists {
            let Some(path) = output.as_path().and_then(|path| path.canonicalize().ok()) else { continue };
            if inputs.iter().any(|input| input.path.canonicalize().is_ok_and(|input| input == path)) {
                let message = format!("{} is an input, and inputs are not overwritten", path.display());
                let advice = format!("name another file for `{name}`");
                return Err(Error::Refused(message).hint(Hint::option(name, advice)));
            }
        }
        Ok(())
    }

    /// The format of the main output among those that a job writes; `default` where neither its name nor the user says one.
    pub(crate) fn file_format(&self, formats: &[Format], default: Format) -> Result<Format> {
        let asked = self.format.map(|(format, _)| format);
        match (self.path(), asked) {
            (Some(path), _) if is_folder(path) => {
                Err(Error::Refused(format!("{} is a folder, but this output is one file; name a file", path.display())))
            }
            (Some(path), asked) => Format::choose(path, asked, formats),
            (None, Some(asked)) => Format::choose(Path::new("standard output"), Some(asked), formats),
            (None, None) => Ok(default),
        }
    }

    fn file_format_at(&self, path: &Path, formats: &[Format]) -> Result<(Format, Compression)> {
        let format = Format::choose(path, self.format.map(|(format, _)| format), formats)?;
        let by_name = Compression::of_path(path);
        let asked = self.format.map_or(Compression::None, |(_, compression)| compression);
        Ok((format, if asked == Compression::None { by_name } else { asked }))
    }

    /// The format of documents in the main output.
    pub(crate) fn document_format(&self) -> Result<(Format, Compression)> {
        match self.path() {
            Some(path) if !is_folder(path) => self.file_format_at(path, &Format::DOCUMENTS),
            _ => Ok(self.format.unwrap_or((Format::Jsonl, Compression::None))),
        }
    }

    /// Opens the main output for documents: a file, standard output, memory, or a folder with a text file for each document. Files
    /// in the folder are named after the inputs.
    pub(crate) fn open_texts<'a>(
        &self,
        options: WriteOptions,
        names: Names,
        inputs: Option<&'a InputFiles>,
    ) -> Result<Box<dyn DocumentWriter + 'a>> {
        let Some(folder) = self.path().filter(|path| is_folder(path)) else {
            return self.open_documents(options);
        };
        if self.format.is_some_and(|(format, _)| format != Format::Text) {
            return Err(Error::Refused(format!(
                "a folder holds one text file for each document; name a file instead of {}",
                folder.display()
            )));
        }
        self.check_folder(folder)?;
        let folder = FolderWriter::next_to(folder, [], self.overwrite)?;
        Ok(Box::new(TextFolder::new(folder, names, inputs, options)))
    }

    /// Opens the main output for documents: a file, standard output or memory.
    pub(crate) fn open_documents(&self, options: WriteOptions) -> Result<Box<dyn DocumentWriter>> {
        let output = match &self.main {
            Output::Discard => return Ok(Box::new(Nowhere)),
            Output::Memory(memory) => return Ok(Box::new(MemoryWriter { memory: memory.clone(), options })),
            Output::Stdout => write::Sink::stream(io::stdout()),
            Output::Path(path) => write::Sink::file(path)?,
        };
        let (format, compression) = self.document_format()?;
        write::open(output, format, compression, options)
    }

    /// Refuses a folder that is not empty, unless it may be overwritten. Hidden files do not count.
    pub(crate) fn check_folder(&self, folder: &Path) -> Result<()> {
        // Without the slash at its end.
        let plain: PathBuf = folder.components().collect();
        let folder = folder.display();
        if plain.exists() && !plain.is_dir() {
            return Err(Error::Refused(format!("{} is a file; name another folder", plain.display())));
        }
        let is_hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
        // A run that was killed or refused may leave a list that is not complete.
        let is_begun = |entry: &fs::DirEntry| {
            let files = (entry.file_name() == EVIDENCE).then(|| fs::read_dir(entry.path()).ok()).flatten();
            files.is_some_and(|mut files| files.all(|file| file.is_ok_and(|file| is_hidden(&file))))
        };
        let is_visible = |entry: &fs::DirEntry| !is_hidden(entry) && !is_begun(entry);
        if !self.overwrite && plain.read_dir().is_ok_and(|entries| entries.flatten().any(|entry| is_visible(&entry))) {
            let error = Error::Refused(format!("the folder {folder} is not empty"));
            return Err(
                error.hint(Hint::option("overwrite", "name another folder, or replace its files with `overwrite`"))
            );
        }
        Ok(())
    }
}

impl Outputs {
    /// The same for a job that writes its results to a folder of its own.
    pub(crate) fn within(self, folder: &Path) -> Result<Outputs> {
        match self.main {
            Output::Discard => Ok(Outputs { main: Output::Path(folder.to_owned()), ..self }),
            _ => Err(Error::Refused("this job has no output besides its folder".into())),
        }
    }

    /// The same outputs in another folder, of a run whose results are not kept.
    pub(crate) fn moved_to(&self, folder: &Path) -> Outputs {
        let moved = |list: &str, output: &Output| match output {
            Output::Discard | Output::Memory(_) => Output::Discard,
            Output::Stdout => Output::Path(folder.join(list)),
            Output::Path(path) if is_folder(path) => Output::Path(folder.join(format!("{list}/"))),
            Output::Path(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                Output::Path(folder.join(format!("{list}-{name}")))
            }
        };
        let lists = self.lists.iter().map(|(name, output)| (*name, moved(name, output))).collect();
        // A name without a file extension leaves the format to the option.
        let main = moved(if self.format.is_some() { "output" } else { "output.jsonl" }, &self.main);
        Outputs { main, format: self.format, overwrite: false, lists }
    }

    /// The same without a list.
    pub(crate) fn without(&self, list: &str) -> Outputs {
        let mut others = self.clone();
        others.lists.retain(|name, _| *name != list);
        others
    }

    /// The format of the main output of a job whose report can be a folder.
    pub(crate) fn report_format(&self, formats: &[Format]) -> Result<Format> {
        let asked = self.format.map(|(format, _)| format);
        let Some(path) = self.path() else {
            return match (asked, &self.main) {
                (Some(Format::Report), _) => {
                    let hint = Hint::option("output", "name the folder with `output`");
                    Err(Error::Refused("a report is a folder".into()).hint(hint))
                }
                (Some(Format::Parquet), Output::Stdout) => {
                    let hint = Hint::option("output", "name a file with `output`");
                    Err(Error::Refused("Parquet cannot be written to standard output".into()).hint(hint))
                }
                (_, Output::Memory(_)) => self.file_format(formats, Format::Jsonl),
                _ => self.file_format(formats, Format::Table),
            };
        };
        let format = match asked {
            None if is_folder(path) => Format::Report,
            Some(format) if is_folder(path) && format != Format::Report => {
                let (path, format) = (path.display(), format.name());
                return Err(Error::Refused(format!("{path} is a folder, for a report; name a file for {format}")));
            }
            Some(Format::Report) if !is_folder(path) => {
                let path = path.display();
                return Err(Error::Refused(format!(
                    "{path} is the name of a file, and a report is a folder; end it with /"
                )));
            }
            asked => Format::choose(path, asked, formats)?,
        };
        if format == Format::Report {
            self.check_folder(path)?;
        }
        Ok(format)
    }

    /// All outputs by their names, as part of what makes two runs the same. `None` if one of them does not outlive the run.
    pub(crate) fn identity(&self) -> Option<Value> {
        let name = |output: &Output| match output {
            Output::Memory(_) => None,
            Output::Path(path) => Some(json!(path)),
            Output::Stdout => Some(json!(STDIN)),
            Output::Discard => Some(Value::Null),
        };
        let lists: Option<BTreeMap<&str, Value>> =
            self.lists.iter().map(|(list, output)| Some((*list, name(output)?))).collect();
        let format = self.format.map(|(format, compression)| (format.name(), compression));
        Some(json!({"main": name(&self.main)?, "format": format, "lists": lists?}))
    }
}

/// The names of lists that several jobs write.
pub(crate) const REMOVED: &str = "removed";
pub(crate) const ERRORS: &str = "errors";
pub(crate) const REPORT: &str = "report";
/// The report as a web page.
pub(crate) const PAGE: &str = "page";
pub(crate) const DOUBTFUL: &str = "doubtful";
pub(crate) const CLUSTERS: &str = "clusters";
pub(crate) const LOST: &str = "lost";
pub(crate) const EXPLAIN: &str = "explain";
pub(crate) const SAVE: &str = "save";
/// What a folder of documents says about the run.
pub(crate) const EVIDENCE_LIST: &str = "evidence_list";
const EVIDENCE_REPORT: &str = "evidence_report";

/// Lists of removed ranges that are being written.
#[derive(Default)]
pub(crate) struct RemovedLists {
    lists: Vec<Compressed>,
    /// The folders that were made for them, the innermost first.
    made: Vec<PathBuf>,
}

impl RemovedLists {
    /// True if nothing is listed.
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Adds lines to all lists.
    pub(crate) fn put(&mut self, lines: &[u8]) -> Result<()> {
        self.lists.iter_mut().try_for_each(|list| list.put(lines))
    }

    /// Leaves the lists so that they can be resumed after so many bytes.
    pub(crate) fn pause(&mut self) -> Result<Vec<u64>> {
        self.lists.iter_mut().map(Compressed::pause).collect()
    }

    /// Finishes the lists.
    pub(crate) fn finish(mut self) -> Result<()> {
        std::mem::take(&mut self.lists).into_iter().try_for_each(|list| list.finish().map(drop))
    }
}

impl Drop for RemovedLists {
    fn drop(&mut self) {
        self.lists.clear();
        for folder in &self.made {
            // Only if nothing is in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// True for a folder, or for a name that asks for one.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// True for a name that says neither: without a slash at its end, and without an extension. Devices and pipes need none.
fn is_neither(path: &Path) -> bool {
    let has_extension = path.file_name().is_some_and(|name| name.as_encoded_bytes().contains(&b'.'));
    let is_device = || fs::metadata(path).is_ok_and(|meta| !meta.is_file());
    !is_folder(path) && !has_extension && !is_device()
}
