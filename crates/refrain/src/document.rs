//! The model: [`Document`], [`Mark`] and [`Link`], the only values that passes exchange.
//!
//! Passes mark, writers drop. No pass deletes text: it adds a [`Mark`] that says which bytes, under which label, by which
//! pass and for what [`Reason`]. [`Document::kept`] is what a writer leaves when it honours the marks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The column under which fields of the source stand in Parquet files, as JSON.
pub(crate) const META_COLUMN: &str = "meta";

/// The field under which marks are written, with offsets in code points.
pub(crate) const MARKS_FIELD: &str = "marks";

/// The same with offsets in bytes.
pub(crate) const BYTE_MARKS_FIELD: &str = "byte_marks";

/// A range of bytes of a document's text. Both ends lie on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, but not including, `end`.
    pub const fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// True when there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// The text it covers; empty when the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// The part that two spans have in common.
    #[must_use]
    pub fn intersection(self, other: Span) -> Span {
        Span::new(self.start.max(other.start), self.end.min(other.end))
    }
}

/// The place of a document in its collection: which input, and which record of it.
///
/// Positions order the collection. "The first copy" always means the one with the lowest position, so that results do not
/// depend on threads or on the order in which documents happened to be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// Index of the input in the sorted list of inputs.
    pub input: u32,
    /// Index of the record in the input.
    pub record: u64,
}

/// Where a document came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The input as the user named it.
    pub input: String,
    /// The member of an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The address of a web page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Origin {
    /// Input and member as one path.
    pub fn path(&self) -> Cow<'_, str> {
        match &self.member {
            Some(member) => Cow::Owned(format!("{}/{member}", self.input)),
            None => Cow::Borrowed(&self.input),
        }
    }
}

/// One document: decoded text, its blocks, and what passes found out about it.
///
/// ```
/// use refrain::{Document, Label, Mark, Reason, Span};
///
/// let mut page = Document::from_text("page-1", "Home | About\n\nThe keeper lit the lamp at dusk.");
/// page.marks.push(Mark {
///     span: Span::new(0, 12),
///     label: Label::Boilerplate,
///     pass: "by-hand".into(),
///     reason: Reason::Stated("navigation".into()),
/// });
/// assert_eq!(page.kept(), "The keeper lit the lamp at dusk.");
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Document {
    /// Place in the collection.
    pub position: Position,
    /// The name users know it by: a record id, a path, the value of an id field.
    pub id: String,
    /// Where it came from.
    pub origin: Origin,
    /// Character encoding it was decoded from, where it came as bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// ISO 639-1 code of its language (639-3 where there is no shorter one), where it could be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Fields of the source that refrain does not use itself; they travel with the document.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// The decoded text.
    pub text: String,
    /// Paragraphs, headings, list items: ranges of `text` in order, not overlapping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// What passes said about ranges of `text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// A block of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its bytes.
    pub span: Span,
    /// What it is.
    pub kind: BlockKind,
    /// How many of its characters stand inside links.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub link_chars: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature serde asks for
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// What a block is in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockKind {
    /// Running text, or anything that is nothing else.
    Paragraph,
    /// A heading.
    Heading,
    /// An item of a list.
    ListItem,
    /// A cell of a table.
    Cell,
    /// Preformatted text.
    Preformatted,
    /// A quotation.
    Quote,
    /// An entry of a selection box.
    Choice,
}

impl BlockKind {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Paragraph => "paragraph",
            BlockKind::Heading => "heading",
            BlockKind::ListItem => "list_item",
            BlockKind::Cell => "cell",
            BlockKind::Preformatted => "preformatted",
            BlockKind::Quote => "quote",
            BlockKind::Choice => "choice",
        }
    }
}

/// What a pass says about a range of one document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The bytes it speaks of.
    pub span: Span,
    /// What they are.
    pub label: Label,
    /// The pass that says so.
    pub pass: Cow<'static, str>,
    /// Why it says so.
    #[serde(rename = "evidence")]
    pub reason: Reason,
}

/// What a marked range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Label {
    /// Navigation, notices, advertisements: what surrounds the main content of a page.
    Boilerplate,
    /// What was put in front of a book.
    Preamble,
    /// What was put behind a book.
    Epilogue,
    /// What the pages of a site share.
    Template,
    /// A copy of text that stands earlier in the collection.
    Duplicate,
    /// Text in a language that was not asked for.
    Foreign,
}

impl Label {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Label::Boilerplate => "boilerplate",
            Label::Preamble => "preamble",
            Label::Epilogue => "epilogue",
            Label::Template => "template",
            Label::Duplicate => "duplicate",
            Label::Foreign => "foreign",
        }
    }
}

/// Why a range was marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// A block classifier's figures.
    Classified {
        /// The final class.
        class: Cow<'static, str>,
        /// The class before looking at the neighbours.
        context_free: Cow<'static, str>,
        /// Characters.
        length: u32,
        /// Share of characters inside links.
        link_density: f64,
        /// Share of words that are stop words.
        stop_word_density: f64,
    },
    /// A method that weighs whole pages.
    Judged {
        /// What decided.
        rule: Cow<'static, str>,
        /// How likely it is main content, where the method tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probability: Option<f64>,
    },
    /// The same text stands in an earlier document.
    CopyOf {
        /// Id of that document.
        document: String,
        /// Its place in the collection.
        position: Position,
    },
    /// Most of it stands in earlier documents.
    Repeats {
        /// Id of the document that most of it stands in, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<String>,
        /// Where it stands there: its first word and the one behind its last, counted from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<(u64, u64)>,
        /// The share of its words that stand in earlier text.
        share: f64,
        /// How it was found: `ngrams`, `alignment`, `neighbours`.
        by: Cow<'static, str>,
    },
    /// It occurs in many documents.
    SeenIn {
        /// How many.
        documents: u64,
    },
    /// On the pages of its site, what stands there is no content.
    Site {
        /// The host of the site.
        host: String,
        /// How many of its pages told so.
        pages: u64,
    },
    /// It is in another language.
    Language {
        /// The language found.
        found: String,
        /// How sure the detector is, from 0 to 1.
        confidence: f64,
    },
    /// Somebody said so.
    Stated(String),
}

/// Two documents that share text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Id of one document.
    pub a: String,
    /// Id of the other.
    pub b: String,
    /// Scores by name (R, C, cs, its, ...).
    pub scores: BTreeMap<String, f64>,
    /// The passages they share.
    pub passages: Vec<Passage>,
}

/// A passage that stands in two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Where it stands in document `a` of the link.
    pub a: Span,
    /// Where it stands in document `b`.
    pub b: Span,
}

impl Document {
    /// A document of plain text; its blocks are its paragraphs.
    pub fn from_text(id: impl Into<String>, text: impl Into<String>) -> Document {
        let mut document = Document { id: id.into(), ..Document::default() };
        document.set_text(text.into());
        document
    }

    /// The host of its address, in lower case and without `www.`; empty when it has none. The address is that of its origin, else a
    /// field `url`, else its id.
    ///
    /// ```
    /// use refrain::Document;
    ///
    /// assert_eq!(Document::from_text("https://user@WWW.Example.org:8080/a?b", "").host(), "example.org");
    /// assert_eq!(Document::from_text("http://[2001:db8::1]:80/", "").host(), "[2001:db8::1]");
    /// assert_eq!(Document::from_text("notes.txt", "").host(), "");
    /// ```
    pub fn host(&self) -> String {
        let said = self.meta.get("url").and_then(Value::as_str);
        let address = self.origin.url.as_deref().or(said).unwrap_or(&self.id);
        crate::url::host(address).unwrap_or_default()
    }

    /// Gives a document its text; its paragraphs become its blocks.
    pub(crate) fn set_text(&mut self, text: String) {
        let block = |span| Block { span, kind: BlockKind::Paragraph, link_chars: 0 };
        self.blocks = crate::text::paragraphs(&text).map(block).collect();
        self.text = text;
    }

    /// The marked ranges, sorted and joined where they touch or overlap.
    pub fn removed_spans(&self) -> Vec<Span> {
        self.spans_of(|_| true)
    }

    /// The ranges with some labels, sorted and joined where they touch or overlap.
    pub fn spans_of(&self, wanted: impl Fn(Label) -> bool) -> Vec<Span> {
        let marks = self.marks.iter().filter(|mark| wanted(mark.label) && !mark.span.is_empty());
        let mut spans: Vec<Span> = marks.map(|mark| mark.span).collect();
        spans.sort_unstable();
        spans.dedup_by(|next, last| {
            let joined = next.start <= last.end;
            if joined {
                last.end = last.end.max(next.end);
            }
            joined
        });
        spans
    }

    /// The text without its marked ranges.
    ///
    /// White space around a removed range is reduced to the strongest break that stood there (paragraph, line, space), so
    /// that no gaps stay behind.
    pub fn kept(&self) -> Cow<'_, str> {
        let removed = self.removed_spans();
        if removed.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        let mut kept = String::with_capacity(self.text.len());
        let mut gap = ""; // white space seen around the ranges removed since the last kept character
        let mut from = 0;
        for span in removed.iter().copied().chain([Span::new(self.text.len(), self.text.len())]) {
            let piece = self.text.get(from..span.start).unwrap_or_default();
            let body = if from == 0 { piece } else { piece.trim_start() };
            gap = stronger_break(gap, &piece[..piece.len() - body.len()]);
            let at_end = span.start == self.text.len();
            let body = if at_end { body } else { body.trim_end() };
            if !body.is_empty() {
                if !kept.is_empty() {
                    kept.push_str(gap);
                }
                kept.push_str(body);
                gap = "";
            }
            gap = stronger_break(gap, &piece[piece.trim_end().len()..]);
            from = span.end;
        }
        Cow::Owned(kept)
    }

    /// The document without its marked ranges.
    pub fn without_marked(&self) -> Document {
        let mut document = Document { text: String::new(), blocks: Vec::new(), marks: Vec::new(), ..self.clone() };
        document.set_text(self.kept().into_owned());
        document
    }

    /// True when the marks leave nothing but white space.
    pub fn is_removed(&self) -> bool {
        let mut from = 0;
        for span in self.removed_spans() {
            if !self.text.get(from..span.start).unwrap_or_default().trim().is_empty() {
                return false;
            }
            from = span.end;
        }
        self.text.get(from..).unwrap_or_default().trim().is_empty()
    }

    /// Marks the whole text.
    pub fn mark_all(&mut self, label: Label, pass: &'static str, reason: Reason) {
        self.marks.push(Mark { span: Span::new(0, self.text.len()), label, pass: pass.into(), reason });
    }
}

/// Of two stretches of white space, the break that separates more: blank line, line, space, nothing.
fn stronger_break<'a>(a: &'a str, b: &'a str) -> &'a str {
    let rank = |s: &str| match s.bytes().filter(|&b| b == b'\n').count() {
        0 => usize::from(!s.is_empty()),
        1 => 2,
        _ => 3,
    };
    ["", " ", "\n", "\n\n"][rank(a).max(rank(b))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, removed: &[&str]) -> Document {
        let mut document = Document::from_text("d", text);
        for part in removed {
            let start = text.find(part).expect("part of the text");
            document.marks.push(Mark {
                span: Span::new(start, start + part.len()),
                label: Label::Boilerplate,
                pass: "test".into(),
                reason: Reason::Stated(String::new()),
            });
        }
        document
    }

    #[test]
    fn text_without_marks_is_kept_as_it_is() {
        assert_eq!(marked("  a \n\n\n b ", &[]).kept(), "  a \n\n\n b ");
    }

    #[test]
    fn removed_blocks_leave_one_paragraph_break() {
        assert_eq!(marked("one\n\ntwo\n\nthree", &["two"]).kept(), "one\n\nthree");
        assert_eq!(marked("one\n\ntwo\n\nthree", &["one", "two"]).kept(), "three");
        assert_eq!(marked("one\n\ntwo\n\nthree", &["two", "three"]).kept(), "one");
    }

    #[test]
    fn removed_words_leave_one_space() {
        assert_eq!(marked("one two three", &["two"]).kept(), "one three");
        assert_eq!(marked("onetwothree", &["two"]).kept(), "onethree");
        assert_eq!(marked("one\ntwo three", &["two"]).kept(), "one\nthree");
    }

    #[test]
    fn a_document_without_kept_text_is_removed() {
        assert!(marked("one\n\ntwo", &["one", "two"]).is_removed());
        assert!(!marked("one\n\ntwo", &["one"]).is_removed());
        assert_eq!(marked("one\n\ntwo", &["one", "two"]).kept(), "");
    }
}
