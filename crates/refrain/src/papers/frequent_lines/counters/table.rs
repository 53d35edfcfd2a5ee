//! Two hash tables with linear probing: counts of lines, and counts of 64-bit keys.

use rayon::slice::ParallelSliceMut;

/// Lines are kept in pieces of memory of this size; a longer line has a piece of its own.
const PIECE: usize = 1 << 16;

/// A table never has fewer slots.
const FEWEST_SLOTS: usize = 64;

/// The part of a slot that repeats bits of the key, so that most other lines are ruled out without a comparison.
const TAG: u64 = 0xFFFF_FFFF << 32;

/// As many distinct lines as a [`LineTable`] can hold.
pub(super) const MOST_LINES: usize = u32::MAX as usize - 1;

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    piece: u32,
    offset: u32,
    length: u32,
    count: u32,
}

/// Distinct lines with their keys and counts. Counts stop at `u32::MAX`.
#[derive(Debug)]
pub(super) struct LineTable {
    /// 0, or 32 bits of the key above the number of the entry plus one. Their number is a power of two.
    slots: Vec<u64>,
    entries: Vec<Entry>,
    pieces: Vec<Vec<u8>>,
    bytes: usize,
}

impl Default for LineTable {
    fn default() -> Self {
        LineTable::with_room(0)
    }
}

impl LineTable {
    /// A table that need not grow for so many distinct lines.
    pub(super) fn with_room(lines: usize) -> Self {
        let slots = vec![0; slots_for(lines)];
        LineTable { slots, entries: Vec::with_capacity(lines), pieces: Vec::new(), bytes: 0 }
    }

    /// Number of distinct lines.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of the distinct lines.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds to the count of a line.
    pub(super) fn add(&mut self, key: u64, line: &[u8], count: u32) {
        let line = cut(line);
        match self.find(key, line) {
            Ok(index) => {
                let entry = &mut self.entries[index];
                entry.count = entry.count.saturating_add(count);
            }
            Err(slot) => self.insert(slot, key, line, count),
        }
    }

    /// The count of a line; 0 for an unknown one.
    pub(super) fn count(&self, key: u64, line: &[u8]) -> u32 {
        self.find(key, cut(line)).map_or(0, |index| self.entries[index].count)
    }

    /// Key, line and count of each distinct line, in the order of their first occurrences.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8], u32)> {
        self.entries.iter().map(|entry| (entry.key, self.line(entry), entry.count))
    }

    /// Line and count of each distinct line, in the order of their bytes.
    pub(super) fn sorted(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(self.entries.len());
        order.extend(self.entries.iter().zip(0..).map(|(entry, index)| (prefix(self.line(entry)), index)));
        let line = |index: u32| self.line(&self.entries[index as usize]);
        order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| line(a.1).cmp(line(b.1))));
        order.into_iter().map(|(_, index)| &self.entries[index as usize]).map(|entry| (self.line(entry), entry.count))
    }

    /// Forgets all lines; the slots and the room for entries stay.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
        self.entries.clear();
        self.pieces.clear();
        self.bytes = 0;
    }

    fn line(&self, entry: &Entry) -> &[u8] {
        &self.pieces[entry.piece as usize][entry.offset as usize..][..entry.length as usize]
    }

    /// The entry of a line, or the slot where it belongs.
    fn find(&self, key: u64, line: &[u8]) -> Result<usize, usize> {
        let mut at = home(key, self.slots.len());
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            let index = (slot as u32).wrapping_sub(1) as usize;
            if slot & TAG == key << 32 && self.line(&self.entries[index]) == line {
                return Ok(index);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn insert(&mut self, slot: usize, key: u64, line: &[u8], count: u32) {
        let (piece, offset) = self.store(line);
        self.entries.push(Entry { key, piece, offset, length: line.len() as u32, count });
        self.slots[slot] = (key << 32) | self.entries.len() as u64;
        if slots_for(self.entries.len()) > self.slots.len() {
            self.grow();
        }
    }

    /// Stores the bytes of a line. Returns the piece of memory and the position in it.
    fn store(&mut self, line: &[u8]) -> (u32, u32) {
        self.bytes += line.len();
        if self.pieces.last().is_none_or(|piece| piece.capacity() - piece.len() < line.len()) {
            self.pieces.push(Vec::with_capacity(line.len().max(PIECE)));
        }
        let number = self.pieces.len() - 1;
        let offset = self.pieces[number].len();
        self.pieces[number].extend_from_slice(line);
        (number as u32, offset as u32)
    }

    fn grow(&mut self) {
        let number = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(number, 0);
        for (entry, above) in self.entries.iter().zip(1u64..) {
            let mut at = home(entry.key, number);
            while self.slots[at] != 0 {
                at = (at + 1) & (number - 1);
            }
            self.slots[at] = (entry.key << 32) | above;
        }
    }
}

/// Lengths are stored in 32 bits: the key distinguishes longer lines.
fn cut(line: &[u8]) -> &[u8] {
    &line[..line.len().min(u32::MAX as usize)]
}

/// Slots for so many entries: at least a quarter of them stay free.
fn slots_for(entries: usize) -> usize {
    (entries + entries / 3 + 1).next_power_of_two().max(FEWEST_SLOTS)
}

/// The slot of a key by its highest bits.
fn home(key: u64, slots: usize) -> usize {
    (key >> (64 - slots.trailing_zeros())) as usize
}

/// The first eight bytes as a number that orders as they do.
fn prefix(line: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = line.len().min(8);
    bytes[..length].copy_from_slice(&line[..length]);
    u64::from_be_bytes(bytes)
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// 0 for a free slot.
    count: u32,
}

/// Distinct 64-bit keys with their counts. Counts stop at `u32::MAX`.
#[derive(Debug)]
pub(super) struct KeyTable {
    slots: Vec<Slot>,
    entries: usize,
}

impl Default for KeyTable {
    fn default() -> Self {
        KeyTable::with_room(0)
    }
}

impl KeyTable {
    /// A table that need not grow for so many keys.
    pub(super) fn with_room(keys: usize) -> Self {
        KeyTable { slots: vec![Slot::default(); slots_for(keys)], entries: 0 }
    }

    /// Number of distinct keys.
    pub(super) fn len(&self) -> usize {
        self.entries
    }

    /// Adds to the count of a key; a count of 0 adds nothing.
    pub(super) fn add(&mut self, key: u64, count: u32) {
        let at = self.find(key);
        let slot = &mut self.slots[at];
        let is_new = slot.count == 0 && count > 0;
        *slot = Slot { key, count: slot.count.saturating_add(count) };
        if is_new {
            self.entries += 1;
            if slots_for(self.entries) > self.slots.len() {
                self.grow();
            }
        }
    }

    /// The count of a key; 0 for an unknown one.
    pub(super) fn count(&self, key: u64) -> u32 {
        self.slots[self.find(key)].count
    }

    /// Keys and counts, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.slots.iter().filter(|slot| slot.count > 0).map(|slot| (slot.key, slot.count))
    }

    /// The slot of a key, or the free one where it belongs.
    fn find(&self, key: u64) -> usize {
        // A CRC is linear in its input: the product spreads keys that differ in few bits.
        let mut at = home(key.wrapping_mul(0x9E37_79B9_7F4A_7C15), self.slots.len());
        while self.slots[at].count > 0 && self.slots[at].key != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        at
    }

    fn grow(&mut self) {
        let slots = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, slots);
        for slot in old.into_iter().filter(|slot| slot.count > 0) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_equal_keys_are_distinguished() {
        let mut table = LineTable::default();
        table.add(7, b"one", 1);
        table.add(7, b"two", 2);
        table.add(7, b"one", 3);
        assert_eq!((table.count(7, b"one"), table.count(7, b"two"), table.count(7, b"three")), (4, 2, 0));
    }

    #[test]
    fn a_line_longer_than_a_piece_is_kept_whole() {
        let mut table = LineTable::default();
        let long = vec![b'x'; PIECE * 2 + 1];
        table.add(1, b"short", 1);
        table.add(2, &long, 1);
        table.add(3, b"", 1);
        assert_eq!(table.sorted().map(|(line, _)| line.len()).collect::<Vec<_>>(), [0, 5, long.len()]);
    }

    #[test]
    fn order_is_that_of_bytes() {
        let mut table = LineTable::default();
        for line in [&b"ab"[..], b"ab\0", b"abcdefgh1", b"abcdefgh", b"\xFF", b""] {
            table.add(0, line, 1);
        }
        let sorted: Vec<&[u8]> = table.sorted().map(|(line, _)| line).collect();
        assert_eq!(sorted, [&b""[..], b"ab", b"ab\0", b"abcdefgh", b"abcdefgh1", b"\xFF"]);
    }

    #[test]
    fn counts_stop_at_the_largest() {
        let mut table = KeyTable::default();
        table.add(0, u32::MAX);
        table.add(0, 5);
        assert_eq!((table.count(0), table.len()), (u32::MAX, 1));
    }

    #[test]
    fn tables_grow() {
        let (mut keys, mut lines) = (KeyTable::default(), LineTable::default());
        for i in 0..10_000u64 {
            keys.add(i % 3_000, 1);
            lines.add(i % 3_000 % 7, &(i % 3_000).to_le_bytes(), 1);
        }
        assert_eq!((keys.len(), lines.len()), (3_000, 3_000));
        assert_eq!((keys.count(0), keys.count(2_999), lines.count(0, &0u64.to_le_bytes())), (4, 3, 4));
    }
}
