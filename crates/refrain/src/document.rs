//! The model: [`Document`], [`Mark`] and [`Link`], the only values that passes exchange.
//!
//! Passes mark, writers remove. No pass deletes text: it adds a [`Mark`] that says which bytes, under which label, by which
//! pass and for what [`Reason`]. [`Document::kept`] is the text that remains when a writer honours the marks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text::{CharOffsets, Offsets};

/// The column for fields of the source in Parquet files, as JSON.
pub(crate) const META_COLUMN: &str = "meta";

/// The field under which marks are written, with offsets in code points.
pub(crate) const MARKS_FIELD: &str = "marks";

/// The same with offsets in bytes.
pub(crate) const BYTE_MARKS_FIELD: &str = "byte_marks";

/// The field that lists the blocks of a text, with offsets in code points.
pub(crate) const BLOCKS_FIELD: &str = "blocks";

/// The same with offsets in bytes.
pub(crate) const BYTE_BLOCKS_FIELD: &str = "byte_blocks";

/// The field that lists where the pages of a document begin, in code points.
pub(crate) const PAGES_FIELD: &str = "pages";

/// The pass that marks documents with the same text as an earlier one.
pub(crate) const EXACT_PASS: &str = "exact";

/// A range of bytes of a document's text. Both ends are on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
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

/// The position of a document in its collection: which input, and which record of it.
///
/// Positions order the collection. "The first copy" always means the one with the lowest position. Results therefore do
/// not depend on threads, or on the order in which documents were finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
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

/// One document: decoded text, its blocks, and the results of passes.
///
/// The text changes only through methods that keep all ranges true: [`set_text`](Document::set_text) drops them,
/// [`cut`](Document::cut) and [`replace`](Document::replace) move them. `marks` is public, so that any pass can add to
/// it. A mark that is not inside the text, on character boundaries, has no effect and is never written.
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
    /// Position in the collection.
    pub position: Position,
    /// The name users know it by: a record id, a path, the value of an id field.
    pub id: String,
    /// Where it came from.
    pub origin: Origin,
    /// Character encoding it was decoded from, if it was read as bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// ISO 639-1 code of its language (639-3 if there is no shorter one), if it could be identified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Fields of the source that refrain does not use itself; they are kept with the document.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// The marks that passes set on ranges of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    text: String,
    /// In order, not overlapping; outside them there is only white space.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<Block>,
    /// Other fields of each block in the source; `None` if the source did not list blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    block_fields: Option<Vec<Map<String, Value>>>,
    /// The offsets at which pages begin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pages: Vec<usize>,
    /// The annotation of a vertical file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotation: Option<Box<Annotation>>,
}

/// The token columns and structures of a vertical file. Vertical output contains them again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Annotation {
    /// The tokens, in order.
    pub tokens: Vec<AnnotatedToken>,
    /// Sentences, paragraphs and other structures, in the order in which they begin.
    pub structures: Vec<Structure>,
}

/// A token of a vertical file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotatedToken {
    /// Its bytes.
    pub span: Span,
    /// The rest of its line, with the tabs: lemma, tag and other columns.
    pub columns: String,
}

/// A structure of a vertical file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure {
    /// From its first token to its last one; for a structure without content (`<x/>`), the token after it.
    pub span: Span,
    /// The line that begins it.
    pub line: String,
}

/// A block of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its bytes.
    pub span: Span,
    /// Its kind.
    pub kind: BlockKind,
    /// The number of its characters inside links.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub link_chars: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature serde asks for
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The kind of a block in its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockKind {
    /// Running text, or anything else.
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
    /// All of them.
    pub(crate) const ALL: [BlockKind; 7] = [
        BlockKind::Paragraph,
        BlockKind::Heading,
        BlockKind::ListItem,
        BlockKind::Cell,
        BlockKind::Preformatted,
        BlockKind::Quote,
        BlockKind::Choice,
    ];

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

/// A labelled range of one document, with the pass that set it and the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The marked bytes.
    pub span: Span,
    /// The kind of the marked text.
    pub label: Label,
    /// The pass that set the mark.
    pub pass: Cow<'static, str>,
    /// Why the pass set it.
    #[serde(rename = "evidence")]
    pub reason: Reason,
}

/// The kind of a marked range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Label {
    /// Navigation, notices, advertisements: what surrounds the main content of a page.
    Boilerplate,
    /// Text that was added before a book, such as a licence.
    Preamble,
    /// Text that was added after a book.
    Epilogue,
    /// Text that the pages of a site share.
    Template,
    /// A copy of text that occurs earlier in the collection.
    Duplicate,
    /// Text in a language that was not selected.
    Foreign,
    /// Text of a benchmark that models are measured with.
    Benchmark,
    /// Text that a rule of quality removes.
    Quality,
    /// A placeholder for personal data. Writers keep it: what it stands for is already gone.
    Masked,
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
            Label::Benchmark => "benchmark",
            Label::Quality => "quality",
            Label::Masked => "masked",
        }
    }
}

/// Why a range was marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The decision of a method that scores whole pages.
    Judged {
        /// The rule that decided.
        rule: Cow<'static, str>,
        /// How likely it is main content, if the method computes that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        probability: Option<f64>,
    },
    /// The same text occurs in an earlier document.
    CopyOf {
        /// Id of that document.
        document: String,
        /// Its position in the collection.
        position: Position,
    },
    /// Most of it occurs in earlier documents.
    Repeats {
        /// Id of the document that contains most of it, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<String>,
        /// Its range there: its first word and the one after its last, counted from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<(u64, u64)>,
        /// The share of its words that occur in earlier text.
        share: f64,
        /// How it was found: `digest`, `ngrams`, `alignment` or `neighbours`. With `neighbours`, the share is 0.
        by: Cow<'static, str>,
    },
    /// The whole document resembles another one, which was kept.
    Resembles {
        /// Id of that document.
        document: String,
        /// How much, from 0 to 1.
        score: f64,
    },
    /// It occurs in many documents.
    SeenIn {
        /// How many.
        documents: u64,
    },
    /// On the pages of its site, this part is not content.
    Site {
        /// The host of the site.
        host: String,
        /// The number of pages that support this.
        pages: u64,
    },
    /// It is in another language.
    Language {
        /// The language found.
        found: String,
        /// How sure the detector is, from 0 to 1.
        confidence: f64,
    },
    /// It contains an item of a benchmark.
    Item {
        /// The name of the benchmark.
        benchmark: String,
        /// The id of the item.
        item: String,
        /// The fields that were found: `passage`, `question`, `options`, `answer`.
        fields: Vec<Cow<'static, str>>,
        /// The share of the words of the item that were found.
        share: f64,
        /// The beginning of these fields of the item.
        #[serde(default)]
        text: String,
    },
    /// What was measured of it is beyond a limit.
    Measured {
        /// The set of rules that has the limit.
        filter: Cow<'static, str>,
        /// What was measured.
        rule: Cow<'static, str>,
        /// How much it is.
        value: f64,
        /// How much it may be: at most, if the value is larger, or at least.
        limit: f64,
    },
    /// A reason in words.
    Stated(String),
}

impl Reason {
    /// The language of a text whose language could not be identified.
    pub(crate) const UNKNOWN: &str = "unknown";
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

/// A passage that occurs in two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Its range in document `a` of the link.
    pub a: Span,
    /// Its range in document `b`.
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
        crate::url::host(self.address().unwrap_or(&self.id)).unwrap_or_default()
    }

    /// The address of its origin, or else a field `url`.
    pub(crate) fn address(&self) -> Option<&str> {
        self.origin.url.as_deref().or_else(|| self.meta.get("url").and_then(Value::as_str))
    }

    /// Its display name: its address, or else its id.
    pub fn name(&self) -> &str {
        self.origin.url.as_deref().unwrap_or(&self.id)
    }

    /// The decoded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Paragraphs, headings, list items: ranges of the text in order, not overlapping. Outside them there is only white space.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Where each page begins, in bytes of the text; empty for documents without pages.
    pub fn pages(&self) -> &[usize] {
        &self.pages
    }

    /// Replaces the text of the document. Its paragraphs become its blocks; marks and pages of the old text are dropped.
    pub fn set_text(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.blocks = paragraphs(&text);
        self.text = text;
        self.block_fields = None;
        self.annotation = None;
        self.pages.clear();
        self.marks.clear();
    }

    /// Replaces the text of the document and its blocks. Marks and pages of the old text are dropped. If the blocks do
    /// not fit, the paragraphs of the text become its blocks.
    pub fn set_text_and_blocks(&mut self, text: String, blocks: Vec<Block>) {
        self.blocks = if blocks_fit(&text, &blocks) { blocks } else { paragraphs(&text) };
        self.text = text;
        self.block_fields = None;
        self.annotation = None;
        self.pages.clear();
        self.marks.clear();
    }

    /// Where the pages begin in a text that consists of the words of the document's blocks, block by block; empty for
    /// documents without pages.
    pub fn pages_of_blocks(&self, others: &[Block]) -> Vec<usize> {
        let place = |at: usize| {
            let number = self.blocks.partition_point(|block| block.span.end <= at);
            let end = others.last().map_or(0, |other| other.span.end);
            match (self.blocks.get(number), others.get(number)) {
                (Some(block), Some(other)) => {
                    other.span.start + at.saturating_sub(block.span.start).min(other.span.len())
                }
                _ => end,
            }
        };
        self.pages.iter().map(|&at| place(at)).collect()
    }

    /// Takes text and blocks out of the document, which is left without text, marks and pages.
    pub fn take_text_and_blocks(&mut self) -> (String, Vec<Block>) {
        let taken = (std::mem::take(&mut self.text), std::mem::take(&mut self.blocks));
        self.set_text("");
        taken
    }

    /// Takes text and blocks out of a document that is written to a file piece by piece. All other ranges remain, and are true
    /// again once [`put_back`](Document::put_back) was called with the same values.
    pub(crate) fn take_apart(&mut self) -> (String, Vec<Block>) {
        (std::mem::take(&mut self.text), std::mem::take(&mut self.blocks))
    }

    /// Puts text and blocks back; false if the blocks do not fit the text.
    pub(crate) fn put_back(&mut self, text: String, blocks: Vec<Block>) -> bool {
        let fit = blocks_fit(&text, &blocks);
        (self.text, self.blocks) = (text, blocks);
        fit
    }

    /// The text alone.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Sets the blocks that the source lists, with their other fields; false if they do not fit the text.
    pub(crate) fn adopt_blocks(&mut self, blocks: Vec<Block>, fields: Vec<Map<String, Value>>) -> bool {
        let fit = blocks.len() == fields.len() && blocks_fit(&self.text, &blocks);
        if fit {
            (self.blocks, self.block_fields) = (blocks, Some(fields));
        }
        fit
    }

    /// Sets the offsets at which pages begin, in bytes; false if they do not fit the text.
    pub(crate) fn adopt_pages(&mut self, pages: Vec<usize>) -> bool {
        let fit = pages.is_sorted() && pages.iter().all(|&at| self.text.is_char_boundary(at));
        if fit {
            self.pages = pages;
        }
        fit
    }

    /// Removes ranges from the text. White space around them is reduced as in [`kept`](Document::kept). Marks, blocks and pages
    /// cover the same words as before; marks and blocks of which nothing is left are dropped. A page keeps its number: if
    /// nothing is left of it, it begins where the next one does.
    pub fn cut(&mut self, spans: &[Span]) {
        let spans = joined(spans.iter().copied().filter(|span| fits(&self.text, *span)).collect());
        if spans.is_empty() {
            return;
        }
        let (text, moved) = without(&self.text, &spans);
        self.pages = moved.pages(&self.pages);
        self.move_ranges(&moved);
        self.text = text;
    }

    /// Replaces a range of the text, exactly as given. Ranges around it grow or shrink with it; those inside it are
    /// dropped. A range that does not fit the text changes nothing.
    pub fn replace(&mut self, span: Span, with: &str) {
        if !fits(&self.text, span) {
            return;
        }
        let kind =
            self.blocks.iter().find(|block| block.span.end > span.start).map_or(BlockKind::Paragraph, |b| b.kind);
        let length = self.text.len();
        let after = span.start + with.len();
        let pieces = [(Span::new(0, span.start), 0), (Span::new(span.end, length), after)];
        let moved = Moved {
            pieces: pieces.into_iter().filter(|(old, _)| !old.is_empty()).collect(),
            length: length - span.len() + with.len(),
        };
        let page = |&at: &usize| if at <= span.start { at } else { moved.place(at) };
        self.pages = self.pages.iter().map(page).collect();
        self.move_ranges(&moved);
        self.text.replace_range(span.start..span.end, with);
        if !with.trim().is_empty() {
            self.annotation = None; // new words have no lines
        }
        // Every word is in a block.
        let new = Span::new(span.start, after);
        let next = self.blocks.partition_point(|block| block.span.end <= new.start);
        if !with.trim().is_empty() && self.blocks.get(next).is_none_or(|block| block.span.start >= new.end) {
            self.blocks.insert(next, Block { span: new, kind, link_chars: 0 });
            if let Some(fields) = &mut self.block_fields {
                fields.insert(next, Map::new());
            }
        }
    }

    /// Replaces ranges of the text, which are in order and apart, by other words. Ranges that touch them cover the new words instead.
    /// Returns the ranges of the new words.
    pub(crate) fn replace_all(&mut self, changes: &[(Span, &str)]) -> Vec<Span> {
        if changes.is_empty() {
            return Vec::new();
        }
        let mut text = String::with_capacity(self.text.len());
        let mut new = Vec::with_capacity(changes.len());
        let mut from = 0;
        for (span, with) in changes {
            text.push_str(self.text.get(from..span.start).unwrap_or_default());
            new.push(Span::new(text.len(), text.len() + with.len()));
            text.push_str(with);
            from = span.end;
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        let place = |at: usize, is_end: bool| {
            // The first change that ends behind the position, or there if the position is the end of a range.
            let next = changes.partition_point(|(old, _)| if is_end { old.end < at } else { old.end <= at });
            match (changes.get(next), next.checked_sub(1)) {
                (Some((old, _)), _) if old.start < at && is_end => new[next].end,
                (Some((old, _)), _) if old.start < at => new[next].start,
                (_, Some(last)) => new[last].end + at - changes[last].0.end,
                (_, None) => at,
            }
        };
        let moved = |span: &mut Span| *span = Span::new(place(span.start, false), place(span.end, true));
        self.marks.iter_mut().for_each(|mark| moved(&mut mark.span));
        for block in &mut self.blocks {
            moved(&mut block.span);
            block.link_chars = block.link_chars.min(u32::try_from(block.span.len()).unwrap_or(u32::MAX));
        }
        self.pages.iter_mut().for_each(|page| *page = place(*page, false));
        self.annotation = None; // new words have no lines
        self.text = text;
        new
    }

    fn move_ranges(&mut self, moved: &Moved) {
        (self.blocks, self.block_fields) = moved.blocks(&self.blocks, self.block_fields.as_deref());
        self.marks.retain_mut(|mark| match moved.span(mark.span) {
            Some(span) => {
                mark.span = span;
                true
            }
            None => false,
        });
        if let Some(annotation) = &mut self.annotation {
            let left = |span: &mut Span| moved.span(*span).map(|new| *span = new).is_some();
            annotation.tokens.retain_mut(|token| left(&mut token.span));
            annotation.structures.retain_mut(|structure| left(&mut structure.span));
        }
    }

    /// Adds the token annotation from a vertical file.
    pub(crate) fn annotate(&mut self, annotation: Option<Box<Annotation>>) {
        self.annotation = annotation;
    }

    /// The token annotation from a vertical file.
    pub(crate) fn annotation(&self) -> Option<&Annotation> {
        self.annotation.as_deref()
    }

    /// Removes the marked ranges from the text, and the marks.
    pub fn remove_marked(&mut self) {
        self.cut(&self.removed_spans());
        self.marks.clear();
    }

    /// The document as a writer shows it: with its marked ranges, or without.
    pub(crate) fn shown(&self, keep_marked: bool) -> Shown<'_> {
        let removed = if keep_marked { Vec::new() } else { self.removed_spans() };
        if removed.is_empty() {
            return Shown { document: self, text: Cow::Borrowed(&self.text), moved: None };
        }
        let (text, moved) = without(&self.text, &removed);
        Shown { document: self, text: Cow::Owned(text), moved: Some(moved) }
    }

    /// The marks that are inside the text, on character boundaries; others have no effect.
    pub fn fitting_marks(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(|mark| fits(&self.text, mark.span))
    }

    /// The ranges that writers remove, sorted and joined where they touch or overlap: all marked ones but placeholders.
    pub fn removed_spans(&self) -> Vec<Span> {
        self.spans_of(|mark| mark.label != Label::Masked)
    }

    /// The ranges of some marks, sorted and joined where they touch or overlap.
    pub fn spans_of(&self, wanted: impl Fn(&Mark) -> bool) -> Vec<Span> {
        joined(self.fitting_marks().filter(|mark| wanted(mark)).map(|mark| mark.span).collect())
    }

    /// The text without its marked ranges.
    ///
    /// White space around a removed range is reduced to the strongest break that was there (paragraph, line, space), so
    /// that no gaps remain.
    pub fn kept(&self) -> Cow<'_, str> {
        self.shown(false).text
    }

    /// The document without its marked ranges.
    #[must_use]
    pub fn without_marked(&self) -> Document {
        let mut document = self.clone();
        document.remove_marked();
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

/// A document as a writer shows it.
pub(crate) struct Shown<'a> {
    document: &'a Document,
    /// The text that is shown.
    pub(crate) text: Cow<'a, str>,
    moved: Option<Moved>,
}

impl Shown<'_> {
    /// Where a range of the shown text is in the text of the document.
    pub(crate) fn origins(&self, span: Span) -> Vec<Span> {
        let Some(moved) = &self.moved else { return vec![span] };
        let first = moved.pieces.partition_point(|(old, new)| new + old.len() <= span.start);
        let pieces = moved.pieces[first..].iter().take_while(|(_, new)| *new < span.end);
        let origin = |(old, new): &(Span, usize)| {
            let end = span.end.min(new + old.len());
            Span::new(old.start + span.start.saturating_sub(*new), old.start + end - new)
        };
        pieces.map(origin).collect()
    }

    /// The fields that hold ranges of the shown text: blocks, where the source listed them, and pages.
    pub(crate) fn ranges(&self, offsets: Offsets) -> Vec<(&'static str, Value)> {
        let Document { blocks, block_fields, pages, .. } = self.document;
        let mut fields = Vec::new();
        if let Some(known) = block_fields {
            let (blocks, known) = match &self.moved {
                Some(moved) => moved.blocks(blocks, Some(known)),
                None => (blocks.clone(), Some(known.clone())),
            };
            let mut chars = CharOffsets::new(&self.text);
            let entry = |(block, known): (&Block, Map<String, Value>)| {
                let span = chars.span(block.span, offsets);
                let mut entry = Map::new();
                entry.insert("start".into(), Value::from(span.start));
                entry.insert("end".into(), Value::from(span.end));
                entry.insert("kind".into(), Value::from(block.kind.name()));
                entry.extend(known);
                Value::Object(entry)
            };
            let list: Vec<Value> = blocks.iter().zip(known.unwrap_or_default()).map(entry).collect();
            let name = if offsets == Offsets::Chars { BLOCKS_FIELD } else { BYTE_BLOCKS_FIELD };
            fields.push((name, Value::from(list)));
        }
        if !pages.is_empty() {
            let pages = self.moved.as_ref().map_or_else(|| pages.clone(), |moved| moved.pages(pages));
            let mut chars = CharOffsets::new(&self.text);
            let pages: Vec<usize> = pages.into_iter().map(|at| chars.chars(at)).collect();
            fields.push((PAGES_FIELD, Value::from(pages)));
        }
        fields
    }
}

/// Where the pieces of a text are after a change.
struct Moved {
    /// The remaining pieces of the old text, in order, and their positions in the new one.
    pieces: Vec<(Span, usize)>,
    /// Bytes of the new text.
    length: usize,
}

impl Moved {
    /// The range of the new text that holds the rest of a range; `None` if nothing is left.
    fn span(&self, span: Span) -> Option<Span> {
        let first = self.pieces.partition_point(|(old, _)| old.end <= span.start);
        let behind = self.pieces.partition_point(|(old, _)| old.start < span.end);
        let [(head, start), ..] = self.pieces.get(first..behind)? else { return None };
        let (tail, last) = self.pieces[behind - 1];
        Some(Span::new(start + span.start.saturating_sub(head.start), last + span.end.min(tail.end) - tail.start))
    }

    /// The position in the new text of the first remaining character at or after a position of the old one.
    fn place(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|(old, _)| old.end <= at);
        self.pieces.get(next).map_or(self.length, |(old, new)| new + at.saturating_sub(old.start))
    }

    fn pages(&self, pages: &[usize]) -> Vec<usize> {
        pages.iter().map(|&at| self.place(at)).collect()
    }

    /// The blocks of which something is left, with their other fields.
    fn blocks(
        &self,
        blocks: &[Block],
        fields: Option<&[Map<String, Value>]>,
    ) -> (Vec<Block>, Option<Vec<Map<String, Value>>>) {
        let mut left = Vec::with_capacity(blocks.len());
        let mut known = fields.map(|_| Vec::new());
        for (number, block) in blocks.iter().enumerate() {
            let Some(span) = self.span(block.span) else { continue };
            left.push(Block {
                span,
                link_chars: block.link_chars.min(u32::try_from(span.len()).unwrap_or(u32::MAX)),
                ..*block
            });
            if let (Some(known), Some(fields)) = (&mut known, fields) {
                known.push(fields.get(number).cloned().unwrap_or_default());
            }
        }
        (left, known)
    }
}

/// A text without some ranges, which are in order and apart, and where its pieces are now.
fn without(text: &str, removed: &[Span]) -> (String, Moved) {
    let mut kept = String::with_capacity(text.len());
    let mut pieces = Vec::with_capacity(removed.len() + 1);
    let mut gap = ""; // white space seen around the ranges removed since the last kept character
    let mut from = 0;
    for span in removed.iter().copied().chain([Span::new(text.len(), text.len())]) {
        let piece = text.get(from..span.start).unwrap_or_default();
        let body = if from == 0 { piece } else { piece.trim_start() };
        let start = from + piece.len() - body.len();
        gap = stronger_break(gap, &piece[..piece.len() - body.len()]);
        let at_end = span.start == text.len();
        let body = if at_end { body } else { body.trim_end() };
        if !body.is_empty() {
            if !kept.is_empty() {
                kept.push_str(gap);
            }
            pieces.push((Span::new(start, start + body.len()), kept.len()));
            kept.push_str(body);
            gap = "";
        }
        gap = stronger_break(gap, &piece[piece.trim_end().len()..]);
        from = span.end;
    }
    let length = kept.len();
    (kept, Moved { pieces, length })
}

/// True if a range is inside a text, on character boundaries.
fn fits(text: &str, span: Span) -> bool {
    span.start <= span.end && text.is_char_boundary(span.start) && text.is_char_boundary(span.end)
}

/// True if blocks are inside a text, in order, and only white space is outside them.
fn blocks_fit(text: &str, blocks: &[Block]) -> bool {
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|gap| gap.trim().is_empty());
    let mut end = 0;
    blocks.iter().all(|block| {
        let fits = fits(text, block.span) && blank(end, block.span.start);
        end = block.span.end;
        fits
    }) && blank(end, text.len())
}

fn paragraphs(text: &str) -> Vec<Block> {
    crate::text::paragraphs(text).map(|span| Block { span, kind: BlockKind::Paragraph, link_chars: 0 }).collect()
}

/// Ranges in order, with those that touch or overlap joined and empty ones removed.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
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

/// Of two stretches of white space, the break that separates more: blank line, line, space, nothing.
fn stronger_break(a: &str, b: &str) -> &'static str {
    let rank = |s: &str| match s.bytes().filter(|&b| b == b'\n').count() {
        0 => usize::from(!s.is_empty()),
        1 => 2,
        _ => 3,
    };
    ["", " ", "\n", "\n\n"][rank(a).max(rank(b))]
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

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

    #[test]
    fn marks_that_do_not_fit_have_no_effect() {
        let mut document = marked("ein Weg über die Brücke", &["ein"]);
        let mark = document.marks[0].clone();
        document.marks.push(Mark { span: Span::new(9, 15), ..mark.clone() }); // inside a character
        document.marks.push(Mark { span: Span::new(4, 400), ..mark.clone() });
        document.marks.push(Mark { span: Span::new(7, 4), ..mark });
        assert_eq!(document.kept(), "Weg über die Brücke");
        assert_eq!(document.fitting_marks().count(), 1);
        document.remove_marked();
        assert_eq!((document.text(), document.marks.len()), ("Weg über die Brücke", 0));
    }

    #[test]
    fn pages_keep_their_numbers() {
        let mut document = Document::from_text("d", "one\n\ntwo\n\nthree");
        assert!(!document.adopt_pages(vec![0, 99]) && document.adopt_pages(vec![0, 5, 10]));
        document.cut(&[Span::new(5, 8)]);
        assert_eq!((document.text(), document.pages()), ("one\n\nthree", &[0, 5, 5][..]));
        document.replace(Span::new(0, 3), "");
        assert_eq!((document.text(), document.pages()), ("\n\nthree", &[0, 2, 2][..]));
    }

    #[test]
    fn words_that_replace_others_lie_in_a_block() {
        let mut document = Document::from_text("d", "one\n\ntwo\n\nthree");
        document.replace(Span::new(5, 8), "zwei");
        let blocks: Vec<&str> = document.blocks().iter().map(|block| block.span.of(document.text())).collect();
        assert_eq!(blocks, ["one", "zwei", "three"]);
        document.replace(Span::new(2, 6), "X");
        assert!(blocks_fit(document.text(), document.blocks()), "{document:?}");
    }

    fn letters(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// The letters of a range that remain.
    fn left(text: &str, span: Span, cuts: &[Span]) -> String {
        let is_cut = |at: usize| cuts.iter().any(|cut| cut.start <= at && at < cut.end);
        let inside = text.char_indices().filter(|(at, _)| (span.start..span.end).contains(at) && !is_cut(*at));
        inside.map(|(_, c)| c).filter(|c| !c.is_whitespace()).collect()
    }

    proptest! {
        /// After a cut or a replacement, all ranges are inside the text and cover the same letters as before, if these
        /// remain.
        #[test]
        fn ranges_remain_true(
            text in "([a-zä€]{1,5}[ \n]{0,3}){0,20}",
            ranges in vec((0..90_usize, 0..30_usize), 0..4),
            cuts in vec((0..90_usize, 0..20_usize), 0..4),
            with in proptest::option::of("[A-Zß ]{0,4}"),
        ) {
            let span = |(start, length): (usize, usize)| {
                let boundary = |at: usize| text.floor_char_boundary(at);
                Span::new(boundary(start), boundary(start + length))
            };
            let mut document = Document::from_text("d", text.as_str());
            for (number, range) in ranges.iter().enumerate() {
                let reason = Reason::Stated(number.to_string());
                document.marks.push(Mark { span: span(*range), label: Label::Foreign, pass: "test".into(), reason });
            }
            let fields = vec![Map::new(); document.blocks().len()];
            prop_assert!(document.adopt_blocks(document.blocks().to_vec(), fields));
            let pages: Vec<usize> = document.blocks().iter().step_by(2).map(|block| block.span.start).collect();
            prop_assert!(document.adopt_pages(pages.clone()));
            let before = document.clone();
            let mut cuts: Vec<Span> = cuts.into_iter().map(span).collect();
            match &with {
                Some(with) => {
                    cuts.truncate(1);
                    for cut in &cuts {
                        document.replace(*cut, with);
                    }
                }
                None => document.cut(&cuts),
            }
            let new = document.text();
            prop_assert!(document.fitting_marks().count() == document.marks.len());
            prop_assert!(blocks_fit(new, document.blocks()), "{:?}", document);
            prop_assert_eq!(document.block_fields.as_ref().map(Vec::len), Some(document.blocks().len()));
            // Replacement text is in capital letters, which the original does not contain.
            let old = |text: &str| letters(text).replace(|c: char| c.is_uppercase() || c == 'ß', "");
            prop_assert_eq!(old(new), left(&text, Span::new(0, text.len()), &cuts));
            let blocks = document.blocks().iter().map(|block| old(block.span.of(new))).filter(|block| !block.is_empty());
            let expected = before.blocks().iter().map(|block| left(&text, block.span, &cuts)).filter(|b| !b.is_empty());
            prop_assert_eq!(blocks.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            for mark in &before.marks {
                let after = document.marks.iter().find(|after| after.reason == mark.reason);
                let after = after.map_or(String::new(), |after| old(after.span.of(new)));
                prop_assert_eq!(after, left(&text, mark.span, &cuts));
            }
            prop_assert_eq!(document.pages().len(), pages.len());
            for (page, at) in document.pages().iter().zip(pages) {
                let rest = left(&text, Span::new(at, text.len()), &cuts);
                prop_assert!(new.is_char_boundary(*page));
                prop_assert_eq!(old(&new[*page..]), rest);
            }
        }
    }
}
