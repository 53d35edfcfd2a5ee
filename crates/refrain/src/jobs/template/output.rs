//! The output of the job.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::pages::Page;
use super::records::{Columns, Row};
use super::{How, Marked, RangeUnit, TemplateReport, TemplateResult};
use crate::document::{Document, Label, Mark, Reason, Span};
use crate::error::{Error, Failure, Result};
use crate::extract::segment;
use crate::jobs::outputs::{Output, Outputs, is_folder};
use crate::prepare::with_marks_outside;
use crate::report::cell;
use crate::source::{Collection, InputFiles};
use crate::stats::losses::Losses;
use crate::template::{self, normalised_ranges};
use crate::text::{CharOffsets, Offsets};
use crate::write::{
    self, Compressed, DocumentWriter, Format, Names, TableWriter, WriteOptions, extension, place_below, removed_lines,
    write_atomically,
};

/// The result to write, and its format.
pub(super) enum Target {
    Ranges(RangeUnit),
    Records(Format),
    Show,
    ShowInTerminal,
    /// Pages without their template, in a folder.
    Folder(PathBuf),
    /// The text of content as documents.
    Documents,
}

impl Target {
    pub(super) fn of(result: TemplateResult, outputs: &Outputs) -> Result<Target> {
        Ok(match result {
            TemplateResult::Ranges(unit) => {
                outputs.file_format(&[Format::Jsonl], Format::Jsonl)?;
                Target::Ranges(unit)
            }
            TemplateResult::Records => {
                Target::Records(outputs.file_format(super::Template::RECORD_FORMATS, Format::Csv)?)
            }
            TemplateResult::Show => {
                outputs.file_format(&[Format::Html], Format::Html)?;
                Target::Show
            }
            TemplateResult::ShowInTerminal => Target::ShowInTerminal,
            TemplateResult::Content => match outputs.path() {
                Some(path) if is_folder(path) && outputs.requested_format().is_some() => {
                    let path = path.display();
                    let message = format!("a folder ({path}) receives the pages as HTML; remove the format");
                    return Err(Error::Refused(message + ", or name a file"));
                }
                // A name without an extension is that of a folder.
                Some(path)
                    if is_folder(path) || (extension(path).is_none() && outputs.requested_format().is_none()) =>
                {
                    Target::Folder(path.to_owned())
                }
                _ => {
                    outputs.document_format()?;
                    Target::Documents
                }
            },
        })
    }
}

/// A page that is ready to be written.
pub(super) struct Put {
    pub(super) how: How,
    /// It has no content.
    pub(super) is_empty: bool,
    /// What is removed, as lines of a list; for a folder only.
    pub(super) removed: Vec<u8>,
    /// How much of its visible text is removed, if content is written.
    pub(super) lost: Losses,
    what: What,
}

enum What {
    Line(String),
    /// A page without its template.
    File(Box<Document>, String),
    Document(Box<Document>),
    Row(Box<Row>),
    Nothing,
}

impl Put {
    pub(super) fn new(target: &Target, Marked { page, content, how, learned_from }: Marked) -> Put {
        let mut is_empty = content.is_empty();
        let (mut removed, mut lost) = (Vec::new(), Losses::default());
        let what = match target {
            Target::Records(_) => What::Nothing,
            Target::Ranges(unit) => What::Line(ranges(&page, &content, *unit)),
            Target::Show => What::Line(shown(&page, &content)),
            Target::ShowInTerminal => What::Line(coloured(&shown(&page, &content))),
            Target::Folder(_) => {
                let fragment = fragment(&page.text, &content);
                is_empty = fragment.is_empty();
                let marked = marked(&page, &content, how, learned_from);
                removed = removed_lines(&marked, Offsets::Chars).unwrap_or_default();
                lost.add_marked(&marked);
                What::File(Box::new(page.document), fragment)
            }
            Target::Documents => {
                let text = segment(&fragment(&page.text, &content)).text;
                is_empty = text.is_empty();
                lost.add_marked(&marked(&page, &content, how, learned_from));
                let mut document = Document::from_text(page.document.id.as_str(), text);
                document.position = page.document.position;
                document.origin = page.document.origin;
                document.encoding = page.document.encoding;
                document.meta = page.document.meta;
                What::Document(Box::new(document))
            }
        };
        Put { how, is_empty, removed, lost, what }
    }

    pub(super) fn row(row: Row) -> Put {
        let what = What::Row(Box::new(row));
        Put { how: How::Template, is_empty: false, removed: Vec::new(), lost: Losses::default(), what }
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        match &self.what {
            What::Row(row) => row.failure.clone(),
            _ => None,
        }
    }
}

/// The visible text of a page, with marks on what is outside its content.
fn marked(page: &Page, content: &[Span], how: How, learned_from: usize) -> Document {
    let site = Reason::Site { host: page.document.host(), pages: learned_from as u64 };
    let (label, pass, reason) = match how {
        How::Alone => (
            Label::Boilerplate,
            "extract",
            Reason::Stated("this page has no template; its main content is elsewhere".into()),
        ),
        How::Template | How::OtherKind => (Label::Template, template::PASS, site),
    };
    let mark = Mark { span: Span::default(), label, pass: pass.into(), reason };
    with_marks_outside(page.document.clone(), &page.text, content, &mark)
}

/// The content of a page, with its markup.
fn fragment(text: &str, content: &[Span]) -> String {
    let parts: Vec<&str> = content.iter().map(|span| span.of(text).trim()).collect();
    let mut fragment = parts.join("\n");
    if !fragment.is_empty() {
        fragment.push('\n');
    }
    fragment
}

/// Where the content of a page is. The line also has the other fields of its source.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct PageRanges<'a> {
    /// The id of the page.
    id: &'a str,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    /// Start and exclusive end of each range.
    content_ranges: Vec<(usize, usize)>,
}

/// The fields of a page without its text, and the ranges of its content.
fn ranges(page: &Page, content: &[Span], unit: RangeUnit) -> String {
    let pairs: Vec<(usize, usize)> = match unit {
        RangeUnit::Normalised => normalised_ranges(&page.text, content),
        RangeUnit::Chars | RangeUnit::Bytes => {
            let offsets = if unit == RangeUnit::Chars { Offsets::Chars } else { Offsets::Bytes };
            let mut chars = CharOffsets::new(&page.text);
            let pair = |span: &Span| {
                let span = chars.span(*span, offsets);
                (span.start, span.end)
            };
            content.iter().map(pair).collect()
        }
    };
    let mut line: Map<String, Value> = page.document.meta.clone();
    let known = PageRanges { id: &page.document.id, url: page.document.origin.url.as_deref(), content_ranges: pairs };
    if let Value::Object(known) = json!(known) {
        line.extend(known);
    }
    Value::Object(line).to_string() + "\n"
}

/// A page with its template in grey: HTML that shows HTML.
fn shown(page: &Page, content: &[Span]) -> String {
    let mut out = format!("<section><h2>{}</h2><pre>", escaped(page.document.name()));
    let mut at = 0;
    let grey = |text: &str, out: &mut String| {
        if !text.is_empty() {
            out.push_str("<s>");
            out.push_str(&escaped(text));
            out.push_str("</s>");
        }
    };
    for span in content {
        grey(page.text.get(at..span.start).unwrap_or_default(), &mut out);
        out.push_str(&escaped(span.of(&page.text)));
        at = span.end;
    }
    grey(page.text.get(at..).unwrap_or_default(), &mut out);
    out.push_str("</pre></section>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The head of the page that shows pages. Nothing in it is loaded or run, whatever the pages hold.
const SHOW_HEAD: &str = r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Pages and their template</title>
<style>
:root{color-scheme:light dark;--ink:#1b1b1b;--grey:#a3a3a3;--paper:#fff;--sheet:#fafaf7;--line:#ddd}
@media(prefers-color-scheme:dark){:root{--ink:#ececec;--grey:#6f6f6f;--paper:#161616;--sheet:#1e1e1e;--line:#3a3a3a}}
body{font:15px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:72rem;padding:0 1rem}
h1{font-size:1.4rem}
h2{font-size:.95rem;position:sticky;top:0;margin:0;padding:.6rem 1rem;background:var(--paper);border-bottom:1px solid var(--line);overflow-wrap:anywhere}
section{margin:1.5rem 0;border:1px solid var(--line);border-radius:6px;overflow:clip}
pre{font:13px/1.6 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:0;padding:1rem;background:var(--sheet);max-height:80vh;overflow-y:auto}
s{color:var(--grey);text-decoration:none}
@media print{pre{max-height:none}h2{position:static}}
</style></head>
<body><h1>Pages and their template</h1>
<p><s>What is grey</s> is no content on the pages of this site; the rest is.</p>
"#;

/// Where pages are written.
pub(super) enum Destination {
    Lines(Compressed, &'static str),
    Folder(Box<Folder>),
    Documents(Box<dyn DocumentWriter>),
    Table {
        out: Compressed,
        /// Between cells; `None` for JSON.
        separator: Option<char>,
        columns: Columns,
    },
    ParquetTable(TableWriter, Columns),
}

/// A folder of pages.
pub(super) struct Folder {
    path: PathBuf,
    names: Names,
    /// The files that were read; none for documents in memory.
    inputs: InputFiles,
    taken: HashSet<PathBuf>,
    /// The result for each page, one JSON object per line.
    report: String,
}

impl Destination {
    pub(super) fn open(
        outputs: &Outputs,
        target: &Target,
        columns: Columns,
        names: &[String],
        source: &Collection,
    ) -> Result<Destination> {
        let main = outputs.main();
        Ok(match target {
            Target::Ranges(_) | Target::ShowInTerminal => Destination::Lines(main.open()?, ""),
            Target::Show => {
                let mut out = main.open()?;
                out.put(SHOW_HEAD.as_bytes())?;
                Destination::Lines(out, "</body></html>\n")
            }
            Target::Folder(folder) => {
                outputs.check_folder(folder)?;
                let inputs = if names.is_empty() { InputFiles::default() } else { source.inputs().clone() };
                Destination::Folder(Box::new(Folder {
                    // Without the slash at its end.
                    path: folder.components().collect(),
                    names: Names::new(names, &inputs),
                    inputs,
                    taken: HashSet::from([PathBuf::from(REPORT)]),
                    report: String::new(),
                }))
            }
            Target::Documents => Destination::Documents(outputs.open_documents(WriteOptions::default())?),
            Target::Records(Format::Parquet) => {
                let output = match main {
                    Output::Discard => write::Sink::stream(std::io::sink()),
                    Output::Stdout => write::Sink::stream(std::io::stdout()),
                    Output::Path(path) => write::Sink::file(path)?,
                    Output::Memory(memory) => write::Sink::stream(memory.clone()),
                };
                Destination::ParquetTable(TableWriter::new(output, &columns.names)?, columns)
            }
            Target::Records(format) => {
                let separator = match format {
                    Format::Jsonl => None,
                    Format::Tsv => Some('\t'),
                    _ => Some(','),
                };
                let mut out = main.open()?;
                if let Some(separator) = separator {
                    out.put(line(columns.names.iter().map(String::as_str), separator).as_bytes())?;
                }
                Destination::Table { out, separator, columns }
            }
        })
    }

    pub(super) fn put(&mut self, Put { how, what, .. }: Put) -> Result<()> {
        match (self, what) {
            (Destination::Lines(out, _), What::Line(text)) => out.put(text.as_bytes()),
            (Destination::Folder(folder), What::File(document, text)) => {
                let name = file_name(&document, &folder.names, &folder.inputs, &folder.taken);
                folder.report.push_str(&report_line(&document, &name, &text, how));
                place_below(&folder.path, &name, text.as_bytes())?;
                folder.taken.insert(name);
                Ok(())
            }
            (Destination::Documents(out), What::Document(document)) => out.write(&document),
            (Destination::Table { out, separator: Some(separator), columns }, What::Row(row)) => {
                let cells = columns.cells(*row);
                out.put(line(cells.iter().map(|cell| cell.as_deref().unwrap_or_default()), *separator).as_bytes())
            }
            (Destination::Table { out, separator: None, columns }, What::Row(row)) => {
                let cells = columns.cells(*row);
                let named = columns.names.iter().zip(cells);
                let object: Map<String, Value> =
                    named.filter_map(|(name, cell)| Some((name.clone(), Value::from(cell?)))).collect();
                out.put((Value::Object(object).to_string() + "\n").as_bytes())
            }
            (Destination::ParquetTable(out, columns), What::Row(row)) => out.write(columns.cells(*row)),
            _ => Ok(()),
        }
    }

    pub(super) fn finish(self, report: &TemplateReport) -> Result<()> {
        // An existing file is not replaced by an empty one.
        if report.pages == 0 {
            return Ok(());
        }
        match self {
            Destination::Lines(mut out, tail) => {
                out.put(tail.as_bytes())?;
                out.finish().map(drop)
            }
            Destination::Folder(folder) => write_atomically(&folder.path.join(REPORT), folder.report.as_bytes()),
            Destination::Documents(out) => out.finish().map(drop),
            Destination::Table { out, .. } => out.finish().map(drop),
            Destination::ParquetTable(out, _) => out.finish().map(drop),
        }
    }
}

/// The file of a folder with the result for each page.
const REPORT: &str = "report.jsonl";

/// A line of the report in a folder.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct WrittenPage<'a> {
    /// The id of the page.
    id: &'a str,
    /// Its file, relative to the folder.
    file: Cow<'a, str>,
    /// How its content was found: `template`, `another kind of page` or `page by page`.
    by: &'a str,
    /// The size of its content.
    bytes: usize,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

/// The result for a page.
fn report_line(document: &Document, name: &Path, text: &str, how: How) -> String {
    let by = match how {
        How::Template => "template",
        How::OtherKind => "another kind of page",
        How::Alone => "page by page",
    };
    let (file, url) = (name.to_string_lossy(), document.origin.url.as_deref());
    json!(WrittenPage { id: &document.id, file, by, bytes: text.len(), url }).to_string() + "\n"
}

/// A line of a table.
fn line<'a>(cells: impl Iterator<Item = &'a str>, between: char) -> String {
    let cells: Vec<String> = cells.map(|text| cell(text, between)).collect();
    cells.join(&between.to_string()) + "\n"
}

/// A page that is shown in HTML, for a terminal.
fn coloured(section: &str) -> String {
    // Pages must not control the terminal.
    let harmless: String =
        section.chars().map(|c| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{FFFD}' } else { c }).collect();
    let plain = harmless
        .replace("<section><h2>", "\n\x1b[1m")
        .replace("</h2><pre>", "\x1b[0m\n")
        .replace("</pre></section>", "\n")
        .replace("<s>", "\x1b[90m")
        .replace("</s>", "\x1b[0m");
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// A name without its compression extension.
fn unpacked(name: PathBuf) -> PathBuf {
    let packed =
        |end: &std::ffi::OsStr| ["gz", "zst", "bz2", "xz"].iter().any(|packing| end.eq_ignore_ascii_case(packing));
    if name.extension().is_some_and(packed) { name.with_extension("") } else { name }
}

/// The name of a page in the folder: that of its file, or one made from its address or id. Each page gets its own name.
fn file_name(document: &Document, names: &Names, inputs: &InputFiles, taken: &HashSet<PathBuf>) -> PathBuf {
    let own_file =
        document.origin.member.is_none() && document.origin.url.is_none() && document.id == document.origin.input;
    let name = match inputs.get(document.position.input).filter(|_| own_file) {
        Some(input) => unpacked(names.of(input)),
        None => {
            let name = document.name();
            let end = if extension(Path::new(name)).as_deref() == Some("htm") { "htm" } else { "html" };
            names.of_document(document, inputs.get(document.position.input), end)
        }
    };
    if !taken.contains(&name) {
        return name;
    }
    let stem = name.with_extension("").to_string_lossy().into_owned();
    let mut others = (2_u64..).map(|number| PathBuf::from(format!("{stem}-{number}.html")));
    others.find(|name| !taken.contains(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_do_not_steer_the_terminal() {
        let shown = coloured("<section><h2>a</h2><pre><s>&lt;p&gt;</s>x\u{1B}]0;title\u{7}\u{9B}31m</pre></section>");
        assert_eq!(shown, "\n\x1b[1ma\x1b[0m\n\x1b[90m<p>\x1b[0mx\u{FFFD}]0;title\u{FFFD}\u{FFFD}31m\n");
    }

    #[test]
    fn names_do_not_say_that_files_are_packed() {
        assert_eq!(unpacked("a/p.html.gz".into()), PathBuf::from("a/p.html"));
        assert_eq!(unpacked("p.html".into()), PathBuf::from("p.html"));
    }
}
