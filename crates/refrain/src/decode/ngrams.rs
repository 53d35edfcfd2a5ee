//! A table of n-grams with what each costs in each of several languages.
//!
//! The cost of a letter behind others is the negative logarithm of its probability. An n-gram that was never seen in a
//! language, or that is no better than a shorter one, is not stored: it costs what its end costs, and a step more.

/// Costs are in sixteenths of a nat.
pub(super) const STEP: f32 = 16.0;
/// What it costs to fall back to a shorter n-gram.
pub(super) const FALL_BACK: u8 = 14;
/// Letters of the longest n-grams.
pub(super) const ORDER: usize = 4;
/// Rows are that many costs wide, or a multiple of it, for the sake of vector instructions.
const LANES: usize = 16;

/// An n-gram as a number: sixteen bits a letter, the last letter lowest.
pub(super) type Key = u64;

/// An n-gram that is stored: languages and what it costs in them.
pub(super) type Gram = (Key, Vec<(u8, u8)>);

/// How many letters an n-gram has.
pub(super) fn order(key: Key) -> usize {
    (u64::BITS - key.leading_zeros()).div_ceil(16) as usize
}

/// An n-gram without its first letter.
fn shorter(key: Key) -> Key {
    match order(key) {
        0 | 1 => 0,
        order => key & (u64::MAX >> (16 * (ORDER + 1 - order))),
    }
}

/// The n-grams of the languages of one group, by hash.
#[derive(Debug, Default)]
pub(super) struct Table {
    width: usize,
    /// What an n-gram leaves of itself, and the number of its row; zero is none. Half the size of whole n-grams, and that
    /// two of one place leave the same happens once in a billion.
    slots: Vec<(u32, u32)>,
    rows: Vec<u8>,
}

impl Table {
    /// Makes the table from the n-grams that are stored: each with its languages and their costs, shorter ones first.
    pub(super) fn new(languages: usize, grams: &[Gram]) -> Table {
        let width = languages.div_ceil(LANES) * LANES;
        let slots = (grams.len() * 5 / 4).next_power_of_two().max(LANES);
        // The row of what was never seen costs most in all languages.
        let rows = vec![u8::MAX; width];
        let mut table = Table { width, slots: vec![(0, 0); slots], rows };
        table.rows.reserve(width * grams.len());
        let mut row = Vec::new();
        for (number, (key, costs)) in (1..).zip(grams) {
            row.clear();
            let (end, steps) = table.find(shorter(*key));
            let back = FALL_BACK.saturating_mul(steps as u8 + 1);
            row.extend(table.row(end).iter().map(|cost| cost.saturating_add(back)));
            for (language, cost) in costs {
                if let Some(slot) = row.get_mut(usize::from(*language)) {
                    *slot = *cost;
                }
            }
            table.rows.extend_from_slice(&row);
            let (mut slot, trace) = table.place(*key);
            while table.slots[slot].0 != 0 {
                slot = (slot + 1) & (table.slots.len() - 1);
            }
            table.slots[slot] = (trace, number);
        }
        table
    }

    /// How wide a row of costs is.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Where an n-gram is looked for, and what it leaves there.
    #[inline]
    fn place(&self, key: Key) -> (usize, u32) {
        let mixed = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> 32) as usize & (self.slots.len() - 1), (mixed ^ mixed >> 40) as u32 | 1)
    }

    fn row(&self, number: u32) -> &[u8] {
        &self.rows[number as usize * self.width..][..self.width]
    }

    /// The row of the longest end of an n-gram that is stored, and by how many letters it is shorter.
    #[inline]
    fn find(&self, mut key: Key) -> (u32, usize) {
        let mut steps = 0;
        while key != 0 {
            let (mut slot, trace) = self.place(key);
            while self.slots[slot].0 != 0 {
                if self.slots[slot].0 == trace {
                    return (self.slots[slot].1, steps);
                }
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            key = shorter(key);
            steps += 1;
        }
        (0, 0)
    }

    /// Adds what the last letter of an n-gram costs behind the others to the sums of all languages.
    #[inline]
    pub(super) fn add(&self, key: Key, sums: &mut [u32]) {
        let (number, steps) = self.find(key);
        let row = self.row(number);
        if steps == 0 {
            for (sum, cost) in sums.iter_mut().zip(row) {
                *sum += u32::from(*cost);
            }
        } else {
            let back = FALL_BACK.saturating_mul(steps as u8);
            for (sum, cost) in sums.iter_mut().zip(row) {
                *sum += u32::from(cost.saturating_add(back));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letters: &str) -> Key {
        letters.encode_utf16().fold(0, |key, letter| key << 16 | Key::from(letter))
    }

    #[test]
    fn keys_know_their_length() {
        assert_eq!(["", "a", "ab", "abc", "abcd"].map(|letters| order(key(letters))), [0, 1, 2, 3, 4]);
        assert_eq!(shorter(key("abcd")), key("bcd"));
        assert_eq!(shorter(key("a")), 0);
    }

    #[test]
    fn what_is_not_stored_costs_what_its_end_costs_and_a_step() {
        let grams = [(key("b"), vec![(0, 40), (1, 50)]), (key("ab"), vec![(0, 10)]), (key("xyab"), vec![(1, 5)])];
        let table = Table::new(2, &grams);
        let cost = |letters: &str| {
            let mut sums = vec![0; table.width()];
            table.add(key(letters), &mut sums);
            (sums[0], sums[1])
        };
        assert_eq!(cost("b"), (40, 50));
        assert_eq!(cost("ab"), (10, 50 + 14));
        assert_eq!(cost("zab"), (10 + 14, 50 + 28));
        assert_eq!(cost("xyab"), (10 + 28, 5));
        assert_eq!(cost("q"), (255, 255));
    }
}
