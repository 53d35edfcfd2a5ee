//! Parquet: one row a document.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::jsonl::origin;
use super::output::{Sink, Written};
use super::{DocumentWriter, WriteOptions};
use crate::document::{Document, META_COLUMN, Mark, Span};
use crate::error::{Error, Result};
use crate::text::{CharOffsets, count_words};

/// Text that is collected before it is handed to the encoder.
const BATCH_BYTES: u64 = 8 << 20;
/// Encoded bytes after which a row group is closed, unless the user chooses: what a reader needs to hold at a time.
const ROW_GROUP_BYTES: u64 = 32 << 20;

pub(super) struct ParquetWriter {
    writer: ArrowWriter<Sink>,
    schema: Arc<Schema>,
    options: WriteOptions,
    place: Place,
    batch: Batch,
    row_group: u64,
}

/// The columns of rows not yet encoded.
struct Batch {
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
pub(super) fn columns(options: WriteOptions) -> Vec<(&'static str, &'static str, &'static str)> {
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

fn schema(options: WriteOptions) -> Schema {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let mut fields = vec![
        text("id", false),
        text("url", true),
        text("language", true),
        text("encoding", true),
        text("origin", true),
        Field::new("words", DataType::Int64, false),
        text("text", false),
    ];
    if options.keep_marked {
        let item = Field::new("item", DataType::Struct(mark_fields()), true);
        fields.push(Field::new(options.marks_field(), DataType::List(Arc::new(item)), true));
    }
    fields.push(text(META_COLUMN, true));
    Schema::new(fields)
}

impl Batch {
    fn new() -> Batch {
        Batch {
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

    fn push(&mut self, document: &Document, options: WriteOptions) -> Result<()> {
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

    fn columns(&mut self, options: WriteOptions) -> Vec<ArrayRef> {
        self.bytes = 0;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.url.finish()),
            Arc::new(self.language.finish()),
            Arc::new(self.encoding.finish()),
            Arc::new(self.origin.finish()),
            Arc::new(self.words.finish()),
            Arc::new(self.text.finish()),
        ];
        if options.keep_marked {
            columns.push(Arc::new(self.marks.finish()));
        }
        columns.push(Arc::new(self.meta.finish()));
        columns
    }
}

impl ParquetWriter {
    pub(super) fn new(output: Sink, options: WriteOptions) -> Result<ParquetWriter> {
        let place = Place::of(&output);
        let schema = Arc::new(schema(options));
        let level = match options.zstd_level {
            Some(level) => ZstdLevel::try_new(level).map_err(|error| place.wrap(error))?,
            None => ZstdLevel::default(),
        };
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(format!("refrain {}", env!("CARGO_PKG_VERSION")))
            // A dictionary of whole texts is useless.
            .set_column_dictionary_enabled("text".into(), false)
            .set_column_statistics_enabled("text".into(), parquet::file::properties::EnabledStatistics::None)
            .build();
        let writer =
            ArrowWriter::try_new(output, schema.clone(), Some(properties)).map_err(|error| place.wrap(error))?;
        let row_group = options.row_group.unwrap_or(ROW_GROUP_BYTES);
        Ok(ParquetWriter { writer, schema, options, place, batch: Batch::new(), row_group })
    }

    fn flush(&mut self) -> Result<()> {
        let columns = self.batch.columns(self.options);
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| self.place.wrap(error))?;
        self.writer.write(&batch).map_err(|error| self.place.wrap(error))?;
        if self.writer.in_progress_size() as u64 > self.row_group {
            self.writer.flush().map_err(|error| self.place.wrap(error))?;
        }
        Ok(())
    }
}

/// The path for errors of the Parquet library.
#[derive(Clone)]
pub(super) struct Place {
    path: PathBuf,
    closed: Arc<AtomicBool>,
}

impl Place {
    pub(super) fn of(output: &Sink) -> Place {
        Place { path: output.path(), closed: output.closed() }
    }

    pub(super) fn wrap(&self, error: impl std::fmt::Display) -> Error {
        match self.closed.load(Ordering::Relaxed) {
            true => Error::io(&self.path, std::io::ErrorKind::BrokenPipe.into()),
            false => Error::Parquet { path: self.path.clone(), message: error.to_string() },
        }
    }
}

impl DocumentWriter for ParquetWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.batch.push(document, self.options)?;
        if self.batch.bytes as u64 > self.row_group.min(BATCH_BYTES) { self.flush() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.flush()?;
        self.writer.into_inner().map_err(|error| self.place.wrap(error))?.finish()
    }
}
