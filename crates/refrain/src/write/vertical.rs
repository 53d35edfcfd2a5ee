//! Vertical: one token per line, with `<doc>`, `<p>` and `<g/>` on separate lines, as read by corpus managers and
//! taggers.
//!
//! `&` and `<` in tokens are written as entities, so that no token can be mistaken for a structure.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::jsonl::origin;
use super::output::{Compressed, Written};
use super::registry::Registry;
use super::{DocumentWriter, WriteOptions};
use crate::document::{Annotation, Block, BlockKind, Document, Mark, Span, Structure};
use crate::error::{Error, Hint, Result};
use crate::text::tokens;

pub(super) struct VerticalWriter {
    out: Compressed,
    options: WriteOptions,
    page: String,
    registry: Option<Registry>,
}

impl VerticalWriter {
    /// `path` is the file that is written, unless it is a stream.
    pub(super) fn new(out: Compressed, path: Option<&Path>, options: WriteOptions) -> Result<VerticalWriter> {
        let registry = match (options.registry, path) {
            (false, _) => None,
            (true, Some(path)) => Some(Registry::of(path)?),
            (true, None) => {
                let hint = Hint::option("output", "name a file with `output`");
                return Err(Error::Refused("a registry names the vertical file, and there is none".into()).hint(hint));
            }
        };
        Ok(VerticalWriter { out, options, page: String::new(), registry })
    }

    /// Makes the lines of a document.
    fn make(&mut self, document: &Document) {
        self.page.clear();
        open_document(&mut self.page, document);
        if document.annotation().is_some() {
            let document =
                if self.options.keep_marked { Cow::Borrowed(document) } else { Cow::Owned(document.without_marked()) };
            annotated_tokens(&mut self.page, &document);
            self.page.push_str("</doc>\n");
            return;
        }
        let removed = if self.options.keep_marked { Vec::new() } else { document.removed_spans() };
        let mut marks: Vec<&Mark> = document.fitting_marks().collect();
        marks.sort_by_key(|mark| mark.span.start);
        let (mut next, mut active): (usize, Vec<&Mark>) = (0, Vec::new());
        for block in document.blocks() {
            // Blocks and marks in one walk: those that end before this block are done with.
            active.retain(|mark| mark.span.end > block.span.start);
            while next < marks.len() && marks[next].span.start < block.span.end {
                active.push(marks[next]);
                next += 1;
            }
            let kept = outside(block.span, &removed);
            if kept.iter().all(|span| span.of(document.text()).trim().is_empty()) {
                continue;
            }
            match block.kind {
                BlockKind::Paragraph => self.page.push_str("<p>\n"),
                kind => {
                    let _ = writeln!(self.page, "<p type=\"{}\">", kind.name());
                }
            }
            for span in kept {
                if self.options.keep_marked {
                    marked_tokens(&mut self.page, document.text(), &active, span);
                } else {
                    plain_tokens(&mut self.page, span.of(document.text()));
                }
            }
            self.page.push_str("</p>\n");
        }
        self.page.push_str("</doc>\n");
    }
}

impl DocumentWriter for VerticalWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.make(document);
        if let Some(registry) = &mut self.registry {
            registry.note(&self.page, document.language.as_deref());
        }
        self.out.put(self.page.as_bytes())
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        self.out.pause().map(Some)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let written = self.out.finish()?;
        self.registry.as_ref().map_or(Ok(()), Registry::write)?;
        Ok(written)
    }
}

fn open_document(page: &mut String, document: &Document) {
    page.push_str("<doc");
    let mut attribute = |name: &str, value: &str| {
        let _ = write!(page, " {name}=\"");
        for c in value.chars() {
            match c {
                '&' => page.push_str("&amp;"),
                '<' => page.push_str("&lt;"),
                '>' => page.push_str("&gt;"),
                '"' => page.push_str("&quot;"),
                c if c.is_whitespace() || c.is_control() => page.push(' '),
                c => page.push(c),
            }
        }
        page.push('"');
    };
    attribute("id", &document.id);
    let known = ["id", "url", "language", "encoding", "origin"];
    for (name, value) in [
        ("url", document.origin.url.as_deref()),
        ("language", document.language.as_deref()),
        ("encoding", document.encoding.as_deref()),
    ] {
        if let Some(value) = value {
            attribute(name, value);
        }
    }
    let origin = origin(document);
    if !origin.is_empty() {
        attribute("origin", &origin);
    }
    for (name, value) in &document.meta {
        if known.contains(&name.as_str()) || !is_attribute_name(name) {
            continue;
        }
        match value {
            Value::String(value) => attribute(name, value),
            Value::Number(_) | Value::Bool(_) => attribute(name, &value.to_string()),
            _ => {}
        }
    }
    page.push_str(">\n");
}

fn is_attribute_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The parts of a span that no removed span covers. Removed spans are in order and apart.
fn outside(span: Span, removed: &[Span]) -> Vec<Span> {
    let mut kept = Vec::new();
    let mut from = span.start;
    let first = removed.partition_point(|cut| cut.end <= span.start);
    for &cut in removed[first..].iter().take_while(|cut| cut.start < span.end) {
        kept.push(Span::new(from, cut.start.max(from)));
        from = cut.end.min(span.end);
    }
    kept.push(Span::new(from, span.end));
    kept.retain(|span| !span.is_empty());
    kept
}

fn plain_tokens(page: &mut String, text: &str) {
    for token in tokens(text) {
        if token.glued {
            page.push_str("<g/>\n");
        }
        if token.text.contains(['&', '<']) {
            page.push_str(&token.text.replace('&', "&amp;").replace('<', "&lt;"));
        } else {
            page.push_str(token.text);
        }
        page.push('\n');
    }
}

/// Tokens with their columns, in the structures that they came in; marks as structures.
fn annotated_tokens(page: &mut String, document: &Document) {
    let Some(Annotation { tokens, structures }) = document.annotation() else { return };
    let is_paragraph = |structure: &Structure| name_of(&structure.line) == "p";
    let paragraph = |block: &Block| Structure { span: block.span, line: "<p>".to_owned() };
    // Paragraphs may be marked only by blank lines.
    let paragraphs = if structures.iter().any(is_paragraph) { &[] } else { document.blocks() };
    let mut structures: Vec<Structure> = paragraphs.iter().map(paragraph).chain(structures.iter().cloned()).collect();
    if !paragraphs.is_empty() {
        structures.sort_by_key(|structure| (structure.span.start, Reverse(structure.span.end)));
    }
    let (mut next, mut open, mut marks): (usize, Vec<&Structure>, Vec<&Mark>) = (0, Vec::new(), Vec::new());
    let mut all: Vec<&Mark> = document.fitting_marks().collect();
    all.sort_by_key(|mark| mark.span.start);
    let (mut later, mut active): (usize, Vec<&Mark>) = (0, Vec::new());
    let mut last = None;
    for token in tokens {
        active.retain(|mark| mark.span.end > token.span.start);
        while let Some(mark) = all.get(later).filter(|mark| mark.span.start <= token.span.start) {
            active.push(mark);
            later += 1;
        }
        let begin = structures[next..].iter().take_while(|structure| structure.span.start <= token.span.start).count();
        let covering: Vec<&Mark> = active.iter().copied().filter(|mark| token.span.end <= mark.span.end).collect();
        if begin > 0 || covering != marks {
            page.push_str(&"</mark>\n".repeat(marks.len()));
            marks.clear();
        }
        for structure in &structures[next..next + begin] {
            let _ = writeln!(page, "{}", structure.line);
            if !structure.line.ends_with("/>") {
                open.push(structure);
            }
        }
        next += begin;
        if marks.len() < covering.len() {
            for mark in &covering {
                let _ = writeln!(page, "<mark label=\"{}\" pass=\"{}\">", mark.label.name(), mark.pass);
            }
            marks = covering;
        }
        if last == Some(token.span.start) {
            page.push_str("<g/>\n");
        }
        last = Some(token.span.end);
        let text = token.span.of(document.text()).replace('&', "&amp;").replace('<', "&lt;").replace('\n', "&#10;");
        let _ = writeln!(page, "{text}{}", token.columns);
        if open.iter().any(|structure| structure.span.end <= token.span.end) {
            page.push_str(&"</mark>\n".repeat(marks.len()));
            marks.clear();
        }
        for number in (0..open.len()).rev() {
            if open[number].span.end <= token.span.end {
                let _ = writeln!(page, "</{}>", name_of(&open.remove(number).line));
            }
        }
    }
    page.push_str(&"</mark>\n".repeat(marks.len()));
}

/// The name of a structure, of the line that begins it.
fn name_of(line: &str) -> &str {
    let inner = line.trim_start_matches('<');
    inner.split([' ', '\t', '/', '>']).next().unwrap_or_default()
}

/// Tokens with the marks on them as structures.
fn marked_tokens(page: &mut String, text: &str, marks: &[&Mark], span: Span) {
    let mut cuts: Vec<usize> = vec![span.start, span.end];
    for mark in marks {
        let part = mark.span.intersection(span);
        if !part.is_empty() {
            cuts.extend([part.start, part.end]);
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    for ends in cuts.windows(2) {
        let piece = Span::new(ends[0], ends[1]);
        let covers = |mark: &&Mark| mark.span.start <= piece.start && piece.end <= mark.span.end;
        let covering: Vec<&Mark> = marks.iter().copied().filter(covers).collect();
        for mark in &covering {
            let _ = writeln!(page, "<mark label=\"{}\" pass=\"{}\">", mark.label.name(), mark.pass);
        }
        plain_tokens(page, piece.of(text));
        for _ in &covering {
            page.push_str("</mark>\n");
        }
    }
}
