//! JSONL: one object a line.

use serde_json::{Map, Value, json};

use super::output::{Packed, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::Document;
use crate::error::Result;
use crate::text::{CharOffsets, Offsets};

pub(super) struct JsonlWriter {
    out: Packed,
    options: WriteOptions,
    line: Vec<u8>,
}

impl JsonlWriter {
    pub(super) fn new(out: Packed, options: WriteOptions) -> JsonlWriter {
        JsonlWriter { out, options, line: Vec::new() }
    }
}

impl DocumentWriter for JsonlWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        let fields = fields(document, self.options);
        self.line.clear();
        serde_json::to_writer(&mut self.line, &fields).map_err(std::io::Error::from)?;
        self.line.push(b'\n');
        self.out.put(&self.line)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.out.finish()
    }
}

/// A document as a JSON object: what refrain knows first, then the fields of its source.
fn fields(document: &Document, options: WriteOptions) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            fields.insert(name.to_owned(), Value::from(value));
        }
    };
    put("id", Some(&document.id));
    put("url", document.origin.url.as_deref());
    put("language", document.language.as_deref());
    put("encoding", document.encoding.as_deref());
    put("origin", Some(&origin(document)));
    let text = if options.keep_marked { document.text.as_str().into() } else { document.kept() };
    fields.insert("text".into(), Value::from(text));
    if options.keep_marked {
        fields.insert(options.marks_field().into(), marks(document, options.offsets));
    }
    for (name, value) in &document.meta {
        if name == "origin" {
            continue; // written above
        }
        // A field of the source that has the name of one of ours is not lost.
        let mut free = name.clone();
        while fields.contains_key(&free) || (free != *name && document.meta.contains_key(&free)) {
            free = format!("source_{free}");
        }
        fields.insert(free, value.clone());
    }
    fields
}

/// Where a document came from first: documents that refrain wrote before remember it.
pub(super) fn origin(document: &Document) -> String {
    match document.meta.get("origin") {
        Some(Value::String(origin)) => origin.clone(),
        _ => document.origin.path().into_owned(),
    }
}

/// The marks of a document as JSON.
fn marks(document: &Document, offsets: Offsets) -> Value {
    let mut chars = CharOffsets::new(&document.text);
    let marks = document.marks.iter().map(|mark| {
        let span = chars.span(mark.span, offsets);
        json!({
            "start": span.start,
            "end": span.end,
            "label": mark.label,
            "pass": mark.pass,
            "evidence": mark.reason,
        })
    });
    marks.collect()
}
