//! Which words of a text occur in another one in the same place, and whose words these are: those of the text itself, or
//! wording that many documents share.
//!
//! A copy differs from its source at any place. Documents with the same wording about different things differ at the
//! same places: there, the words around are widespread, and the words of both documents are not, or both are.

use std::collections::HashMap;
use std::ops::Range;

use super::alignment::common_words;
use super::difference::{OFTEN, RARER, WordCounts, count_words};
use super::group::Spread;
use crate::text::{Word, longest_increasing, mix};

/// Words of a seed: a sequence that occurs once in both texts, or wherever nothing else was found.
const SEED: usize = 3;
/// Seeds in a row that belong together although other text moved between them.
const MOVED: usize = 3;
/// Seeds support each other if they are at most this far apart, and as far in the other text, but for some words.
const NEAR: u32 = 32;
const DRIFT: u32 = 12;
/// Pairs of words that are compared in full: of whole texts, and of gaps.
const FEW_PAIRS: usize = 1 << 10;
const PAIRS: usize = 1 << 14;
/// In a gap of more words than this, at least half must be found.
const CHANCE: usize = 3;
/// Words of a gap that may have no counterpart, beyond its own length twice.
const SPARE: usize = 8;
/// Gaps of at most this many words are where an editor changes words. They count half: what an editor adds is not a text of
/// its own.
const EDIT: usize = 3;
/// A gap of more words than this is not where an editor changed words: the text is new.
const NEW: usize = 5;
/// Words in a row that are a phrase, and so in a language.
const PHRASE: usize = 3;
/// Words on either side of a gap that show whether it is in widespread text.
const CONTEXT: usize = 2;

/// How much of a text occurs in another one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[allow(clippy::struct_field_names)] // what was found
pub(super) struct Found {
    /// Words of the text, and those that occur in the other one.
    pub(super) words: usize,
    pub(super) found: usize,
    /// The words that belong to the text itself, and those of them that occur in the other one. Wording that many documents
    /// share does not count.
    pub(super) own: usize,
    pub(super) own_found: usize,
    /// How many of the others an editor may have changed, and how many are facts in the place of others: names and numbers, or
    /// words that always replace the same ones.
    pub(super) edited: usize,
    pub(super) facts: usize,
    /// In how many places the texts differ, and how often the most frequent difference occurs: the same words in place of the
    /// same others.
    pub(super) gaps: usize,
    pub(super) same: usize,
    /// In how many places words replace others and either belong to the subject, or the language, of their text: it has them often, and
    /// the other text rarely.
    pub(super) subject: usize,
    /// Of the words that do not occur in the other text, those in small gaps, and those in gaps so large that they are new text.
    pub(super) small: usize,
    pub(super) new: usize,
    /// The most of its own words that follow each other and do not occur in the other one.
    pub(super) longest: usize,
}

impl Found {
    /// The share of its own words that occur in the other text.
    pub(super) fn share(self) -> f64 {
        let found = self.own_found as f64 + self.edited.saturating_sub(self.facts) as f64 / 2.0;
        if self.own == 0 { 1.0 } else { found / self.own as f64 }
    }
}

/// A text to compare: its words, and which of them are widespread.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) words: &'a [Word],
    pub(super) widespread: &'a [bool],
}

impl Side<'_> {
    fn hashes(self) -> Vec<u64> {
        self.words.iter().map(|word| word.hash).collect()
    }
}

/// How much of each of two texts occurs in the other. If they are `whole` documents, text that moved is searched for, too: in a much longer
/// one, phrases are found that were never together.
pub(super) fn compare(own: Side<'_>, other: Side<'_>, whole: bool, is_fact: impl Fn(&Word) -> bool) -> (Found, Found) {
    let matches = match_words(&own.hashes(), &other.hashes(), whole);
    let mut one = Found { words: own.words.len(), ..Found::default() };
    let mut two = Found { words: other.words.len(), ..Found::default() };
    let mut is_found = vec![false; other.words.len()];
    for (at, there) in matches.iter().enumerate().filter(|(_, there)| **there != NONE) {
        let there = *there as usize;
        is_found[there] = true;
        one.found += 1;
        two.found += 1;
        // Text that is widespread on one side only was changed near this place, or is seen by chance.
        if !own.widespread[at] && !other.widespread[there] {
            (one.own, one.own_found) = (one.own + 1, one.own_found + 1);
            (two.own, two.own_found) = (two.own + 1, two.own_found + 1);
        }
    }
    let mut in_gaps = vec![false; other.words.len()];
    let gaps = gaps(&matches, other.words.len());
    let hash = |side: Side<'_>, range: &Range<usize>| {
        side.words[range.clone()].iter().fold(0, |hash, word| mix(hash ^ word.hash))
    };
    let mut replacements: HashMap<(u64, u64), u32> = HashMap::new();
    for (here, there) in &gaps {
        *replacements.entry((hash(own, here), hash(other, there))).or_default() += 1;
    }
    one.gaps = gaps.len();
    one.same = replacements.values().max().copied().unwrap_or_default() as usize;
    one.subject = if whole { of_subject(own, other, &gaps) } else { 0 };
    (two.gaps, two.same, two.subject) = (one.gaps, one.same, one.subject);
    for (here, there) in gaps {
        in_gaps[there.clone()].fill(true);
        if here.len().max(there.len()) <= EDIT {
            (one.small, two.small) = (one.small + here.len(), two.small + there.len());
        }
        one.new += if here.len() > NEW { here.len() } else { 0 };
        two.new += if there.len() > NEW { there.len() } else { 0 };
        let mostly = |side: Side<'_>, range: &Range<usize>| {
            2 * side.widespread[range.clone()].iter().filter(|widespread| **widespread).count() > range.len()
        };
        let near = |side: Side<'_>, range: &Range<usize>| {
            let (before, behind) = (range.start.saturating_sub(CONTEXT)..range.start, range.end..side.words.len());
            let around = side.widespread[before].iter().chain(side.widespread[behind].iter().take(CONTEXT));
            around.into_iter().any(|widespread| *widespread)
        };
        // Where a widespread wording was edited, one side has it and the other does not.
        let (known, theirs) = (mostly(own, &here), mostly(other, &there));
        let is_edit = match (here.is_empty(), there.is_empty()) {
            // In a block, an editor changes a few words in a row; in a form, a whole phrase can be filled in.
            (false, false) if !whole && here.len().max(there.len()) > NEW => false,
            (false, false) => known != theirs && near(own, &here) && near(other, &there),
            (true, false) => theirs && near(own, &here),
            _ => known || (here.len() <= EDIT && near(own, &here)),
        };
        if is_edit {
            continue;
        }
        (one.own, two.own) = (one.own + here.len(), two.own + there.len());
        (one.longest, two.longest) = (one.longest.max(here.len()), two.longest.max(there.len()));
        if here.len().max(there.len()) <= EDIT {
            (one.edited, two.edited) = (one.edited + here.len(), two.edited + there.len());
        }
        if !here.is_empty() && !there.is_empty() {
            let facts = |side: Side<'_>, range: &Range<usize>| {
                2 * side.words[range.clone()].iter().filter(|word| is_fact(word)).count() >= range.len()
            };
            let always = replacements.get(&(hash(own, &here), hash(other, &there))).is_some_and(|count| *count > 1);
            if always || (facts(own, &here) && facts(other, &there)) {
                (one.facts, two.facts) = (one.facts + here.len(), two.facts + there.len());
            }
        }
    }
    // What has no counterpart at all belongs to the other text, unless it is widespread.
    for at in (0..other.words.len()).filter(|at| !is_found[*at] && !in_gaps[*at]) {
        two.new += 1;
        two.own += usize::from(!other.widespread[at]);
    }
    (one, two)
}

/// For each word of a text, the position of its counterpart in another one.
fn match_words(own: &[u64], other: &[u64], whole: bool) -> Vec<u32> {
    let mut matches = align(own, other);
    if whole && other.len() <= 2 * own.len() {
        add_moved(own, other, &mut matches);
    }
    matches
}

/// The positions of the words in phrases of a whole document that do not occur in another one.
pub(super) fn new_phrases(own: &[u64], other: &[u64]) -> Vec<usize> {
    let (matches, mut at) = (match_words(own, other, true), 0);
    let mut new = Vec::new();
    for run in matches.chunk_by(|one, next| (*one == NONE) == (*next == NONE)) {
        if run[0] == NONE && run.len() >= PHRASE {
            new.extend(at..at + run.len());
        }
        at += run.len();
    }
    new
}

/// In how many gaps words replace others and either are of the subject of their text.
fn of_subject(own: Side<'_>, other: Side<'_>, gaps: &[(Range<usize>, Range<usize>)]) -> usize {
    let (here, there) = (count_words(own.words), count_words(other.words));
    let is_of = |word: &Word, counts: &WordCounts, elsewhere: &WordCounts, words: usize, others: usize| {
        let count = |counts: &WordCounts| counts.get(&word.hash).copied().unwrap_or_default();
        count(counts) >= OFTEN && RARER * count(elsewhere) as usize * words < count(counts) as usize * others
    };
    let (words, others) = (own.words.len(), other.words.len());
    let replaced = gaps.iter().filter(|(one, two)| !one.is_empty() && !two.is_empty());
    let is_other = |(one, two): &&(Range<usize>, Range<usize>)| {
        own.words[one.clone()].iter().any(|word| is_of(word, &here, &there, words, others))
            || other.words[two.clone()].iter().any(|word| is_of(word, &there, &here, others, words))
    };
    replaced.filter(is_other).count()
}

/// The words that have no counterpart, and the words of the other text in their place.
fn gaps(matches: &[u32], others: usize) -> Vec<(Range<usize>, Range<usize>)> {
    let mut gaps = Vec::new();
    let (mut at, mut expected) = (0, Some(0_usize));
    while at <= matches.len() {
        let from = at;
        while at < matches.len() && matches[at] == NONE {
            at += 1;
        }
        let next = matches.get(at).map(|there| *there as usize);
        let end = next.unwrap_or(others);
        let there = match expected {
            // A gap that is far larger on one side is not a change of words: text was moved, or removed.
            Some(start) if start <= end && end - start <= 2 * (at - from) + SPARE => start..end,
            _ => 0..0,
        };
        if from < at || !there.is_empty() {
            gaps.push((from..at, there));
        }
        expected = next.map(|there| there + 1);
        at += 1;
    }
    gaps
}

/// Finds phrases that have no counterpart among those of the other text that have none: they moved.
fn add_moved(own: &[u64], other: &[u64], matches: &mut [u32]) {
    if !matches.windows(SEED).any(|window| window.iter().all(|there| *there == NONE)) {
        return;
    }
    let mut taken = vec![false; other.len()];
    matches.iter().filter(|there| **there != NONE).for_each(|there| taken[*there as usize] = true);
    let mut places: HashMap<u64, usize, Spread> = HashMap::default();
    for (at, window) in other.windows(SEED).enumerate().filter(|(at, _)| !taken[*at..at + SEED].contains(&true)) {
        places.entry(hash_of(window)).or_insert(at);
    }
    for (at, window) in own.windows(SEED).enumerate() {
        let Some(place) = places.get(&hash_of(window)).filter(|_| matches[at + SEED - 1] == NONE) else { continue };
        for (here, there) in (at..at + SEED).zip(*place..) {
            if matches[here] == NONE && !taken[there] {
                (matches[here], taken[there]) = (there as u32, true);
            }
        }
    }
}

fn hash_of(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| mix(hash ^ word))
}

/// Which words of a text have no counterpart in another one.
pub(super) fn missing(own: &[u64], other: &[u64]) -> Vec<bool> {
    align(own, other).iter().map(|there| *there == NONE).collect()
}

/// No counterpart.
const NONE: u32 = u32::MAX;

/// For each word, the position of its counterpart in the other text.
fn align(own: &[u64], other: &[u64]) -> Vec<u32> {
    let mut matches = vec![NONE; own.len()];
    let mut taken = vec![false; other.len()];
    if own.len() * other.len() > FEW_PAIRS {
        for (at, there) in chained(&seeds(own, other)) {
            for (at, there) in (at as usize..).zip(there as usize..).take(SEED) {
                if matches[at] == NONE && !taken[there] {
                    (matches[at], taken[there]) = (there as u32, true);
                }
            }
        }
    }
    let mut at = 0;
    while at < own.len() {
        if matches[at] != NONE {
            at += 1;
            continue;
        }
        let from = at;
        at += matches[from..].iter().take_while(|there| **there == NONE).count();
        let start = from.checked_sub(1).map_or(0, |before| matches[before] as usize + 1);
        let end = matches.get(at).map_or(other.len(), |there| *there as usize);
        let reach = 2 * (at - from) + 2 * SPARE;
        if start < end && (end - start) <= reach {
            fill(own, other, from..at, start..end, &mut matches, &mut taken);
        } else {
            // Text moved: look behind the words before, and in front of those after.
            if from > 0 || start < end {
                fill(own, other, from..at, start..(start + reach).min(other.len()), &mut matches, &mut taken);
            }
            let open = from + matches[from..at].iter().rposition(|there| *there != NONE).map_or(0, |last| last + 1);
            if at < own.len() && open < at {
                fill(own, other, open..at, end.saturating_sub(reach)..end, &mut matches, &mut taken);
            }
        }
    }
    matches
}

/// Sequences of words that occur once in each text: their positions.
fn seeds(own: &[u64], other: &[u64]) -> Vec<(u32, u32)> {
    let places = |words: &[u64]| {
        let mut places: HashMap<u64, u32, Spread> = HashMap::with_capacity_and_hasher(words.len(), Spread);
        for (at, window) in words.windows(SEED).enumerate() {
            places.entry(hash_of(window)).and_modify(|place| *place = NONE).or_insert(at as u32);
        }
        places
    };
    let (here, there) = (places(own), places(other));
    let seed = |(at, window): (usize, &[u64])| {
        let hash = hash_of(window);
        let place = there.get(&hash).copied().filter(|place| *place != NONE)?;
        (here.get(&hash) == Some(&(at as u32))).then_some((at as u32, place))
    };
    own.windows(SEED).enumerate().filter_map(seed).collect()
}

/// The seeds that are in the same order in both texts, and those in long passages that moved. A seed that no other one
/// supports is a phrase that both texts have by chance.
fn chained(seeds: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let places: Vec<u32> = seeds.iter().map(|(_, there)| *there).collect();
    let chain: Vec<usize> = longest_increasing(&places);
    let mut chosen = vec![false; seeds.len()];
    for (at, seed) in chain.iter().enumerate() {
        let near = |other: Option<&usize>| other.is_some_and(|other| supports(seeds[*seed], seeds[*other]));
        chosen[*seed] = near(at.checked_sub(1).and_then(|before| chain.get(before))) || near(chain.get(at + 1));
    }
    let mut start = 0;
    for run in seeds.chunk_by(|one, next| next.1.wrapping_sub(one.1) == next.0 - one.0) {
        if run.len() >= MOVED {
            chosen[start..start + run.len()].fill(true);
        }
        start += run.len();
    }
    seeds.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(seed, _)| *seed).collect()
}

/// True for two seeds that are near each other, at about the same distance in both texts.
fn supports(one: (u32, u32), other: (u32, u32)) -> bool {
    let (here, there) = (one.0.abs_diff(other.0), one.1.abs_diff(other.1));
    here <= NEAR && here.abs_diff(there) <= DRIFT
}

/// Matches the words of a gap, by a longest common subsequence.
fn fill(
    own: &[u64],
    other: &[u64],
    mut here: Range<usize>,
    mut there: Range<usize>,
    matches: &mut [u32],
    taken: &mut [bool],
) {
    while !here.is_empty() && !there.is_empty() && own[here.start] == other[there.start] && !taken[there.start] {
        (matches[here.start], taken[there.start]) = (there.start as u32, true);
        (here.start, there.start) = (here.start + 1, there.start + 1);
    }
    while !here.is_empty() && !there.is_empty() && own[here.end - 1] == other[there.end - 1] && !taken[there.end - 1] {
        (here.end, there.end) = (here.end - 1, there.end - 1);
        (matches[here.end], taken[there.end]) = (there.end as u32, true);
    }
    if here.is_empty() || there.is_empty() || here.len() * there.len() > PAIRS {
        return;
    }
    let pairs = common_words(&own[here.clone()], &other[there.clone()]);
    if here.len() > CHANCE && 2 * pairs.len() < here.len() {
        return;
    }
    for (at, place) in pairs {
        let (at, place) = (here.start + at, there.start + place);
        if !taken[place] {
            (matches[at], taken[place]) = (place as u32, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of a longest common subsequence, by the definition.
    fn longest_by_definition(own: &[u64], other: &[u64]) -> usize {
        let mut row = vec![0; other.len() + 1];
        for word in own {
            let mut before = 0;
            for (at, there) in other.iter().enumerate() {
                let here = row[at + 1];
                row[at + 1] = if word == there { before + 1 } else { row[at].max(here) };
                before = here;
            }
        }
        row[other.len()]
    }

    fn matched(matches: &[u32]) -> Vec<u32> {
        matches.iter().copied().filter(|there| *there != NONE).collect()
    }

    proptest! {
        #[test]
        fn short_texts_are_aligned_as_defined(
            own in prop::collection::vec(0_u64..6, 0..32),
            other in prop::collection::vec(0_u64..6, 0..32),
        ) {
            let found = matched(&align(&own, &other));
            prop_assert!(found.is_sorted() && found.windows(2).all(|two| two[0] != two[1]));
            let longest = longest_by_definition(&own, &other);
            // What is mostly different is not searched for words that are common by chance.
            prop_assert!(found.len() == longest || (found.len() < longest && 2 * found.len() < own.len() + 2 * SPARE));
        }

        #[test]
        fn long_texts_are_aligned_nearly_as_defined(
            length in 150_usize..400,
            changes in prop::collection::vec((0_usize..400, 200_000_u64..300_000), 0..12),
            moved in any::<bool>(),
        ) {
            let other: Vec<u64> = (0..length as u64).map(|word| word * 7 % 100_003).collect();
            let mut own = other.clone();
            for (at, word) in changes {
                own[at % length] = word;
            }
            let longest = longest_by_definition(&own, &other);
            if moved {
                own.rotate_left(length / 3);
            }
            let found = matched(&align(&own, &other)).len();
            // Where passages meet, and between changes that are near each other, some words are not looked for.
            prop_assert!(found <= length && 10 * found + 250 >= 10 * longest, "{found} of {longest}");
        }
    }

    #[test]
    fn gaps_face_each_other() {
        let matches = [0, NONE, NONE, 3, 4, NONE, 9, NONE];
        let found = gaps(&matches, 11);
        assert_eq!(found, [(1..3, 1..3), (5..6, 5..9), (7..8, 10..11)]);
    }
}
