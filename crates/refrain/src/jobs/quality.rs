//! `quality`: removes documents and lines that are not worth keeping, and learns limits for a language.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Outputs, REMOVED, REPORT, is_folder};
use crate::decode::LanguageFilter;
use crate::document::{Document, Label};
use crate::error::{Error, Hint, IoContext, Result};
use crate::flow::each_document;
use crate::prepare::{Preparation, Prepared};
use crate::quality::{
    BlockedHosts, Mask, PRESETS, QualityFilter, QualityMeasure, QualityRules, Reference, ReferenceDocument, rounded,
};
use crate::report::{rule, sentence};
use crate::run::Run;
use crate::source::ReadOptions;
use crate::stats::{Account, RuleCounts};
use crate::text::{Digest, Offsets, count_words};
use crate::write::{Names, WriteOptions, removed_lines};

/// What decides whether documents are worth keeping.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QualityOptions {
    /// Sets of rules, applied in this order: [presets](PRESETS), and files with rules in JSON.
    pub quality: Vec<String>,
    /// Documents with fewer words are removed.
    pub min_words: Option<u64>,
    /// Documents with more words are removed.
    pub max_words: Option<u64>,
    /// Files that name hosts whose documents are removed, one per line.
    pub block_hosts: Vec<PathBuf>,
    /// The share of documents that are read. Their addresses decide, or their texts.
    pub sample: Option<f64>,
    /// What is masked.
    pub mask: Option<Mask>,
}

impl QualityOptions {
    /// Reads the files that the options name; `None` if there is nothing to do.
    pub(crate) fn filter(&self) -> Result<Option<QualityFilter>> {
        if *self == QualityOptions::default() {
            return Ok(None);
        }
        if self.sample.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
            return Err(Error::Refused("a sample is a share above 0 and at most 1".into()));
        }
        let mut filter = QualityFilter { sample: self.sample, mask: self.mask, ..QualityFilter::default() };
        for name in &self.quality {
            filter.rules.extend(named(name)?);
        }
        if let (Some(least), Some(most)) = (self.min_words, self.max_words)
            && least > most
        {
            return Err(Error::Refused(format!("no document has at least {least} and at most {most} words")));
        }
        let mut limits = QualityRules::new("limits");
        limits.at_least.extend(self.min_words.map(|words| (QualityMeasure::Words, words as f64)));
        limits.at_most.extend(self.max_words.map(|words| (QualityMeasure::Words, words as f64)));
        if !(limits.at_least.is_empty() && limits.at_most.is_empty()) {
            filter.rules.insert(0, limits);
        }
        for path in &self.block_hosts {
            let list = BlockedHosts::parse(&String::from_utf8_lossy(&std::fs::read(path).at(path)?));
            if list.is_empty() {
                return Err(Error::Refused(format!("{}: names no host; write one per line", path.display())));
            }
            filter.hosts.extend(list);
        }
        Ok(Some(filter))
    }
}

/// The rules of a preset or file.
fn named(name: &str) -> Result<Vec<QualityRules>> {
    if let Some(rules) = QualityRules::preset(name) {
        return Ok(rules);
    }
    let path = PathBuf::from(name);
    if !path.exists() {
        let error = Error::Refused(format!("no preset and no file is called {name}"));
        return Err(error.hint(Hint::option("quality", format!("the presets of `quality` are {}", PRESETS.join(", ")))));
    }
    let text = std::fs::read_to_string(&path).at(&path)?;
    let stem = path.file_stem().map_or_else(|| name.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let rules = QualityRules::from_json(&text, &stem);
    Ok(vec![rules.map_err(|why| Error::Refused(format!("{name}: not a file of rules: {why}")))?])
}

/// What a filter does, in full: a run with another one cannot resume.
pub(crate) fn identity(filter: &QualityFilter) -> Value {
    let mut digest = Digest::default();
    filter.hosts.sorted().iter().for_each(|host| digest.update(format!("{host}\n").as_bytes()));
    let hosts = (!filter.hosts.is_empty()).then(|| digest.hex());
    json!({ "rules": filter.rules, "block_hosts": hosts, "sample": filter.sample, "mask": filter.mask })
}

/// Removes documents and lines that are not worth keeping: those that break rules of quality, and those of blocked hosts.
///
/// Rules judge the text without ranges that are already marked. They are for main content: extract that of web pages first.
///
/// ```
/// use refrain::jobs::QualityOptions;
/// use refrain::{Document, Input, Outputs, Quality, Run};
///
/// let menu = Document::from_text("menu", "Home\nNews\nContact");
/// let (outputs, results) = Outputs::memory();
/// let rules = QualityOptions { quality: vec!["gopher-quality".into()], ..QualityOptions::default() };
/// let report = Quality { rules, ..Quality::default() }.run(&Input::documents([menu]), outputs, &Run::default())?;
/// assert_eq!((report.documents, report.documents_kept), (1, 0));
/// assert_eq!(report.rules["quality gopher-quality words"], 1);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quality {
    /// How inputs are read.
    pub read: ReadOptions,
    /// What decides.
    pub rules: QualityOptions,
    /// Write what was measured of each document, and the rule that it breaks, instead of documents.
    pub explain: bool,
    /// Keep what breaks a rule, with its marks.
    pub keep_marked: bool,
    /// The unit of offsets in files.
    pub offsets: Offsets,
}

/// The result of [`Quality::run`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QualityReport {
    /// Documents that were read.
    pub documents: u64,
    /// Documents of which something is left.
    pub documents_kept: u64,
    /// Words in all documents.
    pub words: u64,
    /// Words that are left.
    pub words_kept: u64,
    /// Documents of which each rule removed something.
    pub rules: RuleCounts,
    /// Addresses that were masked.
    pub masked: u64,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// The result of [`Quality::learn`].
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LearnedQuality {
    /// The rules that were learned.
    pub rules: QualityRules,
    /// Documents that they were learned from.
    pub documents: u64,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// What became of a document.
struct Done {
    prepared: Prepared,
    kept: u64,
    removed: Result<Vec<u8>>,
    explained: Vec<u8>,
}

impl Quality {
    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<QualityReport> {
        outputs.check(&[ERRORS, REMOVED, REPORT])?;
        let Some(filter) = self.rules.filter()? else {
            let error = Error::Refused("no rule is named, so nothing would be removed".into());
            return Err(error.hint(Hint::option("quality", "name presets or files with `quality`")));
        };
        if let Some(folder) = outputs.path().filter(|path| self.explain && is_folder(path)) {
            return Err(Error::Refused(format!("{} is a folder, but explanations are one file", folder.display())));
        }
        let (source, early) = input.open(&self.read, &outputs)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let options = WriteOptions { keep_marked: self.keep_marked, offsets: self.offsets, ..WriteOptions::default() };
        let mut explained = self.explain.then(|| outputs.main().open()).transpose()?;
        let names = Names::new(input.names(), source.inputs());
        let mut writer = match self.explain {
            true => None,
            false => Some(outputs.open_texts(options, names, source.files())?),
        };
        let mut removed = outputs.open_list(REMOVED)?;
        let mut report = QualityReport::default();
        let lists_removed = removed.is_some();
        let preparation = Preparation { quality: Some(filter), ..detecting() };
        each_document(
            &run.start()?,
            "judge",
            &source,
            |position, item| self.look(preparation.prepare(position, item), &preparation, lists_removed),
            |_, done| {
                let Done { prepared, kept, removed: lines, explained: why } = done;
                failures.count(prepared.document.is_some(), prepared.skipped.as_deref(), prepared.failure)?;
                let Some(document) = prepared.document else { return Ok(()) };
                let is_gone = !document.marks.is_empty() && document.is_removed();
                report.add(&document, kept, is_gone);
                if let Some(removed) = &mut removed {
                    removed.put(&lines?)?;
                }
                if let Some(explained) = &mut explained {
                    explained.put(&why)?;
                }
                match &mut writer {
                    Some(writer) if self.keep_marked || !is_gone => writer.write(&document),
                    _ => Ok(()),
                }
            },
        )?;
        if let Some(writer) = writer {
            writer.finish()?;
        }
        for list in [removed, explained].into_iter().flatten() {
            list.finish()?;
        }
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    fn look(&self, prepared: Prepared, preparation: &Preparation, lists_removed: bool) -> Done {
        let mut done = Done { prepared, kept: 0, removed: Ok(Vec::new()), explained: Vec::new() };
        let Some(document) = &done.prepared.document else { return done };
        done.kept = count_words(&document.kept());
        if lists_removed {
            done.removed = removed_lines(document, self.offsets);
        }
        if self.explain
            && let Some(filter) = &preparation.quality
        {
            done.explained = explain(document, filter);
        }
        done
    }

    /// Learns limits from documents in one language that are worth keeping, and writes a file of rules. Without a language, it is
    /// the one that most documents are in. Documents in other languages do not count.
    pub fn learn(&self, input: &Input, language: Option<&str>, outputs: Outputs, run: &Run) -> Result<LearnedQuality> {
        outputs.check(&[ERRORS, REPORT])?;
        let (source, early) = input.open(&self.read, &outputs)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let mut references: BTreeMap<String, Reference> = BTreeMap::new();
        let preparation = detecting();
        each_document(
            &run.start()?,
            "learn",
            &source,
            |position, item| {
                let prepared = preparation.prepare(position, item);
                let known = prepared.document.as_ref().and_then(|document| document.language.clone());
                let wanted = known.filter(|known| language.is_none_or(|language| language == known));
                let measured = prepared.document.as_ref().zip(wanted).map(|(document, language)| {
                    let measured = ReferenceDocument::of(&document.kept(), &language);
                    (language, measured)
                });
                (prepared, measured)
            },
            |_, (prepared, measured)| {
                failures.count(prepared.document.is_some(), prepared.skipped.as_deref(), prepared.failure)?;
                if let Some((language, measured)) = measured {
                    references.entry(language).or_default().add(measured);
                }
                Ok(())
            },
        )?;
        let most = references.into_iter().max_by_key(|(_, reference)| reference.documents);
        let (found, reference) = most.unwrap_or_default();
        if reference.documents < Reference::LEAST_DOCUMENTS {
            let of = language.map(|language| format!(" in {language}")).unwrap_or_default();
            return Err(Error::Refused(format!(
                "the inputs have {} documents{of} whose language is known; limits need at least {}",
                reference.documents,
                Reference::LEAST_DOCUMENTS
            )));
        }
        let rules = reference.rules(&found);
        outputs.main().write(rules.to_json().as_bytes())?;
        let (input, failures) = failures.finish();
        let learned = LearnedQuality { rules, documents: reference.documents, input, failures };
        outputs.write_report(&learned)?;
        Ok(learned)
    }
}

/// Documents as they are, with their languages.
fn detecting() -> Preparation {
    Preparation { language: Some(LanguageFilter::default()), ..Preparation::default() }
}

impl QualityReport {
    fn add(&mut self, document: &Document, words_kept: u64, is_gone: bool) {
        self.documents += 1;
        self.documents_kept += u64::from(!is_gone);
        self.words += count_words(document.text());
        self.words_kept += words_kept;
        self.rules.add(document);
        self.masked += document.marks.iter().filter(|mark| mark.label == Label::Masked).count() as u64;
    }
}

/// What was measured of a document. Each set of rules has a field of its name.
#[derive(Serialize, JsonSchema)]
pub(super) struct JudgedLine<'a> {
    /// The id of the document.
    id: &'a str,
    /// Its address.
    url: Option<&'a str>,
    /// Its language.
    language: Option<&'a str>,
    /// Whether something of it is kept.
    kept: bool,
    /// The rule that removes it.
    rule: Option<String>,
    /// Why, for people.
    why: Option<String>,
    #[serde(flatten)]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, Option<f64>>>")]
    measures: Map<String, Value>,
}

/// A line of JSON: what was measured of a document by each set of rules, and the rule that it breaks.
fn explain(document: &Document, filter: &QualityFilter) -> Vec<u8> {
    let broken =
        document.fitting_marks().find(|mark| mark.label == Label::Quality && mark.span.len() == document.text().len());
    let language = document.language.as_deref();
    let text = unjudged(document);
    let mut measures = Map::new();
    for rules in filter.rules.iter().filter(|rules| rules.applies(language)) {
        let figures = rules.figures(&text, language).into_iter();
        let figures: Map<String, Value> =
            figures.map(|(measure, value)| (measure.name().to_owned(), value.map(rounded).into())).collect();
        measures.insert(rules.name.clone(), figures.into());
    }
    let line = JudgedLine {
        id: &document.id,
        url: document.origin.url.as_deref(),
        language,
        kept: !document.is_removed(),
        rule: broken.map(|mark| rule(&mark.pass, mark.label, &mark.reason)),
        why: broken.map(|mark| sentence(&mark.reason, None)),
        measures,
    };
    (json!(line).to_string() + "\n").into_bytes()
}

/// The text that the rules judged: without what was marked before.
fn unjudged(document: &Document) -> String {
    let mut document = document.clone();
    document.marks.retain(|mark| mark.label != Label::Quality);
    document.kept().into_owned()
}
