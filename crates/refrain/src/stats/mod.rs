//! Corpus statistics: how much was read, how much each stage removed, how much is left.

pub(crate) mod losses;
mod ngrams;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;
use std::ops::AddAssign;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::{Document, EXACT_PASS, Label, Mark, Reason, Span};
use crate::text::{count_words_and_tokens, legible};
use losses::{RuleTotals, add_rules, words_by_rule, write_groups, write_rules};
pub(crate) use ngrams::{NGRAM, NgramSample, group_of};
pub use ngrams::{NgramAmount, NgramStages, TextNgrams};

/// A number of documents and the text in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Amount {
    /// Documents.
    pub documents: u64,
    /// Words, separated by white space.
    pub words: u64,
    /// Tokens: words and punctuation marks.
    pub tokens: u64,
}

impl Amount {
    /// The amount of text in some ranges of a document; counts as a document when there is any.
    pub fn of(document: &Document, spans: impl IntoIterator<Item = Span>) -> Amount {
        let mut amount = Amount::default();
        for span in spans {
            let text = span.of(document.text());
            let (words, tokens) = count_words_and_tokens(text);
            amount.words += words;
            amount.tokens += tokens;
        }
        amount.documents = u64::from(amount.words > 0);
        amount
    }

    /// True for nothing at all.
    #[allow(clippy::trivially_copy_pass_by_ref)] // that is how serde calls it
    fn is_none(&self) -> bool {
        *self == Amount::default()
    }

    fn minus(self, other: Amount) -> Amount {
        Amount {
            documents: self.documents.saturating_sub(other.documents),
            words: self.words.saturating_sub(other.words),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.documents += other.documents;
        self.words += other.words;
        self.tokens += other.tokens;
    }
}

/// The amounts between the ends of marks, so that each word is counted once, however many stages took it.
struct Amounts<'a> {
    document: &'a Document,
    whole: Amount,
    /// In order, next to each other; none if an end of a mark divides a word.
    pieces: Option<Vec<(Span, Amount)>>,
}

impl Amounts<'_> {
    fn of(document: &Document) -> Amounts<'_> {
        let text = document.text();
        let mut ends: Vec<usize> = document.fitting_marks().flat_map(|mark| [mark.span.start, mark.span.end]).collect();
        ends.push(0);
        ends.push(text.len());
        ends.sort_unstable();
        ends.dedup();
        let divides_none = |at: usize| {
            let (before, after) = text.split_at(at);
            !before.ends_with(|c: char| !c.is_whitespace()) || !after.starts_with(|c: char| !c.is_whitespace())
        };
        if !ends.iter().all(|at| divides_none(*at)) {
            return Amounts { document, whole: Amount::of(document, [Span::new(0, text.len())]), pieces: None };
        }
        let spans = ends.iter().zip(ends.iter().skip(1)).map(|(start, end)| Span::new(*start, *end));
        let pieces: Vec<(Span, Amount)> = spans.map(|span| (span, Amount::of(document, [span]))).collect();
        let mut whole = Amount::default();
        for (_, amount) in &pieces {
            whole += *amount;
        }
        Amounts { document, whole, pieces: Some(pieces) }
    }

    /// The amount of text in ranges that are in order, apart, and covered by marks.
    fn inside(&self, spans: &[Span]) -> Amount {
        let Some(pieces) = &self.pieces else { return Amount::of(self.document, spans.iter().copied()) };
        let mut amount = Amount::default();
        let mut next = spans.iter().peekable();
        for (piece, inside) in pieces {
            while next.next_if(|span| span.end <= piece.start).is_some() {}
            if next.peek().is_some_and(|span| span.start <= piece.start) {
                amount += *inside;
            }
        }
        amount.documents = u64::from(amount.words > 0);
        amount
    }
}

/// The amounts at every stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Stages {
    /// All visible text of all documents.
    pub downloaded: Amount,
    /// Boilerplate; its documents are those with nothing else.
    pub boilerplate: Amount,
    /// Text that is not content on the pages of its site, if requested; its documents are those with no other text.
    #[serde(default, skip_serializing_if = "Amount::is_none")]
    pub template: Amount,
    /// Main content, after extraction.
    pub main_content: Amount,
    /// Main content in languages that were not requested.
    pub foreign: Amount,
    /// Main content that rules of quality removed.
    #[serde(default, skip_serializing_if = "Amount::is_none")]
    pub quality: Amount,
    /// What was added before and after books, if requested; its documents are those with nothing else.
    #[serde(default, skip_serializing_if = "Amount::is_none")]
    pub stripped: Amount,
    /// Main content of exact duplicates.
    pub duplicates: Amount,
    /// Main content that occurs in earlier documents, but for exact duplicates.
    #[serde(default, skip_serializing_if = "Amount::is_none")]
    pub near_duplicates: Amount,
    /// The content of the corpus.
    pub kept: Amount,
}

impl Stages {
    /// Counts one document with all its marks: each stage by what it took of the text that was left, and by whether that was
    /// the last of it.
    pub fn of(document: &Document) -> Stages {
        let amounts = Amounts::of(document);
        let whole = Amount { documents: 1, ..amounts.whole };
        let mut taken: Vec<fn(&Mark) -> bool> = Vec::new();
        let mut left = whole;
        let mut take = |stage: fn(&Mark) -> bool| {
            if !document.marks.iter().any(stage) {
                return Amount::default();
            }
            taken.push(stage);
            let gone = amounts.inside(&document.spans_of(|mark| taken.iter().any(|stage| stage(mark))));
            let mut rest = whole.minus(gone);
            rest.documents = u64::from(rest.words > 0);
            std::mem::replace(&mut left, rest).minus(rest)
        };
        let boilerplate = take(|mark| mark.label == Label::Boilerplate);
        let template = take(|mark| mark.label == Label::Template);
        let foreign = take(|mark| mark.label == Label::Foreign);
        let quality = take(|mark| mark.label == Label::Quality);
        let stripped = take(|mark| matches!(mark.label, Label::Preamble | Label::Epilogue));
        let duplicates = take(|mark| mark.label == Label::Duplicate && mark.pass == EXACT_PASS);
        let near_duplicates = take(|mark| mark.label == Label::Duplicate && mark.pass != EXACT_PASS);
        let main_content = whole.minus(boilerplate).minus(template);
        Stages {
            downloaded: whole,
            boilerplate,
            template,
            main_content,
            foreign,
            quality,
            stripped,
            duplicates,
            near_duplicates,
            kept: left,
        }
    }
}

impl AddAssign for Stages {
    fn add_assign(&mut self, other: Stages) {
        self.downloaded += other.downloaded;
        self.boilerplate += other.boilerplate;
        self.template += other.template;
        self.main_content += other.main_content;
        self.foreign += other.foreign;
        self.quality += other.quality;
        self.stripped += other.stripped;
        self.duplicates += other.duplicates;
        self.near_duplicates += other.near_duplicates;
        self.kept += other.kept;
    }
}

/// Documents of which each rule of quality removed something, by its pass, its set and its name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RuleCounts(BTreeMap<String, u64>);

impl std::ops::Deref for RuleCounts {
    type Target = BTreeMap<String, u64>;

    fn deref(&self) -> &BTreeMap<String, u64> {
        &self.0
    }
}

impl RuleCounts {
    /// Counts the rules that removed something of a document.
    pub(crate) fn add(&mut self, document: &Document) {
        let of_quality = document.marks.iter().filter(|mark| mark.label == Label::Quality);
        let names: BTreeSet<String> = of_quality.map(rule_of).collect();
        for name in names {
            *self.0.entry(name).or_default() += 1;
        }
    }

    /// A table for people, the most frequent first; empty if no rule removed anything.
    pub fn table(&self) -> String {
        let mut rules: Vec<_> = self.0.iter().collect();
        rules.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        let mut table = String::new();
        for (name, count) in rules {
            if table.is_empty() {
                let _ = writeln!(table, "{:<56}{:>14}", "rule", "documents");
            }
            let _ = writeln!(table, "{:<56}{:>14}", legible(name), thousands(*count));
        }
        table
    }
}

/// The name of the rule that set a mark: its pass, the set of rules and the rule.
fn rule_of(mark: &Mark) -> String {
    match &mark.reason {
        Reason::Measured { filter, rule, .. } => format!("{} {filter} {rule}", mark.pass),
        _ => mark.pass.to_string(),
    }
}

/// How much of a group of documents was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Loss {
    /// Documents.
    pub documents: u64,
    /// Documents of which something was kept.
    pub documents_kept: u64,
    /// Words.
    pub words: u64,
    /// Words that were kept.
    pub words_kept: u64,
}

/// Shares of smaller groups say little: one copy can be most of them.
const LEAST_DOCUMENTS: u64 = 10;
const LEAST_WORDS: u64 = 1000;
/// Groups with figures of their own; later ones are counted together.
pub(crate) const GROUPS: usize = 100_000;
/// Their name.
pub(crate) const OTHERS: &str = "(others)";
/// Groups in a table.
pub(crate) const ROWS: usize = 5;

impl Loss {
    /// What other passes removed of main content in the languages that were requested.
    pub(crate) fn of(stages: &Stages) -> Loss {
        let asked = stages.main_content.minus(stages.foreign);
        Loss {
            documents: asked.documents,
            documents_kept: stages.kept.documents,
            words: asked.words,
            words_kept: stages.kept.words,
        }
    }

    /// Large enough that a share means something.
    pub(crate) fn counts(&self) -> bool {
        self.documents >= LEAST_DOCUMENTS && self.words >= LEAST_WORDS
    }

    /// The lost share of words, or of documents if that is larger.
    pub(crate) fn share(&self) -> f64 {
        let lost = |kept: u64, all: u64| if all == 0 { 0.0 } else { 1.0 - kept as f64 / all as f64 };
        lost(self.words_kept, self.words).max(lost(self.documents_kept, self.documents))
    }
}

/// The source of a document for people: the file that holds it with others, or the folder of its own file.
pub(crate) fn source_of(document: &Document) -> String {
    let input = &document.origin.input;
    let alone = document.origin.member.is_none() && document.origin.url.is_none() && document.id == *input;
    let folder = Path::new(input).parent().filter(|_| alone).map(|folder| folder.to_string_lossy().into_owned());
    match folder {
        Some(folder) if folder.is_empty() => ".".to_owned(),
        Some(folder) => folder,
        None => input.clone(),
    }
}

impl AddAssign for Loss {
    fn add_assign(&mut self, other: Loss) {
        self.documents += other.documents;
        self.documents_kept += other.documents_kept;
        self.words += other.words;
        self.words_kept += other.words_kept;
    }
}

/// Adds to a table of groups that does not grow without limit.
pub(crate) fn add_to_group<T: AddAssign + Default>(table: &mut BTreeMap<String, T>, name: String, amount: T) {
    let known = table.len() < GROUPS || table.contains_key(&name);
    *table.entry(if known { name } else { OTHERS.to_owned() }).or_default() += amount;
}

/// Rows of a table in the order of their loss, the largest first; small groups come last.
pub(crate) fn by_loss<T>(table: &BTreeMap<String, T>, loss: impl Fn(&T) -> Loss) -> Vec<(&String, &T)> {
    let mut rows: Vec<(&String, &T)> = table.iter().collect();
    rows.sort_by(|(_, one), (_, other)| {
        let (one, other) = (loss(one), loss(other));
        let counts = other.counts().cmp(&one.counts());
        counts.then(other.share().total_cmp(&one.share())).then(other.words.cmp(&one.words))
    });
    rows
}

/// What was downloaded, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Volume {
    /// The input files.
    pub files: u64,
    /// The documents in them, decompressed and before they were decoded.
    pub documents: u64,
}

/// The language of documents whose language is unknown.
pub(crate) const UNKNOWN_LANGUAGE: &str = "und";

/// The figures of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// All languages together.
    pub total: Stages,
    /// Each language, by its code.
    pub languages: BTreeMap<String, Stages>,
    /// Main content by the file that holds the documents, or the folder of files with one document each.
    #[serde(default)]
    pub sources: BTreeMap<String, Loss>,
    /// Main content by host, where it is known.
    #[serde(default)]
    pub hosts: BTreeMap<String, Loss>,
    /// Removed text by the rule that removed it.
    #[serde(default)]
    pub rules: BTreeMap<String, RuleTotals>,
    /// Bytes that were read.
    #[serde(default)]
    pub volume: Volume,
    /// Different addresses of documents.
    #[serde(default)]
    pub addresses: u64,
    /// Repetition, if near-duplicates were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<TextNgrams>,
    /// What became of the items of the inputs.
    #[serde(default)]
    pub input: Account,
    /// What was skipped, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Inputs, records and documents that could not be used.
    pub failures: u64,
}

impl Statistics {
    /// Counts one document.
    pub fn add(&mut self, document: &Document) {
        if document.text().trim().is_empty() {
            *self.skipped.entry("document without text".into()).or_default() += 1;
            return;
        }
        let stages = Stages::of(document);
        self.total += stages;
        let language = document.language.as_deref().unwrap_or(UNKNOWN_LANGUAGE);
        *self.languages.entry(language.to_owned()).or_default() += stages;
        let (loss, host) = (Loss::of(&stages), document.host());
        add_to_group(&mut self.sources, source_of(document), loss);
        if !host.is_empty() {
            add_to_group(&mut self.hosts, host, loss);
        }
        for (rule, words) in words_by_rule(document) {
            let totals = self.rules.entry(rule).or_default();
            totals.ranges += 1;
            totals.words += words;
        }
    }

    /// Adds other figures.
    pub fn merge(&mut self, other: &Statistics) {
        self.total += other.total;
        for (language, stages) in &other.languages {
            *self.languages.entry(language.clone()).or_default() += *stages;
        }
        for (own, others) in [(&mut self.sources, &other.sources), (&mut self.hosts, &other.hosts)] {
            for (name, loss) in others {
                add_to_group(own, name.clone(), *loss);
            }
        }
        add_rules(&mut self.rules, other.rules.clone());
        for (reason, count) in &other.skipped {
            *self.skipped.entry(reason.clone()).or_default() += count;
        }
        self.failures += other.failures;
        self.volume.files += other.volume.files;
        self.volume.documents += other.volume.documents;
        self.addresses += other.addresses;
        self.input.merge(&other.input);
    }

    /// The figures as tables for people.
    pub fn table(&self) -> String {
        let mut table = self.stages() + &self.languages(usize::MAX);
        let _ = write_rules(&mut table, &self.rules, "words", self.total.downloaded.words, usize::MAX);
        // The whole of a language, without what was not requested.
        let languages = self.languages.iter().map(|(code, stages)| (code.clone(), Loss::of(stages))).collect();
        for (what, groups) in [("source", &self.sources), ("language", &languages), ("host", &self.hosts)] {
            let _ = write_groups(&mut table, (what, "main content"), groups, |loss| *loss, |_| String::new());
        }
        if let Some(ngrams) = &self.ngrams {
            table += &ngrams.table();
        }
        if !self.skipped.is_empty() {
            let mut skipped: Vec<_> = self.skipped.iter().collect();
            skipped.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), (*reason).clone()));
            let parts: Vec<_> =
                skipped.iter().map(|(reason, count)| format!("{} {reason}", thousands(**count))).collect();
            let _ = writeln!(table, "\nskipped: {}", parts.join(", "));
        }
        if self.failures > 0 {
            let _ = writeln!(table, "\nfailed: {} (see errors.jsonl)", thousands(self.failures));
        }
        table
    }

    /// The same in short: it fits a screen.
    pub fn summary(&self) -> String {
        let mut summary = self.stages();
        // Each of the two tables has an empty line and a head.
        let rows = SUMMARY_LINES.saturating_sub(summary.lines().count() + 4);
        let languages = self.languages.len().min(rows.div_ceil(2).max(rows.saturating_sub(self.rules.len())));
        summary += &self.languages(languages);
        let _ = write_rules(&mut summary, &self.rules, "words", self.total.downloaded.words, rows - languages);
        summary
    }

    /// Each stage, and what it removed.
    fn stages(&self) -> String {
        let mut table = format!("{:<24}{:>14}{:>18}{:>18}{:>11}\n", "", "documents", "words", "tokens", "word share");
        let total = &self.total;
        let all = total.downloaded.words;
        // The stages that most runs do not have are only shown if they removed something.
        let rows = [
            ("downloaded", total.downloaded, true),
            ("  boilerplate", total.boilerplate, true),
            ("  site template", total.template, false),
            ("main content", total.main_content, true),
            ("  other languages", total.foreign, true),
            ("  low quality", total.quality, false),
            ("  before and after books", total.stripped, false),
            ("  exact duplicates", total.duplicates, true),
            ("  near-duplicates", total.near_duplicates, false),
            ("corpus", total.kept, true),
        ];
        for (name, amount, is_always) in rows {
            let share = if all == 0 { 0.0 } else { 100.0 * amount.words as f64 / all as f64 };
            if is_always || !amount.is_none() {
                let _ = writeln!(
                    table,
                    "{name:<24}{:>14}{:>18}{:>18}{share:>9.1} %",
                    thousands(amount.documents),
                    thousands(amount.words),
                    thousands(amount.tokens),
                );
            }
        }
        table
    }

    /// The languages with the most words, in at most this many rows.
    fn languages(&self, most: usize) -> String {
        let mut table = format!(
            "\n{:<24}{:>14}{:>18}{:>18}{:>18}\n",
            "language", "documents", "downloaded words", "main content", "corpus words"
        );
        let mut languages: Vec<_> = self.languages.iter().collect();
        languages.sort_by_key(|(code, stages)| (std::cmp::Reverse(stages.kept.words), (*code).clone()));
        let (shown, more) = shortened(&languages, most);
        for (code, stages) in shown {
            let _ = writeln!(
                table,
                "{:<24}{:>14}{:>18}{:>18}{:>18}",
                if *code == UNKNOWN_LANGUAGE { "unknown" } else { code },
                thousands(stages.kept.documents),
                thousands(stages.downloaded.words),
                thousands(stages.main_content.words),
                thousands(stages.kept.words),
            );
        }
        table + &more
    }
}

/// Lines of a summary of a corpus: the rest of a screen of 24 lines is for messages and the next command.
const SUMMARY_LINES: usize = 20;

/// The first rows of a table if it has too many, and then a line that says so.
pub(crate) fn shortened<T>(rows: &[T], most: usize) -> (&[T], String) {
    if rows.len() <= most {
        return (rows, String::new());
    }
    let shown = most.saturating_sub(1);
    (&rows[..shown], format!("({} more)\n", thousands((rows.len() - shown) as u64)))
}

/// A number with commas.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What became of the items of the inputs: each was a document, was skipped, or failed.
///
/// Documents are counted as they were read, whatever the job does with them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// All items: files, records, rows, lines and members of archives, and names that lead to nothing.
    pub found: u64,
    /// Items that could be read as documents.
    pub documents: u64,
    /// Items that are not expected to be documents, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// Items that should have been documents and could not be read.
    pub failed: u64,
}

impl Account {
    /// Counts an item. One that is no document and was not skipped has failed.
    pub(crate) fn add(&mut self, is_document: bool, skipped: Option<&str>) {
        self.found += 1;
        match skipped {
            Some(reason) => *self.skipped.entry(reason.to_owned()).or_default() += 1,
            None if is_document => self.documents += 1,
            None => self.failed += 1,
        }
    }

    /// Adds the items of another one.
    pub(crate) fn merge(&mut self, other: &Account) {
        self.found += other.found;
        self.documents += other.documents;
        for (reason, count) in &other.skipped {
            *self.skipped.entry(reason.clone()).or_default() += count;
        }
        self.failed += other.failed;
    }
}

/// Reasons that the line of an account names.
const REASONS: usize = 8;

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        write!(f, "found {}: {}", counted(self.found, "item"), counted(self.documents, "document"))?;
        let skipped: u64 = self.skipped.values().sum();
        write!(f, ", {skipped} skipped")?;
        let mut reasons: Vec<_> = self.skipped.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let others = reasons.split_off(reasons.len().min(REASONS));
        let mut reasons: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        if !others.is_empty() {
            let rest: u64 = others.iter().map(|(_, count)| **count).sum();
            reasons.push(format!("{rest} for {} other reasons", others.len()));
        }
        if !reasons.is_empty() {
            write!(f, " ({})", reasons.join(", "))?;
        }
        write!(f, ", {} failed", self.failed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Mark, Reason};

    proptest! {
        #[test]
        fn words_are_counted_once_as_if_by_each_stage(
            text in "[a-z' .\\n\u{e9}]{0,40}",
            ranges in vec((0..40_usize, 0..20_usize, any::<bool>()), 0..5),
        ) {
            let mut document = Document::from_text("d", text);
            let mark = |(start, length, is_first): (usize, usize, bool)| Mark {
                span: Span::new(start, start + length),
                label: if is_first { Label::Boilerplate } else { Label::Foreign },
                pass: "test".into(),
                reason: Reason::Stated(String::new()),
            };
            document.marks.extend(ranges.into_iter().map(mark));
            let amounts = Amounts::of(&document);
            let whole = Amount::of(&document, [Span::new(0, document.text().len())]);
            prop_assert_eq!((amounts.whole.words, amounts.whole.tokens), (whole.words, whole.tokens));
            for spans in [document.removed_spans(), document.spans_of(|mark| mark.label == Label::Foreign)] {
                prop_assert_eq!(amounts.inside(&spans), Amount::of(&document, spans));
            }
        }
    }

    #[test]
    fn stages_add_up() {
        let mut document = Document::from_text("d", "Home About\n\nThe lamp is lit.");
        document.marks.push(Mark {
            span: Span::new(0, 10),
            label: Label::Boilerplate,
            pass: "test".into(),
            reason: Reason::Stated(String::new()),
        });
        let stages = Stages::of(&document);
        assert_eq!(stages.downloaded, Amount { documents: 1, words: 6, tokens: 7 });
        assert_eq!(stages.boilerplate, Amount { documents: 0, words: 2, tokens: 2 });
        assert_eq!(stages.kept, Amount { documents: 1, words: 4, tokens: 5 });

        document.mark_all(Label::Duplicate, "dedup", Reason::Stated(String::new()));
        let stages = Stages::of(&document);
        assert_eq!((stages.kept.words, stages.duplicates.words, stages.near_duplicates.words), (0, 0, 4));
    }

    #[test]
    fn a_document_is_taken_by_the_stage_that_leaves_nothing() {
        let mut document = Document::from_text("d", "Guten Morgen\n\nThe lamp is lit.");
        let mark = |label, span| Mark { span, label, pass: EXACT_PASS.into(), reason: Reason::Stated(String::new()) };
        document.marks.push(mark(Label::Foreign, Span::new(0, 12)));
        let stages = Stages::of(&document);
        assert_eq!(stages.foreign, Amount { documents: 0, words: 2, tokens: 2 });
        assert_eq!(stages.kept, Amount { documents: 1, words: 4, tokens: 5 });
        document.marks.push(mark(Label::Duplicate, Span::new(5, 30)));
        let stages = Stages::of(&document);
        assert_eq!(stages.duplicates, Amount { documents: 1, words: 4, tokens: 5 });
        assert_eq!(stages.kept, Amount::default());
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!(
            (thousands(0), thousands(999), thousands(1_234_567)),
            ("0".into(), "999".into(), "1,234,567".into())
        );
    }

    #[test]
    fn a_file_with_one_text_belongs_to_its_folder() {
        let mut document = Document::from_text("books/a.txt", "");
        document.origin.input = "books/a.txt".into();
        assert_eq!(source_of(&document), "books");
        document.id = "12".into();
        assert_eq!(source_of(&document), "books/a.txt");
    }
}
