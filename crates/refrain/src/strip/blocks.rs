//! Paragraphs near the edges and their masked tokens.

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

/// Lower-cased words with the variable parts masked, stored back to back.
#[derive(Default, Debug)]
pub(super) struct Tokens {
    text: Vec<u8>,
    ends: Vec<u32>,
    /// A buffer for [`Tokens::key`].
    joined: Vec<u8>,
}

/// What a masked token stands for.
pub(super) const NUMBER: &[u8] = b"#";
pub(super) const MAIL: &[u8] = b"@";
pub(super) const URL: &[u8] = b"%url";
pub(super) const FILE: &[u8] = b"%file";

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.text[start..self.ends[i] as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// A key of the first tokens, in 40 bits: enough to tell lines apart, and five bytes in a file.
    pub(super) fn key(&mut self, tokens: usize, seed: u64) -> u64 {
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        for token in self.iter().take(tokens) {
            joined.extend_from_slice(token);
            joined.push(b' ');
        }
        let key = XxHash3_64::oneshot_with_seed(seed, &joined) >> 24;
        self.joined = joined;
        key
    }

    fn close(&mut self) {
        if self.text.len() as u32 > self.ends.last().copied().unwrap_or(0) {
            self.ends.push(self.text.len() as u32);
        }
    }

    fn push(&mut self, token: &[u8]) {
        self.text.extend_from_slice(token);
        self.close();
    }

    /// Adds the tokens of one line.
    pub(super) fn add_line(&mut self, line: &[u8]) {
        for chunk in line.split(u8::is_ascii_whitespace).filter(|c| !c.is_empty()) {
            match mask(chunk) {
                Some(token) => self.push(token),
                None => self.add_words(chunk),
            }
        }
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
    if memchr::memmem::find(chunk, b"://").is_some() || memchr::memmem::find(chunk, b"www.").is_some() {
        return Some(URL);
    }
    let dot = memchr::memrchr(b'.', chunk)?;
    let tail = &chunk[dot + 1..];
    let ext = tail.get(..3)?;
    let known = [&b"txt"[..], b"zip", b"htm", b"xxx"].iter().any(|e| ext.eq_ignore_ascii_case(e));
    (dot > 0 && known).then_some(FILE)
}

/// Tokens of a block.
pub(super) fn tokens_of(lines: &[Line], block: &Block, out: &mut Tokens) {
    out.clear();
    for line in &lines[block.first..=block.last] {
        out.add_line(line.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::lines::edges;

    fn words(s: &str) -> Vec<String> {
        let mut t = Tokens::default();
        t.add_line(s.as_bytes());
        t.iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
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
}
