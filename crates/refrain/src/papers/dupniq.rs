//! DUPNIQ: scores of two books by the unique words that both have in the same order.
//!
//! Ismet Zeki Yalniz, Ethem F. Can and R. Manmatha, *Partial Duplicate Detection for Large Book Collections* (CIKM 2011). A
//! book is the sequence of the words that occur in it exactly once. The scores compare the longest common subsequence of two
//! such sequences with their lengths: [CS](Published::cs), the correlation score, and [ITS](Published::its), the information
//! theoretic score.

use foldhash::fast::RandomState;
use std::collections::HashMap;

use crate::editions::Book;
use crate::text::longest_increasing;

/// The published scores of two books.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Published {
    /// Unique words of the one book, |X|.
    pub x: u32,
    /// Unique words of the other, |Y|.
    pub y: u32,
    /// Unique words of both, |X ∩ Y|.
    pub common: u32,
    /// The longest common subsequence, |LCS(X, Y)|.
    pub lcs: u32,
}

impl Published {
    /// Compares two books by their unique words.
    pub fn of(a: &Book, b: &Book) -> Published {
        let x: Vec<u64> = a.unique_words().map(crate::editions::Anchor::key).collect();
        let y: Vec<u64> = b.unique_words().map(crate::editions::Anchor::key).collect();
        Published::of_sequences(&x, &y)
    }

    /// The same of two sequences, neither of which has a key twice.
    pub fn of_sequences(x: &[u64], y: &[u64]) -> Published {
        let places: HashMap<u64, u32, RandomState> = y.iter().copied().zip(0..).collect();
        // Only common words matter. No word occurs twice, so a common subsequence is an increasing sequence of positions.
        let common: Vec<u32> = x.iter().filter_map(|key| places.get(key).copied()).collect();
        Published {
            x: x.len() as u32,
            y: y.len() as u32,
            common: common.len() as u32,
            lcs: longest_increasing(&common).len() as u32,
        }
    }

    /// The correlation score, LCS / √(|X| |Y|).
    pub fn cs(self) -> f64 {
        ratio(f64::from(self.lcs), (f64::from(self.x) * f64::from(self.y)).sqrt())
    }

    /// The information theoretic score, log LCS / log(|X| + |Y| - LCS).
    pub fn its(self) -> f64 {
        its(self.lcs, self.x, self.y)
    }

    /// The overlap of unique words (UWO): the Jaccard coefficient of the two sets.
    pub fn uwo(self) -> f64 {
        ratio(f64::from(self.common), f64::from(self.x) + f64::from(self.y) - f64::from(self.common))
    }
}

pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn its(lcs: u32, x: u32, y: u32) -> f64 {
    if lcs == 0 {
        return 0.0;
    }
    let all = f64::from(x) + f64::from(y) - f64::from(lcs);
    // The logarithm of 1 is 0: both books consist of the same single word.
    if all <= 1.0 { 1.0 } else { f64::from(lcs).ln() / all.ln() }
}

/// The published scores, with a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Score {
    /// The correlation score.
    Cs(f64),
    /// The information theoretic score.
    Its(f64),
}

impl Score {
    /// With the published thresholds.
    pub const PUBLISHED: [Score; 2] = [Score::Cs(0.12), Score::Its(0.72)];
    /// With thresholds that suit texts without scanning errors from which the licence was removed.
    pub const CALIBRATED: [Score; 2] = [Score::Cs(0.07), Score::Its(0.54)];

    /// The score of a pair.
    pub fn of(self, pair: Published) -> f64 {
        match self {
            Score::Cs(_) => pair.cs(),
            Score::Its(_) => pair.its(),
        }
    }

    /// The threshold.
    pub fn threshold(self) -> f64 {
        match self {
            Score::Cs(threshold) | Score::Its(threshold) => threshold,
        }
    }

    /// True for a pair that reaches the threshold.
    pub fn accepts(self, pair: Published) -> bool {
        pair.lcs > 0 && self.of(pair) >= self.threshold()
    }

    /// The lower bound on the length of the LCS of sequences of these lengths: a pair with fewer common words
    /// cannot reach the threshold.
    pub fn least(self, x: u32, y: u32) -> u32 {
        let accepts = |lcs: u32| self.accepts(Published { x, y, common: lcs, lcs });
        // Both scores grow with the LCS.
        let (mut low, mut high) = (1, x.min(y).saturating_add(1));
        while low < high {
            let middle = low + (high - low) / 2;
            if accepts(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The standard dynamic programme, O(mn).
    fn plain_lcs(x: &[u64], y: &[u64]) -> u32 {
        let mut table = vec![vec![0; y.len() + 1]; x.len() + 1];
        for (i, a) in x.iter().enumerate() {
            for (j, b) in y.iter().enumerate() {
                table[i + 1][j + 1] = if a == b { table[i][j] + 1 } else { u32::max(table[i][j + 1], table[i + 1][j]) };
            }
        }
        table[x.len()][y.len()]
    }

    #[test]
    fn scores_of_the_table_in_the_paper() {
        let rows = [
            (1482, 1563, 1406, 1404, 0.922, 0.979),
            (1792, 4512, 955, 739, 0.260, 0.765),
            (7526, 12695, 689, 53, 0.005, 0.400),
        ];
        for (x, y, common, lcs, cs, its) in rows {
            let pair = Published { x, y, common, lcs };
            assert!((pair.cs() - cs).abs() < 0.001, "{}", pair.cs());
            assert!((pair.its() - its).abs() < 0.002, "{}", pair.its());
        }
    }

    #[test]
    fn nothing_in_common_is_no_score() {
        let none = Published { x: 3, y: 4, common: 0, lcs: 0 };
        assert!(none.cs() + none.its() + none.uwo() + Published::default().cs() < f64::EPSILON);
        assert!(Published { x: 1, y: 1, common: 1, lcs: 1 }.its() > 0.999);
    }

    proptest! {
        #[test]
        fn the_fast_lcs_is_the_plain_one(
            x in prop::collection::hash_set(0_u64..40, 0..30),
            y in prop::collection::vec(0_u64..40, 0..40),
        ) {
            let x: Vec<u64> = x.into_iter().collect();
            let mut seen = std::collections::HashSet::new();
            let y: Vec<u64> = y.into_iter().filter(|key| seen.insert(*key)).collect();
            prop_assert_eq!(Published::of_sequences(&x, &y).lcs, plain_lcs(&x, &y));
        }

        #[test]
        fn the_bound_is_the_least_lcs_that_passes(x in 1_u32..400, y in 1_u32..400) {
            for score in Score::PUBLISHED.into_iter().chain(Score::CALIBRATED) {
                let least = score.least(x, y);
                for lcs in 0..=x.min(y) {
                    let passes = score.accepts(Published { x, y, common: lcs, lcs });
                    prop_assert_eq!(passes, lcs >= least);
                }
            }
        }
    }
}
