//! What outputs say about removed text, read again: the lists of removed ranges, and the documents that were kept.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use super::corpus::Manifest;
use super::failures::FailureLog;
use super::input::Input;
use super::outputs::{Outputs, REMOVED};
use crate::document::{Document, Label, Reason};
use crate::error::{Error, Hint, IoContext, Result};
use crate::flow::each_document;
use crate::prepare::Preparation;
use crate::report::{Aligned, align, sequences, source};
use crate::run::Workers;
use crate::source::corpus::{EVIDENCE, MANIFEST, REMOVED_LIST, REPORT_BESIDE_TEXTS};
use crate::source::{ReadOptions, TextIs, reader_of_file};
use crate::write::RemovedLine;

/// The outputs of a run, and what they say about removed text.
pub(super) struct Evidence {
    lists: Vec<PathBuf>,
    /// Names of documents; none where the output has texts under other names than the list.
    documents: Vec<String>,
    /// Reports that name those.
    reports: Vec<PathBuf>,
}

/// A removed range.
#[derive(Debug, Clone)]
pub(super) struct Removal {
    pub(super) line: RemovedLine<'static>,
    /// The document that most ranges next to it were copied from, where its own reason names none.
    pub(super) beside: Option<Arc<str>>,
}

impl Removal {
    /// The id of the document that it was copied from.
    pub(super) fn source(&self) -> Option<&str> {
        source(&self.line.evidence).or(self.beside.as_deref())
    }
}

/// The text that a removed range was copied from.
#[derive(Debug, Clone)]
pub(super) struct Partner {
    pub(super) document: Arc<KeptDocument>,
    /// It is the document that the reason names, and not another one with the same words.
    pub(super) is_named: bool,
    pub(super) aligned: Aligned,
}

/// A document of the output.
#[derive(Debug)]
pub(super) struct KeptDocument {
    pub(super) id: String,
    pub(super) url: Option<String>,
    /// The benchmark, if it is an item of one.
    pub(super) benchmark: Option<String>,
    pub(super) text: String,
}

impl KeptDocument {
    fn of(document: &Document) -> KeptDocument {
        let url = document.origin.url.clone();
        KeptDocument { id: document.id.clone(), url, benchmark: None, text: document.text().to_owned() }
    }
}

/// Words in a row by which the source of a range is found.
const ROW: usize = 5;
/// Rows of one range that are looked up.
const LOOKED_UP: usize = 1000;

/// A kept document, and how many words of a removal it has.
type Candidate = Option<(u32, Arc<KeptDocument>)>;

impl Evidence {
    /// Finds the lists of removed ranges of some outputs. `removed` is a list next to them.
    pub(super) fn open(outputs: &[String], removed: Option<&Path>) -> Result<Evidence> {
        let lists = removed.map(Path::to_owned).into_iter().collect();
        let mut evidence = Evidence { lists, documents: Vec::new(), reports: Vec::new() };
        let mut is_known = removed.is_some();
        for output in outputs {
            let folder = Path::new(output);
            let (own, report) = (folder.join(EVIDENCE).join(REMOVED_LIST), folder.join(REPORT_BESIDE_TEXTS));
            if own.is_file() && report.is_file() {
                evidence.reports.push(report);
            } else {
                evidence.documents.push(output.clone());
            }
            if own.is_file() {
                evidence.lists.push(own);
                is_known = true;
            } else if folder.join(MANIFEST).is_file() {
                let manifest = Manifest::read(folder)?;
                if manifest.options.get(REMOVED).is_some_and(|listed| listed == false) {
                    let error = Error::Refused(format!("{output} was built without the list of removed ranges"));
                    return Err(error.hint(Hint::option("no_removed", "build it again without `no_removed`")));
                }
                evidence.lists.extend(manifest.removed.iter().map(|part| folder.join(&part.path)));
                is_known = true;
            }
        }
        if is_known {
            return Ok(evidence);
        }
        let error = Error::Refused(format!("there is no list of removed ranges in {}", outputs.join(", ")));
        let advice = "name the folder that a run wrote, or the list that it wrote with `removed`";
        Err(error.hint(Hint::option(REMOVED, advice)))
    }

    /// Names of documents from reports next to texts: names by which each is known.
    pub(super) fn each_reported(&self, mut each: impl FnMut(Vec<String>)) -> Result<()> {
        for path in &self.reports {
            for line in BufReader::new(File::open(path).at(path)?).lines() {
                let row: serde_json::Map<String, Value> = serde_json::from_str(&line.at(path)?).unwrap_or_default();
                let names = ["origin", "id", "url", "file"].into_iter();
                each(names.filter_map(|name| Some(row.get(name)?.as_str()?.to_owned())).collect());
            }
        }
        Ok(())
    }

    /// Hands out the removed ranges of one document after the other.
    pub(super) fn each_removed(&self, mut each: impl FnMut(Vec<Removal>) -> Result<()>) -> Result<()> {
        for path in &self.lists {
            let file = File::open(path).at(path)?;
            let mut reader = BufReader::with_capacity(128 << 10, reader_of_file(file).at(path)?);
            let (mut group, mut line): (Vec<RemovedLine<'static>>, Vec<u8>) = (Vec::new(), Vec::new());
            loop {
                line.clear();
                let more = reader.read_until(b'\n', &mut line).at(path)? > 0;
                if more && line.trim_ascii().is_empty() {
                    continue;
                }
                let next: Option<RemovedLine<'static>> = if more {
                    Some(serde_json::from_slice(&line).map_err(|error| {
                        let message = format!("is not a list of removed ranges: {error}");
                        Error::Damaged { path: path.clone(), message }
                    })?)
                } else {
                    None
                };
                if next.as_ref().is_none_or(|next| group.first().is_some_and(|first| first.id != next.id)) {
                    let group = std::mem::take(&mut group);
                    if !group.is_empty() {
                        each(with_sources(group))?;
                    }
                }
                match next {
                    Some(next) => group.push(next),
                    None => break,
                }
            }
        }
        Ok(())
    }

    /// Reads the documents of the output. What cannot be read is a failure.
    pub(super) fn each_kept<T: Send>(
        &self,
        workers: &Workers,
        failures: &mut FailureLog,
        look: impl Fn(&Document) -> T + Sync,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        // Texts of an output are plain, even if they are about tags.
        let options = ReadOptions { text_is: Some(TextIs::Text), ..ReadOptions::default() };
        if self.documents.is_empty() {
            return Ok(());
        }
        let (source, early) = Input::paths(&self.documents)?.open_any(&options, &Outputs::none())?;
        early.into_iter().try_for_each(|failure| failures.add(failure))?;
        let preparation = Preparation::default();
        each_document(
            workers,
            "read",
            &source,
            |position, item| {
                let prepared = preparation.prepare(position, item);
                (prepared.document.as_ref().map(&look), prepared.failure)
            },
            |_, (looked, failure)| {
                failure.map_or(Ok(()), |failure| failures.add(failure))?;
                looked.map_or(Ok(()), &mut each)
            },
        )
    }

    /// Finds what ranges were copied from: in the document that their reason names, or else in the one with most of their words.
    /// `None` if the output holds neither. Items of benchmarks are in their reasons.
    pub(super) fn partners(
        &self,
        workers: &Workers,
        failures: &mut FailureLog,
        removals: &[&Removal],
    ) -> Result<Vec<Option<Partner>>> {
        let copies = |removal: &&Removal| removal.line.label == Label::Duplicate;
        if !removals.iter().any(copies) {
            return Ok(removals.iter().map(|removal| item_of(removal)).collect());
        }
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut rows: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut totals = vec![0_u32; removals.len()];
        for (number, removal) in removals.iter().enumerate().filter(|(_, removal)| copies(removal)) {
            named.entry(removal.source().unwrap_or_default()).or_default().push(number);
            for row in sequences(&removal.line.text, ROW).take(LOOKED_UP) {
                let items = rows.entry(row).or_default();
                if items.last() != Some(&(number as u32)) {
                    items.push(number as u32);
                    totals[number] += 1;
                }
            }
        }
        let most: Vec<AtomicU32> = totals.iter().map(|_| AtomicU32::new(1)).collect();
        let look = |document: &Document| {
            let mut hits: BTreeMap<usize, u32> = BTreeMap::new();
            for row in sequences(document.text(), ROW) {
                for item in rows.get(&row).into_iter().flatten() {
                    *hits.entry(*item as usize).or_default() += 1;
                }
            }
            let is_named = |item: usize| named.get(&*document.id).is_some_and(|items| items.contains(&item));
            for item in named.get(&*document.id).into_iter().flatten() {
                hits.entry(*item).or_default();
            }
            hits.retain(|item, hits| {
                removals[*item].line.id != document.id && {
                    *hits = (*hits).min(totals[*item]);
                    // Less than another document has can no longer be the most.
                    is_named(*item) || *hits >= most[*item].fetch_max(*hits, Ordering::Relaxed)
                }
            });
            let kept = (!hits.is_empty()).then(|| Arc::new(KeptDocument::of(document)));
            let found = hits.into_iter().map(|(item, hits)| (item, hits, is_named(item))).collect::<Vec<_>>();
            (kept, found)
        };
        let mut found: Vec<[Candidate; 2]> = vec![[None, None]; removals.len()];
        self.each_kept(workers, failures, look, |(kept, hits)| {
            let Some(kept) = kept else { return Ok(()) };
            for (item, hits, is_named) in hits {
                let place = &mut found[item][usize::from(!is_named)];
                if place.as_ref().is_none_or(|(before, _)| hits > *before) {
                    *place = Some((hits, kept.clone()));
                }
            }
            Ok(())
        })?;
        let all: Vec<(usize, [Candidate; 2])> = found.into_iter().enumerate().collect();
        let partner = |(item, places): &(usize, [Candidate; 2])| {
            let removal = removals[*item];
            item_of(removal).or_else(|| choose(removal, places))
        };
        Ok(workers.install(|| all.par_iter().map(partner).collect()))
    }
}

/// The item of a benchmark that a range contains, where the list has its text.
fn item_of(removal: &Removal) -> Option<Partner> {
    let Reason::Item { benchmark, item, text, .. } = &*removal.line.evidence else { return None };
    let aligned = (!text.is_empty()).then(|| align(&removal.line.text, text))?;
    let (id, benchmark, text) = (item.clone(), Some(benchmark.clone()), text.clone());
    Some(Partner { document: Arc::new(KeptDocument { id, url: None, benchmark, text }), is_named: true, aligned })
}

/// Of the named document and the one with most of the words, the one that is shown: the named one, unless the copied words
/// were removed from it.
fn choose(removal: &Removal, [named, other]: &[Option<(u32, Arc<KeptDocument>)>; 2]) -> Option<Partner> {
    let is_better = |other: u32, named: u32| other > 2 * named + 1;
    let (document, is_named) = match (named, other) {
        (Some((hits, _)), Some((more, document))) if is_better(*more, *hits) => (document, false),
        (Some((_, document)), _) => (document, true),
        (None, Some((_, document))) => (document, false),
        (None, None) => return None,
    };
    let aligned = align(&removal.line.text, &document.text);
    (!aligned.own.is_empty()).then(|| Partner { document: document.clone(), is_named, aligned })
}

/// Adds to ranges without a source that of the others of their document.
fn with_sources(group: Vec<RemovedLine<'static>>) -> Vec<Removal> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in group.iter().filter_map(|line| source(&line.evidence)) {
        *counts.entry(source).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(source, count)| (*count, std::cmp::Reverse(*source)));
    let most: Option<Arc<str>> = most.map(|(source, _)| source.into());
    let beside = |line: &RemovedLine<'_>| {
        let is_copy = line.label == Label::Duplicate && source(&line.evidence).is_none();
        if is_copy { most.clone() } else { None }
    };
    group.into_iter().map(|line| Removal { beside: beside(&line), line }).collect()
}
