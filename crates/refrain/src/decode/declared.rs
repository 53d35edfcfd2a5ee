//! The charset that a document declares in its own text.

use super::charsets::Charset;

/// Declarations are within this many bytes of the start.
const REACH: usize = 4096;

/// The charset of a `<meta>` element or of an XML declaration.
pub(super) fn in_document(bytes: &[u8]) -> Option<Charset> {
    let head = bytes[..bytes.len().min(REACH)].to_ascii_lowercase();
    if head.trim_ascii_start().starts_with(b"<?xml") {
        let end = memchr::memchr(b'>', &head)?;
        if let Some(encoding) = value_after(&head[..end], b"encoding") {
            return Some(encoding);
        }
    }
    memchr::memmem::find_iter(&head, b"<meta").find_map(|start| {
        let tag = &head[start..];
        let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
        value_after(&tag[..end], b"charset")
    })
}

/// The encoding named after `name=`, with or without quotes.
fn value_after(tag: &[u8], name: &[u8]) -> Option<Charset> {
    memchr::memmem::find_iter(tag, name).find_map(|at| {
        let value = tag[at + name.len()..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
        let end =
            value.iter().position(|b| matches!(b, b'"' | b'\'' | b';' | b' ' | b'/' | b'\n')).unwrap_or(value.len());
        Charset::for_label(std::str::from_utf8(&value[..end]).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(html: &str) -> Option<&'static str> {
        in_document(html.as_bytes()).map(Charset::name)
    }

    #[test]
    fn declarations_of_all_forms() {
        assert_eq!(name("<META CHARSET=Shift_JIS>"), Some("Shift_JIS"));
        assert_eq!(name("<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'>"), Some("KOI8-R"));
        assert_eq!(name("<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><html>"), Some("ISO-8859-2"));
        assert_eq!(name("<meta name=x><meta charset = \"big5\" />"), Some("Big5"));
        assert_eq!(name("<meta charset=nonsense>"), None);
        assert_eq!(name("charset=big5"), None);
    }
}
