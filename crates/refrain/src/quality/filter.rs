//! Applies rules to documents.

use super::hosts::BlockedHosts;
use super::lines::{LineRemoval, left};
use super::mask::{Mask, personal_data};
use super::measure::MeasuredText;
use super::rules::{BrokenRule, QualityRules};
use super::{HOSTS_PASS, MASK_PASS, PASS};
use crate::document::{Document, Label, Mark, Reason, Span};
use crate::text::TextDigest;

/// Everything that decides whether a document is worth keeping.
///
/// ```
/// use refrain::Document;
/// use refrain::quality::{QualityFilter, QualityRules};
///
/// let filter = QualityFilter { rules: QualityRules::preset("gopher").expect("its rules"), ..QualityFilter::default() };
/// let mut page = Document::from_text("a", "Menu");
/// filter.mark(&mut page);
/// assert!(page.is_removed());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QualityFilter {
    /// Sets of rules, applied in this order; each judges the lines that the sets before it left.
    pub rules: Vec<QualityRules>,
    /// Hosts whose documents are removed.
    pub hosts: BlockedHosts,
    /// The share of documents that are read at all.
    pub sample: Option<f64>,
    /// What is masked.
    pub mask: Option<Mask>,
}

impl QualityFilter {
    /// True if a document is in the sample. Its address decides, or its text if it has none, so the sample does not depend on the
    /// order of documents and the names of files.
    pub fn is_sampled(&self, address: Option<&str>, text: &str) -> bool {
        let Some(share) = self.sample else { return true };
        let TextDigest(digest) = TextDigest::of(address.unwrap_or(text));
        let number = digest.first_chunk().map_or(0, |first| u64::from_be_bytes(*first));
        // Both are exact: the first 53 bits of the number, and a share of their range.
        ((number >> 11) as f64) < share * (1_u64 << 53) as f64
    }

    /// Marks the document, or lines of it, if its host is blocked or its text breaks a rule. Text that is marked already does not
    /// count.
    pub fn mark(&self, document: &mut Document) {
        if let Some(name) = self.blocked(document) {
            return document.mark_all(
                Label::Quality,
                HOSTS_PASS,
                Reason::Stated(format!("the host is blocked: {name}")),
            );
        }
        if self.rules.is_empty() {
            return;
        }
        let language = document.language.clone();
        let (broken, lines) = {
            let shown = document.shown(false);
            let (broken, lines) = self.judge(&shown.text, language.as_deref());
            let place = |(filter, line): (&str, LineRemoval)| {
                let LineRemoval { span, rule, value, limit } = line;
                let broken = BrokenRule { filter: filter.to_owned(), rule: rule.to_owned(), value, limit };
                let reason = Reason::from(broken);
                let mark = |span| Mark { span, label: Label::Quality, pass: PASS.into(), reason: reason.clone() };
                shown.origins(span).into_iter().map(mark).collect::<Vec<_>>()
            };
            (broken, lines.into_iter().flat_map(place).collect::<Vec<_>>())
        };
        match broken {
            Some(broken) => document.mark_all(Label::Quality, PASS, broken.into()),
            None => document.marks.extend(lines),
        }
    }

    fn blocked(&self, document: &Document) -> Option<&str> {
        if self.hosts.is_empty() { None } else { self.hosts.find(&document.host()) }
    }

    /// The first rule that a text breaks, and the lines that are removed if it breaks none.
    fn judge(&self, text: &str, language: Option<&str>) -> (Option<BrokenRule>, Vec<(&str, LineRemoval)>) {
        let mut text = MeasuredText::new(text, language);
        let mut removed: Vec<(&str, LineRemoval)> = Vec::new();
        for rules in self.rules.iter().filter(|rules| rules.applies(language)) {
            let lines = rules.judge_lines(text.text(), language);
            let broken = rules.judge_measured(&text, language, lines.as_ref());
            if broken.is_some() {
                return (broken, Vec::new());
            }
            let Some(lines) = lines.filter(|lines| !lines.removed.is_empty()) else { continue };
            text = MeasuredText::new(left(text.text(), &lines.removed), language);
            let spans: Vec<Span> = removed.iter().map(|(_, line)| line.span).collect();
            let moved = |line: LineRemoval| {
                before_cuts(&spans, line.span).map(|span| LineRemoval { span, ..line.clone() }).collect::<Vec<_>>()
            };
            let new: Vec<LineRemoval> = lines.removed.into_iter().flat_map(moved).collect();
            removed.extend(new.into_iter().map(|line| (rules.name.as_str(), line)));
            removed.sort_by_key(|(_, line)| line.span);
        }
        (None, removed)
    }

    /// Replaces personal data by placeholders, and marks these.
    pub fn mask(&self, document: &mut Document) {
        if self.mask.is_none() {
            return;
        }
        let found = personal_data(document.text());
        let changes: Vec<(Span, &str)> = found.iter().map(|(span, kind)| (*span, kind.placeholder())).collect();
        let placeholders = document.replace_all(&changes);
        document.marks.extend(placeholders.into_iter().zip(found).map(|(span, (_, kind))| Mark {
            span,
            label: Label::Masked,
            pass: MASK_PASS.into(),
            reason: Reason::Stated(kind.name().to_owned()),
        }));
    }
}

/// Where a range was before some ranges were cut out of the text, which are in order and apart: its pieces between the cuts.
fn before_cuts(cuts: &[Span], span: Span) -> impl Iterator<Item = Span> {
    let mut pieces = Vec::new();
    let (mut start, mut left) = (span.start, span.len());
    let mut shift = 0;
    for cut in cuts {
        let gap = cut.start - shift; // where the cut is in the text without the cuts
        if left > 0 && gap > start {
            let length = left.min(gap - start);
            pieces.push(Span::new(start + shift, start + shift + length));
            start += length;
            left -= length;
        }
        shift += cut.len();
    }
    if left > 0 {
        pieces.push(Span::new(start + shift, start + shift + left));
    }
    pieces.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::PASS;

    fn document(text: &str) -> Document {
        let mut document = Document::from_text("https://news.example/1", text);
        document.language = Some("en".into());
        document
    }

    fn marked(document: &Document) -> Vec<(&str, &str)> {
        document.fitting_marks().map(|mark| (&*mark.pass, mark.span.of(document.text()))).collect()
    }

    #[test]
    fn lines_are_marked_where_they_are() {
        let own = r#"{"lines": {"words": 3, "citations": true}}"#;
        let other = r#"{"lines": {"javascript": true}}"#;
        let rules = [own, other].map(|json| QualityRules::from_json(json, "own").expect("rules")).to_vec();
        let filter = QualityFilter { rules, ..QualityFilter::default() };
        let mut document =
            document("Home\n\nOne [1] é two three\nshort\nuses [2] javascript now [3]\n\nThe lamp is lit");
        document.marks.push(Mark {
            span: Span::new(0, 4),
            label: Label::Boilerplate,
            pass: "test".into(),
            reason: Reason::Stated(String::new()),
        });
        filter.mark(&mut document);
        let expected = ["[1]", "short", "uses ", "[2]", " javascript now", "[3]"].map(|text| (PASS, text));
        let mut found = marked(&document);
        assert_eq!(found.remove(0), ("test", "Home"));
        found.sort_by_key(|(_, text)| document.text().find(text));
        assert_eq!(found, expected);
        assert_eq!(document.kept(), "One é two three\n\nThe lamp is lit");
    }

    #[test]
    fn text_that_is_marked_already_is_not_judged() {
        let filter =
            QualityFilter { rules: QualityRules::preset("gopher").expect("rules"), ..QualityFilter::default() };
        let mut short = document("Home");
        short.mark_all(Label::Foreign, "test", Reason::Stated(String::new()));
        filter.mark(&mut short);
        assert_eq!(short.marks.len(), 1);
    }

    #[test]
    fn hosts_are_blocked_with_all_below_them() {
        let filter = QualityFilter { hosts: BlockedHosts::parse("news.example"), ..QualityFilter::default() };
        let mut page = document("The lamp is lit.");
        filter.mark(&mut page);
        assert_eq!(marked(&page), [("hosts", "The lamp is lit.")]);
        let mut other = Document::from_text("https://goodnews.example/", "The lamp is lit.");
        filter.mark(&mut other);
        assert!(other.marks.is_empty());
    }

    #[test]
    fn a_larger_sample_contains_a_smaller_one() {
        let sampled = |share, number: usize| {
            let filter = QualityFilter { sample: Some(share), ..QualityFilter::default() };
            filter.is_sampled(Some(&format!("https://a.example/{number}")), "")
        };
        let counts = [0.1, 0.5, 1.0].map(|share| (0..2000).filter(|number| sampled(share, *number)).count());
        assert!((150..250).contains(&counts[0]) && (900..1100).contains(&counts[1]) && counts[2] == 2000, "{counts:?}");
        assert!((0..2000).all(|number| !sampled(0.1, number) || sampled(0.5, number)));
    }

    #[test]
    fn masked_text_is_nowhere_and_its_marks_remove_nothing() {
        let filter = QualityFilter { mask: Some(Mask::Pii), ..QualityFilter::default() };
        let mut page = document("eva@a.example\n\nWrite to jan@b.example from 8.8.8.8 today.\n\nBye");
        page.marks.push(Mark {
            span: Span::new(0, 13),
            label: Label::Boilerplate,
            pass: "test".into(),
            reason: Reason::Stated(String::new()),
        });
        assert!(page.adopt_pages(vec![0, 15, 59]));
        filter.mask(&mut page);
        assert_eq!(page.text(), "[email]\n\nWrite to [email] from [ip] today.\n\nBye");
        assert_eq!(page.kept(), "Write to [email] from [ip] today.\n\nBye", "a marked address stays marked");
        let masked: Vec<_> = page.marks.iter().filter(|mark| mark.label == Label::Masked).collect();
        assert_eq!(
            masked.iter().map(|mark| mark.span.of(page.text())).collect::<Vec<_>>(),
            ["[email]", "[email]", "[ip]"]
        );
        assert_eq!(page.blocks().iter().map(|block| block.span.of(page.text())).collect::<Vec<_>>().len(), 3);
        assert_eq!(&page.text()[page.pages()[1]..page.pages()[2]], "Write to [email] from [ip] today.\n\n");
    }
}
