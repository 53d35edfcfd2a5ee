//! Words that were found to ranges of the text.

use super::alignment::Run;
use super::index::Words;
use crate::document::Span;

/// Other words between two words of an item that belong to it: changed words, and labels such as `Answer (b)`. More of them are
/// somebody's own text.
const BETWEEN: usize = 3;
/// Fewer isolated words, such as an option or a common word that both texts have, are left where they are.
const ALONE: usize = 4;
/// Characters of a label in front of a line.
const LABEL: usize = 16;

/// The ranges of the words of an item, with labels in front of them and signs behind them. `beside` are words of options and
/// answers.
pub(super) fn spans(text: &Words<'_>, runs: &[Run], beside: &[Run]) -> Vec<Span> {
    let mut all: Vec<(usize, usize)> = runs.iter().chain(beside).map(|run| (run.j, run.j + run.length)).collect();
    all.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some(last) if start <= last.1 + BETWEEN => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    let longest = joined.iter().map(|(start, end)| end - start).max().unwrap_or_default();
    joined.retain(|(start, end)| end - start >= ALONE.min(longest));
    let mut spans: Vec<Span> = Vec::new();
    for (start, end) in joined {
        let start = before_label(text.text, text.words[start].range().start);
        let end = after_signs(text.text, text.words[end - 1].range().end);
        match spans.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => spans.push(Span::new(start, end)),
        }
    }
    spans
}

/// Where the label in front of a word begins, such as `> `, `(a)` or `Question 7:`, if the line begins with it.
fn before_label(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let label = &text[line..at];
    let is_short = label.chars().count() <= LABEL;
    let core = label.trim_matches(|c: char| !c.is_alphanumeric());
    let has_sign = label.contains(|c: char| !c.is_alphanumeric() && !c.is_whitespace());
    let is_letter = core.chars().count() == 1 || core.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = core.is_empty() || is_letter && has_sign;
    let is_name = label.trim_end().ends_with(':') && core.split_whitespace().count() <= 2;
    if is_short && (is_number || is_name) { line } else { at - signs_before(label) }
}

/// Bytes of opening signs directly before a word.
fn signs_before(before: &str) -> usize {
    before.chars().rev().take_while(|c| matches!(c, '(' | '[' | '"' | '“' | '‘' | '«' | '„')).map(char::len_utf8).sum()
}

/// Where the signs behind a word end: those of its line if no other word follows there, else those that touch the word.
fn after_signs(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let line = rest.find('\n').unwrap_or(rest.len());
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
    if rest[..line].contains(char::is_alphanumeric) {
        let opening = |c: char| matches!(c, '(' | '[' | '“' | '‘' | '«' | '„');
        return at + rest.find(|c: char| !is_sign(c) || opening(c)).unwrap_or(rest.len());
    }
    at + rest[..line].trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the range of the word `lamp` to the word `sea`.
    fn between(text: &str) -> &str {
        let words = Words::outside(text, &[]);
        let at = |wanted: &str| words.words.iter().position(|word| &text[word.range()] == wanted).expect("the word");
        let runs = [Run { i: 0, j: at("lamp"), length: 1 }, Run { i: 1, j: at("sea"), length: 1 }];
        spans(&words, &runs, &[])[0].of(text)
    }

    #[test]
    fn labels_and_signs_belong_to_an_item() {
        assert_eq!(between("Quiz\n(a) lamp by the sea?\nmore"), "(a) lamp by the sea?");
        assert_eq!(between("> lamp by\n> the sea. >\n"), "> lamp by\n> the sea. >");
        assert_eq!(between("Question 12: lamp, sea!"), "Question 12: lamp, sea!");
        assert_eq!(between("He said: \"lamp, sea!\" (and left)"), "\"lamp, sea!\"");
        assert_eq!(between("A lamp, sea"), "lamp, sea");
        assert_eq!(between("No. The lamp, sea (or so)."), "lamp, sea");
    }

    #[test]
    fn text_between_words_of_an_item_is_kept() {
        let text = "a lamp by the sea one two three four five a bell by the sea";
        let words = Words::outside(text, &[]);
        let run = |j, length| Run { i: 0, j, length };
        let found = |runs: &[Run], beside: &[Run]| -> Vec<&str> {
            spans(&words, runs, beside).iter().map(|span| span.of(text)).collect()
        };
        assert_eq!(found(&[run(0, 5), run(10, 5)], &[]), ["a lamp by the sea", "a bell by the sea"]);
        // An option alone is no reason to cut a text.
        assert_eq!(found(&[run(0, 5)], &[run(11, 1)]), ["a lamp by the sea"]);
    }
}
