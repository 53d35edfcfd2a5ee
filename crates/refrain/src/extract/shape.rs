//! The structure of the kept blocks of a page: paragraphs, headings, code and tables, in lists and quotations. The
//! Markdown and TEI writers both use it.

use std::borrow::Cow;
use std::collections::HashMap;

use self::attributes::Attributes;
pub(crate) use self::grid::Cell;
use self::grid::{Layout, MAX_COLUMNS, Row};
use super::segment::{Inline, ParsedPage};
use super::tags::Tag;
use crate::document::Span;

mod attributes;
mod grid;

/// No element.
pub(crate) const NONE: u32 = u32::MAX;

/// Lists and quotations nested deeper are written at this depth, so that the output stays proportional to the page.
const MAX_NESTING: u16 = 24;

/// Cells with more characters than this are layout boxes that hold a part of the page.
const LONGEST_CELL: usize = 400;

/// The kept part of a page.
#[derive(Debug)]
pub(crate) struct Shape<'a> {
    page: &'a ParsedPage,
    attributes: Attributes,
    frames: Vec<Frame>,
    /// The pieces to write, in order.
    pub(crate) pieces: Vec<Piece>,
    /// The inline ranges of the page, sorted by their start, longer ones first.
    inline: Vec<Inline>,
}

/// What an element inherits from its ancestors. All are element indices, or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The innermost list item or quotation.
    container: u32,
    /// For containers: the nesting depth, itself included.
    nesting: u16,
    /// The innermost row of a table.
    row: u32,
    /// For rows: its number in the table, from 1.
    number: u32,
    /// For cells: its column.
    column: u16,
    /// For tables: it contains other tables.
    nests: bool,
    /// The innermost list.
    list: u32,
    /// The level of the heading, or 0.
    heading: u8,
    preformatted: u32,
    table: u32,
    cell: u32,
}

/// One thing to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The innermost container around it, or [`NONE`].
    pub(crate) container: u32,
    pub(crate) what: What,
}

/// What a piece is. Blocks are given by their index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Paragraph(usize),
    Heading(u8, usize),
    /// Consecutive blocks of one element.
    Code(Vec<usize>),
    /// Rows of cells.
    Table(Vec<Vec<Cell>>),
}

/// A list item or quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Quote,
    /// An item of a list; `list` is the element.
    Item {
        list: u32,
        ordered: bool,
        number: u32,
    },
}

impl<'a> Shape<'a> {
    /// The shape of the blocks that `keep` selects. `page` must be the result of segmenting `html`.
    pub(crate) fn of(html: &str, page: &'a ParsedPage, keep: &dyn Fn(usize) -> bool, tables: bool) -> Shape<'a> {
        let attributes = Attributes::of(html, page);
        let frames = frames(page, &attributes);
        // The range that ends later is the outer one.
        let mut inline: Vec<Inline> = page.outline.inline.iter().rev().copied().collect();
        inline.sort_by_key(|inline| (inline.span.start, std::cmp::Reverse(inline.span.end)));
        let mut shape = Shape { page, attributes, frames, pieces: Vec::new(), inline };
        let kept: Vec<usize> = (0..page.blocks.len()).filter(|&block| keep(block)).collect();
        shape.pieces = shape.collect(&kept, tables);
        shape
    }

    /// The text of a block, with white space collapsed unless it is preserved.
    pub(crate) fn text(&self, block: usize) -> &'a str {
        self.page.blocks.get(block).map_or("", |block| block.span.of(&self.page.text))
    }

    /// The lines of code in blocks of one element.
    pub(crate) fn code(&self, blocks: &[usize]) -> String {
        let mut code = String::new();
        let element = |block: usize| self.page.outline.places.get(block).map(|place| place.element);
        for (i, &block) in blocks.iter().enumerate() {
            if i > 0 {
                // Boxes in a listing are its lines; two breaks in a row are an empty line.
                code.push_str(if element(blocks[i - 1]) == element(block) { "\n\n" } else { "\n" });
            }
            code.push_str(self.text(block));
        }
        code.replace("\r\n", "\n").replace('\r', "\n")
    }

    /// The language of code in blocks of one element, if stated: a single word.
    pub(crate) fn language(&self, blocks: &[usize]) -> Option<&str> {
        self.attributes.language(self.frame_of(*blocks.first()?).preformatted)
    }

    /// The containers around an element, outermost first.
    pub(crate) fn chain(&self, container: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        let mut next = container;
        while next != NONE {
            chain.push(next);
            next = self.around(next);
        }
        chain.reverse();
        chain
    }

    /// The container around another one.
    fn around(&self, container: u32) -> u32 {
        let elements = &self.page.outline.elements;
        let parent = elements.get(container as usize).map_or(0, |element| element.parent);
        self.frame(parent).container
    }

    /// Describes a container.
    pub(crate) fn container(&self, container: u32, numbers: &mut Numbers) -> Container {
        let tag = self.tag(container);
        if tag == Tag::Blockquote {
            return Container::Quote;
        }
        let list = self.frame(container).list;
        let ordered = tag == Tag::Li && self.tag(list) == Tag::Ol;
        Container::Item { list, ordered, number: numbers.next(list) }
    }

    /// True for the header cells of tables.
    pub(crate) fn is_header(&self, block: usize) -> bool {
        self.tag(self.frame_of(block).cell) == Tag::Th
    }

    fn tag(&self, element: u32) -> Tag {
        self.page.outline.elements.get(element as usize).map_or(Tag::Other, |element| element.tag)
    }

    fn frame(&self, element: u32) -> Frame {
        self.frames.get(element as usize).copied().unwrap_or(Frame::PAGE)
    }

    fn frame_of(&self, block: usize) -> Frame {
        self.page.outline.places.get(block).map_or(Frame::PAGE, |place| self.frame(place.element))
    }

    /// Turns blocks into pieces: a table is one piece, and so is the code of one element.
    fn collect(&self, kept: &[usize], tables: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(&block) = kept.get(at) {
            let frame = self.frame_of(block);
            if tables && frame.cell != NONE {
                let same = |&&block: &&usize| self.frame_of(block).table == frame.table;
                let blocks = kept[at..].iter().take_while(same).count();
                if let Some(rows) = self.table(&kept[at..at + blocks], frame) {
                    let container = self.frame(frame.table).container;
                    pieces.push(Piece { container, what: What::Table(rows) });
                } else {
                    for &block in &kept[at..at + blocks] {
                        self.piece(block, &mut pieces);
                    }
                }
                at += blocks;
            } else {
                self.piece(block, &mut pieces);
                at += 1;
            }
        }
        pieces
    }

    /// Adds a block that is not part of a table.
    fn piece(&self, block: usize, pieces: &mut Vec<Piece>) {
        let frame = self.frame_of(block);
        if frame.preformatted != NONE {
            if let Some(Piece { what: What::Code(blocks), .. }) = pieces.last_mut()
                && let Some(&last) = blocks.last()
                && self.frame_of(last).preformatted == frame.preformatted
                && self.frame_of(last).container == frame.container
            {
                blocks.push(block);
                return;
            }
            pieces.push(Piece { container: frame.container, what: What::Code(vec![block]) });
        } else if frame.heading > 0 {
            pieces.push(Piece { container: frame.container, what: What::Heading(frame.heading, block) });
        } else {
            pieces.push(Piece { container: frame.container, what: What::Paragraph(block) });
        }
    }

    /// The rows of a data table. Returns `None` for layout tables.
    fn table(&self, blocks: &[usize], frame: Frame) -> Option<Vec<Vec<Cell>>> {
        let Frame { container, nests, .. } = self.frame(frame.table);
        if nests {
            return None;
        }
        let mut rows: Vec<Row> = Vec::new();
        let (mut last_row, mut last_cell) = (NONE, NONE);
        let mut filled = [false; MAX_COLUMNS];
        for &block in blocks {
            let found = self.frame_of(block);
            let plain = found.cell != NONE
                && found.cell != last_cell
                && found.container == container
                && found.heading == 0
                && found.preformatted == NONE
                && self.page.blocks[block].span.len() <= LONGEST_CELL;
            if !plain {
                return None;
            }
            if rows.is_empty() || found.row != last_row {
                let section = self.page.outline.elements.get(found.row as usize).map_or(NONE, |row| row.parent);
                rows.push(Row { section, number: found.number, cells: Vec::new() });
            }
            (last_row, last_cell) = (found.row, found.cell);
            let column = usize::from(found.column);
            *filled.get_mut(column)? = true;
            let cells = &mut rows.last_mut()?.cells;
            // Cells inside cells, without a table between them, are not a data table.
            if cells.last().is_some_and(|(before, ..)| *before >= column) {
                return None;
            }
            cells.push((column, block, self.attributes.reach(found.cell)));
        }
        let columns = filled.iter().filter(|filled| **filled).count();
        let beside_another = rows.iter().any(|row| row.cells.len() >= 2);
        if columns >= 2 && beside_another { grid::draw(&rows) } else { None }
    }

    /// The inline ranges of a block, sorted by their start, longer ones first.
    pub(crate) fn inline(&self, block: usize) -> &[Inline] {
        let Some(block) = self.page.blocks.get(block) else { return &[] };
        let from = self.inline.partition_point(|inline| inline.span.start < block.span.start);
        let to = self.inline.partition_point(|inline| inline.span.start < block.span.end);
        &self.inline[from..to]
    }

    /// Calls a writer with the text of a block, piece by piece, and the styles that apply to each piece, in the order
    /// in which they began.
    pub(crate) fn runs(&self, block: usize, writer: &mut impl FnMut(&'a str, &[Style])) {
        let Some(span) = self.page.blocks.get(block).map(|block| block.span) else { return };
        let mut open: Vec<Style> = Vec::new();
        let text: &'a str = &self.page.text;
        let mut at = span.start;
        let mut emit = |open: &[Style], from: usize, to: usize| {
            if let Some(piece) = text.get(from..to).filter(|piece| !piece.is_empty()) {
                writer(piece, open);
            }
        };
        for inline in self.inline(block) {
            let end = inline.span.end.min(span.end);
            let Some(kind) = Kind::of(inline.tag) else { continue };
            if open.iter().any(|style| style.kind == kind && style.end >= end) || end <= inline.span.start {
                continue;
            }
            at = close_until(&mut open, at, inline.span.start, &mut emit);
            emit(&open, at, inline.span.start);
            at = inline.span.start;
            open.push(Style { kind, end, href: inline.href });
        }
        at = close_until(&mut open, at, span.end, &mut emit);
        emit(&[], at, span.end);
    }
}

/// Passes on the text up to a position, closing the styles that end on the way.
fn close_until(
    open: &mut Vec<Style>,
    mut at: usize,
    until: usize,
    emit: &mut impl FnMut(&[Style], usize, usize),
) -> usize {
    while let Some(end) = open.iter().map(|style| style.end).min().filter(|&end| end <= until) {
        emit(open, at, end);
        at = end.max(at);
        open.retain(|style| style.end > end);
    }
    at
}

/// A link or emphasis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) kind: Kind,
    /// Where it ends in the text of the page.
    end: usize,
    /// The address of a link: a range of the source.
    pub(crate) href: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Link,
    Strong,
    Emphasis,
    Code,
}

impl Kind {
    fn of(tag: Tag) -> Option<Kind> {
        match tag {
            Tag::A => Some(Kind::Link),
            Tag::B | Tag::Strong => Some(Kind::Strong),
            Tag::I | Tag::Em => Some(Kind::Emphasis),
            Tag::Code => Some(Kind::Code),
            _ => None,
        }
    }
}

/// How often the last link was written: a link that was never closed covers all following blocks.
#[derive(Debug, Default)]
pub(crate) struct LinkCount {
    href: Span,
    blocks: u32,
    leads_somewhere: bool,
}

impl LinkCount {
    /// True if a link has a target and may be written in one more block.
    pub(crate) fn allows(&mut self, html: &str, href: Span, new_block: bool) -> bool {
        const MOST: u32 = 64;
        if self.href != href || self.blocks == 0 {
            *self = LinkCount { href, blocks: 1, leads_somewhere: target(html, href).is_some() };
        } else {
            self.blocks = self.blocks.saturating_add(u32::from(new_block));
        }
        self.leads_somewhere && self.blocks <= MOST
    }
}

/// The numbers of list items, counted as the items are written.
#[derive(Debug, Default)]
pub(crate) struct Numbers(HashMap<u32, u32>);

impl Numbers {
    fn next(&mut self, list: u32) -> u32 {
        let number = self.0.entry(list).or_insert(0);
        *number += 1;
        *number
    }
}

impl Frame {
    /// The frame of the page itself, which inherits nothing.
    const PAGE: Frame = Frame {
        container: NONE,
        nesting: 0,
        row: NONE,
        number: 0,
        column: 0,
        nests: false,
        list: NONE,
        heading: 0,
        preformatted: NONE,
        table: NONE,
        cell: NONE,
    };
}

/// What each element inherits. One pass is enough, because parents come first.
fn frames(page: &ParsedPage, attributes: &Attributes) -> Vec<Frame> {
    let elements = &page.outline.elements;
    let mut frames: Vec<Frame> = Vec::with_capacity(elements.len());
    // The last term of each definition list.
    let mut terms: HashMap<u32, u32> = HashMap::new();
    let mut layout = Layout::new();
    for (index, element) in elements.iter().enumerate() {
        let around = frames.get(element.parent as usize).copied().unwrap_or(Frame::PAGE);
        let own = index as u32;
        let mut frame = Frame { nesting: 0, ..around };
        let depth = frames.get(around.container as usize).map_or(0, |frame| frame.nesting);
        match element.tag {
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir | Tag::Dl => frame.list = own,
            Tag::Blockquote | Tag::Li | Tag::Dt if depth < MAX_NESTING => {
                (frame.container, frame.nesting) = (own, depth + 1);
                // Items outside of any list form one with their neighbours.
                let in_list = frames.get(frame.list as usize).is_some_and(|list| list.container == around.container);
                if element.tag != Tag::Blockquote && !in_list {
                    frame.list = element.parent;
                }
                if element.tag == Tag::Dt {
                    terms.insert(frame.list, own);
                }
            }
            Tag::Dd if depth < MAX_NESTING => {
                // A definition belongs to the item of its term.
                if let Some(&term) = terms.get(&around.list) {
                    frame.container = term;
                } else {
                    (frame.container, frame.nesting) = (own, depth + 1);
                    if frame.list == NONE {
                        frame.list = element.parent;
                    }
                }
            }
            Tag::Table => {
                // A table inside a table: the outer one is for layout.
                if let Some(outer) = frames.get_mut(around.table as usize) {
                    outer.nests = true;
                }
                layout.begin_table(own, around.table);
                (frame.table, frame.row, frame.cell, frame.nests) = (own, NONE, NONE, false);
            }
            Tag::Tr => {
                frame.number = layout.row(frame.table, element.parent, own);
                frame.row = own;
            }
            Tag::Td | Tag::Th => {
                // Cells without a row form one with their neighbours.
                if frame.row == NONE {
                    frame.number = layout.row(frame.table, elements[element.parent as usize].parent, element.parent);
                    frame.row = element.parent;
                }
                frame.cell = own;
                frame.column = layout.cell(frame.table, attributes.reach(own)) as u16;
            }
            Tag::Pre | Tag::Xmp | Tag::Listing | Tag::Plaintext | Tag::Textarea if around.preformatted == NONE => {
                frame.preformatted = own;
            }
            _ => {}
        }
        if let Some(level) = element.tag.heading_level() {
            frame.heading = level;
        }
        frames.push(frame);
    }
    frames
}

/// The address of a link, with references resolved; `None` if it leads nowhere.
pub(crate) fn target(html: &str, href: Span) -> Option<Cow<'_, str>> {
    let raw = href.of(html);
    if raw.len() > 4096 {
        return None;
    }
    let href = super::segment::unescape(raw);
    let trimmed = href.trim();
    let scheme: String = trimmed.chars().filter(|c| !c.is_control() && *c != ' ').take(11).collect();
    let dead = ["javascript:", "data:", "vbscript:"]
        .iter()
        .any(|bad| scheme.get(..bad.len()).is_some_and(|start| start.eq_ignore_ascii_case(bad)));
    (!trimmed.is_empty() && !dead).then(|| Cow::Owned(trimmed.to_owned()))
}

/// Writes a character percent-encoded.
pub(crate) fn percent(c: char, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
        out.push('%');
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}
