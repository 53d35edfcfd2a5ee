//! Where a text occurs in another one: the stretch with most of its words, and the words that both have in the same order.

use std::collections::HashMap;

use crate::document::Span;
use crate::text::{longest_increasing, words};

/// A text next to the stretch of another one that is most like it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Aligned {
    /// The words that both have in the same order, joined where they follow each other in both: ranges of the text.
    pub(crate) own: Vec<Span>,
    /// The same ranges in the other text.
    pub(crate) other: Vec<Span>,
    /// The share of the words of the text.
    pub(crate) share: f64,
}

impl Aligned {
    /// From the first to the last common word in the other text.
    pub(crate) fn place(&self) -> Option<Span> {
        Some(Span::new(self.other.first()?.start, self.other.last()?.end))
    }
}

/// A word by its hash, and its bytes.
type Placed = (u64, Span);

/// The words of a text.
fn placed(text: &str) -> Vec<Placed> {
    let mut all = Vec::new();
    words(text, |word| all.push((word.hash, Span::new(word.range().start, word.range().end))));
    all
}

/// Words in a row that are looked up; single words where nothing longer is common.
const ROWS: [usize; 2] = [3, 1];
/// Places in the text at which the same words count.
const REPEATED: usize = 4;
/// The work of comparing two stretches word by word.
const WORK: usize = 1 << 18;

/// Hashes of the sequences of words of a text, for a search in many others.
pub(crate) fn sequences(text: &str, length: usize) -> impl Iterator<Item = u64> {
    let all = placed(text);
    let length = length.min(all.len()).max(1);
    (0..(all.len() + 1).saturating_sub(length)).map(move |at| row(&all[at..at + length]))
}

fn row(words: &[Placed]) -> u64 {
    words.iter().fold(0, |hash: u64, (word, _)| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

/// Compares a text with another one.
pub(crate) fn align(text: &str, other: &str) -> Aligned {
    let (own, there) = (placed(text), placed(other));
    let pairs = ROWS.iter().map(|length| common(&own, &there, *length)).find(|pairs| !pairs.is_empty());
    let pairs = pairs.unwrap_or_default();
    let mut found = Aligned { share: pairs.len() as f64 / own.len().max(1) as f64, ..Aligned::default() };
    let mut last = None;
    for (one, two) in pairs {
        let follows = last.is_some_and(|(before, behind): (usize, usize)| (before + 1, behind + 1) == (one, two));
        match (found.own.last_mut(), found.other.last_mut()) {
            (Some(here), Some(far)) if follows => {
                here.end = own[one].1.end;
                far.end = there[two].1.end;
            }
            _ => {
                found.own.push(own[one].1);
                found.other.push(there[two].1);
            }
        }
        last = Some((one, two));
    }
    found
}

/// Pairs of equal words, in order on both sides, in the best stretch of the other text.
fn common(own: &[Placed], there: &[Placed], length: usize) -> Vec<(usize, usize)> {
    if own.len() < length || there.len() < length {
        return Vec::new();
    }
    let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
    for at in 0..=own.len() - length {
        let places = known.entry(row(&own[at..at + length])).or_default();
        if places.len() < REPEATED {
            places.push(at);
        }
    }
    // By place in the other text; of one place, later ones first, so that an increasing sequence has each place once.
    let mut hits: Vec<(usize, usize)> = Vec::new();
    for at in 0..=there.len() - length {
        let places = known.get(&row(&there[at..at + length]));
        hits.extend(places.into_iter().flatten().rev().map(|place| (at, *place)));
    }
    // The stretch, half as long again as the text, with the most hits.
    let width = own.len() + own.len() / 2 + 2;
    let (mut from, mut best) = (0, 0..0);
    for to in 0..hits.len() {
        while hits[to].0 - hits[from].0 > width {
            from += 1;
        }
        if to + 1 - from > best.len() {
            best = from..to + 1;
        }
    }
    let hits = &hits[best];
    let values: Vec<u32> = hits.iter().map(|(_, place)| *place as u32).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for index in longest_increasing(&values) {
        let (two, one) = hits[index];
        let free = |step: &usize| pairs.last().is_none_or(|(a, b)| *a < one + step && *b < two + step);
        let fresh: Vec<usize> = (0..length).filter(free).collect();
        pairs.extend(fresh.into_iter().map(|step| (one + step, two + step)));
    }
    let (Some(first), Some(last)) = (pairs.first().copied(), pairs.last().copied()) else { return pairs };
    // What lies between, word by word; before the first and after the last, as far as the text reaches.
    let before = (0, first.1.saturating_sub(first.0 + first.0 / 2));
    let rest = own.len() - last.0 - 1;
    let behind = (own.len(), (last.1 + 1 + rest + rest / 2).min(there.len()));
    let mut all = Vec::new();
    let mut at = before;
    for (one, two) in pairs.into_iter().chain([behind]) {
        between(own, there, at, (one, two), &mut all);
        if (one, two) != behind {
            all.push((one, two));
            at = (one + 1, two + 1);
        }
    }
    all
}

/// The longest common subsequence of two stretches, if they are short enough.
fn between(own: &[Placed], there: &[Placed], from: (usize, usize), to: (usize, usize), out: &mut Vec<(usize, usize)>) {
    let (rows, columns) = (to.0.saturating_sub(from.0), to.1.saturating_sub(from.1));
    if rows == 0 || columns == 0 || rows * columns > WORK {
        return;
    }
    let mut lengths = vec![0_u16; (rows + 1) * (columns + 1)];
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    let equal = |row: usize, column: usize| own[from.0 + row].0 == there[from.1 + column].0;
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            lengths[at(row, column)] = match equal(row, column) {
                true => lengths[at(row + 1, column + 1)] + 1,
                false => lengths[at(row + 1, column)].max(lengths[at(row, column + 1)]),
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        if equal(row, column) {
            out.push((from.0 + row, from.1 + column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[at(row + 1, column)] >= lengths[at(row, column + 1)] {
            row += 1;
        } else {
            column += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, other: &str) -> (Vec<String>, Vec<String>) {
        let found = align(text, other);
        let of = |spans: &[Span], text: &str| spans.iter().map(|span| span.of(text).to_owned()).collect();
        (of(&found.own, text), of(&found.other, other))
    }

    #[test]
    fn a_copy_with_changed_words_is_found_where_it_is() {
        let there =
            "One lamp here. Nothing of it. The keeper lit the large lamp at dusk, and again when fog came in. The end.";
        let (own, other) = shown("The keeper lit the lamp at dusk and later when fog came in", there);
        assert_eq!(own, ["The keeper lit the", "lamp at dusk and", "when fog came in"]);
        assert_eq!(other, ["The keeper lit the", "lamp at dusk, and", "when fog came in"]);
        assert_eq!(shown("lamp", there).1, ["lamp"]);
        assert_eq!(align("gull", there), Aligned::default());
        assert_eq!(align("", ""), Aligned::default());
    }

    proptest! {
        /// Both sides have the same words in order, and a copy is found as a whole.
        #[test]
        fn both_sides_have_the_same_words(own in "([a-d]{1,2} ){0,30}", front in "([a-f]{1,2} ){0,30}", other in "([a-d]{1,2} ){0,30}") {
            let there = format!("{front}{other}");
            let found = align(&own, &there);
            prop_assert_eq!(found.own.len(), found.other.len());
            for (one, two) in found.own.iter().zip(&found.other) {
                prop_assert_eq!(one.of(&own), two.of(&there));
            }
            prop_assert!(found.own.is_sorted() && found.other.is_sorted());
            prop_assert!(found.share <= 1.0);
            if own.split(' ').count() > 4 {
                prop_assert!(align(&own, &["x y z ", own.as_str()].concat()).share > 0.99);
            }
        }
    }
}
