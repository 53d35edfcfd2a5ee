//! `why`: what was removed from one document, and why.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::{Evidence, Partner, Removal};
use super::failures::{FailureLog, Failures};
use super::outputs::Outputs;
use crate::document::Span;
use crate::error::{Error, Result};
use crate::report::{kind, rule, score, sentence, side, source};
use crate::run::Run;
use crate::text::{count_words, legible, paragraphs};

/// Says what was removed from one document of an output, and why.
///
/// ```
/// use refrain::{Dedup, Document, Input, Outputs, Run, Why};
///
/// let folder = tempfile::tempdir()?;
/// let clean = folder.path().join("clean/").display().to_string();
/// let text = "The keeper lit the lamp at dusk, and again when the fog came in.";
/// let input = Input::documents([Document::from_text("a", text), Document::from_text("b", text)]);
/// Dedup::default().run(&input, Outputs::to(&clean)?, &Run::default())?;
/// let report = Why { document: "b".into(), removed: None }.run(&[clean], &Run::default())?;
/// assert_eq!(report.ranges[0].sentence, "its document has the same words as a");
/// assert_eq!(report.ranges[0].partner.as_ref().map(|partner| partner.id.as_str()), Some("a"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Why {
    /// The id or address of the document, its file name, or a part of these.
    pub document: String,
    /// The list of removed ranges, where the output is not a folder that holds one.
    pub removed: Option<PathBuf>,
}

/// The result of [`Why`]. As text, it is for people.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct WhyReport {
    /// The id of the document.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What happened, in one sentence.
    pub summary: String,
    /// Its words and paragraphs before anything was removed, where the list holds them.
    pub words: Option<u64>,
    /// The same for paragraphs.
    pub paragraphs: Option<u64>,
    /// Removed words.
    pub words_removed: u64,
    /// Removed paragraphs.
    pub paragraphs_removed: u64,
    /// Removed ranges, in the order of the list.
    pub ranges: Vec<ExplainedRange>,
    /// What could not be read.
    pub failures: Failures,
}

/// A removed range, and why it was removed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedRange {
    /// Where it starts and ends in the document, as the list says it.
    pub start: usize,
    /// The end is exclusive.
    pub end: usize,
    /// The pass and how it found the range.
    pub rule: String,
    /// How much of it was copied, or how likely it is content; see the sentence.
    pub score: Option<f64>,
    /// Its words.
    pub words: u64,
    /// Why, in words.
    pub sentence: String,
    /// Its text.
    pub text: String,
    /// The id of the document that it was copied from, where it is known.
    pub source: Option<String>,
    /// The text that it was copied from, where the output holds it.
    pub partner: Option<CopiedFrom>,
}

/// The text that a range was copied from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CopiedFrom {
    /// The id of its document.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The text at the same place, as long as the range.
    pub text: String,
    /// The benchmark, if it is an item of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// False if the words were found in another document than the one that the reason names.
    pub is_named: bool,
}

/// Names that are listed when several match.
const LISTED: usize = 20;

/// How well a name matches: better ones are lower.
fn rank(wanted: &str, name: &str) -> Option<u8> {
    let file = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match name {
        _ if wanted == name => Some(0),
        _ if wanted == file || wanted == stem => Some(1),
        _ => name.contains(wanted).then_some(2),
    }
}

/// The documents that match best.
#[derive(Default)]
struct Matches {
    rank: u8,
    names: BTreeMap<String, Option<String>>,
}

impl Matches {
    fn add(&mut self, wanted: &str, id: &str, url: Option<&str>) {
        let Some(rank) = [Some(id), url].into_iter().flatten().filter_map(|name| rank(wanted, name)).min() else {
            return;
        };
        if self.names.is_empty() || rank < self.rank {
            self.names.clear();
            self.rank = rank;
        }
        if rank == self.rank && (self.names.len() <= LISTED || self.names.contains_key(id)) {
            self.names.insert(id.to_owned(), url.map(str::to_owned));
        }
    }
}

impl Why {
    /// Runs the job on an output: a folder that a run wrote, or its documents. More outputs are searched for the text that was
    /// copied.
    pub fn run(&self, outputs: &[String], run: &Run) -> Result<WhyReport> {
        let evidence = Evidence::open(outputs, self.removed.as_deref())?;
        let workers = run.start()?;
        let mut failures = FailureLog::new(&Outputs::none(), Vec::new())?;
        let (id, url) = self.find(&evidence, &workers, &mut failures, outputs)?;
        let mut removals: Vec<Removal> = Vec::new();
        evidence.each_removed(|group| {
            removals.extend(group.into_iter().filter(|removal| removal.line.id == id));
            Ok(())
        })?;
        let mut lost = FailureLog::new(&Outputs::none(), Vec::new())?;
        let partners = evidence.partners(&workers, &mut lost, &removals.iter().collect::<Vec<_>>())?;
        let url = removals.iter().find_map(|removal| removal.line.url.as_deref().map(str::to_owned)).or(url);
        let mut report = WhyReport { id, url, failures: failures.finish().1, ..WhyReport::default() };
        report.count(&removals);
        report.ranges =
            removals.iter().zip(partners).map(|(removal, partner)| ExplainedRange::of(removal, partner)).collect();
        Ok(report)
    }

    /// The only document that matches, with its address.
    fn find(
        &self,
        evidence: &Evidence,
        workers: &crate::run::Workers,
        failures: &mut FailureLog,
        outputs: &[String],
    ) -> Result<(String, Option<String>)> {
        let (mut matches, wanted) = (Matches::default(), &self.document);
        evidence.each_removed(|group| {
            if let Some(Removal { line, .. }) = group.first() {
                matches.add(wanted, &line.id, line.url.as_deref());
            }
            Ok(())
        })?;
        evidence.each_reported(|names| {
            if let Some(first) = names.first()
                && !names.iter().any(|name| matches.names.contains_key(name))
            {
                for name in &names {
                    matches.add(wanted, first, Some(name));
                }
            }
        })?;
        let look = |document: &crate::Document| {
            let url = document.origin.url.clone();
            let is_match = [Some(&document.id), url.as_ref()].into_iter().flatten().any(|name| name.contains(wanted));
            is_match.then(|| (document.id.clone(), url))
        };
        evidence.each_kept(workers, failures, look, |found| {
            if let Some((id, url)) = found {
                matches.add(wanted, &id, url.as_deref());
            }
            Ok(())
        })?;
        let name = |(id, url): (&String, &Option<String>)| match url {
            Some(url) => format!("{}  {}", legible(id), legible(url)),
            None => legible(id),
        };
        let listed: Vec<String> = matches.names.iter().take(LISTED).map(name).collect();
        match matches.names.len() {
            0 => Err(Error::Refused(format!("no document of {} matches `{}`", outputs.join(", "), legible(wanted)))),
            1 => Ok(matches.names.into_iter().next().unwrap_or_default()),
            number => {
                let several = if number > LISTED { format!("more than {LISTED}") } else { number.to_string() };
                let list = listed.join("\n  ");
                Err(Error::Refused(format!(
                    "{several} documents match `{}`; name one of them by its id:\n  {list}",
                    legible(wanted)
                )))
            }
        }
    }
}

impl WhyReport {
    /// Counts what was removed. Ranges inside others count once.
    fn count(&mut self, removals: &[Removal]) {
        let first = removals.first().map(|removal| &removal.line);
        self.words = first.and_then(|line| line.document_words);
        self.paragraphs = first.and_then(|line| line.document_blocks);
        let mut order: Vec<&Removal> = removals.iter().collect();
        order.sort_by_key(|removal| (removal.line.start, std::cmp::Reverse(removal.line.end)));
        let mut end = 0;
        order.retain(|removal| {
            let outside = removal.line.end > end;
            end = end.max(removal.line.end);
            outside
        });
        let mut kinds: BTreeMap<[&str; 2], u64> = BTreeMap::new();
        for removal in &order {
            let line = &removal.line;
            let number = (paragraphs(&line.text).count() as u64).max(1);
            self.words_removed += count_words(&line.text);
            self.paragraphs_removed += number;
            let [one, more] = [true, false].map(|one| kind(line.label, &line.evidence, one));
            *kinds.entry([one, more]).or_default() += number;
        }
        let mut kinds: Vec<([&str; 2], u64)> = kinds.into_iter().collect();
        kinds.sort_by_key(|(kind, number)| (std::cmp::Reverse(*number), *kind));
        let parts = kinds.iter().map(|([one, more], number)| match number {
            1 => format!("1 is {one}"),
            _ => format!("{number} are {more}"),
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        let words = self.words.map_or(String::new(), |words| format!(" of {words}"));
        self.summary = match (order.as_slice(), self.words) {
            ([], _) => "nothing was removed from it".to_owned(),
            ([one], Some(words)) if self.words_removed >= words => {
                format!("the whole document ({words} words) was removed: {}", sentence(&one.line.evidence, None))
            }
            (_, Some(words)) if self.words_removed >= words => {
                format!("the whole document ({words} words) was removed: {parts}")
            }
            _ => {
                let all = self.paragraphs.map_or(String::new(), |all| format!(" of {all}"));
                let (removed, verb) =
                    (self.paragraphs_removed, if self.paragraphs_removed == 1 { "was" } else { "were" });
                let noun = if self.paragraphs.unwrap_or(removed) == 1 { "paragraph" } else { "paragraphs" };
                format!("{removed}{all} {noun} ({}{words} words) {verb} removed: {parts}", self.words_removed)
            }
        };
    }
}

impl ExplainedRange {
    fn of(removal: &Removal, partner: Option<Partner>) -> ExplainedRange {
        let line = &removal.line;
        let named = partner.as_ref().filter(|partner| partner.is_named).map(|partner| &partner.document);
        let name = named.map(|document| document.url.as_deref().unwrap_or(&document.id));
        let length = line.text.len();
        ExplainedRange {
            start: line.start,
            end: line.end,
            rule: rule(&line.pass, line.label, &line.evidence),
            score: score(&line.evidence),
            words: count_words(&line.text),
            sentence: sentence(&line.evidence, name.filter(|_| source(&line.evidence).is_some())),
            source: removal.source().map(str::to_owned),
            text: line.text.clone().into_owned(),
            partner: partner.map(|partner| {
                let document = &partner.document;
                let place = partner.aligned.place().unwrap_or_default();
                // As far back as the first common word is in the range.
                let before = partner.aligned.own.first().map_or(0, |own| own.start);
                let start = document.text.floor_char_boundary(place.start.saturating_sub(before));
                let end = document.text.ceil_char_boundary(place.end.max(start + length).min(document.text.len()));
                let is_item = document.benchmark.is_some();
                let span = if is_item { Span::new(0, document.text.len()) } else { Span::new(start, end) };
                CopiedFrom {
                    id: document.id.clone(),
                    url: document.url.clone(),
                    benchmark: document.benchmark.clone(),
                    text: span.of(&document.text).to_owned(),
                    is_named: partner.is_named,
                }
            }),
        }
    }
}

impl fmt::Display for WhyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.as_deref().filter(|url| *url != self.id);
        let name = url.map_or(legible(&self.id), |url| format!("{} ({})", legible(url), legible(&self.id)));
        writeln!(f, "{name}\n{}", self.summary)?;
        for (number, range) in self.ranges.iter().enumerate() {
            let ExplainedRange { start, end, words, rule, sentence, .. } = range;
            let plural = if *words == 1 { "" } else { "s" };
            writeln!(f, "\n{}. {start} to {end}, {words} word{plural}, {rule}: {sentence}", number + 1)?;
            f.write_str(&side("removed", &range.text))?;
            match (&range.partner, &range.source) {
                (Some(CopiedFrom { benchmark: Some(_), text, .. }), _) => f.write_str(&side("item", text))?,
                (Some(partner), source) => {
                    let name = legible(partner.url.as_deref().unwrap_or(&partner.id));
                    let source = source.as_deref().filter(|_| !partner.is_named).map(legible);
                    if let Some(source) = source {
                        writeln!(f, "   {source} no longer has these words; {name} has them:")?;
                    }
                    writeln!(f, "{}             in {name}", side("kept", &partner.text))?;
                }
                (None, Some(source)) => {
                    f.write_str(&side("kept", &format!("the output does not hold the text of {source}")))?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_come_before_file_names_and_parts() {
        let mut matches = Matches::default();
        for id in ["books/lamp.txt", "books/lamp-2.txt", "lamp"] {
            matches.add("lamp", id, None);
        }
        assert_eq!(matches.names.keys().collect::<Vec<_>>(), ["lamp"]);
        let mut matches = Matches::default();
        for id in ["books/lamp-2.txt", "books/lamp.txt"] {
            matches.add("lamp", id, Some("https://a.example/x"));
        }
        assert_eq!(matches.names.keys().collect::<Vec<_>>(), ["books/lamp.txt"]);
        matches.add("a.example/x", "c", Some("https://a.example/x"));
        assert_eq!(rank("b", "a"), None);
    }
}
