#![no_main]
//! The first byte chooses what is known from outside, the rest is decoded.

use refrain::Document;
use refrain::decode::{Hints, NotText, decode, detect, detect_language};
use refrain::text::tokens;

const CHARSETS: [Option<&str>; 8] = [
    None,
    Some("utf-8"),
    Some("iso-8859-1"),
    Some("shift_jis"),
    Some("gb18030"),
    Some("utf-16"),
    Some("iso-2022-jp"),
    Some("nonsense"),
];
const DOMAINS: [Option<&str>; 4] = [None, Some("cz"), Some("jp"), Some("Not a domain")];

const LANGUAGES: [Option<&str>; 4] = [None, Some("cs"), Some("ja"), Some("hy")];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let choice = usize::from(choice);
    let hints = Hints {
        charset: CHARSETS[choice % CHARSETS.len()],
        domain: DOMAINS[choice / CHARSETS.len() % DOMAINS.len()],
        language: LANGUAGES[choice / 32 % LANGUAGES.len()],
        ..Hints::default()
    };
    if let Ok(found) = detect(bytes, hints) {
        assert_eq!(found.encoding.is_none(), bytes.is_empty(), "all text has an encoding");
    }
    match decode(bytes.to_vec(), hints) {
        Err(NotText { at }) => assert!(at < bytes.len(), "the place lies in the bytes"),
        Ok(decoded) => {
            let replaced = decoded.text.matches('\u{fffd}').count();
            assert!(!decoded.text.contains('\0'), "no NUL in a text");
            assert!(decoded.losses as usize <= replaced, "every loss can be seen");
            if let Some((at, count)) = decoded.nuls {
                assert!(count > 0 && count <= replaced, "every NUL can be seen");
                assert!(decoded.text.get(at..).is_some_and(|rest| rest.starts_with('\u{fffd}')), "where it stood");
            }
            check_words(&decoded.text);
            let document = Document::from_text("text", decoded.text);
            refrain_fuzz::check_document(&document);
            detect_language(&document);
        }
    }
});

/// Tokens, put together again, are the words.
fn check_words(text: &str) {
    let mut words = text.split_whitespace();
    let mut rest = "";
    for token in tokens(text) {
        assert_eq!(token.glued, !rest.is_empty(), "a token is glued unless it begins a word");
        if rest.is_empty() {
            rest = words.next().unwrap_or_default();
        }
        assert!(!token.text.is_empty(), "no empty token");
        rest = rest.strip_prefix(token.text).expect("tokens follow each other");
    }
    assert!(rest.is_empty() && words.next().is_none(), "no word without tokens");
}
