//! Removes the markup of web pages, which says nothing about the charset of the text.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// Markup appears within this many bytes, if at all.
const REACH: usize = 2000;

/// Typical starts of pages.
const SIGNS: [&[u8]; 10] =
    [b"<html", b"<!doctype", b"<head", b"<body", b"<?xml", b"<meta", b"<p>", b"<div", b"<rss", b"<table"];

/// The longest character reference that is recognised.
const LONGEST_REFERENCE: usize = 12;

/// The text of a page for detecting its encoding: all of it, if only ASCII would remain without markup.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    let plain = plain_text_of(bytes);
    if plain.is_ascii() { Cow::Borrowed(bytes) } else { plain }
}

/// The text of a page, with tags, comments, scripts, styles and character references replaced by spaces.
pub(super) fn plain_text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    let head = bytes[..bytes.len().min(REACH)].to_ascii_lowercase();
    if !SIGNS.iter().any(|sign| memmem::find(&head, sign).is_some()) {
        return Cow::Borrowed(bytes);
    }
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'<', b'&', &bytes[at..]) {
        let open = at + found;
        text.extend_from_slice(&bytes[at..open]);
        at = match bytes[open] {
            b'<' => tag_end(bytes, open),
            _ => reference_end(bytes, open),
        };
        match at == open + 1 {
            true => text.push(bytes[open]),
            false => text.push(b' '),
        }
    }
    text.extend_from_slice(&bytes[at..]);
    Cow::Owned(text)
}

/// Where a tag, comment, script or style ends; one byte further if none starts here.
fn tag_end(bytes: &[u8], open: usize) -> usize {
    let rest = &bytes[open..];
    if !rest.get(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?')) {
        return open + 1;
    }
    let names = |name: &[u8]| rest.get(1..=name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
    let end = if rest.starts_with(b"<!--") {
        memmem::find(rest, b"-->").map(|end| end + 3)
    } else if names(b"script") {
        closing(rest, b"</script")
    } else if names(b"style") {
        closing(rest, b"</style")
    } else {
        memchr(b'>', rest).map(|end| end + 1)
    };
    open + end.unwrap_or(rest.len())
}

/// Where an element ends, including its end tag.
fn closing(rest: &[u8], tag: &[u8]) -> Option<usize> {
    let starts = memmem::find_iter(rest, b"</");
    let mut ends =
        starts.filter(|&at| rest.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)));
    ends.next().map(|at| at + tag.len() + memchr(b'>', &rest[at + tag.len()..]).map_or(0, |end| end + 1))
}

/// Where a character reference ends; one byte further if there is none.
fn reference_end(bytes: &[u8], open: usize) -> usize {
    let reach = &bytes[open..bytes.len().min(open + LONGEST_REFERENCE)];
    match memchr(b';', reach) {
        Some(end) if reach[1..end].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#') => open + end + 1,
        _ => open + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_taken_out() {
        let page = b"<html><script>var a = '\xe4';</script><!-- \xe5 --><p class=\xe6>gr\xfcn &amp; blau < 3 & \xf6";
        let text = text_of(page);
        let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
        assert_eq!(words, [&b"gr\xfcn"[..], b"blau", b"<", b"3", b"&", b"\xf6"]);
    }

    #[test]
    fn plain_text_and_pages_with_nothing_else_are_kept_whole() {
        assert_eq!(&*text_of(b"a < b &amp; \xe4"), b"a < b &amp; \xe4");
        assert_eq!(&*text_of(b"<html title='\xe4'>x"), b"<html title='\xe4'>x");
        assert_eq!(&*plain_text_of(b"<html title='\xe4'>x"), b" x");
    }
}
