//! The tokeniser of vertical files and of token counts.
//!
//! Words and punctuation by the word boundaries of Unicode (UAX #29); addresses of the web and of mail stay whole.

use unicode_segmentation::UnicodeSegmentation;

/// A token, and whether white space precedes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The token.
    pub text: &'a str,
    /// True when it is glued to the token before it (`<g/>` in vertical files).
    pub glued: bool,
}

/// The tokens of a text.
///
/// ```
/// let tokens: Vec<&str> = refrain::text::tokens("Don't go (yet).").map(|token| token.text).collect();
/// assert_eq!(tokens, ["Don't", "go", "(", "yet", ")", "."]);
/// ```
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    text.split_whitespace().flat_map(|chunk| {
        let mut first = true;
        pieces(chunk).map(move |text| Token { text, glued: !std::mem::replace(&mut first, false) })
    })
}

/// Cuts a stretch without white space.
fn pieces(chunk: &str) -> impl Iterator<Item = &str> {
    let (before, address, after) = split_address(chunk);
    before.split_word_bounds().chain((!address.is_empty()).then_some(address)).chain(after.split_word_bounds())
}

/// Finds a web or mail address inside a stretch without white space: what precedes it, the address, what follows it.
fn split_address(chunk: &str) -> (&str, &str, &str) {
    // Most chunks are words: leave early.
    if !chunk.contains(['/', '@', '.']) {
        return (chunk, "", "");
    }
    let start = ["https://", "http://", "ftp://", "www."].iter().filter_map(|prefix| chunk.find(prefix)).min();
    let (start, end) = match start {
        Some(start) => (start, chunk.len()),
        None => match mail_address(chunk) {
            Some(range) => range,
            None => return (chunk, "", ""),
        },
    };
    let closing =
        |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | ')' | ']' | '>' | '»' | '”' | '’');
    let address = &chunk[start..end];
    let end = start + address.find(['<', '>', '"']).unwrap_or(address.len());
    let end = start + chunk[start..end].trim_end_matches(closing).len();
    (&chunk[..start], &chunk[start..end], &chunk[end..])
}

fn mail_address(chunk: &str) -> Option<(usize, usize)> {
    let at = chunk.find('@')?;
    let local = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '%');
    let start = chunk[..at].char_indices().rev().take_while(|&(_, c)| local(c)).last()?.0;
    let host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let length: usize = chunk[at + 1..].chars().take_while(|&c| host(c)).map(char::len_utf8).sum();
    let end = at + 1 + length;
    chunk[at + 1..end].trim_end_matches('.').contains('.').then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        tokens(text).map(|t| format!("{}{}", if t.glued { "+" } else { "" }, t.text)).collect()
    }

    #[test]
    fn punctuation_is_cut_off_and_glued() {
        assert_eq!(split("He said: \"No.\""), ["He", "said", "+:", "\"", "+No", "+.", "+\""]);
    }

    #[test]
    fn addresses_are_not_divided() {
        assert_eq!(
            split("(see https://a.example/x?y=1&z=2)."),
            ["(", "+see", "https://a.example/x?y=1&z=2", "+)", "+."]
        );
        assert_eq!(split("write to a.b@c.example, please"), ["write", "to", "a.b@c.example", "+,", "please"]);
        assert_eq!(split("@home a@b"), ["@", "+home", "a", "+@", "+b"]);
    }

    #[test]
    fn numbers_are_not_divided() {
        assert_eq!(split("3.14 1,000"), ["3.14", "1,000"]);
    }

    #[test]
    fn tokens_and_glue_give_the_text_back() {
        let text = "Ein Haus, \u{201e}alt\u{201c} -- www.x.example! 漢字かな a@b.cd. <p>";
        let mut back = String::new();
        for token in tokens(text) {
            if !token.glued && !back.is_empty() {
                back.push(' ');
            }
            back.push_str(token.text);
        }
        assert_eq!(back, text);
    }
}
