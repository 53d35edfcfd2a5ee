//! The result for a page as JSON: for files, and for people who ask why.

use serde_json::{Map, Value, json};

use super::extractor::{DecisionRule, Extracted};
use super::features::{Measures, traits_of};
use super::metadata::Metadata;
use crate::document::{BLOCKS_FIELD, BYTE_BLOCKS_FIELD, BlockKind};
use crate::text::{CharOffsets, Offsets};

/// The content of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordOptions {
    /// Include all blocks, not only main content; each says whether it was kept, and why.
    pub keep_marked: bool,
    /// The unit of ranges.
    pub offsets: Offsets,
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
    pub fn record(&self, metadata: &Metadata, options: RecordOptions) -> Map<String, Value> {
        let mut record = match serde_json::to_value(metadata) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        record.insert("confidence".into(), json!(rounded(self.confidence)));
        if let Some(note) = self.note {
            record.insert("note".into(), Value::from(note));
        }
        let text = if options.keep_marked { self.page.text.clone() } else { self.text() };
        let blocks = if options.offsets == Offsets::Chars { BLOCKS_FIELD } else { BYTE_BLOCKS_FIELD };
        record.insert(blocks.into(), self.block_list(&text, options));
        record.insert("text".into(), Value::from(text));
        record
    }

    fn block_list(&self, text: &str, options: RecordOptions) -> Value {
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
            let mut entry = json!({"start": span.start, "end": span.end, "kind": block.kind.name()});
            if let (Some(level), Some(fields)) = (self.page.heading_level(i), entry.as_object_mut()) {
                fields.insert("level".into(), Value::from(level));
            }
            if let (true, Some(fields)) = (options.keep_marked, entry.as_object_mut()) {
                let decision = self.decisions[i];
                fields.insert("keep".into(), Value::from(keep));
                fields.insert("rule".into(), Value::from(decision.rule.name()));
                if let Some(probability) = decision.probability {
                    fields.insert("probability".into(), json!(rounded(probability)));
                }
            }
            list.push(entry);
        }
        Value::from(list)
    }

    /// The decision about each block with the figures it is based on: one JSON object per block.
    pub fn explanation(&self, html: &str) -> Vec<Map<String, Value>> {
        let mut measures = Measures::default();
        measures.measure(html, self.page);
        let explain = |block: usize| {
            let mut line = Map::new();
            let decision = self.decisions[block];
            let text = self.page.blocks[block].span.of(&self.page.text);
            line.insert("block".into(), Value::from(block));
            line.insert("keep".into(), Value::from(decision.keep));
            line.insert("rule".into(), Value::from(decision.rule.name()));
            if let Some(probability) = decision.probability {
                line.insert("probability".into(), json!(rounded(probability)));
            }
            line.insert("path".into(), Value::from(self.page.path(block)));
            line.insert("traits".into(), traits_of(self.page, block).names().collect());
            line.insert("text".into(), Value::from(text));
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
            line.insert("features".into(), Value::from(features));
            line
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
