//! `library`: a permanent collection of sources to check documents against.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compare::read::{Reader, twice};
use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Output, Outputs, REPORT};
use crate::compare::{
    Added, AlignOptions, CheckOptions, Checked, CompareOptions, ExcludedText, FingerprintOptions, LibraryReader,
    LibrarySource, LibraryWriter, PairOptions, PreparedDocument, Scores, SharedPassage, WordRule,
};
use crate::error::{Error, Hint, Result};
use crate::report::{WrittenPassage, shared_passages};
use crate::run::Run;
use crate::source::ReadOptions;
use crate::stats::Account;
use crate::text::Offsets;
use crate::text::legible;
use crate::write::Format;

/// A library of sources in a folder, to check documents against them.
///
/// One program at a time can change it, and any number can read it. If a program is killed, its last change is either complete
/// or absent.
///
/// ```
/// use refrain::{Document, Input, Library, LibraryCheck, LibraryOptions, Outputs, Run};
///
/// let folder = tempfile::tempdir()?;
/// let mut library = Library::open_or_create(folder.path(), LibraryOptions::default())?;
/// let rules = "The keeper on watch shall not leave the lantern room while the light is burning.";
/// let sources = Input::documents([Document::from_text("rules", rules)]);
/// library.add(&sources, &Default::default(), Outputs::none(), &Run::default())?;
///
/// let mine = "He shall not leave the lantern room while the light is burning, they say.";
/// let input = Input::documents([Document::from_text("mine", mine)]);
/// let report = library.check(&input, &LibraryCheck::default(), Outputs::none(), &Run::default())?;
/// assert_eq!(report.documents[0].sources[0].id, "rules");
/// assert!(report.documents[0].containment > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Library {
    folder: PathBuf,
    reader: LibraryReader,
}

/// How a new library counts words. For an existing library, other values are an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LibraryOptions {
    /// What counts as a word.
    pub tokens: Option<WordRule>,
    /// Number of words in an n-gram.
    pub ngram: Option<usize>,
}

/// The result of [`Library::add`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddReport {
    /// Sources that are new.
    pub new: u64,
    /// Ids of sources that replaced another text.
    pub replaced: Vec<String>,
    /// Sources that were in the library already, with the same text.
    pub known: u64,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// How [`Library::check`] checks documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LibraryCheck {
    /// How inputs are read.
    pub read: ReadOptions,
    /// The most sources to report for each document.
    pub most: usize,
    /// Report sources that contain at least this share of the document.
    pub containment: f64,
    /// Ignore the document itself: a source with the same id and the same text.
    pub others: bool,
    /// Find no passages, only scores.
    pub no_passages: bool,
}

impl Default for LibraryCheck {
    fn default() -> LibraryCheck {
        let CheckOptions { containment, most, others } = CheckOptions::default();
        LibraryCheck { read: ReadOptions::default(), most, containment, others, no_passages: false }
    }
}

/// The input of [`Library::check`]. An `&Input` is enough if there are only documents.
#[derive(Debug, Clone)]
pub struct CheckInput {
    /// The documents.
    pub documents: Input,
    /// Text that everyone received. It does not count.
    pub exclude: Option<Input>,
}

impl From<&Input> for CheckInput {
    fn from(documents: &Input) -> CheckInput {
        CheckInput { documents: documents.clone(), exclude: None }
    }
}

/// The result of [`Library::check`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct CheckReport {
    /// How many documents were checked.
    pub checked: u64,
    /// The documents, unless they were written to a file or to standard output.
    pub documents: Vec<CheckedDocument>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// A document and its sources.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckedDocument {
    /// Its id.
    pub id: String,
    /// How many of its words count.
    pub words: u64,
    /// How many different n-grams it has.
    pub grams: usize,
    /// How many of them occur in any source.
    pub shared: usize,
    /// The same as a share.
    pub containment: f64,
    /// The sources, the highest containment first.
    pub sources: Vec<FoundSource>,
}

/// A source of a library, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedSource<'a> {
    /// Its id.
    id: &'a str,
    /// Its address, if it has one.
    url: Option<&'a str>,
    /// The number of words.
    words: u64,
    /// The number of different n-grams.
    grams: usize,
    /// Its language, if it is known.
    language: Option<&'a str>,
}

impl<'a> From<&'a LibrarySource> for ListedSource<'a> {
    fn from(source: &'a LibrarySource) -> ListedSource<'a> {
        let LibrarySource { id, words, grams, .. } = source;
        let (url, language) = (source.url.as_deref(), source.language.as_deref());
        ListedSource { id, url, words: *words, grams: *grams, language }
    }
}

/// A source that shares text with a document.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundSource {
    /// Its id.
    pub id: String,
    /// How much they share; `a` is the document, `b` the source.
    pub scores: Scores,
    /// True for the document itself.
    pub itself: bool,
    /// The passages they share, in bytes.
    pub passages: Vec<SharedPassage>,
}

impl Library {
    /// The formats that a check is written in.
    pub const FORMATS: &[Format] = &[Format::Table, Format::Jsonl];
    /// The memory that adding sources may use unless the run says otherwise.
    pub const MEMORY: u64 = PairOptions::MEMORY;

    /// Opens a library.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Library> {
        let folder = folder.into();
        Ok(Library { reader: LibraryReader::open(&folder)?, folder })
    }

    /// Opens a library, or a new one, which is created when sources are added to it.
    pub fn open_or_create(folder: impl Into<PathBuf>, options: LibraryOptions) -> Result<Library> {
        let folder = folder.into();
        let usual = FingerprintOptions::default();
        let wanted = FingerprintOptions {
            rule: options.tokens.unwrap_or(usual.rule),
            ngram: options.ngram.unwrap_or(usual.ngram),
        };
        let reader = LibraryReader::open_or_empty(&folder, wanted)?;
        let FingerprintOptions { rule, ngram } = reader.fingerprints();
        if options.tokens.is_some_and(|wanted| wanted != rule) || options.ngram.is_some_and(|wanted| wanted != ngram) {
            let (folder, rule) = (folder.display(), rule.name());
            let message = format!("the library {folder} uses other n-grams");
            let advice =
                format!("it uses `tokens={rule}` `ngram={ngram}`: remove these options, or name another library");
            return Err(Error::Refused(message).hint(Hint::option("tokens", advice)));
        }
        Ok(Library { folder, reader })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The sources, in the order in which they were added.
    pub fn sources(&self) -> impl Iterator<Item = &LibrarySource> {
        self.reader.sources()
    }

    /// Adds sources. A source with the id of an earlier one replaces it. If the run is interrupted, nothing was added.
    pub fn add(&mut self, input: &Input, read: &ReadOptions, outputs: Outputs, run: &Run) -> Result<AddReport> {
        outputs.check(&[ERRORS, REPORT])?;
        outputs.refuse_results(&self.folder)?;
        let outputs = outputs.within(&self.folder)?;
        let (source, early) = input.open(read, &outputs)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let mut options = self.options(false);
        options.pairs.memory = run.memory_or(Self::MEMORY)?;
        let mut writer = LibraryWriter::open(&self.folder, &options)?;
        let workers = run.start()?;
        let reader = Reader { languages: true, ..Reader::new(&workers) };
        let mut report = AddReport::default();
        let (mut ids, mut again) = (HashSet::new(), Vec::new());
        reader.prepared(&source, &options, &ExcludedText::default(), &mut failures, |document| {
            let id = document.id.clone();
            if !ids.insert(id.clone()) {
                again.push(document.name().to_owned());
                return Ok(());
            }
            match writer.add(document)? {
                Added::New => report.new += 1,
                Added::Replaced => report.replaced.push(id),
                Added::Known => report.known += 1,
            }
            Ok(())
        })?;
        writer.commit()?;
        self.reader = LibraryReader::open(&self.folder)?;
        again.iter().try_for_each(|name| failures.add(twice(name)))?;
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// Removes sources by their addresses or ids. Returns the names that no source has.
    pub fn remove<I>(&mut self, ids: I) -> Result<Vec<String>>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut writer = LibraryWriter::open(&self.folder, &self.options(false))?;
        let mut missing = Vec::new();
        for id in ids {
            let name = id.as_ref();
            let named = self.sources().filter(|source| source.name() == name);
            let mut is_removed = false;
            for id in named.map(|source| source.id.as_str()).chain([name]) {
                is_removed |= writer.remove(id)?;
            }
            if !is_removed {
                missing.push(name.to_owned());
            }
        }
        writer.commit()?;
        self.reader = LibraryReader::open(&self.folder)?;
        Ok(missing)
    }

    /// Checks how much of each document occurs in the library, in which sources, and where.
    pub fn check(
        &self,
        input: impl Into<CheckInput>,
        check: &LibraryCheck,
        outputs: Outputs,
        run: &Run,
    ) -> Result<CheckReport> {
        let CheckInput { documents, exclude } = input.into();
        outputs.check(&[ERRORS, REPORT])?;
        outputs.refuse_results(&self.folder)?;
        let is_memory = matches!(outputs.main(), Output::Memory(_));
        let default = if is_memory { Format::Jsonl } else { Format::Table };
        let format = outputs.file_format(Self::FORMATS, default)?;
        let (source, early) = documents.open(&check.read, &outputs)?;
        let excluded = exclude.map(|exclude| exclude.open(&check.read, &outputs)).transpose()?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let options = self.options(check.no_passages);
        let find = CheckOptions { containment: check.containment, most: check.most, others: check.others };
        let workers = run.start()?;
        let reader = Reader::new(&workers);
        let given = reader.excluded(excluded, &options, &mut failures)?;
        let mut out = outputs.main().open()?;
        let keeps = is_memory || outputs.main().is_discarded();
        let mut report = CheckReport::default();
        reader.each_with_words(
            &source,
            &mut failures,
            |document| PreparedDocument::of(document, &options, &given),
            |document| {
                let checked = self.reader.check(&document, &find, &options)?;
                let text = match format {
                    Format::Jsonl => format!("{}\n", as_json(&document, &checked)),
                    _ => table(&document, &checked, check.no_passages),
                };
                Ok((text, keeps.then(|| CheckedDocument::new(document, checked))))
            },
            |checked: Result<(String, Option<CheckedDocument>)>| {
                let (text, document) = checked?;
                report.checked += 1;
                report.documents.extend(document);
                out.put(text.as_bytes())
            },
        )?;
        out.finish()?;
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// Verifies that all files are as they were written.
    pub fn verify(&self) -> Result<()> {
        self.reader.verify()
    }

    /// Merges all segments into one, without removed sources. This also happens automatically.
    pub fn compact(&mut self) -> Result<()> {
        LibraryWriter::open(&self.folder, &self.options(false))?.compact()?;
        self.reader = LibraryReader::open(&self.folder)?;
        Ok(())
    }

    /// How documents are compared with the library.
    fn options(&self, no_passages: bool) -> CompareOptions {
        let fingerprints = self.reader.fingerprints();
        CompareOptions {
            fingerprints,
            keep_references: fingerprints.rule == WordRule::Code,
            passages: (!no_passages).then(|| AlignOptions::of(fingerprints.rule)),
            passage_words: 0,
            ..CompareOptions::default()
        }
    }
}

impl CheckedDocument {
    fn new(document: PreparedDocument, checked: Checked) -> CheckedDocument {
        let sources = checked.sources.into_iter().map(|found| FoundSource {
            id: found.source.id,
            scores: found.scores,
            itself: found.itself,
            passages: found.passages,
        });
        CheckedDocument {
            words: document.words(),
            id: document.id,
            grams: checked.grams,
            shared: checked.shared,
            containment: checked.containment,
            sources: sources.collect(),
        }
    }
}

/// A line for a document that was checked; ranges are in code points.
#[derive(Serialize, JsonSchema)]
pub(super) struct CheckedLine<'a> {
    /// Its id.
    id: &'a str,
    /// How many of its words count.
    words: u64,
    /// How many different n-grams it has.
    grams: usize,
    /// How many of them occur in any source.
    shared: usize,
    /// The same as a share.
    c: f64,
    /// The sources, those that contain most of the document first.
    sources: Vec<SourceOfLine<'a>>,
}

/// A source that shares text with the document.
#[derive(Serialize, JsonSchema)]
struct SourceOfLine<'a> {
    /// Its id.
    id: &'a str,
    /// The resemblance of the two.
    r: f64,
    /// The share of the n-grams of the document that the source has.
    c: f64,
    /// The share of the n-grams of the source that the document has.
    c_source: f64,
    /// The number of n-grams in both.
    shared: usize,
    /// True for the document itself, by id and text.
    itself: bool,
    /// The passages that they share: `a` in the document, `b` in the source.
    passages: Vec<WrittenPassage>,
}

/// The result for a document.
fn as_json(document: &PreparedDocument, checked: &Checked) -> Value {
    let rounded = |score: f64| (score * 1e6).round() / 1e6;
    let sources = checked.sources.iter().map(|found| {
        let (own, other) = ((&*document.text, &*document.pages), (&*found.text, &*found.source.pages));
        SourceOfLine {
            id: &found.source.id,
            r: rounded(found.scores.resemblance),
            c: rounded(found.scores.a_in_b),
            c_source: rounded(found.scores.b_in_a),
            shared: found.scores.shared,
            itself: found.itself,
            passages: shared_passages(&found.passages, own, other, Offsets::Chars),
        }
    });
    json!(CheckedLine {
        id: &document.id,
        words: document.words(),
        grams: checked.grams,
        shared: checked.shared,
        c: rounded(checked.containment),
        sources: sources.collect(),
    })
}

/// Characters of a passage that the table shows.
const SHOWN: usize = 100;

/// The same for people.
fn table(document: &PreparedDocument, checked: &Checked, no_passages: bool) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let mut table = format!(
        "{}: {} % of its n-grams occur in the library ({} of {})\n",
        legible(document.name()),
        percent(checked.containment),
        checked.shared,
        checked.grams
    );
    for found in &checked.sources {
        let count = found.passages.len();
        let passages = match no_passages {
            true => String::new(),
            false => format!(", {count} passage{}", if count == 1 { "" } else { "s" }),
        };
        let _ = writeln!(
            table,
            "  {:>6} % in {} ({} n-grams{passages}){}",
            percent(found.scores.a_in_b),
            legible(found.source.name()),
            found.scores.shared,
            if found.itself { ": the document itself" } else { "" },
        );
        for passage in &found.passages {
            let text: String = passage.a.of(&document.text).split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = text.chars().take(SHOWN).collect();
            let more = if short.len() < text.len() { " ..." } else { "" };
            let _ = writeln!(table, "           {}{more}", legible(&short));
        }
    }
    table
}
