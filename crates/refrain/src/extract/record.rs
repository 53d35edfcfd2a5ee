//! The result for a page as JSON: for files, and for people who ask why.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::extractor::{DecisionRule, Extracted};
use super::features::{Measures, traits_of};
use super::metadata::Metadata;
use crate::document::BlockKind;
use crate::text::{CharOffsets, Offsets};

/// The content of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordOptions {
    /// Include all blocks, not only main content; each says whether it was kept, and why.
    pub keep_marked: bool,
    /// The unit of ranges.
    pub offsets: Offsets,
}

/// The record of a page: what it states about itself, its main content, and the blocks of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PageRecord<'a> {
    #[serde(flatten)]
    metadata: &'a Metadata,
    /// How good the result is expected to be, from 0 to 1.
    confidence: f64,
    /// Why the confidence is 0, or another remark for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
    /// The blocks as ranges of the text, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<BlockRecord>>,
    /// The blocks as ranges of the text, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_blocks: Option<Vec<BlockRecord>>,
    /// The main content, with an empty line between blocks; with `keep_marked`, all visible text.
    text: String,
}

/// A block of a record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BlockRecord {
    /// Where it starts in the text.
    start: usize,
    /// Where it ends; the end is exclusive.
    end: usize,
    /// Its kind.
    kind: BlockKind,
    /// The level of a heading, from 1 to 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    /// With `keep_marked`: whether it is main content.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<bool>,
    /// With `keep_marked`: the rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<Cow<'static, str>>,
    /// With `keep_marked`: the probability that it is main content, if the method computes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
}

/// The decision about a block, with the figures that it is based on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BlockExplanation {
    /// The number of the block, from 0.
    block: usize,
    /// Whether it is main content.
    keep: bool,
    /// The rule that decided.
    rule: Cow<'static, str>,
    /// The probability that it is main content, if the method computes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    /// The block-level elements around it, outermost first.
    path: String,
    /// What the surrounding elements, roles, class names and ids indicate.
    traits: Vec<&'static str>,
    /// Its text.
    text: String,
    /// The measured features that are not 0, by name. The names belong to the version of the model.
    #[schemars(with = "BTreeMap<String, f64>")]
    features: Map<String, Value>,
}

impl Metadata {
    /// Takes values from the source's fields if the page has none, or the same. Fields with a different value are left
    /// alone.
    pub fn adopt(&mut self, fields: &mut Map<String, Value>) {
        let places = [
            ("title", &mut self.title),
            ("author", &mut self.author),
            ("date", &mut self.date),
            ("site", &mut self.site),
            ("language", &mut self.language),
            ("canonical", &mut self.canonical),
            ("description", &mut self.description),
            ("kind", &mut self.kind),
        ];
        for (name, place) in places {
            if let Some(Value::String(said)) = fields.get(name)
                && (place.is_none() || place.as_ref() == Some(said))
                && let Some(Value::String(said)) = fields.shift_remove(name)
            {
                *place = Some(said);
            }
        }
    }
}

impl Extracted<'_> {
    /// The record of a page: metadata, confidence, text, and the blocks as ranges of the text.
    pub fn record<'r>(&'r self, metadata: &'r Metadata, options: RecordOptions) -> PageRecord<'r> {
        let text = if options.keep_marked { self.page.text.clone() } else { self.text() };
        let (blocks, in_chars) = (self.block_list(&text, options), options.offsets == Offsets::Chars);
        let (blocks, byte_blocks) = if in_chars { (Some(blocks), None) } else { (None, Some(blocks)) };
        let (confidence, note) = (rounded(self.confidence), self.note);
        PageRecord { metadata, confidence, note, blocks, byte_blocks, text }
    }

    fn block_list(&self, text: &str, options: RecordOptions) -> Vec<BlockRecord> {
        let mut chars = CharOffsets::new(text);
        let mut start = 0;
        let mut list = Vec::new();
        for (i, block) in self.page.blocks.iter().enumerate() {
            let keep = self.keeps(i);
            if !keep && !options.keep_marked {
                continue;
            }
            // Kept blocks alone are joined; the blocks of the whole page keep their positions.
            let at = if options.keep_marked { block.span.start } else { start };
            let span = chars.span(crate::document::Span::new(at, at + block.span.len()), options.offsets);
            start = at + block.span.len() + "\n\n".len();
            let decision = options.keep_marked.then_some(self.decisions[i]);
            list.push(BlockRecord {
                start: span.start,
                end: span.end,
                kind: block.kind,
                level: self.page.heading_level(i),
                keep: decision.map(|_| keep),
                rule: decision.map(|decision| decision.rule.name()),
                probability: decision.and_then(|decision| decision.probability).map(rounded),
            });
        }
        list
    }

    /// The decision about each block with the figures it is based on.
    pub fn explanation(&self, html: &str) -> Vec<BlockExplanation> {
        let mut measures = Measures::default();
        measures.measure(html, self.page);
        let explain = |block: usize| {
            let decision = self.decisions[block];
            let mut features = Map::new();
            match decision.rule {
                DecisionRule::Classified(found) => {
                    features.insert("length".into(), json!(found.length));
                    features.insert("link_density".into(), json!(rounded(found.link_density as f32)));
                    features.insert("stop_word_density".into(), json!(rounded(found.stop_word_density as f32)));
                }
                DecisionRule::Range => {
                    let place = self.page.outline.places[block];
                    features.insert("words".into(), json!(measures.words(block)));
                    features.insert("tags_before".into(), json!(place.before));
                    features.insert("tags_inside".into(), json!(place.inside));
                }
                _ => measures.each_feature(self.page, block, &mut |name, value| {
                    if value != 0.0 {
                        features.insert(name.to_owned(), json!(rounded(value)));
                    }
                }),
            }
            BlockExplanation {
                block,
                keep: decision.keep,
                rule: decision.rule.name(),
                probability: decision.probability.map(rounded),
                path: self.page.path(block),
                traits: traits_of(self.page, block).names().collect(),
                text: self.page.blocks[block].span.of(&self.page.text).to_owned(),
                features,
            }
        };
        (0..self.page.blocks.len()).map(explain).collect()
    }
}

/// Rounds a figure to three decimal places for people.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}

impl super::segment::ParsedPage {
    /// The level of a heading.
    pub(crate) fn heading_level(&self, block: usize) -> Option<u8> {
        if self.blocks[block].kind != BlockKind::Heading {
            return None;
        }
        let mut at = self.outline.places.get(block)?.element;
        loop {
            let element = &self.outline.elements[at as usize];
            if element.tag.heading_level().is_some() || element.parent == at {
                return element.tag.heading_level();
            }
            at = element.parent;
        }
    }

    /// The elements around a block, outermost first: `div/article/p`.
    fn path(&self, block: usize) -> String {
        const LONGEST: usize = 32;
        let mut names = Vec::new();
        let mut at = self.outline.places[block].element;
        while at != 0 && names.len() < LONGEST {
            names.push(self.outline.elements[at as usize].tag.name());
            at = self.outline.elements[at as usize].parent;
        }
        names.reverse();
        names.join("/")
    }
}
