//! Where content goes.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use refrain::extract::segment;
use refrain::report::cell;
use refrain::source::Inputs;
use refrain::template::normalised_ranges;
use refrain::text::{CharOffsets, Offsets};
use refrain::write::{
    Compressed, Compression, DocumentWriter, Format, Output, TableWriter, WriteOptions, open, place_below,
    write_atomically,
};
use refrain::{Document, Failure, Span};
use serde_json::{Map, Value, json};

use super::pages::{Page, Pages};
use super::records::{Columns, Row};
use super::work::{How, Marked, Summary};
use super::{Arguments, Job, Known, Unit};
use refrain::write::Names;

/// What is left to be written when it is a page's turn.
pub(super) enum Put {
    /// A line of output.
    Line(String, How, bool),
    /// A page without its template, under its name.
    File(Box<Document>, String, How),
    Document(Box<Document>, How),
    Row(Box<Row>),
    /// Nothing but a count.
    Count(How, bool),
    /// A page whose content is known by its number.
    Page(Box<Page>),
}

impl Put {
    /// Makes ready what can be made ready on any thread.
    pub(super) fn prepare(job: &Job, marked: Marked) -> Put {
        let Marked { page, content, how } = marked;
        let empty = content.is_empty();
        match job {
            Job::Summary | Job::Records(_) => Put::Count(how, empty),
            Job::Ranges(unit) => Put::Line(ranges(&page, &content, *unit), how, empty),
            Job::Show => Put::Line(shown(&page, &content), how, empty),
            Job::Folder(_) => Put::File(Box::new(page.document), fragment(&page.text, &content), how),
            Job::Documents(_) => {
                let text = segment(&fragment(&page.text, &content)).text;
                let mut document = Document::from_text(page.document.id.as_str(), text);
                document.position = page.document.position;
                document.origin = page.document.origin;
                document.encoding = page.document.encoding;
                document.meta = page.document.meta;
                Put::Document(Box::new(document), how)
            }
        }
    }

    pub(super) fn how(&self) -> How {
        match self {
            Put::Line(_, how, _) | Put::File(_, _, how) | Put::Document(_, how) | Put::Count(how, _) => *how,
            Put::Row(_) | Put::Page(_) => How::Template,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Put::Line(_, _, empty) | Put::Count(_, empty) => *empty,
            Put::File(_, text, _) => text.is_empty(),
            Put::Document(document, _) => document.text().is_empty(),
            Put::Row(_) | Put::Page(_) => false,
        }
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        match self {
            Put::Row(row) => row.failure.clone(),
            _ => None,
        }
    }
}

/// The content of a page as it stands there.
fn fragment(text: &str, content: &[Span]) -> String {
    let parts: Vec<&str> = content.iter().map(|span| span.of(text).trim()).collect();
    let mut fragment = parts.join("\n");
    if !fragment.is_empty() {
        fragment.push('\n');
    }
    fragment
}

/// A page as ranges: its fields but the page itself, and where its content is.
fn ranges(page: &Page, content: &[Span], unit: Unit) -> String {
    let pairs: Vec<(usize, usize)> = match unit {
        Unit::Normalised => normalised_ranges(&page.text, content),
        Unit::Chars | Unit::Bytes => {
            let offsets = if unit == Unit::Chars { Offsets::Chars } else { Offsets::Bytes };
            let mut chars = CharOffsets::new(&page.text);
            let pair = |span: &Span| {
                let span = chars.span(*span, offsets);
                (span.start, span.end)
            };
            content.iter().map(pair).collect()
        }
    };
    let mut line: Map<String, Value> = page.document.meta.clone();
    line.insert("id".to_owned(), Value::from(page.document.id.as_str()));
    if let Some(url) = &page.document.origin.url {
        line.insert("url".to_owned(), Value::from(url.as_str()));
    }
    line.insert("content_ranges".to_owned(), json!(pairs));
    Value::Object(line).to_string() + "\n"
}

/// A page with its template in grey: HTML that shows HTML.
fn shown(page: &Page, content: &[Span]) -> String {
    let mut out = format!("<section><h2>{}</h2><pre>", escaped(&page.document.id));
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

/// Where content goes.
pub(super) enum Destination {
    Lines {
        out: Compressed,
        tail: &'static str,
        colours: bool,
    },
    Folder {
        folder: PathBuf,
        names: Names,
        inputs: Inputs,
        taken: HashSet<PathBuf>,
        /// What became of each page: a line of JSON each.
        report: String,
    },
    Documents(Box<dyn DocumentWriter>),
    Table {
        out: Compressed,
        between: char,
        columns: Columns,
    },
    JsonTable {
        out: Compressed,
        columns: Columns,
    },
    ParquetTable {
        out: TableWriter,
        columns: Columns,
    },
    /// One JSON object at the end.
    Object(Compressed),
}

impl Destination {
    pub(super) fn open(arguments: &Arguments, job: &Job, pages: &Pages<'_>, known: &Known) -> Result<Destination> {
        let path = arguments.output.path();
        let stream = || -> Result<Compressed> {
            Ok(match path {
                Some(path) => Compression::of_path(path).compress(Output::file(path)?)?,
                None => Compression::None.compress(Output::stream(std::io::stdout()))?,
            })
        };
        let columns = || match known {
            Known::Wrappers(wrappers) | Known::Records(_, wrappers) => Columns::of(wrappers),
            _ => Columns::of(&[]),
        };
        Ok(match job {
            Job::Summary => Destination::Object(stream()?),
            Job::Ranges(_) => Destination::Lines { out: stream()?, tail: "", colours: false },
            Job::Show => {
                let colours = path.is_none() && std::io::stdout().is_terminal();
                let mut out = stream()?;
                if !colours {
                    out.put(SHOW_HEAD.as_bytes())?;
                }
                Destination::Lines { out, tail: if colours { "" } else { "</body></html>\n" }, colours }
            }
            Job::Folder(folder) => {
                let folder = ready(folder, arguments.output.overwrite)?;
                let names = Names::new(pages.named, &pages.inputs);
                let taken = HashSet::from([PathBuf::from(REPORT)]);
                Destination::Folder { folder, names, inputs: pages.inputs.clone(), taken, report: String::new() }
            }
            Job::Documents(format) => {
                let (output, packing) = match path {
                    Some(path) => (Output::file(path)?, Compression::of_path(path)),
                    None => (Output::stream(std::io::stdout()), Compression::None),
                };
                Destination::Documents(open(output, *format, packing, WriteOptions::default())?)
            }
            Job::Records(Format::Parquet) => {
                let output = match path {
                    Some(path) => Output::file(path)?,
                    None => Output::stream(std::io::stdout()),
                };
                let columns = columns();
                Destination::ParquetTable { out: TableWriter::new(output, &columns.names)?, columns }
            }
            Job::Records(Format::Jsonl) => Destination::JsonTable { out: stream()?, columns: columns() },
            Job::Records(format) => {
                let between = if *format == Format::Tsv { '\t' } else { ',' };
                let (mut out, columns) = (stream()?, columns());
                out.put(line(columns.names.iter().map(String::as_str), between).as_bytes())?;
                Destination::Table { out, between, columns }
            }
        })
    }

    pub(super) fn put(&mut self, put: Put) -> refrain::Result<()> {
        match (self, put) {
            (Destination::Lines { out, colours, .. }, Put::Line(text, ..)) => match *colours {
                true => out.put(coloured(&text).as_bytes()),
                false => out.put(text.as_bytes()),
            },
            (Destination::Folder { folder, names, inputs, taken, report }, Put::File(document, text, how)) => {
                let name = file_name(&document, names, inputs, taken);
                report.push_str(&report_line(&document, &name, &text, how));
                place_below(folder, &name, text.as_bytes())?;
                taken.insert(name);
                Ok(())
            }
            (Destination::Documents(out), Put::Document(document, _)) => out.write(&document),
            (Destination::Table { out, between, columns }, Put::Row(row)) => {
                let cells = columns.cells(*row);
                out.put(line(cells.iter().map(|cell| cell.as_deref().unwrap_or_default()), *between).as_bytes())
            }
            (Destination::JsonTable { out, columns }, Put::Row(row)) => {
                let cells = columns.cells(*row);
                let named = columns.names.iter().zip(cells);
                let object: Map<String, Value> =
                    named.filter_map(|(name, cell)| Some((name.clone(), Value::from(cell?)))).collect();
                out.put((Value::Object(object).to_string() + "\n").as_bytes())
            }
            (Destination::ParquetTable { out, columns }, Put::Row(row)) => out.write(columns.cells(*row)),
            _ => Ok(()),
        }
    }

    pub(super) fn finish(self, known: &Known, summary: &Summary) -> Result<()> {
        // What stood there before is not replaced by nothing.
        if summary.pages == 0 {
            return Ok(());
        }
        match self {
            Destination::Lines { mut out, tail, .. } => {
                out.put(tail.as_bytes())?;
                out.finish()?;
            }
            Destination::Folder { folder, report, .. } => {
                if !report.is_empty() {
                    write_atomically(&folder.join(REPORT), report.as_bytes())?;
                }
            }
            Destination::Documents(out) => {
                out.finish()?;
            }
            Destination::Table { out, .. } | Destination::JsonTable { out, .. } => {
                out.finish()?;
            }
            Destination::ParquetTable { out, .. } => {
                out.finish()?;
            }
            Destination::Object(mut out) => {
                out.put((object(known, summary).to_string() + "\n").as_bytes())?;
                out.finish()?;
            }
        }
        Ok(())
    }
}

/// What was found, as one JSON object.
fn object(known: &Known, summary: &Summary) -> Value {
    match known {
        Known::Cut(cut) => json!({
            "method": "findoptimal",
            "n": cut.point.n,
            "a": cut.point.a,
            "alternation_count": cut.point.alternations,
            "pages": cut.pages,
        }),
        Known::Templates(templates) => {
            let one = |template: &refrain::template::Template| json!({"key": template.key(), "pages": template.pages(), "fitted": template.fitted()});
            json!({
                "method": "backbone",
                "pages": summary.pages,
                "fitting": summary.fitting,
                "of_another_kind": summary.other_kind,
                "without_template": summary.alone,
                "templates": templates.all().iter().map(one).collect::<Vec<_>>(),
            })
        }
        Known::Wrappers(wrappers) | Known::Records(_, wrappers) => {
            json!({"pages": summary.pages, "wrappers": wrappers.len()})
        }
    }
}

/// The file of a folder that tells what became of each page.
const REPORT: &str = "report.jsonl";

/// What became of a page.
fn report_line(document: &Document, name: &Path, text: &str, how: How) -> String {
    let by = match how {
        How::Template => "template",
        How::OtherKind => "another kind of page",
        How::Alone => "page by page",
    };
    let mut line = json!({"id": document.id, "file": name.to_string_lossy(), "by": by, "bytes": text.len()});
    if let Some(url) = &document.origin.url {
        line["url"] = Value::from(url.as_str());
    }
    line.to_string() + "\n"
}

/// A line of a table.
fn line<'a>(cells: impl Iterator<Item = &'a str>, between: char) -> String {
    let cells: Vec<String> = cells.map(|text| cell(text, between)).collect();
    cells.join(&between.to_string()) + "\n"
}

/// What a terminal shows of a page that is HTML with its template struck out.
fn coloured(section: &str) -> String {
    // What a page holds must not steer the terminal.
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

/// A folder, looked at; it is made when there is something to write.
fn ready(folder: &Path, overwrite: bool) -> Result<PathBuf> {
    // Without the slash at its end.
    let plain: PathBuf = folder.components().collect();
    if plain.exists() && !plain.is_dir() {
        bail!("{} is a file, and the pages need a folder; name another one, such as -o clean/", plain.display());
    }
    if !overwrite && plain.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        bail!(
            "the folder {} is not empty; name another one, or replace files of the same names with --overwrite",
            plain.display()
        );
    }
    Ok(plain)
}

/// Bytes of a name that is made of an id.
const LONGEST_NAME: usize = 180;

/// A name without what says that the file was packed.
fn unpacked(name: PathBuf) -> PathBuf {
    let packed =
        |end: &std::ffi::OsStr| ["gz", "zst", "bz2", "xz"].iter().any(|packing| end.eq_ignore_ascii_case(packing));
    if name.extension().is_some_and(packed) { name.with_extension("") } else { name }
}

/// The name of a page in the folder: that of its file, or one made of its id. No two pages get one name.
fn file_name(document: &Document, names: &Names, inputs: &Inputs, taken: &HashSet<PathBuf>) -> PathBuf {
    let own_file =
        document.origin.member.is_none() && document.origin.url.is_none() && document.id == document.origin.input;
    let name = match inputs.get(document.position.input).filter(|_| own_file) {
        Some(input) => unpacked(names.of(input)),
        None => {
            let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
            let id: String = document.id.chars().map(safe).collect();
            // Names of files have at most 255 bytes.
            let id = &id[..id.floor_char_boundary(LONGEST_NAME)];
            let id = id.trim_start_matches('.');
            let ended = [".html", ".htm"].iter().any(|end| id.to_ascii_lowercase().ends_with(end));
            PathBuf::from(if ended { id.to_owned() } else { format!("{id}.html") })
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
