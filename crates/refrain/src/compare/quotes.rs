//! Passages in quotation marks, and whether their source is named.

use super::excluded::has_year;
use crate::document::Span;

/// Whether a passage is a quotation in its document.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Quoted {
    /// It is in quotation marks.
    Quoted,
    /// It is in quotation marks, and a source is named next to it.
    Cited,
}

/// Pairs of opening and closing quotation marks.
const MARKS: [(char, char); 7] = [
    ('\u{2018}', '\u{2019}'),
    ('\u{201C}', '\u{201D}'),
    ('\u{201E}', '\u{201C}'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
    ('『', '』'),
];
/// The maximum length of a quotation in bytes.
const LONGEST: usize = 4000;
/// The minimum share of a passage that must be in quotation marks.
const INSIDE: f64 = 0.8;
/// How far after a passage its source may be named, in bytes.
const BEHIND: usize = 120;

/// Ranges of a text in quotation marks, marks included, and lines quoted with `>`, as in mail and Markdown.
pub(super) fn quotations(text: &str) -> Vec<Span> {
    let mut spans = quoted_lines(text);
    let apart = |span: &Span| {
        let next = spans.partition_point(|lines| lines.end <= span.start);
        spans.get(next).is_none_or(|lines| span.end <= lines.start)
    };
    let marked: Vec<Span> = in_marks(text).into_iter().filter(apart).collect();
    spans.extend(marked);
    spans.sort_by_key(|span| span.start);
    spans
}

/// Runs of lines that begin with `>`.
fn quoted_lines(text: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim_start_matches(' ').starts_with('>') {
            match spans.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => spans.push(Span::new(start, end)),
            }
        }
        start = end;
    }
    spans
}

/// Ranges in quotation marks.
fn in_marks(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, character) in text.char_indices() {
        if let Some((close, start)) = open {
            if at - start > LONGEST || (matches!(close, '"' | '\'') && text[start..at].ends_with("\n\n")) {
                open = None;
            } else if character == close && !is_apostrophe(text, at, character) {
                spans.push(Span::new(start, at + character.len_utf8()));
                open = None;
                continue;
            }
        }
        if open.is_none() {
            let close = MARKS.iter().find(|(opens, _)| *opens == character).map(|(_, closes)| *closes);
            let same = character == '"' || (character == '\'' && opens(text, at));
            open = close.or(same.then_some(character)).map(|close| (close, at));
        }
    }
    spans
}

/// True for a simple mark directly before a word, and not inside or after one.
fn opens(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + 1..].chars().next();
    before.is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '[' | '"'))
        && after.is_some_and(char::is_alphanumeric)
}

/// True for a mark between letters, which does not end a quotation: `don't`.
fn is_apostrophe(text: &str, at: usize, sign: char) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at + sign.len_utf8()..].chars().next();
    matches!(sign, '\'' | '\u{2019}')
        && before.is_some_and(char::is_alphanumeric)
        && after.is_some_and(char::is_alphanumeric)
}

/// Whether a passage is quoted, given the quotations in its text.
pub(super) fn quoted(text: &str, quotations: &[Span], passage: Span) -> Option<Quoted> {
    let inside: usize =
        quotations.iter().map(|span| span.end.min(passage.end).saturating_sub(span.start.max(passage.start))).sum();
    if (inside as f64) < INSIDE * passage.len() as f64 {
        return None;
    }
    let last = quotations.iter().rev().find(|span| span.start < passage.end)?;
    // Also search the rest of the quotation: in quoted lines, the source is part of the quotation.
    let rest = &text[passage.end.min(last.end)..last.end];
    let tail = &rest[rest.ceil_char_boundary(rest.len().saturating_sub(BEHIND))..];
    let behind = &text[last.end..text.floor_char_boundary(last.end + BEHIND)];
    Some(if names_source(tail) || names_source(behind) { Quoted::Cited } else { Quoted::Quoted })
}

/// True if a text begins with a source or soon has one in brackets: `(Smith 1998)`, `(p. 12)`, `[3]`, a superscript
/// number.
fn names_source(text: &str) -> bool {
    let raised = |c: char| matches!(c, '¹' | '²' | '³' | '\u{2070}'..='\u{2079}');
    if text.trim_start().starts_with(raised) {
        return true;
    }
    let bracketed = |open: char, close: char| {
        let (_, inside) = text.split_once(open)?;
        Some(inside.split_once(close)?.0.to_owned())
    };
    let round = bracketed('(', ')').is_some_and(|inside| {
        let pages = ["p. ", "pp. ", "S. ", "ibid", "op. cit"].iter().any(|sign| inside.contains(sign));
        pages || has_year(&inside) || (!inside.is_empty() && inside.chars().all(|c| c.is_ascii_digit()))
    });
    let square =
        bracketed('[', ']').is_some_and(|inside| inside.starts_with(|c: char| c.is_ascii_digit()) || has_year(&inside));
    round || square
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, passage: &str) -> Option<Quoted> {
        let start = text.find(passage).expect("a part of the text");
        quoted(text, &quotations(text), Span::new(start, start + passage.len()))
    }

    #[test]
    fn quotations_with_and_without_a_source() {
        let words = "the lamp is lit at dusk";
        assert_eq!(of(&format!("He says that {words}."), words), None);
        assert_eq!(of(&format!("He says “{words}.” And more."), words), Some(Quoted::Quoted));
        assert_eq!(of(&format!("He doesn't say ‘it's {words}’ (Smith 1998)."), words), Some(Quoted::Cited));
        assert_eq!(of(&format!("He doesn't say 'it's {words}.' And more."), words), Some(Quoted::Quoted));
        assert_eq!(of(&format!("It's the men's lamp: {words}, isn't it?"), words), None);
        for source in ["(Smith 1998)", "[3]", "(p. 12)", "²", "(12)"] {
            assert_eq!(of(&format!("He says \"{words}\" {source}."), words), Some(Quoted::Cited), "{source}");
        }
        assert_eq!(of(&format!("„Er sagt“, {words} „und mehr“"), words), None);
        let long = words.repeat(4);
        let with_source = format!("\"{long}\" (Harwood 1971).");
        assert_eq!(of(&format!("He says {with_source} And more."), &with_source), Some(Quoted::Cited));
    }

    #[test]
    fn lines_set_off_by_a_sign_are_quotations() {
        let words = "the lamp is lit at dusk\n> and put out at dawn";
        assert_eq!(of(&format!("He says:\n\n> {words}\n\nAnd more."), words), Some(Quoted::Quoted));
        assert_eq!(of(&format!("He says:\n\n> {words} [3]\n\nAnd more."), words), Some(Quoted::Cited));
        assert_eq!(of(&format!("> He says:\n\n{words}\n"), words), None);
    }
}
