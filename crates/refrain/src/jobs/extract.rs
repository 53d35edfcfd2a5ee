//! `extract`: the main content of web pages.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Memory, Output, Outputs, REMOVED, REPORT, is_folder};
use crate::decode::detect_language;
use crate::document::{Block, Document, Origin, Position};
use crate::error::{Failure, Result};
use crate::extract::{
    BlockExplanation, ExtractMethod, ExtractOptions, Extracted, Extractor, MarkdownOptions, Metadata, PageRecord,
    ParsedPage, RecordOptions, Workspace, XML_DECLARATION, markdown, tei,
};
use crate::flow::each_document;
use crate::prepare::{Opened, with_workspace};
use crate::report::{SHOWN, excerpt};
use crate::run::Run;
use crate::source::{Body, EMPTY_FILE, InputFiles, Item, Markup, RawDocument, ReadOptions, is_record};
use crate::stats::Account;
use crate::text::{CharOffsets, Offsets, legible};
use crate::write::{Compressed, FolderWriter, Format, Names, WrittenMark, marks_as_json, removed_lines};

/// Extracts the main content of web pages: text, JSONL, Markdown or TEI.
///
/// ```
/// use refrain::{Document, Extract, Input, Outputs, Run};
///
/// let html = "<nav><a href=/>Home</a></nav><p>The keeper lit the lamp at dusk, and again when the fog came in.</p>";
/// let (outputs, results) = Outputs::memory();
/// let report = Extract::default().run(&Input::documents([Document::from_text("a", html)]), outputs, &Run::default())?;
/// assert_eq!(report.documents, 1);
/// assert_eq!(results.documents()[0].text(), "The keeper lit the lamp at dusk, and again when the fog came in.");
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Extract {
    /// How inputs are read. Texts in JSON, Parquet and memory are web pages unless `text_is` says otherwise.
    pub read: ReadOptions,
    /// Which method finds the main content, and how.
    pub content: ExtractOptions,
    /// The elements to include in Markdown.
    pub markdown: MarkdownOptions,
    /// Write each block with the decision and the reason instead: as text, or as JSON with its features.
    pub explain: bool,
    /// JSONL and memory: write all text of the page, with marks on what is not main content.
    pub keep_marked: bool,
    /// JSONL: the unit of the offsets of blocks.
    pub offsets: Offsets,
}

/// The result of [`Extract`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExtractReport {
    /// Pages that were written.
    pub documents: u64,
    /// Pages without text.
    pub empty: u64,
    /// Pages that show no text, of which only the description in their metadata was written.
    pub described: u64,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// One page and its main content. See [`Extract::page`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedPage {
    /// The page: the text of its main content and its blocks; with [`Extract::keep_marked`], the text of the whole page with
    /// marks on everything else.
    pub document: Document,
    /// The metadata of the page.
    pub metadata: Metadata,
    /// How good the result is expected to be, from 0 to 1.
    pub confidence: f32,
    /// The main content as Markdown.
    pub markdown: String,
}

impl Extract {
    /// The formats that the job writes.
    pub const FORMATS: &[Format] = &[Format::Text, Format::Jsonl, Format::Markdown, Format::Tei];

    /// The formats of `explain`.
    pub const EXPLAIN_FORMATS: &[Format] = &[Format::Text, Format::Jsonl];

    /// Extracts the main content of one page. `url` is its address, if it is known.
    ///
    /// ```
    /// let html = "<title>The lamp</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>
    ///     <article><h1>The lamp</h1><p>The lamp is lit at dusk and burns until the morning, when the keeper climbs the stairs
    ///     once more, trims the wick and draws the curtains around the lens.</p></article>";
    /// let page = refrain::Extract::default().page(html, None);
    /// assert_eq!(page.metadata.title.as_deref(), Some("The lamp"));
    /// assert!(page.document.text().starts_with("The lamp is lit at dusk"));
    /// ```
    pub fn page(&self, html: &str, url: Option<&str>) -> ExtractedPage {
        let work = Work::new(self, Format::Text);
        let mut document = Document::default();
        url.unwrap_or_default().clone_into(&mut document.id);
        document.origin.url = url.map(str::to_owned);
        with_workspace(|workspace| {
            let found = work.extract_page(html, workspace);
            let metadata = Work::metadata(html, &found, &mut document);
            let shown = markdown(html, found.page, &|block| found.keeps(block), &self.markdown);
            let confidence = found.confidence;
            let document = work.document(&found, &metadata, document);
            ExtractedPage { document, metadata, confidence, markdown: shown }
        })
    }

    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<ExtractReport> {
        outputs.check(&[ERRORS, REMOVED, REPORT])?;
        let format = self.format(&outputs)?;
        let (source, early) = input.open(&self.read.of_pages(), &outputs)?;
        let mut out = Destination::open(&outputs, self.explain)?;
        let mut removed = outputs.open_list(REMOVED)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let mut report = ExtractReport::default();
        let in_memory = matches!(out, Destination::Memory(_));
        let names = (Names::new(input.names(), source.inputs()), source.files());
        let names = Some(names).filter(|_| matches!(out, Destination::Folder(_)));
        let work = Work { in_memory, lists_removed: removed.is_some(), names, ..Work::new(self, format) };
        if let (Destination::File(out), Format::Tei) = (&mut out, format) {
            out.put(XML_DECLARATION.as_bytes())?;
            out.put(TEI_START.as_bytes())?;
        }
        each_document(
            &run.start()?,
            "extract",
            &source,
            |position, item| work.extract(position, item),
            |_, done| {
                report.empty += u64::from(done.empty);
                report.described += u64::from(done.described);
                failures.count(done.written.is_some(), done.skipped.as_deref(), done.failure)?;
                if let Some(removed) = &mut removed {
                    removed.put(&done.removed?)?;
                }
                let Some(written) = done.written else { return Ok(()) };
                match (written, &mut out) {
                    (Written::Document(document), Destination::Memory(memory)) => memory.push(*document)?,
                    (Written::Text(_, text), Destination::File(out)) => {
                        if report.documents > 0 {
                            out.put(separator(format).as_bytes())?;
                        }
                        out.put(text.as_bytes())?;
                    }
                    (Written::Text(name, text), Destination::Folder(folder)) => {
                        let head = if format == Format::Tei { XML_DECLARATION } else { "" };
                        folder.write(&name, (head.to_owned() + &text).as_bytes())?;
                    }
                    _ => {}
                }
                report.documents += 1;
                Ok(())
            },
        )?;
        if let Destination::File(mut out) = out {
            if format == Format::Tei {
                out.put(TEI_END.as_bytes())?;
            }
            out.finish()?;
        }
        removed.map(Compressed::finish).transpose()?;
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// The format of the output.
    fn format(&self, outputs: &Outputs) -> Result<Format> {
        let is_memory = matches!(outputs.main(), Output::Memory(_));
        let default = if self.explain && is_memory { Format::Jsonl } else { Format::Text };
        let formats = if self.explain { Self::EXPLAIN_FORMATS } else { Self::FORMATS };
        match outputs.path().filter(|path| is_folder(path) && !self.explain) {
            Some(_) => Ok(outputs.requested_format().map_or(default, |(format, _)| format)),
            None => outputs.file_format(formats, default),
        }
    }
}

/// Where pages are written.
enum Destination {
    File(Box<Compressed>),
    /// One file for each page.
    Folder(Box<FolderWriter>),
    Memory(Memory),
}

impl Destination {
    fn open(outputs: &Outputs, explain: bool) -> Result<Destination> {
        Ok(match outputs.main() {
            Output::Memory(memory) if !explain => Destination::Memory(memory.clone()),
            Output::Path(path) if is_folder(path) => {
                outputs.check_folder(path)?;
                Destination::Folder(Box::new(FolderWriter::next_to(path, [], outputs.may_overwrite())?))
            }
            output => Destination::File(Box::new(output.open()?)),
        })
    }
}

/// The separator between two pages.
fn separator(format: Format) -> &'static str {
    match format {
        Format::Text => "\n",
        Format::Markdown => "\n---\n\n",
        _ => "",
    }
}

const TEI_START: &str = "\
<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">
<teiHeader><fileDesc><titleStmt><title>Main content of web pages</title></titleStmt>\
<publicationStmt><p>Made by refrain.</p></publicationStmt><sourceDesc><p>Web pages.</p></sourceDesc></fileDesc></teiHeader>
";
const TEI_END: &str = "</teiCorpus>\n";

/// The result for a page.
struct Done {
    written: Option<Written>,
    /// It has no text.
    empty: bool,
    /// It shows no text; its description was written.
    described: bool,
    /// Why it was skipped.
    skipped: Option<String>,
    failure: Option<Failure>,
    /// The lines of the list `removed`.
    removed: Result<Vec<u8>>,
}

impl Default for Done {
    fn default() -> Done {
        Done { written: None, empty: false, described: false, skipped: None, failure: None, removed: Ok(Vec::new()) }
    }
}

/// A page that is ready to be written.
enum Written {
    /// With the name of a file for it in a folder.
    Text(PathBuf, String),
    Document(Box<Document>),
}

/// The processing of each page.
struct Work<'a> {
    job: &'a Extract,
    extractor: Extractor,
    format: Format,
    /// Records of an earlier run are recognised by their fields.
    knows_records: bool,
    in_memory: bool,
    lists_removed: bool,
    /// The names of files in a folder, and the files that are read.
    names: Option<(Names, Option<&'a InputFiles>)>,
}

impl<'a> Work<'a> {
    fn new(job: &'a Extract, format: Format) -> Work<'a> {
        let knows_records = job.read.text_is.is_none();
        Work {
            job,
            extractor: Extractor::new(job.content.clone()),
            format,
            knows_records,
            in_memory: false,
            lists_removed: false,
            names: None,
        }
    }

    /// The file of a document in a folder.
    fn file_name(&self, document: &Document) -> PathBuf {
        let name = |(names, inputs): &(Names, Option<&InputFiles>)| {
            let input = inputs.and_then(|inputs| inputs.get(document.position.input));
            names.of_document(document, input, self.format.extension())
        };
        self.names.as_ref().map(name).unwrap_or_default()
    }

    fn extract(&self, position: Position, item: Item) -> Done {
        let mut raw = match item {
            Item::Document(raw) => *raw,
            Item::Failed(failure) if is_empty_page(&failure) => empty_page(failure),
            Item::Skipped { reason, .. } => return Done { skipped: Some(reason), ..Done::default() },
            Item::Failed(failure) => return Done { failure: Some(failure), ..Done::default() },
        };
        if self.knows_records && is_record(&raw.meta) {
            raw.markup = Some(Markup::Text);
        }
        let mut opened = match Opened::new(position, raw).and_then(Opened::adopt_known_fields) {
            Ok(opened) => opened,
            Err(prepared) => {
                return Done { skipped: prepared.skipped, failure: prepared.failure, ..Done::default() };
            }
        };
        with_workspace(|workspace| {
            let (html, found) = match opened.markup {
                Markup::Html => (opened.text.as_str(), self.extract_page(&opened.text, workspace)),
                Markup::Text => ("", Extractor::plain(&opened.text, workspace)),
            };
            let metadata = Self::metadata(html, &found, &mut opened.document);
            let empty = !found.decisions.iter().any(|decision| decision.keep);
            let described = found.note.is_some() && !empty;
            let removed = match self.lists_removed {
                true => removed_lines(&self.marked(&found, opened.document.clone()), self.job.offsets),
                false => Ok(Vec::new()),
            };
            let written = match self.in_memory {
                true => Written::Document(Box::new(self.document(&found, &metadata, opened.document))),
                false => {
                    let text = self.write(html, &found, &metadata, &opened.document);
                    Written::Text(self.file_name(&opened.document), text)
                }
            };
            // Browsers ignore NUL characters, so pages that contain some are not failures.
            let failure = opened.failure.filter(|_| opened.markup == Markup::Text);
            Done { written: Some(written), empty, described, skipped: None, failure, removed }
        })
    }

    /// The metadata of a page. Plain text (`html` is empty) has none, but its source may.
    fn metadata(html: &str, found: &Extracted<'_>, document: &mut Document) -> Metadata {
        let mut metadata = match html.is_empty() {
            false => Metadata::of(html, found.page, document.origin.url.as_deref()),
            true => Metadata::default(),
        };
        metadata.adopt(&mut document.meta);
        if metadata.language.is_none() {
            metadata.language = language_of(found.page, found.blocks().map(|(_, block)| block));
        }
        metadata
    }

    /// The page as a document.
    fn document(&self, found: &Extracted<'_>, metadata: &Metadata, mut document: Document) -> Document {
        document = self.marked(found, document);
        document.language.clone_from(&metadata.language);
        if let Ok(Value::Object(fields)) = serde_json::to_value(metadata) {
            document.meta.extend(fields.into_iter().filter(|(name, _)| name != "language"));
        }
        if self.job.keep_marked { document } else { document.without_marked() }
    }

    /// The text of the whole page, with marks on all but its main content.
    fn marked(&self, found: &Extracted<'_>, mut document: Document) -> Document {
        document.set_text_and_blocks(found.page.text.clone(), found.page.blocks.clone());
        document.marks = found.marks(self.job.content.method);
        document
    }

    /// Finds the main content. Only jusText needs the language.
    fn extract_page<'w>(&self, html: &str, workspace: &'w mut Workspace) -> Extracted<'w> {
        match self.extractor.options() {
            ExtractOptions { method: ExtractMethod::JusText(_), language: None, .. } => {
                let detect =
                    |page: &ParsedPage| page.language.clone().or_else(|| language_of(page, page.blocks.iter()));
                self.extractor.extract_detecting(html, detect, workspace)
            }
            _ => self.extractor.extract(html, None, workspace),
        }
    }

    fn write(&self, html: &str, found: &Extracted<'_>, metadata: &Metadata, document: &Document) -> String {
        let keep = |block: usize| found.keeps(block);
        if self.job.explain {
            return explain(html, found, document, self.format);
        }
        match self.format {
            Format::Markdown => markdown(html, found.page, &keep, &self.job.markdown),
            Format::Tei => {
                // If the page does not state its address, use the one it was read from.
                let canonical = metadata.canonical.clone().or_else(|| document.origin.url.clone());
                tei(html, found.page, &Metadata { canonical, ..metadata.clone() }, &document.id, &keep)
            }
            Format::Jsonl => {
                let offsets = self.job.offsets;
                let options = RecordOptions { keep_marked: self.job.keep_marked, offsets };
                let marks = self
                    .job
                    .keep_marked
                    .then(|| marks_as_json(&found.page.text, &found.marks(self.job.content.method), offsets));
                let (marks, byte_marks) = if offsets == Offsets::Chars { (marks, None) } else { (None, marks) };
                // A text is written with its paragraphs a blank line apart.
                let mut chars = CharOffsets::new(&found.page.text);
                let pages =
                    document.pages_of_blocks(&found.page.blocks).into_iter().map(|at| chars.chars(at)).collect();
                // Documents that refrain wrote before still carry their first origin.
                let first = document.meta.get("origin").and_then(Value::as_str);
                let line = ExtractedLine {
                    id: &document.id,
                    url: document.origin.url.as_deref(),
                    encoding: document.encoding.as_deref(),
                    origin: first.map_or_else(|| document.origin.path(), Cow::from),
                    title: (),
                    record: found.record(metadata, options),
                    marks,
                    byte_marks,
                    pages,
                };
                let mut line = match json!(line) {
                    Value::Object(fields) => fields,
                    _ => Map::new(),
                };
                // Keep the fields of the source, after ours.
                for (name, value) in &document.meta {
                    if line.get(name) == Some(value) {
                        continue; // it is there
                    }
                    let mut free = name.clone();
                    while line.get(&free).is_some_and(|there| !there.is_null()) {
                        free = format!("source_{free}");
                    }
                    line.insert(free, value.clone());
                }
                Value::from(line).to_string() + "\n"
            }
            _ => found.text() + "\n",
        }
    }
}

/// A page and its main content. The line also has the other fields of its source.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExtractedLine<'a> {
    /// The id of the page.
    id: &'a str,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    /// The encoding that it was decoded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'a str>,
    /// Where refrain first read it.
    origin: Cow<'a, str>,
    /// Every line has a title, even if there is none: that of the record replaces it.
    #[schemars(skip)]
    title: (),
    #[serde(flatten)]
    record: PageRecord<'a>,
    /// With `keep_marked`: the marks on everything that is not main content, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<WrittenMark<'a>>>")]
    marks: Option<Value>,
    /// The same in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<WrittenMark<'a>>>")]
    byte_marks: Option<Value>,
    /// Where pages start, in code points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pages: Vec<usize>,
}

/// The decision about a block of a page.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExplainedBlock<'a> {
    /// The id of the page.
    id: &'a str,
    #[serde(flatten)]
    block: BlockExplanation,
}

/// True for an empty file named like a page: this is a page without text, not a failure.
fn is_empty_page(failure: &Failure) -> bool {
    let name = failure.member.as_deref().unwrap_or(&failure.input);
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    failure.error == EMPTY_FILE && ["html", "htm", "xhtml"].iter().any(|page| extension.eq_ignore_ascii_case(page))
}

fn empty_page(failure: Failure) -> RawDocument {
    let origin = Origin { input: failure.input, member: failure.member, url: None };
    RawDocument {
        id: origin.path().into_owned(),
        origin,
        meta: Map::new(),
        body: Body::Text(String::new()),
        markup: Some(Markup::Html),
        charset: None,
        claims_text: true,
    }
}

/// Each block of a page, with the decision and the reason.
fn explain(html: &str, found: &Extracted<'_>, document: &Document, format: Format) -> String {
    let mut lines = String::new();
    if format == Format::Text {
        let name = legible(document.name());
        for (number, (block, decision)) in found.page.blocks.iter().zip(found.decisions).enumerate() {
            let what = if decision.keep { "kept" } else { "removed" };
            let probability = decision.probability.map_or(String::new(), |of| format!(", probability {of:.3}"));
            let text = excerpt(block.span.of(&found.page.text), SHOWN);
            let rule = decision.rule.name();
            let _ = writeln!(lines, "{name}, block {number}: {what} ({rule}{probability}): {text}");
        }
        return lines;
    }
    for block in found.explanation(html) {
        lines += &(json!(ExplainedBlock { id: &document.id, block }).to_string() + "\n");
    }
    lines
}

/// The language of some blocks of a page, if it can be identified.
fn language_of<'a>(page: &ParsedPage, blocks: impl Iterator<Item = &'a Block>) -> Option<String> {
    const ENOUGH: usize = 4000;
    let mut sample = String::new();
    for block in blocks.filter(|block| block.link_chars as usize * 3 < block.span.len()) {
        if sample.len() >= ENOUGH {
            break;
        }
        sample.push_str(block.span.of(&page.text));
        sample.push_str("\n\n");
    }
    let language = detect_language(&Document::from_text("", sample));
    language.filter(|language| language.reliable).map(|language| language.code.to_owned())
}
