//! Shared kernels: paragraphs, words, tokens, digests, character offsets.

mod digest;
mod increasing;
mod offsets;
pub(crate) mod scripts;
mod stoplists;
mod tokens;
mod words;

pub(crate) use digest::{Digest, TextDigest};
pub(crate) use increasing::longest_increasing;
pub(crate) use offsets::ByteOffsets;
#[doc(hidden)]
pub use offsets::CharOffsets;
pub use offsets::Offsets;
pub(crate) use stoplists::frequent_words;
pub use stoplists::{StopList, stop_list, stop_list_languages};
pub(crate) use tokens::count_words_and_tokens;
pub use tokens::{Token, tokens};
pub(crate) use words::mix;
pub use words::{Word, words};

use crate::document::Span;

/// A name without control characters, which could do harm to a terminal.
pub fn legible(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Number of words, as `wc -w` counts them: stretches of anything but white space.
pub(crate) fn count_words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// The paragraphs of a plain text: stretches of lines between blank lines, without white space around them.
///
/// ```
/// let text = "One line.\nAnother.\n\n  \nSecond paragraph.\n";
/// let paragraphs: Vec<&str> = refrain::text::paragraphs(text).map(|span| span.of(text)).collect();
/// assert_eq!(paragraphs, ["One line.\nAnother.", "Second paragraph."]);
/// ```
pub fn paragraphs(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut paragraph: Option<Span> = None;
        while at < text.len() {
            let line_start = at;
            let line = &text[line_start..];
            let line = &line[..memchr::memchr(b'\n', line.as_bytes()).map_or(line.len(), |n| n + 1)];
            at += line.len();
            if line.trim().is_empty() {
                if paragraph.is_some() {
                    break;
                }
            } else {
                let start = line_start + (line.len() - line.trim_start().len());
                let end = line_start + line.trim_end().len();
                paragraph = Some(Span::new(paragraph.map_or(start, |p| p.start), end));
            }
        }
        paragraph
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_of_odd_texts() {
        let split = |text: &'static str| paragraphs(text).map(|s| s.of(text)).collect::<Vec<_>>();
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split("\n \n"), [""; 0]);
        assert_eq!(split("a"), ["a"]);
        assert_eq!(split("a\r\n\r\nb\r\n"), ["a", "b"]);
        assert_eq!(split(" a\n b \n\n\nc"), ["a\n b", "c"]);
    }

    #[test]
    fn words_are_what_wc_counts() {
        assert_eq!(count_words(" one two\tthree\n\nfour-and-a-half "), 4);
    }
}
