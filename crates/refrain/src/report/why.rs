//! Why a range was removed, in words: the same ones in lists, reports and pages.

use super::cells::excerpt;
use crate::document::{Label, Reason};
use crate::quality::QualityMeasure;
use crate::text::legible;

/// The rule that removed a range: its pass, and how the pass found it.
pub(crate) fn rule(pass: &str, label: Label, reason: &Reason) -> String {
    let how = match reason {
        Reason::Repeats { by, .. } => by,
        Reason::Resembles { .. } => "document",
        Reason::CopyOf { .. } => "copy",
        Reason::Judged { rule, .. } => rule,
        Reason::Classified { class, .. } => class,
        Reason::Site { .. } => "site",
        Reason::SeenIn { .. } => "frequent",
        Reason::Language { found, .. } => found,
        Reason::Item { .. } => "item",
        Reason::Measured { filter, rule, .. } => return format!("{pass} {filter} {rule}"),
        Reason::Stated(_) => label.name(),
    };
    format!("{pass} {how}")
}

/// The score of a decision, from 0 to 1, where it has one: how much of a copy occurs elsewhere, or how likely text is to be content.
pub(crate) fn score(reason: &Reason) -> Option<f64> {
    match reason {
        Reason::Repeats { share: score, .. }
        | Reason::Resembles { score, .. }
        | Reason::Item { share: score, .. }
        | Reason::Language { confidence: score, .. } => Some(*score),
        Reason::Judged { probability, .. } => *probability,
        Reason::CopyOf { .. } => Some(1.0),
        _ => None,
    }
}

/// The document that a range was copied from, by its id.
pub(crate) fn source(reason: &Reason) -> Option<&str> {
    match reason {
        Reason::Repeats { document, .. } => document.as_deref(),
        Reason::CopyOf { document, .. } | Reason::Resembles { document, .. } => Some(document),
        _ => None,
    }
}

/// One sentence without a full stop that explains a removal. `name` is what people call the document that it was copied from.
pub(crate) fn sentence(reason: &Reason, name: Option<&str>) -> String {
    let of = legible(name.or_else(|| source(reason)).unwrap_or("earlier text"));
    match reason {
        Reason::Repeats { by, share, .. } => match (&**by, *share >= 1.0) {
            ("digest", _) => format!("its document has the same words as {of}"),
            ("alignment", true) => format!("all of its words occur in the same order in {of}"),
            ("alignment", false) => format!("{} of its words occur in the same order in {of}", percent(*share)),
            ("neighbours", _) => "it is a short block next to copies".to_owned(),
            (_, true) => format!("all of its words are in word sequences that occur in {of}"),
            (_, false) => format!("{} of its words are in word sequences that occur in {of}", percent(*share)),
        },
        Reason::CopyOf { .. } => format!("its document has the same text as {of}"),
        Reason::Resembles { score, .. } if *score >= 1.0 => format!("the document has the same words as {of}"),
        Reason::Resembles { score, .. } => {
            format!("{of} contains the text of the document: {} (100 % means all of its own words)", percent(*score))
        }
        Reason::Judged { probability: Some(probability), .. } => {
            format!("the probability that it is main content is {}", percent(*probability))
        }
        Reason::Judged { rule, probability: None } => format!("the rule \"{rule}\" found that it is not main content"),
        Reason::Classified { class, length, link_density, stop_word_density, .. } => format!(
            "jusText classified it as {class}: {length} characters, {} of them in links, {} stop words",
            percent(*link_density),
            percent(*stop_word_density)
        ),
        Reason::SeenIn { documents } => format!("it occurs in {documents} documents"),
        Reason::Site { host, pages } if host.is_empty() => {
            format!("it is not content on pages of this kind ({pages} of them show this)")
        }
        Reason::Site { host, pages } => {
            format!("it is not content on the pages of {} ({pages} of them show this)", legible(host))
        }
        Reason::Language { found, .. } if found == Reason::UNKNOWN => {
            "its language is unknown, because it has too little text".into()
        }
        Reason::Language { found, confidence } => {
            format!("its language is {}, with a confidence of {}", legible(found), percent(*confidence))
        }
        Reason::Item { benchmark, item, fields, share, .. } => format!(
            "it contains {} of {} of item {} of the benchmark {}",
            percent(*share),
            fields.join(", "),
            legible(item),
            legible(benchmark)
        ),
        Reason::Measured { filter, rule, value, limit } => {
            format!("{} ({})", limits(rule, *value, *limit), legible(filter))
        }
        Reason::Stated(text) => legible(text),
    }
}

/// Characters of each side of a range that people see in a terminal.
const SIDE: usize = 200;

/// One side of a removed range, as a line below the sentence that explains it: what was `removed`, or what was `kept` of it.
pub(crate) fn side(what: &str, text: &str) -> String {
    format!("   {:<10}{}\n", format!("{what}:"), excerpt(text, SIDE))
}

/// What ranges with a reason are, as a noun for a number of them.
pub(crate) fn kind(label: Label, reason: &Reason, one: bool) -> &'static str {
    let [singular, plural] = match (reason, label) {
        (Reason::Repeats { by, .. }, _) if by == "neighbours" => {
            ["a short block next to copies", "short blocks next to copies"]
        }
        (_, Label::Duplicate) => ["a copy", "copies"],
        (_, Label::Boilerplate) => ["boilerplate", "boilerplate"],
        (_, Label::Template) => ["site template", "site template"],
        (_, Label::Foreign) => ["in another language", "in another language"],
        (_, Label::Benchmark) => ["text of a benchmark", "text of a benchmark"],
        (_, Label::Quality) => ["text of low quality", "text of low quality"],
        (_, Label::Masked) => ["masked personal data", "masked personal data"],
        (_, Label::Preamble) => ["in the preamble", "in the preamble"],
        (_, Label::Epilogue) => ["in the epilogue", "in the epilogue"],
    };
    if one { singular } else { plural }
}

/// What was measured, and its limit.
fn limits(rule: &str, value: f64, limit: f64) -> String {
    let line = match rule {
        "line_end" => Some("the line does not end like a sentence"),
        "line_javascript" => Some("the line mentions JavaScript"),
        "line_policy" => Some("the line mentions cookies, terms of use or a privacy policy"),
        "citation" => Some("it is a reference in brackets"),
        _ => None,
    };
    if let Some(line) = line {
        return line.to_owned();
    }
    let (what, is_share) = match rule {
        "line_words" => ("number of words in the line", false),
        "line_word_length" => ("length of the longest word in the line", false),
        _ => QualityMeasure::described(rule).unwrap_or((rule, false)),
    };
    let side = if value > limit { "at most" } else { "at least" };
    let (factor, unit) = if is_share { (100.0, " %") } else { (1.0, "") };
    // As many digits as tell the figure from its limit.
    let shown = |digits: usize, figure: f64| format!("{:.digits$}", figure * factor);
    let least = usize::from(!is_share);
    let digits = (least..6).find(|digits| shown(*digits, value) != shown(*digits, limit)).unwrap_or(6);
    let trimmed = |figure: String| match figure.contains('.') {
        true => figure.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => figure,
    };
    let (value, limit) = (trimmed(shown(digits, value)), trimmed(shown(6, limit)));
    format!("{}: {value}{unit}, {side} {limit}{unit}", legible(what))
}

/// A share as people read it. What is not all is never 100 %, and what is something is never 0 %.
pub(crate) fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.005 {
        return "less than 1 %".to_owned();
    }
    let rounded = (share * 100.0).round();
    let rounded = if share < 1.0 { rounded.min(99.0) } else { rounded };
    format!("{rounded} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Position;

    #[test]
    fn a_score_is_explained_before_it_is_printed() {
        let repeats = |by: &'static str, share, document: Option<&str>| Reason::Repeats {
            document: document.map(str::to_owned),
            words: None,
            share,
            by: by.into(),
        };
        let cases = [
            (repeats("alignment", 0.982, Some("a")), "98 % of its words occur in the same order in a"),
            (repeats("alignment", 0.9999, Some("a")), "99 % of its words occur in the same order in a"),
            (repeats("ngrams", 1.0, None), "all of its words are in word sequences that occur in earlier text"),
            (repeats("neighbours", 0.0, None), "it is a short block next to copies"),
            (
                Reason::CopyOf { document: "a\u{7}".into(), position: Position::default() },
                "its document has the same text as a ",
            ),
        ];
        for (reason, expected) in cases {
            assert_eq!(sentence(&reason, None), expected);
        }
        let measured = |rule: &'static str, value, limit| {
            let reason = Reason::Measured { filter: "gopher-quality".into(), rule: rule.into(), value, limit };
            sentence(&reason, None)
        };
        for (rule, value, limit, expected) in [
            (
                "ellipsis_lines",
                0.41,
                0.3,
                "share of lines that end with an ellipsis: 41 %, at most 30 % (gopher-quality)",
            ),
            (
                "repeated_line_chars",
                0.0102,
                0.01,
                "share of characters in lines that equal an earlier one: 1.02 %, at most 1 % (gopher-quality)",
            ),
            ("words", 49.0, 50.0, "number of words: 49, at least 50 (gopher-quality)"),
            ("word_length", 2.96, 3.0, "mean length of words: 2.96, at least 3 (gopher-quality)"),
            ("line_end", 0.0, 1.0, "the line does not end like a sentence (gopher-quality)"),
        ] {
            assert_eq!(measured(rule, value, limit), expected);
        }
        assert!(sentence(&repeats("digest", 1.0, Some("a")), Some("https://a.example")).ends_with("https://a.example"));
    }

    #[test]
    fn rules_have_names() {
        let judged = Reason::Judged { rule: "learned".into(), probability: Some(0.1) };
        assert_eq!(rule("extract", Label::Boilerplate, &judged), "extract learned");
        assert_eq!(rule("strip", Label::Preamble, &Reason::Stated("marker".into())), "strip preamble");
        assert_eq!((score(&judged), source(&judged)), (Some(0.1), None));
    }
}
