//! Vertical files: one token a line, structures as tags on lines of their own. What corpus managers and taggers use, and
//! what `write::vertical` writes.
//!
//! The text is restored from the tokens: `<g/>` joins two of them, and `<p>` (or a blank line) begins a paragraph.
//! Everything after the first tab of a line (tags and lemmas of an annotated corpus) and other structures (`<s>`)
//! become the document's [`Annotation`]. A vertical output writes them again.

use std::io::BufRead;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::compress::DamagedMember;
use super::jsonl::{Line, Lines, document, take_id};
use super::{At, Body, Emitter, Markup, describe, too_large};
use crate::document::{AnnotatedToken, Annotation, Span, Structure};
use crate::error::{Hint, Place};

pub(super) fn read(at: &At<'_>, reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let limit = at.options().max_document;
    let mut lines = Lines::new(reader, limit);
    let mut current: Option<Assembly> = None;
    loop {
        let number = lines.number + 1;
        let line = match lines.next() {
            Ok(None) => break,
            Ok(Some(Line::Whole(line))) => line,
            Ok(Some(Line::TooLong)) => {
                out.failed(at.failure(too_large(limit)).place(Place::Line(number)))?;
                continue;
            }
            Err(error) => {
                // Half a document does not count.
                current = None;
                out.failed(at.failure(describe(&error)).place(Place::Line(number)))?;
                if DamagedMember::is(&error) {
                    continue;
                }
                break;
            }
        };
        let Ok(line) = simdutf8::basic::from_utf8(line) else {
            out.failed(at.failure("not UTF-8").place(Place::Line(number)))?;
            continue;
        };
        let line = line.trim_end_matches(['\n', '\r']);
        let line = if number == 1 { line.trim_start_matches('\u{feff}') } else { line };
        match Tag::parse(line) {
            Some(Tag::Open("doc", attributes)) => {
                finish(at, current.take(), out)?;
                current =
                    Some(Assembly { attributes: parse_attributes(attributes), line: number, ..Assembly::default() });
            }
            Some(Tag::Close("doc")) => finish(at, current.take(), out)?,
            Some(tag) => {
                if let Some(assembly) = &mut current {
                    assembly.tag(&tag, line);
                }
            }
            None => {
                let assembly = current.get_or_insert_with(|| Assembly { line: number, ..Assembly::default() });
                assembly.token(line);
                if assembly.text.len() as u64 > limit {
                    let failure = at.failure(too_large(limit));
                    out.failed(failure.place(Place::Line(assembly.line)).hint(Hint::max_document()))?;
                    *assembly = Assembly { dropped: true, ..Assembly::default() };
                }
            }
        }
    }
    finish(at, current.take(), out)
}

/// A document being put together.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts about the lines so far
struct Assembly {
    attributes: Map<String, Value>,
    line: u64,
    text: String,
    glue: bool,
    new_paragraph: bool,
    dropped: bool,
    annotation: Annotation,
    /// Structures that are open: their names and numbers.
    open: Vec<(String, usize)>,
    /// Structures before the next token.
    waiting: Vec<usize>,
    /// There is more than text and paragraphs.
    annotated: bool,
}

/// The place of a structure that has no token yet.
const NOWHERE: Span = Span::new(0, 0);

impl Assembly {
    fn tag(&mut self, tag: &Tag<'_>, line: &str) {
        self.new_paragraph |= matches!(tag, Tag::Open("p", _) | Tag::Close("p"));
        match *tag {
            Tag::Empty("g") => self.glue = true,
            Tag::Empty(_) => {
                self.annotated = true;
                self.begin(line);
            }
            Tag::Open(name, attributes) => {
                self.annotated |= name != "p" || !attributes.is_empty();
                if name == "p" {
                    self.end(name); // paragraphs do not nest
                }
                let number = self.begin(line);
                self.open.push((name.to_owned(), number));
            }
            Tag::Close(name) => self.end(name),
        }
    }

    fn begin(&mut self, line: &str) -> usize {
        let number = self.annotation.structures.len();
        self.annotation.structures.push(Structure { span: NOWHERE, line: line.to_owned() });
        self.waiting.push(number);
        number
    }

    /// Ends the innermost structure of a name after the last token.
    fn end(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|(open, _)| open == name) else { return };
        let (_, number) = self.open.remove(at);
        match self.waiting.iter().position(|waiting| *waiting == number) {
            Some(empty) => drop(self.waiting.remove(empty)),
            None => self.annotation.structures[number].span.end = self.text.len(),
        }
    }

    /// The annotation of the tokens, if there is more than text and paragraphs.
    fn annotation(&mut self) -> Option<Box<Annotation>> {
        while let Some((name, _)) = self.open.last() {
            let name = name.clone();
            self.end(&name);
        }
        let mut annotation = std::mem::take(&mut self.annotation);
        annotation.structures.retain(|structure| structure.span != NOWHERE);
        self.annotated.then(|| Box::new(annotation))
    }

    fn token(&mut self, line: &str) {
        let token = line.split('\t').next().unwrap_or_default();
        let columns = &line[token.len()..];
        if token.is_empty() {
            self.new_paragraph = true;
            return;
        }
        if self.dropped {
            return;
        }
        if !self.text.is_empty() {
            if std::mem::take(&mut self.new_paragraph) {
                self.text.push_str("\n\n");
            } else if !self.glue {
                self.text.push(' ');
            }
        }
        (self.glue, self.new_paragraph) = (false, false);
        let start = self.text.len();
        self.text.push_str(&unescape(token));
        let span = Span::new(start, self.text.len());
        for number in self.waiting.drain(..) {
            self.annotation.structures[number].span = span;
        }
        self.annotated |= !columns.is_empty();
        self.annotation.tokens.push(AnnotatedToken { span, columns: columns.to_owned() });
    }
}

fn finish(at: &At<'_>, assembly: Option<Assembly>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let Some(mut assembly) = assembly.filter(|assembly| !assembly.dropped) else {
        return ControlFlow::Continue(());
    };
    let annotation = assembly.annotation();
    let Assembly { mut attributes, line, text, .. } = assembly;
    if !out.wants_next() {
        return out.pass_over();
    }
    let id = take_id(&mut attributes, &at.options().id_field).unwrap_or_else(|| format!("{}:{line}", at.path()));
    let mut raw = document(at, id, text, attributes);
    raw.markup = Some(Markup::Text);
    if let (Some(annotation), Body::Text(text)) = (annotation, &mut raw.body) {
        raw.body = Body::Annotated(std::mem::take(text), annotation);
    }
    out.document(raw)
}

/// A structure line.
#[derive(Debug, PartialEq)]
enum Tag<'a> {
    Open(&'a str, &'a str),
    Close(&'a str),
    Empty(&'a str),
}

impl<'a> Tag<'a> {
    fn parse(line: &'a str) -> Option<Tag<'a>> {
        let inner = line.strip_prefix('<')?.strip_suffix('>')?;
        let (inner, close) = inner.strip_prefix('/').map_or((inner, false), |rest| (rest, true));
        let (inner, empty) = inner.strip_suffix('/').map_or((inner, false), |rest| (rest, true));
        let (name, attributes) = inner.split_once([' ', '\t']).unwrap_or((inner, ""));
        let valid = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        match (valid, close, empty) {
            (false, ..) => None,
            (_, true, _) => Some(Tag::Close(name)),
            (_, _, true) => Some(Tag::Empty(name)),
            _ => Some(Tag::Open(name, attributes)),
        }
    }
}

/// Attributes of a structure; values in double quotes, with the five entities of XML.
fn parse_attributes(mut rest: &str) -> Map<String, Value> {
    let mut attributes = Map::new();
    while let Some((name, after)) = rest.split_once('=') {
        let Some((value, after)) = after.trim_start().strip_prefix('"').and_then(|value| value.split_once('"')) else {
            break;
        };
        attributes.insert(name.trim().to_owned(), Value::from(unescape(value)));
        rest = after;
    }
    attributes
}

fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\''), ("&#10;", '\n'), ("&amp;", '&')];
        if let Some((entity, c)) = known.iter().find(|(entity, _)| rest.starts_with(entity)) {
            plain.push(*c);
            rest = &rest[entity.len()..];
        } else {
            plain.push('&');
            rest = &rest[1..];
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_tokens_are_distinguished() {
        assert_eq!(Tag::parse("<doc id=\"1\">"), Some(Tag::Open("doc", "id=\"1\"")));
        assert_eq!(Tag::parse("</p>"), Some(Tag::Close("p")));
        assert_eq!(Tag::parse("<g/>"), Some(Tag::Empty("g")));
        assert_eq!(Tag::parse("<"), None);
        assert_eq!(Tag::parse("<3>"), None);
        assert_eq!(Tag::parse("word\tNN"), None);
    }

    #[test]
    fn attributes_are_unescaped() {
        let attributes = parse_attributes("id=\"a &amp; b\" title=\"x = &quot;y&quot;\" bad");
        assert_eq!(attributes["id"], "a & b");
        assert_eq!(attributes["title"], "x = \"y\"");
        assert_eq!(attributes.len(), 2);
        assert_eq!(unescape("&amp;lt; & &x;"), "&lt; & &x;");
    }
}
