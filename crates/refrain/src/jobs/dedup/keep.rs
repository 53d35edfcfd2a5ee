//! Which of the documents that resemble each other is kept.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::files::Files;
use super::passes::{Part, Passes, ReadDocument, ResumePoint};
use super::report::Tally;
use crate::dedup::{DedupFigures, Learned};
use crate::document::Document;
use crate::error::{Error, Hint, Result};
use crate::jobs::failures::FailureLog;
use crate::jobs::outputs::CLUSTERS;
use crate::write::removed_lines;

/// Which of the documents that resemble each other is kept. As text: `first`, `longest`, `most:FIELD` or `least:FIELD`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Keep {
    /// The first one.
    #[default]
    First,
    /// The one with the most words.
    Longest,
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
            (_, Some(("most", field))) if !field.is_empty() => Ok(Keep::Most(field.to_owned())),
            (_, Some(("least", field))) if !field.is_empty() => Ok(Keep::Least(field.to_owned())),
            _ => Err("first, longest, most:FIELD or least:FIELD, with the name of a field".into()),
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
            Keep::Most(field) => write!(f, "most:{field}"),
            Keep::Least(field) => write!(f, "least:{field}"),
        }
    }
}

impl Keep {
    /// The field that decides.
    fn field(&self) -> Option<&str> {
        match self {
            Keep::Most(field) | Keep::Least(field) => Some(field),
            _ => None,
        }
    }
}

impl Passes<'_> {
    /// Compares whole documents, chooses which of those that resemble each other is kept, and writes these. Documents are
    /// read once more.
    pub(super) fn choose(&self, learned: &mut Learned, failures: &mut FailureLog) -> Result<Tally> {
        let mut links: Vec<(usize, usize)> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut compared = 0;
        self.each_with_evidence(learned, "judge", ResumePoint::START, |learned, read, evidence, _| {
            let ReadDocument { document, signature, part, .. } = read;
            if let Some(field) = self.job.keep.field() {
                let value = |document: &Document| document.meta.get(field).cloned();
                values.push(document.as_ref().and_then(value).unwrap_or_default());
            }
            let Some(mut document) = document.filter(|_| part == Part::Written) else {
                compared += 1;
                return learned.keep(&signature, &evidence);
            };
            let number = learned.next_number();
            self.check_id(learned, &mut document, failures)?;
            if let Some(found) = self.judge_document(learned, &signature, &evidence)?.0 {
                links.push((number, found.number));
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
        let mut files = Files::open(self, None)?;
        let mut tally = Tally::default();
        let mut number = 0;
        self.each("write", ResumePoint::START, |read| {
            if read.id().is_none() {
                return Ok(());
            }
            number += 1;
            let ReadDocument { document, signature, part, .. } = read;
            let Some(mut document) = document.filter(|_| part == Part::Written) else { return Ok(()) };
            document.id = learned.id_of(number - 1)?;
            let words = signature.words.len() as u64;
            let other = kept.get(&(number - 1)).filter(|other| **other != number - 1);
            let figures =
                DedupFigures { words, words_kept: if other.is_some() { 0 } else { words }, ..DedupFigures::default() };
            tally.add(&document, figures, other.is_some(), &[]);
            match other {
                Some(other) => {
                    let found = learned.compare(number - 1, *other, self.job.measure)?;
                    self.remove_document(learned, &mut document, &found, &mut files)
                }
                None => {
                    files.list_removed(|| removed_lines(&document, self.job.offsets))?;
                    files.save(&document.id, signature.words.iter().copied())?;
                    files.write(&document)
                }
            }
        })?;
        tally.check(self.job.alarm)?;
        files.finish()?;
        self.write_clusters(learned, kept.into_iter().filter(|(member, kept)| member != kept))?;
        Ok(tally)
    }

    /// For each document that resembles others, the one of them that is kept.
    fn kept_of_clusters(
        &self,
        learned: &Learned,
        links: &[(usize, usize)],
        values: &[Value],
        compared: usize,
    ) -> Result<HashMap<usize, usize>> {
        let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (copy, of) in links {
            clusters.entry(*of).or_insert_with(|| vec![*of]).push(*copy);
        }
        let mut all = HashMap::new();
        for (first, members) in clusters {
            let mut kept = first;
            for member in &members[1..] {
                let better = match &self.job.keep {
                    Keep::First => false,
                    Keep::Longest => learned.length_of(*member)? > learned.length_of(kept)?,
                    Keep::Most(_) => is_more(&values[*member], &values[kept]),
                    Keep::Least(_) => is_less(&values[*member], &values[kept]),
                };
                if better {
                    kept = *member;
                }
            }
            // Documents that are only compared with cannot be removed.
            if first < compared {
                kept = first;
            }
            all.extend(members.into_iter().map(|member| (member, kept)));
        }
        Ok(all)
    }

    /// Writes the list of clusters, if it is wanted.
    pub(super) fn write_clusters(&self, learned: &Learned, links: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        let Some(mut list) = self.outputs.open_list(CLUSTERS)? else { return Ok(()) };
        let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (copy, of) in links {
            clusters.entry(of).or_default().push(copy);
        }
        for (keep, mut copies) in clusters {
            copies.sort_unstable();
            let copies = copies.into_iter().map(|copy| learned.id_of(copy)).collect::<Result<Vec<_>>>()?;
            list.put(format!("{}\n", json!({"keep": learned.id_of(keep)?, "copies": copies})).as_bytes())?;
        }
        list.finish()?;
        Ok(())
    }
}

/// True if a value is more than another one: as numbers, else as text. No value is never more.
fn is_more(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one > other,
        _ if one.is_null() || other.is_null() => other.is_null() && !one.is_null(),
        _ => text(one) > text(other),
    }
}

/// True if a value is less than another one, which may be none.
fn is_less(one: &Value, other: &Value) -> bool {
    !one.is_null() && (other.is_null() || is_more(other, one))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
