//! `refrain extract`: the main content of web pages.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::decode::detect_language;
use refrain::extract::{
    ExtractOptions, Extracted, Extractor, MarkdownOptions, Metadata, Method, Page, RecordOptions, Workspace,
    XML_DECLARATION, markdown, stop_list_languages, tei,
};
use refrain::pipeline::{Control, Opened, run_in_order, with_workspace};
use refrain::source::{Body, EMPTY_FILE, Item, Markup, RawDocument, STDIN, Source};
use refrain::text::Offsets;
use refrain::write::{Output, Packing};
use refrain::{Block, Document, Failure, Origin, Position};
use serde_json::{Map, Value};

use crate::common::{
    ExtractArguments, Failures, InputArguments, counted_documents, named, offsets, on_interrupt,
    refuse_input_as_errors, tell, tell_failures, thread_pool, threads,
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

    /// File to write, its format and packing told by its name (.txt, .jsonl, .md, .xml; .gz, .zst); standard output when
    /// not given
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Format, where the name does not tell [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = named(Format::ALL.to_vec()), help_heading = "Output")]
    format: Option<Format>,

    /// Tell of each block whether it was kept, by which rule, and its features: one JSON object a block
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
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

    /// What ranges count: characters (code points) or bytes
    #[arg(long, value_name = "UNIT", default_value = "chars", value_parser = offsets(), help_heading = "Output")]
    offsets: Offsets,

    /// Write what failed to this file, one JSON object a line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,

    /// Draw no progress
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,

    /// How the main content is found: the learned method, jusText or BTE as published
    #[arg(long, value_name = "METHOD", default_value = Method::default().name(), value_parser = named(Method::ALL.to_vec()), help_heading = "Main content")]
    method: Method,

    /// Language of the pages: which stop list jusText uses, whatever the pages say; `none` for no stop list
    #[arg(long, value_name = "CODE", value_parser = language, help_heading = "Main content")]
    lang: Option<String>,

    #[command(flatten)]
    extract: ExtractArguments,

    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "Running")]
    threads: Option<NonZero<usize>>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Jsonl,
    Markdown,
    Tei,
}

impl Format {
    const ALL: [(&'static str, Format); 4] =
        [("text", Format::Text), ("jsonl", Format::Jsonl), ("markdown", Format::Markdown), ("tei", Format::Tei)];

    /// What stands between two pages.
    fn separator(self) -> &'static str {
        match self {
            Format::Jsonl | Format::Tei => "",
            Format::Text => "\n",
            Format::Markdown => "\n---\n\n",
        }
    }

    fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "txt" | "text" => Some(Format::Text),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "md" | "markdown" => Some(Format::Markdown),
            "xml" | "tei" => Some(Format::Tei),
            _ => None,
        }
    }
}

/// A language that there is a stop list for.
fn language(code: &str) -> Result<String, String> {
    let code = code.trim().to_lowercase();
    let known = stop_list_languages();
    if code == NO_LANGUAGE || known.contains(&code.as_str()) {
        return Ok(code);
    }
    Err(format!("there is no stop list for `{code}`; there are lists for {}; none uses none", known.join(", ")))
}

/// The code of no language at all.
const NO_LANGUAGE: &str = "none";

impl Arguments {
    /// The output with its format.
    fn output(&self) -> Result<(Format, Packing, Output)> {
        let Some(path) = self.output.as_deref().filter(|path| *path != Path::new(STDIN)) else {
            let format = if self.explain { Format::Jsonl } else { self.format.unwrap_or(Format::Text) };
            return Ok((format, Packing::None, Output::stream(std::io::stdout())));
        };
        let format = match (self.explain, self.format.or(Format::of_path(path))) {
            (true, Some(Format::Jsonl)) => Format::Jsonl,
            (true, _) => bail!("--explain writes JSON; end the name {} in .jsonl", path.display()),
            (false, Some(format)) => format,
            (false, None) => bail!(
                "the name {} does not tell the format; end it in .txt, .jsonl, .md or .xml, or use --format",
                path.display()
            ),
        };
        Ok((format, Packing::of_path(path), Output::file(path)?))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit> {
    let (inputs, early_failures) = arguments.input.expand(arguments.output.as_deref())?;
    refuse_input_as_errors(arguments.errors.as_deref(), &inputs)?;
    if arguments.errors.is_some() && arguments.errors == arguments.output {
        bail!("the pages and the errors cannot go into one file; name another one for --errors");
    }
    let (format, packing, output) = arguments.output()?;
    let mut out = packing.pack(output)?;
    let mut failures = Failures::open(arguments.errors.as_deref())?;
    for failure in early_failures {
        failures.add(failure)?;
    }
    let source = Arc::new(Source::new(inputs, arguments.input.options_for_pages()));
    let work = Work::new(arguments, format);
    let control = Arc::new(Control::default());
    let pool = thread_pool(threads(arguments.threads))?;
    let (stopped, watched, counted) = (control.clone(), source.clone(), control.clone());
    on_interrupt(move || stopped.stop())?;
    let bar = Bar::start(arguments.quiet, move || Status {
        phase: "extract",
        done: watched.bytes_read(),
        total: watched.inputs().total_size(),
        note: format!(", {} pages", counted.documents()),
    });
    let mut empty = 0_u64;
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
            if let Some(failure) = done.failure {
                failures.add(failure)?;
            }
            if let Some(written) = done.written {
                empty += u64::from(done.empty);
                if control.documents() > 0 {
                    out.put(format.separator().as_bytes())?;
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
    if let Some(path) = arguments.output.as_deref().filter(|path| *path != Path::new(STDIN)) {
        let without = if empty > 0 { format!(", {empty} of them without text") } else { String::new() };
        tell(&format!("wrote {}{without} to {}", counted_documents(control.documents()), path.display()));
    }
    Ok(Exit::of_failures(failures.count))
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
    empty: bool,
    failure: Option<Failure>,
}

/// What is done with each page.
struct Work {
    extractor: Extractor,
    format: Format,
    explain: bool,
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
            record: RecordOptions { keep_marked: arguments.keep_marked, offsets: arguments.offsets },
            markdown: MarkdownOptions {
                links: !arguments.no_links,
                tables: !arguments.no_tables,
                ..MarkdownOptions::default()
            },
        }
    }

    fn extract(&self, position: Position, item: Item) -> Done {
        let raw = match item {
            Item::Document(raw) => *raw,
            Item::Failed(failure) if is_empty_page(&failure) => empty_page(failure),
            Item::Skipped { .. } => return Done::default(),
            Item::Failed(failure) => return Done { failure: Some(failure), ..Done::default() },
        };
        let opened = match Opened::new(position, raw) {
            Ok(opened) => opened,
            Err(prepared) => return Done { failure: prepared.failure, ..Done::default() },
        };
        with_workspace(|workspace| {
            let (html, found) = match opened.markup {
                Markup::Html => (opened.text.as_str(), self.extract_page(&opened.text, workspace)),
                Markup::Text => ("", Extractor::plain(&opened.text, workspace)),
            };
            let mut metadata = Metadata::of(html, found.page, opened.document.origin.url.as_deref());
            if metadata.language.is_none() {
                metadata.language = language_of(found.page, found.blocks().map(|(_, block)| block));
            }
            let written = self.write(html, &found, &metadata, &opened.document);
            let empty = !found.decisions.iter().any(|decision| decision.keep);
            // Browsers take NUL characters in their stride; pages that hold some are no failures.
            let failure = opened.failure.filter(|_| opened.markup == Markup::Text);
            Done { written: Some(written), empty, failure }
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
            Format::Text => found.text() + "\n",
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
                line.insert("origin".into(), Value::from(document.origin.path()));
                // Every line has a title, if only to say that there is none.
                line.insert("title".into(), Value::Null);
                line.extend(found.record(metadata, self.record));
                // Fields of the source travel with the page; ours go before them.
                for (name, value) in &document.meta {
                    let mut free = name.clone();
                    while line.contains_key(&free) {
                        free = format!("source_{free}");
                    }
                    line.insert(free, value.clone());
                }
                Value::from(line).to_string() + "\n"
            }
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
