//! How often words occur in one book: a table that stays in the cache.

/// Counts of keys. A key is never all ones.
pub(super) struct Counts {
    keys: Vec<u64>,
    times: Vec<u32>,
    used: usize,
}

/// No key: keys have 40 bits.
const FREE: u64 = u64::MAX;
/// 2^64 divided by the golden ratio: odd, and without a pattern.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Counts {
    /// A table for a text of this many bytes, which has fewer than one distinct word per 64 bytes unless it is short.
    pub(super) fn for_text(bytes: usize) -> Counts {
        let slots = (bytes / 32).clamp(64, 1 << 18).next_power_of_two();
        Counts { keys: vec![FREE; slots], times: vec![0; slots], used: 0 }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let last = self.keys.len() - 1;
        // Keys are hashes, but pairs were chosen by some of their bits, which must not determine the slot alone.
        let mut at = (key.wrapping_mul(SPREAD) >> (u64::BITS - self.keys.len().trailing_zeros())) as usize;
        while self.keys[at] != key && self.keys[at] != FREE {
            at = (at + 1) & last;
        }
        at
    }

    /// Counts a key.
    #[inline]
    pub(super) fn add(&mut self, key: u64) {
        let at = self.slot(key);
        if self.keys[at] == FREE {
            self.keys[at] = key;
            self.used += 1;
            if 2 * self.used > self.keys.len() {
                self.times[at] = 1;
                self.grow();
                return;
            }
        }
        self.times[at] = self.times[at].saturating_add(1);
    }

    /// How often a key was counted.
    #[inline]
    pub(super) fn get(&self, key: u64) -> u32 {
        self.times[self.slot(key)]
    }

    #[cold]
    fn grow(&mut self) {
        let slots = 4 * self.keys.len();
        let keys = std::mem::replace(&mut self.keys, vec![FREE; slots]);
        let times = std::mem::replace(&mut self.times, vec![0; slots]);
        for (key, times) in keys.into_iter().zip(times).filter(|(key, _)| *key != FREE) {
            let at = self.slot(key);
            self.keys[at] = key;
            self.times[at] = times;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// Keys with some equal bits must not collide: with a million of them in one slot, this would not end.
    #[test]
    fn keys_that_were_chosen_by_some_bits_are_spread() {
        let mut counts = Counts::for_text(0);
        for key in (0..600_000_u64).map(|n| crate::text::mix(n) & super::super::hash::KEY_MASK & !(3 << 20)) {
            counts.add(key);
        }
        let longest = counts.keys.chunk_by(|one, other| (*one == FREE) == (*other == FREE));
        let longest = longest.filter(|run| run[0] != FREE).map(<[u64]>::len).max();
        assert!(longest < Some(200), "{longest:?} keys in a row");
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_map(keys in prop::collection::vec(0_u64..300, 0..900)) {
            let mut counts = Counts::for_text(0);
            let mut plain: HashMap<u64, u32> = HashMap::new();
            for key in &keys {
                counts.add(*key);
                *plain.entry(*key).or_default() += 1;
            }
            for key in 0..300 {
                prop_assert_eq!(counts.get(key), plain.get(&key).copied().unwrap_or(0));
            }
        }
    }
}
