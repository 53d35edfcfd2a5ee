//! The longest common subsequence of two stretches of words, and where in the other text a stretch may come from.

use std::collections::HashMap;
use std::ops::Range;

use super::group::Spread;

/// The length of the longest common subsequence of `pattern` and `text`, computed on many bits at a time.
pub(super) fn common(pattern: &[u64], text: &[u64]) -> usize {
    match pattern.len() {
        0..=64 => common_of_few(pattern, text),
        65..=PIECE => common_of_many(pattern, text),
        // Split long patterns, and compare each piece with the text at the corresponding position.
        length => {
            let spare = text.len().saturating_sub(length);
            let pieces = pattern.chunks(PIECE).zip((0..).step_by(PIECE));
            let beside = |at: usize, piece: usize| &text[at.min(text.len())..(at + piece + spare).min(text.len())];
            pieces.map(|(piece, at)| common_of_many(piece, beside(at, piece.len()))).sum()
        }
    }
}

/// Words compared at a time; the cost grows with the square.
const PIECE: usize = 4096;

/// Places of a small table.
const SLOTS: usize = 256;

/// The same for patterns short enough that their bits fit in one number.
fn common_of_few(pattern: &[u64], text: &[u64]) -> usize {
    // Words, and their positions in the pattern; at most one slot in four is used.
    let mut table = [(0_u64, 0_u64); SLOTS];
    let slot = |table: &[(u64, u64); SLOTS], word: u64| {
        let mut at = word as usize % SLOTS;
        while table[at].1 != 0 && table[at].0 != word {
            at = (at + 1) % SLOTS;
        }
        at
    };
    for (at, word) in pattern.iter().enumerate() {
        let slot = slot(&table, *word);
        table[slot] = (*word, table[slot].1 | 1 << at);
    }
    // A zero bit marks a word that was found.
    let mut open = u64::MAX;
    for word in text {
        let mask = table[slot(&table, *word)].1;
        let found = open & mask;
        open = open.wrapping_add(found) | (open & !mask);
    }
    let behind = if pattern.len() == 64 { 0 } else { u64::MAX << pattern.len() };
    (open | behind).count_zeros() as usize
}

fn common_of_many(pattern: &[u64], text: &[u64]) -> usize {
    let blocks = pattern.len().div_ceil(64);
    let mut rows: HashMap<u64, usize, Spread> = HashMap::with_capacity_and_hasher(pattern.len(), Spread);
    let mut masks: Vec<u64> = Vec::with_capacity(pattern.len() * blocks);
    for (at, word) in pattern.iter().enumerate() {
        let row = *rows.entry(*word).or_insert_with(|| {
            masks.resize(masks.len() + blocks, 0);
            masks.len() / blocks - 1
        });
        masks[row * blocks + at / 64] |= 1 << (at % 64);
    }
    // A zero bit marks a word that was found.
    let mut open = vec![u64::MAX; blocks];
    for word in text {
        let Some(row) = rows.get(word) else { continue };
        let mask = &masks[row * blocks..][..blocks];
        let mut carry = false;
        for (open, mask) in open.iter_mut().zip(mask) {
            let found = *open & mask;
            let (sum, over) = open.overflowing_add(found);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            carry = over || over_again;
            *open = sum | (*open & !mask);
        }
    }
    // Ignore the bits after the last word.
    if let Some(last) = open.last_mut().filter(|_| !pattern.len().is_multiple_of(64)) {
        *last |= u64::MAX << (pattern.len() % 64);
    }
    open.iter().map(|open| open.count_zeros() as usize).sum()
}

/// A longest common subsequence of two short texts: the positions of its words.
pub(super) fn common_words(own: &[u64], other: &[u64]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    // The length of the common subsequence from each pair of words onwards.
    let mut table = vec![0_u16; (own.len() + 1) * width];
    for i in (0..own.len()).rev() {
        for j in (0..other.len()).rev() {
            table[i * width + j] = if own[i] == other[j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < own.len() && j < other.len() {
        if own[i] == other[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Words of a stretch, and the words of another one in their place.
pub(super) type Gap = (Range<usize>, Range<usize>);

/// The gaps in a longest common subsequence of two stretches: the words of each between two common ones. Before the first
/// and after the last one, only words of `own` count.
pub(super) fn differences(own: &[u64], other: &[u64]) -> Vec<Gap> {
    let (mut here, mut there) = (0, None);
    let mut gaps = Vec::new();
    for (at, place) in common_words(own, other) {
        gaps.push((here..at, there.unwrap_or(place)..place));
        (here, there) = (at + 1, Some(place + 1));
    }
    gaps.push((here..own.len(), 0..0));
    gaps.retain(|(here, there)| !here.is_empty() || !there.is_empty());
    gaps
}

/// Where a stretch may come from: the range of offsets to its position in the other text, and the number of anchors
/// that agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagonal {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) hits: usize,
}

/// The likeliest diagonals, from the distances between the anchors of a stretch and their first positions. Sorts the
/// distances.
pub(super) fn diagonals(distances: &mut [i64], width: i64, most: usize) -> Vec<Diagonal> {
    distances.sort_unstable();
    let mut windows: Vec<Diagonal> = Vec::new();
    let mut first = 0;
    for last in 0..distances.len() {
        while distances[last] - distances[first] > width {
            first += 1;
        }
        windows.push(Diagonal { from: distances[first], to: distances[last], hits: last - first + 1 });
    }
    windows.sort_by_key(|window| (std::cmp::Reverse(window.hits), window.from));
    let mut best: Vec<Diagonal> = Vec::new();
    for window in windows {
        if best.iter().all(|other| window.to < other.from || other.to < window.from) {
            best.push(window);
            if best.len() == most {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook table.
    fn plain(a: &[u64], b: &[u64]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                table[i + 1][j + 1] = if x == y { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn bits_count_what_the_table_counts(
            a in proptest::collection::vec(0_u64..6, 0..200),
            b in proptest::collection::vec(0_u64..6, 0..200),
        ) {
            prop_assert_eq!(common(&a, &b), plain(&a, &b));
            prop_assert_eq!(common_of_many(&a, &b), plain(&a, &b));
        }
    }

    #[test]
    fn long_stretches_are_compared_in_pieces() {
        let pattern: Vec<u64> = (0..300_000).collect();
        let mut text: Vec<u64> = pattern.iter().map(|word| if word % 5 == 0 { u64::MAX } else { *word }).collect();
        text.splice(0..0, [7; 20]);
        text.extend([7; 20]);
        assert_eq!(common(&pattern, &text), 240_000);
        assert_eq!(common(&pattern, &[]), 0);
    }

    #[test]
    fn differences_are_what_is_not_common() {
        assert_eq!(differences(&[1, 2, 3, 9, 5], &[7, 1, 2, 3, 4, 5, 8]), [(3..4, 4..5)]);
        assert_eq!(differences(&[1, 2], &[1, 2, 3]), []);
        assert_eq!(differences(&[4, 1, 2, 6], &[5, 1, 3, 2]), [(0..1, 1..1), (2..2, 2..3), (3..4, 0..0)]);
        assert_eq!(differences(&[6], &[7]), [(0..1, 0..0)]);
        assert_eq!(differences(&[], &[7]), []);
    }

    #[test]
    fn the_densest_diagonal_comes_first() {
        let mut distances = [100, 500, 101, 99, 502, 900];
        let found = diagonals(&mut distances, 4, 2);
        assert_eq!(found, [Diagonal { from: 99, to: 101, hits: 3 }, Diagonal { from: 500, to: 502, hits: 2 }]);
    }
}
