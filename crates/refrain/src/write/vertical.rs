//! Vertical: one token a line; `<doc>`, `<p>` and `<g/>` on lines of their own. What corpus managers and taggers read.
//!
//! `&` and `<` in tokens are written as entities, so that no token can be taken for a structure.

use std::fmt::Write as _;

use serde_json::Value;

use super::jsonl::origin;
use super::output::{Compressed, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::{BlockKind, Document, Mark, Span};
use crate::error::Result;
use crate::text::tokens;

pub(super) struct VerticalWriter {
    out: Compressed,
    options: WriteOptions,
    page: String,
}

impl VerticalWriter {
    pub(super) fn new(out: Compressed, options: WriteOptions) -> VerticalWriter {
        VerticalWriter { out, options, page: String::new() }
    }
}

impl DocumentWriter for VerticalWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.page.clear();
        open_document(&mut self.page, document);
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
        self.out.put(self.page.as_bytes())
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        self.out.pause().map(Some)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.out.finish()
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
