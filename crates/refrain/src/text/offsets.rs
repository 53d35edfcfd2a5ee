//! Byte offsets to character offsets.

use crate::document::Span;

/// How ranges are written in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offsets {
    /// Code points: what JSON readers, Python and people count.
    #[default]
    Chars,
    /// Bytes of the UTF-8 text.
    Bytes,
}

/// Turns byte offsets of one text into code points, in one walk for offsets asked in ascending order.
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

    /// A span in the offsets asked for.
    pub fn span(&mut self, span: Span, offsets: Offsets) -> Span {
        match offsets {
            Offsets::Bytes => span,
            Offsets::Chars => Span::new(self.chars(span.start), self.chars(span.end)),
        }
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
}
