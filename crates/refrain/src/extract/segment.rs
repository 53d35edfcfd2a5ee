//! Splits HTML into blocks.
//!
//! One pass over the tags and text of the page, with a stack of open elements that applies the standard's rules for
//! implied end tags. Blocks begin and end at block-level tags and at two line breaks in a row. The pass also records
//! the element that contains each block, and the properties of the elements.

use std::borrow::Cow;

use super::tags::{Attribute, Tag};
use super::tokens::{TokenSink, tokenise};
use super::traits::Traits;
use crate::document::{Block, BlockKind, Span};
use crate::papers::justext::blocks::Published;

/// The visible text of a page, in blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParsedPage {
    /// Text of all blocks, with a blank line between two of them.
    pub text: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The content of `<title>`.
    pub title: Option<String>,
    /// The language declared on `<html>`.
    pub language: Option<String>,
    /// The structure around the blocks.
    pub(crate) outline: Outline,
}

/// The elements of a page, and the position of each block.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outline {
    /// Block-level elements in the order of their start tags. The first one is the page.
    pub(crate) elements: Vec<Element>,
    /// One for each block.
    pub(crate) places: Vec<Place>,
    /// Links, emphasis and code inside blocks, in the order of their ends.
    pub(crate) inline: Vec<Inline>,
    /// Statements about the page in its head, and the scripts that hold data about it.
    pub(crate) statements: Vec<Statement>,
}

/// A block-level element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Element {
    /// Index of the element around it; the page is its own parent.
    pub(crate) parent: u32,
    pub(crate) tag: Tag,
    pub(crate) depth: u16,
    /// Its own traits.
    pub(crate) own: Traits,
    /// Its own traits and those of the elements around it.
    pub(crate) traits: Traits,
    /// Elements with the same tags and class names from the page down have the same path.
    pub(crate) path: u32,
    /// Elements with the same tag and first class name are kin.
    pub(crate) kin: u32,
}

/// The position of a block in the page.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Place {
    /// The innermost block-level element.
    pub(crate) element: u32,
    /// Where its text begins in the source.
    pub(crate) source: u32,
    /// Tags between the end of the block before it and its own end.
    pub(crate) tags: u32,
    /// Those before its text, without the closing tag of the previous block.
    pub(crate) before: u32,
    /// Those between its first and its last word.
    pub(crate) inside: u32,
    /// Images among them.
    pub(crate) images: u16,
    /// Links among them.
    pub(crate) links: u16,
    /// Single line breaks inside.
    pub(crate) line_breaks: u16,
}

/// A range of text inside a block that is a link, emphasised, or code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inline {
    /// Range of the page's text.
    pub(crate) span: Span,
    pub(crate) tag: Tag,
    /// Range of the source: the address of a link.
    pub(crate) href: Span,
}

/// A statement of the page about itself, as ranges of the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Statement {
    /// `<meta name=key content=value>`, or `property` or `itemprop` instead of `name`.
    Meta { key: Span, value: Span },
    /// `<link rel=... href=...>`.
    Link { rel: Span, href: Span },
    /// `<script type="application/ld+json">`.
    Data(Span),
    /// `<time datetime=...>` or an element with `itemprop`, `rel` or class names about dates and authors: its meaning,
    /// the value of its `datetime` or `content` attribute, and its text (a range of the page's text). Inner ones come
    /// first.
    Said { what: Said, value: Span, text: Span },
}

/// What the markup says a part of the text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// The author, by `rel` or `itemprop`.
    Author,
    /// Something with a class name about an author.
    Byline,
    /// The date of publication, by `itemprop`.
    Published,
    /// A `<time>`.
    Time,
    /// Something with a class name about a date.
    Dated,
    /// The date of the last change, by `itemprop` or by the class name of a `<time>`.
    Modified,
    /// The title of the text, by `itemprop`.
    Headline,
}

/// Which elements make blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Segmentation {
    /// Those that browsers draw as blocks.
    #[default]
    Visual,
    /// Those in the list published with jusText, which is older than `article`, `section` and the like.
    Published,
}

/// Splits a page into blocks.
///
/// ```
/// let page = refrain::extract::segment("<title>T</title><nav><a href=/>Home</a></nav><p>One &amp; two.<br><br>Three");
/// assert_eq!(page.text, "Home\n\nOne & two.\n\nThree");
/// assert_eq!(page.blocks[0].link_chars, 4);
/// assert_eq!(page.title.as_deref(), Some("T"));
/// ```
pub fn segment(html: &str) -> ParsedPage {
    segment_with(html, Segmentation::Visual)
}

/// Splits a page into blocks, with a choice of what makes a block.
///
/// ```
/// use refrain::extract::{Segmentation, segment_with};
///
/// let html = "<article>One.</article><section>Two.</section>";
/// assert_eq!(segment_with(html, Segmentation::Visual).text, "One.\n\nTwo.");
/// assert_eq!(segment_with(html, Segmentation::Published).text, "One.Two.");
/// ```
pub fn segment_with(html: &str, segmentation: Segmentation) -> ParsedPage {
    let mut page = ParsedPage::default();
    Segmenter::default().segment(html, segmentation, &mut page);
    page
}

/// Deeper elements are not tracked: no page that people read is this deep.
pub(crate) const MAX_DEPTH: usize = 4096;

/// At most this many inline elements are tracked at a time: each costs work at the end of every block.
const MAX_MARKED: usize = 32;

/// An end tag is matched against at most this many open elements.
pub(crate) const MAX_REACH: usize = 256;

/// A page with more blocks was not written for readers; the rest becomes one block, to bound memory.
const MAX_BLOCKS: usize = 100_000;

/// The same for elements, inline stretches and statements.
const MAX_ELEMENTS: usize = 1_000_000;

/// Splits pages into blocks, with reusable buffers.
#[derive(Debug, Default)]
pub(crate) struct Segmenter {
    attributes: Vec<(Attribute, Span)>,
    open: Vec<Open>,
    marked: Vec<Inline>,
    said: Vec<OpenSaid>,
}

/// A labelled part of the text whose element is still open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenSaid {
    pub(crate) tag: Tag,
    /// Open elements of the same name inside it.
    depth: u32,
    what: Said,
    value: Span,
    from: usize,
}

/// At most this many labelled parts can be open at once.
const MAX_SAID: usize = 8;

/// A longer text names no author and no date: its element was never closed, or holds something else.
const LONGEST_SAID: usize = 1000;

/// An element that is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    pub(crate) tag: Tag,
    /// The innermost block-level element: itself or an ancestor.
    pub(crate) element: u32,
}

impl Segmenter {
    /// Splits a page into blocks. Replaces the content of `page` and reuses its buffers.
    pub(crate) fn segment(&mut self, html: &str, segmentation: Segmentation, page: &mut ParsedPage) {
        page.clear();
        let root = Element {
            parent: 0,
            tag: Tag::Body,
            depth: 0,
            own: Traits::default(),
            traits: Traits::default(),
            path: 0,
            kin: 0,
        };
        page.outline.elements.push(root);
        self.open.clear();
        self.marked.clear();
        self.said.clear();
        let mut pass = Pass {
            html,
            page,
            open: &mut self.open,
            marked: &mut self.marked,
            count: [0; Tag::COUNT],
            silent: None,
            block_start: 0,
            link_chars: 0,
            place: Place::default(),
            space: Space::None,
            space_in_link: false,
            breaks: 0,
            said: &mut self.said,
            preformatted: 0,
        };
        match segmentation {
            Segmentation::Visual => {
                tokenise(html, &mut self.attributes, &mut pass);
                pass.finish();
            }
            Segmentation::Published => {
                let mut pass = Published::new(pass);
                tokenise(html, &mut self.attributes, &mut pass);
                pass.finish();
            }
        }
    }
}

impl ParsedPage {
    /// Adds a block of text that the page does not show.
    pub(crate) fn add_block(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let start = self.text.len();
        self.text.push_str(text);
        let span = Span::new(start, self.text.len());
        self.blocks.push(Block { span, kind: BlockKind::Paragraph, link_chars: 0 });
        self.outline.places.push(Place::default());
    }

    fn clear(&mut self) {
        self.text.clear();
        self.blocks.clear();
        self.title = None;
        self.language = None;
        self.outline.elements.clear();
        self.outline.places.clear();
        self.outline.inline.clear();
        self.outline.statements.clear();
    }
}

/// White space seen since the last character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    None,
    Blank,
    /// A line break element.
    Line,
}

/// One pass over a page.
pub(crate) struct Pass<'a> {
    pub(crate) html: &'a str,
    pub(crate) page: &'a mut ParsedPage,
    pub(crate) open: &'a mut Vec<Open>,
    /// Open inline elements.
    marked: &'a mut Vec<Inline>,
    /// How many elements of each kind are open.
    pub(crate) count: [u32; Tag::COUNT],
    /// The current silent element, and how many of that name are open.
    silent: Option<(Tag, u32)>,
    /// Start of the current block in the text.
    pub(crate) block_start: usize,
    pub(crate) link_chars: u32,
    pub(crate) place: Place,
    pub(crate) space: Space,
    /// True if that white space began inside a link.
    space_in_link: bool,
    /// Line breaks in a row with nothing between them.
    breaks: u8,
    /// The labelled parts of the text that are still open.
    pub(crate) said: &'a mut Vec<OpenSaid>,
    /// Open elements that preserve white space.
    pub(crate) preformatted: u32,
}

impl TokenSink for Pass<'_> {
    fn start(&mut self, tag: Tag, attributes: &[(Attribute, Span)], self_closing: bool, span: Span) {
        self.place.tags += 1;
        if let Some((silent, depth)) = &mut self.silent {
            if *silent == tag && !self_closing {
                *depth += 1;
            }
            // A block inside an image or formula ends it, as in browsers: it was never closed.
            if !(silent.is(Tag::FOREIGN) && tag.is(Tag::BREAKS) && tag.is(Tag::TRACKED)) {
                return;
            }
            self.silent = None;
        }
        if tag.is(Tag::SILENT) {
            if !(self_closing && tag.is(Tag::FOREIGN)) {
                self.silent = Some((tag, 1));
            }
            if tag == Tag::Script && is_data(self.html, attributes) {
                // Its content comes next, as raw text.
                self.state(Statement::Data(Span::new(span.end, span.end)));
            }
            return;
        }
        self.note_said(tag, attributes);
        match tag {
            Tag::Meta => return self.meta(attributes),
            Tag::Link => {
                if let (Some(rel), Some(href)) = (value(attributes, Attribute::Rel), value(attributes, Attribute::Href))
                {
                    self.state(Statement::Link { rel, href });
                }
                return;
            }
            Tag::Html => return self.language(attributes),
            Tag::Br => return self.line_break(),
            Tag::Img => {
                self.place.images = self.place.images.saturating_add(1);
                return;
            }
            // A title inside the body belongs to a drawing or is a mistake; only the first one counts.
            Tag::Title | Tag::Head | Tag::Base | Tag::Input | Tag::Col => return,
            // The body's names describe the kind of page, not its parts.
            Tag::Body => {
                self.page.outline.elements[0].own = Traits::of(self.html, tag, attributes);
                return;
            }
            Tag::Hr => {
                self.flush();
                return;
            }
            _ => {}
        }
        if tag.is(Tag::MARKED) {
            self.mark(tag, Span::new(0, 0));
            return;
        }
        if !tag.is(Tag::TRACKED) {
            return;
        }
        self.boundary(tag);
        self.close_implied(tag);
        if self.open.len() >= MAX_DEPTH {
            return;
        }
        let element = if tag == Tag::A {
            let href = value(attributes, Attribute::Href).unwrap_or_default();
            self.place.links = self.place.links.saturating_add(1);
            self.mark(tag, href);
            self.element()
        } else {
            self.add_element(tag, attributes)
        };
        self.open.push(Open { tag, element });
        self.count[tag as usize] += 1;
        self.preformatted += u32::from(is_preformatted(tag));
    }

    fn end(&mut self, tag: Tag, _: Span) {
        self.place.tags += 1;
        if let Some((silent, depth)) = &mut self.silent {
            if *silent == tag {
                *depth -= 1;
                if *depth == 0 {
                    self.silent = None;
                }
            }
            return;
        }
        if !self.said.is_empty() {
            self.end_said(tag);
        }
        if tag.is(Tag::MARKED) {
            self.unmark(tag);
        } else if tag == Tag::Br {
            // Browsers treat the end tag of a line break as a line break.
            self.line_break();
        } else if tag.is(Tag::TRACKED) {
            self.boundary(tag);
            self.close(tag);
        }
    }

    fn text(&mut self, span: Span) {
        if self.silent.is_none() {
            self.characters(span, true);
        }
    }

    fn raw(&mut self, tag: Tag, span: Span) {
        match tag {
            Tag::Title | Tag::Script => self.raw_statement(tag, span),
            _ if self.silent.is_none() => self.characters(span, tag.has_references()),
            _ => {}
        }
    }

    fn in_foreign(&self) -> bool {
        self.silent.is_some_and(|(tag, _)| tag.is(Tag::FOREIGN))
    }
}

pub(crate) fn is_preformatted(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Xmp | Tag::Listing | Tag::Plaintext | Tag::Textarea)
}

pub(crate) fn value(attributes: &[(Attribute, Span)], wanted: Attribute) -> Option<Span> {
    attributes.iter().find(|(attribute, _)| *attribute == wanted).map(|(_, value)| *value)
}

/// True for scripts that hold data about the page.
pub(crate) fn is_data(html: &str, attributes: &[(Attribute, Span)]) -> bool {
    value(attributes, Attribute::Type)
        .is_some_and(|kind| kind.of(html).trim().to_ascii_lowercase().starts_with("application/ld+json"))
}

/// Text with its character references resolved.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_some() { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}

impl Pass<'_> {
    /// The innermost block-level element that is open.
    pub(crate) fn element(&self) -> u32 {
        self.open.last().map_or(0, |open| open.element)
    }

    pub(crate) fn add_element(&mut self, tag: Tag, attributes: &[(Attribute, Span)]) -> u32 {
        let elements = &mut self.page.outline.elements;
        let parent = self.open.last().map_or(0, |open| open.element);
        if elements.len() >= MAX_ELEMENTS {
            return parent;
        }
        let own = Traits::of(self.html, tag, attributes);
        let around = elements[parent as usize];
        let mut traits = own;
        traits.add(around.traits);
        let class = value(attributes, Attribute::Class).map_or("", |class| class.of(self.html));
        let kin = hash_name(class.split_ascii_whitespace().next().unwrap_or_default()) ^ u32::from(tag as u8);
        let class = hash_name(class);
        let path = (around.path.rotate_left(7) ^ u32::from(tag as u8) ^ class).wrapping_mul(0x9E37_79B1);
        elements.push(Element { parent, tag, depth: around.depth + 1, own, traits, path, kin });
        (elements.len() - 1) as u32
    }

    /// Closes the elements that the start of another one closes.
    fn close_implied(&mut self, tag: Tag) {
        match tag {
            // A link inside a link: the first one was not closed.
            Tag::A | Tag::Option | Tag::Optgroup => self.close(tag),
            Tag::Li => self.close_within(&[Tag::Li], &[Tag::Ul, Tag::Ol, Tag::Menu, Tag::Dir]),
            Tag::Dd | Tag::Dt => self.close_within(&[Tag::Dd, Tag::Dt], &[Tag::Dl]),
            Tag::Tr => self.close_within(&[Tag::Tr], &[Tag::Table]),
            Tag::Td | Tag::Th => self.close_within(&[Tag::Td, Tag::Th], &[Tag::Table, Tag::Tr]),
            Tag::Tbody | Tag::Thead | Tag::Tfoot => {
                self.close_within(&[Tag::Tbody, Tag::Thead, Tag::Tfoot], &[Tag::Table]);
            }
            _ => {}
        }
        if tag.is(Tag::HEADING) && self.open.last().is_some_and(|open| open.tag.is(Tag::HEADING)) {
            self.pop();
        }
        if tag.is(Tag::BREAKS) && tag != Tag::Button && tag != Tag::Noscript {
            self.close(Tag::P);
        }
    }

    /// Closes the innermost open element of a kind and everything inside it.
    fn close(&mut self, tag: Tag) {
        if self.count[tag as usize] == 0 {
            // Any end tag of a heading ends the heading that is open.
            if tag.is(Tag::HEADING) && self.open.last().is_some_and(|open| open.tag.is(Tag::HEADING)) {
                self.pop();
            }
            return;
        }
        // A stray end tag inside a cell must not close the table around it.
        let bounded = !tag.is(Tag::IN_TABLE);
        for reach in 1..=self.open.len().min(MAX_REACH) {
            let open = self.open[self.open.len() - reach].tag;
            if open == tag {
                for _ in 0..reach {
                    self.pop();
                }
                return;
            }
            if bounded && open.is(Tag::IN_TABLE) {
                return;
            }
        }
    }

    /// Closes the innermost element of some kinds, unless an element of the boundary kinds is in between.
    fn close_within(&mut self, tags: &[Tag], boundaries: &[Tag]) {
        for reach in 1..=self.open.len().min(MAX_REACH) {
            let open = self.open[self.open.len() - reach].tag;
            if tags.contains(&open) {
                for _ in 0..reach {
                    self.pop();
                }
                return;
            }
            if boundaries.contains(&open) || (!tags[0].is(Tag::IN_TABLE) && open.is(Tag::IN_TABLE)) {
                return;
            }
        }
    }

    pub(crate) fn pop(&mut self) {
        if let Some(open) = self.open.pop() {
            self.count[open.tag as usize] -= 1;
            self.preformatted -= u32::from(is_preformatted(open.tag));
            if open.tag == Tag::A {
                self.unmark(Tag::A);
            }
        }
    }

    /// One line break is white space, two in a row end the block.
    fn line_break(&mut self) {
        if self.silent.is_some() {
            return;
        }
        self.breaks += 1;
        self.space = Space::Line;
        if self.breaks >= 2 {
            self.flush();
        } else {
            self.place.line_breaks = self.place.line_breaks.saturating_add(1);
        }
    }

    /// Records what the content of a text-only element states about the page.
    pub(crate) fn raw_statement(&mut self, tag: Tag, span: Span) {
        match tag {
            Tag::Title if self.silent.is_none() && self.page.title.is_none() => {
                let title = unescape(span.of(self.html));
                let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
                self.page.title = Some(title).filter(|title| !title.is_empty());
            }
            Tag::Script => {
                if let Some(Statement::Data(data)) = self.page.outline.statements.last_mut()
                    && data.start == span.start
                {
                    *data = span;
                }
            }
            _ => {}
        }
    }

    /// Records a statement of the page about itself.
    pub(crate) fn state(&mut self, statement: Statement) {
        if self.page.outline.statements.len() < MAX_ELEMENTS {
            self.page.outline.statements.push(statement);
        }
    }

    pub(crate) fn meta(&mut self, attributes: &[(Attribute, Span)]) {
        let Some(content) = value(attributes, Attribute::Content) else { return };
        // Some make two statements at once: `<meta property="article:published" itemprop="datePublished">`.
        for &(attribute, key) in attributes {
            if matches!(attribute, Attribute::Property | Attribute::Name | Attribute::ItemProp) {
                self.state(Statement::Meta { key, value: content });
            }
            // The author's name may be inside the element that describes the author.
            if attribute == Attribute::ItemProp
                && key.of(self.html) == "name"
                && let Some(open) = self.said.last_mut()
                && open.what == Said::Author
            {
                open.value = content;
            }
        }
    }

    pub(crate) fn language(&mut self, attributes: &[(Attribute, Span)]) {
        if self.page.language.is_none()
            && let Some(value) = value(attributes, Attribute::Lang)
        {
            let value = value.of(self.html);
            let code = value.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
            // Both written forms of Norwegian count as one language.
            let code = if matches!(code.as_str(), "nb" | "nn") { "no".into() } else { code };
            self.page.language = (2..=3).contains(&code.len()).then_some(code);
        }
    }

    /// Records where the text gives its author or date.
    pub(crate) fn note_said(&mut self, tag: Tag, attributes: &[(Attribute, Span)]) {
        if tag.is(Tag::VOID) {
            return;
        }
        for open in self.said.iter_mut() {
            open.depth += u32::from(open.tag == tag);
        }
        if attributes.is_empty() && tag != Tag::Time {
            return;
        }
        let Some(what) = said_by(self.html, tag, attributes) else { return };
        // Text inside comments says nothing about the page.
        let around = self.page.outline.elements[self.element() as usize].traits;
        if around.has(Traits::COMMENT) {
            return;
        }
        let stated = [Attribute::DateTime, Attribute::Content].iter().find_map(|&a| value(attributes, a));
        if self.said.len() == MAX_SAID {
            self.said.remove(0);
        }
        let value = stated.unwrap_or_default();
        self.said.push(OpenSaid { tag, depth: 0, what, value, from: self.page.text.len() });
    }

    /// Closes the labelled parts that an end tag ends.
    pub(crate) fn end_said(&mut self, tag: Tag) {
        let length = self.page.text.len();
        for i in (0..self.said.len()).rev() {
            let open = &mut self.said[i];
            if length - open.from.min(length) > LONGEST_SAID {
                self.said.remove(i);
            } else if open.tag == tag && open.depth > 0 {
                open.depth -= 1;
            } else if open.tag == tag {
                let OpenSaid { what, value, from, .. } = self.said.remove(i);
                self.state(Statement::Said { what, value, text: Span::new(from, length) });
            }
        }
    }

    /// Opens an inline element.
    pub(crate) fn mark(&mut self, tag: Tag, href: Span) {
        if self.marked.len() < MAX_MARKED {
            let at = self.page.text.len();
            self.marked.push(Inline { span: Span::new(at, at), tag, href });
        }
    }

    /// Closes an inline element.
    pub(crate) fn unmark(&mut self, tag: Tag) {
        let reach = self.marked.iter().rev().take(MAX_REACH).position(|open| open.tag == tag);
        if let Some(reach) = reach {
            let inline = self.marked.remove(self.marked.len() - 1 - reach);
            self.keep_inline(inline);
        }
    }

    /// Records an inline range, if it contains text.
    fn keep_inline(&mut self, mut inline: Inline) {
        inline.span.end = self.page.text.len();
        inline.span.start = inline.span.start.max(self.block_start);
        let text = inline.span.of(&self.page.text);
        let start = text.len() - text.trim_start().len();
        inline.span.start += start;
        if !inline.span.is_empty() && self.page.outline.inline.len() < MAX_ELEMENTS {
            self.page.outline.inline.push(inline);
        }
    }

    fn characters(&mut self, span: Span, references: bool) {
        let raw = span.of(self.html);
        if self.page.text.len() == self.block_start {
            // The first text of a block determines its position in the source.
            self.place.source = u32::try_from(span.start).unwrap_or(u32::MAX);
        }
        if references && memchr::memchr(b'&', raw.as_bytes()).is_some() {
            let text = htmlize::unescape(raw);
            self.append(&text);
        } else {
            self.append(raw);
        }
    }

    /// Adds text to the block, its white space collapsed.
    fn append(&mut self, text: &str) {
        let in_link = self.count[Tag::A as usize] > 0;
        if self.preformatted > 0 {
            return self.append_verbatim(text, in_link);
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let blank = blank_at(bytes, at);
            if blank > 0 {
                if self.space == Space::None {
                    self.space = Space::Blank;
                    self.space_in_link = in_link;
                }
                at += blank;
                continue;
            }
            // Copies a run of words with single spaces between them at once.
            let start = at;
            while at < bytes.len() {
                let byte = bytes[at];
                if byte > b' ' && byte < 0x80 {
                    at += 1;
                    continue;
                }
                let blank = blank_at(bytes, at);
                if blank == 0 {
                    at += 1;
                } else if byte == b' ' && bytes.get(at + 1).is_some_and(|&next| next > b' ' && next < 0x80) {
                    at += 2;
                } else {
                    break;
                }
            }
            self.words(&text[start..at], in_link);
        }
    }

    /// Adds text with its white space preserved.
    fn append_verbatim(&mut self, text: &str, in_link: bool) {
        let mut text = text;
        if self.page.text.len() == self.block_start {
            let body = text.trim_start();
            // The indentation of the first line counts, too.
            let blank = &text[..text.len() - body.len()];
            let line = blank.rfind('\n').map_or(0, |end| end + 1);
            text = if body.is_empty() { "" } else { &text[line..] };
        }
        if !text.is_empty() {
            let clean = text.replace("\r\n", "\n");
            if self.space != Space::Line && clean.starts_with('\n') {
                self.space = Space::None;
            }
            self.words(&clean, in_link);
        }
    }

    /// Adds words to the block.
    pub(crate) fn words(&mut self, words: &str, in_link: bool) {
        self.breaks = 0;
        let text = &mut self.page.text;
        if text.len() == self.block_start {
            self.place.before = self.place.tags;
            if !text.is_empty() {
                text.push_str("\n\n");
                self.block_start = text.len();
            }
        } else if self.space != Space::None {
            // A line break is kept as such in preformatted text.
            text.push(if self.space == Space::Line && self.preformatted > 0 { '\n' } else { ' ' });
            self.link_chars += u32::from(self.space_in_link && in_link);
        }
        self.place.inside = self.place.tags - self.place.before;
        self.space = Space::None;
        text.push_str(words);
        if in_link {
            self.link_chars += words.chars().count() as u32;
        }
    }

    /// Ends the current block at a tag, if needed. Divisions and items inside preformatted text are its lines.
    fn boundary(&mut self, tag: Tag) {
        if !tag.is(Tag::BREAKS) {
            return;
        }
        let is_line = |tag: Tag| matches!(tag, Tag::Div | Tag::Li | Tag::Ol);
        let around =
            || self.open.iter().rev().take(MAX_REACH).find(|open| open.tag.is(Tag::BREAKS) && !is_line(open.tag));
        if self.count[Tag::Pre as usize] > 0 && is_line(tag) && around().is_some_and(|open| open.tag == Tag::Pre) {
            (self.space, self.breaks) = (Space::Line, 0);
        } else {
            self.flush();
        }
    }

    /// Ends the current block.
    pub(crate) fn flush(&mut self) {
        if self.page.blocks.len() >= MAX_BLOCKS {
            self.space = Space::Blank.max(self.space);
            self.breaks = 0;
            return;
        }
        self.end_block();
    }

    fn end_block(&mut self) {
        if self.preformatted > 0 {
            let trimmed = self.page.text.trim_end().len().max(self.block_start);
            if trimmed < self.page.text.len() {
                self.page.text.truncate(trimmed);
                for open in self.said.iter_mut() {
                    open.from = open.from.min(trimmed);
                }
                // The removed white space may have belonged to a link.
                let chars = self.page.text[self.block_start..].chars().count() as u32;
                self.link_chars = self.link_chars.min(chars);
            }
        }
        let end = self.page.text.len();
        if end > self.block_start {
            let span = Span::new(self.block_start, end);
            self.page.blocks.push(Block { span, kind: self.kind(), link_chars: self.link_chars });
            self.place.element = self.element();
            self.page.outline.places.push(self.place);
            self.place = Place::default();
            // Inline ranges end with their block and continue in the next one.
            for i in 0..self.marked.len() {
                let inline = self.marked[i];
                self.keep_inline(inline);
                self.marked[i].span.start = end;
            }
            self.block_start = end;
        }
        self.link_chars = 0;
        self.space = Space::None;
        self.breaks = 0;
    }

    fn kind(&self) -> BlockKind {
        let open = |tag: Tag| self.count[tag as usize] > 0;
        if open(Tag::Select) || open(Tag::Option) {
            return BlockKind::Choice;
        }
        if self.open.iter().rev().take(MAX_REACH).any(|open| open.tag.is(Tag::HEADING)) {
            return BlockKind::Heading;
        }
        let innermost = self.open.iter().rev().take(MAX_REACH).find_map(|open| match open.tag {
            Tag::Td | Tag::Th => Some(BlockKind::Cell),
            Tag::Li | Tag::Dd | Tag::Dt => Some(BlockKind::ListItem),
            Tag::Pre | Tag::Xmp | Tag::Listing | Tag::Plaintext => Some(BlockKind::Preformatted),
            Tag::Blockquote => Some(BlockKind::Quote),
            Tag::P => Some(BlockKind::Paragraph),
            _ => None,
        });
        innermost.unwrap_or(BlockKind::Paragraph)
    }

    pub(crate) fn finish(mut self) {
        self.end_block();
    }
}

/// What an element says that its text is.
fn said_by(html: &str, tag: Tag, attributes: &[(Attribute, Span)]) -> Option<Said> {
    let mut said = (tag == Tag::Time).then_some(Said::Time);
    for (attribute, value) in attributes {
        let value = value.of(html);
        match attribute {
            Attribute::ItemProp => {
                if let Some(stated) = value.split_ascii_whitespace().find_map(said_by_property) {
                    return Some(stated);
                }
            }
            Attribute::Rel if value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("author")) => {
                return Some(Said::Author);
            }
            Attribute::Href if tag == Tag::A && said.is_none() && leads_to_author(value) => said = Some(Said::Byline),
            Attribute::Class => match said_by_class(value) {
                Some(Said::Modified) if tag == Tag::Time => said = Some(Said::Modified),
                Some(Said::Modified) => {}
                found if said.is_none() => said = found,
                _ => {}
            },
            _ => {}
        }
    }
    said
}

fn said_by_property(name: &str) -> Option<Said> {
    match name {
        "author" | "creator" => Some(Said::Author),
        "datePublished" | "dateCreated" => Some(Said::Published),
        "dateModified" => Some(Said::Modified),
        "headline" => Some(Said::Headline),
        _ => None,
    }
}

/// True for the addresses of author pages.
fn leads_to_author(href: &str) -> bool {
    memchr::memmem::find(href.as_bytes(), b"/author").is_some()
}

/// What class names label: only words that are not part of a longer word on their left.
fn said_by_class(class: &str) -> Option<Said> {
    let bytes = class.as_bytes();
    let mut found = None;
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        let begins = !before.is_ascii_alphabetic() || (byte.is_ascii_uppercase() && before.is_ascii_lowercase());
        before = byte;
        if !begins {
            continue;
        }
        let is = |word: &[u8]| bytes[at..].get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        match byte | 0x20 {
            b'a' if is(b"author") => found = Some(Said::Byline),
            b'b' if is(b"byline") => found = Some(Said::Byline),
            b'c' if is(b"comment") => return None,
            b'd' if found.is_none() && is(b"date") => found = Some(Said::Dated),
            b'l' | b'm' if is(b"lastmod") || is(b"modified") => return Some(Said::Modified),
            b'p' if found.is_none() && (is(b"publish") || is(b"posted") || is(b"pubdate")) => found = Some(Said::Dated),
            b't' if found.is_none() && is(b"timestamp") => found = Some(Said::Dated),
            b'u' if is(b"updated") => return Some(Said::Modified),
            _ => {}
        }
    }
    found
}

/// The length of the white space character at a position, or 0 if there is none.
fn blank_at(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => 1,
        0xc2 if matches!(bytes.get(at + 1), Some(0x85 | 0xa0)) => 2,
        0xe1 if bytes[at..].starts_with("\u{1680}".as_bytes()) => 3,
        0xe2 => match (bytes.get(at + 1), bytes.get(at + 2)) {
            (Some(0x80), Some(0x80..=0x8a | 0xa8 | 0xa9 | 0xaf)) | (Some(0x81), Some(0x9f)) => 3,
            _ => 0,
        },
        0xe3 if bytes[at..].starts_with("\u{3000}".as_bytes()) => 3,
        _ => 0,
    }
}

/// A hash of class names without their digits: numbered classes count as one class.
fn hash_name(name: &str) -> u32 {
    name.bytes()
        .filter(|byte| !byte.is_ascii_digit())
        .fold(0, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193).rotate_left(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(html: &str) -> Vec<(String, BlockKind, u32)> {
        let page = segment(html);
        page.blocks.iter().map(|b| (b.span.of(&page.text).to_owned(), b.kind, b.link_chars)).collect()
    }

    fn texts(html: &str) -> Vec<String> {
        blocks(html).into_iter().map(|(text, ..)| text).collect()
    }

    #[test]
    fn unclosed_elements_end_where_browsers_end_them() {
        assert_eq!(texts("<p>one<p>two<div>three<ul><li>a<li>b</ul>four"), ["one", "two", "three", "a", "b", "four"]);
        assert_eq!(texts("<table><tr><td>a<td>b<tr><td>c</table>d"), ["a", "b", "c", "d"]);
        // A link ends where the next one begins.
        assert_eq!(blocks("<a href=x>one <a href=y>two</a> three")[0].2, 7);
    }

    #[test]
    fn kinds_and_links() {
        assert_eq!(
            blocks("<h2>A <a>b c</a></h2><ul><li>d</ul><blockquote>e</blockquote><select><option>f<option>g</select>"),
            [
                ("A b c".into(), BlockKind::Heading, 3),
                ("d".into(), BlockKind::ListItem, 0),
                ("e".into(), BlockKind::Quote, 0),
                ("f".into(), BlockKind::Choice, 0),
                ("g".into(), BlockKind::Choice, 0),
            ]
        );
    }

    #[test]
    fn scripts_styles_and_comments_are_silent() {
        let html = "<head><style>p{}</style><script>if (a<b) '</p>'</script></head><p>x<!-- <p>y -->z<svg><text>t</text></svg>";
        assert_eq!(texts(html), ["xz"]);
        assert_eq!(texts("<p>a<template><p>b</p></template>c<noscript><p>d</p></noscript>"), ["ac", "d"]);
        assert_eq!(texts("<svg><path><p>never closed"), ["never closed"]);
    }

    #[test]
    fn white_space_is_collapsed_except_in_pre() {
        assert_eq!(texts("<p> a \n\t b&nbsp;c </p><pre>x\n  y\n\n z</pre>"), ["a b c", "x\n  y\n\n z"]);
        assert_eq!(blocks("<pre><a>x     </a></pre>"), [("x".into(), BlockKind::Preformatted, 1)]);
    }

    #[test]
    fn one_break_is_a_space_and_two_are_a_paragraph() {
        assert_eq!(texts("a<br>b<br><br/>c<br> <br>d"), ["a b", "c", "d"]);
        assert_eq!(texts(&format!("a{}b", "</br>".repeat(300))), ["a", "b"]);
    }

    #[test]
    fn lines_of_code_make_one_block() {
        let html =
            "<pre><code><div class=line>if lit {</div><div class=line>  keep();</div><div>}</div></code></pre><p>Done.";
        assert_eq!(texts(html), ["if lit {\n  keep();\n}", "Done."]);
        assert_eq!(texts("<pre><ol><li>a<li>b</ol></pre>"), ["a\nb"]);
        assert_eq!(texts("<pre>a<p>b</pre>"), ["a", "b"], "whole pages stand in preformatted text, too");
    }

    #[test]
    fn a_title_without_an_end_ends_at_the_next_tag() {
        let page = segment("<title>Der Turm<p>Das Licht.<title>x<p>Mehr.");
        assert_eq!(page.title.as_deref(), Some("Der Turm"));
        assert_eq!(page.text, "Das Licht.\n\nMehr.");
    }

    #[test]
    fn language_and_title_are_kept() {
        let page = segment("<html lang=de-AT><head><title> Der\n Turm </title></head><body>x");
        assert_eq!((page.language.as_deref(), page.title.as_deref()), (Some("de"), Some("Der Turm")));
    }

    fn said(html: &str) -> Vec<(Said, String, String)> {
        let page = segment(html);
        let said = page.outline.statements.iter().filter_map(|statement| match *statement {
            Statement::Said { what, value, text } => {
                Some((what, value.of(html).into(), text.of(&page.text).trim().into()))
            }
            _ => None,
        });
        said.collect()
    }

    #[test]
    fn authors_and_dates_in_the_text_are_noted() {
        let html = "<div class='post-meta byline'><div></div>By <a rel=author href=/x>Ida</a> <time datetime=2021>then</time></div>\
                    <p class=entryDate>now</p><p class=validate>x</p><div class=comments><p class=author>y</p></div>";
        assert_eq!(
            said(html),
            [
                (Said::Author, String::new(), "Ida".into()),
                (Said::Time, "2021".into(), "then".into()),
                (Said::Byline, String::new(), "By Ida then".into()),
                (Said::Dated, String::new(), "now".into()),
            ]
        );
        let html = "<span itemprop=author><meta itemprop=name content=Ida></span><time class=updated>x</time>";
        assert_eq!(
            said(html),
            [(Said::Author, "Ida".into(), String::new()), (Said::Modified, String::new(), "x".into())]
        );
        // An element that is never closed is ignored.
        assert_eq!(said(&format!("<p class=author>{}", "<b>x</b> ".repeat(2000))), []);
    }

    #[test]
    fn depth_without_end_is_survived() {
        let html = "<div>".repeat(100_000) + "x" + &"</div>".repeat(100_000) + "<p>y";
        assert_eq!(texts(&html), ["x", "y"]);
    }
}
