//! Words that were found to ranges of the text.

use super::alignment::Run;
use super::index::Words;
use crate::document::Span;

/// Other words between two words of an item that belong to it: changed words, and labels such as `Answer (b)`. More of them are
/// somebody's own text.
const BETWEEN: usize = 4;
/// An option or an answer of fewer words that stands alone is left where it is.
const ALONE: usize = 4;
/// Characters of a label in front of a line.
const LABEL: usize = 16;

/// The ranges of the words of an item, with labels in front of them and signs behind them. `beside` are words of options and
/// answers, which count if they are next to others or are several.
pub(super) fn spans(text: &Words<'_>, runs: &[Run], beside: &[Run]) -> Vec<Span> {
    let range = |run: &Run, sure| (run.j, run.j + run.length, sure);
    let mut all: Vec<(usize, usize, bool)> = runs.iter().map(|run| range(run, true)).collect();
    all.extend(beside.iter().map(|run| range(run, false)));
    all.sort_unstable();
    let mut joined: Vec<(usize, usize, bool)> = Vec::new();
    for (start, end, sure) in all {
        match joined.last_mut() {
            Some(last) if start <= last.1 + BETWEEN => *last = (last.0, last.1.max(end), last.2 || sure),
            _ => joined.push((start, end, sure)),
        }
    }
    joined.retain(|(start, end, sure)| *sure || end - start >= ALONE);
    let mut spans: Vec<Span> = Vec::new();
    for (start, end, _) in joined {
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
    let is_number = core.chars().count() <= 1 || core.bytes().all(|byte| byte.is_ascii_digit());
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
        assert_eq!(between("No. The lamp, sea (or so)."), "lamp, sea");
    }

    #[test]
    fn text_between_words_of_an_item_stays() {
        let text = "lamp one two three four five sea";
        let words = Words::outside(text, &[]);
        let run = |j| Run { i: 0, j, length: 1 };
        let found: Vec<&str> = spans(&words, &[run(0), run(6)], &[]).iter().map(|span| span.of(text)).collect();
        assert_eq!(found, ["lamp", "sea"]);
        // An option alone is no reason to cut a text.
        let found: Vec<&str> = spans(&words, &[run(0)], &[run(6)]).iter().map(|span| span.of(text)).collect();
        assert_eq!(found, ["lamp"]);
    }
}
