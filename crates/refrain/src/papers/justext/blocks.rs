//! The blocks of the published program.
//!
//! The published jusText builds a tree with libxml2, drops some elements, and walks over the rest. This module finds the same
//! blocks without a tree. It keeps a list of open elements, and tags close each other by the rules of that parser. Text counts
//! node by node, because a node of white space alone is dropped, and each node counts separately in the length of links.
//!
//! See `docs/algorithms/justext.md`, "Blocks as published".

use std::borrow::Cow;

use crate::document::{BlockKind, Span};
use crate::extract::segment::{MAX_DEPTH, MAX_REACH, Open, Pass, Space, Statement};
use crate::extract::segment::{is_data, is_preformatted, unescape, value};
use crate::extract::tags::{Attribute, Tag};
use crate::extract::tokens::TokenSink;

/// One pass over a page, by the published rules.
#[allow(clippy::struct_excessive_bools)] // they are facts about the page that do not depend on each other
pub(crate) struct Published<'a> {
    pass: Pass<'a>,
    /// The name of each open element.
    names: Vec<Name>,
    /// The text of the current node.
    node: String,
    /// The current element is closed by its own start tag.
    is_empty: bool,
    /// Where the current node begins in the source.
    source: usize,
    /// Inside a link, as the published program sees it: after the end of one link, none is open.
    link: bool,
    /// A line break came last.
    after_break: bool,
    /// Open elements whose content is dropped.
    dropped: u32,
    /// Open elements that are called like a choice.
    choices: u32,
    /// Such an element was open when the block began.
    in_choice: bool,
    /// Start tags of `html`, `head` and `body` in wrong places; as many end tags of them do not count.
    misplaced: u32,
    seen_head: bool,
    seen_body: bool,
    /// A page that begins with neither `<html` nor a doctype is its body and nothing else.
    body_only: bool,
    /// The root element has ended: later text is ignored.
    ended: bool,
}

/// What counts of the name of an element.
#[derive(Clone, Copy, PartialEq)]
struct Name {
    hash: u32,
    /// It speaks of selecting.
    choice: bool,
}

impl Name {
    /// The name that a tag begins with.
    fn of(tag: &[u8]) -> Name {
        let end = |byte: &u8| matches!(byte, b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r' | 0x0c);
        let name = &tag[..tag.iter().position(end).unwrap_or(tag.len())];
        let step = |hash: u32, byte: &u8| {
            (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193).rotate_left(5)
        };
        let choice = name.len() >= 6 && name.windows(6).any(|part| part.eq_ignore_ascii_case(b"select"));
        Name { hash: name.iter().fold(0, step), choice }
    }
}

impl<'a> Published<'a> {
    pub(crate) fn new(pass: Pass<'a>) -> Self {
        let begins = |with: &str| {
            let html = pass.html.trim_start();
            html.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
        };
        let body_only = !(begins("<html") || begins("<!doctype"));
        Published {
            pass,
            names: Vec::new(),
            node: String::new(),
            is_empty: false,
            source: 0,
            link: false,
            after_break: false,
            dropped: 0,
            choices: 0,
            in_choice: false,
            misplaced: 0,
            seen_head: false,
            seen_body: false,
            body_only,
            ended: false,
        }
    }

    pub(crate) fn finish(mut self) {
        self.end_node();
        self.end_block();
        self.pass.finish();
    }

    /// Text that is dropped does not count, and tags in it do not either.
    fn is_dropped(&self) -> bool {
        self.dropped > 0 || self.ended || (self.body_only && self.pass.count[Tag::Body as usize] == 0)
    }

    fn top(&self) -> Option<Tag> {
        self.pass.open.last().map(|open| open.tag)
    }

    /// Begins an element.
    fn push(&mut self, tag: Tag, name: Name, attributes: &[(Attribute, Span)]) {
        if is_dropped_element(tag) {
            self.dropped += 1;
        }
        if !self.is_dropped() && !is_unwrapped(tag) {
            self.end_node();
            if breaks_at(tag) {
                self.end_block();
            } else if tag == Tag::Br {
                self.line_break();
            } else {
                self.after_break = false;
                self.link |= tag == Tag::A;
            }
        }
        let element = if tag.is(Tag::TRACKED) && tag != Tag::A {
            self.pass.add_element(tag, attributes)
        } else {
            self.pass.element()
        };
        if tag == Tag::A {
            self.pass.place.links = self.pass.place.links.saturating_add(1);
            self.pass.mark(tag, value(attributes, Attribute::Href).unwrap_or_default());
        } else if tag.is(Tag::MARKED) {
            self.pass.mark(tag, Span::new(0, 0));
        }
        self.pass.open.push(Open { tag, element });
        self.pass.count[tag as usize] += 1;
        self.pass.preformatted += u32::from(is_preformatted(tag));
        self.choices += u32::from(name.choice);
        self.names.push(name);
        self.seen_head |= matches!(tag, Tag::Head | Tag::Body);
        self.seen_body |= tag == Tag::Body;
    }

    /// Ends the innermost element.
    fn pop(&mut self) {
        let Some(tag) = self.top() else { return };
        if !self.is_dropped() && !is_unwrapped(tag) {
            self.end_node();
            if breaks_at(tag) {
                self.end_block();
            }
            self.link &= tag != Tag::A;
        }
        if tag.is(Tag::MARKED) {
            self.pass.unmark(tag);
        }
        self.pass.pop();
        self.choices -= u32::from(self.names.pop().is_some_and(|name| name.choice));
        self.dropped -= u32::from(is_dropped_element(tag));
        self.ended |= self.pass.open.is_empty();
    }

    /// Opens the elements that a tag supposes.
    fn imply(&mut self, tag: Tag) {
        if tag == Tag::Html || self.ended {
            return;
        }
        if self.pass.open.is_empty() {
            self.push(Tag::Html, Name::of(b"html"), &[]);
        }
        if matches!(tag, Tag::Body | Tag::Head) {
            return;
        }
        let of_head = matches!(tag, Tag::Script | Tag::Style | Tag::Meta | Tag::Link | Tag::Title | Tag::Base);
        if of_head && self.pass.open.len() == 1 {
            if !self.seen_head {
                self.push(Tag::Head, Name::of(b"head"), &[]);
            }
        } else if !matches!(tag, Tag::Noframes | Tag::Frame | Tag::Frameset)
            && !self.seen_body
            && self.pass.count[Tag::Head as usize] == 0
        {
            self.push(Tag::Body, Name::of(b"body"), &[]);
        }
    }

    /// Adds text to the current node.
    fn add(&mut self, span: Span, references: bool) {
        let raw = span.of(self.pass.html);
        if self.is_dropped() {
            return;
        }
        if self.node.is_empty() {
            self.source = span.start;
        }
        let text = if references { unescape(raw) } else { Cow::Borrowed(raw) };
        if text.contains('\0') {
            self.node.push_str(&text.replace('\0', "\u{fffd}"));
        } else {
            self.node.push_str(&text);
        }
    }

    /// Passes on the text of a node. White space between words is one character, also at both ends.
    fn end_node(&mut self) {
        if self.node.is_empty() {
            return;
        }
        let node = std::mem::take(&mut self.node);
        if !node.chars().all(is_blank) {
            if self.pass.page.text.len() == self.pass.block_start {
                self.pass.place.source = self.source as u32;
            }
            self.after_break = false;
            let (mut rest, mut length) = (node.as_str(), 0);
            while !rest.is_empty() {
                let blank = rest.find(|c| !is_blank(c)).unwrap_or(rest.len());
                if blank > 0 {
                    let line = self.pass.preformatted > 0 && rest[..blank].contains(['\n', '\r']);
                    self.pass.space = self.pass.space.max(if line { Space::Line } else { Space::Blank });
                    length += 1;
                }
                rest = &rest[blank..];
                let end = rest.find(is_blank).unwrap_or(rest.len());
                if end > 0 {
                    self.pass.words(&rest[..end], false);
                    length += rest[..end].chars().count() as u32;
                }
                rest = &rest[end..];
            }
            if self.link {
                self.pass.link_chars += length;
            }
        }
        self.node = node;
        self.node.clear();
    }

    fn line_break(&mut self) {
        if self.after_break {
            self.end_block();
        } else {
            self.pass.space = Space::Line;
            self.pass.place.line_breaks = self.pass.place.line_breaks.saturating_add(1);
        }
        self.after_break = true;
    }

    fn end_block(&mut self) {
        let before = self.pass.page.blocks.len();
        self.pass.flush();
        // Choices are detected by their names alone: `<select>` itself is dropped.
        if let Some(block) = self.pass.page.blocks.get_mut(before) {
            if self.in_choice {
                block.kind = BlockKind::Choice;
            } else if block.kind == BlockKind::Choice {
                block.kind = BlockKind::Paragraph;
            }
        }
        self.in_choice = self.choices > 0;
    }
}

impl TokenSink for Published<'_> {
    fn start(&mut self, tag: Tag, attributes: &[(Attribute, Span)], self_closing: bool, span: Span) {
        self.pass.place.tags += 1;
        self.is_empty = self_closing;
        match tag {
            Tag::Html => self.pass.language(attributes),
            Tag::Meta => self.pass.meta(attributes),
            Tag::Link => {
                if let (Some(rel), Some(href)) = (value(attributes, Attribute::Rel), value(attributes, Attribute::Href))
                {
                    self.pass.state(Statement::Link { rel, href });
                }
            }
            Tag::Script if is_data(self.pass.html, attributes) => {
                self.pass.state(Statement::Data(Span::new(span.end, span.end)));
            }
            Tag::Img => self.pass.place.images = self.pass.place.images.saturating_add(1),
            _ => {}
        }
        if self.ended {
            return;
        }
        while self.top().is_some_and(|open| closes(tag, open)) {
            self.pop();
        }
        self.imply(tag);
        let misplaced = match tag {
            Tag::Html => !self.pass.open.is_empty(),
            Tag::Head => self.pass.open.len() != 1,
            Tag::Body => self.pass.count[Tag::Body as usize] > 0,
            _ => false,
        };
        if misplaced {
            self.misplaced += 1;
            return;
        }
        if self.pass.open.len() >= MAX_DEPTH {
            return;
        }
        let name = &self.pass.html.as_bytes()[span.start + 1..span.end];
        self.push(tag, Name::of(name), attributes);
        self.pass.note_said(tag, attributes);
        if self_closing || tag.is(Tag::VOID) {
            self.pop();
        }
    }

    fn end(&mut self, tag: Tag, span: Span) {
        self.pass.place.tags += 1;
        if self.pass.said.iter().any(|open| open.tag == tag) {
            self.end_node();
            self.pass.end_said(tag);
        }
        if matches!(tag, Tag::Html | Tag::Head | Tag::Body) && self.misplaced > 0 {
            self.misplaced -= 1;
            return;
        }
        if self.pass.count[tag as usize] == 0 {
            return;
        }
        let name = Name::of(&self.pass.html.as_bytes()[span.start + 2..span.end]);
        let from = self.names.len().saturating_sub(MAX_REACH);
        let Some(reach) = self.names[from..].iter().rev().position(|&open| open == name) else { return };
        let inside = &self.pass.open[self.names.len() - reach..];
        if inside.iter().any(|open| rank(open.tag) > rank(tag)) {
            return;
        }
        for _ in 0..=reach {
            self.pop();
        }
    }

    fn text(&mut self, span: Span) {
        if span.of(self.pass.html).bytes().any(|byte| !byte.is_ascii_whitespace()) {
            // Visible text belongs to the body.
            while self.top() == Some(Tag::Head) {
                self.pop();
            }
            self.imply(Tag::P);
        }
        self.add(span, true);
    }

    fn raw(&mut self, tag: Tag, span: Span) {
        self.pass.raw_statement(tag, span);
        self.add(span, tag.has_references());
    }

    fn in_foreign(&self) -> bool {
        false
    }

    fn reads_raw(&self) -> bool {
        !self.is_empty
    }
}

/// White space as in the published program.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn breaks_at(tag: Tag) -> bool {
    tag.is(Tag::BREAKS) && !tag.is(Tag::PUBLISHED_NOT)
}

/// Elements that are dropped with their content.
fn is_dropped_element(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Head | Tag::Script | Tag::Style | Tag::Applet | Tag::Button | Tag::Input | Tag::Select | Tag::Textarea
    )
}

/// Elements whose tags are dropped; their content is kept.
fn is_unwrapped(tag: Tag) -> bool {
    matches!(tag, Tag::Form | Tag::Iframe | Tag::Embed | Tag::Layer | Tag::Object | Tag::Param)
}

/// An end tag does not reach over an element of a higher rank.
fn rank(tag: Tag) -> u8 {
    match tag {
        Tag::Div => 1,
        Tag::Td | Tag::Th => 2,
        Tag::Tr => 3,
        Tag::Thead | Tag::Tbody | Tag::Tfoot => 4,
        Tag::Table => 5,
        Tag::Head | Tag::Body => 6,
        Tag::Html => 7,
        _ => 0,
    }
}

/// True when a start tag ends the innermost element.
#[rustfmt::skip]
fn closes(new: Tag, open: Tag) -> bool {
    use Tag::{
        A, Abbr, Acronym, Address, B, Bdo, Big, Blockquote, Body, Br, Caption, Center, Cite, Code, Col, Colgroup, Dd, Dfn, Dir,
        Div, Dl, Dt, Em, Fieldset, Font, Form, Frameset, H1, H2, H3, H4, H5, H6, Head, Hr, I, Iframe, Img, Kbd, Legend, Li,
        Listing, Map, Menu, Ol, Optgroup, Option, P, Pre, Q, S, Samp, Small, Span, Strike, Strong, Sub, Sup, Table, Tbody, Td,
        Tfoot, Th, Thead, Title, Tr, Tt, U, Ul, Var, Xmp,
    };
    match open {
        A => matches!(new, A | Fieldset | Table | Td | Th),
        Address => matches!(new, Dd | Dl | Dt | Form | Li | Ul),
        B | I => matches!(new, Center | P | Td | Th),
        Big | S | Small | Strike | Tt => new == P,
        U => matches!(new, P | Td | Th),
        Font => matches!(new, Center | Td | Th),
        Span => matches!(new, Td | Th),
        Caption => matches!(new, Col | Colgroup | Tbody | Tfoot | Thead | Tr),
        Colgroup => matches!(new, Colgroup | Tbody | Tfoot | Thead | Tr),
        Dd => new == Dt,
        Dt => matches!(new, Dd | Dl),
        Dl => matches!(new, Form | Li),
        Dir | Menu => matches!(new, Dd | Dl | Dt | Form | Ul),
        Form | Ol => new == Form,
        H1 | H2 | H3 | H4 | H5 | H6 => matches!(new, Fieldset | Form | Li | P | Table),
        Legend => new == Fieldset,
        Li => new == Li,
        Listing | Pre | Xmp => matches!(new, Dd | Dl | Dt | Fieldset | Form | Li | Table | Ul),
        Option => matches!(new, Optgroup | Option),
        P => matches!(
            new,
            Address | Blockquote | Body | Caption | Center | Col | Colgroup | Dd | Dir | Div | Dl | Dt | Fieldset | Form
                | Frameset | H1 | H2 | H3 | H4 | H5 | H6 | Head | Hr | Li | Listing | Menu | Ol | P | Pre | Table | Tbody | Td
                | Tfoot | Th | Title | Tr | Ul | Xmp
        ),
        Tbody | Thead => matches!(new, Tbody | Tfoot) ,
        Tfoot => new == Tbody,
        Td | Th => matches!(new, Tbody | Td | Tfoot | Th | Tr),
        Tr => matches!(new, Tbody | Tfoot | Tr),
        Ul => matches!(new, Address | Form | Menu | Pre),
        Head => matches!(
            new,
            A | Abbr | Acronym | Address | B | Bdo | Big | Blockquote | Body | Br | Center | Cite | Code | Dd | Dfn | Dir | Div
                | Dl | Dt | Em | Fieldset | Font | Form | Frameset | H1 | H2 | H3 | H4 | H5 | H6 | Hr | I | Iframe | Img | Kbd
                | Li | Listing | Map | Menu | Ol | P | Pre | Q | S | Samp | Small | Span | Strike | Strong | Sub | Sup | Table
                | Tt | U | Ul | Var | Xmp
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Segmentation, segment_with};

    fn blocks(html: &str) -> Vec<(String, u32)> {
        let page = segment_with(html, Segmentation::Published);
        page.blocks.iter().map(|block| (block.span.of(&page.text).to_owned(), block.link_chars)).collect()
    }

    fn texts(html: &str) -> Vec<String> {
        blocks(html).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn only_the_published_tags_break() {
        assert_eq!(texts("<section>a<article>b</article><ol>c<li>d</ol><h3>e</h3><address>f"), ["abc", "d", "e", "f"]);
        assert_eq!(texts("a<br>b<br><br>c<br><b></b><br>d<br> <br>e"), ["a b", "c d", "e"]);
    }

    #[test]
    fn white_space_between_elements_is_dropped_as_published() {
        assert_eq!(texts("<p><b>a</b> <i>b</i> c <u>d</u>\n<s>e</s>"), ["ab c de"]);
        // Dropped elements leave one text node in their place.
        assert_eq!(texts("<p>a<!-- x --> <b>b</b><p>c<script>x</script> <b>d</b>"), ["a b", "c d"]);
    }

    #[test]
    fn link_text_counts_with_the_white_space_of_its_nodes() {
        assert_eq!(blocks("<p>x <a href=/> Home </a> y"), [("x Home y".to_owned(), 6)]);
        // The end of an inner link is the end of all links.
        assert_eq!(blocks("<p><a>one<b><a>two</a>three</b></a>"), [("onetwothree".to_owned(), 6)]);
    }

    #[test]
    fn forms_are_dropped_and_their_text_is_not() {
        let html = "<p>a<form>b<button>c</button><select><option>d</select><textarea>e</textarea><input>f</form>g";
        assert_eq!(texts(html), ["a", "bfg"]);
        assert_eq!(texts("<title>t</title>a<title>u</title><iframe><b>v</iframe>"), ["au<b>v"]);
    }

    #[test]
    fn end_tags_reach_as_far_as_they_do_in_the_published_program() {
        assert_eq!(texts("<span><p>a</span>b"), ["a", "b"]);
        assert_eq!(texts("<b><div>a</b>b</div>c"), ["ab", "c"]);
        assert_eq!(texts("<table><tr><td>a</table></td>b"), ["a", "b"]);
        assert_eq!(texts("<div/>a<iframe/>b<p>c</p></p></br>d"), ["ab", "c", "d"]);
    }

    #[test]
    fn head_and_body_are_implied() {
        assert_eq!(texts("<html><head><title>t</title></head><body>a</body>b</html>c"), ["a", "b"]);
        // A body that has begun already does not begin again, and its end tag does not count.
        assert_eq!(texts("<html><head><title>t</title></head>a<body>b</body>c</body>d"), ["abc", "d"]);
        assert_eq!(texts("<head><noscript><p>a</p></noscript></head>b"), ["b"]);
        // Without a sign that it is a whole page, elements after the body are lost.
        assert_eq!(texts("<!-- x --><html><body>a<p>b</p></body><p>c"), ["a", "b"]);
    }

    #[test]
    fn custom_elements_that_speak_of_selecting_make_choices() {
        let page = segment_with("<x-select><p>a</p></x-select><p>b<x-select>c", Segmentation::Published);
        let kinds: Vec<_> = page.blocks.iter().map(|block| block.kind).collect();
        assert_eq!(kinds, [BlockKind::Choice, BlockKind::Paragraph]);
    }

    proptest::proptest! {
        #[test]
        fn any_mix_of_tags_is_survived(parts in proptest::collection::vec(0..24_usize, 0..60)) {
            const PARTS: [&str; 24] = [
                "<p>", "</p>", "<div>", "</div>", "<a>", "</a>", "<b>", "</b>", "<br>", "<html>", "</html>", "<head>", "</head>",
                "<body>", "</body>", "<table><tr><td>", "</table>", "<select>", "</select>", "<form>", "<script>x</script>", " ",
                "word ", "&nbsp;",
            ];
            let html: String = parts.iter().map(|&part| PARTS[part]).collect();
            let page = segment_with(&html, Segmentation::Published);
            let mut end = 0;
            for block in &page.blocks {
                proptest::prop_assert!(block.span.start >= end && !block.span.is_empty());
                let text = block.span.of(&page.text);
                proptest::prop_assert_eq!(text.trim(), text);
                end = block.span.end;
            }
            proptest::prop_assert_eq!(page.blocks.len(), page.outline.places.len());
        }
    }
}
