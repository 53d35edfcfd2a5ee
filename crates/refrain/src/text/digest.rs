//! Digests of texts, to find exact duplicates, and of files, for the manifest.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A 128-bit digest of a text: the first half of its SHA-256. It is wide enough that no two texts of a collection share
/// one by chance, and authors of pages cannot forge it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TextDigest(pub [u8; 16]);

/// Bytes that are digested at a time.
const WAITING: usize = 2 << 10;

impl TextDigest {
    /// The digest of a text whose white space does not matter: runs of it count as one space, and none at the ends.
    pub(crate) fn of(text: &str) -> TextDigest {
        let mut state = Sha256::new();
        // Words are handed over many at a time, which is faster than one by one.
        let mut waiting = Vec::with_capacity(2 * WAITING);
        for (number, word) in text.split_whitespace().enumerate() {
            if number > 0 {
                waiting.push(b' ');
            }
            waiting.extend_from_slice(word.as_bytes());
            if waiting.len() >= WAITING {
                state.update(&waiting);
                waiting.clear();
            }
        }
        state.update(&waiting);
        let mut half = [0; 16];
        half.copy_from_slice(&state.finalize()[..16]);
        TextDigest(half)
    }
}

/// The SHA-256 of a stream of bytes, as `sha256sum` prints it.
#[derive(Debug, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Adds bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Half of the digest, as a number.
    pub(crate) fn short(self) -> u128 {
        self.0.finalize().first_chunk().map_or(0, |half| u128::from_le_bytes(*half))
    }

    /// The digest itself.
    pub(crate) fn bytes(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The digest in hexadecimal.
    pub(crate) fn hex(self) -> String {
        let mut hex = String::with_capacity(64);
        for byte in self.0.finalize() {
            let _ = fmt::Write::write_fmt(&mut hex, format_args!("{byte:02x}"));
        }
        hex
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_change_a_text_digest() {
        assert_eq!(TextDigest::of("a  b\n\nc "), TextDigest::of("a b c"));
        assert_ne!(TextDigest::of("a b c"), TextDigest::of("ab c"));
        assert_ne!(TextDigest::of("a b c"), TextDigest::of("A b c"));
    }

    #[test]
    fn file_digests_are_sha256() {
        let mut digest = Digest::default();
        digest.update(b"ab");
        digest.update(b"c");
        assert_eq!(digest.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
