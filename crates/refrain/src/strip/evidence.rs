//! What a collection teaches: in how many distinct books a line occurred inside or outside the boilerplate, separately
//! for heads and tails, and the classifier trained on the same books.
//!
//! Counts add up, so evidence from two collections can be merged; [`Evidence::saved`] keeps
//! only lines seen often enough to matter.

use std::sync::OnceLock;

use foldhash::HashMap;
use twox_hash::XxHash3_64;

use super::StripProfile;
use super::blocks::{Tokens, Words};
use super::lines::TRIVIAL_BELOW;
use super::model::{BUCKETS, Model};
use crate::error::{Error, Result};
use crate::kernel::{Bytes, Fields, put_numbers};

/// Key of a masked line; none for a trivial one.
pub(super) fn line_key(text: &[u8], tokens: &mut Tokens) -> Option<u64> {
    if text.len() < TRIVIAL_BELOW {
        return None;
    }
    tokens.clear();
    tokens.add_line(text);
    key_of_words(text, tokens.all())
}

/// The same where the line was cut into words before.
pub(super) fn key_of_words(text: &[u8], words: Words) -> Option<u64> {
    (text.len() >= TRIVIAL_BELOW && words.len() >= 3).then(|| words.key(usize::MAX, 0))
}

/// Distinct books in which a line occurred inside / outside the boilerplate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) inside: u32,
    pub(super) outside: u32,
}

impl Count {
    /// Adds the vote of one book.
    pub(super) fn add(&mut self, inside: bool) {
        if inside { self.inside += 1 } else { self.outside += 1 }
    }
}

/// How a line looks in the light of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Rarely,
    Inside,
    Mixed,
    Outside,
}

/// Line counts of one edge.
#[derive(Clone, Debug, Default)]
pub(super) struct Side(pub HashMap<u64, Count>);

impl Side {
    /// Judges one line, if at least `least` books have it.
    pub(super) fn seen(&self, key: u64, least: u32) -> Seen {
        let Some(c) = self.0.get(&key) else { return Seen::Rarely };
        let total = c.inside + c.outside;
        if total < least {
            Seen::Rarely
        } else if c.inside * 5 >= total * 4 {
            Seen::Inside
        } else if c.inside * 5 <= total {
            Seen::Outside
        } else {
            Seen::Mixed
        }
    }

    /// Texts in which a line occurred inside.
    pub(super) fn inside(&self, key: u64) -> u32 {
        self.0.get(&key).map_or(0, |count| count.inside)
    }

    fn merge(&mut self, other: &Self) {
        for (key, c) in &other.0 {
            let mine = self.0.entry(*key).or_default();
            mine.inside += c.inside;
            mine.outside += c.outside;
        }
    }
}

/// What was learned from a collection.
///
/// ```
/// use refrain::strip::Evidence;
///
/// let shipped = Evidence::shipped();
/// let saved = shipped.saved();
/// assert_eq!(Evidence::from_saved(&saved)?.books(), shipped.books());
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub(super) profile: StripProfile,
    /// Distinct texts that had a vote.
    pub(super) books: u32,
    pub(super) heads: Side,
    pub(super) tails: Side,
    pub(super) model: Model,
}

/// The start of saved evidence. After it come the profile, the number of texts, the lines of heads and of tails (a key
/// in five bytes and two counts each), the classifier (its bias, its largest weight, and weights in eight bits), and a
/// checksum.
const MAGIC: &[u8; 8] = b"RFSTRIP1";

/// Evidence of 1,500 books of Project Gutenberg, of which 1,333 are distinct. `make strip-evidence` builds it; see
/// CONTRIBUTING.md.
static SHIPPED: &[u8] = include_bytes!("../../data/strip.evidence");

impl Evidence {
    /// The evidence on books of Project Gutenberg that comes with the library.
    pub fn shipped() -> &'static Evidence {
        static EVIDENCE: OnceLock<Evidence> = OnceLock::new();
        EVIDENCE.get_or_init(|| Evidence::from_saved(SHIPPED).unwrap_or_default())
    }

    /// The same as it is saved.
    pub fn shipped_bytes() -> &'static [u8] {
        SHIPPED
    }

    /// Distinct texts that it was learned from.
    pub fn books(&self) -> u32 {
        self.books
    }

    /// What it is for.
    pub fn profile(&self) -> StripProfile {
        self.profile
    }

    /// Texts that must share a line before it counts: fewer in small collections.
    pub(super) fn least(&self) -> u32 {
        (self.books / 12).clamp(2, 5)
    }

    /// Adds the counts of another collection and averages the classifiers.
    pub fn merge(&mut self, other: &Evidence) {
        self.model.merge(&other.model, self.books as f32, other.books as f32);
        self.heads.merge(&other.heads);
        self.tails.merge(&other.tails);
        self.books += other.books;
    }

    /// The evidence as a small file: lines that enough texts have, counts up to 255, weights in eight bits. Results
    /// can differ slightly from those with the original; [`Bytes`] keep everything.
    pub fn saved(&self) -> Vec<u8> {
        let least = self.least();
        let mut out = MAGIC.to_vec();
        out.push(u8::from(self.profile == StripProfile::Generic));
        out.extend(self.books.to_le_bytes());
        for side in [&self.heads, &self.tails] {
            let often = |c: &Count| c.inside + c.outside >= least;
            let mut rows: Vec<(u64, Count)> = side.0.iter().filter(|(_, c)| often(c)).map(|(k, c)| (*k, *c)).collect();
            rows.sort_by_key(|r| r.0);
            out.extend((rows.len() as u32).to_le_bytes());
            for (key, count) in rows {
                out.extend(&key.to_le_bytes()[..5]);
                out.extend(cap(count));
            }
        }
        let top = self.model.weights.iter().fold(0.0f32, |m, w| m.max(w.abs())).max(1e-6);
        out.extend(self.model.bias.to_le_bytes());
        out.extend(top.to_le_bytes());
        out.extend(self.model.weights.iter().map(|w| ((w / top * 127.0).round() as i8).cast_unsigned()));
        let check = XxHash3_64::oneshot(&out);
        out.extend(check.to_le_bytes());
        out
    }

    /// Reads what [`Evidence::saved`] returned.
    pub fn from_saved(bytes: &[u8]) -> Result<Evidence> {
        Evidence::parse(bytes).ok_or_else(|| Error::Refused("not evidence of refrain strip, or damaged".into()))
    }

    fn parse(bytes: &[u8]) -> Option<Evidence> {
        let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if XxHash3_64::oneshot(body).to_le_bytes() != check {
            return None;
        }
        let mut rest = body.strip_prefix(MAGIC)?;
        let profile = match take(&mut rest)? {
            [0] => StripProfile::Gutenberg,
            [1] => StripProfile::Generic,
            _ => return None,
        };
        let books = u32::from_le_bytes(take(&mut rest)?);
        let heads = read_side(&mut rest)?;
        let tails = read_side(&mut rest)?;
        let bias = f32::from_le_bytes(take(&mut rest)?);
        let top = f32::from_le_bytes(take(&mut rest)?);
        let weights: Vec<f32> = rest.iter().map(|&b| f32::from(b.cast_signed()) / 127.0 * top).collect();
        (weights.len() == BUCKETS).then_some(Evidence { profile, books, heads, tails, model: Model { bias, weights } })
    }
}

impl Bytes for Evidence {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = u64::from(self.profile == StripProfile::Generic).to_le_bytes().to_vec();
        out.extend(self.books.to_le_bytes());
        for side in [&self.heads, &self.tails] {
            let both = |count: &Count| u64::from(count.inside) << 32 | u64::from(count.outside);
            let mut rows: Vec<[u64; 2]> = side.0.iter().map(|(key, count)| [*key, both(count)]).collect();
            rows.sort_unstable();
            put_numbers(&mut out, rows.as_flattened());
        }
        out.extend(self.model.bias.to_le_bytes());
        out.extend(self.model.weights.iter().flat_map(|weight| weight.to_le_bytes()));
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Evidence> {
        let side = |fields: &mut Fields| -> Result<Side> {
            let count = |both: u64| Count { inside: (both >> 32) as u32, outside: both as u32 };
            let numbers = fields.numbers()?;
            Ok(Side(numbers.chunks_exact(2).map(|row| (row[0], count(row[1]))).collect()))
        };
        Fields(bytes).only(|fields| {
            let profile = if fields.number()? == 0 { StripProfile::Gutenberg } else { StripProfile::Generic };
            let books = fields.array().map(u32::from_le_bytes)?;
            let (heads, tails) = (side(fields)?, side(fields)?);
            let mut float = || fields.array().map(f32::from_le_bytes);
            let bias = float()?;
            let weights = (0..BUCKETS).map(|_| float()).collect::<Result<_>>()?;
            Ok(Evidence { profile, books, heads, tails, model: Model { bias, weights } })
        })
    }
}

/// Caps a count at 255 a side, keeping the proportion.
fn cap(count: Count) -> [u8; 2] {
    let top = count.inside.max(count.outside);
    let scale = |n: u32| {
        if top > 255 { (n * 255).div_ceil(top) as u8 } else { n as u8 }
    };
    [scale(count.inside), scale(count.outside)]
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (a, b) = rest.split_first_chunk::<N>()?;
    *rest = b;
    Some(*a)
}

fn read_side(rest: &mut &[u8]) -> Option<Side> {
    let rows = u32::from_le_bytes(take(rest)?);
    let mut side = Side::default();
    for _ in 0..rows {
        let mut key = [0; 8];
        key[..5].copy_from_slice(&take::<5>(rest)?);
        let key = u64::from_le_bytes(key);
        let [inside, outside] = take(rest)?;
        side.0.insert(key, Count { inside: inside.into(), outside: outside.into() });
    }
    Some(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Evidence {
        let mut e = Evidence { books: 9, ..Default::default() };
        for _ in 0..9 {
            e.heads.0.entry(77).or_default().add(true);
            e.tails.0.entry(5).or_default().add(false);
        }
        e.model.weights[3] = 1.5;
        e
    }

    #[test]
    fn bytes_round_trip_and_damage_is_noticed() {
        let mut bytes = sample().saved();
        let back = Evidence::from_saved(&bytes).expect("sound");
        assert_eq!(back.heads.seen(77, 2), Seen::Inside);
        assert_eq!(back.tails.seen(5, 2), Seen::Outside);
        assert!((back.model.weights[3] - 1.5).abs() < 0.02);
        bytes[20] ^= 1;
        assert!(Evidence::from_saved(&bytes).is_err());
    }

    #[test]
    fn merging_adds_counts() {
        let mut a = sample();
        a.merge(&sample());
        assert_eq!((a.books, a.heads.0[&77]), (18, Count { inside: 18, outside: 0 }));
        assert!((a.model.weights[3] - 1.5).abs() < 1e-3);
    }

    #[test]
    fn keys_mask_what_varies() {
        let mut t = Tokens::default();
        let a = line_key(b"This file should be named 3musk10.txt or 3musk10.zip", &mut t);
        let b = line_key(b"*** This file should be named frank11.txt or frank11.zip ***", &mut t);
        assert!(a.is_some() && a == b);
    }
}
