//! Paragraphs near the edges and their masked tokens.

use std::ops::Range;

use twox_hash::XxHash3_64;

use super::lines::{Line, is_letter};

/// A run of non-blank lines: indices into the slice of lines it was cut from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Blank lines directly before the block.
    pub(super) gap: usize,
}

/// Cuts `lines[from..]` into at most `limit` blocks.
pub(super) fn blocks(lines: &[Line], from: usize, limit: usize) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut gap = 0;
    let mut open = false;
    for (i, line) in lines.iter().enumerate().skip(from) {
        if line.is_blank() {
            gap += 1;
            open = false;
        } else if let (true, Some(block)) = (open, out.last_mut()) {
            block.last = i;
        } else if out.len() == limit {
            break;
        } else {
            out.push(Block { first: i, last: i, gap });
            gap = 0;
            open = true;
        }
    }
    out
}

/// Words in lower case with the variable parts masked, one after another.
#[derive(Default, Debug)]
pub(crate) struct Tokens {
    /// Each token with a space after it; the last one may still be open.
    text: Vec<u8>,
    /// Where each token ends, after its space.
    ends: Vec<u32>,
}

/// Consecutive tokens: those of a line, of a block, or a part of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    text: &'a [u8],
    /// Where the first one starts, and where each ends, after its space.
    start: u32,
    ends: &'a [u32],
}

impl<'a> Words<'a> {
    pub(super) fn len(self) -> usize {
        self.ends.len()
    }

    #[inline]
    pub(super) fn get(self, i: usize) -> &'a [u8] {
        let start = if i == 0 { self.start } else { self.ends[i - 1] };
        &self.text[start as usize..self.ends[i] as usize - 1]
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(move |i| self.get(i))
    }

    /// Some consecutive tokens, each with a space after it.
    pub(super) fn run(self, tokens: Range<usize>) -> &'a [u8] {
        let end = |count: usize| if count == 0 { self.start } else { self.ends[count - 1] } as usize;
        &self.text[end(tokens.start)..end(tokens.end)]
    }

    /// A key of the first tokens, in 40 bits: enough to distinguish lines, and five bytes in a file.
    pub(super) fn key(self, tokens: usize, seed: u64) -> u64 {
        XxHash3_64::oneshot_with_seed(seed, self.run(0..tokens.min(self.len()))) >> 24
    }
}

/// The tokens that replace masked text.
pub(super) const NUMBER: &[u8] = b"#";
pub(super) const MAIL: &[u8] = b"@";
pub(super) const URL: &[u8] = b"%url";
pub(super) const FILE: &[u8] = b"%file";

impl Tokens {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Words<'_> {
        self.part(0..self.len())
    }

    /// Some consecutive tokens.
    #[inline]
    pub(super) fn part(&self, tokens: Range<usize>) -> Words<'_> {
        let start = if tokens.start == 0 { 0 } else { self.ends[tokens.start - 1] };
        Words { text: &self.text, start, ends: &self.ends[tokens] }
    }

    fn close(&mut self) {
        if self.text.len() as u32 > self.ends.last().copied().unwrap_or(0) {
            self.text.push(b' ');
            self.ends.push(self.text.len() as u32);
        }
    }

    fn push(&mut self, token: &[u8]) {
        self.text.extend_from_slice(token);
        self.close();
    }

    /// Adds the tokens of one line.
    pub(crate) fn add_line(&mut self, line: &[u8]) {
        self.text.reserve(2 * line.len());
        let mut at = 0;
        while at < line.len() {
            // The bytes up to the next blank, with and without the last one, show what needs to be examined.
            let start = at;
            let (mut kinds, mut before) = (0, 0);
            while let Some(&byte) = line.get(at)
                && KIND[byte as usize] != BLANK
            {
                before = kinds;
                kinds |= KIND[byte as usize];
                at += 1;
            }
            let chunk = &line[start..at];
            at += 1;
            if kinds == LETTER {
                self.add_letters(chunk);
            } else if before == LETTER && kinds & OTHER == 0 && !chunk.ends_with(b"www.") {
                self.add_letters(&chunk[..chunk.len() - 1]);
            } else if kinds & TELLING != 0
                && let Some(token) = mask(chunk)
            {
                self.push(token);
            } else {
                self.add_words(chunk);
            }
        }
    }

    /// A word of nothing but letters of ASCII.
    fn add_letters(&mut self, word: &[u8]) {
        self.text.extend(word.iter().map(u8::to_ascii_lowercase));
        self.text.push(b' ');
        self.ends.push(self.text.len() as u32);
    }

    /// Splits a chunk into words; hyphens inside words and apostrophes vanish.
    fn add_words(&mut self, chunk: &[u8]) {
        let mut i = 0;
        while i < chunk.len() {
            let b = chunk[i];
            if let Some(apostrophe) = punctuation(&chunk[i..]) {
                i += 3;
                if !(apostrophe && chunk.get(i).is_some_and(|&c| is_letter(c))) {
                    self.close();
                }
                continue;
            }
            if b.is_ascii_digit() {
                self.close();
                while i < chunk.len() && (chunk[i].is_ascii_digit() || matches!(chunk[i], b'.' | b',' | b'/')) {
                    i += 1;
                }
                self.push(NUMBER);
                continue;
            }
            if is_letter(b) {
                self.text.push(b.to_ascii_lowercase());
            } else if !(matches!(b, b'-' | b'\'') && joins(chunk, i)) {
                self.close();
            }
            i += 1;
        }
        self.close();
    }
}

/// A letter of ASCII.
const LETTER: u8 = 1;
/// Characters of mail addresses, web addresses and file names.
const TELLING: u8 = 2;
/// Other signs of ASCII, which end a word when they are the last.
const SIGN: u8 = 4;
/// Anything else: digits, and what is not ASCII.
const OTHER: u8 = 8;
/// The separator of chunks.
const BLANK: u8 = 16;

/// What each byte is.
const KIND: [u8; 256] = {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'@' | b':' | b'.' => TELLING,
            byte if byte.is_ascii_alphabetic() => LETTER,
            byte if byte.is_ascii_whitespace() => BLANK,
            byte if byte.is_ascii() && !byte.is_ascii_digit() => SIGN,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
};

/// UTF-8 general punctuation (dashes, quotation marks) at the start of `s`; true for an apostrophe.
fn punctuation(s: &[u8]) -> Option<bool> {
    (s.len() >= 3 && s[0] == 0xE2 && s[1] == 0x80).then(|| matches!(s[2], 0x98 | 0x99))
}

fn joins(chunk: &[u8], i: usize) -> bool {
    i > 0 && is_letter(chunk[i - 1]) && chunk.get(i + 1).is_some_and(|&b| is_letter(b))
}

/// Mail addresses, web addresses and file names are masked.
fn mask(chunk: &[u8]) -> Option<&'static [u8]> {
    if let Some(at) = memchr::memchr(b'@', chunk)
        && at > 0
        && memchr::memchr(b'.', &chunk[at..]).is_some()
    {
        return Some(MAIL);
    }
    let has = |part: &[u8]| chunk.windows(part.len()).any(|window| window == part);
    if has(b"://") || has(b"www.") {
        return Some(URL);
    }
    let dot = memchr::memrchr(b'.', chunk)?;
    let tail = &chunk[dot + 1..];
    let ext = tail.get(..3)?;
    let known = [&b"txt"[..], b"zip", b"htm", b"xxx"].iter().any(|e| ext.eq_ignore_ascii_case(e));
    (dot > 0 && known).then_some(FILE)
}

/// The tokens of a block, line by line.
#[derive(Default, Debug)]
pub(super) struct BlockTokens {
    tokens: Tokens,
    /// How many there are up to the end of each line.
    lines: Vec<usize>,
}

impl BlockTokens {
    /// Splits the lines of a block into tokens, replacing the previous content.
    pub(super) fn cut(&mut self, lines: &[Line]) {
        self.tokens.clear();
        self.lines.clear();
        for line in lines {
            self.tokens.add_line(line.text);
            self.lines.push(self.tokens.len());
        }
    }

    /// Those of the whole block.
    pub(crate) fn all(&self) -> Words<'_> {
        self.tokens.all()
    }

    /// Those of each line.
    pub(super) fn lines(&self) -> impl Iterator<Item = Words<'_>> {
        let starts = std::iter::once(0).chain(self.lines.iter().copied());
        starts.zip(&self.lines).map(|(start, end)| self.tokens.part(start..*end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strip::lines::edges;

    fn words(s: &str) -> Vec<String> {
        let mut t = Tokens::default();
        t.add_line(s.as_bytes());
        t.all().iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
    }

    #[test]
    fn masks_what_varies() {
        assert_eq!(
            words("E-text, by <a.b@c.org> 21,781 see http://x.org/1 or 57305-h.htm"),
            ["etext", "by", "@", "#", "see", "%url", "or", "%file"]
        );
        assert_eq!(words("Transcriber's note\u{2014}Gutenberg\u{2019}s"), ["transcribers", "note", "gutenbergs"]);
        assert_eq!(words("*END*THE SMALL--PRINT!"), ["end", "the", "small", "print"]);
    }

    #[test]
    fn blocks_remember_their_gap() {
        let e = edges(b"\n\na\nb\n\nc\n", 99, 0);
        assert_eq!(blocks(&e.head, 0, 9), [Block { first: 2, last: 3, gap: 2 }, Block { first: 5, last: 5, gap: 1 }]);
    }

    /// The same result, with each chunk processed as a string.
    fn plain_words(line: &str) -> Vec<String> {
        let mut out = Vec::new();
        for chunk in line.split([' ', '\t', '\n', '\r', '\u{c}']) {
            let at = chunk.find('@').filter(|at| *at > 0 && chunk[*at..].contains('.'));
            let file =
                chunk.rsplit_once('.').filter(|(name, _)| !name.is_empty()).map(|(_, end)| end.to_ascii_lowercase());
            let is_file =
                file.is_some_and(|end| ["txt", "zip", "htm", "xxx"].iter().any(|known| end.starts_with(known)));
            if at.is_some() {
                out.push("@".to_owned());
            } else if chunk.contains("://") || chunk.contains("www.") {
                out.push("%url".to_owned());
            } else if is_file {
                out.push("%file".to_owned());
            } else {
                // Apostrophes and hyphens inside words vanish; numbers are words of their own.
                let letters: Vec<char> = chunk.chars().collect();
                let is_dash_or_quote = |c: &char| ('\u{2000}'..'\u{2040}').contains(c);
                let joins = |at: Option<usize>| {
                    at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_ascii_alphabetic() || !c.is_ascii())
                };
                let (mut word, mut at) = (String::new(), 0);
                while at < letters.len() {
                    let next = joins(Some(at + 1));
                    match letters[at] {
                        '\u{2018}' | '\u{2019}' if next => {}
                        '-' | '\'' if next && joins(at.checked_sub(1)) => {}
                        c if joins(Some(at)) && !is_dash_or_quote(&c) => word.push(c.to_ascii_lowercase()),
                        c => {
                            out.push(std::mem::take(&mut word));
                            if c.is_ascii_digit() {
                                out.push("#".to_owned());
                                while letters.get(at + 1).is_some_and(|c| c.is_ascii_digit() || ".,/".contains(*c)) {
                                    at += 1;
                                }
                            }
                        }
                    }
                    at += 1;
                }
                out.push(word);
            }
            out.retain(|word| !word.is_empty());
        }
        out
    }

    proptest! {
        #[test]
        fn words_are_those_of_the_plain_way(line in "([a-cA-C@:/.,' 0-9\u{2019}\u{2014}\u{e9}-]|www|txt|htm| ){0,40}") {
            prop_assert_eq!(words(&line), plain_words(&line));
        }
    }
}
