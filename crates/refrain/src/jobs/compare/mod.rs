//! `compare`: passages that documents share.

pub(super) mod read;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::read::Reader;
use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Outputs, REPORT};
use crate::compare::{
    AlignOptions, CompareOptions, ComparedDocument, ComparedPair, Comparison, ExcludedText, FingerprintOptions,
    PairOptions, PreparedDocument, Side, WordRule,
};
use crate::error::{Error, Failure, Hint, IoContext, Place, Result};
use crate::report::short_names;
use crate::run::Run;
use crate::source::{Collection, ReadOptions};
use crate::stats::Account;
use crate::text::{Offsets, TextDigest};
use crate::write::Format;

/// Finds passages that documents share, and ranks pairs of documents by how much they share.
///
/// ```
/// use refrain::{Compare, Document, Input, Outputs, Run};
///
/// let shared = "The keeper of the lighthouse climbed the stairs every evening at dusk, lit the lamp, and wrote the names of \
///     all ships that had passed into a large book that lay below the window on a table made of driftwood, which his \
///     father had built in the winter of the great storm, when no boat could leave the harbour for eleven weeks.";
/// let input = Input::documents([
///     Document::from_text("one", format!("My essay. {shared}")),
///     Document::from_text("two", format!("{shared} So it was.")),
/// ]);
/// let report = Compare::default().run(&input, Outputs::none(), &Run::default())?;
/// let pair = &report.pairs[0];
/// assert_eq!((report.documents[pair.a].id.as_str(), report.documents[pair.b].id.as_str()), ("one", "two"));
/// assert!(pair.scores.resemblance > 0.8 && pair.passages.len() == 1);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // independent switches
pub struct Compare {
    /// How inputs are read.
    pub read: ReadOptions,
    /// What counts as a word.
    pub tokens: WordRule,
    /// Number of words in an n-gram.
    pub ngram: usize,
    /// Pairs with at least this resemblance R are reported.
    pub resemblance: f64,
    /// Pairs of which one document contains at least this share of the other, C, are reported.
    pub containment: f64,
    /// Pairs that share a passage of at least this many words are reported, too; 0 disables this.
    pub passage_words: u64,
    /// With 20 documents or more, n-grams that occur in more than this share of them do not count.
    pub common: f64,
    /// Compare lists of references, too.
    pub keep_references: bool,
    /// Treat the files of each folder as one document.
    pub folders: bool,
    /// Find no passages, only scores.
    pub no_passages: bool,
    /// Write numbers instead of names. The list `key` maps numbers to documents.
    pub anonymous: bool,
    /// The unit of ranges in files.
    pub offsets: Offsets,
}

impl Default for Compare {
    fn default() -> Compare {
        let CompareOptions { fingerprints, pairs, passage_words, .. } = CompareOptions::default();
        Compare {
            read: ReadOptions::default(),
            tokens: fingerprints.rule,
            ngram: fingerprints.ngram,
            resemblance: pairs.resemblance,
            containment: pairs.containment,
            passage_words,
            common: pairs.common,
            keep_references: false,
            folders: false,
            no_passages: false,
            anonymous: false,
            offsets: Offsets::default(),
        }
    }
}

/// The input of [`Compare`]. An `&Input` is enough if there are only documents.
#[derive(Debug, Clone)]
pub struct CompareInput {
    /// The documents.
    pub documents: Input,
    /// Documents to compare them with, but not with each other.
    pub reference: Option<Input>,
    /// Text that everyone received, such as an assignment brief. It does not count.
    pub exclude: Option<Input>,
    /// The only pairs to compare, whatever they share.
    pub pairs: Option<NamedPairs>,
}

impl From<&Input> for CompareInput {
    fn from(documents: &Input) -> CompareInput {
        CompareInput { documents: documents.clone(), reference: None, exclude: None, pairs: None }
    }
}

/// Pairs of documents by their ids.
///
/// ```
/// let pairs: refrain::jobs::NamedPairs = [("a.txt", "b.txt"), ("a.txt", "c.txt")].into_iter().collect();
/// ```
#[derive(Debug, Clone, Default)]
pub struct NamedPairs {
    /// The file that they come from.
    path: Option<PathBuf>,
    /// Each with the number of its line.
    pairs: Vec<(u64, String, String)>,
}

impl NamedPairs {
    /// Reads a file with two ids on each line and a tab between them.
    pub fn read(path: impl Into<PathBuf>) -> Result<NamedPairs> {
        let path = path.into();
        let text = std::fs::read_to_string(&path).at(&path)?;
        let mut pairs = Vec::new();
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            let Some((a, b)) = line.trim_end_matches('\r').split_once('\t') else {
                return Err(Error::Refused(format!(
                    "{}, line {number}: not a pair; write two ids per line, separated by a tab",
                    path.display()
                )));
            };
            pairs.push((number, a.to_owned(), b.to_owned()));
        }
        Ok(NamedPairs { path: Some(path), pairs })
    }

    /// The pairs by the numbers of their documents.
    fn numbers(&self, comparison: &Comparison, failures: &mut FailureLog) -> Result<Vec<(usize, usize)>> {
        let name = self.path.as_ref().map_or_else(|| "pairs".to_owned(), |path| path.display().to_string());
        let numbers = comparison.numbers();
        let mut pairs = Vec::new();
        for (line, a, b) in &self.pairs {
            let failure = |error: String| Failure::new(&name, error).place(Place::Line(*line));
            match (numbers.get(a.as_str()), numbers.get(b.as_str())) {
                _ if a == b => {
                    failures.add(failure(format!("`{a}` is paired with itself")).hint("name two documents"))?;
                }
                (Some(a), Some(b)) => pairs.push((*a, *b)),
                (found, _) => {
                    let missing = if found.is_none() { a } else { b };
                    if failures.so_far().first.iter().any(|failure| failure.input == *missing) {
                        failures.add(failure(format!("the document `{missing}` could not be read")))?;
                        continue;
                    }
                    let failure = failure(format!("there is no document `{missing}`"));
                    let hint = numbers.keys().min().map(|id| format!("ids look like `{id}`"));
                    failures.add(hint.into_iter().fold(failure, Failure::hint))?;
                }
            }
        }
        if pairs.is_empty() && failures.so_far().count == 0 {
            let hint = "write two ids per line, separated by a tab";
            failures.add(Failure::new(name, "contains no pairs").hint(hint))?;
        }
        Ok(pairs)
    }
}

impl<A: Into<String>, B: Into<String>> FromIterator<(A, B)> for NamedPairs {
    fn from_iter<I: IntoIterator<Item = (A, B)>>(pairs: I) -> NamedPairs {
        let pairs = pairs.into_iter().zip(1..).map(|((a, b), number)| (number, a.into(), b.into()));
        NamedPairs { path: None, pairs: pairs.collect() }
    }
}

/// The result of [`Compare`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct CompareReport {
    /// The documents. Fewer than two cannot be compared: nothing was written then.
    pub documents: Vec<ComparedDocument>,
    /// Pairs of documents by their numbers, with scores and passages; the highest resemblance comes first.
    pub pairs: Vec<ComparedPair>,
    /// Text that occurs in too many documents to count, with the number of documents; the most frequent comes first.
    pub common: Vec<(String, usize)>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// The list that maps numbers to documents.
const KEY: &str = "key";

impl Compare {
    /// The formats that the job writes.
    pub const FORMATS: &[Format] =
        &[Format::Table, Format::Jsonl, Format::Json, Format::Csv, Format::Tsv, Format::Html, Format::Report];
    /// The memory that a run may use unless it says otherwise.
    pub const MEMORY: u64 = PairOptions::MEMORY;

    /// Runs the job.
    pub fn run(&self, input: impl Into<CompareInput>, outputs: Outputs, run: &Run) -> Result<CompareReport> {
        let CompareInput { documents, reference, exclude, pairs } = input.into();
        self.check(&outputs)?;
        outputs.check(&[ERRORS, KEY, REPORT])?;
        let format = outputs.report_format(Self::FORMATS)?;
        let options = self.options(run)?;
        let (source, early) = documents.open(&self.read, &outputs)?;
        let open = |input: &Option<Input>| input.as_ref().map(|input| input.open(&self.read, &outputs)).transpose();
        let (excluded, compared_with) = (open(&exclude)?, open(&reference)?);
        if let Some(path) = pairs.iter().find_map(|pairs| pairs.path.as_ref()) {
            Input::paths([path.to_string_lossy()])?.open_any(&self.read, &outputs)?;
        }
        let mut failures = FailureLog::new(&outputs, early)?;
        let workers = run.start()?;
        let folders = |input: &Input| self.folders.then(|| input.names().to_vec());
        let reader =
            |input: &Input| Reader { folders: folders(input), keep_wordless: pairs.is_some(), ..Reader::new(&workers) };
        let given = Reader::new(&workers).excluded(excluded, &options, &mut failures)?;
        let mut reading = Reading { comparison: Comparison::new(options), digests: HashMap::new(), twice: Vec::new() };
        let has_reference = compared_with.is_some();
        reading.add(&source, &reader(&documents), &given, has_reference, &mut failures)?;
        if let (Some((source, early)), Some(input)) = (compared_with, &reference) {
            failures.add_early(early)?;
            reading.add_reference(&source, &reader(input), &given, &mut failures)?;
        }
        let Reading { comparison, twice, .. } = reading;
        twice.iter().try_for_each(|name| failures.add(read::twice(name)))?;
        if comparison.len() < 2 {
            let documents = comparison.into_documents();
            let (input, failures) = failures.finish();
            let report = CompareReport { documents, input, failures, ..CompareReport::default() };
            outputs.write_report(&report)?;
            return Ok(report);
        }
        workers.begin("compare", 0);
        workers.advance(0, comparison.len() as u64, 0);
        let mut result = match &pairs {
            Some(pairs) => {
                let pairs = pairs.numbers(&comparison, &mut failures)?;
                comparison.conclude_pairs(&pairs, &workers)?
            }
            None => comparison.conclude(&workers)?,
        };
        // The order of documents is often the order of their names.
        if self.anonymous {
            result = result.shuffled()?;
        }
        let names = match self.anonymous {
            true => (1..=result.documents.len()).map(|number| format!("Document {number}")).collect(),
            false => {
                short_names(result.documents.iter().map(|document| document.url.as_deref().unwrap_or(&document.id)))
            }
        };
        for (document, name) in result.documents.iter_mut().zip(names) {
            document.name = name;
        }
        let (input, failures) = failures.finish();
        let named_pairs = pairs.is_some();
        let stop = workers.stop();
        write::Writing { job: self, result: &result, stop, named_pairs, failures: &failures }
            .write(format, &outputs)?;
        let (documents, pairs, common) = result.into_parts();
        let report = CompareReport { documents, pairs, common, input, failures };
        outputs.write_report(&report)?;
        Ok(report)
    }

    fn check(&self, outputs: &Outputs) -> Result<()> {
        if self.common <= 0.0 {
            let hint = Hint::option("common", "set `common` to a share such as 0.5, or to 1 to compare all text");
            return Err(Error::Refused("no text would count".into()).hint(hint));
        }
        if self.anonymous && outputs.get(REPORT).is_some() {
            let hint = Hint::option("report", "remove `report`; the main output can be JSON");
            return Err(
                Error::Refused("the report would name the documents of an anonymous comparison".into()).hint(hint)
            );
        }
        let Some(key) = outputs.get(KEY) else { return Ok(()) };
        if !self.anonymous {
            let hint = Hint::option("anonymous", "set `anonymous`");
            return Err(Error::Refused("a key needs names that are replaced".into()).hint(hint));
        }
        let clean = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.components().collect());
        let folder = key.as_path().map(|key| std::path::absolute(key).at(key)).transpose()?;
        let folder = folder.as_deref().and_then(Path::parent).map(clean);
        let output = outputs.path().map(|path| std::path::absolute(path).at(path)).transpose()?;
        if folder.zip(output.as_deref().map(clean)).is_some_and(|(folder, output)| folder.starts_with(output)) {
            let hint = Hint::option("anonymous", "name a file outside the report for `anonymous`");
            return Err(Error::Refused("the key to the names must not be inside the report".into()).hint(hint));
        }
        Ok(())
    }

    fn options(&self, run: &Run) -> Result<CompareOptions> {
        Ok(CompareOptions {
            fingerprints: FingerprintOptions { rule: self.tokens, ngram: self.ngram },
            pairs: PairOptions {
                resemblance: self.resemblance,
                containment: self.containment,
                common: self.common,
                memory: run.memory_or(Self::MEMORY)?,
                temporary: run.temporary(),
                ..PairOptions::default()
            },
            passages: (!self.no_passages).then(|| AlignOptions::of(self.tokens)),
            passage_words: self.passage_words,
            keep_references: self.keeps_references(),
        })
    }

    /// Programs have no lists of references.
    fn keeps_references(&self) -> bool {
        self.keep_references || self.tokens == WordRule::Code
    }

    /// The pairs as a table for people, with at most `most` rows.
    pub fn table(&self, report: &CompareReport, most: usize) -> String {
        write::table(&report.documents, &report.pairs, !self.no_passages, most)
    }
}

/// Documents as they are read.
struct Reading {
    comparison: Comparison,
    /// The digests of texts by ids, if a reference may be one of the documents.
    digests: HashMap<String, Option<TextDigest>>,
    /// The display names of documents whose ids occurred before.
    twice: Vec<String>,
}

impl Reading {
    fn add(
        &mut self,
        source: &Collection,
        reader: &Reader<'_>,
        given: &ExcludedText,
        has_reference: bool,
        failures: &mut FailureLog,
    ) -> Result<()> {
        let options = self.comparison.options().clone();
        reader.prepared(source, &options, given, failures, |document| {
            let digest = has_reference.then(|| TextDigest::of(&document.text));
            if self.digests.insert(document.id.clone(), digest).is_none() {
                return self.comparison.add(document, Side::New).map(drop);
            }
            self.twice.push(document.name().to_owned());
            Ok(())
        })
    }

    fn add_reference(
        &mut self,
        source: &Collection,
        reader: &Reader<'_>,
        given: &ExcludedText,
        failures: &mut FailureLog,
    ) -> Result<()> {
        let options = self.comparison.options().clone();
        reader.prepared(source, &options, given, failures, |document: PreparedDocument| {
            let digest = Some(TextDigest::of(&document.text));
            match self.digests.get(&document.id) {
                // No document is its own reference.
                Some(same) if *same == digest => {}
                Some(_) => self.twice.push(document.name().to_owned()),
                None => {
                    self.digests.insert(document.id.clone(), digest);
                    self.comparison.add(document, Side::Reference)?;
                }
            }
            Ok(())
        })
    }
}
