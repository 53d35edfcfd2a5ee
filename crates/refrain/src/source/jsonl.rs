//! JSONL: one object per line.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::compress::DamagedMember;
use super::sniff::is_page;
use super::{At, Body, Emitter, Markup, RawDocument, describe, too_large};
use crate::document::{BLOCKS_FIELD, BYTE_BLOCKS_FIELD, BYTE_MARKS_FIELD, MARKS_FIELD};
use crate::error::{Failure, Hint, Place};

pub(super) fn read(at: &At<'_>, reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut lines = Lines::new(reader, at.options().max_document);
    let mut after_damage = false;
    loop {
        let number = lines.number + 1;
        let fail = |error: String| at.failure(error).place(Place::Line(number));
        match lines.next() {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(Line::Whole(line))) => {
                let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let rest_of_damaged = std::mem::take(&mut after_damage);
                // A line after damage counts only if it is valid.
                if !out.wants_next() && !rest_of_damaged {
                    out.pass_over()?;
                    continue;
                }
                match parse(at, line, number) {
                    Ok(raw) => out.document(raw)?,
                    Err(_) if rest_of_damaged => {}
                    Err(failure) => out.failed(failure.place(Place::Line(number)))?,
                }
            }
            Ok(Some(Line::TooLong)) => {
                let limit = lines.limit;
                out.failed(fail(too_large(limit)).hint(Hint::max_document()))?;
            }
            Err(error) => {
                out.failed(fail(describe(&error)))?;
                if !DamagedMember::is(&error) {
                    return ControlFlow::Continue(());
                }
                // Decompression continues at the next good member, perhaps inside a line: if so, that line was reported
                // here.
                after_damage = true;
            }
        }
    }
}

fn parse(at: &At<'_>, line: &[u8], number: u64) -> Result<RawDocument, Failure> {
    let options = at.options();
    let mut fields: Map<String, Value> = serde_json::from_slice(line).map_err(|error| match error.is_data() {
        true => at.failure("not a JSON object"),
        false => at.failure(format!("not valid JSON: {}", without_line(&error))),
    })?;
    let text = match fields.shift_remove(&options.text_field) {
        None if options.text_field.is_empty() => String::new(),
        Some(Value::String(text)) => text,
        Some(Value::Null) => String::new(),
        Some(_) => return Err(at.failure(format!("field \"{}\" is not a string", options.text_field))),
        None => {
            let names: Vec<&str> = fields.keys().map(String::as_str).take(12).collect();
            return Err(at
                .failure(format!("no field \"{}\"; fields are: {}", options.text_field, names.join(", ")))
                .hint(Hint::option("text_field", "name the field with `text_field`")));
        }
    };
    let id = take_id(&mut fields, &options.id_field).unwrap_or_else(|| format!("{}:{number}", at.path()));
    Ok(document(at, id, text, fields))
}

/// The error and its column; the line number is that of the file, not that of the parser.
fn without_line(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or_default();
    if error.line() == 1 { format!("{what}, column {}", error.column()) } else { what.to_owned() }
}

/// Removes the id from the fields of a document.
pub(super) fn take_id(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.get(name)? {
        Value::String(id) if !id.is_empty() => {}
        Value::Number(_) => {}
        _ => return None,
    }
    match fields.shift_remove(name)? {
        Value::String(id) => Some(id),
        other => Some(other.to_string()),
    }
}

/// A document from a row of fields.
pub(super) fn document(at: &At<'_>, id: String, text: String, mut fields: Map<String, Value>) -> RawDocument {
    if at.options().use_marked {
        fields.retain(|name, value| !([MARKS_FIELD, BYTE_MARKS_FIELD].contains(&name.as_str()) && value.is_array()));
    }
    let mut origin = at.origin();
    if let Some(Value::String(_)) = fields.get("url")
        && let Some(Value::String(url)) = fields.shift_remove("url")
    {
        origin.url = Some(url);
    }
    let detected = || if is_page(&text) && !is_record(&fields) { Markup::Html } else { Markup::Text };
    let markup = Some(at.text_is.unwrap_or_else(detected));
    RawDocument { id, origin, meta: fields, body: Body::Text(text), markup, charset: None, claims_text: true }
}

/// True for the fields of a record that `extract` wrote: its text is no longer HTML.
pub(crate) fn is_record(fields: &Map<String, Value>) -> bool {
    let blocks = [BLOCKS_FIELD, BYTE_BLOCKS_FIELD].iter().any(|name| fields.get(*name).is_some_and(Value::is_array));
    blocks && fields.get("confidence").is_some_and(Value::is_number)
}

/// Lines of limited length: a longer one is skipped without being held in memory.
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Number of the last line read, from 1.
    pub(super) number: u64,
    pub(super) limit: u64,
}

pub(super) enum Line<'a> {
    /// A line, with its end.
    Whole(&'a [u8]),
    /// A line over the limit.
    TooLong,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, limit: u64) -> Lines<R> {
        Lines { reader, buffer: Vec::new(), number: 0, limit }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        // One very long line must not occupy its memory for the rest of the file.
        self.buffer.shrink_to(1 << 20);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                self.number += u64::from(!self.buffer.is_empty());
                return Ok((!self.buffer.is_empty()).then_some(Line::Whole(&self.buffer)));
            }
            let (used, ended) = match memchr::memchr(b'\n', available) {
                Some(at) => (at + 1, true),
                None => (available.len(), false),
            };
            if (self.buffer.len() + used) as u64 > self.limit {
                self.buffer.clear();
                self.skip_line()?;
                self.number += 1;
                return Ok(Some(Line::TooLong));
            }
            self.buffer.extend_from_slice(&available[..used]);
            self.reader.consume(used);
            if ended {
                self.number += 1;
                return Ok(Some(Line::Whole(&self.buffer)));
            }
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        self.reader.skip_until(b'\n').map(drop)
    }
}
