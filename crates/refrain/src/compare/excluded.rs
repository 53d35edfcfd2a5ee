//! Text that does not count: lists of references, and text that everyone received.

use std::borrow::Cow;

use super::fingerprint::{FingerprintOptions, gram_spans};
use crate::document::Span;

/// Why a range of a document does not count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exclusion {
    /// It occurs in text that everyone received.
    Given,
    /// It occurs in many documents.
    Common,
    /// It is a list of references.
    References,
}

impl Exclusion {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Exclusion::Given => "given",
            Exclusion::Common => "common",
            Exclusion::References => "references",
        }
    }
}

/// Headings of lists of references, in lower case.
const HEADINGS: [&str; 47] = [
    "references",
    "reference list",
    "references list",
    "works cited list",
    "sources consulted",
    "sources used",
    "list of references",
    "references and notes",
    "bibliography",
    "selected bibliography",
    "works cited",
    "works consulted",
    "literature",
    "literature cited",
    "sources",
    "further reading",
    "literatur",
    "literaturverzeichnis",
    "quellen",
    "quellenverzeichnis",
    "bibliographie",
    "bibliografie",
    "références",
    "références bibliographiques",
    "ouvrages cités",
    "referencias",
    "referencias bibliográficas",
    "bibliografía",
    "obras citadas",
    "referências",
    "referências bibliográficas",
    "bibliografia",
    "riferimenti",
    "riferimenti bibliografici",
    "literatuur",
    "literatuurlijst",
    "bronnen",
    "referenser",
    "litteratur",
    "litteraturförteckning",
    "kirjallisuus",
    "lähteet",
    "literatura",
    "piśmiennictwo",
    "список литературы",
    "литература",
    "参考文献",
];

/// The minimum share of lines below a heading that look like references.
const LIKE_REFERENCES: f64 = 0.4;
/// Longer lines are not references.
const LONGEST: usize = 500;
/// The maximum share of a text that a list of references may take up, so that a heading cannot hide an essay.
const MOST: f64 = 0.4;
/// A list of references ends after this many bytes of other text.
const OTHER_TEXT: usize = 600;

/// Finds lists of references: a heading that announces one, and the lines below it that look like references.
pub(crate) fn references(text: &str) -> Vec<Span> {
    let mut lists = Vec::new();
    let mut lines = lines(text).peekable();
    while let Some(line) = lines.next() {
        if !is_heading(line.of(text)) {
            continue;
        }
        // Lines that look like references, and all lines up to the last one that does.
        let (mut like, mut all, mut end) = (0_usize, 0_usize, line.end);
        let (mut others, mut since) = (0, 0);
        while let Some(next) = lines.peek() {
            let written = next.of(text).trim();
            since += next.len();
            others += usize::from(!written.is_empty());
            if is_like_reference(written) {
                (like, all, end) = (like + 1, all + others, next.end);
                (others, since) = (0, 0);
            } else if since > OTHER_TEXT {
                break;
            }
            lines.next();
        }
        let list = Span::new(line.start, end);
        let lists_so_far: usize = lists.iter().map(|list: &Span| list.len()).sum();
        let of_text = (lists_so_far + list.len()) as f64 / text.len() as f64;
        if like > 0 && like as f64 >= LIKE_REFERENCES * all as f64 && of_text <= MOST {
            lists.push(list);
        }
    }
    lists
}

/// The lines of a text, including their line ends.
fn lines(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        Span::new(at - line.len(), at)
    })
}

/// The maximum length of a heading line in bytes, including any decoration.
const LONGEST_HEADING: usize = 64;

/// True for a line that contains only a heading of a list of references, possibly numbered.
fn is_heading(line: &str) -> bool {
    if line.len() > LONGEST_HEADING {
        return false;
    }
    let trimmed = line.trim().trim_start_matches(['#', '*', '=', ' ']);
    let unnumbered = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ' | '\t'));
    let heading = unnumbered.trim_end_matches([':', '.', '*', '=', '#', ' ']);
    HEADINGS.contains(&heading.to_lowercase().as_str())
}

/// True for a line with a year, an address, or something else typical of references.
fn is_like_reference(line: &str) -> bool {
    line.len() < LONGEST
        && (has_year(line)
            || ["http://", "https://", "doi:", "doi.org", "www.", " pp. ", " vol. ", "ISBN"]
                .iter()
                .any(|sign| line.contains(sign)))
}

/// True if a line contains a year from 1500 to 2099 as a separate number.
pub(super) fn has_year(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.windows(4).enumerate().any(|(at, four)| {
        let alone = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_digit());
        let century = matches!(&four[..2], [b'1', b'5'..=b'9'] | [b'2', b'0']);
        century
            && four[2..].iter().all(u8::is_ascii_digit)
            && alone(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && alone(bytes.get(at + 4))
    })
}

/// The number of consecutive n-grams that form a range; most texts contain shorter runs.
const STRETCH: usize = 5;

/// Ranges of a text with several consecutive n-grams that all satisfy `among`.
pub(super) fn stretches_of(text: &str, options: &FingerprintOptions, among: impl Fn(u64) -> bool) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut open: Option<(Span, usize)> = None;
    let mut close = |open: &mut Option<(Span, usize)>| {
        spans.extend(open.take().filter(|(_, grams)| *grams >= STRETCH).map(|(span, _)| span));
    };
    gram_spans(text, options, |gram, span| {
        if !among(gram) {
            close(&mut open);
        } else if let Some((stretch, grams)) = &mut open {
            (stretch.end, *grams) = (span.end, *grams + 1);
        } else {
            open = Some((span, 1));
        }
    });
    close(&mut open);
    spans
}

/// A text with some ranges replaced by spaces; all other offsets stay the same.
pub(super) fn blanked<'a>(text: &'a str, spans: &[Span]) -> Cow<'a, str> {
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        let (start, end) = (span.start.max(at), span.end.max(at));
        blanked.push_str(&text[at..start]);
        blanked.extend(std::iter::repeat_n(' ', end - start));
        at = end;
    }
    blanked.push_str(&text[at..]);
    Cow::Owned(blanked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_headings_do_not_hide_an_essay_either() {
        let section = |n: usize| {
            let lines: Vec<String> = (0..9)
                .map(|line| format!("In 19{n}{line} the keepers of the coast wrote another report on oil and wicks.\n"))
                .collect();
            let others =
                "Nobody knows what became of the men who signed it, nor of their boats and families.\n".repeat(8);
            format!("Sources\n{}{others}", lines.concat())
        };
        let text: String = (1..5).map(section).collect();
        let left_out: usize = references(&text).into_iter().map(Span::len).sum();
        assert!(left_out as f64 <= MOST * text.len() as f64, "{left_out} of {}", text.len());
    }

    #[test]
    fn lists_of_references_are_distinguished_from_other_text() {
        let body = "The history of lighthouses. References to them are old.\n\n".repeat(5);
        let list =
            "7. Literaturverzeichnis:\n\nMeyer, A. (1987): Türme.\n\nSchulz 1999, Feuer.\nMore of it, no year.\n";
        let text = format!("{body}{list}");
        let found = references(&text);
        assert_eq!(found.len(), 1);
        assert!(found[0].of(&text).starts_with("7. Literatur") && found[0].of(&text).ends_with("Feuer.\n"));
        let story = format!("References\n\n{}", "There was a keeper who lit a lamp.\n".repeat(30));
        assert_eq!(references(&story), []);
        let hidden = format!("Literature\n\n{}", "In 1931 there was a keeper who lit a lamp.\n".repeat(30));
        assert_eq!(references(&hidden), [], "a heading does not hide an essay");
        let appendix = format!("{list}{}", "There was a keeper who lit a lamp.\n".repeat(30));
        assert!(references(&appendix)[0].end < list.len());
    }

    #[test]
    fn years_are_separate_words() {
        assert!(has_year("(Smith, 1998)") && has_year("2024"));
        assert!(!has_year("19987") && !has_year("room 1200") && !has_year("20"));
    }

    #[test]
    fn what_is_blanked_leaves_the_rest_in_its_place() {
        let text = "naïve lamp";
        assert_eq!(blanked(text, &[Span::new(0, 6), Span::new(3, 6)]), "       lamp");
        assert_eq!(blanked(text, &[Span::new(0, 6)]).len(), text.len());
    }
}
