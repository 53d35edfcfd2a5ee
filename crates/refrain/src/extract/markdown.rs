//! The kept part of a page as Markdown (CommonMark, with the tables of GitHub).
//!
//! Text stays text: whatever could be read as markup is escaped, and markup that would not be read as such at its place
//! (emphasis inside a word next to a quotation mark, for one) is left out.

use std::collections::HashMap;

use super::segment::Page;
use super::shape::{Container, Kind, Numbers, Piece, Shape, Style, What, target};
use crate::document::Span;

/// What to write beside text, headings, lists, quotations and code blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownOptions {
    /// Links with their addresses; otherwise their text alone.
    pub links: bool,
    /// Strong, emphasised and code words; otherwise plain ones.
    pub emphasis: bool,
    /// Tables of data as tables; otherwise every cell is a paragraph.
    pub tables: bool,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        MarkdownOptions { links: true, emphasis: true, tables: true }
    }
}

/// Writes the blocks that `keep` names as Markdown. `page` must be what [`segment`](super::segment) made of `html`.
///
/// ```
/// use refrain::extract::{markdown, segment, MarkdownOptions};
///
/// let html = "<nav>Home</nav><h2>Fog</h2><p>See <a href='/horn'>the <b>horn</b></a>.<ol><li>Wait<li>Listen</ol>";
/// let text = markdown(html, &segment(html), &|block| block > 0, &MarkdownOptions::default());
/// assert_eq!(text, "## Fog\n\nSee [the **horn**](/horn).\n\n1. Wait\n2. Listen\n");
/// ```
pub fn markdown(html: &str, page: &Page, keep: &dyn Fn(usize) -> bool, options: &MarkdownOptions) -> String {
    let shape = Shape::of(page, keep, options.tables);
    let mut writer = Writer {
        html,
        shape: &shape,
        options: *options,
        out: String::with_capacity(page.text.len()),
        open: Vec::new(),
        markers: HashMap::new(),
        numbers: Numbers::default(),
        last_was_paragraph: false,
        links: LinkCount::default(),
    };
    for piece in &shape.pieces {
        writer.piece(piece);
    }
    writer.out
}

/// A container that is open, with what its lines begin with.
#[derive(Debug, Clone)]
struct Level {
    element: u32,
    container: Container,
    /// Begins the first line.
    first: String,
    /// Begins all others.
    rest: String,
}

struct Writer<'a> {
    html: &'a str,
    shape: &'a Shape<'a>,
    options: MarkdownOptions,
    out: String,
    /// The containers of the last piece.
    open: Vec<Level>,
    /// Which of two marks the items of a list have: two lists without anything between them would be one.
    markers: HashMap<u32, bool>,
    numbers: Numbers,
    last_was_paragraph: bool,
    links: LinkCount,
}

/// How often the link that was written last was written: one that was never closed holds all blocks behind it.
#[derive(Debug, Default)]
struct LinkCount {
    href: Span,
    blocks: u32,
    leads_somewhere: bool,
}

impl LinkCount {
    /// True when a link is to be written in one more block.
    fn allows(&mut self, html: &str, href: Span, new_block: bool) -> bool {
        const MOST: u32 = 64;
        if self.href != href || self.blocks == 0 {
            *self = LinkCount { href, blocks: 1, leads_somewhere: target(html, href).is_some() };
        } else {
            self.blocks = self.blocks.saturating_add(u32::from(new_block));
        }
        self.leads_somewhere && self.blocks <= MOST
    }
}

impl Writer<'_> {
    fn piece(&mut self, piece: &Piece) {
        let shape = self.shape;
        let paragraph = matches!(piece.what, What::Paragraph(_));
        let begun = self.enter(piece.container, paragraph);
        match &piece.what {
            What::Paragraph(block) => {
                let line = at_line_start(self.inline(*block, false));
                self.lines([line.as_str()].into_iter(), begun);
            }
            What::Heading(level, block) => {
                let mut line = "#".repeat(usize::from(*level));
                line.push(' ');
                line.push_str(&heading_end(self.inline(*block, false)));
                self.lines([line.as_str()].into_iter(), begun);
            }
            What::Code(blocks) => {
                let code = shape.code(blocks).replace('\0', "\u{fffd}");
                let fence = "`".repeat(longest_run(&code).max(2) + 1);
                let lines = [fence.as_str()].into_iter().chain(code.split('\n')).chain([fence.as_str()]);
                self.lines(lines, begun);
            }
            What::Table(rows) => {
                let lines = self.table(rows);
                self.lines(lines.iter().map(String::as_str), begun);
            }
        }
        self.last_was_paragraph = paragraph;
    }

    /// Ends and begins containers, and writes what stands between two pieces. Gives the number of containers that were
    /// open before.
    fn enter(&mut self, container: u32, paragraph: bool) -> usize {
        let chain = self.shape.chain(container);
        let common = self.open.iter().zip(&chain).take_while(|(level, element)| level.element == **element).count();
        let before = self.open.get(common).map(|level| level.container);
        let depth = self.open.len();
        let mut levels = Vec::new();
        for (i, &element) in chain.iter().enumerate().skip(common) {
            let container = self.shape.container(element, &mut self.numbers);
            let neighbour = if i == common { before } else { None };
            levels.push(self.level(element, container, neighbour));
        }
        let first = levels.first().map(|level| level.container);
        let sibling = match (before, first) {
            (Some(Container::Item { list: a, .. }), Some(Container::Item { list: b, .. })) => a == b,
            _ => false,
        };
        // Only a list that begins with 1 can follow a line of text directly.
        let inner = depth == common
            && matches!(first, Some(Container::Item { ordered, number, .. }) if !ordered || number == 1)
            && matches!(self.open.last().map(|level| level.container), Some(Container::Item { .. }));
        let tight = levels.len() == 1 && paragraph && self.last_was_paragraph && (sibling || inner);
        self.open.truncate(common);
        if !self.out.is_empty() && !tight {
            let blank: String = self.open.iter().map(|level| level.rest.as_str()).collect();
            self.out.push_str(blank.trim_end());
            self.out.push('\n');
        }
        self.open.extend(levels);
        common
    }

    /// What the lines of a container begin with. A list next to a list of its kind gets another mark.
    fn level(&mut self, element: u32, container: Container, neighbour: Option<Container>) -> Level {
        let (first, rest) = match container {
            Container::Quote => ("> ".to_owned(), "> ".to_owned()),
            Container::Item { list, ordered, number } => {
                let other = match neighbour {
                    Some(Container::Item { list: next, ordered: same, .. }) if next != list && same == ordered => {
                        !self.markers.get(&next).copied().unwrap_or(false)
                    }
                    _ => false,
                };
                let other = *self.markers.entry(list).or_insert(other);
                let mark = match (ordered, other) {
                    (true, false) => format!("{number}. "),
                    (true, true) => format!("{number}) "),
                    (false, false) => "- ".to_owned(),
                    (false, true) => "+ ".to_owned(),
                };
                let rest = " ".repeat(mark.len());
                (mark, rest)
            }
        };
        Level { element, container, first, rest }
    }

    /// Writes lines inside the open containers, of which the first `begun` were open before.
    fn lines<'l>(&mut self, lines: impl Iterator<Item = &'l str>, begun: usize) {
        for (i, line) in lines.enumerate() {
            let from = self.out.len();
            for (depth, level) in self.open.iter().enumerate() {
                self.out.push_str(if i == 0 && depth >= begun { &level.first } else { &level.rest });
            }
            if line.is_empty() {
                let length = from + self.out[from..].trim_end().len();
                self.out.truncate(length);
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    /// The rows of a table. The first one is its header: Markdown has no table without.
    fn table(&mut self, rows: &[Vec<Option<usize>>]) -> Vec<String> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut row = |cells: &[Option<usize>], columns: usize| {
            let mut line = String::from("|");
            for column in 0..columns {
                line.push(' ');
                if let Some(Some(block)) = cells.get(column) {
                    line.push_str(&self.inline(*block, true));
                    line.push(' ');
                }
                line.push('|');
            }
            line
        };
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for (i, cells) in rows.iter().enumerate() {
            // Short rows are filled by whoever reads the table, except the one that says how many columns there are.
            lines.push(row(cells, if i == 0 { columns } else { cells.len() }));
            if i == 0 {
                lines.push(format!("|{}", " --- |".repeat(columns)));
            }
        }
        lines
    }

    /// The text of a block with its links and emphasis, on one line.
    fn inline(&mut self, block: usize, in_table: bool) -> String {
        let mut segments: Vec<Segment> = Vec::new();
        let (html, options, links) = (self.html, self.options, &mut self.links);
        self.shape.runs(block, &mut |text, open| {
            let mut stack: Vec<Mark> = Vec::new();
            let mut code = false;
            for style in open {
                let kind = style.kind;
                let wanted = match kind {
                    Kind::Code => {
                        code = options.emphasis;
                        false
                    }
                    Kind::Link => options.links && links.allows(html, style.href, segments.is_empty()),
                    Kind::Strong | Kind::Emphasis => options.emphasis,
                };
                // One of each kind is enough.
                if wanted && stack.iter().all(|mark| mark.kind != kind) {
                    stack.push(Mark { kind, style: *style });
                }
            }
            segments.push(Segment { text, stack, code });
        });
        arrange(&mut segments);
        render(html, &segments, in_table)
    }
}

/// A stretch of text with all that is in force on it.
#[derive(Debug)]
struct Segment<'a> {
    text: &'a str,
    stack: Vec<Mark>,
    code: bool,
}

/// A link or emphasis.
#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: Kind,
    style: Style,
}

impl Mark {
    /// Neighbours that are the same are one: strong next to strong, links with one address.
    fn continues(self, other: Mark) -> bool {
        self.kind == other.kind && (self.kind != Kind::Link || self.style.href == other.style.href)
    }
}

/// What stands next to a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    /// White space, ASCII punctuation, or nothing: all readers of Markdown agree about them.
    Boundary,
    Word,
    /// Punctuation for some readers.
    Doubtful,
}

fn neighbour(c: Option<char>) -> Neighbour {
    match c {
        None => Neighbour::Boundary,
        Some(c) if c.is_whitespace() || c.is_ascii_punctuation() => Neighbour::Boundary,
        Some(c) if c.is_alphanumeric() => Neighbour::Word,
        Some(_) => Neighbour::Doubtful,
    }
}

/// How emphasis is written at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Stars,
    Underscore,
}

/// Takes out emphasis that would not be read as such. What is left may be affected by what went, so it is looked at again,
/// a few times; then all emphasis goes.
fn arrange(segments: &mut [Segment]) {
    const ROUNDS: usize = 4;
    blanks(segments);
    for round in 0..=ROUNDS {
        let mut drops: Vec<Stretch> =
            stretches(segments).into_iter().filter(|s| s.kind != Kind::Link && sign(segments, s).is_none()).collect();
        if drops.is_empty() {
            return;
        }
        // Strong words may be read as such once what stood inside them is gone.
        if drops.iter().any(|drop| drop.kind == Kind::Emphasis) {
            drops.retain(|drop| drop.kind == Kind::Emphasis);
        }
        for segment in segments.iter_mut().filter(|_| round == ROUNDS) {
            segment.stack.retain(|mark| mark.kind == Kind::Link);
        }
        for drop in drops {
            for segment in &mut segments[drop.from..drop.to] {
                segment.stack.retain(|mark| mark.kind != drop.kind);
            }
        }
    }
}

/// Lets no mark begin or end at white space.
fn blanks(segments: &mut [Segment]) {
    for at in 0..segments.len() {
        if segments[at].text.trim().is_empty() {
            let before = if at == 0 { &[][..] } else { &segments[at - 1].stack[..] };
            let after = segments.get(at + 1).map_or(&[][..], |segment| &segment.stack[..]);
            let common = before.iter().zip(after).take_while(|(a, b)| a.continues(**b)).map(|(a, _)| *a).collect();
            segments[at].stack = common;
            segments[at].code = false;
        }
    }
}

/// Segments in a row that share a mark at one depth.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    kind: Kind,
    depth: usize,
    from: usize,
    to: usize,
}

/// How much of its stack a segment takes over from the one before it.
fn shared(segments: &[Segment], at: usize) -> usize {
    if at == 0 || at == segments.len() {
        return 0;
    }
    let (before, after) = (&segments[at - 1].stack, &segments[at].stack);
    before.iter().zip(after).take_while(|(a, b)| a.continues(**b)).count()
}

/// All stretches, by where they begin.
fn stretches(segments: &[Segment]) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for at in 0..=segments.len() {
        let keep = shared(segments, at);
        for ended in open.drain(keep.min(open.len())..) {
            all[ended].to = at;
        }
        if let Some(segment) = segments.get(at) {
            for (depth, mark) in segment.stack.iter().enumerate().skip(open.len()) {
                open.push(all.len());
                all.push(Stretch { kind: mark.kind, depth, from: at, to: at });
            }
        }
    }
    all
}

/// How a stretch of emphasis is written, if it can be.
fn sign(segments: &[Segment], stretch: &Stretch) -> Option<Sign> {
    let Stretch { kind, from, to, depth } = *stretch;
    let text = |segment: &Segment, last: bool| {
        let text = segment.text.trim();
        if last { text.chars().next_back() } else { text.chars().next() }
    };
    let (first, last) = (&segments[from], &segments[to - 1]);
    // White space is written outside.
    let before = match first.text.starts_with(char::is_whitespace) {
        true => Neighbour::Boundary,
        false => neighbour(from.checked_sub(1).and_then(|at| segments[at].text.chars().next_back())),
    };
    let after = match last.text.ends_with(char::is_whitespace) {
        true => Neighbour::Boundary,
        false => neighbour(segments.get(to).and_then(|segment| segment.text.chars().next())),
    };
    let safe = (before == Neighbour::Boundary, after == Neighbour::Boundary);
    if text(first, false).is_none() || text(last, true).is_none() {
        return None;
    }
    // A word directly inside, without other marks between.
    let bare = |segment: &Segment| segment.stack.len() == depth + 1 && !segment.code;
    let word_first = bare(first) && neighbour(text(first, false)) == Neighbour::Word;
    let word_last = bare(last) && neighbour(text(last, true)) == Neighbour::Word;
    if kind == Kind::Emphasis && safe == (true, true) {
        return Some(Sign::Underscore);
    }
    let reads = (safe.0 || word_first) && (safe.1 || word_last);
    // A single star must not touch other marks.
    let plain_before = match from {
        0 => depth == 0,
        _ => segments[from - 1].stack.len() == depth && shared(segments, from) == depth,
    };
    let plain_after = match segments.get(to) {
        None => depth == 0,
        Some(segment) => segment.stack.len() == depth && shared(segments, to) == depth,
    };
    let alone = bare(first) && bare(last) && plain_before && plain_after;
    (reads && (kind == Kind::Strong || alone)).then_some(Sign::Stars)
}

/// Writes segments with their marks.
fn render(html: &str, segments: &[Segment], in_table: bool) -> String {
    let mut out = String::new();
    let stretches = stretches(segments);
    let mut next = 0;
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    while at < segments.len() {
        let segment = &segments[at];
        // Code next to code is one code span.
        let mut text = String::from(segment.text);
        let mut end = at + 1;
        while segment.code
            && segments.get(end).is_some_and(|next| next.code)
            && shared(segments, end) == segment.stack.len()
            && segments[end].stack.len() == segment.stack.len()
        {
            text.push_str(segments[end].text);
            end += 1;
        }
        let body = text.trim_start();
        if body.len() < text.len() && !out.is_empty() {
            out.push(' ');
        }
        while let Some(stretch) = stretches.get(next).filter(|stretch| stretch.from < end) {
            let (begin, finish) = marks(html, segments, stretch, in_table);
            if begin == "[" && out.ends_with('!') {
                // An exclamation mark before a link would make it a picture.
                out.pop();
                out.push_str("\\!");
            }
            out.push_str(&begin);
            open.push((stretch.to, finish));
            next += 1;
        }
        let words = body.trim_end();
        let after = segments.get(end).and_then(|next| next.text.chars().next());
        // A link that begins with `[` and has `]:` in it, even in code, would be the definition of an address.
        let in_link = open.iter().any(|(_, finish)| finish.starts_with(']'));
        if segment.code && !(in_link && words.contains(']')) {
            code_span(words, after, in_table, &mut out);
        } else {
            escape(words, after, &mut out);
        }
        while let Some((_, finish)) = open.pop_if(|(to, _)| *to <= end) {
            out.push_str(&finish);
        }
        if words.len() < body.len() {
            out.push(' ');
        }
        at = end;
    }
    out.truncate(out.trim_end().len());
    out
}

/// What a stretch begins and ends with.
fn marks(html: &str, segments: &[Segment], stretch: &Stretch, in_table: bool) -> (String, String) {
    let both = |sign: &str| (sign.to_owned(), sign.to_owned());
    match (stretch.kind, sign(segments, stretch)) {
        (Kind::Link, _) => {
            let href = segments[stretch.from].stack[stretch.depth].style.href;
            let address = target(html, href).unwrap_or_default();
            ("[".to_owned(), format!("]({})", destination(&address, in_table)))
        }
        (Kind::Strong, Some(_)) => both("**"),
        (Kind::Emphasis, Some(Sign::Underscore)) => both("_"),
        (Kind::Emphasis, Some(Sign::Stars)) => both("*"),
        _ => both(""),
    }
}

/// The address of a link, with what would end it written in another way.
fn destination(address: &str, in_table: bool) -> String {
    let mut out = String::with_capacity(address.len());
    for (at, c) in address.char_indices() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '\\' | '`' | '"' | '\0'..='\x1f' | '\x7f' => percent(c, &mut out),
            '|' if in_table => percent(c, &mut out),
            _ if c.is_whitespace() || c.is_control() => percent(c, &mut out),
            '&' if looks_like_reference(&address[at..], None) => out.push_str("\\&"),
            _ => out.push(c),
        }
    }
    out
}

/// A character as its bytes in addresses.
pub(crate) fn percent(c: char, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
        out.push('%');
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// True when a text that begins with `&` could be a character reference, also one that ends in what comes after.
fn looks_like_reference(text: &str, after: Option<char>) -> bool {
    const LONGEST: usize = 40;
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '#';
    match text[1..].chars().take(LONGEST).find(|c| !in_name(*c)) {
        Some(end) => end == ';',
        None => after.is_some_and(|c| c == ';' || in_name(c)),
    }
}

/// Writes text so that it stays text. `next` is the character that comes after it.
fn escape(text: &str, next: Option<char>, out: &mut String) {
    let mut before: Option<char> = None;
    let mut space = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            // Line breaks do not count here; other white space is as good as a blank.
            space = true;
            before = Some(' ');
            continue;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
        }
        let after = text[at + c.len_utf8()..].chars().next();
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let markup = match c {
            '\\' | '`' | '*' | '[' | ']' | '~' | '|' => true,
            '_' => !(word(before) && word(after)),
            '<' => after.is_none_or(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '&' => looks_like_reference(&text[at..], next),
            _ => false,
        };
        if markup {
            out.push('\\');
        }
        out.push(if c == '\0' { char::REPLACEMENT_CHARACTER } else { c });
        before = Some(c);
    }
}

/// Writes a code span.
fn code_span(code: &str, next: Option<char>, in_table: bool, out: &mut String) {
    if in_table && code.contains(['|', '\\']) {
        // Readers do not agree about vertical bars in code in tables.
        return escape(code, next, out);
    }
    let fence = "`".repeat(longest_run(code) + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    out.push_str(&fence);
    out.push_str(pad);
    for (i, word) in code.split_whitespace().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        out.push_str(&word.replace('\0', "\u{fffd}"));
    }
    out.push_str(pad);
    out.push_str(&fence);
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Escapes what would mean something at the start of a line.
fn at_line_start(mut line: String) -> String {
    let bytes = line.as_bytes();
    let blank = |at: usize| bytes.get(at).is_none_or(|&byte| byte == b' ');
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let at = match bytes.first() {
        Some(b'#' | b'>') => Some(0),
        Some(b'+') if blank(1) => Some(0),
        Some(b'-') if blank(1) || bytes.get(1) == Some(&b'-') => Some(0),
        Some(_) if (1..=9).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) && blank(digits + 1) => {
            Some(digits)
        }
        _ => None,
    };
    if let Some(at) = at {
        line.insert(at, '\\');
    }
    line
}

/// Escapes the signs that would end a heading.
fn heading_end(mut line: String) -> String {
    if line.ends_with('#') {
        line.insert(line.len() - 1, '\\');
    }
    line
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag as Element, TagEnd};

    use super::super::segment;
    use super::*;

    fn all(html: &str) -> String {
        markdown(html, &segment(html), &|_| true, &MarkdownOptions::default())
    }

    /// What a reader of Markdown shows, without white space; and what it takes for markup that we never write.
    fn visible(text: &str) -> String {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let mut visible = String::new();
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Text(text) | Event::Code(text) => visible.extend(text.chars().filter(|c| !c.is_whitespace())),
                Event::Start(Element::Image { .. } | Element::Strikethrough | Element::HtmlBlock) => panic!("{text}"),
                Event::Start(_) | Event::End(_) | Event::SoftBreak => {}
                other => panic!("{other:?} in {text}"),
            }
        }
        visible
    }

    fn kept(html: &str) -> String {
        let page = segment(html);
        page.text.replace('\0', "\u{fffd}").chars().filter(|c| !c.is_whitespace()).collect()
    }

    fn round_trip(html: &str) {
        let text = all(html);
        assert_eq!(visible(&text), kept(html), "{html}\n---\n{text}");
    }

    #[test]
    fn headings_paragraphs_and_quotations() {
        let html = "<h1>One #</h1><p>two</p><blockquote><p>three<p>four<blockquote>five</blockquote></blockquote>six";
        assert_eq!(all(html), "# One \\#\n\ntwo\n\n> three\n>\n> four\n>\n> > five\n\nsix\n");
        round_trip(html);
    }

    #[test]
    fn lists_nest_and_go_on() {
        let html = "<ul><li>a<ol><li>b<li>c<p>d</p></ol><li>e</ul><ul><li>f</ul>";
        assert_eq!(all(html), "- a\n  1. b\n  2. c\n\n     d\n- e\n\n+ f\n");
        round_trip(html);
        assert_eq!(all("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>"), "- a\n\n  b\n\n  c\n- d\n\n  e\n");
        assert_eq!(all("<ul><li><ul><li>deep</ul></ul><p>x"), "- - deep\n\nx\n");
    }

    #[test]
    fn code_keeps_its_lines() {
        let html = "<ul><li>see<pre>a\n\n  ``` b</pre></ul>";
        assert_eq!(all(html), "- see\n\n  ````\n  a\n\n    ``` b\n  ````\n");
        round_trip(html);
        assert_eq!(all("<pre><div>a</div><div>b</div></pre>"), "```\na\nb\n```\n");
        assert_eq!(all("<p>Call <code>a`b</code>, <code>`</code>"), "Call ``a`b``, `` ` ``\n");
    }

    #[test]
    fn tables_of_data_and_of_boxes() {
        let html = "<table><caption>Lamps</caption><tr><th>Name<th>Watt<tr><td>a|b<td><td>x<tr><td><a href='/q|r'>c</a><td>3</table>";
        assert_eq!(
            all(html),
            "Lamps\n\n| Name | Watt | |\n| --- | --- | --- |\n| a\\|b | | x |\n| [c](/q%7Cr) | 3 |\n"
        );
        round_trip(html);
        assert_eq!(all("<table><tr><td>a<tr><td>b</table>"), "a\n\nb\n");
        assert_eq!(all("<table><tr><td><p>a<p>b<td>c</table>"), "a\n\nb\n\nc\n");
        assert_eq!(all("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>"), "a\n\n| b | c |\n| --- | --- |\n");
        let plain = MarkdownOptions { tables: false, ..MarkdownOptions::default() };
        let html = "<table><tr><td>a<td>b</table>";
        assert_eq!(markdown(html, &segment(html), &|_| true, &plain), "a\n\nb\n");
    }

    #[test]
    fn links_lead_where_the_page_says() {
        assert_eq!(all("<a href='a b(c)?x=1&amp;amp;y'>t</a>"), "[t](a%20b%28c%29?x=1\\&amp;y)\n");
        assert_eq!(all("Go!<a href='/x'>there</a>"), "Go\\![there](/x)\n");
        assert_eq!(all("<a href='JavaScript:void(0)'>t</a> <a>u</a> <a href=''>v</a>"), "t u v\n");
        let html = "<p>a <a href=/x>b <b>c</b></a> <i>d</i>";
        let none = MarkdownOptions { links: false, emphasis: false, tables: true };
        assert_eq!(markdown(html, &segment(html), &|_| true, &none), "a b c d\n");
        // A link that is never closed is not repeated for ever.
        let html = format!("<a href=/x>{}", "<p>a</p>".repeat(100));
        assert_eq!(all(&html).matches("/x").count(), 64);
    }

    #[test]
    fn emphasis_is_written_where_it_is_read() {
        assert_eq!(all("a <b>b</b> <i>c</i> <b><i>d</i></b>"), "a **b** _c_ **_d_**\n");
        assert_eq!(all("un<i>believ</i>able <b>b</b>old"), "un*believ*able **b**old\n");
        // Marks that a reader would show are left out.
        assert_eq!(all("un<b>(b)</b>able"), "un(b)able\n");
        assert_eq!(all("<b>a<i>b</b>c</i>"), "**ab**c\n");
        assert_eq!(all("<b>a</b><b>b</b>"), "**ab**\n");
        round_trip("<b>a<i>b</b> c</i>d<i><b>e</b></i><b>f</b>");
    }

    #[test]
    fn text_stays_text() {
        for text in [
            "# a",
            "- a",
            "+ a",
            "1. a",
            "1) a",
            "&gt; a",
            "* a",
            "_a_",
            "[a]: /b",
            "[a](b)",
            "`a`",
            "a|b\n-|-",
            "---",
            "~~~",
            "&lt;b&gt;",
            "&amp;lt;",
            "\\",
            "a\\",
            "![a](b)",
            "~~a~~",
            "===",
            "&lt;!-- a",
            "&lt;a@b.c&gt;",
            "    a",
            "[^1]",
            "- [ ] a",
        ] {
            round_trip(&format!("<p>{text}</p>"));
            round_trip(&format!("<ul><li>{text}<p>{text}</ul><h2>{text}</h2><table><tr><td>{text}<td>{text}</table>"));
        }
        assert_eq!(all("<a href=/x>Q&amp;A</a> R&amp;D"), "[Q&A](/x) R&D\n");
        assert_eq!(all("snake_case and <i>a_b</i>"), "snake_case and _a_b_\n");
    }

    #[test]
    fn only_kept_blocks_are_written() {
        let html = "<ul><li>a<li>b<li>c</ul><p>d";
        assert_eq!(markdown(html, &segment(html), &|block| block != 1, &MarkdownOptions::default()), "- a\n- c\n\nd\n");
        assert_eq!(markdown(html, &segment(html), &|_| false, &MarkdownOptions::default()), "");
    }

    #[test]
    fn depth_without_end_is_survived() {
        let html = "<blockquote><ul><li>".repeat(3000) + "x<p>y";
        let text = all(&html);
        assert!(text.len() < 1000 && text.contains('x'), "{} bytes", text.len());
    }

    #[test]
    fn kinds_of_markup_come_back() {
        let text = all("<h2>t</h2><ol><li>a<li>b</ol><blockquote>q</blockquote><p><b>s</b> <i>e</i> <a href=/x>l</a>");
        let ends: Vec<TagEnd> =
            Parser::new(&text).filter_map(|event| if let Event::End(end) = event { Some(end) } else { None }).collect();
        for end in [TagEnd::Strong, TagEnd::Emphasis, TagEnd::Link, TagEnd::List(true), TagEnd::Item] {
            assert!(ends.contains(&end), "{end:?} in {text}");
        }
    }

    #[rustfmt::skip]
    const TAGS: [&str; 40] = [
        "<p>", "</p>", "<b>", "</b>", "<strong>", "</strong>", "<i>", "</i>", "<em>", "</em>", "<code>", "</code>",
        "<a href='x y(z)`'>", "<a href=/w>", "</a>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "<blockquote>", "</blockquote>",
        "<pre>", "</pre>", "<table>", "</table>", "<tr>", "<td>", "<th>", "<h2>", "</h2>", "<dl>", "</dl>", "<dt>", "<dd>", "<br>",
        "<div>", "</div>", " ", "\n",
    ];

    proptest::proptest! {
        #[test]
        fn any_page_comes_back(parts in proptest::collection::vec((0..40_usize, "[ a-c19#*_()<>`|~!&;:.+=\"'é“—€\\\\\\[\\]-]{0,6}"), 0..30)) {
            let escaped = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag].to_owned(), escaped(text)]).collect();
            let text = all(&html);
            proptest::prop_assert_eq!(visible(&text), kept(&html), "{}\n---\n{}", html, text);
        }

        #[test]
        fn inline_marks_come_back(parts in proptest::collection::vec((2..15_usize, "[ ab*_`\"(]{0,3}"), 0..14)) {
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag], text]).collect();
            let text = all(&html);
            proptest::prop_assert_eq!(visible(&text), kept(&html), "{}\n---\n{}", html, text);
        }

        #[test]
        fn any_text_comes_back(text in "\\PC{0,40}") {
            let html = format!("<p>{}</p>", text.replace('&', "&amp;").replace('<', "&lt;"));
            let markdown = all(&html);
            proptest::prop_assert_eq!(visible(&markdown), kept(&html), "{}", markdown);
        }
    }
}
