//! Byte offsets to character offsets.

use serde::{Deserialize, Serialize};

use crate::document::Span;

/// How ranges are written in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offsets {
    /// Code points: what JSON readers, Python and people count.
    #[default]
    Chars,
    /// Bytes of the UTF-8 text.
    Bytes,
}

/// Converts byte offsets of one text to code points, in one pass if they are requested in ascending order.
pub struct CharOffsets<'a> {
    text: &'a str,
    byte: usize,
    chars: usize,
}

impl<'a> CharOffsets<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a str) -> CharOffsets<'a> {
        CharOffsets { text, byte: 0, chars: 0 }
    }

    /// The number of code points before a byte offset.
    pub fn chars(&mut self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        if byte < self.byte {
            (self.byte, self.chars) = (0, 0);
        }
        // Every byte that does not continue a character begins one.
        self.chars += self.text.as_bytes()[self.byte..byte].iter().filter(|&&b| b & 0xC0 != 0x80).count();
        self.byte = byte;
        self.chars
    }

    /// A span in the requested unit.
    pub fn span(&mut self, span: Span, offsets: Offsets) -> Span {
        match offsets {
            Offsets::Bytes => span,
            Offsets::Chars => Span::new(self.chars(span.start), self.chars(span.end)),
        }
    }
}

/// Converts code points of one text to byte offsets, in one pass if they are requested in ascending order.
pub(crate) struct ByteOffsets<'a> {
    text: &'a str,
    byte: usize,
    chars: usize,
}

impl<'a> ByteOffsets<'a> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> ByteOffsets<'a> {
        ByteOffsets { text, byte: 0, chars: 0 }
    }

    /// The byte offset of a code point; `None` beyond the end of the text.
    pub(crate) fn byte(&mut self, chars: usize) -> Option<usize> {
        if chars < self.chars {
            (self.byte, self.chars) = (0, 0);
        }
        let rest = &self.text[self.byte..];
        let ahead = chars - self.chars;
        let bytes = match rest.char_indices().nth(ahead) {
            Some((at, _)) => at,
            None if rest.chars().count() == ahead => rest.len(),
            None => return None,
        };
        (self.byte, self.chars) = (self.byte + bytes, chars);
        Some(self.byte)
    }

    /// A span in bytes; `None` if it is not inside the text, on character boundaries.
    pub(crate) fn in_bytes(&mut self, span: Span, offsets: Offsets) -> Option<Span> {
        let span = match offsets {
            Offsets::Bytes => span,
            Offsets::Chars => Span::new(self.byte(span.start)?, self.byte(span.end)?),
        };
        self.text.get(span.start..span.end).map(|_| span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_agree_with_counting() {
        let text = "aé€𝄞b";
        let mut offsets = CharOffsets::new(text);
        for (chars, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(offsets.chars(byte), chars);
        }
        assert_eq!(offsets.chars(text.len()), 5);
        assert_eq!(offsets.chars(1), 1, "going back works too");
    }

    #[test]
    fn byte_offsets_undo_character_offsets() {
        let text = "aé€𝄞b";
        let mut back = ByteOffsets::new(text);
        for (chars, (byte, _)) in text.char_indices().enumerate() {
            assert_eq!(back.byte(chars), Some(byte));
        }
        assert_eq!((back.byte(5), back.byte(6), back.byte(1)), (Some(text.len()), None, Some(1)));
    }
}
