//! Fonts: which characters the codes of a string are, and how wide they are.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{Dictionary, Document, Object, ObjectId};

use super::cmap::CMap;
use super::{dictionary, number, object};

/// Fonts of a document, each made once.
pub(super) struct Fonts<'d> {
    document: &'d Document,
    limit: usize,
    made: HashMap<ObjectId, Rc<Font>>,
}

impl<'d> Fonts<'d> {
    /// No fonts so far.
    pub(super) fn new(document: &'d Document, limit: usize) -> Fonts<'d> {
        Fonts { document, limit, made: HashMap::new() }
    }

    /// A font by its name in the resources.
    pub(super) fn get(&mut self, resources: &[&'d Dictionary], name: &[u8]) -> Option<Rc<Font>> {
        let found =
            resources.iter().find_map(|resources| dictionary(self.document, resources, b"Font")?.get(name).ok())?;
        let id = found.as_reference().ok();
        if let Some(font) = id.and_then(|id| self.made.get(&id)) {
            return Some(font.clone());
        }
        let (_, object) = self.document.dereference(found).ok()?;
        let font = Rc::new(Font::new(self.document, object.as_dict().ok()?, self.limit));
        if let Some(id) = id {
            self.made.insert(id, font.clone());
        }
        Some(font)
    }
}

/// A font.
pub(super) struct Font {
    /// How many bytes a code takes.
    code_bytes: usize,
    /// Characters by code, as the font says; these count first.
    to_unicode: Option<CMap>,
    /// Characters by code, from the encoding of a simple font.
    table: Vec<Option<Rc<str>>>,
    /// True when codes are UTF-16.
    is_utf16: bool,
    /// Widths by code, in sizes of the font, and of all other codes.
    widths: HashMap<u32, f64>,
    other_width: f64,
}

/// A glyph of a string.
pub(super) struct Shown {
    /// Its text; `None` if nothing defines it.
    pub(super) text: Option<Rc<str>>,
    /// Its width in sizes of the font.
    pub(super) width: f64,
    /// True for the code that the space between words is added to.
    pub(super) is_space: bool,
}

/// No font has more widths than this.
const MAX_WIDTHS: usize = 1 << 16;

impl Font {
    fn new(document: &Document, font: &Dictionary, limit: usize) -> Font {
        let to_unicode = object(document, font, b"ToUnicode")
            .and_then(|stream| stream.as_stream().ok())
            .and_then(|stream| stream.get_plain_content_with_limit(limit).ok())
            .map(|content| CMap::parse(&content));
        let composed = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0");
        if composed {
            return Font::composed(document, font, to_unicode);
        }
        let table = characters(document, font, limit);
        let (widths, other_width) = widths(document, font, &table);
        Font { code_bytes: 1, to_unicode, table, is_utf16: false, widths, other_width }
    }

    /// A font whose codes take two bytes, as a rule.
    fn composed(document: &Document, font: &Dictionary, to_unicode: Option<CMap>) -> Font {
        let encoding = font.get(b"Encoding").and_then(Object::as_name).unwrap_or_default();
        let is_utf16 = [&b"UCS2"[..], b"UTF16"].iter().any(|kind| memchr::memmem::find(encoding, kind).is_some());
        let descendant = object(document, font, b"DescendantFonts")
            .and_then(|fonts| fonts.as_array().ok())
            .and_then(|fonts| fonts.first())
            .and_then(|font| document.dereference(font).ok())
            .and_then(|(_, font)| font.as_dict().ok());
        let mut widths = HashMap::new();
        let mut other_width = 1.0;
        if let Some(descendant) = descendant {
            other_width = object(document, descendant, b"DW").and_then(number).unwrap_or(1000.0) / 1000.0;
            let list = object(document, descendant, b"W").and_then(|list| list.as_array().ok());
            read_widths(document, list.map_or(&[], Vec::as_slice), &mut widths);
        }
        let code_bytes =
            to_unicode.as_ref().and_then(|to_unicode| to_unicode.code_bytes).filter(|_| !is_utf16).unwrap_or(2);
        Font { code_bytes, to_unicode, table: Vec::new(), is_utf16, widths, other_width }
    }

    /// The glyphs of a string.
    pub(super) fn glyphs(&self, bytes: &[u8]) -> impl Iterator<Item = Shown> {
        bytes.chunks(self.code_bytes.max(1)).map(|code| {
            let number = code.iter().fold(0, |number: u32, byte| number << 8 | u32::from(*byte));
            Shown {
                text: self.text(number).filter(|text| !text.is_empty()),
                width: self.widths.get(&number).copied().unwrap_or(self.other_width),
                is_space: code == b" ",
            }
        })
    }

    fn text(&self, code: u32) -> Option<Rc<str>> {
        if let Some(text) = self
            .to_unicode
            .as_ref()
            .and_then(|to_unicode| to_unicode.get(code))
            .filter(|text| !text.contains('\u{fffd}'))
        {
            return Some(readable(&text));
        }
        if self.is_utf16 {
            return char::from_u32(code).map(|c| readable(c.encode_utf8(&mut [0; 4])));
        }
        self.table.get(code as usize)?.clone()
    }
}

/// Characters as people write them: ligatures as letters, and nothing that is not seen.
fn readable(text: &str) -> Rc<str> {
    let mut readable = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => readable.push_str("ff"),
            '\u{fb01}' => readable.push_str("fi"),
            '\u{fb02}' => readable.push_str("fl"),
            '\u{fb03}' => readable.push_str("ffi"),
            '\u{fb04}' => readable.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => readable.push_str("st"),
            '\t' | '\n' | '\r' | '\u{a0}' => readable.push(' '),
            // The bullet of the font Symbol.
            '\u{f0b7}' => readable.push('•'),
            c if c.is_control() || c == '\u{fffd}' => {}
            c => readable.push(c),
        }
    }
    readable.into()
}

/// Widths of a composed font: `code [width ...]` or `first last width`, one after the other.
fn read_widths(document: &Document, list: &[Object], widths: &mut HashMap<u32, f64>) {
    let code = |object: &Object| object.as_i64().ok().and_then(|code| u16::try_from(code).ok()).map(u32::from);
    let mut rest = list.iter().filter_map(|object| document.dereference(object).ok()).map(|(_, object)| object);
    while let (Some(first), Some(second)) = (rest.next(), rest.next()) {
        let Some(first) = code(first) else { return };
        if let Ok(list) = second.as_array() {
            for (code, width) in (first..).zip(list).take(MAX_WIDTHS) {
                widths.extend(number(width).map(|width| (code, width / 1000.0)));
            }
        } else if let (Some(last), Some(width)) = (code(second), rest.next().and_then(number)) {
            widths.extend((first..=last).map(|code| (code, width / 1000.0)));
        }
        if widths.len() > MAX_WIDTHS {
            return;
        }
    }
}

/// Widths of a simple font, and that of codes without one. Fonts that every reader has need not say theirs.
fn widths(document: &Document, font: &Dictionary, table: &[Option<Rc<str>>]) -> (HashMap<u32, f64>, f64) {
    let matrix = object(document, font, b"FontMatrix").and_then(|matrix| matrix.as_array().ok());
    let unit = matrix.and_then(|matrix| matrix.first()).and_then(number).unwrap_or(0.001);
    let first =
        object(document, font, b"FirstChar").and_then(|code| u32::try_from(code.as_i64().ok()?).ok()).unwrap_or(0);
    let list = object(document, font, b"Widths").and_then(|list| list.as_array().ok());
    let missing = dictionary(document, font, b"FontDescriptor")
        .and_then(|descriptor| object(document, descriptor, b"MissingWidth"))
        .and_then(number);
    if let Some(list) = list {
        let resolved = list.iter().map(|width| document.dereference(width).ok().and_then(|(_, width)| number(width)));
        let widths = (first..).zip(resolved).take(256).filter_map(|(code, width)| Some((code, width? * unit)));
        return (widths.collect(), missing.unwrap_or(0.0) * unit);
    }
    let name = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
    let has = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    if has(b"Courier") {
        return (HashMap::new(), 0.6);
    }
    let usual = if has(b"Times") { &TIMES } else { &HELVETICA };
    let width = |text: &Rc<str>| {
        let c = text.bytes().next().filter(|_| text.len() == 1)?;
        usual.get(usize::from(c).checked_sub(32)?).map(|width| f64::from(*width) / 1000.0)
    };
    let widths = (0..).zip(table).filter_map(|(code, text)| Some((code, width(text.as_ref()?)?)));
    (widths.collect(), missing.map_or(0.5, |width| width * unit))
}

/// The characters of a simple font by code: from its encoding and what it says to be different there; without one, from
/// that inside of the font.
fn characters(document: &Document, font: &Dictionary, limit: usize) -> Vec<Option<Rc<str>>> {
    let encoding = object(document, font, b"Encoding");
    let differing = encoding.and_then(|encoding| encoding.as_dict().ok());
    let base = match (encoding, differing) {
        (Some(Object::Name(name)), _) => Some(name.as_slice()),
        (_, Some(encoding)) => encoding.get(b"BaseEncoding").and_then(Object::as_name).ok(),
        _ => None,
    };
    let built_in = if base.is_none() { built_in(document, font, limit) } else { Vec::new() };
    let is_true_type = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"TrueType");
    let usual: &[u8] = if is_true_type { b"WinAnsiEncoding" } else { b"StandardEncoding" };
    let mut table = named(document, base.unwrap_or(usual));
    for (code, name) in built_in {
        table[usize::from(code)] = glyph(document, &name);
    }
    let differences = differing.and_then(|encoding| object(document, encoding, b"Differences")?.as_array().ok());
    let mut code = 0_u8;
    for difference in differences.into_iter().flatten() {
        match difference {
            Object::Integer(number) => code = u8::try_from(*number).unwrap_or(0),
            Object::Name(name) => {
                table[usize::from(code)] = glyph(document, name);
                code = code.wrapping_add(1);
            }
            _ => {}
        }
    }
    table
}

/// An encoding that has a name.
fn named(document: &Document, name: &[u8]) -> Vec<Option<Rc<str>>> {
    let font = encoded(Object::Name(name.to_vec()));
    let encoding = font.get_font_encoding_with_limit(document, 0).ok();
    let character = |code: u8| encoding.as_ref()?.bytes_to_string(&[code]).ok().map(|text| readable(&text));
    (0..=255).map(|code| character(code).filter(|text| !text.is_empty())).collect()
}

/// A font with nothing but an encoding, to ask lopdf with.
fn encoded(encoding: Object) -> Dictionary {
    Dictionary::from_iter([("Type", Object::Name(b"Font".to_vec())), ("Encoding", encoding)])
}

/// The character of a glyph by its name: `eacute`, `uni00E9`, `u1D400`, `f_i`, with or without a suffix after a dot.
fn glyph(document: &Document, name: &[u8]) -> Option<Rc<str>> {
    let name = name.split(|b| *b == b'.').next().filter(|name| !name.is_empty())?;
    if name.contains(&b'_') {
        let parts: Vec<_> = name.split(|b| *b == b'_').take(8).map(|part| glyph(document, part)).collect();
        return parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.concat().into());
    }
    let numbered = |digits: &[u8]| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| (4..=6).contains(&digits.len()))?;
        u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
    };
    let number = name.strip_prefix(b"uni").or(name.strip_prefix(b"u")).and_then(numbered);
    if let Some(c) = number {
        return Some(readable(c.encode_utf8(&mut [0; 4])));
    }
    let differences = vec![Object::Integer(0), Object::Name(name.to_vec())];
    let encoding = Dictionary::from_iter([("Differences", Object::Array(differences))]);
    let font = encoded(Object::Dictionary(encoding));
    let text = font.get_font_encoding_with_limit(document, 0).ok()?.bytes_to_string(&[0]).ok()?;
    Some(readable(&text)).filter(|text| !text.is_empty())
}

/// The encoding inside of a Type 1 font: lines like `dup 12 /fi put`. TeX writes fonts that say it nowhere else.
fn built_in(document: &Document, font: &Dictionary, limit: usize) -> Vec<(u8, Vec<u8>)> {
    let program = dictionary(document, font, b"FontDescriptor")
        .and_then(|descriptor| object(document, descriptor, b"FontFile"))
        .and_then(|stream| stream.as_stream().ok())
        .and_then(|stream| stream.get_plain_content_with_limit(limit).ok())
        .unwrap_or_default();
    // What follows is encrypted.
    let clear = &program[..memchr::memmem::find(&program, b"eexec").unwrap_or(program.len())];
    let Some(start) = memchr::memmem::find(clear, b"/Encoding") else { return Vec::new() };
    let mut found = Vec::new();
    let mut words = clear[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        if word == b"dup"
            && let (Some(code), Some(name)) = (words.next(), words.next())
            && let Some(code) = std::str::from_utf8(code).ok().and_then(|code| code.parse().ok())
            && let Some(name) = name.strip_prefix(b"/")
        {
            found.push((code, name.to_vec()));
        }
    }
    found
}

/// Widths of the characters from space to tilde in Helvetica, in thousandths of the size.
#[rustfmt::skip] // a table
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
    556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The same in Times.
#[rustfmt::skip] // a table
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722,
    556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500,
    500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_names() {
        let document = Document::new();
        let to_unicode = |name: &str| glyph(&document, name.as_bytes()).map(|text| text.to_string());
        assert_eq!(to_unicode("eacute").as_deref(), Some("é"));
        assert_eq!(to_unicode("uni00E9.alt").as_deref(), Some("é"));
        assert_eq!(to_unicode("u1D400").as_deref(), Some("\u{1d400}"));
        assert_eq!(to_unicode("f_f_i").as_deref(), Some("ffi"));
        assert_eq!(to_unicode("ffi").as_deref(), Some("ffi"));
        assert_eq!(to_unicode("a").as_deref(), Some("a"));
        assert_eq!(to_unicode("g123"), None);
        assert_eq!(to_unicode(""), None);
    }

    #[test]
    fn encodings_have_names() {
        let table = named(&Document::new(), b"WinAnsiEncoding");
        assert_eq!(table[0xe9].as_deref(), Some("é"));
        assert_eq!(table[0x80].as_deref(), Some("€"));
    }
}
