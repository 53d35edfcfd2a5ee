//! Removed text beside the text that it was copied from: the list `explain`, and the page.
//!
//! What was removed is noted while documents are judged. Its source is an earlier document, whose text is gone by then. So
//! documents are read once more for the other sides.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::files::each_line;
use super::passes::{Passes, ReadDocument, ResumePoint};
use super::report::DedupReport;
use crate::dedup::{Learned, Signature};
use crate::document::{Document, Mark, Reason, Span};
use crate::error::Result;
use crate::jobs::outputs::{EXPLAIN, PAGE};
use crate::report::{Side, SidesPage, align, excerpt, percent, rule, sentence, side};
use crate::stats::losses::RuleTotals;
use crate::text::{CharOffsets, Offsets, legible};

/// A removed range, or a document.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) rule: String,
    /// The name of the document, and where the range is in it.
    place: String,
    reason: Reason,
    /// The beginning of the text.
    text: String,
    /// The number of the document that it was copied from.
    source: Option<usize>,
}

/// The other side of a note.
struct OtherSide {
    name: String,
    /// Empty if only words of the document are known.
    text: String,
}

/// Characters of each side.
const CHARACTERS: usize = 800;
/// Bytes of a text that certainly hold so many, with the white space between words.
const BYTES: usize = 8 * CHARACTERS;
/// Notes in memory at a time: documents are read once for so many.
const NOTES: usize = 100_000;

/// Notes on the marks of a document. `sources` are the numbers of the documents that they were copied from.
pub(super) fn notes_on_blocks(
    document: &Document,
    marks: &[Mark],
    sources: &[Option<usize>],
    offsets: Offsets,
) -> Vec<Note> {
    let mut chars = CharOffsets::new(document.text());
    let note = |(mark, source): (&Mark, &Option<usize>)| {
        let Span { start, end } = chars.span(mark.span, offsets);
        Note {
            rule: rule(&mark.pass, mark.label, &mark.reason),
            place: format!("{}, {start} to {end}", document.name()),
            reason: mark.reason.clone(),
            text: shown(mark.span.of(document.text())),
            source: *source,
        }
    };
    marks.iter().zip(sources).map(note).collect()
}

/// A note on a document that was removed as a whole.
pub(super) fn note_on_document(document: &Document, reason: &Reason, source: usize) -> Note {
    Note {
        rule: "dedup document".into(),
        place: document.name().to_owned(),
        reason: reason.clone(),
        text: shown(document.text()),
        source: Some(source),
    }
}

/// The beginning of a text.
fn shown(text: &str) -> String {
    excerpt(&text[..text.floor_char_boundary(BYTES)], CHARACTERS)
}

impl Note {
    /// Why, in a sentence.
    fn sentence(&self, other: Option<&OtherSide>) -> String {
        let sentence = sentence(&self.reason, other.map(|other| &*other.name));
        match &self.reason {
            Reason::Repeats { words: Some((from, to)), .. } => format!("{sentence} (words {from} to {to})"),
            _ => sentence,
        }
    }

    /// The note as lines for people.
    fn lines(&self, other: Option<&OtherSide>) -> String {
        let sentence = self.sentence(other);
        let kept = other.map_or(String::new(), |other| side("kept", other.text_or_why_not()));
        format!("{}: {sentence}\n{}{kept}", legible(&self.place), side("removed", &self.text))
    }

    /// The text that it was copied from.
    fn other_side(&self, document: &Document, signature: &Signature) -> String {
        let text = document.text();
        let span = match self.reason {
            Reason::Repeats { words: Some((from, to)), .. } => signature.span_of_words(from as usize..to as usize),
            _ => align(&self.text, text).place(),
        };
        shown(&text[span.map_or(0, |span| span.start)..span.map_or(text.len(), |span| span.end)])
    }
}

impl OtherSide {
    fn text_or_why_not(&self) -> &str {
        if self.text.is_empty() { "only the words of this document were saved, not its text" } else { &self.text }
    }
}

/// Writes what was noted, with both sides, if it is wanted.
pub(super) fn write_explanations(passes: &Passes<'_>, learned: &Learned, report: &DedupReport) -> Result<()> {
    let (mut list, page) = (passes.outputs.open_list(EXPLAIN)?, passes.outputs.open_list(PAGE)?);
    if list.is_none() && page.is_none() {
        return Ok(());
    }
    let mut on_page: BTreeMap<String, Vec<(Note, Option<OtherSide>)>> = BTreeMap::new();
    let mut explain = |notes: Vec<Note>| -> Result<()> {
        let others = other_sides(passes, learned, &notes)?;
        for (note, other) in notes.into_iter().zip(others) {
            if let Some(list) = &mut list {
                list.put(note.lines(other.as_ref()).as_bytes())?;
            }
            let of_rule = on_page.entry(note.rule.clone()).or_default();
            if page.is_some() && of_rule.len() < SidesPage::ITEMS {
                of_rule.push((note, other));
            }
        }
        Ok(())
    };
    let mut notes = Vec::new();
    each_line(&passes.notes_path(), |note: Note| {
        notes.push(note);
        if notes.len() < NOTES { Ok(()) } else { explain(std::mem::take(&mut notes)) }
    })?;
    explain(notes)?;
    if let Some(list) = list {
        list.finish()?;
    }
    if let Some(mut page) = page {
        page.put(as_page(report, on_page).as_bytes())?;
        page.finish()?;
    }
    Ok(())
}

/// Reads the documents that notes name, for the other side of each note.
fn other_sides(passes: &Passes<'_>, learned: &Learned, notes: &[Note]) -> Result<Vec<Option<OtherSide>>> {
    let mut wanted: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, note) in notes.iter().enumerate() {
        if let Some(source) = note.source {
            wanted.entry(source).or_default().push(at);
        }
    }
    let mut others: Vec<Option<OtherSide>> = notes.iter().map(|_| None).collect();
    if wanted.is_empty() {
        return Ok(others);
    }
    let mut next = 0;
    passes.each("explain", ResumePoint::START, |read| {
        if read.id().is_none() {
            return Ok(());
        }
        next += 1;
        let Some(notes_of) = wanted.get(&(next - 1)) else { return Ok(()) };
        let ReadDocument { document, signature, .. } = read;
        let address = document.as_ref().and_then(|document| document.origin.url.clone());
        let name = address.map_or_else(|| learned.id_of(next - 1), Ok)?;
        for at in notes_of {
            let text = document.as_ref().map(|document| notes[*at].other_side(document, &signature));
            others[*at] = Some(OtherSide { name: name.clone(), text: text.unwrap_or_default() });
        }
        Ok(())
    })?;
    Ok(others)
}

/// The page: the rules that removed most first.
fn as_page(report: &DedupReport, notes: BTreeMap<String, Vec<(Note, Option<OtherSide>)>>) -> String {
    let DedupReport { documents, documents_kept, words, words_kept, .. } = report;
    let removed = words - words_kept;
    let share = percent(removed as f64 / (*words).max(1) as f64);
    let gone = documents - documents_kept;
    let summary = format!("{removed} of {words} words ({share}) and {gone} of {documents} documents were removed.");
    let mut page = SidesPage::new("Removed text", &summary);
    let totals = |rule: &str| report.by_rule.get(rule).copied().unwrap_or_default();
    let mut rules: Vec<_> = notes.into_iter().map(|(rule, notes)| (totals(&rule), rule, notes)).collect();
    rules.sort_by_key(|(totals, ..)| std::cmp::Reverse(totals.words));
    for (RuleTotals { ranges, words: of_rule }, rule, notes) in rules {
        let share = percent(of_rule as f64 / (*words).max(1) as f64);
        page.part(&rule, &format!("This rule removed {of_rule} words, {share} of all words."));
        page.list("Removed ranges", ranges as usize);
        for (note, other) in notes {
            let (place, sentence) = (legible(&note.place), note.sentence(other.as_ref()));
            let own = Side { note: "removed", text: &note.text };
            let name = other.as_ref().map(|other| format!("kept in {}", legible(&other.name)));
            let kept = match &other {
                Some(other) => Side { note: name.as_deref().unwrap_or_default(), text: other.text_or_why_not() },
                None => Side { note: "nothing was compared with it", text: "" },
            };
            page.item(&place, &sentence, &[[own, kept]]);
        }
    }
    page.finish()
}
