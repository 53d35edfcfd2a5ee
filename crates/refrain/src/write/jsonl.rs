//! JSONL: one object a line.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::output::{Compressed, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::{BlockKind, Document, Label, Mark, Reason, Span};
use crate::error::Result;
use crate::text::{CharOffsets, Offsets};

/// The fields of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// All fields beside each other.
    Own,
    /// As Dolma has them: the source, and the dates, beside an object of other fields.
    Dolma,
    /// As datatrove has them: an object of other fields.
    Datatrove,
}

pub(super) struct JsonlWriter {
    out: Compressed,
    shape: Shape,
    options: WriteOptions,
    line: Vec<u8>,
}

impl JsonlWriter {
    pub(super) fn new(out: Compressed, shape: Shape, options: WriteOptions) -> JsonlWriter {
        JsonlWriter { out, shape, options, line: Vec::new() }
    }
}

impl DocumentWriter for JsonlWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.line.clear();
        let mut line = serde_json::Serializer::new(&mut self.line);
        let fields = shaped(fields(document, self.options), self.shape);
        line.collect_map(fields).map_err(std::io::Error::from)?;
        self.line.push(b'\n');
        self.out.put(&self.line)
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        self.out.pause().map(Some)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.out.finish()
    }
}

/// A value of a field.
#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Text(Cow<'a, str>),
    Own(Value),
    Source(&'a Value),
    #[serde(serialize_with = "as_object")]
    Object(Fields<'a>),
}

/// The fields of an object, in order.
type Fields<'a> = Vec<(Cow<'a, str>, Field<'a>)>;

fn as_object<S: Serializer>(fields: &[(Cow<'_, str>, Field<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

/// The fields in the shape that other programs expect.
fn shaped(mut fields: Fields<'_>, shape: Shape) -> Fields<'_> {
    if shape == Shape::Own {
        return fields;
    }
    let mut take = |name: &str| fields.iter().position(|(known, _)| known == name).map(|at| fields.remove(at).1);
    let mut shaped = Vec::with_capacity(6);
    let mut set = |name: &'static str, value: Option<_>| shaped.extend(value.map(|value| (Cow::from(name), value)));
    let (id, text) = (take("id"), take("text"));
    if shape == Shape::Dolma {
        set("id", id);
        set("text", text);
        set("source", Some(take("origin").unwrap_or(Field::Text("unknown".into()))));
        set("added", take("warc_date"));
        set("created", take("date").or_else(|| take("timestamp")));
    } else {
        set("text", text);
        set("id", id);
        set("media", Some(Field::Own(json!([]))));
    }
    shaped.push(("metadata".into(), Field::Object(fields)));
    shaped
}

/// A document as the fields of a JSON object: what refrain knows first, then the fields of its source.
fn fields(document: &Document, options: WriteOptions) -> Fields<'_> {
    let mut fields: Fields<'_> = Vec::with_capacity(8 + document.meta.len());
    let known = [
        ("id", Some(document.id.as_str().into())),
        ("url", document.origin.url.as_deref().map(Cow::from)),
        ("language", document.language.as_deref().map(Cow::from)),
        ("encoding", document.encoding.as_deref().map(Cow::from)),
        ("origin", Some(origin(document))),
    ];
    for (name, value) in known {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            fields.push((name.into(), Field::Text(value)));
        }
    }
    let shown = document.shown(options.keep_marked);
    let ranges = shown.ranges(options.offsets);
    fields.push(("text".into(), Field::Text(shown.text)));
    if options.keep_marked {
        fields.push((
            options.marks_field().into(),
            Field::Own(marks(document.text(), document.fitting_marks(), options.offsets)),
        ));
    }
    let own = fields.len();
    for (name, value) in &document.meta {
        if name == "origin" {
            continue; // written above
        }
        // A field of the source that has the name of one of ours is not lost.
        let mut free = Cow::from(name);
        while fields[..own].iter().any(|(used, _)| *used == free)
            || ranges.iter().any(|(used, _)| *used == free)
            || (free != *name && document.meta.contains_key(free.as_ref()))
        {
            free = format!("source_{free}").into();
        }
        fields.push((free, Field::Source(value)));
    }
    fields.extend(ranges.into_iter().map(|(name, value)| (name.into(), Field::Own(value))));
    fields
}

/// The first origin of a document, which documents that refrain wrote before still carry.
pub(super) fn origin(document: &Document) -> Cow<'_, str> {
    match document.meta.get("origin") {
        Some(Value::String(origin)) => origin.into(),
        _ => document.origin.path(),
    }
}

/// A mark of a document as it is written.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrittenMark<'a> {
    /// Where it starts in the text.
    start: usize,
    /// Where it ends; the end is exclusive.
    end: usize,
    /// The kind of the range.
    label: Label,
    /// The pass that set the mark.
    pass: &'a str,
    /// Why the pass set it.
    evidence: &'a Reason,
}

/// A block of a document as it is written. Blocks of `refrain extract` also have its fields.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "describes what is written field by field")]
pub(crate) struct WrittenBlock {
    /// Where it starts in the text.
    start: usize,
    /// Where it ends; the end is exclusive.
    end: usize,
    /// Its kind.
    kind: BlockKind,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A document of JSONL. It is written by [`fields`].
#[derive(JsonSchema)]
#[allow(dead_code, reason = "describes what is written field by field")]
pub(crate) struct WrittenDocument<'a> {
    /// The WARC record id, the value of the id field, or the path.
    id: String,
    /// The address of a web page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The ISO 639 code of the language, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The encoding that the document was decoded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// Where refrain first read the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// The text.
    text: String,
    /// With `--keep-marked`: the marks, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    marks: Option<Vec<WrittenMark<'a>>>,
    /// The same in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_marks: Option<Vec<WrittenMark<'a>>>,
    /// The blocks, if the source listed them, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Vec<WrittenBlock>>,
    /// The same in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_blocks: Option<Vec<WrittenBlock>>,
    /// Where the pages of a PDF, ALTO or hOCR file start, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Vec<usize>>,
    /// Fields of the source.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A document in the shape of Dolma.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "describes what is written field by field")]
pub(crate) struct DolmaDocument {
    /// The id.
    id: String,
    /// The text.
    text: String,
    /// The origin.
    source: String,
    /// When the document was collected, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<Value>,
    /// When it was written, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Value>,
    /// All other fields.
    metadata: Map<String, Value>,
}

/// A document in the shape of datatrove.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "describes what is written field by field")]
pub(crate) struct DatatroveDocument {
    /// The text.
    text: String,
    /// The id.
    id: String,
    /// An empty list.
    media: Vec<Value>,
    /// All other fields.
    metadata: Map<String, Value>,
}

/// Marks of a text as JSON.
pub(crate) fn marks<'a>(text: &str, marks: impl IntoIterator<Item = &'a Mark>, offsets: Offsets) -> Value {
    let mut chars = CharOffsets::new(text);
    let marks = marks.into_iter().map(|mark| {
        let Span { start, end } = chars.span(mark.span, offsets);
        json!(WrittenMark { start, end, label: mark.label, pass: &mark.pass, evidence: &mark.reason })
    });
    marks.collect()
}
