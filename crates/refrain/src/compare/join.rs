//! Pairs of documents as a [`Join`]: the n-grams that documents share give their scores.

use std::collections::BTreeMap;

use super::fingerprint::{Fingerprint, Scores};
use super::pairs::{PairOptions, Side};
use crate::document::Position;
use crate::error::Result;
use crate::kernel::{Bytes, Fields, Join, put_position};

/// Finds the pairs that [`FingerprintCollection::pairs`](super::FingerprintCollection::pairs) finds.
#[derive(Debug, Clone, Default)]
pub struct PairJoin {
    /// Which pairs are reported.
    pub options: PairOptions,
    /// N-grams that occur in too many documents, in ascending order: see
    /// [`FoundPairs::common`](super::FoundPairs::common). They are counted over the whole collection beforehand and
    /// ignored here.
    pub common: Vec<u64>,
}

/// A document that contains an n-gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    position: Position,
    /// The number of its n-grams that count.
    size: usize,
    side: Side,
}

impl Bytes for Holder {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        put_position(&mut out, self.position);
        out.extend((self.size as u64).to_le_bytes());
        out.extend(u64::from(self.side == Side::Reference).to_le_bytes());
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Holder> {
        Fields(bytes).only(|fields| {
            Ok(Holder {
                position: fields.position()?,
                size: fields.size()?,
                side: if fields.number()? == 0 { Side::New } else { Side::Reference },
            })
        })
    }
}

impl Join for PairJoin {
    type Item = (Fingerprint, Side);
    type Key = u64;
    type Entry = Holder;
    /// Two documents that have an n-gram in common, the earlier one first.
    type Answer = (Holder, Holder);
    /// A pair that is reported, the earlier document first.
    type Verdict = (Position, Position, Scores);

    fn entries(&self, position: Position, (fingerprint, side): &(Fingerprint, Side)) -> Result<Vec<(u64, Holder)>> {
        let counts = |gram: &u64| self.common.binary_search(gram).is_err();
        let grams: Vec<u64> = fingerprint.grams().iter().copied().filter(counts).collect();
        let holder = Holder { position, size: grams.len(), side: *side };
        Ok(grams.into_iter().map(|gram| (gram, holder)).collect())
    }

    fn answer(&self, _: &u64, mut holders: Vec<Holder>) -> Result<Vec<(Holder, Holder)>> {
        holders.sort_unstable_by_key(|holder| holder.position);
        let pairs = holders
            .iter()
            .enumerate()
            .flat_map(|(number, one)| holders[number + 1..].iter().map(|other| (*one, *other)));
        Ok(pairs.filter(|(one, other)| one.side == Side::New || other.side == Side::New).collect())
    }

    fn connects(&self, (one, other): &(Holder, Holder)) -> (Position, Position) {
        (one.position, other.position)
    }

    fn verdicts(
        &self,
        _: &[(Position, &(Fingerprint, Side))],
        answers: Vec<(Holder, Holder)>,
    ) -> Result<Vec<(Position, Position, Scores)>> {
        let mut shared: BTreeMap<(Position, Position), (usize, usize, usize)> = BTreeMap::new();
        for (one, other) in answers {
            shared.entry((one.position, other.position)).or_insert((one.size, other.size, 0)).2 += 1;
        }
        let scored = shared.into_iter().map(|((a, b), (one, other, both))| (a, b, Scores::of(one, other, both)));
        Ok(scored.filter(|(_, _, scores)| self.options.wants(scores)).collect())
    }
}
