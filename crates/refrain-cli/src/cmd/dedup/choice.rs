//! Which of the documents that resemble each other stays.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail};
use refrain::Document;
use refrain::dedup::{Figures, Learned};
use refrain::write::{Compression, Output};
use serde_json::{Value, json};

use super::Which;
use super::output::Outputs;
use super::passes::{At, Part, Passing, Run};
use super::report::Report;
use crate::common::Failures;

impl Run<'_> {
    /// Compares whole documents, chooses which of those that resemble each other stays, and writes these: documents are read
    /// once more.
    pub(super) fn choose(&self, learned: &mut Learned, failures: &mut Failures) -> Result<Report> {
        let mut links: Vec<(usize, usize)> = Vec::new();
        let mut values: Vec<Value> = Vec::new();
        let mut compared = 0;
        self.each_asked(learned, "judge", At::START, |learned, passing, asked, _| {
            let Passing { document, signature, part, .. } = passing;
            let field = match &self.arguments.keep {
                Which::Most(field) | Which::Least(field) => Some(field),
                _ => None,
            };
            if let Some(field) = field {
                let value = |document: &Document| document.meta.get(field).cloned();
                values.push(document.as_ref().and_then(value).unwrap_or_default());
            }
            let Some(mut document) = document.filter(|_| part == Part::Written) else {
                compared += 1;
                return learned.keep(&signature, &asked);
            };
            let number = learned.next_number();
            self.check_id(learned, &mut document, failures)?;
            if let Some(found) = self.judge_document(learned, &signature, &asked)?.0 {
                links.push((number, found.number));
            }
            Ok(())
        })?;
        learned.finish()?;
        if let Which::Most(field) | Which::Least(field) = &self.arguments.keep
            && values.iter().all(Value::is_null)
        {
            bail!("--keep: no document has the field `{field}`");
        }
        let winners = self.winners(learned, &links, &values, compared)?;
        let mut outputs = Outputs::open(self, None)?;
        let mut report = Report::default();
        let mut number = 0;
        self.each("write", At::START, |passing| {
            if passing.id().is_none() {
                return Ok(());
            }
            number += 1;
            let Passing { document, signature, part, .. } = passing;
            let Some(mut document) = document.filter(|_| part == Part::Written) else { return Ok(()) };
            document.id = learned.id_of(number - 1)?;
            let words = signature.words.len() as u64;
            let winner = winners.get(&(number - 1)).filter(|winner| **winner != number - 1);
            let figures = Figures { words, words_kept: if winner.is_some() { 0 } else { words }, ..Figures::default() };
            report.add(&document, figures, winner.is_some(), 0);
            match winner {
                Some(winner) => self.leave_out(
                    &mut document,
                    &learned.compare(number - 1, *winner, self.arguments.measure)?,
                    &mut outputs,
                ),
                None => {
                    outputs.save(&document.id, signature.words.iter().copied())?;
                    outputs.write(&document)
                }
            }
        })?;
        outputs.finish()?;
        if let Some(path) = &self.arguments.clusters {
            Self::write_clusters(path, learned, winners.into_iter().filter(|(member, winner)| member != winner))?;
        }
        Ok(report)
    }

    /// For each document that resembles others, the one of them that stays.
    fn winners(
        &self,
        learned: &Learned,
        links: &[(usize, usize)],
        values: &[Value],
        compared: usize,
    ) -> Result<HashMap<usize, usize>> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (copy, of) in links {
            members.entry(*of).or_insert_with(|| vec![*of]).push(*copy);
        }
        let mut winners = HashMap::new();
        for (first, members) in members {
            let mut winner = first;
            for member in &members[1..] {
                let better = match &self.arguments.keep {
                    Which::First => false,
                    Which::Longest => learned.length_of(*member)? > learned.length_of(winner)?,
                    Which::Most(_) => is_more(&values[*member], &values[winner]),
                    Which::Least(_) => is_less(&values[*member], &values[winner]),
                };
                if better {
                    winner = *member;
                }
            }
            // What is compared with is there already: it stays.
            if first < compared {
                winner = first;
            }
            winners.extend(members.into_iter().map(|member| (member, winner)));
        }
        Ok(winners)
    }

    pub(super) fn write_clusters(
        path: &std::path::Path,
        learned: &Learned,
        links: impl Iterator<Item = (usize, usize)>,
    ) -> Result<()> {
        let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (copy, of) in links {
            clusters.entry(of).or_default().push(copy);
        }
        let open = || Compression::of_path(path).compress(Output::file(path)?);
        let mut list = open().with_context(|| path.display().to_string())?;
        for (keep, mut copies) in clusters {
            copies.sort_unstable();
            let copies = copies.into_iter().map(|copy| learned.id_of(copy)).collect::<refrain::Result<Vec<_>>>()?;
            list.put(format!("{}\n", json!({"keep": learned.id_of(keep)?, "copies": copies})).as_bytes())?;
        }
        list.finish()?;
        Ok(())
    }
}

/// True when a value is more than another one: as numbers, else as text. No value is never more.
fn is_more(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one > other,
        _ if one.is_null() || other.is_null() => other.is_null() && !one.is_null(),
        _ => text(one) > text(other),
    }
}

/// True when a value is less than another one, which may be none.
fn is_less(one: &Value, other: &Value) -> bool {
    !one.is_null() && (other.is_null() || is_more(other, one))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
