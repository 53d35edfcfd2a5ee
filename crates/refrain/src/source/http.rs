//! HTTP responses as stored in archives: header, then a body that may be chunked and content-encoded.
//!
//! Crawlers store what servers sent, and servers send anything: lines without carriage returns, missing reasons, bodies
//! that are already decoded although the header says otherwise. So this module is lenient.

use std::io::Read;

/// No honest header is longer.
const MAX_HEADER: usize = 256 << 10;

/// The header of a response.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Response {
    pub(super) status: u16,
    fields: Vec<(String, String)>,
    /// Where the body begins.
    pub(super) body_start: usize,
}

impl Response {
    /// Reads the header of a response; `None` if the bytes are not a response.
    pub(super) fn parse(bytes: &[u8]) -> Option<Response> {
        let mut rest = bytes;
        let line = take_line(&mut rest);
        if !line.starts_with(b"HTTP/") {
            return None;
        }
        let status = line.split(|&b| b == b' ').filter(|part| !part.is_empty()).nth(1)?;
        let status = std::str::from_utf8(status).ok()?.parse().ok()?;
        let mut fields: Vec<(String, String)> = Vec::new();
        while !rest.is_empty() {
            let line = take_line(&mut rest);
            if line.is_empty() {
                break;
            }
            if bytes.len() - rest.len() > MAX_HEADER {
                return None;
            }
            push_field(&mut fields, line);
        }
        Some(Response { status, fields, body_start: bytes.len() - rest.len() })
    }

    pub(super) fn field(&self, name: &str) -> Option<&str> {
        field(&self.fields, name)
    }

    /// Undoes transfer and content encodings.
    pub(super) fn decode(&self, mut body: Vec<u8>, limit: u64) -> Result<Vec<u8>, String> {
        if self.field("transfer-encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked"))
            && let Some(whole) = dechunk(&body)
        {
            body = whole;
        }
        let codings = self.field("content-encoding").unwrap_or_default().to_ascii_lowercase();
        for coding in codings.split(',').map(str::trim).rev() {
            body = match coding {
                "gzip" | "x-gzip" if body.starts_with(&[0x1f, 0x8b]) => {
                    inflate(flate2::read::MultiGzDecoder::new(body.as_slice()), coding, limit)?
                }
                "deflate" if is_zlib(&body) => inflate(flate2::read::ZlibDecoder::new(body.as_slice()), coding, limit)?,
                "deflate" if !looks_like_text(&body) => {
                    inflate(flate2::read::DeflateDecoder::new(body.as_slice()), coding, limit)?
                }
                "br" if !looks_like_text(&body) => {
                    inflate(brotli_decompressor::Decompressor::new(body.as_slice(), 16 << 10), coding, limit)?
                }
                "zstd" if body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => {
                    let decoder = zstd::stream::read::Decoder::with_buffer(body.as_slice());
                    inflate(decoder.map_err(|error| error.to_string())?, coding, limit)?
                }
                // No encoding, an unknown one, or one that was already decoded when the page was archived.
                _ => body,
            };
        }
        Ok(body)
    }
}

/// Splits off the next line, without its end.
pub(super) fn take_line<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (line, after) = match memchr::memchr(b'\n', rest) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (*rest, &rest[rest.len()..]),
    };
    *rest = after;
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Adds a header line to the fields; a line that begins with white space continues the one before.
pub(super) fn push_field(fields: &mut Vec<(String, String)>, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    if line.starts_with([' ', '\t']) {
        if let Some((_, value)) = fields.last_mut() {
            value.push(' ');
            value.push_str(line.trim());
        }
    } else if let Some((name, value)) = line.split_once(':') {
        fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// The first field of a name (in lower case).
pub(super) fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// The type of a Content-Type field, in lower case, and its charset.
pub(super) fn content_type(value: &str) -> (String, Option<String>) {
    let mut parts = value.split(';');
    let kind = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset =
        parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let charset = charset.map(|(_, value)| value.trim().trim_matches(['"', '\'']).to_owned());
    (kind, charset.filter(|charset| !charset.is_empty()))
}

/// Joins chunks. `None` if the body does not begin with one: it was already joined. A truncated body yields what is
/// there.
fn dechunk(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let line = take_line(&mut rest);
        let digits = line.split(|&b| b == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(digits).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let Some(size) = size else { return (!whole.is_empty()).then_some(whole) };
        if size == 0 || rest.is_empty() {
            return Some(whole);
        }
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        whole.extend_from_slice(chunk);
        rest = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")).unwrap_or(after);
    }
}

fn inflate(decoder: impl Read, coding: &str, limit: u64) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    match decoder.take(limit.saturating_add(1)).read_to_end(&mut whole) {
        Ok(_) if whole.len() as u64 > limit => Err(format!("{coding} body expands to more than {limit} bytes")),
        Ok(_) => Ok(whole),
        Err(error) => Err(format!("{coding} body is damaged after {} bytes: {error}", whole.len())),
    }
}

fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [a, b, ..] if a & 0x0f == 8 && (u16::from(*a) * 256 + u16::from(*b)).is_multiple_of(31))
}

/// True if a body that should be compressed is clearly not.
fn looks_like_text(body: &[u8]) -> bool {
    let head = &body[..body.len().min(64)];
    head.iter().all(|&b| b >= 0x20 || matches!(b, b'\n' | b'\r' | b'\t')) && head.first().is_none_or(|&b| b < 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_sorts_are_read() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; Charset=\"UTF-8\"\r\nX: a\r\n b\r\n\r\nbody";
        let response = Response::parse(bytes).expect("a response");
        assert_eq!((response.status, &bytes[response.body_start..]), (200, &b"body"[..]));
        assert_eq!(response.field("x"), Some("a b"));
        assert_eq!(
            content_type(response.field("content-type").unwrap_or_default()),
            ("text/html".into(), Some("UTF-8".into()))
        );

        let bare = Response::parse(b"HTTP/1.0 404\nA:b\n\nx").expect("a response");
        assert_eq!((bare.status, bare.field("a")), (404, Some("b")));
        assert_eq!(Response::parse(b"<html>"), None);
        assert_eq!(Response::parse(b"HTTP/1.1\r\n\r\n"), None);
    }

    #[test]
    fn chunks_are_joined_and_joined_bodies_left_alone() {
        assert_eq!(dechunk(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").as_deref(), Some(&b"abcde"[..]));
        assert_eq!(dechunk(b"<html>"), None);
        assert_eq!(dechunk(b"a\r\nabc").as_deref(), Some(&b"abc"[..]), "cut off");
        assert_eq!(dechunk(b"ffffffffffffffffff\r\nabc"), None, "absurd size");
    }

    #[test]
    fn a_body_that_expands_too_much_is_refused() {
        let response = Response { fields: vec![("content-encoding".into(), "gzip".into())], ..Response::default() };
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, &vec![b' '; 100_000]).expect("in memory");
        let body = encoder.finish().expect("in memory");
        assert!(response.decode(body.clone(), 1000).is_err());
        assert_eq!(response.decode(body, 1_000_000).map(|b| b.len()), Ok(100_000));
        assert_eq!(response.decode(b"<html>".to_vec(), 1000), Ok(b"<html>".to_vec()), "decoded before");
    }
}
