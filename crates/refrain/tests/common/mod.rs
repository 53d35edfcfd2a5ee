//! What tests on whole web pages share.

#![allow(dead_code, unused_imports)] // every test file uses its own part of this

#[path = "../../../../tests/skipped.rs"]
mod skipped;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

pub(crate) use skipped::skipped;

/// A page as it was fetched, in characters.
pub(crate) struct WebPage {
    pub(crate) id: String,
    pub(crate) html: String,
}

/// Pages of the data set next to the repository, every `nth` of them; all of them when `REFRAIN_ALL_PAGES` is set. `None`
/// where the data set does not exist: the test is skipped then.
pub(crate) fn web_pages(nth: usize) -> Option<Vec<WebPage>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/web/pages.jsonl.zst");
    let Ok(file) = File::open(&path) else {
        skipped("../shared/data/web/pages.jsonl.zst does not exist");
        return None;
    };
    let nth = if std::env::var_os("REFRAIN_ALL_PAGES").is_some() { 1 } else { nth };
    let mut decoder = zstd::Decoder::new(file).expect("zstd data");
    decoder.window_log_max(27).expect("a window of 128 MB");
    let lines = BufReader::new(decoder).lines().step_by(nth);
    Some(lines.map(|line| web_page(&line.expect("a line"))).collect())
}

fn web_page(line: &str) -> WebPage {
    let fields: Value = serde_json::from_str(line).expect("a JSON object");
    let field = |name: &str| fields[name].as_str();
    let html = match (field("html"), field("html_base64")) {
        (Some(html), _) => html.to_owned(),
        (None, packed) => {
            let bytes = from_base64(packed.expect("a page in base64"));
            let charset = field("charset").and_then(|name| encoding_rs::Encoding::for_label(name.as_bytes()));
            charset.unwrap_or(encoding_rs::WINDOWS_1252).decode(&bytes).0.into_owned()
        }
    };
    // No text has NULs once it was read by refrain.
    WebPage { id: field("id").expect("an id").to_owned(), html: html.replace('\0', "\u{fffd}") }
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for value in text.bytes().filter_map(digit) {
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Prints a line for those who run the tests.
#[allow(clippy::print_stderr)] // that is what it is for
pub(crate) fn print_message(message: &str) {
    eprintln!("{message}");
}

/// Numbers that look random and are always the same.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}
