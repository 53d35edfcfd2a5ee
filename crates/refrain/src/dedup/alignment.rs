//! The longest common subsequence of two stretches of words, and where in the other text a stretch may have come from.

use std::collections::HashMap;

use super::group::Spread;

/// How many words of `pattern` stand in `text` in the same order, at most: bits of many words are worked on at a time.
pub(super) fn common(pattern: &[u64], text: &[u64]) -> usize {
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
    // A bit that is zero is a word that was found.
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
    // Behind the last word there is nothing to be found.
    if let Some(last) = open.last_mut().filter(|_| !pattern.len().is_multiple_of(64)) {
        *last |= u64::MAX << (pattern.len() % 64);
    }
    open.iter().map(|open| open.count_zeros() as usize).sum()
}

/// Where a stretch may have come from: by how much its places are further on in the other text, from and to, and how many
/// anchors say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagonal {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) hits: usize,
}

/// The likeliest diagonals, from the distances between the anchors of a stretch and their first places; sorts the
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

    /// The table of the textbook.
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
        }
    }

    #[test]
    fn the_densest_diagonal_comes_first() {
        let mut distances = [100, 500, 101, 99, 502, 900];
        let found = diagonals(&mut distances, 4, 2);
        assert_eq!(found, [Diagonal { from: 99, to: 101, hits: 3 }, Diagonal { from: 500, to: 502, hits: 2 }]);
    }
}
