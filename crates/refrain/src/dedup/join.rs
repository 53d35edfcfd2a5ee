//! Dedup as a [`Join`]: documents that share n-grams, anchors or digests are judged together, one after the other.

use super::blocks::Copied;
use super::documents::{DocumentContext, DocumentRule, Resembles};
use super::evidence::{DedupOptions, Learning, Task, whole};
use super::signature::Signature;
use crate::document::Position;
use crate::error::Result;
use crate::kernel::Join;
use crate::run::Run;
use crate::text::mix;

/// Finds the duplicates that [`Learned`](super::Learned) finds in the whole collection.
///
/// A component is judged by the same functions, over its own documents only. With [`DedupOptions::edited`], a copied
/// block is also compared with the context of the earlier text, up to the documents before and after it. These differ
/// in a component, so a verdict at the very edge of a document may differ.
#[derive(Debug, Clone)]
pub struct DedupJoin {
    /// What is a duplicate.
    pub options: DedupOptions,
    /// When a document as a whole is a duplicate.
    pub rule: DocumentRule,
}

/// The verdict on one document.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Why each block is a duplicate, if it is one.
    Blocks(Vec<Option<Copied>>),
    /// The earlier document that the whole document resembles, if there is one.
    Document(Option<Resembles>),
}

/// A seed for each kind of key, so that they do not collide.
const ANCHOR_KEY: u64 = 1;
const WHOLE_KEY: u64 = 2;

impl Join for DedupJoin {
    /// The id of a document, and its signature.
    type Item = (String, Signature);
    type Key = u64;
    type Entry = Position;
    /// Two documents that share a key: the first one that has it, and another.
    type Answer = (Position, Position);
    type Verdict = (Position, Verdict);

    fn entries(&self, position: Position, (_, signature): &(String, Signature)) -> Result<Vec<(u64, Position)>> {
        let mut keys = signature.ngrams.clone();
        keys.extend(signature.anchors.iter().map(|(_, hash)| mix(hash ^ ANCHOR_KEY)));
        keys.extend(signature.digests.iter().map(|digest| *digest as u64));
        if self.options.needs_words() {
            keys.push(mix(whole(signature) ^ WHOLE_KEY));
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(keys.into_iter().map(|key| (key, position)).collect())
    }

    fn answer(&self, _: &u64, entries: Vec<Position>) -> Result<Vec<(Position, Position)>> {
        let Some(first) = entries.iter().min().copied() else { return Ok(Vec::new()) };
        Ok(entries.into_iter().filter(|other| *other != first).map(|other| (first, other)).collect())
    }

    fn connects(&self, answer: &(Position, Position)) -> (Position, Position) {
        *answer
    }

    fn verdicts(
        &self,
        documents: &[(Position, &(String, Signature))],
        _: Vec<(Position, Position)>,
    ) -> Result<Vec<(Position, Verdict)>> {
        let mut learning = Learning::new(self.options.clone())?;
        for (_, (id, signature)) in documents {
            learning.add(id, signature)?;
        }
        let run = Run { threads: Some(1), ..Run::default() };
        let mut learned = learning.conclude(&run.start()?)?;
        let judged = |(position, (_, signature)): &(Position, &(String, Signature))| {
            let evidence = learned.look_up(signature)?;
            let verdict = match self.options.task {
                Task::Documents => {
                    let context = DocumentContext::default();
                    Verdict::Document(learned.judge_document(signature, &evidence, self.rule, context)?.resembles)
                }
                _ => Verdict::Blocks(learned.judge_with(signature, &evidence)?.blocks),
            };
            Ok((*position, verdict))
        };
        documents.iter().map(judged).collect()
    }
}
