//! PDF: pages of placed glyphs, back to running text.
//!
//! lopdf reads the objects of the file. This module works out what is shown where ([`content`]), which characters that
//! is by the tables of each font ([`fonts`], [`cmap`]), and which lines and paragraphs they form by their positions
//! ([`layout`]). Text is read in the order of the file, which is the reading order in the output of word processors and
//! TeX, also in columns.
//!
//! lopdf is asked for at most as many bytes as the limit, and its calls are guarded: if one panics, the page or file is
//! damaged.

mod cmap;
mod content;
mod direction;
mod fonts;
mod layout;

use std::collections::HashSet;

use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId};

use super::{About, Content, Unreadable};
use crate::source::guard::guarded;
use content::Shown;
use layout::Line;

const FORMAT: &str = "PDF";

/// Pages may share their content, so a small file can show a lot: all pages together may use this many times the limit
/// before they become text.
const WORK: usize = 4;

/// One in this many characters must be decoded, or the text is rejected.
const LEAST_DECODED: usize = 4;

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    let options = LoadOptions { max_decompressed_size: Some(limit), ..LoadOptions::default() };
    let document = match guarded(|| Document::load_mem_with_options(bytes, options)) {
        Some(Ok(document)) => document,
        Some(Err(lopdf::Error::InvalidPassword | lopdf::Error::Decryption(_))) => {
            return Err(Unreadable::encrypted(FORMAT));
        }
        Some(Err(error)) => return Err(Unreadable::damaged(FORMAT, error)),
        None => return Err(Unreadable::damaged(FORMAT, "its objects cannot be read")),
    };
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(Unreadable::encrypted(FORMAT));
    }
    let pages = guarded(|| document.page_iter().collect::<Vec<_>>()).unwrap_or_default();
    if pages.is_empty() {
        return Err(Unreadable::damaged(FORMAT, "no pages found"));
    }
    let mut reader = Pages { document: &document, limit, left: limit.saturating_mul(WORK), shown: Shown::default() };
    let lines = reader.lines(&pages)?;
    let (damaged, shown) = (lines.iter().filter(|page| page.is_none()).count(), reader.shown);
    let first_damaged = lines.iter().position(Option::is_none);
    let lines: Vec<Vec<Line>> = lines.into_iter().map(Option::unwrap_or_default).collect();
    let (text, starts) = layout::text_of(&lines);
    if text.len() > limit {
        return Err(Unreadable::too_large(FORMAT, limit));
    }
    if damaged == pages.len() {
        return Err(Unreadable::damaged(FORMAT, "none of its pages can be read"));
    }
    if text.is_empty() || shown.decoded < shown.glyphs / LEAST_DECODED {
        return Err(without_text(&shown));
    }
    let damage = first_damaged.map(|first| match damaged {
        1 => format!("skipped page {} of this PDF file, which is damaged", first + 1),
        more => format!("skipped {more} damaged pages of this PDF file, the first is page {}", first + 1),
    });
    let lost = shown.glyphs - shown.decoded;
    let damage = match (damage, lost >= LOST || lost * LOST_IN > shown.glyphs) {
        (damage, false) => damage.map(|error| Unreadable::new(error, None)),
        (damage, true) => {
            let error = format!(
                "{lost} of {} glyphs of this PDF file are missing from the text, because their fonts do not map to letters",
                shown.glyphs
            );
            let error = damage.map_or(error.clone(), |damage| format!("{damage}; {error}"));
            Some(Unreadable::new(error, Some(OCR.into())))
        }
    };
    let unmapped = lost as f64 / shown.glyphs.max(1) as f64;
    Ok(Content { text, about: about(&document), pages: starts, unmapped, damage })
}

/// A file of which this many glyphs are missing, or one in so many, is reported. Less is a bullet or a formula here and
/// there, and only a field of the document counts it.
const LOST: usize = 200;
const LOST_IN: usize = 100;

/// The way out for fonts that do not map to letters.
const OCR: &str = "print it to a new PDF and run OCR on it, for example with ocrmypdf --force-ocr";

/// Why a file yields no text.
fn without_text(shown: &Shown) -> Unreadable {
    if shown.glyphs > 0 {
        return Unreadable::new("the fonts of this PDF file do not map to letters", Some(OCR.into()));
    }
    if shown.pictures > 0 {
        let hint = "run OCR on it first, for example with ocrmypdf";
        let why = Unreadable::new("this PDF file holds images of pages and no text", Some(hint.into()));
        return Unreadable { is_without_text: true, ..why };
    }
    Unreadable::without_text(FORMAT)
}

/// The pages of a document.
struct Pages<'d> {
    document: &'d Document,
    limit: usize,
    /// Bytes of content that may still be decompressed.
    left: usize,
    shown: Shown,
}

impl Pages<'_> {
    /// The lines of each page; `None` for one that is damaged.
    fn lines(&mut self, pages: &[ObjectId]) -> Result<Vec<Option<Vec<Line>>>, Unreadable> {
        let mut all = Vec::with_capacity(pages.len());
        let mut size = 0;
        let mut fonts = fonts::Fonts::new(self.document, self.limit);
        for page in pages {
            let Some(Some(content)) = guarded(|| self.content(*page)) else {
                all.push(None);
                continue;
            };
            self.left = self.left.checked_sub(content.len()).ok_or_else(|| self.too_large())?;
            let resources = resources(self.document, *page);
            let mut shown = Shown { left: self.left, ..Shown::default() };
            let glyphs = guarded(|| content::glyphs(self.document, &content, &resources, &mut fonts, &mut shown));
            self.left = shown.left;
            self.shown.add(&shown);
            if shown.exhausted {
                return Err(self.too_large());
            }
            let lines = glyphs.map(|glyphs| layout::lines(&glyphs));
            size += lines.iter().flatten().map(|line| line.text.len()).sum::<usize>();
            if size > self.limit {
                return Err(self.too_large());
            }
            all.push(lines);
        }
        Ok(all)
    }

    fn too_large(&self) -> Unreadable {
        Unreadable::too_large(FORMAT, self.limit)
    }

    /// The glyphs of a page; `None` if it cannot be decompressed.
    fn content(&self, page: ObjectId) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        for id in self.document.get_page_contents(page) {
            let stream = self.document.get_object(id).and_then(Object::as_stream).ok()?;
            content.append(&mut stream.get_plain_content_with_limit(self.limit.checked_sub(content.len())?).ok()?);
            content.push(b'\n');
        }
        Some(content)
    }
}

/// The resources of a page: its own, then those of the nodes above it.
fn resources(document: &Document, page: ObjectId) -> Vec<&Dictionary> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut next = Some(page);
    while let Some(id) = next.filter(|id| seen.insert(*id)) {
        let Ok(node) = document.get_dictionary(id) else { break };
        found.extend(dictionary(document, node, b"Resources"));
        next = node.get(b"Parent").and_then(Object::as_reference).ok();
    }
    found
}

/// A dictionary in a dictionary, however many references lead to it.
fn dictionary<'d>(document: &'d Document, parent: &'d Dictionary, key: &[u8]) -> Option<&'d Dictionary> {
    object(document, parent, key)?.as_dict().ok()
}

/// An object in a dictionary, however many references lead to it.
fn object<'d>(document: &'d Document, parent: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
    let value = parent.get(key).ok()?;
    document.dereference(value).ok().map(|(_, object)| object)
}

/// A number, whole or not.
fn number(object: &Object) -> Option<f64> {
    let number = match object {
        Object::Integer(number) => *number as f64,
        Object::Real(number) => f64::from(*number),
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The metadata of the file.
fn about(document: &Document) -> About {
    let mut about = About::default();
    let text = |parent, key| object(document, parent, key).and_then(|value| lopdf::decode_text_string(value).ok());
    if let Some(info) = dictionary(document, &document.trailer, b"Info") {
        about.title(&text(info, b"Title").unwrap_or_default());
        about.author(&text(info, b"Author").unwrap_or_default());
    }
    if let Ok(catalog) = document.catalog() {
        about.language(&text(catalog, b"Lang").unwrap_or_default());
    }
    about
}
