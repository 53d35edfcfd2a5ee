//! Documents as they are read for a comparison.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use refrain::compare::{CompareOptions, Essay, GivenText, Part, pages_of};
use refrain::decode::{LanguageFilter, identify};
use refrain::pipeline::{Control, Preparation, run_in_order};
use refrain::source::{Inputs, Source, plain_name};
use refrain::{Document, Failure, Position};

use crate::common::{Failures, InputArguments, OutputArguments, expand};
use crate::progress::{Bar, Status};

/// Reads documents.
pub(crate) struct Reader<'a> {
    pub(crate) input: &'a InputArguments,
    pub(crate) output: &'a OutputArguments,
    /// Files of a folder are one document: of folders below these.
    pub(crate) folders: Option<&'a [String]>,
    /// The language of every document is told.
    pub(crate) languages: bool,
    /// Documents without words are handed out, too.
    pub(crate) wordless: bool,
    pub(crate) control: &'a Arc<Control>,
    pub(crate) pool: &'a rayon::ThreadPool,
}

impl Reader<'_> {
    /// Hands out all documents of what was named.
    pub(crate) fn documents(
        &self,
        names: &[String],
        failures: &mut Failures,
        mut found: impl FnMut(Document) -> refrain::Result<()>,
    ) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let (inputs, early) = expand(names, None)?;
        early.into_iter().try_for_each(|failure| failures.add(failure))?;
        self.each(inputs, failures, |document| document, |document, _| found(document))?;
        Ok(())
    }

    /// Hands out documents that are ready to be compared. Those without words are failures.
    pub(crate) fn essays(
        &self,
        inputs: Inputs,
        options: &CompareOptions,
        given: &GivenText,
        failures: &mut Failures,
        mut found: impl FnMut(Essay) -> refrain::Result<()>,
    ) -> Result<()> {
        let mut add = |essay: Essay, failures: &mut Failures| {
            if essay.words() == 0 {
                let failure = Failure::new(&essay.id, "has no words to compare");
                failures
                    .add(failure.hint("is it the right file? If it shows pictures of pages, run OCR over it first"))?;
                if !self.wordless {
                    return Ok(());
                }
            }
            found(essay)
        };
        let essay = |document: Document| Essay::of(document, options, given);
        let Some(names) = self.folders else { return self.each(inputs, failures, essay, add) };
        // Folders on disk are read one after the other; the members of an archive come in any order.
        let mut open: Vec<Submission> = Vec::new();
        let essay = |submission: Submission| {
            let Submission { mut document, text, mut parts, .. } = submission;
            document.set_text(text);
            let mut essay = essay(document);
            match parts.as_mut_slice() {
                // A file in no folder.
                [only] if only.name == essay.id => essay.pages = std::mem::take(&mut only.pages),
                _ => essay.parts = parts,
            }
            essay
        };
        self.each(
            inputs,
            failures,
            |document| document,
            |document, failures| {
                let folder = folder_of(&document, names);
                if let Some(together) = open.iter_mut().find(|together| together.document.id == folder) {
                    together.join(document);
                    return Ok(());
                }
                let mut whole = Document::from_text(folder, "");
                whole.language.clone_from(&document.language);
                let is_on_disk = Path::new(&whole.id).is_dir();
                let mut together = Submission { document: whole, is_on_disk, ..Submission::default() };
                together.join(document);
                let done: Vec<Submission> = open.extract_if(.., |one| one.is_on_disk).collect();
                open.push(together);
                done.into_iter().try_for_each(|done| add(essay(done), failures))
            },
        )?;
        open.into_iter().try_for_each(|done| add(essay(done), failures))?;
        Ok(())
    }

    fn each<T: Send>(
        &self,
        inputs: Inputs,
        failures: &mut Failures,
        work: impl Fn(Document) -> T + Sync,
        mut found: impl FnMut(T, &mut Failures) -> refrain::Result<()>,
    ) -> Result<()> {
        let source = Arc::new(Source::new(inputs, self.input.options()));
        let (watched, counted) = (source.clone(), self.control.clone());
        let bar = Bar::start(!self.output.shows_progress(), move || Status {
            phase: "read",
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents(),
            note: format!(", {} documents", counted.documents()),
        });
        let preparation = Preparation { language: self.languages.then(LanguageFilter::default), extractor: None };
        let result = run_in_order(
            &source,
            0..source.inputs().len(),
            Position::default(),
            self.pool,
            self.control,
            |position, item| {
                let mut prepared = preparation.prepare(position, item);
                prepared.document.iter_mut().for_each(Document::remove_marked);
                (prepared.document.map(&work), prepared.failure, prepared.skipped)
            },
            |_, (document, failure, skipped)| {
                if let Some(reason) = skipped {
                    failures.pass_over(reason);
                }
                if let Some(failure) = failure {
                    failures.add(failure)?;
                }
                let Some(document) = document else { return Ok(()) };
                self.control.count(1, 0);
                found(document, failures)
            },
        );
        drop(bar);
        Ok(result?)
    }
}

/// The language of a text, where it is plain.
pub(crate) fn language_of(text: &str) -> Option<&'static str> {
    identify(text).filter(|found| found.reliable).map(|found| found.code)
}

/// The folder that a document belongs to: the first one below what was named, or in an archive; itself if there is none.
fn folder_of(document: &Document, names: &[String]) -> String {
    let id = &document.id;
    let below = names.iter().filter_map(|name| {
        let folder = plain_name(Path::new(name));
        let rest = id.strip_prefix(&folder)?;
        let rest = if folder.is_empty() { rest } else { rest.strip_prefix('/')? };
        match rest.find('/') {
            Some(end) => Some(id.len() - rest.len() + end),
            // Several folders were named, each of which has files: these are the folders that are meant.
            None => (names.len() > 1).then_some(folder.len()),
        }
    });
    match below.max() {
        Some(0) => ".".to_owned(),
        Some(end) => id[..end].to_owned(),
        None => id.clone(),
    }
}

/// The files of one folder.
#[derive(Default)]
struct Submission {
    /// All that is known of it but its text.
    document: Document,
    text: String,
    parts: Vec<Part>,
    is_on_disk: bool,
    /// The code points of the text so far.
    characters: u64,
}

impl Submission {
    /// Adds a file.
    fn join(&mut self, file: Document) {
        let text = &mut self.text;
        if !text.is_empty() {
            text.push_str(BETWEEN);
            self.characters += BETWEEN.len() as u64;
        }
        let start = self.characters;
        let pages = pages_of(&file).into_iter().map(|page| start + page).collect();
        let below = file.id.strip_prefix(&self.document.id).map(|name| name.trim_start_matches('/'));
        let name = below.filter(|name| !name.is_empty()).map(str::to_owned);
        text.push_str(file.text());
        self.characters += file.text().chars().count() as u64;
        self.parts.push(Part { name: name.unwrap_or(file.id), start, pages });
    }
}

/// What stands between files that are taken together.
const BETWEEN: &str = "\n\n";
