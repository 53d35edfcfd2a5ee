//! WARC 1.0 and 1.1: responses, resources and conversions (WET) become documents, other records are skipped.
//!
//! A damaged or truncated record is a failure, and reading continues with the next one: after a damaged gzip member,
//! and in a plain file with wrong lengths, at the next line that opens a record.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::compress::DamagedMember;
use super::http::{self, Response, content_type, field};
use super::{At, Emitter, Markup, RawDocument, describe, too_large};
use crate::error::{Failure, Hint, Place};

/// No honest header is longer.
const MAX_HEADER: u64 = 1 << 20;

pub(super) fn read(at: &At<'_>, reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut archive = Archive { reader, ahead: io::Cursor::default(), taken: 0, given_back: 0, pending: None };
    let mut number = 0;
    loop {
        number += 1;
        let fail = |error: String| at.failure(error).place(Place::Record(number));
        let record = match archive.next_header() {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(Ok(record))) => record,
            Ok(Some(Err(what))) => {
                out.failed(fail(what.to_owned()))?;
                continue;
            }
            Err(error) => {
                out.failed(fail(describe(&error)))?;
                if DamagedMember::is(&error) {
                    continue;
                }
                return ControlFlow::Continue(());
            }
        };
        let limit = at.options().max_document;
        let oversized = record.length > limit;
        let body = if oversized { archive.skip_body(&record) } else { archive.body(&record, limit) };
        let body = match body {
            Ok(body) => body,
            Err(error) => {
                out.failed(fail(describe(&error)))?;
                let known = matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof);
                if known || DamagedMember::is(&error) {
                    continue;
                }
                return ControlFlow::Continue(());
            }
        };
        let body_is_short = body.short;
        if !out.wants_next() {
            out.pass_over()?;
        } else if oversized && record.holds_document() {
            out.failed(fail(too_large(limit)).hint(Hint::max_document()))?;
        } else if !record.holds_document() {
            out.skipped(record.origin(at), format!("WARC {}", record.kind()))?;
        } else {
            match record.document(at, body.bytes, limit) {
                Ok(Found::Document(raw)) => out.document(*raw)?,
                Ok(Found::Other(reason)) => out.skipped(record.origin(at), reason)?,
                Err(failure) => out.failed(failure.place(Place::Record(number)))?,
            }
        }
        if body_is_short {
            out.failed(fail("Content-Length is too short; the record was read up to the next one".into()))?;
        }
    }
}

/// The header of a record.
struct Record {
    fields: Vec<(String, String)>,
    length: u64,
}

/// What a record holds.
enum Found {
    Document(Box<RawDocument>),
    /// No document, for this reason.
    Other(String),
}

impl Record {
    fn kind(&self) -> &str {
        field(&self.fields, "warc-type").unwrap_or("record of unknown type")
    }

    fn holds_document(&self) -> bool {
        matches!(self.kind(), "response" | "resource" | "conversion")
    }

    fn url(&self) -> Option<String> {
        let url = field(&self.fields, "warc-target-uri")?;
        Some(url.trim_start_matches('<').trim_end_matches('>').to_owned())
    }

    fn origin(&self, at: &At<'_>) -> crate::document::Origin {
        crate::document::Origin { url: self.url(), ..at.origin() }
    }

    /// The id of the record without its brackets and scheme.
    fn id(&self) -> Option<&str> {
        let id = field(&self.fields, "warc-record-id")?.trim_start_matches('<').trim_end_matches('>');
        Some(id.strip_prefix("urn:uuid:").unwrap_or(id)).filter(|id| !id.is_empty())
    }

    fn document(&self, at: &At<'_>, mut body: Vec<u8>, limit: u64) -> Result<Found, Failure> {
        let (mut kind, mut charset) = content_type(field(&self.fields, "content-type").unwrap_or_default());
        let mut meta = Map::new();
        let mut note = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                meta.insert(name.to_owned(), Value::from(value));
            }
        };
        note("warc_date", field(&self.fields, "warc-date"));
        if self.kind() == "response" {
            let url = self.url().unwrap_or_default();
            if !kind.starts_with("application/http") && !url.starts_with("http") {
                return Ok(Found::Other(format!("response of type {kind}")));
            }
            let Some(response) = Response::parse(&body) else {
                return Err(at.failure("response without an HTTP header"));
            };
            if !(200..300).contains(&response.status) {
                return Ok(Found::Other(format!("HTTP status {}", response.status)));
            }
            (kind, charset) = content_type(response.field("content-type").unwrap_or_default());
            body.drain(..response.body_start);
            if matches!(Media::of(&kind), Media::Other) {
                return Ok(Found::Other(format!("content type {kind}")));
            }
            body = response.decode(body, limit).map_err(|error| at.failure(error))?;
        }
        let markup = match Media::of(&kind) {
            Media::Document(markup) => Some(markup),
            Media::Open => None,
            Media::Other => return Ok(Found::Other(format!("content type {kind}"))),
        };
        if body.is_empty() {
            return Ok(Found::Other("empty body".into()));
        }
        note("content_type", Some(kind.as_str()).filter(|kind| !kind.is_empty()));
        let id = self.id().map_or_else(|| self.url().unwrap_or_else(|| at.path()), str::to_owned);
        Ok(Found::Document(Box::new(RawDocument {
            id,
            origin: self.origin(at),
            meta,
            body: super::Body::Bytes(body),
            markup,
            charset,
            claims_text: false,
        })))
    }
}

/// What a media type says about a body.
enum Media {
    Document(Markup),
    /// Unknown: the content decides.
    Open,
    /// No document.
    Other,
}

impl Media {
    fn of(kind: &str) -> Media {
        match kind {
            "text/html" | "application/xhtml+xml" => Media::Document(Markup::Html),
            "text/plain" => Media::Document(Markup::Text),
            "" | "application/octet-stream" | "unknown/unknown" => Media::Open,
            _ => Media::Other,
        }
    }
}

/// A stream of records.
struct Archive<'r> {
    reader: Box<dyn BufRead + 'r>,
    /// Bytes given back: the start of a record that a wrong length had swallowed.
    ahead: io::Cursor<Vec<u8>>,
    /// Bytes of bodies read, and given back, so far.
    taken: u64,
    given_back: u64,
    /// An error that occurred after a complete record.
    pending: Option<io::Error>,
}

/// The body of a record.
struct Body {
    bytes: Vec<u8>,
    /// The record declared a shorter length.
    short: bool,
}

impl Archive<'_> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        loop {
            if (self.ahead.position() as usize) < self.ahead.get_ref().len() {
                return self.ahead.fill_buf();
            }
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if (self.ahead.position() as usize) < self.ahead.get_ref().len() {
            self.ahead.consume(amount);
        } else {
            self.reader.consume(amount);
        }
    }

    /// Reads a line with its end; a line over the limit comes in pieces.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<()> {
        line.clear();
        while (line.len() as u64) < MAX_HEADER {
            let available = self.fill()?;
            let end = memchr::memchr(b'\n', available).map(|at| at + 1);
            let used = end.unwrap_or(available.len());
            line.extend_from_slice(&available[..used]);
            self.consume(used);
            if end.is_some() || used == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The header of the next record: `None` at the end, an inner error where there is no proper one.
    fn next_header(&mut self) -> io::Result<Option<Result<Record, &'static str>>> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        let mut line = Vec::new();
        loop {
            self.line(&mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            if line.starts_with(b"WARC/") {
                break;
            }
            if !line.trim_ascii().is_empty() {
                self.skip_to_record()?;
                return Ok(Some(Err("bytes that belong to no record")));
            }
        }
        let mut fields = Vec::new();
        let mut size = 0;
        loop {
            self.line(&mut line)?;
            size += line.len() as u64;
            let content = line.trim_ascii_end();
            if line.is_empty() {
                return Ok(Some(Err("truncated record header")));
            }
            if content.is_empty() {
                break;
            }
            if size > MAX_HEADER {
                self.skip_to_record()?;
                return Ok(Some(Err("record header too long")));
            }
            http::push_field(&mut fields, content);
        }
        match field(&fields, "content-length").map(str::parse) {
            Some(Ok(length)) => Ok(Some(Ok(Record { fields, length }))),
            _ => {
                self.skip_to_record()?;
                Ok(Some(Err("record without a valid Content-Length")))
            }
        }
    }

    /// Skips everything before the next line that opens a record.
    fn skip_to_record(&mut self) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            if self.at_record()? || self.fill()?.is_empty() {
                return Ok(());
            }
            self.line(&mut line)?;
        }
    }

    /// The body of a record and the empty lines after it.
    fn body(&mut self, record: &Record, limit: u64) -> io::Result<Body> {
        let mut body = Vec::with_capacity(record.length.min(1 << 20) as usize);
        self.read_body(record.length, &mut body)?;
        // A record ends with two line ends. Looking at what follows them also makes sure that the gzip member is whole.
        let mut newlines = 0;
        loop {
            match self.fill().map(|available| available.first().copied()) {
                Ok(Some(b'\r')) => self.consume(1),
                Ok(Some(b'\n')) => {
                    newlines += 1;
                    self.consume(1);
                }
                Ok(_) => break,
                // This record is whole; the error is that of the next one.
                Err(error) if newlines >= 2 && DamagedMember::is_at_start(&error) => {
                    self.pending = Some(error);
                    return Ok(Body { bytes: body, short: false });
                }
                Err(error) => return Err(error),
            }
        }
        if newlines >= 2 || self.at_record()? || self.fill()?.is_empty() {
            return Ok(Body { bytes: body, short: false });
        }
        if memchr::memmem::find(&body, OPENING_LINE).is_some() {
            self.give_back_swallowed(body)?;
            return Err(io::Error::new(io::ErrorKind::InvalidData, "Content-Length does not match the record"));
        }
        // The length is too short: the body continues up to the next record.
        body.extend(std::iter::repeat_n(b'\n', newlines));
        let mut line = Vec::new();
        while !self.at_record()? && (body.len() as u64) < limit {
            self.line(&mut line)?;
            if line.is_empty() {
                break;
            }
            body.extend_from_slice(&line);
        }
        body.truncate(body.trim_ascii_end().len());
        Ok(Body { bytes: body, short: true })
    }

    /// Skips a body that is too large to keep. Its length may be wrong, so a line in it that opens a record after
    /// an empty line ends it.
    fn skip_body(&mut self, record: &Record) -> io::Result<Body> {
        let (mut line, mut after_empty, mut left) = (Vec::new(), false, record.length);
        while left > 0 {
            if after_empty && self.at_record()? {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "Content-Length does not match the record"));
            }
            self.line(&mut line)?;
            if line.is_empty() {
                return Err(cut_off());
            }
            after_empty = line.trim_ascii().is_empty();
            left = left.saturating_sub(line.len() as u64);
        }
        Ok(Body { bytes: Vec::new(), short: false })
    }

    fn read_body(&mut self, length: u64, body: &mut Vec<u8>) -> io::Result<()> {
        (&mut self.ahead).take(length).read_to_end(body)?;
        let fresh = (&mut self.reader).take(length - body.len() as u64).read_to_end(body)?;
        self.taken += fresh as u64;
        if (body.len() as u64) < length {
            self.give_back_swallowed(std::mem::take(body))?;
            return Err(cut_off());
        }
        Ok(())
    }

    /// If a body with a wrong length contains the start of another record, reading continues there; otherwise at the
    /// next start that follows.
    fn give_back_swallowed(&mut self, mut body: Vec<u8>) -> io::Result<()> {
        match memchr::memmem::find(&body, OPENING_LINE) {
            // An archive made of wrong lengths alone could make us read it again and again.
            Some(at) if self.given_back <= FREE_GIVING_BACK + 4 * self.taken => {
                body.drain(..=at);
                self.given_back += body.len() as u64;
                self.give_back(body);
                Ok(())
            }
            _ => self.skip_to_record(),
        }
    }

    /// Puts bytes back before the unread data.
    fn give_back(&mut self, mut bytes: Vec<u8>) {
        bytes.extend_from_slice(&self.ahead.get_ref()[self.ahead.position() as usize..]);
        self.ahead = io::Cursor::new(bytes);
    }

    /// True when the next bytes open a record.
    fn at_record(&mut self) -> io::Result<bool> {
        const OPENING: &[u8] = b"WARC/";
        let available = self.fill()?;
        if available.len() >= OPENING.len() || available.is_empty() || !OPENING.starts_with(available) {
            return Ok(available.starts_with(OPENING));
        }
        // The buffer ends inside of what may be an opening.
        let mut start = Vec::new();
        while start.len() < OPENING.len() {
            let available = self.fill()?;
            if available.is_empty() {
                break;
            }
            let used = available.len().min(OPENING.len());
            start.extend_from_slice(&available[..used]);
            self.consume(used);
        }
        let found = start.starts_with(OPENING);
        self.give_back(start);
        Ok(found)
    }
}

/// A line that opens a record, seen from the end of the line before it.
const OPENING_LINE: &[u8] = b"\nWARC/1.";

/// Bytes that may be read again in any archive.
const FREE_GIVING_BACK: u64 = 256 << 20;

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends before the record does")
}
