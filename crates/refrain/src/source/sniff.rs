//! What a stream of bytes is, judged by its first bytes.

use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};

use super::compress::Compression;
use crate::document::Origin;

/// How many bytes are examined.
pub(super) const HEAD: usize = 4096;

/// The formats that `--input-format` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InputFormat {
    /// Plain text: one file, one document.
    Text,
    /// HTML: one file, one document.
    Html,
    /// One JSON object a line.
    Jsonl,
    /// A Parquet table.
    Parquet,
    /// A web archive.
    Warc,
    /// A web archive in the format before WARC.
    Arc,
    /// One token a line, structures as tags.
    Vertical,
    /// A table of values separated by commas, semicolons or tabs.
    Csv,
    /// A dump of MediaWiki.
    Mediawiki,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// A document of Word: one file, one document.
    Docx,
    /// A text document of LibreOffice: one file, one document.
    Odt,
    /// A PDF: one file, one document.
    Pdf,
    /// A book: one file, one document.
    Epub,
    /// Rich text: one file, one document.
    Rtf,
    /// An edition or a corpus text in TEI: one file, one document.
    Tei,
    /// Recognised text in ALTO: one file, one document.
    Alto,
    /// Recognised text in hOCR: one file, one document.
    Hocr,
}

impl InputFormat {
    /// Formats of single documents: what [`ReadOptions::types`](super::ReadOptions::types) chooses from.
    pub const DOCUMENTS: [InputFormat; 10] = [
        InputFormat::Html,
        InputFormat::Text,
        InputFormat::Docx,
        InputFormat::Odt,
        InputFormat::Pdf,
        InputFormat::Epub,
        InputFormat::Rtf,
        InputFormat::Tei,
        InputFormat::Alto,
        InputFormat::Hocr,
    ];

    /// All of them.
    pub const ALL: [InputFormat; 19] = [
        InputFormat::Text,
        InputFormat::Html,
        InputFormat::Jsonl,
        InputFormat::Parquet,
        InputFormat::Warc,
        InputFormat::Arc,
        InputFormat::Vertical,
        InputFormat::Csv,
        InputFormat::Mediawiki,
        InputFormat::Zip,
        InputFormat::Tar,
        InputFormat::Docx,
        InputFormat::Odt,
        InputFormat::Pdf,
        InputFormat::Epub,
        InputFormat::Rtf,
        InputFormat::Tei,
        InputFormat::Alto,
        InputFormat::Hocr,
    ];

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            InputFormat::Text => "text",
            InputFormat::Html => "html",
            InputFormat::Jsonl => "jsonl",
            InputFormat::Parquet => "parquet",
            InputFormat::Warc => "warc",
            InputFormat::Arc => "arc",
            InputFormat::Vertical => "vertical",
            InputFormat::Csv => "csv",
            InputFormat::Mediawiki => "mediawiki",
            InputFormat::Zip => "zip",
            InputFormat::Tar => "tar",
            InputFormat::Docx => "docx",
            InputFormat::Odt => "odt",
            InputFormat::Pdf => "pdf",
            InputFormat::Epub => "epub",
            InputFormat::Rtf => "rtf",
            InputFormat::Tei => "tei",
            InputFormat::Alto => "alto",
            InputFormat::Hocr => "hocr",
        }
    }

    /// True for formats whose members are recognised anew.
    pub(super) fn is_archive(self) -> bool {
        matches!(self, InputFormat::Zip | InputFormat::Tar)
    }

    /// True for formats that need to jump around in a file.
    pub(super) fn is_seekable(self) -> bool {
        matches!(self, InputFormat::Zip | InputFormat::Parquet)
    }
}

/// Formats of office documents, books, editions and recognised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OfficeFormat {
    /// A zip archive of XML, as Word writes it.
    Docx,
    /// A zip archive of XML, as LibreOffice writes it.
    Odt,
    /// Pages of placed glyphs.
    Pdf,
    /// A zip archive of web pages.
    Epub,
    /// Text with commands.
    Rtf,
    /// XML of editions and corpora.
    Tei,
    /// XML of recognised text.
    Alto,
    /// HTML of recognised text.
    Hocr,
}

impl OfficeFormat {
    /// The format of files that are one such document.
    pub(crate) fn input_format(self) -> InputFormat {
        match self {
            OfficeFormat::Docx => InputFormat::Docx,
            OfficeFormat::Odt => InputFormat::Odt,
            OfficeFormat::Pdf => InputFormat::Pdf,
            OfficeFormat::Epub => InputFormat::Epub,
            OfficeFormat::Rtf => InputFormat::Rtf,
            OfficeFormat::Tei => InputFormat::Tei,
            OfficeFormat::Alto => InputFormat::Alto,
            OfficeFormat::Hocr => InputFormat::Hocr,
        }
    }

    /// The document that a file of a format is.
    pub(super) fn of(format: InputFormat) -> Option<OfficeFormat> {
        match format {
            InputFormat::Docx => Some(OfficeFormat::Docx),
            InputFormat::Odt => Some(OfficeFormat::Odt),
            InputFormat::Pdf => Some(OfficeFormat::Pdf),
            InputFormat::Epub => Some(OfficeFormat::Epub),
            InputFormat::Rtf => Some(OfficeFormat::Rtf),
            InputFormat::Tei => Some(OfficeFormat::Tei),
            InputFormat::Alto => Some(OfficeFormat::Alto),
            InputFormat::Hocr => Some(OfficeFormat::Hocr),
            _ => None,
        }
    }
}

/// What the text of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// Hypertext.
    Html,
    /// Nothing but text.
    Text,
}

impl Markup {
    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Markup::Html => "html",
            Markup::Text => "text",
        }
    }
}

/// What a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Compressed(Compression),
    Format(InputFormat),
    /// Known not to be text.
    Binary(&'static str),
    /// A container of Office before 2007, and of encrypted documents since.
    Ole,
    /// JSON that is not one object a line.
    OtherJson,
    /// A document; whether it is HTML or text is decided after decoding.
    Unknown,
}

/// File formats that hold no text we read, by their first bytes.
const BINARY: [(&[u8], &str); 15] = [
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"RIFF", "media"),
    (b"OggS", "media"),
    (b"ID3", "media"),
    (b"\x7fELF", "program"),
    (b"!<arch>\n", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!\x1a\x07", "RAR archive"),
    (b"SQLite format 3\0", "database"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
];

/// How OLE containers begin.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

pub(super) fn sniff(head: &[u8], name: &str) -> Kind {
    if let Some(compression) = Compression::of(head) {
        return Kind::Compressed(compression);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        // It may also be a document; its members decide.
        return Kind::Format(InputFormat::Zip);
    }
    if head.starts_with(b"PAR1") {
        return Kind::Format(InputFormat::Parquet);
    }
    if head.starts_with(b"WARC/") {
        return Kind::Format(InputFormat::Warc);
    }
    if head.split(|&b| b == b'\n').next().is_some_and(|line| super::arc::header(line).is_some()) {
        return Kind::Format(InputFormat::Arc);
    }
    if head.len() >= 265 && &head[257..262] == b"ustar" {
        return Kind::Format(InputFormat::Tar);
    }
    if head.starts_with(b"%PDF-") {
        return Kind::Format(InputFormat::Pdf);
    }
    if head.starts_with(b"{\\rtf") {
        return Kind::Format(InputFormat::Rtf);
    }
    if head.starts_with(OLE) {
        return Kind::Ole;
    }
    if let Some((_, what)) = BINARY.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Kind::Binary(what);
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if let Some(format) = format_of_xml(text) {
        return Kind::Format(format);
    }
    if has_extension(name, &["jsonl", "ndjson"]) || first_line_is_object(text) {
        return Kind::Format(InputFormat::Jsonl);
    }
    if has_extension(name, &["json"]) {
        // A first line that is longer than the head is most likely an object; a short one was checked above.
        let one_line = text.starts_with(b"{") && !text.contains(&b'\n');
        return if one_line { Kind::Format(InputFormat::Jsonl) } else { Kind::OtherJson };
    }
    if has_extension(name, &["vert", "vertical"]) || begins_vertical(text) {
        return Kind::Format(InputFormat::Vertical);
    }
    if has_extension(name, &["csv", "tsv"]) {
        return Kind::Format(InputFormat::Csv);
    }
    Kind::Unknown
}

/// The format of XML, by its root element; hOCR by what its first tags say.
pub(super) fn format_of_xml(text: &[u8]) -> Option<InputFormat> {
    if !text.starts_with(b"<") {
        return None;
    }
    let root = xml_root(text)?;
    match root.rsplit(|byte| *byte == b':').next()? {
        b"mediawiki" => Some(InputFormat::Mediawiki),
        b"TEI" | b"TEI.2" | b"teiCorpus" => Some(InputFormat::Tei),
        b"alto" => Some(InputFormat::Alto),
        name if name.eq_ignore_ascii_case(b"html") => {
            let signs = [&b"'ocr_page'"[..], b"\"ocr_page\"", b"'ocr-system'", b"\"ocr-system\""];
            let says = |sign: &&[u8]| memchr::memmem::find(text, sign).is_some();
            signs.iter().any(says).then_some(InputFormat::Hocr)
        }
        _ => None,
    }
}

/// True for a file of many TEI documents.
pub(super) fn is_tei_corpus(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    xml_root(text) == Some(b"teiCorpus")
}

/// The name of the root element, behind declarations and comments.
fn xml_root(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let end = match text {
            [b'<', b'?', ..] => memchr::memmem::find(text, b"?>")? + 2,
            [b'<', b'!', b'-', b'-', ..] => memchr::memmem::find(text, b"-->")? + 3,
            // A document type may have declarations of its own in brackets.
            [b'<', b'!', ..] => {
                let end = memchr::memchr2(b'>', b'[', text)?;
                if text[end] == b'[' { memchr::memmem::find(text, b"]>")? + 2 } else { end + 1 }
            }
            [b'<', name @ ..] => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'_' | b'-');
                return Some(&name[..name.iter().take_while(|byte| is_part(byte)).count()]);
            }
            _ => return None,
        };
        text = text[end..].trim_ascii_start();
    }
}

fn first_line_is_object(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
    let object = serde_json::from_slice::<serde_json::Map<_, _>>(line);
    if line.len() == text.len() && line.starts_with(b"{") && text.len() > HEAD / 2 {
        // The line is longer than the head: check that its start is a valid object.
        return object.is_err_and(|error| error.is_eof());
    }
    line.len() < text.len() && line.ends_with(b"}") && object.is_ok()
}

/// A vertical file opens with a line that is a `<doc>` tag (or another structure around documents) and nothing else.
fn begins_vertical(text: &[u8]) -> bool {
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
    line.ends_with(b">")
        && line.strip_prefix(b"<doc").and_then(|rest| rest.first()).is_some_and(|&b| b == b' ' || b == b'>')
}

/// True when the last extension before those of compression is one of these.
pub(super) fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let mut name = name.to_ascii_lowercase();
    for packed in [".gz", ".zst", ".bz2", ".xz"] {
        if let Some(inner) = name.strip_suffix(packed) {
            name.truncate(inner.len());
            break;
        }
    }
    name.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

/// True when a file's name says that it is text, or a document that holds text.
pub(super) fn named_as_text(name: &str) -> bool {
    #[rustfmt::skip] // a table
    const TEXT: [&str; 18] = [
        "txt", "text", "html", "htm", "xhtml", "md", "jsonl", "ndjson", "json", "vert", "vertical", "csv", "tsv", "docx",
        "odt", "pdf", "epub", "rtf",
    ];
    has_extension(name, &TEXT)
}

/// True for documents whose name says that they are web pages.
pub(crate) fn names_page(origin: &Origin) -> bool {
    let path = origin.path().to_ascii_lowercase();
    [".html", ".htm", ".xhtml"].iter().any(|end| path.ends_with(end))
}

/// True when bytes that are not yet decoded begin like HTML.
pub(super) fn begins_as_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let encoding = Encoding::for_bom(head).map_or(encoding_rs::UTF_8, |(encoding, _)| encoding);
    is_html(&encoding.decode(head).0)
}

/// True when a string is HTML: a whole page, or a piece of one. Texts about tags open with a tag at times, too, so a piece
/// must also close several elements near its beginning.
pub(super) fn is_page(text: &str) -> bool {
    if opens_with(text, &["!doctype html", "html", "head", "body"]) {
        return true;
    }
    let bytes = text.trim_start().as_bytes();
    let head = &bytes[..bytes.len().min(HEAD)];
    let names = |at: usize| head.get(at).is_some_and(u8::is_ascii_alphabetic);
    head.starts_with(b"<") && names(1) && memchr::memmem::find_iter(head, b"</").filter(|at| names(at + 2)).count() >= 5
}

/// True when a text is HTML, judged as browsers judge: by the first tag.
pub(crate) fn is_html(text: &str) -> bool {
    #[rustfmt::skip] // a table
    const TAGS: [&str; 32] = [
        "!doctype html", "html", "head", "body", "script", "iframe", "h1", "div", "font", "table", "a", "style", "title",
        "b", "br", "p", "meta", "link", "ul", "article", "section", "nav", "header", "main", "span", "h2", "h3", "form",
        "center", "ol", "aside", "noscript",
    ];
    opens_with(text, &TAGS)
}

/// True when the first tag of a text, comments aside, is one of these.
fn opens_with(text: &str, tags: &[&str]) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("<!--") {
            let Some(end) = comment.find("-->") else { return true };
            rest = comment[end + 3..].trim_start();
        } else if let Some(declaration) = rest.strip_prefix("<?xml") {
            let Some(end) = declaration.find('>') else { return false };
            rest = declaration[end + 1..].trim_start();
        } else {
            break;
        }
    }
    let Some(tag) = rest.strip_prefix('<') else { return false };
    tags.iter().any(|name| {
        tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && tag[name.len()..].chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '>' | '/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_content() {
        assert_eq!(sniff(b"WARC/1.0\r\n", "x"), Kind::Format(InputFormat::Warc));
        let line = b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 77\n1 0 Org\n";
        assert_eq!(sniff(line, "x"), Kind::Format(InputFormat::Arc));
        assert_eq!(sniff(b"filedesc://x.arc is the first line of an ARC file\n", "x"), Kind::Unknown);
        assert_eq!(sniff(b"PAR1....", "x"), Kind::Format(InputFormat::Parquet));
        assert_eq!(sniff(b"{\"a\": 1}\n{", "x"), Kind::Format(InputFormat::Jsonl));
        assert_eq!(sniff(b"{ not json }\n", "x"), Kind::Unknown);
        // The first line is longer than the head.
        let long = format!("{{\"text\": \"{}", "lamp ".repeat(HEAD));
        assert_eq!(sniff(&long.as_bytes()[..HEAD], "x"), Kind::Format(InputFormat::Jsonl));
        assert_eq!(sniff(long.replace(':', " ").as_bytes(), "x"), Kind::Unknown);
        assert_eq!(sniff(b"{\n  \"a\": 1\n}", "x.json"), Kind::OtherJson);
        assert_eq!(sniff(b"[{\"a\": 1}]", "x.json"), Kind::OtherJson);
        assert_eq!(sniff(b"{\"a\": 1}", "x.json"), Kind::Format(InputFormat::Jsonl));
        assert_eq!(sniff(b"\xef\xbb\xbf<doc id=\"1\">\nword\n", "x"), Kind::Format(InputFormat::Vertical));
        assert_eq!(sniff(b"%PDF-1.7", "x.html"), Kind::Format(InputFormat::Pdf));
        assert_eq!(sniff(b"{\\rtf1\\ansi", "x.doc"), Kind::Format(InputFormat::Rtf));
        assert_eq!(sniff(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "x.doc"), Kind::Ole);
        assert_eq!(sniff(b"\x1f\x8b\x08\0", "x.txt"), Kind::Compressed(Compression::Gzip));
        assert_eq!(sniff(b"PK\x03\x04", "x"), Kind::Format(InputFormat::Zip));
    }

    #[test]
    fn xml_is_recognised_by_its_root() {
        for (head, expected) in [
            ("<?xml version=\"1.0\"?>\n<?xml-model href=\"x\"?><!-- y -->\n<TEI xmlns=\"x\">", Some(InputFormat::Tei)),
            ("<!DOCTYPE TEI.2 [ <!ENTITY a \"b\"> ]><TEI.2>", Some(InputFormat::Tei)),
            ("\u{feff}<alto:alto>", Some(InputFormat::Alto)),
            ("<mediawiki xml:lang='cs'>", Some(InputFormat::Mediawiki)),
            ("<!DOCTYPE html PUBLIC 'x'><html><meta name='ocr-system'/>", Some(InputFormat::Hocr)),
            ("<html><body><div class=\"ocr_page\">", Some(InputFormat::Hocr)),
            ("<html><p>ocr_page</p>", None),
            ("<teiHeader>", None),
            ("<?xml", None),
        ] {
            let expected = expected.map_or(Kind::Unknown, Kind::Format);
            assert_eq!(sniff(head.as_bytes(), "x"), expected, "{head}");
        }
    }

    #[test]
    fn names_matter_where_content_is_ambiguous() {
        assert_eq!(sniff(b"oops\n", "x.jsonl.gz"), Kind::Format(InputFormat::Jsonl));
        assert_eq!(sniff(b"word\n", "x.vert"), Kind::Format(InputFormat::Vertical));
        assert!(named_as_text("a/b.HTML") && named_as_text("b.txt.gz") && !named_as_text("c.png"));
    }

    #[test]
    fn strings_are_pages_when_they_are_whole_or_full_of_tags() {
        assert!(is_page(" <!DOCTYPE html><p>x") && is_page("<html>"));
        assert!(is_page(&format!("<div>{}</div>", "<p>One <a href=x>link</a>.</p>".repeat(3))));
        assert!(!is_page("<b> is the tag for bold text, </b> ends it, and <i> is that for italics."));
        assert!(!is_page("plain") && !is_page("1 < 2") && !is_page(""));
    }

    #[test]
    fn html_is_recognised_by_its_first_tag() {
        for html in ["<!DOCTYPE html>", "  <HTML lang=en>", "<!-- x --> <body>", "<p>x", "<?xml version='1.0'?><html>"]
        {
            assert!(is_html(html), "{html}");
        }
        for text in ["", "plain", "<3 you", "<pre-war> times", "a <p>"] {
            assert!(!is_html(text), "{text}");
        }
    }
}
