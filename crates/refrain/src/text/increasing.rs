//! The longest increasing subsequence: what two sequences have in common in the same order.

/// The indices of a longest strictly increasing subsequence, in O(k log k).
pub(crate) fn longest_increasing(values: &[u32]) -> Vec<usize> {
    // For each length, the smallest last value of a subsequence of that length, and its index.
    let (mut ends, mut tails) = (Vec::new(), Vec::new());
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (index, &value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| *end < value);
        previous.push(length.checked_sub(1).map(|before| tails[before]));
        if length == ends.len() {
            ends.push(value);
            tails.push(index);
        } else {
            (ends[length], tails[length]) = (value, index);
        }
    }
    let mut increasing = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        increasing.push(index);
        next = previous[index];
    }
    increasing.reverse();
    increasing
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: the longest of all increasing subsequences.
    fn longest_by_trying(values: &[u32]) -> usize {
        let subsequences = 0..1_u32 << values.len();
        let rises = |chosen: &u32| {
            let picked: Vec<u32> = (0..values.len()).filter(|i| chosen >> i & 1 == 1).map(|i| values[i]).collect();
            picked.windows(2).all(|pair| pair[0] < pair[1])
        };
        subsequences.filter(rises).map(|chosen| chosen.count_ones() as usize).max().unwrap_or_default()
    }

    proptest! {
        #[test]
        fn increasing_subsequences_are_longest(values in prop::collection::vec(0_u32..9, 0..11)) {
            let found = longest_increasing(&values);
            prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1] && values[pair[0]] < values[pair[1]]));
            prop_assert_eq!(found.len(), longest_by_trying(&values));
        }
    }
}
