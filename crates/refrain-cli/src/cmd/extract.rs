//! `refrain extract`: the main content of web pages.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::decode::detect_language;
use refrain::extract::{
    ExtractOptions, Extracted, Extractor, MarkdownOptions, Metadata, Method, Page, RecordOptions, Workspace,
    XML_DECLARATION, markdown, stop_list_languages, tei,
};
use refrain::pipeline::{Control, Opened, run_in_order, with_workspace};
use refrain::source::{Body, EMPTY_FILE, Item, Markup, RawDocument, Source, is_record};
use refrain::text::{CharOffsets, Offsets};
use refrain::write::{Compressed, Compression, Format, Output};
use refrain::{Block, Document, Failure, Origin, Position};
use serde_json::{Map, Value};

use crate::common::{
    ExtractArguments, Given, InputArguments, OutputArguments, counted_documents, is_folder, named, offsets,
    on_interrupt, one_of, tell, tell_failures,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Extract the main content of web pages: text, Markdown, JSON or TEI
///
/// Navigation, advertisements, notices and comments go; the article, post, product or listing stays, with its headings,
/// lists, tables and code, once and in reading order. A page with text always yields text: the confidence says how good it
/// is expected to be.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain extract samples/pages/lighthouse.example/lens.html\n  refrain extract samples/crawl.warc.gz -o pages.jsonl"
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Format, where the name (.txt, .jsonl, .md, .xml) does not tell [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Tell of each block whether it was kept, by which rule, and its features: one JSON object a block
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// JSONL: write all blocks of the page, each with whether it was kept, and why
    #[arg(long, help_heading = "Output")]
    keep_marked: bool,

    /// Markdown: leave links out and keep their text
    #[arg(long, help_heading = "Output")]
    no_links: bool,

    /// Markdown: write tables as paragraphs
    #[arg(long, help_heading = "Output")]
    no_tables: bool,

    /// JSONL: what the ranges of blocks count, characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// How the main content is found: the learned method, jusText or BTE as published
    #[arg(long, value_name = "METHOD", default_value = Method::default().name(), value_parser = named(Method::ALL.to_vec()), help_heading = "Main content")]
    method: Method,

    /// jusText: language of the pages, whatever they say; `none` for no stop list
    #[arg(long, value_name = "CODE", value_parser = language, help_heading = "Main content")]
    lang: Option<String>,

    #[command(flatten)]
    extract: ExtractArguments,

    #[command(flatten)]
    output: OutputArguments,
}

const FORMATS: [Format; 4] = [Format::Text, Format::Jsonl, Format::Markdown, Format::Tei];

/// What separates two pages.
fn separator(format: Format) -> &'static str {
    match format {
        Format::Text => "\n",
        Format::Markdown => "\n---\n\n",
        _ => "",
    }
}

/// A language that there is a stop list for.
fn language(code: &str) -> Result<String, String> {
    let code = code.trim().to_lowercase();
    let known = stop_list_languages();
    if code.contains(',') {
        return Err("jusText uses one stop list here: name one code; `refrain corpus --lang` takes several".into());
    }
    if code == NO_LANGUAGE || known.contains(&code.as_str()) {
        return Ok(code);
    }
    Err(format!("there is no stop list for `{code}`; there are lists for {}; none uses none", known.join(", ")))
}

/// The code of no language at all.
const NO_LANGUAGE: &str = "none";

impl Arguments {
    /// What is written.
    fn format(&self) -> Result<Format> {
        if self.explain && self.format.is_some_and(|format| format != Format::Jsonl) {
            bail!("--explain writes JSONL; leave --format out");
        }
        let Some(path) = self.output.path() else {
            return Ok(self.format.unwrap_or(if self.explain { Format::Jsonl } else { Format::Text }));
        };
        if is_folder(path) {
            bail!(
                "{} is a folder, and extract writes one file, such as -o pages.jsonl; refrain convert writes folders",
                path.display()
            );
        }
        let format = Format::choose(path, self.format, &FORMATS)?;
        if self.explain && format != Format::Jsonl {
            bail!("--explain writes JSONL; end the name {} in .jsonl", path.display());
        }
        Ok(format)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given, format: Format) -> Result<()> {
        if self.explain {
            let blocks = ["keep_marked", "offsets", "no_links", "no_tables"];
            given.refuse(&blocks, "does nothing with --explain, which tells of all blocks by their text")?;
        }
        if format != Format::Jsonl {
            given.refuse(&["keep_marked", "offsets"], "needs --format jsonl; other formats have no ranges")?;
        }
        if format != Format::Markdown {
            given.refuse(&["no_links", "no_tables"], "needs --format markdown; no other format looks at it")?;
        }
        ExtractArguments::refuse_idle(given, Some(self.method))?;
        if !matches!(self.method, Method::JusText(_)) {
            given.refuse(&["lang"], "needs --method justext; no other method has stop lists")?;
        }
        Ok(())
    }

    fn open(&self) -> Result<Compressed> {
        Ok(match self.output.path() {
            Some(path) => Compression::of_path(path).compress(Output::file(path)?)?,
            None => Compression::None.compress(Output::stream(std::io::stdout()))?,
        })
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    let format = arguments.format()?;
    arguments.refuse_idle(given, format)?;
    let (inputs, early_failures) = arguments.input.expand(output.path())?;
    output.check(&inputs)?;
    let mut out = arguments.open()?;
    let mut failures = output.failures(early_failures)?;
    let source = Arc::new(Source::new(inputs, arguments.input.options_for_pages()));
    let work = Work::new(arguments, format);
    let control = Arc::new(Control::default());
    let pool = output.pool()?;
    let (stopped, watched, counted) = (control.clone(), source.clone(), control.clone());
    on_interrupt(move || stopped.stop())?;
    let bar = Bar::start(!output.shows_progress(), move || Status {
        phase: "extract",
        done: watched.bytes_read(),
        total: watched.inputs().total_size(),
        documents: counted.documents(),
        note: format!(", {} pages", counted.documents()),
    });
    let mut summary = Summary::default();
    if format == Format::Tei {
        out.put(XML_DECLARATION.as_bytes())?;
        out.put(TEI_START.as_bytes())?;
    }
    let result = run_in_order(
        &source,
        0..source.inputs().len(),
        Position::default(),
        &pool,
        &control,
        |position, item| work.extract(position, item),
        |_, done| {
            summary.add(&done);
            if let Some(failure) = done.failure {
                failures.add(failure)?;
            }
            if let Some(written) = done.written {
                if control.documents() > 0 {
                    out.put(separator(format).as_bytes())?;
                }
                control.count(1, 0);
                out.put(written.as_bytes())?;
            }
            Ok(())
        },
    );
    drop(bar);
    if let Err(refrain::Error::Interrupted) = result {
        tell("interrupted; the output was not finished");
        return Ok(Exit::Interrupted);
    }
    result?;
    if format == Format::Tei {
        out.put(TEI_END.as_bytes())?;
    }
    out.finish()?;
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if !output.quiet {
        summary.tell(failures.count, output.path());
    }
    Ok(Exit::of_failures(failures.count))
}

/// What became of all pages, in figures.
#[derive(Default)]
struct Summary {
    written: u64,
    /// Of them, those without text.
    empty: u64,
    /// Of them, those with no other text than what they say of themselves.
    stated: u64,
    /// What was passed over, by reason.
    skipped: BTreeMap<String, u64>,
}

impl Summary {
    fn add(&mut self, done: &Done) {
        self.written += u64::from(done.written.is_some());
        self.empty += u64::from(done.empty);
        self.stated += u64::from(done.stated);
        if let Some(reason) = &done.skipped {
            *self.skipped.entry(reason.clone()).or_default() += 1;
        }
    }

    fn tell(&self, failures: u64, output: Option<&Path>) {
        let to = output.map_or(String::new(), |path| format!(" to {}", path.display()));
        let what = match self.written {
            0 if failures == 0 && !self.skipped.is_empty() => "no document written: everything was passed over".into(),
            written => format!("wrote {}{to}", counted_documents(written)),
        };
        let mut poor = Vec::new();
        if self.empty > 0 {
            poor.push(format!("{} without text", self.empty));
        }
        if self.stated > 0 {
            let themselves = if self.stated == 1 { "it says of itself" } else { "they say of themselves" };
            poor.push(format!("{} with only what {themselves}", self.stated));
        }
        let poor = if poor.is_empty() { String::new() } else { format!("; {}", poor.join(", ")) };
        tell(&format!("{what}{poor}"));
        if !self.skipped.is_empty() {
            let mut skipped: Vec<_> = self.skipped.iter().collect();
            skipped.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            let parts: Vec<String> = skipped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            tell(&format!("passed over: {}", parts.join(", ")));
        }
    }
}

const TEI_START: &str = "\
<teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">
<teiHeader><fileDesc><titleStmt><title>Main content of web pages</title></titleStmt>\
<publicationStmt><p>Made by refrain.</p></publicationStmt><sourceDesc><p>Web pages.</p></sourceDesc></fileDesc></teiHeader>
";
const TEI_END: &str = "</teiCorpus>\n";

/// What became of a page.
#[derive(Default)]
struct Done {
    written: Option<String>,
    /// It has no text.
    empty: bool,
    /// It has no other text than what it says of itself.
    stated: bool,
    /// Why it was passed over.
    skipped: Option<String>,
    failure: Option<Failure>,
}

/// What is done with each page.
struct Work {
    extractor: Extractor,
    format: Format,
    explain: bool,
    /// Records of an earlier run are known by their fields.
    knows_records: bool,
    record: RecordOptions,
    markdown: MarkdownOptions,
}

impl Work {
    fn new(arguments: &Arguments, format: Format) -> Work {
        let options: ExtractOptions = arguments.extract.options(arguments.method, arguments.lang.clone());
        Work {
            extractor: Extractor::new(options),
            format,
            explain: arguments.explain,
            knows_records: !arguments.input.says_what_texts_are(),
            record: RecordOptions { keep_marked: arguments.keep_marked, offsets: arguments.offsets },
            markdown: MarkdownOptions {
                links: !arguments.no_links,
                tables: !arguments.no_tables,
                ..MarkdownOptions::default()
            },
        }
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
        let mut opened = match Opened::new(position, raw) {
            Ok(opened) => opened,
            Err(prepared) => {
                return Done { skipped: prepared.skipped, failure: prepared.failure, ..Done::default() };
            }
        };
        opened.adopt_known_fields();
        with_workspace(|workspace| {
            let (html, found) = match opened.markup {
                Markup::Html => (opened.text.as_str(), self.extract_page(&opened.text, workspace)),
                Markup::Text => ("", Extractor::plain(&opened.text, workspace)),
            };
            // Plain text says nothing about itself; its source may.
            let mut metadata = match opened.markup {
                Markup::Html => Metadata::of(html, found.page, opened.document.origin.url.as_deref()),
                Markup::Text => Metadata::default(),
            };
            metadata.adopt(&mut opened.document.meta);
            if metadata.language.is_none() {
                metadata.language = language_of(found.page, found.blocks().map(|(_, block)| block));
            }
            let written = self.write(html, &found, &metadata, &opened.document);
            let empty = !found.decisions.iter().any(|decision| decision.keep);
            // Browsers take NUL characters in their stride; pages that hold some are no failures.
            let failure = opened.failure.filter(|_| opened.markup == Markup::Text);
            Done { written: Some(written), empty, stated: found.note.is_some() && !empty, skipped: None, failure }
        })
    }

    /// jusText wants to know the language; for the other methods it is not worth the time.
    fn extract_page<'a>(&self, html: &str, workspace: &'a mut Workspace) -> Extracted<'a> {
        match self.extractor.options() {
            ExtractOptions { method: Method::JusText(_), language: None, .. } => {
                let detect = |page: &Page| page.language.clone().or_else(|| language_of(page, page.blocks.iter()));
                self.extractor.extract_detecting(html, detect, workspace)
            }
            _ => self.extractor.extract(html, None, workspace),
        }
    }

    fn write(&self, html: &str, found: &Extracted<'_>, metadata: &Metadata, document: &Document) -> String {
        let keep = |block: usize| found.keeps(block);
        if self.explain {
            return explain(html, found, document);
        }
        match self.format {
            Format::Markdown => markdown(html, found.page, &keep, &self.markdown),
            Format::Tei => {
                // Where the page does not say where it stands, it is known where it was read.
                let canonical = metadata.canonical.clone().or_else(|| document.origin.url.clone());
                tei(html, found.page, &Metadata { canonical, ..metadata.clone() }, &document.id, &keep)
            }
            Format::Jsonl => {
                let mut line = Map::new();
                line.insert("id".into(), Value::from(document.id.as_str()));
                if let Some(url) = &document.origin.url {
                    line.insert("url".into(), Value::from(url.as_str()));
                }
                if let Some(encoding) = &document.encoding {
                    line.insert("encoding".into(), Value::from(encoding.as_str()));
                }
                // Documents that refrain wrote before remember where they came from first.
                let first = document.meta.get("origin").filter(|origin| origin.is_string());
                line.insert("origin".into(), first.cloned().unwrap_or_else(|| Value::from(document.origin.path())));
                // Every line has a title, if only to say that there is none.
                line.insert("title".into(), Value::Null);
                line.extend(found.record(metadata, self.record));
                // A text is written with its paragraphs a blank line apart.
                let pages = document.pages_of_blocks(&found.page.blocks);
                if !pages.is_empty() {
                    let mut chars = CharOffsets::new(&found.page.text);
                    line.insert("pages".into(), pages.into_iter().map(|at| chars.chars(at)).collect());
                }
                // Fields of the source travel with the page; ours go before them.
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

/// True for an empty file that is called like a page: a page without text, and no failure.
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

fn explain(html: &str, found: &Extracted<'_>, document: &Document) -> String {
    let mut lines = String::new();
    for block in found.explanation(html) {
        let mut line = Map::new();
        line.insert("id".into(), Value::from(document.id.as_str()));
        line.extend(block);
        lines += &(Value::from(line).to_string() + "\n");
    }
    lines
}

/// The language of some blocks of a page, where it can be told.
fn language_of<'a>(page: &Page, blocks: impl Iterator<Item = &'a Block>) -> Option<String> {
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
