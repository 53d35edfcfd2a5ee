//! WET: the text of documents as conversion records of a WARC file.

use std::io::Write as _;

use serde_json::Value;

use super::output::{Compressed, Written};
use super::{Compression, DocumentWriter, WriteOptions};
use crate::document::Document;
use crate::error::Result;
use crate::text::Digest;

/// The date of documents that have none.
const NO_DATE: &str = "1970-01-01T00:00:00Z";

pub(super) struct WetWriter {
    out: Compressed,
    options: WriteOptions,
    packing: Compression,
    record: Vec<u8>,
}

impl WetWriter {
    pub(super) fn new(out: Compressed, packing: Compression, options: WriteOptions) -> WetWriter {
        WetWriter { out, options, packing, record: Vec::new() }
    }
}

impl DocumentWriter for WetWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        let text = document.shown(self.options.keep_marked).text;
        let mut digest = Digest::default();
        digest.update(document.id.as_bytes());
        digest.update(&[0]);
        digest.update(text.as_bytes());
        let date = match document.meta.get("warc_date") {
            Some(Value::String(date)) if is_date(date) => date,
            _ => NO_DATE,
        };
        let address = document.origin.url.as_deref().map_or_else(|| urn(&document.id), escaped);
        self.record.clear();
        write!(
            self.record,
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {address}\r\nWARC-Date: {date}\r\n\
            WARC-Record-ID: <urn:uuid:{}>\r\n",
            uuid(&digest.hex())
        )?;
        // What was converted, if it was a record of an archive.
        if is_uuid(&document.id) {
            write!(self.record, "WARC-Refers-To: <urn:uuid:{}>\r\n", document.id)?;
        }
        let length = text.len();
        write!(
            self.record,
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )?;
        self.out.put(&self.record)?;
        // Each record is a gzip member, as in web archives.
        if self.packing == Compression::Gzip {
            self.out.end_frame()?;
        }
        Ok(())
    }

    fn pause(&mut self) -> Result<Option<u64>> {
        self.out.pause().map(Some)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        self.out.finish()
    }
}

/// True for a date as records have it: `2024-05-06T08:00:00Z`.
fn is_date(date: &str) -> bool {
    let date = date.as_bytes();
    (20..=30).contains(&date.len())
        && date.ends_with(b"Z")
        && date.iter().all(|byte| byte.is_ascii_digit() || b"-:T.Z".contains(byte))
}

/// A UUID made from a digest: version 8, which is for ids that a program makes in its own way.
fn uuid(hex: &str) -> String {
    format!("{}-{}-8{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}

fn is_uuid(id: &str) -> bool {
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// The address of a document that has none.
fn urn(id: &str) -> String {
    let mut urn = String::from("urn:refrain:");
    for byte in id.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                urn.push(char::from(byte));
            }
            byte => urn.extend(["%", &format!("{byte:02X}")]),
        }
    }
    urn
}

/// An address on one line, without white space.
fn escaped(url: &str) -> String {
    url.chars().map(|c| if c.is_whitespace() || c.is_control() { "%20".into() } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_addresses_are_well_formed() {
        let id = uuid(&"0123456789abcdef".repeat(4));
        assert_eq!(id, "01234567-89ab-8def-8123-456789abcdef");
        assert!(is_uuid(&id) && !is_uuid("01234567-89ab") && !is_uuid("notes.txt"));
        assert_eq!(urn("notes.zip/a b é"), "urn:refrain:notes.zip/a%20b%20%C3%A9");
        assert_eq!(escaped("https://a.example/x y\n"), "https://a.example/x%20y%20");
        assert!(is_date("2024-05-06T08:00:00Z") && !is_date("yesterday") && !is_date("2024-05-06"));
    }
}
