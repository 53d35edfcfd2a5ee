//! All pairs of sets that have enough in common, without comparing all pairs.
//!
//! A minimum score sets the minimum number of words that two books have in common ([`Score::least`]). If a set of n
//! words needs t words in common with another, then any n - t + 1 of its words include one of them. So it is enough to
//! look up the n - t + 1 rarest ones. Frequent words, which occur in every two books, are never looked up. No pair is
//! missed, and the pairs found are then counted.
//!
//! [`Score::least`]: super::Score::least

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::run::Workers;

/// Two sets and how much they have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Overlap {
    /// The number of the first set.
    pub a: u32,
    /// The number of the second set, which is higher.
    pub b: u32,
    /// Keys in both.
    pub common: u32,
}

/// All pairs of sets with enough keys in common for their sizes. `least` returns that number; it must not be zero, must
/// not depend on the order of the two sizes, and must grow with each of them. No set has a key twice.
pub(super) fn overlaps(sets: &[Vec<u64>], least: &(dyn Fn(u32, u32) -> u32 + Sync), workers: &Workers) -> Vec<Overlap> {
    let ranked = &ranked(sets);
    let size = &|n: u32| ranked[n as usize].len() as u32;
    // Smaller sets are indexed before larger ones are looked up.
    let mut order: Vec<u32> = (0..sets.len() as u32).collect();
    order.sort_by_key(|n| (size(*n), *n));
    let place: Vec<u32> = {
        let mut place = vec![0; sets.len()];
        order.iter().zip(0..).for_each(|(n, at)| place[*n as usize] = at);
        place
    };
    let mut index: HashMap<u32, Vec<u32>, RandomState> = HashMap::default();
    for &n in &order {
        for key in prefix(&ranked[n as usize], least(size(n), size(n))) {
            index.entry(*key).or_default().push(n);
        }
    }
    let sizes: Vec<u32> = order.iter().map(|n| size(*n)).collect();
    let look_up = |n: u32| {
        let own = &ranked[n as usize];
        let reach = own.len() as u32;
        // Smaller sets could not have enough in common even if this set contained all of their keys.
        let smallest = smallest(reach, &sizes, least);
        let wanted = least(smallest.min(reach), reach);
        let mut near: Vec<u32> = Vec::new();
        for key in prefix(own, wanted) {
            let list = index.get(key).map_or(&[][..], Vec::as_slice);
            let from = list.partition_point(|other| size(*other) < smallest);
            near.extend(list[from..].iter().take_while(|other| place[**other as usize] < place[n as usize]));
        }
        near.sort_unstable();
        near.dedup();
        near.into_iter().filter_map(move |other| {
            let common = common(own, &ranked[other as usize]);
            let enough = common >= least(size(other), reach);
            enough.then_some(Overlap { a: n.min(other), b: n.max(other), common })
        })
    };
    let all = (0..sets.len() as u32).into_par_iter();
    let mut found: Vec<Overlap> = workers.install(|| all.flat_map_iter(look_up).collect());
    found.sort_unstable();
    found
}

/// The sets with their keys as ranks, sorted: the rarer a key, the smaller its rank.
fn ranked(sets: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let mut books: HashMap<u64, u32, RandomState> = HashMap::default();
    sets.iter().flatten().for_each(|key| *books.entry(*key).or_default() += 1);
    let mut keys: Vec<(u32, u64)> = books.iter().map(|(key, books)| (*books, *key)).collect();
    keys.sort_unstable();
    let rank: HashMap<u64, u32, RandomState> = keys.iter().map(|(_, key)| *key).zip(0..).collect();
    sets.iter()
        .map(|set| {
            let mut ranks: Vec<u32> = set.iter().filter_map(|key| rank.get(key).copied()).collect();
            ranks.sort_unstable();
            ranks
        })
        .collect()
}

/// The rarest keys of a set, one of which occurs in any set with `wanted` keys in common.
fn prefix(set: &[u32], wanted: u32) -> &[u32] {
    let length = (set.len() + 1).saturating_sub(wanted as usize).min(set.len());
    &set[..length]
}

/// The size of the smallest set that could have enough in common with one of this size.
fn smallest(size: u32, sizes: &[u32], least: &(dyn Fn(u32, u32) -> u32 + Sync)) -> u32 {
    let at = sizes.partition_point(|other| *other < size && least(*other, size) > *other);
    sizes.get(at).copied().unwrap_or(size)
}

/// How many keys two sets have in common.
fn common(a: &[u32], b: &[u32]) -> u32 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (one, other) = (a[i], b[j]);
        count += u32::from(one == other);
        i += usize::from(one <= other);
        j += usize::from(other <= one);
    }
    count
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::super::Score;
    use super::*;

    /// All pairs, one after the other.
    fn plain(sets: &[Vec<u64>], least: &dyn Fn(u32, u32) -> u32) -> Vec<Overlap> {
        let mut found = Vec::new();
        for (a, one) in sets.iter().enumerate() {
            for (b, other) in sets.iter().enumerate().skip(a + 1) {
                let there: HashSet<u64> = one.iter().copied().collect();
                let common = other.iter().filter(|key| there.contains(key)).count() as u32;
                if common >= least(one.len() as u32, other.len() as u32) {
                    found.push(Overlap { a: a as u32, b: b as u32, common });
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn nothing_is_lost(
            sets in prop::collection::vec(prop::collection::hash_set(0_u64..60, 0..40), 0..14),
            percent in 5_u32..95,
        ) {
            let workers = crate::run::two_workers();
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            // A share of the smaller set and a little of the larger one.
            let share = |a: u32, b: u32| 1 + (a.min(b) * percent / 100) + a.max(b) * percent / 1000;
            prop_assert_eq!(overlaps(&sets, &share, &workers), plain(&sets, &share));
            let threshold = f64::from(percent) / 100.0;
            for score in [Score::Cs(threshold), Score::Its(threshold)] {
                let least = move |a: u32, b: u32| score.least(a, b);
                prop_assert_eq!(overlaps(&sets, &least, &workers), plain(&sets, &least));
            }
        }
    }
}
