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
            return document.mark_all(Label::Quality, HOSTS_PASS, Reason::Stated(format!("the host is blocked: {name}")));
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
            let moved = |line: LineRemoval| before_cuts(&spans, line.span).map(|span| LineRemoval { span, ..line.clone() }).collect::<Vec<_>>();
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
