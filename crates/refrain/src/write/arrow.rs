//! Documents as the columns of an Arrow table.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};

use super::WriteOptions;
use super::jsonl::origin;
use crate::document::{Document, META_COLUMN, Mark, Span};
use crate::error::{Error, Result};
use crate::text::{CharOffsets, count_words};

/// The column for the number of a record.
const RECORD_COLUMN: &str = "record";

/// Columns that are filled document by document.
#[derive(Debug)]
pub(crate) struct Columns {
    schema: Arc<Schema>,
    options: WriteOptions,
    /// The number of the record, where it is wanted.
    record: Option<Int64Builder>,
    id: StringBuilder,
    url: StringBuilder,
    language: StringBuilder,
    encoding: StringBuilder,
    origin: StringBuilder,
    words: Int64Builder,
    text: StringBuilder,
    marks: ListBuilder<StructBuilder>,
    meta: StringBuilder,
    bytes: usize,
}

/// The columns with their types and meanings, for people and programs that do not read the schema.
pub(crate) fn columns(options: WriteOptions) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut columns = vec![
        ("id", "string", "the id of the document"),
        ("url", "string", "the address of a web page"),
        ("language", "string", "the language, as an ISO 639-1 code"),
        ("encoding", "string", "the encoding that the document was decoded from"),
        ("origin", "string", "the file in which the document was found"),
        ("words", "integer", "the number of words in the text"),
        ("text", "string", "the text"),
    ];
    if options.keep_marked {
        columns.push((options.marks_field(), "list", "ranges of the text that were marked, and why"));
    }
    columns.push((META_COLUMN, "string", "the other fields of the source, as a JSON object"));
    columns
}

fn mark_fields() -> Fields {
    Fields::from(vec![
        Field::new("start", DataType::Int64, true),
        Field::new("end", DataType::Int64, true),
        Field::new("label", DataType::Utf8, true),
        Field::new("pass", DataType::Utf8, true),
        Field::new("evidence", DataType::Utf8, true),
    ])
}

fn schema(options: WriteOptions, records: bool) -> Schema {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let mut fields = if records { vec![Field::new(RECORD_COLUMN, DataType::Int64, false)] } else { Vec::new() };
    fields.extend([
        text("id", false),
        text("url", true),
        text("language", true),
        text("encoding", true),
        text("origin", true),
        Field::new("words", DataType::Int64, false),
        text("text", false),
    ]);
    if options.keep_marked {
        let item = Field::new("item", DataType::Struct(mark_fields()), true);
        fields.push(Field::new(options.marks_field(), DataType::List(Arc::new(item)), true));
    }
    fields.push(text(META_COLUMN, true));
    Schema::new(fields)
}

impl Columns {
    /// Text that is collected before it is handed on.
    pub(crate) const BYTES: u64 = 8 << 20;

    /// Empty columns. With `records`, the first of them has the number of each document in its input.
    pub(crate) fn new(options: WriteOptions, records: bool) -> Columns {
        Columns {
            schema: Arc::new(schema(options, records)),
            options,
            record: records.then(Int64Builder::new),
            id: StringBuilder::new(),
            url: StringBuilder::new(),
            language: StringBuilder::new(),
            encoding: StringBuilder::new(),
            origin: StringBuilder::new(),
            words: Int64Builder::new(),
            text: StringBuilder::new(),
            marks: ListBuilder::new(StructBuilder::from_fields(mark_fields(), 0)),
            meta: StringBuilder::new(),
            bytes: 0,
        }
    }

    /// The names and types.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The size of what was collected.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Adds a document.
    pub(crate) fn push(&mut self, document: &Document) -> Result<()> {
        let options = self.options;
        if document.text().len() > i32::MAX as usize {
            let (name, bytes) = (document.name(), document.text().len());
            return Err(Error::Refused(format!(
                "the text of {name} has {bytes} bytes; a column holds texts up to 2 GiB"
            )));
        }
        if let Some(record) = &mut self.record {
            record.append_value(document.position.record.cast_signed());
        }
        let shown = document.shown(options.keep_marked);
        let text = &shown.text;
        let origin = origin(document);
        self.bytes += text.len() + document.id.len() + origin.len() + document.marks.len() * 128 + 64;
        self.id.append_value(&document.id);
        self.url.append_option(document.origin.url.as_deref());
        self.language.append_option(document.language.as_deref());
        self.encoding.append_option(document.encoding.as_deref());
        self.origin.append_option(Some(&origin).filter(|origin| !origin.is_empty()));
        self.words.append_value(count_words(text).cast_signed());
        self.text.append_value(text);
        if options.keep_marked {
            let mut chars = CharOffsets::new(document.text());
            for mark in document.fitting_marks() {
                let span = chars.span(mark.span, options.offsets);
                self.push_mark(mark, span)?;
            }
            self.marks.append(true);
        }
        let mut meta = document.meta.clone();
        meta.shift_remove("origin"); // a column of its own
        meta.extend(shown.ranges(options.offsets).into_iter().map(|(name, value)| (name.to_owned(), value)));
        let meta = match meta.is_empty() {
            true => None,
            false => Some(serde_json::to_string(&meta).map_err(std::io::Error::from)?),
        };
        self.bytes += meta.as_ref().map_or(0, String::len);
        self.meta.append_option(meta);
        Ok(())
    }

    fn push_mark(&mut self, mark: &Mark, span: Span) -> Result<()> {
        let evidence = serde_json::to_string(&mark.reason).map_err(std::io::Error::from)?;
        let row = self.marks.values();
        for (index, value) in [span.start, span.end].into_iter().enumerate() {
            if let Some(column) = row.field_builder::<Int64Builder>(index) {
                column.append_value((value as u64).cast_signed());
            }
        }
        for (index, value) in [mark.label.name(), &mark.pass, &evidence].into_iter().enumerate() {
            if let Some(column) = row.field_builder::<StringBuilder>(index + 2) {
                column.append_value(value);
            }
        }
        row.append(true);
        Ok(())
    }

    /// Takes what was collected.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        self.bytes = 0;
        let mut columns: Vec<ArrayRef> = Vec::new();
        if let Some(record) = &mut self.record {
            columns.push(Arc::new(record.finish()));
        }
        columns.extend([
            Arc::new(self.id.finish()) as ArrayRef,
            Arc::new(self.url.finish()),
            Arc::new(self.language.finish()),
            Arc::new(self.encoding.finish()),
            Arc::new(self.origin.finish()),
            Arc::new(self.words.finish()),
            Arc::new(self.text.finish()),
        ]);
        if self.options.keep_marked {
            columns.push(Arc::new(self.marks.finish()));
        }
        columns.push(Arc::new(self.meta.finish()));
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}
