//! Splits HTML into tags and text, as the tokeniser of the HTML standard defines them, without copying.
//!
//! Tags, comments, quoted and unquoted attributes, text-only elements and scripts end exactly where the standard ends
//! them. Irrelevant bytes (most attributes, comments, the content of scripts) are skipped at the speed of a byte
//! search.

use memchr::{memchr, memchr3, memmem};

use super::tags::{Attribute, Tag};
use crate::document::Span;

/// Receives the tokens of a page.
pub(crate) trait TokenSink {
    /// A start tag; `html[span]` is all of it.
    fn start(&mut self, tag: Tag, attributes: &[(Attribute, Span)], self_closing: bool, span: Span);
    /// An end tag.
    fn end(&mut self, tag: Tag, span: Span);
    /// Text as written in the page, including character references.
    fn text(&mut self, span: Span);
    /// The content of a text-only element; its end tag follows, if there is one.
    fn raw(&mut self, tag: Tag, span: Span);
    /// True inside a drawing or formula, where `<![CDATA[` has a meaning.
    fn in_foreign(&self) -> bool;
    /// True if the content of the text-only element that just began is text.
    fn reads_raw(&self) -> bool {
        !self.in_foreign()
    }
}

/// Reads a page.
pub(crate) fn tokenise(html: &str, attributes: &mut Vec<(Attribute, Span)>, sink: &mut impl TokenSink) {
    let bytes = html.as_bytes();
    let mut from = 0; // start of the text not yet passed on
    let mut at = 0;
    let mut titles_end = true;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let open = at + found;
        let Some(&next) = bytes.get(open + 1) else { break };
        let tag_begins = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        let closing = next == b'/';
        if !(next.is_ascii_alphabetic() || matches!(next, b'!' | b'?') || (closing && bytes.len() > open + 2)) {
            at = open + 1;
            continue;
        }
        if open > from {
            sink.text(Span::new(from, open));
        }
        if next.is_ascii_alphabetic() || (closing && tag_begins(open + 2)) {
            let name_from = open + 1 + usize::from(closing);
            attributes.clear();
            let Some(end) = read_tag(bytes, name_from, attributes) else {
                // The page ends inside a tag: the standard drops the tag.
                return;
            };
            let tag = Tag::of(&bytes[name_from..end.name]);
            let span = Span::new(open, end.tag);
            at = end.tag;
            if closing {
                sink.end(tag, span);
            } else {
                sink.start(tag, attributes, end.self_closing, span);
                if tag.is(Tag::TEXT_ONLY) && sink.reads_raw() {
                    let content = at;
                    at = match tag {
                        Tag::Title => title_end(bytes, content, &mut titles_end),
                        _ => raw_end(bytes, tag, &bytes[name_from..end.name], content),
                    };
                    sink.raw(tag, Span::new(content, at));
                }
            }
        } else {
            at = skip_declaration(bytes, open, sink);
        }
        from = at;
    }
    if bytes.len() > from {
        sink.text(Span::new(from, bytes.len()));
    }
}

/// Where the parts of a tag end.
struct TagEnd {
    name: usize,
    tag: usize,
    self_closing: bool,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0c)
}

/// Reads a tag from its name on; `None` when the page ends first.
fn read_tag(bytes: &[u8], from: usize, attributes: &mut Vec<(Attribute, Span)>) -> Option<TagEnd> {
    let mut at = from;
    while !matches!(*bytes.get(at)?, b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r' | 0x0c) {
        at += 1;
    }
    let name = at;
    loop {
        // Before an attribute.
        let mut slash = false;
        loop {
            match *bytes.get(at)? {
                b'>' => return Some(TagEnd { name, tag: at + 1, self_closing: slash }),
                b'/' => slash = true,
                byte if is_space(byte) => slash = false,
                _ => break,
            }
            at += 1;
        }
        // Its name. A leading equals sign belongs to it.
        let start = at;
        at += 1;
        while !matches!(*bytes.get(at)?, b'>' | b'/' | b'=' | b' ' | b'\n' | b'\t' | b'\r' | 0x0c) {
            at += 1;
        }
        let attribute = Attribute::of(&bytes[start..at]);
        // Its value.
        let mut value = at;
        while is_space(*bytes.get(value)?) {
            value += 1;
        }
        let span = if bytes[value] == b'=' {
            value += 1;
            while is_space(*bytes.get(value)?) {
                value += 1;
            }
            match bytes[value] {
                quote @ (b'"' | b'\'') => {
                    let end = value + 1 + memchr(quote, &bytes[value + 1..])?;
                    at = end + 1;
                    Span::new(value + 1, end)
                }
                b'>' => {
                    at = value;
                    Span::new(value, value)
                }
                _ => {
                    at = value;
                    while !(bytes.get(at)? == &b'>' || is_space(bytes[at])) {
                        at += 1;
                    }
                    Span::new(value, at)
                }
            }
        } else {
            Span::new(at, at)
        };
        if let Some(attribute) = attribute
            && !attributes.iter().any(|(known, _)| *known == attribute)
        {
            attributes.push((attribute, span));
        }
    }
}

/// Skips a comment, a doctype, a processing instruction, or an end tag without a name.
fn skip_declaration(bytes: &[u8], open: usize, sink: &mut impl TokenSink) -> usize {
    let after = &bytes[open + 2..];
    if bytes[open + 1] == b'!' {
        if let Some(comment) = after.strip_prefix(b"--") {
            return open + 4 + comment_end(comment);
        }
        if sink.in_foreign() && after.starts_with(b"[CDATA[") {
            return memmem::find(after, b"]]>").map_or(bytes.len(), |end| open + 2 + end + 3);
        }
    }
    memchr(b'>', &bytes[open + 1..]).map_or(bytes.len(), |end| open + 1 + end + 1)
}

/// The length of a comment after its `<!--`, including its end.
fn comment_end(comment: &[u8]) -> usize {
    if comment.starts_with(b">") {
        return 1;
    }
    if comment.starts_with(b"->") {
        return 2;
    }
    let mut at = 0;
    while let Some(found) = memmem::find(&comment[at..], b"--") {
        let dashes = at + found;
        match comment.get(dashes + 2) {
            Some(b'>') => return dashes + 3,
            Some(b'!') if comment.get(dashes + 3) == Some(&b'>') => return dashes + 4,
            _ => at = dashes + 1,
        }
    }
    comment.len()
}

/// Where a title ends. Browsers would treat the rest of the page as part of an unclosed title; here it ends at the next
/// tag.
fn title_end(bytes: &[u8], from: usize, titles_end: &mut bool) -> usize {
    if *titles_end {
        let end = raw_end(bytes, Tag::Title, b"title", from);
        *titles_end = end < bytes.len();
        if *titles_end {
            return end;
        }
    }
    memchr(b'<', &bytes[from..]).map_or(bytes.len(), |found| from + found)
}

/// Where the content of a text-only element ends.
fn raw_end(bytes: &[u8], tag: Tag, name: &[u8], from: usize) -> usize {
    match tag {
        Tag::Plaintext => bytes.len(),
        Tag::Script => script_end(bytes, from),
        _ => memmem::find_iter(&bytes[from..], b"</")
            .map(|found| from + found)
            .find(|&at| names(bytes, at + 2, name))
            .unwrap_or(bytes.len()),
    }
}

/// True if a complete tag name is at a position.
fn names(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    bytes.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && bytes.get(at + name.len()).is_some_and(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'))
}

/// Where a script ends: at its end tag, unless that is in a comment that contains a `<script`.
fn script_end(bytes: &[u8], from: usize) -> usize {
    let (mut escaped, mut doubly) = (false, false);
    let mut at = from;
    loop {
        // Outside of comments, only `<` matters.
        let found = if escaped { memchr3(b'<', b'-', b'-', &bytes[at..]) } else { memchr(b'<', &bytes[at..]) };
        let Some(found) = found else { return bytes.len() };
        at += found;
        let rest = &bytes[at..];
        if rest[0] == b'-' {
            if rest.starts_with(b"-->") {
                (escaped, doubly) = (false, false);
            }
        } else if names(bytes, at + 2, b"script") && rest.get(1) == Some(&b'/') {
            if !doubly {
                return at;
            }
            doubly = false;
        } else if escaped && names(bytes, at + 1, b"script") {
            doubly = true;
        } else if !escaped && rest.starts_with(b"<!--") {
            escaped = true;
            // `<!-->` and `<!--->` end at once: their dashes also belong to the end.
            at += 1;
        }
        at += 1;
    }
}
