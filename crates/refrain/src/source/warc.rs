//! WARC 1.0 and 1.1, and ARC: responses, resources and conversions (WET) become documents, other records are skipped.
//!
//! A damaged or truncated record is a failure, and reading continues with the next one. It continues after a damaged
//! gzip member; in a plain file with wrong lengths, at the next line that opens a record.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::arc;
use super::compress::DamagedMember;
use super::http::{self, Response, content_type, field};
use super::{At, Emitter, Markup, OfficeFile, OfficeFormat, RawDocument, describe, office, sniff, too_large};
use crate::error::{Failure, Hint, Place};

/// No honest header is longer.
const MAX_HEADER: u64 = 1 << 20;

/// How the header of a record is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Syntax {
    /// A line with the version, then a line for each field.
    Warc,
    /// One line with all fields.
    Arc,
}

pub(super) fn read(
    at: &At<'_>,
    syntax: Syntax,
    reader: Box<dyn BufRead + '_>,
    out: &mut Emitter<'_>,
) -> ControlFlow<()> {
    let ahead = io::Cursor::default();
    let mut archive = Archive { syntax, reader, ahead, taken: 0, given_back: 0, pending: None };
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
            out.skipped(record.origin(at), record.reason())?;
        } else if record.is_of_crawler() {
            out.skipped(record.origin(at), "record of the crawler about itself")?;
        } else {
            match record.document(at, number, body.bytes, limit) {
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
    syntax: Syntax,
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

    /// Why a record of its kind holds no document.
    fn reason(&self) -> String {
        match self.syntax {
            Syntax::Warc => format!("WARC {}", self.kind()),
            Syntax::Arc => self.kind().to_owned(),
        }
    }

    /// True for what a crawler keeps of itself, such as the log and the arguments of wget.
    fn is_of_crawler(&self) -> bool {
        let url = self.url().unwrap_or_default().to_ascii_lowercase();
        self.kind() == "resource" && (url.starts_with("metadata:") || url.starts_with("urn:x-wpull:"))
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

    fn document(&self, at: &At<'_>, number: u64, mut body: Vec<u8>, limit: u64) -> Result<Found, Failure> {
        let (mut kind, mut charset) = content_type(field(&self.fields, "content-type").unwrap_or_default());
        let mut meta = Map::new();
        let mut note = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                meta.insert(name.to_owned(), Value::from(value));
            }
        };
        note("warc_date", field(&self.fields, "warc-date"));
        // Some programs stored pages in ARC files without the header of the response.
        let is_bare = self.syntax == Syntax::Arc && !body.starts_with(b"HTTP/");
        if self.kind() == "response" && !is_bare {
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
        let media = Media::of(&kind);
        if matches!(media, Media::Other) {
            return Ok(Found::Other(format!("content type {kind}")));
        }
        if body.is_empty() {
            return Ok(Found::Other("empty body".into()));
        }
        // Servers often misname documents, so their content decides.
        let (format, markup) = match (office::of_content(&body), media) {
            (Some(office::Found::Other(what)), _) => return Ok(Found::Other(what.into())),
            (None, Media::Office(_)) if sniff::begins_as_html(&body) => (None, Some(Markup::Html)),
            (Some(office::Found::Document(format)), _) | (None, Media::Office(format)) => {
                (Some(format), Some(Markup::Text))
            }
            (None, Media::Document(markup)) => (None, Some(markup)),
            (None, Media::Xml) => return Ok(Found::Other(format!("content type {kind}"))),
            (None, _) => (None, None),
        };
        note("content_type", Some(kind.as_str()).filter(|kind| !kind.is_empty()));
        let id = match (self.id(), self.url(), self.syntax) {
            (Some(id), ..) => id.to_owned(),
            (None, Some(url), Syntax::Warc) => url,
            // The same page may be in the file many times.
            _ => format!("{}:{number}", at.path()),
        };
        Ok(Found::Document(Box::new(RawDocument {
            id,
            origin: self.origin(at),
            meta,
            body: match format {
                Some(format) => {
                    super::Body::Office(OfficeFile { format, bytes: body, limit: limit.min(at.allowance.left()) })
                }
                None => super::Body::Bytes(body),
            },
            markup,
            charset,
            claims_text: false,
        })))
    }
}

/// What a media type says about a body.
enum Media {
    Document(Markup),
    Office(OfficeFormat),
    /// XML, of which few formats are documents.
    Xml,
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
            "application/pdf" | "application/x-pdf" => Media::Office(OfficeFormat::Pdf),
            "application/rtf" | "text/rtf" => Media::Office(OfficeFormat::Rtf),
            "application/epub+zip" => Media::Office(OfficeFormat::Epub),
            "application/vnd.oasis.opendocument.text" => Media::Office(OfficeFormat::Odt),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
                Media::Office(OfficeFormat::Docx)
            }
            "application/xml" | "text/xml" | "application/tei+xml" | "application/alto+xml" => Media::Xml,
            "" | "application/octet-stream" | "unknown/unknown" => Media::Open,
            _ => Media::Other,
        }
    }
}

/// A stream of records.
struct Archive<'r> {
    syntax: Syntax,
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

/// What a record begins with.
const OPENING: &[u8] = b"WARC/";

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
            match self.syntax {
                Syntax::Warc if line.starts_with(b"WARC/") => break,
                Syntax::Warc => {}
                Syntax::Arc => {
                    if let Some((fields, length)) = arc::header(&line) {
                        return Ok(Some(Ok(Record { syntax: self.syntax, fields, length })));
                    }
                }
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
            Some(Ok(length)) => Ok(Some(Ok(Record { syntax: self.syntax, fields, length }))),
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
        // A record ends with two line ends, or one in an ARC file. Looking at what follows them also makes sure that the gzip member is whole.
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
                Err(error) if newlines >= self.line_ends() && DamagedMember::is_at_start(&error) => {
                    self.pending = Some(error);
                    return Ok(Body { bytes: body, short: false });
                }
                Err(error) => return Err(error),
            }
        }
        // One line end says little about what comes next.
        if (newlines >= 2 && self.syntax == Syntax::Warc) || self.at_record()? || self.fill()?.is_empty() {
            return Ok(Body { bytes: body, short: false });
        }
        if self.syntax == Syntax::Arc && newlines == 0 {
            // A length that is too long may end inside of the line that opens the next record.
            let mut rest = Vec::new();
            self.line(&mut rest)?;
            body.append(&mut rest);
        }
        if self.opening_in(&body).is_some() {
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
        match self.opening_in(&body) {
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

    /// Line ends after a record.
    fn line_ends(&self) -> usize {
        if self.syntax == Syntax::Warc { 2 } else { 1 }
    }

    /// The line end before the first line in a body that opens a record.
    fn opening_in(&self, body: &[u8]) -> Option<usize> {
        if self.syntax == Syntax::Warc {
            return memchr::memmem::find(body, OPENING_LINE);
        }
        let opens = |at: &usize| {
            let line = &body[at + 1..];
            arc::header(&line[..memchr::memchr(b'\n', line).unwrap_or(line.len())]).is_some()
        };
        memchr::memchr_iter(b'\n', body).find(opens)
    }

    /// True when the next bytes open a record.
    fn at_record(&mut self) -> io::Result<bool> {
        if self.syntax == Syntax::Arc {
            let mut line = Vec::new();
            self.line(&mut line)?;
            let found = arc::header(&line).is_some();
            self.give_back(line);
            return Ok(found);
        }
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
