//! What sources, hosts, languages and rules removed, as tables for people: the largest share first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Document, Label, Mark, Span};
use crate::report::rule;
use crate::stats::{Loss, ROWS, add_to_group, by_loss, shortened, source_of, thousands};
use crate::text::{count_words, legible};

/// What one rule removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleTotals {
    /// Removed ranges, or documents.
    pub ranges: u64,
    /// Their words.
    pub words: u64,
}

/// How much was removed, by group and by rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Losses {
    /// Documents by the file that holds them, or the folder of files with one document each.
    pub by_source: BTreeMap<String, Loss>,
    /// Documents by their host, where it is known.
    pub by_host: BTreeMap<String, Loss>,
    /// Documents by their language, where it is known.
    pub by_language: BTreeMap<String, Loss>,
    /// Removed text by the rule that removed it.
    pub by_rule: BTreeMap<String, RuleTotals>,
}

/// The groups of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    pub(crate) source: String,
    /// Empty if it is unknown.
    pub(crate) host: String,
    pub(crate) language: Option<String>,
}

impl Groups {
    pub(crate) fn of(document: &Document) -> Groups {
        Groups { source: source_of(document), host: document.host(), language: document.language.clone() }
    }
}

impl Losses {
    /// Counts a document.
    pub(crate) fn add(&mut self, groups: Groups, loss: Loss) {
        add_to_group(&mut self.by_source, groups.source, loss);
        if !groups.host.is_empty() {
            add_to_group(&mut self.by_host, groups.host, loss);
        }
        if let Some(language) = groups.language {
            add_to_group(&mut self.by_language, language, loss);
        }
    }

    /// Counts a document with its marks: its words, those outside the marks, and those of each mark.
    pub(crate) fn add_marked(&mut self, document: &Document) -> Loss {
        let words = count_words(document.text());
        let words_kept = if document.marks.is_empty() { words } else { count_words(&document.kept()) };
        let documents_kept = u64::from(words_kept > 0 || words == 0);
        let loss = Loss { documents: 1, documents_kept, words, words_kept };
        self.add(Groups::of(document), loss);
        for (rule, words) in words_by_rule(document) {
            self.add_rule(rule, words);
        }
        loss
    }

    /// Counts a removed range.
    pub(crate) fn add_rule(&mut self, rule: String, words: u64) {
        let totals = self.by_rule.entry(rule).or_default();
        totals.ranges += 1;
        totals.words += words;
    }

    /// Adds other figures.
    pub(crate) fn merge(&mut self, other: Losses) {
        let groups = [
            (&mut self.by_source, other.by_source),
            (&mut self.by_host, other.by_host),
            (&mut self.by_language, other.by_language),
        ];
        for (own, others) in groups {
            for (name, loss) in others {
                add_to_group(own, name, loss);
            }
        }
        add_rules(&mut self.by_rule, other.by_rule);
    }

    /// The tables, each after an empty line; nothing if nothing was removed. `unit` is what is counted besides documents.
    pub fn tables(&self, unit: &str) -> String {
        let mut tables = String::new();
        let all = self.by_source.values().map(|loss| loss.words).sum();
        let _ = write_rules(&mut tables, &self.by_rule, unit, all, usize::MAX);
        for (what, groups) in [("source", &self.by_source), ("language", &self.by_language), ("host", &self.by_host)] {
            let _ = write_groups(&mut tables, (what, unit), groups, |loss| *loss, |_| String::new());
        }
        tables
    }
}

/// Adds to what each rule removed.
pub(crate) fn add_rules(table: &mut BTreeMap<String, RuleTotals>, others: BTreeMap<String, RuleTotals>) {
    for (rule, RuleTotals { ranges, words }) in others {
        let totals = table.entry(rule).or_default();
        totals.ranges += ranges;
        totals.words += words;
    }
}

/// The rule of each mark of a document, with the words that no earlier mark has. Marks inside earlier ones removed nothing.
pub(crate) fn words_by_rule(document: &Document) -> Vec<(String, u64)> {
    let marks = &document.marks;
    let mut edges: Vec<(usize, bool, usize)> = Vec::with_capacity(2 * marks.len());
    for (number, mark) in
        marks.iter().enumerate().filter(|(_, mark)| !mark.span.is_empty() && mark.label != Label::Masked)
    {
        edges.extend([(mark.span.start, true, number), (mark.span.end, false, number)]);
    }
    edges.sort_unstable();
    let mut words: BTreeMap<usize, u64> = BTreeMap::new();
    // The marks on the text so far, and the range that the first of them covers.
    let mut open: BTreeSet<usize> = BTreeSet::new();
    let mut from = 0;
    for (at, starts, number) in edges {
        let before = open.first().copied();
        if starts {
            open.insert(number)
        } else {
            open.remove(&number)
        };
        if open.first().copied() != before {
            if let Some(owner) = before.filter(|_| at > from) {
                *words.entry(owner).or_default() += count_words(Span::new(from, at).of(document.text()));
            }
            from = at;
        }
    }
    let rule = |mark: &Mark| rule(&mark.pass, mark.label, &mark.reason);
    words.into_iter().map(|(number, words)| (rule(&marks[number]), words)).collect()
}

/// What each rule removed, most first, in at most this many rows. `all` is the amount before.
pub(crate) fn write_rules(
    f: &mut impl fmt::Write,
    table: &BTreeMap<String, RuleTotals>,
    unit: &str,
    all: u64,
    most: usize,
) -> fmt::Result {
    let mut rows: Vec<(&String, &RuleTotals)> = table.iter().collect();
    rows.sort_by_key(|(_, row)| std::cmp::Reverse(row.words));
    let (shown, more) = shortened(&rows, most);
    for (number, (name, row)) in shown.iter().enumerate() {
        if number == 0 {
            writeln!(f, "\n{:<38}{:>14}{unit:>30}{:>10}", "removed by rule", "ranges", "share")?;
        }
        let (ranges, words) = (thousands(row.ranges), thousands(row.words));
        writeln!(f, "{:<38}{ranges:>14}{words:>30}{:>10}", cut(name), share(row.words, all))?;
    }
    f.write_str(&more)
}

/// The groups that lost the largest shares, if there are at least two groups and one lost something. Small ones come last.
/// `more` adds to the line of a group, and to the head.
pub(crate) fn write_groups<T>(
    f: &mut impl fmt::Write,
    (what, unit): (&str, &str),
    table: &BTreeMap<String, T>,
    loss: impl Fn(&T) -> Loss,
    more: impl Fn(Option<&T>) -> String,
) -> fmt::Result {
    let mut rows = by_loss(table, &loss);
    rows.retain(|(_, row)| loss(row).share() > 0.0);
    if table.len() < 2 || rows.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{what:<38}{:>14}{:>10}{unit:>20}{:>10}{}", "documents", "kept", "kept", more(None))?;
    for (name, row) in rows.iter().take(ROWS) {
        let Loss { documents, documents_kept, words, words_kept } = loss(row);
        writeln!(
            f,
            "{:<38}{:>14}{:>10}{:>20}{:>10}{}",
            cut(name),
            thousands(documents),
            share(documents_kept, documents),
            thousands(words),
            share(words_kept, words),
            more(Some(row))
        )?;
    }
    match rows.len().saturating_sub(ROWS) {
        0 => Ok(()),
        left => writeln!(f, "({left} more in the report)"),
    }
}

fn share(part: u64, all: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / all.max(1) as f64)
}

/// A name that fits its column.
fn cut(name: &str) -> String {
    legible(name).chars().take(37).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Reason;

    #[test]
    fn a_word_counts_for_the_first_mark_on_it() {
        let mut document = Document::from_text("d", "one two three four five");
        for (start, end, pass) in [(4, 13, "second"), (0, 23, "all"), (8, 13, "none")] {
            let (span, reason) = (Span::new(start, end), Reason::Stated("test".into()));
            document.marks.push(Mark { span, label: Label::Preamble, pass: pass.into(), reason });
        }
        let expected = [("second preamble".to_owned(), 2), ("all preamble".to_owned(), 3)];
        assert_eq!(words_by_rule(&document), expected);
    }

    #[test]
    fn the_largest_share_comes_first_and_what_lost_nothing_is_not_listed() {
        let mut losses = Losses::default();
        for (input, removed) in [("a.jsonl", 0), ("b.jsonl", 8), ("c.jsonl", 12)] {
            let mut document = Document::from_text("d", "lit lit lit lit");
            document.origin.input = input.into();
            document.language = Some("en".into());
            if removed > 0 {
                let reason = Reason::Stated("test".into());
                let span = Span::new(0, removed);
                document.marks.push(Mark { span, label: Label::Preamble, pass: "strip".into(), reason });
            }
            losses.add_marked(&document);
        }
        let tables = losses.tables("words");
        let lines: Vec<Vec<&str>> = tables.lines().map(|line| line.split_whitespace().collect()).collect();
        let expected = [
            "",
            "removed by rule ranges words share",
            "strip preamble 2 5 41.7 %",
            "",
            "source documents kept words kept",
            "c.jsonl 1 100.0 % 4 25.0 %",
            "b.jsonl 1 100.0 % 4 50.0 %",
        ];
        assert_eq!(lines.iter().map(|line| line.join(" ")).collect::<Vec<_>>(), expected);
        assert_eq!(Losses::default().tables("words"), "");
    }
}
