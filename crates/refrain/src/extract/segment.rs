//! HTML to blocks.
//!
//! One pass over the tokens of the page (html5gum follows the tokeniser of the HTML standard), with a stack of open
//! elements that closes what the standard says is closed by what follows. Blocks begin and end at block-level tags and at
//! two line breaks in a row.

use html5gum::Tokenizer;
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};

use crate::document::{Block, BlockKind, Span};

/// The visible text of a page, in blocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Text of all blocks, with a blank line between two of them.
    pub text: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The content of `<title>`.
    pub title: Option<String>,
    /// The language declared on `<html>`.
    pub language: Option<String>,
}

/// Cuts a page into blocks.
///
/// ```
/// let page = refrain::extract::segment("<title>T</title><nav><a href=/>Home</a></nav><p>One &amp; two.<br><br>Three");
/// assert_eq!(page.text, "Home\n\nOne & two.\n\nThree");
/// assert_eq!(page.blocks[0].link_chars, 4);
/// assert_eq!(page.title.as_deref(), Some("T"));
/// ```
pub fn segment(html: &str) -> Page {
    let mut segmenter = Segmenter::default();
    let mut emitter: CallbackEmitter<_> = CallbackEmitter::new(|event: CallbackEvent<'_>, _: html5gum::Span<()>| {
        segmenter.event(&event);
        None
    });
    emitter.naively_switch_states(true);
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    segmenter.finish()
}

/// The elements that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    A,
    Block,
    Body,
    Br,
    Cell,
    Head,
    Heading,
    Html,
    ListItem,
    /// Belongs into the head of a page.
    MetaData,
    Option,
    Paragraph,
    Pre,
    Quote,
    Select,
    /// Its content is never shown as text.
    Silent,
    Table,
    Title,
    Row,
    /// Has no content.
    Void,
    Inline,
}

impl Tag {
    const COUNT: usize = Tag::Inline as usize + 1;

    fn of(name: &[u8]) -> Tag {
        match name {
            b"a" => Tag::A,
            b"article" | b"aside" | b"address" | b"center" | b"details" | b"dialog" | b"div" | b"dl" | b"fieldset"
            | b"figcaption" | b"figure" | b"footer" | b"form" | b"header" | b"hgroup" | b"legend" | b"main"
            | b"menu" | b"nav" | b"ol" | b"search" | b"section" | b"summary" | b"textarea" | b"ul" | b"caption" => {
                Tag::Block
            }
            b"body" => Tag::Body,
            b"br" => Tag::Br,
            b"td" | b"th" => Tag::Cell,
            b"head" => Tag::Head,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Tag::Heading,
            b"html" => Tag::Html,
            b"li" | b"dd" | b"dt" => Tag::ListItem,
            b"base" | b"link" | b"meta" => Tag::MetaData,
            b"option" | b"optgroup" => Tag::Option,
            b"p" => Tag::Paragraph,
            b"pre" | b"listing" | b"xmp" | b"plaintext" => Tag::Pre,
            b"blockquote" => Tag::Quote,
            b"select" => Tag::Select,
            b"applet" | b"audio" | b"canvas" | b"iframe" | b"math" | b"noembed" | b"noframes" | b"noscript"
            | b"object" | b"script" | b"style" | b"svg" | b"template" | b"video" => Tag::Silent,
            b"table" | b"colgroup" | b"tbody" | b"thead" | b"tfoot" => Tag::Table,
            b"title" => Tag::Title,
            b"tr" => Tag::Row,
            b"hr" => Tag::Void,
            _ => Tag::Inline,
        }
    }

    /// True when the element stands in a block of its own.
    fn breaks(self) -> bool {
        !matches!(
            self,
            Tag::A | Tag::Br | Tag::Inline | Tag::Silent | Tag::Title | Tag::MetaData | Tag::Head | Tag::Html
        )
    }
}

/// Elements deeper than this are not remembered: no page that people read is so deep.
const MAX_DEPTH: usize = 4096;

/// A page with more blocks than this was not written for readers; all that follows is one block, so that memory stays in
/// proportion.
const MAX_BLOCKS: usize = 100_000;

#[derive(Default)]
struct Segmenter {
    page: Page,
    /// Open elements that matter.
    open: Vec<Tag>,
    /// How many of each are open.
    count: [u32; Tag::COUNT],
    /// Name of the silent element we are in, and how many of that name are open.
    silent: Option<(Vec<u8>, u32)>,
    /// Start of the current block in the text.
    block_start: usize,
    link_chars: u32,
    /// White space was seen since the last character: a space (1) or, in preformatted text, a line end (2).
    space: u8,
    /// That white space began inside a link.
    space_in_link: bool,
    /// Line breaks in a row with nothing between them.
    breaks: u8,
    head_ended: bool,
    title: Option<String>,
    tag: Vec<u8>,
    attribute: Attribute,
}

/// The attribute whose value comes next, if it is of interest.
#[derive(Default, PartialEq)]
enum Attribute {
    #[default]
    Other,
    Language,
}

impl Segmenter {
    fn event(&mut self, event: &CallbackEvent<'_>) {
        match *event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag.clear();
                self.tag.extend_from_slice(name);
                self.attribute = Attribute::Other;
            }
            CallbackEvent::AttributeName { name } => {
                let language = self.tag == b"html" && (name == b"lang" || name == b"xml:lang");
                self.attribute = if language { Attribute::Language } else { Attribute::Other };
            }
            CallbackEvent::AttributeValue { value } => {
                if self.attribute == Attribute::Language && self.page.language.is_none() {
                    let value = String::from_utf8_lossy(value);
                    let code = value.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
                    // Both written forms of Norwegian count as one language.
                    let code = if matches!(code.as_str(), "nb" | "nn") { "no".into() } else { code };
                    self.page.language = (2..=3).contains(&code.len()).then_some(code);
                }
            }
            CallbackEvent::CloseStartTag { self_closing } => self.start_tag(self_closing),
            CallbackEvent::EndTag { name } => self.end_tag(name),
            CallbackEvent::String { value } => self.characters(&String::from_utf8_lossy(value)),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    fn start_tag(&mut self, self_closing: bool) {
        let tag = Tag::of(&self.tag);
        if let Some((name, depth)) = &mut self.silent {
            if *name == self.tag && !self_closing {
                *depth += 1;
            }
            // A block inside a picture or formula ends it, as in browsers: it was never closed.
            let drawing = name == b"svg" || name == b"math";
            if !(drawing && (tag.breaks() && tag != Tag::Void)) {
                return;
            }
            self.silent = None;
        }
        match tag {
            Tag::Silent => {
                if !self_closing || !matches!(self.tag.as_slice(), b"svg" | b"math") {
                    self.silent = Some((self.tag.clone(), 1));
                }
                return;
            }
            // A title inside the body belongs to a drawing or is a mistake; the first one counts.
            Tag::Title => {
                if self.page.title.is_none() {
                    self.title = Some(String::new());
                } else {
                    self.silent = Some((self.tag.clone(), 1));
                }
                return;
            }
            Tag::MetaData | Tag::Html => return,
            Tag::Br => {
                self.line_break();
                return;
            }
            Tag::Void => {
                self.flush();
                return;
            }
            Tag::Head | Tag::Body => {
                self.head_ended |= tag == Tag::Body;
                return;
            }
            _ => {}
        }
        self.head_ended = true;
        if tag.breaks() {
            self.flush();
        }
        self.close_implied(tag);
        if tag == Tag::Inline {
            return;
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push(tag);
            self.count[tag as usize] += 1;
        }
    }

    /// Closes what the opening of an element closes.
    fn close_implied(&mut self, tag: Tag) {
        match tag {
            // A link inside a link, a heading inside a heading: the first one was not closed.
            Tag::A | Tag::Heading | Tag::Option => self.close(tag),
            Tag::ListItem => self.close_within(tag, Tag::Block),
            Tag::Row => self.close_within(tag, Tag::Table),
            Tag::Cell => self.close_within(tag, Tag::Row),
            _ => {}
        }
        if tag.breaks() {
            self.close(Tag::Paragraph);
        }
    }

    fn end_tag(&mut self, name: &[u8]) {
        if let Some((silent, depth)) = &mut self.silent {
            if silent == name {
                *depth -= 1;
                if *depth == 0 {
                    self.silent = None;
                }
            }
            return;
        }
        let tag = Tag::of(name);
        match tag {
            Tag::Title => {
                if let Some(title) = self.title.take() {
                    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.page.title = Some(title).filter(|title| !title.is_empty());
                }
            }
            Tag::Head => self.head_ended = true,
            // What stands behind the end of the body is shown all the same.
            Tag::Inline | Tag::Silent | Tag::MetaData | Tag::Void | Tag::Html | Tag::Body => {}
            // Browsers take the end tag of a line break for a line break.
            Tag::Br => self.line_break(),
            _ => {
                if tag.breaks() {
                    self.flush();
                }
                self.close(tag);
            }
        }
    }

    /// One line break is white space, two in a row end the block.
    fn line_break(&mut self) {
        self.breaks += 1;
        self.space = self.space.max(if self.count[Tag::Pre as usize] > 0 { 2 } else { 1 });
        if self.breaks >= 2 {
            self.flush();
        }
    }

    /// Closes the innermost open element of a kind and all inside it.
    fn close(&mut self, tag: Tag) {
        if self.count[tag as usize] == 0 {
            return;
        }
        // A stray end tag inside a cell must not close the table around it.
        if tag != Tag::Table && tag != Tag::Row && tag != Tag::Cell {
            let limit = self.open.iter().rposition(|&open| open == Tag::Cell);
            let found = self.open.iter().rposition(|&open| open == tag);
            if limit > found {
                return;
            }
        }
        while let Some(open) = self.open.pop() {
            self.count[open as usize] -= 1;
            if open == tag {
                break;
            }
        }
    }

    /// Closes an element unless it lies outside the innermost open `boundary`.
    fn close_within(&mut self, tag: Tag, boundary: Tag) {
        let found = self.open.iter().rposition(|&open| open == tag);
        let boundary = self.open.iter().rposition(|&open| open == boundary);
        if found > boundary {
            self.close(tag);
        }
    }

    fn characters(&mut self, text: &str) {
        if let Some(title) = &mut self.title {
            title.push_str(text);
            return;
        }
        if self.silent.is_some() || (!self.head_ended && text.trim().is_empty()) {
            return;
        }
        let preformatted = self.count[Tag::Pre as usize] > 0;
        let in_link = self.count[Tag::A as usize] > 0;
        let mut rest = text;
        while !rest.is_empty() {
            let start = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
            self.white_space(&rest[..start], preformatted, in_link);
            rest = &rest[start..];
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            if end > 0 {
                self.word(&rest[..end], in_link);
            }
            rest = &rest[end..];
        }
    }

    fn white_space(&mut self, space: &str, preformatted: bool, in_link: bool) {
        if !space.is_empty() {
            if self.space == 0 {
                self.space_in_link = in_link;
            }
            let strength = if preformatted && space.contains('\n') { 2 } else { 1 };
            self.space = self.space.max(strength);
        }
    }

    fn word(&mut self, word: &str, in_link: bool) {
        self.breaks = 0;
        self.head_ended = true;
        let text = &mut self.page.text;
        if text.len() == self.block_start {
            if !text.is_empty() {
                text.push_str("\n\n");
                self.block_start = text.len();
            }
        } else if self.space > 0 {
            text.push(if self.space == 2 { '\n' } else { ' ' });
            self.link_chars += u32::from(self.space_in_link && in_link);
        }
        self.space = 0;
        text.push_str(word);
        if in_link {
            self.link_chars += word.chars().count() as u32;
        }
    }

    /// Ends the current block.
    fn flush(&mut self) {
        let end = self.page.text.len();
        if self.page.blocks.len() >= MAX_BLOCKS {
            self.space = self.space.max(1);
            self.breaks = 0;
            return;
        }
        if end > self.block_start {
            let block =
                Block { span: Span::new(self.block_start, end), kind: self.kind(), link_chars: self.link_chars };
            self.page.blocks.push(block);
            self.block_start = end;
        }
        self.link_chars = 0;
        self.space = 0;
        self.breaks = 0;
    }

    fn kind(&self) -> BlockKind {
        let open = |tag: Tag| self.count[tag as usize] > 0;
        if open(Tag::Select) {
            return BlockKind::Choice;
        }
        if open(Tag::Heading) {
            return BlockKind::Heading;
        }
        let innermost = self.open.iter().rev().find_map(|tag| match tag {
            Tag::Cell => Some(BlockKind::Cell),
            Tag::ListItem => Some(BlockKind::ListItem),
            Tag::Pre => Some(BlockKind::Preformatted),
            Tag::Quote => Some(BlockKind::Quote),
            Tag::Paragraph => Some(BlockKind::Paragraph),
            _ => None,
        });
        innermost.unwrap_or(BlockKind::Paragraph)
    }

    fn finish(mut self) -> Page {
        self.flush();
        let end = self.page.text.len();
        if end > self.block_start {
            let span = Span::new(self.block_start, end);
            self.page.blocks.push(Block { span, kind: BlockKind::Paragraph, link_chars: self.link_chars });
        }
        self.page
    }
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
        assert_eq!(texts("<p>a<template><p>b</p></template>c<noscript><p>d</p></noscript>"), ["ac"]);
        assert_eq!(texts("<svg><path><p>never closed"), ["never closed"]);
    }

    #[test]
    fn white_space_is_collapsed_except_line_ends_in_pre() {
        assert_eq!(texts("<p> a \n\t b&nbsp;c </p><pre>x\n  y\n\n z</pre>"), ["a b c", "x\ny\nz"]);
    }

    #[test]
    fn one_break_is_a_space_and_two_are_a_paragraph() {
        assert_eq!(texts("a<br>b<br><br/>c<br> <br>d"), ["a b", "c", "d"]);
        assert_eq!(texts(&format!("a{}b", "</br>".repeat(300))), ["a", "b"]);
    }

    #[test]
    fn language_and_title_are_kept() {
        let page = segment("<html lang=de-AT><head><title> Der\n Turm </title></head><body>x");
        assert_eq!((page.language.as_deref(), page.title.as_deref()), (Some("de"), Some("Der Turm")));
    }

    #[test]
    fn depth_without_end_is_survived() {
        let html = "<div>".repeat(100_000) + "x" + &"</div>".repeat(100_000) + "<p>y";
        assert_eq!(texts(&html), ["x", "y"]);
    }
}
