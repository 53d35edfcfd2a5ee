//! Which of the documents that contain each other is kept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::files::{DocumentLinks, Files};
use super::passes::{Part, Passes, ReadDocument, ResumePoint};
use super::report::Tally;
use crate::dedup::{DedupFigures, DocumentContext, Learned, LinkKind, Related, Resembles};
use crate::document::Document;
use crate::error::{Error, Hint, Result};
use crate::jobs::failures::FailureLog;
use crate::jobs::judging::language_of;
use crate::jobs::outputs::CLUSTERS;
use crate::write::removed_lines;

/// Which of the documents that contain each other is kept. As text: `first`, `longest`, `newest`, `most:FIELD` or
/// `least:FIELD`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Keep {
    /// The first one.
    #[default]
    First,
    /// The one with the most words.
    Longest,
    /// The one with the latest date: the first of the fields `modified`, `date` and `fetched` that a document has.
    Newest,
    /// The one with the largest value of a field, compared as numbers or as text.
    Most(String),
    /// The one with the smallest value of a field.
    Least(String),
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        match (text, text.split_once(':')) {
            ("first", _) => Ok(Keep::First),
            ("longest", _) => Ok(Keep::Longest),
            ("newest", _) => Ok(Keep::Newest),
            (_, Some(("most", field))) if !field.is_empty() => Ok(Keep::Most(field.to_owned())),
            (_, Some(("least", field))) if !field.is_empty() => Ok(Keep::Least(field.to_owned())),
            _ => Err("first, longest, newest, most:FIELD or least:FIELD, with the name of a field".into()),
        }
    }
}

impl TryFrom<String> for Keep {
    type Error = String;

    fn try_from(text: String) -> Result<Keep, String> {
        text.parse()
    }
}

impl From<Keep> for String {
    fn from(keep: Keep) -> String {
        keep.to_string()
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::First => f.write_str("first"),
            Keep::Longest => f.write_str("longest"),
            Keep::Newest => f.write_str("newest"),
            Keep::Most(field) => write!(f, "most:{field}"),
            Keep::Least(field) => write!(f, "least:{field}"),
        }
    }
}

/// Fields with the date of a document.
const DATES: [&str; 3] = ["modified", "date", "fetched"];

impl Keep {
    /// The fields that decide, for messages.
    fn field(&self) -> Option<String> {
        match self {
            Keep::Most(field) | Keep::Least(field) => Some(field.clone()),
            Keep::Newest => Some(DATES.join("`, `")),
            _ => None,
        }
    }

    /// The value of a document that decides.
    fn value(&self, document: &Document) -> Option<Value> {
        match self {
            Keep::Most(field) | Keep::Least(field) => document.meta.get(field).cloned(),
            Keep::Newest => DATES.iter().find_map(|field| document.meta.get(*field)).cloned(),
            _ => None,
        }
    }
}

impl Passes<'_> {
    /// Compares whole documents, chooses which of those that contain each other is kept, and writes these. Documents are
    /// read once more.
    pub(super) fn choose(&self, learned: &mut Learned, failures: &mut FailureLog) -> Result<Tally> {
        let mut links: Vec<DocumentLinks> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut compared = 0;
        self.each_with_evidence(learned, "judge", ResumePoint::START, |learned, read, evidence, _| {
            if read.id().is_none() {
                return Ok(());
            }
            let ReadDocument { document, signature, language, part, .. } = read;
            let value = |document: &Document| self.job.keep.value(document);
            values.push(document.as_ref().and_then(value).unwrap_or_default());
            let Some(mut document) = document.filter(|_| part == Part::Written) else {
                compared += 1;
                return learned.keep(&signature, &evidence);
            };
            let number = learned.next_number();
            self.check_id(learned, &mut document, failures)?;
            let context = DocumentContext { language, text: Some((&document, language_of)), choosing: true };
            let related = learned.judge_document(&signature, &evidence, self.job.rule(), context)?.related;
            if !related.is_empty() {
                links.push(DocumentLinks { number, copy_of: None, related });
            }
            Ok(())
        })?;
        learned.finish()?;
        if let Some(field) = self.job.keep.field()
            && values.iter().all(Value::is_null)
        {
            let error = Error::Refused(format!("no document has the field `{field}`"));
            return Err(error.hint(Hint::option("keep", "name another one with `keep`")));
        }
        let kept = self.kept_of_clusters(learned, &links, &values, compared)?;
        for link in &mut links {
            link.copy_of = kept.get(&link.number).map(|found| found.number);
        }
        let related: HashMap<usize, &[Related]> =
            links.iter().map(|link| (link.number, link.related.as_slice())).collect();
        let mut files = Files::open(self, None)?;
        let mut tally = Tally::default();
        let mut number = 0;
        self.each("write", ResumePoint::START, |read| {
            if let Some(document) = read.skipped_document() {
                return files.list_removed(|| removed_lines(document, self.job.offsets));
            }
            if read.id().is_none() {
                return Ok(());
            }
            number += 1;
            let ReadDocument { document, signature, part, .. } = read;
            let Some(mut document) = document.filter(|_| part == Part::Written) else { return Ok(()) };
            document.id = learned.id_of(number - 1)?;
            let words = signature.words.len() as u64;
            let other = kept.get(&(number - 1));
            let figures =
                DedupFigures { words, words_kept: if other.is_some() { 0 } else { words }, ..DedupFigures::default() };
            tally.add(&document, figures, other.is_some(), &[]);
            match other {
                Some(found) => self.remove_document(&mut document, found, &mut files),
                None => {
                    let is_kept = |related: &&Related| !kept.contains_key(&related.number);
                    let related = related.get(&(number - 1)).copied().unwrap_or_default();
                    tally.add_related(&related.iter().filter(is_kept).copied().collect::<Vec<_>>());
                    files.list_removed(|| removed_lines(&document, self.job.offsets))?;
                    files.save(&document.id, signature.words.iter().copied())?;
                    files.write(&document)
                }
            }
        })?;
        tally.check(self.job.alarm)?;
        files.finish()?;
        // A document can be removed because of a later one.
        let known: Vec<usize> = links.iter().map(|link| link.number).collect();
        let earlier = kept.iter().filter(|(number, _)| known.binary_search(number).is_err());
        let earlier: Vec<DocumentLinks> = earlier
            .map(|(number, found)| DocumentLinks { number: *number, copy_of: Some(found.number), related: Vec::new() })
            .collect();
        links.extend(earlier);
        self.write_clusters(learned, links)?;
        Ok(tally)
    }

    /// For each document that is removed, the kept one that contains it. Among documents that are connected by copies,
    /// excerpts and newer versions, the best one is kept, and then each that no kept one contains. What contains it is
    /// compared with the document itself: a copy of a copy need not be a copy.
    fn kept_of_clusters(
        &self,
        learned: &Learned,
        links: &[DocumentLinks],
        values: &[Value],
        compared: usize,
    ) -> Result<HashMap<usize, Resembles>> {
        let is_contained =
            |related: &&Related| matches!(related.kind, LinkKind::Copy | LinkKind::Excerpt | LinkKind::NewerVersion);
        let mut clusters = Clusters::default();
        let mut translations = HashSet::new();
        for link in links {
            let translated = link.related.iter().filter(|related| related.kind == LinkKind::Translation);
            translations.extend(translated.map(|related| (link.number, related.number)));
            for related in link.related.iter().filter(is_contained) {
                clusters.join(link.number, related.number);
            }
        }
        let mut removed = HashMap::new();
        for mut members in clusters.members() {
            let mut lengths = HashMap::new();
            if self.job.keep == Keep::Longest {
                for member in &members {
                    lengths.insert(*member, learned.length_of(*member)?);
                }
            }
            members.sort_by(|one, other| {
                // Documents that are only compared with cannot be removed.
                let given = (*one >= compared).cmp(&(*other >= compared));
                let better = || match &self.job.keep {
                    Keep::First => Ordering::Equal,
                    Keep::Longest => lengths[other].cmp(&lengths[one]),
                    Keep::Newest | Keep::Most(_) => order(&values[*other], &values[*one]),
                    Keep::Least(_) if values[*one].is_null() || values[*other].is_null() => {
                        values[*one].is_null().cmp(&values[*other].is_null())
                    }
                    Keep::Least(_) => order(&values[*one], &values[*other]),
                };
                given.then_with(better).then(one.cmp(other))
            });
            let mut kept: Vec<usize> = Vec::new();
            for member in members {
                let mut found = None;
                let is_translated = |other: usize| translations.contains(&(member.max(other), member.min(other)));
                let others = kept.iter().take(COMPARED).filter(|other| member >= compared && !is_translated(**other));
                for other in others {
                    if let (Some(score), _) = learned.relation(member, *other, self.job.rule())? {
                        found = Some(Resembles { document: learned.id_of(*other)?, number: *other, score });
                        break;
                    }
                }
                match found {
                    Some(found) => drop(removed.insert(member, found)),
                    None => kept.push(member),
                }
            }
        }
        Ok(removed)
    }

    /// Writes the list of clusters, if it is wanted: each kept document with its copies, and with later documents that are
    /// related to it and were kept.
    pub(super) fn write_clusters(&self, learned: &Learned, links: Vec<DocumentLinks>) -> Result<()> {
        let Some(mut list) = self.outputs.open_list(CLUSTERS)? else { return Ok(()) };
        let removed: HashSet<usize> =
            links.iter().filter(|link| link.copy_of.is_some()).map(|link| link.number).collect();
        let mut clusters: BTreeMap<usize, Relatives> = BTreeMap::new();
        for link in links {
            match link.copy_of {
                Some(of) => clusters.entry(of).or_default().0.push(link.number),
                None => {
                    for related in link.related.into_iter().filter(|related| !removed.contains(&related.number)) {
                        clusters.entry(related.number).or_default().1.push((link.number, related));
                    }
                }
            }
        }
        for (keep, (mut copies, related)) in clusters {
            copies.sort_unstable();
            let urls = copies.iter().map(|copy| learned.url_of(*copy)).collect::<Result<Vec<_>>>()?;
            let copies = copies.into_iter().map(|copy| learned.id_of(copy)).collect::<Result<Vec<_>>>()?;
            let rounded = |share: f64| (share.min(1.0) * 1000.0).round() / 1000.0;
            let relative = |(number, related): (usize, Related)| {
                Ok(Relative {
                    id: learned.id_of(number)?,
                    kind: related.kind,
                    contained: rounded(related.contained),
                    contains: rounded(related.contains),
                    resemblance: rounded(related.resemblance),
                    url: learned.url_of(number)?,
                })
            };
            let line = Cluster {
                keep: learned.id_of(keep)?,
                copies,
                url: learned.url_of(keep)?,
                copy_urls: if urls.iter().any(Option::is_some) { urls } else { Vec::new() },
                related: related.into_iter().map(relative).collect::<Result<_>>()?,
            };
            list.put(format!("{}\n", json!(line)).as_bytes())?;
        }
        list.finish()?;
        Ok(())
    }
}

/// A kept document with its copies, and later documents that are related to it.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct Cluster {
    /// The id of the kept document.
    keep: String,
    /// The ids of documents that were removed because of it.
    copies: Vec<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The addresses of the copies, if any has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copy_urls: Vec<Option<String>>,
    /// Later documents that were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Relative>,
}

/// A later document that was kept.
#[derive(Serialize, JsonSchema)]
struct Relative {
    /// Its id.
    id: String,
    /// How it is related to the earlier document.
    kind: LinkKind,
    /// The share of its own words that the earlier document contains.
    contained: f64,
    /// The share of the own words of the earlier document that it contains.
    contains: f64,
    /// The share of the word 5-grams of both that both contain.
    resemblance: f64,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// The copies of a document, and its relatives that were kept.
type Relatives = (Vec<usize>, Vec<(usize, Related)>);

/// Documents of a cluster that each other one is compared with, at most: the best ones.
const COMPARED: usize = 16;

/// Documents that are connected, by numbers.
#[derive(Default)]
struct Clusters {
    /// Another member of the cluster of each document, or itself.
    above: BTreeMap<usize, usize>,
}

impl Clusters {
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.above.insert(one.max(other), one.min(other));
    }

    fn root(&mut self, number: usize) -> usize {
        let mut root = number;
        while let Some(above) = self.above.get(&root).filter(|above| **above != root) {
            root = *above;
        }
        self.above.insert(number, root);
        root
    }

    /// The members of each cluster.
    fn members(mut self) -> impl Iterator<Item = Vec<usize>> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in self.above.keys().copied().collect::<Vec<_>>() {
            members.entry(self.root(number)).or_default().push(number);
        }
        members.into_values()
    }
}

/// The order of two values: as numbers, else as text. No value is the least.
fn order(one: &Value, other: &Value) -> Ordering {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ if one.is_null() || other.is_null() => other.is_null().cmp(&one.is_null()),
        _ => text(one).cmp(&text(other)),
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
