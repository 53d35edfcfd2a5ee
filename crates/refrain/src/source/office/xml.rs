//! XML parts as a stream of tags and text.

use std::borrow::Cow;

use encoding_rs::Encoding;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use super::{About, Unreadable};

/// An event in XML.
pub(in crate::source) enum Node<'a> {
    /// An element begins.
    Open(&'a str, &'a BytesStart<'a>),
    /// An element ends.
    Close(&'a str),
    /// Text, with its references resolved.
    Text(&'a str),
}

/// Reads XML and passes on each event, with empty elements as a start and an end. References to entities other than
/// those of XML itself are dropped: nothing here ever expands.
pub(in crate::source) fn walk(
    format: &'static str,
    part: &str,
    xml: &[u8],
    meet: impl FnMut(Node<'_>) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let xml = decode(xml);
    let mut reader = Reader::from_str(&xml);
    reader.config_mut().expand_empty_elements = true;
    events(format, part, reader, xml.len(), meet)
}

/// The same for HTML that is almost XML: elements need not end, and may end where another one began.
pub(super) fn walk_html(
    format: &'static str,
    html: &[u8],
    meet: impl FnMut(Node<'_>) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let html = decode(html);
    let mut reader = Reader::from_str(&html);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    events(format, "", reader, html.len(), meet)
}

fn events(
    format: &'static str,
    part: &str,
    mut reader: Reader<&[u8]>,
    length: usize,
    mut meet: impl FnMut(Node<'_>) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let is_strict = reader.config().check_end_names;
    let damaged = |at: u64, error: &dyn std::fmt::Display| {
        let part = if part.is_empty() { String::new() } else { format!("part {part}, ") };
        Unreadable::damaged(format, format_args!("{part}byte {at}: {error}"))
    };
    let mut depth = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => {
                depth += 1;
                meet(Node::Open(name_of(element.name().as_ref()), &element))?;
            }
            Ok(Event::End(element)) => {
                depth = depth.saturating_sub(1);
                meet(Node::Close(name_of(element.name().as_ref())))?;
            }
            Ok(Event::Text(text)) => meet(Node::Text(&String::from_utf8_lossy(&text)))?,
            Ok(Event::CData(text)) => meet(Node::Text(&String::from_utf8_lossy(&text)))?,
            Ok(Event::GeneralRef(reference)) => {
                if let Some(c) = resolve(&reference) {
                    meet(Node::Text(c.encode_utf8(&mut [0; 4])))?;
                } else if !is_strict {
                    let whole = format!("&{};", String::from_utf8_lossy(&reference));
                    meet(Node::Text(&htmlize::unescape(whole)))?;
                }
            }
            Ok(Event::Eof) if depth > 0 && is_strict => return Err(damaged(length as u64, &"cut off")),
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(damaged(reader.error_position(), &error)),
        }
    }
}

/// A name as text; names that are not valid text match no element.
fn name_of(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or_default()
}

/// A name without its prefix.
pub(in crate::source) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The value of an attribute, by its name without prefix.
pub(in crate::source) fn attribute(element: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let attributes = element.html_attributes();
    let found = attributes.flatten().find(|attribute| local(name_of(attribute.key.as_ref())) == wanted)?;
    Some(htmlize::unescape_attribute(String::from_utf8_lossy(&found.value)).into_owned())
}

/// The character of a reference; `None` for NUL and other characters that XML does not allow.
fn resolve(reference: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Some(c).filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{85}'));
    }
    match &**reference {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        _ => None,
    }
}

/// XML as text: by its byte order mark, its declaration, or as UTF-8.
pub(super) fn decode(xml: &[u8]) -> Cow<'_, str> {
    let declared = || {
        let line = xml.strip_prefix(b"<?xml")?;
        let line = &line[..memchr::memmem::find(&line[..line.len().min(200)], b"?>")?];
        let value = &line[memchr::memmem::find(line, b"encoding")?..];
        let mut quoted = value.split(|b| matches!(b, b'"' | b'\''));
        Encoding::for_label(quoted.nth(1)?)
    };
    let encoding = if Encoding::for_bom(xml).is_some() { None } else { declared() };
    encoding.unwrap_or(encoding_rs::UTF_8).decode(xml).0
}

/// The Dublin Core metadata in a part.
pub(super) fn dublin_core(format: &'static str, part: &str, xml: &[u8]) -> Result<About, Unreadable> {
    let mut about = About::default();
    fields(format, part, xml, |name, value| match name {
        "title" => about.title(value),
        "creator" => about.author(value),
        "language" => about.language(value),
        _ => {}
    })?;
    Ok(about)
}

/// The text of some elements, by their names without prefix, including nested elements.
pub(super) fn fields(
    format: &'static str,
    part: &str,
    xml: &[u8],
    mut found: impl FnMut(&str, &str),
) -> Result<(), Unreadable> {
    let mut texts: Vec<String> = Vec::new();
    walk(format, part, xml, |node| {
        match node {
            Node::Open(..) => texts.push(String::new()),
            Node::Text(text) => texts.last_mut().into_iter().for_each(|last| last.push_str(text)),
            Node::Close(name) => {
                if let Some(text) = texts.pop() {
                    found(local(name), &text);
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(xml: &[u8]) -> Result<String, Unreadable> {
        let mut shown = String::new();
        walk("DOCX", "a.xml", xml, |node| {
            match node {
                Node::Open(name, element) => {
                    shown.extend(["<", local(name), &attribute(element, "v").unwrap_or_default(), ">"]);
                }
                Node::Close(name) => shown.extend(["</", name, ">"]),
                Node::Text(text) => shown.push_str(text),
            }
            Ok(())
        })?;
        Ok(shown)
    }

    #[test]
    fn references_are_resolved_and_entities_never_expand() {
        let xml = b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]><x><w:y w:v='1&amp;'/>&lt;&#x41;&#0;&a;<![CDATA[<z>]]></x>";
        assert_eq!(events(xml).expect("good"), "<x><y1&></w:y><A<z></x>");
    }

    #[test]
    fn other_encodings_are_read() {
        assert_eq!(
            decode(b"<?xml version='1.0' encoding='windows-1252'?>\xe9"),
            "<?xml version='1.0' encoding='windows-1252'?>\u{e9}"
        );
        assert_eq!(decode(b"\xff\xfe<\0a\0>\0"), "<a>");
        assert_eq!(decode("é".as_bytes()), "é");
    }

    #[test]
    fn damage_is_named_with_its_place() {
        for xml in [&b"<a><b></a>"[..], b"<a>", b"<a", b"<a><b>text"] {
            let why = events(xml).expect_err("damaged");
            assert!(why.error.starts_with("damaged DOCX file: part a.xml, byte "), "{why:?}");
        }
    }
}
