//! Reads documents for a comparison.

use std::path::Path;

use super::super::failures::FailureLog;
use crate::compare::{CompareOptions, DocumentPart, ExcludedText, PreparedDocument, pages_of};
use crate::decode::LanguageFilter;
use crate::document::Document;
use crate::error::{Failure, Result};
use crate::flow::each_document;
use crate::prepare::Preparation;
use crate::run::Workers;
use crate::source::{Collection, plain_name};

/// Reads documents.
pub(in crate::jobs) struct Reader<'a> {
    pub(in crate::jobs) workers: &'a Workers,
    /// If the files of each folder are one document: the names of the inputs, or none for documents in memory.
    pub(in crate::jobs) folders: Option<Vec<String>>,
    /// Detect the language of every document.
    pub(in crate::jobs) languages: bool,
    /// Include documents without words.
    pub(in crate::jobs) keep_wordless: bool,
}

/// A document with the id of an earlier one, by its display name.
pub(in crate::jobs) fn twice(name: &str) -> Failure {
    Failure::new(name, "skipped: another document has the same id").hint("give each document a unique id")
}

/// A document without words, by its display name.
fn wordless(name: &str) -> Failure {
    Failure::new(name, "no words to compare").hint("check the file; if it holds images of pages, run OCR first")
}

impl<'a> Reader<'a> {
    pub(in crate::jobs) fn new(workers: &'a Workers) -> Reader<'a> {
        Reader { workers, folders: None, languages: false, keep_wordless: false }
    }

    /// Reads the text that does not count.
    pub(in crate::jobs) fn excluded(
        &self,
        opened: Option<(Collection, Vec<Failure>)>,
        options: &CompareOptions,
        failures: &mut FailureLog,
    ) -> Result<ExcludedText> {
        let mut excluded = ExcludedText::default();
        if let Some((source, early)) = opened {
            failures.add_early(early)?;
            self.each(
                &source,
                failures,
                |document| document,
                |document, _| {
                    excluded.add(document.text(), &options.fingerprints);
                    Ok(())
                },
            )?;
        }
        Ok(excluded)
    }

    /// Passes on documents prepared for comparison. Those without words are failures.
    pub(in crate::jobs) fn prepared(
        &self,
        source: &Collection,
        options: &CompareOptions,
        excluded: &ExcludedText,
        failures: &mut FailureLog,
        mut found: impl FnMut(PreparedDocument) -> Result<()>,
    ) -> Result<()> {
        let mut add = |document: PreparedDocument, failures: &mut FailureLog| {
            if document.words() == 0 {
                failures.add(wordless(document.name()))?;
                if !self.keep_wordless {
                    return Ok(());
                }
            }
            found(document)
        };
        let prepare = |document: Document| PreparedDocument::of(document, options, excluded);
        let Some(names) = &self.folders else { return self.each(source, failures, prepare, add) };
        // Folders on disk are read one after the other; the members of an archive can come in any order.
        let mut open: Vec<Folder> = Vec::new();
        self.each(
            source,
            failures,
            |document| document,
            |document, failures| {
                let id = folder_of(&document, names);
                if let Some(folder) = open.iter_mut().find(|folder| folder.document.id == id) {
                    folder.add(document);
                    return Ok(());
                }
                let is_on_disk = !names.is_empty() && Path::new(&id).is_dir();
                let mut whole = Document::from_text(id, "");
                whole.language.clone_from(&document.language);
                let mut folder = Folder { document: whole, is_on_disk, ..Folder::default() };
                folder.add(document);
                let done: Vec<Folder> = open.extract_if(.., |one| one.is_on_disk).collect();
                open.push(folder);
                done.into_iter().try_for_each(|folder| add(folder.prepared(prepare), failures))
            },
        )?;
        open.into_iter().try_for_each(|folder| add(folder.prepared(prepare), failures))
    }

    /// Passes on the result of `work` for each document that has words.
    pub(in crate::jobs) fn each_with_words<T: Send>(
        &self,
        source: &Collection,
        failures: &mut FailureLog,
        prepare: impl Fn(Document) -> PreparedDocument + Sync,
        work: impl Fn(PreparedDocument) -> T + Sync,
        mut found: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let work = |document| {
            let prepared = prepare(document);
            if prepared.words() == 0 { Err(wordless(prepared.name())) } else { Ok(work(prepared)) }
        };
        self.each(source, failures, work, |done, failures| match done {
            Ok(done) => found(done),
            Err(failure) => failures.add(failure),
        })
    }

    fn each<T: Send>(
        &self,
        source: &Collection,
        failures: &mut FailureLog,
        work: impl Fn(Document) -> T + Sync,
        mut found: impl FnMut(T, &mut FailureLog) -> Result<()>,
    ) -> Result<()> {
        let preparation =
            Preparation { language: self.languages.then(LanguageFilter::default), ..Preparation::default() };
        each_document(
            self.workers,
            "read",
            source,
            |position, item| {
                let prepared = preparation.prepare(position, item).without_marked();
                (prepared.document.map(&work), prepared.failure, prepared.skipped)
            },
            |_, (document, failure, skipped)| {
                failures.count(document.is_some(), skipped.as_deref(), failure)?;
                document.map_or(Ok(()), |document| found(document, failures))
            },
        )
    }
}

/// The folder that a document belongs to: the first one below a name of an input, or in an archive; itself if there is none.
/// Documents in memory, which have no such names, belong to the first folder of their ids.
fn folder_of(document: &Document, names: &[String]) -> String {
    let id = &document.id;
    if names.is_empty() {
        return id.split_once('/').map_or(id.as_str(), |(folder, _)| folder).to_owned();
    }
    let below = names.iter().filter_map(|name| {
        let folder = plain_name(Path::new(name));
        let rest = id.strip_prefix(&folder)?;
        let rest = if folder.is_empty() { rest } else { rest.strip_prefix('/')? };
        match rest.find('/') {
            Some(end) => Some(id.len() - rest.len() + end),
            // If several folders with files were named, each of them is one document.
            None => (names.len() > 1).then_some(folder.len()),
        }
    });
    match below.max() {
        Some(0) => ".".to_owned(),
        Some(end) => id[..end].to_owned(),
        None => id.clone(),
    }
}

/// The files of one folder, as one document.
#[derive(Default)]
struct Folder {
    /// Everything but the text.
    document: Document,
    text: String,
    parts: Vec<DocumentPart>,
    is_on_disk: bool,
    /// The code points of the text so far.
    characters: u64,
}

impl Folder {
    fn add(&mut self, file: Document) {
        let text = &mut self.text;
        if !text.is_empty() {
            text.push_str(SEPARATOR);
            self.characters += SEPARATOR.len() as u64;
        }
        let start = self.characters;
        let pages = pages_of(&file).into_iter().map(|page| start + page).collect();
        let below = file.id.strip_prefix(&self.document.id).map(|name| name.trim_start_matches('/'));
        let name = below.filter(|name| !name.is_empty()).map(str::to_owned);
        text.push_str(file.text());
        self.characters += file.text().chars().count() as u64;
        self.parts.push(DocumentPart { name: name.unwrap_or(file.id), start, pages });
    }

    fn prepared(self, prepare: impl Fn(Document) -> PreparedDocument) -> PreparedDocument {
        let Folder { mut document, text, mut parts, .. } = self;
        document.set_text(text);
        let mut prepared = prepare(document);
        match parts.as_mut_slice() {
            // A file in no folder.
            [only] if only.name == prepared.id => prepared.pages = std::mem::take(&mut only.pages),
            _ => prepared.parts = parts,
        }
        prepared
    }
}

/// The separator between the files of a folder.
const SEPARATOR: &str = "\n\n";
