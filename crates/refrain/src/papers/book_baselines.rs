//! Published methods to compare with: DUPNIQ with both of its scores, and the baselines of its paper.
//!
//! Yalniz, Can and Manmatha, *Partial Duplicate Detection for Large Book Collections* (CIKM 2011). Each method turns a book into
//! a set, and scores pairs of sets.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use self::overlap::overlaps;
use super::dupniq::{Published, Score, ratio};
use crate::document::Span;
use crate::editions::terms::terms;
use crate::editions::{hash, unique_words};
use crate::run::Workers;

mod overlap;

/// A published method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaselineMethod {
    /// DUPNIQ with the correlation score.
    Cs,
    /// DUPNIQ with the information theoretic score.
    Its,
    /// The overlap of unique words.
    Uwo,
    /// The overlap of vocabularies.
    Vo,
    /// Shingles of four words, one in fifty of them by its hash.
    Shingle,
    /// I-Match: one hash of all words that are neither rare nor frequent in the collection.
    IMatch,
}

/// Words of a shingle.
const SHINGLE: usize = 4;
/// One in this many shingles is kept: those whose hash is 0 modulo p.
const P: u64 = 50;
/// I-Match keeps words whose normalised inverse document frequency is in this range.
const NIDF: (f64, f64) = (0.2, 0.8);

impl BaselineMethod {
    /// All of them, with the names that options use.
    pub const ALL: [(&'static str, BaselineMethod); 6] = [
        ("cs", BaselineMethod::Cs),
        ("its", BaselineMethod::Its),
        ("uwo", BaselineMethod::Uwo),
        ("vo", BaselineMethod::Vo),
        ("shingle", BaselineMethod::Shingle),
        ("imatch", BaselineMethod::IMatch),
    ];

    /// The published threshold, or for methods without one a threshold that suits books.
    pub fn threshold(self) -> f64 {
        match self {
            BaselineMethod::Cs => 0.12,
            BaselineMethod::Its => 0.72,
            BaselineMethod::Uwo => 0.15,
            BaselineMethod::Vo => 0.55,
            BaselineMethod::Shingle => 0.1,
            BaselineMethod::IMatch => 1.0,
        }
    }

    /// A threshold that suits clean texts without licences: those of DUPNIQ are lower, those of other methods unchanged.
    pub fn calibrated(self) -> f64 {
        let [cs, its] = Score::CALIBRATED;
        match self {
            BaselineMethod::Cs => cs.threshold(),
            BaselineMethod::Its => its.threshold(),
            other => other.threshold(),
        }
    }

    /// The set of a text, without some ranges: distinct keys. Unique words are in the order of the text.
    pub fn read(self, text: &str, left_out: &[Span]) -> Vec<u64> {
        let kept = without(text, left_out);
        match self {
            BaselineMethod::Cs | BaselineMethod::Its | BaselineMethod::Uwo => {
                unique_words(&kept).into_iter().map(|(key, _)| key).collect()
            }
            BaselineMethod::Vo | BaselineMethod::IMatch => distinct(words(&kept)),
            BaselineMethod::Shingle => {
                let words = words(&kept);
                let of = |four: &[u64]| four.iter().fold(0, |key, word| hash::pair(key, *word));
                distinct(words.windows(SHINGLE).map(of).filter(|key| key.is_multiple_of(P)).collect())
            }
        }
    }

    /// The pairs of sets that reach a threshold, with their scores.
    pub fn pairs(self, sets: &[Vec<u64>], threshold: f64, workers: &Workers) -> Vec<(u32, u32, f64)> {
        match self {
            BaselineMethod::Cs | BaselineMethod::Its => {
                let score = if self == BaselineMethod::Cs { Score::Cs(threshold) } else { Score::Its(threshold) };
                let near = overlaps(sets, &|a, b| score.least(a, b), workers);
                let compared = near.into_iter().map(|near| {
                    let pair = Published::of_sequences(&sets[near.a as usize], &sets[near.b as usize]);
                    (near.a, near.b, pair)
                });
                compared.filter(|(.., pair)| score.accepts(*pair)).map(|(a, b, pair)| (a, b, score.of(pair))).collect()
            }
            BaselineMethod::Uwo | BaselineMethod::Vo | BaselineMethod::Shingle => {
                let needed = |a: u32, b: u32| least_for_jaccard(threshold, a, b);
                let jaccard =
                    |a: usize, b: usize, common: u32| ratio(f64::from(common), (a + b) as f64 - f64::from(common));
                let near = overlaps(sets, &needed, workers).into_iter();
                near.map(|near| {
                    let (a, b) = (sets[near.a as usize].len(), sets[near.b as usize].len());
                    (near.a, near.b, jaccard(a, b, near.common))
                })
                .filter(|(.., score)| *score >= threshold)
                .collect()
            }
            BaselineMethod::IMatch => same_digest(sets),
        }
    }
}

/// How many keys sets of these sizes need in common to reach a Jaccard coefficient; one at least.
#[allow(clippy::cast_sign_loss)] // the number is 1 or more where it is cast
fn least_for_jaccard(threshold: f64, a: u32, b: u32) -> u32 {
    // A little less than exact, so that rounding loses no pair; scores are compared with the threshold later.
    let least = threshold / (1.0 + threshold) * (f64::from(a) + f64::from(b)) - 1e-6;
    least.ceil().max(1.0) as u32
}

/// Pairs of books that have the same words among those that are neither rare nor frequent.
fn same_digest(sets: &[Vec<u64>]) -> Vec<(u32, u32, f64)> {
    let mut books: HashMap<u64, u32, RandomState> = HashMap::default();
    sets.iter().flatten().for_each(|key| *books.entry(*key).or_default() += 1);
    let most = (sets.len().max(2) as f64).ln();
    let kept = |key: &u64| {
        let nidf = (sets.len() as f64 / f64::from(books.get(key).copied().unwrap_or(1))).ln() / most;
        (NIDF.0..=NIDF.1).contains(&nidf)
    };
    let mut digests: HashMap<Vec<u64>, Vec<u32>, RandomState> = HashMap::default();
    for (set, number) in sets.iter().zip(0..) {
        let mut words: Vec<u64> = set.iter().copied().filter(kept).collect();
        words.sort_unstable();
        if !words.is_empty() {
            digests.entry(words).or_default().push(number);
        }
    }
    let mut pairs = Vec::new();
    for same in digests.values() {
        for (n, a) in same.iter().enumerate() {
            pairs.extend(same[n + 1..].iter().map(|b| (*a, *b, 1.0)));
        }
    }
    pairs.sort_unstable_by_key(|(a, b, _)| (*a, *b));
    pairs
}

/// A text without some ranges.
fn without<'a>(text: &'a str, left_out: &[Span]) -> std::borrow::Cow<'a, str> {
    if left_out.iter().all(|span| span.is_empty()) {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for span in left_out {
        kept.push_str(text.get(at..span.start).unwrap_or_default());
        kept.push('\n');
        at = span.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept.into()
}

fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::with_capacity(text.len() / 6);
    terms(text, |term| words.push(term.key));
    words
}

fn distinct(mut keys: Vec<u64>) -> Vec<u64> {
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_method_finds_a_copy_and_no_more() {
        let word = |n: usize| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>();
        let text = |from: usize| (from..from + 3000).map(|n| word(n) + " ").collect::<String>();
        let texts = [text(0), text(0), text(50_000)];
        let workers = crate::run::two_workers();
        for (name, method) in BaselineMethod::ALL {
            let sets: Vec<Vec<u64>> = texts.iter().map(|text| method.read(text, &[])).collect();
            let found = method.pairs(&sets, method.threshold(), &workers);
            assert_eq!(found, [(0, 1, 1.0)], "{name}");
        }
    }

    #[test]
    fn ignored_text_is_not_read() {
        assert_eq!(BaselineMethod::Vo.read("one two one", &[Span::new(0, 4)]), distinct(words("two one")));
    }

    proptest! {
        /// The index finds what scoring all pairs finds.
        #[test]
        fn pairs_are_those_of_all_pairs(sets in prop::collection::vec(prop::collection::hash_set(0_u64..50, 0..30), 0..10)) {
            let sets: Vec<Vec<u64>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let workers = crate::run::two_workers();
            for (score, method) in [(Score::Cs(0.3), BaselineMethod::Cs), (Score::Its(0.5), BaselineMethod::Its)] {
                let mut wanted = Vec::new();
                for a in 0..sets.len() {
                    for b in a + 1..sets.len() {
                        let pair = Published::of_sequences(&sets[a], &sets[b]);
                        if score.accepts(pair) {
                            wanted.push((a as u32, b as u32, score.of(pair)));
                        }
                    }
                }
                prop_assert_eq!(method.pairs(&sets, score.threshold(), &workers), wanted);
            }
        }
    }
}
