//! Keys of words.

use crate::text::mix;

/// Bits of a key: enough that words in a large collection rarely collide, few enough to store hundreds of millions.
pub(crate) const KEY_BITS: u32 = 40;
/// All bits of a key.
pub(crate) const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// Converts ASCII letters to lower case.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// The key of a word of ASCII letters in any case.
#[inline]
pub(crate) fn letters(word: &[u8]) -> u64 {
    of(word, SMALL)
}

/// The key of a word in lower case; ASCII words get the same key as from [`letters`].
pub(crate) fn lower(word: &[u8]) -> u64 {
    of(word, 0)
}

#[inline]
fn of(word: &[u8], small: u64) -> u64 {
    let mut key = word.len() as u64;
    let (eights, rest) = word.as_chunks::<8>();
    for eight in eights {
        key = mix(key ^ (u64::from_le_bytes(*eight) | small));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let used = if rest.is_empty() { 0 } else { u64::MAX >> (64 - 8 * rest.len()) };
    mix(key ^ (u64::from_le_bytes(last) | (small & used))) & KEY_MASK
}

/// The key of two consecutive words.
#[inline]
pub(crate) fn pair(first: u64, second: u64) -> u64 {
    mix(mix(first).rotate_left(17) ^ second) & KEY_MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_depend_on_case_but_on_order_and_length() {
        assert_eq!(letters(b"Lighthouses"), letters(b"lightHOUSES"));
        assert_ne!(letters(b"lamp"), letters(b"palm"));
        assert_ne!(lower(b"a"), lower(b"a\0"));
        assert_eq!(letters(b"The"), lower(b"the"));
        assert_ne!(lower("с".as_bytes()), lower("ё".as_bytes()));
        let (lit, lamp) = (letters(b"lit"), letters(b"lamp"));
        assert_ne!(pair(lit, lamp), pair(lamp, lit));
        assert!(pair(lit, lamp) <= KEY_MASK);
    }
}
