//! Writes the text of one block as Markdown: links, emphasis, code, and escapes.
//!
//! A block is a list of segments, each with the marks that apply to it. `arrange` drops the marks that a parser would
//! not recognise; `render` writes the rest. Both work on stretches: consecutive segments that share a mark.

use super::super::shape::{Kind, Style, percent, target};

/// A piece of text with everything that applies to it.
#[derive(Debug)]
pub(super) struct Segment<'a> {
    pub(super) text: &'a str,
    /// Links and emphasis, outermost first.
    pub(super) stack: Vec<Style>,
    pub(super) code: bool,
}

/// The text of a block, on one line. In tables, vertical bars separate cells.
pub(super) fn line(html: &str, mut segments: Vec<Segment>, in_table: bool) -> String {
    arrange(&mut segments);
    render(html, &segments, in_table)
}

/// True if adjacent marks are one: strong next to strong, or links to the same address.
fn continues(mark: &Style, before: &Style) -> bool {
    mark.kind == before.kind && (mark.kind != Kind::Link || mark.href == before.href)
}

/// The character next to a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    /// White space, ASCII punctuation, or nothing: all Markdown parsers agree on these.
    Boundary,
    Word,
    /// Punctuation for some parsers only.
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

/// How emphasis is written at a given position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Stars,
    Underscore,
}

/// Drops emphasis that would not be recognised. Each removal can affect the rest, so the check is repeated a few times;
/// then all emphasis is dropped.
fn arrange(segments: &mut [Segment]) {
    const ROUNDS: usize = 4;
    blanks(segments);
    for round in 0..=ROUNDS {
        let mut drops: Vec<Stretch> =
            stretches(segments).into_iter().filter(|s| s.kind != Kind::Link && sign(segments, s).is_none()).collect();
        if drops.is_empty() {
            return;
        }
        // Strong words may be recognised once the emphasis inside them is gone.
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

/// Moves white space at the edges of a mark outside it.
fn blanks(segments: &mut [Segment]) {
    for at in 0..segments.len() {
        if segments[at].text.trim().is_empty() {
            let before = if at == 0 { &[][..] } else { &segments[at - 1].stack[..] };
            let after = segments.get(at + 1).map_or(&[][..], |segment| &segment.stack[..]);
            let common = before.iter().zip(after).take_while(|(a, b)| continues(a, b)).map(|(a, _)| *a).collect();
            segments[at].stack = common;
            segments[at].code = false;
        }
    }
}

/// Consecutive segments that share a mark at one depth.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    kind: Kind,
    depth: usize,
    from: usize,
    to: usize,
}

/// How many marks a segment shares with the previous one.
fn shared(segments: &[Segment], at: usize) -> usize {
    if at == 0 || at == segments.len() {
        return 0;
    }
    let (before, after) = (&segments[at - 1].stack, &segments[at].stack);
    before.iter().zip(after).take_while(|(a, b)| continues(a, b)).count()
}

/// All stretches, ordered by where they start.
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
    let (first, last) = (&segments[from], &segments[to - 1]);
    let (first_char, last_char) = (first.text.trim().chars().next()?, last.text.trim().chars().next_back()?);
    // White space at the edges is written outside.
    let before = match first.text.starts_with(char::is_whitespace) {
        true => None,
        false => from.checked_sub(1).and_then(|at| segments[at].text.chars().next_back()),
    };
    let after = match last.text.ends_with(char::is_whitespace) {
        true => None,
        false => segments.get(to).and_then(|segment| segment.text.chars().next()),
    };
    let free_before = neighbour(before) == Neighbour::Boundary;
    let free_after = neighbour(after) == Neighbour::Boundary;
    if kind == Kind::Emphasis && free_before && free_after {
        return Some(Sign::Underscore);
    }
    // Next to a word, stars work if a word also follows directly inside, without other marks between.
    let bare = |segment: &Segment| segment.stack.len() == depth + 1 && !segment.code;
    let word = |segment: &Segment, c: char| bare(segment) && neighbour(Some(c)) == Neighbour::Word;
    let reads = (free_before || word(first, first_char)) && (free_after || word(last, last_char));
    // A single star must not touch other marks.
    let touches_none =
        || bare(first) && bare(last) && is_plain(segments, from, depth, true) && is_plain(segments, to, depth, false);
    (reads && (kind == Kind::Strong || touches_none())).then_some(Sign::Stars)
}

/// True if no mark, except those around the stretch, starts or ends at its edge: the start of segment `at`.
fn is_plain(segments: &[Segment], at: usize, depth: usize, begins: bool) -> bool {
    let outside = if begins { at.checked_sub(1) } else { Some(at) };
    match outside.and_then(|outside| segments.get(outside)) {
        None => depth == 0,
        Some(segment) => segment.stack.len() == depth && shared(segments, at) == depth,
    }
}

/// Writes segments with their marks.
fn render(html: &str, segments: &[Segment], in_table: bool) -> String {
    let mut out = String::new();
    let stretches = stretches(segments);
    let mut next_stretch = 0;
    // Where the open stretches end, and their closing marks.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    while at < segments.len() {
        let end = code_end(segments, at);
        let text: String = segments[at..end].iter().map(|segment| segment.text).collect();
        let words = text.trim();
        if text.starts_with(char::is_whitespace) && !out.is_empty() {
            out.push(' ');
        }
        while let Some(stretch) = stretches.get(next_stretch).filter(|stretch| stretch.from < end) {
            let (begin, finish) = marks(html, segments, stretch, in_table);
            if begin == "[" && out.ends_with('!') {
                // An exclamation mark before a link would make it an image.
                out.pop();
                out.push_str("\\!");
            }
            out.push_str(&begin);
            open.push((stretch.to, finish));
            next_stretch += 1;
        }
        let after = segments.get(end).and_then(|next| next.text.chars().next());
        // A link that starts with `[` and contains `]:`, even in code, would be a link reference definition.
        let in_link = open.iter().any(|(_, finish)| finish.starts_with(']'));
        if segments[at].code && !(in_link && words.contains(']')) {
            code_span(words, after, in_table, &mut out);
        } else {
            escape(words, after, &mut out);
        }
        while let Some((_, finish)) = open.pop_if(|(to, _)| *to <= end) {
            out.push_str(&finish);
        }
        if !words.is_empty() && text.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        at = end;
    }
    out.truncate(out.trim_end().len());
    out
}

/// The end of the segments that are written together: adjacent code forms one code span.
fn code_end(segments: &[Segment], at: usize) -> usize {
    let depth = segments[at].stack.len();
    let mut end = at + 1;
    while segments[at].code
        && segments.get(end).is_some_and(|next| next.code && next.stack.len() == depth)
        && shared(segments, end) == depth
    {
        end += 1;
    }
    end
}

/// The opening and closing marks of a stretch.
fn marks(html: &str, segments: &[Segment], stretch: &Stretch, in_table: bool) -> (String, String) {
    let both = |sign: &str| (sign.to_owned(), sign.to_owned());
    match (stretch.kind, sign(segments, stretch)) {
        (Kind::Link, _) => {
            let href = segments[stretch.from].stack[stretch.depth].href;
            let address = target(html, href).unwrap_or_default();
            ("[".to_owned(), format!("]({})", destination(&address, in_table)))
        }
        (Kind::Strong, Some(_)) => both("**"),
        (Kind::Emphasis, Some(Sign::Underscore)) => both("_"),
        (Kind::Emphasis, Some(Sign::Stars)) => both("*"),
        _ => both(""),
    }
}

/// The address of a link, with the characters that would end it encoded.
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

/// True if a text that starts with `&` could be a character reference, even one that ends in `after`.
fn looks_like_reference(text: &str, after: Option<char>) -> bool {
    const LONGEST: usize = 40;
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '#';
    match text[1..].chars().take(LONGEST).find(|c| !in_name(*c)) {
        Some(end) => end == ';',
        None => after.is_some_and(|c| c == ';' || in_name(c)),
    }
}

/// Writes text so that it stays text. `next` is the character after it.
fn escape(text: &str, next: Option<char>, out: &mut String) {
    let mut before: Option<char> = None;
    let mut space = false;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            // Line breaks do not count here; other white space counts as a space.
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
        // Parsers disagree about vertical bars in code inside tables.
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
pub(super) fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
