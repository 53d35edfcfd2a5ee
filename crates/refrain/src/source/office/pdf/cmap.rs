//! Tables from the codes of a font to characters (`ToUnicode`).
//!
//! lopdf has a parser of these, too, but it writes every range out, code by code; a range of four billion codes takes one
//! line.

/// A table from codes to characters.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CMap {
    /// First and last code, and the text of the first one, sorted by the first code once all are read.
    ranges: Vec<(u32, u32, String)>,
    /// How many bytes a code takes, where the table says so.
    pub(super) code_bytes: Option<usize>,
}

/// What a table is made of.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    /// A string of bytes, `<...>`.
    String(Vec<u8>),
    Open,
    Close,
    Word(Vec<u8>),
}

/// No font has more characters.
const MAX_RANGES: usize = 1 << 17;

impl CMap {
    /// Reads a table. Lines that cannot be understood are skipped.
    pub(super) fn parse(bytes: &[u8]) -> CMap {
        let mut cmap = CMap::default();
        let mut tokens = Tokens(bytes).peekable();
        let mut section: Option<&[u8]> = None;
        while let Some(token) = tokens.next() {
            match (token, section) {
                (Token::Word(word), _) => {
                    section = match word.as_slice() {
                        b"begincodespacerange" => Some(b"space"),
                        b"beginbfchar" => Some(b"char"),
                        b"beginbfrange" => Some(b"range"),
                        _ => None,
                    };
                }
                (Token::String(low), Some(b"space")) => {
                    let high = tokens.next();
                    if matches!(high, Some(Token::String(_))) && (1..=4).contains(&low.len()) {
                        let bytes = cmap.code_bytes.unwrap_or(low.len());
                        cmap.code_bytes = Some(bytes.max(low.len()));
                    }
                }
                (Token::String(code), Some(b"char")) => {
                    if let Some(Token::String(text)) = tokens.next_if(|token| matches!(token, Token::String(_))) {
                        cmap.put(code_of(&code), code_of(&code), &text);
                    }
                }
                (Token::String(low), Some(_)) => cmap.range(&low, &mut tokens),
                _ => {}
            }
        }
        cmap.ranges.sort_by_key(|range| range.0);
        cmap
    }

    /// The rest of a line of ranges: the last code, and the text of the codes, consecutive or as a list.
    fn range(&mut self, low: &[u8], tokens: &mut impl Iterator<Item = Token>) {
        let Some(Token::String(high)) = tokens.next() else { return };
        let (low, high) = (code_of(low), code_of(&high));
        match tokens.next() {
            Some(Token::String(text)) => self.put(low, high, &text),
            Some(Token::Open) => {
                let texts = tokens.take_while(|token| *token != Token::Close);
                for (code, token) in (low..=high).zip(texts) {
                    if let Token::String(text) = token {
                        self.put(code, code, &text);
                    }
                }
            }
            _ => {}
        }
    }

    fn put(&mut self, low: u32, high: u32, utf16: &[u8]) {
        if low <= high && self.ranges.len() < MAX_RANGES {
            self.ranges.push((low, high, encoding_rs::UTF_16BE.decode_without_bom_handling(utf16).0.into_owned()));
        }
    }

    /// The text of a code.
    pub(super) fn get(&self, code: u32) -> Option<String> {
        let behind = self.ranges.partition_point(|range| range.0 <= code);
        let (low, high, text) = self.ranges.get(behind.checked_sub(1)?)?;
        if code > *high {
            return None;
        }
        if code == *low {
            return Some(text.clone());
        }
        // The last character counts up.
        let mut text = text.clone();
        let last = text.pop()?;
        text.push(char::from_u32(u32::from(last).checked_add(code - low)?)?);
        Some(text)
    }
}

fn code_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |code, byte| code << 8 | u32::from(*byte))
}

/// The tokens of a table.
struct Tokens<'b>(&'b [u8]);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let (&first, behind) = self.0.split_first()?;
            match first {
                b'[' | b']' => {
                    self.0 = behind;
                    return Some(if first == b'[' { Token::Open } else { Token::Close });
                }
                b'<' if behind.first() != Some(&b'<') => {
                    let end = memchr::memchr(b'>', behind).unwrap_or(behind.len());
                    self.0 = behind.get(end + 1..).unwrap_or_default();
                    return Some(Token::String(hex(&behind[..end])));
                }
                b'%' => self.0 = &behind[memchr::memchr2(b'\n', b'\r', behind).unwrap_or(behind.len())..],
                c if c.is_ascii_alphabetic() => {
                    let length = self.0.iter().take_while(|c| c.is_ascii_alphanumeric()).count();
                    let (word, rest) = self.0.split_at(length);
                    self.0 = rest;
                    return Some(Token::Word(word.to_vec()));
                }
                _ => self.0 = behind,
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.iter().filter_map(|digit| char::from(*digit).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        let cmap = CMap::parse(
            b"/CIDInit /ProcSet findresource begin % comment <00>\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar <0003> <0020> <0005><00660069> endbfchar\n\
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0061> <0062>] <0030> <FFFFFFFF> <D835DC00> endbfrange",
        );
        assert_eq!(cmap.code_bytes, Some(2));
        let texts: Vec<Option<String>> = [3, 5, 0x11, 0x21, 0x31, 0x13, 1].iter().map(|code| cmap.get(*code)).collect();
        assert_eq!(
            texts,
            [Some(" "), Some("fi"), Some("B"), Some("b"), Some("\u{1d401}"), None, None]
                .map(|text| text.map(str::to_owned))
        );
    }

    #[test]
    fn nonsense_does_no_harm() {
        for bytes in
            [&b"beginbfrange <00> <"[..], b"beginbfchar <00>", b"<<>>[[]", b"beginbfrange <05> <01> <00> [", b"\xff"]
        {
            CMap::parse(bytes);
        }
    }
}
