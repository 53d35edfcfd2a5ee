//! EPUB: books as zip archives of XHTML chapters.
//!
//! `META-INF/container.xml` names the package, which lists the chapters in reading order. Chapters are web pages; the
//! caller decides how to convert them to text.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::parts::Parts;
use super::xml::{Node, attribute, decode, dublin_core, local, walk};
use super::{Content, Unreadable};

const FORMAT: &str = "EPUB";
const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// HTML elements without an end tag.
const VOID: [&[u8]; 14] = [
    b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param", b"source",
    b"track", b"wbr",
];

/// Reads a book; `to_text` converts the HTML of a chapter to text.
pub(crate) fn read(bytes: &[u8], limit: usize, mut to_text: impl FnMut(&str) -> String) -> Result<Content, Unreadable> {
    let mut parts = Parts::open(FORMAT, bytes, limit)?;
    let container = parts.get(CONTAINER)?;
    let mut package = None;
    walk(FORMAT, CONTAINER, &container, |node| {
        if let Node::Open(name, element) = node
            && local(name) == "rootfile"
        {
            package = package.take().or_else(|| attribute(element, "full-path"));
        }
        Ok(())
    })?;
    let Some(package) = package else {
        return Err(Unreadable::damaged(FORMAT, format_args!("part {CONTAINER} names no package")));
    };
    let description = parts.get(&package)?;
    let locked = locked(&mut parts)?;
    let mut text = String::new();
    for chapter in chapters(&package, &description)? {
        if locked.contains(&chapter) {
            return Err(Unreadable::encrypted(FORMAT));
        }
        let page = to_text(&as_html(&parts.get(&chapter)?));
        let page = page.trim();
        if !text.is_empty() && !page.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(page);
        if text.len() > limit {
            return Err(Unreadable::too_large(FORMAT, limit));
        }
    }
    if text.is_empty() {
        return Err(Unreadable::without_text(FORMAT));
    }
    Ok(Content { text, about: dublin_core(FORMAT, &package, &description)?, ..Content::default() })
}

/// The parts with the chapters, in reading order. Each is read once, however often it is listed.
fn chapters(package: &str, description: &[u8]) -> Result<Vec<String>, Unreadable> {
    let folder = package.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: HashMap<String, String> = HashMap::new();
    let mut spine = Vec::new();
    walk(FORMAT, package, description, |node| {
        if let Node::Open(name, element) = node {
            match local(name) {
                "item" => {
                    let kind = attribute(element, "media-type").unwrap_or_default();
                    if let (Some(id), Some(path)) = (attribute(element, "id"), attribute(element, "href"))
                        && matches!(kind.as_str(), "application/xhtml+xml" | "text/html" | "application/x-dtbook+xml")
                    {
                        parts.insert(id, resolve(folder, &path));
                    }
                }
                "itemref" => spine.extend(attribute(element, "idref")),
                _ => {}
            }
        }
        Ok(())
    })?;
    Ok(spine.iter().filter_map(|id| parts.remove(id)).collect())
}

/// The encrypted parts. Many books list fonts here, which do not matter.
fn locked(parts: &mut Parts<'_>) -> Result<Vec<String>, Unreadable> {
    let mut locked = Vec::new();
    if let Some(list) = parts.find(ENCRYPTION)? {
        walk(FORMAT, ENCRYPTION, &list, |node| {
            if let Node::Open(_, element) = node {
                locked.extend(attribute(element, "URI").map(|path| resolve("", &path)));
            }
            Ok(())
        })?;
    }
    Ok(locked)
}

/// The name of the part that a link leads to.
fn resolve(folder: &str, link: &str) -> String {
    let link = unescape(link.split('#').next().unwrap_or_default());
    let mut path: Vec<&str> = if link.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for step in link.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.retain(|step| !step.is_empty());
    path.join("/")
}

/// Decodes the percent-encoding of a link.
fn unescape(link: &str) -> String {
    let mut bytes = Vec::with_capacity(link.len());
    let mut rest = link.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let escaped = behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok()).filter(|_| first == b'%');
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The body of a chapter for HTML parsers that do not know XML: `<p/>` becomes `<p></p>`. After the first error, the
/// rest of the chapter is left unchanged.
fn as_html(chapter: &[u8]) -> String {
    let xhtml = decode(chapter);
    let mut reader = Reader::from_str(&xhtml);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    reader.config_mut().allow_dangling_amp = true;
    let mut html = String::with_capacity(xhtml.len());
    let mut in_body = false;
    loop {
        let start = reader.buffer_position() as usize;
        let event = reader.read_event();
        let raw = xhtml.get(start..reader.buffer_position() as usize).unwrap_or_default();
        match event {
            Ok(Event::Start(element)) if element.local_name().as_ref() == b"body" => in_body = true,
            Ok(Event::Eof) => break,
            Ok(_) if !in_body => {}
            Ok(Event::Empty(element)) if !VOID.contains(&element.name().as_ref()) => {
                html.push_str(raw.strip_suffix("/>").unwrap_or(raw));
                html.extend(["></", &String::from_utf8_lossy(element.name().as_ref()), ">"]);
            }
            Ok(Event::CData(text)) => html.push_str(&htmlize::escape_text(String::from_utf8_lossy(&text))),
            Ok(_) => html.push_str(raw),
            Err(_) => {
                html.push_str(xhtml.get(start..).unwrap_or_default());
                in_body = true;
                break;
            }
        }
    }
    if in_body { html } else { xhtml.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_parts() {
        assert_eq!(resolve("OEBPS", "text/a%20b.xhtml#x"), "OEBPS/text/a b.xhtml");
        assert_eq!(resolve("OEBPS/x", "../a%.xhtml"), "OEBPS/a%.xhtml");
        assert_eq!(resolve("", "./a.xhtml"), "a.xhtml");
        assert_eq!(resolve("x", "/a.xhtml"), "a.xhtml");
    }

    #[test]
    fn chapters_become_html() {
        let chapter = "<?xml version='1.0'?><html><head><title>x</title><script src='a'/></head><body id='a'><p>One<br/> \
            &nbsp;<a id='b'/>two</p><p/><![CDATA[<x>]]></body></html>";
        assert_eq!(
            as_html(chapter.as_bytes()),
            "<p>One<br/> &nbsp;<a id='b'></a>two</p><p></p>&lt;x&gt;</body></html>"
        );
        assert_eq!(as_html(b"<p>No body"), "<p>No body");
        assert!(as_html(b"<body><p>One</p><p>Two <").contains("Two"));
    }
}
